"""Newton's method for the stages of collocation with exact tangents, where M + K is too poor an approximation.

The unknowns of stage i are accelerations a_i and, where chart coordinates turn, their rates w_i; others have velocities there:

    v_i = v + h sum of A_ij a_j ,   u_i = h sum of A_ij w_j                                                                 (1)
    e_i = a_i - a(t_i, u_i, v_i) = 0 ,   d_i = w_i - w(u_i, v_i) = 0                                                        (2)

a(t, u, v) are the accelerations that forces and constraints give. Its derivatives, and those of w, come from dual numbers at
each stage (`derivatives.chart_slopes`): gyroscopic forces, loads that follow, water, laws of the user, the change of the mass
matrix, whatever there is. So the matrix of (2) by all unknowns of all stages is exact and has no symmetry:

    de_i / da_j = [i = j] - h A_ij a_v - h^2 (A A)_ij a_u     for coordinates whose rates are velocities                    (3)
    de_i / dw_j = -h A_ij a_u     for others, and the same of d with w_v and w_u

It is factored with pivots and kept as long as iterations shrink well by it; else it is made anew where they are by then, which
is Newton's method. It costs passes of dual numbers in proportion to the coordinates: `collocation.tangent_choice` says when
that pays.
"""

from math import sqrt

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.lanes import WIDTH
from locomote.compiler.records import Floats, Ints, Matrix, Record
from locomote.compiler.source import kernel, routine
from locomote.evaluation.derivatives import chart_slopes, factored
from locomote.evaluation.plan import MASS, Plan
from locomote.linear.lu import lu_factor, lu_solve
from locomote.methods.collocation.attempt import ROUNDS, tightness
from locomote.methods.collocation.between import first_guess
from locomote.methods.collocation.rules import NODES, SPENT
from locomote.methods.collocation.stages import residual, settle_stages, settle_velocities
from locomote.methods.collocation.tangent_choice import FACTORING, PASS
from locomote.methods.state import EVALUATIONS, State
from locomote.methods.stepping import FAILED

WELL = 0.1  # factor of iterations beyond which the matrix is made anew
LIKELY = 0.3  # factor after the first iteration


class Room(Record):
    """slopes : (stages 2 nv, 2 nv) of rates by y, stage by stage; turning : coordinates of v that are free and whose chart
    coordinates turn; matrix, pivots : (3) and its factors; x : (2), then the change of the unknowns, stage by stage, in each
    the accelerations first; twice : (stages, stages) A A; went : (ROUNDS,) sizes of changes by round, in tolerances, negative
    where the matrix was made in that round"""

    slopes: Matrix
    turning: Ints
    matrix: Matrix
    pivots: Ints
    x: Floats
    twice: Matrix
    went: Floats


def room_of(plan: Plan, state: State) -> Room:
    """Room for the stages of a state."""
    count, nv = state.stages.shape
    turning = plan.free[plan.q_of_v[plan.free] < 0]
    size, A = count * (len(plan.free) + len(turning)), state.rule[:count, :count]
    return Room(
        slopes=np.zeros((count * 2 * nv, 2 * nv)), turning=turning, matrix=np.zeros((size, size)),
        pivots=np.zeros(size, np.int64), x=np.zeros(size), twice=A @ A, went=np.zeros(ROUNDS),
    )  # fmt: skip


@routine
def put_matrix(plan, state, room, h):
    """(3), factored."""
    nv, free, count, M = state.v.shape[0], plan.free.shape[0], state.stages.shape[0], room.matrix
    turning, size = room.turning.shape[0], plan.free.shape[0] + room.turning.shape[0]
    for i in range(count):
        for r in range(size):
            row = i * size + r
            slope = i * 2 * nv + (nv + plan.free[r] if r < free else room.turning[r - free])
            for j in range(count):
                once, twice, first = h * state.rule[i, j], h * h * room.twice[i, j], j * size
                for n in range(free):
                    k = plan.free[n]
                    by_place = room.slopes[slope, k] if plan.q_of_v[k] >= 0 else 0.0
                    M[row, first + n] = -once * room.slopes[slope, nv + k] - twice * by_place
                for n in range(turning):
                    M[row, first + free + n] = -once * room.slopes[slope, room.turning[n]]
            M[row, row] += 1.0
    lu_factor(M, count * size, room.pivots)


@routine
def look_at_stages(plan, work, dual_plan, duals, seeds, room, state, t, h, rank, making):
    """(2) into room.x, and derivatives of all stages if a matrix is to be made; the lowest rank, FAILED if there is no
    answer."""
    nv, free, count, lowest = state.v.shape[0], plan.free.shape[0], state.stages.shape[0], rank
    turning = room.turning.shape[0]
    for i in range(count):
        at = i * (free + turning)
        for n in range(turning):
            room.x[at + free + n] = state.k[i + 1, room.turning[n]]
        own = residual(plan, work, state, t, h, i, False)
        lowest = min(lowest, own)
        if own < 0:
            return FAILED
        for n in range(free):
            room.x[at + n] = -work.left[plan.free[n]]
        for n in range(turning):
            k = room.turning[n]
            kept = room.x[at + free + n]
            room.x[at + free + n] = state.k[i + 1, k] - kept
            state.k[i + 1, k] = kept
        if making:
            if not factored(plan, work, state.q_try, state.lam.shape[0]):
                return FAILED
            parts = (plan, work, dual_plan, duals, seeds)
            now, lam, a = t + state.rule[NODES, i] * h, state.lam, state.a
            chart_slopes(*parts, state.q, state.y_try, now, state.q_try, state.v_try, a, lam, own, room.slopes, 2 * nv * i)
            passes = (2 * nv + WIDTH - 1) // WIDTH
            state.counts[EVALUATIONS] += passes
            state.pace[SPENT] += passes * PASS
    state.pace[SPENT] += count
    return lowest


@routine
def change(plan, state, room):
    """Add room.x to the unknowns; the square of the change of accelerations, as `collocation.improve` measures it."""
    nv, free, turning, total = state.v.shape[0], plan.free.shape[0], room.turning.shape[0], 0.0
    for i in range(state.stages.shape[0]):
        at = i * (free + turning)
        for n in range(free):
            state.k[i + 1, nv + plan.free[n]] += room.x[at + n]
            state.changes[i, plan.free[n]] = room.x[at + n]
        for n in range(turning):
            state.k[i + 1, room.turning[n]] += room.x[at + free + n]
        for n in range(free):
            one = state.changes[i, state.order[n]]
            total += state.start_mass[n, n] * one * one
    return total


@kernel
def exact_stages(plan, work, dual_plan, duals, seeds, room, state, t, h, allowed, rank):
    """Stages by Newton's method from a first guess; the lowest rank met, FAILED if it does not converge."""
    first_guess(plan, work, state, h, rank)
    before, done, ratio, lowest, unknown = 1e300, False, 1.0, FAILED, room.x.shape[0]
    for round in range(ROUNDS):
        room.went[round] = 0.0
    for round in range(ROUNDS):
        settle_velocities(plan, state, h)
        making = round == 0 or (round > 1 and ratio > WELL)
        lowest = look_at_stages(plan, work, dual_plan, duals, seeds, room, state, t, h, rank, making)
        if lowest == FAILED:
            break
        if making:
            put_matrix(plan, state, room, h)
            state.pace[SPENT] += FACTORING * state.v.shape[0] ** 2
        lu_solve(room.matrix, unknown, room.pivots, room.x)
        total = h * sqrt(change(plan, state, room)) / allowed
        room.went[round] = -total if making else total
        if not total < 1e300 or (total > 3.0 * before and not making):
            break
        ratio = total / before if before < 1e300 else LIKELY
        done = total * ratio / max(1.0 - ratio, 0.1) < tightness(state) or (total < 1.0 and total > 0.5 * before)
        before = total
        if done:
            break
    if done:
        settle_stages(plan, work, state, t, h)
    call_compiled(plan.calls[MASS], (plan, work, state.q))  # which stages have changed
    return lowest if done else FAILED
