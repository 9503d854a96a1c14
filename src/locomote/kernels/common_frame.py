"""The whole tree seen from one frame: motion axes and inertias that can simply be added up.

The common frame is that of body 0 if all others descend from it (the base of a floating robot), else that of the world.
With the base itself as origin, distance from the world origin costs no accuracy and the base's axes are unit twists.

Per body, in `bodies`: R, o pose; m, mc, I mass, first moment and moment of inertia about the common origin,
grouped ones (`grouping`), and composite ones once summed inward. Per coordinate of v, in `axes`: S six rows, one column each.
"""

from locomote.compiler.source import helper, inlined_routine
from locomote.kernels.articulated import symmetric_turned
from locomote.kernels.bodies import grouped, moment_of_inertia
from locomote.model.columns import KIND, LAST, PARENT
from locomote.model.joints import FREE, joint_sines, placed, put_axes
from locomote.spatial.algebra import IDENTITY, add, cross, join, rotate, scale, subtract, symmetric_times
from locomote.spatial.rows import load, load6, load9, store, store6, store9

ROTATION, ORIGIN, MASS_, FIRST, SECOND = 0, 9, 12, 13, 16  # columns of `bodies`
BODIES = 22
AXES = 6  # rows of `axes`


@helper
def take(axes, row, k):
    """The twist of column k."""
    return axes[row, k], axes[row + 1, k], axes[row + 2, k], axes[row + 3, k], axes[row + 4, k], axes[row + 5, k]


@helper
def moments_shifted(m, c, P, o):
    """First and second moment (of r r^T) of a body about an origin that stands at -o: c + m o, P + o c^T + c o^T + m o o^T."""
    d = add(c, scale(0.5 * m, o))
    P = (
        P[0] + 2.0 * o[0] * d[0], P[1] + o[0] * d[1] + o[1] * d[0], P[2] + o[0] * d[2] + o[2] * d[0],
        P[3] + 2.0 * o[1] * d[1], P[4] + o[1] * d[2] + o[2] * d[1], P[5] + 2.0 * o[2] * d[2],
    )  # fmt: skip
    return add(c, scale(m, o)), P


@helper
def moments_shifted_in_plane(m, c, P, x, z):
    """`moments_shifted` for o = (x, 0, z)."""
    u, w = c[0] + 0.5 * m * x, c[2] + 0.5 * m * z
    P = (P[0] + 2.0 * x * u, P[1] + x * c[1], P[2] + x * w + z * u, P[3], P[4] + z * c[1], P[5] + 2.0 * z * w)
    return (c[0] + m * x, c[1], c[2] + m * z), P


@helper
def put_inertia(constants, i, R, o, bodies):
    """Mass, first moment and moment of inertia of body i about the common origin."""
    m, c, P = grouped(constants, i)
    c, P = moments_shifted(m, rotate(R, c), symmetric_turned(R, P), o)
    bodies[i, MASS_] = m
    store(bodies, i, FIRST, c)
    store6(bodies, i, SECOND, moment_of_inertia(P))


@inlined_routine
def place_bodies(topology, constants, nq, q, sine, cosine, bodies, axes):
    """Fill poses, motion axes and the grouped inertias of all bodies."""
    world = topology.shape[0] - 1
    joint_sines(topology, constants, nq, q, sine, cosine)
    store9(bodies, world, ROTATION, IDENTITY)
    store(bodies, world, ORIGIN, (0.0, 0.0, 0.0))
    for i in range(world):
        p = topology[i, PARENT]
        if i == 0 and topology[0, LAST] == world - 1:
            store9(bodies, 0, ROTATION, IDENTITY)
            store(bodies, 0, ORIGIN, (0.0, 0.0, 0.0))
            R, o = load9(bodies, 0, ROTATION), load(bodies, 0, ORIGIN)
        else:
            R, o = placed(topology, constants, i, q, sine, cosine, load9(bodies, p, ROTATION), load(bodies, p, ORIGIN))
            store9(bodies, i, ROTATION, R)
            store(bodies, i, ORIGIN, o)
        put_axes(topology, constants, i, R, o, axes)
        put_inertia(constants, i, R, o, bodies)


@helper
def has_free_base(topology):
    """Whether the common frame is that of a free base, whose motion axes then are the six unit twists."""
    return topology[0, KIND] == FREE and topology[0, LAST] == topology.shape[0] - 2


@helper
def put_row(out, k, shift, f):
    """Six numbers into the columns of the base in row k."""
    out[k, shift], out[k, shift + 1], out[k, shift + 2] = f[0], f[1], f[2]
    out[k, shift + 3], out[k, shift + 4], out[k, shift + 5] = f[3], f[4], f[5]


@helper
def composite_times(bodies, i, t):
    """Momentum of composite body i moving with the twist t, about the common origin."""
    m, c, v, w = bodies[i, MASS_], load(bodies, i, FIRST), (t[0], t[1], t[2]), (t[3], t[4], t[5])
    return join(subtract(scale(m, v), cross(c, w)), add(symmetric_times(load6(bodies, i, SECOND), w), cross(c, v)))


@helper
def add_composite(bodies, i, p):
    """Sum the inertia of body i into that of its parent."""
    for k in range(MASS_, BODIES):
        bodies[p, k] = bodies[p, k] + bodies[i, k]
