"""Functions of the user that are met on the way: they know floats only, so theirs alone are differences.

Along each direction in which anything that the function is handed changes, by four calls,

    f' = (8 (f(h) - f(-h)) - (f(2 h) - f(-2 h))) / 12 h ,   h = STEP over the largest derivative                         (1)

with an error of h^4 and of rounding over h. Directions in which nothing changes cost no call.
"""

import numpy as np
from numba import types

from locomote.compiler.callbacks import call
from locomote.compiler.duals.arrays import DualArray, slopes_of, values_of
from locomote.compiler.duals.numbers import Dual, slope_of, value_of
from locomote.compiler.lanes import WIDTH, extract, insert
from locomote.compiler.numba_private import overload, part

STEP = 2e-4


def _shifted(x, direction, step, y):
    values, slopes = values_of(x), slopes_of(x)
    for k in range(values.shape[0]):
        y[k] = values[k] + step * extract(slopes[k], direction)


def _largest(x, direction):
    slopes, most = slopes_of(x), 0.0
    for k in range(x.shape[0]):
        most = max(most, abs(extract(slopes[k], direction)))
    return most


part(_shifted)
part(_largest)


@overload(call, allocates=True, stamped=False)
def _call_with_slopes(functions, k, t, q, v, out):
    arrays = all(isinstance(kind, DualArray) and kind.ndim == 1 for kind in (q, v, out))
    if arrays and isinstance(k, types.Integer) and isinstance(t, (Dual, types.Float)):

        def implementation(functions, k, t, q, v, out):
            near_q, near_v, near_out = np.empty(q.shape[0]), np.empty(v.shape[0]), np.empty(out.shape[0])
            values, change = np.empty(out.shape[0]), np.zeros((WIDTH, out.shape[0]))
            for n in range(near_q.shape[0]):
                near_q[n] = values_of(q)[n]
            for n in range(near_v.shape[0]):
                near_v[n] = values_of(v)[n]
            call(functions, k, value_of(t), near_q, near_v, values)
            for d in range(WIDTH):
                along = extract(slope_of(t), d)
                most = max(abs(along), max(_largest(q, d), _largest(v, d)))
                if most > 0.0:
                    h = STEP / most
                    for s in range(4):
                        step, weight = (2 * (s % 2) - 1) * (1 + s // 2) * h, (2 * (s % 2) - 1) * (8.0 if s < 2 else -1.0)
                        _shifted(q, d, step, near_q)
                        _shifted(v, d, step, near_v)
                        call(functions, k, value_of(t) + step * along, near_q, near_v, near_out)
                        for n in range(near_out.shape[0]):
                            change[d, n] += weight * near_out[n] / (12.0 * h)
            for n in range(near_out.shape[0]):
                out[n] = values[n]
            _put_slopes(out, change)

        return implementation


def _put_slopes(out, change):
    from_slopes = slopes_of(out)
    for n in range(out.shape[0]):
        slope = from_slopes[n]
        for d in range(WIDTH):
            slope = insert(slope, change[d, n], d)
        from_slopes[n] = slope


part(_put_slopes)
