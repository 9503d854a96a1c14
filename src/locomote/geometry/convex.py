"""Convex shapes by their support: the point of a shape that is furthest along a direction, in its own frame.

A ball is a point with a radius, a capsule a segment with one: the radius is left to those who ask. Numbers of a shape: its
kind, three sizes, its radius, and the head of a hull in the tables of corners and edges (`shapes.hull`).
"""

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper, routine
from locomote.geometry.shapes.hull import furthest
from locomote.spatial.algebra import add, dot, rotate, subtract, unrotate
from locomote.spatial.rows import load

# kinds, with their sizes: none; half length; half edges; radius and half length of a cylinder; semi-axes; none
POINT, SEGMENT, BLOCK, ROD, EGG, CORNERS = range(6)
HALF = 6  # all below the plane z = 0, for `contact.meeting`; it has no support
KIND, SIZE, RADIUS, HEAD = 0, 1, 4, 5
NUMBERS = 6


@helper
def signed(x, size):
    """A size with the sign of x."""
    return size if x >= 0.0 else -size


@routine
def core_support(shape, corners, edges, d):
    """Point of the core of a shape furthest along d, both in its frame; shape : (NUMBERS,)"""
    kind, a, b, c = int(shape[KIND]), shape[SIZE], shape[SIZE + 1], shape[SIZE + 2]
    if kind == CORNERS:
        return load(corners, furthest(corners, edges, int(shape[HEAD]), d), 0)
    if kind == BLOCK:
        return signed(d[0], a), signed(d[1], b), signed(d[2], c)
    if kind == SEGMENT:
        return 0.0, 0.0, signed(d[2], a)
    if kind == ROD:
        across = sqrt(d[0] * d[0] + d[1] * d[1])
        if across > 1e-300:
            return a * d[0] / across, a * d[1] / across, signed(d[2], b)
        return a, 0.0, signed(d[2], b)
    if kind == EGG:
        x, y, z = a * d[0], b * d[1], c * d[2]
        q = sqrt(x * x + y * y + z * z)
        return a * x / q, b * y / q, c * z / q
    return 0.0, 0.0, 0.0


@routine
def egg_rate(shape, n, t):
    """Rate of the support of an ellipsoid while n changes by t: D t, D = (S - x x^T) / q, S the squares of its semi-axes."""
    if int(shape[KIND]) != EGG:
        return 0.0, 0.0, 0.0
    a, b, c = shape[SIZE] * shape[SIZE], shape[SIZE + 1] * shape[SIZE + 1], shape[SIZE + 2] * shape[SIZE + 2]
    q = sqrt(a * n[0] * n[0] + b * n[1] * n[1] + c * n[2] * n[2])
    x = (a * n[0] / q, b * n[1] / q, c * n[2] / q)
    along = dot(x, t)
    return (a * t[0] - along * x[0]) / q, (b * t[1] - along * x[1]) / q, (c * t[2] - along * x[2]) / q


@routine
def put_difference(first, second, R, o, corners, edges, d, rows, k):
    """Row k: w = a - b, a and b, the points of two shapes furthest apart along d, in the frame of the first; R, o : pose of the
    second in it."""
    a = core_support(first, corners, edges, d)
    b = add(o, rotate(R, core_support(second, corners, edges, unrotate(R, (-d[0], -d[1], -d[2])))))
    w = subtract(a, b)
    for i in range(3):
        rows[k, i], rows[k, 3 + i], rows[k, 6 + i] = w[i], a[i], b[i]
    return w
