"""What each kind of joint does: the one place that knows.

Models are packed so that every moving body hangs on its parent by one of six elementary joints, with its axis along z of
the body's own packed frame. All motion axes S are then unit vectors of that frame (a helical joint adds its pitch):

    kind        q                        v                      axes of v
    REVOLUTE    angle                    rate                   wz
    PRISMATIC   shift                    rate                   vz
    HELICAL     angle                    rate                   wz + pitch vz
    PLANAR      x, y, angle              body velocity          vx, vy, wz
    SPHERICAL   quaternion x, y, z, w    body angular velocity  wx, wy, wz
    FREE        position, quaternion     body twist             vx, vy, vz, wx, wy, wz
    FLEX        deformation of a body    its rate               none of its own: the frame is fixed to the parent
    ATTACHED    none                     none                   those of FLEX, in other shares at each station

Only the kernels of `kernels.flexible` know what the last two do.

The pose of a body in its parent is (R, o) = (R0, o0) times the joint's own motion, (R0, o0) being constants of the model. For
the first three kinds, the screws, R0 = Rz(fork) Rx(lean) Rz(start), as `frames` chose them, and `start` is part of the angle:
what the arrays `sine` and `cosine` hold is that of start + q.
"""

from locomote.compiler.scalars import cos, is_zero, sin
from locomote.compiler.source import helper
from locomote.compiler.trigonometry import sincos_at, sines_ahead
from locomote.model.columns import (
    ARMATURE,
    COS_FORK,
    COS_LEAN,
    COS_START,
    DISPLACEMENT,
    KIND,
    PARENT,
    PITCH,
    ROTATION,
    SIN_FORK,
    SIN_LEAN,
    SIN_START,
    V_COUNT,
    Q,
    V,
)
from locomote.spatial.algebra import (
    add,
    angular,
    compose,
    cross,
    join,
    linear,
    of_quaternion,
    rotate,
    scale,
    turn_about_x,
    turn_about_z,
    turned_about_x,
    turned_about_z,
    twist_to_child,
    unrotate,
    unturn_about_x,
    unturn_about_z,
    wrench_to_parent,
)
from locomote.spatial.rotations import quaternion_exp, quaternion_multiply, quaternion_normalized, so3_tangent_inverse
from locomote.spatial.rows import load, load9

REVOLUTE, PRISMATIC, HELICAL, PLANAR, SPHERICAL, FREE, FLEX, ATTACHED = range(8)
KINDS = (REVOLUTE, PRISMATIC, HELICAL, PLANAR, SPHERICAL, FREE, FLEX, ATTACHED)
SCREWS = (REVOLUTE, PRISMATIC, HELICAL)
Q_SIZE = (1, 1, 1, 3, 4, 7)
V_SIZE = (1, 1, 1, 3, 3, 6)
AXES_OF_V = ((5,), (2,), (5,), (0, 1, 5), (3, 4, 5), (0, 1, 2, 3, 4, 5), (), ())
NAN = float("nan")  # what a kind gives that a choice here does not name: entries report it, so nothing passes for another kind
NO_AXIS = -1


@helper
def is_screw(kind):
    """Whether a joint of this kind has one coordinate that turns about its axis, shifts along it, or both."""
    return kind == REVOLUTE or kind == PRISMATIC or kind == HELICAL


@helper
def is_simple_screw(kind):
    """Whether it only turns or only shifts."""
    return kind == REVOLUTE or kind == PRISMATIC


@helper
def is_flexible(kind):
    """Whether a row of this kind belongs to a flexible body, not to a joint."""
    return kind == FLEX or kind == ATTACHED


@helper
def has_quaternion(kind):
    """Whether a joint of this kind has a quaternion among its coordinates."""
    return kind == SPHERICAL or kind == FREE


@helper
def joint_sines(topology, constants, nq, q, sine, cosine):
    """Fill `sine` and `cosine` with those of angles of joints. A prismatic joint has the angle `start`."""
    sines_ahead(q, nq, sine, cosine)
    for i in range(topology.shape[0] - 1):
        kind, k = topology[i, KIND], topology[i, Q]
        if is_screw(kind):
            s, c = constants[i, SIN_START], constants[i, COS_START]
            if kind == PRISMATIC:
                sine[k], cosine[k] = s, c
            else:
                x, y = sincos_at(q, k, sine, cosine)
                sine[k], cosine[k] = x * c + y * s, y * c - x * s
        elif kind == PLANAR:
            sine[k + 2], cosine[k + 2] = sincos_at(q, k + 2, sine, cosine)


@helper
def screw_turn(constants, i, s, c):
    """R in its parent of a body on a screw, from the sine and cosine of its angle."""
    a, b = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    R = (c, -s, 0.0, b * s, b * c, -a, a * s, a * c, b)
    if constants[i, SIN_FORK] != 0.0:
        s, c = constants[i, SIN_FORK], constants[i, COS_FORK]
        x, y, z = turn_about_z(s, c, (R[0], R[3], R[6])), turn_about_z(s, c, (R[1], R[4], R[7])), (s * a, -c * a, b)
        R = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    return R


@helper
def joint_pose(topology, constants, i, q, sine, cosine):
    """Pose (R, o) of body i in its parent."""
    kind, k = topology[i, KIND], topology[i, Q]
    o = load(constants, i, DISPLACEMENT)
    if is_screw(kind):
        R = screw_turn(constants, i, sine[k], cosine[k])
        if kind == PRISMATIC:
            o = add(o, scale(q[k], (R[2], R[5], R[8])))
        elif kind == HELICAL:
            o = add(o, scale(constants[i, PITCH] * q[k], (R[2], R[5], R[8])))
    else:
        R0 = load9(constants, i, ROTATION)
        if kind == FREE:
            R = compose(R0, of_quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6]))
            o = add(o, rotate(R0, (q[k], q[k + 1], q[k + 2])))
        elif kind == SPHERICAL:
            R = compose(R0, of_quaternion(q[k], q[k + 1], q[k + 2], q[k + 3]))
        elif kind == PLANAR:
            R = turned_about_z(R0, sine[k + 2], cosine[k + 2])
            o = add(o, rotate(R0, (q[k], q[k + 1], 0.0)))
        else:
            R, o = (NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN), (NAN, NAN, NAN)
    return R, o


@helper
def screw_origin(topology, constants, i, q):
    """o in its parent of a body on a screw."""
    kind, o = topology[i, KIND], load(constants, i, DISPLACEMENT)
    if kind != REVOLUTE:
        shift = q[topology[i, Q]]
        if kind == HELICAL:
            shift = constants[i, PITCH] * shift
        a = constants[i, SIN_LEAN] * shift
        o = (o[0] + constants[i, SIN_FORK] * a, o[1] - constants[i, COS_FORK] * a, o[2] + constants[i, COS_LEAN] * shift)
    return o


@helper
def turned(constants, i, s, c, a, b, forked):
    """R a and R b, of a body on a screw, from the sine and cosine of its angle; `forked` is None if its fork is zero."""
    x, y = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    a, b = turn_about_x(x, y, turn_about_z(s, c, a)), turn_about_x(x, y, turn_about_z(s, c, b))
    if forked is not None:
        x, y = constants[i, SIN_FORK], constants[i, COS_FORK]
        a, b = turn_about_z(x, y, a), turn_about_z(x, y, b)
    return a, b


@helper
def unturned(constants, i, s, c, a, b, forked):
    """R^T a and R^T b."""
    if forked is not None:
        x, y = constants[i, SIN_FORK], constants[i, COS_FORK]
        a, b = unturn_about_z(x, y, a), unturn_about_z(x, y, b)
    x, y = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    return unturn_about_z(s, c, unturn_about_x(x, y, a)), unturn_about_z(s, c, unturn_about_x(x, y, b))


@helper
def unturned_three(constants, i, s, c, a, b, d, forked):
    """R^T a, R^T b and R^T d."""
    if forked is not None:
        x, y = constants[i, SIN_FORK], constants[i, COS_FORK]
        a, b, d = unturn_about_z(x, y, a), unturn_about_z(x, y, b), unturn_about_z(x, y, d)
    x, y = constants[i, SIN_LEAN], constants[i, COS_LEAN]
    a, b, d = unturn_about_x(x, y, a), unturn_about_x(x, y, b), unturn_about_x(x, y, d)
    return unturn_about_z(s, c, a), unturn_about_z(s, c, b), unturn_about_z(s, c, d)


@helper
def in_line(topology, constants, i):
    """Whether body i hangs on the body before it by a revolute joint without fork, with o = (x, 0, z)."""
    straight = constants[i, SIN_FORK] == 0.0 and is_zero(constants[i, DISPLACEMENT + 1])
    return straight and topology[i, KIND] == REVOLUTE and topology[i, PARENT] == i - 1


@helper
def wrench_over_screw(constants, i, s, c, o, f, forked):
    """A wrench on body i, which hangs by a screw, seen from its parent; `forked` is None if it is `in_line`."""
    force, turn = turned(constants, i, s, c, linear(f), angular(f), forked)
    if forked is not None:
        turn = add(turn, cross(o, force))
    else:  # o = (x, 0, z)
        turn = (turn[0] - o[2] * force[1], turn[1] + o[2] * force[0] - o[0] * force[2], turn[2] + o[0] * force[1])
    return join(force, turn)


@helper
def twist_in_line(topology, constants, i, sine, cosine, t):
    """`twist_from_parent` for a body that is `in_line`."""
    k, x, z = topology[i, Q], constants[i, DISPLACEMENT], constants[i, DISPLACEMENT + 2]
    u = (t[0] + t[4] * z, t[1] + t[5] * x - t[3] * z, t[2] - t[4] * x)
    u, w = unturned(constants, i, sine[k], cosine[k], u, angular(t), None)
    return join(u, w)


@helper
def twist_from_parent(topology, constants, i, q, sine, cosine, t):
    """A twist of the parent of body i, seen from its frame."""
    if is_screw(topology[i, KIND]):
        o, k = screw_origin(topology, constants, i, q), topology[i, Q]
        u, w = unturned(constants, i, sine[k], cosine[k], add(linear(t), cross(angular(t), o)), angular(t), True)
        t = join(u, w)
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        t = twist_to_child(R, o, t)
    return t


@helper
def wrench_on_parent(topology, constants, i, q, sine, cosine, f):
    """A wrench on body i, seen from its parent."""
    if is_screw(topology[i, KIND]):
        k = topology[i, Q]
        f = wrench_over_screw(constants, i, sine[k], cosine[k], screw_origin(topology, constants, i, q), f, True)
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        f = wrench_to_parent(R, o, f)
    return f


@helper
def placed(topology, constants, i, q, sine, cosine, P, o_p):
    """Pose (R, o) of body i, from that of its parent."""
    if is_screw(topology[i, KIND]):
        k, o = topology[i, Q], screw_origin(topology, constants, i, q)
        R, o = P, add(o_p, rotate(P, o))
        if constants[i, SIN_FORK] != 0.0:
            R = turned_about_z(R, constants[i, SIN_FORK], constants[i, COS_FORK])
        R = turned_about_z(turned_about_x(R, constants[i, SIN_LEAN], constants[i, COS_LEAN]), sine[k], cosine[k])
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        R, o = compose(P, R), add(o_p, rotate(P, o))
    return R, o


@helper
def joint_twist(topology, constants, i, v):
    """S v: twist of body i relative to its parent, in the body frame. Likewise S a."""
    kind, k = topology[i, KIND], topology[i, V]
    if kind == REVOLUTE:
        t = (0.0, 0.0, 0.0, 0.0, 0.0, v[k])
    elif kind == PRISMATIC:
        t = (0.0, 0.0, v[k], 0.0, 0.0, 0.0)
    elif kind == FREE:
        t = (v[k], v[k + 1], v[k + 2], v[k + 3], v[k + 4], v[k + 5])
    elif kind == SPHERICAL:
        t = (0.0, 0.0, 0.0, v[k], v[k + 1], v[k + 2])
    elif kind == PLANAR:
        t = (v[k], v[k + 1], 0.0, 0.0, 0.0, v[k + 2])
    elif kind == HELICAL:
        t = (0.0, 0.0, constants[i, PITCH] * v[k], 0.0, 0.0, v[k])
    else:
        t = (NAN, NAN, NAN, NAN, NAN, NAN)
    return t


@helper
def joint_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc, A):
    """Angular velocity, angular acceleration and acceleration of the origin, from those of the parent to those of body i.

    First carried along, with A = alpha^ + w^ w^ of the parent; then, for a relative twist (u, z) = S v of rate (du, dz) = S a:

        w <- w + z ,   alpha <- alpha + dz + w x z ,   acc <- acc + du + 2 w x u + z x u       (right-hand w: the parent's)
    """
    R, o = joint_pose(topology, constants, i, q, sine, cosine)
    w, alpha, acc = unrotate(R, w), unrotate(R, alpha), unrotate(R, add(acc, rotate(A, o)))
    t, d = joint_twist(topology, constants, i, v), joint_twist(topology, constants, i, a)
    u, z = linear(t), angular(t)
    acc = add(add(acc, linear(d)), add(scale(2.0, cross(w, u)), cross(z, u)))
    alpha = add(add(alpha, angular(d)), cross(w, z))
    return add(w, z), alpha, acc


@helper
def revolute_motion(topology, constants, i, sine, cosine, v, a, w, alpha, acc, A, forked):
    """`joint_motion` of a revolute joint; `forked` is None if it is `in_line`."""
    j, k, o = topology[i, Q], topology[i, V], load(constants, i, DISPLACEMENT)
    if forked is not None:
        acc = add(acc, rotate(A, o))
    else:
        x, z = o[0], o[2]
        acc = (acc[0] + A[0] * x + A[2] * z, acc[1] + A[3] * x + A[5] * z, acc[2] + A[6] * x + A[8] * z)
    w, alpha, acc = unturned_three(constants, i, sine[j], cosine[j], w, alpha, acc, forked)
    return (w[0], w[1], w[2] + v[k]), (alpha[0] + w[1] * v[k], alpha[1] - w[0] * v[k], alpha[2] + a[k]), acc


@helper
def prismatic_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc, A):
    """`joint_motion` of a prismatic joint."""
    j, k, o = topology[i, Q], topology[i, V], screw_origin(topology, constants, i, q)
    w, alpha, acc = unturned_three(constants, i, sine[j], cosine[j], w, alpha, add(acc, rotate(A, o)), True)
    return w, alpha, (acc[0] + 2.0 * w[1] * v[k], acc[1] - 2.0 * w[0] * v[k], acc[2] + a[k])


@helper
def free_motion(topology, constants, i, q, v, a, acc):
    """`joint_motion` of a free body on the world, which accelerates only."""
    k = topology[i, V]
    acc = free_acceleration(topology, constants, i, q, acc)
    w = (v[k + 3], v[k + 4], v[k + 5])
    acc = add(acc, add((a[k], a[k + 1], a[k + 2]), cross(w, (v[k], v[k + 1], v[k + 2]))))
    return w, (a[k + 3], a[k + 4], a[k + 5]), acc


@helper
def free_acceleration(topology, constants, i, q, acc):
    """An acceleration of the world, in axes of a free body."""
    j = topology[i, Q] + 3
    if not is_straight(constants, i):
        acc = unrotate(load9(constants, i, ROTATION), acc)
    return unrotate(of_quaternion(q[j], q[j + 1], q[j + 2], q[j + 3]), acc)


@helper
def is_straight(constants, i):
    """Whether the constant rotation of a planar, spherical or free joint is none."""
    return constants[i, ROTATION] == 1.0 and constants[i, ROTATION + 4] == 1.0 and constants[i, ROTATION + 8] == 1.0


@helper
def joint_force(topology, constants, i, a, f, tau):
    """Store S^T f, the part of the wrench f on body i that its joint must provide, and what its armature takes."""
    kind, k = topology[i, KIND], topology[i, V]
    if is_simple_screw(kind):
        tau[k] = (f[5] if kind == REVOLUTE else f[2]) + constants[i, ARMATURE] * a[k]
    else:
        project(topology, constants, i, f, tau)
        for j in range(topology[i, V_COUNT]):
            tau[k + j] = tau[k + j] + constants[i, ARMATURE + j] * a[k + j]


@helper
def project(topology, constants, i, f, tau):
    """Store S^T f, the part of a wrench that acts on the coordinates of joint i."""
    kind, k = topology[i, KIND], topology[i, V]
    if kind == REVOLUTE:
        tau[k] = f[5]
    elif kind == PRISMATIC:
        tau[k] = f[2]
    elif kind == FREE:
        tau[k], tau[k + 1], tau[k + 2], tau[k + 3], tau[k + 4], tau[k + 5] = f
    elif kind == SPHERICAL:
        tau[k], tau[k + 1], tau[k + 2] = f[3], f[4], f[5]
    elif kind == PLANAR:
        tau[k], tau[k + 1], tau[k + 2] = f[0], f[1], f[5]
    elif kind == HELICAL:
        tau[k] = f[5] + constants[i, PITCH] * f[2]
    else:
        for j in range(topology[i, V_COUNT]):
            tau[k + j] = NAN


@helper
def axis_number(kind, j):
    """Which unit twist coordinate j of a joint moves along."""
    if kind == FREE:
        return j
    elif kind == SPHERICAL:
        return 3 + j
    elif kind == PLANAR:
        return j if j < 2 else 5
    elif kind == PRISMATIC:
        return 2
    elif kind == REVOLUTE or kind == HELICAL:
        return 5
    return NO_AXIS


@helper
def entry(t, k):
    """Entry k of a twist or wrench."""
    if k == 5:
        return t[5]
    elif k == 4:
        return t[4]
    elif k == 3:
        return t[3]
    elif k == 2:
        return t[2]
    elif k == 1:
        return t[1]
    elif k == 0:
        return t[0]
    return NAN * t[0]


@helper
def along_axis(topology, constants, i, j, t):
    """S_j . t"""
    value = entry(t, axis_number(topology[i, KIND], j))
    if topology[i, KIND] == HELICAL:
        value = value + constants[i, PITCH] * t[2]
    return value


@helper
def moved_along(topology, constants, i, j, A, a):
    """A + S_j a"""
    k = axis_number(topology[i, KIND], j)
    if k == 5:
        A = (A[0], A[1], A[2], A[3], A[4], A[5] + a)
    elif k == 4:
        A = (A[0], A[1], A[2], A[3], A[4] + a, A[5])
    elif k == 3:
        A = (A[0], A[1], A[2], A[3] + a, A[4], A[5])
    elif k == 2:
        A = (A[0], A[1], A[2] + a, A[3], A[4], A[5])
    elif k == 1:
        A = (A[0], A[1] + a, A[2], A[3], A[4], A[5])
    elif k == 0:
        A = (A[0] + a, A[1], A[2], A[3], A[4], A[5])
    else:
        A = (NAN * A[0], NAN * A[1], NAN * A[2], NAN * A[3], NAN * A[4], NAN * A[5])
    if topology[i, KIND] == HELICAL:
        A = (A[0], A[1], A[2] + constants[i, PITCH] * a, A[3], A[4], A[5])
    return A


@helper
def joint_moved(topology, i, start, u, q):
    """Coordinates of joint i at chart coordinates u about `start`: shifts along world axes of the joint, rotation vectors."""
    kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
    if kind == FREE:
        for c in range(3):
            q[k + c] = start[k + c] + u[j + c]
        k, j = k + 3, j + 3
    if has_quaternion(kind):
        turn = quaternion_exp((u[j], u[j + 1], u[j + 2]))
        turned = quaternion_multiply((start[k], start[k + 1], start[k + 2], start[k + 3]), turn)
        q[k], q[k + 1], q[k + 2], q[k + 3] = quaternion_normalized(turned)
    else:
        for c in range(topology[i, V_COUNT]):
            q[k + c] = start[k + c] + u[j + c]


@helper
def joint_chart_rate(topology, i, q, u, v, rate):
    """Rate of the chart coordinates of joint i, which moves with v and is now at q."""
    kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
    if kind == FREE:
        R = of_quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6])
        rate[j], rate[j + 1], rate[j + 2] = rotate(R, (v[j], v[j + 1], v[j + 2]))
        j = j + 3
    if has_quaternion(kind):
        T = so3_tangent_inverse((u[j], u[j + 1], u[j + 2]))
        rate[j], rate[j + 1], rate[j + 2] = rotate(T, (v[j], v[j + 1], v[j + 2]))
    elif kind == PLANAR:
        s, c = sin(q[k + 2]), cos(q[k + 2])
        rate[j], rate[j + 1], rate[j + 2] = c * v[j] - s * v[j + 1], s * v[j] + c * v[j + 1], v[j + 2]
    else:
        for c in range(topology[i, V_COUNT]):
            rate[j + c] = v[j + c]
