"""What all integrators share: rates of the state in the chart of a step, and the end of a step.

Within a step the state is y = (u, v, work): chart coordinates about the configuration at the start of the step, velocities,
and the work done by each source of power, which is integrated along with the motion so that the power balance
can be checked. All of it lives in a vector space, where any method may add.
"""

from math import sqrt

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.constraints.columns import ACTIVE
from locomote.evaluation import plan as fields
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.evaluate import impose, row_times
from locomote.methods import state as at
from locomote.methods.state import END, EVALUATIONS, NEAREST, PROJECT, TIME, TYPICAL

# how an advance ends
DONE, PAUSED, FULL, EVENT_FOUND, RANK_CHANGED, SINGULAR_PASSED, CORRECTED = range(7)
STEP_TOO_SMALL, NOT_FINITE, SINGULAR, NO_CONVERGENCE, INCOMPATIBLE, TOO_FAR = range(7, 13)
STARTS, ENDS, AGAIN, SAMPLED = range(4)  # turns of a step: it begins, was accepted, is tried anew; its end is a sample
FAILED = -1_000_000  # result of an attempt that did not converge
MISFIT = -2_000_000  # result of a start that no motion of the free coordinates brings onto the constraints
INCOMPATIBLE_SPEED = 1e-6  # what may remain, m/s, rad/s, m or rad
SINGULAR_SOON = 0.04  # relative remainder of the rows below which states are brought onto the constraints first
SINGULAR_TOO_SOON = 0.004  # and below which that is done for rates only: the state itself would jump by rounding
TOLERATED = 2e-13  # error of constraints that is not worth a projection
SHORTEST = 1.0 / 65536.0  # shortest impulsive step, as a share of the one asked for


@routine
def rates(plan, work, state, t, y, n):
    """Fill state.k[n] with the rates of y at time t; returns the rank, negative if there is no answer."""
    nv = state.v.shape[0]
    moved(plan.topology, state.q, y, state.q_try)
    for k in range(nv):
        state.v_try[k] = y[nv + k]
    rank = call_compiled(plan.calls[fields.EVALUATE], (plan, work, t, state.q_try, state.v_try, state.a, state.lam))
    state.counts[EVALUATIONS] += 1
    remainder = work.result[fields.REMAINDER]
    state.clock[TYPICAL] = max(state.clock[TYPICAL], remainder)
    state.clock[NEAREST] = min(state.clock[NEAREST], remainder / max(state.clock[TYPICAL], 1e-300))
    if near_singular(work, state) and rank >= 0:
        rank = evaluate_projected(plan, work, state, t)
    chart_rate(plan.topology, state.q_try, y, state.v_try, work.dx)
    for k in range(nv):
        state.k[n, k] = work.dx[k]
        state.k[n, nv + k] = state.a[k]
    for j in range(plan.held.shape[0]):
        state.k[n, plan.held[j]] = state.k[n, nv + plan.held[j]] = 0.0
    for k in range(work.power.shape[0]):
        state.k[n, 2 * nv + k] = work.power[k]
    return rank


@helper
def near_singular(work, state):
    """Whether the rows have become much more dependent than they are elsewhere in the run."""
    return state.choices[PROJECT] != 0 and work.result[fields.REMAINDER] < SINGULAR_SOON * state.clock[TYPICAL]


@routine
def evaluate_projected(plan, work, state, t):
    """Bring the state of a stage onto the constraints and evaluate it there.

    Near a singular configuration the direction of a nearly vanished row is that of the constraints only if they are met.
    """
    kept = plan.options[fields.PROJECTION_TOLERANCE]
    plan.options[fields.PROJECTION_TOLERANCE] = plan.options[fields.RANK_TOLERANCE]
    q, v = state.q_try, state.v_try
    call_compiled(plan.calls[fields.ASSEMBLE], (plan, work, t, q, v, state.a, state.scratch_q, state.scratch_v))
    plan.options[fields.PROJECTION_TOLERANCE] = kept
    state.counts[EVALUATIONS] += 1
    return call_compiled(plan.calls[fields.EVALUATE], (plan, work, t, q, v, state.a, state.lam))


@routine
def begin(plan, work, state):
    """Start a step at (state.q, .v), brought back onto the constraints if it left them: y, and its rates in k[0].

    Close to a singular configuration its rates have been taken on the constraints already, and the state follows, unless it
    is so close that rounding decides where they are.
    """
    nv = state.v.shape[0]
    for k in range(nv):
        state.y[k], state.y[nv + k] = 0.0, state.v[k]
    for k in range(state.done.shape[0]):
        state.y[2 * nv + k] = state.done[k]
    work.result[fields.CHANGED] = work.result[fields.TAKEN] = 0.0
    if plan.calls[fields.TURN] != 0:
        return call_compiled(plan.calls[fields.TURN], (plan, work, state, STARTS))
    return begin_rates(plan, work, state)


@routine
def begin_rates(plan, work, state):
    """Rates at the start in k[0], on the constraints; returns the rank."""
    nv = state.v.shape[0]
    rank = rates(plan, work, state, state.clock[TIME], state.y, 0)
    if state.choices[PROJECT] == 0 or state.lam.shape[0] == 0:
        return rank
    if near_singular(work, state):
        if work.result[fields.REMAINDER] > SINGULAR_TOO_SOON * state.clock[TYPICAL]:
            for k in range(state.q.shape[0]):
                state.q[k] = state.q_try[k]
            for k in range(nv):
                state.v[k] = state.v_try[k]
            keep_corrected(plan, work, state)
        return rank
    speed, error = residuals(plan, work, state.v_try)
    if max(speed, error) > TOLERATED:
        t, q, v = state.clock[TIME], state.q, state.v
        call_compiled(plan.calls[fields.ASSEMBLE], (plan, work, t, q, v, state.a, state.scratch_q, state.scratch_v))
        keep_corrected(plan, work, state)
        if work.result[fields.REST_SPEED] > INCOMPATIBLE_SPEED or work.result[fields.LEFT] > INCOMPATIBLE_SPEED:
            return MISFIT
        rank = rates(plan, work, state, t, state.y, 0)
    return rank


@routine
def keep_corrected(plan, work, state):
    """Go on with the velocity state.v instead of that in y; how far apart they are by mass, relative to the faster one, and
    the energy that goes are left in work.result."""
    nv = state.v.shape[0]
    most, before, after, between = 0.0, 0.0, 0.0, 0.0
    for k in range(nv):
        most = max(most, abs(state.v[k] - state.y[nv + k]))
    if most > INCOMPATIBLE_SPEED and plan.options[fields.LOCAL] != 0.0:  # there is no mass matrix
        for n in range(3):
            for k in range(nv):
                work.dx[k] = (state.v[k] if n > 0 else 0.0) - (state.y[nv + k] if n < 2 else 0.0)
            call_compiled(plan.calls[fields.KINETIC], (plan.topology, plan.constants, state.q, work.dx, work.place))
            before, between, after = between, after, 2.0 * work.place[0]
    elif most > INCOMPATIBLE_SPEED:
        for i in range(nv):
            for j in range(nv):
                was, now = state.y[nv + i], state.v[i]
                before += was * work.M[i, j] * state.y[nv + j]
                after += now * work.M[i, j] * state.v[j]
                between += (now - was) * work.M[i, j] * (state.v[j] - state.y[nv + j])
    if between > 0.0:
        work.result[fields.CHANGED] = sqrt(between / max(before, after))
        work.result[fields.TAKEN] = 0.5 * (before - after)
    for k in range(nv):
        state.y[nv + k] = state.v[k]


@routine
def residuals(plan, work, v):
    """Largest errors of constraints at the state just evaluated: of velocity, and of position where it is held."""
    worst, error = 0.0, 0.0
    for r in range(plan.holonomic.shape[0]):
        worst = max(worst, abs(work.speed[r] + row_times(plan, work, r, v)))
        if plan.holonomic[r] != 0 and plan.integers[plan.owner[r], ACTIVE] != 0:
            error = max(error, abs(work.error[r]))
    return worst, error


@helper
def finite(x):
    """Whether all numbers of x are finite."""
    bad = 0
    for k in range(x.shape[0]):
        bad += not (x[k] - x[k] == 0.0)
    return bad == 0


@helper
def error_part(plan, state, n, error):
    """The error of entry n of y in units of its tolerance: relative to the coordinate itself, to 1 for those on a group."""
    nv = state.v.shape[0]
    size = max(abs(state.y[n]), abs(state.y_end[n]))
    if n < nv:
        place = plan.q_of_v[n]
        size = abs(state.q[place]) if place >= 0 else 1.0
    return error / (state.settings[at.ATOL] + state.settings[at.RTOL] * size)


@routine
def land(plan, work, state, t, h):
    """The end of an attempt, from y_end to q_end and v_end, with drives exact, and on the constraints where steps are long."""
    nv = state.v.shape[0]
    if state.traits[at.IMPULSIVE] == 0:  # which knows q_end
        moved(plan.topology, state.q, state.y_end, state.q_end)
    for k in range(nv):
        state.v_end[k] = state.y_end[nv + k]
    state.clock[END] = t + h
    impose(plan, work, t + h, state.q_end, state.v_end, state.a)
    far = state.traits[at.LONG] + state.traits[at.IMPULSIVE] > 0
    if far and state.choices[PROJECT] != 0 and plan.holonomic.shape[0] > 0:
        call_compiled(
            plan.calls[fields.ASSEMBLE],
            (plan, work, t + h, state.q_end, state.v_end, state.a, state.scratch_q, state.scratch_v),
        )
        for k in range(nv):
            state.y_end[nv + k] = state.v_end[k]


@routine
def commit(plan, work, state):
    """Make the end of the attempt the start of the next step."""
    nv = state.v.shape[0]
    for k in range(state.q.shape[0]):
        state.q[k] = state.q_end[k]
    for k in range(nv):
        state.v[k] = state.v_end[k]
    for k in range(state.done.shape[0]):
        state.done[k] = state.y_end[2 * nv + k]
    for k in range(state.g.shape[0]):
        state.g[k] = state.g_end[k]
    if plan.calls[fields.TURN] != 0:
        call_compiled(plan.calls[fields.TURN], (plan, work, state, ENDS))
    state.clock[TIME] = state.clock[END]
    state.counts[at.STEPS] += 1
