"""Back onto the constraints: the nearest velocity that meets all rows, the nearest configuration that closes all loops.

What is nearest is measured by coordinates when a start is sought, and by mass within a run:

    x = M^-1 A^T mu ,   A x = -e          e the error of the rows                                                       (1)

There errors come of reactions that were slightly wrong, which is a change of just this form, and taking it away does no work:
what satisfies the rows is orthogonal to it by mass, so that the energy changes by the square of the error only.

Near a singular configuration some rows nearly vanish, and meeting them exactly would take a large jump for a tiny error. Within
a run such rows (below a tolerance of their own) are left to the integration, until the motion has passed.
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import routine
from locomote.constraints.columns import ACTIVE
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.evaluate import UNCLEAR, choose, eliminate_rows, find_rows, impose, meet, row_times, solve_free
from locomote.evaluation.plan import BY_MASS, LOCAL, LOCAL_CHANGE, MASS, PROJECTION_TOLERANCE

CLOSE = 1e-13  # position error at which the search ends, m or 1
ROUNDS = 60


@routine
def largest(plan, error):
    """Largest position error of a row that is held."""
    worst = 0.0
    for r in range(error.shape[0]):
        if plan.holonomic[r] != 0 and plan.integers[plan.owner[r], ACTIVE] != 0:
            worst = max(worst, abs(error[r]))
    return worst


@routine
def correct(plan, work, q, holonomic):
    """The least change work.dx (nv) of free coordinates that gives work.drift on the independent ones of all rows, or of those
    that hold a position."""
    for n in range(plan.held.shape[0]):
        work.dx[plan.held[n]] = 0.0
    if plan.options[LOCAL] != 0.0:
        work.holding[0] = holonomic
        if call_compiled(plan.calls[LOCAL_CHANGE], (plan, work, q)) != UNCLEAR:
            return
    count = choose(plan, work, holonomic != 0)
    rank, good = eliminate_rows(plan, work, count, plan.options[PROJECTION_TOLERANCE]), False
    if rank > 0 and plan.options[BY_MASS] != 0.0:
        call_compiled(plan.calls[MASS], (plan, work, q))
        for r in range(work.drift.shape[0]):
            work.drift[r] = -work.drift[r]
        for n in range(plan.free.shape[0]):
            work.z[n] = 0.0
        good = solve_free(plan, work, rank, work.dx)  # (1)
        for r in range(work.drift.shape[0]):
            work.drift[r] = -work.drift[r]
    if not good:
        meet(plan, work, rank, work.drift, work.y)
        for n in range(plan.free.shape[0]):
            work.dx[plan.free[n]] = work.y[n]


@routine
def project_velocity(plan, work, t, q, v, a):
    """Change free velocities as little as possible so that A v + b = 0. Returns what remains, per unit
    of row length, of rows that no free velocity can meet."""
    impose(plan, work, t, q, v, a)
    find_rows(plan, work, t, q, v, work.zero)
    for r in range(work.drift.shape[0]):
        work.drift[r] = -work.speed[r] - row_times(plan, work, r, v)
    correct(plan, work, q, 0)
    for k in range(v.shape[0]):
        v[k] += work.dx[k]
    worst = 0.0
    for r in range(work.drift.shape[0]):
        worst = max(worst, abs(row_times(plan, work, r, work.dx) - work.drift[r]) / work.lengths[r])
    return worst


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
        for r in range(work.error.shape[0]):
            work.drift[r] = -work.error[r]
        correct(plan, work, q, 1)
        for k in range(v.shape[0]):
            u[k] = 0.0
        for k in range(q.shape[0]):
            start[k] = q[k]
        chart_rate(plan.topology, q, work.zero, work.dx, u)
        moved(plan.topology, start, u, q)
    if not rest < before and before < 1e300:
        for k in range(q.shape[0]):
            q[k] = start[k]
        rest = before
    return rest
