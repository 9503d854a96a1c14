"""A dual number: a value, and its derivatives along WIDTH directions in one register.

    (a, a') + (b, b') = (a + b, a' + b') ,   (a, a') (b, b') = (a b, a b' + a' b) ,   f(a, a') = (f(a), f_a a')

`Dual` is a Numba type; a float meeting it has derivatives zero. Comparisons look at values, so that routines branch, pivot and
decide ranks as they do on floats. Routines and helpers compile for it unchanged, and what they fill then are exact derivatives.

The type has the stamp of this folder in its name: kernels that use it are found by it, and all others are found as if
this folder were not there.
"""

import operator

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model, type_callable

from locomote.compiler.fingerprint import source_stamp
from locomote.compiler.lanes import FLAGS, VECTOR, WIDTH, _spread, lanes
from locomote.compiler.numba_private import Conversion, cgutils

STAMP = source_stamp("compiler/duals")[:8]
NONE = ir.Constant(VECTOR, [0.0] * WIDTH)  # no slopes


class Dual(types.Type):
    """A double and WIDTH derivatives."""

    def __init__(self):
        super().__init__(name=f"Dual{WIDTH}_{STAMP}")

    def unify(self, typingctx, other):
        return self if isinstance(other, (types.Float, types.Integer)) else None

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


dual = Dual()


@register_model(Dual)
class _DualModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("value", types.float64), ("slope", lanes)])


def parts(context, builder, kind, number):
    """Value and derivatives of what is emitted; derivatives are None for a float."""
    if isinstance(kind, Dual):
        return builder.extract_value(number, 0), builder.extract_value(number, 1)
    return context.cast(builder, number, kind, types.float64), None


def joined(context, builder, value, slope):
    """A Dual of a value and derivatives."""
    number = cgutils.create_struct_proxy(dual)(context, builder)
    number.value, number.slope = value, NONE if slope is None else slope
    return number._getvalue()


@lower_cast(types.Float, Dual)
@lower_cast(types.Integer, Dual)
def _cast(context, builder, source, target, number):
    return joined(context, builder, context.cast(builder, number, source, types.float64), None)


def is_number(kind) -> bool:
    """Whether a type is a float, an integer or a Dual."""
    return isinstance(kind, (Dual, types.Float, types.Integer))


def _type_of_two(operation, gives):
    @type_callable(operation)
    def _typer(context):
        def typer(a, b):
            if is_number(a) and is_number(b) and (isinstance(a, Dual) or isinstance(b, Dual)):
                return gives

        return typer


def _define(operation, gives, emit):
    """Type and lower an operation of two numbers, of which at least one is a Dual."""
    _type_of_two(operation, gives)
    for kinds in ((Dual, Dual), (Dual, types.Float), (types.Float, Dual), (Dual, types.Integer), (types.Integer, Dual)):

        @lower_builtin(operation, *kinds)
        def _lower(context, builder, sig, args):
            a, da = parts(context, builder, sig.args[0], args[0])
            b, db = parts(context, builder, sig.args[1], args[1])
            return emit(context, builder, a, da, b, db)


def _sum(context, builder, a, da, b, db):
    slope = db if da is None else da if db is None else builder.fadd(da, db, flags=FLAGS)
    return joined(context, builder, builder.fadd(a, b, flags=FLAGS), slope)


def _difference(context, builder, a, da, b, db):
    if db is None:
        slope = da
    else:
        slope = builder.fneg(db, flags=FLAGS) if da is None else builder.fsub(da, db, flags=FLAGS)
    return joined(context, builder, builder.fsub(a, b, flags=FLAGS), slope)


def _scaled(builder, weight, slope):
    return builder.fmul(_spread(builder, weight), slope, flags=FLAGS)


def _product(context, builder, a, da, b, db):
    if da is None:
        slope = _scaled(builder, a, db)
    elif db is None:
        slope = _scaled(builder, b, da)
    else:
        slope = builder.fadd(_scaled(builder, a, db), _scaled(builder, b, da), flags=FLAGS)
    return joined(context, builder, builder.fmul(a, b, flags=FLAGS), slope)


def _quotient(context, builder, a, da, b, db):
    """(a / b)' = (a' - (a / b) b') / b"""
    value, one = builder.fdiv(a, b, flags=FLAGS), ir.Constant(ir.DoubleType(), 1.0)
    if db is None:
        slope = _scaled(builder, builder.fdiv(one, b, flags=FLAGS), da)
    else:
        slope = builder.fneg(_scaled(builder, value, db), flags=FLAGS)
        if da is not None:
            slope = builder.fadd(da, slope, flags=FLAGS)
        slope = _scaled(builder, builder.fdiv(one, b, flags=FLAGS), slope)
    return joined(context, builder, value, slope)


for _symbols, _emit in (
    ((operator.add, operator.iadd), _sum),
    ((operator.sub, operator.isub), _difference),
    ((operator.mul, operator.imul), _product),
    ((operator.truediv, operator.itruediv), _quotient),
):
    for _symbol in _symbols:
        _define(_symbol, dual, _emit)
for _symbol, _sign in (
    (operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">="), (operator.eq, "=="),
):  # fmt: skip
    _define(_symbol, types.boolean, lambda context, builder, a, da, b, db, sign=_sign: builder.fcmp_ordered(sign, a, b))
_define(operator.ne, types.boolean, lambda context, builder, a, da, b, db: builder.fcmp_unordered("!=", a, b))


@type_callable(operator.neg)
def _type_of_negative(context):
    def typer(x):
        if isinstance(x, Dual):
            return dual

    return typer


@lower_builtin(operator.neg, Dual)
def _negative(context, builder, sig, args):
    value, slope = parts(context, builder, dual, args[0])
    return joined(context, builder, builder.fneg(value, flags=FLAGS), builder.fneg(slope, flags=FLAGS))


@intrinsic
def with_slope(typingctx, value, slope):
    """A Dual of a float and Lanes."""

    def emit(context, builder, sig, args):
        return joined(context, builder, *args)

    return dual(types.float64, lanes), emit


@intrinsic
def value_of(typingctx, x):
    """The value of a Dual, or a float as it is."""

    def emit(context, builder, sig, args):
        return parts(context, builder, sig.args[0], args[0])[0]

    return types.float64(x), emit


@intrinsic
def slope_of(typingctx, x):
    """The derivatives of a Dual, as Lanes; zeros for a float."""

    def emit(context, builder, sig, args):
        slope = parts(context, builder, sig.args[0], args[0])[1]
        return NONE if slope is None else slope

    return lanes(x), emit


@intrinsic
def chosen(typingctx, condition, yes, no):
    """One of two numbers, whole."""

    def emit(context, builder, sig, args):
        yes, no = (context.cast(builder, args[k], sig.args[k], dual) for k in (1, 2))
        return joined(
            context,
            builder,
            *(builder.select(args[0], builder.extract_value(yes, k), builder.extract_value(no, k)) for k in (0, 1)),
        )

    return dual(types.boolean, yes, no), emit
