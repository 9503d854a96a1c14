"""A step in which most contacts stay as they were: open, sticking or sliding. Nearly all steps of robots are such.

Every closed contact is an inertia and a wrench on its body (`kernels.contact_sweep`): no Delassus matrix, no mass matrix,
whatever the number of contacts. Multipliers lam, the impulses of the step before, carry the load, a stiff r only its change.
n is the normal, e as in `timestep`, u and u+ velocities of the point before and after, u* a guess of the latter. Friction of a
sliding contact points along d and has the size s:

    stick   p = lam - r (u+ + e n)                                                                               (1)
    slide   p = (lam_n - r (u+_n + e)) n + s d - g (1 - n n^T - d d^T) (u+ - u*)                                 (2)
            d along lam_t - r u*_t , s = mu lam_n , g = r s / |lam_t - r u*_t|
    open    p = 0                                                                                                (3)

Each is p = f - G (u+ - u), so that one sweep gives u+ and p, in balance with the motion, whether or not they meet the contact
law. They are taken if they meet it. If not, lam = p, contacts change their ways, and it is tried again, a few times, with few
contacts only while it leads on. This is Newton's method, but
for s, which ought to follow p_n. It does by (4) after each sweep, R being how normal velocities answer to friction of all
sliding contacts, and with it goes the motion:

    s' = s + ds ,   (1 + mu r R) ds = mu p_n - s                                                                 (4)

Velocities u+ of points on hard ground are those of where the step ends (`end_rows`), with s the rate of J v while no velocity
changes:

    u + h/2 s  instead of u ;   before it  u - h/2 s                                                             (5)

The bias is that of the mean velocity, guessed from the change in the step before, and computed again if that guess was poor.

Tested by tests/laws/methods/timestep/test_contact_sweep.py and tests/laws/contact/test_many_contacts.py.
"""

from math import sqrt

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, kernel, routine
from locomote.contact import spots as at
from locomote.contact import states
from locomote.contact import sweep_columns as col
from locomote.contact.meeting_columns import BLOCKS, FIRST_SPOT
from locomote.contact.states import (
    above_plane,
    choose_way,
    in_cone,
    off_the_law,
    point_velocity,
    sliding_impulse,
    sticking_impulse,
    turning,
)
from locomote.evaluation.plan import DRIVEN, LOSSES, MEET, MOVING, PATH, REST, STIFFNESS
from locomote.geometry.manifold import SLOTS
from locomote.geometry.shapes.plane import PLANE
from locomote.kernels.contact_sweep import ACCELERATION as GAIN
from locomote.kernels.contact_sweep import ANSWER, RESPONSE, SINGLE, respond, sweep_inward, sweep_outward
from locomote.kernels.coupled_joints import Coupled
from locomote.kernels.inverse_dynamics import Motion, Newton, Tree, carry_motion
from locomote.kernels.kinematics import ORIGIN, ROTATION, TWIST, Places, poses_in_world, twists_in_bodies
from locomote.linear.lu import solve_dense
from locomote.methods.state import ABSORBED, EVALUATIONS, FORCE, FORCE_POINT, LEFT_OVER, PAIR, SPEED_OF_ARRIVAL, STEP, STUCK
from locomote.methods.timestep.coupled import couplings_off, keep_couplings, push_more
from locomote.methods.timestep.end_rows import follows_body
from locomote.methods.timestep.live import COUNT, HELD, KNOWN, LIVE, WHOLE
from locomote.methods.timestep.moves import count_v, steady
from locomote.model.columns import MASS, V_COUNT, V
from locomote.model.joints import past_place
from locomote.spatial.algebra import add, cross, dot, join, rotate, scale, subtract, unrotate
from locomote.spatial.rows import load, load9, store

STIFF = 1e6  # r over the share of a contact in the mass
# how often it is tried: with a few closed contacts, where the other way is fast, and with more, while what is left is CLOSE
TURNS, MORE_TURNS, FEW = 5, 24, 4
MET = 4e-9  # m/s, above what rounding leaves
DEEP, RESTING_DEEP, RESTING = 1e-6, 1e-9, 1e-3  # m, depths that the other way of stepping removes; m/s, below which the latter
LIGHT = 3e-6  # m/s^2 by STIFF: a third of the weight that a contact has in the mean
SHARED = 4  # closed contacts, beyond which several may be points of one foot and share its load in many ways
# factor on loads from step to step: self-stress between points of a foot decays, and goes into the cone of none that is full
LEAK = 0.99
GUESSED = 3e-5  # rad or m, of a step: error of the mean velocity with which its bias will do
GUESSED_FAST = 1e-5  # the same where bodies turn fast, as a part of what is fast
REACH = 1e-3  # m, of gaps that may close, for (5)
AWAY = 0.02  # m, beyond which touches of several spots are not looked at, and a way that goes with the speed
CLOSE = 1e-3  # m/s, residual of the contact law below which mean velocities may have their bias, and more turns are worth it


@helper
def leave_open(state, c):
    """A spot of a touch that is far from the ground."""
    for k in range(col.NEAR):
        state.near[c, k] = 0.0
    for k in range(3):
        state.touch_end[c, FORCE_POINT + k] = 0.0
    state.near[c, col.MODE], state.near[c, col.GAP], state.near[c, col.OFFSET] = col.OPEN, at.EMPTY, at.EMPTY


@routine
def place_near(plan, work, state, h, rho, sticking):
    """Rows of all contacts at the middle of the step; False if one of them needs the other way of stepping."""
    laws, near, touch, v, live = plan.spot_laws, state.near, state.touch, state.v_middle, state.live
    fastest, count, known, edge = 0.0, 0, state.live[KNOWN] > 0, False
    live[KNOWN] = live[COUNT] = -1
    for k in range(v.shape[0]):
        fastest = max(fastest, abs(v[k]))
    after, far = 0, False
    if plan.pairs.shape[0] > 0:
        call_compiled(plan.calls[MEET], (plan, work, touch, PAIR, state.placed, CLOSE, 4.0 * h * fastest))
        if work.crowded[0] > 0.0:
            return False
    for c in range(at.on_grounds(plan)):
        b = plan.spots[c, at.BODY]
        if c == after:
            after = plan.spots[c, at.NEXT]
            far = after - c > 1 and at.apart(plan.spots, laws, work.bodies, c, AWAY, 4.0 * h * fastest)
        if far and known and state.away[c] != 0:
            continue
        live[LIVE + count] = c
        count += 1
        state.away[c] = 1 if far else 0
        if far:
            leave_open(state, c)
            continue
        R, o = load9(work.bodies, b, ROTATION), load(work.bodies, b, ORIGIN)
        if plan.spots[c, at.SURFACE] == PLANE and laws[c, at.RIM] == 0.0:
            n, x, gap = above_plane(laws, c, R, o)
            bend = 0.0
        else:
            at.place_spot(plan, work.place, work.shape, work.bodies, c, state.placed)
            n, x, gap = load(state.placed, c, at.NORMAL), load(state.placed, c, at.POINT), state.placed[c, at.GAP]
            w = rotate(R, point_velocity(work.bodies, b, TWIST, load(laws, c, at.PLACE)))
            bend = 0.5 * h * at.bending(plan, work.place, work.shape, work.bodies, c, w)
        mode = touch[c, STUCK] if gap < at.EMPTY else col.OPEN
        if mode != col.OPEN and (gap < -DEEP or (gap < -RESTING_DEEP and fastest < RESTING)):
            return False
        store(state.touch_end, c, FORCE_POINT, x)
        r, normal = unrotate(R, subtract(x, o)), unrotate(R, n)
        u = subtract(point_velocity(work.bodies, b, TWIST, r), unrotate(R, at.surface_motion(laws, c, n)))
        before = dot(normal, u)
        if mode == col.OPEN and gap < -DEEP and before < 0.0:
            return False
        if laws[c, at.RESTITUTION] > 0.0 and before < -laws[c, at.REBOUND] and gap + 0.5 * h * before < 0.0:
            return False
        store(near, c, col.POINT, r)
        store(near, c, col.NORMAL, normal)
        store(near, c, col.BEFORE, u)
        store(near, c, col.TURNED, (0.0, 0.0, 0.0))
        near[c, col.MODE], near[c, col.GAP], near[c, col.BEND] = mode, gap, bend
        near[c, col.OFFSET] = at.room(at.stays_shut(gap, h) if mode != col.OPEN else gap, h, bend)
        if mode != col.OPEN:
            p = scale(h, unrotate(R, load(touch, c, FORCE)))
            store(near, c, col.IMPULSE, p)
            edge = edge or (sticking > SHARED and states.at_edge(normal, laws[c, at.FRICTION], u, p, LIGHT * rho * h))
    live[COUNT], live[WHOLE] = count, 0 if known else 1
    begin_loads(plan, state, h, rho, sticking > SHARED, edge)
    return True


@routine
def begin_loads(plan, state, h, rho, shared, edge):
    """Loads of the step before, from which closed contacts begin; shared : whether several points may share one, edge : whether
    a light one is at the edge of its cone and still."""
    near, part = state.near, LEAK if shared and not edge else 1.0
    for n in range(state.live[COUNT]):
        c = state.live[LIVE + n]
        if near[c, col.MODE] == col.OPEN:
            continue
        p, u = scale(part, load(near, c, col.IMPULSE)), load(near, c, col.BEFORE)
        if near[c, col.MODE] == col.SLIDE:
            p, u = states.eased(load(near, c, col.NORMAL), u, p, LIGHT * rho * h, shared)
            store(near, c, col.IMPULSE, p)
            choose_way(near, c, plan.spot_laws[c, at.FRICTION], rho, p, u, rho, True)
        store(near, c, col.IMPULSE, p)


@routine
def follow_turning(plan, work, state, h):
    """(5) for contacts that are closed or come to be, after `bias_of`."""
    near, laws, world = state.near, plan.spot_laws, plan.topology.shape[0] - 1
    for c in range(at.on_grounds(plan)):
        closed, gap, bend = state.touch[c, STUCK] != col.OPEN, near[c, col.GAP], near[c, col.BEND]
        if near[c, col.OFFSET] == at.EMPTY or not (closed or gap < REACH) or not follows_body(plan, c):
            continue
        b, r, n = plan.spots[c, at.BODY], load(near, c, col.POINT), load(near, c, col.NORMAL)
        place = load(laws, c, at.PLACE) if laws[c, at.RIM] == 0.0 else r
        by = scale(0.5 * h, turning(work.newton, world, b, load9(work.bodies, b, ROTATION), r, place))
        normal, along = dot(n, by), subtract(by, scale(dot(n, by), n))
        near[c, col.OFFSET] = at.room(at.stays_shut(gap, h), h, bend) + normal if closed else at.room(gap, h, bend + normal)
        store(near, c, col.BEFORE, add(load(near, c, col.BEFORE), subtract(along, load(near, c, col.TURNED))))
        store(near, c, col.TURNED, along)


@routine
def load_bodies(plan, state, h, rho):
    """Inertias and wrenches of all closed contacts, body by body."""
    near, extra, loaded = state.near, state.extra, state.loaded
    for i in range(plan.topology.shape[0]):
        loaded[i] = 0
    for n in range(state.live[COUNT]):
        c = state.live[LIVE + n]
        mode, b = near[c, col.MODE], plan.spots[c, at.BODY]
        if mode == col.OPEN:
            continue
        if loaded[b] == 0:
            loaded[b] = 1
            for k in range(extra.shape[1]):
                extra[b, k] = 0.0
        r, n, u = load(near, c, col.POINT), load(near, c, col.NORMAL), load(near, c, col.BEFORE)
        p, e = load(near, c, col.IMPULSE), near[c, col.OFFSET]
        if mode == col.STICK:
            states.add_point(extra, b, rho, r)
            f = sticking_impulse(n, e, rho, p, u)
        else:
            d, g = load(near, c, col.DIRECTION), near[c, col.ACROSS]
            t = cross(n, d)
            f = sliding_impulse(n, e, rho, p, u, d, near[c, col.SIZE], g, near[c, col.DRIFT])
            states.add_line(extra, b, rho, n, cross(r, n))
            states.add_line(extra, b, g, t, cross(r, t))
        states.add_force(extra, b, r, scale(1.0 / h, f))


@routine
def look(plan, state, h, rho, share):
    """Velocities and impulses of all contacts after a sweep, and the residual of the contact law, m/s; contacts that do not
    meet it change their ways."""
    near, worst = state.near, 0.0
    for n in range(state.live[COUNT]):
        c = state.live[LIVE + n]
        b, mode, e, mu = plan.spots[c, at.BODY], near[c, col.MODE], near[c, col.OFFSET], plan.spot_laws[c, at.FRICTION]
        if e == at.EMPTY:
            continue
        r, n, u = load(near, c, col.POINT), load(near, c, col.NORMAL), load(near, c, col.BEFORE)
        after = add(u, scale(h, point_velocity(state.sweep, b, GAIN, r)))
        normal = dot(after, n) + e
        store(near, c, col.AFTER, after)
        if mode == col.OPEN:
            if normal < 0.0:
                worst = max(worst, -normal)
                if normal < -MET:
                    near[c, col.MODE] = col.STICK
                    store(near, c, col.IMPULSE, (0.0, 0.0, 0.0))
            continue
        p = load(near, c, col.IMPULSE)
        if mode == col.STICK:
            p = sticking_impulse(n, e, rho, p, after)
        else:
            d = load(near, c, col.DIRECTION)
            p = sliding_impulse(n, e, rho, p, after, d, near[c, col.SIZE], near[c, col.ACROSS], near[c, col.DRIFT])
        store(near, c, col.IMPULSE, p)
        m = max(0.25 * plan.constants[b, MASS], 1e-3 * share)
        left = off_the_law(n, mu, m, p, add(after, scale(e, n)))
        worst = max(worst, left)
        if left > MET:
            if dot(p, n) <= 0.0:
                near[c, col.MODE] = col.OPEN
                store(near, c, col.IMPULSE, (0.0, 0.0, 0.0))
            else:
                choose_way(near, c, mu, rho, p, after, rho if mode == col.SLIDE else 0.0, True)
    return worst


@routine
def follow_loads(plan, work, state, h, rho, share):
    """(4), for contacts that slide: the motion of the last sweep, and sizes of friction, become those of friction that has
    followed the loads."""
    near, R, ds, count, off = state.near, state.dense, state.spare, 0, 0.0
    groups = Coupled(state.member, state.group, state.geared, state.grouped)
    for i in range(state.live[COUNT]):
        c = state.live[LIVE + i]
        mu = plan.spot_laws[c, at.FRICTION]
        if near[c, col.MODE] == col.SLIDE and mu > 0.0:
            if count == SINGLE:
                return
            b, n, r = plan.spots[c, at.BODY], load(near, c, col.NORMAL), load(near, c, col.POINT)
            u = dot(n, load(near, c, col.BEFORE)) + h * dot(n, point_velocity(state.sweep, b, GAIN, r))
            ds[count] = mu * (dot(n, load(near, c, col.IMPULSE)) - rho * (u + near[c, col.OFFSET])) - near[c, col.SIZE]
            off = max(off, abs(ds[count]) / max(0.25 * plan.constants[b, MASS], 1e-3 * share))
            state.row_of[count] = c
            count += 1
    if off < 0.1 * MET:
        return
    for j in range(count):
        c = state.row_of[j]
        b, d, r = plan.spots[c, at.BODY], load(near, c, col.DIRECTION), load(near, c, col.POINT)
        respond(
            plan.topology, plan.constants, state.q_try, work.sine, work.cosine, groups, state.diagonal, b,
            join(d, cross(r, d)), state.sweep, state.dofs, j,
        )  # fmt: skip
        for i in range(count):
            other = state.row_of[i]
            u = point_velocity(state.sweep, plan.spots[other, at.BODY], RESPONSE + 6 * j, load(near, other, col.POINT))
            R[i, j] = plan.spot_laws[other, at.FRICTION] * rho * dot(load(near, other, col.NORMAL), u)
        R[j, j] += 1.0
    if not solve_dense(R, count, ds):
        return
    for j in range(count):
        if not near[state.row_of[j], col.SIZE] + ds[j] >= 0.0:
            return
    for j in range(count):
        near[state.row_of[j], col.SIZE] += ds[j]
        by = ds[j] / h
        for i in range(plan.topology.shape[0] - 1):
            for k in range(6):
                state.sweep[i, GAIN + k] += by * state.sweep[i, RESPONSE + 6 * j + k]
        for k in range(state.gain.shape[0]):
            state.gain[k] += by * state.dofs[k, ANSWER + j]
        push_more(plan, state, j, by)


@routine
def bodies_stay_apart(plan, work, state, h):
    """Whether no shapes of bodies that are near each other come to touch with the motion of the last sweep."""
    for k in range(plan.pools.shape[0]):
        first = plan.pools[k, FIRST_SPOT]
        for c in range(first, first + plan.pools[k, BLOCKS] * SLOTS):
            gap = state.placed[c, at.GAP]
            if state.placed[c, at.PAIR] == 0.0 or gap > at.EMPTY:
                continue
            b, a = at.sides(plan, state.placed, c)
            x, n, speed = load(state.placed, c, at.POINT), load(state.placed, c, at.NORMAL), 0.0
            for side in range(2):
                i, sign = (b, 1.0) if side == 0 else (a, -1.0)
                R = load9(work.bodies, i, ROTATION)
                r = unrotate(R, subtract(x, load(work.bodies, i, ORIGIN)))
                u = add(point_velocity(work.bodies, i, TWIST, r), scale(h, point_velocity(state.sweep, i, GAIN, r)))
                speed += sign * dot(n, rotate(R, u))
            if speed + at.room(gap, h, 0.0) < 0.0:
                return False
    return True


@routine
def bias_of(plan, q, v, a, wrenches, sine, cosine, newton):
    """Wrenches that the motion takes with velocities v while nothing accelerates in the world; a : scratch."""
    for k in range(count_v(plan.topology)):
        a[k] = 0.0
    steady(plan, v, a)
    carry_motion(Tree(plan.topology, plan.constants), Motion(q, v, a), wrenches, Newton(sine, cosine, newton))


@routine
def keep_step(plan, work, state, h, left):
    """Forces, work of all sources and accelerations of the step, for samples and the next step."""
    nv, near, v, done = state.v.shape[0], state.near, state.v_middle, state.y_end
    joints, losses, moving, square = 0.0, 0.0, 0.0, 0.0
    for k in range(state.done.shape[0]):
        done[2 * nv + k] = state.done[k]
    held = 0
    for n in range(state.live[COUNT]):
        c = state.live[LIVE + n]
        mode = near[c, col.MODE]
        force = (0.0, 0.0, 0.0)
        if mode != col.OPEN:
            held += 1
            u, after = load(near, c, col.BEFORE), load(near, c, col.AFTER)
            p = in_cone(load(near, c, col.NORMAL), plan.spot_laws[c, at.FRICTION], load(near, c, col.IMPULSE))
            losses += dot(p, subtract(scale(0.5, add(u, after)), load(near, c, col.TURNED)))
            R = load9(work.bodies, plan.spots[c, at.BODY], ROTATION)
            moving += dot(rotate(R, p), at.surface_motion(plan.spot_laws, c, rotate(R, load(near, c, col.NORMAL))))
            force = scale(1.0 / h, rotate(R, p))
        store(state.touch_end, c, FORCE, force)
        state.touch_end[c, STUCK] = mode
        state.touch_end[c, SPEED_OF_ARRIVAL] = 0.0
    state.live[HELD] = held
    for c in range(at.on_grounds(plan), plan.spots.shape[0] if state.live[WHOLE] > 0 else 0):
        if state.touch_end[c, PAIR] != 0.0:
            for k in range(state.touch_end.shape[1]):
                state.touch_end[c, k] = 0.0
    state.solver[ABSORBED] = -losses
    for k in range(nv):
        rise = h * state.gain[k]
        state.v_try[k] = v[k] + rise
        mean = v[k] + 0.5 * rise
        spring = 0.0
        if plan.passive[STIFFNESS, k] != 0.0:
            spring = -plan.passive[STIFFNESS, k] * (state.q_try[plan.q_of_v[k]] - plan.passive[REST, k])
        losses += (h * (work.passive[k] - spring) - state.diagonal[k] * rise) * mean
        joints += h * work.active[k] * mean
        state.v_star[k] = mean
        state.step_a[k] = state.gain[k]
    keep_couplings(plan, state)
    for k in range(nv):
        state.a[k] = 0.0
    steady(plan, state.v_star, state.a)
    for k in range(nv):
        state.step_a[k] += state.a[k]
    done[2 * nv + DRIVEN] += joints
    done[2 * nv + LOSSES] += losses
    done[2 * nv + MOVING] += moving
    for n in range(plan.base.shape[0]):
        square += state.v_star[plan.base[n]] ** 2
    done[2 * nv + PATH] += h * sqrt(square)
    state.solver[LEFT_OVER] = left


@kernel
def sweep_one(plan, work, state, h, placed):
    """Try such a step from q_try, v_middle and forces of joints and bodies; D is in state.diagonal. placed : are bodies?

    Returns 1 if it was taken: v_try, touch_end, work and accelerations are those of the step; else 0.
    """
    topology, constants, v = plan.topology, plan.constants, state.v_middle
    room = Places(work.sine, work.cosine, work.bodies)
    groups = Coupled(state.member, state.group, state.geared, state.grouped)
    nv, count, mass, sticking = v.shape[0], plan.spots.shape[0], 0.0, 0
    for n in range(plan.stops.shape[0]):
        k = plan.stops[n]
        gap = plan.stop_laws[n, 0] * (state.q_try[plan.q_of_v[k]] - plan.stop_laws[n, 1])
        if gap < 4.0 * h * (abs(v[k]) + 10.0 * h):
            return 0
    if couplings_off(state, plan, state.q_try, v)[1] > MET:
        return 0
    known = state.live[KNOWN] > 0
    for c in range(0 if known else count):
        if state.touch[c, STUCK] != col.OPEN:
            sticking += 1
            if c >= at.on_grounds(plan):  # bodies that carry each other are not for sweeps
                return 0
    sticking = state.live[HELD] if known else sticking
    if placed == 0:
        poses_in_world(topology, constants, state.q_try.shape[0], state.q_try, room)
    twists_in_bodies(topology, constants, state.q_try, v, room)
    for i in range(topology.shape[0] - 1):
        mass += constants[i, MASS]
    share = mass / max(sticking, 1)
    rho = STIFF * share
    if not place_near(plan, work, state, h, rho, sticking):
        return 0
    for k in range(nv):
        state.v_star[k] = v[k] + 0.5 * h * state.step_a[k]
        work.tau[k] = work.active[k] + work.passive[k]
    bias_of(plan, state.q_try, state.v_star, state.a, work.wrenches, work.sine, work.cosine, work.newton)
    follow_turning(plan, work, state, h)
    left = 1e300
    for turn in range(TURNS if sticking <= FEW else MORE_TURNS):
        before = left
        load_bodies(plan, state, h, rho)
        sweep_inward(
            topology, constants, state.q_try, work.sine, work.cosine, groups, work.wrenches, work.newton,
            state.loaded, state.extra, work.tau, state.diagonal, state.sweep, state.dofs,
        )  # fmt: skip
        sweep_outward(
            topology, constants, state.q_try, work.sine, work.cosine, groups, state.diagonal, state.sweep,
            state.dofs, state.gain,
        )  # fmt: skip
        state.counts[EVALUATIONS] += 1
        follow_loads(plan, work, state, h, rho, share)
        left = look(plan, state, h, rho, share)
        if not left < 1e300 or (sticking <= FEW and left > CLOSE and left > before) or (turn >= TURNS - 1 and left > CLOSE):
            return 0
        if left < CLOSE:
            change, way, asked = 0.0, 0.0, max(h, state.clock[STEP])
            for i in range(topology.shape[0] - 1):
                first = past_place(topology, i)
                for k in range(first, topology[i, V] + topology[i, V_COUNT]):
                    change = max(change, h * abs(v[k] + 0.5 * h * state.gain[k] - state.v_star[k]))
                    way = max(way, asked * abs(v[k]))
            enough = (GUESSED if way < state.fast[0] else GUESSED_FAST * state.fast[0]) * (h / asked)  # after hits h is short
            if change < enough and left <= MET:
                if not bodies_stay_apart(plan, work, state, h):
                    return 0
                keep_step(plan, work, state, h, left)
                return 1
            if change >= enough:
                left = 1e300
                for k in range(nv):
                    state.v_star[k] = v[k] + 0.5 * h * state.gain[k]
                bias_of(plan, state.q_try, state.v_star, state.a, work.wrenches, work.sine, work.cosine, work.newton)
                follow_turning(plan, work, state, h)
    return 0
