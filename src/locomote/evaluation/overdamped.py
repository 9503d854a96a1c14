"""Equations of motion without inertia: forces balance at every instant, and velocities follow from the configuration.

    0 = f(t, q, v) + A^T lam ,   A v + b = 0          v_h given, v_f sought

Viscous forces are f = f_0 - R v_f, where f_0 is what acts while free coordinates stand still; f is evaluated once at rest and
once for each free velocity, and then

    R v_f = f_0 + A^T lam                                                                                            (1)

is the equation of motion with the resistance in place of the mass and velocities in place of accelerations. Other forces (sand,
quadratic drag) leave something over after (1), which Newton's method removes, from the velocities that were there before.

What v changes by follows from f staying zero along the motion, with df the change of f at the same v_f:

    R a_f = df/dt + A^T mu ,   A a + drift = 0                                                                       (2)
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import inlined_routine, routine
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.evaluate import (
    body_forces,
    choose,
    eliminate_rows,
    fill_power,
    find_rows,
    impose,
    joint_forces,
    solve_free,
)
from locomote.evaluation.plan import INVERSE, RANK_TOLERANCE, REMAINDER
from locomote.linear.lu import lu_factor_positive, lu_solve
from locomote.linear.orthogonal import reactions

BALANCED = 1e-11  # allowed residual, as a share of the forces that balance
SMALL = 1e-6  # step in velocities, for derivatives of forces that are not proportional to them
ROUNDS, HALVINGS = 40, 20
NEAR = 1e-5  # s, on both sides, over which df/dt is taken


@routine
def balance(plan, work, t, q, v, f):
    """f: all forces on the coordinates at a state."""
    joint_forces(plan, work, t, q, v)
    find_rows(plan, work, t, q, v, work.zero)
    body_forces(plan, work, t, q, v)
    call_compiled(plan.calls[INVERSE], (plan, work, q, work.zero, work.zero))
    for k in range(v.shape[0]):
        f[k] = work.active[k] + work.passive[k] - work.bias[k]


@routine
def resist(plan, work, t, q, v, step):
    """R into work.M, over the free coordinates, from v; f at v is in work.tau, which stays."""
    for m in range(plan.free.shape[0]):
        k = plan.free[m]
        kept = v[k]
        v[k] = kept + step
        balance(plan, work, t, q, v, work.y)
        v[k] = kept
        for n in range(plan.free.shape[0]):
            work.M[plan.free[n], k] = (work.tau[plan.free[n]] - work.y[plan.free[n]]) / step


@routine
def settle(plan, work, rank, count, x):
    """(1) or (2) for the force work.z on free coordinates: fill x where free; False if something is not resisted."""
    free = plan.free.shape[0]
    if count > 0:
        return solve_free(plan, work, rank, x)
    for n in range(free):
        for m in range(free):
            work.K[n, m] = work.M[plan.free[n], plan.free[m]]
    good = lu_factor_positive(work.K, free)
    lu_solve(work.K, free, None, work.z)
    for n in range(free):
        x[plan.free[n]] = work.z[n]
    return good


@routine
def left_over(plan, work, count):
    """Largest force of work.tau on a free coordinate that no row can carry; with rows that is not known, and none is said."""
    worst = 0.0
    if count == 0:
        for n in range(plan.free.shape[0]):
            worst = max(worst, abs(work.tau[plan.free[n]]))
    return worst


@routine
def improve(plan, work, t, q, v, goal):
    """Newton's method for forces that are not proportional to velocities, without rows; v is the start. Returns what is "
    "left."""
    nf = plan.free.shape[0]
    balance(plan, work, t, q, v, work.tau)
    rest = left_over(plan, work, 0)
    for _ in range(ROUNDS):
        if not rest > goal:
            break
        speed = 0.0
        for n in range(nf):
            speed = max(speed, abs(v[plan.free[n]]))
        resist(plan, work, t, q, v, SMALL * max(speed, 1e-6))
        for n in range(nf):
            work.z[n] = work.tau[plan.free[n]]
        if not settle(plan, work, 0, 0, work.near_v):
            return rest
        share, now = 1.0, rest
        for _ in range(HALVINGS):
            for n in range(nf):
                v[plan.free[n]] += share * work.near_v[plan.free[n]]
            balance(plan, work, t, q, v, work.tau)
            now = left_over(plan, work, 0)
            if now < rest or now <= goal:
                break
            for n in range(nf):
                v[plan.free[n]] -= share * work.near_v[plan.free[n]]
            share *= 0.5
        if not now < rest:
            break
        rest = now
    return rest


@routine
def change(plan, work, t, q, v, a):
    """df/dt at the same free velocities, along the motion, into work.z over free coordinates."""
    nf, nv = plan.free.shape[0], v.shape[0]
    for n in range(nf):
        work.e[n] = 0.0
    for side in range(2):
        sign = 1.0 if side == 1 else -1.0
        for k in range(nv):
            work.dx[k] = sign * NEAR * v[k]
        chart_rate(plan.topology, q, work.zero, work.dx, work.x)
        moved(plan.topology, q, work.x, work.near)
        for k in range(nv):
            work.near_v[k] = v[k]
        impose(plan, work, t + sign * NEAR, work.near, work.near_v, work.y)
        balance(plan, work, t + sign * NEAR, work.near, work.near_v, work.y)
        for n in range(nf):
            work.e[n] += sign * work.y[plan.free[n]] / (2.0 * NEAR)
    for n in range(nf):
        work.z[n] = work.e[n]


@inlined_routine
def rows_at_rest(plan, work, t, q, v, a):
    """Rows of the constraints, eliminated, and their speeds while free coordinates stand still: (rank, how many hold)."""
    find_rows(plan, work, t, q, v, a)
    count = choose(plan, work, False)
    rank = eliminate_rows(plan, work, count, plan.options[RANK_TOLERANCE])
    work.result[REMAINDER] = abs(work.lower[rank - 1, rank - 1]) if rank > 0 else 1.0
    for r in range(work.drift.shape[0]):
        work.drift[r] = work.speed[r]
        for k in range(v.shape[0]):
            work.drift[r] += work.A[r, k] * v[k]  # free ones are zero
    return rank, count


@inlined_routine
def search(plan, work, t, q, v, size, good):
    """Remove what (1) leaves over of forces that are not proportional to velocities; returns whether nothing stays.

    size : of the forces at rest ; good : whether (1) could be solved, which is the answer if it leaves nothing over
    """
    nf = plan.free.shape[0]
    balance(plan, work, t, q, v, work.tau)
    for n in range(nf):  # what balances may be sums of much more, whose rounding is left over
        total = 0.0
        for m in range(nf):
            total += abs(work.M[plan.free[n], plan.free[m]] * v[plan.free[m]])
        size = max(size, total)
    goal = BALANCED * max(size, 1e-300)
    if left_over(plan, work, 0) > goal:
        for n in range(nf):
            v[plan.free[n]] = work.near_v[plan.free[n]]
        good = improve(plan, work, t, q, v, goal) <= 1e3 * goal
        balance(plan, work, t, q, v, work.tau)
        resist(plan, work, t, q, v, SMALL)
    return good


@inlined_routine
def drive_forces(plan, work, lam):
    """Forces of drives, from all others, which are in work.y, and reactions."""
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        value = -work.y[k]
        for r in range(lam.shape[0]):
            value -= work.A[r, k] * lam[r]
        work.tau[k] = value


@routine
def creep(plan, work, t, q, v, a, lam):
    """Velocities v where free, their rates a, and reactions lam at (t, q). Same results as `equations.evaluate`.

    Returns the rank of the constraints, negative if some motion is not resisted.
    """
    nf, rows, rank, count, size = plan.free.shape[0], lam.shape[0], 0, 0, 0.0
    impose(plan, work, t, q, v, a)
    for n in range(nf):
        work.near_v[plan.free[n]] = v[plan.free[n]]  # what was there before
        v[plan.free[n]] = 0.0
    balance(plan, work, t, q, v, work.tau)
    for n in range(nf):
        size = max(size, abs(work.tau[plan.free[n]]))
    resist(plan, work, t, q, v, 1.0)
    work.result[REMAINDER] = 1.0
    if rows > 0:
        rank, count = rows_at_rest(plan, work, t, q, v, a)
    for n in range(nf):
        work.z[n] = work.tau[plan.free[n]]
    good = settle(plan, work, rank, count, v)  # (1)
    if rows > 0:
        room = work.loads, work.loads_lower, work.loads_reflections, work.loads_order
        reactions(work.lower, work.scales, work.order, work.chosen, rank, count, room, work.e, work.z, lam)
    elif nf > 0:
        good = search(plan, work, t, q, v, size, good)
    if nf > 0:
        change(plan, work, t, q, v, a)
        if rows > 0:
            for n in range(nf):
                a[plan.free[n]] = 0.0
            find_rows(plan, work, t, q, v, a)
            rank = eliminate_rows(plan, work, count, plan.options[RANK_TOLERANCE])
        settle(plan, work, rank, count, a)  # (2)
    balance(plan, work, t, q, v, work.y)
    if rows > 0:
        find_rows(plan, work, t, q, v, a)
    drive_forces(plan, work, lam)
    fill_power(plan, work, v, lam)
    return rank if good else -1 - rank
