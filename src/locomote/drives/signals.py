"""Signals: packed functions of time, each with its two rates.

A signal is a sum of terms. A term is a row [TARGET, KIND, FIRST, COUNT, SPARE] and COUNT numbers from FIRST on: how many ramps,
their durations, then what the law of its kind needs, `motion` of the file in `kinds/` that has this NUMBER.

A ramp of duration T multiplies the term by r, which goes from 0 to 1 with two continuous rates:

    r = s^3 (10 - 15 s + 6 s^2) ,   r' = 30 s^2 (1 - s)^2 / T ,   r'' = 60 s (1 - s)(1 - 2 s) / T^2         (1)
    (r x)' = r' x + r x' ,   (r x)'' = r'' x + 2 r' x' + r x''                                             (2)

`scratch` is an array of at least SCRATCH numbers, used by callbacks. Time that is NaN gives NaN.
"""

import numpy as np

from locomote.compiler.source import helper, kernel, routine
from locomote.drives.kinds import function
from locomote.drives.table import LAWS
from locomote.model.joints.paste import by_kind, each

TARGET, KIND, FIRST, COUNT, SPARE = range(5)  # columns of rows
COLUMNS = 5
SCRATCH = 8

for_all_kinds = by_kind([law for law in LAWS if law is not function], function)


@helper
def limited(s):
    """s, but at least 0 and at most 1."""
    if s < 0.0:
        s = 0.0
    elif s > 1.0:
        s = 1.0
    return s


@helper
def ramped(duration, t, x, dx, ddx):
    """A signal times the ramp: (1), (2)."""
    s = limited(t / duration)
    r, dr = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2 / duration
    ddr = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (duration * duration)
    return r * x, dr * x + r * dx, ddr * x + 2.0 * dr * dx + r * ddx


@routine
@for_all_kinds
def signal(rows, numbers, functions, n, t, scratch):
    """Value, rate and second rate of term n at time t."""
    kind, first, called = rows[n, KIND], rows[n, FIRST], rows[n, SPARE]
    ramps = int(numbers[first])
    k, last = first + 1 + ramps, first + rows[n, COUNT]
    x, dx, ddx = each(kind).motion(numbers, k, last, t, functions, called, scratch)
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
