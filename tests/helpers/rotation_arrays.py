"""Rotations over arrays by the formulas of `locomote.spatial.rotations` and `algebra`, which tests put to proof.

Rotation vectors (..., 3), quaternions (..., 4) as (x, y, z, w), matrices (..., 3, 3).
"""

import numpy as np

from locomote.spatial import rotations
from locomote.spatial.algebra import of_quaternion
from locomote.spatial.rotations_arrays import UNIT_TOLERANCE, refuse_full_turn, refuse_where, split, stacked


def split_quaternion(quaternion) -> tuple:
    """The components of quaternions (..., 4), refused unless of length one within UNIT_TOLERANCE."""
    q = split(quaternion, 4, "quaternion")
    length = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    refuse_where(~(abs(length - 1.0) <= UNIT_TOLERANCE), length, "quaternion{} has length {:.9g}, expected 1 within 1e-6")
    return q


def quaternion_from_vector(vector) -> np.ndarray:
    """(..., 4) unit quaternions of rotation vectors (..., 3), rad."""
    return stacked(rotations.quaternion_exp(split(vector, 3, "rotation vector")), 4)


def vector_from_quaternion(quaternion) -> np.ndarray:
    """(..., 3) rotation vectors, rad, of at most pi, of unit quaternions (..., 4)."""
    return stacked(rotations.quaternion_log(split_quaternion(quaternion)), 3)


def matrix_from_quaternion(quaternion) -> np.ndarray:
    """(..., 3, 3) matrices of unit quaternions (..., 4)."""
    return stacked(of_quaternion(*split_quaternion(quaternion)), 3, 3)


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


def _below_full_turn(vector) -> tuple:
    w = split(vector, 3, "rotation vector")
    refuse_full_turn(w, "rotation vector")
    return w


def _in_frame(T, frame: str) -> np.ndarray:
    if frame not in ("local", "world"):
        raise ValueError(f"frame is {frame!r}, expected 'local' or 'world'")
    T = stacked(T, 3, 3)
    return T if frame == "local" else np.swapaxes(T, -1, -2)
