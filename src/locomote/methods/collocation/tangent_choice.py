"""Which way stages of collocation are found: by M + K, whose iterations are cheap, or by exact tangents, which are not.

M + K comes first. What it wastes, on iterations that do not converge or shrink so slowly that steps are much shorter
than errors allow, is counted; once that is much, the run pauses for what takes dual numbers to be compiled
(`wants_tangents`). From then on a step at which M + K fails is tried by exact tangents, and so are the next ones. Every now and
then M + K is tried again. Seconds of motion for what they cost are compared, and tangents rest for longer and longer when they
do not pay. All of this follows counts, never a clock, so that a run is the same each time.
"""

from locomote.compiler.source import helper, routine
from locomote.evaluation.plan import STAGES, TANGENTS
from locomote.methods.collocation.rules import (
    EXACT,
    EXACT_COST,
    EXACT_GAIN,
    MASS_COST,
    MASS_GAIN,
    RESTING,
    SLOWLY,
    SPENT,
    WANTED,
)
from locomote.methods.state import BUDGET, STEP

PASS = 3.0  # cost of a pass of dual numbers, in evaluations of accelerations
FACTORING = 0.01  # the same of making and factoring a matrix, by the square of coordinates
AT_ONCE, FORCES = 0.2, 0.5  # the same of an evaluation of forces, at all stages at once, and of one
ENOUGH = 20_000.0  # wasted evaluations from which on tangents are wanted: a part of a second
NEVER = -1e300  # value of WANTED for a problem that cannot have them
LATE = 0.8  # part of what is known of M + K that a new step leaves
PERIOD, FIRST = 20.0, 4.0  # steps by exact tangents until M + K is tried again; and until they may rest
REST, LONGEST = 100.0, 1e6  # steps for which they rest at first, and at most
MUCH = 0.25  # share of the step that errors allow below which slow iterations are wasted


@helper
def pays(state):
    """Whether exact tangents give more motion for their cost."""
    pace = state.pace
    return pace[EXACT_GAIN] * pace[MASS_COST] >= pace[MASS_GAIN] * pace[EXACT_COST]


@routine
def judge_mass(plan, state, h, good, evaluations):
    """Keep what an attempt by M + K gave and cost; whether the step is to be tried by exact tangents instead."""
    pace = state.pace
    constrained = plan.holonomic.shape[0] > 0
    cost = evaluations * (1.0 if constrained else AT_ONCE if plan.calls[STAGES] != 0 else FORCES)
    vain = not good or (pace[SLOWLY] != 0.0 and h < MUCH * state.clock[STEP])
    pace[SPENT] = 0.0
    if plan.calls[TANGENTS] == 0 and vain:
        pace[WANTED] += evaluations
        if pace[WANTED] > ENOUGH:
            state.choices[BUDGET] = 0
    if plan.calls[TANGENTS] != 0 and pace[EXACT] == 0.0 and vain:
        pace[EXACT], pace[EXACT_GAIN], pace[EXACT_COST] = PERIOD, 0.0, 0.0
        if not good:
            pace[SPENT] = cost
            return True
    pace[MASS_GAIN] = LATE * pace[MASS_GAIN] + (h if good else 0.0)
    pace[MASS_COST] = LATE * pace[MASS_COST] + cost
    pace[EXACT] = min(pace[EXACT] + 1.0, 0.0) if pace[EXACT] < 0.0 else pace[EXACT]
    return False


@routine
def judge_exact(state, h, good):
    """Keep what an attempt by exact tangents gave and cost, and whether they go on."""
    pace = state.pace
    pace[EXACT_GAIN] += h if good else 0.0
    pace[EXACT_COST] += pace[SPENT]
    pace[SPENT] = 0.0
    pace[EXACT] -= 1.0
    ended = pace[EXACT] <= 0.0
    if (ended or pace[EXACT] <= PERIOD - FIRST) and not pays(state):
        pace[EXACT], pace[RESTING] = -max(pace[RESTING], REST), min(2.0 * max(pace[RESTING], REST), LONGEST)
    elif ended:
        pace[EXACT] = pace[RESTING] = 0.0


def wants_tangents(plan, state, stuck: bool = False) -> bool:
    """Whether a run by collocation is to be given exact tangents, which it has not; one that is stuck, if any of its iterations
    did not converge."""
    return plan.calls[TANGENTS] == 0 and state.pace[WANTED] > (0.0 if stuck else ENOUGH)
