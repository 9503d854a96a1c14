"""Feed-forward: what the targets of joints cost a copy of the robot, whose base goes where the equations of motion take it.

The copy has the places and velocities of all targets at every instant, the forces of the environment where it is itself, and a
base of its own, q_0. With the rows of the equations of motion of the base and of the joints that follow,

    q_0'' from its own row ,   tau = what remains of the rows of the joints                                         (1)

in one sweep of hybrid dynamics. Steps integrate the base of the copy beside the robot (`fed_steps`); without steps, as in a
single evaluation, the copy's base is where that of the robot is.
After S.V. Shah, S.K. Saha, J.K. Dutt: Modular framework for dynamic modeling and analyses of legged robots (2012), (26) to
(31).
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import kernel, routine
from locomote.evaluation.computed_torque import COORDINATE, FEED, KIND, PLACE, find_targets
from locomote.evaluation.evaluate import body_forces, find_rows, impose, joint_forces, needs_bodies
from locomote.evaluation.plan import HYBRID


@routine
def place_copy(plan, work, t, q, v):
    """Joints of the copy as told at time t, in work.copy_q, .copy_v and .copy_a; all else as at (q, v) if it has no motion."""
    if work.copying[0] == 0:
        for k in range(q.shape[0]):
            work.copy_q[k] = q[k]
        for k in range(v.shape[0]):
            work.copy_v[k] = v[k]
    for k in range(v.shape[0]):
        work.copy_a[k] = work.copy_tau[k] = 0.0
    impose(plan, work, t, work.copy_q, work.copy_v, work.copy_a)
    find_targets(plan, work, t)
    for n in range(plan.follow_rows.shape[0]):
        if plan.follow_rows[n, KIND] == FEED:
            k = plan.follow_rows[n, COORDINATE]
            work.copy_q[plan.follow_rows[n, PLACE]] = work.follow_x[n]
            work.copy_v[k], work.copy_a[k] = work.follow_dx[n], work.follow_ddx[n]


@kernel
def copy_one(plan, work, t, q, v):
    """(1): work.copy_a, and work.copy_tau where joints follow; the robot is at (q, v). Returns how many bodies there are."""
    place_copy(plan, work, t, q, v)
    joint_forces(plan, work, t, work.copy_q, work.copy_v)
    if needs_bodies(plan):
        find_rows(plan, work, t, work.copy_q, work.copy_v, work.zero)
        body_forces(plan, work, t, work.copy_q, work.copy_v)
    for k in range(v.shape[0]):
        work.tau[k] = work.active[k] + work.passive[k]
    call_compiled(
        plan.calls[HYBRID],
        (plan.topology, plan.constants, work.copy_q, work.copy_v, plan.fed, work.wrenches, work.tau, work.copy_a),
    )
    for n in range(plan.follow_rows.shape[0]):
        if plan.follow_rows[n, KIND] == FEED:
            k = plan.follow_rows[n, COORDINATE]
            work.copy_tau[k] = work.tau[k] - work.active[k] - work.passive[k]
    return plan.topology.shape[0]
