"""From constraints as the user says them to the packed tables that kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.constraints import columns as col
from locomote.constraints.keel import KeelRows
from locomote.constraints.kinds import (
    LOCKED,
    Blade,
    Constraint,
    Coupled,
    Custom,
    Distance,
    LoopClosure,
    PointContact,
    Rolling,
    SurfaceContact,
    place,
)
from locomote.constraints.touched import meeting, touched_by
from locomote.dynamics.differences import derivative
from locomote.dynamics.kinematics import forward_kinematics
from locomote.errors import UnknownName
from locomote.geometry.shape import SHAPE_NUMBERS, unit_vector
from locomote.geometry.table import SHAPES, pack_rolling, pack_surface
from locomote.model.joints.axes import turn_to
from locomote.model.model import Model, twelve

TURNS = "abc"


@dataclass(frozen=True)
class PackedConstraints:
    """Tables over elementary constraints, and what is known of each row."""

    integers: np.ndarray
    numbers: np.ndarray
    linear: np.ndarray
    linear_q: np.ndarray
    holonomic: np.ndarray
    touched: np.ndarray
    touched_first: np.ndarray
    callbacks: tuple[Callback, ...]


def pack_constraints(
    model: Model, constraints: Sequence[Constraint], q: np.ndarray | None = None, first: int = 0
) -> PackedConstraints:
    """Pack constraints of a model without couplings.

    q : (nq,) the start, which targets, frames, lengths and offsets that were not given are taken from
    first : row of the table of functions at which those of the constraints begin
    """
    tables = _Tables(model, q, first)
    for owner, constraint in enumerate(constraints):
        if not isinstance(constraint, Constraint):
            hint = "; a lo.Touch goes into contacts" if type(constraint).__name__ == "Touch" else ""
            raise TypeError(
                f"constraints[{owner}] is {constraint!r:.60}, not a constraint such as lo.Blade or lo.Rolling{hint}"
            )
        try:
            tables.add(owner, constraint)
        except UnknownName:
            raise
        except ValueError as error:
            raise ValueError(f"constraint {constraint.title!r}: {error}") from None
    return tables.packed(constraints)


def labels_of(constraints: Sequence[Constraint]) -> tuple[tuple[str, str, str], ...]:
    """(constraint, row, unit of the reaction) of every row; a title that is used again gets a number."""
    labels, used = [], {}
    for constraint in constraints:
        title = constraint.title
        used[title] = used.get(title, 0) + 1
        if used[title] > 1:
            title = f"{title}_{used[title]}"
        labels += [(title, label, unit) for label, unit in zip(constraint.labels, constraint.units, strict=True)]
    return tuple(labels)


class _Tables:
    """Collects the rows of the tables."""

    def __init__(self, model: Model, q: np.ndarray | None, first: int):
        self.model, self.q, self.first = model, q, first
        self.poses = None if q is None else forward_kinematics(model, q)
        self.integers: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []
        self.linear: list[np.ndarray] = []
        self.linear_q: list[np.ndarray] = []
        self.callbacks: list[Callback] = []
        self.rows = self.unilateral = 0

    def packed(self, constraints: Sequence[Constraint]) -> PackedConstraints:
        model = self.model
        flags = [flag for constraint in constraints for flag in constraint.holonomic]
        integers = np.array(self.integers, dtype=np.int64).reshape(-1, col.INTEGERS)
        linear = np.array(self.linear, dtype=float).reshape(len(self.linear), model.nv)
        return PackedConstraints(
            integers,
            np.array(self.numbers, dtype=float).reshape(-1, col.NUMBERS),
            linear,
            np.array(self.linear_q, dtype=float).reshape(len(self.linear_q), model.nq),
            np.array(flags, dtype=np.int64),
            *touched_by(model, integers, linear),
            tuple(self.callbacks),
        )

    def add(self, owner: int, constraint: Constraint) -> None:
        """Add the elementary constraints of one of the user's."""
        if isinstance(constraint, Blade):
            side = unit_vector(constraint.side, "side")
            frame = place(constraint.point)
            frame[:3, :3] = turn_to(side)[:, [1, 2, 0]]  # y along the side
            self._put(owner, col.BLADE, 1, constraint.body, constraint.other, frame, np.eye(4))
        elif isinstance(constraint, KeelRows):
            self._keel(owner, constraint)
        elif isinstance(constraint, PointContact):
            self._point_contact(owner, constraint)
        elif isinstance(constraint, SurfaceContact):
            frame = place(constraint.frame)
            self._closure(owner, "xyzabc", constraint, frame, constraint.target, "target")
        elif isinstance(constraint, LoopClosure):
            if constraint.kind not in LOCKED:
                raise ValueError(f"unknown kind {constraint.kind!r}; known: {', '.join(LOCKED)}")
            letters = checked_letters(constraint.letters, "xyzabc", "locked")
            self._closure(owner, letters, constraint, place(constraint.frame), constraint.other_frame, "other_frame")
        elif isinstance(constraint, Distance):
            self._distance(owner, constraint)
        elif isinstance(constraint, Rolling):
            self._rolling(owner, constraint)
        elif isinstance(constraint, Coupled):
            self._coupled(owner, constraint)
        elif isinstance(constraint, Custom):
            self._custom(owner, constraint)
        else:
            raise ValueError(f"kind {type(constraint).__name__} is not known here")

    def _keel(self, owner: int, c: KeelRows) -> None:
        """One elementary constraint for each section; those of motions add up in the same rows."""
        first, frame = self.rows, np.eye(4)
        frame[:3, :3] = turn_to(unit_vector(c.side, "side"))[:, [1, 2, 0]]  # y along the side
        root, pose = self._carried(c.body, np.eye(4))
        sections = list(zip(c.bodies, c.shares, strict=True))
        for section, share in reversed(sections) if c.motions else sections:  # from the tip on, see `keel_rows`
            count = len(c.motions) or 1
            integers, numbers = self._put(owner, col.KEEL, count, str(section), c.other, frame, np.eye(4))
            numbers[col.FRAME_A : col.FRAME_A + 12], numbers[col.LENGTH] = twelve(pose), share
            integers[[col.ROOT, col.MOTIONS]] = root, c.mask
            if c.motions:
                integers[col.FIRST], self.rows = first, first + count

    def _put(self, owner, kind, count, body, other, frame, other_frame):
        """A row of both tables; returns them to be completed."""
        integers, numbers = np.zeros(col.INTEGERS, np.int64), np.zeros(col.NUMBERS)
        integers[[col.KIND, col.FIRST, col.COUNT, col.OWNER, col.ACTIVE]] = kind, self.rows, count, owner, 1
        for which, at, start, pose in ((body, col.BODY, col.FRAME_B, frame), (other, col.OTHER, col.FRAME_A, other_frame)):
            integers[at], packed = self._carried(which, pose)
            numbers[start : start + 12] = twelve(packed)
        if integers[col.BODY] == integers[col.OTHER] and kind in col.BETWEEN_BODIES:
            raise ValueError(
                f"body {body!r} and {'the world' if other is None else repr(other)} do not move relative to each other"
            )
        integers[col.MEETING] = meeting(self.model.topology, *integers[[col.BODY, col.OTHER]])
        self.rows += count
        self.integers.append(integers)
        self.numbers.append(numbers)
        return integers, numbers

    def _carried(self, body: str | None, pose: np.ndarray) -> tuple[int, np.ndarray]:
        """A frame of a named body as a frame of the moving body that carries it."""
        if body is None:
            return len(self.model.topology) - 1, pose
        index = self.model.body_index(body)
        return int(self.model.carrier[index]), self.model.placement[index] @ pose

    def _relative(self, body: str, other: str | None, what: str) -> np.ndarray:
        """Pose of a body in another at the start."""
        if self.poses is None:
            raise ValueError(f"{what} must be given: there is no start configuration to take it from")
        pose = self.poses[self.model.body_index(body)]
        return pose if other is None else np.linalg.inv(self.poses[self.model.body_index(other)]) @ pose

    def _point_contact(self, owner: int, c: PointContact) -> None:
        point = np.append(place(c.point)[:3, 3], 1.0)
        if not 0.0 <= c.restitution <= 1.0:
            raise ValueError(f"restitution is {c.restitution!r}, it must lie between 0 and 1")
        if c.restitution and not c.unilateral:
            raise ValueError("restitution needs a contact that can open and hit: unilateral=True")
        target = (self._relative(c.body, c.other, "target") @ point)[:3] if c.target is None else c.target
        letters = checked_letters(c.directions, "xyz", "directions")
        if c.unilateral and "z" not in letters:
            raise ValueError("a unilateral contact pushes along z, so directions must contain z")
        integers, numbers = self._put(owner, col.POINT, len(letters), c.body, c.other, place(c.point), place(target))
        integers[col.ROWS : col.ROWS + len(letters)] = ["xyz".index(letter) for letter in letters]
        if c.unilateral:
            self.unilateral += 1
            integers[col.UNILATERAL] = self.unilateral

    def _closure(self, owner, letters: str, c: SurfaceContact | LoopClosure, frame, given, label: str) -> None:
        """Shifts and turns that a loop closure holds, in the order of its letters: shifts first."""
        body, other = c.body, c.other
        other_frame = self._relative(body, other, label) @ frame if given is None else place(given)
        shifts, turns = [x for x in letters if x in "xyz"], [x for x in letters if x in TURNS]
        if "".join(shifts + turns) != letters:
            raise ValueError(f"locked must name shifts before turns, such as {''.join(shifts + turns)!r}, not {letters!r}")
        if shifts:
            integers, _ = self._put(owner, col.POINT, len(shifts), body, other, frame, other_frame)
            integers[col.ROWS : col.ROWS + len(shifts)] = ["xyz".index(x) for x in shifts]
        if turns:
            integers, numbers = self._put(owner, col.TURN, len(turns), body, other, frame, other_frame)
            held = [TURNS.index(x) for x in turns]
            for n, k in enumerate(held):
                if len(held) == 2:  # the free axis is common to both frames
                    j = 3 - sum(held)
                    i = 3 - j - k
                else:
                    i, j = (k + 1) % 3, (k + 2) % 3
                integers[col.PAIRS + n] = 3 * i + j
                numbers[col.SIGNS + n] = 1.0 if (i + 1) % 3 == j else -1.0

    def _distance(self, owner: int, c: Distance) -> None:
        _, numbers = self._put(owner, col.DISTANCE, 1, c.body, c.other, place(c.point), place(c.other_point))
        length = c.length
        if length is None:
            point = (self._relative(c.body, c.other, "length") @ np.array([*map(float, c.point), 1.0]))[:3]
            length = float(np.linalg.norm(point - np.asarray(c.other_point, dtype=float)))
        if not length > 0:
            raise ValueError(f"length is {length!r}, it must be positive; hold a point with lo.PointContact instead")
        numbers[col.LENGTH] = length

    def _rolling(self, owner: int, c: Rolling) -> None:
        letters = checked_letters(c.directions, "fln", "directions")
        shape, ground, function = pack_rolling(c.wheel), pack_surface(c.surface), 0
        if not SHAPES[type(c.surface)].smooth:
            raise ValueError("nothing rolls over edges and ends without slipping; use lo.Touch on a lo.Ground of that surface")
        if ground.callback is not None:
            self.callbacks.append(ground.callback)
            function = self.first + len(self.callbacks) - 1
        frame = place(c.center) @ shape.frame
        integers, numbers = self._put(owner, col.ROLL, len(letters), c.body, c.other, frame, ground.frame)
        integers[col.ROWS : col.ROWS + len(letters)] = ["fln".index(letter) for letter in letters]
        integers[[col.SHAPE, col.SURFACE, col.FUNCTION]] = shape.kind, ground.kind, function
        numbers[col.SHAPE_NUMBERS : col.SHAPE_NUMBERS + SHAPE_NUMBERS] = shape.numbers
        numbers[col.SURFACE_NUMBERS : col.SURFACE_NUMBERS + SHAPE_NUMBERS] = ground.numbers

    def _coupled(self, owner: int, c: Coupled) -> None:
        integers, numbers = self._put(owner, col.LINEAR, 1, None, None, np.eye(4), np.eye(4))
        row, row_q = np.zeros(self.model.nv), np.zeros(self.model.nq)
        if not c.ratios:
            raise ValueError("ratios are empty: name at least one joint")
        for name, ratio in c.ratios.items():
            joint = self.model.joint(name)
            if joint.joint.sizes != (1, 1):
                raise ValueError(f"joint {name!r} is {joint.kind}, only joints with one coordinate can be coupled")
            if not np.isfinite(ratio):
                raise ValueError(f"the ratio of joint {name!r} is {ratio!r}, it must be finite")
            row[joint.v], row_q[joint.q] = float(ratio), float(ratio)
        if c.offset is None and self.q is None:
            raise ValueError("offset must be given: there is no start configuration to take it from")
        integers[col.FUNCTION] = len(self.linear)
        numbers[col.OFFSET] = row_q @ self.q if c.offset is None else c.offset
        self.linear.append(row)
        self.linear_q.append(row_q)

    def _custom(self, owner: int, c: Custom) -> None:
        for label in ("rows", "drift", "speed", "error"):
            given = getattr(c, label)
            if not callable(given) and not hasattr(given, "address") and (given is not None or label == "rows"):
                raise ValueError(f"{label} must be a function of (t, q, v), not {given!r:.60}")
        if not isinstance(c.count, int) or isinstance(c.count, bool) or c.count < 1:
            raise ValueError(f"count is {c.count!r}, expected the number of rows, 1 or more")
        integers, _ = self._put(owner, col.CUSTOM, c.count, None, None, np.eye(4), np.eye(4))
        nq, nv = self.model.nq, self.model.nv
        integers[col.FUNCTION] = self._callback(
            c.rows, (nq, nv, c.count * (nv + 3)), custom_function(self.model, c), f"constraint {c.title!r}"
        )

    def _callback(self, given, sizes, function, name) -> int:
        function = given if hasattr(given, "address") else function
        callback = Callback(function, sizes, name=name)
        self.callbacks.append(callback)
        return self.first + len(self.callbacks) - 1


def checked_letters(letters: str, known: str, label: str) -> str:
    """Letters out of those known, each at most once."""
    if not letters or not set(letters) <= set(known) or len(set(letters)) != len(letters):
        raise ValueError(f"{label} is {letters!r}, expected some of the letters {known!r}, each once")
    return letters


def fitting(given, shape: tuple[int, ...]) -> np.ndarray:
    """What a function of the user gave, as numbers in a shape."""
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{given!r:.60} came, expected an array of shape {shape}") from None
    if array.size != np.prod(shape):
        raise ValueError(f"an array of shape {array.shape} came, expected {shape}")
    return array.reshape(shape)


def custom_function(model: Model, c: Custom):
    """Rows, drift, speed and error of a custom constraint as one callback."""

    def values(function, t, q, v):
        return np.zeros(c.count) if function is None else fitting(function(t, q, v), (c.count,))

    def rows(t, q, v):
        return fitting(c.rows(t, q, v), (c.count, model.nv))

    def residual(t, q, v):
        return rows(t, q, v) @ v + values(c.speed, t, q, v)

    def drift(t, q, v):
        if c.drift is not None:
            return values(c.drift, t, q, v)
        return derivative(lambda s: residual(t + s, model.integrate(q, s * v), v), 2e-3)

    def custom(t, q, v):
        return np.concatenate([rows(t, q, v).ravel(), drift(t, q, v), values(c.speed, t, q, v), values(c.error, t, q, v)])

    return custom
