"""Signals: packed functions of time, each with its two rates.

A signal is a sum of terms. A term is a row [TARGET, KIND, FIRST, COUNT, SPARE] and COUNT numbers from FIRST on: how many ramps,
their durations, then what its kind needs:

    SINE         A, w, p, c          x = c + A sin(w t + p)                                        (1)
    POLYNOMIAL   c_0, c_1, ...       x = c_0 + c_1 t + c_2 t^2 + ...                               (2)
    CYCLOID      a, b, T             x = a + (b - a)(s - sin(2 pi s) / 2 pi),   s = t/T            (3)
    SPLINE       order + 1, outside, pieces, knots, coefficients of each piece in t - knot: (2)
    FUNCTION     factor              x, x', x'' = factor times what the function in row SPARE of `functions` gives

A ramp of duration T multiplies the term by r, which goes from 0 to 1 with two continuous rates:

    r = s^3 (10 - 15 s + 6 s^2) ,   r' = 30 s^2 (1 - s)^2 / T ,   r'' = 60 s (1 - s)(1 - 2 s) / T^2         (4)
    (r x)' = r' x + r x' ,   (r x)'' = r'' x + 2 r' x' + r x''                                             (5)

`scratch` is an array of at least SCRATCH numbers, used by callbacks. Time that is NaN gives NaN.
"""

import math

import numpy as np

from locomote.compiler.callbacks import call
from locomote.compiler.scalars import cos, floor, sin
from locomote.compiler.source import helper, kernel, routine

TARGET, KIND, FIRST, COUNT, SPARE = range(5)  # columns of rows
COLUMNS = 5
SINE, POLYNOMIAL, CYCLOID, SPLINE, FUNCTION = range(5)
HOLD, ERROR, REPEAT = range(3)  # what a spline does outside its knots
SCRATCH = 8


@helper
def sine(numbers, k, t):
    """(1) and its rates."""
    amplitude, frequency = numbers[k], numbers[k + 1]
    angle = frequency * t + numbers[k + 2]
    s, c = amplitude * sin(angle), amplitude * cos(angle)
    return numbers[k + 3] + s, frequency * c, -frequency * frequency * s


@helper
def polynomial(numbers, first, last, t):
    """(2) and its rates, by Horner's rule; the coefficients are numbers[first:last]."""
    x, dx, ddx = 0.0, 0.0, 0.0
    for k in range(last - 1, first - 1, -1):
        ddx = ddx * t + 2.0 * dx
        dx = dx * t + x
        x = x * t + numbers[k]
    return x, dx, ddx


@helper
def cycloid(numbers, k, t):
    """(3) and its rates; at rest before 0 and after T."""
    start, end, duration = numbers[k], numbers[k + 1], numbers[k + 2]
    turn, s, rate = 2.0 * math.pi, t / duration, (end - start) / duration
    if s <= 0.0:
        x, dx, ddx = start, 0.0, 0.0
    elif s >= 1.0:
        x, dx, ddx = end, 0.0, 0.0
    else:
        x = start + (end - start) * (s - sin(turn * s) / turn)
        dx, ddx = rate * (1.0 - cos(turn * s)), rate / duration * turn * sin(turn * s)
    return x, dx, ddx


@helper
def limited(s):
    """s, but at least 0 and at most 1."""
    if s < 0.0:
        s = 0.0
    elif s > 1.0:
        s = 1.0
    return s


@helper
def piece(numbers, knots, count, t):
    """The piece of a spline that t is in, by bisection; beyond the ends the first or the last."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if numbers[knots + middle] <= t:
            low = middle
        else:
            high = middle
    return low


@helper
def spline(numbers, k, t):
    """A piecewise polynomial; outside its knots held at rest, NaN, or repeated."""
    width, outside, count, knots = int(numbers[k]), int(numbers[k + 1]), int(numbers[k + 2]), k + 3
    start, end = numbers[knots], numbers[knots + count]
    if outside == REPEAT:
        t = t - floor((t - start) / (end - start)) * (end - start)
    before, after = outside != REPEAT and t < start, outside != REPEAT and t > end
    if before:
        t = start
    elif after:
        t = end
    i = piece(numbers, knots, count, t)
    first = knots + count + 1 + i * width
    x, dx, ddx = polynomial(numbers, first, first + width, t - numbers[knots + i])
    if before or after:
        dx, ddx = 0.0, 0.0
        if outside == ERROR:
            x, dx, ddx = math.nan, math.nan, math.nan
    return x, dx, ddx


@helper
def ramped(duration, t, x, dx, ddx):
    """A signal times the ramp: (4), (5)."""
    s = limited(t / duration)
    r, dr = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2 / duration
    ddr = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (duration * duration)
    return r * x, dr * x + r * dx, ddr * x + 2.0 * dr * dx + r * ddx


@routine
def signal(rows, numbers, functions, n, t, scratch):
    """Value, rate and second rate of term n at time t."""
    kind, first = rows[n, KIND], rows[n, FIRST]
    ramps = int(numbers[first])
    k, last = first + 1 + ramps, first + rows[n, COUNT]
    if kind == SINE:
        x, dx, ddx = sine(numbers, k, t)
    elif kind == POLYNOMIAL:
        x, dx, ddx = polynomial(numbers, k, last, t)
    elif kind == CYCLOID:
        x, dx, ddx = cycloid(numbers, k, t)
    elif kind == SPLINE:
        x, dx, ddx = spline(numbers, k, t)
    else:
        call(functions, rows[n, SPARE], t, scratch, scratch, scratch)  # these functions look at t only
        factor = numbers[k]
        x, dx, ddx = factor * scratch[0], factor * scratch[1], factor * scratch[2]
    for j in range(ramps):
        x, dx, ddx = ramped(numbers[first + 1 + j], t, x, dx, ddx)
    return x, dx, ddx


@routine
def signals(rows, numbers, functions, t, x, dx, ddx, scratch):
    """Store all signals and their rates at their targets; other elements stay as they are."""
    for n in range(rows.shape[0]):
        k = rows[n, TARGET]
        x[k], dx[k], ddx[k] = 0.0, 0.0, 0.0
    for n in range(rows.shape[0]):
        k = rows[n, TARGET]
        value, rate, second = signal(rows, numbers, functions, n, t, scratch)
        x[k] = x[k] + value
        dx[k] = dx[k] + rate
        ddx[k] = ddx[k] + second


@routine
def history(rows, numbers, functions, times, motion, scratch):
    """Fill motion (3, N) with one signal and its rates at N times; all rows are its terms."""
    for i in range(times.shape[0]):
        x, dx, ddx = 0.0, 0.0, 0.0
        for n in range(rows.shape[0]):
            value, rate, second = signal(rows, numbers, functions, n, times[i], scratch)
            x, dx, ddx = x + value, dx + rate, ddx + second
        motion[0, i], motion[1, i], motion[2, i] = x, dx, ddx


@kernel
def signals_one(rows, numbers, functions, t, x, dx, ddx, scratch):
    """`signals`, for kernels that call it by address; returns how many terms there are."""
    signals(rows, numbers, functions, t, x, dx, ddx, scratch)
    return rows.shape[0]


@kernel
def compiled_history(rows, numbers, functions, times, motion):
    """`history` for many times."""
    history(rows, numbers, functions, times, motion, np.empty(SCRATCH))
