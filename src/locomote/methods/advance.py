"""The loop of a run: steps, their sizes, samples on the way, and events.

How steps are chosen follows from the traits of the method (`method.Method`). Dense ones are as long as their error allows, and
samples between them are interpolated. Long ones that nothing constrains pass samples that are not a few steps apart, and are a
little shorter for it (REACH), if both of their ends say that what is within is good; all others end at every sample. Impulsive
ones are as long as they were asked to be, and shorter where that makes energy. An event ends the step in which it happens just
after its function has crossed zero.

Tested by tests/laws/methods and, for events, tests/laws/methods/events.
"""

from math import ceil
from typing import NamedTuple

from locomote.compiler.indirect import call_compiled
from locomote.compiler.records import record_type
from locomote.compiler.source import kernel, routine
from locomote.evaluation.bending_limits import too_far
from locomote.evaluation.clocks import next_tick, tick
from locomote.evaluation.plan import CHANGED, REMAINDER, TURN
from locomote.methods import state as at
from locomote.methods import stepping as ends
from locomote.methods.entries import PLAN, WORK
from locomote.methods.events.crossings import attempt, dip, events, first_crossing, shorten
from locomote.methods.interpolation import state_within
from locomote.methods.sampling import has_room, next_sample, record, sample_step, track
from locomote.methods.singular import singular_fraction
from locomote.methods.state import ERROR, LARGEST, LIMIT, MEASURE, NEAREST, POWER, SIZE, STEP, TIME
from locomote.methods.stepping import DONE, SHORTEST, begin, commit, finite, land

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
FEW = 8.0  # steps from sample to sample, from which on steps end there
ONTO = 20.0  # steps that end at samples, after one within which a sample would not have been good
MOSTLY = 0.7  # part of a step: if it had to be shorter than that to pass a sample, it passes only those within
NEARLY = 0.5  # part of a step that tells as much of errors as all of it
SINGULAR_NOW, TRIES = 0.02, 14
NEAR_AN_END = 0.35  # remainder at one end of a step relative to the other, of a singular configuration between end and stages
LARGE_CORRECTION = 0.05  # part of all velocities that does not come back onto constraints unnoticed


class Aim(NamedTuple):
    """Where a step is to go: its length, s; the next sample and the time that it must not pass, s; the part of a step that
    samples within leave, and whether it passes them."""

    length: float
    sample: float
    target: float
    part: float
    passes: bool


@kernel
def advance(plan, work, state, samples):
    """Go on from state.q, .v until all samples are filled, an event is met, or the budget of steps is used up."""
    work.known[0] = 0
    if not has_room(state, samples):
        return ends.FULL
    if state.counts[at.FRESH] != 0:
        events(plan, work, state, state.clock[TIME], state.q, state.v, state.g_end)
        if not finite(state.g_end):  # an interrupted function gives NaN, too; a resumed run asks it again
            return ends.NOT_FINITE
        for k in range(state.g.shape[0]):
            state.g[k] = state.g_end[k]
        state.counts[at.FRESH] = 0
        tick(plan, work, state, state.clock[TIME], state.q, state.v)
        if next_sample(state, samples) <= state.clock[TIME]:
            record(plan, work, state, samples, state.clock[TIME], state.q, state.v, state.done)
            state.counts[at.NEXT] += 1
    while state.counts[at.NEXT] < samples.schedule.shape[0]:
        if not has_room(state, samples):
            return ends.FULL
        if state.choices[at.BUDGET] <= 0:  # or an attempt wants something
            return ends.PAUSED
        state.choices[at.BUDGET] -= 1
        code = start_step(plan, work, state)
        if code == DONE:
            code = take_step(plan, work, state, samples)
        if code != DONE:
            return code
    return DONE


@routine
def start_step(plan, work, state):
    """The state at the start of a step, and its rates; DONE, or why there is no step from here."""
    t = state.clock[TIME]
    tick(plan, work, state, t, state.q, state.v)
    rank = begin(plan, work, state)
    if rank < 0:
        return ends.SINGULAR if rank > ends.MISFIT else ends.INCOMPATIBLE
    if not finite(state.k[0]):
        return ends.NOT_FINITE
    if plan.rods.shape[0] > 0 and too_far(plan, work) != 0:
        return ends.TOO_FAR
    if work.result[CHANGED] > LARGE_CORRECTION:
        return ends.CORRECTED
    track(plan, work, state, t, state.q, state.v)
    before = state.counts[at.RANK]
    state.counts[at.RANK] = rank
    return ends.RANK_CHANGED if before != rank and before >= 0 else DONE


@routine
def take_step(plan, work, state, samples):
    """A step, with its samples; DONE, or what happened in it. After a failed step the state is as before it."""
    t, first, doubtful = state.clock[TIME], work.result[REMAINDER], state.clock[at.DOUBT] > 0.0
    step, error, limit = state.clock[STEP], state.clock[ERROR], state.clock[LIMIT]
    state.clock[LIMIT] = 1e300
    aim = choose_length(plan, state, samples, t, limit)
    h, lowest, passing, found, code = aim.length, 0, -1.0, False, ends.STEP_TOO_SMALL
    if t + h > t:  # or it is too short to change the time
        if state.traits[at.CHOOSES] != 0:
            h, lowest, code = attempt_until_good(plan, work, state, t, aim)
        else:
            h, lowest, code = attempt_as_asked(plan, work, state, t, h, step, limit)
    if code == DONE:
        h, passing = pass_singular(plan, work, state, t, h, first, lowest)
        h, found, code = meet_events(plan, work, state, t, h)
    if code != DONE:
        state.clock[STEP], state.clock[ERROR], state.clock[LIMIT] = step, error, limit
        return code
    sample_step(plan, work, state, samples, t, h)
    commit(plan, work, state)
    if doubtful:
        state.clock[at.DOUBT] -= 1.0
    if found:
        return ends.EVENT_FOUND
    if passing > 0.0:
        state.clock[at.PASSED] = t + passing * h
        return ends.SINGULAR_PASSED
    return DONE


@routine
def choose_length(plan, state, samples, t, limit):
    """The length of the next step: as errors and limits allow, and onto what it must not pass."""
    end, sample = samples.schedule[samples.schedule.shape[0] - 1], next_sample(state, samples)
    h = min(state.clock[STEP], state.settings[LARGEST], max(limit, 1e-15 * abs(t)))
    dense, long, part = state.traits[at.DENSE] != 0, state.traits[at.LONG] != 0, state.settings[at.REACH]
    apart = sample - samples.schedule[max(state.counts[at.NEXT] - 1, 0)]
    passes = long and plan.holonomic.shape[0] == 0 and not state.clock[at.DOUBT] > 0.0
    passes = passes and apart < (FEW if part > MOSTLY else 1.0) * h
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
    elif t + 2.0 * h > target and state.traits[at.CHOOSES] != 0 and not passes:
        h = 0.5 * (target - t)
    return Aim(h, sample, target, part, passes)


@routine
def attempt_as_asked(plan, work, state, t, h, step, limit):
    """A step of a given length, or, where velocities jump, as much shorter as the attempt asks for; its length, the lowest rank
    met, and DONE or why there is none."""
    impulsive = state.traits[at.IMPULSIVE] != 0
    if impulsive:
        state.clock[SIZE] = 1.0 if limit < 1e300 else 0.0
    while True:
        state.clock[NEAREST] = 1.0
        lowest = attempt(plan, work, state, t, h)
        good = finite(state.y_end) and lowest >= 0
        if not (impulsive and (state.clock[SIZE] > 1.0 or not good) and h > step * SHORTEST):
            break
        h *= 0.5
        state.clock[LIMIT], state.clock[SIZE] = 2.0 * h, 1.0
        call_compiled(plan.calls[TURN], (plan, work, state, ends.AGAIN))
    if good:
        return h, lowest, DONE
    code = ends.SINGULAR if lowest > ends.FAILED else ends.NO_CONVERGENCE
    return h, lowest, ends.NOT_FINITE if lowest >= 0 else code


@routine
def attempt_until_good(plan, work, state, t, aim):
    """A step whose error is good enough, shorter and shorter until it is; its length, the lowest rank met, and DONE or why
    there is none."""
    h, passes, tries, power = aim.length, aim.passes, 0, state.control[POWER]
    while True:
        state.clock[NEAREST] = 1.0
        lowest = attempt(plan, work, state, t, h)
        good = finite(state.y_end) and lowest >= 0
        size = state.clock[SIZE] if good else 1e6
        within = passes and good and t + h * (1.0 - 1e-9) > aim.sample
        if within:  # good by its start, for a step with samples within, and by its end
            land(plan, work, state, t, h)
            state_within(plan, work, state, (aim.sample - t) / h, h)
            shorter, at_end = aim.part ** state.control[MEASURE], state.clock[at.SIZE_AT_END]
            size = max(size, at_end if at_end > shorter else 0.0) / shorter
        if size <= (1.0 + tries) ** 3:
            choose_next(state, h, size, aim, passes, within, tries)
            return h, lowest, DONE
        state.counts[at.REJECTED] += 1
        if state.clock[NEAREST] < SINGULAR_NOW and tries < TRIES:
            # a stage hit a singular configuration, where rates are all rounding: step over it with other stages, and
            # with less and less accuracy if that does not help
            tries += 1
            shorter = tries % 2 == 1 or t + 1.6 * aim.length > aim.target
            h = aim.length * (1.0 - 0.04 * tries if shorter else 1.0 + 0.04 * tries)
            continue
        shrink = max(SHRINK, SAFETY * size**-power) if size < 1e6 else state.control[at.RETREAT]
        h *= shrink
        if within and t + h < aim.sample:  # ends are good by the error at the start alone
            h, passes = aim.sample - t, False
            if shrink < NEARLY:
                state.clock[at.DOUBT] = ONTO
            continue
        state.clock[STEP] = h
        if h < max(state.settings[at.SMALLEST], 1e-15 * abs(t)):
            return h, lowest, ends.STEP_TOO_SMALL if good else ends.NOT_FINITE


@routine
def choose_next(state, h, size, aim, passes, within, tries):
    """The length of the step after one of length h, from the size of its error."""
    if tries > 0:  # what a singular configuration does to the error says nothing of the next step
        state.clock[STEP] = aim.length
        return
    power, taken = state.control[POWER], h / aim.part if within else h  # as if it had not been shorter
    if not within and passes and h > NEARLY * state.clock[STEP] and h < state.clock[STEP]:
        taken = min(state.clock[STEP], state.settings[LARGEST])
        size *= (taken / h) ** state.control[MEASURE]
    past = max(state.clock[ERROR], 1e-4) ** (0.4 * power)
    factor = GROW if size == 0.0 else SAFETY * size ** (-0.7 * power) * past
    state.clock[ERROR] = max(size, 1e-4)
    if taken >= 0.99 * min(state.clock[STEP], state.settings[LARGEST]) or factor < 1.0:
        state.clock[STEP] = taken * min(GROW, max(SHRINK, factor))
    elif state.traits[at.GROWS] != 0:  # steps onto samples must not keep it from growing
        state.clock[STEP] = max(state.clock[STEP], h * min(GROW, factor))


@routine
def pass_singular(plan, work, state, t, h, first, lowest):
    """Where the attempt passes a singular configuration, as a fraction of it, -1 if it does not; there it ends, if the run is
    to stop there. first : remainder of the rows at its start. Returns its length, and the fraction."""
    passing, last = -1.0, work.result[REMAINDER]
    dips = state.clock[NEAREST] * state.clock[at.TYPICAL] < 0.7 * min(first, last)
    near = lowest == state.counts[at.RANK] and min(first, last) < NEAR_AN_END * max(first, last)
    if (dips or near) and state.lam.shape[0] > 0:
        passing = singular_fraction(plan, work, state, t, h)
        if passing > 0.0 and state.choices[at.STOP_SINGULAR] != 0:
            h, passing = passing * h, 1.0
            attempt(plan, work, state, t, h)
    return h, passing


@routine
def meet_events(plan, work, state, t, h):
    """The end of the attempt, just after the first event in it if there is one; its length, whether there is, and DONE or why
    there is no end."""
    land(plan, work, state, t, h)
    events(plan, work, state, t + h, state.q_end, state.v_end, state.g_end)
    if not finite(state.g_end):
        return h, False, ends.NOT_FINITE
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
            return h, True, ends.NO_CONVERGENCE
    return h, found, DONE


ADVANCE = (advance, (PLAN, WORK, record_type(at.State), record_type(at.Samples)))  # with its argument types
