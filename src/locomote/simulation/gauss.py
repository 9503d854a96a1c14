"""Gauss collocation with two stages, of order 4, for bodies that are stiff and hardly damped, such as rods.

    v_i = v + h sum of A_ij a_j ,   u_i = h sum of A_ij u'_j ,   residual R_i = M a + bias - forces at stage i              (1)
    with A = P diag(lam) P^-1, one of the two conjugate lam:
    (M + h lam D + h^2 lam^2 K) y = -(P^-1 R)_lam ,   a += 2 Re(P y)                                                        (2)

K and D are those of flexible bodies and of springs and dampers of joints, which are constant; what else depends on the state
is taken as slow. So one complex factor (symmetric, without pivots) serves a step. Iterations start from the straight line
through the stages of the step before. When they do not converge, the residual is taken of accelerations (`residual`), that is
M times their distance from what forces give; when that does not help, the step is made shorter.

Where constraints hold, it is taken of accelerations always, those that meet them at the stage. In the turned basis of
`equations` at the start of the step, (y, z) with z the free directions, S = h lam D + h^2 lam^2 K and e the distance:

    y = -e_y ,   (M_zz + S_zz) z = -M_zz e_z - S_zy y                                                                       (3)

The error is estimated from a at the start, which the stages do not use: its distance e from their straight line, seen
through (2) so that fast, stiff parts do not count, in the norm of the mass matrix, so that what moves little mass counts
little. e h grows as h^3 and the error itself as h^5: for a swing of frequency w they are (w h)^3 / 12 and (w h)^5 / 4320 of
its speed, which turns one into the other.                                                                                  (4)
"""

from math import sqrt

import numpy as np

from locomote.constraints.elimination import turn_in, turn_matrix, turn_out
from locomote.engine.islands import call_compiled
from locomote.engine.source import helper, kernel, routine
from locomote.kernels.flexible.columns import FIRST_V, MATRIX, SIZE
from locomote.simulation.chart import chart_rate, moved
from locomote.simulation.equations import body_forces, find_rows, impose, joint_forces, needs_bodies, spring_energy
from locomote.simulation.plan import DAMPING, DRIVEN, DRIVES, EVALUATE, INVERSE, MOVING, PATH, REMAINDER, STIFFNESS
from locomote.simulation.state import ATOL, EVALUATIONS, NEAREST, RANK, RTOL, TYPICAL
from locomote.simulation.state import SIZE as ERROR_SIZE
from locomote.simulation.stepping import FAILED, finite
from locomote.simulation.symmetric import factor_complex, solve_complex

A11, A12, A21 = 0.25, 0.25 - sqrt(3.0) / 6.0, 0.25 + sqrt(3.0) / 6.0
C1, C2 = 0.5 - sqrt(3.0) / 6.0, 0.5 + sqrt(3.0) / 6.0
LAM = sqrt(3.0) / 12.0  # imaginary part of lam; the real one is 1/4
BETA = LAM / A12  # imaginary part of the second entry of an eigenvector
ROUNDS = 16
AGAIN = 20  # steps after which the residual of forces is tried again
SOLVED = 1e-3  # of the tolerance, at which an iteration ends
SLOWEST = 0.9  # factor of an iteration that is hoped to converge
# entries of `pace`: length of the step that `stages` are of; steps since forces did not converge; factor of iterations
LENGTH, MODE, FACTOR = range(3)


@helper
def slot(plan, rank, n):
    """Coordinate of v of row n: last first, so that branches of a tree do not fill each other, unless the basis is turned."""
    return plan.free[n] if rank > 0 else plan.free[plan.free.shape[0] - 1 - n]


@routine
def stiff_matrix(plan, work, state, h, rank):
    """The matrix of (2) over free coordinates, factored: real part in state.jacobian, imaginary one in state.factors. With
    constraints, (3): turned, as M is in state.turned."""
    free, real, imaginary = plan.free.shape[0], state.jacobian, state.factors
    a, b, c, d = 0.25 * h, LAM * h, (0.0625 - LAM * LAM) * h * h, 0.5 * LAM * h * h  # h lam, h^2 lam^2
    for k in range(plan.imposed.shape[0]):
        work.chosen_free[k] = -1
    for n in range(free):
        k = slot(plan, rank, n)
        work.chosen_free[k] = n
        for m in range(free):
            real[n, m], imaginary[n, m] = state.start_mass[k, slot(plan, rank, m)], 0.0
            if rank > 0:
                state.turned[n, m] = real[n, m]
        damping, stiffness = plan.passive[DAMPING, k], plan.passive[STIFFNESS, k]
        real[n, n] += a * damping + c * stiffness
        imaginary[n, n] += b * damping + d * stiffness
    for r in range(plan.rods.shape[0]):
        size, first, at = plan.rods[r, SIZE], plan.rods[r, FIRST_V], plan.rods[r, MATRIX]
        for i in range(size):
            n = work.chosen_free[first + i]
            if n >= 0:
                for j in range(size):
                    m = work.chosen_free[first + j]
                    if m >= 0:
                        damping, stiffness = plan.viscous[at + i * size + j], plan.elastic[at + i * size + j]
                        real[n, m] += a * damping + c * stiffness
                        imaginary[n, m] += b * damping + d * stiffness
    if rank > 0:
        turn_matrix(state.reflections, rank, free, real, work.gauss_x)
        turn_matrix(state.reflections, rank, free, imaginary, work.gauss_x)
        turn_matrix(state.reflections, rank, free, state.turned, work.gauss_x)
    factor_complex(real, imaginary, rank, free)


@routine
def times_mass(plan, state, rank, x):
    """x <- M x over free coordinates, of the block of free directions where constraints hold; start_mass is M."""
    free = plan.free.shape[0]
    for n in range(rank, free):
        value = 0.0
        for m in range(rank, free):
            mass = state.turned[n, m] if rank > 0 else state.start_mass[slot(plan, 0, n), slot(plan, 0, m)]
            value += mass * x[m]
        state.scratch_v[n] = value
    for n in range(rank, free):
        x[n] = state.scratch_v[n]


@routine
def correct(plan, work, state, rank, of_forces):
    """Turn gauss_x + i gauss_y, which hold -(P^-1 R)_lam or the same of accelerations, into y of (2) or (3)."""
    free, x, y = plan.free.shape[0], work.gauss_x, work.gauss_y
    if not of_forces:
        if rank > 0:
            turn_in(state.reflections, rank, free, x)
            turn_in(state.reflections, rank, free, y)
        times_mass(plan, state, rank, x)
        times_mass(plan, state, rank, y)
        for k in range(rank):
            for n in range(rank, free):
                s, i = state.jacobian[k, n] - state.turned[k, n], state.factors[k, n]
                x[n] -= s * x[k] - i * y[k]
                y[n] -= s * y[k] + i * x[k]
    solve_complex(state.jacobian, state.factors, rank, free, x, y)
    if rank > 0:
        turn_out(state.reflections, rank, free, x)
        turn_out(state.reflections, rank, free, y)


@routine
def force_left(plan, work, state, t):
    """Forces at the state q_try, v_try with accelerations a: work.bias, .active, .passive; the power of all sources."""
    impose(plan, work, t, state.q_try, state.v_try, state.a)
    joint_forces(plan, work, t, state.q_try, state.v_try)
    if needs_bodies(plan):
        find_rows(plan, work, t, state.q_try, state.v_try, state.a)
        body_forces(plan, work, t, state.q_try, state.v_try)
    call_compiled(plan.calls[INVERSE], (plan, work, state.q_try, state.v_try, state.a))
    state.counts[EVALUATIONS] += 1
    square = 0.0
    work.power[DRIVES] = work.power[DRIVEN] = work.power[MOVING] = 0.0
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        work.power[DRIVES] += (work.bias[k] - work.passive[k] - work.active[k]) * state.v_try[k]
    for k in range(state.v.shape[0]):
        work.power[DRIVEN] += work.active[k] * state.v_try[k]
    for n in range(plan.base.shape[0]):
        square += state.v_try[plan.base[n]] ** 2
    work.power[PATH] = sqrt(square)


@routine
def stage(plan, state, h, i):
    """Fill y_try, v_try, a and q_try with stage i."""
    nv = state.v.shape[0]
    first, second = (A11, A12) if i == 0 else (A21, A11)
    for k in range(nv):
        state.y_try[k] = h * (first * state.k[1, k] + second * state.k[2, k])
        state.v_try[k] = state.v[k] + h * (first * state.k[1, nv + k] + second * state.k[2, nv + k])
        state.a[k] = state.k[i + 1, nv + k]
    moved(plan.topology, state.q, state.y_try, state.q_try)


@routine
def chart_rates(plan, work, state, i):
    """The rates of chart coordinates of stage i into k[i + 1]; drives are exact, and so have none."""
    nv = state.v.shape[0]
    chart_rate(plan.topology, state.q_try, state.y_try, state.v_try, work.dx)
    for k in range(nv):
        state.k[i + 1, k] = work.dx[k]
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        state.k[i + 1, k] = state.k[i + 1, nv + k] = 0.0


@routine
def residual(plan, work, state, t, h, i, of_forces):
    """R of (1) at stage i into work.left, and the rates of all of y but accelerations into k[i + 1]; returns the rank.

    Unless it is of forces, the distance of a from what forces and constraints give there: where directions that move hardly any
    mass change from place to place, a matrix of the start says nothing of forces elsewhere, but much of accelerations.
    """
    nv, rank = state.v.shape[0], 0
    stage(plan, state, h, i)
    t = t + (C1 if i == 0 else C2) * h
    if of_forces:
        force_left(plan, work, state, t)
        for k in range(nv):
            work.left[k] = work.bias[k] - work.active[k] - work.passive[k]
    else:
        for k in range(nv):
            work.guess[k] = state.a[k]
        rank = call_compiled(plan.calls[EVALUATE], (plan, work, t, state.q_try, state.v_try, state.a, state.lam))
        state.counts[EVALUATIONS] += 1
        for k in range(nv):
            work.left[k] = work.guess[k] - state.a[k]
        remainder = work.result[REMAINDER]
        state.clock[TYPICAL] = max(state.clock[TYPICAL], remainder)
        state.clock[NEAREST] = min(state.clock[NEAREST], remainder / max(state.clock[TYPICAL], 1e-300))
    chart_rates(plan, work, state, i)
    for k in range(work.power.shape[0]):
        state.k[i + 1, 2 * nv + k] = work.power[k]
    return rank


@routine
def speed_of(plan, work, state, h):
    """What velocities are measured by, in the norm of the mass matrix: v, what the step adds, and what elasticity would."""
    nv, total = state.v.shape[0], 0.0
    for i in range(nv):
        for j in range(nv):
            gain = state.k[0, nv + i] * state.k[0, nv + j] * h * h
            total += state.start_mass[i, j] * (state.v[i] * state.v[j] + 0.01 * gain)
    return sqrt(max(total + 2.0 * spring_energy(plan, work, state.q), 0.0))


@routine
def first_guess(plan, state, h):
    """Stages from the straight line through those of the step before; from the start where there is none."""
    nv, before = state.v.shape[0], state.pace[LENGTH]
    for n in range(state.y.shape[0]):
        state.k[1, n] = state.k[2, n] = state.k[0, n]
    if before > 0.0 and h < 4.0 * before:
        for i in range(2):
            s = 1.0 + (C1 if i == 0 else C2) * h / before  # in steps since the start of the one before
            for n in range(plan.free.shape[0]):
                k = plan.free[n]
                slope = (state.stages[1, k] - state.stages[0, k]) / (C2 - C1)
                state.k[i + 1, nv + k] = state.stages[0, k] + (s - C1) * slope


@routine
def settle_velocities(plan, state, h):
    """Rates of coordinates that are plain numbers, at both stages: their velocities."""
    nv = state.v.shape[0]
    for k in range(nv):
        a1, a2 = state.k[1, nv + k], state.k[2, nv + k]
        if plan.q_of_v[k] >= 0 and plan.imposed[k] == 0:
            state.k[1, k] = state.v[k] + h * (A11 * a1 + A12 * a2)
            state.k[2, k] = state.v[k] + h * (A21 * a1 + A11 * a2)


@routine
def iterate(plan, work, state, t, h, allowed, rank, of_forces):
    """Stages by (2) or (3) from a first guess; the lowest rank met, FAILED if they do not converge."""
    nv, free, lowest = state.v.shape[0], plan.free.shape[0], rank
    first_guess(plan, state, h)
    before, done, pace = 1e300, False, state.pace[FACTOR]
    for _ in range(ROUNDS):
        settle_velocities(plan, state, h)
        lowest = min(lowest, residual(plan, work, state, t, h, 0, of_forces))
        for n in range(free):
            work.gauss_x[n] = -0.5 * work.left[slot(plan, rank, n)]
        lowest = min(lowest, residual(plan, work, state, t, h, 1, of_forces))
        for n in range(free):
            work.gauss_y[n] = (0.5 / BETA) * work.left[slot(plan, rank, n)]
        correct(plan, work, state, rank, of_forces)
        total = 0.0
        for n in range(free):
            k = slot(plan, rank, n)
            one, two = 2.0 * work.gauss_x[n], -2.0 * BETA * work.gauss_y[n]
            state.k[1, nv + k] += one
            state.k[2, nv + k] += two
            total += state.start_mass[k, k] * (one * one + two * two)
        total = h * sqrt(total) / allowed
        if not total < 1e300 or total > 3.0 * before:
            break
        if before < 1e300:
            pace = min(max(total / before, 1e-3), SLOWEST)
        done = total * pace / (1.0 - pace) < SOLVED or (total < 1.0 and total > 0.5 * before)
        before = total
        if done:
            break
    if not done:
        return FAILED
    state.pace[FACTOR] = max(pace, 0.5 * state.pace[FACTOR])
    settle_velocities(plan, state, h)
    for i in range(2):
        stage(plan, state, h, i)
        impose(plan, work, t + (C1 if i == 0 else C2) * h, state.q_try, state.v_try, state.a)
        chart_rates(plan, work, state, i)
    return lowest


@routine
def estimate(plan, work, state, h, allowed, rank):
    """(4)."""
    nv, free, relative, total = state.v.shape[0], plan.free.shape[0], state.settings[RTOL], 0.0
    for n in range(free):
        k = nv + slot(plan, rank, n)
        work.gauss_x[n] = state.k[0, k] - (C2 * state.k[1, k] - C1 * state.k[2, k]) / (C2 - C1)
        work.gauss_y[n] = 0.0
    if rank > 0:
        turn_in(state.reflections, rank, free, work.gauss_x)
    times_mass(plan, state, rank, work.gauss_x)
    solve_complex(state.jacobian, state.factors, rank, free, work.gauss_x, work.gauss_y)
    for n in range(rank, free):
        for m in range(rank, free):
            mass = state.turned[n, m] if rank > 0 else state.start_mass[slot(plan, 0, n), slot(plan, 0, m)]
            total += mass * (work.gauss_x[n] * work.gauss_x[m] + work.gauss_y[n] * work.gauss_y[m])
    return (12.0 * relative * h * sqrt(max(total, 0.0)) / allowed) ** (5.0 / 3.0) / (4320.0 * relative)


@kernel
def gauss_attempt(plan, work, state, t, h):
    """A step of (1) by (2) or (3) from what `begin` kept of the start: fill y_end, and the size of its error; returns the
    lowest rank met."""
    rank, lowest = max(state.counts[RANK], 0), FAILED
    work.result[REMAINDER] = 1.0
    allowed = state.settings[ATOL] + state.settings[RTOL] * speed_of(plan, work, state, h)
    stiff_matrix(plan, work, state, h, rank)
    if plan.holonomic.shape[0] == 0 and state.pace[MODE] == 0.0:
        lowest = iterate(plan, work, state, t, h, allowed, rank, True)
    if lowest == FAILED:
        state.pace[MODE] = (state.pace[MODE] + 1.0) % AGAIN
        lowest = iterate(plan, work, state, t, h, allowed, rank, False)
    if lowest < 0:
        state.pace[LENGTH] = 0.0  # the next guess is from the start alone
        for n in range(state.y.shape[0]):
            state.y_end[n] = np.nan
        return FAILED
    for n in range(state.y.shape[0]):
        state.y_end[n] = state.y[n] + 0.5 * h * (state.k[1, n] + state.k[2, n])
    size = estimate(plan, work, state, h, allowed, rank)
    state.clock[ERROR_SIZE] = size if finite(state.y_end) else 1e6
    return lowest
