"""Joint accelerations of a tree for given forces: articulated bodies, joint coordinates eliminated one at a time.

i is a body, p its parent, X takes twists of p to i. I, F are inertia and bias of the part of the tree that hangs on i, as
felt there: the wrench on i is I A + F. S_k is the motion axis of coordinate k, a unit vector of the body frame.

    outward   F = wrench that the motion takes while free joints do not accelerate, as in inverse dynamics      (1)
    inward    for each coordinate k of the joint, last first:  U = I S_k , and
              free     d = S_k.U + armature ,  u = tau_k - S_k.F ,  I -= U U^T / d ,  F += U u / d          (2)
              imposed  U and S_k.F are kept                                                                 (3)
              I_p += X^T I X ,  F_p += X^T F                                                                (4)
    outward   A = X A_p ;  for each k, first first:
              free     a_k = (u - U.A) / d ,  A += S_k a_k                                                  (5)
              imposed  tau_k = U.A + S_k.F + armature a_k                                                   (6)
    a free body in the world needs no elimination: a = A = I^-1 (tau - F)                                   (7)

A is what comes on top of the motion of (1). It is exact also within a joint of several coordinates and needs no small matrix
inverse. For a revolute joint without armature, row and column of its axis vanish in (2). F is that of grouped inertias, I of
the bodies' own, since differences of grouped ones would cost digits on long chains.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scalars import is_zero
from locomote.compiler.scratch_layout import NQ, NV, ROWS
from locomote.compiler.source import helper, inlined_routine
from locomote.kernels import articulated as ai
from locomote.kernels.added import added_blocks, has_added
from locomote.kernels.inverse_dynamics import WORK as MOTION_WORK
from locomote.kernels.inverse_dynamics import WRENCH, Motion, Newton, Tree, carry_motion
from locomote.model import columns as col
from locomote.model import joints
from locomote.spatial.algebra import minus, pair, plus, times
from locomote.spatial.rows import load, load6, load9, six, store6, store9

LINEAR, COUPLING, ANGULAR = MOTION_WORK, MOTION_WORK + 6, MOTION_WORK + 15  # columns of `work`, after those of (1)
ACCELERATION = 0  # A takes the place of w and alpha
WORK = MOTION_WORK + 21
AXIS, INVERSE, REST = 0, 6, 7  # columns of `dofs`: U, 1/d, u
DOFS = 8


class Articulated(NamedTuple):
    """Scratch of forward and hybrid dynamics."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, WORK, "motion of (1), then bias and inertia of (4), in the end A of (5)"]
    dofs: Annotated[np.ndarray, NV, DOFS, "U, 1/d and u of each coordinate, filled inward"]


@helper
def is_simple(topology, constants, i, imposed):
    """Whether body i hangs on a free revolute joint without armature."""
    simple = topology[i, col.KIND] == joints.REVOLUTE and is_zero(constants[i, col.ARMATURE])
    if imposed is not None:
        simple = simple and imposed[topology[i, col.V]] == 0
    return simple


@helper
def with_added(constants, i, wrenches, L, H, J):
    """L, H, J and the added inertia of body i."""
    if wrenches is not None:
        if has_added(constants):
            M, G, K = added_blocks(constants, i)
            L, H, J = ai.blocks_plus(L, H, J, M, G, K)
    return L, H, J


@helper
def load_blocks(work, i):
    """What the children of body i left in its row."""
    return load6(work, i, LINEAR), load9(work, i, COUPLING), load6(work, i, ANGULAR)


@helper
def add_to_parent(topology, constants, i, p, wrenches, work, L, H, J, F):
    """(4), once seen from the parent. The first child to arrive brings the parent's own inertia along."""
    if topology[i, col.YOUNGEST] == 1:
        L, H, J = ai.plus_rigid(constants, p, L, H, J)
        L, H, J = with_added(constants, p, wrenches, L, H, J)
    else:
        M, G, K = load_blocks(work, p)
        L, H, J = ai.blocks_plus(L, H, J, M, G, K)
    store6(work, p, LINEAR, L)
    store9(work, p, COUPLING, H)
    store6(work, p, ANGULAR, J)
    store6(work, p, WRENCH, plus(F, load6(work, p, WRENCH)))


@helper
def simple_axis(topology, i, tau, H, J, F, dofs):
    """U, 1/d and u of (2) for a simple joint, whose U / d and u / d are kept; the last entry of U / d is one."""
    k, U, d, u = topology[i, col.V], (H[2], H[5], H[8], J[2], J[4], J[5]), 1.0 / J[5], tau[topology[i, col.V]] - F[5]
    dofs[k, AXIS], dofs[k, AXIS + 1], dofs[k, AXIS + 2] = d * U[0], d * U[1], d * U[2]
    dofs[k, AXIS + 3], dofs[k, AXIS + 4], dofs[k, REST] = d * U[3], d * U[4], d * u
    return U, d, u


@helper
def simple_inward(topology, constants, i, tau, sine, cosine, L, H, J, F, dofs, forked):
    """(2) and X^T I X, X^T F of (4) for a simple joint. `forked` is None if it is `in_line`."""
    U, d, u = simple_axis(topology, i, tau, H, J, F, dofs)
    k, o = topology[i, col.Q], load(constants, i, col.DISPLACEMENT)
    s, c, x, y = sine[k], cosine[k], constants[i, col.SIN_LEAN], constants[i, col.COS_LEAN]
    F = plus(F, times(u * d, U))
    L, H, J = ai.flat_linear(L, U, d, s, c, x, y), ai.flat_coupling(H, U, d, s, c, x, y), ai.flat_angular(J, U, d, s, c, x, y)
    if forked is not None:
        L, H, J = ai.blocks_about_z(constants[i, col.SIN_FORK], constants[i, col.COS_FORK], L, H, J)
        L, H, J = ai.blocks_shifted(L, H, J, o)
    else:
        L, H, J = ai.blocks_shifted_in_plane(L, H, J, o[0], o[2])
    return L, H, J, joints.wrench_over_screw(constants, i, s, c, o, F, forked)


@helper
def eliminate(k, inertia, force, U, tau, imposed, dofs, L, H, J, F):
    """(2) or (3) for coordinate k, from S_k.U + armature and S_k.F."""
    store6(dofs, k, AXIS, U)
    free = True
    if imposed is not None:
        free = imposed[k] == 0
    if free:
        d, u = 1.0 / inertia, tau[k] - force
        dofs[k, INVERSE] = d
        dofs[k, REST] = u
        L, H, J = ai.blocks_downdate(L, H, J, U, d)
        F = plus(F, times(u * d, U))
    else:
        dofs[k, REST] = force
    return L, H, J, F


@helper
def eliminate_joint(topology, constants, i, tau, imposed, dofs, L, H, J, F):
    """(2) and (3) for a joint of any kind."""
    kind, first = topology[i, col.KIND], topology[i, col.V]
    if kind == joints.PRISMATIC:
        U, inertia = ai.blocks_column(L, H, J, 2), L[5] + constants[i, col.ARMATURE]
        L, H, J, F = eliminate(first, inertia, F[2], U, tau, imposed, dofs, L, H, J, F)
    elif kind == joints.REVOLUTE:
        U, inertia = ai.blocks_column(L, H, J, 5), J[5] + constants[i, col.ARMATURE]
        L, H, J, F = eliminate(first, inertia, F[5], U, tau, imposed, dofs, L, H, J, F)
    else:
        for j in range(topology[i, col.V_COUNT] - 1, -1, -1):
            U = ai.axis_column(topology, constants, i, j, L, H, J)
            inertia = joints.along_axis(topology, constants, i, j, U) + constants[i, col.ARMATURE + j]
            force = joints.along_axis(topology, constants, i, j, F)
            L, H, J, F = eliminate(first + j, inertia, force, U, tau, imposed, dofs, L, H, J, F)
    return L, H, J, F


@helper
def is_loose(topology, constants, i, imposed):
    """Whether body i moves freely in the world, without armature."""
    if imposed is not None:
        return False
    loose = topology[i, col.KIND] == joints.FREE and topology[i, col.PARENT] == topology.shape[0] - 1
    if loose:
        for k in range(6):
            loose = loose and is_zero(constants[i, col.ARMATURE + k])
    return loose


@helper
def blocks_on_parent(topology, constants, i, q, sine, cosine, L, H, J):
    """X^T I X for a joint of any kind."""
    if joints.is_screw(topology[i, col.KIND]):
        k, x, y = topology[i, col.Q], constants[i, col.SIN_LEAN], constants[i, col.COS_LEAN]
        L, H, J = ai.blocks_about_z(sine[k], cosine[k], L, H, J)
        L, H, J = ai.symmetric_about_x(x, y, L), ai.matrix_about_x(x, y, H), ai.symmetric_about_x(x, y, J)
        if constants[i, col.SIN_FORK] != 0.0:
            L, H, J = ai.blocks_about_z(constants[i, col.SIN_FORK], constants[i, col.COS_FORK], L, H, J)
        o = joints.screw_origin(topology, constants, i, q)
    else:
        R, o = joints.joint_pose(topology, constants, i, q, sine, cosine)
        L, H, J = ai.symmetric_turned(R, L), ai.matrix_turned(R, H), ai.symmetric_turned(R, J)
    return ai.blocks_shifted(L, H, J, o)


@helper
def simple_outward(topology, i, A, dofs, a):
    """(5) for a simple joint; the turn comes first, as the rest of A takes longer."""
    k = topology[i, col.V]
    turn = dofs[k, REST] - dofs[k, AXIS + 3] * A[3] - dofs[k, AXIS + 4] * A[4]
    turn = turn - dofs[k, AXIS] * A[0] - dofs[k, AXIS + 1] * A[1] - dofs[k, AXIS + 2] * A[2]
    a[k] = turn - A[5]
    return (A[0], A[1], A[2], A[3], A[4], turn)


@helper
def outward(topology, constants, i, tau, imposed, A, dofs, a):
    """(5) and (6) for a joint of any kind."""
    for j in range(topology[i, col.V_COUNT]):
        k = topology[i, col.V] + j
        U = load6(dofs, k, AXIS)
        free = True
        if imposed is not None:
            free = imposed[k] == 0
        if free:
            a[k] = (dofs[k, REST] - pair(U, A)) * dofs[k, INVERSE]
            A = joints.moved_along(topology, constants, i, j, A, a[k])
        else:
            tau[k] = pair(U, A) + dofs[k, REST] + constants[i, col.ARMATURE + j] * a[k]
    return A


@inlined_routine
def forward_dynamics(topology, constants, nq, q, v, tau, wrenches, imposed, room, a):
    """Fill a. `wrenches` (bodies, 6) as in inverse dynamics. `imposed` (nv) marks coordinates whose a is given and whose
    tau is filled instead; None if there are none."""
    world, (sine, cosine, work, dofs) = topology.shape[0] - 1, room
    for k in range(topology[world, col.V]):
        if imposed is None:
            a[k] = 0.0
        elif imposed[k] == 0:
            a[k] = 0.0
    joints.joint_sines(topology, constants, nq, q, sine, cosine)
    carry_motion(Tree(topology, constants), Motion(q, v, a), wrenches, Newton(sine, cosine, work))
    for i in range(world - 1, -1, -1):
        F, p = load6(work, i, WRENCH), topology[i, col.PARENT]
        if topology[i, col.LAST] == i:
            L, H, J = ai.rigid_blocks(constants, i)
            L, H, J = with_added(constants, i, wrenches, L, H, J)
        else:
            L, H, J = load_blocks(work, i)
        simple = is_simple(topology, constants, i, imposed)
        if simple and joints.in_line(topology, constants, i):
            L, H, J, F = simple_inward(topology, constants, i, tau, sine, cosine, L, H, J, F, dofs, None)
            add_to_parent(topology, constants, i, i - 1, wrenches, work, L, H, J, F)
        elif simple:
            if p == world:
                simple_axis(topology, i, tau, H, J, F, dofs)
            else:
                L, H, J, F = simple_inward(topology, constants, i, tau, sine, cosine, L, H, J, F, dofs, True)
                add_to_parent(topology, constants, i, p, wrenches, work, L, H, J, F)
        elif is_loose(topology, constants, i, imposed):
            store6(work, i, ACCELERATION, ai.blocks_solved(L, H, J, minus(six(tau, topology[i, col.V]), F)))  # (7)
        else:
            L, H, J, F = eliminate_joint(topology, constants, i, tau, imposed, dofs, L, H, J, F)
            if p < world:
                L, H, J = blocks_on_parent(topology, constants, i, q, sine, cosine, L, H, J)
                F = joints.wrench_on_parent(topology, constants, i, q, sine, cosine, F)
                add_to_parent(topology, constants, i, p, wrenches, work, L, H, J, F)
    A = load6(work, world, ACCELERATION)  # zero
    for i in range(world):
        simple = is_simple(topology, constants, i, imposed)
        if simple and joints.in_line(topology, constants, i):
            A = joints.twist_in_line(topology, constants, i, sine, cosine, A)
            A = simple_outward(topology, i, A, dofs, a)
        elif is_loose(topology, constants, i, imposed):
            A, k = load6(work, i, ACCELERATION), topology[i, col.V]
            a[k], a[k + 1], a[k + 2], a[k + 3], a[k + 4], a[k + 5] = A
        else:
            A = load6(work, topology[i, col.PARENT], ACCELERATION)
            A = joints.twist_from_parent(topology, constants, i, q, sine, cosine, A)
            if simple:
                A = simple_outward(topology, i, A, dofs, a)
            else:
                A = outward(topology, constants, i, tau, imposed, A, dofs, a)
        store6(work, i, ACCELERATION, A)


@inlined_routine
def free_dynamics(topology, constants, nq, q, v, tau, wrenches, room, a):
    """Fill a: all coordinates are free."""
    forward_dynamics(topology, constants, nq, q, v, tau, wrenches, None, room, a)


@inlined_routine
def hybrid_dynamics(topology, constants, nq, imposed, q, v, tau, a, wrenches, room, all_a, all_tau):
    """Fill accelerations and forces of all coordinates, and leave those that were given as they are."""
    for k in range(v.shape[0]):
        all_a[k], all_tau[k] = a[k], tau[k]
    forward_dynamics(topology, constants, nq, q, v, all_tau, wrenches, imposed, room, all_a)
