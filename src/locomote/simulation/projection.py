"""Back onto the constraints: the nearest velocity that meets all rows, the nearest configuration that closes all loops.

Near a singular configuration some rows nearly vanish, and meeting them exactly would take a large jump for a tiny error. Within
a run such rows (below a tolerance of their own) are left to the integration, until the motion has passed.
"""

from locomote.engine.source import routine
from locomote.simulation.chart import chart_rate, moved
from locomote.simulation.equations import choose, eliminate_rows, find_rows, impose, is_active, meet, mismatch
from locomote.simulation.plan import PROJECTION_TOLERANCE

CLOSE = 1e-13  # position error at which the search ends, m or 1
ROUNDS = 60


@routine
def largest(plan, error):
    """Largest position error of a row that is held."""
    worst = 0.0
    for r in range(error.shape[0]):
        if plan.holonomic[r] != 0 and is_active(plan, r):
            worst = max(worst, abs(error[r]))
    return worst


@routine
def project_velocity(plan, work, t, q, v, a):
    """Change free velocities as little as possible so that A v + b = 0. Returns what remains, per unit
    of row length, of rows that no free velocity can meet."""
    impose(plan, work, t, q, v, a)
    find_rows(plan, work, t, q, v, work.zero)
    count = choose(plan, work, False)
    rank = eliminate_rows(plan, work, count, plan.options[PROJECTION_TOLERANCE])
    for r in range(work.drift.shape[0]):
        value = work.speed[r]
        for k in range(v.shape[0]):
            value += work.A[r, k] * v[k]
        work.drift[r] = -value
    meet(plan, work, rank, work.drift, work.y)
    rest = mismatch(plan, work, count, work.drift, work.y)
    for n in range(plan.free.shape[0]):
        v[plan.free[n]] += work.y[n]
    return rest


@routine
def project_position(plan, work, t, q, v, a, start, u):
    """Move free coordinates to where all holonomic rows have no error, by Newton's method from q, with steps short enough to
    come nearer. Returns the error left.

    start (nq), u (nv): scratch
    """
    rest, before = 0.0, 1e300
    for _ in range(ROUNDS):
        impose(plan, work, t, q, v, a)
        find_rows(plan, work, t, q, v, work.zero)
        rest = largest(plan, work.error)
        if rest < CLOSE or (rest < 1e-11 and rest > 0.5 * before) or (before == 1e300 and not rest < before):
            break
        if not rest < before:  # too far: half of it
            for k in range(v.shape[0]):
                u[k] *= 0.5
            moved(plan.topology, start, u, q)
            continue
        before = rest
        rank = eliminate_rows(plan, work, choose(plan, work, True), plan.options[PROJECTION_TOLERANCE])
        for r in range(work.error.shape[0]):
            work.error[r] = -work.error[r]
        meet(plan, work, rank, work.error, work.y)
        for k in range(v.shape[0]):
            u[k] = work.dx[k] = 0.0
        for n in range(plan.free.shape[0]):
            work.dx[plan.free[n]] = work.y[n]
        for k in range(q.shape[0]):
            start[k] = q[k]
        chart_rate(plan.topology, q, work.zero, work.dx, u)
        moved(plan.topology, start, u, q)
    if not rest < before and before < 1e300:
        for k in range(q.shape[0]):
            q[k] = start[k]
        rest = before
    return rest
