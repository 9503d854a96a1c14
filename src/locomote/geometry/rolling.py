"""Where a rolling body touches a surface, and how the place of contact moves.

x is the contact point, n the outward normal of the surface there, c the center of the rolling shape; a is the frame of the
surface, b that of the shape. s(n) is the point of the shape, seen from its center, whose own outward normal is -n:

    torus       s = -radius m - tube n ,   m = the unit vector along n - (n . e) e        e axle     (1)
    ellipsoid   s = -D n / sqrt(n . D n)                                                  D squared semi-axes     (2)

and so on, in the files of `shapes/`. The two are consistent when x = c + s(n(x)): at once on a plane, by Newton's method on a
curved surface, with K = dn/dx and S = ds/dn. How the contact moves is linear with the same matrix:

    (1 - S K) dx = c + s(n(x)) - x                                                        (3)
    n' = w_a x n + K (x' - v_a(x)) ,   x' = v_b(x) + S (n' - w_b x n)                     (4)
    (1 - S K) x' = v_b(x) + S (w_a x n - w_b x n - K v_a(x))                              (5)
"""

from locomote.compiler.scalars import rounds_left
from locomote.compiler.source import helper, routine
from locomote.geometry.shape import KIND, SIZE, unit, unit_rate
from locomote.geometry.shapes.plane import PLANE
from locomote.geometry.shapes.torus import TORUS
from locomote.geometry.table import rolling_normal_and_gap, rolling_normal_rate, support, support_rate
from locomote.spatial.algebra import add, angular, cross, dot, linear, rotate, scale, subtract, unrotate

ROUNDS = 30  # steps of Newton's method, at most
CLOSE = 1e-18  # square of a last step relative to the size of the shape; the error left is about this


@helper
def velocity_at(twist, x):
    """Velocity of the material point at x of a body with a world twist."""
    return add(linear(twist), cross(angular(twist), x))


@helper
def bent(surface, R_a, y, dx):
    """K dx in the world: how the normal turns from place to place."""
    return rotate(R_a, rolling_normal_rate(surface, y, unrotate(R_a, dx)))


@helper
def run_over(shape, R_b, n, dn):
    """S dn in the world: how the contact runs over the shape when the normal turns."""
    return rotate(R_b, support_rate(shape, unrotate(R_b, n), unrotate(R_b, dn)))


@helper
def remainder(shape, surface, R_a, R_b, y, n, dx):
    """(1 - S K) dx"""
    return subtract(dx, run_over(shape, R_b, n, bent(surface, R_a, y, dx)))


@routine
def solved(shape, surface, R_a, R_b, y, n, r):
    """Solve (1 - S K) dx = r."""
    k = remainder(shape, surface, R_a, R_b, y, n, (1.0, 0.0, 0.0))
    l = remainder(shape, surface, R_a, R_b, y, n, (0.0, 1.0, 0.0))
    m = remainder(shape, surface, R_a, R_b, y, n, (0.0, 0.0, 1.0))
    lm = cross(l, m)
    return scale(1.0 / dot(k, lm), (dot(r, lm), dot(r, cross(m, k)), dot(r, cross(k, l))))


@routine
def contact(shape, surface, R_a, o_a, R_b, o_b, V_a, V_b):
    """Contact point, its rate, normal, its rate, all in the world, and the gap."""
    flat = surface[KIND] == PLANE
    w_a, w_b, x = angular(V_a), angular(V_b), o_b
    y = unrotate(R_a, subtract(x, o_a))
    n_a, gap = rolling_normal_and_gap(surface, y)
    n, more = rotate(R_a, n_a), rounds_left(o_b[0])
    for k in range(ROUNDS):
        r = subtract(add(o_b, rotate(R_b, support(shape, unrotate(R_b, n)))), x)
        if k > 0 and not flat:
            r = solved(shape, surface, R_a, R_b, y, n, r)  # (3)
        x = add(x, r)
        y = unrotate(R_a, subtract(x, o_a))
        n_a, gap = rolling_normal_and_gap(surface, y)
        n = rotate(R_a, n_a)
        if flat or dot(r, r) < CLOSE * dot(subtract(x, o_b), subtract(x, o_b)):
            if flat or more == 0:
                break
            more -= 1
    turning = subtract(cross(w_a, n), cross(w_b, n))
    if flat:
        return x, add(velocity_at(V_b, x), run_over(shape, R_b, n, turning)), n, cross(w_a, n), gap
    v_a = velocity_at(V_a, x)
    turning = subtract(turning, bent(surface, R_a, y, v_a))
    dx = solved(shape, surface, R_a, R_b, y, n, add(velocity_at(V_b, x), run_over(shape, R_b, n, turning)))  # (5)
    dn = add(cross(w_a, n), bent(surface, R_a, y, subtract(dx, v_a)))  # (4)
    return x, dx, n, dn, gap


@helper
def heading(shape, R_a, R_b, w_a, w_b, n, dn):
    """Forward and lateral directions at the contact with their rates: across and along the axle (y of the surface's frame
    for shapes without one)."""
    if shape[KIND] == TORUS and shape[SIZE] > 0.0:
        e = (R_b[2], R_b[5], R_b[8])
        de = cross(w_b, e)
    else:
        e = (R_a[1], R_a[4], R_a[7])
        de = cross(w_a, e)
    ahead, rate = cross(e, n), add(cross(de, n), cross(e, dn))
    forward, turning = unit(ahead), unit_rate(ahead, rate)
    return forward, turning, cross(n, forward), add(cross(dn, forward), cross(n, turning))
