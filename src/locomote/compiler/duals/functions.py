"""Functions of dual numbers: those of `compiler.scalars`, and what laws of force may use of Python and of `math`.

Where a function has no derivative (the root of zero, the size of zero), the one that is given is that of the branch that values
at that place belong to, or is not finite, as the formula says.
"""

import builtins
import math
import operator

from numba import types

from locomote.compiler import scalars
from locomote.compiler.duals.arrays import DualArray
from locomote.compiler.duals.numbers import Dual, chosen, is_number, slope_of, value_of, with_slope
from locomote.compiler.numba_private import overload
from locomote.compiler.trigonometry import sincos_at, sines_ahead


def of_one(functions, implementation):
    """Let each of these functions of one Dual be this."""
    for function in functions:

        @overload(function, inlined=True, stamped=False, strict=False)
        def _overload(x, _implementation=implementation):
            if isinstance(x, Dual):
                return _implementation


def _sqrt(x):
    root = math.sqrt(value_of(x))
    return with_slope(root, 0.5 / root * slope_of(x))


def _sin(x):
    return with_slope(math.sin(value_of(x)), math.cos(value_of(x)) * slope_of(x))


def _cos(x):
    return with_slope(math.cos(value_of(x)), -math.sin(value_of(x)) * slope_of(x))


def _tan(x):
    tangent = math.tan(value_of(x))
    return with_slope(tangent, (1.0 + tangent * tangent) * slope_of(x))


def _exp(x):
    power = math.exp(value_of(x))
    return with_slope(power, power * slope_of(x))


def _log(x):
    return with_slope(math.log(value_of(x)), 1.0 / value_of(x) * slope_of(x))


def _tanh(x):
    level = math.tanh(value_of(x))
    return with_slope(level, (1.0 - level * level) * slope_of(x))


def _atan(x):
    return with_slope(math.atan(value_of(x)), 1.0 / (1.0 + value_of(x) * value_of(x)) * slope_of(x))


def _floor(x):
    return scalars.floor(value_of(x))


def _int(x):
    return int(value_of(x))


def _abs(x):
    return chosen(value_of(x) < 0.0, -x, x)


for _functions, _implementation in (
    ((scalars.sqrt, math.sqrt), _sqrt),
    ((scalars.sin, math.sin), _sin),
    ((scalars.cos, math.cos), _cos),
    ((math.tan,), _tan),
    ((scalars.exp, math.exp), _exp),
    ((scalars.log, math.log), _log),
    ((math.tanh,), _tanh),
    ((math.atan,), _atan),
    ((scalars.floor, math.floor), _floor),
    ((builtins.abs, math.fabs), _abs),
    ((builtins.int,), _int),
):
    of_one(_functions, _implementation)


def of_two(functions, implementation):
    """Let each of these functions of two numbers, of which one is a Dual at least, be this."""
    for function in functions:

        @overload(function, inlined=True, stamped=False, strict=False)
        def _overload(x, y, _implementation=implementation):
            if is_number(x) and is_number(y) and (isinstance(x, Dual) or isinstance(y, Dual)):
                return _implementation


def _atan2(x, y):
    a, b = value_of(x), value_of(y)
    square = a * a + b * b
    return with_slope(math.atan2(a, b), b / square * slope_of(x) - a / square * slope_of(y))


def _max(x, y):
    return chosen(value_of(x) < value_of(y), y, x)


def _min(x, y):
    return chosen(value_of(y) < value_of(x), y, x)


def _hypot(x, y):
    a, b = value_of(x), value_of(y)
    length = math.hypot(a, b)
    return with_slope(length, a / length * slope_of(x) + b / length * slope_of(y))


def _whole_quotient(x, y):
    return value_of(x) // value_of(y)


def _remainder(x, y):
    return x - (value_of(x) // value_of(y)) * y


for _functions, _implementation in (
    ((scalars.atan2, math.atan2), _atan2),
    ((builtins.max,), _max),
    ((builtins.min,), _min),
    ((math.hypot,), _hypot),
    ((operator.floordiv,), _whole_quotient),
    ((operator.mod,), _remainder),
):
    of_two(_functions, _implementation)


@overload(operator.pow, inlined=True, stamped=False)
def _power(x, y):
    if isinstance(x, Dual) and isinstance(y, (types.Integer, types.Float)):
        return lambda x, y: with_slope(value_of(x) ** y, y * value_of(x) ** (y - 1) * slope_of(x))
    if isinstance(y, Dual) and is_number(x):

        def general(x, y):
            power = value_of(x) ** value_of(y)
            return with_slope(power, power * slope_of(math.log(x) * y))

        return general


@overload(scalars.select, inlined=True, stamped=False)
def _select(condition, yes, no):
    if isinstance(condition, types.Boolean) and (isinstance(yes, Dual) or isinstance(no, Dual)):
        return lambda condition, yes, no: chosen(condition, yes, no)


@overload(scalars.rounds_left, inlined=True, stamped=False)
def _rounds_left(x):
    if isinstance(x, Dual):
        return lambda x: 1


@overload(sines_ahead, stamped=False)
def _sines_ahead(q, count, sine, cosine):
    if isinstance(q, DualArray):

        def each(q, count, sine, cosine):
            for k in range(count):
                x = q[k]
                s, c = math.sin(value_of(x)), math.cos(value_of(x))
                sine[k], cosine[k] = with_slope(s, c * slope_of(x)), with_slope(c, -s * slope_of(x))

        return each


@overload(sincos_at, inlined=True, stamped=False)
def _sincos_at(q, k, sine, cosine):
    if isinstance(q, DualArray):
        return lambda q, k, sine, cosine: (sine[k], cosine[k])
