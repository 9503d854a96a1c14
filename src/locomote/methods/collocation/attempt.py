"""Collocation for bodies that are stiff, such as rods: at Gauss points where they are hardly damped, at Radau's where they are
damped or very stiff. Tables and the order of each are in `collocation.rules`.

    v_i = v + h sum of A_ij a_j ,   u_i = h sum of A_ij u'_j ,   residual R_i = M a + bias - forces at stage i              (1)
    with A = P diag(lam) P^-1, for the real lam and for one of any two that are conjugate:
    (M + h lam D + h^2 lam^2 K) y = -(P^-1 R)_lam ,   a += P y                                                              (2)

K and D are those of flexible bodies and of springs and dampers of joints, which are constant; what else depends on the state
is taken as slow. So one real and one or two complex factors (symmetric, without pivots) serve a step, and the next ones too, as
long as they are equally long and iterations converge well. Iterations start from the polynomial of the step before. When they
do not converge, the matrix is made anew; then the residual is taken of accelerations (`residual`), that is M times their
distance from what forces give; then stages are found by exact tangents (`collocation.tangents`), if that has been worth its
cost (`collocation.tangent_choice`); and only then the step is made shorter: where M changes much, K in the matrix helps the
less.

Where constraints hold, it is taken of accelerations always, those that meet them at the stage. In the turned basis of
`evaluate` at the start of the step, (y, z) with z the free directions, S = h lam D + h^2 lam^2 K and e the distance:

    y = -e_y ,   (M_zz + S_zz) z = -M_zz e_z - S_zy y                                                                       (3)

The error is estimated from a at the start, which the stages do not use: its distance e from their polynomial, seen
through (2) so that fast, stiff parts do not count, in the norm of the mass matrix, so that what moves little mass counts
little. (2) of `collocation.rules` turns it into that of the step. a itself need not be known: M e is the residual of the
polynomial at the start.                                                                                                    (4)

Where drives move a body, or actuators, their work may be wrong and nothing else: with P the power at the stages and P'' h^2 / 2
its second difference, of a swing (w h)^2 = |P''| h^2 / |P|, whose error (2) of `collocation.rules` has too,

    error of the work = h |P| (w h)^p / C ,    relative to what the source does in the step and the energy that there is   (5)

Tested by tests/laws/methods/collocation.
"""

from math import sqrt

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, kernel, routine
from locomote.evaluation.evaluate import spring_energy
from locomote.evaluation.plan import (
    DRIVES,
    DUAL_PLAN,
    DUAL_SEEDS,
    DUAL_WORK,
    MASS,
    REMAINDER,
    STAGES,
    SURROUNDINGS,
    TANGENT_ROOM,
    TANGENTS,
)
from locomote.linear.orthogonal import turn_in
from locomote.linear.symmetric import add_times
from locomote.methods.collocation import rules
from locomote.methods.collocation.between import first_guess, keep_missed, slowly
from locomote.methods.collocation.matrices import correct_complex, correct_real, stiff_matrices
from locomote.methods.collocation.stages import residual, residuals_at_once, settle_stages, settle_velocities
from locomote.methods.collocation.start import set_order, take_mass, times_mass, weigh
from locomote.methods.collocation.tangent_choice import judge_exact, judge_mass
from locomote.methods.state import ATOL, EVALUATIONS, LIMIT, RANK, RTOL, STEP
from locomote.methods.state import SIZE as ERROR_SIZE
from locomote.methods.stepping import FAILED, finite

ROUNDS = 16
AGAIN = 32.0  # steps, at most, after which the residual of forces is tried again
SOLVED, LOOSELY = 1e-4, 1e-2  # share of the tolerance at which an iteration ends, for tight and for loose tolerances
SLOWEST = 0.9  # factor of an iteration that is hoped to converge
LIKELY = 0.1  # factor after the first iteration, at least
SLOW, GOOD = 0.25, 0.2  # factor, which grows with the square of the step, above which steps become shorter, and to which
MANY, LEAST = 6, 0.1  # iterations, beyond which that is so; part of the step that errors allow which is left
WORK = 10.0  # times its error that the work of a step counts: samples within are off by more than its end
MOST_BENT = 10.0  # (w h)^2, beyond which stages say nothing of a swing
SAME = 1e-9  # difference of lengths, relative, of steps that have one matrix
WORTH_NEW, WORTH_TAKING = 0.15, 0.03  # factor of iterations beyond which a new matrix is made, or taken where M is known


@routine
def speed_of(plan, work, state, h):
    """What velocities are measured by, in the norm of the mass matrix: v, what the step adds, and what elasticity would."""
    nv, total, x = state.v.shape[0], 0.0, state.shift
    for part in range(2):
        for n in range(nv):
            x[n] = 0.0
        for n in range(nv):
            k = state.order[n]
            add_times(x, state.start_mass, n, state.v[k] if part == 0 else 0.1 * h * state.k[0, nv + k], nv)
        for n in range(nv):
            k = state.order[n]
            total += x[n] * (state.v[k] if part == 0 else 0.1 * h * state.k[0, nv + k])
    return sqrt(max(total + 2.0 * spring_energy(plan, work, state.q), 0.0))


@routine
def improve(plan, work, state, rank, of_forces):
    """Change accelerations of all stages by (2) or (3); the square of the change, in the norm of the mass matrix."""
    nv, free, count, total = state.v.shape[0], plan.free.shape[0], state.stages.shape[0], 0.0
    for i in range(count):
        for n in range(free):
            state.changes[i, n] = 0.0
    for pair in range(count // 2):
        row = rules.PER_PAIR * pair
        for n in range(free):
            work.gauss_x[n], work.gauss_y[n] = 0.0, 0.0
        for i in range(count):
            add_times(work.gauss_x, state.residuals, i, -state.rule[rules.IN_REAL + row, i], free)
            add_times(work.gauss_y, state.residuals, i, -state.rule[rules.IN_IMAGINARY + row, i], free)
        correct_complex(plan, work, state, rank, of_forces, pair)
        for i in range(count):
            x, y = 2.0 * state.rule[rules.OUT_REAL + row, i], -2.0 * state.rule[rules.OUT_IMAGINARY + row, i]
            for n in range(free):
                state.changes[i, n] += x * work.gauss_x[n] + y * work.gauss_y[n]
    if state.real_factors.shape[0] > 0:
        for n in range(free):
            work.gauss_x[n] = 0.0
        for i in range(count):
            add_times(work.gauss_x, state.residuals, i, -state.rule[rules.REAL_IN, i], free)
        correct_real(plan, work, state, rank, of_forces)
        for i in range(count):
            weight = state.rule[rules.REAL_OUT, i]
            for n in range(free):
                state.changes[i, n] += weight * work.gauss_x[n]
    for i in range(count):
        for n in range(free):
            change = state.changes[i, n]
            state.k[i + 1, nv + state.order[n]] += change
            total += state.start_mass[n, n] * change * change
    return total


@helper
def tightness(state):
    """Part of the tolerance at which iterations end: with many steps the residual shows in the energy."""
    return max(SOLVED, min(LOOSELY, 10.0 * state.settings[RTOL]))


@routine
def iterate(plan, work, state, t, h, allowed, rank, of_forces):
    """Stages by (2) or (3) from a first guess; the lowest rank met, FAILED if they do not converge."""
    free, lowest, count = plan.free.shape[0], rank, state.stages.shape[0]
    first_guess(plan, work, state, h, rank)
    before, done, pace = 1e300, False, state.pace[rules.FACTOR]
    solved = tightness(state)
    for round in range(ROUNDS):
        settle_velocities(plan, state, h)
        if of_forces and plan.calls[STAGES] != 0:
            residuals_at_once(plan, work, state, t, h)
        else:
            for i in range(count):
                lowest = min(lowest, residual(plan, work, state, t, h, i, of_forces))
                for n in range(free):
                    state.residuals[i, n] = work.left[state.order[n]]
        total = h * sqrt(improve(plan, work, state, rank, of_forces)) / allowed
        if not total < 1e300 or total > 3.0 * before:
            break
        if before < 1e300:
            pace = min(max(total / before, LIKELY if round == 1 else 1e-2), SLOWEST)  # the first is what is linear
        done = total * pace / (1.0 - pace) < solved or (total < 1.0 and total > 0.5 * before)
        before = total
        if done:
            break
    if not done:
        return FAILED
    state.pace[rules.FACTOR] = max(pace, 0.3 * state.pace[rules.FACTOR])
    slow = round >= MANY and pace > SLOW
    state.pace[rules.SLOWLY] = 1.0 if slow else 0.0
    state.clock[LIMIT] = max(h * sqrt(GOOD / pace), LEAST * state.clock[STEP]) if slow and of_forces else 1e300
    settle_stages(plan, work, state, t, h)
    return lowest


@routine
def constrained_size(state, rank, x):
    """The square of accelerations along the directions that constraints hold, in the norm of the mass matrix: they make a step
    leave the constraints, onto which it is brought back at its end."""
    total = 0.0
    for n in range(rank):
        for m in range(rank):
            total += x[n] * state.turned[n, m] * x[m]
    return total


@routine
def estimate(plan, work, state, h, allowed, rank):
    """(4)."""
    nv, free, total = state.v.shape[0], plan.free.shape[0], 0.0
    count, x, y = state.stages.shape[0], work.gauss_x, work.gauss_y
    for n in range(free):
        k = nv + state.order[n]
        x[n] = state.k[0, k]
        for i in range(count):
            x[n] -= state.rule[rules.AT_START, i] * state.k[i + 1, k]
    if rank > 0:
        turn_in(state.reflections, rank, free, x)
        total = constrained_size(state, rank, x)
    weigh(plan, state, rank, x)
    if state.pace[rules.EVALUATED] == 0.0:
        for n in range(free):
            x[n] -= state.left[n]
    if rank == 0:
        keep_missed(plan, work, state)
    slowly(plan, state, rank, x, y)
    for part in range(2):
        z = x if part == 0 else y
        times_mass(plan, state, rank, z, state.shift)
        for n in range(rank, free):
            total += z[n] * state.shift[n]
    rtol = state.settings[RTOL]
    size = rules.size_of(state.rule, count, rtol, h * sqrt(max(total, 0.0)) / allowed)
    speed = allowed / rtol  # scale of speeds, of which atol allows for rounding
    if plan.held.shape[0] > 0:
        size = max(size, work_error(state, 2 * nv + DRIVES, h, speed * speed) / rtol)
    if plan.actuators.shape[0] > 0:
        size = max(size, work_error(state, 2 * nv + SURROUNDINGS, h, speed * speed) / rtol)
    return size


@helper
def work_error(state, n, h, energy):
    """(5), of the source whose power is column n of k."""
    count, nodes, most, bend = state.stages.shape[0], state.rule[rules.NODES], 0.0, 0.0
    for i in range(1, count + 1):
        most = max(most, abs(state.k[i, n]))
    for i in range(1, count - 1):
        early = (state.k[i + 1, n] - state.k[i, n]) / (nodes[i] - nodes[i - 1])
        late = (state.k[i + 2, n] - state.k[i + 1, n]) / (nodes[i + 1] - nodes[i])
        bend = max(bend, abs(late - early) / (nodes[i + 1] - nodes[i - 1]))
    if not h * most > 0.0:
        return 0.0
    swing = min(2.0 * bend / most, MOST_BENT) ** (0.5 * state.rule[rules.MEASURE, 0]) / state.rule[rules.MEASURE, 1]
    return WORK * swing * h * most / (h * most + energy)


@routine
def fit_matrix(plan, work, state, h):
    """Without constraints, the matrix of (2) for a step of h, of the mass matrix of its start if that is worth it; whether it
    was."""
    made, new = state.pace[rules.MADE_FOR], False
    if abs(abs(made) - h) > SAME * h or (state.pace[rules.EVALUATED] != 0.0 and state.pace[rules.FACTOR] > WORTH_TAKING):
        new = state.pace[rules.EVALUATED] != 0.0
        if new:
            take_mass(work, state)
        stiff_matrices(plan, work, state, h, 0)
    elif made < 0.0:
        stiff_matrices(plan, work, state, -made, 0)
    return new


@routine
def attempt_forces(plan, work, state, t, h, allowed):
    """Without constraints, with a residual of forces: by the matrix that there is, then by a new one."""
    new = fit_matrix(plan, work, state, h)
    lowest = iterate(plan, work, state, t, h, allowed, 0, True)
    if lowest == FAILED and not new:
        call_compiled(plan.calls[MASS], (plan, work, state.q))
        take_mass(work, state)
        stiff_matrices(plan, work, state, h, 0)
        lowest = iterate(plan, work, state, t, h, allowed, 0, True)
    return lowest


@routine
def attempt_by_mass(plan, work, state, t, h, allowed, rank):
    """By (2); by (3) where constraints hold or forces do not converge, and for a while after that."""
    lowest, constrained = FAILED, plan.holonomic.shape[0] > 0
    if not constrained and state.pace[rules.MODE] == 0.0:
        lowest = attempt_forces(plan, work, state, t, h, allowed)
        good = lowest != FAILED
        state.pace[rules.MODE] = 0.0 if good else max(state.pace[rules.STAY], 1.0)
        state.pace[rules.STAY] = 0.5 * state.pace[rules.STAY] if good else min(2.0 * max(state.pace[rules.STAY], 1.0), AGAIN)
    if lowest == FAILED:
        state.pace[rules.MODE] = max(state.pace[rules.MODE] - 1.0, 0.0)
        stiff_matrices(plan, work, state, h, rank)
        lowest = iterate(plan, work, state, t, h, allowed, rank, False)
    return lowest


@routine
def attempt_exactly(plan, work, state, t, h, allowed, rank):
    """By exact tangents (`collocation.tangents`), with records whose types this kernel does not know by their addresses."""
    if plan.holonomic.shape[0] == 0 and state.pace[rules.MODE] == 0.0:
        fit_matrix(plan, work, state, h)
    else:
        stiff_matrices(plan, work, state, h, rank)
    others = (plan.calls[DUAL_PLAN], plan.calls[DUAL_WORK], plan.calls[DUAL_SEEDS], plan.calls[TANGENT_ROOM])
    lowest = call_compiled(plan.calls[TANGENTS], (plan, work, *others, state, t, h, allowed, rank))
    state.clock[LIMIT] = 1e300
    return lowest


@kernel
def collocation_attempt(plan, work, state, t, h):
    """A step of (1) by (2), (3) or exact tangents from what `begin` kept of the start: fill y_end, and the size of its error;
    returns the lowest rank met."""
    rank, lowest, state.pace[rules.ENDED] = max(state.counts[RANK], 0), FAILED, 0.0
    work.result[REMAINDER] = 1.0
    set_order(plan, state, rank)
    if state.pace[rules.MADE_FOR] == 0.0 and state.pace[rules.EVALUATED] != 0.0:
        take_mass(work, state)
    allowed = state.settings[ATOL] + state.settings[RTOL] * speed_of(plan, work, state, h)
    state.pace[rules.ALLOWED] = allowed
    exactly, count = state.pace[rules.EXACT] > 0.0, state.counts[EVALUATIONS]
    if not exactly:
        lowest = attempt_by_mass(plan, work, state, t, h, allowed, rank)
        exactly = judge_mass(plan, state, h, lowest != FAILED, state.counts[EVALUATIONS] - count)
    if exactly:
        lowest = attempt_exactly(plan, work, state, t, h, allowed, rank)
        judge_exact(state, h, lowest != FAILED)
    state.pace[rules.FAILS] = 0.0 if lowest >= 0 else state.pace[rules.FAILS] + 1.0
    if lowest < 0:
        state.pace[rules.MADE_FOR] = 0.0
        call_compiled(plan.calls[MASS], (plan, work, state.q))  # which stages may have changed
        if state.pace[rules.FAILS] != 1.0:
            state.pace[rules.LENGTH] = 0.0  # the next guess is from the start alone
        for n in range(state.y.shape[0]):
            state.y_end[n] = np.nan
        return FAILED
    for n in range(state.y.shape[0]):
        state.y_end[n] = state.y[n]
    for i in range(state.stages.shape[0]):
        add_times(state.y_end, state.k, i + 1, h * state.rule[rules.WEIGHTS, i], state.y.shape[0])
    size = estimate(plan, work, state, h, allowed, rank)
    state.clock[ERROR_SIZE] = size if finite(state.y_end) else 1e6
    if state.pace[rules.FACTOR] > WORTH_NEW or rank > 0 or state.pace[rules.MODE] != 0.0:
        state.pace[rules.MADE_FOR] = 0.0
    return lowest
