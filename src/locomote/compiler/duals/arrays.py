"""Vectors and matrices of dual numbers, and records of them.

`Duals(shape)` keeps values and derivatives apart: values as any array of floats, `slopes` [..., direction] behind each other,
so that values can be handed to code for floats only, and derivatives be read as lanes (`slopes_of`). A `DualRecord` stands for
a `Record` (`compiler.records`) some of whose arrays are Duals: compiled code sees the same names.
"""

import hashlib
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from locomote.compiler.duals.numbers import STAMP, dual, joined, parts
from locomote.compiler.lanes import ALIGNMENT, VECTOR, WIDTH, LaneArray, place_of
from locomote.compiler.numba_private import AttributeTemplate, cgutils, impl_ret_borrowed, overload, populate_array
from locomote.compiler.records import Record, array_from, by_address, word_reader

_ENTRY = 4  # address of values, length, width, address of slopes
_WORD = ir.IntType(64)


class Duals:
    """An array (n,) or (n, m) of dual numbers, zero at first: `values`, and `slopes` (..., WIDTH)."""

    def __init__(self, shape: int | tuple[int, ...]):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        count = int(np.prod(shape)) * WIDTH
        room = np.zeros(count + WIDTH)
        start = -(room.ctypes.data // 8) % WIDTH
        self.values, self.slopes = np.zeros(shape), room[start : start + count].reshape(*shape, WIDTH)
        self.entry = [self.values.ctypes.data, *shape, *[1] * (2 - len(shape)), self.slopes.ctypes.data]
        self._table = np.array(self.entry, np.int64)
        self.address = self._table.ctypes.data

    @property
    def ndim(self) -> int:
        """1 or 2."""
        return self.values.ndim


class DualArray(types.Type):
    """The type of Duals in compiled code."""

    def __init__(self, ndim):
        self.ndim = ndim
        super().__init__(name=f"DualArray{WIDTH}_{STAMP}({ndim})")


@typeof_impl.register(Duals)
def _typeof(value, c):
    return DualArray(value.ndim)


@register_model(DualArray)
class _ArrayModel(models.StructModel):
    def __init__(self, manager, kind):
        numbers, word = types.CPointer(types.float64), types.intp
        super().__init__(manager, kind, [("values", numbers), ("length", word), ("width", word), ("slopes", numbers)])


def _loaded(context, builder, kind, address):
    """The DualArray whose four words stand at an address."""
    word, array = word_reader(builder, address), cgutils.create_struct_proxy(kind)(context, builder)
    array.values = builder.inttoptr(word(0), ir.DoubleType().as_pointer())
    array.length, array.width = word(1), word(2)
    array.slopes = builder.inttoptr(word(3), ir.DoubleType().as_pointer())
    return array._getvalue()


@unbox(DualArray)
def _unbox(kind, value, c):
    found = by_address(kind, value, c)
    return NativeValue(_loaded(c.context, c.builder, kind, found.value), is_error=found.is_error)


@infer_getattr
class _ArrayAttributes(AttributeTemplate):
    key = DualArray

    def resolve_shape(self, kind):
        return types.UniTuple(types.intp, kind.ndim)


@lower_getattr(DualArray, "shape")
def _shape(context, builder, kind, value):
    array = cgutils.create_struct_proxy(kind)(context, builder, value)
    return cgutils.pack_array(builder, [array.length, array.width][: kind.ndim])


def _places(context, builder, sig, args):
    """Addresses of the value and of the derivatives of an element."""
    array = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
    place = place_of(context, builder, sig.args[1], args[1], array.width)
    slopes = builder.bitcast(array.slopes, VECTOR.as_pointer())
    return builder.gep(array.values, [place], inbounds=True), builder.gep(slopes, [place], inbounds=True)


@intrinsic
def _load(typingctx, array, index):
    def emit(context, builder, sig, args):
        value, slope = _places(context, builder, sig, args)
        return joined(context, builder, builder.load(value), builder.load(slope, align=ALIGNMENT))

    return dual(array, index), emit


@intrinsic
def _store(typingctx, array, index, number):
    def emit(context, builder, sig, args):
        number = context.cast(builder, args[2], sig.args[2], dual)
        for part, place in zip(parts(context, builder, dual, number), _places(context, builder, sig, args), strict=True):
            builder.store(part, place, align=ALIGNMENT if isinstance(part.type, ir.VectorType) else 8)
        return context.get_dummy_value()

    return types.void(array, index, number), emit


@overload(operator.getitem, inlined=True, stamped=False)
def _getitem(array, index):
    if isinstance(array, DualArray):
        return lambda array, index: _load(array, index)


@overload(operator.setitem, inlined=True, stamped=False)
def _setitem(array, index, value):
    if isinstance(array, DualArray):
        return lambda array, index, value: _store(array, index, value)


@intrinsic
def slopes_of(typingctx, array):
    """The derivatives of an array, as an array of Lanes."""

    def emit(context, builder, sig, args):
        source = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
        view = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        view.data, view.columns = source.slopes, source.width
        return view._getvalue()

    return LaneArray(array.ndim)(array), emit


@intrinsic
def values_of(typingctx, array):
    """The values of an array, as an array of floats."""
    kind = types.Array(types.float64, array.ndim, "C")

    def emit(context, builder, sig, args):
        source = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0])
        view, size = context.make_array(kind)(context, builder), context.get_constant(types.intp, 8)
        shape = [source.length, source.width][: kind.ndim]
        strides = [size] if kind.ndim == 1 else [builder.mul(source.width, size), size]
        populate_array(view, data=source.values, shape=shape, strides=strides, itemsize=size, meminfo=None)
        return impl_ret_borrowed(context, builder, kind, view._getvalue())

    return kind(array), emit


class DualRecord:
    """The arrays of a Record, of which those with names in `replaced` are Duals; the others are the same memory."""

    def __init__(self, record: Record, replaced: dict[str, Duals]):
        self.kind, self.record, self._duals = type(record), record, replaced
        table = np.zeros((len(record.FIELDS), _ENTRY), np.int64)
        for row, name in enumerate(record.FIELDS):
            if name in replaced:
                table[row] = replaced[name].entry
            else:
                array = getattr(record, name)
                table[row, : 1 + array.ndim] = array.ctypes.data, *array.shape
        self._table, self.address = table, table.ctypes.data
        self._numba_type_ = type_of_record(self.kind, frozenset(replaced))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._duals[name] if name in self._duals else getattr(self.record, name)


class DualRecordType(types.Type):
    """The type of a DualRecord: which Record it stands for, and which of its arrays are Duals."""

    def __init__(self, kind: type[Record], replaced: frozenset[str]):
        self.fields = tuple((name, DualArray(own.ndim) if name in replaced else own) for name, own in kind.FIELDS.items())
        fields = hashlib.sha256(repr(self.fields).encode()).hexdigest()[:8]
        super().__init__(name=f"DualRecord({kind.__module__}.{kind.__qualname__} {fields})")


_types: dict[tuple[type[Record], frozenset[str]], DualRecordType] = {}


def type_of_record(kind: type[Record], replaced: frozenset[str]) -> DualRecordType:
    """The type of the records that stand for a kind with these arrays as Duals."""
    if (kind, replaced) not in _types:
        _types[kind, replaced] = DualRecordType(kind, replaced)
    return _types[kind, replaced]


@typeof_impl.register(DualRecord)
def _typeof_record(value, c):
    return value._numba_type_


@register_model(DualRecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _WORD)


unbox(DualRecordType)(by_address)


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = DualRecordType

    def generic_resolve(self, kind, attribute):
        return dict(kind.fields).get(attribute)


@lower_getattr_generic(DualRecordType)
def _attribute(context, builder, kind, value, attribute):
    row = [name for name, _ in kind.fields].index(attribute)
    array = dict(kind.fields)[attribute]
    address = builder.add(value, _WORD(row * _ENTRY * 8))
    made = _loaded if isinstance(array, DualArray) else array_from
    return made(context, builder, array, address)


@intrinsic
def record_at(typingctx, address, kind):
    """A record of a type, of which only the address is known."""
    given = kind.instance_type

    def emit(context, builder, sig, args):
        return args[0]

    return given(types.int64, kind), emit
