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
    a free body in the world needs no elimination: A = I^-1 (tau - P) ,  a = A - X A_p                      (7)

It is exact also within a joint of several coordinates and needs no small matrix inverse. The world, the body after the
last, accelerates upward by gravity. For a revolute joint without armature, row and column of its axis vanish in (2).
"""

from locomote.engine.scalars import is_zero
from locomote.engine.source import helper, inlined_routine
from locomote.kernels.added import added_blocks, added_times, has_added
from locomote.kernels.articulated import (
    blocks_about_z,
    blocks_column,
    blocks_downdate,
    blocks_plus,
    blocks_shifted,
    blocks_shifted_in_plane,
    blocks_solved,
    blocks_times,
    flat_angular,
    flat_coupling,
    flat_linear,
    flat_times,
    matrix_about_x,
    matrix_turned,
    plus_rigid,
    push_times,
    rigid_blocks,
    symmetric_about_x,
    symmetric_turned,
)
from locomote.kernels.bodies import momentum_of
from locomote.model.columns import (
    ARMATURE,
    COS_FORK,
    COS_LEAN,
    DISPLACEMENT,
    GRAVITY,
    KIND,
    LAST,
    PARENT,
    PITCH,
    SIN_FORK,
    SIN_LEAN,
    V_COUNT,
    YOUNGEST,
    Q,
    V,
)
from locomote.model.joints import (
    FREE,
    HELICAL,
    PRISMATIC,
    REVOLUTE,
    along_axis,
    axis_number,
    free_acceleration,
    in_line,
    joint_pose,
    joint_sines,
    joint_twist,
    moved_along,
    screw_origin,
    twist_from_parent,
    twist_in_line,
    wrench_on_parent,
    wrench_over_screw,
)
from locomote.spatial.algebra import (
    angular,
    bracket,
    bracket_dual,
    linear,
    minus,
    pair,
    plus,
    subtract,
    times,
    unrotate,
)
from locomote.spatial.rows import load, load6, load9, six, store, store6, store9

TWIST, BIAS, LINEAR, COUPLING, ANGULAR, UP = 0, 6, 12, 18, 27, 33  # columns of `work`; A takes the place of P
WORK = 36
AXIS, INVERSE, REST = 0, 6, 7  # columns of `dofs`: U, 1/d, u
DOFS = 8


@helper
def is_simple(topology, constants, i, imposed):
    """Whether body i hangs on a free revolute joint without armature."""
    simple = topology[i, KIND] == REVOLUTE and is_zero(constants[i, ARMATURE])
    if imposed is not None:
        simple = simple and imposed[topology[i, V]] == 0
    return simple


@helper
def with_added(constants, i, wrenches, L, H, J):
    """L, H, J and the added inertia of body i."""
    if wrenches is not None:
        if has_added(constants):
            M, G, K = added_blocks(constants, i)
            L, H, J = blocks_plus(L, H, J, M, G, K)
    return L, H, J


@helper
def load_blocks(work, i):
    """What the children of body i left in its row."""
    return load6(work, i, LINEAR), load9(work, i, COUPLING), load6(work, i, ANGULAR)


@helper
def add_to_parent(topology, constants, i, p, wrenches, work, L, H, J, P):
    """(4), once seen from the parent. The first child to arrive brings the parent's own inertia along."""
    if topology[i, YOUNGEST] == 1:
        L, H, J = plus_rigid(constants, p, L, H, J)
        L, H, J = with_added(constants, p, wrenches, L, H, J)
    else:
        M, G, K = load_blocks(work, p)
        L, H, J = blocks_plus(L, H, J, M, G, K)
    store6(work, p, LINEAR, L)
    store9(work, p, COUPLING, H)
    store6(work, p, ANGULAR, J)
    store6(work, p, BIAS, plus(P, load6(work, p, BIAS)))


@helper
def simple_bias(v, topology, i, V_i, L, H, J, P):
    """P + I c of a body on a revolute joint."""
    rate = v[topology[i, V]]
    return plus(P, flat_times(L, H, J, V_i[1] * rate, -V_i[0] * rate, V_i[4] * rate, -V_i[3] * rate))


@helper
def simple_axis(topology, i, tau, H, J, P, dofs):
    """U, 1/d and u of (2) for a simple joint."""
    k, U, d, u = topology[i, V], (H[2], H[5], H[8], J[2], J[4], J[5]), 1.0 / J[5], tau[topology[i, V]] - P[5]
    store6(dofs, k, AXIS, U)
    dofs[k, INVERSE] = d
    dofs[k, REST] = u
    return U, d, u


@helper
def simple_inward(topology, constants, i, tau, sine, cosine, L, H, J, P, dofs, forked):
    """(2) and X^T I X, X^T P of (4) for a simple joint. `forked` is None if it is `in_line`."""
    U, d, u = simple_axis(topology, i, tau, H, J, P, dofs)
    k, o = topology[i, Q], load(constants, i, DISPLACEMENT)
    s, c, x, y = sine[k], cosine[k], constants[i, SIN_LEAN], constants[i, COS_LEAN]
    P = plus(P, times(u * d, U))
    L, H, J = flat_linear(L, U, d, s, c, x, y), flat_coupling(H, U, d, s, c, x, y), flat_angular(J, U, d, s, c, x, y)
    if forked is not None:
        L, H, J = blocks_about_z(constants[i, SIN_FORK], constants[i, COS_FORK], L, H, J)
        L, H, J = blocks_shifted(L, H, J, o)
    else:
        L, H, J = blocks_shifted_in_plane(L, H, J, o[0], o[2])
    return L, H, J, wrench_over_screw(constants, i, s, c, o, P, forked)


@helper
def eliminate(k, inertia, force, U, tau, imposed, dofs, a, L, H, J, P):
    """(2) or (3) for coordinate k, from S_k.U + armature and S_k.P."""
    store6(dofs, k, AXIS, U)
    free = True
    if imposed is not None:
        free = imposed[k] == 0
    if free:
        d, u = 1.0 / inertia, tau[k] - force
        dofs[k, INVERSE] = d
        dofs[k, REST] = u
        L, H, J = blocks_downdate(L, H, J, U, d)
        P = plus(P, times(u * d, U))
    else:
        dofs[k, REST] = force
        P = plus(P, times(a[k], U))
    return L, H, J, P


@helper
def eliminate_joint(topology, constants, i, tau, imposed, dofs, a, L, H, J, P):
    """(2) and (3) for a joint of any kind."""
    kind, first = topology[i, KIND], topology[i, V]
    if kind == PRISMATIC:
        U, inertia = blocks_column(L, H, J, 2), L[5] + constants[i, ARMATURE]
        L, H, J, P = eliminate(first, inertia, P[2], U, tau, imposed, dofs, a, L, H, J, P)
    elif kind == REVOLUTE:
        U, inertia = blocks_column(L, H, J, 5), J[5] + constants[i, ARMATURE]
        L, H, J, P = eliminate(first, inertia, P[5], U, tau, imposed, dofs, a, L, H, J, P)
    else:
        for j in range(topology[i, V_COUNT] - 1, -1, -1):
            U = blocks_column(L, H, J, axis_number(kind, j))
            if kind == HELICAL:
                U = plus(U, times(constants[i, PITCH], blocks_column(L, H, J, 2)))
            inertia = along_axis(topology, constants, i, j, U) + constants[i, ARMATURE + j]
            force = along_axis(topology, constants, i, j, P)
            L, H, J, P = eliminate(first + j, inertia, force, U, tau, imposed, dofs, a, L, H, J, P)
    return L, H, J, P


@helper
def is_loose(topology, constants, i, imposed):
    """Whether body i moves freely in the world, without armature."""
    if imposed is not None:
        return False
    loose = topology[i, KIND] == FREE and topology[i, PARENT] == topology.shape[0] - 1
    if loose:
        for k in range(6):
            loose = loose and is_zero(constants[i, ARMATURE + k])
    return loose


@helper
def blocks_on_parent(topology, constants, i, q, sine, cosine, L, H, J):
    """X^T I X for a joint of any kind."""
    if topology[i, KIND] <= HELICAL:
        k, x, y = topology[i, Q], constants[i, SIN_LEAN], constants[i, COS_LEAN]
        L, H, J = blocks_about_z(sine[k], cosine[k], L, H, J)
        L, H, J = symmetric_about_x(x, y, L), matrix_about_x(x, y, H), symmetric_about_x(x, y, J)
        if constants[i, SIN_FORK] != 0.0:
            L, H, J = blocks_about_z(constants[i, SIN_FORK], constants[i, COS_FORK], L, H, J)
        o = screw_origin(topology, constants, i, q)
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        L, H, J = symmetric_turned(R, L), matrix_turned(R, H), symmetric_turned(R, J)
    return blocks_shifted(L, H, J, o)


@helper
def simple_outward(topology, constants, i, v, V_i, A, dofs, a):
    """(5) for a simple joint."""
    first = topology[i, V]
    rate, value = v[first], (dofs[first, REST] - pair(load6(dofs, first, AXIS), A)) * dofs[first, INVERSE]
    a[first] = value
    return (A[0] + V_i[1] * rate, A[1] - V_i[0] * rate, A[2], A[3] + V_i[4] * rate, A[4] - V_i[3] * rate, A[5] + value)


@helper
def outward(topology, constants, i, v, tau, imposed, V_i, A, dofs, a):
    """(5) and (6) for a joint of any kind."""
    for j in range(topology[i, V_COUNT]):
        k = topology[i, V] + j
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
    return plus(A, bracket(V_i, joint_twist(topology, constants, i, v)))


@helper
def put_bias(topology, constants, i, q, sine, cosine, wrenches, work, V_i):
    """Store twist and bias of body i."""
    P = bracket_dual(V_i, momentum_of(constants, i, V_i))
    if wrenches is not None:
        P = minus(P, load6(wrenches, i, 0))
        if has_added(constants):
            R, o = joint_pose(topology, constants, i, q, sine, cosine)
            up = unrotate(R, load(work, topology[i, PARENT], UP))
            store(work, i, UP, up)
            weight = added_times(constants, i, (up[0], up[1], up[2], 0.0, 0.0, 0.0))
            P = plus(P, minus(bracket_dual(V_i, added_times(constants, i, V_i)), weight))
    store6(work, i, TWIST, V_i)
    store6(work, i, BIAS, P)


@inlined_routine
def forward_dynamics(topology, constants, nq, q, v, tau, wrenches, imposed, sine, cosine, work, dofs, a):
    """Fill a. `wrenches` (bodies, 6) as in inverse dynamics. `imposed` (nv) marks coordinates whose a is given and whose
    tau is filled instead; None if there are none."""
    world = topology.shape[0] - 1
    joint_sines(topology, constants, nq, q, sine, cosine)
    for k in range(WORK):
        work[world, k] = 0.0
    for k in range(3):
        work[world, UP + k] = -constants[world, GRAVITY + k]
    V_i = load6(work, world, TWIST)
    for i in range(world):  # (1)
        if in_line(topology, constants, i):
            V_i = twist_in_line(topology, constants, i, sine, cosine, V_i)
            V_i = (V_i[0], V_i[1], V_i[2], V_i[3], V_i[4], V_i[5] + v[topology[i, V]])
            put_bias(topology, constants, i, q, sine, cosine, wrenches, work, V_i)
        else:
            V_i = joint_twist(topology, constants, i, v)
            if topology[i, PARENT] < world:
                V_p = load6(work, topology[i, PARENT], TWIST)
                V_i = plus(twist_from_parent(topology, constants, i, q, sine, cosine, V_p), V_i)
            put_bias(topology, constants, i, q, sine, cosine, wrenches, work, V_i)
    for i in range(world - 1, -1, -1):
        V_i, P, p = load6(work, i, TWIST), load6(work, i, BIAS), topology[i, PARENT]
        if topology[i, LAST] == i:
            L, H, J = rigid_blocks(constants, i)
            L, H, J = with_added(constants, i, wrenches, L, H, J)
        else:
            L, H, J = load_blocks(work, i)
        simple = is_simple(topology, constants, i, imposed)
        if simple and in_line(topology, constants, i):
            P = simple_bias(v, topology, i, V_i, L, H, J, P)
            L, H, J, P = simple_inward(topology, constants, i, tau, sine, cosine, L, H, J, P, dofs, None)
            add_to_parent(topology, constants, i, i - 1, wrenches, work, L, H, J, P)
        elif simple:
            P = simple_bias(v, topology, i, V_i, L, H, J, P)
            if p == world:
                simple_axis(topology, i, tau, H, J, P, dofs)
            else:
                L, H, J, P = simple_inward(topology, constants, i, tau, sine, cosine, L, H, J, P, dofs, True)
                add_to_parent(topology, constants, i, p, wrenches, work, L, H, J, P)
        elif is_loose(topology, constants, i, imposed):
            A = blocks_solved(L, H, J, minus(six(tau, topology[i, V]), P))  # (7)
            store6(work, i, BIAS, A)
        else:
            if topology[i, KIND] == PRISMATIC:
                P = plus(P, push_times(L, H, V_i[4] * v[topology[i, V]], -V_i[3] * v[topology[i, V]]))
            else:
                P = plus(P, blocks_times(L, H, J, bracket(V_i, joint_twist(topology, constants, i, v))))
            L, H, J, P = eliminate_joint(topology, constants, i, tau, imposed, dofs, a, L, H, J, P)
            if p < world:
                L, H, J = blocks_on_parent(topology, constants, i, q, sine, cosine, L, H, J)
                P = wrench_on_parent(topology, constants, i, q, sine, cosine, P)
                add_to_parent(topology, constants, i, p, wrenches, work, L, H, J, P)
    for k in range(3):
        work[world, BIAS + k] = -constants[world, GRAVITY + k]
        work[world, BIAS + 3 + k] = 0.0
    A = load6(work, world, BIAS)
    for i in range(world):
        V_i = load6(work, i, TWIST)
        simple = is_simple(topology, constants, i, imposed)
        if simple and in_line(topology, constants, i):
            A = twist_in_line(topology, constants, i, sine, cosine, A)
            A = simple_outward(topology, constants, i, v, V_i, A, dofs, a)
        elif is_loose(topology, constants, i, imposed):
            A, k = load6(work, i, BIAS), topology[i, V]
            acc = free_acceleration(topology, constants, i, q, load(work, world, BIAS))
            a[k], a[k + 1], a[k + 2] = subtract(linear(A), acc)
            a[k + 3], a[k + 4], a[k + 5] = angular(A)
        else:
            A = load6(work, topology[i, PARENT], BIAS)
            A = twist_from_parent(topology, constants, i, q, sine, cosine, A)
            if simple:
                A = simple_outward(topology, constants, i, v, V_i, A, dofs, a)
            else:
                A = outward(topology, constants, i, v, tau, imposed, V_i, A, dofs, a)
        store6(work, i, BIAS, A)
