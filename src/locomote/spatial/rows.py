"""Vectors, wrenches and matrices in rows of packed and scratch arrays."""

from locomote.compiler.source import helper


@helper
def load(work, i, k):
    """Three numbers of a row."""
    return work[i, k], work[i, k + 1], work[i, k + 2]


@helper
def store(work, i, k, a):
    """Three numbers into a row."""
    work[i, k], work[i, k + 1], work[i, k + 2] = a


@helper
def load6(work, i, k):
    """A twist, wrench or symmetric matrix of a row."""
    return work[i, k], work[i, k + 1], work[i, k + 2], work[i, k + 3], work[i, k + 4], work[i, k + 5]


@helper
def store6(work, i, k, f):
    """A twist, wrench or symmetric matrix into a row."""
    work[i, k], work[i, k + 1], work[i, k + 2], work[i, k + 3], work[i, k + 4], work[i, k + 5] = f


@helper
def put(work, row, k, t):
    """A twist or wrench into column k, from a row on."""
    work[row, k], work[row + 1, k], work[row + 2, k] = t[0], t[1], t[2]
    work[row + 3, k], work[row + 4, k], work[row + 5, k] = t[3], t[4], t[5]


@helper
def three(x, k):
    """Three numbers of a vector."""
    return x[k], x[k + 1], x[k + 2]


@helper
def four(x, k):
    """Four numbers of a vector."""
    return x[k], x[k + 1], x[k + 2], x[k + 3]


@helper
def six(x, k):
    """Six numbers of a vector."""
    return x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5]


@helper
def load9(work, i, k):
    """A rotation or matrix of a row."""
    return (
        work[i, k], work[i, k + 1], work[i, k + 2],
        work[i, k + 3], work[i, k + 4], work[i, k + 5],
        work[i, k + 6], work[i, k + 7], work[i, k + 8],
    )  # fmt: skip


@helper
def store9(work, i, k, m):
    """A rotation or matrix into a row."""
    work[i, k], work[i, k + 1], work[i, k + 2] = m[0], m[1], m[2]
    work[i, k + 3], work[i, k + 4], work[i, k + 5] = m[3], m[4], m[5]
    work[i, k + 6], work[i, k + 7], work[i, k + 8] = m[6], m[7], m[8]
