"""Explicit steps: Runge-Kutta 4, and Dormand-Prince 5(4) with an estimate of its error.

    y_i = y + h sum a_ij k_j ,   k_i = rates(t + c_i h, y_i) ,   y_end = y + h sum b_i k_i                              (1)

Dormand-Prince has an estimate of its error, h sum e_i k_i, which the step is chosen by, and a continuous extension of fourth
order, from which samples between steps are taken (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
II.5 and II.6):

    y(t + s h) = y + s (D + (1 - s)(B + s (E + (1 - s) F)))                                                             (2)
    D = y_end - y ,   B = h k_1 - D ,   E = D - h k_7 - B ,   F = h sum d_i k_i
"""

import numpy as np

from locomote.compiler.source import routine
from locomote.methods.state import ADAPTIVE, METHOD
from locomote.methods.stepping import error_part, rates

C4 = np.array([0.0, 0.5, 0.5, 1.0])
A4 = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.0]])
B4 = np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6])
C5 = np.array([0.0, 0.2, 0.3, 0.8, 8 / 9, 1.0, 1.0])
A5 = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0],
        [44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0],
        [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
E5 = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
RESERVE = 4.0
D5 = np.array(
    [
        -12715105075 / 11282082432, 0.0, 87487479700 / 32700410799, -10690763975 / 1880347072,
        701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
    ]
)  # fmt: skip


@routine
def explicit_attempt(plan, work, state, t, h):
    """(1) from y and k[0]: fill y_end; returns the lowest rank met, negative if some stage had no answer."""
    size, lowest = state.y.shape[0], 1 << 30
    adaptive = state.choices[METHOD] == ADAPTIVE
    for i in range(1, 7 if adaptive else 4):
        for n in range(size):
            value = 0.0
            for j in range(i):
                value += (A5[i, j] if adaptive else A4[i, j]) * state.k[j, n]
            state.y_try[n] = state.y[n] + h * value
        lowest = min(lowest, rates(plan, work, state, t + (C5[i] if adaptive else C4[i]) * h, state.y_try, i))
    for n in range(size):
        if adaptive:  # its last stage is its result
            state.y_end[n] = state.y_try[n]
        else:
            value = 0.0
            for j in range(4):
                value += B4[j] * state.k[j, n]
            state.y_end[n] = state.y[n] + h * value
    return lowest


@routine
def error_norm(plan, state, h):
    """Size of the estimated error in units of the tolerances: that of the worst entry, with a reserve for what steps add up."""
    worst = 0.0
    for n in range(state.y.shape[0] - 1):  # not of the path, which is not smooth where the base stands still
        error = 0.0
        for j in range(7):
            error += E5[j] * state.k[j, n]
        worst = max(worst, abs(error_part(plan, state, n, h * error)))
    return RESERVE * worst


@routine
def interpolate(state, s, h, y):
    """(2) at the fraction s of the step."""
    for n in range(y.shape[0]):
        D = state.y_end[n] - state.y[n]
        B = h * state.k[0, n] - D
        E = D - h * state.k[6, n] - B
        F = 0.0
        for j in range(7):
            F += D5[j] * state.k[j, n]
        y[n] = state.y[n] + s * (D + (1.0 - s) * (B + s * (E + (1.0 - s) * h * F)))
