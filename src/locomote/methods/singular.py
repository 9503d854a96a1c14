"""Singular configurations on the way: where in a step the rows of the constraints come closest to being dependent."""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import routine
from locomote.evaluation.plan import EVALUATE, REMAINDER
from locomote.methods.interpolation import state_within
from locomote.methods.state import TYPICAL

GOLDEN = 0.6180339887498949
ROUNDS = 40
AT_AN_END = 1e-8  # fraction of a step that the search does not resolve
PASSED_BELOW = 1e-4  # remainder of the rows, relative to the largest of the run, that counts as singular


@routine
def remainder_within(plan, work, state, s, t, h):
    """Smallest remainder of the independent rows at the fraction s of the step."""
    state_within(plan, work, state, s, h)
    call_compiled(plan.calls[EVALUATE], (plan, work, t + s * h, state.q_try, state.v_try, state.a, state.lam))
    return work.result[REMAINDER]


@routine
def singular_fraction(plan, work, state, t, h):
    """The fraction of the step at which it passes a singular configuration, by golden section; -1 if it does not."""
    low, high = 0.0, 1.0
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    f_a, f_b = remainder_within(plan, work, state, a, t, h), remainder_within(plan, work, state, b, t, h)
    for _ in range(ROUNDS):
        if f_a < f_b:
            high, b, f_b = b, a, f_a
            a = high - GOLDEN * (high - low)
            f_a = remainder_within(plan, work, state, a, t, h)
        else:
            low, a, f_a = a, b, f_b
            b = low + GOLDEN * (high - low)
            f_b = remainder_within(plan, work, state, b, t, h)
    s = 0.5 * (low + high)
    inside = AT_AN_END < s and s < 1.0 - AT_AN_END  # one that is just beyond an end belongs to the next step
    return s if inside and min(f_a, f_b) < PASSED_BELOW * state.clock[TYPICAL] else -1.0
