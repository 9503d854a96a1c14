"""The mass matrix and the momentum matrix of a tree with flexible bodies: composite bodies in body frames.

    inward    b_k = I_i S_k for each coordinate k of row i ;  M_jk = S_j . b_k for k of all that hangs on i                (1)
              at a flexible body: b = M_e, M = m among its own ; M_jk = J_j . b_k for what hangs on its stations           (2)
              all these b, and I_i, seen from the parent                                                                   (3)

Seen from the world in the end, b_k is the momentum that a unit of coordinate k brings about.
"""

from locomote.compiler.source import routine
from locomote.kernels.articulated import blocks_times
from locomote.kernels.flexible import columns as col
from locomote.kernels.flexible.forward import add_to_parent, own_inertias
from locomote.kernels.flexible.gather import MOMENTUM, MOTION, carry_table, clear_table, gather
from locomote.kernels.flexible.motion import place_rows
from locomote.kernels.flexible.shape import shape
from locomote.kernels.flexible.wide import column_of, put
from locomote.model.columns import ARMATURE, KIND, LAST, PARENT, ROD, V_COUNT, V
from locomote.model.joints import ATTACHED, FLEX, along_axis, moved_along
from locomote.spatial.algebra import pair, wrench_to_parent
from locomote.spatial.rows import load, load6, load9


@routine
def end_of(topology, i):
    """The first coordinate after those of the subtree of row i, which is in one piece."""
    stop = topology[i, V] + topology[i, V_COUNT]
    for r in range(i + 1, topology[i, LAST] + 1):
        stop = max(stop, topology[r, V] + topology[r, V_COUNT])
    return stop


@routine
def move_columns(table, start, stop, R, o):
    """(3) for columns of b."""
    for k in range(start, stop):
        put(table, MOMENTUM, k, wrench_to_parent(R, o, column_of(table, MOMENTUM, k)))


@routine
def flexible_columns(tree, n, steps, work, table, m, M):
    """(2) for rod n: what hangs on its stations is seen from its root afterwards."""
    first, size, row, station = (
        tree.rods[n, col.FIRST_V],
        tree.rods[n, col.SIZE],
        tree.rods[n, col.ROW],
        tree.rods[n, col.STATION],
    )
    gather(tree, n, steps, work, table, m, None)
    for j in range(size):
        for c in range(size):
            M[first + j, first + c] = m[first + j, c]
    if tree.rods[n, col.HUNGS] > 0:
        clear_table(tree, n, steps, table)
        at, last = tree.rods[n, col.HUNG], tree.rods[n, col.HUNG] + tree.rods[n, col.HUNGS]
        for s in range(station, station + tree.rods[n, col.STATIONS]):
            carry_table(tree, n, s, steps, table)
            i = row + 1 + s - station
            while at < last and tree.hung[at, 0] == s:
                for k in range(tree.hung[at, 1], tree.hung[at, 2]):
                    b = column_of(table, MOMENTUM, k)
                    for j in range(size):
                        M[first + j, k] = M[k, first + j] = pair(b, column_of(table, MOTION, j))
                    put(table, MOMENTUM, k, wrench_to_parent(load9(work, i, col.PLACE_R), load(work, i, col.PLACE_O), b))
                at += 1


@routine
def mass_matrix(tree, strain, nq, q, room, M):
    """Fill M, of which the places of unrelated coordinates must be zero already; rows MOMENTUM of `table` are then b, seen
    from the world."""
    topology, world = tree.topology, tree.topology.shape[0] - 1
    steps, work, table, m = room.steps, room.work, room.table, room.m
    shape(tree, strain, q, None, None, steps)
    place_rows(tree, nq, q, room.sine, room.cosine, steps, work)
    own_inertias(tree, work)
    for i in range(world - 1, -1, -1):
        kind, p, first, count = topology[i, KIND], topology[i, PARENT], topology[i, V], topology[i, V_COUNT]
        if kind != ATTACHED:
            stop = end_of(topology, i)
            if kind == FLEX:
                flexible_columns(tree, topology[i, ROD], steps, work, table, m, M)
            else:
                L, H, J = load6(work, i, col.LINEAR), load9(work, i, col.COUPLING), load6(work, i, col.ANGULAR)
                for j in range(count):
                    S = moved_along(topology, tree.constants, i, j, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1.0)
                    put(table, MOMENTUM, first + j, blocks_times(L, H, J, S))
                for j in range(count):
                    for k in range(first + j, stop):
                        value = along_axis(topology, tree.constants, i, j, column_of(table, MOMENTUM, k))
                        M[first + j, k] = M[k, first + j] = value
                    M[first + j, first + j] = M[first + j, first + j] + tree.constants[i, ARMATURE + j]
            move_columns(table, first, stop, load9(work, i, col.POSE_R), load(work, i, col.POSE_O))
            if p < world:
                L, H, J = load6(work, i, col.LINEAR), load9(work, i, col.COUPLING), load6(work, i, col.ANGULAR)
                add_to_parent(topology, i, work, L, H, J)
