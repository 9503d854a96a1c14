"""Gap, normal and curvature of surfaces, each in its own frame.

A plane is z = 0; the axis of a cylinder is y; steps go up along x. y is a place near the surface, n the outward normal there,
K = dn/dy the curvature. Kernels take a surface as a tuple:

    kind, three numbers, table of functions, row of it (height fields), scratch for its argument and for its result

    kind       numbers                     gap                              n
    PLANE                                  y_z                              z
    SPHERE     radius (< 0 inside)         |y| - radius                     y / |y| , inside turned round
    CYLINDER   radius (< 0 inside)         the same without y_y
    HEIGHT                                 (y_z - f) / |(-f_x, -f_y, 1)|     along (-f_x, -f_y, 1)
    STEPS      run, rise, count            to the nearest tread, riser or edge; within the stairs to the nearest face
    BOX        half lengths                the same
    CAPSULE    radius, half length (z)     |r| - radius , r from the nearest place of its axis     r / |r|
"""

from locomote.compiler.callbacks import call
from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper
from locomote.spatial.algebra import dot, scale, subtract

PLANE, SPHERE, CYLINDER, HEIGHT, STEPS, BOX, CAPSULE = range(7)
TORUS, ELLIPSOID = 0, 1  # shapes that roll
KIND, SIZE, RISE, COUNT, FUNCTIONS, FUNCTION, PLACE, RESULT = range(8)  # places in a surface
SURFACE_NUMBERS = 3


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
def steps_normal_and_gap(surface, y):
    """The same for steps. Outside, the nearest place is below, or on a riser ahead or its edge."""
    run, rise, count = surface[SIZE], surface[RISE], surface[COUNT]
    level = min(max(y[0] // run + 1.0, 0.0), count)
    depth = level * rise - y[2]
    if depth > 0.0:
        riser = y[2] // rise
        back = y[0] - riser * run if riser >= 0.0 else 1e300
        return ((-1.0, 0.0, 0.0), -back) if back < depth else ((0.0, 0.0, 1.0), -depth)
    n, gap = (0.0, 0.0, 1.0), -depth
    while level < count and level * run - y[0] < gap:
        x, z = y[0] - level * run, max(y[2] - (level + 1.0) * rise, 0.0)
        length = sqrt(x * x + z * z)
        if length < gap:
            n, gap = ((x / length, 0.0, z / length) if length > 0.0 else (-1.0, 0.0, 0.0)), length
        level += 1.0
    return n, gap


@helper
def box_normal_and_gap(surface, y):
    """The same for a box about the origin."""
    d = (abs(y[0]) - surface[SIZE], abs(y[1]) - surface[RISE], abs(y[2]) - surface[COUNT])
    side = (1.0 if y[0] >= 0.0 else -1.0, 1.0 if y[1] >= 0.0 else -1.0, 1.0 if y[2] >= 0.0 else -1.0)
    out = (max(d[0], 0.0), max(d[1], 0.0), max(d[2], 0.0))
    length = sqrt(dot(out, out))
    if length > 0.0:
        return (side[0] * out[0] / length, side[1] * out[1] / length, side[2] * out[2] / length), length
    if d[2] >= d[0] and d[2] >= d[1]:
        return (0.0, 0.0, side[2]), d[2]
    if d[1] >= d[0]:
        return (0.0, side[1], 0.0), d[1]
    return (side[0], 0.0, 0.0), d[0]


@helper
def from_axis(surface, y):
    """From the nearest place of the axis of a capsule to y."""
    half = surface[RISE]
    return y[0], y[1], y[2] - min(max(y[2], -half), half)


@helper
def normal_and_gap(surface, y):
    """Outward normal at y and distance of y from the surface, in the surface's own frame."""
    kind = surface[KIND]
    n, gap = (0.0, 0.0, 1.0), y[2]
    if kind == SPHERE or kind == CYLINDER:
        radius = surface[SIZE]
        r = (y[0], y[1] if kind == SPHERE else 0.0, y[2])
        length, sign = sqrt(dot(r, r)), 1.0 if radius > 0.0 else -1.0
        n, gap = scale(sign / length, r), sign * length - radius
    elif kind == HEIGHT:
        place, shape = surface[PLACE], surface[RESULT]
        place[0], place[1] = y[0], y[1]
        call(surface[FUNCTIONS], surface[FUNCTION], 0.0, place, place, shape)
        slope = (-shape[1], -shape[2], 1.0)
        n, gap = unit(slope), (y[2] - shape[0]) / sqrt(dot(slope, slope))
    elif kind == STEPS:
        n, gap = steps_normal_and_gap(surface, y)
    elif kind == BOX:
        n, gap = box_normal_and_gap(surface, y)
    elif kind == CAPSULE:
        r = from_axis(surface, y)
        length = sqrt(dot(r, r))
        n, gap = scale(1.0 / length, r) if length > 0.0 else (1.0, 0.0, 0.0), length - surface[SIZE]
    return n, gap


@helper
def normal_rate(surface, y, dy):
    """K dy: rate of the normal when the place moves by dy; on a height field, where `normal_and_gap` was last."""
    kind = surface[KIND]
    if kind == SPHERE or kind == CYLINDER:
        r = (y[0], y[1] if kind == SPHERE else 0.0, y[2])
        dr = (dy[0], dy[1] if kind == SPHERE else 0.0, dy[2])
        sign = 1.0 if surface[SIZE] > 0.0 else -1.0
        return scale(sign, unit_rate(r, dr))
    elif kind == HEIGHT:
        shape = surface[RESULT]
        bend = (-shape[3] * dy[0] - shape[4] * dy[1], -shape[4] * dy[0] - shape[5] * dy[1], 0.0)
        return unit_rate((-shape[1], -shape[2], 1.0), bend)
    elif kind == CAPSULE:
        r = from_axis(surface, y)
        return unit_rate(r, (dy[0], dy[1], dy[2] if abs(y[2]) > surface[RISE] else 0.0))
    return (0.0, 0.0, 0.0)
