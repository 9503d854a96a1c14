"""Joint accelerations of a tree for given forces: articulated bodies, joint coordinates eliminated one at a time.

i is a body, p its parent, X takes twists of p to i. I, P are inertia and bias of the part of the tree that hangs on i, as
felt there: the wrench on i is I A + P. S_k is the motion axis of coordinate k, a unit vector of the body frame.

    outward   V = X V_p + S v ,  c = V x S v ,  P = V x* I V - external wrench                              (1)
    inward    P += I c ;  for each coordinate k of the joint, last first:
              free     U = I S_k ,  d = S_k.U + armature ,  u = tau_k - S_k.P
                       I -= U U^T / d ,  P += U u / d                                                       (2)
              imposed  U = I S_k ,  P += U a_k                                                              (3)
              I_p += X^T I X ,  P_p += X^T P                                                                (4)
    outward   A = X A_p ;  for each k, first first, and A += c at the end:
              free     a_k = (u - U.A) / d ,  A += S_k a_k                                                  (5)
              imposed  A += S_k a_k ,  tau_k = U.A + S_k.P + armature a_k                                   (6)

It is exact also within a joint of several coordinates and needs no small matrix inverse. The world, the body after the
last, accelerates upward by gravity. For a revolute joint without armature, row and column of its axis vanish in (2).
"""

from locomote.engine.source import helper, routine
from locomote.engine.trigonometry import sines
from locomote.kernels.added import added_blocks, added_times, has_added
from locomote.kernels.articulated import (
    blocks_column,
    blocks_downdate,
    blocks_plus,
    blocks_shifted,
    blocks_times,
    flat_angular,
    flat_coupling,
    flat_linear,
    flat_times,
    matrix_turned,
    plus_rigid,
    rigid_blocks,
    symmetric_turned,
)
from locomote.kernels.bodies import momentum_of
from locomote.model.columns import ARMATURE, GRAVITY, KIND, LAST, PARENT, PITCH, V_COUNT, YOUNGEST, V
from locomote.model.joints import (
    HELICAL,
    REVOLUTE,
    along_axis,
    axis_number,
    joint_pose,
    joint_twist,
    moved_along,
    revolute_pose,
)
from locomote.spatial.algebra import (
    bracket,
    bracket_dual,
    minus,
    pair,
    plus,
    times,
    twist_to_child,
    unrotate,
    wrench_to_parent,
)
from locomote.spatial.rows import load, load6, load9, store, store6, store9

TWIST, BIAS, LINEAR, COUPLING, ANGULAR, UP = 0, 6, 12, 18, 27, 33  # columns of `work`; A takes the place of P
WORK = 36
AXIS, INVERSE, REST = 0, 6, 7  # columns of `dofs`: U, 1/d, u
DOFS = 8


@helper
def is_simple(topology, constants, i, imposed):
    """Whether body i hangs on a free revolute joint without armature."""
    simple = topology[i, KIND] == REVOLUTE and constants[i, ARMATURE] == 0.0
    if imposed is not None:
        simple = simple and imposed[topology[i, V]] == 0
    return simple


@helper
def own_blocks(constants, i, wrenches):
    """L, H, J of body i alone."""
    L, H, J = rigid_blocks(constants, i)
    if wrenches is not None:
        if has_added(constants):
            M, G, K = added_blocks(constants, i)
            L, H, J = blocks_plus(L, H, J, M, G, K)
    return L, H, J


@helper
def add_to_parent(topology, constants, i, wrenches, work, L, H, J, P):
    """(4), once seen from the parent. The first child to arrive brings the parent's own inertia along."""
    p = topology[i, PARENT]
    if topology[i, YOUNGEST] == 1:
        L, H, J = plus_rigid(constants, p, L, H, J)
        if wrenches is not None:
            if has_added(constants):
                M, G, K = added_blocks(constants, p)
                L, H, J = blocks_plus(L, H, J, M, G, K)
    else:
        L, H, J = blocks_plus(L, H, J, load6(work, p, LINEAR), load9(work, p, COUPLING), load6(work, p, ANGULAR))
    store6(work, p, LINEAR, L)
    store9(work, p, COUPLING, H)
    store6(work, p, ANGULAR, J)
    store6(work, p, BIAS, plus(P, load6(work, p, BIAS)))


@helper
def inward(topology, constants, i, world, q, v, tau, wrenches, imposed, sine, cosine, work, dofs, a):
    """(2) to (4) for body i."""
    p, first = topology[i, PARENT], topology[i, V]
    V_i, P = load6(work, i, TWIST), load6(work, i, BIAS)
    L, H, J = load6(work, i, LINEAR), load9(work, i, COUPLING), load6(work, i, ANGULAR)
    if is_simple(topology, constants, i, imposed):
        rate = v[first]
        P = plus(P, flat_times(L, H, J, V_i[1] * rate, -V_i[0] * rate, V_i[4] * rate, -V_i[3] * rate))
        U, d = (H[2], H[5], H[8], J[2], J[4], J[5]), 1.0 / J[5]
        u = tau[first] - P[5]
        store6(dofs, first, AXIS, U)
        dofs[first, INVERSE] = d
        dofs[first, REST] = u
        if p < world:
            R, o = revolute_pose(topology, constants, i, sine, cosine)
            L, H, J = flat_linear(L, U, d, R), flat_coupling(H, U, d, R), flat_angular(J, U, d, R)
            L, H, J = blocks_shifted(L, H, J, o)
            P = wrench_to_parent(R, o, plus(P, times(u * d, U)))
            add_to_parent(topology, constants, i, wrenches, work, L, H, J, P)
    else:
        c = bracket(V_i, joint_twist(topology, constants, i, v))
        P = plus(P, blocks_times(L, H, J, c))
        for j in range(topology[i, V_COUNT] - 1, -1, -1):
            k = first + j
            U = blocks_column(L, H, J, axis_number(topology[i, KIND], j))
            if topology[i, KIND] == HELICAL:
                U = plus(U, times(constants[i, PITCH], blocks_column(L, H, J, 2)))
            store6(dofs, k, AXIS, U)
            force = along_axis(topology, constants, i, j, P)
            free = True
            if imposed is not None:
                free = imposed[k] == 0
            if free:
                d = 1.0 / (along_axis(topology, constants, i, j, U) + constants[i, ARMATURE + j])
                u = tau[k] - force
                dofs[k, INVERSE] = d
                dofs[k, REST] = u
                L, H, J = blocks_downdate(L, H, J, U, d)
                P = plus(P, times(u * d, U))
            else:
                dofs[k, REST] = force
                P = plus(P, times(a[k], U))
        if p < world:
            R, o = joint_pose(topology, constants, i, q, sine, cosine)
            L, H, J = symmetric_turned(R, L), matrix_turned(R, H), symmetric_turned(R, J)
            L, H, J = blocks_shifted(L, H, J, o)
            add_to_parent(topology, constants, i, wrenches, work, L, H, J, wrench_to_parent(R, o, P))


@helper
def outward(topology, constants, i, q, v, tau, imposed, sine, cosine, work, dofs, a):
    """(5) and (6) for body i."""
    p, first = topology[i, PARENT], topology[i, V]
    V_i = load6(work, i, TWIST)
    if is_simple(topology, constants, i, imposed):
        R, o = revolute_pose(topology, constants, i, sine, cosine)
        A, rate = twist_to_child(R, o, load6(work, p, BIAS)), v[first]
        value = (dofs[first, REST] - pair(load6(dofs, first, AXIS), A)) * dofs[first, INVERSE]
        a[first] = value
        A = (A[0] + V_i[1] * rate, A[1] - V_i[0] * rate, A[2], A[3] + V_i[4] * rate, A[4] - V_i[3] * rate, A[5] + value)
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        A = twist_to_child(R, o, load6(work, p, BIAS))
        for j in range(topology[i, V_COUNT]):
            k = first + j
            U = load6(dofs, k, AXIS)
            free = True
            if imposed is not None:
                free = imposed[k] == 0
            if free:
                a[k] = (dofs[k, REST] - pair(U, A)) * dofs[k, INVERSE]
                A = moved_along(topology, constants, i, j, A, a[k])
            else:
                A = moved_along(topology, constants, i, j, A, a[k])
                tau[k] = pair(U, A) + dofs[k, REST] + constants[i, ARMATURE + j] * a[k]
        A = plus(A, bracket(V_i, joint_twist(topology, constants, i, v)))
    store6(work, i, BIAS, A)


@routine
def forward_dynamics(topology, constants, nq, q, v, tau, wrenches, imposed, sine, cosine, work, dofs, a):
    """Fill a. `wrenches` (bodies, 6) as in inverse dynamics. `imposed` (nv) marks coordinates whose a is given and whose
    tau is filled instead; None if there are none."""
    world = topology.shape[0] - 1
    sines(q, nq, sine, cosine)
    for k in range(WORK):
        work[world, k] = 0.0
    for k in range(3):
        work[world, UP + k] = -constants[world, GRAVITY + k]
    for i in range(world):
        p = topology[i, PARENT]
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        twist = plus(twist_to_child(R, o, load6(work, p, TWIST)), joint_twist(topology, constants, i, v))  # (1)
        bias = bracket_dual(twist, momentum_of(constants, i, twist))
        if wrenches is not None:
            bias = minus(bias, load6(wrenches, i, 0))
            if has_added(constants):
                up = unrotate(R, load(work, p, UP))
                store(work, i, UP, up)
                weight = added_times(constants, i, (up[0], up[1], up[2], 0.0, 0.0, 0.0))
                bias = plus(bias, minus(bracket_dual(twist, added_times(constants, i, twist)), weight))
        store6(work, i, TWIST, twist)
        store6(work, i, BIAS, bias)
        if topology[i, LAST] == i:  # no child will bring it
            L, H, J = own_blocks(constants, i, wrenches)
            store6(work, i, LINEAR, L)
            store9(work, i, COUPLING, H)
            store6(work, i, ANGULAR, J)
    for i in range(world - 1, -1, -1):
        inward(topology, constants, i, world, q, v, tau, wrenches, imposed, sine, cosine, work, dofs, a)
    for k in range(3):
        work[world, BIAS + k] = -constants[world, GRAVITY + k]
        work[world, BIAS + 3 + k] = 0.0
    for i in range(world):
        outward(topology, constants, i, q, v, tau, imposed, sine, cosine, work, dofs, a)
