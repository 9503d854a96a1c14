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

The pose of a body in its parent is (R, o) = (R0, o0) times the joint's own motion, (R0, o0) being constants of the model.
"""

from locomote.engine.scalars import cos, sin
from locomote.engine.source import helper
from locomote.model.columns import ARMATURE, DISPLACEMENT, KIND, PITCH, ROTATION, V_COUNT, Q, V
from locomote.spatial.algebra import (
    add,
    angular,
    compose,
    cross,
    linear,
    of_quaternion,
    rotate,
    scale,
    turned_about_z,
    unrotate,
    wrench_to_parent,
)
from locomote.spatial.rotations import quaternion_exp, quaternion_multiply, quaternion_normalized, so3_tangent_inverse
from locomote.spatial.rows import load, load9

REVOLUTE, PRISMATIC, HELICAL, PLANAR, SPHERICAL, FREE = range(6)
Q_SIZE = (1, 1, 1, 3, 4, 7)
V_SIZE = (1, 1, 1, 3, 3, 6)
AXES_OF_V = ((5,), (2,), (5,), (0, 1, 5), (3, 4, 5), (0, 1, 2, 3, 4, 5))


@helper
def revolute_pose(topology, constants, i, sine, cosine):
    """Pose (R, o) in its parent of a body on a revolute joint."""
    k = topology[i, Q]
    return turned_about_z(load9(constants, i, ROTATION), sine[k], cosine[k]), load(constants, i, DISPLACEMENT)


@helper
def joint_pose(topology, constants, i, q, sine, cosine):
    """Pose (R, o) of body i in its parent."""
    kind, k = topology[i, KIND], topology[i, Q]
    R0, o0 = load9(constants, i, ROTATION), load(constants, i, DISPLACEMENT)
    if kind == REVOLUTE:
        R, o = turned_about_z(R0, sine[k], cosine[k]), o0
    elif kind == PRISMATIC:
        R, o = R0, add(o0, scale(q[k], (R0[2], R0[5], R0[8])))
    elif kind == FREE:
        R = compose(R0, of_quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6]))
        o = add(o0, rotate(R0, (q[k], q[k + 1], q[k + 2])))
    elif kind == SPHERICAL:
        R, o = compose(R0, of_quaternion(q[k], q[k + 1], q[k + 2], q[k + 3])), o0
    elif kind == PLANAR:
        R = turned_about_z(R0, sine[k + 2], cosine[k + 2])
        o = add(o0, rotate(R0, (q[k], q[k + 1], 0.0)))
    else:
        R = turned_about_z(R0, sine[k], cosine[k])
        o = add(o0, scale(constants[i, PITCH] * q[k], (R0[2], R0[5], R0[8])))
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
    else:
        t = (0.0, 0.0, constants[i, PITCH] * v[k], 0.0, 0.0, v[k])
    return t


@helper
def carried(R, o, w, alpha, acc):
    """Motion of a frame fixed to the parent at pose (R, o): angular velocity and acceleration, acceleration of the origin."""
    acc = add(acc, add(cross(alpha, o), cross(w, cross(w, o))))
    return unrotate(R, w), unrotate(R, alpha), unrotate(R, acc)


@helper
def joint_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc):
    """Angular velocity, angular acceleration and acceleration of the origin, from those of the parent to those of body i.

    First carried along, then with the relative twist (u, z) = S v and its rate (du, dz) = S a:

        w <- w + z ,   alpha <- alpha + dz + w x z ,   acc <- acc + du + 2 w x u + z x u       (right-hand w: the parent's)
    """
    kind, k = topology[i, KIND], topology[i, V]
    if kind == REVOLUTE:
        R, o = revolute_pose(topology, constants, i, sine, cosine)
        w, alpha, acc = carried(R, o, w, alpha, acc)
        alpha = (alpha[0] + w[1] * v[k], alpha[1] - w[0] * v[k], alpha[2] + a[k])
        w = (w[0], w[1], w[2] + v[k])
    elif kind == PRISMATIC:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        w, alpha, acc = carried(R, o, w, alpha, acc)
        acc = (acc[0] + 2.0 * w[1] * v[k], acc[1] - 2.0 * w[0] * v[k], acc[2] + a[k])
    else:
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        w, alpha, acc = carried(R, o, w, alpha, acc)
        t, d = joint_twist(topology, constants, i, v), joint_twist(topology, constants, i, a)
        u, z = linear(t), angular(t)
        acc = add(add(acc, linear(d)), add(scale(2.0, cross(w, u)), cross(z, u)))
        alpha = add(add(alpha, angular(d)), cross(w, z))
        w = add(w, z)
    return w, alpha, acc


@helper
def joint_force(topology, constants, i, q, sine, cosine, a, f, tau):
    """Store S^T f, the part of the wrench f on body i that its joint must provide, and what its armature takes.

    Returns the wrench seen from the parent.
    """
    kind, k = topology[i, KIND], topology[i, V]
    if kind == REVOLUTE:
        tau[k] = f[5] + constants[i, ARMATURE] * a[k]
        R, o = revolute_pose(topology, constants, i, sine, cosine)
        f = wrench_to_parent(R, o, f)
    else:
        project(topology, constants, i, f, tau)
        for j in range(topology[i, V_COUNT]):
            tau[k + j] = tau[k + j] + constants[i, ARMATURE + j] * a[k + j]
        R, o = joint_pose(topology, constants, i, q, sine, cosine)
        f = wrench_to_parent(R, o, f)
    return f


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
    else:
        tau[k] = f[5] + constants[i, PITCH] * f[2]


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
    return 5


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
    return t[0]


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
    else:
        A = (A[0] + a, A[1], A[2], A[3], A[4], A[5])
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
    if kind >= SPHERICAL:
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
    if kind >= SPHERICAL:
        T = so3_tangent_inverse((u[j], u[j + 1], u[j + 2]))
        rate[j], rate[j + 1], rate[j + 2] = rotate(T, (v[j], v[j + 1], v[j + 2]))
    elif kind == PLANAR:
        s, c = sin(q[k + 2]), cos(q[k + 2])
        rate[j], rate[j + 1], rate[j + 2] = c * v[j] - s * v[j + 1], s * v[j] + c * v[j + 1], v[j + 2]
    else:
        rate[j] = v[j]
