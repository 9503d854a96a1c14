"""Ticks of controllers: when they are called, and what they give in between.

Controller n ticks at START + j PERIOD, j = 0, 1, ...; state.ticks has the next j. At a tick `given` becomes `given_before`, and

    hold     input = given                                                                         (1)
    line     input = before + (given - before) (t - tick) / PERIOD                                  (2)
    PD       given = stiffness (target - q) + damping (target' - v) + gravity force                 (3)

The input of a step, work.input + work.slope (t - since), is the sum over all controllers.
"""

from locomote.compiler.callbacks import call
from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, routine
from locomote.evaluation.plan import IMPOSED, INVERSE, SIGNALS, SINCE

PERIOD, START, LINE = range(3)  # columns of clocks
FUNCTION, WEIGHT = range(2)  # columns of clock_kinds
CONTROLLER, COORDINATE, PLACE = range(3)  # columns of pd_rows
STIFFNESS, DAMPING = range(2)  # columns of pd_numbers
EARLY = 1e-9  # share of a period by which a step may end before its tick


@helper
def tick_time(plan, state, n):
    """When controller n ticks next."""
    return plan.clocks[n, START] + plan.clocks[n, PERIOD] * state.ticks[n]


@routine
def next_tick(plan, state):
    """When any controller ticks next; far away without any."""
    soonest = 1e300
    for n in range(plan.clocks.shape[0]):
        soonest = min(soonest, tick_time(plan, state, n))
    return soonest


@routine
def pull(plan, work, state, n, t, q, v):
    """(3), for controller n."""
    for k in range(v.shape[0]):
        state.given[n, k] = 0.0
    numbers = (plan.pd_signal_rows, plan.pd_signal_numbers, plan.functions, t, work.pd_x, work.pd_dx, work.pd_ddx, work.signal)
    call_compiled(plan.calls[SIGNALS], numbers)
    if plan.clock_kinds[n, WEIGHT] != 0:
        for i in range(work.wrenches.shape[0]):
            for k in range(6):
                work.wrenches[i, k] = 0.0
        call_compiled(plan.calls[INVERSE], (plan, work, q, work.zero, work.zero))
    for m in range(plan.pd_rows.shape[0]):
        if plan.pd_rows[m, CONTROLLER] == n:
            k = plan.pd_rows[m, COORDINATE]
            force = plan.pd_numbers[m, STIFFNESS] * (work.pd_x[m] - q[plan.pd_rows[m, PLACE]])
            force += plan.pd_numbers[m, DAMPING] * (work.pd_dx[m] - v[k])
            if plan.clock_kinds[n, WEIGHT] != 0:
                force += work.bias[k]
            state.given[n, k] = force


@routine
def tick(plan, work, state, t, q, v):
    """Call the controllers whose time has come, and set the input of the step that starts at t."""
    nv, count = v.shape[0], plan.clocks.shape[0]
    if count == 0:
        return
    for n in range(count):
        if tick_time(plan, state, n) <= t + EARLY * plan.clocks[n, PERIOD]:
            for k in range(nv):
                state.given_before[n, k] = state.given[n, k]
            if plan.clock_kinds[n, FUNCTION] >= 0:
                call(plan.functions, plan.clock_kinds[n, FUNCTION], t, q, v, state.given[n])
            else:
                pull(plan, work, state, n, t, q, v)
            for k in range(nv):
                if plan.imposed[k] == IMPOSED:
                    state.given[n, k] = 0.0
            state.ticks[n] += 1
    work.since[SINCE] = t
    for k in range(nv):
        work.input[k] = work.slope[k] = 0.0
    for n in range(count):
        passed = t - (tick_time(plan, state, n) - plan.clocks[n, PERIOD])
        for k in range(nv):
            if plan.clocks[n, LINE] != 0.0:  # (2)
                rate = (state.given[n, k] - state.given_before[n, k]) / plan.clocks[n, PERIOD]
                work.input[k] += state.given_before[n, k] + rate * passed
                work.slope[k] += rate
            else:  # (1)
                work.input[k] += state.given[n, k]
