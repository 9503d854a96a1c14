"""Charts of a rotation: how its orientation is written as numbers, and what their rates mean. All have one interface.

Rates of coordinates x and the angular velocity omega in the body frame are related by

    omega = L(x) x' ,    omega' = L(x) x'' + L' x' ,    x' = L^+(x) omega

with L `rate_map`, L' `rate_map_derivative` and L^+ `inverse_rate_map`. The redundant charts (quaternion, matrix) also have
constraints, which L^+ keeps. A chart is a value: its fields hold formulas on tuples of numbers, arrays or symbols, its methods
check and take arrays with leading batch dimensions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.spatial import charts_euler as euler
from locomote.spatial import charts_smooth as smooth
from locomote.spatial import rotations
from locomote.spatial.algebra import cross, dot
from locomote.spatial.rotations_arrays import UNIT_TOLERANCE, refuse_where, split, split_rotation, stacked

SINGULAR = 1e-12  # distance to a singularity at which an inverse is refused


@dataclass(frozen=True)
class Chart:
    """Coordinates of a rotation.

    name : as given to `chart`
    size : how many coordinates there are
    meaning : what they are, in words
    constraint_count : how many equations tie them: 0, or size - 3 and more
    ..._of : the formulas, on tuples; matrices are given row by row
    """

    name: str
    size: int
    meaning: str
    matrix_of: Callable
    coordinates_of: Callable
    rates_of: Callable
    rates_derivative_of: Callable
    inverse_rates_of: Callable
    distance_of: Callable
    constraint_count: int = 0
    constraint_of: Callable | None = None
    constraint_jacobian_of: Callable | None = None

    def rotation(self, x) -> np.ndarray:
        """(..., 3, 3) rotation matrix, body to outer frame, of coordinates (..., size)."""
        return stacked(self.matrix_of(self._split(x)), 3, 3)

    def coordinates(self, rotation) -> np.ndarray:
        """(..., size) coordinates of a rotation matrix (..., 3, 3); at a singularity, one of the many."""
        return stacked(self.coordinates_of(split_rotation(rotation)), self.size)

    def rate_map(self, x) -> np.ndarray:
        """(..., 3, size) matrix L: body angular velocity (rad/s) = L @ x'."""
        return stacked(self.rates_of(self._split(x)), 3, self.size)

    def rate_map_derivative(self, x, rate) -> np.ndarray:
        """(..., 3, size) time derivative of L when x (..., size) has the rate (..., size)."""
        rate = split(rate, self.size, f"rate of chart {self.name!r}")
        both = np.broadcast_arrays(*self._split(x), *rate)  # a formula may use one of the two only
        return stacked(self.rates_derivative_of(tuple(both[: self.size]), tuple(both[self.size :])), 3, self.size)

    def inverse_rate_map(self, x) -> np.ndarray:
        """(..., size, 3) matrix that gives x' from the body angular velocity (rad/s)."""
        x = self._split(x)
        distance = self.distance_of(x)
        refuse_where(distance < SINGULAR, distance, f"coordinates{{}} of chart {self.name!r} are singular: distance {{:.3g}}")
        return stacked(self.inverse_rates_of(x), self.size, 3)

    def singularity(self, x) -> np.ndarray:
        """(...) distance to the nearest singularity: 1 far away, 0 there. The redundant charts have none and give 1."""
        return np.asarray(self.distance_of(self._split(x)))[()]

    def near_singular(self, x, *, threshold: float = 0.1) -> np.ndarray:
        """(...) whether the distance to the nearest singularity is below the threshold (0.1: about 6 degrees)."""
        return self.singularity(x) < threshold

    def constraint(self, x) -> np.ndarray:
        """(..., constraint_count) what must be zero for x (..., size) to be a rotation."""
        x = split(x, self.size, f"coordinates of chart {self.name!r}")
        if self.constraint_of is None:
            return np.zeros((*np.shape(x[0]), 0))
        return stacked(self.constraint_of(x), self.constraint_count)

    def constraint_jacobian(self, x) -> np.ndarray:
        """(..., constraint_count, size) derivative of the constraint."""
        x = split(x, self.size, f"coordinates of chart {self.name!r}")
        if self.constraint_jacobian_of is None:
            return np.zeros((*np.shape(x[0]), 0, self.size))
        return stacked(self.constraint_jacobian_of(x), self.constraint_count, self.size)

    def _split(self, x) -> tuple:
        parts = split(x, self.size, f"coordinates of chart {self.name!r}")
        if self.constraint_of is not None:
            what = f"coordinates{{}} are not {self.meaning}: "
            error = abs(np.stack(self.constraint_of(parts))).max(axis=0)
            refuse_where(~(error <= 2.0 * UNIT_TOLERANCE), error, what + "the constraint is off by {:.3g}")
            R = self.matrix_of(parts)
            determinant = dot(R[0:3], cross(R[3:6], R[6:9]))
            refuse_where(determinant < 0.0, determinant, what + "the determinant is {:.3g}")
        return parts


def _euler(sequence: str) -> Chart:
    axes = tuple("xyz".index(letter) for letter in sequence)
    formulas = (euler.matrix, euler.angles, euler.rates, euler.rates_derivative, euler.inverse_rates, euler.distance)
    turns = ", then ".join(sequence)
    own: list[Any] = [partial(f, axes) for f in formulas]
    return Chart(sequence, 3, f"angles about {turns} of the turned body, rad", *own)


QUATERNION = Chart(
    "quaternion", 4, "a quaternion (x, y, z, w) of length one",
    matrix_of=smooth.quaternion_matrix,
    coordinates_of=rotations.quaternion_of_matrix,
    rates_of=smooth.quaternion_rates,
    rates_derivative_of=smooth.quaternion_rates_derivative,
    inverse_rates_of=smooth.quaternion_inverse_rates,
    distance_of=smooth.nowhere_singular,
    constraint_count=1,
    constraint_of=smooth.quaternion_constraint,
    constraint_jacobian_of=smooth.quaternion_constraint_jacobian,
)  # fmt: skip

MATRIX = Chart(
    "matrix", 9, "the nine entries, row by row, of a rotation matrix",
    matrix_of=tuple,
    coordinates_of=tuple,
    rates_of=smooth.matrix_rates,
    rates_derivative_of=smooth.matrix_rates_derivative,
    inverse_rates_of=smooth.matrix_inverse_rates,
    distance_of=smooth.nowhere_singular,
    constraint_count=6,
    constraint_of=smooth.matrix_constraint,
    constraint_jacobian_of=smooth.matrix_constraint_jacobian,
)  # fmt: skip

ROTATION_VECTOR = Chart(
    "rotation_vector", 3, "the axis times the angle, rad",
    matrix_of=smooth.vector_matrix,
    coordinates_of=smooth.vector_coordinates,
    rates_of=rotations.so3_tangent,
    rates_derivative_of=rotations.so3_tangent_rate,
    inverse_rates_of=rotations.so3_tangent_inverse,
    distance_of=smooth.vector_distance,
)  # fmt: skip

ROLL_PITCH_YAW = Chart(
    "roll_pitch_yaw", 3, "angles about x, then y, then z of the outer frame, rad",
    matrix_of=euler.roll_pitch_yaw_matrix,
    coordinates_of=euler.roll_pitch_yaw,
    rates_of=euler.roll_pitch_yaw_rates,
    rates_derivative_of=euler.roll_pitch_yaw_rates_derivative,
    inverse_rates_of=euler.roll_pitch_yaw_inverse_rates,
    distance_of=partial(euler.distance, euler.ZYX),
)  # fmt: skip

MODIFIED_RODRIGUES = Chart(
    "modified_rodrigues", 3, "the axis times the tangent of a quarter of the angle",
    matrix_of=smooth.rodrigues_matrix,
    coordinates_of=smooth.rodrigues_coordinates,
    rates_of=smooth.rodrigues_rates,
    rates_derivative_of=smooth.rodrigues_rates_derivative,
    inverse_rates_of=smooth.rodrigues_inverse_rates,
    distance_of=smooth.rodrigues_distance,
)  # fmt: skip

EULER_SEQUENCES = tuple(a + b + c for a, b, c in product("xyz", repeat=3) if a != b and b != c)
CHARTS = {
    chart.name: chart
    for chart in (QUATERNION, MATRIX, ROTATION_VECTOR, ROLL_PITCH_YAW, MODIFIED_RODRIGUES, *map(_euler, EULER_SEQUENCES))
}


def chart(name: str) -> Chart:
    """The chart of that name.

    "quaternion" (x, y, z, w), "matrix" (nine entries, row by row), "rotation_vector", "modified_rodrigues",
    "roll_pitch_yaw" (R = Rz(yaw) Ry(pitch) Rx(roll)), or one of the twelve Euler sequences such as "zyx" and "zxz":
    angles in the order of the letters, each about an axis of the body as already turned (SciPy writes these in capitals).
    """
    try:
        return CHARTS[name]
    except (KeyError, TypeError):
        raise UnknownName("chart", name, CHARTS, "the charts of a rotation") from None
