"""Motion in a plane, across z of the packed frame: q = x, y, angle; v the velocity in body axes; S = vx, vy, wz."""

import numpy as np

from locomote.compiler.scalars import cos, sin
from locomote.compiler.trigonometry import sincos_at
from locomote.model.joints import numbers
from locomote.model.joints.axes import about_z, pose, turn_to
from locomote.model.joints.kind import ANGLE, BODY_TURN, BODY_VELOCITY, NONE, PLACE, Kind
from locomote.spatial.algebra import add, rotate, subtract, turn_axis, turned_about_z
from locomote.spatial.groups import blocks_transposed_times, se2_exp, se2_log, se3_tangent_inverse
from locomote.spatial.rows import put, three

NUMBER = numbers.PLANAR
Q_COUNT, AXES, PLACES = 3, (0, 1, 5), 2
GROUP = True

KIND = Kind(
    "planar",
    (3, 3),
    parts=lambda joint: [(NUMBER, turn_to(joint.axis))],
    slots=lambda joint: ([*PLACE[:2], ANGLE], [*BODY_VELOCITY[:2], BODY_TURN[2]]),
    axes=("axis",),
    anchored=False,
    armature=NONE,
    on_group=True,
    slides=lambda joint: list(np.eye(3)[:2]),
    base="planar",
    other_bases=("plane", "2d", "se2"),
    goes=True,
    roams=True,
)


def motion(joint, q):
    """(4, 4) motion in the joint's own frame."""
    return pose(about_z(q[2]), (q[0], q[1], 0.0))


def sines(constants, i, k, q, sine, cosine):
    sine[k + 2], cosine[k + 2] = sincos_at(q, k + 2, sine, cosine)


def placed_by(R0, o, k, q, sine, cosine):
    return turned_about_z(R0, sine[k + 2], cosine[k + 2]), add(o, rotate(R0, (q[k], q[k + 1], 0.0)))


def twist(constants, i, j, v):
    return (v[j], v[j + 1], 0.0, 0.0, 0.0, v[j + 2])


def project(topology, constants, i, j, f, tau):
    tau[j], tau[j + 1], tau[j + 2] = f[0], f[1], f[5]


def put_axes(topology, constants, i, j, x, y, z, o, axes):
    put(axes, 0, j, (x[0], x[1], x[2], 0.0, 0.0, 0.0))
    put(axes, 0, j + 1, (y[0], y[1], y[2], 0.0, 0.0, 0.0))
    put(axes, 0, j + 2, turn_axis(o, z))


def axis(j):
    return j if j < 2 else 5


def rate(topology, i, k, j, q, v, out):
    s, c = sin(q[k + 2]), cos(q[k + 2])
    out[k], out[k + 1], out[k + 2] = c * v[j] - s * v[j + 1], s * v[j] + c * v[j + 1], v[j + 2]


def chart_rate(topology, i, k, j, q, u, v, out):
    s, c = sin(q[k + 2]), cos(q[k + 2])
    out[j], out[j + 1], out[j + 2] = c * v[j] - s * v[j + 1], s * v[j] + c * v[j + 1], v[j + 2]


def integrate(topology, i, k, j, q, dv, out):
    x, y, angle = se2_exp(three(dv, j))
    s, c = sin(q[k + 2]), cos(q[k + 2])
    out[k], out[k + 1], out[k + 2] = q[k] + c * x - s * y, q[k + 1] + s * x + c * y, q[k + 2] + angle


def difference(topology, i, k, j, q0, q1, out):
    s, c = sin(q0[k + 2]), cos(q0[k + 2])
    x, y, angle = subtract(three(q1, k), three(q0, k))
    out[j], out[j + 1], out[j + 2] = se2_log((c * x + s * y, c * y - s * x, angle))


def pull_back(j, away, force):
    T = se3_tangent_inverse((away[j], away[j + 1], 0.0, 0.0, 0.0, away[j + 2]))
    moved = blocks_transposed_times(T, (force[j], force[j + 1], 0.0, 0.0, 0.0, force[j + 2]))
    force[j], force[j + 1], force[j + 2] = moved[0], moved[1], moved[5]


def keep_shift(k, j, q_from, q_to, v):
    angle = q_from[k + 2] - q_to[k + 2]
    c, s = cos(angle), sin(angle)
    v[j], v[j + 1] = c * v[j] - s * v[j + 1], s * v[j] + c * v[j + 1]


def coast(j, v, a):
    a[j], a[j + 1] = v[j + 2] * v[j + 1], -v[j + 2] * v[j]
