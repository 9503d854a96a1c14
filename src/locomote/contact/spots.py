"""Places that may touch, packed for kernels, and where each is: point, axes, gap.

A spot is a point of a body, a ball about it (RADIUS), a point or ball on the rim of a disc about it (RIM; COS and SIN of its
angle from the lowest point, AXLE), or a place of an edge with a RADIUS (RIM < 0, half the edge in AXLE): its end above a face
of a box, or where it is nearest to the surface. The surface belongs to OTHER. Axes (t1, t2, n) are in the world.

A corner of a hull (RIM is LOWEST, number of its slot in COS) is looked for in the tables of hulls, `hull_corners` in axes of
the body and `hull_edges`, from HULL on.

What bulges below a box is the other way round (TURNED): the ball or the edge is of OTHER, the surface is the box, of BODY.
Which spots a shape has on a surface is in the table of pairs (`geometry.table`).
"""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper, routine
from locomote.contact.bodies import BodyContacts, PackedBodies
from locomote.contact.meeting_columns import FIRST_SPOT
from locomote.contact.touch import Ground, Touch, named_once
from locomote.errors import UnknownName
from locomote.geometry.manifold import SLOTS
from locomote.geometry.shape import CROSSING, LOWEST, PAIRED, Packed, Shape, Spot, across, framed, unit
from locomote.geometry.shapes import height_field
from locomote.geometry.shapes.box import BOX, Box, box_corner, edge_end
from locomote.geometry.shapes.capsule import Capsule
from locomote.geometry.shapes.disc import Disc
from locomote.geometry.shapes.height_field import HEIGHT
from locomote.geometry.shapes.hull import Hull, fill_slots, furthest, packed_hull
from locomote.geometry.shapes.plane import PLANE, Plane
from locomote.geometry.shapes.points import PointSet
from locomote.geometry.shapes.sphere import Sphere
from locomote.geometry.table import is_curved, normal_and_gap, normal_rate, pack_surface, spots_of
from locomote.kernels.kinematics import ORIGIN, ROTATION
from locomote.model.columns import PARENT
from locomote.model.model import Model, twelve
from locomote.spatial.algebra import add, compose, cross, dot, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, load9, store

BODY, OTHER, SURFACE, FUNCTION, TOUCH, TURNED = range(6)
NEXT = 6  # first spot of the next touch
HULL = 7  # head of a hull in the table of edges
INTEGERS = 8
PLACE, RADIUS, RIM, COS, SIN, AXLE, FRAME, SIZES = 0, 3, 4, 5, 6, 7, 10, 22
FRICTION, RESTITUTION, ROLLING, TORSION, REBOUND, STIFFNESS, DAMPING, SHEAR, SHEAR_DAMPING = range(25, 34)
NEWTON = 34  # 1 where restitution is by Newton's law alone
MOTION = 35  # velocity of the surface along itself, in axes of what carries it
STATIC, FADING, ADHESION = range(38, 41)  # friction at rest ; speed at which it fades to FRICTION ; N that a spot can pull
ALONG, ALONG_PART, ACROSS_PART = 41, 44, 45  # axis of friction in the body; parts of FRICTION along and across it
# balls about all spots of a touch, in BODY, and about its surface, in OTHER: place and radius; less than 0 if it has no bounds
BOUND, UNDER = 46, 50
FOLLOWS = 54  # 1 of a point of its body, or a ball about one, on hard ground: its velocity is that of the end of the step
NUMBERS = 55
FLOATING = 2  # trees of bodies up to which spots follow what turns: in piles rows of one body would contradict each other
# columns of what is known of a spot in a step
POINT, FIRST_AXIS, SECOND_AXIS, NORMAL, GAP = 0, 3, 6, 9, 12
CORNER = 13  # the corner of a hull that is in a slot, or -1
# of slots for shapes of bodies (`contact.meeting`): the bodies that touch, and which pair of shapes it is, its number and one
OWN, BELOW, PAIR = 14, 15, 16
PLACED = 17
SLACKEN = 5e-7  # m/s, times a step: gap of a closed spot that stays, or points of a foot would carry against each other by less
BESIDE = 0.02  # m, from which on only the lowest corner of a hull is looked for
EMPTY = 1e100  # m, below the gap of a slot that has no corner now
ROUNDS, HALVES = 12, 54  # to find the place below a ball on a height field; where an edge is nearest


@dataclass(frozen=True)
class PackedSpots:
    """Tables of all spots, the functions of their grounds, and a name for each."""

    integers: np.ndarray
    numbers: np.ndarray
    callbacks: tuple[Callback, ...]
    names: tuple[str, ...]
    hull_corners: np.ndarray
    hull_edges: np.ndarray
    bodies: dict[str, np.ndarray]


def pack_spots(model: Model, touches, first: int = 0) -> PackedSpots:
    """Pack what may touch; first : row of the table of functions from which on those of grounds stand."""
    integers, numbers, callbacks, names, surfaces, after = [], [], [], [], {}, 0
    hulls = HullTables()
    bodies = PackedBodies(model, hulls)
    few = int((model.topology[:-1, PARENT] == len(model.topology) - 1).sum()) <= FLOATING
    for number, (touch, title) in enumerate(zip(touches, named_once(touches), strict=True)):
        if isinstance(touch, BodyContacts):
            continue
        try:
            surface = surfaces.get(id(touch.ground.surface)) or pack_surface(touch.ground.surface)
            body, pose = carried(model, touch.body, touch.frame())
            other, ground = carried(model, touch.ground.body, surface.frame)
            turns = [carried(model, body, np.eye(4))[1][:3, :3] for body in (touch.body, touch.ground.body)]
            spots = spots_of(touch.said_shape, touch.ground.surface)
        except UnknownName:
            raise
        except ValueError as error:
            raise ValueError(f"contact {touch.title!r}: {error}") from None
        if body == other:
            raise ValueError(f"contact {touch.title!r}: {touch.body!r} does not move relative to its ground")
        if surface.callback is not None and surface.callback not in callbacks:
            callbacks.append(surface.callback)
        surfaces[id(touch.ground.surface)] = surface
        function = first + callbacks.index(surface.callback) if surface.callback else 0
        after += len(spots)
        head = hulls.add(touch.said_shape, pose) if isinstance(touch.said_shape, Hull) else 0
        for k, spot in enumerate(spots):
            below = pack_surface(touch.said_shape) if spot.turned else surface
            own, under = (ground, pose) if spot.turned else (pose, ground)
            integers.append([body, other, below.kind, function, number, int(spot.turned), after, head])
            numbers.append(law_of(touch, spot, own, under, below, turns))
            numbers[-1][BOUND : UNDER + 4] = bounds_of(touch, pose, ground)
            flat = below.kind == PLANE or other == len(model.topology) - 1  # balls that meet are as they are in the middle
            numbers[-1][FOLLOWS] = float(few and flat and follows_turning(numbers[-1], spot.turned))
            names.append(title if len(spots) == 1 else f"{title}.{k}")
    for number, (meeting, title) in enumerate(zip(touches, named_once(touches), strict=True)):
        if isinstance(meeting, BodyContacts):
            bodies.add(meeting, len(names))
            for k in range(meeting.blocks(model) * SLOTS):
                after = len(names) - k % SLOTS + SLOTS
                integers.append([0, len(model.topology) - 1, -1, 0, number, 0, after, 0])
                numbers.append(law_of_bodies(meeting))
                names.append(f"{title}.{k}")
    return PackedSpots(
        np.array(integers, np.int64).reshape(-1, INTEGERS), np.array(numbers, float).reshape(-1, NUMBERS),
        tuple(callbacks), tuple(names), np.concatenate(hulls.corners), np.concatenate(hulls.edges),
        bodies.arrays(),
    )  # fmt: skip


class HullTables:
    """Tables of all hulls: corners, and which are neighbours."""

    def __init__(self):
        self.corners, self.edges = [np.zeros((0, 3))], [np.zeros(0, np.int64)]

    def add(self, hull: Hull, pose: np.ndarray) -> int:
        """Take a hull, about its middle at `pose`; gives its head in the table of edges."""
        first, start = (sum(map(len, rows)) for rows in (self.corners, self.edges))
        corners, edges = packed_hull(hull, pose @ framed(at=-hull.middle), first, start)
        self.corners.append(corners)
        self.edges.append(edges)
        return start

    def add_plain(self, hull: Hull) -> int:
        """The same for a hull in its own frame."""
        return self.add(hull, framed(at=hull.middle))


def law_of_bodies(meeting: BodyContacts) -> np.ndarray:
    """Numbers of a slot for shapes of bodies."""
    law = np.zeros(NUMBERS)
    law[[RIM, FRICTION, STATIC, RESTITUTION, REBOUND]] = (
        PAIRED, meeting.friction, meeting.friction, meeting.restitution, Ground().rebound,
    )  # fmt: skip
    law[ALONG_PART] = law[ACROSS_PART] = 1.0
    law[[BOUND + 3, UNDER + 3]] = -2.0
    return law


def follows_turning(law: np.ndarray, turned: bool) -> bool:
    """Whether a spot is a point of its body, or a ball about one, on hard ground."""
    place = law[RIM] in (0.0, LOWEST)
    return bool(place and not turned and law[STIFFNESS] == 0.0 and law[SHEAR] == 0.0)


def law_of(touch: Touch, spot: Spot, own: np.ndarray, under: np.ndarray, below: Packed, turns) -> np.ndarray:
    """Numbers of a spot in the frame `own`, above the surface `below` in the frame `under`; turns : (3, 3) of what carries the
    spot and the surface, in packed frames"""
    law, g, edge, (turn, carrier) = np.zeros(NUMBERS), touch.ground, spot.rim < 0, turns
    law[PLACE : PLACE + 3] = (own @ [*spot.place, 1.0])[:3]
    law[[RADIUS, RIM, COS, SIN]] = spot.radius, spot.rim, np.cos(spot.angle), np.sin(spot.angle)
    law[AXLE : AXLE + 3] = own[:3, :3] @ spot.edge if edge else own[:3, 2]
    if edge:
        law[COS] = float(spot.angle if spot.rim == LOWEST else spot.keeps)
    law[FRAME : FRAME + 12], law[SIZES : SIZES + 3] = twelve(under), below.numbers
    law[FRICTION:STIFFNESS] = g.friction, g.restitution, g.rolling, g.torsion, g.rebound
    law[STIFFNESS:NEWTON] = g.stiffness or 0.0, g.damping, g.shear or 0.0, g.shear_damping
    law[NEWTON] = float(g.impact == "newton")
    law[MOTION : MOTION + 3] = carrier @ np.asarray(g.motion, float)
    law[[STATIC, FADING, ADHESION]] = g.friction if g.static is None else g.static, g.fading, g.adhesion
    law[ALONG_PART] = law[ACROSS_PART] = 1.0
    if g.across is not None and max(g.friction, g.across) > 0.0:
        law[FRICTION] = law[STATIC] = max(g.friction, g.across)
        law[[ALONG_PART, ACROSS_PART]] = g.friction / law[FRICTION], g.across / law[FRICTION]
        law[ALONG : ALONG + 3] = turn @ np.asarray(touch.along, float)
    return law


def bounds_of(touch: Touch, pose: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """Columns BOUND and UNDER of a touch, for frames of its shape and of its surface."""
    result = np.zeros(8)
    result[:3], result[3] = pose[:3, 3], radius_about(touch.said_shape)
    result[4:7], result[7] = ground[:3, 3], radius_about(touch.ground.surface)
    return result


def radius_about(shape: Shape) -> float:
    """Radius of a ball about the origin of the frame of a shape that holds it, m; -1 of a plane, -2 if nobody knows one."""
    kinds = {
        Plane: lambda s: -1.0,
        PointSet: lambda s: float(np.linalg.norm(np.reshape(s.points, (-1, 3)), axis=1).max()),
        Box: lambda s: float(np.linalg.norm(s.half)),
        Capsule: lambda s: s.radius + s.half,
        Sphere: lambda s: -2.0 if s.inside else s.radius,
        Disc: lambda s: s.radius,
        Hull: lambda s: float(np.linalg.norm(s.corners - s.middle, axis=1).max()),
    }
    return kinds[type(shape)](shape) if type(shape) in kinds else -2.0


@helper
def ball_about(spots, laws, bodies, c):
    """A ball about all spots of the touch of spot c: place and radius, less than nothing if it has no bounds."""
    b = spots[c, BODY]
    return add(load(bodies, b, ORIGIN), rotate(load9(bodies, b, ROTATION), load(laws, c, BOUND))), laws[c, BOUND + 3]


@helper
def apart(spots, laws, bodies, c, near, speed):
    """Whether all spots of the touch of spot c are further from their surface than `near` and a way that goes with their
    distance from the origin, by balls about them."""
    under, a = laws[c, UNDER + 3], spots[c, OTHER]
    x, reach = ball_about(spots, laws, bodies, c)
    if reach < 0.0 or under < -1.5:
        return False
    P, near = load9(bodies, a, ROTATION), near + speed * (1.0 + reach + sqrt(dot(x, x)))
    r = subtract(x, add(load(bodies, a, ORIGIN), rotate(P, load(laws, c, UNDER))))
    if under < 0.0:
        return dot(r, rotate(P, plane_normal(laws, c))) > reach + near
    most = reach + under + near
    return dot(r, r) > most * most


@helper
def plane_normal(laws, c):
    """Normal of a plane, z of its frame, in what carries it."""
    return laws[c, FRAME + 2], laws[c, FRAME + 5], laws[c, FRAME + 8]


def carried(model: Model, body: str | None, pose: np.ndarray) -> tuple[int, np.ndarray]:
    """A frame of a named body as a frame of the moving body that carries it."""
    if body is None:
        return len(model.topology) - 1, pose
    index = model.body_index(body)
    return int(model.carrier[index]), model.placement[index] @ pose


@helper
def on_grounds(plan):
    """How many spots are said by lo.Touch; slots for shapes of bodies stand after them."""
    return plan.pools[0, FIRST_SPOT] if plan.pools.shape[0] > 0 else plan.spots.shape[0]


@helper
def sides(plan, placed, c):
    """The body of a spot, and that below it."""
    if plan.spot_laws[c, RIM] == PAIRED:
        return int(placed[c, OWN]), int(placed[c, BELOW])
    return plan.spots[c, BODY], plan.spots[c, OTHER]


@helper
def surface_motion(laws, c, n):
    """Velocity of a surface of the world along itself below spot c, where its normal is n."""
    v = load(laws, c, MOTION)
    return subtract(v, scale(dot(v, n), n))


@routine
def nearest_place(surface, y, d):
    """Where the edge from y - d to y + d is nearest to a surface: place, normal, gap. Its ends are not for this."""
    low, high, before = -1.0, 1.0, 0.0
    x, n, gap = y, d, 0.0
    for k in range(2 + HALVES):  # both ends first
        t = -1.0 if k == 0 else (1.0 if k == 1 else 0.5 * (low + high))
        x = add(y, scale(t, d))
        n, gap = normal_and_gap(surface, x)
        slope = dot(n, d)
        if k == 0:
            before = slope
        elif k == 1:
            if before >= 0.0 or slope <= 0.0:
                return y, n, 1e300
        elif slope < 0.0:
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
def bending(plan, place, shape, bodies, c, w):
    """How fast the gap of a spot opens faster while its point, or the center of its ball, moves by w (in the world, as its
    surface sees it): w . K w, after `place_spot`. Nothing on flat ground, and of edges and rims."""
    spots, laws, functions = plan.spots, plan.spot_laws, plan.functions
    kind, radius = spots[c, SURFACE], laws[c, RADIUS]
    if laws[c, RIM] != 0.0 or not is_curved(kind):
        return 0.0
    b, a = spots[c, BODY], spots[c, OTHER]
    x = add(load(bodies, b, ORIGIN), rotate(load9(bodies, b, ROTATION), load(laws, c, PLACE)))
    P, d = load9(bodies, a, ROTATION), load(bodies, a, ORIGIN)
    R_a, o_a = compose(P, load9(laws, c, FRAME)), add(d, rotate(P, load(laws, c, FRAME + 9)))
    surface = (kind, laws[c, SIZES], laws[c, SIZES + 1], laws[c, SIZES + 2], functions, spots[c, FUNCTION], place, shape)
    y, u = unrotate(R_a, subtract(x, o_a)), unrotate(R_a, w)
    rate = normal_rate(surface, y, u)
    if kind == HEIGHT:  # which knows how it bends below the ball, not at its center
        for _ in range(ROUNDS):
            rate = height_field.normal_rate(surface, y, subtract(u, scale(radius, rate)))
    return dot(u, rate)


@routine
def place_spot(plan, place, shape, bodies, c, placed):
    """Point of application, axes and gap of spot c, into its row; poses of all bodies must be there. The first slot of a hull
    says which corners the others have: they come after it, with the same poses."""
    spots, laws, functions = plan.spots, plan.spot_laws, plan.functions
    if laws[c, RIM] == PAIRED:
        if placed[c, PAIR] == 0.0:
            placed[c, GAP] = 2.0 * EMPTY
        return placed[c, GAP] < EMPTY
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
    if laws[c, RIM] == LOWEST:
        if laws[c, COS] == 0.0:
            n = unrotate(R_b, rotate(R_a, n_a))
            t = across(n)
            i = furthest(plan.hull_corners, plan.hull_edges, spots[c, HULL], (-n[0], -n[1], -n[2]))
            low = add(o_b, rotate(R_b, load(plan.hull_corners, i, 0)))
            near = normal_and_gap(surface, unrotate(R_a, subtract(low, o_a)))[1] < BESIDE
            tables = plan.hull_corners, plan.hull_edges
            fill_slots(*tables, spots[c, HULL], i, near, n, t, cross(n, t), placed, c, spots[c, NEXT] - c, CORNER)
        i = int(placed[c, CORNER])
        x = add(o_b, rotate(R_b, load(plan.hull_corners, i, 0))) if i >= 0 else x
        n_a, gap = normal_and_gap(surface, unrotate(R_a, subtract(x, o_a)))
        gap = gap if i >= 0 else 2.0 * EMPTY
    elif laws[c, RIM] < 0.0:
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
        x, gap = subtract(x, scale(radius, rotate(R_a, n_a))), gap - radius
    elif spots[c, SURFACE] == BOX and radius == 0.0:
        n_a, gap = box_corner(surface, y, unrotate(R_a, subtract(o_b, o_a)))
    elif radius > 0.0:
        if spots[c, SURFACE] == HEIGHT:
            center = y
            for _ in range(ROUNDS):
                y = subtract(center, scale(radius, n_a))
                n_a, gap = height_field.gap(surface, y)
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
