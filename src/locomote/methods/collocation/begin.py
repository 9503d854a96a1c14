"""How steps by collocation begin, and what the next one needs of the last: a kernel that runs by other methods do without."""

from locomote.compiler.source import kernel, routine
from locomote.evaluation.plan import REMAINDER
from locomote.methods.collocation.rules import EVALUATED, LENGTH, MADE_FOR, MISSED_AT_START, MISSED_BEFORE, MODE, SAMPLED
from locomote.methods.collocation.start import fill_start, start_left
from locomote.methods.state import END, PROJECT, TIME, TYPICAL
from locomote.methods.stepping import ENDS, STARTS, TOLERATED, begin_rates, near_singular, residuals


@kernel
def turn_collocation(plan, work, state, turn):
    """The turn from step to step; at the start of one the rank."""
    if turn == STARTS:
        return begin_collocation(plan, work, state)
    if turn == ENDS:
        keep_stages(work, state)
    return 0


@routine
def keep_stages(work, state):
    """Keep what the next step needs of the one just accepted: its stages, its length, and whether its end is a sample."""
    nv = state.v.shape[0]
    state.pace[LENGTH] = state.clock[END] - state.clock[TIME]
    state.pace[SAMPLED] = 1.0 if work.known[0] > 0 else 0.0
    for i in range(state.stages.shape[0]):
        for k in range(nv):
            state.stages[i, k] = state.k[i + 1, nv + k]
    for k in range(nv):
        state.ends[MISSED_BEFORE, k] = state.ends[MISSED_AT_START, k]


@routine
def begin_collocation(plan, work, state):
    """Start a step by collocation: from the evaluation of a sample there; by as little as it takes (`collocation.start`) where
    there is no sample, nothing constrains the motion and iterations go well; and else as any method."""
    known = work.known[0] - 1
    plain = state.lam.shape[0] == 0 and plan.clocks.shape[0] == 0 and state.pace[MODE] == 0.0
    if plain and state.pace[SAMPLED] == 0.0 and state.pace[MADE_FOR] != 0.0 and state.pace[LENGTH] > 0.0:
        return start_left(plan, work, state)
    state.pace[EVALUATED], rank, work.known[0] = 1.0, known, 0
    if known >= 0 and plan.clocks.shape[0] == 0:
        fill_start(plan, work, state)
        state.clock[TYPICAL] = max(state.clock[TYPICAL], work.result[REMAINDER])
        speed, error = residuals(plan, work, state.v)
        if state.choices[PROJECT] != 0 and (max(speed, error) > TOLERATED or near_singular(work, state)):
            rank = begin_rates(plan, work, state)
    else:
        rank = begin_rates(plan, work, state)
    if not plain:
        state.pace[MADE_FOR] = 0.0
    for k in range(max(rank, 0)):
        for i in range(state.reflections.shape[1]):
            state.reflections[k, i] = work.reflections[k, i]
    return rank
