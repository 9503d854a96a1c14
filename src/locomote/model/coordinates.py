"""Configurations of a model as points of a manifold: neutral, random, moved by a tangent vector, difference of two.

All functions take leading batch dimensions.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from locomote.model import columns as col
from locomote.model.joints import GROUPS, PLACES, Q_SIZE, V_SIZE, has_quaternion
from locomote.model.moves import ZERO, difference_rows, integrate_rows, over_rows, pulled_back
from locomote.model.status import UNIT_TOLERANCE as UNIT_TOLERANCE


@dataclass(frozen=True)
class Coordinates:
    """Which entries of q and v are plain numbers, and the group joints as (kind, first q, first v)."""

    nq: int
    nv: int
    plain_q: np.ndarray
    plain_v: np.ndarray
    groups: tuple[tuple[int, int, int], ...]
    topology: np.ndarray

    @classmethod
    def of(cls, topology: np.ndarray) -> "Coordinates":
        """From the packed topology of a model."""
        groups = tuple(
            (int(row[col.KIND]), int(row[col.Q]), int(row[col.V])) for row in topology[:-1] if row[col.KIND] in GROUPS
        )
        nq, nv = int(topology[-1, col.Q]), int(topology[-1, col.V])
        in_group_q = {q + j for kind, q, _ in groups for j in range(Q_SIZE[kind])}
        in_group_v = {v + j for kind, _, v in groups for j in range(V_SIZE[kind])}
        plain_q = np.array([k for k in range(nq) if k not in in_group_q], dtype=int)
        plain_v = np.array([k for k in range(nv) if k not in in_group_v], dtype=int)
        return cls(nq, nv, plain_q, plain_v, groups, topology)

    @property
    def quaternions(self) -> list[int]:
        """Where in q each quaternion starts."""
        return [q + PLACES[kind] for kind, q, _ in self.groups if has_quaternion(kind)]

    def neutral(self) -> np.ndarray:
        """All zero, quaternions the identity."""
        q = np.zeros(self.nq)
        for start in self.quaternions:
            q[start + 3] = 1.0
        return q

    def integrate(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """The configuration reached from q in unit time with the velocity dv, kept constant in body frames."""
        return over_rows(integrate_rows, self.topology, q, dv, self.nq)

    def difference(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        """The velocity that leads from q0 to q1 in unit time: integrate(q0, difference(q0, q1)) is q1."""
        return over_rows(difference_rows, self.topology, q0, q1, self.nv)

    def pulled_back(self, away: np.ndarray, force: np.ndarray) -> np.ndarray:
        """The force on velocities of what acts as `force` on the components of `away`, a difference from a fixed point."""
        result = np.moveaxis(force.copy(), -1, 0)  # each number of the routine is then a batch of numbers
        pulled_back(self.topology, np.moveaxis(away, -1, 0), result)
        return np.moveaxis(result, 0, -1)

    def random(self, rng: np.random.Generator, lower: np.ndarray, upper: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Uniform within limits (of at most pi where there are none); rotations uniform over all rotations."""
        low, high = np.where(np.isfinite(lower), lower, -np.pi), np.where(np.isfinite(upper), upper, np.pi)
        low = np.where((low > high) & ~np.isfinite(lower), high - 2 * np.pi, low)  # one-sided limits beyond pi
        high = np.where((low > high) & ~np.isfinite(upper), low + 2 * np.pi, high)
        q = rng.uniform(low, high, (*shape, self.nq))
        for start in self.quaternions:
            raw = rng.normal(size=(*shape, 4))
            q[..., start : start + 4] = raw / np.linalg.norm(raw, axis=-1, keepdims=True)
        return q

    def normalized(self, q: np.ndarray, owner: Callable[[int], str]) -> np.ndarray:
        """The same configuration with its quaternions of unit length; `owner` names the joint of a quaternion."""
        q = q.copy()
        for start in self.quaternions:
            x, y, z, w = np.moveaxis(q[..., start : start + 4], -1, 0)
            norm = np.sqrt(x * x + y * y + z * z + w * w)[..., None]  # a sum along rows depends on where they lie in memory
            if (norm < ZERO).any():
                raise ValueError(f"quaternion of joint {owner(start)!r} is zero: it has no direction to keep")
            q[..., start : start + 4] /= norm
        return q
