"""Accelerations of a tree whose bodies carry further inertias and wrenches, and whose joints resist: articulated bodies.

    (M + D + sum J^T G J) a = tau - bias + sum J^T f                                                             (1)

A contact is a 6x6 inertia (G at a point) and a wrench (f there) on its body, so that (1) takes one pass inward and one outward
whatever the number of contacts. D is a diagonal. Symbols and equations as in `forward_dynamics`; wrenches of the motion itself
stand in `newton` and stay, so that (1) can be solved again with other contacts. Nothing is imposed. Joints that move together
are eliminated as one (`coupled_joints`); coupled : their groups, None for lanes.
"""

from locomote.compiler.scalars import is_zero, never
from locomote.compiler.source import helper, inlined_routine
from locomote.kernels import articulated as ai
from locomote.kernels.coupled_joints import PUSH as PUSHED
from locomote.kernels.coupled_joints import REST as RESTING
from locomote.kernels.coupled_joints import (
    SINGLE,
    begin_groups,
    begin_pushes,
    coupled_rate,
    eliminate_groups,
    hold_joint,
    in_group,
    move_groups,
    push_group,
    push_over,
)
from locomote.kernels.forward_dynamics import blocks_on_parent, with_added
from locomote.kernels.inverse_dynamics import WRENCH as BIAS
from locomote.model import columns as col
from locomote.model.joints import (
    FREE,
    REVOLUTE,
    along_axis,
    in_line,
    moved_along,
    twist_from_parent,
    twist_in_line,
    wrench_on_parent,
    wrench_over_screw,
)
from locomote.spatial.algebra import minus, pair, plus, times
from locomote.spatial.rows import load, load6, load9, six, store6, store9

# columns of `rows`, the first four also those of `extra`; RESPONSE : acceleration by a single wrench, of each of SINGLE
LINEAR, COUPLING, ANGULAR, WRENCH, ACCELERATION, RESPONSE = 0, 6, 15, 21, 27, 33
ROWS, EXTRA = RESPONSE + 6 * SINGLE, 27
# columns of `dofs`; PUSH : what REST is by a single wrench, ANSWER : what a is, of each of SINGLE
AXIS, INVERSE, REST, PUSH, ANSWER = 0, 6, 7, 8, 9
DOFS = ANSWER + SINGLE


@helper
def is_loose(topology, constants, i, D):
    """Whether body i moves freely in the world, and nothing resists."""
    loose = topology[i, col.KIND] == FREE and topology[i, col.PARENT] == topology.shape[0] - 1
    if loose:
        for k in range(6):
            loose = loose and is_zero(constants[i, col.ARMATURE + k]) and never(D[topology[i, col.V] + k] != 0.0)
    return loose


@helper
def hand_over(topology, constants, wrenches, newton, rows, i, p, L, H, J, F):
    """Add to the inertia and force of the parent; the first child to arrive brings the parent's own along."""
    if topology[i, col.YOUNGEST] == 1:
        L, H, J = ai.plus_rigid(constants, p, L, H, J)
        L, H, J = with_added(constants, p, wrenches, L, H, J)
        F = plus(F, load6(newton, p, BIAS))
    else:
        L, H, J = ai.blocks_plus(L, H, J, load6(rows, p, LINEAR), load9(rows, p, COUPLING), load6(rows, p, ANGULAR))
        F = plus(F, load6(rows, p, WRENCH))
    store6(rows, p, LINEAR, L)
    store9(rows, p, COUPLING, H)
    store6(rows, p, ANGULAR, J)
    store6(rows, p, WRENCH, F)


@helper
def revolute_inward(topology, constants, i, sine, cosine, D, tau, dofs, L, H, J, F, forked):
    """Eliminate a revolute joint, and see the rest from the parent; `forked` is None if it is `in_line`."""
    k, j, o = topology[i, col.V], topology[i, col.Q], load(constants, i, col.DISPLACEMENT)
    U = (H[2], H[5], H[8], J[2], J[4], J[5])
    d, u = 1.0 / (J[5] + constants[i, col.ARMATURE] + D[k]), tau[k] - F[5]
    store6(dofs, k, AXIS, U)
    dofs[k, INVERSE] = d
    dofs[k, REST] = u
    L, H, J = ai.blocks_downdate(L, H, J, U, d)
    F = plus(F, times(u * d, U))
    s, c, x, y = sine[j], cosine[j], constants[i, col.SIN_LEAN], constants[i, col.COS_LEAN]
    L, H, J = ai.blocks_about_z(s, c, L, H, J)
    L, H, J = ai.symmetric_about_x(x, y, L), ai.matrix_about_x(x, y, H), ai.symmetric_about_x(x, y, J)
    if forked is not None:
        L, H, J = ai.blocks_about_z(constants[i, col.SIN_FORK], constants[i, col.COS_FORK], L, H, J)
        L, H, J = ai.blocks_shifted(L, H, J, o)
    else:
        L, H, J = ai.blocks_shifted_in_plane(L, H, J, o[0], o[2])
    return L, H, J, wrench_over_screw(constants, i, s, c, o, F, forked)


@helper
def eliminate_joint(topology, constants, i, D, tau, dofs, L, H, J, F):
    """Eliminate all coordinates of a joint of any kind, last first."""
    first = topology[i, col.V]
    for j in range(topology[i, col.V_COUNT] - 1, -1, -1):
        U = ai.axis_column(topology, constants, i, j, L, H, J)
        inertia = along_axis(topology, constants, i, j, U) + constants[i, col.ARMATURE + j] + D[first + j]
        d, u = 1.0 / inertia, tau[first + j] - along_axis(topology, constants, i, j, F)
        store6(dofs, first + j, AXIS, U)
        dofs[first + j, INVERSE] = d
        dofs[first + j, REST] = u
        L, H, J = ai.blocks_downdate(L, H, J, U, d)
        F = plus(F, times(u * d, U))
    return L, H, J, F


@inlined_routine
def sweep_inward(topology, constants, q, sine, cosine, coupled, wrenches, newton, loaded, extra, tau, D, rows, dofs):
    """Eliminate all coordinates, from the tips to the roots. loaded : (bodies,) whether a body has a row in `extra`."""
    world = topology.shape[0] - 1
    begin_groups(coupled)
    for i in range(world - 1, -1, -1):
        p = topology[i, col.PARENT]
        if topology[i, col.LAST] == i:
            L, H, J = ai.rigid_blocks(constants, i)
            L, H, J = with_added(constants, i, wrenches, L, H, J)
            F = load6(newton, i, BIAS)
        else:
            L, H, J, F = load6(rows, i, LINEAR), load9(rows, i, COUPLING), load6(rows, i, ANGULAR), load6(rows, i, WRENCH)
        if loaded[i] != 0:
            L, H, J = ai.blocks_plus(L, H, J, load6(extra, i, LINEAR), load9(extra, i, COUPLING), load6(extra, i, ANGULAR))
            F = minus(F, load6(extra, i, WRENCH))
        L, H, J, F = eliminate_groups(coupled, i, L, H, J, F)
        if in_group(coupled, i):
            hold_joint(topology, constants, q, sine, cosine, coupled, i, D, tau, dofs, L, H, J, F)
            if p < world:
                L, H, J = blocks_on_parent(topology, constants, i, q, sine, cosine, L, H, J)
                F = wrench_on_parent(topology, constants, i, q, sine, cosine, F)
                hand_over(topology, constants, wrenches, newton, rows, i, p, L, H, J, F)
        elif in_line(topology, constants, i):
            L, H, J, F = revolute_inward(topology, constants, i, sine, cosine, D, tau, dofs, L, H, J, F, None)
            hand_over(topology, constants, wrenches, newton, rows, i, i - 1, L, H, J, F)
        elif topology[i, col.KIND] == REVOLUTE and p < world:
            L, H, J, F = revolute_inward(topology, constants, i, sine, cosine, D, tau, dofs, L, H, J, F, True)
            hand_over(topology, constants, wrenches, newton, rows, i, p, L, H, J, F)
        elif is_loose(topology, constants, i, D):
            store6(rows, i, ACCELERATION, ai.blocks_solved(L, H, J, minus(six(tau, topology[i, col.V]), F)))
            store6(rows, i, LINEAR, L)
            store9(rows, i, COUPLING, H)
            store6(rows, i, ANGULAR, J)
        else:
            L, H, J, F = eliminate_joint(topology, constants, i, D, tau, dofs, L, H, J, F)
            if p < world:
                L, H, J = blocks_on_parent(topology, constants, i, q, sine, cosine, L, H, J)
                F = wrench_on_parent(topology, constants, i, q, sine, cosine, F)
                hand_over(topology, constants, wrenches, newton, rows, i, p, L, H, J, F)


@inlined_routine
def sweep_outward(topology, constants, q, sine, cosine, coupled, D, rows, dofs, a):
    """Accelerations a, and those of bodies on top of the motion of `newton` (ACCELERATION), after `sweep_inward`."""
    world = topology.shape[0] - 1
    store6(rows, world, ACCELERATION, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    A = load6(rows, world, ACCELERATION)
    move_groups(coupled, world, A, RESTING)
    for i in range(world):
        k = topology[i, col.V]
        if in_group(coupled, i):
            A = twist_from_parent(topology, constants, i, q, sine, cosine, load6(rows, topology[i, col.PARENT], ACCELERATION))
            a[k] = coupled_rate(coupled, i)
            A = moved_along(topology, constants, i, 0, A, a[k])
        elif in_line(topology, constants, i):
            A = twist_in_line(topology, constants, i, sine, cosine, A)
            a[k] = (dofs[k, REST] - pair(load6(dofs, k, AXIS), A)) * dofs[k, INVERSE]
            A = (A[0], A[1], A[2], A[3], A[4], A[5] + a[k])
        elif is_loose(topology, constants, i, D):
            A = load6(rows, i, ACCELERATION)
            a[k], a[k + 1], a[k + 2], a[k + 3], a[k + 4], a[k + 5] = A
        else:
            A = twist_from_parent(topology, constants, i, q, sine, cosine, load6(rows, topology[i, col.PARENT], ACCELERATION))
            for j in range(topology[i, col.V_COUNT]):
                a[k + j] = (dofs[k + j, REST] - pair(load6(dofs, k + j, AXIS), A)) * dofs[k + j, INVERSE]
                A = moved_along(topology, constants, i, j, A, a[k + j])
        store6(rows, i, ACCELERATION, A)
        move_groups(coupled, i, A, RESTING)


@inlined_routine
def respond(topology, constants, q, sine, cosine, coupled, D, b, wrench, rows, dofs, which):
    """How all bodies and coordinates accelerate by a wrench on body b alone (RESPONSE and ANSWER number `which`), with the
    inertias of the last `sweep_inward`."""
    world, i, F, first = topology.shape[0] - 1, b, times(-1.0, wrench), RESPONSE + 6 * which
    for k in range(topology[world, col.V]):
        dofs[k, PUSH] = dofs[k, ANSWER + which] = 0.0
    for i in range(world):
        store6(rows, i, first, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    begin_pushes(coupled, which)
    i = b
    while i < world:
        F = push_over(coupled, i, F)
        if in_group(coupled, i):
            push_group(topology, constants, coupled, i, which, F)
            F = wrench_on_parent(topology, constants, i, q, sine, cosine, F)
        elif is_loose(topology, constants, i, D):
            L, H, J = load6(rows, i, LINEAR), load9(rows, i, COUPLING), load6(rows, i, ANGULAR)
            A = ai.blocks_solved(L, H, J, times(-1.0, F))
            store6(rows, i, first, A)
            k = topology[i, col.V]
            dofs[k, ANSWER + which], dofs[k + 1, ANSWER + which], dofs[k + 2, ANSWER + which] = A[0], A[1], A[2]
            dofs[k + 3, ANSWER + which], dofs[k + 4, ANSWER + which], dofs[k + 5, ANSWER + which] = A[3], A[4], A[5]
        else:
            for j in range(topology[i, col.V_COUNT] - 1, -1, -1):
                k = topology[i, col.V] + j
                u = -along_axis(topology, constants, i, j, F)
                dofs[k, PUSH] = u
                F = plus(F, times(u * dofs[k, INVERSE], load6(dofs, k, AXIS)))
            F = wrench_on_parent(topology, constants, i, q, sine, cosine, F)
        i = topology[i, col.PARENT]
    store6(rows, world, first, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    move_groups(coupled, world, load6(rows, world, first), PUSHED)
    for i in range(world):
        if in_group(coupled, i):
            A = twist_from_parent(topology, constants, i, q, sine, cosine, load6(rows, topology[i, col.PARENT], first))
            a = coupled_rate(coupled, i)
            dofs[topology[i, col.V], ANSWER + which] = a
            store6(rows, i, first, moved_along(topology, constants, i, 0, A, a))
        elif not is_loose(topology, constants, i, D):
            A = twist_from_parent(topology, constants, i, q, sine, cosine, load6(rows, topology[i, col.PARENT], first))
            for j in range(topology[i, col.V_COUNT]):
                k = topology[i, col.V] + j
                a = (dofs[k, PUSH] - pair(load6(dofs, k, AXIS), A)) * dofs[k, INVERSE]
                dofs[k, ANSWER + which] = a
                A = moved_along(topology, constants, i, j, A, a)
            store6(rows, i, first, A)
        move_groups(coupled, i, load6(rows, i, first), PUSHED)
