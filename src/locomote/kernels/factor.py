"""Solving with the mass matrix of a tree: M = L^T D L, where L has entries for related coordinates only.

    factor    rows k, last first:   M_kj -= sum over descendants t of L_tk D_t L_tj ,  D_k = M_kk ,  L_kj = M_kj / D_k
    solve     L^T y = b from the tips inward,  z = y / D,  L x = z outward

Ancestors of a coordinate stand in runs (`columns.RUN`), descendants in one piece, so the inner loops have no gaps. The
upper half of the factored matrix holds L^T, so that both ways read along a row. Right-hand sides are solved in panels
of columns that stay in the first-level cache.
"""

from locomote.engine.source import routine
from locomote.kernels.dots import remove_rows, remove_rows_of_two
from locomote.model.columns import LAST, NEXT, PARENT, RUN, V_COUNT, V


@routine
def factor(topology, M):
    """Replace the lower half of M by L, its diagonal by D, its upper half by L^T."""
    world = topology.shape[0] - 1
    for b in range(world - 1, -1, -1):
        first, last = topology[b, V], topology[b, LAST]
        stop = topology[last, V] + topology[last, V_COUNT]
        for k in range(first + topology[b, V_COUNT] - 1, first - 1, -1):
            for t in range(k + 1, stop):
                M[k, t] = M[t, k] * M[t, t]
            body, end = b, k + 1
            while body < world:
                remove_rows(M, M, k, k + 1, stop, topology[body, RUN], end)
                body = topology[body, NEXT]
                if body < world:
                    end = topology[body, V] + topology[body, V_COUNT]
            for t in range(k + 1, stop):
                M[k, t] = M[t, k]
            inverse = 1.0 / M[k, k]
            body, end = b, k
            while body < world:
                for j in range(topology[body, RUN], end):
                    M[k, j] = M[k, j] * inverse
                body = topology[body, NEXT]
                if body < world:
                    end = topology[body, V] + topology[body, V_COUNT]


@routine
def solve(topology, L, B, columns, panel):
    """Replace the first columns of B by -M^-1 B, from the factors of M."""
    for left in range(0, columns, panel):
        solve_panel(topology, L, B, left, min(left + panel, columns))


@routine
def solve_panel(topology, L, B, left, right):
    """Solve for columns left..right-1."""
    world = topology.shape[0] - 1
    k = topology[world, V] - 1
    b = world - 1
    while k >= 0:
        last = topology[b, LAST]
        stop = topology[last, V] + topology[last, V_COUNT]
        # row k - 1 goes along if it belongs to the same joint, or to the parent and the parent has no other child
        one_more = k > topology[b, V]
        if k == topology[b, V] and k > 0:
            one_more = topology[b, PARENT] == b - 1 and topology[b - 1, LAST] == last
        if one_more:
            remove_rows_of_two(B, L, k, k - 1, k + 1, stop, left, right)
            remove_rows(B, L, k - 1, k, k + 1, left, right)
            k -= 2
        else:
            remove_rows(B, L, k, k + 1, stop, left, right)
            k -= 1
        while b >= 0 and k < topology[b, V]:
            b -= 1
    for b in range(world):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            inverse = -1.0 / L[k, k]
            for c in range(left, right):
                B[k, c] = B[k, c] * inverse
    b = 0
    k = 0
    nv = topology[world, V]
    while k < nv:
        while topology[b, V] + topology[b, V_COUNT] <= k:
            b += 1
        # row k + 1 goes along if it belongs to the same joint, or to a child that comes next
        one_more = k + 1 < topology[b, V] + topology[b, V_COUNT]
        if not one_more and b + 1 < world:
            one_more = topology[b + 1, PARENT] == b
        body, end = b, k
        while body < world:
            start = topology[body, RUN]
            if start < end and one_more:
                remove_rows_of_two(B, L, k, k + 1, start, end, left, right)
            elif start < end:
                remove_rows(B, L, k, start, end, left, right)
            body = topology[body, NEXT]
            if body < world:
                end = topology[body, V] + topology[body, V_COUNT]
        if one_more:
            remove_rows(B, L, k + 1, k, k + 1, left, right)
            k += 1
        k += 1


@routine
def forward_derivatives(topology, M, B, nv, panel):
    """From M and [dtau/dq, dtau/dv, .] side by side in B to [da/dq, da/dv, M^-1]; M is replaced by its factors."""
    for j in range(nv):
        for k in range(nv):
            B[j, 2 * nv + k] = 0.0
        B[j, 2 * nv + j] = -1.0
    factor(topology, M)
    solve(topology, M, B, 3 * nv, panel)
