"""Lanes: a number that is really eight (or four) configurations side by side.

`Lanes` is a Numba type held in one vector register; a float meeting it becomes a vector of equal numbers. `LaneArray` is
an array of them. Routines and helpers compile for it unchanged, since they branch on structure only, on which all
lanes agree. `lane_scratch` makes such arrays; as plain numbers their layout is [row, column, lane].

Tested by tests/laws/spatial/test_groups.py, tests/laws/dynamics/test_batches.py and
tests/laws/methods/timestep/test_contact_lanes.py.
"""

import math
import operator

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

from locomote.compiler import scalars
from locomote.compiler.numba_private import ConcreteTemplate, Conversion, cgutils, infer_global, overload, signature
from locomote.compiler.wheel_kernels import width_here

WIDTH = width_here()
ALIGNMENT = WIDTH * 8
FLAGS = ("contract", "nsz", "arcp")

VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
MASK = ir.VectorType(ir.IntType(1), WIDTH)


class Lanes(types.Type):
    """WIDTH doubles in one register."""

    def __init__(self):
        super().__init__(name=f"Lanes{WIDTH}")

    def unify(self, typingctx, other):
        return self if isinstance(other, (types.Float, types.Integer)) else None

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


class LaneMask(types.Type):
    """The outcome of a comparison, lane by lane."""

    def __init__(self):
        super().__init__(name=f"LaneMask{WIDTH}")


class LaneArray(types.Type):
    """A vector or matrix of Lanes in memory."""

    def __init__(self, ndim):
        self.ndim = ndim
        super().__init__(name=f"LaneArray{WIDTH}({ndim})")


lanes, mask = Lanes(), LaneMask()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


@register_model(LaneMask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, MASK)


@register_model(LaneArray)
class _ArrayModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("data", types.CPointer(types.float64)), ("columns", types.intp)])


def _spread(builder, value):
    """A vector of equal numbers."""
    unknown = ir.Constant(ir.VectorType(value.type, WIDTH), ir.Undefined)
    single = builder.insert_element(unknown, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(single, unknown, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
def _cast(context, builder, source, target, value):
    number = context.cast(builder, value, source, types.float64)
    if isinstance(number, ir.Constant):
        return ir.Constant(VECTOR, [number.constant] * WIDTH)
    return _spread(builder, number)


def _define(operation, result, emit, of=lanes):
    """Type and lower a binary operation of two Lanes, or of two masks."""

    @infer_global(operation)
    class _Template(ConcreteTemplate):
        cases = [signature(result, of, of)]

    @lower_builtin(operation, type(of), type(of))
    def _lower(context, builder, sig, args):
        return emit(builder, *args)


for _operation, _inplace, _name in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    for _symbol in (_operation, _inplace):
        _define(_symbol, lanes, lambda builder, a, b, name=_name: getattr(builder, name)(a, b, flags=FLAGS))
for _operation, _sign in (
    (operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">="), (operator.eq, "=="), (operator.ne, "!="),
):  # fmt: skip
    _define(_operation, mask, lambda builder, a, b, sign=_sign: builder.fcmp_ordered(sign, a, b))

for _operation, _name in ((operator.and_, "and_"), (operator.or_, "or_")):
    _define(_operation, mask, lambda builder, a, b, name=_name: getattr(builder, name)(a, b), of=mask)


@infer_global(operator.invert)
class _Other(ConcreteTemplate):
    cases = [signature(mask, mask)]


@lower_builtin(operator.invert, LaneMask)
def _invert(context, builder, sig, args):
    return builder.not_(args[0])


@infer_global(operator.neg)
class _Negative(ConcreteTemplate):
    cases = [signature(lanes, lanes)]


@lower_builtin(operator.neg, Lanes)
def _negate(context, builder, sig, args):
    return builder.fneg(args[0], flags=FLAGS)


@intrinsic
def _load(typingctx, array, index):
    def emit(context, builder, sig, args):
        return builder.load(_address(context, builder, sig, args), align=ALIGNMENT)

    return lanes(array, index), emit


@intrinsic
def _store(typingctx, array, index, value):
    def emit(context, builder, sig, args):
        value = context.cast(builder, args[2], sig.args[2], lanes)
        builder.store(value, _address(context, builder, sig, args), align=ALIGNMENT)
        return context.get_dummy_value()

    return types.void(array, index, value), emit


def place_of(context, builder, kind, index, columns):
    """Which element of a vector, or of a matrix with a number of columns, an index means."""
    if not isinstance(kind, types.BaseTuple):
        return context.cast(builder, index, kind, types.intp)
    row, column = cgutils.unpack_tuple(builder, index, 2)
    row, column = context.cast(builder, row, kind[0], types.intp), context.cast(builder, column, kind[1], types.intp)
    return builder.add(builder.mul(row, columns, flags=("nsw",)), column, flags=("nsw",))


def _address(context, builder, sig, args):
    array = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
    place = place_of(context, builder, sig.args[1], args[1], array.columns)
    return builder.gep(builder.bitcast(array.data, VECTOR.as_pointer()), [place], inbounds=True)


@overload(operator.getitem, inlined=True)
def _getitem(array, index):
    if isinstance(array, LaneArray):
        return lambda array, index: _load(array, index)


@overload(operator.setitem, inlined=True)
def _setitem(array, index, value):
    if isinstance(array, LaneArray):
        return lambda array, index, value: _store(array, index, value)


def _place(context, builder, sig, args):
    array = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
    first = builder.gep(array.data, [context.cast(builder, args[1], sig.args[1], types.intp)])
    return builder.bitcast(first, VECTOR.as_pointer())


@intrinsic
def load_floats(typingctx, array, start):
    """WIDTH neighbours of a float array as one Lanes."""

    def emit(context, builder, sig, args):
        return builder.load(_place(context, builder, sig, args), align=8)

    return lanes(array, start), emit


@intrinsic
def load_float(typingctx, array, place):
    """The number at a place of a float array, whatever its dimensions; or of an array of Lanes, as numbers."""

    def emit(context, builder, sig, args):
        source = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
        return builder.load(builder.gep(source.data, [context.cast(builder, args[1], sig.args[1], types.intp)]))

    return types.float64(array, place), emit


@intrinsic
def store_float(typingctx, array, place, value):
    """A number to a place of a float array, whatever its dimensions; or of an array of Lanes, as numbers."""

    def emit(context, builder, sig, args):
        target = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
        place = builder.gep(target.data, [context.cast(builder, args[1], sig.args[1], types.intp)])
        builder.store(context.cast(builder, args[2], sig.args[2], types.float64), place)
        return context.get_dummy_value()

    return types.void(array, place, value), emit


@intrinsic
def store_floats(typingctx, array, start, value):
    """One Lanes into WIDTH neighbours of a float array."""

    def emit(context, builder, sig, args):
        builder.store(args[2], _place(context, builder, sig, args), align=8)
        return context.get_dummy_value()

    return types.void(array, start, value), emit


def _transposed(builder, rows):
    """WIDTH vectors with rows and lanes exchanged, by halves of halves."""
    step = 1
    while step < WIDTH:
        for i in range(WIDTH):
            if not i & step:
                a, b = rows[i], rows[i + step]
                low = [lane if not lane & step else WIDTH + lane - step for lane in range(WIDTH)]
                high = [lane + step if not lane & step else WIDTH + lane for lane in range(WIDTH)]
                for place, chosen in ((i, low), (i + step, high)):
                    order = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), chosen)
                    rows[place] = builder.shuffle_vector(a, b, order)
        step *= 2
    return rows


@intrinsic
def exchange(typingctx, source, start, source_step, target, begin, target_step):
    """WIDTH runs of WIDTH numbers, `source_step` apart, from a float array into another with rows and columns exchanged."""

    def emit(context, builder, sig, args):
        take, put = (cgutils.create_struct_proxy(sig.args[k])(context, builder, args[k]) for k in (0, 3))
        whole = [context.cast(builder, args[k], sig.args[k], types.intp) for k in (1, 2, 4, 5)]

        def place(data, first, step, k):
            away = builder.add(first, builder.mul(step, ir.Constant(step.type, k)))
            return builder.bitcast(builder.gep(data, [away]), VECTOR.as_pointer())

        rows = [builder.load(place(take.data, whole[0], whole[1], k), align=8) for k in range(WIDTH)]
        for k, row in enumerate(_transposed(builder, rows)):
            builder.store(row, place(put.data, whole[2], whole[3], k), align=8)
        return context.get_dummy_value()

    return types.void(source, start, source_step, target, begin, target_step), emit


def _unary(name):
    @intrinsic
    def call(typingctx, x):
        def emit(context, builder, sig, args):
            kind = ir.FunctionType(VECTOR, [VECTOR])
            function = cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{WIDTH}f64")
            return builder.call(function, args)

        return lanes(x), emit

    return call


_sqrt, _floor = _unary("llvm.sqrt"), _unary("llvm.floor")


@intrinsic
def _choose(typingctx, condition, yes, no):
    def emit(context, builder, sig, args):
        yes = context.cast(builder, args[1], sig.args[1], lanes)
        no = context.cast(builder, args[2], sig.args[2], lanes)
        return builder.select(args[0], yes, no)

    return lanes(condition, yes, no), emit


@overload(scalars.sqrt, inlined=True)
def _overload_sqrt(x):
    if isinstance(x, Lanes):
        return lambda x: _sqrt(x)


@overload(scalars.floor, inlined=True)
def _overload_floor(x):
    if isinstance(x, Lanes):
        return lambda x: _floor(x)


@overload(scalars.select, inlined=True)
def _overload_select(condition, yes, no):
    if isinstance(condition, LaneMask):
        return lambda condition, yes, no: _choose(condition, yes, no)


@intrinsic
def first_lanes(typingctx, count):
    """A mask of the first `count` lanes, or of all."""

    def emit(context, builder, sig, args):
        places = ir.Constant(ir.VectorType(ir.IntType(64), WIDTH), list(range(WIDTH)))
        return builder.icmp_signed("<", places, _spread(builder, context.cast(builder, args[0], sig.args[0], types.int64)))

    return mask(count), emit


@intrinsic
def any_lane(typingctx, condition):
    """Whether a condition holds in any lane."""

    def emit(context, builder, sig, args):
        bits = builder.bitcast(args[0], ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(condition), emit


@overload(scalars.never, inlined=True)
def _overload_never(condition):
    if isinstance(condition, LaneMask):
        return lambda condition: not any_lane(condition)


@intrinsic
def extract(typingctx, x, k):
    """Lane k of a vector."""

    def emit(context, builder, sig, args):
        return builder.extract_element(args[0], context.cast(builder, args[1], sig.args[1], types.int32))

    return types.float64(x, k), emit


@intrinsic
def insert(typingctx, x, value, k):
    """x with another number in lane k."""

    def emit(context, builder, sig, args):
        return builder.insert_element(args[0], args[1], context.cast(builder, args[2], sig.args[2], types.int32))

    return lanes(x, value, k), emit


def _one_by_one(function, compiled):
    """A function of the math library, lane by lane."""

    @overload(function)
    def _overload(x):
        if isinstance(x, Lanes):

            def each(x):
                result = x
                for k in range(WIDTH):
                    result = insert(result, compiled(extract(x, k)), k)
                return result

            return each


_one_by_one(scalars.exp, math.exp)
_one_by_one(scalars.log, math.log)


@overload(scalars.atan2)
def _overload_atan2(y, x):
    if isinstance(y, Lanes) or isinstance(x, Lanes):

        def each(y, x):
            result, up, along = y + x, y + 0.0 * x, x + 0.0 * y
            for k in range(WIDTH):
                result = insert(result, math.atan2(extract(up, k), extract(along, k)), k)
            return result

        return each
