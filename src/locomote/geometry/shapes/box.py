"""A box about the origin of its own frame. Numbers: three half lengths.

The gap is the distance to the nearest face, edge or corner, within the box that to the nearest face. On faces of a box other
boxes and capsules touch with ends of edges, cut to where they are above the face (`edge_end`), and with corners that know
which face they are at (`box_corner`).
"""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper, routine
from locomote.geometry import meshes
from locomote.geometry.shape import COUNT, CROSSING, CUT, RISE, SIZE, Row, Spot, Surface, Vector, framed
from locomote.geometry.shapes import capsule
from locomote.geometry.shapes.capsule import Capsule
from locomote.geometry.shapes.cylinder import Cylinder
from locomote.geometry.shapes.height_field import HeightField
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.sphere import Sphere
from locomote.geometry.shapes.steps import Steps
from locomote.spatial.algebra import add, dot, scale

BOX = 5
SLACK, BESIDE = 1e-7, 1e-2  # parts of its size by which a box is larger for what stands flush, and near an edge
FLUSH = 1e-4  # and by which it is lower at its sides, for what slides onto a face: it would be caught at the edge by rounding
CORNERS = tuple((x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
FAR = 1e3  # m, half the length of a cylinder for what lies on it


@dataclass(frozen=True)
class Box(Surface):
    """A box with these half lengths, m, that bodies may touch from outside; its axes are those of the body that carries it."""

    half: Vector
    center: Vector = (0.0, 0.0, 0.0)


def pack(box: Box):
    if not np.min(box.half) > 0:
        raise ValueError(f"half lengths of a box are {box.half!r}, they must be positive")
    return box.half, framed(at=box.center)


@helper
def gap(surface, y):
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


def mesh(box: Box, around):
    return meshes.box(*(2 * x for x in box.half)), framed(at=box.center)


@helper
def entry(a, k):
    """Component k of a vector."""
    return a[0] if k == 0 else (a[1] if k == 1 else a[2])


@helper
def faces(size, far, a, b):
    """Whether face a of a box looks at a body with its origin at `far` more than face b does."""
    return abs(entry(far, a)) - entry(size, a) > abs(entry(far, b)) - entry(size, b)


@helper
def face_normal(x, axis):
    """Outward normal of a face of a box, on the side of x."""
    side = 1.0 if entry(x, axis) >= 0.0 else -1.0
    return (side if axis == 0 else 0.0, side if axis == 1 else 0.0, side if axis == 2 else 0.0)


@routine
def edge_end(surface, y, d, keeps, far):
    """Where the edge from y to y + d ends above a face of a box: place, normal of the face, gap. An end that is not cut is a
    corner, which belongs to three edges: only that which `keeps` it has it. far : as in `faces`, for what lies at an edge."""
    size = (surface[SIZE], surface[RISE], surface[COUNT])
    best, axis, end = -1e300, -1, 1.0
    for a in range(3):
        low, high = -1.0, 1.0
        for k in range(3):
            if k != a:
                p, v, s = entry(y, k), entry(d, k), entry(size, k)
                s += -FLUSH * s if faces(size, far, k, a) else SLACK * s
                if abs(v) < 1e-12:
                    if abs(p) > s:
                        high = -2.0
                else:
                    one, two = (-s - p) / v, (s - p) / v
                    low, high = max(low, min(one, two)), min(high, max(one, two))
        if high >= low:
            gap = abs(entry(y, a) + 0.5 * (low + high) * entry(d, a)) - entry(size, a)
            close = axis >= 0 and abs(gap - best) < BESIDE * entry(size, a)
            if (close and faces(size, far, a, axis)) or (gap > best and not close):
                best, axis, end = gap, a, high
    if axis < 0 or (end >= 1.0 and not keeps):
        return y, (0.0, 0.0, 1.0), 1e300
    x = add(y, scale(end, d))
    return x, face_normal(x, axis), abs(entry(x, axis)) - entry(size, axis)


@routine
def box_corner(surface, y, far):
    """Normal and gap of a point at a box; at an edge that of the face that looks at `far`: boxes that stand flush would slip
    past each other by rounding."""
    size, axis, above = (surface[SIZE], surface[RISE], surface[COUNT]), -1, 0
    n, away = gap(surface, y)
    for a in range(3):
        s = entry(size, a)
        d = abs(entry(y, a)) - s
        above += 1 if d > SLACK * s else 0
        if abs(d) < BESIDE * s and (axis < 0 or faces(size, far, a, axis)):
            axis = a
    for a in range(3):
        if abs(entry(y, a)) - entry(size, a) > SLACK * entry(size, a):
            for k in range(3):
                if k != a and faces(size, far, k, a) and abs(abs(entry(y, k)) - entry(size, k)) < FLUSH * entry(size, k):
                    return face_normal(y, k), 1e300
    if above > 1:  # nearest to an edge or a corner
        return n, away
    for a in range(3):
        if abs(entry(y, a)) - entry(size, a) > SLACK * entry(size, a):
            axis = a
    if axis >= 0:
        n, away = face_normal(y, axis), abs(entry(y, axis)) - entry(size, axis)
    return n, away


def corners(box: Box, surface=None) -> list[Spot]:
    """Its corners."""
    return [Spot(np.array(box.half) * corner) for corner in CORNERS]


def edges(box: Box, below: Box) -> list[Spot]:
    """Both ends of its edges, on a box."""
    found = []
    for axis in range(3):
        for corner in np.array(box.half) * CORNERS:
            edge = np.where(np.arange(3) == axis, corner, 0.0)
            found.append(Spot(corner - edge, rim=CUT, edge=edge, keeps=axis == 0))
    return found


def on_ball(box: Box, ball: Sphere) -> list[Spot]:
    """Its faces and edges are what the ball touches; within a hollow one its corners."""
    return corners(box) if ball.inside else [Spot(radius=float(ball.radius), turned=True)]


def on_axis(ends: list[np.ndarray], radius: float) -> list[Spot]:
    """What an axis with a radius touches: the ends of what lies above a face, and the nearest place."""
    cut = [Spot(radius=radius, rim=CUT, edge=end, turned=True) for end in ends]
    return [*cut, Spot(radius=radius, rim=CROSSING, edge=ends[1], turned=True)]


def on_cylinder(box: Box, below: Cylinder) -> list[Spot]:
    """Its corners, and the axis of the cylinder as far as it can matter."""
    ends = [np.array([0.0, s * FAR, 0.0]) for s in (-1, 1)]
    return corners(box) if below.inside else [*corners(box), *on_axis(ends, float(below.radius))]


def on_capsule(box: Box, below: Capsule) -> list[Spot]:
    """Its corners, and the ends and the axis of the capsule."""
    balls = [ball._replace(turned=True) for ball in capsule.balls(below)]
    return [*corners(box), *balls, *on_axis(capsule.ends(below), float(below.radius))]


def capsule_on(above: Capsule, box: Box) -> list[Spot]:
    """Ends, ends of what lies above a face, and the nearest place."""
    first, second, crossing = capsule.between_ends(above, box)
    cut = [Spot(radius=float(above.radius), rim=CUT, edge=end) for end in capsule.ends(above)]
    return [first, second, *cut, crossing]


ROW = Row(
    Box, BOX, pack, gap, mesh=mesh, smooth=False, solid=True,
    pairs={(Box, surface): corners for surface in (Plane, HeightField, Steps)}
    | {(Box, Box): edges, (Box, Sphere): on_ball, (Box, Cylinder): on_cylinder, (Box, Capsule): on_capsule}
    | {(Capsule, Box): capsule_on},
)  # fmt: skip
