"""Added inertia of a body: a symmetric 6x6 matrix over twists that has no weight, such as the mass of the water around it."""

from locomote.compiler.source import helper
from locomote.kernels.articulated import blocks_times
from locomote.model.columns import ADDED
from locomote.spatial.algebra import bracket_dual, cross, join, plus, subtract
from locomote.spatial.rows import load6, load9


@helper
def has_added(constants):
    """Whether any body of the model carries an added inertia."""
    return constants.shape[1] > ADDED


@helper
def added_blocks(constants, i):
    """L, H, J of the added inertia of body i."""
    return load6(constants, i, ADDED), load9(constants, i, ADDED + 6), load6(constants, i, ADDED + 15)


@helper
def added_times(constants, i, t):
    """The added inertia of body i times a twist."""
    L, H, J = added_blocks(constants, i)
    return blocks_times(L, H, J, t)


@helper
def added_wrench(constants, i, v, w, alpha, acc):
    """Wrench that the added inertia of body i takes; v and acc (without gravity) are those of the origin."""
    twist, rate = join(v, w), join(subtract(acc, cross(w, v)), alpha)
    return plus(added_times(constants, i, rate), bracket_dual(twist, added_times(constants, i, twist)))
