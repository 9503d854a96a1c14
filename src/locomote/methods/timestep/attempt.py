"""Steps over hard contact with Coulomb friction: velocities jump at the middle of a step (Moreau's midpoint).

Contacts are those of `contact.spots`, c one of their rows J (along t1, t2, n at the point that touches), p its impulse; A,
speed rows of constraints, lam their impulses. D holds damping and springs of joints, which act on the change of velocity too.

    q_m = q (+) h/2 v                           all that follows at q_m and t + h/2                                   (1)
    (M + D) (v_end - v) = h (force - bias((v + v_end) / 2)) + J^T p + A^T lam                                        (2)
    A (v + v_end) / 2 + speed = 0 ;   u = J v_end and p meet `contact.delassus`, u_n + e instead of u_n          (3)
    e = gap / (h/2) if the gap is open ;   restitution times the speed of arrival for a hit                          (4)
        on ground that bends also h/2 u . K u (`spots.room`), so that u_end is along it where the step ends
        J of bodies that turn is that of the end in u, and that of the middle in (2): `end_rows`
    depth is removed by a move without velocity:  J_n dq = depth ; what it lifts counts among the losses             (5)
    q_end = q_m (+) h/2 v_end                                                                                        (6)

Velocities of free and planar bodies are kept in axes of the world: bias is that of a motion whose shift does not turn with the
body, and v is turned after each move. With M + D = L^T d L and a row j, y = d^-1/2 L^-T j: products of such rows are
j M^-1 j^T, rows of contacts without what constraints take are W of `contact.delassus`.
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import kernel, routine
from locomote.contact.alart_curnier import rows_of
from locomote.contact.delassus import FIRST, KIND, into_cones
from locomote.contact.islands import WHOLE
from locomote.evaluation import plan as fields
from locomote.evaluation.evaluate import body_forces, find_rows, impose, joint_forces, needs_bodies
from locomote.methods import state as memory
from locomote.methods.timestep.end_rows import felt_at_end, renew_end_rows, speed_at_end, turn_on
from locomote.methods.timestep.hits import TURNS, ask_hits, weaken
from locomote.methods.timestep.kept import keep_forces
from locomote.methods.timestep.known import ask_rates, limit_torques
from locomote.methods.timestep.lift import carry, lift
from locomote.methods.timestep.live import COUNT, KNOWN
from locomote.methods.timestep.moves import half_move, resist, steady
from locomote.methods.timestep.pace import UNSETTLED, can_stop, leapt, made_at_middle, size_of_step, to_watch
from locomote.methods.timestep.rows import factor_by_roots, hold_constraints, inner, lean, outer
from locomote.methods.timestep.soft import stiffen
from locomote.methods.timestep.touching import gather, rub_as_they_slide
from locomote.methods.timestep.work import START, count_stored, count_surroundings, counted, store_energies
from locomote.model.columns import V_COUNT, V
from locomote.model.joints import joint_chart, joint_turned_back, past_place

PASSES, TURNED = 8, 3e-5  # passes of (2) for its bias; error of the mean velocity, times h, above which there is one more
TURNED_FAST = 5e-5  # the same where bodies turn fast, as a part of what is fast
UNMET = 0.1  # of the step that was asked for, down to which one that misses the law is taken again in halves
UNSEEN = 1e-3  # of TURNED: change of the velocity without contacts, times h, by a bias that will do


@routine
def damp(plan, work, state, h, nv):
    """M + D, held coordinates taken out; flexible bodies are stiff too."""
    n = 0
    for k in range(nv):
        if state.known[k] != 0:
            for i in range(nv):
                state.held_rows[n, i] = work.M[k, i]
            n += 1
    for k in range(nv if n > 0 else 0):
        if state.known[k] != 0:
            for i in range(nv):
                work.M[k, i] = work.M[i, k] = 0.0
            work.M[k, k] = 1.0
    for k in range(nv):
        work.M[k, k] += state.diagonal[k]
    if plan.rods.shape[0] > 0:
        stiffen(plan, work, state, h)


@routine
def free_velocity(plan, work, state, h, v, rank):
    """v_end of (2) and (3) without contacts, into state.v_try; the part that constraints take into state.held."""
    nv = v.shape[0]
    x = state.scratch_v
    for k in range(nv):
        x[k] = 0.0 if state.known[k] != 0 else h * (work.active[k] + work.passive[k] - work.bias[k])
    inner(plan.topology, work.M, x)
    outer(plan.topology, work.M, x)
    for k in range(nv):
        state.v_try[k] = state.v_held[k] if state.known[k] != 0 else v[k] + x[k]
    if rank == 0:
        return
    for k in range(nv):
        x[k] = 0.0
    for r in range(plan.holonomic.shape[0]):
        j = state.independent[r]
        if j >= 0:
            u = 2.0 * work.speed[r]  # the mean of both ends is zero: what holds at the middle holds at the end to second order
            for k in range(nv):
                u += work.A[r, k] * (v[k] + state.v_try[k])
            value = -u
            for i in range(j):
                value -= state.triangle[r, i] * state.held[i]
            state.held[j] = value / state.triangle[r, j]
    for j in range(rank):
        for k in range(nv):
            x[k] += state.held[j] * state.basis[j, k]
    outer(plan.topology, work.M, x)
    for k in range(nv):
        state.v_try[k] += 0.0 if state.known[k] != 0 else x[k]


@routine
def meet_law(plan, work, state, count, m, nv):
    """(3), with hits that make no energy; as `impulses_for`."""
    if not ask_hits(state, count, m, nv):
        return rubbed(plan, work, state, count, m, nv)
    left, state.solver[memory.BOUNCED] = 0.0, 1.0
    for k in range(nv):
        state.momentum[k] = state.v_try[k]
    for _ in range(TURNS):
        for k in range(nv):
            state.v_try[k] = state.momentum[k]
        left = rubbed(plan, work, state, count, m, nv)
        if not weaken(state, count, m, nv):
            break
    return left


@routine
def rubbed(plan, work, state, count, m, nv):
    """(3), with friction that goes with the speed of sliding; as `impulses_for`. The free velocity is in state.shift too."""
    left = impulses_for(plan, work, state, count, m, nv)
    for _ in range(TURNS):
        if not rub_as_they_slide(plan, state, count):
            break
        for k in range(nv):
            state.v_try[k] = state.shift[k]
        left = impulses_for(plan, work, state, count, m, nv)
    return left


@routine
def impulses_for(plan, work, state, count, m, nv):
    """(3): impulses for the free velocity in state.v_try, which becomes v_end; returns what is left, m/s."""
    for j in range(count):
        first = state.blocks[j, FIRST]
        for r in range(first, first + rows_of(state.blocks[j, KIND])):
            state.free_speed[r] = state.offset[r] + speed_at_end(state, r, state.v_try, j)
    x = state.scratch_v
    pull_by(state, count, nv, x)
    call_compiled(plan.calls[fields.SETTLE], (state, count, m, nv))
    into_cones(state.blocks, count, state.bounds, state.impulse)
    for r in range(m):
        state.impulse[r] -= state.pull[r]
    for k in range(nv):
        x[k] = 0.0
    for j in range(count):
        first = state.blocks[j, FIRST]
        for r in range(first, first + rows_of(state.blocks[j, KIND])):
            if state.impulse[r] != 0.0:
                for side in range(2):
                    for k in range(state.spans[j, 2 * side], state.spans[j, 2 * side + 1]):
                        x[k] += state.impulse[r] * state.rows[r, k]
    outer(plan.topology, work.M, x)
    for k in range(nv):
        state.v_try[k] += 0.0 if state.known[k] != 0 else x[k]
    return state.solver[memory.LEFT_OVER]


@routine
def pull_by(state, count, nv, x):
    """Adhesion acts with all it has, and loads carry it: impulses are loads and adhesion until the law is met; x : scratch"""
    some = False
    for j in range(count):
        first = state.blocks[j, FIRST]
        for r in range(first, first + rows_of(state.blocks[j, KIND])):
            if state.pull[r] > 0.0:
                if not some:
                    for k in range(nv):
                        x[k] = 0.0
                some = True
                for k in range(nv):
                    x[k] -= state.pull[r] * state.rows[r, k]
                state.impulse[r] += state.pull[r]
    if some:
        for j in range(count):
            first = state.blocks[j, FIRST]
            for r in range(first, first + rows_of(state.blocks[j, KIND])):
                state.free_speed[r] += felt_at_end(state, r, x, j)


@routine
def to_chart(plan, state, q):
    """Chart coordinates of q about state.q, into y_end."""
    topology, start, u = plan.topology, state.q, state.y_end
    for i in range(topology.shape[0] - 1):
        joint_chart(topology, i, start, q, u)


@routine
def finish_step(plan, work, state, h, v, count, m, rank, left):
    """(5) and what is kept, from v_end in state.v_try."""
    nv = state.v.shape[0]
    keep_forces(plan, work, state, h, v, m, rank)
    state.solver[memory.LEFT_OVER] = max(left, work.crowded[0])  # pairs without a block were not looked at
    if count > 0:
        lift(plan, work, state, h, count, nv)


@routine
def keep_stops(plan, state, h):
    """No joint goes beyond its stop by what `carry` did to v_end."""
    for n in range(plan.stops.shape[0]):
        k, sign = plan.stops[n], plan.stop_laws[n, 0]
        most = max(0.0, sign * (state.q_try[plan.q_of_v[k]] - plan.stop_laws[n, 1])) / (0.5 * h)
        if sign * state.v_try[k] < -most and state.known[k] == 0:
            state.v_try[k] = -sign * most


@routine
def end_step(plan, state, h, v):
    """(6), from v_end in state.v_try."""
    nv, topology = state.v.shape[0], plan.topology
    for k in range(nv):
        v[k] = state.v_try[k]
    half_move(plan, state, state.q_try, v, h, state.q_end)
    for i in range(topology.shape[0] - 1):
        joint_turned_back(topology, i, state.q_try, state.q_end, v)
    if state.g.shape[0] > 0:  # someone may look between the ends of the step
        to_chart(plan, state, state.q_end)
    else:
        for k in range(nv):
            state.y_end[k] = 0.0
    for k in range(nv):
        state.y_end[nv + k] = v[k]


@kernel
def timestep_attempt(plan, work, state, t, h):
    """A step of (1) to (6): fill y_end and q_end."""
    nv, nq, topology = state.v.shape[0], state.q.shape[0], plan.topology
    v, a = state.v_middle, state.a
    if counted(plan, state) and state.stored[START, 0] != t:
        store_energies(plan, work, state, t, state.q, START)
    for k in range(nv):
        v[k] = state.v[k]
    if plan.held.shape[0] > 0:
        for k in range(nq):
            state.scratch_q[k] = state.q[k]
        impose(plan, work, t + h, state.scratch_q, state.v_held, a)
    half_move(plan, state, state.q, v, h, state.q_try)  # (1)
    for i in range(topology.shape[0] - 1):
        joint_turned_back(topology, i, state.q, state.q_try, v)
    for k in range(nv):
        a[k] = state.v_star[k] = 0.0
    impose(plan, work, t + 0.5 * h, state.q_try, state.v_star, a)
    for k in range(nv):
        state.held_a[k] = a[k]
    joint_forces(plan, work, t + 0.5 * h, state.q_try, v)
    resist(plan, state.typical, h, v, state.diagonal)
    ask_rates(plan, work, state, h, v)
    sweeping, asked = state.sweeping[0] != 0, needs_bodies(plan)
    if asked or not sweeping:
        for k in range(nv):
            state.scratch_v[k] = 0.0
        steady(plan, v, state.scratch_v)
        find_rows(plan, work, t + 0.5 * h, state.q_try, v, state.scratch_v)
        body_forces(plan, work, t + 0.5 * h, state.q_try, v)
    for k in range(nq):
        state.q_middle[k] = state.q_try[k]
    watched = state.clock[memory.SIZE] > 0.0
    state.solver[memory.LIFTED] = state.solver[memory.RAISED] = state.solver[memory.BOUNCED] = state.clock[memory.SIZE] = 0.0
    swept = sweeping and call_compiled(plan.calls[fields.SWEEP], (plan, work, state, h, 1 if asked else 0)) != 0
    if not swept:
        state.live[KNOWN] = state.live[COUNT] = -1
        if sweeping and not asked:
            find_rows(plan, work, t + 0.5 * h, state.q_try, v, work.zero)
        settle_step(plan, work, state, h, v, watched, asked)
        if limit_torques(plan, work, state, h, v):
            settle_step(plan, work, state, h, v, watched, asked)
    counts, made = counted(plan, state), 0.0
    if counts:
        count_surroundings(plan, work, state, t, h, state.q_middle)
    fast = plan.rods.shape[0] == 0 and (watched or to_watch(plan, state, max(h, state.clock[memory.STEP]), v, state.v_try))
    if fast:
        made = made_at_middle(plan, work, state, h, state.q_middle, v)
        if state.solver[memory.RAISED] != 0.0:
            carry(plan, work, state, state.v_try)
            keep_stops(plan, state, h)
    end_step(plan, state, h, v)
    if counts:
        count_stored(plan, work, state, t, h)
    if fast:
        state.clock[memory.SIZE] = max(state.clock[memory.SIZE], size_of_step(plan, state, h, made, v))
    if state.solver[memory.LEFT_OVER] > memory.MET and h > UNMET * state.clock[memory.STEP]:
        state.clock[memory.SIZE] = max(state.clock[memory.SIZE], UNSETTLED)
    return 1 << 30


@routine
def same_bias(state, h, nv, enough):
    """Whether the free velocity in state.v_try is that of the pass before, in state.shift, but for what nobody can see."""
    for k in range(nv):
        if h * abs(state.v_try[k] - state.shift[k]) > UNSEEN * enough:
            return False
    return True


@routine
def settle_step(plan, work, state, h, v, watched, asked):
    """(2) to (5) by the Delassus matrix of all that may touch; watched : it is known that energy counts ; asked : forces act on
    bodies, in the room that looking at energies takes"""
    state.counts[memory.REJECTED] += 1 if state.sweeping[0] != 0 else 0
    nv, topology, a = v.shape[0], plan.topology, state.a
    part = 0.0 if leapt(plan, state, h) else 0.5 * h  # of the acceleration of the step before, but for a hit
    for k in range(nv):  # guess of the mean velocity
        state.v_star[k] = v[k] + part * state.step_a[k] if plan.imposed[k] == 0 else v[k]
    call_compiled(plan.calls[fields.MASS], (plan, work, state.q_try))
    damp(plan, work, state, h, nv)
    factor_by_roots(plan.topology, work.M)
    lean(plan, work, state)
    rank = hold_constraints(plan, work, state, nv)
    count, m, left, change, enough, most = 0, 0, 0.0, 0.0, TURNED, TURNED
    piled = state.trees.shape[1] > WHOLE
    for turn in range(PASSES):
        for k in range(nv):
            a[k] = state.held_a[k]
        steady(plan, state.v_star, a)
        call_compiled(plan.calls[fields.INVERSE], (plan, work, state.q_try, state.v_star, a))
        free_velocity(plan, work, state, h, v, rank)  # (2)
        if turn > 0 and piled and same_bias(state, h, nv, enough):
            change = 0.0
            for k in range(nv):
                state.v_try[k] = state.shift[nv + k]
            break
        for k in range(nv):
            state.shift[k] = state.v_try[k]
        if turn == 0 and plan.spots.shape[0] + plan.stops.shape[0] > 0:
            for k in range(nv):
                state.v_ahead[k] = 2.0 * state.v_star[k] - v[k] if state.known[k] == 0 else state.v_held[k]
            turn_on(plan, work, state, h, state.v_ahead)
            count, m = gather(plan, work, state, h, v, state.v_try, rank)  # (4)
        elif count > 0:
            for k in range(nv):
                state.v_ahead[k] = state.shift[nv + k]
            renew_end_rows(plan, work, state, h, state.v_ahead, count)
        left = meet_law(plan, work, state, count, m, nv) if m > 0 else 0.0  # (3)
        change, way, whole = 0.0, 0.0, max(h, state.clock[memory.STEP])
        for i in range(topology.shape[0] - 1):
            first = past_place(topology, i)
            for k in range(first, topology[i, V] + topology[i, V_COUNT]):
                change = max(change, h * abs(0.5 * (v[k] + state.v_try[k]) - state.v_star[k]))
                way = max(way, whole * abs(state.v_try[k]))
        for k in range(nv):
            state.v_star[k], state.shift[nv + k] = 0.5 * (v[k] + state.v_try[k]), state.v_try[k]
        most = TURNED if way < state.fast[0] else TURNED_FAST * state.fast[0]
        enough = most * (h / whole)  # a hit in a short step leaves as little as it can
        if change < enough:
            break
        if turn == 0 and change >= enough and not asked and can_stop(plan, work, state, h, v, m, watched):
            state.clock[memory.SIZE] = UNSETTLED
            return
    state.clock[memory.SIZE] = UNSETTLED if change >= most else 0.0
    finish_step(plan, work, state, h, v, count, m, rank, left)
