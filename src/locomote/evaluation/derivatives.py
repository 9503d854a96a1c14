"""Exact derivatives of an evaluation, by dual numbers and the rule of implicit functions.

The accelerations a, the forces tau_h of drives and the reactions lam of `equations` solve

    r(p, a, tau_h, lam) = M a + bias - force - tau_h - A^T lam = 0          c(p, a) = A a + drift = 0

for whatever p they depend on: configuration (along the tangent), velocity, time, further forces. So

    M a' - tau_h' - A^T lam' = -r_p ,       A a' = -c_p                                                              (1)

where r_p and c_p, at fixed a and lam, come of one pass of inverse dynamics, constraint rows and forces on dual numbers, WIDTH
directions at a time, and (1) is solved with the factors that the evaluation left behind. Neither the mass matrix nor its
factors are ever differentiated.

Where rows depend on each other, lam is the least of all possible. With N the self-stresses, N^T lam = 0, and w = A_f^+ lam,

    N^T lam' = N^T A' w                                                                                              (2)

Ranks are taken as they are: directions that would change one are followed as if they did not.
"""

from locomote.compiler.duals.arrays import slopes_of
from locomote.compiler.duals.directions import along
from locomote.compiler.duals.numbers import slope_of, value_of, with_slope
from locomote.compiler.indirect import call_compiled
from locomote.compiler.lanes import WIDTH, extract
from locomote.compiler.records import Floats, Record
from locomote.compiler.source import helper, kernel, routine
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.evaluate import body_forces, find_rows, joint_forces, meet, needs_bodies
from locomote.evaluation.plan import EVALUATE, IMPOSED, INVERSE, MASS, SIGNALS
from locomote.linear.cholesky import cholesky, cholesky_solve
from locomote.linear.orthogonal import solve_columns, solve_rows, turn_in, turn_out
from locomote.model.moves import integrated


class Seeds(Record):
    """Where a pass starts, and what it gives, as dual numbers: u along which q departs, q, v, a; rates of u, accelerations,
    torques of drives and reactions, error of rows as velocities (row); y, z, e : scratch ; w : (nv,) floats, see (2)."""

    u: Floats
    q: Floats
    v: Floats
    a: Floats
    rate: Floats
    load: Floats
    acceleration: Floats
    torque: Floats
    reaction: Floats
    row: Floats
    y: Floats
    z: Floats
    e: Floats
    w: Floats


@routine
def seed(seeds, t, v, a, first):
    """Let u, v and time be the directions first, first + 1, ... : u is nv directions, v the next, then comes time.

    Gives time as a dual number. What is imposed follows it; departures of it stay.
    """
    nv = v.shape[0]
    now = with_slope(t, along(2 * nv - first))
    for k in range(nv):
        seeds.u[k] = with_slope(0.0, along(k - first))
        seeds.v[k] = with_slope(v[k], along(nv + k - first))
        seeds.a[k] = a[k]
    return now


@routine
def follow_drives(plan, dual_plan, duals, seeds, now):
    """Let held coordinates of q, v and a change with time as their drives do."""
    if plan.held.shape[0] > 0:
        numbers = (plan.drive_rows, plan.drive_numbers, plan.functions, now, duals.x, duals.dx, duals.ddx, duals.signal)
        call_compiled(dual_plan.calls[SIGNALS], numbers)
        for n in range(plan.held.shape[0]):
            k = plan.held[n]
            if plan.imposed[k] != IMPOSED:
                continue
            j = plan.q_of_v[k]
            seeds.q[j] = with_slope(value_of(seeds.q[j]), slope_of(seeds.q[j]) + slope_of(duals.x[k]))
            seeds.v[k] = with_slope(value_of(seeds.v[k]), slope_of(seeds.v[k]) + slope_of(duals.dx[k]))
            seeds.a[k] = with_slope(value_of(seeds.a[k]), slope_of(seeds.a[k]) + slope_of(duals.ddx[k]))


@routine
def leave(dual_plan, duals, seeds, now, lam):
    """-r_p into the derivatives of seeds.load, c_p into those of duals.drift, those of A v + speed into seeds.row."""
    q, v, a = seeds.q, seeds.v, seeds.a
    nv, rows = v.shape[0], lam.shape[0]
    joint_forces(dual_plan, duals, now, q, v)
    if needs_bodies(dual_plan):
        find_rows(dual_plan, duals, now, q, v, a)
        body_forces(dual_plan, duals, now, q, v)
    call_compiled(dual_plan.calls[INVERSE], (dual_plan, duals, q, v, a))
    for k in range(nv):
        slope = slope_of(duals.active[k] + duals.passive[k] - duals.bias[k])
        for r in range(rows):
            slope = slope + lam[r] * slope_of(duals.A[r, k])
        seeds.load[k] = with_slope(0.0, slope)
    for r in range(rows):
        value = slope_of(duals.speed[r])
        for k in range(nv):
            value = value + slope_of(duals.A[r, k] * v[k])
        seeds.row[r] = with_slope(0.0, value)


@routine
def push(seeds, duals, rows, first):
    """Let further forces be the directions: nothing else changes."""
    for k in range(seeds.load.shape[0]):
        seeds.load[k] = with_slope(0.0, along(k - first))
        for r in range(rows):
            duals.A[r, k] = value_of(duals.A[r, k])
    for r in range(rows):
        duals.drift[r], seeds.row[r] = 0.0, 0.0


@routine
def settle(plan, work, duals, seeds, rank, count, rows):
    """Solve (1) over lanes: derivatives of seeds.acceleration, .torque and .reaction."""
    accelerate(plan, work, duals, seeds, rank)
    share(plan, work, duals, seeds, rank, count, rows)
    drive(plan, work, duals, seeds, rows)


@routine
def accelerate(plan, work, duals, seeds, rank):
    """Derivatives of accelerations, and in seeds.e of the load on the rows."""
    free = plan.free.shape[0]
    y, z, e = slopes_of(seeds.y), slopes_of(seeds.z), slopes_of(seeds.e)
    load, drift = slopes_of(seeds.load), slopes_of(duals.drift)
    for j in range(rank):
        p = work.order[j]
        y[j] = -drift[work.chosen[p]] / work.scales[p]
    for n in range(free):
        z[n] = load[plan.free[n]]
    solve_rows(work.lower, rank, y)
    turn_in(work.reflections, rank, free, z)
    for n in range(free):
        value = -z[n]
        for m in range(rank):
            value = value + work.K[n, m] * y[m]
        e[n] = value
    for n in range(rank, free):
        y[n] = -e[n]
    cholesky_solve(work.K, rank, free, y)
    for n in range(rank):
        for m in range(rank, free):
            e[n] = e[n] + work.K[n, m] * y[m]
    turn_out(work.reflections, rank, free, y)
    acceleration = slopes_of(seeds.acceleration)
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        acceleration[k] = slope_of(seeds.a[k])
    for n in range(free):
        acceleration[plan.free[n]] = y[n]


@routine
def share(plan, work, duals, seeds, rank, count, rows):
    """Derivatives of reactions, from the load e that the rows carry; where rows are dependent, by (2)."""
    z, y, e, reaction = slopes_of(seeds.z), slopes_of(seeds.y), slopes_of(seeds.e), slopes_of(seeds.reaction)
    for r in range(rows):
        reaction[r] = 0.0 * slope_of(1.0)
    for j in range(rank):
        z[j] = e[j]
    if rank == count:
        solve_columns(work.lower, rank, z)
        for j in range(count):
            p = work.order[j]
            reaction[work.chosen[p]] = z[j] / work.scales[p]
        return
    for j in range(count):
        r = work.chosen[work.order[j]]
        value = 0.0 * slope_of(1.0)
        for n in range(plan.free.shape[0]):
            value = value + seeds.w[n] * slope_of(duals.A[r, plan.free[n]])
        y[j] = value
    turn_in(work.loads_reflections, rank, count, y)
    solve_rows(work.loads_lower, rank, z)
    for j in range(rank, count):
        z[j] = y[j]  # (2)
    turn_out(work.loads_reflections, rank, count, z)
    for j in range(count):
        reaction[work.chosen[work.order[j]]] = z[j]


@routine
def drive(plan, work, duals, seeds, rows):
    """Derivatives of the torques of drives, where motion is imposed, and of given torques elsewhere."""
    torque, acceleration = slopes_of(seeds.torque), slopes_of(seeds.acceleration)
    load, reaction, active = slopes_of(seeds.load), slopes_of(seeds.reaction), slopes_of(duals.active)
    for n in range(plan.free.shape[0]):
        torque[plan.free[n]] = active[plan.free[n]]
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        value = -load[k]
        for m in range(plan.free.shape[0]):
            value = value + work.M[k, plan.free[m]] * acceleration[plan.free[m]]
        for r in range(rows):
            value = value - work.A[r, k] * reaction[r]
        torque[k] = value


@helper
def put_lanes(slope, out, row, column):
    """Derivatives into the columns of a row, as far as there are any."""
    for d in range(min(WIDTH, out.shape[1] - column)):
        out[row, column + d] = extract(slope, d)


@routine
def put_all(seeds, nv, rows, out, column):
    """All results of a pass."""
    for k in range(nv):
        put_lanes(slopes_of(seeds.acceleration)[k], out, k, column)
        put_lanes(slopes_of(seeds.torque)[k], out, nv + k, column)
    for r in range(rows):
        put_lanes(slopes_of(seeds.reaction)[r], out, 2 * nv + r, column)
        put_lanes(slopes_of(seeds.row)[r], out, 2 * nv + rows + r, column)


@routine
def factored(plan, work, q, rows):
    """What (1) needs of a plan without constraints: the mass matrix and its factor. Whether it is positive."""
    free, good = plan.free.shape[0], True
    if rows == 0:
        call_compiled(plan.calls[MASS], (plan, work, q))
        for n in range(free):
            for m in range(free):
                work.K[n, m] = work.M[plan.free[n], plan.free[m]]
        good = cholesky(work.K, 0, free, 0.0)
    return good


@kernel
def slopes_one(plan, work, dual_plan, duals, seeds, t, q, v, a, lam, out, pushes):
    """Evaluate at (t, q, v), and fill `out` (2 nv + 2 rows, 2 nv + 1) with derivatives of accelerations, torques, reactions and
    A v + b along configuration, velocity and time; `pushes` (the same, nv) with those along further forces.

    Returns the rank, negative if there is no answer.
    """
    nv, rows = v.shape[0], lam.shape[0]
    rank = call_compiled(plan.calls[EVALUATE], (plan, work, t, q, v, a, lam))
    if rank < 0 or not factored(plan, work, q, rows):
        return min(rank, -1)
    if rank < rows:
        meet(plan, work, rank, lam, seeds.w)  # all rows are chosen
    for first in range(0, 2 * nv + 1, WIDTH):
        now = seed(seeds, t, v, a, first)
        integrated(plan.topology, q, seeds.u, seeds.q)
        follow_drives(plan, dual_plan, duals, seeds, now)
        leave(dual_plan, duals, seeds, now, lam)
        settle(plan, work, duals, seeds, rank, rows, rows)
        put_all(seeds, nv, rows, out, first)
    for k in range(nv):
        seeds.a[k], duals.active[k] = a[k], 0.0
    for first in range(0, nv, WIDTH):
        push(seeds, duals, rows, first)
        settle(plan, work, duals, seeds, rank, rows, rows)
        put_all(seeds, nv, rows, pushes, first)
    return rank


@routine
def chart_slopes(plan, work, dual_plan, duals, seeds, start, u, t, q, v, a, lam, rank, out, row):
    """Derivatives of the rates of y = (u, v) by y, into rows of `out` from `row` on, at the state (t, q, v) just evaluated; its
    accelerations are a, and its configuration q is u away from `start`."""
    nv = v.shape[0]
    for first in range(0, 2 * nv, WIDTH):
        seed(seeds, t, v, a, first)
        for k in range(nv):
            seeds.u[k] = with_slope(u[k], along(k - first))
        for n in range(plan.held.shape[0]):  # what is imposed is so whatever y says
            k = plan.held[n]
            seeds.u[k], seeds.v[k] = 0.0, value_of(seeds.v[k])
        moved(plan.topology, start, seeds.u, seeds.q)
        for n in range(plan.held.shape[0]):
            seeds.q[plan.q_of_v[plan.held[n]]] = q[plan.q_of_v[plan.held[n]]]
        leave(dual_plan, duals, seeds, with_slope(t, along(-1)), lam)
        accelerate(plan, work, duals, seeds, rank)
        chart_rate(plan.topology, seeds.q, seeds.u, seeds.v, seeds.rate)
        for n in range(plan.held.shape[0]):
            seeds.rate[plan.held[n]] = 0.0
        for k in range(nv):
            put_lanes(slopes_of(seeds.rate)[k], out, row + k, first)
            put_lanes(slopes_of(seeds.acceleration)[k], out, row + nv + k, first)


@kernel
def chart_slopes_one(plan, work, dual_plan, duals, seeds, state, t):
    """The same at the start of a step, into state.jacobian.

    Returns the rank there, negative if there is no answer.
    """
    q, v, rows = state.q_try, state.v_try, state.lam.shape[0]
    for k in range(q.shape[0]):
        q[k] = state.q[k]
    for k in range(v.shape[0]):
        v[k], state.y_try[k] = state.v[k], 0.0
    rank = call_compiled(plan.calls[EVALUATE], (plan, work, t, q, v, state.a, state.lam))
    if rank < 0 or not factored(plan, work, q, rows):
        return min(rank, -1)
    parts = (plan, work, dual_plan, duals, seeds)
    chart_slopes(*parts, state.q, state.y_try, t, q, v, state.a, state.lam, rank, state.jacobian, 0)
    return rank
