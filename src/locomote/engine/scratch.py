"""Memory that a kernel needs while it runs.

`scratch(shape)` is `np.empty(shape)` for vectors and matrices of floats, but what is small stands on the stack of the
kernel, where it costs nothing; an array that is made and thrown away takes as long as a few bodies of a recursion. Use it in
the body of a kernel, not of a helper or routine, whose stack would be gone, nor twice by one line, and never return it.
"""

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from locomote.engine.numba_private import cgutils, impl_ret_new_ref, make_array, populate_array

# numbers; Windows wants to be asked before so much of the stack is used, which compiled kernels cannot
SMALL = 0 if sys.platform == "win32" else 2048
ALIGNMENT = 64
STAGGER = 72  # numbers between arrays on the stack: a store seems to hit every load whose address has the same last digits


def scratch(shape) -> np.ndarray:
    """An array (n,) or (n, m) of floats with anything in it."""
    return np.empty(shape)


@type_callable(scratch)
def _type_of_scratch(context):
    def kind(shape):
        if isinstance(shape, types.Integer):
            return types.float64[::1]
        if isinstance(shape, types.BaseTuple) and len(shape) == 2 and all(isinstance(n, types.Integer) for n in shape):
            return types.float64[:, ::1]

    return kind


@lower_builtin(scratch, types.Integer)
@lower_builtin(scratch, types.BaseTuple)
def _make_scratch(context, builder, sig, args):
    kind, word = sig.args[0], context.get_value_type(types.intp)
    sizes = [args[0]] if isinstance(kind, types.Integer) else cgutils.unpack_tuple(builder, args[0], len(kind))
    kinds = [kind] if isinstance(kind, types.Integer) else list(kind)
    sizes = [context.cast(builder, size, own, types.intp) for size, own in zip(sizes, kinds, strict=True)]
    count = sizes[0] if len(sizes) == 1 else builder.mul(*sizes)
    with builder.goto_entry_block():
        stack = builder.alloca(ir.ArrayType(ir.DoubleType(), SMALL + STAGGER))
        stack.align = ALIGNMENT
    on_stack, before = builder.bitcast(stack, ir.DoubleType().as_pointer()), builder.block
    with builder.if_then(builder.icmp_signed(">", count, word(SMALL)), likely=False):
        owner = context.nrt.meminfo_alloc_aligned(builder, builder.mul(count, word(8)), ALIGNMENT)
        with builder.if_then(cgutils.is_null(builder, owner), likely=False):
            context.call_conv.return_user_exc(builder, MemoryError, ("no memory for the work of a kernel",))
        on_heap, after = builder.bitcast(context.nrt.meminfo_data(builder, owner), on_stack.type), builder.block
    data, held = builder.phi(on_stack.type), builder.phi(owner.type)
    for block, place, by in ((before, on_stack, owner.type(None)), (after, on_heap, owner)):
        data.add_incoming(place, block)
        held.add_incoming(by, block)
    step, steps = word(8), []
    for size in reversed(sizes):
        steps.insert(0, step)
        step = builder.mul(step, size)
    made = make_array(sig.return_type)(context, builder)
    populate_array(made, data=data, shape=sizes, strides=steps, itemsize=word(8), meminfo=held)
    return impl_ret_new_ref(context, builder, sig.return_type, made._getvalue())
