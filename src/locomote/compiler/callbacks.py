"""Functions of the user, called from compiled code through one C signature:

    void f(double t, const double *q, const double *v, double *out)

A `Callback` makes such a C function of a Python one, or takes a Numba `cfunc` as it is. Compiled code knows it by a row of a
table: its address, and how many numbers it reads and writes. `call` calls it by that row, from kernels and from Python, and
only with arrays that have room for them. Nothing that a Python function raises passes through the compiled code: it is kept in
`fault`, one per thread, `out` is NaN, and the caller of the kernel raises it when the kernel is back.
"""

import ctypes
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from locomote.compiler.numba_private import CFunc, overload

C_SIGNATURE = "void(float64, CPointer(float64), CPointer(float64), CPointer(float64))"  # for numba.cfunc
_POINTER = types.CPointer(types.float64)
_SIGNATURE = types.void(types.float64, _POINTER, _POINTER, _POINTER)
_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_NUMERIC = "fiub"  # NumPy's letters for floats and integers
_KEPT_VIEWS = 64
ADDRESS, READS_Q, READS_V, WRITES = range(4)  # columns of a table of functions
COLUMNS = 4


class Callback:
    """A function as a C function: `address` for compiled code, `fault` for what it raised.

    function : f(t, q, v) -> count numbers; or a `numba.cfunc(C_SIGNATURE)`, which then runs without Python
    sizes : (nq, nv, count), the lengths of q, v and of the result
    name : how notes on errors call the function

    q and v are read-only views on the memory of the caller, valid during the call: a function that keeps them copies them.
    With a fault the function is not called any more by this thread and gives NaN, until `raise_fault` or `forget`. The address
    is good as long as the Callback lives: keep the Callback beside any table with its row.
    """

    def __init__(self, function: Callable, sizes: Sequence[int], *, name: str = ""):
        self.name = name or str(getattr(function, "__qualname__", type(function).__qualname__))
        self.function, self.sizes = function, checked_sizes(sizes)
        self._own = threading.local()  # faults: kernels of several threads may be calling
        if isinstance(function, CFunc):
            signature = function._sig  # type: ignore[attr-defined]
            if signature != _SIGNATURE:
                raise TypeError(f"{self.name} has the C signature {signature}; decorate it with @numba.cfunc({C_SIGNATURE!r})")
            self.address = int(function.address or 0)
        elif callable(function):
            self._entry = _PROTOTYPE(self._guarded())  # lives as long as its address is used
            self.address = int(ctypes.cast(self._entry, ctypes.c_void_p).value or 0)
        else:
            raise TypeError(f"a callback needs a function of (t, q, v) or a numba.cfunc, not {function!r}")

    @property
    def fault(self) -> BaseException | None:
        """What the function raised when it was last called by this thread."""
        return getattr(self._own, "fault", None)

    @fault.setter
    def fault(self, fault: BaseException | None) -> None:
        self._own.fault = fault

    @property
    def row(self) -> tuple[int, int, int, int]:
        """Its row in a table of functions."""
        return self.address, *self.sizes

    def _guarded(self) -> Callable:
        """The function that C calls: on addresses, and without a way out for exceptions."""
        nq, nv, count = self.sizes
        function, asarray, shape = self.function, np.asarray, (count,)
        views: dict[tuple, tuple] = {}

        def entry(t, q, v, out):
            filled = None
            try:
                arrays = views.get((q, v, out))
                if arrays is None:
                    if len(views) >= _KEPT_VIEWS:
                        views.clear()
                    arrays = views[q, v, out] = view(q, nq), view(v, nv), view(out, count, writable=True)
                filled = arrays[2]
                if self.fault is None:
                    result = asarray(function(t, arrays[0], arrays[1]))
                    if result.shape != shape or result.dtype.kind not in _NUMERIC:
                        raise self._unfit(result)
                    filled[...] = result
                    return
            except BaseException as error:
                if self.fault is None:
                    error.add_note(f"in {self.name}, called from compiled code at t = {t:.12g}")
                    self.fault = error
            if filled is not None:
                filled[...] = np.nan

        return entry

    def _unfit(self, result: np.ndarray) -> Exception:
        count = self.sizes[2]
        wanted = f"{count} number" if count == 1 else f"{count} numbers"
        if result.dtype.kind not in _NUMERIC:
            return TypeError(f"{self.name} gave {shortened(result)}, expected an array of {wanted}")
        return ValueError(f"{self.name} gave an array of shape {result.shape}, expected ({count},): {wanted}")

    def raise_fault(self) -> None:
        """Raise what the function raised, if it did, and forget it."""
        fault, self.fault = self.fault, None
        if fault is not None:
            raise fault

    def forget(self) -> None:
        """Forget a fault, so that the function is called again."""
        self.fault = None

    def __reduce__(self):
        return _remade, (self.function, self.sizes, self.name)

    def __repr__(self):
        return f"<Callback {self.name}: nq={self.sizes[0]}, nv={self.sizes[1]}, {self.sizes[2]} results>"


def _remade(function, sizes, name):
    return Callback(function, sizes, name=name)


def checked_sizes(sizes: Sequence[int]) -> tuple[int, int, int]:
    """(nq, nv, count) as integers from 0."""
    given = tuple(sizes)
    if len(given) != 3 or not all(isinstance(n, (int, np.integer)) and n >= 0 for n in given):
        raise ValueError(f"sizes of a callback are three integers from 0, the lengths of q, v and the result; not {sizes!r}")
    nq, nv, count = given
    return int(nq), int(nv), int(count)


def shortened(value: Any) -> str:
    """The beginning of a value in words."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def view(address: int | None, size: int, *, writable: bool = False) -> np.ndarray:
    """The `size` doubles at an address as an array that does not own them."""
    if not size or address is None:
        return np.empty(0)
    memory = memoryview((ctypes.c_double * size).from_address(address)).cast("B")
    return np.frombuffer(memory if writable else memory.toreadonly(), dtype=np.float64)


@contextmanager
def held_interrupts(pause: Callable[[], None]):
    """Hold Ctrl-C back while compiled code runs that calls Python; yields a list that is empty until it was pressed.

    Python delivers Ctrl-C when it next runs Python code, which may be the first instruction of a callback, where nothing can
    catch it: it would be printed and lost. In this block it calls `pause`, which has compiled code stop where it can go on
    from. The second Ctrl-C raises as usual, for functions that hang. Nothing is changed outside the main thread or
    where the program has its own handler.
    """
    pressed: list[int] = []
    ours = (
        threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not ours:
        yield pressed
        return

    def hold(number, frame):
        if pressed:
            signal.default_int_handler(number, frame)
        pressed.append(number)
        pause()

    signal.signal(signal.SIGINT, hold)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def table_of(callbacks: Sequence[Callback | None]) -> np.ndarray:
    """A table of functions for compiled code; the row of None is all zero, and not to be called."""
    rows = [(0, 0, 0, 0) if callback is None else callback.row for callback in callbacks]
    return np.array(rows, dtype=np.int64).reshape(-1, COLUMNS)


def call(functions, k, t, q, v, out):
    """Call the function in row k of a table; q, v and out are contiguous 1-D float64 arrays.

    `out` is NaN before the call, all of it, so that a function that fails to answer cannot leave old numbers. It stays so, and
    the function is not called, if an array is shorter than what the function reads or writes.
    """
    for array in (q, v, out):
        if array.dtype != np.float64 or array.ndim != 1 or not array.flags.c_contiguous:
            raise TypeError("callbacks take contiguous 1-D arrays of float64")
    out[:] = np.nan
    address, *sizes = (int(n) for n in functions[k])
    if address and all(size <= len(x) for size, x in zip(sizes, (q, v, out), strict=True)):
        _PROTOTYPE(address)(t, q.ctypes.data, v.ctypes.data, out.ctypes.data)


def _is_vector(kind) -> bool:
    return isinstance(kind, types.Array) and kind.dtype == types.float64 and kind.ndim == 1 and kind.layout == "C"


@intrinsic
def _call(typingctx, address, t, q, v, out):
    def emit(context, builder, sig, args):
        double, vectors = ir.DoubleType(), zip(sig.args[2:], args[2:], strict=True)
        kind = ir.FunctionType(ir.VoidType(), [double] + 3 * [double.as_pointer()])
        data = [context.make_array(array)(context, builder, value).data for array, value in vectors]
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1], *data])
        return context.get_dummy_value()

    return types.void(types.int64, types.float64, q, v, out), emit


@overload(call, inlined=True)
def _compiled_call(functions, k, t, q, v, out):
    table = isinstance(functions, types.Array) and functions.dtype == types.int64 and functions.ndim == 2
    if table and isinstance(k, types.Integer) and all(_is_vector(kind) for kind in (q, v, out)) and out.mutable:

        def implementation(functions, k, t, q, v, out):
            for n in range(out.shape[0]):
                out[n] = np.nan
            fits = functions[k, READS_Q] <= q.shape[0] and functions[k, READS_V] <= v.shape[0]
            if functions[k, ADDRESS] != 0 and fits and functions[k, WRITES] <= out.shape[0]:
                _call(functions[k, ADDRESS], t, q, v, out)  # type: ignore[call-arg]

        return implementation
