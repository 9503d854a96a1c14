"""A screw: a turn about an axis, z of the packed frame, that advances along it by `pitch` an angle.

q the angle, v its rate, S = wz + pitch vz. A flag PITCHED says that S is a unit twist and the pitch along vz besides.
"""

from locomote.compiler.trigonometry import sincos_at
from locomote.model.columns import COS_START, PITCH, SIN_START
from locomote.model.joints import numbers
from locomote.model.joints.axes import about_z, pose, turn_to
from locomote.model.joints.kind import ANGLE, ANGLE_RATE, PIN, Kind
from locomote.spatial.algebra import add, join, scale, turn_axis
from locomote.spatial.rows import put

NUMBER = numbers.HELICAL
Q_COUNT, AXES = 1, (5,)
SCREW = PITCHED = True

KIND = Kind(
    "helical",
    (1, 1),
    parts=lambda joint: [(NUMBER, turn_to(joint.axis))],
    slots=lambda joint: ([ANGLE], [ANGLE_RATE]),
    axes=("axis",),
    grounded=True,
    mark=PIN,
    railed=True,
)


def motion(joint, q):
    """(4, 4) motion in the joint's own frame."""
    return pose(about_z(q[0]), (0.0, 0.0, joint.pitch * q[0]))


def sines(constants, i, k, q, sine, cosine):
    s, c = constants[i, SIN_START], constants[i, COS_START]
    x, y = sincos_at(q, k, sine, cosine)
    sine[k], cosine[k] = x * c + y * s, y * c - x * s


def shift(constants, i, k, q):
    return constants[i, PITCH] * q[k]


def advanced(constants, i, k, q, R, o):
    return add(o, scale(constants[i, PITCH] * q[k], (R[2], R[5], R[8])))


def twist(constants, i, j, v):
    return (0.0, 0.0, constants[i, PITCH] * v[j], 0.0, 0.0, v[j])


def project(topology, constants, i, j, f, tau):
    tau[j] = f[5] + constants[i, PITCH] * f[2]


def put_axes(topology, constants, i, j, x, y, z, o, axes):
    S = turn_axis(o, z)
    put(axes, 0, j, join(add((S[0], S[1], S[2]), scale(constants[i, PITCH], z)), z))


def axis(j):
    return 5
