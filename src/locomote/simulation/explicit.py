"""Explicit integration on the group: Runge-Kutta 4 with fixed steps, and Dormand-Prince 5(4) that chooses its steps.

    y_i = y + h sum a_ij k_j ,   k_i = rates(t + c_i h, y_i) ,   y_end = y + h sum b_i k_i                              (1)

Dormand-Prince has an estimate of its error, h sum e_i k_i, which the step is chosen by, and a continuous extension of fourth
order, from which samples between steps are taken (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
II.5 and II.6):

    y(t + s h) = y + s (D + (1 - s)(B + s (E + (1 - s) F)))                                                             (2)
    D = y_end - y ,   B = h k_1 - D ,   E = D - h k_7 - B ,   F = h sum d_i k_i
"""

from math import sqrt

import numpy as np

from locomote.engine.source import helper, kernel, routine
from locomote.simulation.chart import moved
from locomote.simulation.state import (
    ATOL,
    BUDGET,
    ERROR,
    EVENT,
    FRESH,
    LARGEST,
    METHOD,
    NEXT,
    RANK,
    REJECTED,
    RTOL,
    SMALLEST,
    STEP,
    TIME,
)
from locomote.simulation.stepping import (
    DONE,
    EVENT_FOUND,
    NOT_FINITE,
    PAUSED,
    RANK_CHANGED,
    SINGULAR,
    STEP_TOO_SMALL,
    begin,
    commit,
    crossed,
    events,
    finite,
    first_crossing,
    land,
    rates,
    record,
)

FIXED, ADAPTIVE = 0, 1
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
D5 = np.array(
    [
        -12715105075 / 11282082432, 0.0, 87487479700 / 32700410799, -10690763975 / 1880347072,
        701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
    ]
)  # fmt: skip
SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0


@routine
def attempt(plan, work, state, t, h):
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
    """Size of the estimated error in units of the tolerances."""
    nv, size, total, count = state.v.shape[0], state.y.shape[0], 0.0, 0
    rtol, atol = state.settings[RTOL], state.settings[ATOL]
    for n in range(size):
        error = 0.0
        for j in range(7):
            error += E5[j] * state.k[j, n]
        scale = max(abs(state.y[n]), abs(state.y_end[n]))
        if n < nv:
            place = plan.q_of_v[n]
            scale = abs(state.q[place]) if place >= 0 else 1.0
        part = h * error / (atol + rtol * scale)
        total += part * part
        count += 1
    return sqrt(total / count)


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


@helper
def next_sample(state, samples):
    """Time of the next sample, infinite after the last."""
    n = state.counts[NEXT]
    return samples.t[n] if n < samples.t.shape[0] else 1e300


@routine
def sample_step(plan, work, state, samples, t, h):
    """Record all samples that fall into the step just accepted."""
    nv = state.v.shape[0]
    while next_sample(state, samples) <= t + h * (1.0 + 1e-12):
        when = next_sample(state, samples)
        s = (when - t) / h
        if s >= 1.0 - 1e-9:
            for k in range(state.q.shape[0]):
                state.q_try[k] = state.q_end[k]
            for k in range(nv):
                state.v_try[k] = state.v_end[k]
            for k in range(state.y.shape[0]):
                state.y_try[k] = state.y_end[k]
            when = t + h
        else:
            interpolate(state, s, h, state.y_try)
            moved(plan.topology, state.q, state.y_try, state.q_try)
            for k in range(nv):
                state.v_try[k] = state.y_try[nv + k]
        for k in range(state.done.shape[0]):
            state.scratch_work[k] = state.y_try[2 * nv + k]
        record(plan, work, state, samples, state.counts[NEXT], when, state.q_try, state.v_try, state.scratch_work)
        state.counts[NEXT] += 1


@routine
def locate(plan, work, state, t, h, which):
    """Shorten the attempt to just after event `which` crossed zero, by regula falsi (Illinois); returns the new length."""
    low, high = 0.0, h
    f_low, f_high = state.g[which], state.g_end[which]
    for _ in range(60):
        middle = (low * f_high - high * f_low) / (f_high - f_low)
        if not (low < middle and middle < high):
            middle = 0.5 * (low + high)
        attempt(plan, work, state, t, middle)
        land(plan, work, state, t, middle)
        events(plan, work, state, t + middle, state.q_end, state.v_end, state.g_end)
        f = state.g_end[which]
        if (f < 0.0) == (state.g[which] < 0.0) and f != 0.0:
            f_high = 0.5 * f_high if low > 0.0 else f_high
            low, f_low = middle, f
        else:
            f_low = 0.5 * f_low if high < h else f_low
            high, f_high = middle, f
        if high - low < 1e-14 * max(1.0, abs(t)) or f == 0.0:
            break
    attempt(plan, work, state, t, high)
    land(plan, work, state, t, high)
    return high


@kernel
def advance_explicit(plan, work, state, samples):
    """Go on from state.q, .v until all samples are filled, an event is met, or the budget of steps is used up."""
    if state.counts[FRESH] != 0:
        events(plan, work, state, state.clock[TIME], state.q, state.v, state.g)
        state.counts[FRESH] = 0
        if next_sample(state, samples) <= state.clock[TIME]:
            record(plan, work, state, samples, state.counts[NEXT], state.clock[TIME], state.q, state.v, state.done)
            state.counts[NEXT] += 1
    budget = state.choices[BUDGET]
    while state.counts[NEXT] < samples.t.shape[0]:
        if budget <= 0:
            return PAUSED
        budget -= 1
        t, end = state.clock[TIME], samples.t[samples.t.shape[0] - 1]
        rank = begin(plan, work, state)
        if rank < 0:
            return SINGULAR
        if not finite(state.k[0]):
            return NOT_FINITE
        before = state.counts[RANK]
        state.counts[RANK] = rank
        if before != rank and before >= 0:
            return RANK_CHANGED
        adaptive = state.choices[METHOD] == ADAPTIVE
        h = min(state.clock[STEP], state.settings[LARGEST])
        target = end if adaptive else next_sample(state, samples)
        if t + 1.001 * h >= target:
            h = target - t
        elif t + 2.0 * h > target and adaptive:
            h = 0.5 * (target - t)
        while True:
            lowest = attempt(plan, work, state, t, h)
            good = finite(state.y_end) and lowest >= 0
            if not adaptive:
                if not good:
                    return NOT_FINITE if lowest >= 0 else SINGULAR
                break
            rates(plan, work, state, t + h, state.y_end, 6)
            size = error_norm(plan, state, h) if good else 1e6
            if size <= 1.0 and finite(state.k[6]):
                factor = GROW if size == 0.0 else SAFETY * size**-0.14 * max(state.clock[ERROR], 1e-4) ** 0.08
                state.clock[ERROR] = max(size, 1e-4)
                if h >= 0.99 * min(state.clock[STEP], state.settings[LARGEST]) or factor < 1.0:
                    state.clock[STEP] = h * min(GROW, max(SHRINK, factor))
                break
            state.counts[REJECTED] += 1
            h *= max(SHRINK, SAFETY * size**-0.2) if size < 1e6 else 0.1
            state.clock[STEP] = h
            if h < max(state.settings[SMALLEST], 1e-15 * abs(t)):
                return STEP_TOO_SMALL if good else NOT_FINITE
        land(plan, work, state, t, h)
        events(plan, work, state, t + h, state.q_end, state.v_end, state.g_end)
        which = first_crossing(state)
        if which >= 0:
            h = locate(plan, work, state, t, h, which)
            for k in range(state.g.shape[0]):
                if crossed(state.g[k], state.g_end[k], state.directions[k]):
                    which = k
            state.counts[EVENT] = which
            if adaptive:
                rates(plan, work, state, t + h, state.y_end, 6)
        sample_step(plan, work, state, samples, t, h)
        commit(state)
        if which >= 0:
            return EVENT_FOUND
    return DONE
