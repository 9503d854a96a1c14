"""What kernels ask of a rigid body: its inertia, and the wrench that a motion takes."""

from locomote.engine.source import helper
from locomote.model.columns import MASS, MOMENT_1, MOMENT_2
from locomote.spatial.algebra import add, angular, cross, join, linear, scale, symmetric_times
from locomote.spatial.rows import load, load6


@helper
def first_moment(constants, i):
    """Mass times centre of mass, kg m."""
    return load(constants, i, MOMENT_1)


@helper
def second_moment(constants, i):
    """Moment of inertia about the origin (xx, xy, xz, yy, yz, zz), kg m^2."""
    return load6(constants, i, MOMENT_2)


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
