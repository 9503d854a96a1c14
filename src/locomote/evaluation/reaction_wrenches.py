"""Reactions of constraints as wrenches on bodies.

A row of a constraint says what its reaction does to coordinates. What it does to bodies are the same rows for bodies that are
free of each other: of a free body the six coordinates of v are its twist V_b in its own frame, so that a row

    A v = sum over bodies of W_b . V_b

has its wrench W_b on body b there. All constraints between bodies are therefore put on a second problem, of free bodies at the
same poses, with targets and frames that were left open taken where the run took them. A keel has a force per length on every
section. Rows of lo.Coupled and lo.Custom act on coordinates: joints give what they ask for, and bodies get nothing else.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from locomote.constraints import columns as col
from locomote.constraints.custom import Custom
from locomote.constraints.keel import KeelRows
from locomote.constraints.kinds import Coupled
from locomote.evaluation.protocol import Problem
from locomote.evaluation.work import work_of
from locomote.model.builder import Builder
from locomote.model.description import Joint
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.spatial.rotations import quaternion_of_matrix

Closing = tuple[float, Sequence[str], np.ndarray]  # time (s) at which constraints closed, their names, poses of bodies then
NOTHING = {
    "drives": {}, "torques": None, "springs": {}, "environment": (), "contacts": (), "actuators": (), "origin": None,
    "start": None, "inertia": True,
}  # fmt: skip


def rows_of_each(constraints: Sequence[Any]) -> Iterator[tuple[Any, slice]]:
    """Constraints with the places of their rows."""
    first = 0
    for constraint in constraints:
        yield constraint, slice(first, first := first + len(constraint.labels))


def free_bodies(names: Sequence[str]) -> Model:
    """Bodies that are free of each other; their mass plays no role."""
    builder = Builder("free bodies")
    for name in names:
        builder.body(name, joint=Joint(name, "free"), inertia=Inertia(1.0, moment=(1.0, 1.0, 1.0)))
    return builder.build()


class ReactionWrenches:
    """Gives the wrenches of reactions on the bodies of a problem.

    poses : (bodies, 4, 4) where what was left open is taken from ; closings : later ones, in order of time
    """

    def __init__(self, problem: Problem, poses: np.ndarray, closings: Sequence[Closing] = ()):
        self.model = model = problem.model
        each = list(rows_of_each(problem.constraints))
        self.keels = [(c, rows) for c, rows in each if isinstance(c, KeelRows)]
        held = [(c, rows) for c, rows in each if not isinstance(c, (KeelRows, Coupled, Custom))]
        self.rows = np.concatenate([np.arange(rows.start, rows.stop) for _, rows in held] or [np.zeros(0, int)])
        names = dict.fromkeys(name for c, _ in held for name in (c.body, c.other) if name is not None)
        self.bodies = np.array([model.body_index(name) for name in names], dtype=int)
        if not held:
            return
        self.twin = problem.replaced(model=free_bodies(tuple(names)), constraints=tuple(c for c, _ in held), **NOTHING)
        self.plan = self.twin.plan_at(self.placed(poses)).own()
        self.work, self.first, self.closings = work_of(self.plan), self.plan.numbers.copy(), []
        titles = [problem.constraint_labels[rows.start][0] for _, rows in held]
        for t, closed, there in closings:
            own = [c for c, row in enumerate(self.plan.integers) if titles[row[col.OWNER]] in closed]
            self.closings.append((t, own, self.twin.plan_at(self.placed(there)).numbers[own]))

    def placed(self, poses: np.ndarray) -> np.ndarray:
        """(..., 7 bodies) configuration of the free bodies."""
        own = poses[..., self.bodies, :, :]
        turned = np.stack(quaternion_of_matrix(tuple(own[..., i, j] for i in range(3) for j in range(3))), axis=-1)
        return np.concatenate([own[..., :3, 3], turned], axis=-1).reshape(*own.shape[:-3], -1)

    def on_bodies(self, t: np.ndarray, poses: np.ndarray, reactions: np.ndarray) -> np.ndarray:
        """(n, bodies, 6) in body frames, N and N m, from times (n,), poses (n, bodies, 4, 4), reactions (n, rows)."""
        result = np.zeros((len(t), len(self.model.body_names), 6))
        for keel, rows in self.keels:
            self._add_keel(keel, poses, reactions[:, rows], result)
        if not len(self.bodies):
            return result
        still, places = np.zeros(6 * len(self.bodies)), self.placed(poses)
        for n, (when, q) in enumerate(zip(t, places, strict=True)):
            self.plan.numbers[:] = self.first
            for closed, own, numbers in self.closings:
                if closed <= when:
                    self.plan.numbers[own] = numbers
            A = self.twin.rows_of(self.plan, self.work, float(when), np.ascontiguousarray(q), still)[0]
            result[n, self.bodies] += (reactions[n, self.rows] @ A).reshape(-1, 6)
        return result

    def _add_keel(self, keel: KeelRows, poses: np.ndarray, reactions: np.ndarray, result: np.ndarray) -> None:
        sections = [self.model.body_index(str(section)) for section in keel.bodies]
        own = poses[:, sections]
        density = keel.densities(own[..., :3, :3], own[..., :3, 3], poses[:, self.model.body_index(keel.body)], reactions)
        side = np.asarray(keel.side, float) / np.linalg.norm(keel.side)
        force = (density * keel.shares)[..., None] * side
        result[:, sections, :3] += force
        if keel.other is not None:
            other = self.model.body_index(keel.other)
            for k in range(len(sections)):
                pushed = np.einsum("nij,nj->ni", own[:, k, :3, :3], force[:, k])
                result[:, other] -= in_frame(poses[:, other], own[:, k, :3, 3], pushed)


def in_frame(poses: np.ndarray, points: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """(n, 6) forces (n, 3) at points (n, 3), both in the world, as wrenches in frames with poses (n, 4, 4)."""
    R = poses[:, :3, :3]
    force = np.einsum("nji,nj->ni", R, forces)
    arm = np.einsum("nji,nj->ni", R, points - poses[:, :3, 3])
    return np.concatenate([force, np.cross(arm, force)], axis=1)
