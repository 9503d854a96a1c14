"""Inertias that stay those of bodies, whatever numbers a search tries.

The second moments of a body about its centre, S = sum of m_i x_i x_i^T, are positive definite, and so is its pseudo-inertia
[[S + m c c^T, m c], [m c^T, m]] if and only if m > 0 besides. Its log-Cholesky coordinates (Rucker and Wensing, 2022) are

    m = exp(a) ,   c free ,   S = L L^T ,   L lower with exp(d_k) on its diagonal                                          (1)
    I = tr(S) 1 - S ,   S = tr(I) 1 / 2 - I                                                                                (2)
"""

import numpy as np

LOWER = ((1, 0), (2, 0), (2, 1))
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # xx, xy, xz, yy, yz, zz
FLAT = 1e-9  # of the trace, below which a body has no extent some way, and its logarithm no value


def matrix_of(six: np.ndarray) -> np.ndarray:
    """(3, 3) from xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def moments(six: np.ndarray) -> np.ndarray:
    """S of (2)."""
    inertia = matrix_of(six)
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia


def has_extent(six: np.ndarray) -> bool:
    """Whether S is positive definite."""
    values = np.linalg.eigvalsh(moments(six))
    return bool(values[0] > FLAT * max(values.sum(), 1e-300))


def coordinates(six: np.ndarray) -> np.ndarray:
    """(6,) d_1, d_2, d_3 and what is below the diagonal of L, from xx, xy, xz, yy, yz, zz about the centre."""
    L = np.linalg.cholesky(moments(six))
    return np.array([*np.log(np.diag(L)), *(L[place] for place in LOWER)])


def inertia_of(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """xx, xy, xz, yy, yz, zz from the coordinates, and their slopes (6, 6) by these."""
    L = np.diag(np.exp(x[:3]))
    for place, value in zip(LOWER, x[3:], strict=True):
        L[place] = value
    units = [np.zeros((3, 3)) for _ in range(6)]
    for k in range(3):
        units[k][k, k] = L[k, k]
    for unit, place in zip(units[3:], LOWER, strict=True):
        unit[place] = 1.0
    slopes = [turned(unit @ L.T + L @ unit.T) for unit in units]
    return turned(L @ L.T), np.column_stack(slopes)


def turned(S: np.ndarray) -> np.ndarray:
    """(6,) of tr(S) 1 - S."""
    inertia = np.trace(S) * np.eye(3) - S
    return np.array([inertia[place] for place in UPPER])
