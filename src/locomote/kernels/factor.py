"""Solving with the mass matrix of a tree: M = L^T D L, where L has entries for related coordinates only.

    factor    rows k, last first:   D_k = M_kk ,  L_ki = M_ki / D_k ,  M_ij -= L_ki M_kj for all ancestors i, j of k
    solve     L^T y = b from the tips inward,  z = y / D,  L x = z outward

Ancestors of a coordinate stand in runs (`columns.RUN`), descendants in one piece, so the inner loops have no gaps. The
upper half of the factored matrix holds L^T, so that both ways read along a row. Right-hand sides are solved in panels
of columns that stay in the first-level cache.
"""

from numba import types

from locomote.compiler.numba_private import overload
from locomote.compiler.source import helper, routine
from locomote.linear.dots import copy_row
from locomote.linear.inverse import invert_symmetric
from locomote.linear.products import remove_product
from locomote.model.columns import LAST, NEXT, RUN, V_COUNT, V


@routine
def remove_row(M, i, k, weight, start, stop):
    """M[i] -= weight M[k], for columns start..stop-1."""
    for c in range(start, stop):
        M[i, c] = M[i, c] - weight * M[k, c]


@routine
def factor(topology, M):
    """Replace the lower half of M by L, its diagonal by D, its upper half by L^T."""
    world = topology.shape[0] - 1
    for b in range(world - 1, -1, -1):
        for k in range(topology[b, V] + topology[b, V_COUNT] - 1, topology[b, V] - 1, -1):
            inverse, body, end = 1.0 / M[k, k], b, k
            while body < world:
                start, older = topology[body, RUN], topology[body, NEXT]
                for i in range(start, end):
                    eliminate(topology, M, k, i, start, older, inverse)
                body = older
                end = topology[body, V] + topology[body, V_COUNT]
            body, end = b, k
            while body < world:
                for i in range(topology[body, RUN], end):
                    M[k, i] = M[i, k]
                body = topology[body, NEXT]
                end = topology[body, V] + topology[body, V_COUNT]


@helper
def eliminate(topology, M, k, i, start, older, inverse):
    """Remove row k from row i of an ancestor, which stands in the run from `start` on; further runs end with body `older`.
    `inverse` is 1/D_k."""
    weight = M[k, i] * inverse
    remove_row(M, i, k, weight, start, i + 1)
    while older < topology.shape[0] - 1:
        stop = topology[older, V] + topology[older, V_COUNT]
        remove_row(M, i, k, weight, topology[older, RUN], stop)
        older = topology[older, NEXT]
    M[i, k] = weight


@routine
def remove_rows(B, L, r, start, stop, begin, end):
    """B[r] -= sum of L[r, t] B[t] over t in start..stop-1, for columns begin..end-1."""
    c = begin
    while c + 4 <= end:
        w, x, y, z = B[r, c], B[r, c + 1], B[r, c + 2], B[r, c + 3]
        for t in range(start, stop):
            weight = L[r, t]
            w, x = w - weight * B[t, c], x - weight * B[t, c + 1]
            y, z = y - weight * B[t, c + 2], z - weight * B[t, c + 3]
        B[r, c], B[r, c + 1], B[r, c + 2], B[r, c + 3] = w, x, y, z
        c += 4
    while c < end:
        w = B[r, c]
        for t in range(start, stop):
            w = w - L[r, t] * B[t, c]
        B[r, c] = w
        c += 1


@routine
def remove_above(topology, L, B, b, k, scale, begin, end):
    """B[k] = scale B[k] - sum of L[k, j] B[j] over ancestors j of coordinate k, which belongs to joint b; also columns."""
    for c in range(begin, end):
        B[k, c] = B[k, c] * scale
    stop = k
    while b < topology.shape[0] - 1:
        remove_rows(B, L, k, topology[b, RUN], stop, begin, end)
        b = topology[b, NEXT]
        stop = topology[b, V] + topology[b, V_COUNT]


@routine
def solve_panel(topology, L, B, left, right, one):
    """Replace columns left..right-1 of B by -M^-1 B, from the factors of M.

    `one` is the column where B has an identity, of which only the upper half is solved; -1 if there is none.
    """
    world = topology.shape[0] - 1
    for b in range(world - 1, -1, -1):
        last = topology[b, LAST]
        stop = topology[last, V] + topology[last, V_COUNT]
        for k in range(topology[b, V] + topology[b, V_COUNT] - 1, topology[b, V] - 1, -1):
            if one < 0:
                remove_rows(B, L, k, k + 1, stop, left, right)
            else:
                end = min(right, one + stop)  # rows below the last of these columns are zero
                remove_rows(B, L, k, k + 1, end - one, max(left, one + k), end)
    for b in range(world):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            remove_above(topology, L, B, b, k, -1.0 / L[k, k], left if one < 0 else max(left, one + k), right)


def apply_inverse(topology, M, B, at, nv, X, panel, rows, room):
    """M^-1 into columns from `at` on of B, and minus M^-1 times the first 2 nv columns of X in their place.

    M is replaced by its factors, panel by panel of columns. `rows` and `room` are for floats.
    """
    for j in range(nv):
        for k in range(nv):
            B[j, at + k] = 0.0
        B[j, at + j] = -1.0
    factor(topology, M)
    for left in range(0, nv, panel):
        right = min(left + panel, nv)
        solve_panel(topology, M, B, at + left, at + right, at)
        solve_panel(topology, M, X, left, right, -1)
        solve_panel(topology, M, X, nv + left, nv + right, -1)
    for j in range(nv):
        for k in range(j):
            B[j, at + k] = B[k, at + j]


@overload(apply_inverse)
def _apply_inverse(topology, M, B, at, nv, X, panel, rows, room):
    """Floats take the inverse and products with it, which have no branches and so are faster than solving, on any tree.

    at : 0 ; B : (nv, `grouped` nv) ; rows : (4, `grouped` nv) ; room : (nv, GROUP)
    """
    if not isinstance(B, types.Array):
        return apply_inverse

    def floats(topology, M, B, at, nv, X, panel, rows, room):
        for j in range(nv):
            copy_row(M, j, 0, nv, B, j, 0)
        invert_symmetric(B, nv, rows)
        remove_product(B, nv, X, 2 * nv, room)

    return floats
