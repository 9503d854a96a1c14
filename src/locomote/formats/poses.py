"""Rotations and poses out of the forms that files use. A pose is (4, 4) and takes inner to outer coordinates."""

import numpy as np

from locomote.spatial.inertia import skew


def pose(rotation, position) -> np.ndarray:
    """The pose of a frame with this (3, 3) rotation and this origin (m)."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation, position
    return result


def inverse(placement) -> np.ndarray:
    """The inverse of a pose."""
    turn = placement[:3, :3].T
    return pose(turn, -turn @ placement[:3, 3])


def turn(axis, angle: float) -> np.ndarray:
    """The rotation by `angle` (rad) about `axis`, a letter x, y, z or three numbers that are not all zero."""
    if isinstance(axis, str):
        axis = np.eye(3)["xyz".index(axis)]
    cross = skew(unit(axis))
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def unit(vector) -> np.ndarray:
    """The direction of a vector that is not zero. Scaled first, so that tiny and huge vectors keep their direction."""
    vector = np.asarray(vector, dtype=float)
    vector = vector / np.abs(vector).max()
    return vector / np.linalg.norm(vector)


def from_rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """URDF's angles (rad) about fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    return turn("z", yaw) @ turn("y", pitch) @ turn("x", roll)


def from_quaternion(x: float, y: float, z: float, w: float) -> np.ndarray:
    """The rotation of a quaternion of any length but zero, scalar last."""
    x, y, z, w = unit((x, y, z, w))
    cross = skew((x, y, z))
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def from_euler(sequence: str, angles) -> np.ndarray:
    """Turns (rad) in the order given: lower-case axes turn with the frame, upper-case ones are the parent's."""
    rotation = np.eye(3)
    for axis, angle in zip(sequence, angles, strict=True):
        step = turn(axis.lower(), angle)
        rotation = rotation @ step if axis.islower() else step @ rotation
    return rotation


def from_z_axis(direction) -> np.ndarray:
    """The smallest turn that brings (0, 0, 1) to `direction`; half a turn about x if it is opposite."""
    z = unit(direction)
    axis = np.array([-z[1], z[0], 0.0])
    sine = np.linalg.norm(axis)
    if sine < 1e-12:
        return np.eye(3) if z[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return turn(axis, np.arctan2(sine, z[2]))


def from_xy_axes(x, y) -> np.ndarray | None:
    """The frame with this x axis and y as near as can be to this y; None if the two are parallel."""
    x, y = unit(x), unit(y)
    y = y - x * (x @ y)
    if np.linalg.norm(y) < 1e-12:
        return None
    y = unit(y)
    return np.column_stack([x, y, np.cross(x, y)])
