"""Where a rolling body touches a surface, and how the place of contact moves.

x is the contact point, n the outward normal of the surface there, c the centre of the rolling shape; a is the frame of the
surface, b that of the shape. s(n) is the point of the shape, seen from its centre, whose own outward normal is -n:

    torus       s = -radius m - tube n ,   m = the unit vector along n - (n . e) e        e axle     (1)
    ellipsoid   s = -D n / sqrt(n . D n)                                                  D squared semi-axes     (2)

The two are consistent when x = c + s(n(x)): at once on a plane, by Newton's method on a curved surface, with K = dn/dx and
S = ds/dn. How the contact moves is linear with the same matrix:

    (1 - S K) dx = c + s(n(x)) - x                                                        (3)
    n' = w_a x n + K (x' - v_a(x)) ,   x' = v_b(x) + S (n' - w_b x n)                     (4)
    (1 - S K) x' = v_b(x) + S (w_a x n - w_b x n - K v_a(x))                              (5)
"""

from locomote.constraints.columns import (
    CYLINDER,
    FUNCTION,
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
from locomote.engine.scalars import sqrt
from locomote.engine.source import helper, routine
from locomote.spatial.algebra import add, angular, cross, dot, linear, rotate, scale, subtract, unrotate

ROUNDS = 30  # of Newton's method, at most
CLOSE = 1e-18  # square of a last step relative to the size of the shape; the error left is about this


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
def support(plan, c, n):
    """s(n), in axes of the shape."""
    if plan.integers[c, SHAPE] == TORUS:
        s = scale(-plan.numbers[c, TUBE], n)
        if plan.numbers[c, RADIUS] > 0.0:
            s = subtract(s, scale(plan.numbers[c, RADIUS], unit((n[0], n[1], 0.0))))  # (1), the axle is z
        return s
    a, b, d = plan.numbers[c, SEMI_AXES], plan.numbers[c, SEMI_AXES + 1], plan.numbers[c, SEMI_AXES + 2]
    D = (a * a * n[0], b * b * n[1], d * d * n[2])
    return scale(-1.0 / sqrt(dot(n, D)), D)  # (2)


@helper
def support_rate(plan, c, n, rate):
    """ds(n) along a rate of n, in axes of the shape."""
    if plan.integers[c, SHAPE] == TORUS:
        s = scale(-plan.numbers[c, TUBE], rate)
        if plan.numbers[c, RADIUS] > 0.0:
            s = subtract(s, scale(plan.numbers[c, RADIUS], unit_rate((n[0], n[1], 0.0), (rate[0], rate[1], 0.0))))
        return s
    a, b, d = plan.numbers[c, SEMI_AXES], plan.numbers[c, SEMI_AXES + 1], plan.numbers[c, SEMI_AXES + 2]
    D, E = (a * a * n[0], b * b * n[1], d * d * n[2]), (a * a * rate[0], b * b * rate[1], d * d * rate[2])
    square = dot(n, D)
    return scale(-1.0 / sqrt(square), subtract(E, scale(dot(n, E) / square, D)))


@helper
def normal_and_gap(plan, work, c, y):
    """Outward normal at y and distance of y from the surface, in the surface's own frame (a plane is z = 0, the axis of a
    cylinder is y)."""
    kind = plan.integers[c, SURFACE]
    n, gap = (0.0, 0.0, 1.0), y[2]
    if kind == SPHERE or kind == CYLINDER:
        radius = plan.numbers[c, SURFACE_RADIUS]
        r = (y[0], y[1] if kind == SPHERE else 0.0, y[2])
        length, sign = sqrt(dot(r, r)), 1.0 if radius > 0.0 else -1.0
        n, gap = scale(sign / length, r), sign * length - radius
    elif kind == HEIGHT:
        shape = work.shape
        work.place[0], work.place[1] = y[0], y[1]
        call(plan.functions, plan.integers[c, FUNCTION], 0.0, work.place, work.place, shape)
        slope = (-shape[1], -shape[2], 1.0)
        n, gap = unit(slope), (y[2] - shape[0]) / sqrt(dot(slope, slope))
    return n, gap


@helper
def normal_rate(plan, work, c, y, dy):
    """K dy: rate of the normal when the place on the surface moves by dy."""
    kind = plan.integers[c, SURFACE]
    if kind == SPHERE or kind == CYLINDER:
        r = (y[0], y[1] if kind == SPHERE else 0.0, y[2])
        dr = (dy[0], dy[1] if kind == SPHERE else 0.0, dy[2])
        sign = 1.0 if plan.numbers[c, SURFACE_RADIUS] > 0.0 else -1.0
        return scale(sign, unit_rate(r, dr))
    elif kind == HEIGHT:
        shape = work.shape
        bend = (-shape[3] * dy[0] - shape[4] * dy[1], -shape[4] * dy[0] - shape[5] * dy[1], 0.0)
        return unit_rate((-shape[1], -shape[2], 1.0), bend)
    return (0.0, 0.0, 0.0)


@helper
def bent(plan, work, c, R_a, y, dx):
    """K dx in the world: how the normal turns from place to place."""
    return rotate(R_a, normal_rate(plan, work, c, y, unrotate(R_a, dx)))


@helper
def run_over(plan, c, R_b, n, dn):
    """S dn in the world: how the contact runs over the shape when the normal turns."""
    return rotate(R_b, support_rate(plan, c, unrotate(R_b, n), unrotate(R_b, dn)))


@helper
def remainder(plan, work, c, R_a, R_b, y, n, dx):
    """(1 - S K) dx"""
    return subtract(dx, run_over(plan, c, R_b, n, bent(plan, work, c, R_a, y, dx)))


@routine
def solved(plan, work, c, R_a, R_b, y, n, r):
    """Solve (1 - S K) dx = r."""
    k = remainder(plan, work, c, R_a, R_b, y, n, (1.0, 0.0, 0.0))
    l = remainder(plan, work, c, R_a, R_b, y, n, (0.0, 1.0, 0.0))
    m = remainder(plan, work, c, R_a, R_b, y, n, (0.0, 0.0, 1.0))
    lm = cross(l, m)
    return scale(1.0 / dot(k, lm), (dot(r, lm), dot(r, cross(m, k)), dot(r, cross(k, l))))


@routine
def contact(plan, work, c, R_a, o_a, R_b, o_b, V_a, V_b):
    """Contact point, its rate, normal, its rate, all in the world, and the gap."""
    flat = plan.integers[c, SURFACE] == PLANE
    w_a, w_b, x = angular(V_a), angular(V_b), o_b
    y = unrotate(R_a, subtract(x, o_a))
    n_a, gap = normal_and_gap(plan, work, c, y)
    n = rotate(R_a, n_a)
    for k in range(ROUNDS):
        r = subtract(add(o_b, rotate(R_b, support(plan, c, unrotate(R_b, n)))), x)
        if k > 0 and not flat:
            r = solved(plan, work, c, R_a, R_b, y, n, r)  # (3)
        x = add(x, r)
        y = unrotate(R_a, subtract(x, o_a))
        n_a, gap = normal_and_gap(plan, work, c, y)
        n = rotate(R_a, n_a)
        if flat or dot(r, r) < CLOSE * dot(subtract(x, o_b), subtract(x, o_b)):
            break
    turning = subtract(cross(w_a, n), cross(w_b, n))
    if flat:
        return x, add(velocity_at(V_b, x), run_over(plan, c, R_b, n, turning)), n, cross(w_a, n), gap
    v_a = velocity_at(V_a, x)
    turning = subtract(turning, bent(plan, work, c, R_a, y, v_a))
    dx = solved(plan, work, c, R_a, R_b, y, n, add(velocity_at(V_b, x), run_over(plan, c, R_b, n, turning)))  # (5)
    dn = add(cross(w_a, n), bent(plan, work, c, R_a, y, subtract(dx, v_a)))  # (4)
    return x, dx, n, dn, gap


@helper
def heading(plan, c, R_a, R_b, w_a, w_b, n, dn):
    """Forward and lateral directions at the contact with their rates: across and along the axle (y of the surface's frame
    for shapes without one)."""
    if plan.integers[c, SHAPE] == TORUS and plan.numbers[c, RADIUS] > 0.0:
        e = (R_b[2], R_b[5], R_b[8])
        de = cross(w_b, e)
    else:
        e = (R_a[1], R_a[4], R_a[7])
        de = cross(w_a, e)
    ahead, rate = cross(e, n), add(cross(de, n), cross(e, dn))
    forward, turning = unit(ahead), unit_rate(ahead, rate)
    return forward, turning, cross(n, forward), add(cross(dn, forward), cross(n, turning))
