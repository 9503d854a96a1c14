"""LU factors of matrices whose blocks are mostly zero: trees of bodies that touch few others.

Coordinates of tree n are starts[n] to starts[n + 1]; links[n, m] is not 0 where blocks (n, m) and (m, n) are not zero, with
what factors add (`eliminate_links`). Rows are exchanged within a tree only. Blocks that are zero are neither read nor written.
"""

from locomote.compiler.source import helper, routine

NOTHING = 1e-300  # size of a pivot that there is none to divide by


@routine
def eliminate_links(links, trees):
    """Add the links that eliminating trees one after the other makes between those that are left."""
    for n in range(trees):
        for i in range(n + 1, trees):
            if links[i, n] != 0:
                for j in range(n + 1, trees):
                    if links[n, j] != 0:
                        links[i, j] = 1


@helper
def take_rows(A, i, first, last, start, stop):
    """Row i, columns start to stop, without its part along rows first to last, whose factors stand in it."""
    for k in range(first, last):
        f = A[i, k]
        if f != 0.0:
            for j in range(start, stop):
                A[i, j] -= f * A[k, j]


@helper
def take_rows_by_three(A, i, first, last, start, stop):
    """The same, three rows at a time."""
    k = first
    while k + 2 < last:
        x, y, z = A[i, k], A[i, k + 1], A[i, k + 2]
        for j in range(start, stop):
            A[i, j] -= x * A[k, j] + y * A[k + 1, j] + z * A[k + 2, j]
        k += 3
    take_rows(A, i, k, last, start, stop)


@helper
def take_six_rows(A, i, k, start, stop):
    """The same for six rows from k on: those of a free body."""
    a, b, c, d, e, f = A[i, k], A[i, k + 1], A[i, k + 2], A[i, k + 3], A[i, k + 4], A[i, k + 5]
    for j in range(start, stop):
        A[i, j] -= (a * A[k, j] + b * A[k + 1, j] + c * A[k + 2, j]) + (d * A[k + 3, j] + e * A[k + 4, j] + f * A[k + 5, j])


@routine
def factor_tree(A, first, last, x, starts, links, n, trees):
    """LU factors of the block on the diagonal, with exchanges in all of its rows and in x; False if it is singular."""
    for c in range(first, last):
        place = c
        for i in range(c + 1, last):
            if abs(A[i, c]) > abs(A[place, c]):
                place = i
        if not abs(A[place, c]) > NOTHING:
            return False
        if place != c:
            x[c], x[place] = x[place], x[c]
            for m in range(trees):
                if links[n, m] != 0 or m == n:
                    for j in range(starts[m], starts[m + 1]):
                        A[c, j], A[place, j] = A[place, j], A[c, j]
        for i in range(c + 1, last):
            A[i, c] /= A[c, c]
            for j in range(c + 1, last):
                A[i, j] -= A[i, c] * A[c, j]
    return True


@routine
def solve_blocks(A, x, starts, links, trees):
    """x <- solution of A y = x; A is replaced by factors. False if it is singular."""
    for n in range(trees):
        first, last = starts[n], starts[n + 1]
        if not factor_tree(A, first, last, x, starts, links, n, trees):
            return False
        for m in range(n + 1, trees):  # rows of U
            if links[n, m] != 0:
                for i in range(first + 1, last):
                    take_rows(A, i, first, i, starts[m], starts[m + 1])
        for m in range(n + 1, trees):
            if links[m, n] == 0:
                continue
            for i in range(starts[m], starts[m + 1]):
                for c in range(first, last):  # factors of L
                    s = A[i, c]
                    for k in range(first, c):
                        s -= A[i, k] * A[k, c]
                    A[i, c] = s / A[c, c]
                o = n + 1
                while o < trees:  # neighbours among trees that are linked go together
                    end = o + 1
                    if links[n, o] != 0:
                        while end < trees and links[n, end] != 0:
                            end += 1
                        if last - first == 6:
                            take_six_rows(A, i, first, starts[o], starts[end])
                        else:
                            take_rows_by_three(A, i, first, last, starts[o], starts[end])
                    o = end
    for n in range(trees):
        for m in range(n + 1):
            if links[n, m] != 0 or m == n:
                for i in range(starts[n], starts[n + 1]):
                    for k in range(starts[m], min(i, starts[m + 1])):
                        x[i] -= A[i, k] * x[k]
    for n in range(trees - 1, -1, -1):
        for i in range(starts[n + 1] - 1, starts[n] - 1, -1):
            for k in range(i + 1, starts[n + 1]):
                x[i] -= A[i, k] * x[k]
            for m in range(n + 1, trees):
                if links[n, m] != 0:
                    for k in range(starts[m], starts[m + 1]):
                        x[i] -= A[i, k] * x[k]
            x[i] /= A[i, i]
    return True
