"""A call from Python straight into a compiled kernel, for arguments that are plain arrays.

Numba's own way into a kernel works out the type of every argument and unwraps it, and the caller has made the arrays for the
results before: more than a microsecond, while a kernel for a small robot takes a third of one. `direct_call` makes
a function for one kernel and one list of argument types instead. It is a builtin function, as C code would make one, but
written in LLVM's language, so that no C compiler is needed. What it does:

    1. look at each argument: is it exactly a NumPy array, with the right kind of number and dimensions, in one piece?
       The first one may be an object that has a tuple of such arrays in one of its slots, which stand for the kernel's first.
    2. make the arrays for the results
    3. call the kernel with the addresses and lengths, as Numba's compiled code calls it
    4. if the kernel returns 0, return the results; otherwise, or if an argument is not as expected, return None

A kernel for batches fills arrays that are among its arguments: it has no results of its own, and True stands for them.

None means: look closer. Nothing is converted and no error is raised; the caller then takes the slow, checked path.
Subclasses of arrays, such as masked ones, are never taken, since they may mean something else. Arguments may be
read-only where a kernel has results, as it then writes into these only.

The function reads NumPy's and Python's objects in memory, as C code does. `layout_is_known` makes sure that they lie as they
do in all ordinary builds of CPython; where they do not, `direct_call` gives None and the caller uses Numba's way.

Other Python threads wait during a call, as handing over takes about as long as a small kernel; for models of more
than `LARGE` rows, and for batches, they go on.
"""

import ctypes
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types

from locomote.compiler.indirect import address_of

LARGE = 64  # rows of the first argument from which on other threads may run meanwhile
SHORT = 2**15  # bytes that are faster set to zero than asked for as zeros

# where things are in memory, in bytes: of any object, of an array, of the description of its numbers
TYPE = 8
DATA, DIMENSIONS_COUNT, DIMENSIONS, DESCRIPTION, FLAGS = 16, 24, 32, 56, 64
BYTE_ORDER, NUMBER_KIND = 26, 28
TUPLE_SIZE, TUPLE_HASH, TUPLE_ITEMS = 16, 24, tuple.__basicsize__  # offsets in a tuple; it has a hash since Python 3.14
SLOT_RECORD, SLOT_OFFSET = 40, 16  # offsets in the descriptor of a slot, and in the record that it points to
IN_ONE_PIECE, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # flags: row by row without gaps, aligned addresses
NATIVE = ord("=")
# places in NumPy's table of functions for C, the same in all versions
ARRAY_TYPE, ZEROS, EMPTY = 2, 183, 184
FASTCALL = 0x80  # Python's word for a function of (self, address of arguments, count)

NOTHING, BYTE, INT, WORD = ir.VoidType(), ir.IntType(8), ir.IntType(32), ir.IntType(64)


class Count(NamedTuple):
    """A size of a result: the number in the last row of an argument, a matrix of integers."""

    argument: int
    column: int

    def of(self, arguments) -> int:
        return arguments[self.argument][-1, self.column]


class Rows(NamedTuple):
    """A size of a result: how many rows an argument has."""

    argument: int

    def of(self, arguments) -> int:
        return len(arguments[self.argument])


class Held(NamedTuple):
    """The first arguments of a kernel: arrays in a tuple, which is in a slot of the first argument of a call."""

    owner: type
    slot: str
    count: int

    @property
    def offset(self) -> int:
        """Where in an object the slot is."""
        return word_at(word_at(id(self.owner.__dict__[self.slot]) + SLOT_RECORD) + SLOT_OFFSET)


class Result(NamedTuple):
    """An array of floats that a kernel fills; one of shape () is a vector of one number to the kernel."""

    shape: tuple[int | Count | Rows, ...]
    zeros: bool = False  # whether the kernel leaves some numbers as they are

    def made(self, arguments) -> np.ndarray:
        shape = tuple(size if isinstance(size, int) else size.of(arguments) for size in self.shape)
        return np.zeros(shape) if self.zeros else np.empty(shape)


class Method(ctypes.Structure):
    """Python's record of a builtin function."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("text", ctypes.c_char_p),
    ]  # fmt: skip


def direct_call(
    dispatcher, signature: Sequence, results: Sequence[Result], group: type | None = None, held: Held | None = None
) -> Callable | None:
    """A function of the arguments of a kernel that gives its results, or None if something must be looked at; see above.

    signature : types of all arguments of the kernel, those of the results last. Arguments of type `none` are not passed.
    results : none for a kernel that fills arrays among its arguments
    group : class of named tuples for several results
    held : if the first argument of the call holds the first ones of the kernel
    Gives None where such a function cannot be made.
    """
    inputs = signature[: len(signature) - len(results)]
    if not layout_is_known() or not all(kind == types.none or is_whole(kind) or is_array(kind) for kind in inputs):
        return None
    address = address_of(dispatcher, signature)
    convention = dispatcher.targetctx.call_conv
    writer = _Writer(convention.get_function_type(types.int64, signature), address, fills=not results)
    text = writer.written(inputs, results, group, held)
    if text is None:
        return None
    name = dispatcher.py_func.__name__.encode()
    engine = loaded(text)
    method = Method(name, engine.get_function_address("call"), FASTCALL, b"See locomote.compiler.calls.")
    new_function = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    # what must live as long as the function is its `self`
    return new_function(("PyCFunction_NewEx", ctypes.pythonapi))(
        ctypes.addressof(method), (engine, method, dispatcher, group, held), None
    )


def is_whole(kind) -> bool:
    """Whether a type of Numba's is that of integers."""
    return kind == types.int64


def is_array(kind) -> bool:
    """Whether it is one of the arrays that are known here."""
    return isinstance(kind, types.Array) and kind.layout == "C" and kind.dtype in (types.int64, types.float64)


@functools.cache
def layout_is_known() -> bool:
    """Whether objects and arrays lie in memory as this file says; not so in builds without the global lock, for one."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    try:
        if array_functions()[ARRAY_TYPE] != id(np.ndarray) or not slots_lie_as_expected():
            return False
        return all(lies_as_expected(x) for x in (np.zeros((3, 5, 7)), np.zeros((2, 4), dtype=np.int64)[:, ::2], np.zeros(6)))
    except (AttributeError, ImportError, ValueError, TypeError):
        return False


def word_at(place: int) -> int:
    """What stands in memory."""
    return ctypes.c_int64.from_address(place).value


class _Slotted:
    """An object to look at."""

    __slots__ = ("__dict__", "first", "second")


def slots_lie_as_expected() -> bool:
    """Whether slots, and the items of a tuple in one of them, are found."""
    x = _Slotted()
    x.second = (1.5, 2.5)
    found = word_at(id(x) + Held(_Slotted, "second", 2).offset)
    items = [word_at(found + TUPLE_ITEMS + 8 * k) for k in range(2)]
    return (found, items, word_at(found + TUPLE_SIZE)) == (id(x.second), [id(y) for y in x.second], 2)


def lies_as_expected(x: np.ndarray) -> bool:
    """Whether the facts of an array stand where they should."""

    def number(place):
        return ctypes.c_int32.from_address(place).value

    start, description = id(x), id(x.dtype)
    return (
        word_at(start + TYPE) == id(type(x))
        and word_at(start + DATA) == x.ctypes.data
        and number(start + DIMENSIONS_COUNT) == x.ndim
        and [word_at(word_at(start + DIMENSIONS) + 8 * k) for k in range(x.ndim)] == list(x.shape)
        and word_at(start + DESCRIPTION) == description
        and number(start + FLAGS) & 0xFFFF == x.flags.num & 0xFFFF
        and bool(x.flags.num & IN_ONE_PIECE) == x.flags.c_contiguous
        and bool(x.flags.num & ALIGNED) == x.flags.aligned
        and ctypes.c_uint8.from_address(description + BYTE_ORDER).value == ord(x.dtype.byteorder)
        and number(description + NUMBER_KIND) == x.dtype.num
    )


@functools.cache
def array_functions() -> ctypes.Array:
    """The addresses of NumPy's functions for C."""
    try:
        from numpy._core._multiarray_umath import _ARRAY_API as capsule  # type: ignore[attr-defined]
    except ImportError:
        from numpy.core._multiarray_umath import _ARRAY_API as capsule  # type: ignore[attr-defined]
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, None)
    return (ctypes.c_int64 * (EMPTY + 1)).from_address(table)


def address_in_memory(function) -> ir.Constant:
    """Where a function that ctypes knows stands."""
    return WORD(ctypes.cast(function, ctypes.c_void_p).value)


def loaded(text: str) -> llvm.ExecutionEngine:
    """A module, compiled and in memory."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    return engine


class _Array(NamedTuple):
    """An array in the code that is being written: its address and its sizes."""

    data: ir.Value
    shape: tuple[ir.Value, ...]


class _Writer:
    """Writes the code of one function. All objects and addresses are 64-bit words to it."""

    def __init__(self, kernel_type: ir.FunctionType, kernel: int, fills: bool):
        self.kernel_type, self.kernel, self.fills = kernel_type, kernel, fills
        self.module = ir.Module("call")
        self.is_plain = self.check_of_arrays()
        self.function = ir.Function(self.module, ir.FunctionType(WORD, [WORD, WORD, WORD]), "call")
        self.b = ir.IRBuilder(self.function.append_basic_block("start"))
        self.declined = self.function.append_basic_block("declined")

    def check_of_arrays(self) -> ir.Function:
        """A function that says whether an object is a plain array, by number of dimensions and kind of number."""
        check = ir.Function(self.module, ir.FunctionType(ir.IntType(1), [WORD, INT, INT]), "is_plain")
        check.linkage = "internal"
        x, dimensions, number = check.args
        start, onward, no = (check.append_basic_block() for _ in range(3))
        self.b = b = ir.IRBuilder(start)
        b.cbranch(b.icmp_signed("==", self.word(x, TYPE), WORD(id(np.ndarray))), onward, no)
        b.position_at_end(no)
        b.ret(ir.IntType(1)(0))
        b.position_at_end(onward)
        flags, description = INT(IN_ONE_PIECE | ALIGNED | (WRITEABLE if self.fills else 0)), self.word(x, DESCRIPTION)
        facts = (
            (b.and_(self.word(x, FLAGS, INT), flags), flags),
            (self.word(x, DIMENSIONS_COUNT, INT), dimensions),
            (self.word(description, NUMBER_KIND, INT), number),
            (self.word(description, BYTE_ORDER, BYTE), BYTE(NATIVE)),
        )
        b.ret(functools.reduce(b.and_, [b.icmp_signed("==", *pair) for pair in facts]))
        return check

    def written(self, inputs, results: Sequence[Result], group: type | None, held: Held | None) -> str | None:
        """The text of the module, or None if Numba passes arguments in another way than this writer knows."""
        b = self.b
        _, given, count = self.function.args
        # room that the kernel and the makers of arrays write to; all of it here, since room taken later would add up
        status, fault = b.alloca(WORD), b.alloca(WORD)
        sizes, thread = b.alloca(WORD, size=max([1, *(len(r.shape) for r in results)])), b.alloca(WORD)
        passed = [kind for kind in inputs if kind != types.none]
        alone = len(passed) - held.count if held else len(passed)
        self.require(b.icmp_signed("==", count, WORD(alone + bool(held))))
        places = [self.word(given, 8 * k) for k in range(alone + bool(held))]
        if held:
            places[:1] = self.held(held, places[0])
        taken = iter([self.taken(kind, place) for kind, place in zip(passed, places, strict=True)])
        values: list[Any] = [None if kind == types.none else next(taken) for kind in inputs]
        objects, made = self.results(results, values, sizes)
        arguments = [status, fault, *(x for value in [*values, *made] for x in self.flat(value))]
        if len(arguments) != len(self.kernel_type.args):
            return None
        arguments = [self.cast(x, kind) for x, kind in zip(arguments, self.kernel_type.args, strict=True)]
        if any(x.type != kind for x, kind in zip(arguments, self.kernel_type.args, strict=True)):
            return None
        large = b.icmp_signed(">", values[0].shape[0], WORD(-1 if self.fills else LARGE))
        with b.if_then(large, likely=False):
            b.store(self.python("PyEval_SaveThread"), thread)
        error = b.call(b.inttoptr(WORD(self.kernel), self.kernel_type.as_pointer()), arguments)
        with b.if_then(large, likely=False):
            self.python("PyEval_RestoreThread", b.load(thread), gives=NOTHING)
        fine = b.and_(b.icmp_signed("==", error, INT(0)), b.icmp_signed("==", b.load(status), WORD(0)))
        with b.if_then(b.not_(fine), likely=False):
            self.release(objects)
            b.branch(self.declined)
        if self.fills:
            self.python("Py_IncRef", WORD(id(True)), gives=NOTHING)
            b.ret(WORD(id(True)))
        else:
            b.ret(objects[0] if group is None else self.grouped(objects, group))
        b.position_at_end(self.declined)
        self.python("Py_IncRef", WORD(id(None)), gives=NOTHING)
        b.ret(WORD(id(None)))
        return str(self.module)

    def word(self, place, offset: int, kind=WORD):
        """What stands in memory at a place."""
        return self.b.load(self.b.inttoptr(self.b.add(place, WORD(offset)), kind.as_pointer()))

    def require(self, condition) -> None:
        """Go on only if a condition holds."""
        onward = self.function.append_basic_block()
        self.b.cbranch(condition, onward, self.declined)
        self.b.position_at_end(onward)

    def call(self, address, *arguments, gives=WORD):
        """Call a function by its address."""
        kind = ir.FunctionType(gives, [x.type for x in arguments])
        return self.b.call(self.b.inttoptr(address, kind.as_pointer()), arguments)

    def python(self, name: str, *arguments, gives=WORD):
        """Call one of Python's functions for C."""
        return self.call(address_in_memory(getattr(ctypes.pythonapi, name)), *arguments, gives=gives)

    def taken(self, kind, given):
        """An argument as the kernel takes it: an array, or an integer."""
        b = self.b
        if is_whole(kind):
            self.require(b.icmp_signed("==", self.word(given, TYPE), WORD(id(int))))
            value = self.python("PyLong_AsLongLong", given)
            with b.if_then(b.icmp_signed("==", value, WORD(-1)), likely=False):  # perhaps too large, which raises
                self.python("PyErr_Clear", gives=NOTHING)
                b.branch(self.declined)
            return value
        number = np.dtype(np.int64 if kind.dtype == types.int64 else np.float64).num
        self.require(b.call(self.is_plain, [given, INT(kind.ndim), INT(number)]))
        sizes = self.word(given, DIMENSIONS)
        return _Array(self.word(given, DATA), tuple(self.word(sizes, 8 * k) for k in range(kind.ndim)))

    def held(self, held: Held, owner) -> list[ir.Value]:
        """The arrays that an object holds."""
        self.require(self.b.icmp_signed("==", self.word(owner, TYPE), WORD(id(held.owner))))
        arrays = self.word(owner, held.offset)
        self.require(self.b.icmp_signed("!=", arrays, WORD(0)))
        self.require(self.b.icmp_signed("==", self.word(arrays, TYPE), WORD(id(tuple))))
        self.require(self.b.icmp_signed("==", self.word(arrays, TUPLE_SIZE), WORD(held.count)))
        return [self.word(arrays, TUPLE_ITEMS + 8 * k) for k in range(held.count)]

    def size(self, size: int | Count | Rows, values):
        """A size of a result."""
        if isinstance(size, int):
            return WORD(size)
        if isinstance(size, Rows):
            return values[size.argument].shape[0]
        b, (data, (rows, columns)) = self.b, values[size.argument]
        self.require(b.icmp_signed(">", rows, WORD(0)))
        self.require(b.icmp_signed(">", columns, WORD(size.column)))
        last = b.mul(b.sub(rows, WORD(1)), columns)
        return self.word(b.add(data, b.mul(last, WORD(8))), 8 * size.column)

    def results(self, results: Sequence[Result], values, sizes):
        """New arrays: as objects, and as the kernel takes them."""
        b, objects, made, table = self.b, [], [], array_functions()
        shapes = [tuple(self.size(size, values) for size in result.shape) for result in results]
        for result, shape in zip(results, shapes, strict=True):
            for k, size in enumerate(shape):
                b.store(size, b.gep(sizes, [WORD(k)]))
            description = WORD(id(np.dtype(np.float64)))
            self.python("Py_IncRef", description, gives=NOTHING)  # the makers of arrays take a reference over
            length = functools.reduce(b.mul, shape, WORD(8))
            short = b.icmp_signed("<=", length, WORD(SHORT))
            maker = b.select(short, WORD(table[EMPTY]), WORD(table[ZEROS])) if result.zeros else WORD(table[EMPTY])
            x = self.call(maker, INT(len(shape)), b.ptrtoint(sizes, WORD), description, INT(0))
            with b.if_then(b.icmp_signed("==", x, WORD(0)), likely=False):  # no memory: Python has been told
                self.release(objects)
                b.ret(WORD(0))
            objects.append(x)
            made.append(_Array(self.word(x, DATA), shape or (WORD(1),)))
            if result.zeros:
                with b.if_then(short):
                    self.call(address_in_memory(ctypes.memset), made[-1].data, INT(0), length)
        return objects, made

    def release(self, objects) -> None:
        """Release results that are not returned."""
        for x in objects:
            self.python("Py_DecRef", x, gives=NOTHING)

    def grouped(self, objects, group: type):
        """The results as a named tuple."""
        b = self.b
        several = self.python("PyType_GenericAlloc", WORD(id(group)), WORD(len(objects)))
        with b.if_then(b.icmp_signed("==", several, WORD(0)), likely=False):
            self.release(objects)
            b.ret(WORD(0))
        if TUPLE_ITEMS > TUPLE_HASH:  # a Python that keeps the hash of a tuple in it: not known yet
            b.store(WORD(-1), b.inttoptr(b.add(several, WORD(TUPLE_HASH)), WORD.as_pointer()))
        for k, x in enumerate(objects):
            self.python("PyTuple_SetItem", several, WORD(k), x, gives=INT)
        return several

    def flat(self, value) -> list[ir.Value]:
        """The words in which Numba's compiled code passes a value: for an array two owners (none here), how many numbers of
        how many bytes, the address, the sizes, and the bytes from one number to the next along each of them."""
        if value is None:
            return [WORD(0)]
        if not isinstance(value, _Array):
            return [value]
        count, steps = WORD(1), []
        for size in reversed(value.shape):
            steps.insert(0, self.b.mul(count, WORD(8)))
            count = self.b.mul(count, size)
        return [WORD(0), WORD(0), count, WORD(8), value.data, *value.shape, *steps]

    def cast(self, x, kind):
        """A word or an address as what the kernel's type says, if it can be that."""
        if not isinstance(kind, ir.PointerType):
            return x
        return self.b.inttoptr(x, kind) if x.type == WORD else self.b.bitcast(x, kind)
