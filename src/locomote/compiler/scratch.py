"""Memory that a kernel needs while it runs.

`scratch(shape)` is `np.empty(shape)` for vectors and matrices of floats, but what is small stands on the stack of the
kernel, where it costs nothing; an array that is made and thrown away takes as long as a few bodies of a recursion.
`scratch_of(kind, sizes)` is all the scratch that a recursion has declared (`compiler.scratch_layout`).
Use both in the body of a kernel,
not of a helper or routine, whose stack would be gone, nor twice by one line, and never return it.
"""

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from locomote.compiler.numba_private import cgutils, impl_ret_new_ref, make_array, populate_array
from locomote.compiler.scratch_layout import declared, made, shape_of

# numbers; Windows wants to be asked before so much of the stack is used, which compiled kernels cannot
SMALL = 0 if sys.platform == "win32" else 2048
ALIGNMENT = 64
STAGGER = 72  # numbers between arrays on the stack: a store seems to hit every load whose address has the same last digits


def scratch(shape) -> np.ndarray:
    """An array (n,) or (n, m) of floats with anything in it."""
    return np.empty(shape)


def scratch_of(kind, sizes):
    """The arrays of a declared kind, with anything in them."""
    return made(kind, sizes, np.empty)


@type_callable(scratch)
def _type_of_scratch(context):
    def kind(shape):
        if isinstance(shape, types.Integer):
            return types.float64[::1]
        if isinstance(shape, types.BaseTuple) and len(shape) == 2 and all(isinstance(n, types.Integer) for n in shape):
            return types.float64[:, ::1]

    return kind


@type_callable(scratch_of)
def _type_of_scratch_of(context):
    def kind(kind, sizes):
        if isinstance(kind, types.NamedTupleClass) and isinstance(sizes, types.BaseNamedTuple):
            fields = declared(kind.instance_class)
            arrays = [types.float64[::1] if len(field.shape) == 1 else types.float64[:, ::1] for field in fields]
            return named_tuple(arrays, kind.instance_class)

    return kind


def named_tuple(kinds, of):
    """The type of a named tuple of values of these types."""
    if all(kind == kinds[0] for kind in kinds):
        return types.NamedUniTuple(kinds[0], len(kinds), of)
    return types.NamedTuple(kinds, of)


@lower_builtin(scratch, types.Integer)
@lower_builtin(scratch, types.BaseTuple)
def _make_scratch(context, builder, sig, args):
    kind = sig.args[0]
    sizes = [args[0]] if isinstance(kind, types.Integer) else cgutils.unpack_tuple(builder, args[0], len(kind))
    kinds = [kind] if isinstance(kind, types.Integer) else list(kind)
    sizes = [context.cast(builder, size, own, types.intp) for size, own in zip(sizes, kinds, strict=True)]
    return impl_ret_new_ref(context, builder, sig.return_type, _array(context, builder, sig.return_type, sizes))


@lower_builtin(scratch_of, types.NamedTupleClass, types.BaseNamedTuple)
def _make_scratch_of(context, builder, sig, args):
    known, arrays = Words(context, builder, sig.args[1], args[1]), []
    for field, kind in zip(declared(sig.args[0].instance_class), sig.return_type, strict=True):
        arrays.append(_array(context, builder, kind, [known.value(size) for size in shape_of(field, known)]))
    return impl_ret_new_ref(context, builder, sig.return_type, context.make_tuple(builder, sig.return_type, arrays))


class Words:
    """Sizes of a model in code: a named tuple of integers, by attributes."""

    def __init__(self, context, builder, kind, values):
        self.context, self.builder = context, builder
        parts = cgutils.unpack_tuple(builder, values, len(kind))
        for name, part, own in zip(kind.fields, parts, kind, strict=True):
            setattr(self, name, Word(self, context.cast(builder, part, own, types.intp)))

    def value(self, size):
        """A size as code."""
        return size.code if isinstance(size, Word) else self.context.get_constant(types.intp, size)


class Word:
    """An integer in code, not negative."""

    def __init__(self, words: Words, code):
        self.words, self.code = words, code

    def _with(self, name, other):
        return Word(self.words, getattr(self.words.builder, name)(self.code, self.words.value(other)))

    def __add__(self, other):
        return self._with("add", other)

    def __sub__(self, other):
        return self._with("sub", other)

    def __mul__(self, other):
        return self._with("mul", other)

    def __floordiv__(self, other):
        return self._with("udiv", other)


def _array(context, builder, kind, sizes):
    """An array on the stack if it is small, else on the heap; its own reference is new."""
    word = context.get_value_type(types.intp)
    count = sizes[0] if len(sizes) == 1 else builder.mul(*sizes)
    with builder.goto_entry_block():
        stack = builder.alloca(ir.ArrayType(ir.DoubleType(), SMALL + STAGGER))
        stack.align = ALIGNMENT
    on_stack, before = builder.bitcast(stack, ir.DoubleType().as_pointer()), builder.block
    with builder.if_then(builder.icmp_signed(">", count, word(SMALL)), likely=False):
        owner = heap(context, builder, builder.mul(count, word(8)))
        on_heap, after = builder.bitcast(context.nrt.meminfo_data(builder, owner), on_stack.type), builder.block
    data, held = builder.phi(on_stack.type), builder.phi(owner.type)
    for block, place, by in ((before, on_stack, owner.type(None)), (after, on_heap, owner)):
        data.add_incoming(place, block)
        held.add_incoming(by, block)
    return array_at(context, builder, kind, data, sizes, held)


def heap(context, builder, size):
    """A number of bytes of memory, as what counts its references; the kernel ends with an error if there is no such memory."""
    owner = context.nrt.meminfo_alloc_aligned(builder, size, ALIGNMENT)
    with builder.if_then(cgutils.is_null(builder, owner), likely=False):
        context.call_conv.return_user_exc(builder, MemoryError, ("no memory for the work of a kernel",))
    return owner


def array_at(context, builder, kind, data, sizes, owner):
    """An array of floats, row by row, at a place in memory."""
    word = context.get_value_type(types.intp)
    step, steps = word(8), []
    for size in reversed(sizes):
        steps.insert(0, step)
        step = builder.mul(step, size)
    made = make_array(kind)(context, builder)
    populate_array(made, data=data, shape=sizes, strides=steps, itemsize=word(8), meminfo=owner)
    return made._getvalue()
