"""Functions of one number that every backend has: floats, arrays of floats, lanes, symbols.

The bodies here are those of plain Python; `numba` gets its own through `overload` (floats) and through the lanes module.
Symbols need the methods sqrt, sin, cos, exp, log, floor and comparisons, as CasADi's SX has them, and what CasADi has as
functions, atan2 and if_else, either as static methods or there.
"""

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from locomote.compiler.numba_private import overload

NUMBERS = (float, int, np.ndarray, np.number)


def sqrt(x):
    """Square root."""
    return np.sqrt(x) if isinstance(x, NUMBERS) else x.sqrt()


def sin(x):
    """Sine."""
    return np.sin(x) if isinstance(x, NUMBERS) else x.sin()


def cos(x):
    """Cosine."""
    return np.cos(x) if isinstance(x, NUMBERS) else x.cos()


def exp(x):
    """e to the power x."""
    return np.exp(x) if isinstance(x, NUMBERS) else x.exp()


def log(x):
    """Natural logarithm."""
    return np.log(x) if isinstance(x, NUMBERS) else x.log()


def floor(x):
    """Largest integer not above x."""
    return np.floor(x) if isinstance(x, NUMBERS) else x.floor()


def atan2(y, x):
    """Angle of the point (x, y)."""
    if isinstance(y, NUMBERS) and isinstance(x, NUMBERS):
        return np.arctan2(y, x)
    return functions_of(x if isinstance(y, NUMBERS) else y).atan2(y, x)


def select(condition, yes, no):
    """`yes` where the condition holds, else `no`; both are evaluated, so both must be finite where it matters."""
    if isinstance(condition, (bool, np.bool_, np.ndarray)):
        return np.where(condition, yes, no)[()]
    return functions_of(condition).if_else(condition, yes, no)


def is_zero(x):
    """Whether x is known to be zero. A symbol is not, whatever it may stand for."""
    return isinstance(x, NUMBERS) and x == 0.0


def never(condition):
    """Whether a condition holds nowhere: for lanes, in none of them."""
    return not condition


def rounds_left(x):
    """How many rounds an iteration goes on once its values have converged: none, but one for dual numbers, which
    converge one round later."""
    return 0


def functions_of(symbol):
    """Where a kind of symbol keeps its functions of several numbers."""
    if hasattr(symbol, "if_else"):
        return symbol
    import casadi

    return casadi


def _is_float(*kinds):
    return all(isinstance(kind, (types.Float, types.Integer)) for kind in kinds)


@intrinsic
def _float_floor(typingctx, x):
    """LLVM's own; unlike math.floor it yields a float and lets a loop become vector code."""

    def emit(context, builder, sig, args):
        return builder.call(builder.module.declare_intrinsic("llvm.floor", [ir.DoubleType()]), args)

    return types.float64(types.float64), emit


@intrinsic
def _float_select(typingctx, condition, yes, no):
    def emit(context, builder, sig, args):
        return builder.select(args[0], args[1], args[2])

    return types.float64(types.boolean, types.float64, types.float64), emit


@overload(sqrt, inlined=True)
def _sqrt(x):
    if _is_float(x):
        return lambda x: math.sqrt(x)


@overload(sin, inlined=True)
def _sin(x):
    if _is_float(x):
        return lambda x: math.sin(x)


@overload(cos, inlined=True)
def _cos(x):
    if _is_float(x):
        return lambda x: math.cos(x)


@overload(exp, inlined=True)
def _exp(x):
    if _is_float(x):
        return lambda x: math.exp(x)


@overload(log, inlined=True)
def _log(x):
    if _is_float(x):
        return lambda x: math.log(x)


@overload(floor, inlined=True)
def _floor(x):
    if _is_float(x):
        return lambda x: _float_floor(x)


@overload(atan2, inlined=True)
def _atan2(y, x):
    if _is_float(y, x):
        return lambda y, x: math.atan2(y, x)


@overload(select, inlined=True)
def _select(condition, yes, no):
    if isinstance(condition, types.Boolean) and _is_float(yes, no):
        return lambda condition, yes, no: _float_select(condition, yes, no)


@overload(is_zero, inlined=True)
def _is_zero(x):
    return lambda x: x == 0.0


@overload(never, inlined=True)
def _never(condition):
    if isinstance(condition, types.Boolean):
        return lambda condition: not condition


@overload(rounds_left, inlined=True)
def _rounds_left(x):
    if _is_float(x):
        return lambda x: 0
