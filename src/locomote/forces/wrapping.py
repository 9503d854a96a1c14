"""The shortest way of a string round a sphere or a cylinder, from point to point, in the frame of the shape.

Round a sphere it lies in the plane of both points and the center, round a cylinder, seen along its axis, in that of the circle.
With d_0, d_1 the points there, r the radius and s = +-1 the sense, the string touches at

    t_0 = (r^2 d_0 + s r sqrt(|d_0|^2 - r^2) J d_0) / |d_0|^2 ,   t_1 = (r^2 d_1 - s r sqrt(|d_1|^2 - r^2) J d_1) / |d_1|^2  (1)

with J (x, y) = (y, -x), and lies on the circle between. It does not touch where a point is inside, where the straight way is
free, or where the two straight parts would cross. It takes the shorter way, unless a side is given and the ray from the center
away from that side lies between the two points: then it goes the other way, also if the straight way is free. Through a ring
(a side inside the shape) it only touches at one point, where both parts make the same angle z with the ring:

    asin(A sin z) + asin(B sin z) - 2 z + G = 0 ,   A = r / |d_0| ,   B = r / |d_1| ,   G the angle between d_0 and d_1     (2)

On a cylinder it rises evenly along its length (a helix). These are the ways that MuJoCo 4 takes; before, sides were heeded in
another way. All branches are choices of values, so that lanes, duals and symbols can follow.
"""

from locomote.compiler.scalars import atan2, cos, select, sin, sqrt
from locomote.compiler.source import helper
from locomote.spatial.algebra import add, cross, dot, scale, subtract

TINY = 1e-15
ROUNDS = 15  # of Newton's method, which doubles digits
CLEAR, BESIDE, INSIDE = range(3)  # whether a wrap has a side: none, outside the shape, inside
TWO_PI, HALF_PI = 6.283185307179586, 1.5707963267948966


@helper
def root(x):
    """Square root that has a slope at zero and below."""
    return sqrt(select(x > 1e-30, x, 1e-30))


@helper
def arcsine(x):
    """Angle from -pi/2 to pi/2."""
    return atan2(x, root(1.0 - x * x))


@helper
def touching(x, y, sense, radius):
    """(1): where a string from (x, y) touches a circle."""
    square = x * x + y * y
    square = select(square > TINY, square, TINY)
    side, inner = sense * radius * root(square - radius * radius), radius * radius
    return (inner * x + side * y) / square, (inner * y - side * x) / square


@helper
def crossing(a, b, c, d):
    """One if the segments from a to b and from c to d meet, else zero."""
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    wx, wy = a[0] - c[0], a[1] - c[1]
    det = vy * ux - vx * uy
    straight = select(det > 0.0, det, -det) < TINY
    below = select(straight, 1.0, det)
    p, q = (vx * wy - vy * wx) / below, (ux * wy - uy * wx) / below
    inner = select(p < q, p, q)
    outer = select(p < q, q, p)
    found = select(inner >= 0.0, 1.0, 0.0) * select(outer <= 1.0, 1.0, 0.0)
    return select(straight, 0.0, found)


@helper
def arc(a, b, sense, radius):
    """Length on the circle from a to b."""
    turn = a[1] * b[0] - a[0] * b[1]
    size = select(turn > 0.0, turn, -turn)
    angle = atan2(size, a[0] * b[0] + a[1] * b[1])
    long = select(turn * sense < 0.0, TWO_PI - angle, angle)
    return radius * long


@helper
def round_circle(a, b, radius, beside, side):
    """Whether a string touches (1 or 0), where, and its length on the circle. side : heeded if beside is 1."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    apart = dx * dx + dy * dy
    share = -(dx * a[0] + dy * a[1]) / select(apart > TINY, apart, 1.0)
    share = select(share < 0.0, 0.0, select(share > 1.0, 1.0, share))
    nx, ny = a[0] + share * dx, a[1] + share * dy
    clear = select(nx * nx + ny * ny > radius * radius, 1.0, 0.0)
    turn = a[0] * b[1] - a[1] * b[0]
    before, after = turn * (a[1] * side[0] - a[0] * side[1]), turn * (side[1] * b[0] - side[0] * b[1])
    wrong = beside * select(before > 0.0, 1.0, 0.0) * select(after > 0.0, 1.0, 0.0)  # the side is behind the center
    sense = select(turn > 0.0, -1.0, 1.0) * (1.0 - 2.0 * wrong)
    start, end = touching(a[0], a[1], sense, radius), touching(b[0], b[1], -sense, radius)
    outside = select(a[0] * a[0] + a[1] * a[1] < radius * radius, 0.0, 1.0)
    outside = outside * select(b[0] * b[0] + b[1] * b[1] < radius * radius, 0.0, 1.0) * select(apart < TINY, 0.0, 1.0)
    yes = outside * (1.0 - clear * (1.0 - wrong)) * (1.0 - crossing(a, start, b, end))
    return yes, start, end, arc(start, end, sense, radius)


@helper
def through_ring(a, b, radius):
    """Whether a string touches a ring from inside (1 or 0), and where (2)."""
    aa, bb = a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]
    la, lb = root(aa), root(bb)
    dx, dy = b[0] - a[0], b[1] - a[1]
    apart = dx * dx + dy * dy
    share = -(dx * a[0] + dy * a[1]) / select(apart > TINY, apart, 1.0)
    within = select(share > 0.0, 1.0, 0.0) * select(share < 1.0, 1.0, 0.0) * select(apart > TINY, 1.0, 0.0)
    nx, ny = a[0] + share * dx, a[1] + share * dy
    free = within * select(nx * nx + ny * ny <= radius * radius, 1.0, 0.0)
    turn, cosine = a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]
    size = select(turn > 0.0, turn, -turn)
    G = atan2(size, cosine)
    A, B = radius / la, radius / lb
    A, B = select(A < 1.0, A, 1.0), select(B < 1.0, B, 1.0)
    z = HALF_PI + 0.0 * G
    for _ in range(ROUNDS):
        s, c = sin(z), cos(z)
        f = arcsine(A * s) + arcsine(B * s) - 2.0 * z + G
        slope = A * c / root(1.0 - A * A * s * s) + B * c / root(1.0 - B * B * s * s) - 2.0
        z = z - f / select(slope < -1e-9, slope, -1e-9)
        z = select(z > HALF_PI, HALF_PI, select(z < 0.0, 0.0, z))
    ahead, s = turn > 0.0, sin(z)
    angle = z - select(ahead, arcsine(A * s), arcsine(B * s))
    x, y = select(ahead, a[0] / la, b[0] / lb), select(ahead, a[1] / la, b[1] / lb)
    c, s = cos(angle), sin(angle)
    outside = select(aa < radius * radius, 0.0, 1.0) * select(bb < radius * radius, 0.0, 1.0)
    opposite = select(cosine < (TINY - 1.0) * la * lb, 0.0, 1.0)
    return outside * opposite * (1.0 - free), (radius * (c * x - s * y), radius * (s * x + c * y))


@helper
def plane_of(p, q, ball):
    """Two axes of the plane in which a string lies: of points and center of a ball (1), x and y of a cylinder (0)."""
    normal = cross(p, q)
    size = dot(normal, normal)
    wide = dot(p, p) * dot(q, q)
    along = scale(1.0 / root(dot(p, p)), p)
    # points in line with the center: any plane will do
    aside = cross(along, (select(along[0] * along[0] < 0.5, 1.0, 0.0), select(along[0] * along[0] < 0.5, 0.0, 1.0), 0.0))
    straight = size <= 1e-30 * wide + 1e-30
    n = (
        select(straight, aside[0], normal[0]), select(straight, aside[1], normal[1]), select(straight, aside[2], normal[2]),
    )  # fmt: skip
    n = scale(1.0 / root(dot(n, n)), n)
    across, flat = cross(n, along), 1.0 - ball
    x = (ball * along[0] + flat, ball * along[1], ball * along[2])
    y = (ball * across[0], ball * across[1] + flat, ball * across[2])
    return x, y


@helper
def wrapped(p, q, radius, ball, side, where):
    """Whether a string from p to q touches a shape (1 or 0), where (twice), and its length between these.

    ball : 1 for a sphere, 0 for a cylinder along z ; where : CLEAR, BESIDE or INSIDE, and `side` a point of that
    """
    x, y = plane_of(p, q, ball)
    a, b = (dot(p, x), dot(p, y)), (dot(q, x), dot(q, y))
    sx, sy = dot(side, x), dot(side, y)
    beside = 0.0 if where == CLEAR else 1.0
    if where == INSIDE:
        yes, point = through_ring(a, b, radius)
        first, second, length = point, point, 0.0 * point[0]
    else:
        yes, first, second, length = round_circle(a, b, radius, beside, (sx, sy))
    flat = 1.0 - ball
    ax, ay, bx, by = a[0] - first[0], a[1] - first[1], b[0] - second[0], b[1] - second[1]
    before, after = root(ax * ax + ay * ay), root(bx * bx + by * by)
    whole = before + length + after
    rise = flat * (q[2] - p[2])
    start, end = flat * p[2] + rise * before / whole, flat * p[2] + rise * (before + length) / whole
    t = add(add(scale(first[0], x), scale(first[1], y)), (0.0 * start, 0.0 * start, start))
    u = add(add(scale(second[0], x), scale(second[1], y)), (0.0 * end, 0.0 * end, end))
    return yes, t, u, root(length * length + (end - start) * (end - start))


@helper
def direction(p, q):
    """Distance from p to q, and the unit vector that way."""
    d = subtract(q, p)
    length = root(dot(d, d))
    return length, scale(1.0 / length, d)
