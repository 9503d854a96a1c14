"""A shift along an axis, which is z of the packed frame: q the shift, v its rate, S = vz. Its angle is `start` of `frames`."""

from locomote.compiler.source import helper
from locomote.model.columns import COS_START, SIN_START, Q, V
from locomote.model.joints import numbers
from locomote.model.joints.axes import pose, turn_to
from locomote.model.joints.kind import BLOCK, SHIFT, SHIFT_RATE, Kind
from locomote.model.joints.screws import origin_along, unturned_three
from locomote.spatial.algebra import add, rotate, scale
from locomote.spatial.rows import put

NUMBER = numbers.PRISMATIC
Q_COUNT, AXES = 1, (2,)
SCREW = SIMPLE = True

KIND = Kind(
    "prismatic",
    (1, 1),
    parts=lambda joint: [(NUMBER, turn_to(joint.axis))],
    slots=lambda joint: ([SHIFT], [SHIFT_RATE]),
    axes=("axis",),
    turns=False,
    slides=lambda joint: [turn_to(joint.axis)[:, 2]],
    grounded=True,
    goes=True,
    mark=BLOCK,
    railed=True,
)


def motion(joint, q):
    """(4, 4) motion in the joint's own frame."""
    return pose(shift=(0.0, 0.0, q[0]))


def sines(constants, i, k, q, sine, cosine):
    sine[k], cosine[k] = constants[i, SIN_START], constants[i, COS_START]


def shift(constants, i, k, q):
    return q[k]


def advanced(constants, i, k, q, R, o):
    return add(o, scale(q[k], (R[2], R[5], R[8])))


def twist(constants, i, j, v):
    return (0.0, 0.0, v[j], 0.0, 0.0, 0.0)


def project(topology, constants, i, j, f, tau):
    tau[j] = f[2]


def put_axes(topology, constants, i, j, x, y, z, o, axes):
    put(axes, 0, j, (z[0], z[1], z[2], 0.0, 0.0, 0.0))


def axis(j):
    return 2


@helper
def prismatic_motion(topology, constants, i, q, sine, cosine, v, a, w, alpha, acc, A):
    """`joint_motion` of a prismatic joint."""
    j, k = topology[i, Q], topology[i, V]
    o = origin_along(constants, i, q[j])
    w, alpha, acc = unturned_three(constants, i, sine[j], cosine[j], w, alpha, add(acc, rotate(A, o)), True)
    return w, alpha, (acc[0] + 2.0 * w[1] * v[k], acc[1] - 2.0 * w[0] * v[k], acc[2] + a[k])
