"""Computed torques in a step over contacts: joints that follow have known velocities at its end, as drives have.

`actuation.following` (2) asks for the acceleration al of a joint, whatever else acts. With values of the middle of the step,

    al = target'' + K_p (target - q_m) + K_d (target' - (v + v_end) / 2) ,   v_end = v + h al                        (1)

contacts push against joints that move so, and torques are what remains of their rows of the equations of motion, as those of
drives are. Motors that would give more than they can give that, and the others what they were asked for (2): the step is taken
again with these torques, and joints go where they go. Without limits a motor takes hits, too. A joint that would pass its stop
ends there, and its motor gives what that takes.
"""

from locomote.compiler.source import routine
from locomote.evaluation.computed_torque import COMPUTED, COORDINATE, DAMPING, KIND, PLACE, STIFFNESS
from locomote.evaluation.plan import COMPUTES
from locomote.methods.state import LIFTED


@routine
def ask_rates(plan, work, state, h, v):
    """Which coordinates have known velocities at the end of a step; with (1) for those that follow. Targets must be there."""
    for k in range(v.shape[0]):
        state.known[k] = plan.imposed[k]
    for n in range(plan.follow_rows.shape[0] if plan.options[COMPUTES] != 0.0 else 0):
        if plan.follow_rows[n, KIND] == COMPUTED:
            k, damping = plan.follow_rows[n, COORDINATE], plan.follow_numbers[n, DAMPING]
            away, slow = work.follow_x[n] - state.q_try[plan.follow_rows[n, PLACE]], work.follow_dx[n] - v[k]
            pull = plan.follow_numbers[n, STIFFNESS] * away + damping * slow
            rate = (work.follow_ddx[n] + pull) / (1.0 + 0.5 * h * damping)  # (1)
            state.known[k], state.held_a[k], state.v_held[k], state.diagonal[k] = 1, rate, v[k] + h * rate, 0.0
    for n in range(plan.stops.shape[0] if plan.options[COMPUTES] != 0.0 else 0):
        k, sign = plan.stops[n], plan.stop_laws[n, 0]
        if state.known[k] != 0 and plan.imposed[k] == 0:
            room = sign * (state.q_try[plan.q_of_v[k]] - plan.stop_laws[n, 1])
            if sign * state.v_held[k] < -room / (0.5 * h):
                state.v_held[k] = -sign * room / (0.5 * h)
                state.held_a[k] = (state.v_held[k] - v[k]) / h


@routine
def limit_torques(plan, work, state, h, v):
    """(2): whether a motor would give more than it can. Then all of these torques are given, and it is the middle again."""
    beyond = False
    for n in range(plan.follow_rows.shape[0] if plan.options[COMPUTES] != 0.0 else 0):
        if plan.follow_rows[n, KIND] == COMPUTED:
            k = plan.follow_rows[n, COORDINATE]
            state.step_tau[k] += work.active[k]
            beyond = beyond or abs(state.step_tau[k]) > plan.effort[k]
    if beyond:
        for n in range(plan.follow_rows.shape[0]):
            if plan.follow_rows[n, KIND] == COMPUTED:
                k = plan.follow_rows[n, COORDINATE]
                state.step_tau[k] = work.active[k] = min(plan.effort[k], max(-plan.effort[k], state.step_tau[k]))
                state.known[k], state.held_a[k] = 0, 0.0
        for k in range(state.q_try.shape[0]):
            state.q_try[k] = state.q_middle[k]
        state.solver[LIFTED] = 0.0
    return beyond
