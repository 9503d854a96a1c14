"""Solving with the mass matrix of a tree: M = L^T D L, where L has entries for related coordinates only.

    factor    for k last first, for every ancestor i of k:   M_ij -= M_ki M_kj / M_kk for all ancestors j of i ;  L_ki = M_ki / M_kk
    solve     L^T y = b from the tips inward,  y / D,  L x = y outward

Ancestors of a coordinate stand in runs (`columns.RUN`), descendants in one piece, so the inner loops have no gaps.
"""

from locomote.engine.source import routine
from locomote.kernels.dots import remove_rows
from locomote.model.columns import LAST, NEXT, RUN, V_COUNT, V


@routine
def factor(topology, M):
    """Replace the lower half of M by L, its diagonal by D."""
    world = topology.shape[0] - 1
    for b in range(world - 1, -1, -1):
        first = topology[b, V]
        for k in range(first + topology[b, V_COUNT] - 1, first - 1, -1):
            inverse = 1.0 / M[k, k]
            body, stop = b, k
            while body < world:
                for i in range(stop - 1, topology[body, RUN] - 1, -1):
                    weight = M[k, i] * inverse
                    other, end = body, i + 1
                    while other < world:
                        for j in range(topology[other, RUN], end):
                            M[i, j] -= weight * M[k, j]
                        other = topology[other, NEXT]
                        if other < world:
                            end = topology[other, V] + topology[other, V_COUNT]
                    M[k, i] = weight
                body = topology[body, NEXT]
                if body < world:
                    stop = topology[body, V] + topology[body, V_COUNT]


@routine
def solve(topology, L, B, columns):
    """Replace the first `columns` columns of B by M^-1 B, from the factors of M."""
    world = topology.shape[0] - 1
    for b in range(world - 1, -1, -1):
        last = topology[b, LAST]
        stop = topology[last, V] + topology[last, V_COUNT]
        for j in range(topology[b, V] + topology[b, V_COUNT] - 1, topology[b, V] - 1, -1):
            remove_rows(B, columns, j, L, j + 1, 1, j, 0, j + 1, stop - j - 1)
    for b in range(world):
        for k in range(topology[b, V], topology[b, V] + topology[b, V_COUNT]):
            inverse = 1.0 / L[k, k]
            for c in range(columns):
                B[k, c] = B[k, c] * inverse
            body, stop = b, k
            while body < world:
                start = topology[body, RUN]
                remove_rows(B, columns, k, L, k, 0, start, 1, start, stop - start)
                body = topology[body, NEXT]
                if body < world:
                    stop = topology[body, V] + topology[body, V_COUNT]
