"""Which shapes of bodies are near each other, and where they touch: in compiled code, for steps and for instants.

Bodies first: no point of a body has moved further than its `travel`, the sum over all looks of

    |do| + reach |dR|_F / sqrt(2)                                                                                    (1)

so that two shapes with a gap g are not looked at before the travels of their bodies have grown by g less what is asked for.
This loses nothing, whatever poses come, also those of steps that are taken back. Bodies of one tree are followed as its root
sees them. What is near is looked at by `contact.separation`, and where it touches is found by `geometry.manifold`.

Places go to blocks of slots: a pair of shapes keeps its block while it is near (PAIR of `placed`: its number and one), and a
place its slot in it, so that loads go on from step to step.

Tested by tests/laws/contact/test_bodies_meet.py.
"""

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import kernel, routine
from locomote.contact import meeting_columns as col
from locomote.contact import separation as sep
from locomote.contact import spots as at
from locomote.geometry import convex, manifold
from locomote.geometry.shape import across
from locomote.kernels.kinematics import ORIGIN, ROTATION
from locomote.spatial.algebra import add, compose, cross, dot, rotate, subtract, unrotate
from locomote.spatial.rows import load, load9, store, store9

TOUCHING = 1e-3  # m, gaps below which a pair that has no block is missed
REACH = 2.0  # m, lever of the fastest coordinate beside the size of what it moves


@routine
def go_on(travel, n, first, R, o, reach):
    """(1), for one carrier; first : column of its last pose"""
    R_before, o_before = load9(travel, n, first), load(travel, n, first + 9)
    d, square = subtract(o, o_before), 0.0
    for k in range(9):
        square += (R[k] - R_before[k]) ** 2
    travel[n, first + 12] += sqrt(dot(d, d)) + reach * sqrt(0.5 * square)
    store9(travel, n, first, R)
    store(travel, n, first + 9, o)


@routine
def follow(plan, work):
    """(1), for all carriers."""
    for n in range(plan.carriers.shape[0]):
        b, root, reach = plan.carriers[n, col.CARRIER], plan.carriers[n, col.ROOT], plan.reaches[n]
        R, o = load9(work.bodies, b, ROTATION), load(work.bodies, b, ORIGIN)
        go_on(work.travel, n, 0, R, o, reach)
        if b != root:
            P, c = load9(work.bodies, root, ROTATION), load(work.bodies, root, ORIGIN)
            turned = (P[0], P[3], P[6], P[1], P[4], P[7], P[2], P[5], P[8])
            go_on(work.travel, n, col.TREE_POSE, compose(turned, R), unrotate(P, subtract(o, c)), reach)


@routine
def pose_of(plan, work, i):
    """Pose of a shape in the world."""
    b = int(plan.solids[i, col.BODY])
    P, d = load9(work.bodies, b, ROTATION), load(work.bodies, b, ORIGIN)
    return compose(P, load9(plan.solids, i, col.FRAME)), add(d, rotate(P, load(plan.solids, i, col.FRAME + 9)))


@routine
def apart_by_balls(plan, work, i, j):
    """Gap of the balls about two shapes."""
    b, a = int(plan.solids[i, col.BODY]), int(plan.solids[j, col.BODY])
    x = add(load(work.bodies, b, ORIGIN), rotate(load9(work.bodies, b, ROTATION), load(plan.solids, i, col.CENTER)))
    y = add(load(work.bodies, a, ORIGIN), rotate(load9(work.bodies, a, ROTATION), load(plan.solids, j, col.CENTER)))
    d = subtract(x, y)
    if int(plan.solids[i, convex.KIND]) == convex.HALF:
        P, _ = pose_of(plan, work, i)
        return -dot((P[2], P[5], P[8]), d) - plan.solids[j, col.BALL]
    return sqrt(dot(d, d)) - plan.solids[i, col.BALL] - plan.solids[j, col.BALL]


@routine
def block_for(plan, work, owned, column, placed, p, gap):
    """First spot of the block of pair p, its own, or one that is free, or that of the shapes that are furthest apart; -1 if
    these have the largest gap."""
    first, count = plan.pools[plan.pairs[p, col.POOL], col.FIRST_SPOT], plan.pools[plan.pairs[p, col.POOL], col.BLOCKS]
    hint = work.blocks[p]
    if hint > 0 and owned[hint - 1, column] == p + 1 and placed[hint - 1, at.PAIR] == 0.0:
        return hint - 1
    free, left = -1, -1
    for k in range(count):
        c = first + k * manifold.SLOTS
        if placed[c, at.PAIR] == 0.0:
            if owned[c, column] == p + 1:
                return c
            if free < 0 and owned[c, column] == 0.0:
                free = c
            if left < 0:
                left = c
    if free >= 0 or left >= 0:
        return free if free >= 0 else left
    for k in range(count):  # one whose shapes are further apart
        c, least = first + k * manifold.SLOTS, 1e300
        for n in range(manifold.SLOTS):
            least = min(least, placed[c + n, at.GAP])
        if least > gap:
            free, gap = c, least
    return free


@routine
def put_places(plan, work, placed, p, c, R, o, m):
    """Places that `manifold` has taken into the block that begins at spot c."""
    below, above = plan.pairs[p, col.SHAPE], plan.pairs[p, col.SECOND]
    body, other, n = int(plan.solids[above, col.BODY]), int(plan.solids[below, col.BODY]), rotate(R, m)
    t = across(n)
    for k in range(manifold.SLOTS):
        gap = work.outline[manifold.TAKEN + k, manifold.GAP]
        placed[c + k, at.PAIR] = p + 1
        placed[c + k, at.OWN], placed[c + k, at.BELOW] = body, other
        placed[c + k, at.GAP] = gap if gap < at.EMPTY else 2.0 * at.EMPTY
        store(placed, c + k, at.POINT, (0.0, 0.0, 0.0))
        if gap < at.EMPTY:
            store(placed, c + k, at.POINT, add(o, rotate(R, load(work.outline, manifold.TAKEN + k, 0))))
            store(placed, c + k, at.FIRST_AXIS, t)
            store(placed, c + k, at.SECOND_AXIS, cross(n, t))
            store(placed, c + k, at.NORMAL, n)


@routine
def look_at(plan, work, owned, column, placed, p, asked, travel):
    """Look at pair p of shapes; how far they are apart, at least."""
    i, j = plan.pairs[p, col.SHAPE], plan.pairs[p, col.SECOND]
    gap = apart_by_balls(plan, work, i, j)
    if gap > asked:
        return gap
    P, d = pose_of(plan, work, i)
    Q, e = pose_of(plan, work, j)
    turned = (P[0], P[3], P[6], P[1], P[4], P[7], P[2], P[5], P[8])
    R, o = compose(turned, Q), unrotate(P, subtract(e, d))
    first, second, out = plan.solids[i], plan.solids[j], work.gap
    count, m = 0, (0.0, 0.0, 1.0)
    if int(first[convex.KIND]) == convex.HALF:
        down = unrotate(R, (0.0, 0.0, -1.0))
        x = add(o, rotate(R, convex.core_support(second, plan.hull_corners, plan.hull_edges, down)))
        x = (x[0], x[1], x[2] - second[convex.RADIUS])
        if x[2] > asked:
            return x[2]
        count = manifold.places_on_plane(second, R, o, plan.hull_corners, plan.hull_edges, x[2], x, asked, work.outline)
        keep_places(plan, work, owned, column, placed, p, count, x[2], P, d, m)
        return x[2]
    sep.separate(
        first, second, R, o, plan.hull_corners, plan.hull_edges, work.polytope, work.polytope_faces, work.polytope_planes,
        work.polytope_lists, work.polytope_room, out,
    )  # fmt: skip
    if out[sep.GAP] > asked:
        return out[sep.GAP]
    n, x = (out[sep.N], out[sep.N + 1], out[sep.N + 2]), (out[sep.B], out[sep.B + 1], out[sep.B + 2])
    count, m = manifold.touching_places(
        first, second, R, o, plan.hull_corners, plan.hull_edges, n, out[sep.GAP], x, asked, work.outline
    )
    keep_places(plan, work, owned, column, placed, p, count, out[sep.GAP], P, d, m)
    return out[sep.GAP]


@routine
def keep_places(plan, work, owned, column, placed, p, count, gap, R, o, m):
    """Give pair p, with a gap, a block for the places that `manifold` has taken; what has none and touches crowds."""
    if count > 0:
        c, lost = block_for(plan, work, owned, column, placed, p, gap), gap
        if c >= 0:
            lost = 1e300
            if placed[c, at.PAIR] != 0.0:
                for n in range(manifold.SLOTS):
                    lost = min(lost, placed[c + n, at.GAP])
            put_places(plan, work, placed, p, c, R, o, m)
            work.blocks[p] = c + 1
        if lost < TOUCHING:
            work.crowded[0] = 1.0


@routine
def clear_blocks(plan, placed):
    """No pair has a block."""
    for k in range(plan.pools.shape[0]):
        first = plan.pools[k, col.FIRST_SPOT]
        for block in range(plan.pools[k, col.BLOCKS]):
            c = first + block * manifold.SLOTS
            if placed[c, at.PAIR] != 0.0:
                for i in range(c, c + manifold.SLOTS):
                    placed[i, at.PAIR], placed[i, at.GAP] = 0.0, 2.0 * at.EMPTY
                    store(placed, i, at.POINT, (0.0, 0.0, 0.0))


@kernel
def meet_one(plan, work, owned, column, placed, near, speed):
    """Places of all bodies that are near each other into their blocks; poses must be there. How many pairs were looked at.

    owned, column : which pair had each spot in the step before, its number and one ; near : m, gaps that are looked at, and
    `speed`, m, of what is within reach
    """
    looked, work.crowded[0] = 0, 0.0
    clear_blocks(plan, placed)
    follow(plan, work)
    for k in range(plan.meets.shape[0]):
        a, b = plan.meets[k, col.ONE], plan.meets[k, col.OTHER]
        which = col.TREE_TRAVEL if plan.meets[k, col.TREE] != 0 else col.WORLD_TRAVEL
        travel = work.travel[a, which] + work.travel[b, which]
        asked = near + speed * (REACH + plan.reaches[a] + plan.reaches[b])
        if work.wake[k] - travel > asked:
            continue
        least = 1e300
        for p in range(plan.meets[k, col.FIRST], plan.meets[k, col.AFTER]):
            if work.pair_wake[p] - travel <= asked:
                work.pair_wake[p] = travel + look_at(plan, work, owned, column, placed, p, asked, travel)
                looked += 1
            least = min(least, work.pair_wake[p])
        work.wake[k] = least
    return looked
