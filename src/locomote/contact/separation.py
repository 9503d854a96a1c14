"""The signed gap of two convex shapes: their distance, or minus the least depth by which they overlap.

    sep(n) = min over B of n . b  -  max over A of n . a ,   gap = max over unit n of sep(n)                         (1)

Any n bounds the gap from below by (1), so that every answer proves itself: `bound` is what bounds it from above. With s(n) the
point of A - B furthest along n and D = ds/dn, n of round shapes is found by Newton's method:

    s - (n . s) n = 0 ,   (D - (n . s)) dn = -s     across n                                                        (2)

Tested by tests/laws/contact/test_separation.py.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import sqrt
from locomote.compiler.source import kernel, routine
from locomote.geometry import convex, epa, gjk
from locomote.geometry.shape import Shape, across, unit
from locomote.geometry.shapes.box import Box
from locomote.geometry.shapes.capsule import Capsule
from locomote.geometry.shapes.ellipsoid import Ellipsoid
from locomote.geometry.shapes.hull import Hull, packed_hull
from locomote.geometry.shapes.sphere import Sphere
from locomote.geometry.table import row_of
from locomote.model.description import Collision
from locomote.spatial.algebra import add, cross, dot, rotate, scale, subtract, unrotate
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rotations_arrays import split_rotation
from locomote.spatial.rows import load

NEARLY = 1e-7  # m, distance below which shapes are also looked at as if they overlapped
GAP, BOUND, N, A, B = 0, 1, 2, 5, 8  # entries of the result
RESULT = 11
ROUNDS = 6  # of (2)


@brief
@dataclass(frozen=True)
class Separation:
    """How far two convex shapes are apart.

    gap : m, distance, or minus the least depth ; bound : m, what bounds the gap from above; `gap` bounds it from below
    normal : (3,) unit vector from the first shape to the second along which the gap is ; points : (2, 3) of both, in the world
    """

    gap: float
    bound: float
    normal: np.ndarray
    points: np.ndarray


def separation(first: Shape | Collision, pose, second: Shape | Collision, other_pose) -> Separation:
    """The gap of two convex shapes, each in its frame: lo.Box, lo.Sphere, lo.Capsule, lo.Ellipsoid, lo.Hull, or a lo.Collision
    (of which a cylinder is one too).

    pose, other_pose : (4, 4) in the world
    """
    corners, edges, shapes, frames = [np.zeros((0, 3))], [np.zeros(0, np.int64)], [], []
    for given, at in ((first, pose), (second, other_pose)):
        at = as_numbers(at, "pose of a shape", "(4, 4)")
        if at.shape != (4, 4) or not np.isfinite(at).all():
            raise ValueError(f"pose of a shape has shape {at.shape}, expected finite numbers (4, 4)")
        split_rotation(at[:3, :3], "rotation of a shape")
        numbers, own, hull = convex_numbers(given)
        if hull is not None:
            numbers[convex.HEAD] = sum(map(len, edges))
            more = packed_hull(hull, np.eye(4), sum(map(len, corners)), int(numbers[convex.HEAD]))
            corners.append(more[0])
            edges.append(more[1])
        shapes.append(numbers)
        frames.append(at @ own)
    relative = np.linalg.inv(frames[0]) @ frames[1]
    out = np.zeros(RESULT)
    separate_one(
        shapes[0], shapes[1], relative, np.concatenate(corners), np.concatenate(edges), np.empty((epa.POINTS, gjk.SIMPLEX)),
        np.empty((epa.FACES, epa.INTEGERS), np.int64), np.empty((epa.FACES, 4)), np.empty((2, epa.FACES), np.int64),
        np.zeros((5, 4)), out,
    )  # fmt: skip
    turn, place = frames[0][:3, :3], frames[0][:3, 3]
    points = np.array([turn @ out[k : k + 3] + place for k in (A, B)])
    return Separation(float(out[GAP]), float(out[BOUND]), turn @ out[N : N + 3], points)


def convex_numbers(given: Any) -> tuple[np.ndarray, np.ndarray, Hull | None]:
    """Numbers of a shape for `geometry.convex`, its frame (4, 4), and its hull."""
    numbers, frame, hull = np.zeros(convex.NUMBERS), np.eye(4), None
    if isinstance(given, Collision):
        if given.shape == "cylinder":
            size = as_numbers(given.size, "size of a cylinder", "(2,)")
            if size.shape != (2,) or not (np.isfinite(size).all() and size.min() > 0):
                raise ValueError(f"size of a cylinder is {given.size!r:.60}, expected radius and length, m")
            numbers[:3] = convex.ROD, size[0], size[1] / 2
            return numbers, np.asarray(given.placement, float), None
        if given.shape == "ellipsoid":
            numbers, _, _ = convex_numbers(Ellipsoid(given.size))  # type: ignore[arg-type]
            return numbers, np.asarray(given.placement, float), None
        from locomote.contact.collisions import parts_of

        (part,) = parts_of(given)
        numbers, own, hull = convex_numbers(part.shape)
        return numbers, part.pose @ own, hull
    row = row_of(given, "pack", "shape")
    if not isinstance(given, Hull):
        frame = np.asarray(row.pack(given)[1], float)
    if isinstance(given, Sphere) and not given.inside:
        numbers[[convex.KIND, convex.RADIUS]] = convex.POINT, given.radius
    elif isinstance(given, Capsule):
        numbers[[convex.KIND, convex.SIZE, convex.RADIUS]] = convex.SEGMENT, given.half, given.radius
    elif isinstance(given, Box):
        numbers[:4] = convex.BLOCK, *given.half
    elif isinstance(given, Ellipsoid):
        numbers[:4] = convex.EGG, *given.semi_axes
    elif isinstance(given, Hull):
        numbers[0], hull = convex.CORNERS, given
    else:
        raise ValueError(f"the gap of {given!r:.60} is not known: expected a box, ball, capsule, ellipsoid, hull or cylinder")
    return numbers, frame, hull


@routine
def judged(first, second, R, o, corners, edges, n, rows, k):
    """sep(n) of (1), without radii."""
    return -dot(n, convex.put_difference(first, second, R, o, corners, edges, n, rows, k))


@routine
def keep(out, gap, bound, n):
    """Take an answer that is better than the one before."""
    if gap > out[GAP]:
        out[GAP] = gap
        for i in range(3):
            out[N + i] = n[i]
    out[BOUND] = min(out[BOUND], bound)


@routine
def meet(out, rows, k, share):
    """Add a share of the points of row k to the points that meet."""
    for i in range(3):
        out[A + i] += share * rows[k, 3 + i]
        out[B + i] += share * rows[k, 6 + i]


@kernel
def separate_one(first, second, relative, corners, edges, points, faces, planes, lists, room, out):
    """The gap of two shapes, in the frame of the first; relative : (4, 4) pose of the second in it; out : (RESULT,)"""
    R = (
        relative[0, 0], relative[0, 1], relative[0, 2], relative[1, 0], relative[1, 1], relative[1, 2],
        relative[2, 0], relative[2, 1], relative[2, 2],
    )  # fmt: skip
    o = (relative[0, 3], relative[1, 3], relative[2, 3])
    separate(first, second, R, o, corners, edges, points, faces, planes, lists, room, out)
    return 0


@routine
def separate(first, second, R, o, corners, edges, points, faces, planes, lists, room, out):
    """The same with the pose R, o of the second shape."""
    for i in range(RESULT):
        out[i] = 0.0
    out[GAP], out[BOUND] = -1e300, 1e300
    count, v = gjk.distance(first, second, R, o, corners, edges, points, room)
    size = sqrt(dot(v, v))
    if count > 0 and size > 0.0:
        for k in range(count):
            meet(out, points, k, room[0, k])
        n = scale(-1.0 / size, v)
        keep(out, judged(first, second, R, o, corners, edges, n, points, count), size, n)
        if count == 3:
            a = load(points, 0, 0)
            m = cross(subtract(load(points, 1, 0), a), subtract(load(points, 2, 0), a))
            if dot(m, m) > 0.0:
                m = scale((1.0 if dot(m, n) >= 0.0 else -1.0) / sqrt(dot(m, m)), m)
                keep(out, judged(first, second, R, o, corners, edges, m, points, count), size, m)
    if count == 0 or size < NEARLY:
        overlap(first, second, R, o, corners, edges, points, count, faces, planes, lists, room, out)
    if is_round(first) and is_round(second):
        polish(first, second, R, o, corners, edges, points, out)
    radius = first[convex.RADIUS] + second[convex.RADIUS]
    out[GAP] -= radius
    out[BOUND] -= radius
    n = (out[N], out[N + 1], out[N + 2])
    for i in range(3):
        out[A + i] += first[convex.RADIUS] * n[i]
        out[B + i] -= second[convex.RADIUS] * n[i]


@routine
def is_round(shape):
    """Whether a shape is a ball or an ellipsoid."""
    return int(shape[convex.KIND]) == convex.EGG or int(shape[convex.KIND]) == convex.POINT


@routine
def polish(first, second, R, o, corners, edges, points, out):
    """Newton's method on (2), from the n that is there; n and the points of both are exact then."""
    for _ in range(ROUNDS):
        n = (out[N], out[N + 1], out[N + 2])
        s = convex.put_difference(first, second, R, o, corners, edges, n, points, 0)
        h, t1 = dot(n, s), across(n)
        t2 = cross(n, t1)
        e1, e2 = bent(first, second, R, n, t1), bent(first, second, R, n, t2)
        a, b, d = dot(t1, e1) - h, dot(t1, e2), dot(t2, e2) - h
        x, y, whole = -dot(t1, s), -dot(t2, s), a * d - b * b
        if not abs(whole) > 1e-300:
            return
        m = unit(add(n, add(scale((d * x - b * y) / whole, t1), scale((a * y - b * x) / whole, t2))))
        gap = judged(first, second, R, o, corners, edges, m, points, 0)
        if not gap >= out[GAP] - 1e-15:
            return
        out[GAP] = max(gap, out[GAP])
        for i in range(3):
            out[N + i], out[A + i], out[B + i] = m[i], points[0, 3 + i], points[0, 6 + i]


@routine
def bent(first, second, R, n, t):
    """D t of (2)."""
    away = unrotate(R, scale(-1.0, n))
    own = convex.egg_rate(first, n, t)
    return add(own, rotate(R, convex.egg_rate(second, away, unrotate(R, t))))


@routine
def overlap(first, second, R, o, corners, edges, points, count, faces, planes, lists, room, out):
    """Depth by a polytope, if it is the better answer."""
    above, below, f = epa.depth(
        first, second, R, o, corners, edges, points, 4 if count == 0 else count, faces, planes, lists, room[4]
    )
    n = (room[4, 0], room[4, 1], room[4, 2])
    if not -above > out[GAP]:
        return
    keep(out, -above, -below, n)
    for i in range(6):
        out[A + i] = 0.0
    if f < 0:  # no face is left: points furthest along n
        convex.put_difference(first, second, R, o, corners, edges, n, points, 0)
        meet(out, points, 0, 1.0)
        return
    h = planes[f, epa.OFFSET]
    u, v, w = epa.weights_of(points, faces, f, n, h)
    meet(out, points, faces[f, 0], u)
    meet(out, points, faces[f, 1], v)
    meet(out, points, faces[f, 2], w)
