"""Poses, twists and wrenches over arrays by the formulas of `locomote.spatial.algebra`, which tests put to proof.

(..., 4, 4), (..., 6) linear part first, (..., 6) force first. `pose_child_in_parent` takes coordinates of the child frame to
the parent frame.
"""

import numpy as np

from locomote.spatial import algebra
from locomote.spatial.rotations_arrays import split, split_rotation, stacked
from locomote.spatial.twists import split_pose, stacked_pose


def pose_from(rotation, position) -> np.ndarray:
    """(..., 4, 4) pose of a rotation matrix (..., 3, 3) and a position (..., 3), m."""
    return stacked_pose(split_rotation(rotation), split(position, 3, "position"))


def pose_compose(pose_inner_in_outer, pose_point_in_inner) -> np.ndarray:
    """(..., 4, 4) pose of the point frame in the outer frame."""
    R, p = split_pose(pose_inner_in_outer)
    Q, r = split_pose(pose_point_in_inner)
    return stacked_pose(algebra.compose(R, Q), algebra.add(p, algebra.rotate(R, r)))


def pose_inverse(pose_child_in_parent) -> np.ndarray:
    """(..., 4, 4) pose of the parent in the child."""
    R, p = split_pose(pose_child_in_parent)
    return stacked_pose((R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]), algebra.scale(-1.0, algebra.unrotate(R, p)))


def twist_from_child_to_parent(pose_child_in_parent, twist) -> np.ndarray:
    """(..., 6) the same motion, m/s and rad/s, seen from the parent frame."""
    return stacked(algebra.twist_to_parent(*split_pose(pose_child_in_parent), split(twist, 6, "twist")), 6)


def twist_from_parent_to_child(pose_child_in_parent, twist) -> np.ndarray:
    """(..., 6) the same motion, m/s and rad/s, seen from the child frame."""
    return stacked(algebra.twist_to_child(*split_pose(pose_child_in_parent), split(twist, 6, "twist")), 6)


def wrench_from_child_to_parent(pose_child_in_parent, wrench) -> np.ndarray:
    """(..., 6) the same load, N and N m, seen from the parent frame."""
    return stacked(algebra.wrench_to_parent(*split_pose(pose_child_in_parent), split(wrench, 6, "wrench")), 6)


def wrench_from_parent_to_child(pose_child_in_parent, wrench) -> np.ndarray:
    """(..., 6) the same load, N and N m, seen from the child frame."""
    return stacked(algebra.wrench_to_child(*split_pose(pose_child_in_parent), split(wrench, 6, "wrench")), 6)


def adjoint_dual(pose_child_in_parent) -> np.ndarray:
    """(..., 6, 6) matrix Ad^-T that takes wrenches from the child to the parent frame."""
    return _columns(lambda unit: algebra.wrench_to_parent(*split_pose(pose_child_in_parent), unit))


def bracket_dual(twist) -> np.ndarray:
    """(..., 6, 6) matrix -ad^T of a twist (..., 6): times a wrench, the rate of the wrench when it is carried along."""
    t = split(twist, 6, "twist")
    return _columns(lambda unit: algebra.bracket_dual(t, unit))


def _columns(function):
    columns = [function(tuple(unit)) for unit in np.eye(6)]
    return stacked([column[i] for i in range(6) for column in columns], 6, 6)
