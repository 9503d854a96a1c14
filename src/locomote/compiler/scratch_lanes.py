"""Declared scratch (`compiler.scratch_layout`) for lanes: arrays of several kinds, one after the other in one block."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, type_callable

from locomote.compiler.lanes import ALIGNMENT, WIDTH, LaneArray
from locomote.compiler.numba_private import cgutils, impl_ret_new_ref
from locomote.compiler.scratch import Words, array_at, heap, named_tuple
from locomote.compiler.scratch_layout import declared, shape_of

FLOATS = types.float64[::1]


def lane_scratch(kinds, sizes):
    """The memory, and the arrays of Lanes of each of the kinds, with anything in them.

    The arrays do not own their memory: their user calls `hold(memory)` at the end.
    """
    raise NotImplementedError("lanes are there in compiled code only")


@type_callable(lane_scratch)
def _type_of_lane_scratch(context):
    def kind(kinds, sizes):
        if isinstance(kinds, types.BaseTuple) and isinstance(sizes, types.BaseNamedTuple):
            return types.Tuple((FLOATS, *(_lanes_of(kind.instance_class) for kind in kinds)))

    return kind


def _lanes_of(kind):
    return named_tuple([LaneArray(len(field.shape)) for field in declared(kind)], kind)


@lower_builtin(lane_scratch, types.BaseTuple, types.BaseNamedTuple)
def _make_lane_scratch(context, builder, sig, args):
    word, known = context.get_value_type(types.intp), Words(context, builder, sig.args[1], args[1])
    shapes = [[shape_of(x, known) for x in declared(kind.instance_class)] for kind in sig.args[0]]
    starts, total = [], word(0)
    for shape in (shape for kind in shapes for shape in kind):
        starts.append(total)
        count = word(WIDTH)
        for size in shape:
            count = builder.mul(count, known.value(size))
        total = builder.add(total, count)
    # what counts references aligns by itself; room for one vector more, since arrays are looked at beyond their last
    owner = heap(context, builder, builder.mul(builder.add(total, word(WIDTH)), word(8)))
    data = builder.bitcast(context.nrt.meminfo_data(builder, owner), ir.DoubleType().as_pointer())
    places, sets = iter(starts), []
    for kind, own in zip(sig.return_type.types[1:], shapes, strict=True):
        arrays = []
        for lanes, shape in zip(kind.types, own, strict=True):
            array = cgutils.create_struct_proxy(lanes)(context, builder)
            array.data = builder.gep(data, [next(places)])
            array.columns = known.value(shape[-1]) if len(shape) == 2 else word(1)
            arrays.append(array._getvalue())
        sets.append(context.make_tuple(builder, kind, arrays))
    memory = array_at(context, builder, FLOATS, data, [total], owner)
    return impl_ret_new_ref(context, builder, sig.return_type, context.make_tuple(builder, sig.return_type, [memory, *sets]))


assert ALIGNMENT <= 64, "memory for lanes is aligned to 64 bytes"


@intrinsic
def hold(typingctx, memory):
    """Keep memory up to here."""

    def emit(context, builder, sig, args):
        return context.get_dummy_value()

    return types.void(memory), emit
