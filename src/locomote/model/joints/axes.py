"""Axes of joints as letters, numbers and turns, and poses as (4, 4) arrays."""

import math
from functools import lru_cache

import numpy as np

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def direction(axis) -> np.ndarray:
    """(3,) unit vector along an axis, a letter or three numbers."""
    given = np.array(AXES[axis] if isinstance(axis, str) else axis, dtype=float)
    return given / math.hypot(*given)


def turn_to(axis) -> np.ndarray:
    """A rotation whose z axis is `axis`, a letter or three numbers.

    A permutation of axes where one will do, so that zeros stay zeros. x and y are the directions of a planar joint, so the
    rule is for users too, and Joint says it:

        axis      x   y   z   -x   -y   -z   any other n
        x of it   y   z   x    y    z    x   e x n, e being the axis of which n has least (the first of equals), made unit
        y of it   z   x   y   -z   -x   -y   n times that
    """
    return _turn_to(*(float(x) for x in (AXES[axis] if isinstance(axis, str) else axis)))


@lru_cache(maxsize=1024)
def _turn_to(*given: float) -> np.ndarray:
    axis = np.array(given) / math.hypot(*given)
    for k in range(3):
        if abs(axis[k]) == 1.0 and not axis[[k - 1, k - 2]].any():
            turn = np.column_stack([np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3], np.eye(3)[k]])
            return read_only(turn if axis[k] > 0 else turn @ np.diag([1.0, -1.0, -1.0]))
    helper = np.eye(3)[np.argmin(abs(axis))]
    first = np.cross(helper, axis)
    first /= np.linalg.norm(first)
    return read_only(np.column_stack([first, np.cross(axis, first), axis]))


def read_only(array: np.ndarray) -> np.ndarray:
    """The array itself, which is not to be written to any more."""
    array.flags.writeable = False
    return array


def about_z(angle: float) -> np.ndarray:
    """The rotation by an angle about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def pose(turn=None, shift=(0.0, 0.0, 0.0)) -> np.ndarray:
    """A (4, 4) pose from a rotation and a displacement."""
    result = np.eye(4)
    if turn is not None:
        result[:3, :3] = turn
    result[:3, 3] = shift
    return result
