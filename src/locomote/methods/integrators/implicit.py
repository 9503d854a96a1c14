"""Implicit steps for stiff systems: a singly diagonally implicit Runge-Kutta method of order 4, L-stable, with an estimate
of its error (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.6).

    y_i = y + h sum over j <= i of a_ij k_j ,   k_i = rates(t + c_i h, y_i) ,   a_ii = 1/4                              (1)
    (1 - h/4 J) d = b_i + h/4 rates(y_i) - y_i        Newton's method, J at the start of the step                       (2)

J is exact, by dual numbers (`slopes`), or, where a problem calls Python, by differences: those take as many calls, and no more.
"""

from math import sqrt
from typing import Annotated

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.lanes import WIDTH
from locomote.compiler.records import Floats, Ints, Matrix
from locomote.compiler.scratch_layout import NV, Size
from locomote.compiler.source import helper, kernel, routine
from locomote.evaluation.plan import ATTEMPT, CREEPING, DUAL_PLAN, DUAL_SEEDS, DUAL_WORK, PATH, SLOPES, Plan
from locomote.linear.lu import lu_factor, lu_solve
from locomote.methods import method as by
from locomote.methods.method import Method, Situation
from locomote.methods.state import EVALUATIONS, SIZE, State
from locomote.methods.stepping import FAILED, error_part, finite, rates

GAMMA = 0.25
C = np.array([0.25, 0.75, 11 / 20, 0.5, 1.0])
A = np.array(
    [
        [0.25, 0.0, 0.0, 0.0, 0.0],
        [0.5, 0.25, 0.0, 0.0, 0.0],
        [17 / 50, -1 / 25, 0.25, 0.0, 0.0],
        [371 / 1360, -137 / 2720, 15 / 544, 0.25, 0.0],
        [25 / 24, -49 / 48, 125 / 16, -85 / 12, 0.25],
    ]
)
E = np.array([25 / 24 - 59 / 48, -49 / 48 + 17 / 96, 125 / 16 - 225 / 32, 0.0, 0.25])  # difference to the rule of order 3
ROUNDS = 12
LAST = 7  # row of k for scratch
UNKNOWN = Size("unknown")  # chart coordinates and velocities; without inertia velocities follow


class ImplicitState(State):
    """A state with the matrix of (2)."""

    jacobian: Annotated[Matrix, UNKNOWN, UNKNOWN, "J, by `find_jacobian`"]
    factors: Annotated[Matrix, UNKNOWN, UNKNOWN, "LU factors of (2), by `factor`"]
    pivots: Annotated[Ints, UNKNOWN, "rows of them, by `factor`"]
    shift: Annotated[Floats, 2 * NV, "d of (2), by `stage`; the error of the step, by the attempt"]


@routine
def find_jacobian(plan, work, state, t):
    """J at the start of the step, by dual numbers, or by forward differences; k[0] holds the rates there.

    What takes dual numbers is called with the addresses of records that the types of this kernel do not know.
    """
    count = state.jacobian.shape[0]
    if plan.calls[SLOPES] != 0:
        others = (plan.calls[DUAL_PLAN], plan.calls[DUAL_WORK], plan.calls[DUAL_SEEDS])
        rank = call_compiled(plan.calls[SLOPES], (plan, work, others[0], others[1], others[2], state, t))
        state.counts[EVALUATIONS] += 1 + (count + WIDTH - 1) // WIDTH
        if rank >= 0:
            return
    for n in range(state.y.shape[0]):
        state.y_try[n] = state.y[n]
    for n in range(count):
        step = 1e-7 * max(1.0, abs(state.y[n]))
        state.y_try[n] = state.y[n] + step
        rates(plan, work, state, t, state.y_try, LAST)
        state.y_try[n] = state.y[n]
        for m in range(count):
            state.jacobian[m, n] = (state.k[LAST, m] - state.k[0, m]) / step


@routine
def factor(state, h):
    """LU factors of 1 - h/4 J with row pivots."""
    count, M = state.jacobian.shape[0], state.factors
    for n in range(count):
        for m in range(count):
            M[n, m] = -h * GAMMA * state.jacobian[n, m]
        M[n, n] += 1.0
    lu_factor(M, count, state.pivots)


@routine
def stage(plan, work, state, t, h, i):
    """Stage i of (1) by Newton's method (2), its rates into k[i + 1]; returns the rank, FAILED if it does not converge."""
    count, size, rank = state.jacobian.shape[0], state.y.shape[0], 0
    for n in range(size):
        base = state.y[n]
        for j in range(i):
            base += h * A[i, j] * state.k[j + 1, n]
        state.y_end[n] = base
        state.y_try[n] = base + h * GAMMA * state.k[i if i > 0 else 0, n]
    before, done = 1e300, False
    for _ in range(ROUNDS):
        rank = rates(plan, work, state, t + C[i] * h, state.y_try, i + 1)
        if done or rank < 0:
            break
        for n in range(count):
            state.shift[n] = state.y_end[n] + h * GAMMA * state.k[i + 1, n] - state.y_try[n]
        lu_solve(state.factors, state.jacobian.shape[0], state.pivots, state.shift)
        total = 0.0
        for n in range(count):
            state.y_try[n] += state.shift[n]
            part = error_part(plan, state, n, state.shift[n])
            total += part * part
        total = sqrt(total / count)
        if not total < 1e300 or total > 2.0 * before:
            return FAILED
        done = total < 1e-3 or (total < 1e-2 and total > 0.5 * before)
        before = total
    return rank if done or rank < 0 else FAILED


@kernel
def implicit_attempt(plan, work, state, t, h):
    """A step of (1): fill y_end, and the size of its error."""
    size, lowest = state.y.shape[0], 1 << 30
    find_jacobian(plan, work, state, t)
    factor(state, h)
    for i in range(5):
        rank = stage(plan, work, state, t, h, i)
        lowest = min(lowest, rank)
        if rank < 0:
            for n in range(size):
                state.y_end[n] = np.nan
            return lowest
    for n in range(size):
        value = 0.0
        for j in range(5):
            value += A[4, j] * state.k[j + 1, n]
        state.y_end[n] = state.y[n] + h * value
    total = error_norm(plan, state, h)
    state.clock[SIZE] = total if finite(state.y_end) else 1e6
    return lowest


@helper
def error_of(state, h, n):
    """The estimated error of entry n."""
    value = 0.0
    for j in range(5):
        value += E[j] * state.k[j + 1, n]
    return h * value


@routine
def error_norm(plan, state, h):
    """Size of the error in units of the tolerances."""
    count, total, first = state.jacobian.shape[0], 0.0, 2 * state.v.shape[0]
    for n in range(count):
        state.shift[n] = error_of(state, h, n)
    lu_solve(state.factors, count, state.pivots, state.shift)  # stiff parts of the estimate are not errors
    for n in range(count):
        part = error_part(plan, state, n, state.shift[n])
        total += part * part
    total = sqrt(total / count)
    for n in range(first, first + PATH):  # work: where all motion is imposed there is nothing else to be wrong
        total = max(total, abs(error_part(plan, state, n, error_of(state, h, n))))
    return total


def unknowns(plan: Plan) -> dict[str, int]:
    """Sizes of the matrix."""
    nv = int(plan.topology[-1, 3])
    return {"unknown": 2 * nv if plan.options[CREEPING] == 0.0 else nv}


def slopes(plan, work, state, terms):
    """Compile, or load, what gives J."""
    from locomote.methods.dual_plans import fill_slopes

    return fill_slopes(plan, work, state, terms)


def suits(situation: Situation) -> str | None:
    """Springs without inertia."""
    s = situation
    stiff = not s.inertia and s.springs and not (s.fed or s.contacts)
    return "springs are stiff where nothing has inertia" if stiff else None


IMPLICIT = Method(
    "implicit", "diagonally implicit Runge-Kutta of order 4, for stiff systems", order=4, chooses=True, power=0.25,
    takes=frozenset((by.NO_INERTIA, by.COMPUTED, by.CONSTRAINTS, by.FLEXIBLE, by.SUDDEN)), suits=suits, state=ImplicitState,
    sizes=unknowns, kernels={ATTEMPT: (implicit_attempt, by.attempt_types(ImplicitState))}, set_up=slopes,
)  # fmt: skip
