"""Sine and cosine without a branch, so that a loop over many becomes vector code.

The argument is reduced by multiples n of pi/2 in three parts (exact products for n below 2^20), then two polynomials
(those of the standard math libraries, after Cody and Waite) give both values. Absolute error below 2.3e-16 up to
|x| = REACH; beyond it `sines` hands over to the math library.
"""

import math

from numba import types
from numba.extending import overload

from locomote.engine.lanes import WIDTH, LaneArray, Lanes, extract, load_floats, store_floats
from locomote.engine.scalars import INLINED, cos, floor, rint, select, sin
from locomote.engine.source import helper

REACH = 1e6
TWO_OVER_PI = 0.6366197723675814
PART_1, PART_2, PART_3 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
S1, S2, S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S4, S5, S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C1, C2, C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C4, C5, C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


@helper
def polynomial_sincos(x):
    """Sine and cosine for |x| <= REACH."""
    n = rint(x * TWO_OVER_PI)
    r = ((x - n * PART_1) - n * PART_2) - n * PART_3
    z = r * r
    near_sin = r + r * z * (S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)))))
    near_cos = 1.0 - (0.5 * z - z * z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * C6))))))
    half, half_up = 0.5 * n, 0.5 * n + 0.5
    odd = half != floor(half)
    sin_half, cos_half = 0.5 * floor(half), 0.5 * floor(half_up)
    s, c = select(odd, near_cos, near_sin), select(odd, near_sin, near_cos)
    return select(sin_half != floor(sin_half), -s, s), select(cos_half != floor(cos_half), -c, c)


@helper
def padded(count):
    """The next multiple of the number of lanes."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


def sines(q, count, sine, cosine):
    """Fill `sine` and `cosine` with those of the first `count` entries of q, whether they are angles or not."""
    for i in range(count):
        sine[i], cosine[i] = sin(q[i]), cos(q[i])


@overload(sines)
def _sines(q, count, sine, cosine):
    if isinstance(q, types.Array):

        def floats(q, count, sine, cosine):
            far = 0.0
            if count < WIDTH:
                for i in range(count):
                    sine[i], cosine[i] = polynomial_sincos(q[i])
                    far = far + select(q[i] * q[i] > REACH * REACH, 1.0, 0.0)
            else:
                fars = 0.0 * load_floats(q, 0)
                for begin in range(0, count, WIDTH):
                    i = min(begin, count - WIDTH)  # the last vector may overlap the one before
                    x = load_floats(q, i)
                    s, c = polynomial_sincos(x)
                    store_floats(sine, i, s)
                    store_floats(cosine, i, c)
                    fars = select(x * x > REACH * REACH, 1.0, fars)
                for k in range(WIDTH):
                    far = far + extract(fars, k)
            if not far == 0.0:  # or no number
                for i in range(count):
                    sine[i], cosine[i] = math.sin(q[i]), math.cos(q[i])

        return floats
    if isinstance(q, LaneArray):

        def vectors(q, count, sine, cosine):
            for i in range(count):
                sine[i], cosine[i] = polynomial_sincos(q[i])

        return vectors


@overload(sin, jit_options=INLINED)
def _sin(x):
    if isinstance(x, Lanes):
        return lambda x: polynomial_sincos(x)[0]


@overload(cos, jit_options=INLINED)
def _cos(x):
    if isinstance(x, Lanes):
        return lambda x: polynomial_sincos(x)[1]
