"""A turn about an axis, which is z of the packed frame: q the angle, v its rate, S = wz.

`start` of `frames` is part of the angle: what `sine` and `cosine` hold is that of start + q.
"""

from locomote.compiler.source import helper
from locomote.compiler.trigonometry import sincos_at
from locomote.model.columns import COS_START, DISPLACEMENT, SIN_START, Q, V
from locomote.model.joints import numbers
from locomote.model.joints.axes import about_z, pose, turn_to
from locomote.model.joints.kind import ANGLE, ANGLE_RATE, PIN, Kind
from locomote.model.joints.screws import unturned_three
from locomote.spatial.algebra import add, rotate, turn_axis
from locomote.spatial.rows import load, put

NUMBER = numbers.REVOLUTE
Q_COUNT, AXES = 1, (5,)
SCREW = SIMPLE = True

KIND = Kind(
    "revolute",
    (1, 1),
    parts=lambda joint: [(NUMBER, turn_to(joint.axis))],
    slots=lambda joint: ([ANGLE], [ANGLE_RATE]),
    axes=("axis",),
    grounded=True,
    hangs=True,
    mark=PIN,
)


def motion(joint, q):
    """(4, 4) motion in the joint's own frame."""
    return pose(about_z(q[0]))


def sines(constants, i, k, q, sine, cosine):
    s, c = constants[i, SIN_START], constants[i, COS_START]
    x, y = sincos_at(q, k, sine, cosine)
    sine[k], cosine[k] = x * c + y * s, y * c - x * s


def twist(constants, i, j, v):
    return (0.0, 0.0, 0.0, 0.0, 0.0, v[j])


def project(topology, constants, i, j, f, tau):
    tau[j] = f[5]


def put_axes(topology, constants, i, j, x, y, z, o, axes):
    put(axes, 0, j, turn_axis(o, z))


def axis(j):
    return 5


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
