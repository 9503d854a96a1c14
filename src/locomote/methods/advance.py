"""The loop of a run: steps, their sizes, samples on the way, and events.

Dormand-Prince steps are as long as their error allows, and samples between them are interpolated. Steps by collocation that
nothing constrains pass samples that are not a few steps apart, and are a little shorter for it (`reach`), if both of their ends
say that what is within is good; all other methods step onto every sample. Steps over contacts are as long as they were asked to
be, and shorter where that makes energy (`timestep_pace`). An event ends the step in which it happens just after
its function has crossed zero.

Tested by tests/laws/methods and, for events, tests/laws/methods/events.
"""

from math import ceil

from locomote.compiler.source import helper, kernel
from locomote.evaluation.bending_limits import too_far
from locomote.evaluation.clocks import next_tick, tick
from locomote.evaluation.plan import CHANGED, REMAINDER
from locomote.methods.collocation.rules import CONTROL, DOUBT, MEASURE, SIZE_OF_END, reach
from locomote.methods.events.crossings import attempt, dip, events, first_crossing, shorten
from locomote.methods.explicit import error_norm
from locomote.methods.interpolation import state_within
from locomote.methods.sampling import has_room, next_sample, record, sample_step, track
from locomote.methods.singular import singular_fraction
from locomote.methods.state import (
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
    ROSENBROCK,
    RTOL,
    SIZE,
    SMALLEST,
    STEP,
    STOP_SINGULAR,
    TIME,
    TIMESTEP,
    TYPICAL,
    collocates,
)
from locomote.methods.stepping import (
    CORRECTED,
    DONE,
    EVENT_FOUND,
    FAILED,
    FULL,
    INCOMPATIBLE,
    MISFIT,
    NO_CONVERGENCE,
    NOT_FINITE,
    PAUSED,
    RANK_CHANGED,
    SINGULAR,
    SINGULAR_PASSED,
    STEP_TOO_SMALL,
    TOO_FAR,
    begin,
    commit,
    finite,
    land,
)
from locomote.methods.timestep.pace import SHORTEST, keep_guess, take_guess

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
FEW = 8.0  # steps from sample to sample, from which on steps end there
ONTO = 20.0  # steps that end at samples, after one within which a sample would not have been good
MOSTLY = 0.7  # part of a step: if it had to be shorter than that to pass a sample, it passes only those within
NEARLY = 0.5  # part of a step that tells as much of errors as all of it
SINGULAR_NOW, TRIES = 0.02, 14
NEAR_AN_END = 0.35  # remainder at one end of a step relative to the other, of a singular configuration between end and stages
LARGE_CORRECTION = 0.05  # part of all velocities that does not come back onto constraints unnoticed


@helper
def undone(state, step, error, limit, code):
    """The end of an advance whose last step failed or was interrupted: whoever goes on takes that step as it was."""
    state.clock[STEP], state.clock[ERROR], state.clock[LIMIT] = step, error, limit
    return code


@kernel
def advance(plan, work, state, samples):
    """Go on from state.q, .v until all samples are filled, an event is met, or the budget of steps is used up."""
    work.known[0] = 0
    if not has_room(state, samples):
        return FULL
    if state.counts[FRESH] != 0:
        events(plan, work, state, state.clock[TIME], state.q, state.v, state.g_end)
        if not finite(state.g_end):  # an interrupted function gives NaN, too, and whoever goes on asks it again
            return NOT_FINITE
        for k in range(state.g.shape[0]):
            state.g[k] = state.g_end[k]
        state.counts[FRESH] = 0
        tick(plan, work, state, state.clock[TIME], state.q, state.v)
        if next_sample(state, samples) <= state.clock[TIME]:
            record(plan, work, state, samples, state.clock[TIME], state.q, state.v, state.done)
            state.counts[NEXT] += 1
    while state.counts[NEXT] < samples.schedule.shape[0]:
        if not has_room(state, samples):
            return FULL
        if state.choices[BUDGET] <= 0:  # or an attempt wants something
            return PAUSED
        state.choices[BUDGET] -= 1
        t, end = state.clock[TIME], samples.schedule[samples.schedule.shape[0] - 1]
        tick(plan, work, state, t, state.q, state.v)
        rank = begin(plan, work, state)
        if rank < 0:
            return SINGULAR if rank > MISFIT else INCOMPATIBLE
        if not finite(state.k[0]):
            return NOT_FINITE
        if plan.rods.shape[0] > 0 and too_far(plan, work) != 0:
            return TOO_FAR
        if work.result[CHANGED] > LARGE_CORRECTION:
            return CORRECTED
        track(plan, work, state, t, state.q, state.v)
        before, first = state.counts[RANK], work.result[REMAINDER]
        state.counts[RANK] = rank
        if before != rank and before >= 0:
            return RANK_CHANGED
        dense = state.choices[METHOD] == ADAPTIVE
        linear = state.choices[METHOD] == ROSENBROCK
        long = collocates(state)
        adaptive = dense or linear or long or state.choices[METHOD] == IMPLICIT
        step, error, limit = state.clock[STEP], state.clock[ERROR], state.clock[LIMIT]
        h = min(step, state.settings[LARGEST], max(limit, 1e-15 * abs(t)))
        state.clock[LIMIT] = 1e300
        sample, part = next_sample(state, samples), 1.0
        if long:
            part = reach(state.rule, state.stages.shape[0], state.settings[RTOL])
        apart = sample - samples.schedule[max(state.counts[NEXT] - 1, 0)]
        doubtful = long and state.pace[DOUBT] > 0.0
        passes = long and plan.holonomic.shape[0] == 0 and not doubtful and apart < (FEW if part > MOSTLY else 1.0) * h
        target = min(end if dense or passes else sample, next_tick(plan, state))
        for n in range(plan.breaks.shape[0] if long else 0):  # what a kink of a drive takes is not felt by the error of a step
            if plan.breaks[n] > t + 1e-12 * abs(t):
                target = min(target, plan.breaks[n])
        if passes:
            h = part * h if t + part * h > sample else min(h, sample - t)
        if t + 1.001 * h >= target:
            h = target - t
        elif long and target < 1e300 and not passes:  # equal steps onto samples, so that one matrix serves them
            h = (target - t) / ceil((target - t) / (1.001 * h))
        elif t + 2.0 * h > target and adaptive and not passes:
            h = 0.5 * (target - t)
        if t + h <= t:  # a step that time does not feel
            return undone(state, step, error, limit, STEP_TOO_SMALL)
        if state.choices[METHOD] == TIMESTEP:
            state.clock[SIZE] = 1.0 if limit < 1e300 else 0.0
            keep_guess(state)
        base, tries = h, 0
        while True:
            state.clock[NEAREST] = 1.0
            lowest = attempt(plan, work, state, t, h)
            good = finite(state.y_end) and lowest >= 0
            if not adaptive:
                if state.choices[METHOD] == TIMESTEP and (state.clock[SIZE] > 1.0 or not good) and h > step * SHORTEST:
                    h *= 0.5
                    state.clock[LIMIT], state.clock[SIZE] = 2.0 * h, 1.0
                    take_guess(state)
                    continue
                if not good:
                    code = NOT_FINITE if lowest >= 0 else (SINGULAR if lowest > FAILED else NO_CONVERGENCE)
                    return undone(state, step, error, limit, code)
                break
            size, power = 1e6, 0.2
            if good and not dense:
                size, power = state.clock[SIZE], 0.5 if linear else (state.rule[CONTROL, 0] if long else 0.25)
            elif good:
                size = error_norm(plan, state, h) if finite(state.k[6]) else 1e6
            within = passes and good and t + h * (1.0 - 1e-9) > sample
            if within:  # good by its start, for a step with samples within, and by its end
                land(plan, work, state, t, h)
                state_within(plan, work, state, (sample - t) / h, h)
                shorter, at_end = part ** state.rule[MEASURE, 0], state.pace[SIZE_OF_END]
                size = max(size, at_end if at_end > shorter else 0.0) / shorter
            if size <= (1.0 + tries) ** 3:
                if tries > 0:  # what a singular configuration does to the error says nothing of the next step
                    state.clock[STEP] = base
                    break
                taken = h / part if within else h  # as if it had not been shorter
                if not within and passes and h > NEARLY * state.clock[STEP] and h < state.clock[STEP]:
                    taken = min(state.clock[STEP], state.settings[LARGEST])
                    size *= (taken / h) ** state.rule[MEASURE, 0]
                past = max(state.clock[ERROR], 1e-4) ** (0.4 * power)
                factor = GROW if size == 0.0 else SAFETY * size ** (-0.7 * power) * past
                state.clock[ERROR] = max(size, 1e-4)
                if taken >= 0.99 * min(state.clock[STEP], state.settings[LARGEST]) or factor < 1.0:
                    state.clock[STEP] = taken * min(GROW, max(SHRINK, factor))
                elif linear or long:  # steps onto samples must not keep it from growing
                    state.clock[STEP] = max(state.clock[STEP], h * min(GROW, factor))
                break
            state.counts[REJECTED] += 1
            if state.clock[NEAREST] < SINGULAR_NOW and tries < TRIES:
                # a stage hit a singular configuration, where rates are all rounding: step over it with other stages, and
                # with less and less accuracy if that does not help
                tries += 1
                h = base * (1.0 - 0.04 * tries if tries % 2 == 1 or t + 1.6 * base > target else 1.0 + 0.04 * tries)
                continue
            shrink = max(SHRINK, SAFETY * size**-power) if size < 1e6 else (0.4 if long else 0.1)
            h *= shrink
            if within and t + h < sample:  # ends are good by the error at the start alone
                h, passes = sample - t, False
                if shrink < NEARLY:
                    state.pace[DOUBT] = ONTO
                continue
            state.clock[STEP] = h
            if h < max(state.settings[SMALLEST], 1e-15 * abs(t)):
                return undone(state, step, error, limit, STEP_TOO_SMALL if good else NOT_FINITE)
        passing, last = -1.0, work.result[REMAINDER]
        dips = state.clock[NEAREST] * state.clock[TYPICAL] < 0.7 * min(first, last)
        near = lowest == rank and min(first, last) < NEAR_AN_END * max(first, last)
        if (dips or near) and state.lam.shape[0] > 0:
            passing = singular_fraction(plan, work, state, t, h)
            if passing > 0.0 and state.choices[STOP_SINGULAR] != 0:
                h, passing = passing * h, 1.0
                attempt(plan, work, state, t, h)
        land(plan, work, state, t, h)
        events(plan, work, state, t + h, state.q_end, state.v_end, state.g_end)
        if not finite(state.g_end):
            return undone(state, step, error, limit, NOT_FINITE)
        found = first_crossing(state) >= 0
        s = -1.0 if found else dip(plan, work, state, t, h)
        if s > 0.0:  # as far as where it is beyond zero; the way back is another step
            h *= s
            attempt(plan, work, state, t, h)
            land(plan, work, state, t, h)
            events(plan, work, state, t + h, state.q_end, state.v_end, state.g_end)
            found = first_crossing(state) >= 0
        if found:
            h = shorten(plan, work, state, t, h)
            if not finite(state.y_end):
                return undone(state, step, error, limit, NO_CONVERGENCE)
        sample_step(plan, work, state, samples, t, h)
        commit(state)
        if doubtful:
            state.pace[DOUBT] -= 1.0
        if found:
            return EVENT_FOUND
        if passing > 0.0:
            state.clock[PASSED] = t + passing * h
            return SINGULAR_PASSED
    return DONE
