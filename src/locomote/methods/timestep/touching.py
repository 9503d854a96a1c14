"""Rows and blocks of all that may touch in a step over contacts (`timestep`), and springs of ground that gives way.

Ground that gives way is a spring k with a damper c, taken at the end of the step. Its normal row has a compliance 1 / r on the
diagonal of W, and an offset; rows along the ground have a spring between the point and what slides, stretched by s:

    p_n = -r (u_n + e) ,  r = h (h/2 k + c) ,  e = h k gap / r        where it touches                               (7)
    p_t = -r (u_t + e) ,  r = h (h k + c) ,    e = h k s / r ,  s_end = -(p_t / h + c u_t) / k ,  up to friction      (8)

What touches in a model with flexible bodies, which spin and whip, reaches the ground where the next step looks at it, at its
middle, and follows it with the normal acceleration s that its place has while no velocity changes (`swing_at`), so that there
is next to no depth for (5) to remove:

    e = gap / h + h/2 (s + u . K u)                                                                                  (9)

What touches hard ground has its velocity where the step ends (`end_rows`).

Numbers (1) to (6) are those of `timestep`.
"""

from math import exp, sqrt

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine, sum_helper
from locomote.contact import delassus as solve
from locomote.contact import spots as at
from locomote.contact.alart_curnier import along, rows_of
from locomote.contact.delassus import ARM, STOP
from locomote.contact.islands import WHOLE, arrange
from locomote.contact.sweep_columns import OPEN, SLOW
from locomote.evaluation.plan import MEET
from locomote.geometry.shape import PAIRED
from locomote.geometry.shapes.plane import PLANE
from locomote.kernels.kinematics import ORIGIN, ROTATION, TWIST
from locomote.methods.state import FORCE, MOMENT, PAIR, SPEED_OF_ARRIVAL, STRETCH, STUCK
from locomote.methods.timestep.end_rows import copy_rows, follows, put_end_rows, speed_at_end, turned_by
from locomote.methods.timestep.rows import add_point_rows, add_row, put_point_rows, put_row, set_spans, start_row
from locomote.methods.timestep.ways import find_speeds, way_of
from locomote.spatial.algebra import add, angular, cross, dot, linear, rotate, scale, subtract
from locomote.spatial.rows import load, load6, load9, store

SAME_FRICTION = 1e-12  # change of a coefficient that is none
STILL, CORNERS = 1e-8, 5.0  # m/s, along the normal, of what rests there; how many times what a step drifts its gap may be
NEAR = 1e-3  # m, gaps that are looked at whatever the speed


@routine
def bend_at(plan, work, state, c, v, m, j):
    """u . K u of (4) for spot c of block j; m : an unused row of state.raw. Nothing on flat ground."""
    kind = plan.spots[c, at.SURFACE]
    if kind == PLANE or plan.spot_laws[c, at.RIM] != 0.0:
        return 0.0
    b = plan.spots[c, at.BODY]
    R, o = load9(work.bodies, b, ROTATION), load(work.bodies, b, ORIGIN)
    x, w = add(o, rotate(R, load(plan.spot_laws, c, at.PLACE))), (0.0, 0.0, 0.0)
    for axis in range(2):
        d = load(state.placed, c, at.FIRST_AXIS + 3 * axis)
        start_row(state, m, j, v.shape[0])
        put_row(plan, work, state.raw, m, b, x, d, 1.0, False)
        put_row(plan, work, state.raw, m, plan.spots[c, at.OTHER], x, d, -1.0, False)
        w = add(w, scale(along(state.raw, m, v, state.spans, j), d))
    return at.bending(plan, work.place, work.shape, work.bodies, c, w)


@routine
def swing_at(plan, work, state, c):
    """How fast the gap of spot c opens faster by the motion of its body, or section, while no velocity changes: the normal
    acceleration of its place, less that of the surface."""
    total, n = 0.0, load(state.placed, c, at.NORMAL)
    b, a = plan.spots[c, at.BODY], plan.spots[c, at.OTHER]
    if plan.spot_laws[c, at.RIM] != 0.0 or plan.spots[c, at.TURNED] != 0:
        return 0.0
    x = add(load(work.bodies, b, ORIGIN), rotate(load9(work.bodies, b, ROTATION), load(plan.spot_laws, c, at.PLACE)))
    for side in range(2):
        i, sign = b if side == 0 else a, 1.0 if side == 0 else -1.0
        V, A = load6(work.bodies, i, TWIST), load6(work.rates, i, 0)
        u = add(linear(V), cross(angular(V), x))
        total += sign * dot(n, add(add(linear(A), cross(angular(A), x)), cross(angular(V), u)))
    return total


@helper
def store_three(x, m, by):
    """Three numbers, from entry m on."""
    x[m], x[m + 1], x[m + 2] = by


@routine
def give_way(plan, state, h, c, m, gap):
    """(7) and (8) for spot c with rows from m on: their compliance, and offsets."""
    laws = plan.spot_laws
    k, kt = laws[c, at.STIFFNESS], laws[c, at.SHEAR]
    if k > 0.0:
        r = h * (0.5 * h * k + laws[c, at.DAMPING])
        state.soft[m + 2] = 1.0 / r
        state.offset[m + 2] = h * k * gap / r if gap < 0.0 else gap / (0.5 * h)
    if kt > 0.0:
        r = h * (h * kt + laws[c, at.SHEAR_DAMPING])
        for axis in range(2):
            state.soft[m + axis] = 1.0 / r
            stretch = dot(load(state.placed, c, at.FIRST_AXIS + 3 * axis), load(state.touch, c, STRETCH))
            state.offset[m + axis] = h * kt * stretch / r


@sum_helper
def row_product(felt, r, rows, s, nv):
    """The product of two rows."""
    w = 0.0
    for k in range(nv):
        w += felt[r, k] * rows[s, k]
    return w


@routine
def gather(plan, work, state, h, v, v_free, rank):
    """Rows and blocks of all that may touch in this step; returns how many blocks and rows."""
    count, m, c, trees = 0, 0, 0, state.speeds.shape[0]
    most = find_speeds(plan, state, v, v_free)
    if plan.pairs.shape[0] > 0:
        call_compiled(plan.calls[MEET], (plan, work, state.touch, PAIR, state.placed, NEAR, 4.0 * h * most))
    while c < plan.spots.shape[0]:
        after, far = plan.spots[c, at.NEXT], False
        if plan.spot_laws[c, at.RIM] == PAIRED:
            far = state.placed[c, at.PAIR] == 0.0
        elif trees > WHOLE:
            x, reach = at.ball_about(plan.spots, plan.spot_laws, work.bodies, c)
            near = NEAR + way_of(plan, work, state, h, plan.spots[c, at.BODY], x, reach)
            near += way_of(plan, work, state, h, plan.spots[c, at.OTHER], x, reach)
            far = at.apart(plan.spots, plan.spot_laws, work.bodies, c, near, 0.0)
        elif after - c > 1:
            far = at.apart(plan.spots, plan.spot_laws, work.bodies, c, NEAR, 4.0 * h * most)
        while c < after:
            state.row_of[c] = -1
            if not far and comes_near(plan, work, state, h, v, v_free, c, count, m, most):
                touching = touches(plan, state, c) or sits(plan, state, h, c, m)
                add_point(plan, work, state, h, v, c, count, m, rank, touching)
                normal, first = m + 2, count
                count, m = count + 1, m + 3
                for axis in range(3):
                    arm = plan.spot_laws[c, at.TORSION] if axis == 2 else plan.spot_laws[c, at.ROLLING]
                    if arm > 0.0:
                        add_arm(plan, work, state, h, v, c, axis, count, m, rank, arm, normal, first)
                        count, m = count + 1, m + 1
            c += 1
    for n in range(plan.stops.shape[0]):
        k, sign = plan.stops[n], plan.stop_laws[n, 0]
        gap = sign * (state.q_try[plan.q_of_v[k]] - plan.stop_laws[n, 1])
        if gap > 0.1 + 4.0 * h * most or (state.known[k] != 0 and plan.imposed[k] == 0):  # `ask_rates` looks at these
            continue
        add_stop(plan, work, state, h, v, k, sign, gap, count, m, rank)
        m, count = m + 1, count + 1
    if state.trees.shape[1] > WHOLE:
        arrange(state.spans, count, state.tree_at, state.trees, state.links, state.trees.shape[1])
    return count, m


@helper
def touches(plan, state, c):
    """Whether spot c carried a load in the step before; what could pull may have had a force while it opened."""
    f = load(state.touch, c, FORCE)
    return state.touch[c, STUCK] != OPEN if plan.spot_laws[c, at.ADHESION] > 0.0 else dot(f, f) > 0.0


@helper
def sits(plan, state, h, c, m):
    """Whether spot c, whose rows are from m on, could pull and is at rest on its ground without a load: the corner of a face
    whose others carry it is held by what pulls as they are."""
    still = abs(state.before[m + 2]) < STILL and state.placed[c, at.GAP] < CORNERS * h * at.SLACKEN
    return plan.spot_laws[c, at.ADHESION] > 0.0 and still


@routine
def comes_near(plan, work, state, h, v, v_free, c, count, m, fastest):
    """Whether spot c may touch in this step; then its rows of state.raw are there from m on, and speeds before."""
    nv = v.shape[0]
    at.place_spot(plan, work.place, work.shape, work.bodies, c, state.placed)
    b, a = at.sides(plan, state.placed, c)
    gap, x = state.placed[c, at.GAP], load(state.placed, c, at.POINT)
    if plan.spot_laws[c, at.RIM] == PAIRED or state.trees.shape[1] <= WHOLE:
        near = 4.0 * h * fastest * (1.0 + sqrt(dot(x, x)))
    else:
        near = way_of(plan, work, state, h, b, x, 0.0) + way_of(plan, work, state, h, a, x, 0.0)
    if not gap < NEAR + near:
        return False
    turn_axes(plan, work, state, c)
    set_spans(state, count, b, a)
    for axis in range(3):
        start_row(state, m + axis, count, nv)
    one, two, n = load(state.placed, c, at.FIRST_AXIS), load(state.placed, c, at.SECOND_AXIS), load(state.placed, c, at.NORMAL)
    put_point_rows(plan, work, state.raw, work.axes, m, b, x, one, two, n, 1.0)
    put_point_rows(plan, work, state.raw, work.axes, m, a, x, one, two, n, -1.0)
    for axis in range(3):
        state.before[m + axis] = along(state.raw, m + axis, v, state.spans, count)
    after = along(state.raw, m + 2, v_free, state.spans, count)
    return gap < 1e-3 or gap + h * min(state.before[m + 2], after) < 0.0 or touches(plan, state, c)


@routine
def turn_axes(plan, work, state, c):
    """Axes along the ground where friction has an axis of its own: along and across it, each as long as its part of friction,
    so that in them friction is the same in all directions."""
    laws = plan.spot_laws
    if laws[c, at.ALONG_PART] == 1.0 and laws[c, at.ACROSS_PART] == 1.0:
        return
    n = load(state.placed, c, at.NORMAL)
    b = plan.spots[c, at.BODY]
    d = rotate(load9(work.bodies, b, ROTATION), load(laws, c, at.ALONG))
    d = subtract(d, scale(dot(d, n), n))
    size = sqrt(dot(d, d))
    if size > 1e-9:
        d = scale(1.0 / size, d)
        store(state.placed, c, at.FIRST_AXIS, scale(laws[c, at.ALONG_PART], d))
        store(state.placed, c, at.SECOND_AXIS, scale(laws[c, at.ACROSS_PART], cross(n, d)))


@routine
def add_point(plan, work, state, h, v, c, count, m, rank, touching):
    """The block of spot c, whose rows of state.raw are from m on; touching : whether it did in the step before."""
    nv, ground, gap, before = v.shape[0], plan.spot_laws, state.placed[c, at.GAP], state.before[m + 2]
    b, a = at.sides(plan, state.placed, c)
    state.row_of[c] = m
    bend = 0.5 * h * bend_at(plan, work, state, c, v, m + 3, count)
    shut, by = at.stays_shut(gap, h), (0.0, 0.0, 0.0)
    state.follows[count] = 1 if follows(plan, state, c) else 0
    if state.follows[count] != 0:
        put_end_rows(plan, work, state, h, c, m)
        by = turned_by(state, state.v_ahead, m, count)
    store_three(state.turned, m, by)
    arrives = before - by[2]
    e = at.room(shut, h, bend) if touching else at.room(gap, h, bend + by[2]) - by[2]
    if plan.rods.shape[0] > 0:  # (9)
        e = max(2.0 * shut if touching else gap, 0.0) / h + bend + 0.5 * h * swing_at(plan, work, state, c)
    state.hits[count], state.plain[count] = 0.0, int(ground[c, at.NEWTON])
    if ground[c, at.RESTITUTION] > 0.0 and arrives < -ground[c, at.REBOUND] and gap + 0.5 * h * before < 0.0:
        state.hits[count] = ground[c, at.RESTITUTION] * arrives
        e = state.hits[count]
    elif ground[c, at.RESTITUTION] > 0.0 and gap <= 0.0 and state.touch[c, SPEED_OF_ARRIVAL] < 0.0 and arrives < 0.0:
        e = 0.0
    state.offset[m] = state.offset[m + 1] = 0.0
    state.offset[m + 2] = e
    state.soft[m] = state.soft[m + 1] = state.soft[m + 2] = 0.0
    give_way(plan, state, h, c, m, gap)
    state.blocks[count, solve.KIND], state.blocks[count, solve.FIRST] = solve.POINT, m
    state.gaps[count] = gap
    rub(plan, work, state, h, c, count, m, touching)
    for axis in range(3):
        d = load(state.placed, c, at.FIRST_AXIS + 3 * axis)
        square = dot(d, d)
        state.impulse[m + axis] = h * dot(d, load(state.touch, c, FORCE)) / square if square > 0.0 else 0.0
    add_point_rows(plan, work, state, m, nv, rank, b, a, count)
    if state.follows[count] == 0:
        copy_rows(state, m, 3)


@routine
def rub(plan, work, state, h, c, count, m, touching):
    """Friction of spot c at the start of the step, adhesion, and the motion of its surface."""
    laws, P = plan.spot_laws, load9(work.bodies, plan.spots[c, at.OTHER], ROTATION)
    motion = rotate(P, load(laws, c, at.MOTION))
    state.spot_of[count], state.slips[count] = c, 0
    state.pull[m] = state.pull[m + 1] = 0.0
    state.pull[m + 2] = h * laws[c, at.ADHESION] if touching else 0.0
    for axis in range(2):
        state.drift[m + axis] = -dot(load(state.placed, c, at.FIRST_AXIS + 3 * axis), motion)
        state.offset[m + axis] += state.drift[m + axis]
    state.drift[m + 2] = 0.0
    state.bounds[count] = laws[c, at.STATIC]
    if laws[c, at.STATIC] > laws[c, at.FRICTION]:
        x, y = state.before[m] + state.offset[m], state.before[m + 1] + state.offset[m + 1]
        speed = sqrt(x * x + y * y)
        if speed > SLOW:
            state.slips[count], state.bounds[count] = 1, sliding_friction(laws, c, speed)


@helper
def sliding_friction(laws, c, speed):
    """Friction of spot c that slides."""
    more, fading = laws[c, at.STATIC] - laws[c, at.FRICTION], laws[c, at.FADING]
    return laws[c, at.FRICTION] + (more * exp(-speed / fading) if fading > 0.0 else 0.0)


@routine
def rub_as_they_slide(plan, state, count):
    """Friction of what slides by its mean speed, from v_end in state.v_try; whether impulses have to be found again."""
    laws, again = plan.spot_laws, False
    for j in range(count):
        c, m = state.spot_of[j], state.blocks[j, solve.FIRST]
        if state.blocks[j, solve.KIND] != solve.POINT or not laws[c, at.STATIC] > laws[c, at.FRICTION]:
            continue
        x = state.before[m] + state.drift[m] - state.turned[m]
        y = state.before[m + 1] + state.drift[m + 1] - state.turned[m + 1]
        before = sqrt(x * x + y * y)
        x = speed_at_end(state, m, state.v_try, j) + state.offset[m]
        y = speed_at_end(state, m + 1, state.v_try, j) + state.offset[m + 1]
        after = sqrt(x * x + y * y)
        if after > SLOW:
            state.slips[j] = 1
        if state.slips[j] != 0:
            now = sliding_friction(laws, c, 0.5 * (before + after))
            again = again or abs(now - state.bounds[j]) > SAME_FRICTION
            state.bounds[j] = now
    return again


@routine
def add_arm(plan, work, state, h, v, c, axis, count, m, rank, arm, normal, owner):
    """The block of the moment about an axis of spot c; normal, owner : row and block of its load"""
    nv, x = v.shape[0], load(state.placed, c, at.POINT)
    b, a = at.sides(plan, state.placed, c)
    d = load(state.placed, c, at.FIRST_AXIS + 3 * axis)
    for k in range(4):
        state.spans[count, k] = state.spans[owner, k]
    start_row(state, m, count, nv)
    put_row(plan, work, state.raw, m, b, x, d, 1.0, True)
    put_row(plan, work, state.raw, m, a, x, d, -1.0, True)
    state.before[m], state.offset[m] = along(state.raw, m, v, state.spans, count), 0.0
    state.impulse[m] = h * dot(d, load(state.touch, c, MOMENT))
    state.soft[m], state.bounds[count], state.gaps[count], state.hits[count], state.pull[m] = 0.0, arm, 0.0, 0.0, 0.0
    state.drift[m], state.follows[count] = 0.0, 0
    state.blocks[count, solve.KIND], state.blocks[count, solve.FIRST], state.blocks[count, solve.OWNER] = ARM, m, normal
    add_row(plan, work, state, m, nv, rank, b, a, count)
    copy_rows(state, m, 1)


@routine
def add_stop(plan, work, state, h, v, k, sign, gap, count, m, rank):
    """The block of a stop of coordinate k."""
    nv, body = v.shape[0], state.body_of[k]
    set_spans(state, count, body, plan.topology.shape[0] - 1)
    start_row(state, m, count, nv)
    state.raw[m, k] = sign
    state.before[m], state.offset[m], state.impulse[m] = sign * v[k], max(gap, 0.0) / (0.5 * h), 0.0
    state.soft[m], state.gaps[count], state.hits[count], state.pull[m] = 0.0, gap, 0.0, 0.0
    state.drift[m], state.follows[count] = 0.0, 0
    state.blocks[count, solve.KIND], state.blocks[count, solve.FIRST] = STOP, m
    add_row(plan, work, state, m, nv, rank, body, plan.topology.shape[0] - 1, count)
    copy_rows(state, m, 1)


@routine
def feel_each_other(c, W, x):
    """W of `contact.delassus`, from rows of contacts; x : scratch, a number for each coordinate"""
    if c.trees == 1:
        for r in range(c.m):
            for s in range(r + 1):
                W[r, s], W[s, r] = row_product(c.felt, r, c.rows, s, c.nv), row_product(c.felt, s, c.rows, r, c.nv)
            W[r, r] += c.soft[r]
        return
    for k in range(c.nv):
        x[k] = 0.0
    for j in range(c.count):  # rows have numbers along their spans only
        for r in range(c.blocks[j, solve.FIRST], c.blocks[j, solve.FIRST] + rows_of(c.blocks[j, solve.KIND])):
            put_along(c, j, r, x, 1.0)
            for i in range(j + 1):
                for s in range(c.blocks[i, solve.FIRST], c.blocks[i, solve.FIRST] + rows_of(c.blocks[i, solve.KIND])):
                    W[r, s] = W[s, r] = along(c.rows, s, x, c.spans, i)
            put_along(c, j, r, x, 0.0)
            W[r, r] += c.soft[r]


@helper
def put_along(c, j, r, x, factor):
    """x <- factor times row r of block j, where that may have numbers."""
    for side in range(2):
        for k in range(c.spans[j, 2 * side], c.spans[j, 2 * side + 1]):
            x[k] = factor * c.rows[r, k]


@routine
def keep_moment(plan, state, h, c, r):
    """The moment of what resists rolling and spinning at spot c, whose rows are from r on."""
    moment, m = (0.0, 0.0, 0.0), r + 3
    for axis in range(3 if r >= 0 else 0):
        if plan.spot_laws[c, at.TORSION if axis == 2 else at.ROLLING] > 0.0:
            moment = add(moment, scale(state.impulse[m] / h, load(state.placed, c, at.FIRST_AXIS + 3 * axis)))
            m += 1
    store(state.touch_end, c, MOMENT, moment)


@routine
def stretch(plan, state, h, c, r, nv):
    """s_end of (8), where spot c touches."""
    s, k = (0.0, 0.0, 0.0), plan.spot_laws[c, at.SHEAR]
    if r >= 0 and k > 0.0 and state.impulse[r + 2] > 0.0:
        for axis in range(2):
            u = 0.0
            for i in range(nv):
                u += state.raw[r + axis, i] * state.v_try[i]
            pull = state.impulse[r + axis] / h + plan.spot_laws[c, at.SHEAR_DAMPING] * u
            s = subtract(s, scale(pull / k, load(state.placed, c, at.FIRST_AXIS + 3 * axis)))
    store(state.touch_end, c, STRETCH, s)
