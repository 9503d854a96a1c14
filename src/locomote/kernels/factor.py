"""Solving with the mass matrix of a tree: M = L^T D L, where L has entries for related coordinates only.

    factor    rows k, last first:   D_k = M_kk ,  L_ki = M_ki / D_k ,  M_ij -= L_ki M_kj for all ancestors i, j of k
    solve     L^T y = b from the tips inward,  z = y / D,  L x = z outward

Ancestors of a coordinate stand in runs (`columns.RUN`), descendants in one piece, so the inner loops have no gaps. The
upper half of the factored matrix holds L^T, so that both ways read along a row. Right-hand sides are solved in panels
of columns that stay in the first-level cache.
"""

from numba import types
from numba.extending import overload

from locomote.engine.source import inlined_routine, routine
from locomote.kernels.dots import remove_above, remove_below, remove_product, remove_row
from locomote.model.columns import LAST, NEXT, RUN, V_COUNT, V


@inlined_routine
def factor(topology, M):
    """Replace the lower half of M by L, its diagonal by D, its upper half by L^T."""
    world = topology.shape[0] - 1
    for b in range(world - 1, -1, -1):
        for k in range(topology[b, V] + topology[b, V_COUNT] - 1, topology[b, V] - 1, -1):
            inverse, body, end = 1.0 / M[k, k], b, k
            while body < world:
                start, older = topology[body, RUN], topology[body, NEXT]
                for i in range(start, end):
                    weight = M[k, i] * inverse
                    remove_row(M, i, k, weight, start, i + 1, k)  # columns between i and k are not in use yet
                    other = older
                    while other < world:
                        stop = topology[other, V] + topology[other, V_COUNT]
                        remove_row(M, i, k, weight, topology[other, RUN], stop, stop)
                        other = topology[other, NEXT]
                    M[i, k] = weight
                body = older
                end = topology[body, V] + topology[body, V_COUNT]
            body, end = b, k
            while body < world:
                for i in range(topology[body, RUN], end):
                    M[k, i] = M[i, k]
                body = topology[body, NEXT]
                end = topology[body, V] + topology[body, V_COUNT]


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
                remove_below(L, B, k, stop, max(left, one + k), min(right, one + stop))
    for b in range(world):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            remove_above(topology, L, B, b, k, -1.0 / L[k, k], left if one < 0 else max(left, one + k), right)


@inlined_routine
def forward_derivatives(topology, M, B, nv, at, out, panel):
    """From M and [dtau/dq, dtau/dv] side by side in B to [da/dq, da/dv] from column `out` on and M^-1 from column `at` on; M is
    replaced by its factors. Work goes by panels of so many columns."""
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
    apply_inverse(topology, M, B, nv, at, out, panel)


def apply_inverse(topology, L, B, nv, at, out, panel):
    """-M^-1 times the first columns of B, into those from `out` on, which may be the same."""
    for left in range(0, 2 * nv, panel):
        solve_panel(topology, L, B, left, min(left + panel, 2 * nv), -1)
    if out > 0:
        for j in range(nv):
            for k in range(2 * nv):
                B[j, out + k] = B[j, k]


@overload(apply_inverse)
def _apply_inverse(topology, L, B, nv, at, out, panel):
    """Floats take the product with the inverse, which never branches and so is faster than solving, on any tree."""
    if not isinstance(B, types.Array):
        return apply_inverse

    def floats(topology, L, B, nv, at, out, panel):
        remove_product(B, at, nv, 0, 2 * nv, out)

    return floats
