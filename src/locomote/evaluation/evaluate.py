"""Equations of motion of a problem: accelerations, torques of imposed motions and reactions, in one evaluation.

Coordinates of v are free (f: passive, or driven by given torques) or held (h: their motion is imposed).

    M a + bias = force + A^T lam          A a + drift = 0          a_h given

Without constraints this is one O(n) sweep of hybrid dynamics. With them, for the free part, with the orthogonal Q of
`linear.orthogonal`, whose first `rank` columns span the rows A_f:

    a_f = Q (y, z)        y from the rows, z from the dynamics projected on the others:                       (1)
    K = Q^T M_ff Q        K_22 z = g_2 - K_21 y ,   g = Q^T (force - bias)_f                                  (2)
    A_f^T lam = M_ff a_f + (bias - force)_f       of all solutions the one of least norm                      (3)
    tau_h = (M a + bias)_h - force_h - A_h^T lam                                                              (4)

bias is that of the imposed accelerations, and so is the drift. Rows are scaled to a length of about one before their rank is
decided.
Any two lam differ by a self-stress, which moves nothing.

Tested by tests/laws/evaluation/test_equations.py and tests/laws/evaluation/test_spare_rows.py.
"""

from locomote.compiler.callbacks import ADDRESS, call
from locomote.compiler.indirect import call_compiled
from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper, routine
from locomote.constraints.columns import COUNT, FIRST
from locomote.evaluation import plan as fields
from locomote.evaluation.computed_torque import compute_torques, find_targets, serve
from locomote.forces.acting import act
from locomote.forces.kinds import ENERGY
from locomote.forces.terms import ELASTIC
from locomote.kernels.flexible.elastic import elastic_energy, elastic_forces
from locomote.kernels.kinematics import ORIGIN, ROTATION, TWIST
from locomote.linear.cholesky import cholesky, cholesky_solve
from locomote.linear.orthogonal import (
    eliminate,
    reactions,
    solve_rows,
    turn_in,
    turn_matrix,
    turn_out,
)
from locomote.linear.rank import SHORTEST
from locomote.linear.symmetric import factor_real, solve_real
from locomote.spatial.algebra import add, angular, cross, dot, linear, unrotate
from locomote.spatial.rows import load, load6, load9

UNCLEAR = -3_000_000  # result of an elimination in parts where only all rows together show what is independent


@routine
def impose(plan, work, t, q, v, a):
    """Positions, velocities and accelerations of held coordinates at time t."""
    if plan.held.shape[0] == 0:
        return
    numbers = (plan.drive_rows, plan.drive_numbers, plan.functions, t, work.x, work.dx, work.ddx, work.signal)
    call_compiled(plan.calls[fields.SIGNALS], numbers)
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        if plan.imposed[k] == fields.IMPOSED:
            q[plan.q_of_v[k]], v[k], a[k] = work.x[k], work.dx[k], work.ddx[k]
    for n in range(plan.stops.shape[0] if plan.options[fields.LYING] != 0.0 else 0):
        if plan.stop_laws[n, fields.CLOSED] != 0.0:
            k = plan.stops[n]
            q[plan.q_of_v[k]], v[k], a[k] = plan.stop_laws[n, fields.STOP_PLACE], 0.0, 0.0


@helper
def needs_bodies(plan):
    """Whether forces or constraints ask where bodies are."""
    return plan.integers.shape[0] + plan.terms.shape[0] > 0 or plan.functions[fields.ENVIRONMENT, ADDRESS] != 0


@routine
def joint_forces(plan, work, t, q, v):
    """Given torques, of the problem, of controllers and of the caller, within the limits of motors (work.active); springs,
    dampers and friction of joints (work.passive)."""
    nv = v.shape[0]
    for k in range(nv):
        work.active[k] = 0.0
    if plan.torque_rows.shape[0] > 0:
        numbers = (plan.torque_rows, plan.torque_numbers, plan.functions, t, work.active, work.dx, work.ddx, work.signal)
        call_compiled(plan.calls[fields.SIGNALS], numbers)
    for k in range(nv):
        work.active[k] += work.input[k] + work.slope[k] * (t - work.since[fields.SINCE])
    if plan.functions[fields.TORQUES, ADDRESS] != 0:
        call(plan.functions, fields.TORQUES, t, q, v, work.given_torques)
        for k in range(nv):
            if plan.imposed[k] != fields.IMPOSED:  # the drive of an imposed coordinate gives all of its force
                work.active[k] += work.given_torques[k]
    if plan.follow_rows.shape[0] > 0:
        find_targets(plan, work, t)
        serve(plan, work, q, v)
    for k in range(nv):  # clipped to the limits of motors here, so that work.active is what acts
        most, given = plan.effort[k], work.active[k]
        if most < fields.UNLIMITED and plan.imposed[k] != fields.IMPOSED:  # a drive gives what its motion takes
            work.active[k] = select(given > most, most, select(given < -most, -most, given))
    soft, losses = plan.options[fields.FRICTION_SPEED], 0.0
    work.power[fields.SURROUNDINGS] = 0.0
    for k in range(nv):
        loss = -plan.passive[fields.DAMPING, k] * v[k]
        if plan.passive[fields.FRICTION, k] > 0.0:
            loss -= plan.passive[fields.FRICTION, k] * v[k] / sqrt(v[k] * v[k] + soft * soft)
        spring = 0.0
        if plan.passive[fields.STIFFNESS, k] != 0.0:
            spring = -plan.passive[fields.STIFFNESS, k] * (q[plan.q_of_v[k]] - plan.passive[fields.REST, k])
        work.passive[k] = spring + loss
        losses += loss * v[k]
    if plan.rods.shape[0] > 0:
        losses += elastic_forces(plan, q, v, work.passive)
    if plan.actuators.shape[0] > 0:
        call_compiled(plan.calls[fields.ACTUATE], (plan, work, t, q, v))
    work.power[fields.LOSSES] = losses


@routine
def body_forces(plan, work, t, q, v):
    """Wrenches of the environment (work.wrenches): of functions and of terms; poses and twists must be there."""
    count = plan.topology.shape[0]
    for i in range(count):
        for k in range(6):
            work.wrenches[i, k] = 0.0
    if plan.functions[fields.ENVIRONMENT, ADDRESS] != 0:
        call(plan.functions, fields.ENVIRONMENT, t, q, v, work.given_wrenches)
        for i in range(count - 1):
            for k in range(6):
                work.wrenches[i, k] = work.given_wrenches[6 * i + k]
            R, V_i = load9(work.bodies, i, ROTATION), load6(work.bodies, i, TWIST)
            o = load(work.bodies, i, ORIGIN)
            speed = unrotate(R, add(linear(V_i), cross(angular(V_i), o)))
            spin = unrotate(R, angular(V_i))
            f = load6(work.wrenches, i, 0)
            work.power[fields.SURROUNDINGS] += dot(linear(f), speed) + dot(angular(f), spin)
    act(plan, work, t, fields.TERMS)


@routine
def spring_energy(plan, work, q):
    """Energy in the springs of joints and in elastic terms; those must have acted."""
    energy = 0.0
    for k in range(plan.passive.shape[1]):
        if plan.passive[fields.STIFFNESS, k] != 0.0:
            away = q[plan.q_of_v[k]] - plan.passive[fields.REST, k]
            energy += 0.5 * plan.passive[fields.STIFFNESS, k] * away * away
    energy += elastic_energy(plan, q)
    for n in range(plan.terms.shape[0]):
        if plan.terms[n, ELASTIC] != 0:
            energy += work.results[n, ENERGY]
    return energy


@routine
def field_energy(plan, work):
    """Potential energy of the terms that are not elastic; they must have acted."""
    energy = 0.0
    for n in range(plan.terms.shape[0]):
        if plan.terms[n, ELASTIC] == 0:
            energy += work.results[n, ENERGY]
    return energy


@routine
def find_rows(plan, work, t, q, v, a):
    """Place all bodies; rows of all constraints: work.A, .drift, .speed, .error, .lengths."""
    return call_compiled(plan.calls[fields.ROWS], (plan, work, t, q, v, a))


@routine
def choose(plan, work, holonomic):
    """Choose rows to eliminate: all, or only those that hold a position; returns how many (work.chosen)."""
    count = 0
    for r in range(plan.holonomic.shape[0]):
        if plan.holonomic[r] != 0 or not holonomic:
            work.chosen[count] = r
            count += 1
    return count


@routine
def measure_rows(plan, work):
    """Lengths by which rows are scaled (work.lengths): of the rows of one elementary constraint the longest, so that a row
    that vanishes beside its fellows counts as dependent. Rows that are mere rounding do too: none is taken as shorter than
    SHORTEST of the longest that any row could be (work.possible), whatever cancels in it."""
    most = 0.0
    for c in range(plan.integers.shape[0]):
        first, last, longest = plan.integers[c, FIRST], plan.integers[c, FIRST] + plan.integers[c, COUNT], 0.0
        for r in range(first, last):
            square = 0.0
            for n in range(plan.touched_first[r], plan.touched_first[r + 1]):
                k = plan.touched[n]
                square += work.A[r, k] * work.A[r, k]
            longest = max(longest, square)
            most = max(most, work.possible[r])
        most = max(most, sqrt(longest))
        for r in range(first, last):
            work.lengths[r] = sqrt(longest)
    for r in range(work.lengths.shape[0]):
        work.lengths[r] = max(work.lengths[r], SHORTEST * most) if most > 0.0 else 1.0


@routine
def eliminate_rows(plan, work, count, tolerance):
    """Eliminate the free part of the chosen rows, scaled by their lengths; returns the rank."""
    free = plan.free.shape[0]
    for j in range(count):
        r = work.chosen[j]
        work.scales[j] = work.lengths[r]
        for n in range(free):
            work.rows[j, n] = work.A[r, plan.free[n]] / work.scales[j]
    return eliminate(work.rows, count, free, tolerance, True, work.lower, work.reflections, work.order)


@routine
def meet(plan, work, rank, target, x):
    """The least x over free coordinates with A_f x = target on the independent ones of the chosen rows."""
    free = plan.free.shape[0]
    for j in range(free):
        x[j] = 0.0
    for j in range(rank):
        p = work.order[j]
        x[j] = target[work.chosen[p]] / work.scales[p]
    solve_rows(work.lower, rank, x)
    turn_out(work.reflections, rank, free, x)


@routine
def row_times(plan, work, r, x):
    """Row r times x (nv)."""
    value = 0.0
    for n in range(plan.touched_first[r], plan.touched_first[r + 1]):
        k = plan.touched[n]
        value += work.A[r, k] * x[k]
    return value


@routine
def solve_free(plan, work, rank, a):
    """(1) and (2) for the force work.z on free coordinates, with the rows eliminated to `rank`: fill a where free.

    Leaves in work.e what the rows carry. False if the reduced mass matrix is not positive.
    """
    free = plan.free.shape[0]
    for n in range(free):
        k = plan.free[n]
        for m in range(free):
            work.K[n, m] = work.M[k, plan.free[m]]
    for j in range(rank):
        p = work.order[j]
        work.y[j] = -work.drift[work.chosen[p]] / work.scales[p]
    solve_rows(work.lower, rank, work.y)
    turn_in(work.reflections, rank, free, work.z)
    turn_matrix(work.reflections, rank, free, work.K, work.e)
    for n in range(free):
        value = -work.z[n]
        for m in range(rank):
            value += work.K[n, m] * work.y[m]
        work.e[n] = value
    for n in range(rank, free):
        work.y[n] = -work.e[n]
    for n in range(rank):  # keep K_12, which the factor does not touch
        for m in range(rank, free):
            work.K[n, m] = work.K[m, n]
    good = cholesky(work.K, rank, free, 0.0)
    cholesky_solve(work.K, rank, free, work.y)  # (2)
    for n in range(rank):
        for m in range(rank, free):
            work.e[n] += work.K[n, m] * work.y[m]
    turn_out(work.reflections, rank, free, work.y)
    for n in range(free):
        a[plan.free[n]] = work.y[n]  # (1)
    return good


@routine
def constrained(plan, work, t, q, v, a, lam):
    """(1) to (4); work.active, .passive, .wrenches and rows must be there, a is zero where free.

    Returns rank, or -1 - rank if the reduced mass matrix is not positive.
    """
    free, held = plan.free.shape[0], plan.held.shape[0]
    if plan.options[fields.LOCAL] != 0.0:
        rank = call_compiled(plan.calls[fields.LOCAL_MOTION], (plan, work, t, q, v, a, lam))
        if rank != UNCLEAR:
            return rank
    count = choose(plan, work, False)
    rank = eliminate_rows(plan, work, count, plan.options[fields.RANK_TOLERANCE])
    call_compiled(plan.calls[fields.INVERSE], (plan, work, q, v, a))
    call_compiled(plan.calls[fields.MASS], (plan, work, q))
    for n in range(free):
        k = plan.free[n]
        work.z[n] = work.active[k] + work.passive[k] - work.bias[k]
    work.result[fields.REMAINDER] = abs(work.lower[rank - 1, rank - 1]) if rank > 0 else 1.0
    good = solve_free(plan, work, rank, a)
    room = work.loads, work.loads_lower, work.loads_reflections, work.loads_order
    reactions(work.lower, work.scales, work.order, work.chosen, rank, count, room, work.e, work.z, lam)  # (3)
    for n in range(held):
        k = plan.held[n]
        value = work.bias[k] - work.passive[k] - work.active[k]
        for m in range(free):
            value += work.M[k, plan.free[m]] * a[plan.free[m]]
        for r in range(lam.shape[0]):
            value -= work.A[r, k] * lam[r]
        work.tau[k] = value  # (4)
    return rank if good else -1 - rank


@routine
def unconstrained(plan, work, q, v, a):
    """Hybrid dynamics; fills a where free and work.tau where held."""
    if plan.options[fields.DENSE] != 0.0:
        return dense(plan, work, q, v, a)
    for k in range(v.shape[0]):
        work.tau[k] = work.active[k] + work.passive[k]
    if plan.rods.shape[0] > 0:
        call_compiled(plan.calls[fields.SOFT_HYBRID], (plan, work, q, v, a))
    else:
        call_compiled(
            plan.calls[fields.HYBRID], (plan.topology, plan.constants, q, v, plan.imposed, work.wrenches, work.tau, a)
        )
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        work.tau[k] -= work.active[k] + work.passive[k]
    return True


@routine
def dense(plan, work, q, v, a):
    """The same from the mass matrix, which stays in work.M; coordinates are taken last first (`symmetric`)."""
    free = plan.free.shape[0]
    for n in range(free):
        a[plan.free[n]] = 0.0
    call_compiled(plan.calls[fields.INVERSE], (plan, work, q, v, a))
    call_compiled(plan.calls[fields.MASS], (plan, work, q))
    for n in range(free):
        k = plan.free[free - 1 - n]
        work.z[n] = work.active[k] + work.passive[k] - work.bias[k]
        for m in range(free):
            work.K[n, m] = work.M[k, plan.free[free - 1 - m]]
    good = factor_real(work.K, 0, free)
    solve_real(work.K, 0, free, work.z)
    for n in range(free):
        a[plan.free[free - 1 - n]] = work.z[n]
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        work.tau[k] = work.bias[k] - work.passive[k] - work.active[k]
        for m in range(free):
            work.tau[k] += work.M[k, plan.free[m]] * a[plan.free[m]]
    return good


@routine
def fill_power(plan, work, v, lam):
    """Power of drives, of given torques and of moving constraints, and the speed of the base, into work.power."""
    work.power[fields.DRIVES] = work.power[fields.DRIVEN] = work.power[fields.MOVING] = 0.0
    for n in range(plan.held.shape[0]):
        work.power[fields.DRIVES] += work.tau[plan.held[n]] * v[plan.held[n]]
    for k in range(v.shape[0]):
        work.power[fields.DRIVEN] += work.active[k] * v[k]
    for r in range(lam.shape[0]):
        work.power[fields.MOVING] -= lam[r] * work.speed[r]
    square = 0.0
    for n in range(plan.base.shape[0]):
        square += v[plan.base[n]] * v[plan.base[n]]
    work.power[fields.PATH] = sqrt(square)


@routine
def evaluate(plan, work, t, q, v, a, lam):
    """Accelerations a and reactions lam at (t, q, v), whose held coordinates are set from the drives.

    Afterwards: work.tau the torques of drives (held) , work.active those given (free), work.power by source, and with
    constraints work.A, .drift, .speed, .error. Returns the rank of the constraints, negative if there is no answer.
    """
    impose(plan, work, t, q, v, a)
    if plan.fed.shape[0] > 0:
        call_compiled(plan.calls[fields.COPY], (plan, work, t, q, v))
    joint_forces(plan, work, t, q, v)
    if needs_bodies(plan):
        for n in range(plan.free.shape[0]):
            a[plan.free[n]] = 0.0
        find_rows(plan, work, t, q, v, a)
        body_forces(plan, work, t, q, v)
    rank, work.result[fields.REMAINDER] = 0, 1.0
    if lam.shape[0] > 0:
        rank = constrained(plan, work, t, q, v, a, lam)
    elif plan.options[fields.COMPUTES] != 0.0:
        compute_torques(plan, work, q, v, a)
    elif not unconstrained(plan, work, q, v, a):
        rank = -1
    fill_power(plan, work, v, lam)
    return rank
