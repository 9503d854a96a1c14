"""The step of each method that `advance` calls by address; explicit ones are part of it."""

from functools import cache

from numba import config, float64, int64

from locomote.compiler.indirect import address_of
from locomote.compiler.records import record_type
from locomote.dynamics import flexible, matrices
from locomote.evaluation.plan import ATTEMPT, BEGIN, CORIOLIS, DENSE, SETTLE, STAGES, SWEEP, WITHIN
from locomote.later import later
from locomote.methods import state as at
from locomote.methods.advance import advance
from locomote.methods.collocation.attempt import collocation_attempt
from locomote.methods.collocation.begin import begin_collocation
from locomote.methods.collocation.between import within_collocation
from locomote.methods.collocation.rules import WANTED
from locomote.methods.collocation.tangent_choice import NEVER, wants_tangents
from locomote.methods.entries import MATRIX, PLAN, WORK, fill_matrices
from locomote.methods.implicit import implicit_attempt
from locomote.methods.rosenbrock import rosenbrock_attempt
from locomote.methods.rosenbrock_feed_forward import fed_attempt
from locomote.methods.timestep.attempt import timestep_attempt
from locomote.methods.timestep.settle import settle_contacts
from locomote.methods.timestep.setup import set_up_timestep
from locomote.methods.timestep.sweep import sweep_one
from locomote.methods.variational import variational_attempt

STATE, SAMPLES = record_type(at.State), record_type(at.Samples)
_KINDS = (PLAN, WORK, STATE, float64, float64)
_LANES = (PLAN, *[MATRIX] * 6, int64, int64)
ADVANCE = (advance, (PLAN, WORK, STATE, SAMPLES))
COLLOCATION = {
    ATTEMPT: (collocation_attempt, _KINDS), STAGES: (flexible.INVERSE.batch, _LANES),
    BEGIN: (begin_collocation, (PLAN, WORK, STATE)), WITHIN: (within_collocation, _KINDS),
}  # fmt: skip
# method -> kernels with their argument types, by the entry of `calls` that they stand in
CALLS = {
    at.IMPLICIT: {ATTEMPT: (implicit_attempt, _KINDS)},
    **dict.fromkeys(at.RULES, COLLOCATION),
    at.ROSENBROCK: {ATTEMPT: (rosenbrock_attempt, _KINDS)},
    at.VARIATIONAL: {
        CORIOLIS: matrices.CORIOLIS.one.need,
        ATTEMPT: (variational_attempt, _KINDS),
    },
    at.TIMESTEP: {
        SWEEP: (sweep_one, (PLAN, WORK, STATE, float64, int64)),
        SETTLE: (settle_contacts, (STATE, *[int64] * 3)),
        ATTEMPT: (timestep_attempt, _KINDS),
    },
}
FED = {ATTEMPT: (fed_attempt, _KINDS)}  # of `rosenbrock` with feed-forward
WITH_MASS = (*at.RULES, at.ROSENBROCK, at.VARIATIONAL, at.TIMESTEP)  # methods that need the mass matrix themselves


@cache
def addresses(method: int, fed: bool, lanes: bool) -> list[tuple[int, int]]:
    """Entries of `calls` with the addresses of the kernels of a method, compiled or loaded.

    lanes : whether stages are evaluated all at once
    """
    kernels = (FED if fed else CALLS.get(method, {})).items()
    return [(slot, 0 if slot == STAGES and not lanes else address_of(*entry)) for slot, entry in kernels]


def at_once(plan) -> bool:
    """Whether stages of collocation are evaluated all at once: with flexible bodies, whose kernels know lanes."""
    return len(plan.rods) > 0 and not config.DISABLE_JIT  # type: ignore[attr-defined]


def fill_attempt(plan, work, state, terms):
    """Compile, or load, the step of the chosen method; gives what must live as long as the plan."""
    method = int(state.choices[at.METHOD])
    if method == at.TIMESTEP:  # which has more to set up
        set_up_timestep(plan, work, state)
        return None
    if method in at.RULES:
        plan.options[DENSE] = 1.0
    if method in WITH_MASS:
        fill_matrices(plan)
    for slot, address in addresses(method, len(plan.fed) > 0, at_once(plan)):
        plan.calls[slot] = address
    if method == at.IMPLICIT:
        return later("methods.dual_plans", "fill_slopes")(plan, work, state, terms)
    return fill_wanted(plan, work, state, terms)


def fill_wanted(plan, work, state, terms, stuck=False):
    """Compile, or load, exact tangents for collocation if they are wanted, or see to it that they are not any more; gives what
    must live as long as the plan."""
    given = None
    if len(state.pace) and wants_tangents(plan, state, stuck):
        given = later("methods.dual_plans", "fill_tangents")(plan, work, state, terms)
        if given is None:
            state.pace[WANTED] = NEVER
    return given
