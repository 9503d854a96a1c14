"""Torques that make joints follow, as functions of the state at every instant: (1) and (2) of `actuation.following`.

The torques of (2) come from one sweep of hybrid dynamics in which the followed coordinates are imposed and forces of the
environment are known; a base that floats takes the acceleration that its own rows of the equations give. That sweep has all
accelerations as well, so that (2) costs no more than no control at all.
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import routine
from locomote.evaluation.plan import COMPUTES, HYBRID, SIGNALS, STOPPED

COORDINATE, PLACE, KIND = range(3)  # columns of follow_rows
STIFFNESS, DAMPING = range(2)  # columns of follow_numbers
SERVO, COMPUTED, FEED = range(3)  # kinds


def computes_torques(plan) -> bool:
    """Whether (2) or (3) is in a plan, whose torques follow from the equations of motion themselves."""
    return bool(plan.options[COMPUTES]) or len(plan.fed) > 0


@routine
def find_targets(plan, work, t):
    """Targets with their rates into work.follow_x, .follow_dx, .follow_ddx; torques over time after them."""
    numbers = (
        plan.follow_signal_rows, plan.follow_signal_numbers, plan.functions, t, work.follow_x, work.follow_dx, work.follow_ddx,
        work.signal,
    )  # fmt: skip
    call_compiled(plan.calls[SIGNALS], numbers)


@routine
def serve(plan, work, q, v):
    """(1) and (3), added to work.active; targets, and what they cost the copy, must be there."""
    count = plan.follow_rows.shape[0]
    for n in range(count):
        if plan.follow_rows[n, KIND] != COMPUTED:
            k = plan.follow_rows[n, COORDINATE]
            away, slow = work.follow_x[n] - q[plan.follow_rows[n, PLACE]], work.follow_dx[n] - v[k]
            pull = plan.follow_numbers[n, STIFFNESS] * away + plan.follow_numbers[n, DAMPING] * slow
            work.active[k] += work.follow_x[count + n] + pull
            if plan.follow_rows[n, KIND] == FEED:
                work.active[k] += work.copy_tau[k]


@routine
def compute_torques(plan, work, q, v, a):
    """(2): fill a, work.tau of imposed coordinates, and work.active of those that follow; targets must be there.

    A motor at its limit gives that, and a joint on its stop stays; the controller does not know, and asks of the others what
    it would ask anyway.
    """
    beyond = False
    for k in range(v.shape[0]):
        work.tau[k] = work.active[k] + work.passive[k]
    for n in range(plan.follow_rows.shape[0]):
        k = plan.follow_rows[n, COORDINATE]
        if plan.follow_rows[n, KIND] == COMPUTED:
            away, slow = work.follow_x[n] - q[plan.follow_rows[n, PLACE]], work.follow_dx[n] - v[k]
            pull = plan.follow_numbers[n, STIFFNESS] * away + plan.follow_numbers[n, DAMPING] * slow
            a[k] = work.follow_ddx[n] + pull
    call_compiled(plan.calls[HYBRID], (plan.topology, plan.constants, q, v, plan.led, work.wrenches, work.tau, a))
    for n in range(plan.follow_rows.shape[0]):
        k = plan.follow_rows[n, COORDINATE]
        if plan.follow_rows[n, KIND] == COMPUTED:
            asked, most = work.tau[k] - work.passive[k], plan.effort[k]
            work.active[k] = min(most, max(-most, asked))
            beyond = beyond or work.active[k] != asked or plan.imposed[k] == STOPPED
    if beyond:  # accelerations are not those that were asked for: all that the controller gives is known now
        for k in range(v.shape[0]):
            work.tau[k] = work.active[k] + work.passive[k]
            a[k] = a[k] if plan.imposed[k] != STOPPED else 0.0
        call_compiled(plan.calls[HYBRID], (plan.topology, plan.constants, q, v, plan.imposed, work.wrenches, work.tau, a))
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        work.tau[k] -= work.active[k] + work.passive[k]
