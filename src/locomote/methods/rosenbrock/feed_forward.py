"""Steps of feed-forward: the copy of the robot and the robot, as the copy plus the robot's deviation from it.

Robot and copy start alike and obey the same equations, so their difference d obeys one in which nothing
pushes it away from zero. Both are steps of `rosenbrock`, each with its own matrix, and the robot is their sum:

    c' = f(t, c) ,   d' = r(t, c + d) - f(t, c)                                                                      (1)
    (1 - g J_c) k_1 = f_1 + g f_t ,   (1 - g J_c) k_2 = f_2 - g f_t - 2 k_1                      the base of the copy     (2)
    (1 - g J_d) l_1 = r_1 - f_1 ,     (1 - g J_d) l_2 = r_2 - f_2 - 2 l_1                       deviation of the robot    (3)
    robot: k + l                                                                                                      (4)

with f_1 and f_2 rates at the start and at the end of an Euler step, and f_t how joints that move as told change the stiff
forces on the base. Joints of the copy are where they are told to be, exactly. An error of the step is the same in c and in
c + d, so it does not enter d, and motions that double any small error every second are followed for as long as rounding allows.
No error estimate sees d, though: where it grows in a step, the matrices of an earlier step are to blame, and
they are computed again.
"""

import numpy as np

from locomote.compiler.source import kernel, routine
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.computed_torque import COORDINATE, FEED, KIND, find_targets
from locomote.evaluation.feed_forward import place_copy
from locomote.linear.lu import lu_factor_part, lu_solve
from locomote.methods.rosenbrock import attempt as one
from locomote.methods.rosenbrock.attempt import AGE, GAMMA, find_chart, prepare_linear, solve_stage
from locomote.methods.state import SIZE
from locomote.methods.stepping import STARTS, begin_rates, error_part, finite, rates

GROWTH, NOISE = 2.0, 1e-14  # growth of the robot's deviation in a step; its noise, m/s or rad/s


@kernel
def turn_fed(plan, work, state, turn):
    """The start of a step, as of any method, with where the copy is; returns the rank."""
    if turn != STARTS:
        return 0
    rank = begin_rates(plan, work, state)
    begin_copy(plan, work, state)
    return rank


@routine
def begin_copy(plan, work, state):
    """Keep where the copy of feed-forward is, with its rates; from now on it has a motion of its own."""
    nv = state.v.shape[0]
    work.copying[0] = 1
    for k in range(state.q.shape[0]):
        state.copy_q[k] = work.copy_q[k]
    for k in range(nv):
        state.copy_v[k], state.copy_a[k] = work.copy_v[k], work.copy_a[k]
        state.copy_u[k] = 0.0
    copy_rates(plan, work, state, 0)


@routine
def copy_rates(plan, work, state, n):
    """Rates of the copy as just evaluated into state.copy_k[n]; its chart coordinates are in state.copy_u."""
    nv = state.v.shape[0]
    chart_rate(plan.topology, work.copy_q, state.copy_u, work.copy_v, work.dx)
    for k in range(nv):
        state.copy_k[n, k], state.copy_k[n, nv + k] = work.dx[k], work.copy_a[k]
    for j in range(plan.held.shape[0]):
        state.copy_k[n, plan.held[j]] = state.copy_k[n, nv + plan.held[j]] = 0.0


@routine
def copy_forcing(plan, state):
    """f_t of (2), of joints that move with the rates of state.copy_k[0], into state.forcing."""
    nv = state.v.shape[0]
    for i in range(nv):
        value = 0.0
        for c in range(nv):
            if plan.fed[c] != 0:
                value -= state.stiff_D[i, c] * state.copy_a[c] + state.stiff_K[i, c] * state.copy_v[c]
        state.forcing[i] = value


@routine
def solve_copy(plan, state, g, n, sign, count):
    """(2) for the right side in state.copy_k[n], in place; coordinates that are told have no increments."""
    nv, k, x = state.v.shape[0], state.copy_k, state.shift
    for j in range(nv):
        if plan.fed[j] != 0:
            k[n, j] = k[n, nv + j] = 0.0
    one.move_by(plan, state, k, n)
    for i in range(count):
        x[i] = one.right_side(state, k, n, state.copy_chosen[i], g, sign)
    lu_solve(state.copy_factors, count, state.copy_pivots, x)
    for i in range(count):
        one.take_answer(plan, state, k, n, state.copy_chosen[i], g, x[i])


@routine
def place_both(plan, work, state, t, h, first, second, y):
    """(4) after h (first k_1 + second k_2), into y, and the copy there into work; targets at the start: state.copy_told."""
    nv, told = state.v.shape[0], state.copy_told
    for k in range(2 * nv):
        state.copy_u[k] = h * (first * state.copy_k[1, k] + second * state.copy_k[2, k])
        y[k] = state.y[k] + state.copy_u[k] + h * (first * state.k[1, k] + second * state.k[2, k])
    moved(plan.topology, state.copy_q, state.copy_u, work.copy_q)
    for k in range(nv):
        work.copy_v[k] = state.copy_v[k] + state.copy_u[nv + k]
    place_copy(plan, work, t + h, state.q, state.v)
    for n in range(plan.follow_rows.shape[0]):
        if plan.follow_rows[n, KIND] == FEED:
            k = plan.follow_rows[n, COORDINATE]
            y[k] += work.follow_x[n] - told[0, n]
            y[nv + k] += work.follow_dx[n] - told[1, n]


@routine
def has_grown(plan, work, state):
    """Whether the velocity of the robot is much farther from that of the copy than at the start of the step."""
    nv, before, after = state.v.shape[0], 0.0, 0.0
    for k in range(nv):
        if plan.imposed[k] == 0:
            before = max(before, abs(state.v[k] - state.copy_v[k]))
            after = max(after, abs(state.y_end[nv + k] - work.copy_v[k]))
    return after > GROWTH * before + NOISE


@routine
def take_stages(plan, work, state, t, h, g):
    """(2) to (4) from y and its rates in k[0]: fill y_end, place the copy in work. Returns the rank."""
    nv, size = state.v.shape[0], state.y.shape[0]
    count = lu_factor_part(state.jacobian, plan.fed, state.copy_factors, state.copy_chosen, state.copy_pivots)  # (2)
    copy_forcing(plan, state)
    find_targets(plan, work, t)
    for n in range(plan.follow_rows.shape[0]):
        state.copy_told[0, n], state.copy_told[1, n] = work.follow_x[n], work.follow_dx[n]
    for k in range(2 * nv):
        state.k[1, k] = state.k[0, k] - state.copy_k[0, k]
        state.copy_k[1, k] = state.copy_k[0, k]
    for k in range(2 * nv, size):
        state.k[1, k] = state.k[0, k]
    solve_copy(plan, state, g, 1, 1.0, count)  # (2)
    solve_stage(plan, state, g, 1, 0.0)  # (3)
    place_both(plan, work, state, t, h, 1.0, 0.0, state.y_try)
    rank = rates(plan, work, state, t + h, state.y_try, 2)
    if rank < 0:
        for n in range(size):
            state.y_end[n] = np.nan
        return rank
    copy_rates(plan, work, state, 2)
    for k in range(2 * nv):
        state.k[2, k] -= state.copy_k[2, k] + 2.0 * state.k[1, k]
        state.copy_k[2, k] -= 2.0 * state.copy_k[1, k]
    solve_copy(plan, state, g, 2, -1.0, count)
    solve_stage(plan, state, g, 2, 0.0)
    place_both(plan, work, state, t, h, 1.5, 0.5, state.y_end)
    return rank


@kernel
def fed_attempt(plan, work, state, t, h):
    """A step: fill y_end, and the size of its error; the copy ends in work."""
    nv, size, g = state.v.shape[0], state.y.shape[0], GAMMA * h
    prepare_linear(plan, work, state, t, h, g)
    find_chart(plan, work, state)
    rank = take_stages(plan, work, state, t, h, g)
    if rank >= 0 and state.linear[AGE] > 1.0 and has_grown(plan, work, state):
        state.linear[AGE] = -1.0
        prepare_linear(plan, work, state, t, h, g)
        rank = take_stages(plan, work, state, t, h, g)
    if rank < 0:
        return rank
    total = 0.0
    for n in range(2 * nv):
        both = state.k[1, n] + state.k[2, n] + state.copy_k[1, n] + state.copy_k[2, n]
        total = max(total, abs(error_part(plan, state, n, 0.5 * h * both)))
    for n in range(2 * nv, size):
        state.y_end[n] = state.y[n] + h * state.k[1, n]
    state.clock[SIZE] = total if finite(state.y_end) else 1e6
    if state.clock[SIZE] <= 1.0:
        rates(plan, work, state, t + h, state.y_end, 3)
        for n in range(2 * nv, size):
            state.y_end[n] = state.y[n] + 0.5 * h * (state.k[0, n] + state.k[3, n])
    return rank
