"""Rows of contacts where a step ends: what touches hard ground has its velocity there, not at the middle of the step.

The bodies of a contact turn on by half a step. With v+ a guess of the velocity at the end, that of the pass before, S the
motion axes of a joint as twists at the origin of the world, V+ the twist of the body that it moves, x the point of a contact:

    S+ = S + h/2 V+ x S ,   x+ = x + h/2 x' ,   J+ = rows of x+ by S+                                               (1)
    u = J+ v_end                                                                                                  (2)

J+ moves points of one body as points of one rigid body, so that they can all stand still at once, or turn about a line,
whatever the guess is. What stays closed would be lifted in each step else, and its load do work. Impulses act along J.
Points of bodies, balls about them and corners of solids above planes have this on hard ground, but no rods, no piles, and
nothing that turns by FAR in half a step.
"""

from locomote.compiler.source import helper, routine
from locomote.contact import spots as at
from locomote.contact.alart_curnier import along
from locomote.contact.delassus import FIRST
from locomote.contact.islands import WHOLE
from locomote.contact.meeting_columns import SECOND, SHAPE
from locomote.geometry import convex
from locomote.geometry.shape import PAIRED
from locomote.kernels.common_frame import take
from locomote.methods.timestep.rows import lean_rows, put_point_rows
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.model.joints import past_place
from locomote.spatial.algebra import add, angular, bracket, cross, dot, linear, plus, scale, subtract, times
from locomote.spatial.rows import load, load6, store6

FAR = 0.5  # rad, in half a step


@helper
def speed_at_end(state, r, v, j):
    """(2) of row r of block j."""
    if state.seen.shape[0] > 0:
        return along(state.seen, r, v, state.spans, j)
    return along(state.raw, r, v, state.spans, j)


@helper
def felt_at_end(state, r, w, j):
    """The same of a change w of velocity (mass = 1)."""
    if state.felt.shape[0] > 0:
        return along(state.felt, r, w, state.spans, j)
    return along(state.rows, r, w, state.spans, j)


@routine
def turn_on(plan, work, state, h, v):
    """(1): motion axes of all joints where the step ends, and twists of bodies in the world, for velocities v at the end."""
    world, topology, twists, axes = plan.topology.shape[0] - 1, plan.topology, state.end_twists, state.end_axes
    if state.seen.shape[0] == 0:
        return
    store6(twists, world, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for i in range(world):
        t = load6(twists, topology[i, PARENT], 0)
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            t = plus(t, times(v[k], take(work.axes, 0, k)))
        store6(twists, i, 0, t)
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = take(work.axes, 0, k)
            if k >= past_place(topology, i):  # shifts of free bodies are along axes that stay
                S = plus(S, times(0.5 * h, bracket(t, S)))
            for r in range(6):
                axes[r, k] = S[r]


@helper
def radius_of(plan, placed, c):
    """Radius of the ball that spot c is of."""
    if plan.spot_laws[c, at.RIM] == PAIRED:
        return plan.solids[plan.pairs[int(placed[c, at.PAIR]) - 1, SECOND], convex.RADIUS]
    return plan.spot_laws[c, at.RADIUS]


@helper
def follows(plan, state, c):
    """Whether spot c has rows of its own at the end: as `at.FOLLOWS`, or a corner, or a ball, of a solid above a plane."""
    if plan.rods.shape[0] > 0 or state.trees.shape[1] > WHOLE:
        return False
    if plan.spot_laws[c, at.RIM] != PAIRED:
        return follows_body(plan, c)
    p = int(state.placed[c, at.PAIR]) - 1
    below, kind = plan.solids[plan.pairs[p, SHAPE]], int(plan.solids[plan.pairs[p, SECOND], convex.KIND])
    return int(below[convex.KIND]) == convex.HALF and kind != convex.ROD and kind != convex.EGG


@helper
def follows_body(plan, c):
    """Whether spot c is a point of its body, or a ball about one, on hard ground, and no part of a pile."""
    return plan.spot_laws[c, at.FOLLOWS] != 0.0


@helper
def moved_on(state, i, h, x):
    """A point of body i where the step ends."""
    t = load6(state.end_twists, i, 0)
    return add(x, scale(0.5 * h, add(linear(t), cross(angular(t), x))))


@helper
def turned_on(state, i, h, d):
    """A direction of body i where the step ends."""
    return add(d, scale(0.5 * h, cross(angular(load6(state.end_twists, i, 0)), d)))


@helper
def turns_too_far(state, i, h):
    """Whether body i turns so far in half a step that (1) says nothing of where it ends."""
    w = angular(load6(state.end_twists, i, 0))
    return not 0.25 * h * h * dot(w, w) < FAR * FAR


@routine
def put_end_rows(plan, work, state, h, c, m):
    """J+ of spot c, rows m to m + 2, and the same over the mass matrix."""
    placed, (b, a) = state.placed, at.sides(plan, state.placed, c)
    far = turns_too_far(state, b, h) or turns_too_far(state, a, h)
    for r in range(m, m + 3):
        for k in range(state.seen.shape[1]):
            state.seen[r, k] = state.raw[r, k] if far else 0.0
    if not far:
        n, up = load(placed, c, at.NORMAL), radius_of(plan, placed, c)
        middle = moved_on(state, b, h, add(load(placed, c, at.POINT), scale(up, n)))
        one = turned_on(state, a, h, load(placed, c, at.FIRST_AXIS))
        two = turned_on(state, a, h, load(placed, c, at.SECOND_AXIS))
        n = turned_on(state, a, h, n)
        x = subtract(middle, scale(up, n))
        put_point_rows(plan, work, state.seen, state.end_axes, m, b, x, one, two, n, 1.0)
        put_point_rows(plan, work, state.seen, state.end_axes, m, a, x, one, two, n, -1.0)
    lean_rows(plan, work, state, state.seen, state.felt, m, b, a)


@routine
def copy_rows(state, m, count):
    """Rows from m on are at the end as they are at the middle."""
    if state.seen.shape[0] > 0:
        for r in range(m, m + count):
            for k in range(state.seen.shape[1]):
                state.seen[r, k] = state.raw[r, k]
            for k in range(state.felt.shape[1]):
                state.felt[r, k] = state.rows[r, k]


@routine
def renew_end_rows(plan, work, state, h, v, count):
    """J+ of all contacts that have one, for another guess v of the velocity at the end."""
    turn_on(plan, work, state, h, v)
    for j in range(count):
        if state.follows[j] != 0:
            put_end_rows(plan, work, state, h, state.spot_of[j], state.blocks[j, FIRST])


@routine
def turned_by(state, v, m, j):
    """How much the velocity along rows m to m + 2 of block j changes in the half step to its end, m/s."""
    raw, end, spans = state.raw, state.seen, state.spans
    return (
        along(end, m, v, spans, j) - along(raw, m, v, spans, j),
        along(end, m + 1, v, spans, j) - along(raw, m + 1, v, spans, j),
        along(end, m + 2, v, spans, j) - along(raw, m + 2, v, spans, j),
    )
