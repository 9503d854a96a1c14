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


def quaternion_from_matrix(matrix) -> np.ndarray:
    """(..., 4) unit quaternions, w >= 0, of rotation matrices (..., 3, 3)."""
    return stacked(rotations.quaternion_of_matrix(split_rotation(matrix)), 4)


def matrix_from_vector(vector) -> np.ndarray:
    """(..., 3, 3) matrices of rotation vectors (..., 3), rad: the exponential of SO(3)."""
    return stacked(of_quaternion(*rotations.quaternion_exp(split(vector, 3, "rotation vector"))), 3, 3)


def vector_from_matrix(matrix) -> np.ndarray:
    """(..., 3) rotation vectors, rad, of at most pi, of rotation matrices (..., 3, 3): the logarithm of SO(3)."""
    return stacked(rotations.quaternion_log(rotations.quaternion_of_matrix(split_rotation(matrix))), 3)


def refuse_full_turn(w, name: str):
    """Raise ValueError if rotation vectors, as components, have an angle of 2 pi, 4 pi, ..., where the tangent is singular."""
    angle = np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    turns = np.round(angle / (2.0 * np.pi))
    bad = (turns > 0) & (abs(angle - 2.0 * np.pi * turns) <= 1e-12 * angle)
    refuse_where(bad, angle, name + "{} has angle {:.9g} rad, full turns: the tangent has no inverse there")
