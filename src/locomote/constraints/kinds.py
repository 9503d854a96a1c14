"""Constraints as the user says them: which motion of which body is held, relative to which other body.

Every kind gives rows of

    A(q, t) v + b(q, t) = 0

one for each held direction. The reaction of a row is the force (N) or moment (N m) that the constraint exerts on `body`
along it; `other` (the world if None) takes the opposite. Rows that hold a position too are holonomic: their position error
is kept at zero as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.constraints import columns as col
from locomote.geometry.shape import SHAPE_NUMBERS, Shape, Surface, Vector, unit_vector
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.torus import Torus
from locomote.geometry.table import SHAPES, pack_rolling, pack_surface
from locomote.model.joints.axes import turn_to
from locomote.model.splines import Spline

if TYPE_CHECKING:
    from locomote.constraints.packing import Tables

LOCKED = {  # letters: shifts x y z, turns a b c about x y z of the frames
    "weld": "xyzabc",
    "revolute": "xyzab",
    "spherical": "xyz",
    "universal": "xyzc",
    "prismatic": "xyabc",
    "cylindrical": "xyab",
    "planar": "zab",
}
UNIT = {True: "N", False: "N m"}
TURNS = "abc"


@dataclass(frozen=True)
class Constraint:
    """What all kinds have: a name for reports and channels (made up from kind and body if empty)."""

    name: str = field(default="", kw_only=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """A word for each row."""
        raise NotImplementedError

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the reaction of each row."""
        return ("N",) * len(self.labels)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds a position and not only a velocity."""
        return (True,) * len(self.labels)

    @property
    def title(self) -> str:
        """The name, or kind and body."""
        body = getattr(self, "body", None)
        kind = "".join("_" + c.lower() if c.isupper() else c for c in type(self).__name__).lstrip("_")
        return self.name or (f"{kind}_{body}" if body else kind)

    def pack(self, tables: "Tables", owner: int) -> None:
        """Put its elementary constraints into the tables. owner : its place among all constraints"""
        raise ValueError(f"kind {type(self).__name__} is not known here")


@dataclass(frozen=True)
class Blade(Constraint):
    """No sideways motion of a point of a body: a skate, a passive wheel, a scale.

    point : in the body frame, m; side : the held direction, fixed in the body frame
    """

    body: str
    point: Vector = (0.0, 0.0, 0.0)
    side: Vector = (0.0, 1.0, 0.0)
    other: str | None = None

    @property
    def labels(self):
        return ("side",)

    @property
    def holonomic(self):
        return (False,)

    def pack(self, tables, owner):
        frame = place(self.point)
        frame[:3, :3] = y_along(self.side)
        tables.put(owner, col.BLADE, 1, self.body, self.other, frame, np.eye(4))


@dataclass(frozen=True)
class PointContact(Constraint):
    """A point of a body held to a point of another, along some axes of the other's frame.

    target : the point of the other body; None: where the point is when the contact closes, which is the start unless an event
        closes it
    directions : the held axes, letters of "xyz"
    unilateral : it can push along z but not pull, and lets go; the point may also come from above and hit
    restitution : speed after a hit over speed before it
    """

    body: str
    point: Vector = (0.0, 0.0, 0.0)
    target: Vector | None = None
    directions: str = "xyz"
    other: str | None = None
    unilateral: bool = False
    restitution: float = 0.0

    @property
    def labels(self):
        return tuple(self.directions)

    def pack(self, tables, owner):
        point = np.append(place(self.point)[:3, 3], 1.0)
        if not 0.0 <= self.restitution <= 1.0:
            raise ValueError(f"restitution is {self.restitution!r}, it must lie between 0 and 1")
        if self.restitution and not self.unilateral:
            raise ValueError("restitution needs a contact that can open and hit: unilateral=True")
        target = (tables.relative(self.body, self.other, "target") @ point)[:3] if self.target is None else self.target
        letters = checked_letters(self.directions, "xyz", "directions")
        if self.unilateral and "z" not in letters:
            raise ValueError("a unilateral contact pushes along z, so directions must contain z")
        integers, numbers = tables.put(owner, col.POINT, len(letters), self.body, self.other, place(self.point), place(target))
        integers[col.ROWS : col.ROWS + len(letters)] = ["xyz".index(letter) for letter in letters]
        if self.unilateral:
            tables.unilateral += 1
            integers[col.UNILATERAL] = tables.unilateral


@brief
@dataclass(frozen=True)
class LoopClosure(Constraint):
    """A joint that closes a loop: the frame on the body and the frame on the other body move only as the kind allows.

    kind : weld, revolute, spherical, universal, prismatic, cylindrical, planar; axes are z of the frames, the two axes of
        universal are x of the other's frame and y of the body's frame
    locked : instead of a kind, the held motions: letters x y z (shifts along axes of the other's frame) and a b c (turns)
    frame, other_frame : (4, 4) poses or three numbers, in the body frames; other_frame None: where the frame of the body is
        when the loop closes
    """

    body: str
    other: str | None = None
    kind: str = "weld"
    locked: str = ""
    frame: Numbers = (0.0, 0.0, 0.0)
    other_frame: Numbers | None = (0.0, 0.0, 0.0)

    @property
    def letters(self) -> str:
        """The held motions."""
        return self.locked or LOCKED[self.kind]

    @property
    def labels(self):
        return tuple(self.letters)

    @property
    def units(self):
        return tuple(UNIT[letter in "xyz"] for letter in self.letters)

    def pack(self, tables, owner):
        if self.kind not in LOCKED:
            raise ValueError(f"unknown kind {self.kind!r}; known: {', '.join(LOCKED)}")
        letters = checked_letters(self.letters, "xyzabc", "locked")
        put_closure(tables, owner, letters, self, self.other_frame, "other_frame")


@brief
@dataclass(frozen=True)
class SurfaceContact(Constraint):
    """A flat foot on the ground: a frame of the body welded to a frame of the other.

    target : (4, 4) pose in the other body; None: where the frame is when the contact closes
    """

    body: str
    frame: Numbers = (0.0, 0.0, 0.0)
    target: Numbers | None = None
    other: str | None = None

    @property
    def labels(self):
        return tuple("xyzabc")

    @property
    def units(self):
        return ("N",) * 3 + ("N m",) * 3

    def pack(self, tables, owner):
        put_closure(tables, owner, "xyzabc", self, self.target, "target")


@dataclass(frozen=True)
class Distance(Constraint):
    """A massless rod between two points; length None: their distance when it closes, m."""

    body: str
    other: str | None = None
    point: Vector = (0.0, 0.0, 0.0)
    other_point: Vector = (0.0, 0.0, 0.0)
    length: float | None = None

    @property
    def labels(self):
        return ("along",)

    def pack(self, tables, owner):
        _, numbers = tables.put(owner, col.DISTANCE, 1, self.body, self.other, place(self.point), place(self.other_point))
        length = self.length
        if length is None:
            point = (tables.relative(self.body, self.other, "length") @ np.array([*map(float, self.point), 1.0]))[:3]
            length = float(np.linalg.norm(point - np.asarray(self.other_point, dtype=float)))
        if not length > 0:
            raise ValueError(f"length is {length!r}, it must be positive; hold a point with lo.PointContact instead")
        numbers[col.LENGTH] = length


@brief
@dataclass(frozen=True)
class Rolling(Constraint):
    """A wheel, ball or ellipsoid that rolls on a surface without slipping.

    radius : of the circle that the tube's center runs on, m; tube : radius of the tube (0: thin disc). A ball has radius 0.
    axle, center : of the wheel, in the body frame
    shape : instead of a wheel, such as an Ellipsoid, its axes along those of the body frame
    surface : a smooth one of the other body: a Plane, Sphere, Cylinder, HeightField
    directions : held directions at the contact: f forward, l lateral (along the axle), n normal to the surface
    """

    body: str
    radius: float = 0.0
    axle: Vector = (0.0, 0.0, 1.0)
    center: Vector = (0.0, 0.0, 0.0)
    tube: float = 0.0
    shape: Shape | None = None
    surface: Surface = Plane()
    other: str | None = None
    directions: str = "fln"

    @property
    def wheel(self) -> Shape:
        """The shape that rolls, in axes of the body about `center`."""
        return Torus(self.radius, self.tube, axis=self.axle) if self.shape is None else self.shape

    @property
    def labels(self):
        return tuple({"f": "forward", "l": "lateral", "n": "normal"}[letter] for letter in self.directions)

    @property
    def holonomic(self):
        return tuple(letter == "n" for letter in self.directions)

    def pack(self, tables, owner):
        letters = checked_letters(self.directions, "fln", "directions")
        shape, ground = pack_rolling(self.wheel), pack_surface(self.surface)
        if not SHAPES[type(self.surface)].smooth:
            raise ValueError("nothing rolls over edges and ends without slipping; use lo.Touch on a lo.Ground of that surface")
        function = 0 if ground.callback is None else tables.function(ground.callback)
        frame = place(self.center) @ shape.frame
        integers, numbers = tables.put(owner, col.ROLL, len(letters), self.body, self.other, frame, ground.frame)
        integers[col.ROWS : col.ROWS + len(letters)] = ["fln".index(letter) for letter in letters]
        integers[[col.SHAPE, col.SURFACE, col.FUNCTION]] = shape.kind, ground.kind, function
        numbers[col.SHAPE_NUMBERS : col.SHAPE_NUMBERS + SHAPE_NUMBERS] = shape.numbers
        numbers[col.SURFACE_NUMBERS : col.SURFACE_NUMBERS + SHAPE_NUMBERS] = ground.numbers


@brief
@dataclass(frozen=True)
class Coupled(Constraint):
    """A relation between coordinates of joints with one each: sum of ratio * q_joint = offset, or + a curve over another joint.

    offset : rad or m; None: what it is when the coupling closes, as of a clutch
    other : joint that the curve is over, x = q_other - start ; coefficients : of x, x^2 and so on ; knots : or places x and
        values of a cubic spline, straight beyond its ends
    """

    ratios: Mapping[str, float] = field(default_factory=dict)
    offset: float | None = 0.0
    other: str | None = field(default=None, kw_only=True)
    coefficients: tuple[float, ...] = field(default=(), kw_only=True)
    knots: tuple[tuple[float, ...], ...] = field(default=(), kw_only=True)
    start: float = field(default=0.0, kw_only=True)

    @property
    def labels(self):
        return ("coupling",)

    @property
    def units(self):
        return ("N m",)

    def pack(self, tables, owner):
        integers, numbers = tables.put(owner, col.LINEAR, 1, None, None, np.eye(4), np.eye(4))
        row, row_q = np.zeros(tables.model.nv), np.zeros(tables.model.nq)
        if not self.ratios:
            raise ValueError("ratios are empty: name at least one joint")
        for name, ratio in self.ratios.items():
            joint = tables.model.joint(name)
            if joint.joint.sizes != (1, 1):
                raise ValueError(f"joint {name!r} is {joint.kind}, only joints with one coordinate can be coupled")
            if not np.isfinite(ratio):
                raise ValueError(f"the ratio of joint {name!r} is {ratio!r}, it must be finite")
            row[joint.v], row_q[joint.q] = float(ratio), float(ratio)
        if self.offset is None and tables.q is None:
            raise ValueError("offset must be given: there is no start configuration to take it from")
        integers[col.FUNCTION] = len(tables.linear)
        numbers[col.OFFSET] = row_q @ tables.q if self.offset is None else self.offset
        tables.linear.append(row)
        tables.linear_q.append(row_q)
        pieces = self._pieces()
        if self.other is None:
            return
        joint = tables.model.joint(self.other)
        if joint.joint.sizes != (1, 1):
            raise ValueError(f"joint {self.other!r} is {joint.kind}, a curve is over a joint with one coordinate")
        integers[[col.CURVED, col.PIECES, col.ALONG]] = len(tables.curves), len(pieces), joint.v.start
        tables.curves += pieces
        if self.offset is None:
            x = tables.q[joint.q.start]
            piece = [piece for n, piece in enumerate(pieces) if n == 0 or x >= piece[0]][-1]
            numbers[col.OFFSET] -= np.polynomial.Polynomial(piece[1:])(x - piece[0])

    def _pieces(self) -> list[np.ndarray]:
        """Polynomials of the curve: where each begins, and its coefficients about that place."""
        if (self.other is None) != (not len(self.coefficients) and not len(self.knots)):
            raise ValueError("a curve needs the joint that it is over (other) and its coefficients or knots")
        if len(self.coefficients) and len(self.knots):
            raise ValueError("a curve has coefficients or knots, not both")
        said = (*self.coefficients, *(x for row in self.knots for x in row), self.start)
        if not np.isfinite(np.array(said, dtype=float)).all():
            raise ValueError("coefficients, knots and start of a curve must be finite numbers")
        if not len(self.knots):
            return [np.array([self.start, 0.0, *self.coefficients])]
        if len(self.knots) != 2:
            raise ValueError(f"knots are {len(self.knots)} rows, expected two: places and values")
        return [piece + np.eye(len(piece))[0] * self.start for piece in Spline(*self.knots).pieces()]


LEFT_OPEN = ("target", "other_frame", "length", "offset")


def is_left_open(constraint: Any) -> bool:
    """Whether a constraint holds where it closes: its target, frame, length or offset is None."""
    return any(getattr(constraint, name, 0.0) is None for name in LEFT_OPEN)


def place(value: Any) -> np.ndarray:
    """A (4, 4) pose from a pose or a displacement."""
    value = np.asarray(value, dtype=float)
    if value.shape not in ((4, 4), (3,)):
        raise ValueError(f"a frame is three numbers (m) or a (4, 4) pose, not an array of shape {value.shape}")
    if not np.isfinite(value).all():
        raise ValueError(f"all numbers of a frame must be finite, not {value.tolist()}")
    if value.shape == (4, 4):
        turn = value[:3, :3]
        if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-9) or np.linalg.det(turn) < 0 or (value[3] != (0, 0, 0, 1)).any():
            raise ValueError("a (4, 4) frame must be a pose: a rotation, a displacement and the last row 0 0 0 1")
        return value
    result = np.eye(4)
    result[:3, 3] = value
    return result


def y_along(side: Vector) -> np.ndarray:
    """A rotation whose y axis is along a side."""
    return turn_to(unit_vector(side, "side"))[:, [1, 2, 0]]


def put_closure(tables, owner: int, letters: str, c: SurfaceContact | LoopClosure, given, label: str) -> None:
    """Shifts and turns that a loop closure holds, in the order of its letters: shifts first."""
    body, other, frame = c.body, c.other, place(c.frame)
    other_frame = tables.relative(body, other, label) @ frame if given is None else place(given)
    shifts, turns = [x for x in letters if x in "xyz"], [x for x in letters if x in TURNS]
    if "".join(shifts + turns) != letters:
        raise ValueError(f"locked must name shifts before turns, such as {''.join(shifts + turns)!r}, not {letters!r}")
    if shifts:
        integers, _ = tables.put(owner, col.POINT, len(shifts), body, other, frame, other_frame)
        integers[col.ROWS : col.ROWS + len(shifts)] = ["xyz".index(x) for x in shifts]
    if turns:
        integers, numbers = tables.put(owner, col.TURN, len(turns), body, other, frame, other_frame)
        held = [TURNS.index(x) for x in turns]
        for n, k in enumerate(held):
            if len(held) == 2:  # the free axis is common to both frames
                j = 3 - sum(held)
                i = 3 - j - k
            else:
                i, j = (k + 1) % 3, (k + 2) % 3
            integers[col.PAIRS + n] = 3 * i + j
            numbers[col.SIGNS + n] = 1.0 if (i + 1) % 3 == j else -1.0


def checked_letters(letters: str, known: str, label: str) -> str:
    """Letters out of those known, each at most once."""
    if not letters or not set(letters) <= set(known) or len(set(letters)) != len(letters):
        raise ValueError(f"{label} is {letters!r}, expected some of the letters {known!r}, each once")
    return letters
