"""Linear equations of symbols, which have no values to choose pivots by."""

import numpy as np


def solved(M: np.ndarray, b: np.ndarray) -> np.ndarray:
    """M^-1 b by M = L^T D L, without exchange of rows, for a positive definite M; b a vector or a matrix.

    The last coordinate goes first: of a tree, those of the leaves, so that places of unrelated coordinates stay empty.
    """
    n, L, D, x = len(b), M.copy(), np.empty(len(b), dtype=object), b.reshape(len(b), -1).copy()
    for j in range(n - 1, -1, -1):
        D[j] = 1.0 / L[j, j]
        for i in range(j):
            ratio = L[j, i] * D[j]
            for k in range(i + 1):
                L[i, k] = L[i, k] - ratio * L[j, k]
            for c in range(x.shape[1]):
                x[i, c] = x[i, c] - ratio * x[j, c]
    for c in range(x.shape[1]):
        for j in range(n):
            for i in range(j):
                x[j, c] = x[j, c] - L[j, i] * x[i, c]
            x[j, c] = x[j, c] * D[j]
    return x.reshape(b.shape)
