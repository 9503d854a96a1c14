"""What is kept of a step over contacts, for samples and for the next step: forces, reactions, accelerations, work of all
sources. Names and numbers are those of `timestep.attempt`."""

from math import sqrt

from locomote.compiler.source import helper, routine, sum_helper
from locomote.contact import spots as at
from locomote.contact.sweep_columns import OPEN, SLIDE, SLOW, STICK
from locomote.evaluation import plan as fields
from locomote.geometry.shape import PAIRED
from locomote.methods import state as memory
from locomote.methods.timestep.moves import steady
from locomote.methods.timestep.soft import more_of_actuators, without_elastic
from locomote.methods.timestep.touching import keep_moment, stretch


@sum_helper
def speed_along(rows, r, v, nv):
    """Row r times v."""
    u = 0.0
    for k in range(nv):
        u += rows[r, k] * v[k]
    return u


@helper
def speed_seen(state, r, nv):
    """Velocity along row r where the step ends."""
    if state.seen.shape[0] > 0:
        return speed_along(state.seen, r, state.v_try, nv)
    return speed_along(state.raw, r, state.v_try, nv)


@helper
def mode_of(state, r, nv):
    """How the contact with rows from r on is at the end: open, sticking or sliding."""
    if not state.impulse[r + 2] + state.pull[r + 2] > 0.0:
        return OPEN
    x, y = (state.offset[r], state.offset[r + 1]) if state.soft[r] == 0.0 else (0.0, 0.0)
    x, y = x + speed_seen(state, r, nv), y + speed_seen(state, r + 1, nv)
    return SLIDE if x * x + y * y > SLOW * SLOW else STICK


@routine
def keep_contacts(plan, state, h, nv):
    """Forces of contacts and how they are; returns the work of surfaces that move."""
    moving = 0.0
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
        state.touch_end[c, memory.PAIR] = state.placed[c, at.PAIR] if plan.spot_laws[c, at.RIM] == PAIRED else 0.0
        stretch(plan, state, h, c, r, nv)
        keep_moment(plan, state, h, c, r)
        if r >= 0:
            moving -= state.impulse[r] * state.drift[r] + state.impulse[r + 1] * state.drift[r + 1]
        state.touch_end[c, memory.SPEED_OF_ARRIVAL] = state.before[r + 2] - state.turned[r + 2] if r >= 0 else 0.0
    return moving


@routine
def keep_rates(plan, state, h, v, m, rank):
    """Mean accelerations, and impulses of constraints."""
    nv = v.shape[0]
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


@routine
def work_of_contacts(state, m, nv):
    """Work of contacts on the bodies; what those on hard ground absorb, beside the motion of their surface, is kept."""
    work, absorbed = 0.0, 0.0
    for r in range(m):
        if state.impulse[r] != 0.0:
            by = 0.5 * state.impulse[r] * (state.before[r] + speed_along(state.raw, r, state.v_try, nv))
            work += by
            absorbed -= by + state.impulse[r] * state.drift[r] if state.soft[r] == 0.0 else 0.0
    state.solver[memory.ABSORBED] = absorbed
    return work


@routine
def keep_drives(plan, work, state, h, v, m):
    """Mean torques of drives, and of joints that follow by computed torque beside what is given to them, and their work."""
    nv, done = v.shape[0], state.y_end
    n = 0
    for k in range(nv):
        if state.known[k] == 0:
            continue
        value = 0.0
        for i in range(nv):
            if state.known[i] == 0:
                value += state.held_rows[n, i] * (state.v_try[i] - v[i])
        value += h * (work.bias[k] - work.active[k] - work.passive[k])
        for r in range(m):
            value -= state.raw[r, k] * state.impulse[r]
        for r in range(plan.holonomic.shape[0]):
            value -= work.A[r, k] * state.step_lam[r]
        source = fields.DRIVES if plan.imposed[k] != 0 else fields.DRIVEN
        done[2 * nv + source] += value * 0.5 * (v[k] + state.v_try[k])
        state.step_tau[k] = value / h
        n += 1


@routine
def keep_forces(plan, work, state, h, v, m, rank):
    """Forces of contacts, work of all sources and accelerations of the step, for samples and for the next step."""
    nv, joints, done, square = v.shape[0], 0.0, state.y_end, 0.0
    moving = keep_contacts(plan, state, h, nv)
    keep_rates(plan, state, h, v, m, rank)
    for k in range(state.done.shape[0]):
        done[2 * nv + k] = state.done[k]
    losses = work_of_contacts(state, m, nv)
    for k in range(nv):
        mean = 0.5 * (v[k] + state.v_try[k])
        spring = 0.0
        if plan.passive[fields.STIFFNESS, k] != 0.0:
            spring = -plan.passive[fields.STIFFNESS, k] * (state.q_middle[plan.q_of_v[k]] - plan.passive[fields.REST, k])
        losses += (h * (work.passive[k] - spring) - state.diagonal[k] * (state.v_try[k] - v[k])) * mean
        joints += h * work.active[k] * mean if plan.imposed[k] == 0 else 0.0
    if plan.rods.shape[0] > 0:
        losses += without_elastic(plan, work, state, v, h)
    keep_drives(plan, work, state, h, v, m)
    done[2 * nv + fields.DRIVEN] += joints
    done[2 * nv + fields.LOSSES] += losses - moving
    done[2 * nv + fields.MOVING] += moving
    if plan.actuators.shape[0] > 0:
        done[2 * nv + fields.ACTUATED] += h * work.power[fields.ACTUATED] + more_of_actuators(plan, work, state, v, h)
    for r in range(plan.holonomic.shape[0]):
        done[2 * nv + fields.MOVING] -= state.step_lam[r] * work.speed[r]
        state.step_lam[r] /= h
    for n in range(plan.base.shape[0]):
        square += (0.5 * (v[plan.base[n]] + state.v_try[plan.base[n]])) ** 2
    done[2 * nv + fields.PATH] += h * sqrt(square)
