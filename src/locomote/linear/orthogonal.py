"""Orthogonal elimination: which rows are independent, what they leave free, and what they can carry among themselves.

The rows b_j of a matrix (here: constraints over free coordinates) are turned by reflections, largest remainder first, or in
the order in which they stand:

    b_p(j) = sum over k <= j of R_kj q_k ,    Q = (q_1 q_2 ...) orthogonal                                   (1)
    Q = (1 - n_1 n_1^T) (1 - n_2 n_2^T) ... ,    n_k . n_k = 2 , zero before entry k                         (2)

The first `rank` columns of Q span the rows, the others are free of them: a basis H of the kernel. `lower` holds R by rows of
constraints, `lower[j, k] = R_kj`; `reflections[k]` the normal n_k. Which remainder counts as none: `rank`.

Tested by tests/laws/linear/test_dependent_rows.py, tests/laws/evaluation/test_spare_rows.py and
tests/laws/evaluation/test_equations.py.
"""

from math import sqrt

from locomote.compiler.source import routine
from locomote.linear.rows import row_dot

WIDE = 16  # entries from which on a sum over all of a row is faster than one over its last part


@routine
def eliminate(rows, count, width, tolerance, pivoting, lower, reflections, order):
    """Turn the first `count` rows of length `width`; returns the rank: how many remainders stay above tolerance.

    `lower` (count, width) receives R, `reflections` the normals, `order[j]` the number of the row at place j: independent ones
    first. With `pivoting` those are the ones with the largest remainders, without it the first in the order given.
    """
    for j in range(count):
        order[j] = j
        for k in range(width):
            lower[j, k] = rows[j, k]
    rank = 0
    for r in range(count):
        best, place = -1.0, r
        for j in range(r, count if pivoting else r + 1):
            square = 0.0
            for i in range(rank, width):
                square += lower[j, i] * lower[j, i]
            if square > best:
                best, place = square, j
        length = sqrt(best)
        if not length > tolerance:
            if pivoting:
                break
            continue
        if place != rank:
            order[rank], order[place] = order[place], order[rank]
            for i in range(width):
                lower[rank, i], lower[place, i] = lower[place, i], lower[rank, i]
        first = lower[rank, rank]
        end, share = -length if first > 0.0 else length, 1.0 / sqrt(length * (length + abs(first)))
        for i in range(width):
            reflections[rank, i] = share * lower[rank, i] if i >= rank else 0.0
        reflections[rank, rank] = share * (first - end)
        for i in range(rank + 1, width):
            lower[rank, i] = 0.0
        lower[rank, rank] = end
        for j in range(r + 1, count):
            reflect(reflections, rank, width, lower[j])
        rank += 1
    return rank


@routine
def reflect(reflections, k, width, x):
    """Reflect x, a vector, a row or a column of a matrix, at plane k."""
    if width < WIDE:
        along = reflections[k, k] * x[k]
        for i in range(k + 1, width):
            along += reflections[k, i] * x[i]
        for i in range(k, width):
            x[i] -= along * reflections[k, i]
    else:
        along = row_dot(reflections, k, x, width)
        for i in range(width):
            x[i] -= along * reflections[k, i]


@routine
def turn_in(reflections, rank, width, x):
    """x <- Q^T x"""
    for k in range(rank):
        reflect(reflections, k, width, x)


@routine
def turn_out(reflections, rank, width, x):
    """x <- Q x"""
    for k in range(rank - 1, -1, -1):
        reflect(reflections, k, width, x)


@routine
def turn_matrix(reflections, rank, width, M, p):
    """M <- Q^T M Q for a symmetric M (lower and upper half); p is scratch."""
    for k in range(rank):
        square = 0.0
        for i in range(width):
            p[i] = 0.0
            for j in range(k, width):
                p[i] += M[i, j] * reflections[k, j]
        for i in range(k, width):
            square += p[i] * reflections[k, i]
        for i in range(width):
            u, s = reflections[k, i], p[i]
            for j in range(width):
                w = reflections[k, j]
                M[i, j] += square * u * w - (u * p[j] + s * w)


@routine
def solve_rows(lower, rank, x):
    """Solve sum over k <= j of R_kj y_k = x_j, j < rank, in place."""
    for j in range(rank):
        value = x[j]
        for k in range(j):
            value -= lower[j, k] * x[k]
        x[j] = value / lower[j, j]


@routine
def solve_columns(lower, rank, x):
    """Solve sum over j >= k of R_kj y_j = x_k, k < rank, in place."""
    for k in range(rank - 1, -1, -1):
        value = x[k]
        for j in range(k + 1, rank):
            value -= lower[j, k] * x[j]
        x[k] = value / lower[k, k]


@routine
def reactions(lower, scales, order, chosen, rank, count, room, e, x, lam):
    """lam[chosen] <- the least forces of `count` rows that give the load e[:rank] in the turned basis; the rows were eliminated
    to `lower` after a division by `scales`. Dependent ones share it by a second elimination, in `room`. x is scratch."""
    loads, loads_lower, loads_reflections, loads_order = room
    for j in range(count):
        x[j] = e[j] if j < rank else 0.0
    if rank == count:
        solve_columns(lower, rank, x)
        for j in range(count):
            lam[chosen[order[j]]] = x[j] / scales[order[j]]
        return
    for k in range(rank):
        for j in range(count):
            loads[k, j] = lower[j, k] * scales[order[j]] if k <= j else 0.0
    eliminate(loads, rank, count, 0.0, False, loads_lower, loads_reflections, loads_order)
    solve_rows(loads_lower, rank, x)
    turn_out(loads_reflections, rank, count, x)
    for j in range(count):
        lam[chosen[order[j]]] = x[j]
