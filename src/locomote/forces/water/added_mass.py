"""Added mass in closed form: the inertia of the fluid that a body sets in motion, as if its own but without weight.

Ellipsoid with semi-axes a_1, a_2, a_3 (Lamb, Hydrodynamics, art. 114, 115), with Carlson's integral R_D:

    A_i = 2/3 a_1 a_2 a_3 R_D(a_j^2, a_k^2, a_i^2) ,   A_1 + A_2 + A_3 = 2                                             (1)
    m_i = rho V A_i / (2 - A_i) ,   V = 4/3 pi a_1 a_2 a_3                                                            (2)
    J_i = rho V / 5 (a_j^2 - a_k^2)^2 (A_k - A_j) / (2 (a_j^2 - a_k^2) + (a_j^2 + a_k^2)(A_j - A_k))                    (3)

written so that one semi-axis may be zero (a plate). Cylinder of elliptic section, as slices without interaction:

    m_y = rho pi b_z^2 ,   m_z = rho pi b_y^2 ,   J_x = rho pi (b_y^2 - b_z^2)^2 / 8         per length                 (4)
"""

import math
from dataclasses import dataclass

import numpy as np

from locomote.forces.numbers import a_number, a_vector
from locomote.geometry.shapes.ellipsoid import Ellipsoid


@dataclass(frozen=True)
class EllipticCylinder:
    """A straight cylinder along x of its frame, about the origin.

    length : m ; semi_axes : of its section along y and z, m; the same number twice for a round one, a zero for a plate
    """

    length: float
    semi_axes: tuple[float, float]


def ellipsoid(semi_axes: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray, float]:
    """Added masses (3,), moments (3,) for unit density, and volume."""
    from scipy.special import elliprd

    a = np.array(a_vector("semi_axes of an ellipsoid", semi_axes))
    if (a < 0).any() or (a == 0).sum() > 1:
        raise ValueError(
            f"semi_axes of an ellipsoid are {tuple(semi_axes)}, expected positive numbers, at most one of them zero"
        )
    volume, square = 4 / 3 * math.pi * a.prod(), a * a
    masses, moments, D = np.zeros(3), np.zeros(3), np.zeros(3)  # D has R_D, without meaning where a semi-axis is zero
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        D[i] = elliprd(square[j], square[k], square[i]) if a[i] > 0 else math.inf
    part = np.where(a > 0, 2 / 3 * a.prod() * np.where(a > 0, D, 0.0), 0.0)  # (1)
    part[a == 0] = 2.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        if a[i] > 0 and (a[j] == 0 or a[k] == 0):
            masses[i] = 0.0
        else:
            masses[i] = 4 / 3 * math.pi * part[i] / (2 / 3 * (D[j] + D[k]))  # (2), as 2 - A_i = A_j + A_k
        j, k = (j, k) if a[j] >= a[k] else (k, j)
        if a[i] > 0 and a[j] != a[k]:
            below = 2 / 3 * a[i] * a[j] * (square[j] + square[k]) * (D[i] + 2 * D[j]) - 4 * a[k]
            whole = 4 / 3 * math.pi * a[i] * a[j] / below
            moments[i] = whole / 5 * (square[j] - square[k]) ** 2 * (2 - part[i] - 2 * part[j])  # (3)
    return masses, moments, volume


def cylinder(shape: EllipticCylinder) -> tuple[np.ndarray, np.ndarray, float]:
    """(4) over the length, for unit density, and volume."""
    L = a_number("length of a cylinder", shape.length, above=0.0)
    by, bz = a_vector("semi_axes of a section", shape.semi_axes, 2)
    if by < 0 or bz < 0 or by + bz == 0:
        raise ValueError(f"semi_axes of a section are {(by, bz)}, expected positive numbers, at most one of them zero")
    masses = math.pi * L * np.array([0.0, bz * bz, by * by])
    moments = np.array([math.pi * L * (by * by - bz * bz) ** 2 / 8, masses[2] * L * L / 12, masses[1] * L * L / 12])
    return masses, moments, math.pi * by * bz * L


def added_of(shape: Ellipsoid | EllipticCylinder) -> tuple[np.ndarray, np.ndarray, float]:
    """Added masses (3,), kg, moments (3,), kg m^2, for a density of 1 kg/m^3, and the volume, m^3."""
    if isinstance(shape, Ellipsoid):
        return ellipsoid(shape.semi_axes)
    if isinstance(shape, EllipticCylinder):
        return cylinder(shape)
    raise TypeError(f"shape is {shape!r:.60}, expected lo.Ellipsoid or lo.water.EllipticCylinder")
