"""Where a rolling body touches a surface, and how the place of contact moves.

x is the contact point, n the outward normal of the surface there, c the centre of the rolling shape; a is the frame of the
surface, b that of the shape. s(n) is the point of the shape, seen from its centre, whose own outward normal is -n:

    torus       s = -radius m - tube n ,   m = the unit vector along n - (n . e) e        e axle     (1)
    ellipsoid   s = -D n / sqrt(n . D n)                                                  D squared semi-axes     (2)

The two are consistent when x = c + s(n(x)); on a plane at once, on a curved surface by iteration. Then, with K = dn/dx,

    n' = w_a x n + K (x' - v_a(x)) ,   x' = v_b(x) + ds(n' - w_b x n)                     (3)

which has the same form and is iterated likewise. Both converge where the surface is less curved than the shape.
"""

from math import sqrt

from locomote.constraints.columns import (
    ADDRESS,
    CYLINDER,
    HEIGHT,
    PLANE,
    RADIUS,
    SEMI_AXES,
    SHAPE,
    SPHERE,
    SURFACE,
    SURFACE_RADIUS,
    TORUS,
    TUBE,
)
from locomote.engine.callbacks import call
from locomote.engine.source import helper, routine
from locomote.spatial.algebra import add, angular, cross, dot, linear, rotate, scale, subtract, unrotate

ITERATIONS = 60  # on curved surfaces


@helper
def velocity_at(twist, x):
    """Velocity of the material point at x of a body with a world twist."""
    return add(linear(twist), cross(angular(twist), x))


@helper
def unit(a):
    """The unit vector along a."""
    return scale(1.0 / sqrt(dot(a, a)), a)


@helper
def unit_rate(a, rate):
    """Rate of the unit vector along a."""
    length = sqrt(dot(a, a))
    u = scale(1.0 / length, a)
    return scale(1.0 / length, subtract(rate, scale(dot(u, rate), u)))


@helper
def support(integers, numbers, c, n):
    """s(n), in axes of the shape."""
    if integers[c, SHAPE] == TORUS:
        s = scale(-numbers[c, TUBE], n)
        if numbers[c, RADIUS] > 0.0:
            s = subtract(s, scale(numbers[c, RADIUS], unit((n[0], n[1], 0.0))))  # (1), the axle is z
        return s
    a, b, d = numbers[c, SEMI_AXES], numbers[c, SEMI_AXES + 1], numbers[c, SEMI_AXES + 2]
    D = (a * a * n[0], b * b * n[1], d * d * n[2])
    return scale(-1.0 / sqrt(dot(n, D)), D)  # (2)


@helper
def support_rate(integers, numbers, c, n, rate):
    """ds(n) along a rate of n, in axes of the shape."""
    if integers[c, SHAPE] == TORUS:
        s = scale(-numbers[c, TUBE], rate)
        if numbers[c, RADIUS] > 0.0:
            s = subtract(s, scale(numbers[c, RADIUS], unit_rate((n[0], n[1], 0.0), (rate[0], rate[1], 0.0))))
        return s
    a, b, d = numbers[c, SEMI_AXES], numbers[c, SEMI_AXES + 1], numbers[c, SEMI_AXES + 2]
    D, E = (a * a * n[0], b * b * n[1], d * d * n[2]), (a * a * rate[0], b * b * rate[1], d * d * rate[2])
    square = dot(n, D)
    return scale(-1.0 / sqrt(square), subtract(E, scale(dot(n, E) / square, D)))


@helper
def normal_and_gap(integers, numbers, c, y, place, shape):
    """Outward normal at y and distance of y from the surface, in the surface's own frame (a plane is z = 0, the axis of a
    cylinder is y)."""
    kind = integers[c, SURFACE]
    n, gap = (0.0, 0.0, 1.0), y[2]
    if kind == SPHERE or kind == CYLINDER:
        radius = numbers[c, SURFACE_RADIUS]
        r = (y[0], y[1] if kind == SPHERE else 0.0, y[2])
        length, sign = sqrt(dot(r, r)), 1.0 if radius > 0.0 else -1.0
        n, gap = scale(sign / length, r), sign * length - radius
    elif kind == HEIGHT:
        place[0], place[1] = y[0], y[1]
        call(integers[c, ADDRESS], 0.0, place, place, shape)
        slope = (-shape[1], -shape[2], 1.0)
        n, gap = unit(slope), (y[2] - shape[0]) / sqrt(dot(slope, slope))
    return n, gap


@helper
def normal_rate(integers, numbers, c, y, n, dy, shape):
    """K dy: rate of the normal when the place on the surface moves by dy."""
    kind = integers[c, SURFACE]
    if kind == SPHERE or kind == CYLINDER:
        r = (y[0], y[1] if kind == SPHERE else 0.0, y[2])
        dr = (dy[0], dy[1] if kind == SPHERE else 0.0, dy[2])
        sign = 1.0 if numbers[c, SURFACE_RADIUS] > 0.0 else -1.0
        return scale(sign, unit_rate(r, dr))
    elif kind == HEIGHT:
        bend = (-shape[3] * dy[0] - shape[4] * dy[1], -shape[4] * dy[0] - shape[5] * dy[1], 0.0)
        return unit_rate((-shape[1], -shape[2], 1.0), bend)
    return (0.0, 0.0, 0.0)


@routine
def contact(integers, numbers, c, R_a, o_a, R_b, o_b, V_a, V_b, place, shape):
    """Contact point, its rate, normal, its rate, all in the world, and the gap."""
    rounds = 2 if integers[c, SURFACE] == PLANE else ITERATIONS
    w_a, w_b, x = angular(V_a), angular(V_b), o_b
    n, gap, y = (0.0, 0.0, 1.0), 0.0, (0.0, 0.0, 0.0)
    for _ in range(rounds):
        y = unrotate(R_a, subtract(x, o_a))
        n_a, gap = normal_and_gap(integers, numbers, c, y, place, shape)
        n = rotate(R_a, n_a)
        x = add(o_b, rotate(R_b, support(integers, numbers, c, unrotate(R_b, n))))
    y = unrotate(R_a, subtract(x, o_a))
    n_a, gap = normal_and_gap(integers, numbers, c, y, place, shape)
    n_b, carried = unrotate(R_b, n), velocity_at(V_b, x)
    dx, dn = carried, cross(w_a, n)
    for _ in range(rounds):
        dy = unrotate(R_a, subtract(dx, velocity_at(V_a, x)))
        dn = add(cross(w_a, n), rotate(R_a, normal_rate(integers, numbers, c, y, n_a, dy, shape)))  # (3)
        bend = unrotate(R_b, subtract(dn, cross(w_b, n)))
        dx = add(carried, rotate(R_b, support_rate(integers, numbers, c, n_b, bend)))
    return x, dx, n, dn, gap


@helper
def heading(integers, numbers, c, R_a, R_b, w_a, w_b, n, dn):
    """Forward and lateral directions at the contact with their rates: across and along the axle (y of the surface's frame
    for shapes without one)."""
    if integers[c, SHAPE] == TORUS and numbers[c, RADIUS] > 0.0:
        e = (R_b[2], R_b[5], R_b[8])
        de = cross(w_b, e)
    else:
        e = (R_a[1], R_a[4], R_a[7])
        de = cross(w_a, e)
    ahead, rate = cross(e, n), add(cross(de, n), cross(e, dn))
    forward, turning = unit(ahead), unit_rate(ahead, rate)
    return forward, turning, cross(n, forward), add(cross(dn, forward), cross(n, turning))
