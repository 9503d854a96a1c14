"""The loop of a run: steps, their sizes, samples on the way, and events.

Dormand-Prince steps are as long as their error allows, and samples between them are interpolated; all other methods step
onto every sample. An event ends the step in which it happens just after its function has crossed zero.
"""

from locomote.engine.islands import call_compiled
from locomote.engine.source import helper, kernel, routine
from locomote.simulation.chart import moved
from locomote.simulation.explicit import error_norm, explicit_attempt, interpolate
from locomote.simulation.passing import singular_fraction
from locomote.simulation.plan import ATTEMPT, CHANGED, REMAINDER
from locomote.simulation.state import (
    ADAPTIVE,
    BUDGET,
    ERROR,
    FRESH,
    IMPLICIT,
    LARGEST,
    LIMIT,
    METHOD,
    NEAREST,
    NEXT,
    PASSED,
    RANK,
    REJECTED,
    SIZE,
    SMALLEST,
    STEP,
    STOP_SINGULAR,
    TIME,
    TYPICAL,
)
from locomote.simulation.stepping import (
    CORRECTED,
    DONE,
    EVENT_FOUND,
    FAILED,
    INCOMPATIBLE,
    MISFIT,
    NO_CONVERGENCE,
    NOT_FINITE,
    PAUSED,
    RANK_CHANGED,
    SINGULAR,
    SINGULAR_PASSED,
    STEP_TOO_SMALL,
    begin,
    commit,
    crossed,
    events,
    finite,
    first_crossing,
    land,
    record,
)

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
SINGULAR_NOW, TRIES = 0.02, 14
NEAR_AN_END = 0.35  # remainder at one end of a step relative to the other, of a singular configuration between end and stages
LARGE_CORRECTION = 0.05  # part of all velocities that does not come back onto constraints unnoticed
SAME_TIME = 1e-13  # relative to the time: events this close are one


@routine
def attempt(plan, work, state, t, h):
    """Fill y_end by a step of the chosen method; returns the lowest rank met, negative if some stage had no answer."""
    if state.choices[METHOD] >= IMPLICIT:
        return call_compiled(plan.calls[ATTEMPT], (plan, work, state, t, h))
    return explicit_attempt(plan, work, state, t, h)


@helper
def next_sample(state, samples):
    """Time of the next sample, infinite after the last."""
    n = state.counts[NEXT]
    return samples.t[n] if n < samples.t.shape[0] else 1e300


@routine
def sample_step(plan, work, state, samples, t, h):
    """Record all samples that fall into the step just accepted."""
    nv = state.v.shape[0]
    while next_sample(state, samples) <= t + h * (1.0 + 1e-12):
        when = next_sample(state, samples)
        s = (when - t) / h
        if s >= 1.0 - 1e-9:
            for k in range(state.q.shape[0]):
                state.q_try[k] = state.q_end[k]
            for k in range(nv):
                state.v_try[k] = state.v_end[k]
            for k in range(state.y.shape[0]):
                state.y_try[k] = state.y_end[k]
            when = t + h
        else:
            interpolate(state, s, h, state.y_try)
            moved(plan.topology, state.q, state.y_try, state.q_try)
            for k in range(nv):
                state.v_try[k] = state.y_try[nv + k]
        for k in range(state.done.shape[0]):
            state.scratch_work[k] = state.y_try[2 * nv + k]
        record(plan, work, state, samples, state.counts[NEXT], when, state.q_try, state.v_try, state.scratch_work)
        state.counts[NEXT] += 1


@routine
def locate(plan, work, state, t, h, which):
    """Shorten the attempt to just after event `which` crossed zero, by regula falsi (Illinois); returns the new length."""
    low, high, side = 0.0, h, 0
    f_low, f_high = state.g[which], state.g_end[which]
    for _ in range(60):
        middle = (low * f_high - high * f_low) / (f_high - f_low)
        if not (low < middle and middle < high):
            middle = 0.5 * (low + high)
        attempt(plan, work, state, t, middle)
        land(plan, work, state, t, middle)
        events(plan, work, state, t + middle, state.q_end, state.v_end, state.g_end)
        f = state.g_end[which]
        if (f < 0.0) == (state.g[which] < 0.0) and f != 0.0:
            f_high = 0.5 * f_high if side < 0 else f_high
            low, f_low, side = middle, f, -1
        else:
            f_low = 0.5 * f_low if side > 0 else f_low
            high, f_high, side = middle, f, 1
        if high - low < 1e-14 * max(1.0, abs(t)) or f == 0.0:
            break
    attempt(plan, work, state, t, high)
    land(plan, work, state, t, high)
    events(plan, work, state, t + high, state.q_end, state.v_end, state.g_end)
    if not crossed(state.g[which], state.g_end[which], state.directions[which]):  # by rounding: it is there
        state.g_end[which] = 0.0
    return high


@routine
def shorten(plan, work, state, t, h, which):
    """Shorten the attempt to just after the first of all events that crossed zero in it; mark all that have by then
    (state.met). Returns the new length."""
    count = state.g.shape[0]
    for _ in range(count):
        length = locate(plan, work, state, t, h, which)
        earlier, h = length < h - SAME_TIME * max(1.0, abs(t)), length
        other = -1
        for k in range(count):
            if k != which and crossed(state.g[k], state.g_end[k], state.directions[k]):
                other = k
        if other < 0 or not earlier:
            break
        which = other
    for k in range(count):
        state.met[k] = crossed(state.g[k], state.g_end[k], state.directions[k])
    return h


@helper
def undone(state, step, error, limit, code):
    """The end of an advance whose last step failed or was interrupted: whoever goes on takes that step as it was."""
    state.clock[STEP], state.clock[ERROR], state.clock[LIMIT] = step, error, limit
    return code


@kernel
def advance(plan, work, state, samples):
    """Go on from state.q, .v until all samples are filled, an event is met, or the budget of steps is used up."""
    if state.counts[FRESH] != 0:
        events(plan, work, state, state.clock[TIME], state.q, state.v, state.g)
        if not finite(state.g):
            return NOT_FINITE
        state.counts[FRESH] = 0
        if next_sample(state, samples) <= state.clock[TIME]:
            record(plan, work, state, samples, state.counts[NEXT], state.clock[TIME], state.q, state.v, state.done)
            state.counts[NEXT] += 1
    budget = state.choices[BUDGET]
    while state.counts[NEXT] < samples.t.shape[0]:
        if budget <= 0:
            return PAUSED
        budget -= 1
        t, end = state.clock[TIME], samples.t[samples.t.shape[0] - 1]
        rank = begin(plan, work, state)
        if rank < 0:
            return SINGULAR if rank > MISFIT else INCOMPATIBLE
        if not finite(state.k[0]):
            return NOT_FINITE
        if work.result[CHANGED] > LARGE_CORRECTION:
            return CORRECTED
        before, first = state.counts[RANK], work.result[REMAINDER]
        state.counts[RANK] = rank
        if before != rank and before >= 0:
            return RANK_CHANGED
        dense = state.choices[METHOD] == ADAPTIVE
        adaptive = dense or state.choices[METHOD] == IMPLICIT
        step, error, limit = state.clock[STEP], state.clock[ERROR], state.clock[LIMIT]
        h = min(step, state.settings[LARGEST], limit)
        state.clock[LIMIT] = 1e300
        target = end if dense else next_sample(state, samples)
        if t + 1.001 * h >= target:
            h = target - t
        elif t + 2.0 * h > target and adaptive:
            h = 0.5 * (target - t)
        base, tries = h, 0
        while True:
            state.clock[NEAREST] = 1.0
            lowest = attempt(plan, work, state, t, h)
            good = finite(state.y_end) and lowest >= 0
            if not adaptive:
                if not good:
                    code = NOT_FINITE if lowest >= 0 else (SINGULAR if lowest > FAILED else NO_CONVERGENCE)
                    return undone(state, step, error, limit, code)
                break
            size, power = 1e6, 0.2
            if good and not dense:
                size, power = state.clock[SIZE], 0.25
            elif good:
                size = error_norm(plan, state, h) if finite(state.k[6]) else 1e6
            if size <= (1.0 + tries) ** 3:
                if tries > 0:  # what a singular configuration does to the error says nothing of the next step
                    state.clock[STEP] = base
                    break
                past = max(state.clock[ERROR], 1e-4) ** (0.4 * power)
                factor = GROW if size == 0.0 else SAFETY * size ** (-0.7 * power) * past
                state.clock[ERROR] = max(size, 1e-4)
                if h >= 0.99 * min(state.clock[STEP], state.settings[LARGEST]) or factor < 1.0:
                    state.clock[STEP] = h * min(GROW, max(SHRINK, factor))
                break
            state.counts[REJECTED] += 1
            if state.clock[NEAREST] < SINGULAR_NOW and tries < TRIES:
                # a stage hit a singular configuration, where rates are all rounding: step over it with other stages, and
                # with less and less accuracy if that does not help
                tries += 1
                h = base * (1.0 - 0.04 * tries if tries % 2 == 1 or t + 1.6 * base > target else 1.0 + 0.04 * tries)
                continue
            h *= max(SHRINK, SAFETY * size**-power) if size < 1e6 else 0.1
            state.clock[STEP] = h
            if h < max(state.settings[SMALLEST], 1e-15 * abs(t)):
                return undone(state, step, error, limit, STEP_TOO_SMALL if good else NOT_FINITE)
        passing, last = -1.0, work.result[REMAINDER]
        dips = state.clock[NEAREST] * state.clock[TYPICAL] < 0.7 * min(first, last)
        if dips or (lowest == rank and min(first, last) < NEAR_AN_END * max(first, last)):
            passing = singular_fraction(plan, work, state, t, h)
            if passing > 0.0 and state.choices[STOP_SINGULAR] != 0:
                h, passing = passing * h, 1.0
                attempt(plan, work, state, t, h)
        land(plan, work, state, t, h)
        events(plan, work, state, t + h, state.q_end, state.v_end, state.g_end)
        if not finite(state.g_end):
            return undone(state, step, error, limit, NOT_FINITE)
        which = first_crossing(state)
        if which >= 0:
            h = shorten(plan, work, state, t, h, which)
        sample_step(plan, work, state, samples, t, h)
        commit(state)
        if which >= 0:
            return EVENT_FOUND
        if passing > 0.0:
            state.clock[PASSED] = t + passing * h
            return SINGULAR_PASSED
    return DONE
