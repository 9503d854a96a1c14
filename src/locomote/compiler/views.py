"""Small matrices and vectors that stand one after the other in the memory of one array, as arrays of their own.

In compiled code neither takes any time. Views do not own memory: keep the parent alive.
"""

from numba import float64, types
from numba.extending import lower_builtin, type_callable

from locomote.compiler.numba_private import make_array, populate_array


def block(flat, start, rows, columns):
    """A matrix of given rows and columns, from number `start` of a C-contiguous array on."""
    return flat.reshape(-1)[start : start + rows * columns].reshape(rows, columns)


def piece(flat, start, count):
    """A vector, from number `start` of a C-contiguous array on."""
    return flat.reshape(-1)[start : start + count]


def _is_row_by_row(kind) -> bool:
    return isinstance(kind, types.Array) and kind.layout == "C"


@type_callable(block)
def _type_of_block(context):
    def kind(flat, start, rows, columns):
        if _is_row_by_row(flat) and all(isinstance(n, types.Integer) for n in (start, rows, columns)):
            return float64[:, ::1]

    return kind


@type_callable(piece)
def _type_of_piece(context):
    def kind(flat, start, count):
        if _is_row_by_row(flat) and all(isinstance(n, types.Integer) for n in (start, count)):
            return types.Array(flat.dtype, 1, "C")

    return kind


@lower_builtin(block, types.Array, types.Integer, types.Integer, types.Integer)
@lower_builtin(piece, types.Array, types.Integer, types.Integer)
def _part(context, builder, sig, args):
    word, eight = types.intp, context.get_value_type(types.intp)(8)
    start, *shape = (context.cast(builder, arg, kind, word) for arg, kind in zip(args[1:], sig.args[1:], strict=True))
    flat = make_array(sig.args[0])(context, builder, args[0])
    own = make_array(sig.return_type)(context, builder)
    strides = [eight] if len(shape) == 1 else [builder.mul(shape[1], eight), eight]
    data = builder.gep(flat.data, [start])
    populate_array(own, data=data, shape=shape, strides=strides, itemsize=eight, meminfo=None)
    return own._getvalue()
