"""Explicit steps: Runge-Kutta methods by their tables, each of which is a file of `integrators/`.

    y_i = y + h sum a_ij k_j ,   k_i = rates(t + c_i h, y_i) ,   y_end = y + h sum b_i k_i                              (1)

Those that choose their steps have an estimate of the error, h sum e_i k_i, and a last stage that is the end of the step. With
that there is a continuous extension, from which samples between steps are taken (Hairer, Norsett, Wanner, Solving Ordinary
Differential Equations I, II.5 and II.6), of third order without d:

    y(t + s h) = y + s (D + (1 - s)(B + s (E + (1 - s) F)))                                                             (2)
    D = y_end - y ,   B = h k_1 - D ,   E = D - h k_last - B ,   F = h sum d_i k_i
"""

from collections.abc import Sequence

import numpy as np

from locomote.compiler.source import routine
from locomote.methods.state import CHOOSES, SIZE
from locomote.methods.stepping import error_part, finite, rates

# rows of a table after those of a_ij, as many as there are stages
NODES, WEIGHTS, ERRORS, EXTENSION, RESERVE, ROWS = range(6)
NO_ANSWER = 1e6  # size of the error of a step that has none


def table(
    a: Sequence[Sequence[float]],
    b: Sequence[float],
    c: Sequence[float],
    *,
    e: Sequence[float] | float = 0.0,
    d: Sequence[float] | float = 0.0,
    reserve: float = 1.0,
) -> np.ndarray:
    """The table of a method of as many stages as b and c have entries; a : a_ij with j < i, from the second stage on.

    e, d : of the error and of (2) ; reserve : times the error that counts, for what steps add up
    """
    stages = len(b)
    result = np.zeros((stages + ROWS, stages))
    for i, row in enumerate(a, start=1):
        result[i, : len(row)] = row
    for place, values in ((NODES, c), (WEIGHTS, b), (ERRORS, e), (EXTENSION, d)):
        result[stages + place] = values
    result[stages + RESERVE, 0] = reserve
    return result


@routine
def explicit_attempt(plan, work, state, t, h):
    """(1) from y and k[0]: fill y_end, and the size of its error; returns the lowest rank met, negative if some stage had no
    answer."""
    size, lowest, table, stages = state.y.shape[0], 1 << 30, state.tableau, state.tableau.shape[1]
    for i in range(1, stages):
        for n in range(size):
            value = 0.0
            for j in range(i):
                value += table[i, j] * state.k[j, n]
            state.y_try[n] = state.y[n] + h * value
        lowest = min(lowest, rates(plan, work, state, t + table[stages + NODES, i] * h, state.y_try, i))
    if state.traits[CHOOSES] != 0:  # its last stage is its result
        for n in range(size):
            state.y_end[n] = state.y_try[n]
        good = finite(state.y_end) and finite(state.k[stages - 1])
        state.clock[SIZE] = min(error_norm(plan, state, h), NO_ANSWER) if good else NO_ANSWER
    else:
        for n in range(size):
            value = 0.0
            for j in range(stages):
                value += table[stages + WEIGHTS, j] * state.k[j, n]
            state.y_end[n] = state.y[n] + h * value
    return lowest


@routine
def error_norm(plan, state, h):
    """Size of the estimated error in units of the tolerances: that of the worst entry, with a reserve for what steps add up."""
    worst, table, stages = 0.0, state.tableau, state.tableau.shape[1]
    for n in range(state.y.shape[0] - 1):  # not of the path, which is not smooth where the base stands still
        error = 0.0
        for j in range(stages):
            error += table[stages + ERRORS, j] * state.k[j, n]
        worst = max(worst, abs(error_part(plan, state, n, h * error)))
    return table[stages + RESERVE, 0] * worst


@routine
def interpolate(state, s, h, y):
    """(2) at the fraction s of the step."""
    table, stages = state.tableau, state.tableau.shape[1]
    for n in range(y.shape[0]):
        D = state.y_end[n] - state.y[n]
        B = h * state.k[0, n] - D
        E = D - h * state.k[stages - 1, n] - B
        F = 0.0
        for j in range(stages):
            F += table[stages + EXTENSION, j] * state.k[j, n]
        y[n] = state.y[n] + s * (D + (1.0 - s) * (B + s * (E + (1.0 - s) * h * F)))
