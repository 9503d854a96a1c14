"""Rows made orthonormal one after the other, with the basis at hand: for rows that come and go.

    z <- a - Q Q^T a , once more where much of a is lost (twice is enough: Kahan, in Parlett 1980)                       (1)

`orthogonal` keeps reflections instead, which cost half as much, but must have all rows at once.
"""

from math import sqrt

from locomote.compiler.source import routine
from locomote.linear.rows import add_row_to, long_dot, row_dot, stretch_dot

TWICE = 0.5  # share of a row's squared length below which what is left of it is made orthogonal once more


@routine
def split(z, first, last, basis, count, n, d, more):
    """(1) for a row z (n,) that is zero outside of first .. last - 1, and the first `count` rows of `basis`.

    Its weights along them go to d (count,), `more` (count,) is scratch. Returns the squared lengths of what is left and of z.
    """
    whole = long_dot(z, z, n)
    for i in range(count):
        d[i] = stretch_dot(basis, i, z, first, last, n)
    for i in range(count):
        add_row_to(-d[i], basis, i, z, n)
    rest = long_dot(z, z, n)
    if rest < TWICE * whole:
        for i in range(count):
            more[i] = row_dot(basis, i, z, n)
        for i in range(count):
            add_row_to(-more[i], basis, i, z, n)
            d[i] += more[i]
        rest = long_dot(z, z, n)
    return rest, whole


@routine
def append(basis, count, n, z, rest):
    """What `split` left of z as row `count` of the basis; returns its length."""
    length = sqrt(rest)
    share = 1.0 / length
    for j in range(n):
        basis[count, j] = share * z[j]
    return length
