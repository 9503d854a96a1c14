"""The polynomial of a step by collocation: the state within the step, and what it says of the next one.

Accelerations a_i at the s stages make a polynomial, with which the end of a step is much better than what lies within. What it
misses of the accelerations at both ends, e_0 and e_1, corrects it, and does not move the end, because both corrections vanish
at the stages, and so in every sum over them:

    a(s) = sum of l_i(s) a_i + e_0 p_0(s) + e_1 p_1(s) ,     v(s) = v + h integral of a                                    (1)
    u(s) = h integral of the polynomial through u' at the stages and both ends + h^2 integral of the integral of e p        (2)

Velocities within are of order s + 1. l, p and their integrals are rows of `between` (`collocation.rules`). M e is seen through
the matrix of the step (`nearly`), so that fast, stiff parts do not count. Work done follows its rates as u does, without
corrections. The same polynomial, carried on, is where iterations of the next step start.

The error of a step is measured by e_0, which says nothing of what is near its end: a step with samples within must be as good
by e_1. That is found from accelerations at the end. From the residual of forces, as e_0 may be, it would be wrong where a
direction that moves hardly any mass is another one there than in the matrix, which takes small forces for large accelerations.
"""

from math import sqrt

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, kernel, routine
from locomote.evaluation.chart import chart_rate, moved
from locomote.evaluation.plan import EVALUATE
from locomote.linear.symmetric import add_times, solve_complex, solve_real
from locomote.methods.collocation import rules
from locomote.methods.collocation.start import times_mass
from locomote.methods.state import EVALUATIONS, RTOL, SIZE_AT_END, TIME

FURTHEST, CALMLY = 4.0, 1.5  # times the last step that its polynomial is carried on; with corrections


@helper
def value(table, row, s):
    """A polynomial of the table at s."""
    total = 0.0
    for k in range(table.shape[1] - 1, -1, -1):
        total = total * s + table[row, k]
    return total


@routine
def slowly(plan, state, rank, x, y):
    """x, y <- the accelerations, in two parts, that forces x give through the matrix of the step."""
    free = plan.free.shape[0]
    for n in range(free):
        y[n] = 0.0
    if state.real_factors.shape[0] > 0:
        solve_real(state.real_factors, rank, free, x)
    else:
        solve_complex(state.jacobian, state.factors, rank, free, x, y)


@routine
def nearly(plan, work, state):
    """gauss_x <- the accelerations that forces gauss_x give, without what is fast and stiff: through the matrix of the step S
    once, and once more with what that leaves of them, so that M^-1 x is off by (1 - S^-1 M)^2 only."""
    free, x, y, left = plan.free.shape[0], work.gauss_x, work.gauss_y, state.calm
    for n in range(free):
        left[n] = x[n]
    slowly(plan, state, 0, x, y)
    times_mass(plan, state, 0, x, y)
    for n in range(free):
        left[n] -= y[n]
    slowly(plan, state, 0, left, y)
    for n in range(free):
        x[n] += left[n]


@routine
def keep_missed(plan, work, state):
    """e_0 of the forces gauss_x, which stay as they are."""
    free, x, forces = plan.free.shape[0], work.gauss_x, state.shift
    for n in range(free):
        forces[n] = x[n]
    nearly(plan, work, state)
    for n in range(free):
        state.ends[rules.MISSED_AT_START, state.order[n]] = x[n]
        x[n] = forces[n]


@routine
def missed_at_start(plan, work, state):
    """gauss_x <- what the polynomial of the step before misses of the accelerations at the start of this one."""
    nv, free, x = state.v.shape[0], plan.free.shape[0], work.gauss_x
    if state.pace[rules.EVALUATED] == 0.0:  # k[0] is the polynomial itself, and its residual is known
        for n in range(free):
            x[n] = -state.left[n]
    else:
        for n in range(free):
            work.gauss_y[n] = state.k[0, nv + state.order[n]]
            for i in range(state.stages.shape[0]):
                work.gauss_y[n] -= state.rule[rules.AT_END, i] * state.stages[i, state.order[n]]
        times_mass(plan, state, 0, work.gauss_y, x)
    nearly(plan, work, state)


@routine
def calmed(plan, work, state, i):
    """Take what is fast and stiff out of the accelerations of stage i."""
    nv, free, x, y, z = state.v.shape[0], plan.free.shape[0], work.gauss_x, work.gauss_y, state.calm
    for n in range(free):
        z[n] = state.k[i + 1, nv + state.order[n]]
    for _ in range(2):
        times_mass(plan, state, 0, z, x)
        slowly(plan, state, 0, x, y)
        for n in range(free):
            z[n] -= x[n]
    for n in range(free):
        state.k[i + 1, nv + state.order[n]] -= z[n]


@routine
def first_guess(plan, work, state, h, rank):
    """Stages from the polynomial of the step before; from the start where there is none."""
    nv, before, count, free = state.v.shape[0], state.pace[rules.LENGTH], state.stages.shape[0], plan.free.shape[0]
    for n in range(state.y.shape[0]):
        for i in range(count):
            state.k[i + 1, n] = state.k[0, n]
    if before > 0.0 and h < FURTHEST * before:
        corrected = h < CALMLY * before and rank == 0 and state.lam.shape[0] == 0
        if corrected:
            missed_at_start(plan, work, state)
            for n in range(free):
                state.calm[n] = work.gauss_x[n]
        for i in range(count):
            s = 1.0 + state.rule[rules.NODES, i] * h / before  # in steps since the start of the one before
            for n in range(free):
                state.k[i + 1, nv + plan.free[n]] = 0.0
            for j in range(count):
                weight = value(state.between, rules.BASIS + j, s)
                for n in range(free):
                    k = plan.free[n]
                    state.k[i + 1, nv + k] += weight * state.stages[j, k]
            if corrected:
                first, last = value(state.between, rules.ENDS, s), value(state.between, rules.ENDS + 1, s)
                for n in range(free):
                    k = state.order[n]
                    state.k[i + 1, nv + k] += first * state.ends[rules.MISSED_BEFORE, k] + last * state.calm[n]
        if rank == 0 and state.lam.shape[0] == 0:
            for i in range(count):
                calmed(plan, work, state, i)


@routine
def find_end(plan, work, state, h):
    """e_1, what it says of the error, and rates at the end of the attempt."""
    nv, free, square, x = state.v.shape[0], plan.free.shape[0], 0.0, work.gauss_x
    for k in range(state.q.shape[0]):
        state.q_try[k] = state.q_end[k]
    for k in range(nv):
        state.v_try[k], state.a[k] = state.v_end[k], 0.0
    for i in range(state.stages.shape[0]):
        for k in range(nv):
            state.a[k] += state.rule[rules.AT_END, i] * state.k[i + 1, nv + k]
    for k in range(nv):
        work.guess[k] = state.a[k]
    end = state.clock[TIME] + h
    call_compiled(plan.calls[EVALUATE], (plan, work, end, state.q_try, state.v_try, state.a, state.lam))
    state.counts[EVALUATIONS] += 1
    for n in range(free):
        k = state.order[n]
        work.gauss_y[n] = state.a[k] - work.guess[k]
    times_mass(plan, state, 0, work.gauss_y, x)
    nearly(plan, work, state)
    times_mass(plan, state, 0, x, work.gauss_y)
    for n in range(free):
        square += x[n] * work.gauss_y[n]
    change = h * sqrt(max(square, 0.0)) / state.pace[rules.ALLOWED]
    state.clock[SIZE_AT_END] = rules.size_of(state.rule, state.stages.shape[0], state.settings[RTOL], change)
    chart_rate(plan.topology, state.q_try, state.y_end, state.v_try, work.dx)
    for k in range(nv):
        state.ends[rules.MISSED_AT_END, k], state.ends[rules.RATES_AT_END, k] = 0.0, work.dx[k]
    for n in range(free):
        state.ends[rules.MISSED_AT_END, state.order[n]] = x[n]
    for n in range(plan.held.shape[0]):
        state.ends[rules.RATES_AT_END, plan.held[n]] = 0.0
    for k in range(work.power.shape[0]):
        state.ends[rules.RATES_AT_END, 2 * nv + k] = work.power[k]
    state.pace[rules.ENDED] = 1.0


@kernel
def within_collocation(plan, work, state, s, h):
    """y_try, q_try and v_try at the fraction s of the step just attempted, which nothing constrains; how many stages it has."""
    nv, count, y, table = state.v.shape[0], state.stages.shape[0], state.y_try, state.between
    if state.pace[rules.ENDED] == 0.0:
        find_end(plan, work, state, h)
    for n in range(state.y.shape[0]):
        y[n] = state.y[n]
    add_times(y, state.ends, rules.RATES_AT_END, h * value(table, rules.FROM_RATES + count + 1, s), nv)  # (2)
    for i in range(count + 1):
        add_times(y, state.k, i, h * value(table, rules.FROM_RATES + i, s), nv)
    for i in range(count):  # (1)
        weight = h * value(table, rules.OF_BASIS + i, s)
        for k in range(nv, 2 * nv):
            y[k] += weight * state.k[i + 1, k]
    for end in range(2):
        v_weight, u_weight = h * value(table, rules.OF_ENDS + end, s), h * h * value(table, rules.TWICE_ENDS + end, s)
        for k in range(nv):
            missed = state.ends[rules.MISSED_AT_START if end == 0 else rules.MISSED_AT_END, k]
            y[k] += u_weight * missed
            y[nv + k] += v_weight * missed
    for i in range(count + 2):
        weight = h * value(table, rules.FROM_RATES + i, s)
        for k in range(2 * nv, state.y.shape[0]):
            y[k] += weight * (state.k[i, k] if i <= count else state.ends[rules.RATES_AT_END, k])
    moved(plan.topology, state.q, y, state.q_try)
    for k in range(nv):
        state.v_try[k] = y[nv + k]
    return count
