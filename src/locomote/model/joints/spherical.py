"""A ball: q = quaternion x, y, z, w; v the angular velocity in body axes; S = wx, wy, wz."""

import numpy as np

from locomote.model.joints import numbers
from locomote.model.joints.axes import pose
from locomote.model.joints.kind import BODY_TURN, QUATERNION, SAME, Kind
from locomote.spatial.algebra import compose, of_quaternion, rotate, turn_axis
from locomote.spatial.groups import blocks_transposed_times, se3_tangent_inverse
from locomote.spatial.rotations import (
    quaternion_conjugate,
    quaternion_exp,
    quaternion_log,
    quaternion_multiply,
    quaternion_normalized,
    so3_tangent_inverse,
)
from locomote.spatial.rows import four, put, three

NUMBER = numbers.SPHERICAL
Q_COUNT, AXES, PLACES = 4, (3, 4, 5), 0
GROUP = QUATERNION_TURN = True

KIND = Kind(
    "spherical",
    (4, 3),
    parts=lambda joint: [(NUMBER, np.eye(3))],
    slots=lambda joint: (QUATERNION, BODY_TURN),
    armature=SAME,
    quaternion=0,
    on_group=True,
    base="rotation",
    other_bases=("spherical", "ball", "so3"),
    goes=True,
    hangs=True,
)


def motion(joint, q):
    """(4, 4) motion in the joint's own frame."""
    return pose(np.reshape(of_quaternion(*q), (3, 3)))


def placed_by(R0, o, k, q, sine, cosine):
    return compose(R0, of_quaternion(q[k], q[k + 1], q[k + 2], q[k + 3])), o


def twist(constants, i, j, v):
    return (0.0, 0.0, 0.0, v[j], v[j + 1], v[j + 2])


def project(topology, constants, i, j, f, tau):
    tau[j], tau[j + 1], tau[j + 2] = f[3], f[4], f[5]


def put_axes(topology, constants, i, j, x, y, z, o, axes):
    put(axes, 0, j, turn_axis(o, x))
    put(axes, 0, j + 1, turn_axis(o, y))
    put(axes, 0, j + 2, turn_axis(o, z))


def axis(j):
    return 3 + j


def rate(topology, i, k, j, q, v, out):
    out[k : k + 4] = quaternion_multiply(four(q, k), (*(0.5 * v[j : j + 3]), 0.0))


def move(topology, i, k, j, start, u, q):
    turned = quaternion_multiply(four(start, k), quaternion_exp(three(u, j)))
    q[k], q[k + 1], q[k + 2], q[k + 3] = quaternion_normalized(turned)


def chart(topology, i, k, j, start, q, u):
    u[j], u[j + 1], u[j + 2] = quaternion_log(quaternion_multiply(quaternion_conjugate(four(start, k)), four(q, k)))


def chart_rate(topology, i, k, j, q, u, v, out):
    out[j], out[j + 1], out[j + 2] = rotate(so3_tangent_inverse(three(u, j)), three(v, j))


def integrate(topology, i, k, j, q, dv, out):
    turned = quaternion_normalized(quaternion_multiply(four(q, k), quaternion_exp(three(dv, j))))
    out[k], out[k + 1], out[k + 2], out[k + 3] = turned


def difference(topology, i, k, j, q0, q1, out):
    turn = quaternion_log(quaternion_multiply(quaternion_conjugate(four(q0, k)), four(q1, k)))
    out[j], out[j + 1], out[j + 2] = turn


def pull_back(j, away, force):
    T = se3_tangent_inverse((0.0, 0.0, 0.0, away[j], away[j + 1], away[j + 2]))
    moved = blocks_transposed_times(T, (0.0, 0.0, 0.0, force[j], force[j + 1], force[j + 2]))
    force[j], force[j + 1], force[j + 2] = moved[3], moved[4], moved[5]
