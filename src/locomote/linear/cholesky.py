"""Symmetric positive matrices as L L^T, in place, and the inverse of L.

Sums are taken term by term: up to some sixty rows that is faster than vectors, whose lanes must be summed for every entry.
"""

from math import sqrt

from locomote.compiler.source import routine


@routine
def cholesky(M, first, last, least):
    """Factor the block from first to last of a symmetric M into L L^T, in place (lower half); False if it is not positive: if
    some pivot is not more than `least` of the diagonal entry that it comes from."""
    good = True
    for j in range(first, last):
        for k in range(first, j):
            value = M[j, k]
            for i in range(first, k):
                value -= M[j, i] * M[k, i]
            M[j, k] = value / M[k, k]
        value = M[j, j]
        for i in range(first, j):
            value -= M[j, i] * M[j, i]
        if not value > least * abs(M[j, j]):
            good = False
        M[j, j] = sqrt(max(value, 0.0))
    return good


@routine
def cholesky_solve(M, first, last, x):
    """Solve L L^T y = x on the block, in place; x may be an array of lanes."""
    for j in range(first, last):
        value = x[j]
        for i in range(first, j):
            value -= M[j, i] * x[i]
        x[j] = value / M[j, j]
    for j in range(last - 1, first - 1, -1):
        value = x[j]
        for i in range(j + 1, last):
            value -= M[i, j] * x[i]
        x[j] = value / M[j, j]


@routine
def inverse_factor(H, n, X, least, row):
    """Fill the first n rows of X with the inverse of L, H = L L^T; False if H is not positive definite (`cholesky`).

    row : (n,) scratch
    """
    for i in range(n):
        for j in range(i + 1):
            X[i, j] = H[i, j]
    if not cholesky(X, 0, n, least):
        return False
    for i in range(n):  # row i of the inverse: (e_i - sum of L_ik times row k) / L_ii
        for k in range(i):
            row[k] = X[i, k]
        share = 1.0 / X[i, i]
        for j in range(n):
            X[i, j] = 0.0
        for k in range(i):
            w = -share * row[k]
            for j in range(k + 1):
                X[i, j] += w * X[k, j]
        X[i, i] = share
    return True
