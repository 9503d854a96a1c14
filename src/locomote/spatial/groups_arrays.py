"""The groups of net motion over arrays: SE(3) and its subgroups, each named by the components of the twist that it keeps.

An element is a pose (..., 4, 4), so that elements of every group compose and act alike. A twist of the group has only the kept
components, in the order of a full twist (vx, vy, vz, wx, wy, wz), body frame, eta = g^-1 g'.
"""

from dataclasses import dataclass

import numpy as np

from locomote.errors import UnknownName
from locomote.spatial import groups
from locomote.spatial.algebra import of_quaternion
from locomote.spatial.rotations import quaternion_of_matrix
from locomote.spatial.rotations_arrays import refuse_full_turn, refuse_where, split, stacked
from locomote.spatial.twists import adjoint, bracket, split_pose, stacked_pose

MEMBER_TOLERANCE = 1e-6  # m or rad: largest part of a motion that its group may lack


@dataclass(frozen=True)
class Group:
    """A subgroup of SE(3).

    name : as printed, "SE(2)"
    axes : the components of a twist (vx, vy, vz, wx, wy, wz) that it keeps
    """

    name: str
    axes: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of degrees of freedom."""
        return len(self.axes)

    def exp(self, twist) -> np.ndarray:
        """(..., 4, 4) pose reached in unit time with the constant body twist (..., size)."""
        quaternion, p = groups.se3_exp(self._full(twist))
        return stacked_pose(of_quaternion(*quaternion), p)

    def log(self, pose) -> np.ndarray:
        """(..., size) twist whose exponential is the pose (..., 4, 4), with an angle of at most pi."""
        R, p = split_pose(pose)
        twist = groups.se3_log(quaternion_of_matrix(R), p)
        lacking = [abs(twist[k]) for k in range(6) if k not in self.axes]
        if lacking:
            most = np.max(lacking, axis=0)
            refuse_where(~(most <= MEMBER_TOLERANCE), most, "pose{} is not in " + self.name + ": it moves by {:.3g} across it")
        return stacked([twist[k] for k in self.axes], self.size)

    def tangent(self, twist) -> np.ndarray:
        """(..., size, size) matrix T of a twist (..., size): with g = exp(twist), g^-1 dg = T @ dtwist."""
        return self._matrix(groups.se3_tangent(self._full(twist)))

    def tangent_inverse(self, twist) -> np.ndarray:
        """(..., size, size) inverse of T; it does not exist for angles 2 pi, 4 pi, ..."""
        return self._matrix(groups.se3_tangent_inverse(self._below_full_turn(twist)))

    def tangent_rate(self, twist, rate) -> np.ndarray:
        """(..., size, size) dT/dt when the twist (..., size) has the given rate (..., size)."""
        return self._matrix(groups.se3_tangent_rate(self._full(twist), self._full(rate, "rate")))

    def tangent_inverse_rate(self, twist, rate) -> np.ndarray:
        """(..., size, size) time derivative of the inverse of T."""
        return self._matrix(groups.se3_tangent_inverse_rate(self._below_full_turn(twist), self._full(rate, "rate")))

    def adjoint(self, pose) -> np.ndarray:
        """(..., size, size) matrix that takes twists of the group from the frame of the pose (..., 4, 4) to the outer frame."""
        return adjoint(pose)[..., self.axes, :][..., :, self.axes]

    def bracket(self, twist) -> np.ndarray:
        """(..., size, size) matrix ad of a twist (..., size)."""
        return bracket(stacked(self._full(twist), 6))[..., self.axes, :][..., :, self.axes]

    def _full(self, twist, name: str = "twist") -> tuple:
        """The six components, those that the group lacks being zero."""
        parts = split(twist, self.size, f"{name} of {self.name}")
        full = [np.zeros_like(parts[0])] * 6
        for k, part in zip(self.axes, parts, strict=True):
            full[k] = part
        return tuple(full)

    def _below_full_turn(self, twist) -> tuple:
        full = self._full(twist)
        refuse_full_turn(full[3:], f"twist of {self.name}")
        return full

    def _matrix(self, blocks) -> np.ndarray:
        """The rows and columns of [J Q; 0 J] that the group keeps."""
        J, Q = blocks
        full = [[0.0] * 6 for _ in range(6)]
        for i in range(3):
            full[i] = [*J[3 * i : 3 * i + 3], *Q[3 * i : 3 * i + 3]]
            full[3 + i][3:] = J[3 * i : 3 * i + 3]
        return stacked([full[i][j] for i in self.axes for j in self.axes], self.size, self.size)


SE3 = Group("SE(3)", (0, 1, 2, 3, 4, 5))
SE2 = Group("SE(2)", (0, 1, 5))
SO3 = Group("SO(3)", (3, 4, 5))
SO2 = Group("SO(2)", (5,))
R1, R2, R3 = Group("R", (0,)), Group("R^2", (0, 1)), Group("R^3", (0, 1, 2))
GROUPS = {group.name: group for group in (SE3, SE2, SO3, SO2, R1, R2, R3)}


def group(name: str) -> Group:
    """The group of that name: SE(3), SE(2), SO(3), SO(2), R, R^2 or R^3."""
    try:
        return GROUPS[name]
    except (KeyError, TypeError):
        raise UnknownName("group", name, GROUPS, "the groups of net motion") from None
