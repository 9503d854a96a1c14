"""Orthogonal elimination: which rows are independent, what they leave free, and what they can carry among themselves.

The rows b_j of a matrix (here: constraints over free coordinates) are turned by reflections, largest remainder first:

    b_p(j) = sum over k <= j of R_kj q_k ,    Q = (q_1 q_2 ...) orthogonal                                   (1)

The first `rank` columns of Q span the rows, the others are free of them: a basis H of the kernel. `lower` holds R by rows of
constraints, `lower[j, k] = R_kj`; `reflections[k]` the unit normal of reflection k.

Tested by tests/laws/evaluation/test_spare_rows.py and tests/laws/evaluation/test_equations.py.
"""

from math import sqrt

from locomote.compiler.source import routine


@routine
def eliminate(rows, count, width, tolerance, pivoting, lower, reflections, order):
    """Turn the first `count` rows of length `width`; returns the rank: how many remainders stay above tolerance.

    `lower` (count, width) receives R, `reflections` the normals, `order[j]` the number of the row at place j.
    """
    for j in range(count):
        order[j] = j
        for k in range(width):
            lower[j, k] = rows[j, k]
    rank = 0
    for k in range(min(count, width)):
        best, place = -1.0, k
        for j in range(k, count if pivoting else k + 1):
            square = 0.0
            for i in range(k, width):
                square += lower[j, i] * lower[j, i]
            if square > best:
                best, place = square, j
        length = sqrt(best)
        if not length > tolerance:
            break
        if place != k:
            order[k], order[place] = order[place], order[k]
            for i in range(width):
                lower[k, i], lower[place, i] = lower[place, i], lower[k, i]
        first = lower[k, k]
        end = -length if first > 0.0 else length
        norm = sqrt(2.0 * length * (length + abs(first)))
        for i in range(k):
            reflections[k, i] = 0.0
        for i in range(k, width):
            reflections[k, i] = lower[k, i] / norm
        reflections[k, k] = (first - end) / norm
        lower[k, k] = end
        for i in range(k + 1, width):
            lower[k, i] = 0.0
        for j in range(k + 1, count):
            reflect(reflections, k, width, lower, j)
        rank += 1
    return rank


@routine
def reflect(reflections, k, width, rows, j):
    """Reflect row j of a matrix at plane k."""
    along = 0.0
    for i in range(k, width):
        along += reflections[k, i] * rows[j, i]
    along *= 2.0
    for i in range(k, width):
        rows[j, i] -= along * reflections[k, i]


@routine
def mirror(reflections, k, width, x):
    """Reflect x at plane k."""
    along = 0.0
    for i in range(k, width):
        along += reflections[k, i] * x[i]
    along *= 2.0
    for i in range(k, width):
        x[i] -= along * reflections[k, i]


@routine
def turn_in(reflections, rank, width, x):
    """x <- Q^T x"""
    for k in range(rank):
        mirror(reflections, k, width, x)


@routine
def turn_out(reflections, rank, width, x):
    """x <- Q x"""
    for k in range(rank - 1, -1, -1):
        mirror(reflections, k, width, x)


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
                M[i, j] += -2.0 * (u * p[j] + s * w) + 4.0 * square * u * w


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


@routine
def cholesky(M, first, last):
    """Factor the block from first to last of a symmetric M into L L^T, in place (lower half); False if it is not positive."""
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
        if not value > 0.0:
            good = False
        M[j, j] = sqrt(max(value, 0.0))
    return good


@routine
def cholesky_solve(M, first, last, x):
    """Solve L L^T y = x on the block, in place."""
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
