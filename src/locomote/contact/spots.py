"""Places that may touch, packed for kernels, and where each is: point, axes, gap.

A spot is a point of a body, a ball about it (RADIUS), a point on the rim of a disc about it (RIM; COS and SIN of its angle from
the lowest point, AXLE), or a place of an edge with a RADIUS (RIM < 0, half the edge in AXLE): its end above a face of a box, or
where it is nearest to the surface. The surface belongs to OTHER. Axes (t1, t2, n) are in the world.

What bulges below a box is the other way round (TURNED): the ball or the edge is of OTHER, the surface is the box, of BODY.
"""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper, routine
from locomote.contact.touch import CROSSING, CUT, named_once
from locomote.errors import UnknownName
from locomote.geometry.gaps import BOX, CAPSULE, CYLINDER, HEIGHT, SPHERE, normal_and_gap, normal_rate, unit
from locomote.geometry.packing import pack_surface
from locomote.geometry.surfaces import Cylinder
from locomote.kernels.kinematics import ORIGIN, ROTATION
from locomote.model.model import Model, twelve
from locomote.spatial.algebra import add, compose, cross, dot, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, load9, store

BODY, OTHER, SURFACE, FUNCTION, TOUCH, TURNED = range(6)
INTEGERS = 6
PLACE, RADIUS, RIM, COS, SIN, AXLE, FRAME, SIZES = 0, 3, 4, 5, 6, 7, 10, 22
FRICTION, RESTITUTION, ROLLING, TORSION, REBOUND, STIFFNESS, DAMPING, SHEAR, SHEAR_DAMPING = range(25, 34)
NEWTON = 34  # 1 where restitution is by Newton's law alone
NUMBERS = 35
# columns of what is known of a spot in a step
POINT, FIRST_AXIS, SECOND_AXIS, NORMAL, GAP = 0, 3, 6, 9, 12
PLACED = 13
SLACK, BESIDE = 1e-7, 1e-2  # parts of its size by which a box is larger for what stands flush, and near an edge
FLUSH = 1e-4  # and by which it is lower at its sides, for what slides onto a face: it would be caught at the edge by rounding
SLACKEN = 5e-7  # m/s, times a step: gap of a closed spot that stays, or points of a foot would carry against each other by less
ROUNDS, HALVES = 12, 54  # to find the place below a ball on a height field; where an edge is nearest


@dataclass(frozen=True)
class PackedSpots:
    """Tables of all spots, the functions of their grounds, and a name for each."""

    integers: np.ndarray
    numbers: np.ndarray
    callbacks: tuple[Callback, ...]
    names: tuple[str, ...]


def pack_spots(model: Model, touches, first: int = 0) -> PackedSpots:
    """Pack what may touch; first : row of the table of functions from which on those of grounds stand."""
    integers, numbers, callbacks, names, surfaces = [], [], [], [], {}
    for number, (touch, title) in enumerate(zip(touches, named_once(touches), strict=True)):
        try:
            surface = surfaces.get(id(touch.ground.surface)) or pack_surface(touch.ground.surface)
            body, pose = carried(model, touch.body, touch.frame())
            other, ground = carried(model, touch.ground.body, surface.frame)
        except UnknownName:
            raise
        except ValueError as error:
            raise ValueError(f"contact {touch.title!r}: {error}") from None
        if body == other:
            raise ValueError(f"contact {touch.title!r}: {touch.body!r} does not move relative to its ground")
        if surface.callback is not None and surface.callback not in callbacks:
            callbacks.append(surface.callback)
        surfaces[id(touch.ground.surface)] = surface
        spots, turned = touch.spots(), touch.turned_spots()
        for k, (place, radius, rim, angle) in enumerate([*spots, *turned]):
            row, law, back = np.zeros(INTEGERS, np.int64), np.zeros(NUMBERS), k >= len(spots)
            function = first + callbacks.index(surface.callback) if surface.callback else 0
            row[:] = body, other, BOX if back else surface.kind, function, number, int(back)
            own, below = (ground, pose) if back else (pose, ground)
            law[PLACE : PLACE + 3] = (own @ [*place, 1.0])[:3]
            law[[RADIUS, RIM, COS, SIN]] = radius, rim, np.cos(angle), np.sin(angle)
            if rim < 0:  # the half edge that ends here, along an axis of the box
                axis, edge = 2 if rim <= CUT else round(-1 - rim), np.zeros(3)
                if isinstance(touch.ground.surface, Cylinder) and back:
                    axis = 1
                edge[axis] = place[axis]
                law[PLACE : PLACE + 3] = (own @ [*(place - edge), 1.0])[:3]
                law[AXLE : AXLE + 3], law[COS] = own[:3, :3] @ edge, float(rim == -1.0)
            else:
                law[AXLE : AXLE + 3] = own[:3, 2]
            law[FRAME : FRAME + 12] = twelve(below)
            law[SIZES : SIZES + 3], g = np.array(touch.box) if back else surface.numbers, touch.ground
            law[FRICTION:STIFFNESS] = g.friction, g.restitution, g.rolling, g.torsion, g.rebound
            law[STIFFNESS:NEWTON] = g.stiffness or 0.0, g.damping, g.shear or 0.0, g.shear_damping
            law[NEWTON] = float(g.impact == "newton")
            integers.append(row)
            numbers.append(law)
            names.append(title if len(spots) + len(turned) == 1 else f"{title}.{k}")
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
    size = (surface[1], surface[2], surface[3])
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
    size, axis, above = (surface[1], surface[2], surface[3]), -1, 0
    n, gap = normal_and_gap(surface, y)
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
        return n, gap
    for a in range(3):
        if abs(entry(y, a)) - entry(size, a) > SLACK * entry(size, a):
            axis = a
    if axis >= 0:
        n, gap = face_normal(y, axis), abs(entry(y, axis)) - entry(size, axis)
    return n, gap


@routine
def nearest_place(surface, y, d):
    """Where the edge from y - d to y + d is nearest to a surface: place, normal, gap. Its ends are not for this."""
    low, high, x = -1.0, 1.0, y
    n, gap = normal_and_gap(surface, subtract(y, d))
    before = dot(n, d)
    n, gap = normal_and_gap(surface, add(y, d))
    if before >= 0.0 or dot(n, d) <= 0.0:
        return y, n, 1e300
    for _ in range(HALVES):
        t = 0.5 * (low + high)
        x = add(y, scale(t, d))
        n, gap = normal_and_gap(surface, x)
        if dot(n, d) < 0.0:
            low = t
        else:
            high = t
    return x, n, gap


@helper
def room(gap, h, bend):
    """Speed at which a spot may close: that which shuts its gap in half a step, and on ground that bends also that which goes
    along the ground where the step ends; bend : h/2 times `bending`."""
    e = gap / (0.5 * h)
    most = e + 0.5 * bend
    return select(gap <= 0.0, bend, select(bend <= 0.0, e + bend, select(most > bend, most, bend)))


@helper
def stays_shut(gap, h):
    """Gap to close of a spot that was closed in the step before: half of it is left to the next step, and none is made of what
    a step drifts. Closing all of it would overshoot in the second half of the step, open again, and make loads swing."""
    slack = h * SLACKEN
    return 0.5 * select(gap > slack, gap - slack, select(gap > 0.0, 0.0, gap))


@routine
def bending(spots, laws, functions, place, shape, bodies, c, w):
    """How fast the gap of a spot opens faster while its point, or the centre of its ball, moves by w (in the world, as its
    surface sees it): w . K w, after `place_spot`. Nothing on flat ground, and of edges and rims."""
    kind, radius = spots[c, SURFACE], laws[c, RADIUS]
    if laws[c, RIM] != 0.0 or not (kind == SPHERE or kind == CYLINDER or kind == CAPSULE or kind == HEIGHT):
        return 0.0
    b, a = spots[c, BODY], spots[c, OTHER]
    x = add(load(bodies, b, ORIGIN), rotate(load9(bodies, b, ROTATION), load(laws, c, PLACE)))
    P, d = load9(bodies, a, ROTATION), load(bodies, a, ORIGIN)
    R_a, o_a = compose(P, load9(laws, c, FRAME)), add(d, rotate(P, load(laws, c, FRAME + 9)))
    surface = (kind, laws[c, SIZES], laws[c, SIZES + 1], laws[c, SIZES + 2], functions, spots[c, FUNCTION], place, shape)
    y, u = unrotate(R_a, subtract(x, o_a)), unrotate(R_a, w)
    rate = normal_rate(surface, y, u)
    if kind == HEIGHT:  # which knows how it bends below the ball, not at its centre
        for _ in range(ROUNDS):
            rate = normal_rate(surface, y, subtract(u, scale(radius, rate)))
    return dot(u, rate)


@routine
def place_spot(spots, laws, functions, place, shape, bodies, c, placed):
    """Point of application, axes and gap of spot c, into its row; poses of all bodies must be there."""
    b, a, turned = spots[c, BODY], spots[c, OTHER], spots[c, TURNED] != 0
    if turned:
        b, a = a, b
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
        far = unrotate(R_a, subtract(o_b, o_a))
        edge = unrotate(R_a, rotate(R_b, load(laws, c, AXLE)))
        if laws[c, RIM] == CROSSING:
            y, n_a, gap = nearest_place(surface, y, edge)
        else:
            y, n_a, gap = edge_end(surface, y, edge, laws[c, COS] > 0.0, far)
        x, gap = add(o_a, rotate(R_a, subtract(y, scale(radius, n_a)))), gap - radius
    elif laws[c, RIM] > 0.0:
        n, e = rotate(R_a, n_a), rotate(R_b, load(laws, c, AXLE))
        m = subtract(n, scale(dot(n, e), e))
        low = unit(m) if dot(m, m) > 1e-24 else across(e)
        out = add(scale(laws[c, COS], low), scale(laws[c, SIN], cross(e, low)))
        x = subtract(x, scale(laws[c, RIM], out))
        y = unrotate(R_a, subtract(x, o_a))
        n_a, gap = normal_and_gap(surface, y)
    elif spots[c, SURFACE] == BOX and radius == 0.0:
        n_a, gap = box_corner(surface, y, unrotate(R_a, subtract(o_b, o_a)))
    elif radius > 0.0:
        if spots[c, SURFACE] == HEIGHT:
            center = y
            for _ in range(ROUNDS):
                y = subtract(center, scale(radius, n_a))
                n_a, gap = normal_and_gap(surface, y)
        else:
            gap = gap - radius
        x = subtract(x, scale(radius, rotate(R_a, n_a)))
    n = scale(-1.0 if turned else 1.0, rotate(R_a, n_a))
    t = across(n)
    store(placed, c, POINT, x)
    store(placed, c, FIRST_AXIS, t)
    store(placed, c, SECOND_AXIS, cross(n, t))
    store(placed, c, NORMAL, n)
    placed[c, GAP] = gap
    return sqrt(dot(n, n)) > 0.0
