"""Gauss collocation with two stages, of order 4, for bodies that are stiff and hardly damped, such as rods.

    v_i = v + h sum of A_ij a_j ,   u_i = h sum of A_ij u'_j ,   residual R_i = M a + bias - forces at stage i              (1)
    with A = P diag(lam) P^-1, one of the two conjugate lam:
    (M + h lam D + h^2 lam^2 K) y = -(P^-1 R)_lam ,   a += 2 Re(P y)                                                        (2)

K and D are those of flexible bodies and of springs and dampers of joints, which are constant; what else depends on the state
is taken as slow. So one complex factor (symmetric, without pivots) serves a step. When the iteration does not converge, the
residual is taken of accelerations (`residual`); when that does not help, the step is made shorter.

The error is estimated from a at the start, which the stages do not use: its distance e from their straight line, seen
through (2) so that fast, stiff parts do not count, in the norm of the mass matrix, so that what moves little mass counts
little. e h grows as h^3 and the error itself as h^5: for a swing of frequency w they are (w h)^3 / 12 and (w h)^5 / 4320 of
its speed, which turns one into the other.                                                                                  (3)
"""

from math import sqrt

import numpy as np

from locomote.engine.islands import call_compiled
from locomote.engine.source import kernel, routine
from locomote.kernels.flexible.columns import FIRST_V, MATRIX, SIZE
from locomote.simulation.chart import chart_rate, moved
from locomote.simulation.equations import body_forces, find_rows, impose, joint_forces, needs_bodies, spring_energy
from locomote.simulation.plan import DAMPING, DRIVEN, DRIVES, EVALUATE, INVERSE, MASS, MOVING, PATH, REMAINDER, STIFFNESS
from locomote.simulation.state import ATOL, EVALUATIONS, RTOL
from locomote.simulation.state import SIZE as ERROR_SIZE
from locomote.simulation.stepping import FAILED, finite

A11, A12, A21 = 0.25, 0.25 - sqrt(3.0) / 6.0, 0.25 + sqrt(3.0) / 6.0
C1, C2 = 0.5 - sqrt(3.0) / 6.0, 0.5 + sqrt(3.0) / 6.0
LAM = sqrt(3.0) / 12.0  # imaginary part of lam; the real one is 1/4
BETA = LAM / A12  # imaginary part of the second entry of an eigenvector
ROUNDS = 16
AGAIN = 20  # steps after which the residual of forces is tried again
SOLVED = 1e-2  # of the tolerance, at which an iteration ends


@routine
def stiff_matrix(plan, work, state, h):
    """The matrix of (2) over free coordinates, last first, so that branches of a tree do not fill each other: real part in
    state.jacobian, imaginary one in state.factors; M must be there."""
    free, real, imaginary = plan.free.shape[0], state.jacobian, state.factors
    a, b, c, d = 0.25 * h, LAM * h, (0.0625 - LAM * LAM) * h * h, 0.5 * LAM * h * h  # h lam, h^2 lam^2
    for n in range(free):
        k = plan.free[free - 1 - n]
        for m in range(free):
            j = plan.free[free - 1 - m]
            real[n, m], imaginary[n, m] = work.M[k, j], 0.0
        damping, stiffness = plan.passive[DAMPING, k], plan.passive[STIFFNESS, k]
        real[n, n] += a * damping + c * stiffness
        imaginary[n, n] += b * damping + d * stiffness
    for k in range(plan.imposed.shape[0]):
        work.chosen_free[k] = -1
    for n in range(free):
        work.chosen_free[plan.free[free - 1 - n]] = n
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


@routine
def factor(state, count, start):
    """L D L^T of a complex symmetric matrix, in the lower halves of its parts; the diagonals become 1/D.

    `start` receives the first column of each row that is not zero: nothing before it ever is.
    """
    real, imaginary = state.jacobian, state.factors
    for j in range(count):
        start[j] = 0
        while start[j] < j and real[j, start[j]] == 0.0 and imaginary[j, start[j]] == 0.0:
            start[j] += 1
        for k in range(start[j], j):  # L D of row j, once more in the upper half
            x, y = real[j, k], imaginary[j, k]
            for i in range(max(start[j], start[k]), k):
                x -= real[j, i] * real[i, k] - imaginary[j, i] * imaginary[i, k]
                y -= real[j, i] * imaginary[i, k] + imaginary[j, i] * real[i, k]
            real[k, j], imaginary[k, j] = x, y
            real[j, k] = x * real[k, k] - y * imaginary[k, k]
            imaginary[j, k] = x * imaginary[k, k] + y * real[k, k]
        x, y = real[j, j], imaginary[j, j]
        for k in range(start[j], j):
            x -= real[j, k] * real[k, j] - imaginary[j, k] * imaginary[k, j]
            y -= real[j, k] * imaginary[k, j] + imaginary[j, k] * real[k, j]
        size = x * x + y * y
        real[j, j], imaginary[j, j] = x / size, -y / size


@routine
def solve(state, count, start, x, y):
    """(x + i y) <- matrix^-1 (x + i y), for free coordinates last first."""
    real, imaginary = state.jacobian, state.factors
    for j in range(count):
        for k in range(start[j], j):
            a, b = real[j, k], imaginary[j, k]
            x[j] -= a * x[k] - b * y[k]
            y[j] -= a * y[k] + b * x[k]
    for j in range(count):
        a, b, c = real[j, j], imaginary[j, j], x[j]
        x[j], y[j] = a * c - b * y[j], a * y[j] + b * c
    for j in range(count - 1, -1, -1):
        for k in range(start[j], j):
            a, b = real[j, k], imaginary[j, k]
            x[k] -= a * x[j] - b * y[j]
            y[k] -= a * y[j] + b * x[j]


@routine
def force_left(plan, work, state, t):
    """Forces at the state q_try, v_try with accelerations a: work.bias, .active, .passive."""
    impose(plan, work, t, state.q_try, state.v_try, state.a)
    joint_forces(plan, work, t, state.q_try, state.v_try)
    if needs_bodies(plan):
        find_rows(plan, work, t, state.q_try, state.v_try, state.a)
        body_forces(plan, work, t, state.q_try, state.v_try)
    call_compiled(plan.calls[INVERSE], (plan, work, state.q_try, state.v_try, state.a))
    state.counts[EVALUATIONS] += 1


@routine
def residual(plan, work, state, t, h, i, free_fall):
    """R of (1) at stage i into work.left, and the rates of all of y into k[i + 1].

    With `free_fall`, R = M (a - what forces would give here), M that of the start: where directions that move hardly any mass
    change from place to place, a matrix of the start says nothing of forces elsewhere, but much of accelerations.
    """
    nv = state.v.shape[0]
    for k in range(nv):
        first, second = (A11, A12) if i == 0 else (A21, A11)
        state.y_try[k] = h * (first * state.k[1, k] + second * state.k[2, k])
        state.v_try[k] = state.v[k] + h * (first * state.k[1, nv + k] + second * state.k[2, nv + k])
        state.a[k] = state.k[i + 1, nv + k]
    moved(plan.topology, state.q, state.y_try, state.q_try)
    t = t + (C1 if i == 0 else C2) * h
    if free_fall:
        for k in range(nv):
            work.guess[k] = state.a[k]
        call_compiled(plan.calls[EVALUATE], (plan, work, t, state.q_try, state.v_try, state.a, state.lam))
        state.counts[EVALUATIONS] += 1
        for k in range(nv):
            work.left[k] = 0.0
            for m in range(plan.free.shape[0]):
                j = plan.free[m]
                work.left[k] += work.M[k, j] * (work.guess[j] - state.a[j])
    else:
        force_left(plan, work, state, t)
        for k in range(nv):
            work.left[k] = work.bias[k] - work.active[k] - work.passive[k]
    chart_rate(plan.topology, state.q_try, state.y_try, state.v_try, work.dx)
    for k in range(nv):
        state.k[i + 1, k] = work.dx[k]
    work.power[DRIVES] = work.power[DRIVEN] = work.power[MOVING] = 0.0
    for n in range(plan.held.shape[0]):
        k = plan.held[n]
        state.k[i + 1, k] = state.k[i + 1, nv + k] = 0.0
        force = work.tau[k] if free_fall else work.bias[k] - work.passive[k] - work.active[k]
        work.power[DRIVES] += force * state.v_try[k]
    square = 0.0
    for k in range(nv):
        work.power[DRIVEN] += work.active[k] * state.v_try[k]
    for n in range(plan.base.shape[0]):
        square += state.v_try[plan.base[n]] ** 2
    work.power[PATH] = sqrt(square)
    for k in range(work.power.shape[0]):
        state.k[i + 1, 2 * nv + k] = work.power[k]


@routine
def speed_of(plan, work, state, h):
    """What velocities are measured by, in the norm of the mass matrix: v, what the step adds, and what elasticity would."""
    nv, total = state.v.shape[0], 0.0
    for i in range(nv):
        for j in range(nv):
            gain = state.k[0, nv + i] * state.k[0, nv + j] * h * h
            total += work.M[i, j] * (state.v[i] * state.v[j] + 0.01 * gain)
    return sqrt(max(total + 2.0 * spring_energy(plan, work, state.q), 0.0))


@routine
def iterate(plan, work, state, t, h, allowed, free_fall):
    """Stages by (2) from a first guess; whether they converge; `free_fall` is that of `residual`."""
    nv, size, free = state.v.shape[0], state.y.shape[0], plan.free.shape[0]
    for n in range(size):
        state.k[1, n] = state.k[2, n] = state.k[0, n]
    before, done = 1e300, False
    for _ in range(ROUNDS):
        for k in range(nv):  # velocities of both stages first: rates of plain coordinates are theirs
            a1, a2 = state.k[1, nv + k], state.k[2, nv + k]
            if plan.q_of_v[k] >= 0 and plan.imposed[k] == 0:
                state.k[1, k] = state.v[k] + h * (A11 * a1 + A12 * a2)
                state.k[2, k] = state.v[k] + h * (A21 * a1 + A11 * a2)
        residual(plan, work, state, t, h, 0, free_fall)
        for n in range(free):
            k = plan.free[free - 1 - n]
            work.gauss_x[n] = -0.5 * work.left[k]
        residual(plan, work, state, t, h, 1, free_fall)
        for n in range(free):
            k = plan.free[free - 1 - n]
            work.gauss_y[n] = (0.5 / BETA) * work.left[k]
        if done:
            break
        solve(state, free, work.gauss_start, work.gauss_x, work.gauss_y)
        total = 0.0
        for n in range(free):
            k = plan.free[free - 1 - n]
            one, two = 2.0 * work.gauss_x[n], -2.0 * BETA * work.gauss_y[n]
            state.k[1, nv + k] += one
            state.k[2, nv + k] += two
            total += work.M[k, k] * (one * one + two * two)
        total = h * sqrt(total) / allowed
        if not total < 1e300 or total > 3.0 * before:
            break
        done = total < SOLVED or (total < 1.0 and total > 0.5 * before)
        before = total
    return done


@kernel
def gauss_attempt(plan, work, state, t, h):
    """A step of (1) by (2): fill y_end, and the size of its error."""
    nv, size, free = state.v.shape[0], state.y.shape[0], plan.free.shape[0]
    work.result[REMAINDER] = 1.0
    call_compiled(plan.calls[MASS], (plan, work, state.q))
    relative = state.settings[RTOL]
    allowed = state.settings[ATOL] + relative * speed_of(plan, work, state, h)
    stiff_matrix(plan, work, state, h)
    factor(state, free, work.gauss_start)
    done = work.gauss_mode[0] == 0.0 and iterate(plan, work, state, t, h, allowed, False)
    if not done:
        work.gauss_mode[0] = (work.gauss_mode[0] + 1.0) % AGAIN
        done = iterate(plan, work, state, t, h, allowed, True)
    if not done:
        for n in range(size):
            state.y_end[n] = np.nan
        return FAILED
    for n in range(size):
        state.y_end[n] = state.y[n] + 0.5 * h * (state.k[1, n] + state.k[2, n])
    for n in range(free):  # (3)
        work.gauss_x[n] = work.gauss_y[n] = 0.0
        for m in range(free):
            k = nv + plan.free[m]
            e = state.k[0, k] - (C2 * state.k[1, k] - C1 * state.k[2, k]) / (C2 - C1)
            work.gauss_x[n] += work.M[plan.free[free - 1 - n], plan.free[m]] * e
    solve(state, free, work.gauss_start, work.gauss_x, work.gauss_y)
    total = 0.0
    for n in range(free):
        for m in range(free):
            product = work.gauss_x[n] * work.gauss_x[m] + work.gauss_y[n] * work.gauss_y[m]
            total += work.M[plan.free[free - 1 - n], plan.free[free - 1 - m]] * product
    estimate = (12.0 * relative * h * sqrt(max(total, 0.0)) / allowed) ** (5.0 / 3.0) / (4320.0 * relative)
    state.clock[ERROR_SIZE] = estimate if finite(state.y_end) else 1e6
    return 0
