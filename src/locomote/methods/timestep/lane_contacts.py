"""Contacts of several runs at once, on lanes, in a step of `timestep.lanes`; numbers are those of `timestep.sweep`.

A contact may stick in one lane and slide in the next: each takes its own part of (1) to (3), by masks.
"""

from locomote.compiler.lanes import WIDTH, any_lane, load_float, store_float
from locomote.compiler.scalars import select
from locomote.compiler.source import helper, routine
from locomote.contact import spots as at
from locomote.contact import states
from locomote.contact import sweep_columns as col
from locomote.geometry.shape import LOWEST
from locomote.geometry.shapes.plane import PLANE
from locomote.kernels.contact_sweep import ACCELERATION as GAIN
from locomote.kernels.contact_sweep import ANSWER, EXTRA, RESPONSE, SINGLE, respond
from locomote.kernels.kinematics import BODIES, ORIGIN, ROTATION, TWIST
from locomote.linear.lu import solve_dense
from locomote.methods.state import FORCE, FORCE_POINT, STUCK
from locomote.methods.timestep.end_rows import follows_body
from locomote.methods.timestep.moves import count_v
from locomote.methods.timestep.sweep import DEEP, LEAK, LIGHT, MET, REACH, RESTING, RESTING_DEEP, SHARED
from locomote.model.columns import MASS
from locomote.spatial.algebra import add, cross, dot, join, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, load9, store


@helper
def size_of(x):
    return states.larger(x, -x)


@routine
def place_each(plan, work, state, s, h, c):
    """Normal, point, gap and bend of a spot on any surface, lane by lane, into its row of `near`; with the first slot of a hull
    all of its slots."""
    laws, hull = plan.spot_laws, plan.spot_laws[c, at.RIM] == LOWEST
    if hull and laws[c, at.COS] > 0.0:
        return
    b, a = plan.spots[c, at.BODY], plan.spots[c, at.OTHER]
    for lane in range(WIDTH):
        for k in range(BODIES):
            work.bodies[b, k] = load_float(s.bodies, (b * BODIES + k) * WIDTH + lane)
            work.bodies[a, k] = load_float(s.bodies, (a * BODIES + k) * WIDTH + lane)
        for i in range(c, plan.spots[c, at.NEXT] if hull else c + 1):
            place_lane(plan, work, state, s, h, i, lane)


@routine
def place_lane(plan, work, state, s, h, c, lane):
    """Normal, point, gap and bend of a spot in one lane."""
    b, laws = plan.spots[c, at.BODY], plan.spot_laws
    at.place_spot(plan, work.place, work.shape, work.bodies, c, state.placed)
    w = rotate(load9(work.bodies, b, ROTATION), states.point_velocity(work.bodies, b, TWIST, load(laws, c, at.PLACE)))
    bend = 0.5 * h * at.bending(plan, work.place, work.shape, work.bodies, c, w)
    for k in range(3):
        store_float(s.near, (c * col.NEAR + col.NORMAL + k) * WIDTH + lane, state.placed[c, at.NORMAL + k])
        store_float(s.near, (c * col.NEAR + col.POINT + k) * WIDTH + lane, state.placed[c, at.POINT + k])
    store_float(s.near, (c * col.NEAR + col.OFFSET) * WIDTH + lane, state.placed[c, at.GAP])
    store_float(s.near, (c * col.NEAR + col.AFTER) * WIDTH + lane, bend)


@routine
def place_near(plan, work, state, s, h, rho, sticking):
    """Rows of all contacts at the middle of the step; gives where one of them, or a stop, needs the other way of stepping."""
    laws, near, touch, v, fastest = plan.spot_laws, s.near, s.touch, s.v_middle, 0.0 * rho
    wanting = edge = fastest > 1.0
    shared = sticking > SHARED
    for k in range(count_v(plan.topology)):
        fastest = states.larger(size_of(v[k]), fastest)
    for n in range(plan.stops.shape[0]):
        k = plan.stops[n]
        gap = plan.stop_laws[n, 0] * (s.q_try[plan.q_of_v[k]] - plan.stop_laws[n, 1])
        wanting = wanting | (gap < 4.0 * h * (size_of(v[k]) + 10.0 * h))
    for c in range(plan.spots.shape[0]):
        b = plan.spots[c, at.BODY]
        R, o = load9(s.bodies, b, ROTATION), load(s.bodies, b, ORIGIN)
        if plan.spots[c, at.SURFACE] == PLANE and laws[c, at.RIM] == 0.0:
            n, x, near[c, col.OFFSET] = states.above_plane(laws, c, R, o)
            store(near, c, col.NORMAL, unrotate(R, n))
            near[c, col.AFTER] = 0.0
        else:
            place_each(plan, work, state, s, h, c)
            x = load(near, c, col.POINT)
            store(near, c, col.NORMAL, unrotate(R, load(near, c, col.NORMAL)))
        gap, bend, n, mode = near[c, col.OFFSET], near[c, col.AFTER], load(near, c, col.NORMAL), touch[c, STUCK]
        mode = select(gap < at.EMPTY, mode, col.OPEN)
        closed = mode > col.OPEN
        store(s.touch_end, c, FORCE_POINT, x)
        r = unrotate(R, subtract(x, o))
        u = states.point_velocity(s.bodies, b, TWIST, r)
        before = dot(n, u)
        resting = (gap < -RESTING_DEEP) & (fastest < RESTING)
        wanting = wanting | (closed & ((gap < -DEEP) | resting))
        wanting = wanting | ((mode == col.OPEN) & ((gap < -DEEP) & (before < 0.0)))
        if laws[c, at.RESTITUTION] > 0.0:
            wanting = wanting | ((before < -laws[c, at.REBOUND]) & (gap + 0.5 * h * before < 0.0))
        store(near, c, col.POINT, r)
        store(near, c, col.BEFORE, u)
        store(near, c, col.TURNED, (0.0 * rho, 0.0 * rho, 0.0 * rho))
        near[c, col.MODE], near[c, col.GAP], near[c, col.BEND] = mode, gap, bend
        near[c, col.OFFSET] = at.room(select(closed, at.stays_shut(gap, h), gap), h, bend)
        p = scale(h, unrotate(R, load(touch, c, FORCE)))
        p = (select(closed, p[0], 0.0), select(closed, p[1], 0.0), select(closed, p[2], 0.0))
        store(near, c, col.IMPULSE, p)
        if any_lane(closed & shared):
            edge = edge | (closed & states.at_edge(n, laws[c, at.FRICTION], u, p, LIGHT * rho * h))
    begin_loads(plan, s, h, rho, shared, edge)
    return wanting


@routine
def begin_loads(plan, s, h, rho, shared, edge):
    """Loads of the step before, from which closed contacts begin, as in `timestep.sweep`."""
    near, leaks = s.near, shared & ~edge
    part, some = select(leaks, LEAK, 1.0 + 0.0 * rho), any_lane(leaks)
    for c in range(plan.spots.shape[0]):
        slides = near[c, col.MODE] == col.SLIDE
        if some:
            store(near, c, col.IMPULSE, scale(part, load(near, c, col.IMPULSE)))
        if any_lane(slides):
            p, u = load(near, c, col.IMPULSE), load(near, c, col.BEFORE)
            p, u = states.eased(load(near, c, col.NORMAL), u, p, LIGHT * rho * h, slides & shared)
            store(near, c, col.IMPULSE, p)
            states.choose_way(near, c, plan.spot_laws[c, at.FRICTION], rho, p, u, rho, slides)


@routine
def follow_turning(plan, s, h):
    """(5) for contacts that are closed or come to be, after `bias_of`."""
    near, laws, world = s.near, plan.spot_laws, plan.topology.shape[0] - 1
    for c in range(plan.spots.shape[0]):
        gap, bend = near[c, col.GAP], near[c, col.BEND]
        closed = (s.touch[c, STUCK] > col.OPEN) & (gap < at.EMPTY)
        where = closed | (gap < REACH)
        if not follows_body(plan, c) or not any_lane(where):
            continue
        b, r, n = plan.spots[c, at.BODY], load(near, c, col.POINT), load(near, c, col.NORMAL)
        place = load(laws, c, at.PLACE) if laws[c, at.RIM] == 0.0 else r
        by = scale(0.5 * h, states.turning(s.newton, world, b, load9(s.bodies, b, ROTATION), r, place))
        normal, along = dot(n, by), subtract(by, scale(dot(n, by), n))
        e = select(closed, at.room(at.stays_shut(gap, h), h, bend) + normal, at.room(gap, h, bend + normal))
        near[c, col.OFFSET] = select(where, e, near[c, col.OFFSET])
        before = add(load(near, c, col.BEFORE), subtract(along, load(near, c, col.TURNED)))
        states.store_where(near, c, col.BEFORE, where, before)
        states.store_where(near, c, col.TURNED, where, along)


@routine
def load_bodies(plan, state, s, h, rho):
    """Inertias and wrenches of all contacts that are closed in any lane, body by body."""
    near, extra, loaded = s.near, s.extra, state.loaded
    for i in range(plan.topology.shape[0]):
        loaded[i] = 0
    for c in range(plan.spots.shape[0]):
        mode, b = near[c, col.MODE], plan.spots[c, at.BODY]
        sticks, slides = mode == col.STICK, mode == col.SLIDE
        if not any_lane(sticks | slides):
            continue
        if loaded[b] == 0:
            loaded[b] = 1
            for k in range(EXTRA):
                extra[b, k] = 0.0
        r, n, u = load(near, c, col.POINT), load(near, c, col.NORMAL), load(near, c, col.BEFORE)
        p, e = load(near, c, col.IMPULSE), near[c, col.OFFSET]
        if any_lane(sticks):
            states.add_point(extra, b, select(sticks, rho, 0.0), r)
            states.add_force(extra, b, r, scale(select(sticks, 1.0 / h, 0.0), states.sticking_impulse(n, e, rho, p, u)))
        if any_lane(slides):
            g, size, drift = near[c, col.ACROSS], near[c, col.SIZE], near[c, col.DRIFT]
            d = load(near, c, col.DIRECTION)
            t = cross(n, d)
            states.add_line(extra, b, select(slides, rho, 0.0), n, cross(r, n))
            states.add_line(extra, b, select(slides, g, 0.0), t, cross(r, t))
            f = states.sliding_impulse(n, e, rho, p, u, d, size, g, drift)
            states.add_force(extra, b, r, scale(select(slides, 1.0 / h, 0.0), f))


@routine
def look(plan, s, h, rho, share, live):
    """Velocities and impulses of all contacts after a sweep; the residual of the contact law, m/s, and its sum over contacts.
    In lanes that are live, contacts that do not meet it switch between open, stick and slide."""
    near, worst, total = s.near, 0.0 * rho, 0.0 * rho
    for c in range(plan.spots.shape[0]):
        b, mode, e, mu = plan.spots[c, at.BODY], near[c, col.MODE], near[c, col.OFFSET], plan.spot_laws[c, at.FRICTION]
        r, n, u = load(near, c, col.POINT), load(near, c, col.NORMAL), load(near, c, col.BEFORE)
        after = add(u, scale(h, states.point_velocity(s.sweep, b, GAIN, r)))
        normal = dot(after, n) + e
        opened, slides = mode == col.OPEN, mode == col.SLIDE
        left = select(normal >= 0.0, 0.0, -normal)
        if any_lane(mode > col.OPEN):
            p = load(near, c, col.IMPULSE)
            by = states.sticking_impulse(n, e, rho, p, after)
            if any_lane(slides):
                d = load(near, c, col.DIRECTION)
                other = states.sliding_impulse(
                    n, e, rho, p, after, d, near[c, col.SIZE], near[c, col.ACROSS], near[c, col.DRIFT]
                )
                by = states.chosen(slides, other, by)
            states.store_where(near, c, col.IMPULSE, live & (mode > col.OPEN), by)
            p = load(near, c, col.IMPULSE)
            m = states.larger(1e-3 * share, 0.25 * plan.constants[b, MASS])
            left = select(opened, left, states.off_the_law(n, mu, m, p, add(after, scale(e, n))))
        worst, total = states.larger(left, worst), total + left
        turns = live & (left > MET)
        if any_lane(turns):
            p = load(near, c, col.IMPULSE)
            closes = turns & opened
            opens = (turns & (mode > col.OPEN)) & (dot(p, n) <= 0.0)
            states.choose_way(
                near, c, mu, rho, p, after, select(slides, rho, 0.0), (turns & (mode > col.OPEN)) & (dot(p, n) > 0.0)
            )
            near[c, col.MODE] = select(closes, col.STICK, select(opens, col.OPEN, near[c, col.MODE]))
            states.store_where(near, c, col.IMPULSE, closes | opens, (0.0, 0.0, 0.0))
    return worst, total


@routine
def follow_loads(plan, state, s, h, rho, share, live):
    """(4) in lanes that are live: the motion of the last sweep, and sizes of friction, become those of friction that has
    followed the loads. Each lane solves for its own contacts."""
    near, count, off, some = s.near, 0, 0.0 * rho, 0.0 * rho
    for c in range(plan.spots.shape[0]):
        mu, slides = plan.spot_laws[c, at.FRICTION], near[c, col.MODE] == col.SLIDE
        s.ds[c] = 0.0
        if mu > 0.0 and any_lane(slides & live):
            b, n, r = plan.spots[c, at.BODY], load(near, c, col.NORMAL), load(near, c, col.POINT)
            u = dot(n, load(near, c, col.BEFORE)) + h * dot(n, states.point_velocity(s.sweep, b, GAIN, r))
            ds = mu * (dot(n, load(near, c, col.IMPULSE)) - rho * (u + near[c, col.OFFSET])) - near[c, col.SIZE]
            s.ds[c] = select(slides, ds, 0.0)
            off = states.larger(size_of(s.ds[c]) / states.larger(1e-3 * share, 0.25 * plan.constants[b, MASS]), off)
            some = some + select(slides, 1.0, 0.0)
            state.row_of[count] = c
            count += 1
    follows = (live & (off >= 0.1 * MET)) & (some <= SINGLE)
    if not any_lane(follows):
        return
    for j in range(count):
        c = state.row_of[j]
        b, d, r = plan.spots[c, at.BODY], load(near, c, col.DIRECTION), load(near, c, col.POINT)
        wrench = join(d, cross(r, d))
        respond(plan.topology, plan.constants, s.q_try, s.sine, s.cosine, None, s.D, b, wrench, s.sweep, s.dofs, j)
        for i in range(count):
            other = state.row_of[i]
            u = states.point_velocity(s.sweep, plan.spots[other, at.BODY], RESPONSE + 6 * j, load(near, other, col.POINT))
            s.R[i, j] = plan.spot_laws[other, at.FRICTION] * rho * dot(load(near, other, col.NORMAL), u)
    s.a[0] = select(follows, 1.0, 0.0)
    for lane in range(WIDTH):
        follow_in(plan, state, s, lane, count, load_float(s.a, lane) > 0.0)
    for j in range(count):
        c = state.row_of[j]
        near[c, col.SIZE] += s.ds[c]
        by = s.ds[c] / h
        for i in range(plan.topology.shape[0] - 1):
            for k in range(6):
                s.sweep[i, GAIN + k] += by * s.sweep[i, RESPONSE + 6 * j + k]
        for k in range(count_v(plan.topology)):
            s.gain[k] += by * s.dofs[k, ANSWER + j]


@routine
def follow_in(plan, state, s, lane, count, wanted):
    """Solve (4) in a lane, whose contacts are among the `count` ones in state.row_of; ds is zero where it cannot be solved."""
    own, good, spots = 0, wanted, plan.spots.shape[0]
    if wanted:
        for j in range(count):
            if load_float(s.near, (state.row_of[j] * col.NEAR + col.MODE) * WIDTH + lane) == col.SLIDE:
                state.modes[own] = j
                own += 1
        for j in range(own):
            for i in range(own):
                value = load_float(s.R, (state.modes[i] * spots + state.modes[j]) * WIDTH + lane)
                state.dense[i, j] = value + (1.0 if i == j else 0.0)
            state.spare[j] = load_float(s.ds, state.row_of[state.modes[j]] * WIDTH + lane)
        good = solve_dense(state.dense, own, state.spare)
        for j in range(own):
            size = load_float(s.near, (state.row_of[state.modes[j]] * col.NEAR + col.SIZE) * WIDTH + lane)
            good = good and size + state.spare[j] >= 0.0
    for j in range(count):
        store_float(s.ds, state.row_of[j] * WIDTH + lane, 0.0)
    if good:
        for j in range(own):
            store_float(s.ds, state.row_of[state.modes[j]] * WIDTH + lane, state.spare[j])
