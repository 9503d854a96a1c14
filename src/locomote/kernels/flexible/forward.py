"""Accelerations of a tree with flexible bodies for given forces, at cost O(n) in the number of bodies.

As `kernels.forward_dynamics`: a motion whose free coordinates do not accelerate, then increments by articulated bodies.
At a flexible body (`gather`), with m = L L^T over its free coordinates (imposed ones stay as they are):

    inward    Z = L^-1 M_e ,  y = L^-1 (tau - Q) ;   M -= Z^T Z ,  F += Z^T y                                             (1)
    outward   r'' = L^-T (y - Z A) where free ;  tau = Q + M_e A + m r'' where imposed                                    (2)
"""

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import routine
from locomote.kernels.added import added_blocks, has_added
from locomote.kernels.articulated import (
    blocks_downdate,
    blocks_plus,
    blocks_shifted,
    matrix_turned,
    rigid_blocks,
    symmetric_turned,
)
from locomote.kernels.flexible.columns import ACCELERATION, ANGULAR, COUPLING, FIRST_V, LINEAR, POSE_O, POSE_R, SIZE, WRENCH
from locomote.kernels.flexible.gather import MOMENTUM, gather
from locomote.kernels.flexible.motion import NONE, carry, place_rows, wrenches_of
from locomote.kernels.flexible.shape import moved_by, shape
from locomote.kernels.flexible.wide import column_of
from locomote.kernels.forward_dynamics import eliminate_joint, outward
from locomote.model.columns import GRAVITY, KIND, PARENT, ROD, STATION, V
from locomote.model.joints import ATTACHED, FLEX
from locomote.spatial.algebra import pair, plus, times, twist_to_child, wrench_to_parent
from locomote.spatial.rows import load, load6, load9, store6, store9


@routine
def own_inertias(tree, work):
    """Inertias of all rows themselves, as blocks."""
    for i in range(tree.topology.shape[0] - 1):
        L, H, J = rigid_blocks(tree.constants, i)
        if has_added(tree.constants):
            M, G, K = added_blocks(tree.constants, i)
            L, H, J = blocks_plus(L, H, J, M, G, K)
        store6(work, i, LINEAR, L)
        store9(work, i, COUPLING, H)
        store6(work, i, ANGULAR, J)


@routine
def add_to_parent(topology, i, work, L, H, J):
    """An inertia of row i into that of its parent."""
    p, R, o = topology[i, PARENT], load9(work, i, POSE_R), load(work, i, POSE_O)
    L, H, J = symmetric_turned(R, L), matrix_turned(R, H), symmetric_turned(R, J)
    L, H, J = blocks_shifted(L, H, J, o)
    M, G, K = load6(work, p, LINEAR), load9(work, p, COUPLING), load6(work, p, ANGULAR)
    L, H, J = blocks_plus(L, H, J, M, G, K)
    store6(work, p, LINEAR, L)
    store9(work, p, COUPLING, H)
    store6(work, p, ANGULAR, J)


@routine
def eliminate_shape(tree, n, tau, imposed, work, row, table, m, force):
    """(1) for rod n, whose L takes the lower half of m; `force` holds Q, and y where free afterwards."""
    first, size = tree.rods[n, FIRST_V], tree.rods[n, SIZE]
    L, H, J = load6(work, row, LINEAR), load9(work, row, COUPLING), load6(work, row, ANGULAR)
    F = load6(work, row, WRENCH)
    for j in range(size):
        k = first + j
        free = True
        if imposed is not None:
            free = imposed[k] == 0
        if not free:
            m[k, j] = 1.0 + 0.0 * m[k, j]
            for c in range(j):
                m[k, c] = 0.0 * m[k, c]
        else:
            for c in range(j + 1):
                value = m[k, c]
                for d in range(c):
                    value = value - m[k, d] * m[first + c, d]
                if c < j:
                    held = False
                    if imposed is not None:
                        held = imposed[first + c] != 0
                    m[k, c] = 0.0 * value if held else value * m[first + c, c]
                else:
                    m[k, j] = 1.0 / sqrt(value)  # its inverse is kept
            y = tau[k] - force[k]
            for c in range(j):
                y = y - m[k, c] * force[first + c]
                for r in range(MOMENTUM, MOMENTUM + 6):
                    table[r, k] = table[r, k] - m[k, c] * table[r, first + c]
            d = m[k, j]
            force[k] = d * y
            for r in range(MOMENTUM, MOMENTUM + 6):
                table[r, k] = d * table[r, k]
            Z = column_of(table, MOMENTUM, k)
            L, H, J = blocks_downdate(L, H, J, Z, 1.0 + 0.0 * y)
            F = plus(F, times(force[k], Z))
    store6(work, row, LINEAR, L)
    store9(work, row, COUPLING, H)
    store6(work, row, ANGULAR, J)
    store6(work, row, WRENCH, F)


@routine
def solve_shape(tree, n, tau, imposed, A, table, m, force, a):
    """(2) for rod n, moved by A at its root."""
    first, size = tree.rods[n, FIRST_V], tree.rods[n, SIZE]
    for j in range(size - 1, -1, -1):
        k = first + j
        free = True
        if imposed is not None:
            free = imposed[k] == 0
        if free:
            value = force[k] - pair(column_of(table, MOMENTUM, k), A)
            for c in range(j + 1, size):
                held = False
                if imposed is not None:
                    held = imposed[first + c] != 0
                if not held:
                    value = value - m[first + c, j] * a[first + c]
            a[k] = value * m[k, j]
    if imposed is not None:
        for j in range(size):
            k = first + j
            if imposed[k] != 0:
                value = force[k] + pair(column_of(table, MOMENTUM, k), A)
                for c in range(size):
                    if imposed[first + c] == 0:
                        value = value + (m[k, c] if c > j else m[first + c, j]) * a[first + c]
                tau[k] = value


@routine
def forward_dynamics(tree, strain, nq, q, v, tau, wrenches, imposed, room, a):
    """Fill a. `imposed` (nv) marks coordinates whose a is given and whose tau is filled instead; None if there are none."""
    sine, cosine, steps, work, table, m, dofs, force, free_a = room
    topology, world = tree.topology, tree.topology.shape[0] - 1
    for k in range(topology[world, V]):
        force[k] = 0.0 * tau[k]
        if imposed is None:
            a[k] = 0.0 * tau[k]
        elif imposed[k] == 0:
            a[k] = 0.0 * tau[k]
    shape(tree, strain, q, v, a, steps)
    place_rows(tree, nq, q, sine, cosine, steps, work)
    carry(tree, v, a, load(tree.constants, world, GRAVITY), steps, work)
    wrenches_of(tree, wrenches, work)
    own_inertias(tree, work)
    for i in range(world - 1, -1, -1):
        kind = topology[i, KIND]
        if kind != ATTACHED:
            if kind == FLEX:
                n = topology[i, ROD]
                gather(tree, n, steps, work, table, m, force)
                eliminate_shape(tree, n, tau, imposed, work, i, table, m, force)
                L, H, J = load6(work, i, LINEAR), load9(work, i, COUPLING), load6(work, i, ANGULAR)
                F = load6(work, i, WRENCH)
            else:
                L, H, J = load6(work, i, LINEAR), load9(work, i, COUPLING), load6(work, i, ANGULAR)
                F = load6(work, i, WRENCH)
                L, H, J, F = eliminate_joint(topology, tree.constants, i, tau, imposed, dofs, L, H, J, F)
            p = topology[i, PARENT]
            if p < world:
                add_to_parent(topology, i, work, L, H, J)
                moved = wrench_to_parent(load9(work, i, POSE_R), load(work, i, POSE_O), F)
                store6(work, p, WRENCH, plus(load6(work, p, WRENCH), moved))
    store6(work, world, ACCELERATION, NONE)
    for k in range(topology[world, V]):
        free_a[k] = 0.0 * tau[k]
    for i in range(world):
        kind = topology[i, KIND]
        A = load6(work, topology[i, PARENT], ACCELERATION)
        A = twist_to_child(load9(work, i, POSE_R), load(work, i, POSE_O), A)
        if kind == ATTACHED:
            A = plus(A, moved_by(tree, topology[i, ROD], topology[i, STATION], steps, free_a))
        elif kind == FLEX:
            n = topology[i, ROD]
            solve_shape(tree, n, tau, imposed, A, table, m, force, a)
            first = tree.rods[n, FIRST_V]
            for k in range(first, first + tree.rods[n, SIZE]):
                if imposed is None:
                    free_a[k] = a[k]
                elif imposed[k] == 0:
                    free_a[k] = a[k]
        else:
            A = outward(topology, tree.constants, i, tau, imposed, A, dofs, a)
        store6(work, i, ACCELERATION, A)
