"""A springy leg without mass on a foothold."""

from functools import partial

from locomote.compiler.scalars import select, sqrt
from locomote.forces.user import Law
from locomote.spatial.algebra import dot, scale, subtract, unrotate


@partial(Law, energy=True)
def pogo(t, R, o, u, w, foot, stiffness, length):
    """A spring from a foothold that pushes while it is shorter than its length."""
    d = subtract(o, foot)
    distance = sqrt(dot(d, d) + 1e-300)
    short = length - distance
    short = select(short > 0.0, short, 0.0)
    push = unrotate(R, scale(stiffness * short / distance, d))
    return push, (0.0, 0.0, 0.0), 0.5 * stiffness * short * short, 0.0


pogo.leg = True
