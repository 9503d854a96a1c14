"""Many arrays as one argument of compiled code.

A tuple of sixty arrays is several hundred values to the compiler, wherever it is passed on. A Record is one value: the address
of a table with address and shape of each array. `record.name` reads an array from the table, in compiled code as in
Python. The arrays may change their contents, not their place or size.

`Record.zeros` makes all arrays of a record at once, one after the other in one piece of memory (`Layout`); Python sees each
when it first asks for it, which is never for most of them.
"""

import hashlib
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Self, get_args, get_type_hints

import numpy as np
from llvmlite import ir
from numba import float64, int64, types
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, typeof_impl, unbox

from locomote.compiler.numba_private import KINDS, AttributeTemplate, cgutils, impl_ret_borrowed, populate_array

Floats = Annotated[np.ndarray, float64[::1]]
Matrix = Annotated[np.ndarray, float64[:, ::1]]
Ints = Annotated[np.ndarray, int64[::1]]
Table = Annotated[np.ndarray, int64[:, ::1]]
_ENTRY = 3  # address, length, width
_WORD = ir.IntType(64)
_FLOAT, _INT = np.dtype(np.float64), np.dtype(np.int64)
_APART = 64  # bytes, to a multiple of which arrays of one piece of memory start


class Layout:
    """Where the arrays of a kind of record lie in one piece of memory.

    shapes : of all arrays, by name; a number for a vector
    """

    def __init__(self, kind: "type[Record]", shapes: Mapping[str, int | tuple[int, ...]]):
        if shapes.keys() != kind.FIELDS.keys():
            raise TypeError(f"{kind.__name__} takes the arrays {_wrong(kind, shapes)}")
        self.places: dict[str, tuple[tuple[int, ...], np.dtype, int]] = {}
        self.size, rows = 0, []
        for name, array in kind.FIELDS.items():
            given = shapes[name]
            shape = given if isinstance(given, tuple) else (given,)
            if len(shape) != array.ndim:
                raise TypeError(f"{name} of {kind.__name__} has {len(shape)} dimensions, expected {array.ndim}")
            self.places[name] = shape, _FLOAT if array.dtype is float64 else _INT, self.size
            rows.append((self.size, *shape, *(0,) * (_ENTRY - 1 - array.ndim)))
            self.size += -(-8 * math.prod(shape) // _APART) * _APART
        self.table = np.array(rows, dtype=np.int64)


class Record:
    """Base of records: a subclass names its arrays, each as Floats, Matrix, Ints or Table."""

    FIELDS: ClassVar[dict[str, types.Array]] = {}
    PLACES: ClassVar[dict[str, int]] = {}  # rows of the table

    def __init_subclass__(cls):
        hints = get_type_hints(cls, include_extras=True)
        cls.FIELDS = {name: get_args(hint)[1] for name, hint in hints.items() if name not in ("FIELDS", "PLACES")}
        cls.PLACES = {name: k for k, name in enumerate(cls.FIELDS)}

    def __init__(self, **arrays: np.ndarray):
        if arrays.keys() != self.FIELDS.keys():
            raise TypeError(f"{type(self).__name__} takes the arrays {_wrong(type(self), arrays)}")
        table = np.array([self._put(name, kind, arrays[name]) for name, kind in self.FIELDS.items()], dtype=np.int64)
        self.__dict__.update(_table=table, address=table.ctypes.data)

    @classmethod
    def filled(cls, layout: Layout, value: float) -> Self:
        """A record of arrays that are all of one value; those of integers must be filled again."""
        made = cls.zeros(layout)
        made.__dict__["_memory"][: layout.size].view(_FLOAT)[:] = value
        return made

    @classmethod
    def zeros(cls, layout: Layout) -> Self:
        """A record of arrays that are zero."""
        made, memory = object.__new__(cls), np.zeros(layout.size + _APART, np.uint8)
        skipped = -memory.ctypes.data % _APART
        table = layout.table.copy()
        table[:, 0] += memory.ctypes.data + skipped
        made.__dict__.update(_table=table, address=table.ctypes.data, _memory=memory[skipped:], _layout=layout)
        return made

    def __getattr__(self, name: str) -> np.ndarray:
        """An array that Python has not seen yet."""
        layout = self.__dict__.get("_layout")
        if layout is None or name not in layout.places:
            raise AttributeError(f"a {type(self).__name__} has no {name!r}")
        shape, dtype, start = layout.places[name]
        return self.__dict__.setdefault(name, np.ndarray(shape, dtype, self.__dict__["_memory"], start))

    def _put(self, name: str, kind: types.Array, array: np.ndarray) -> tuple[int, ...]:
        """Keep an array; its row of the table."""
        dtype = _FLOAT if kind.dtype is float64 else _INT
        if type(array) is not np.ndarray or array.dtype is not dtype or not array.flags.carray:
            array = np.require(array, dtype, ["C", "W", "A"])
        if array.ndim != kind.ndim:
            raise TypeError(f"{name} of {type(self).__name__} has {array.ndim} dimensions, expected {kind.ndim}")
        self.__dict__[name] = array
        return (array.__array_interface__["data"][0], *array.shape, *(0,) * (_ENTRY - 1 - kind.ndim))

    def with_arrays(self, **arrays: np.ndarray) -> Self:
        """A record of its own with some arrays replaced; it shares all others."""
        other = object.__new__(type(self))
        table = self.__dict__["_table"].copy()
        other.__dict__.update(self.__dict__, _table=table, address=table.ctypes.data)
        for name, array in arrays.items():
            if name not in self.FIELDS:
                raise TypeError(f"{type(self).__name__} has no array {name!r}")
            table[self.PLACES[name]] = other._put(name, self.FIELDS[name], array)
        return other

    def __setattr__(self, name, value):
        raise AttributeError(f"the arrays of a {type(self).__name__} stay where they are; change what is in {name!r}")

    def __reduce__(self):
        return _remade, (type(self), {name: getattr(self, name) for name in self.FIELDS})


def _wrong(kind: type[Record], given: Mapping[str, object]) -> str:
    return f"{', '.join(kind.FIELDS)}; not so: {', '.join(sorted(given.keys() ^ kind.FIELDS.keys()))}"


def _remade(kind, arrays):
    return kind(**arrays)


class RecordType(types.Type):
    """The type of a Record class in compiled code."""

    def __init__(self, kind: type[Record]):
        self.fields = tuple(kind.FIELDS.items())
        fields = hashlib.sha256(repr(self.fields).encode()).hexdigest()[:8]  # code knows them by their places
        super().__init__(name=f"Record({kind.__module__}.{kind.__qualname__} {fields})")


def record_type(kind: type[Record]) -> RecordType:
    """What records of a class are to compiled code."""
    if kind not in KINDS:
        KINDS[kind] = RecordType(kind)
    return KINDS[kind]


@typeof_impl.register(Record)
def _typeof(value, c):
    return record_type(type(value))


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _WORD)


@unbox(RecordType)
def by_address(kind, value, c):
    """The address that a Python object has as an attribute."""
    number = c.pyapi.object_getattr_string(value, "address")
    native = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(native, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, kind, attribute):
        return dict(kind.fields).get(attribute)


@lower_getattr_generic(RecordType)
def _attribute(context, builder, kind, value, attribute):
    row = [name for name, _ in kind.fields].index(attribute)
    return array_from(context, builder, dict(kind.fields)[attribute], builder.add(value, _WORD(row * _ENTRY * 8)))


def word_reader(builder, address):
    """k -> the k-th word from an address on, of a table that never changes: what was read once need not be read again."""
    table, constant = builder.inttoptr(address, _WORD.as_pointer()), builder.module.add_metadata([])

    def word(k):
        loaded = builder.load(builder.gep(table, [_WORD(k)]))
        loaded.set_metadata("invariant.load", constant)
        return loaded

    return word


def array_from(context, builder, kind, address):
    """The array whose row of a table, its own address and its shape, stands at an address."""
    word, native = word_reader(builder, address), context.make_array(kind)(context, builder)
    size, shape = context.get_constant(types.intp, 8), [word(1 + k) for k in range(kind.ndim)]
    strides = [size] if kind.ndim == 1 else [builder.mul(shape[1], size), size]
    data = builder.inttoptr(word(0), context.get_data_type(kind.dtype).as_pointer())
    populate_array(native, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return impl_ret_borrowed(context, builder, kind, native._getvalue())
