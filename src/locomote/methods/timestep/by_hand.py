"""One step over contacts, for loops of the user's own (`methods.stepper`)."""

from locomote.compiler.source import kernel
from locomote.evaluation.evaluate import impose
from locomote.evaluation.plan import SINCE, TURN, Plan
from locomote.evaluation.work import Work
from locomote.methods.integrators.timestep import TIMESTEP, TimestepState, begin_timestep, keep_loads
from locomote.methods.state import PROJECT, TIME
from locomote.methods.stepping import DONE, INCOMPATIBLE, NOT_FINITE, finite
from locomote.methods.timestep.pace import followed_step
from locomote.methods.timestep.work import NOT_COUNTED


@kernel
def touching_step_one(plan, work, state, tau, h, method):
    """A step with torques tau on free coordinates; returns DONE, or why there is none. method : not asked here"""
    nv, t = state.v.shape[0], state.clock[TIME]
    for k in range(nv):
        work.input[k] = tau[k] if plan.imposed[k] == 0 else 0.0
        work.slope[k] = 0.0
    work.since[SINCE] = t
    followed_step(plan, work, state, t, h, state.sweeping[0])
    if not finite(state.y_end):
        return NOT_FINITE
    for k in range(state.q.shape[0]):
        state.q[k] = state.q_end[k]
    for k in range(nv):
        state.v[k] = state.y_end[nv + k]
    impose(plan, work, t + h, state.q, state.v, state.a)
    keep_loads(state)
    state.clock[TIME] = t + h
    if state.lam.shape[0] > 0 and begin_timestep(plan, work, state) < 0:  # the end meets the constraints
        return INCOMPATIBLE
    return DONE


def touching_state(plan: Plan, work: Work) -> TimestepState:
    """The state of such steps, with the kernels that they call."""
    state = TIMESTEP.state_for(plan)
    TIMESTEP.fill_calls(plan, work, state, (), without=(TURN,))
    state.stored[:, 0] = NOT_COUNTED
    state.choices[PROJECT] = 1
    return state
