"""The same dynamics by full matrices, in O(n^3): to read, to count and to time against the recursions.

    t = N v ,   t' = N v' + N' v ,   I = N^T M N ,   h = N^T (M N' v + G t - weights)                                    (1)
    I = U D U^T by reverse Gaussian elimination: for k = n .. 1 , row by row from the last coordinate,
        d_k = i_kk ,   u_ik = i_ik / d_k ,   i_ij -= u_ik d_k u_jk   for i, j < k                                          (2)
    v' = U^-T D^-1 U^-1 (tau - h)                                                                                        (3)

The recursions have the same U and D, block by block, and never form I: what is zero or follows from the tree costs nothing.
"""

from typing import NamedTuple

import numpy as np

from locomote.denoc.links import Links, of_coordinates
from locomote.denoc.matrices import matrices
from locomote.spatial.numbers import as_numbers


class Dense(NamedTuple):
    """A result (nv,), and how many multiplications (with divisions) and additions solving for it took after (1)."""

    value: np.ndarray
    multiplications: int
    additions: int


def dense_inverse_dynamics(links: Links, a) -> Dense:
    """Forces (nv,) for accelerations a (nv,), I a + h, and the operations of the product."""
    a, (I, h) = of_coordinates(links, a, "a"), _equations(links)
    n = len(h)
    return Dense(I @ a + h, n * n, n * n)


def dense_forward_dynamics(links: Links, tau) -> Dense:
    """Accelerations (nv,) for forces tau (nv,), by (2) and (3), and their operations."""
    tau, (I, h) = of_coordinates(links, tau, "tau"), _equations(links)
    U, D, M, A = reverse_elimination(I)
    x, n = tau - h, len(h)
    for k in range(n - 1, -1, -1):
        x[k] -= U[k, k + 1 :] @ x[k + 1 :]
    x = x / D
    for k in range(n):
        x[k] -= U[:k, k] @ x[:k]
    return Dense(x, M + n * (n - 1) + n, A + n * (n - 1) + n)


def reverse_elimination(I) -> tuple[np.ndarray, np.ndarray, int, int]:
    """U (n, n) and D (n,) of (2) for a symmetric positive definite I (n, n), with multiplications and additions."""
    I, M, A = as_numbers(I, "I", "(n, n)").copy(), 0, 0
    n = len(I) if I.ndim else 0
    if I.shape != (n, n) or not n or not np.isfinite(I).all() or abs(I - I.T).max() > 1e-9 * abs(I).max():
        raise ValueError(f"I has shape {I.shape}, expected finite numbers (n, n), the same on both sides of the diagonal")
    U, D = np.eye(n), np.zeros(n)
    for k in range(n - 1, -1, -1):
        D[k] = I[k, k]
        if not D[k] > 0.0:
            raise ValueError(f"coordinate {k} moves no mass once those after it are free: the inertia matrix is singular")
        U[:k, k] = I[:k, k] / D[k]
        I[:k, :k] -= np.outer(U[:k, k], I[:k, k])
        M, A = M + k + k * (k + 1) // 2, A + k * (k + 1) // 2  # the half above the diagonal is enough
    return U, D, M, A


def _equations(links: Links) -> tuple[np.ndarray, np.ndarray]:
    """I and h of (1)."""
    m = matrices(links)
    t = m.N @ links.v
    return m.N.T @ m.M @ m.N + np.diag(links.armature), m.N.T @ (m.M @ (m.N_rate @ links.v) + m.G @ t - m.weight)
