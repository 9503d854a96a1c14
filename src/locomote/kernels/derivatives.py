"""Derivatives of inverse dynamics with respect to q (in the tangent), v and a, after Singh, Russell and Wensing (2022).

All in the common frame. i is a body, p its parent, j, k coordinates of v, S their motion axes; V, A twists and
accelerations (of the world: minus gravity), f wrenches, I inertias; f, I, B of a body include all that hangs on it.

    Y_k = V_p x S_k ,   Z_k = A_p x S_k + V_p x Y_k ,   D_k = Y_k + V_i x S_k                              (1)
    2B  = V x* I - I V x + (x* I V)             x* I V: a twist t goes to t x* (I V)                       (2)
    j an ancestor's coordinate, k one of joint i:
    dtau_j/dq_k = S_j . (2B Y_k + I Z_k + S_k x* f)      dtau_k/dq_j = S_k . (2B Y_j + I Z_j)              (3)
    dtau_j/dv_k = S_j . (2B S_k + I D_k)                 dtau_k/dv_j = S_k . (2B S_j + I D_j)              (4)
    M_kj = S_j . I S_k                                   tau_k = S_k . f                                   (5)

Two coordinates of one joint follow the right-hand column. For rigid bodies, 2B needs twelve numbers only, which add up
over bodies: with momentum (h, l) about the common origin, twist (u, w) and the mass's moments m c, I,

    2B (s, z) = (2 z x h, K z + z x l) ,    K = w^ I + (w^ I)^T + 2 (u . mc) 1 - mc u^T - u mc^T           (6)

Tested by tests/laws/dynamics/test_derivatives.py.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.scratch_layout import NQ, NV, ROWS
from locomote.compiler.source import helper, inlined_routine, routine
from locomote.kernels import common_frame as frame
from locomote.kernels.added import has_added
from locomote.kernels.mass_matrix import ADDED_ANGULAR, added_composite_times, place_added
from locomote.linear.dots import weigh, weigh_two
from locomote.model.columns import ARMATURE, GRAVITY, LAST, NEXT, PARENT, RUN, V_COUNT, V
from locomote.model.joints import joint_pose
from locomote.spatial import algebra as al
from locomote.spatial.rows import load, load6, load9, put, six, store6

TWIST, ACCELERATION, WRENCH = ADDED_ANGULAR + 6, ADDED_ANGULAR + 12, ADDED_ANGULAR + 18  # columns, after those of bodies
MOMENTUM, SPREAD = ADDED_ANGULAR + 24, ADDED_ANGULAR + 30  # (h, l) and K
ADDED_B = ADDED_ANGULAR + 36  # 2B of added inertia, 36 numbers row by row
WORK = ADDED_B + 36
AXIS, RATE, SECOND_RATE, DRIFT = 0, 6, 12, 18  # rows of `axes`: S, Y, Z, D
LEFT_A, LEFT_Q, LEFT_V = 24, 30, 36  # and the wrenches in brackets on the left of (5), (3), (4)
AXES = 42


class Sloping(NamedTuple):
    """Scratch of derivatives of inverse dynamics, and of the Coriolis matrix."""

    sine: Annotated[np.ndarray, NQ, "of what turns by an angle; filled by `joint_sines`"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, WORK, "poses, motion, and sums over all that hangs on a body; all in the common frame"]
    axes: Annotated[np.ndarray, AXES, NV, "S, Y, Z, D of (1), and what is in brackets on the left of (5), (3), (4)"]


@helper
def spread(bodies, i, t):
    """K of (6), symmetric."""
    c, I, u, w = load(bodies, i, frame.FIRST), load6(bodies, i, frame.SECOND), al.linear(t), al.angular(t)
    a, b, d = al.cross(w, (I[0], I[1], I[2])), al.cross(w, (I[1], I[3], I[4])), al.cross(w, (I[2], I[4], I[5]))
    n = 2.0 * al.dot(u, c)
    return (
        2.0 * (a[0] - c[0] * u[0]) + n, a[1] + b[0] - c[0] * u[1] - c[1] * u[0], a[2] + d[0] - c[0] * u[2] - c[2] * u[0],
        2.0 * (b[1] - c[1] * u[1]) + n, b[2] + d[1] - c[1] * u[2] - c[2] * u[1], 2.0 * (d[2] - c[2] * u[2]) + n,
    )  # fmt: skip


@helper
def coriolis_times(bodies, i, t):
    """2B t of composite rigid body i."""
    z = al.angular(t)
    return al.join(
        al.scale(2.0, al.cross(z, load(bodies, i, MOMENTUM))),
        al.add(al.symmetric_times(load6(bodies, i, SPREAD), z), al.cross(z, load(bodies, i, MOMENTUM + 3))),
    )


@helper
def coriolis_transposed(bodies, i, t):
    """The angular half of (2B)^T t of composite rigid body i; the linear half is zero."""
    s, z = al.linear(t), al.angular(t)
    turned = al.add(al.scale(2.0, al.cross(load(bodies, i, MOMENTUM), s)), al.cross(load(bodies, i, MOMENTUM + 3), z))
    return al.add(al.symmetric_times(load6(bodies, i, SPREAD), z), turned)


@inlined_routine
def gravity_in_common_frame(topology, constants, q, sine, cosine):
    """Gravity seen from the common frame."""
    world = topology.shape[0] - 1
    g = (constants[world, GRAVITY], constants[world, GRAVITY + 1], constants[world, GRAVITY + 2])
    if topology[0, LAST] != world - 1:
        return g
    R, o = joint_pose(topology, constants, 0, q, sine, cosine)
    return al.unrotate(R, g)


@helper
def joint_part(topology, i, axes, x):
    """Sum of S_k x_k over the coordinates of joint i."""
    k = topology[i, V]
    t = al.times(x[k], frame.take(axes, AXIS, k))
    for j in range(k + 1, k + topology[i, V_COUNT]):
        t = al.plus(t, al.times(x[j], frame.take(axes, AXIS, j)))
    return t


@inlined_routine
def motion_in_common_frame(topology, constants, v, a, up, bodies, axes, base):
    """Twists, accelerations, and (1), for a free base only if `base` says so."""
    world, start = topology.shape[0] - 1, 0
    store6(bodies, world, TWIST, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    store6(bodies, world, ACCELERATION, (up[0], up[1], up[2], 0.0, 0.0, 0.0))
    if frame.has_free_base(topology) and not base:
        start = 1
        store6(bodies, 0, TWIST, six(v, 0))
        store6(bodies, 0, ACCELERATION, (a[0] + up[0], a[1] + up[1], a[2] + up[2], a[3], a[4], a[5]))
    for i in range(start, world):
        p, k = topology[i, PARENT], topology[i, V]
        Vp, Ap = load6(bodies, p, TWIST), load6(bodies, p, ACCELERATION)
        if topology[i, V_COUNT] == 1:  # V x S = V_p x S
            S = frame.take(axes, AXIS, k)
            Y = al.bracket(Vp, S)
            store6(bodies, i, TWIST, al.plus(Vp, al.times(v[k], S)))
            store6(bodies, i, ACCELERATION, al.plus(Ap, al.plus(al.times(a[k], S), al.times(v[k], Y))))
            put(axes, RATE, k, Y)
            put(axes, SECOND_RATE, k, al.plus(al.bracket(Ap, S), al.bracket(Vp, Y)))
            put(axes, DRIFT, k, al.times(2.0, Y))
            continue
        rate = joint_part(topology, i, axes, v)
        twist = al.plus(Vp, rate)
        store6(bodies, i, TWIST, twist)
        store6(bodies, i, ACCELERATION, al.plus(Ap, al.plus(joint_part(topology, i, axes, a), al.bracket(twist, rate))))
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = frame.take(axes, AXIS, k)
            Y = al.bracket(Vp, S)
            put(axes, RATE, k, Y)
            put(axes, SECOND_RATE, k, al.plus(al.bracket(Ap, S), al.bracket(Vp, Y)))
            put(axes, DRIFT, k, al.plus(Y, al.bracket(twist, S)))


@inlined_routine
def wrenches_in_common_frame(topology, constants, up, wrenches, bodies):
    """Wrenches, momenta and (6) of single bodies. External `wrenches` (bodies, 6) turn with their bodies."""
    for i in range(topology.shape[0] - 1):
        twist = load6(bodies, i, TWIST)
        h = frame.composite_times(bodies, i, twist)
        f = al.plus(frame.composite_times(bodies, i, load6(bodies, i, ACCELERATION)), al.bracket_dual(twist, h))
        store6(bodies, i, MOMENTUM, h)
        store6(bodies, i, SPREAD, spread(bodies, i, twist))
        if has_added(constants):
            place_added(constants, i, bodies)
            h = added_composite_times(bodies, i, twist)
            lifted = load6(bodies, i, ACCELERATION)
            lifted = al.join(al.subtract(al.linear(lifted), up), al.angular(lifted))
            f = al.plus(f, al.plus(added_composite_times(bodies, i, lifted), al.bracket_dual(twist, h)))
            store_added_coriolis(bodies, i, twist, h)
        if wrenches is not None:
            R, o = load9(bodies, i, frame.ROTATION), load(bodies, i, frame.ORIGIN)
            f = al.minus(f, al.wrench_to_parent(R, o, load6(wrenches, i, 0)))
        store6(bodies, i, WRENCH, f)


@routine
def store_added_coriolis(bodies, i, twist, h):
    """(2) of the added inertia of body i, column by column."""
    for k in range(6):
        e = (
            1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0,
            1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0,
        )  # fmt: skip
        column = al.bracket_dual(twist, added_composite_times(bodies, i, e))
        pulled = added_composite_times(bodies, i, al.bracket(twist, e))
        turned = al.bracket_dual(e, h)
        for r in range(6):
            bodies[i, ADDED_B + 6 * r + k] = 0.0
        column = al.plus(column, al.plus(turned, al.times(-1.0, pulled)))
        bodies[i, ADDED_B + k] = column[0]
        bodies[i, ADDED_B + 6 + k] = column[1]
        bodies[i, ADDED_B + 12 + k] = column[2]
        bodies[i, ADDED_B + 18 + k] = column[3]
        bodies[i, ADDED_B + 24 + k] = column[4]
        bodies[i, ADDED_B + 30 + k] = column[5]


@helper
def added_coriolis_times(bodies, i, t):
    """2B t of the composite added inertia of body i."""
    return (
        al.pair(load6(bodies, i, ADDED_B), t), al.pair(load6(bodies, i, ADDED_B + 6), t),
        al.pair(load6(bodies, i, ADDED_B + 12), t), al.pair(load6(bodies, i, ADDED_B + 18), t),
        al.pair(load6(bodies, i, ADDED_B + 24), t), al.pair(load6(bodies, i, ADDED_B + 30), t),
    )  # fmt: skip


@helper
def added_coriolis_transposed(bodies, i, t):
    """(2B)^T t of the composite added inertia of body i."""
    f = al.times(t[0], load6(bodies, i, ADDED_B))
    f = al.plus(f, al.times(t[1], load6(bodies, i, ADDED_B + 6)))
    f = al.plus(f, al.times(t[2], load6(bodies, i, ADDED_B + 12)))
    f = al.plus(f, al.times(t[3], load6(bodies, i, ADDED_B + 18)))
    f = al.plus(f, al.times(t[4], load6(bodies, i, ADDED_B + 24)))
    return al.plus(f, al.times(t[5], load6(bodies, i, ADDED_B + 30)))


@helper
def add_to_parent(constants, bodies, i, p):
    """Sum all composites of body i into those of its parent."""
    frame.add_composite(bodies, i, p)
    for c in range(WRENCH, ADDED_B):
        bodies[p, c] = bodies[p, c] + bodies[i, c]
    if has_added(constants):
        for c in range(frame.BODIES, ADDED_ANGULAR + 6):
            bodies[p, c] = bodies[p, c] + bodies[i, c]
        for c in range(ADDED_B, WORK):
            bodies[p, c] = bodies[p, c] + bodies[i, c]


@inlined_routine
def upper_halves(topology, axes, M, dq, q_shift, dv, v_shift):
    """The left of (3) to (5), row by row: coordinates of what hangs on a body stand in one piece."""
    base = 0
    if frame.has_free_base(topology):
        for j in range(6):
            for k in range(6, topology[topology.shape[0] - 1, V]):
                M[j, k] = axes[LEFT_A + j, k]
                dq[j, q_shift + k] = axes[LEFT_Q + j, k]
                dv[j, v_shift + k] = axes[LEFT_V + j, k]
        base = 1
    for i in range(base, topology.shape[0] - 1):
        first, last = topology[i, V], topology[i, LAST]
        end, stop = first + topology[i, V_COUNT], topology[last, V] + topology[last, V_COUNT]
        if end < stop:
            for j in range(first, end):
                S = frame.take(axes, AXIS, j)
                weigh(axes, LEFT_A, S, end, stop, M, j, 0)
                weigh(axes, LEFT_Q, S, end, stop, dq, j, q_shift)
                weigh(axes, LEFT_V, S, end, stop, dv, j, v_shift)


@helper
def put_base_column(out, j, shift, f):
    """Six numbers into column j of the rows of a free base."""
    out[0, shift + j], out[1, shift + j], out[2, shift + j] = f[0], f[1], f[2]
    out[3, shift + j], out[4, shift + j], out[5, shift + j] = f[3], f[4], f[5]


@routine
def free_base_derivatives(constants, up, bodies, a, M, dq, q_shift, dv, v_shift, tau):
    """(3) to (5) among the coordinates of a free base: S_j unit twists, Y_j = 0, Z_j = (up x z, 0), D_j = V_0 x S_j."""
    V_0, f, none = load6(bodies, 0, TWIST), load6(bodies, 0, WRENCH), (0.0, 0.0, 0.0)
    for j in range(3):
        e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
        push, turn = al.join(e, none), al.join(none, e)
        put_base_column(M, j, 0, frame.composite_times(bodies, 0, push))
        put_base_column(M, j + 3, 0, frame.composite_times(bodies, 0, turn))
        put_base_column(dq, j, q_shift, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        put_base_column(dq, j + 3, q_shift, frame.composite_times(bodies, 0, al.join(al.cross(up, e), none)))
        put_base_column(dv, j, v_shift, frame.composite_times(bodies, 0, al.bracket(V_0, push)))
        drift = frame.composite_times(bodies, 0, al.bracket(V_0, turn))
        put_base_column(dv, j + 3, v_shift, al.plus(coriolis_times(bodies, 0, turn), drift))
    for j in range(6):
        M[j, j] = M[j, j] + constants[0, ARMATURE + j]
        tau[j] = f[j] + constants[0, ARMATURE + j] * a[j]


@inlined_routine
def inverse_dynamics_derivatives(topology, constants, nq, q, v, a, wrenches, room, M, dq, q_shift, dv, v_shift, tau):
    """Fill M, dq, dv (from columns `q_shift` and `v_shift` on) and tau; places of unrelated coordinates are left alone."""
    world, (sine, cosine, bodies, axes) = topology.shape[0] - 1, room
    added, free_base = has_added(constants), frame.has_free_base(topology)
    frame.place_bodies(topology, constants, nq, q, sine, cosine, bodies, axes)
    g = gravity_in_common_frame(topology, constants, q, sine, cosine)
    up = (-g[0], -g[1], -g[2])
    motion_in_common_frame(topology, constants, v, a, up, bodies, axes, added)
    wrenches_in_common_frame(topology, constants, up, wrenches, bodies)
    for i in range(world - 1, -1, -1):
        if i == 0 and free_base and not added:
            free_base_derivatives(constants, up, bodies, a, M, dq, q_shift, dv, v_shift, tau)
            break
        first = topology[i, V]
        end = first + topology[i, V_COUNT]
        f = load6(bodies, i, WRENCH)
        for k in range(first, end):
            S, Y = frame.take(axes, AXIS, k), frame.take(axes, RATE, k)
            b = frame.composite_times(bodies, i, S)
            c = coriolis_transposed(bodies, i, S)
            left_q = al.plus(coriolis_times(bodies, i, Y), frame.composite_times(bodies, i, frame.take(axes, SECOND_RATE, k)))
            left_v = al.plus(coriolis_times(bodies, i, S), frame.composite_times(bodies, i, frame.take(axes, DRIFT, k)))
            left_q = al.plus(left_q, al.bracket_dual(S, f))
            if added:
                more = added_derivative(bodies, i, S, Y, frame.take(axes, SECOND_RATE, k), up)
                left_q = al.plus(left_q, more)
                drift = added_composite_times(bodies, i, frame.take(axes, DRIFT, k))
                left_v = al.plus(left_v, al.plus(added_coriolis_times(bodies, i, S), drift))
                b_all = al.plus(b, added_composite_times(bodies, i, S))
                put(axes, LEFT_A, k, b_all)
            else:
                put(axes, LEFT_A, k, b)
            put(axes, LEFT_Q, k, left_q)
            put(axes, LEFT_V, k, left_v)
            tau[k] = al.pair(S, f) + constants[i, ARMATURE + k - first] * a[k]
            j, stop, left = i, end, 0
            if free_base:  # S_j unit twists, Y_j = 0, Z_j = (up x, 0), D_j = V_0 x S_j
                frame.put_row(M, k, 0, b)
                frame.put_row(dq, k, q_shift, al.join((0.0, 0.0, 0.0), al.cross(al.linear(b), up)))
                frame.put_row(
                    dv, k, v_shift, al.minus(al.join((0.0, 0.0, 0.0), c), al.bracket_dual(load6(bodies, 0, TWIST), b))
                )
                left = 6
            while j < world:
                start = max(topology[j, RUN], left)
                weigh(axes, AXIS, b, start, stop, M, k, 0)
                weigh_two(axes, SECOND_RATE, b, RATE + 3, c, start, stop, dq, k, q_shift)
                weigh_two(axes, DRIFT, b, AXIS + 3, c, start, stop, dv, k, v_shift)
                if added:
                    weigh_added(bodies, i, axes, S, up, topology[j, RUN], stop, M, dq, q_shift, dv, v_shift, k)
                j = topology[j, NEXT]
                if j < world:
                    stop = topology[j, V] + topology[j, V_COUNT]
            M[k, k] = M[k, k] + constants[i, ARMATURE + k - first]
        p = topology[i, PARENT]
        if p < world:
            add_to_parent(constants, bodies, i, p)
    upper_halves(topology, axes, M, dq, q_shift, dv, v_shift)


@routine
def added_derivative(bodies, i, S, Y, Z, up):
    """What added inertia adds to the left of (3); it has no weight, so `up` is taken out of Z."""
    Z = subtract_turned(Z, up, S)
    return al.plus(added_coriolis_times(bodies, i, Y), added_composite_times(bodies, i, Z))


@helper
def subtract_turned(Z, up, S):
    """Z - (up, 0) x S."""
    turned = al.cross(up, al.angular(S))
    return (Z[0] - turned[0], Z[1] - turned[1], Z[2] - turned[2], Z[3], Z[4], Z[5])


@routine
def weigh_added(bodies, i, axes, S, up, start, stop, M, dq, q_shift, dv, v_shift, k):
    """What added inertia adds to M and to the right of (3), (4)."""
    b, c = added_composite_times(bodies, i, S), added_coriolis_transposed(bodies, i, S)
    for j in range(start, stop):
        T = frame.take(axes, AXIS, j)
        Z = subtract_turned(frame.take(axes, SECOND_RATE, j), up, T)
        M[k, j] = M[k, j] + al.pair(b, T)
        dq[k, q_shift + j] = dq[k, q_shift + j] + al.pair(c, frame.take(axes, RATE, j)) + al.pair(b, Z)
        dv[k, v_shift + j] = dv[k, v_shift + j] + al.pair(c, T) + al.pair(b, frame.take(axes, DRIFT, j))
