"""Any motion: q = position, quaternion x, y, z, w; v the twist in body axes; S = vx, vy, vz, wx, wy, wz."""

import numpy as np

from locomote.compiler.source import helper
from locomote.model.columns import ROTATION, Q, V
from locomote.model.joints import numbers
from locomote.model.joints.axes import pose
from locomote.model.joints.kind import BODY_TURN, BODY_VELOCITY, NONE, PLACE, QUATERNION, Kind
from locomote.spatial.algebra import add, compose, cross, of_quaternion, rotate, subtract, turn_axis, unrotate
from locomote.spatial.groups import blocks_transposed_times, se3_exp, se3_log, se3_tangent_inverse
from locomote.spatial.rotations import (
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_multiply,
    quaternion_normalized,
    so3_tangent_inverse,
)
from locomote.spatial.rows import four, load9, put, six, three

NUMBER = numbers.FREE
Q_COUNT, AXES, PLACES = 7, (0, 1, 2, 3, 4, 5), 3
GROUP = QUATERNION_TURN = True

KIND = Kind(
    "free",
    (7, 6),
    parts=lambda joint: [(NUMBER, np.eye(3))],
    slots=lambda joint: ([*PLACE, *QUATERNION], [*BODY_VELOCITY, *BODY_TURN]),
    anchored=False,
    armature=NONE,
    quaternion=3,
    on_group=True,
    slides=lambda joint: list(np.eye(3)),
    base="free",
    other_bases=("floating", "float", "floatingbase", "freeflyer", "freejoint", "6dof", "se3"),
    goes=True,
    roams=True,
)


def motion(joint, q):
    """(4, 4) motion in the joint's own frame."""
    return pose(np.reshape(of_quaternion(*q[3:]), (3, 3)), q[:3])


def placed_by(R0, o, k, q, sine, cosine):
    R = compose(R0, of_quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6]))
    return R, add(o, rotate(R0, (q[k], q[k + 1], q[k + 2])))


def twist(constants, i, j, v):
    return (v[j], v[j + 1], v[j + 2], v[j + 3], v[j + 4], v[j + 5])


def project(topology, constants, i, j, f, tau):
    tau[j], tau[j + 1], tau[j + 2], tau[j + 3], tau[j + 4], tau[j + 5] = f


def put_axes(topology, constants, i, j, x, y, z, o, axes):
    put(axes, 0, j, (x[0], x[1], x[2], 0.0, 0.0, 0.0))
    put(axes, 0, j + 1, (y[0], y[1], y[2], 0.0, 0.0, 0.0))
    put(axes, 0, j + 2, (z[0], z[1], z[2], 0.0, 0.0, 0.0))
    put(axes, 0, j + 3, turn_axis(o, x))
    put(axes, 0, j + 4, turn_axis(o, y))
    put(axes, 0, j + 5, turn_axis(o, z))


def axis(j):
    return j


def past_place(k):
    return k + 3


def rate(topology, i, k, j, q, v, out):
    turn = four(q, k + 3)
    out[k + 3 : k + 7] = quaternion_multiply(turn, (*(0.5 * v[j + 3 : j + 6]), 0.0))
    out[k : k + 3] = rotate(of_quaternion(*turn), three(v, j))


def move(topology, i, k, j, start, u, q):
    for c in range(3):
        q[k + c] = start[k + c] + u[j + c]
    turned = quaternion_multiply(four(start, k + 3), quaternion_exp(three(u, j + 3)))
    q[k + 3], q[k + 4], q[k + 5], q[k + 6] = quaternion_normalized(turned)


def chart(topology, i, k, j, start, q, u):
    for c in range(3):
        u[j + c] = q[k + c] - start[k + c]
    turn = quaternion_multiply(quaternion_conjugate(four(start, k + 3)), four(q, k + 3))
    u[j + 3], u[j + 4], u[j + 5] = quaternion_log(turn)


def chart_rate(topology, i, k, j, q, u, v, out):
    R = of_quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6])
    out[j], out[j + 1], out[j + 2] = rotate(R, three(v, j))
    out[j + 3], out[j + 4], out[j + 5] = rotate(so3_tangent_inverse(three(u, j + 3)), three(v, j + 3))


def integrate(topology, i, k, j, q, dv, out):
    turn, shift = se3_exp(six(dv, j))
    x, y, z, w = four(q, k + 3)
    out[k], out[k + 1], out[k + 2] = add(three(q, k), rotate(of_quaternion(x, y, z, w), shift))
    turned = quaternion_normalized(quaternion_multiply((x, y, z, w), turn))
    out[k + 3], out[k + 4], out[k + 5], out[k + 6] = turned


def difference(topology, i, k, j, q0, q1, out):
    x, y, z, w = four(q0, k + 3)
    place = unrotate(of_quaternion(x, y, z, w), subtract(three(q1, k), three(q0, k)))
    twist = se3_log(quaternion_multiply(quaternion_conjugate((x, y, z, w)), four(q1, k + 3)), place)
    out[j], out[j + 1], out[j + 2], out[j + 3], out[j + 4], out[j + 5] = twist


def pull_back(j, away, force):
    moved = blocks_transposed_times(se3_tangent_inverse(six(away, j)), six(force, j))
    force[j], force[j + 1], force[j + 2], force[j + 3], force[j + 4], force[j + 5] = moved


def keep_shift(k, j, q_from, q_to, v):
    R = of_quaternion(q_from[k + 3], q_from[k + 4], q_from[k + 5], q_from[k + 6])
    S = of_quaternion(q_to[k + 3], q_to[k + 4], q_to[k + 5], q_to[k + 6])
    v[j], v[j + 1], v[j + 2] = unrotate(S, rotate(R, three(v, j)))


def coast(j, v, a):
    a[j], a[j + 1], a[j + 2] = cross(three(v, j), three(v, j + 3))


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
