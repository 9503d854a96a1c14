"""What kernels ask of a rigid body: its inertia, and the wrench that a motion takes."""

from locomote.compiler.source import helper
from locomote.model.columns import GROUPED_1, GROUPED_2, GROUPED_MASS, MASS, MOMENT_1, MOMENT_2
from locomote.spatial.algebra import add, angular, cross, join, linear, rotate, scale, symmetric_times
from locomote.spatial.rows import load, load6


@helper
def first_moment(constants, i):
    """Mass times center of mass, kg m."""
    return load(constants, i, MOMENT_1)


@helper
def second_moment(constants, i):
    """Integral of r r^T dm about the origin (xx, xy, xz, yy, yz, zz), kg m^2."""
    return load6(constants, i, MOMENT_2)


@helper
def moment_of_inertia(P):
    """That of a second moment: its trace times one, less itself."""
    return (P[3] + P[5], -P[1], -P[2], P[0] + P[5], -P[4], P[0] + P[3])


@helper
def momentum_of(constants, i, V):
    """Momentum (linear, angular about the origin) of rigid body i moving with twist V."""
    mc = first_moment(constants, i)
    v, w = linear(V), angular(V)
    return join(
        add(scale(constants[i, MASS], v), cross(w, mc)),
        add(symmetric_times(moment_of_inertia(second_moment(constants, i)), w), cross(mc, v)),
    )


@helper
def grouped(constants, i):
    """Mass, first and second moment of body i, some of it handed to its parent (`grouping`)."""
    return constants[i, GROUPED_MASS], load(constants, i, GROUPED_1), load6(constants, i, GROUPED_2)


@helper
def swirl(w, alpha):
    """The matrix A = alpha^ + w^ w^, nine numbers row by row: A r is what a point at r accelerates beyond the origin."""
    x, y, z = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        -(y + z), xy - alpha[2], xz + alpha[1],
        xy + alpha[2], -(x + z), yz - alpha[0],
        xz - alpha[1], yz + alpha[0], -(x + y),
    )  # fmt: skip


@helper
def newton_euler(constants, i, A, acc):
    """Wrench that body i takes to move so: force m acc + A c, moment about the origin c x acc + the axis of A P - (A P)^T."""
    m, c, P = grouped(constants, i)
    force = add(scale(m, acc), rotate(A, c))
    turn = (
        A[7] * P[3] - A[5] * P[5] + (A[8] - A[4]) * P[4] + A[6] * P[1] - A[3] * P[2],
        A[2] * P[5] - A[6] * P[0] + (A[0] - A[8]) * P[2] + A[1] * P[4] - A[7] * P[1],
        A[3] * P[0] - A[1] * P[3] + (A[4] - A[0]) * P[1] + A[5] * P[2] - A[2] * P[4],
    )
    return join(force, add(turn, cross(c, acc)))


@helper
def newton_euler_revolute(constants, i, A, acc):
    """The same for a body on a revolute joint, once grouped: m, c_z and P_zz are zero."""
    m, c, P = grouped(constants, i)
    x, y = c[0], c[1]
    return (
        A[0] * x + A[1] * y,
        A[3] * x + A[4] * y,
        A[6] * x + A[7] * y,
        A[7] * P[3] + (A[8] - A[4]) * P[4] + A[6] * P[1] - A[3] * P[2] + y * acc[2],
        (A[0] - A[8]) * P[2] - A[6] * P[0] + A[1] * P[4] - A[7] * P[1] - x * acc[2],
        A[3] * P[0] - A[1] * P[3] + (A[4] - A[0]) * P[1] + A[5] * P[2] - A[2] * P[4] + x * acc[1] - y * acc[0],
    )


@helper
def newton_euler_prismatic(constants, i, A, acc):
    """The same for a body on a prismatic joint, once grouped: P is zero."""
    m, c, P = grouped(constants, i)
    return join(add(scale(m, acc), rotate(A, c)), cross(c, acc))
