"""From constraints as the user says them to the packed tables that kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.constraints import columns as col
from locomote.constraints.kinds import Constraint
from locomote.constraints.touched import meeting, touched_by
from locomote.dynamics.kinematics import forward_kinematics
from locomote.errors import UnknownName
from locomote.model.model import Model, twelve


@dataclass(frozen=True)
class PackedConstraints:
    """Tables over elementary constraints, and what is known of each row."""

    integers: np.ndarray
    numbers: np.ndarray
    linear: np.ndarray
    linear_q: np.ndarray
    curves: np.ndarray
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
    tables = Tables(model, q, first)
    for owner, constraint in enumerate(constraints):
        if not isinstance(constraint, Constraint):
            hint = "; a lo.Touch goes into contacts" if type(constraint).__name__ == "Touch" else ""
            raise TypeError(
                f"constraints[{owner}] is {constraint!r:.60}, not a constraint such as lo.Blade or lo.Rolling{hint}"
            )
        try:
            constraint.pack(tables, owner)
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


class Tables:
    """Rows of the tables, which constraints put into them (`Constraint.pack`)."""

    def __init__(self, model: Model, q: np.ndarray | None, first: int):
        self.model, self.q, self.first = model, q, first
        self.poses = None if q is None else forward_kinematics(model, q)
        self.integers: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []
        self.linear: list[np.ndarray] = []
        self.linear_q: list[np.ndarray] = []
        self.curves: list[np.ndarray] = []
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
            self._curves(),
            np.array(flags, dtype=np.int64),
            *touched_by(model, integers, linear),
            tuple(self.callbacks),
        )

    def put(self, owner, kind, count, body, other, frame, other_frame):
        """A row of both tables; returns them to be completed."""
        integers, numbers = np.zeros(col.INTEGERS, np.int64), np.zeros(col.NUMBERS)
        integers[[col.KIND, col.FIRST, col.COUNT, col.OWNER, col.ACTIVE]] = kind, self.rows, count, owner, 1
        for which, at, start, pose in ((body, col.BODY, col.FRAME_B, frame), (other, col.OTHER, col.FRAME_A, other_frame)):
            integers[at], packed = self.carried(which, pose)
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

    def _curves(self) -> np.ndarray:
        """(pieces, 1 + coefficients) rows with as many coefficients as the longest has."""
        table = np.zeros((len(self.curves), max(map(len, self.curves), default=1)))
        for row, piece in zip(table, self.curves, strict=True):
            row[: len(piece)] = piece
        return table

    def carried(self, body: str | None, pose: np.ndarray) -> tuple[int, np.ndarray]:
        """A frame of a named body as a frame of the moving body that carries it."""
        if body is None:
            return len(self.model.topology) - 1, pose
        index = self.model.body_index(body)
        return int(self.model.carrier[index]), self.model.placement[index] @ pose

    def relative(self, body: str, other: str | None, what: str) -> np.ndarray:
        """Pose of a body in another at the start."""
        if self.poses is None:
            raise ValueError(f"{what} must be given: there is no start configuration to take it from")
        pose = self.poses[self.model.body_index(body)]
        return pose if other is None else np.linalg.inv(self.poses[self.model.body_index(other)]) @ pose

    def function(self, callback: Callback) -> int:
        """A function of the user; returns its row in the table of functions."""
        self.callbacks.append(callback)
        return self.first + len(self.callbacks) - 1
