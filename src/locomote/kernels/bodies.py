"""What kernels ask of a body: its inertia, and the wrench that a motion takes."""

from locomote.engine.source import helper
from locomote.model.columns import ADDED, MASS, MOMENT_1, MOMENT_2
from locomote.spatial.algebra import add, angular, cross, join, linear, scale, subtract, symmetric_times


@helper
def first_moment(constants, i):
    """Mass times centre of mass, kg m."""
    return constants[i, MOMENT_1], constants[i, MOMENT_1 + 1], constants[i, MOMENT_1 + 2]


@helper
def second_moment(constants, i):
    """Moment of inertia about the origin (xx, xy, xz, yy, yz, zz), kg m^2."""
    k = MOMENT_2
    return (
        constants[i, k], constants[i, k + 1], constants[i, k + 2],
        constants[i, k + 3], constants[i, k + 4], constants[i, k + 5],
    )  # fmt: skip


@helper
def momentum_of(constants, i, V):
    """Momentum (linear, angular about the origin) of rigid body i moving with twist V."""
    mc = first_moment(constants, i)
    v, w = linear(V), angular(V)
    return join(
        add(scale(constants[i, MASS], v), cross(w, mc)),
        add(symmetric_times(second_moment(constants, i), w), cross(mc, v)),
    )


@helper
def newton_euler(constants, i, w, alpha, acc):
    """Wrench (force, moment about the origin) that rigid body i takes to move so; acc is that of its origin."""
    mc, moment = first_moment(constants, i), second_moment(constants, i)
    force = add(scale(constants[i, MASS], acc), add(cross(alpha, mc), cross(w, cross(w, mc))))
    turn = add(symmetric_times(moment, alpha), add(cross(w, symmetric_times(moment, w)), cross(mc, acc)))
    return join(force, turn)


@helper
def has_added(constants):
    """Whether any body of the model carries an added inertia."""
    return constants.shape[1] > ADDED


@helper
def added_times(constants, i, t):
    """The added inertia of body i times a twist."""
    k = ADDED
    L = (constants[i, k], constants[i, k + 1], constants[i, k + 2], constants[i, k + 3], constants[i, k + 4], constants[i, k + 5])
    A = (
        constants[i, k + 15], constants[i, k + 16], constants[i, k + 17],
        constants[i, k + 18], constants[i, k + 19], constants[i, k + 20],
    )  # fmt: skip
    v, w = linear(t), angular(t)
    across = (
        constants[i, k + 6] * w[0] + constants[i, k + 7] * w[1] + constants[i, k + 8] * w[2],
        constants[i, k + 9] * w[0] + constants[i, k + 10] * w[1] + constants[i, k + 11] * w[2],
        constants[i, k + 12] * w[0] + constants[i, k + 13] * w[1] + constants[i, k + 14] * w[2],
    )
    along = (
        constants[i, k + 6] * v[0] + constants[i, k + 9] * v[1] + constants[i, k + 12] * v[2],
        constants[i, k + 7] * v[0] + constants[i, k + 10] * v[1] + constants[i, k + 13] * v[2],
        constants[i, k + 8] * v[0] + constants[i, k + 11] * v[1] + constants[i, k + 14] * v[2],
    )
    return join(add(symmetric_times(L, v), across), add(along, symmetric_times(A, w)))


@helper
def added_wrench(constants, i, v, w, alpha, acc):
    """Wrench that the added inertia of body i takes; v and acc (without gravity) are those of the origin."""
    twist, rate = join(v, w), join(subtract(acc, cross(w, v)), alpha)
    h = added_times(constants, i, twist)
    f = added_times(constants, i, rate)
    force = add(linear(f), cross(w, linear(h)))
    return join(force, add(angular(f), add(cross(w, angular(h)), cross(v, linear(h)))))
