"""Rotations over arrays: rotation vectors (..., 3), quaternions (..., 4) as (x, y, z, w), matrices (..., 3, 3).

Every function takes leading batch dimensions, which broadcast, and calls the formulas of `rotations` on whole arrays of
components. A name says what comes out and what goes in: `matrix_from_vector`. A matrix takes coordinates of the inner frame to
the outer one.
"""

import numpy as np

from locomote.spatial import rotations
from locomote.spatial.algebra import of_quaternion

UNIT_TOLERANCE = 1e-6  # how far from a rotation an input may be; design, section 3


def split(values, size: int, name: str) -> tuple:
    """The components of an array (..., size), each an array of the leading shape."""
    values = np.asarray(values, dtype=float)
    if values.ndim == 0 or values.shape[-1] != size:
        raise ValueError(f"{name} has shape {values.shape}, expected (..., {size})")
    return tuple(values[..., k] for k in range(size))


def split_matrix(values, rows: int, columns: int, name: str) -> tuple:
    """The components of an array (..., rows, columns), row by row."""
    values = np.asarray(values, dtype=float)
    if values.shape[-2:] != (rows, columns):
        raise ValueError(f"{name} has shape {values.shape}, expected (..., {rows}, {columns})")
    return tuple(values[..., i, j] for i in range(rows) for j in range(columns))


def stacked(parts, *shape: int) -> np.ndarray:
    """The array (..., *shape) whose entries, in row order, are the parts."""
    array = np.stack(np.broadcast_arrays(*parts), axis=-1)
    return array.reshape(array.shape[:-1] + shape)


def split_quaternion(quaternion) -> tuple:
    """The components of quaternions (..., 4), refused unless of length one within UNIT_TOLERANCE."""
    q = split(quaternion, 4, "quaternion")
    length = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    refuse_where(~(abs(length - 1.0) <= UNIT_TOLERANCE), length, "quaternion{} has length {:.9g}, expected 1 within 1e-6")
    return q


def split_rotation(matrix, name: str = "rotation matrix") -> tuple:
    """The nine components of rotation matrices (..., 3, 3), refused unless orthonormal and right-handed."""
    R = split_matrix(matrix, 3, 3, name)
    matrix = np.asarray(matrix, dtype=float)
    error = abs(np.swapaxes(matrix, -1, -2) @ matrix - np.eye(3)).max(axis=(-2, -1))
    refuse_where(~(error <= 2.0 * UNIT_TOLERANCE), error, name + "{} is not orthonormal: R^T R is {:.3g} away from 1")
    determinant = np.linalg.det(matrix)
    refuse_where(determinant < 0.0, determinant, name + "{} is a reflection: its determinant is {:.3g}, expected 1")
    return R


def refuse_where(bad, value, sentence: str):
    """Raise ValueError for the first entry of a batch where `bad` holds, naming its index and value."""
    if np.any(bad):
        index = tuple(int(k) for k in np.argwhere(bad)[0])
        raise ValueError(sentence.format(f" {list(index)}" if index else "", float(np.asarray(value)[index])))


def quaternion_from_vector(vector) -> np.ndarray:
    """(..., 4) unit quaternions of rotation vectors (..., 3), rad."""
    return stacked(rotations.quaternion_exp(split(vector, 3, "rotation vector")), 4)


def vector_from_quaternion(quaternion) -> np.ndarray:
    """(..., 3) rotation vectors, rad, of at most pi, of unit quaternions (..., 4)."""
    return stacked(rotations.quaternion_log(split_quaternion(quaternion)), 3)


def matrix_from_quaternion(quaternion) -> np.ndarray:
    """(..., 3, 3) matrices of unit quaternions (..., 4)."""
    return stacked(of_quaternion(*split_quaternion(quaternion)), 3, 3)


def quaternion_from_matrix(matrix) -> np.ndarray:
    """(..., 4) unit quaternions, w >= 0, of rotation matrices (..., 3, 3)."""
    return stacked(rotations.quaternion_of_matrix(split_rotation(matrix)), 4)


def matrix_from_vector(vector) -> np.ndarray:
    """(..., 3, 3) matrices of rotation vectors (..., 3), rad: the exponential of SO(3)."""
    return stacked(of_quaternion(*rotations.quaternion_exp(split(vector, 3, "rotation vector"))), 3, 3)


def vector_from_matrix(matrix) -> np.ndarray:
    """(..., 3) rotation vectors, rad, of at most pi, of rotation matrices (..., 3, 3): the logarithm of SO(3)."""
    return stacked(rotations.quaternion_log(rotations.quaternion_of_matrix(split_rotation(matrix))), 3)


def quaternion_product(first, second) -> np.ndarray:
    """(..., 4) quaternions of the rotation matrix_from_quaternion(first) @ matrix_from_quaternion(second)."""
    return stacked(rotations.quaternion_multiply(split(first, 4, "first"), split(second, 4, "second")), 4)


def quaternion_inverse(quaternion) -> np.ndarray:
    """(..., 4) quaternions of the inverse rotations of unit quaternions (..., 4)."""
    return stacked(rotations.quaternion_conjugate(split_quaternion(quaternion)), 4)


def quaternion_normalized(quaternion) -> np.ndarray:
    """(..., 4) quaternions of length one from quaternions (..., 4) of any length but zero."""
    q = split(quaternion, 4, "quaternion")
    largest = abs(np.stack(q)).max(axis=0)
    usable = (largest > 0.0) & (largest < np.inf)
    refuse_where(~usable, largest, "quaternion{} cannot be normalised: its largest entry is {:g}")
    return stacked(rotations.quaternion_normalized(tuple(c / largest for c in q)), 4)


def rotation_tangent(vector, *, frame: str = "local") -> np.ndarray:
    """(..., 3, 3) matrix T: angular velocity = T @ rate of the rotation vector (..., 3).

    frame : "local" for the angular velocity in the body frame (the right Jacobian), "world" for the outer frame (the left one)
    """
    return _in_frame(rotations.so3_tangent(split(vector, 3, "rotation vector")), frame)


def rotation_tangent_inverse(vector, *, frame: str = "local") -> np.ndarray:
    """(..., 3, 3) inverse of `rotation_tangent`; it does not exist for angles 2 pi, 4 pi, ..."""
    return _in_frame(rotations.so3_tangent_inverse(_below_full_turn(vector)), frame)


def rotation_tangent_rate(vector, rate, *, frame: str = "local") -> np.ndarray:
    """(..., 3, 3) time derivative of `rotation_tangent` when the vector (..., 3) has the given rate (..., 3), rad/s."""
    return _in_frame(rotations.so3_tangent_rate(split(vector, 3, "rotation vector"), split(rate, 3, "rate")), frame)


def rotation_tangent_inverse_rate(vector, rate, *, frame: str = "local") -> np.ndarray:
    """(..., 3, 3) time derivative of `rotation_tangent_inverse`."""
    return _in_frame(rotations.so3_tangent_inverse_rate(_below_full_turn(vector), split(rate, 3, "rate")), frame)


def refuse_full_turn(w, name: str):
    """Raise ValueError if rotation vectors, as components, have an angle of 2 pi, 4 pi, ..., where the tangent is singular."""
    angle = np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    turns = np.round(angle / (2.0 * np.pi))
    bad = (turns > 0) & (abs(angle - 2.0 * np.pi * turns) <= 1e-12 * angle)
    refuse_where(bad, angle, name + "{} has angle {:.9g} rad, full turns: the tangent has no inverse there")


def _below_full_turn(vector) -> tuple:
    w = split(vector, 3, "rotation vector")
    refuse_full_turn(w, "rotation vector")
    return w


def _in_frame(T, frame: str) -> np.ndarray:
    if frame not in ("local", "world"):
        raise ValueError(f"frame is {frame!r}, expected 'local' or 'world'")
    T = stacked(T, 3, 3)
    return T if frame == "local" else np.swapaxes(T, -1, -2)
