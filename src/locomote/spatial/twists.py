"""Poses, twists and wrenches over arrays: (..., 4, 4), (..., 6) linear part first, (..., 6) force first.

`pose_child_in_parent` takes coordinates of the child frame to the parent frame: inner words cancel,
pose_foot_in_world = pose_base_in_world @ pose_foot_in_base. The frame of a twist is also the point where its linear part is
taken.
"""

import numpy as np

from locomote.spatial import algebra
from locomote.spatial.rotations_arrays import UNIT_TOLERANCE, refuse_where, split, split_matrix, split_rotation, stacked


def adjoint(pose_child_in_parent) -> np.ndarray:
    """(..., 6, 6) matrix Ad that takes twists from the child to the parent frame."""
    return _columns(lambda unit: algebra.twist_to_parent(*split_pose(pose_child_in_parent), unit))


def bracket(twist) -> np.ndarray:
    """(..., 6, 6) matrix ad of a twist (..., 6): ad @ b is the rate of a twist b that is carried along."""
    t = split(twist, 6, "twist")
    return _columns(lambda unit: algebra.bracket(t, unit))


def split_pose(pose) -> tuple:
    """(R, p) of poses (..., 4, 4): nine and three components; refused unless a rotation over a last row (0, 0, 0, 1)."""
    split_matrix(pose, 4, 4, "pose")
    pose = np.asarray(pose, dtype=float)
    error = abs(pose[..., 3, :] - (0.0, 0.0, 0.0, 1.0)).max(axis=-1)
    refuse_where(~(error <= UNIT_TOLERANCE), error, "pose{} has a last row {:.3g} away from (0, 0, 0, 1)")
    return split_rotation(pose[..., :3, :3], "rotation of pose"), split(pose[..., :3, 3], 3, "position")


def stacked_pose(R, p) -> np.ndarray:
    """The array (..., 4, 4) of nine and three components."""
    return stacked((*R[0:3], p[0], *R[3:6], p[1], *R[6:9], p[2], 0.0, 0.0, 0.0, 1.0), 4, 4)


def _columns(function) -> np.ndarray:
    """The (..., 6, 6) matrix of a linear function of six numbers."""
    columns = [function(tuple(unit)) for unit in np.eye(6)]
    return stacked([column[i] for i in range(6) for column in columns], 6, 6)
