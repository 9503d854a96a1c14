"""Stages of steps by collocation, (1) of `collocation`: the state at each, and its residual."""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import routine
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.evaluate import impose, needs_bodies
from locomote.evaluation.plan import DRIVES, EVALUATE, REMAINDER, STAGES
from locomote.methods.collocation.rules import NODES
from locomote.methods.collocation.start import find_forces, force_left
from locomote.methods.state import EVALUATIONS, NEAREST, TYPICAL


@routine
def stage(plan, state, h, i):
    """Fill y_try, v_try, a and q_try with stage i."""
    nv = state.v.shape[0]
    for k in range(nv):
        state.y_try[k], state.v_try[k] = 0.0, state.v[k]
        state.a[k] = state.k[i + 1, nv + k]
    for j in range(state.stages.shape[0]):
        weight = h * state.rule[i, j]
        for k in range(nv):
            state.y_try[k] += weight * state.k[j + 1, k]
            state.v_try[k] += weight * state.k[j + 1, nv + k]
    moved(plan.topology, state.q, state.y_try, state.q_try)


@routine
def chart_rates(plan, work, state, i):
    """The rates of chart coordinates of stage i into k[i + 1]; drives are exact, and so have none."""
    nv = state.v.shape[0]
    chart_rate(plan.topology, state.q_try, state.y_try, state.v_try, work.dx)
    for k in range(nv):
        state.k[i + 1, k] = work.dx[k]
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        state.k[i + 1, k] = state.k[i + 1, nv + k] = 0.0


@routine
def residual(plan, work, state, t, h, i, of_forces):
    """R of (1) at stage i into work.left, and the rates of all of y but accelerations into k[i + 1]; returns the rank.

    Unless it is of forces, the distance of a from what forces and constraints give there: where directions that move hardly any
    mass change from place to place, a matrix of the start says nothing of forces elsewhere, but much of accelerations.
    """
    nv, rank = state.v.shape[0], 0
    stage(plan, state, h, i)
    t = t + state.rule[NODES, i] * h
    if of_forces:
        force_left(plan, work, state, t)
    else:
        for k in range(nv):
            work.guess[k] = state.a[k]
        rank = call_compiled(plan.calls[EVALUATE], (plan, work, t, state.q_try, state.v_try, state.a, state.lam))
        state.counts[EVALUATIONS] += 1
        for k in range(nv):
            work.left[k] = work.guess[k] - state.a[k]
        remainder = work.result[REMAINDER]
        state.clock[TYPICAL] = max(state.clock[TYPICAL], remainder)
        state.clock[NEAREST] = min(state.clock[NEAREST], remainder / max(state.clock[TYPICAL], 1e-300))
    chart_rates(plan, work, state, i)
    for k in range(work.power.shape[0]):
        state.k[i + 1, 2 * nv + k] = work.power[k]
    return rank


@routine
def put_stage(state, work, i, loaded):
    """Stage i, in q_try, v_try and a, and wrenches on bodies if there are any, into its rows."""
    for k in range(state.q.shape[0]):
        state.stage_q[i, k] = state.q_try[k]
    for k in range(state.v.shape[0]):
        state.stage_v[i, k], state.stage_a[i, k] = state.v_try[k], state.a[k]
    if loaded:
        for r in range(work.wrenches.shape[0]):
            for k in range(6):
                state.stage_wrenches[i, 6 * r + k] = work.wrenches[r, k]


@routine
def residuals_at_once(plan, work, state, t, h):
    """The same of forces, for all stages, into state.residuals by rows of the matrix."""
    nv, count, free = state.v.shape[0], state.stages.shape[0], plan.free.shape[0]
    bodies = needs_bodies(plan)
    for i in range(count):
        stage(plan, state, h, i)
        find_forces(plan, work, state, t + state.rule[NODES, i] * h)
        put_stage(state, work, i, bodies)
        for k in range(nv):
            state.acting[i, k] = work.active[k] + work.passive[k]
        chart_rates(plan, work, state, i)
        for k in range(work.power.shape[0]):
            state.k[i + 1, 2 * nv + k] = work.power[k]
    rows = (state.stage_q, state.stage_v, state.stage_a, state.stage_wrenches, state.bias)
    call_compiled(plan.calls[STAGES], (plan, plan.strain, *rows, 0, count))
    for i in range(count):
        for n in range(plan.held.shape[0]):
            k = plan.held[n]
            state.k[i + 1, 2 * nv + DRIVES] += (state.bias[i, k] - state.acting[i, k]) * state.stage_v[i, k]
        for n in range(free):
            k = state.order[n]
            state.residuals[i, n] = state.bias[i, k] - state.acting[i, k]


@routine
def settle_velocities(plan, state, h):
    """Rates of coordinates that are plain numbers, at all stages: their velocities."""
    nv, count = state.v.shape[0], state.stages.shape[0]
    for i in range(count):
        for n in range(plan.free.shape[0]):
            k = plan.free[n]
            if plan.q_of_v[k] >= 0:
                state.k[i + 1, k] = state.v[k]
        for j in range(count):
            weight = h * state.rule[i, j]
            for n in range(plan.free.shape[0]):
                k = plan.free[n]
                if plan.q_of_v[k] >= 0:
                    state.k[i + 1, k] += weight * state.k[j + 1, nv + k]


@routine
def settle_stages(plan, work, state, t, h):
    """Rates of all coordinates at the stages, once accelerations are known."""
    settle_velocities(plan, state, h)
    for i in range(state.stages.shape[0]):
        stage(plan, state, h, i)
        impose(plan, work, t + state.rule[NODES, i] * h, state.q_try, state.v_try, state.a)
        chart_rates(plan, work, state, i)
