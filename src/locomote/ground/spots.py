"""Places that may touch, packed for kernels, and where each is: point, axes, gap.

A spot is a point of a body, a ball about it (RADIUS), a point on the rim of a disc about it (RIM; COS and SIN of its angle from
the lowest point, AXLE), or the end of an edge of a box above a face of another (RIM < 0, the edge in AXLE). The surface belongs
to OTHER. Axes (t1, t2, n) are in the world.
"""

from dataclasses import dataclass

import numpy as np

from locomote.engine.callbacks import Callback
from locomote.engine.scalars import sqrt
from locomote.engine.source import helper, routine
from locomote.errors import UnknownName
from locomote.ground.geometry import HEIGHT, normal_and_gap, unit
from locomote.ground.packing import pack_surface
from locomote.ground.touch import Touch
from locomote.kernels.kinematics import ORIGIN, ROTATION
from locomote.model.model import Model, twelve
from locomote.spatial.algebra import add, compose, cross, dot, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, load9, store

BODY, OTHER, SURFACE, FUNCTION, TOUCH = range(5)
INTEGERS = 5
PLACE, RADIUS, RIM, COS, SIN, AXLE, FRAME, SIZES = 0, 3, 4, 5, 6, 7, 10, 22
FRICTION, RESTITUTION, ROLLING, TORSION, REBOUND = range(25, 30)
NUMBERS = 30
# columns of what is known of a spot in a step
POINT, FIRST_AXIS, SECOND_AXIS, NORMAL, GAP = 0, 3, 6, 9, 12
PLACED = 13
ROUNDS = 12


@dataclass(frozen=True)
class PackedSpots:
    """Tables of all spots, the functions of their grounds, and a name for each."""

    integers: np.ndarray
    numbers: np.ndarray
    callbacks: tuple[Callback, ...]
    names: tuple[str, ...]


def pack_spots(model: Model, touches, first: int = 0) -> PackedSpots:
    """Pack what may touch; first : row of the table of functions from which on those of grounds stand."""
    integers, numbers, callbacks, names, used = [], [], [], [], set()
    for touch in touches:
        if not isinstance(touch, Touch):
            raise TypeError(f"contacts holds {touch!r:.60}, expected lo.Touch")
        try:
            surface = pack_surface(touch.ground.surface)
            body, pose = carried(model, touch.body, touch.frame())
            other, ground = carried(model, touch.ground.body, surface.frame)
        except UnknownName:
            raise
        except ValueError as error:
            raise ValueError(f"contact {touch.title!r}: {error}") from None
        if body == other:
            raise ValueError(f"contact {touch.title!r}: {touch.body!r} does not move relative to its ground")
        if surface.callback is not None:
            callbacks.append(surface.callback)
        title, n = touch.title, 1
        while title in used:
            n += 1
            title = f"{touch.title}_{n}"
        used.add(title)
        spots = touch.spots()
        for k, (place, radius, rim, angle) in enumerate(spots):
            row, law = np.zeros(INTEGERS, np.int64), np.zeros(NUMBERS)
            row[:] = body, other, surface.kind, first + len(callbacks) - 1 if surface.callback else 0, len(used) - 1
            law[PLACE : PLACE + 3] = (pose @ [*place, 1.0])[:3]
            law[[RADIUS, RIM, COS, SIN]] = radius, rim, np.cos(angle), np.sin(angle)
            if rim < 0:  # the half edge that ends here, along an axis of the box
                edge = np.zeros(3)
                edge[round(-1 - rim)] = place[round(-1 - rim)]
                law[PLACE : PLACE + 3] = (pose @ [*(place - edge), 1.0])[:3]
                law[AXLE : AXLE + 3], law[COS] = pose[:3, :3] @ edge, float(rim == -1.0)
            else:
                law[AXLE : AXLE + 3] = pose[:3, 2]
            law[FRAME : FRAME + 12] = twelve(ground)
            law[SIZES : SIZES + 3], g = surface.numbers, touch.ground
            law[FRICTION:] = g.friction, g.restitution, g.rolling, g.torsion, g.rebound
            integers.append(row)
            numbers.append(law)
            names.append(title if len(spots) == 1 else f"{title}.{k}")
    return PackedSpots(
        np.array(integers, np.int64).reshape(-1, INTEGERS), np.array(numbers, float).reshape(-1, NUMBERS),
        tuple(callbacks), tuple(names),
    )  # fmt: skip


def carried(model: Model, body: str | None, pose: np.ndarray) -> tuple[int, np.ndarray]:
    """A frame of a named body as a frame of the moving body that carries it."""
    if body is None:
        return len(model.topology) - 1, pose
    index = model.body_index(body)
    return int(model.carrier[index]), model.placement[index] @ pose


@helper
def across(n):
    """A unit vector at right angles to n."""
    if abs(n[0]) < 0.6:
        return unit(cross(n, (1.0, 0.0, 0.0)))
    return unit(cross(n, (0.0, 1.0, 0.0)))


@helper
def entry(a, k):
    """Component k of a vector."""
    return a[0] if k == 0 else (a[1] if k == 1 else a[2])


@routine
def edge_end(surface, y, d, keeps):
    """Where the edge from y to y + d ends above a face of a box: place, normal of the face, gap. An end that is not cut is a
    corner, which belongs to three edges: only that which `keeps` it has it."""
    size = (surface[1], surface[2], surface[3])
    best, axis, end = -1e300, -1, 1.0
    for a in range(3):
        low, high = -1.0, 1.0
        for k in range(3):
            if k != a:
                p, v, s = entry(y, k), entry(d, k), entry(size, k)
                if abs(v) < 1e-12:
                    if abs(p) > s:
                        high = -2.0
                else:
                    one, two = (-s - p) / v, (s - p) / v
                    low, high = max(low, min(one, two)), min(high, max(one, two))
        if high >= low:
            gap = abs(entry(y, a) + 0.5 * (low + high) * entry(d, a)) - entry(size, a)
            if gap > best:
                best, axis, end = gap, a, high
    if axis < 0 or (end >= 1.0 and not keeps):
        return y, (0.0, 0.0, 1.0), 1e300
    x = add(y, scale(end, d))
    side = 1.0 if entry(x, axis) >= 0.0 else -1.0
    n = (side if axis == 0 else 0.0, side if axis == 1 else 0.0, side if axis == 2 else 0.0)
    return x, n, abs(entry(x, axis)) - entry(size, axis)


@routine
def place_spot(spots, laws, functions, place, shape, bodies, c, placed):
    """Point of application, axes and gap of spot c, into its row; poses of all bodies must be there."""
    b, a = spots[c, BODY], spots[c, OTHER]
    R_b, o_b = load9(bodies, b, ROTATION), load(bodies, b, ORIGIN)
    P, d = load9(bodies, a, ROTATION), load(bodies, a, ORIGIN)
    R_a, o_a = compose(P, load9(laws, c, FRAME)), add(d, rotate(P, load(laws, c, FRAME + 9)))
    surface = (
        spots[c, SURFACE], laws[c, SIZES], laws[c, SIZES + 1], laws[c, SIZES + 2], functions, spots[c, FUNCTION], place, shape
    )  # fmt: skip
    x, radius = add(o_b, rotate(R_b, load(laws, c, PLACE))), laws[c, RADIUS]
    y = unrotate(R_a, subtract(x, o_a))
    n_a, gap = normal_and_gap(surface, y)
    if laws[c, RIM] < 0.0:
        edge = unrotate(R_a, rotate(R_b, load(laws, c, AXLE)))
        y, n_a, gap = edge_end(surface, y, edge, laws[c, COS] > 0.0)
        x = add(o_a, rotate(R_a, y))
    elif laws[c, RIM] > 0.0:
        n, e = rotate(R_a, n_a), rotate(R_b, load(laws, c, AXLE))
        m = subtract(n, scale(dot(n, e), e))
        low = unit(m) if dot(m, m) > 1e-24 else across(e)
        out = add(scale(laws[c, COS], low), scale(laws[c, SIN], cross(e, low)))
        x = subtract(x, scale(laws[c, RIM], out))
        y = unrotate(R_a, subtract(x, o_a))
        n_a, gap = normal_and_gap(surface, y)
    elif radius > 0.0:
        if spots[c, SURFACE] == HEIGHT:
            center = y
            for _ in range(ROUNDS):
                y = subtract(center, scale(radius, n_a))
                n_a, gap = normal_and_gap(surface, y)
        else:
            gap = gap - radius
        x = subtract(x, scale(radius, rotate(R_a, n_a)))
    n = rotate(R_a, n_a)
    t = across(n)
    store(placed, c, POINT, x)
    store(placed, c, FIRST_AXIS, t)
    store(placed, c, SECOND_AXIS, cross(n, t))
    store(placed, c, NORMAL, n)
    placed[c, GAP] = gap
    return sqrt(dot(n, n)) > 0.0
