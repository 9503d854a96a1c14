"""States of a contact in a sweep (open, stick, slide): its impulse, its inertia and wrench on the body, its residual.

Numbers (1) to (3) are those of `methods.timestep.sweep`; rows are those of `contact.sweep_columns`, vectors in body axes.
"""

from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper
from locomote.contact import spots as at
from locomote.contact.sweep_columns import ACROSS, DIRECTION, DRIFT, MODE, NORMAL, SIZE, SLIDE, SLOW, STICK
from locomote.kernels.contact_sweep import ANGULAR, COUPLING, LINEAR, WRENCH
from locomote.kernels.inverse_dynamics import ACC
from locomote.spatial.algebra import add, cross, dot, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, store

EASE = 0.1  # part of its friction that a point at the edge leaves to others
EDGE = 0.9  # part of friction that there is, beyond which a load is near the edge of its cone


@helper
def larger(a, b):
    return select(a > b, a, b)


@helper
def chosen(where, a, b):
    """A vector where a condition holds, else another."""
    return select(where, a[0], b[0]), select(where, a[1], b[1]), select(where, a[2], b[2])


@helper
def store_where(rows, i, k, where, a):
    """Three numbers into a row where a condition holds."""
    store(rows, i, k, chosen(where, a, load(rows, i, k)))


@helper
def point_velocity(rows, b, first, r):
    """Velocity, or what is like it, of the point r of a body, in its axes; first : column of the twist."""
    return add(load(rows, b, first), cross(load(rows, b, first + 3), r))


@helper
def turning(newton, world, b, R, r, place):
    """How fast the velocity of the point r of a body, of a ball about `place` or at r itself, changes by the motion alone, in
    its axes: rows of inverse dynamics without accelerations, whose world goes up."""
    w, alpha = load(newton, b, 0), load(newton, b, 3)
    rate = subtract(load(newton, b, ACC), unrotate(R, load(newton, world, ACC)))
    return add(add(rate, cross(alpha, r)), cross(w, cross(w, place)))


@helper
def above_plane(laws, c, R, o):
    """Normal, point that touches, and gap of a ball on a plane of the world."""
    F = at.FRAME
    n = (laws[c, F + 2], laws[c, F + 5], laws[c, F + 8])
    x = add(o, rotate(R, load(laws, c, at.PLACE)))
    gap = dot(n, subtract(x, load(laws, c, F + 9))) - laws[c, at.RADIUS]
    return n, subtract(x, scale(laws[c, at.RADIUS], n)), gap


@helper
def sticking_impulse(n, e, rho, p, u):
    """(1)"""
    return subtract(p, scale(rho, add(u, scale(e, n))))


@helper
def sliding_impulse(n, e, rho, p, u, d, size, g, drift):
    """(2)"""
    t = cross(n, d)
    f = add(scale(dot(p, n) - rho * (dot(u, n) + e), n), scale(size, d))
    return subtract(f, scale(g * (dot(t, u) - drift), t))


@helper
def choose_way(near, c, mu, rho, p, u, weight, where):
    """Let contact c slide if lam - r u* is beyond its cone, and stick if not; weight : r, or 0 if p has it already. where :
    whether it chooses at all"""
    n = load(near, c, NORMAL)
    s = subtract(p, scale(weight, u))
    s = subtract(s, scale(dot(s, n), n))
    length, size = sqrt(dot(s, s)), mu * dot(p, n)
    beyond = length > size
    near[c, MODE] = select(where, select(beyond, SLIDE, STICK), near[c, MODE])
    slides = where & beyond
    one = select(slides, 1.0, 0.0) / select(slides, length, 1.0)
    d = scale(one, s)
    near[c, SIZE] = select(slides, size, near[c, SIZE])
    near[c, ACROSS] = select(slides, rho * size * one, near[c, ACROSS])
    near[c, DRIFT] = select(slides, dot(cross(n, d), u), near[c, DRIFT])
    store_where(near, c, DIRECTION, slides, d)


@helper
def is_still(n, u):
    """Whether a point does not slide."""
    across = subtract(u, scale(dot(u, n), n))
    return dot(across, across) < SLOW * SLOW


@helper
def at_edge(n, mu, u, p, light):
    """Whether a light load has nearly all the friction that there is, and does not slide."""
    p_n = dot(p, n)
    friction, most = subtract(p, scale(p_n, n)), EDGE * mu * p_n
    return is_still(n, u) & (dot(friction, friction) > most * most) & (p_n < light)


@helper
def eased(n, u, p, light, where):
    """The load of a point that is at the edge of its cone and does not slide, a little away from the edge, if it is light, and
    its velocity, next to nothing, as none. Other points of its foot take what it leaves; it would stick in one step and slide
    in the next. where : whether at all"""
    still = where & is_still(n, u) & (dot(p, n) < light)
    ease, part = select(still, EASE, 0.0), select(still, 0.0, 1.0)
    return subtract(p, scale(ease, subtract(p, scale(dot(p, n), n)))), scale(part, u)


@helper
def add_point(extra, b, rho, r):
    """Add rho in all directions at the point r to the inertia of body b."""
    x, y, z = r
    extra[b, LINEAR] += rho
    extra[b, LINEAR + 3] += rho
    extra[b, LINEAR + 5] += rho
    extra[b, COUPLING + 1] += rho * z
    extra[b, COUPLING + 2] -= rho * y
    extra[b, COUPLING + 3] -= rho * z
    extra[b, COUPLING + 5] += rho * x
    extra[b, COUPLING + 6] += rho * y
    extra[b, COUPLING + 7] -= rho * x
    extra[b, ANGULAR] += rho * (y * y + z * z)
    extra[b, ANGULAR + 1] -= rho * x * y
    extra[b, ANGULAR + 2] -= rho * x * z
    extra[b, ANGULAR + 3] += rho * (x * x + z * z)
    extra[b, ANGULAR + 4] -= rho * y * z
    extra[b, ANGULAR + 5] += rho * (x * x + y * y)


@helper
def add_line(extra, b, g, a, m):
    """Add g (a, m) (a, m)^T to the inertia of body b."""
    extra[b, LINEAR] += g * a[0] * a[0]
    extra[b, LINEAR + 1] += g * a[0] * a[1]
    extra[b, LINEAR + 2] += g * a[0] * a[2]
    extra[b, LINEAR + 3] += g * a[1] * a[1]
    extra[b, LINEAR + 4] += g * a[1] * a[2]
    extra[b, LINEAR + 5] += g * a[2] * a[2]
    extra[b, COUPLING] += g * a[0] * m[0]
    extra[b, COUPLING + 1] += g * a[0] * m[1]
    extra[b, COUPLING + 2] += g * a[0] * m[2]
    extra[b, COUPLING + 3] += g * a[1] * m[0]
    extra[b, COUPLING + 4] += g * a[1] * m[1]
    extra[b, COUPLING + 5] += g * a[1] * m[2]
    extra[b, COUPLING + 6] += g * a[2] * m[0]
    extra[b, COUPLING + 7] += g * a[2] * m[1]
    extra[b, COUPLING + 8] += g * a[2] * m[2]
    extra[b, ANGULAR] += g * m[0] * m[0]
    extra[b, ANGULAR + 1] += g * m[0] * m[1]
    extra[b, ANGULAR + 2] += g * m[0] * m[2]
    extra[b, ANGULAR + 3] += g * m[1] * m[1]
    extra[b, ANGULAR + 4] += g * m[1] * m[2]
    extra[b, ANGULAR + 5] += g * m[2] * m[2]


@helper
def add_force(extra, b, r, f):
    """Add a force at the point r to the wrench on body b."""
    m = cross(r, f)
    extra[b, WRENCH] += f[0]
    extra[b, WRENCH + 1] += f[1]
    extra[b, WRENCH + 2] += f[2]
    extra[b, WRENCH + 3] += m[0]
    extra[b, WRENCH + 4] += m[1]
    extra[b, WRENCH + 5] += m[2]


@helper
def off_the_law(n, mu, m, p, u):
    """How far p and u (with e in its normal part) are from the contact law, m/s: `contact.coulomb.miss` with axes left open."""
    u_n, p_n = dot(u, n), dot(p, n)
    size = larger(p_n - m * u_n, 0.0)
    s = subtract(subtract(p, scale(p_n, n)), scale(m, subtract(u, scale(u_n, n))))
    length, radius = sqrt(dot(s, s)), mu * size
    s = scale(select(length > radius, radius, 1.0) / select(length > radius, length, 1.0), s)
    off = subtract(p, add(scale(size, n), s))
    return sqrt(dot(off, off)) / m


@helper
def in_cone(n, mu, p):
    """An impulse that meets the contact law but for rounding, projected into its cone."""
    p_n = dot(p, n)
    t = subtract(p, scale(p_n, n))
    length, most = sqrt(dot(t, t)), mu * p_n
    return add(scale(p_n, n), scale(select(length > most, most, 1.0) / select(length > most, length, 1.0), t))
