"""Slow references in 50 digits, from definitions: matrix exponentials, commutators and series, no formula of the library."""

import mpmath as mp
import numpy as np

mp.mp.dps = 50
EPS = np.finfo(float).eps
TINY_STEP = mp.mpf(10) ** -15  # a central difference in 50 digits then keeps 30

# angles where a formula is delicate or changes its branch
NEAR_ZERO = (0.0, 1e-300, 1e-160, 1e-154, 1e-20, 1e-12, 1e-8, 1e-5, 1e-3)
BRANCHES = (0.0632, 0.0633, 0.999999, 1.000001, 3.1622, 3.1623)
NEAR_PI = tuple(float(np.pi - gap) for gap in (1e-3, 1e-6, 1e-9, 1e-12, 0.0))
BEYOND = (4.0, 2 * np.pi - 1e-3, 2 * np.pi + 0.1, 12.3, 20.0)


def random_units(count, rng):
    """(count, 3) unit vectors."""
    v = rng.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def hat(twist):
    """The 4x4 matrix of a twist (linear, angular)."""
    u, v, w, x, y, z = (mp.mpf(t) for t in twist)
    return mp.matrix([[0, -z, y, u], [z, 0, -x, v], [-y, x, 0, w], [0, 0, 0, 0]])


def vee(matrix):
    """The twist of a 4x4 matrix."""
    return mp.matrix([matrix[0, 3], matrix[1, 3], matrix[2, 3], matrix[2, 1], matrix[0, 2], matrix[1, 0]])


def exponential(matrix):
    """Power series of the exponential."""
    total = term = mp.eye(matrix.rows)
    k = 0
    while mp.mnorm(term, 1) > mp.mpf(10) ** -55 or k < 4:
        k += 1
        term = term * matrix / k
        total = total + term
    return total


def pose(twist):
    """exp of a twist, 4x4."""
    return exponential(hat(twist))


def ad(twist):
    """6x6 matrix of the commutator with a twist."""
    columns = []
    a = hat(twist)
    for k in range(6):
        b = hat([1 if i == k else 0 for i in range(6)])
        columns.append(vee(a * b - b * a))
    return mp.matrix([[columns[j][i] for j in range(6)] for i in range(6)])


def tangent(twist):
    """sum_k (-ad)^k / (k+1)!, the body tangent."""
    a = -ad(twist)
    total = term = mp.eye(6)
    k = 0
    while mp.mnorm(term, 1) > mp.mpf(10) ** -55 or k < 4:
        k += 1
        term = term * a / (k + 1)
        total = total + term
    return total


def rate_of(function, point, rate):
    """Derivative of a matrix function of a tuple along a rate, by a tiny central difference."""
    ahead = [mp.mpf(p) + TINY_STEP * mp.mpf(r) for p, r in zip(point, rate, strict=True)]
    behind = [mp.mpf(p) - TINY_STEP * mp.mpf(r) for p, r in zip(point, rate, strict=True)]
    return (function(ahead) - function(behind)) / (2 * TINY_STEP)


def floats(matrix):
    """A NumPy array of a high-precision matrix."""
    return np.array(matrix.tolist(), dtype=float)
