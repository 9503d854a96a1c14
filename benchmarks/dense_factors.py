"""Dense factors and solves of `locomote.linear` beside LAPACK's, both called from compiled code, over the size of the matrix.

LAPACK is what SciPy brings, called through the pointers of scipy.linalg.cython_lapack: no array is made, no Python is met. It
sees a row-major matrix as its transpose, which costs nothing. All take turns in short windows, and the least time counts; so
does the copy of the matrix, which each must have. OPENBLAS_NUM_THREADS=1 keeps it from starting threads of its own.

Run: python benchmarks/dense_factors.py [size ...]
"""

import ctypes
import sys

import numba
import numpy as np
from numba.extending import get_cython_function_address

from locomote.bench.timing import side_by_side
from locomote.compiler.lanes import WIDTH
from locomote.linear.cholesky import cholesky
from locomote.linear.inverse import invert_symmetric
from locomote.linear.lu import lu_factor, lu_solve
from locomote.linear.symmetric import factor_real

SIZES = (4, 8, 12, 16, 20, 30, 40, 60, 80, 100, 130, 160, 200)
NAMES = ("LU", "dgetrf", "LU solve", "dgetrs", "Cholesky", "symmetric", "inverse", "dpotrf")


def lapack(name: str, arguments: int):
    """A routine of LAPACK, all of whose arguments are pointers."""
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)
    return kind(get_cython_function_address("scipy.linalg.cython_lapack", name))


dgetrf, dgetrs, dpotrf = lapack("dgetrf", 6), lapack("dgetrs", 9), lapack("dpotrf", 5)


@numba.njit
def copy(A, B, n):
    """B <- A"""
    for i in range(n):
        for j in range(n):
            B[i, j] = A[i, j]


@numba.njit
def own(which, times, A, B, n, pivots, x, rows):
    """Ours, by number."""
    for _ in range(times):
        if which == 2:
            lu_solve(B, n, pivots, x)
            continue
        copy(A, B, n)
        if which == 0:
            lu_factor(B, n, pivots)
        elif which == 4:
            cholesky(B, 0, n, 0.0)
        elif which == 5:
            factor_real(B, 0, n)
        else:
            invert_symmetric(B, n, rows)


@numba.njit
def theirs(which, times, A, B, n, pivots, x, sizes, letters):
    """LAPACK's. sizes : n, length of a row, 1, result ; letters : T, U"""
    size, row, one, info = sizes.ctypes, sizes[1:].ctypes, sizes[2:].ctypes, sizes[3:].ctypes
    for _ in range(times):
        if which == 3:
            dgetrs(letters.ctypes, size, one, B.ctypes, row, pivots.ctypes, x.ctypes, row, info)
            continue
        copy(A, B, n)
        if which == 1:
            dgetrf(size, size, B.ctypes, row, pivots.ctypes, info)
        else:
            dpotrf(letters[1:].ctypes, size, B.ctypes, row, info)


def times_at(n: int) -> list[float]:
    """Microseconds of each of NAMES at a size."""
    rng, wide = np.random.default_rng(n), (n + 4 * WIDTH - 1) // (4 * WIDTH) * 4 * WIDTH
    A, S = np.zeros((n, wide)), np.zeros((n, wide))
    A[:, :n] = np.eye(n) + rng.normal(size=(n, n)) / (2 * n) ** 0.5  # solutions of solutions stay of one size
    S[:, :n] = A[:, :n] @ A[:, :n].T + np.eye(n)
    sizes, letters = np.array([n, wide, 1, 0], np.int32), np.frombuffer(b"TU", np.uint8).copy()
    times, rows, runs = max(1, 200000 // (n**3 + 1000)), np.zeros((4, wide)), {}
    mine = {0: (A, np.zeros((n, wide)), n, np.zeros(n, np.int64), np.ones(wide), rows)}
    mine |= {2: mine[0], **{k: (S, np.zeros((n, wide)), n, np.zeros(n, np.int64), np.ones(wide), rows) for k in (4, 5, 6)}}
    other = {1: (A, np.zeros((n, wide)), n, np.zeros(n, np.int32), np.ones(wide), sizes, letters)}
    other |= {3: other[1], 7: (S, np.zeros((n, wide)), n, np.zeros(n, np.int32), np.ones(wide), sizes, letters)}
    for k, name in enumerate(NAMES):
        runs[name] = (lambda k=k: own(k, times, *mine[k])) if k in mine else (lambda k=k: theirs(k, times, *other[k]))
    return [1e6 * best / times for best in side_by_side(runs).values()]


if __name__ == "__main__":
    print("us   " + "".join(f"{name:>11}" for name in NAMES))
    for n in [int(word) for word in sys.argv[1:]] or SIZES:
        print(f"{n:<5}" + "".join(f"{time:>11.2f}" for time in times_at(n)), flush=True)
