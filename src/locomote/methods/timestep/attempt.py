"""Steps over hard contact with Coulomb friction: velocities jump at the middle of a step (Moreau's midpoint).

Contacts are those of `contact.spots`, c one of their rows J (along t1, t2, n at the point that touches), p its impulse; A,
speed rows of constraints, lam their impulses. D holds damping and springs of joints, which act on the change of velocity too.

    q_m = q (+) h/2 v                           all that follows at q_m and t + h/2                                   (1)
    (M + D) (v_end - v) = h (force - bias((v + v_end) / 2)) + J^T p + A^T lam                                        (2)
    A (v + v_end) / 2 + speed = 0 ;   u = J v_end and p meet `contact.delassus`, u_n + e instead of u_n          (3)
    e = gap / (h/2) if the gap is open ;   restitution times the speed of arrival for a hit                          (4)
        on ground that bends also h/2 u . K u (`spots.room`), so that u_end is along it where the step ends
    depth is removed by a move without velocity:  J_n dq = depth ; what it lifts counts among the losses             (5)
    q_end = q_m (+) h/2 v_end                                                                                        (6)

Velocities of free and planar bodies are kept in axes of the world: bias is that of a motion whose shift does not turn with the
body, and v is turned after each move. With M + D = L^T d L and a row j, y = d^-1/2 L^-T j: products of such rows are
j M^-1 j^T, rows of contacts without what constraints take are W of `contact.delassus`.
"""

from math import sqrt

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, kernel, routine
from locomote.contact import spots as at
from locomote.contact.alart_curnier import along, rows_of
from locomote.contact.delassus import FIRST, KIND, into_cones
from locomote.contact.islands import WHOLE
from locomote.contact.sweep_columns import OPEN, SLIDE, SLOW, STICK
from locomote.evaluation import plan as fields
from locomote.evaluation.evaluate import body_forces, find_rows, impose, joint_forces, needs_bodies
from locomote.kernels.factor import factor
from locomote.methods import state as memory
from locomote.methods.timestep.hits import TURNS, ask_hits, weaken
from locomote.methods.timestep.lift import lift
from locomote.methods.timestep.moves import half_move, resist, steady
from locomote.methods.timestep.pace import UNSETTLED, can_stop, made_at_middle, size_of_step, turns_fast
from locomote.methods.timestep.rows import hold_constraints, inner, outer
from locomote.methods.timestep.soft import more_of_actuators, stiffen, without_elastic
from locomote.methods.timestep.touching import gather, rub_as_they_slide, stretch
from locomote.methods.timestep.work import START, count_stored, count_surroundings, counted, store_energies
from locomote.model.columns import V_COUNT, V
from locomote.model.joints import joint_chart, joint_turned_back, past_place

PASSES, TURNED = 8, 3e-5  # passes of (2) for its bias; error of the mean velocity, times h, above which there is one more
TURNED_FAST = 1e-5  # the same where bodies turn fast, as a part of what is fast
# m/s, of the law: of passes whose bias is not settled yet, as a part of what it is off by, at most; of the last ones
LOOSE, PART, TIGHT = 3e-7, 0.01, 1e-9
UNSEEN = 1e-3  # of TURNED: change of the velocity without contacts, times h, by a bias that will do


@routine
def damp(plan, work, state, h, nv):
    """M + D, held coordinates taken out; flexible bodies are stiff too."""
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        for i in range(nv):
            state.held_rows[n, i] = work.M[k, i]
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
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
        x[k] = 0.0 if plan.imposed[k] != 0 else h * (work.active[k] + work.passive[k] - work.bias[k])
    inner(plan.topology, work.M, x)
    outer(plan.topology, work.M, x)
    for k in range(nv):
        state.v_try[k] = state.v_held[k] if plan.imposed[k] != 0 else v[k] + x[k]
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
        state.v_try[k] += 0.0 if plan.imposed[k] != 0 else x[k]


@routine
def meet_law(plan, work, state, count, m, nv):
    """(3), with hits that make no energy; as `impulses_for`."""
    if not ask_hits(state, count, m, nv):
        return rubbed(plan, work, state, count, m, nv)
    left, state.solver[memory.AIM] = 0.0, TIGHT
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
            state.free_speed[r] = state.offset[r] + along(state.raw, r, state.v_try, state.spans, j)
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
        state.v_try[k] += 0.0 if plan.imposed[k] != 0 else x[k]
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
                state.free_speed[r] += along(state.rows, r, x, state.spans, j)


@helper
def mode_of(state, r, nv):
    """How the contact with rows from r on is at the end: open, sticking or sliding."""
    if not state.impulse[r + 2] + state.pull[r + 2] > 0.0:
        return OPEN
    x, y = (state.offset[r], state.offset[r + 1]) if state.soft[r] == 0.0 else (0.0, 0.0)
    for k in range(nv):
        x += state.raw[r, k] * state.v_try[k]
        y += state.raw[r + 1, k] * state.v_try[k]
    return SLIDE if x * x + y * y > SLOW * SLOW else STICK


@routine
def keep_forces(plan, work, state, h, v, m, rank):
    """Forces of contacts, work of all sources and accelerations of the step, for samples and for the next step."""
    nv, joints, losses, moving = v.shape[0], 0.0, 0.0, 0.0
    for c in range(plan.spots.shape[0]):
        r = state.row_of[c]
        for axis in range(3):
            force = 0.0
            for k in range(3):
                if r >= 0:
                    force += state.placed[c, at.FIRST_AXIS + 3 * k + axis] * state.impulse[r + k] / h
            state.touch_end[c, memory.FORCE + axis] = force
            state.touch_end[c, memory.FORCE_POINT + axis] = state.placed[c, at.POINT + axis]
        state.touch_end[c, memory.STUCK] = mode_of(state, r, nv) if r >= 0 else OPEN
        stretch(plan, state, h, c, r, nv)
        if r >= 0:
            moving -= state.impulse[r] * state.drift[r] + state.impulse[r + 1] * state.drift[r + 1]
        state.touch_end[c, memory.SPEED_OF_ARRIVAL] = state.before[r + 2] if r >= 0 else 0.0
    for k in range(nv):
        state.scratch_v[k], state.v_star[k] = 0.0, 0.5 * (v[k] + state.v_try[k])
    steady(plan, state.v_star, state.scratch_v)
    for k in range(nv):
        state.step_a[k] = (state.v_try[k] - v[k]) / h + state.scratch_v[k]
    for r in range(plan.holonomic.shape[0]):
        state.step_lam[r] = 0.0
    for j in range(rank):
        for r in range(m):
            state.held[j] -= state.impulse[r] * state.taken[r, j]
    for r in range(plan.holonomic.shape[0] - 1, -1, -1):
        j = state.independent[r]
        if j >= 0:
            value = state.held[j]
            for s in range(r + 1, plan.holonomic.shape[0]):
                if state.independent[s] >= 0:
                    value -= state.triangle[s, j] * state.step_lam[s]
            state.step_lam[r] = value / state.triangle[r, j]
    done = state.y_end
    for k in range(state.done.shape[0]):
        done[2 * nv + k] = state.done[k]
    for r in range(m):
        u = 0.0
        for k in range(nv):
            u += state.raw[r, k] * state.v_try[k]
        losses += 0.5 * state.impulse[r] * (state.before[r] + u)
    state.solver[memory.ABSORBED] = -losses
    for k in range(nv):
        mean = 0.5 * (v[k] + state.v_try[k])
        spring = 0.0
        if plan.passive[fields.STIFFNESS, k] != 0.0:
            spring = -plan.passive[fields.STIFFNESS, k] * (state.q_middle[plan.q_of_v[k]] - plan.passive[fields.REST, k])
        losses += (h * (work.passive[k] - spring) - state.diagonal[k] * (state.v_try[k] - v[k])) * mean
        joints += h * work.active[k] * mean if plan.imposed[k] == 0 else 0.0
    if plan.rods.shape[0] > 0:
        losses += without_elastic(plan, work, state, v, h)
    for n in range(plan.held.shape[0]):
        k, value = plan.held[n], 0.0
        for i in range(nv):
            if plan.imposed[i] == 0:
                value += state.held_rows[n, i] * (state.v_try[i] - v[i])
        value += h * (work.bias[k] - work.active[k] - work.passive[k])
        for r in range(m):
            value -= state.raw[r, k] * state.impulse[r]
        for r in range(plan.holonomic.shape[0]):
            value -= work.A[r, k] * state.step_lam[r]
        done[2 * nv + fields.DRIVES] += value * 0.5 * (v[k] + state.v_try[k])
        state.step_tau[k] = value / h
    done[2 * nv + fields.DRIVEN] += joints
    done[2 * nv + fields.LOSSES] += losses - moving
    done[2 * nv + fields.MOVING] += moving
    if plan.actuators.shape[0] > 0:
        done[2 * nv + fields.ACTUATED] += h * work.power[fields.ACTUATED] + more_of_actuators(plan, work, state, v, h)
    square = 0.0
    for r in range(plan.holonomic.shape[0]):
        done[2 * nv + fields.MOVING] -= state.step_lam[r] * work.speed[r]
        state.step_lam[r] /= h
    for n in range(plan.base.shape[0]):
        square += (0.5 * (v[plan.base[n]] + state.v_try[plan.base[n]])) ** 2
    done[2 * nv + fields.PATH] += h * sqrt(square)


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
    state.solver[memory.LEFT_OVER] = left
    if count > 0:
        lift(plan, work, state, h, count, nv)


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
    state.solver[memory.LIFTED] = state.clock[memory.SIZE] = 0.0
    swept = sweeping and call_compiled(plan.calls[fields.SWEEP], (plan, work, state, h, 1 if asked else 0)) != 0
    if not swept:
        if sweeping and not asked:
            find_rows(plan, work, t + 0.5 * h, state.q_try, v, work.zero)
        settle_step(plan, work, state, h, v, watched, asked)
    counts, made = counted(plan, state), 0.0
    if counts:
        count_surroundings(plan, work, state, t, h, state.q_middle)
    fast = plan.rods.shape[0] == 0 and (watched or turns_fast(plan, state, max(h, state.clock[memory.STEP]), v, state.v_try))
    if fast:
        made = made_at_middle(plan, work, state, h, state.q_middle, v)
    end_step(plan, state, h, v)
    if counts:
        count_stored(plan, work, state, t, h)
    if fast:
        state.clock[memory.SIZE] = max(state.clock[memory.SIZE], size_of_step(plan, state, h, made, v))
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
    for k in range(nv):  # guess of the mean velocity
        state.v_star[k] = v[k] + 0.5 * h * state.step_a[k] if plan.imposed[k] == 0 else v[k]
    call_compiled(plan.calls[fields.MASS], (plan, work, state.q_try))
    damp(plan, work, state, h, nv)
    factor(plan.topology, work.M)
    rank = hold_constraints(plan, work, state, nv)
    count, m, left, change, enough, aim, piled = 0, 0, 0.0, 0.0, TURNED, TIGHT, state.trees.shape[1] > WHOLE
    for turn in range(PASSES):
        for k in range(nv):
            a[k] = state.held_a[k]
        steady(plan, state.v_star, a)
        call_compiled(plan.calls[fields.INVERSE], (plan, work, state.q_try, state.v_star, a))
        free_velocity(plan, work, state, h, v, rank)  # (2)
        if turn > 0 and piled and same_bias(state, h, nv, enough):
            if left <= TIGHT or state.solver[memory.AIM] == TIGHT:
                change = 0.0
                for k in range(nv):
                    state.v_try[k] = state.shift[nv + k]
                break
            aim = TIGHT
        for k in range(nv):
            state.shift[k] = state.v_try[k]
        if turn == 0 and plan.spots.shape[0] + plan.stops.shape[0] > 0:
            count, m = gather(plan, work, state, h, v, state.v_try, rank)  # (4)
            if m > memory.FEW_ROWS and plan.rods.shape[0] == 0 and not piled:  # free bodies hardly have a bias
                aim = LOOSE
        state.solver[memory.AIM] = TIGHT if turn == PASSES - 1 else aim
        left = meet_law(plan, work, state, count, m, nv) if m > 0 else 0.0  # (3)
        change, way = 0.0, 0.0
        for i in range(topology.shape[0] - 1):
            first = past_place(topology, i)
            for k in range(first, topology[i, V] + topology[i, V_COUNT]):
                change = max(change, h * abs(0.5 * (v[k] + state.v_try[k]) - state.v_star[k]))
                way = max(way, h * abs(state.v_try[k]))
        for k in range(nv):
            state.v_star[k], state.shift[nv + k] = 0.5 * (v[k] + state.v_try[k]), state.v_try[k]
        enough = TURNED if way < state.fast[0] else TURNED_FAST * state.fast[0]
        if change < enough and (left <= TIGHT or state.solver[memory.AIM] == TIGHT):
            break
        if turn == 0 and change >= enough and not asked and can_stop(plan, work, state, h, v, m, watched):
            state.clock[memory.SIZE] = UNSETTLED
            return
        aim = TIGHT if change < enough else max(TIGHT, min(0.1 * aim, PART * change / h))
    state.clock[memory.SIZE] = UNSETTLED if change >= enough else 0.0
    finish_step(plan, work, state, h, v, count, m, rank, left)
