"""Sine and cosine without a branch, so that a loop over many becomes vector code.

The argument is reduced by multiples n of pi/2 in two parts (the first product is exact for n below 2^20), then two
polynomials (those of the standard math libraries, after Cody and Waite) give both values. Absolute error below 2.3e-16 up to
|x| = REACH; beyond it, the math library takes over. n is rounded by adding a large number, in whose lowest bits it then stands.
"""

import math

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from locomote.compiler.lanes import WIDTH, LaneArray, Lanes, any_lane, extract, insert, load_floats, store_floats
from locomote.compiler.numba_private import overload
from locomote.compiler.scalars import cos, select, sin
from locomote.compiler.source import helper, routine

REACH = 1e6
ROUNDER = 1.5 * 2.0**52  # large enough that adding it leaves no digits behind the point
TWO_OVER_PI = 0.6366197723675814
PART_1, PART_2, PART_3 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
REST = PART_2 + PART_3
S1, S2, S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S4, S5, S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C1, C2, C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C4, C5, C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


@intrinsic
def _by_quadrant(typingctx, rounded, s, c):
    """(s, c) turned by as many quarters as the lowest bits of `rounded` tell."""
    kind = s if isinstance(s, Lanes) else types.float64

    def emit(context, builder, sig, args):
        word = ir.IntType(64)
        if isinstance(kind, Lanes):
            word = ir.VectorType(word, WIDTH)
        number = args[1].type

        def whole(value):
            return ir.Constant(word, [value] * WIDTH if isinstance(kind, Lanes) else value)

        quarters = builder.bitcast(args[0], word)
        odd = builder.icmp_signed("<", builder.shl(quarters, whole(63)), whole(0))
        pair = builder.select(odd, args[2], args[1]), builder.select(odd, args[1], args[2])
        turned = []
        for value, turns in zip(pair, (quarters, builder.add(quarters, whole(1))), strict=True):
            sign = builder.shl(builder.and_(turns, whole(2)), whole(62))
            turned.append(builder.bitcast(builder.xor(builder.bitcast(value, word), sign), number))
        return context.make_tuple(builder, sig.return_type, turned)

    return types.UniTuple(kind, 2)(kind, kind, kind), emit


@helper
def polynomial_sincos(x):
    """Sine and cosine for |x| <= REACH."""
    rounded = x * TWO_OVER_PI + ROUNDER
    n = rounded - ROUNDER
    r = (x - n * PART_1) - n * REST
    z = r * r
    zz = z * z  # polynomials by pairs: the way where results wait least for others
    near_sin = r + r * z * ((S1 + z * S2) + zz * ((S3 + z * S4) + zz * (S5 + z * S6)))
    near_cos = (1.0 - 0.5 * z) + zz * ((C1 + z * C2) + zz * ((C3 + z * C4) + zz * (C5 + z * C6)))
    return _by_quadrant(rounded, near_sin, near_cos)


@helper
def padded(count):
    """The next multiple of the number of lanes."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


def sines_ahead(q, count, sine, cosine):
    """Fill `sine` and `cosine` with those of the first `count` entries of q, whether they are angles or not, if that is quicker
    than one by one. `sincos_at` knows."""


def sincos_at(q, k, sine, cosine):
    """Sine and cosine of entry k of q, after `sines_ahead`."""
    return sin(q[k]), cos(q[k])


@overload(sines_ahead)
def _sines_ahead(q, count, sine, cosine):
    if isinstance(q, LaneArray):
        return sines_ahead
    if not isinstance(q, types.Array):
        return None

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


@overload(sincos_at, inlined=True)
def _sincos_at(q, k, sine, cosine):
    if isinstance(q, LaneArray):
        return lambda q, k, sine, cosine: lane_sincos(q[k])
    if isinstance(q, types.Array):
        return lambda q, k, sine, cosine: (sine[k], cosine[k])


@helper
def lane_sincos(x):
    """Sine and cosine of a number or of lanes, however large."""
    if any_lane(x * x > REACH * REACH):
        s, c = library_sincos(x)
    else:
        s, c = polynomial_sincos(x)
    return s, c


@routine
def library_sincos(x):
    """Sine and cosine of lanes, one by one."""
    s, c = x, x
    for k in range(WIDTH):
        s, c = insert(s, math.sin(extract(x, k)), k), insert(c, math.cos(extract(x, k)), k)
    return s, c


@overload(sin, inlined=True)
def _sin(x):
    if isinstance(x, Lanes):
        return lambda x: lane_sincos(x)[0]


@overload(cos, inlined=True)
def _cos(x):
    if isinstance(x, Lanes):
        return lambda x: lane_sincos(x)[1]
