"""Solving with the mass matrix of a tree: M = L^T D L, where L has entries for related coordinates only.

    factor    rows k, last first:   D_k = M_kk ,  L_ki = M_ki / D_k ,  M_ij -= L_ki M_kj for all ancestors i, j of k
    solve     L^T y = b from the tips inward,  z = y / D,  L x = z outward

Ancestors of a coordinate stand in runs (`columns.RUN`), descendants in one piece, so the inner loops have no gaps. The
upper half of the factored matrix holds L^T, so that both ways read along a row. Right-hand sides are solved in panels
of columns that stay in the first-level cache.
"""

from numba import types
from numba.extending import overload

from locomote.engine.source import helper, inlined_routine, routine
from locomote.kernels.dots import remove_above, remove_below, remove_four_rows, remove_row
from locomote.kernels.products import remove_product
from locomote.model.columns import DEPTH, LAST, NEXT, RUN, V_COUNT, V

LONG = 24  # joints between the world and the deepest body from which on rows go by fours


@inlined_routine
def factor(topology, M):
    """Replace the lower half of M by L, its diagonal by D, its upper half by L^T."""
    if topology[topology.shape[0] - 1, DEPTH] > LONG:
        factor_by_fours(topology, M)
    else:
        factor_by_ones(topology, M)


@routine
def factor_by_ones(topology, M):
    """`factor`, row by row."""
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
    remove_row(M, i, k, weight, start, i + 1, k)  # columns between i and k are not in use yet
    while older < topology.shape[0] - 1:
        stop = topology[older, V] + topology[older, V_COUNT]
        remove_row(M, i, k, weight, topology[older, RUN], stop, stop)
        older = topology[older, NEXT]
    M[i, k] = weight


@routine
def factor_by_fours(topology, M):
    """`factor`, four rows of a run at a time, so that what is left of M is read and written a quarter as often.

    Ancestors go from the nearest to the furthest, so that L can take the place of M at once.
    """
    world = topology.shape[0] - 1
    k, b = topology[world, V] - 1, world - 1
    while k >= 0:
        while topology[b, V] > k:
            b -= 1
        first = topology[b, RUN]
        least = k - 3 if k - 3 >= first else k
        for row in range(k, least, -1):
            inverse = 1.0 / M[row, row]
            for i in range(row - 1, least - 1, -1):
                eliminate(topology, M, row, i, first, topology[b, NEXT], inverse)
                M[row, i] = M[i, row]
        body, end = b, least
        while body < world:
            start, older = topology[body, RUN], topology[body, NEXT]
            if least < k:
                inverses = (1.0 / M[k, k], 1.0 / M[k - 1, k - 1], 1.0 / M[k - 2, k - 2], 1.0 / M[least, least])
                for i in range(end - 1, start - 1, -1):
                    eliminate_four(topology, M, k, i, start, older, inverses)
            else:
                inverse = 1.0 / M[k, k]
                for i in range(end - 1, start - 1, -1):
                    eliminate(topology, M, k, i, start, older, inverse)
                    M[k, i] = M[i, k]
            body = older
            end = topology[body, V] + topology[body, V_COUNT]
        k = least - 1


@helper
def eliminate_four(topology, M, k, i, start, older, inverses):
    """`eliminate` rows k-3 to k at once."""
    w, x, y, z = M[k, i] * inverses[0], M[k - 1, i] * inverses[1], M[k - 2, i] * inverses[2], M[k - 3, i] * inverses[3]
    remove_four_rows(M, i, k, (w, x, y, z), start, i + 1, k - 3)
    while older < topology.shape[0] - 1:
        stop = topology[older, V] + topology[older, V_COUNT]
        remove_four_rows(M, i, k, (w, x, y, z), topology[older, RUN], stop, stop)
        older = topology[older, NEXT]
    M[i, k], M[i, k - 1], M[i, k - 2], M[i, k - 3] = w, x, y, z
    M[k, i], M[k - 1, i], M[k - 2, i], M[k - 3, i] = w, x, y, z


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
                remove_below(L, B, k, stop, left, right)
            else:
                end = min(right, one + stop)  # rows below the last of these columns are zero
                remove_below(L, B, k, end - one, max(left, one + k), end)
    for b in range(world):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            remove_above(topology, L, B, b, k, -1.0 / L[k, k], left if one < 0 else max(left, one + k), right)


@routine
def invert(topology, M, B, at, nv, panel):
    """M^-1 into columns from `at` on of B; M is replaced by its factors. Work goes by panels of so many columns."""
    for j in range(nv):
        for k in range(nv):
            B[j, at + k] = 0.0
        B[j, at + j] = -1.0
    factor(topology, M)
    for left in range(at, at + nv, panel):
        solve_panel(topology, M, B, left, min(left + panel, at + nv), at)
    for j in range(nv):
        for k in range(j):
            B[j, at + k] = B[k, at + j]


def apply_inverse(topology, L, B, at, nv, X, shift, panel, room):
    """Replace nv columns from `shift` on of X by -M^-1 times them, after `invert`. `room` (nv, GROUP) is for floats."""
    for left in range(shift, shift + nv, panel):
        solve_panel(topology, L, X, left, min(left + panel, shift + nv), -1)


@overload(apply_inverse)
def _apply_inverse(topology, L, B, at, nv, X, shift, panel, room):
    """Floats take the product with the inverse, which never branches and so is faster than solving, on any tree."""
    if not isinstance(B, types.Array):
        return apply_inverse
    return lambda topology, L, B, at, nv, X, shift, panel, room: remove_product(B, at, nv, X, shift, room)
