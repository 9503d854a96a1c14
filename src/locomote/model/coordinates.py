"""Configurations of a model as points of a manifold: neutral, random, moved by a tangent vector, difference of two.

Coordinates of most joints are plain numbers and are added; those of planar, spherical and free joints move along their
group, in the body frame. All functions take leading batch dimensions.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from locomote.model import columns as col
from locomote.model.joints import FREE, PLANAR, SPHERICAL
from locomote.spatial.algebra import add, of_quaternion, rotate, subtract, unrotate
from locomote.spatial.groups import blocks_transposed_times, se2_exp, se2_log, se3_exp, se3_log, se3_tangent_inverse
from locomote.spatial.rotations import quaternion_conjugate, quaternion_exp, quaternion_log, quaternion_multiply
from locomote.spatial.rotations import quaternion_normalized as normalized

UNIT_TOLERANCE = 1e-6  # of the norm of a quaternion


@dataclass(frozen=True)
class Coordinates:
    """Which entries of q and v are plain numbers, and the group joints as (kind, first q, first v)."""

    nq: int
    nv: int
    plain_q: np.ndarray
    plain_v: np.ndarray
    groups: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, topology: np.ndarray) -> "Coordinates":
        """From the packed topology of a model."""
        groups = tuple(
            (int(row[col.KIND]), int(row[col.Q]), int(row[col.V]))
            for row in topology[:-1]
            if row[col.KIND] in (PLANAR, SPHERICAL, FREE)
        )
        nq, nv = int(topology[-1, col.Q]), int(topology[-1, col.V])
        sizes = {PLANAR: (3, 3), SPHERICAL: (4, 3), FREE: (7, 6)}
        in_group_q = {q + j for kind, q, _ in groups for j in range(sizes[kind][0])}
        in_group_v = {v + j for kind, _, v in groups for j in range(sizes[kind][1])}
        plain_q = np.array([k for k in range(nq) if k not in in_group_q], dtype=int)
        plain_v = np.array([k for k in range(nv) if k not in in_group_v], dtype=int)
        return cls(nq, nv, plain_q, plain_v, groups)

    @property
    def quaternions(self) -> list[int]:
        """Where in q each quaternion starts."""
        return [q + 3 if kind == FREE else q for kind, q, _ in self.groups if kind != PLANAR]

    def neutral(self) -> np.ndarray:
        """All zero, quaternions the identity."""
        q = np.zeros(self.nq)
        for start in self.quaternions:
            q[start + 3] = 1.0
        return q

    def integrate(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """The configuration reached from q in unit time with the velocity dv, kept constant in body frames."""
        result = np.empty(np.broadcast_shapes(q.shape[:-1], dv.shape[:-1]) + (self.nq,))
        result[..., self.plain_q] = q[..., self.plain_q] + dv[..., self.plain_v]
        for kind, i, k in self.groups:
            if kind == SPHERICAL:
                moved = normalized(quaternion_multiply(parts(q, i, 4), quaternion_exp(parts(dv, k, 3))))
            elif kind == FREE:
                turn, shift = se3_exp(parts(dv, k, 6))
                start = parts(q, i + 3, 4)
                place = add(parts(q, i, 3), rotate(of_quaternion(*start), shift))
                moved = (*place, *normalized(quaternion_multiply(start, turn)))
            else:
                x, y, angle = se2_exp(parts(dv, k, 3))
                c, s = np.cos(q[..., i + 2]), np.sin(q[..., i + 2])
                moved = (q[..., i] + c * x - s * y, q[..., i + 1] + s * x + c * y, q[..., i + 2] + angle)
            for j, value in enumerate(moved):
                result[..., i + j] = value
        return result

    def difference(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        """The velocity that leads from q0 to q1 in unit time: integrate(q0, difference(q0, q1)) is q1."""
        result = np.empty(np.broadcast_shapes(q0.shape[:-1], q1.shape[:-1]) + (self.nv,))
        result[..., self.plain_v] = q1[..., self.plain_q] - q0[..., self.plain_q]
        for kind, i, k in self.groups:
            if kind == SPHERICAL:
                twist = quaternion_log(quaternion_multiply(quaternion_conjugate(parts(q0, i, 4)), parts(q1, i, 4)))
            elif kind == FREE:
                start = parts(q0, i + 3, 4)
                place = unrotate(of_quaternion(*start), subtract(parts(q1, i, 3), parts(q0, i, 3)))
                twist = se3_log(quaternion_multiply(quaternion_conjugate(start), parts(q1, i + 3, 4)), place)
            else:
                c, s = np.cos(q0[..., i + 2]), np.sin(q0[..., i + 2])
                x, y, angle = (q1[..., i + j] - q0[..., i + j] for j in range(3))
                twist = se2_log((c * x + s * y, c * y - s * x, angle))
            for j, value in enumerate(twist):
                result[..., k + j] = value
        return result

    def pulled_back(self, away: np.ndarray, force: np.ndarray) -> np.ndarray:
        """The force on velocities of what acts as `force` on the components of `away`, a difference from a fixed point.

        Along a group the components of a difference do not change at the rate v but at T^-1 v, T its tangent.
        """
        force = force.copy()
        for kind, _, k in self.groups:
            axes = {PLANAR: (0, 1, 5), SPHERICAL: (3, 4, 5), FREE: (0, 1, 2, 3, 4, 5)}[kind]
            twist, wrench = ([np.zeros(away.shape[:-1])] * 6 for _ in range(2))
            for j, axis in enumerate(axes):
                twist[axis], wrench[axis] = away[..., k + j], force[..., k + j].copy()
            moved = blocks_transposed_times(se3_tangent_inverse(tuple(twist)), tuple(wrench))
            for j, axis in enumerate(axes):
                force[..., k + j] = moved[axis]
        return force

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
            norm = np.linalg.norm(q[..., start : start + 4], axis=-1, keepdims=True)
            if (norm < 1e-12).any():
                raise ValueError(f"quaternion of joint {owner(start)!r} is zero: it has no direction to keep")
            q[..., start : start + 4] /= norm
        return q


def parts(x: np.ndarray, start: int, count: int) -> tuple:
    """Entries of the last axis as a tuple of arrays."""
    return tuple(x[..., start + j] for j in range(count))
