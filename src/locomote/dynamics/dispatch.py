"""From a public call to a kernel: straight in when the inputs are plain, checked and batched when they are not."""

import functools
import math
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np
from numba import config, float64, int64, none, types

from locomote.compiler.calls import Count, Held, Result, Rows, direct_call
from locomote.compiler.lanes import WIDTH
from locomote.dynamics.idle import idle_motions
from locomote.errors import LocomoteError
from locomote.model.columns import V
from locomote.model.model import Model, checked_model, common_lead
from locomote.spatial.numbers import all_finite

INTS, INT_VECTOR = int64[:, ::1], int64[::1]
VECTOR, MATRIX, CUBE = float64[::1], float64[:, ::1], float64[:, :, ::1]
WHOLE, NONE = int64, none
NV, NAMED, MOVING = Count(0, V), Rows(2), Rows(0)  # sizes of results: velocities; named bodies; moving ones and the world
# the first arguments of kernels, see Model
TREE, PLAIN_TREE, FRAMED_TREE = Held(Model, "_tree", 2), Held(Model, "_plain_tree", 2), Held(Model, "_framed_tree", 4)
SPRUNG_TREE, NAMED_TREE = Held(Model, "_sprung_tree", 3), Held(Model, "_named_tree", 6)


class SingularMassMatrix(LocomoteError, ArithmeticError):
    """Forward dynamics has no answer: some motion of the joints moves no mass."""


class Entry:
    """A kernel that is compiled for the given argument types only, at its first use.

    results : the arrays that a kernel for one configuration fills, its last arguments, for `call`
    group : class of named tuples for several results
    held : which arrays of a model are its first arguments

    `call` takes a model and the other arguments of such a kernel, without those of type NONE, and gives its results. It may be
    used at any time, with anything: it gives None until the kernel is compiled, for a model that has no such arrays, for
    arguments that are not plain arrays of the right types, and if the kernel returns anything but OK. Then `ready`, on checked
    arrays, is the way.

    `filled` is the same for a kernel for batches, which takes the arrays that it fills as arguments, too. It compiles the
    kernel if it must, and gives True.
    """

    def __init__(
        self,
        kernel: Callable,
        signature: tuple,
        results: Sequence[Result] = (),
        group: type | None = None,
        held: Held = TREE,
    ):
        self._kernel, self._signature, self._results, self._group = kernel, signature, results, group
        self._held = held if results else None
        self._compiled: Callable | None = None
        self._filled: Callable | None = None
        self._lock = threading.RLock()
        self.call: Callable = unprepared

    @property
    def need(self) -> tuple:
        """The kernel and its argument types."""
        return self._kernel, self._signature

    def ready(self) -> Callable:
        """The kernel, compiled (or loaded from disk) for its argument types; it takes the results as arguments."""
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    self._prepare()
        return self._compiled  # type: ignore[return-value]

    def _prepare(self) -> None:
        if not config.DISABLE_JIT:  # type: ignore[attr-defined]
            self._kernel.compile(self._signature)  # type: ignore[attr-defined]
            self._kernel.disable_compile()  # type: ignore[attr-defined]
        if self._results:
            self.call = self._direct_call() or self._indirect_call
        self._compiled = self._kernel  # last, since other threads look at it

    def filled(self, *given) -> bool | None:
        """Run a kernel for batches; None, and nothing done, if some argument is not plain and writable."""
        if self._filled is None:
            self.ready()
            with self._lock:
                self._filled = self._filled or self._direct_call() or unprepared
        return self._filled(*given)

    def _direct_call(self) -> Callable | None:
        if config.DISABLE_JIT:  # type: ignore[attr-defined]
            return None
        return direct_call(self._kernel, self._signature, self._results, self._group, self._held)

    def _indirect_call(self, *given):
        """What `call` is where there is no direct one."""
        held, kinds = self._held, self._signature[: len(self._signature) - len(self._results)]
        arrays = getattr(given[0], held.slot) if given and held and type(given[0]) is held.owner else None
        if arrays is None or len(arrays) + len(given) - 1 != sum(kind != NONE for kind in kinds):
            return None
        left = iter([*arrays, *given[1:]])
        arguments = [None if kind == NONE else next(left) for kind in kinds]
        if not all(is_plain(x, kind) for x, kind in zip(arguments, kinds, strict=True)):
            return None
        made = [result.made(arguments) for result in self._results]
        if self._kernel(*arguments, *(x.reshape(1) if x.ndim == 0 else x for x in made)) != 0:
            return None
        return made[0] if self._group is None else self._group(*made)


def unprepared(*arguments) -> None:
    """What `call` of an entry is until its kernel is compiled."""


def is_plain(x, kind) -> bool:
    """Whether an argument is of a type of Numba's, as it is: just an array and nothing more, or an integer."""
    if not isinstance(kind, types.Array):
        return x is None if kind == NONE else type(x) is int
    if type(x) is not np.ndarray or x.ndim != kind.ndim or x.dtype != np.dtype(str(kind.dtype)):
        return False
    return x.flags.c_contiguous and x.flags.aligned and x.flags.writeable


def checked_state(model: Model, q, **rates) -> list[np.ndarray]:
    """q and what goes with it (v, a, tau) as float arrays that fit together, or the error that says what does not."""
    arrays = [checked_model(model).checked_q(q), *(model.checked_v(x, label) for label, x in rates.items())]
    common_lead(arrays)
    return arrays


def broadcast(arrays: Sequence[np.ndarray]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """The common leading shape, and the arrays as contiguous rows (N, n); a ValueError if they do not fit."""
    lead = common_lead(arrays)
    return lead, [as_rows(array, lead) for array in arrays]


def as_rows(array: np.ndarray, lead: tuple[int, ...]) -> np.ndarray:
    """An array (..., n) as rows (N, n), contiguous and writable, as compiled code takes them; copied only if it must be."""
    if array.shape[:-1] != lead:
        rows = np.empty((*lead, array.shape[-1]), array.dtype)
        rows[...] = array
        return rows.reshape(math.prod(lead), array.shape[-1])
    rows = array if array.ndim == 2 else array.reshape(math.prod(lead), array.shape[-1])
    return rows if rows.flags.carray else np.array(rows, order="C")


def few(count: int) -> bool:
    """Whether a number of rows is better done one by one: too few to fill lanes, or no compiler to make them."""
    return count < WIDTH // 2 or bool(config.DISABLE_JIT)  # type: ignore[attr-defined]


def run_rows(entry: Entry, fixed: Sequence, inputs: Sequence, outputs: Sequence[np.ndarray]) -> None:
    """Call a single-configuration entry row by row; an input that is None or not an array is passed as it is."""
    call = entry.ready()
    for row in range(len(outputs[0])):
        call(*fixed, *(x[row] if isinstance(x, np.ndarray) else x for x in inputs), *(out[row] for out in outputs))


def run_shares(entry: Entry, fixed: Sequence, arguments: Sequence, count: int, threads: int) -> None:
    """Call an entry that goes over rows by itself on `count` rows, split over threads (checked)."""
    call = entry.ready()

    def share(start: int, stop: int) -> None:
        call(*fixed, *(x if x is None else x[start:stop] for x in arguments))

    in_shares(share, count, 1, threads)


def run_lanes(entry: Entry, fixed: Sequence, arguments: Sequence, count: int, threads: int) -> None:
    """Call a batch entry on `count` rows, split over threads (checked) in whole blocks of lanes."""
    plain = [*fixed, *(x for x in arguments if x is not None)]

    def share(start: int, stop: int) -> None:
        if entry.filled(*plain, start, stop) is None:
            entry.ready()(*fixed, *arguments, start, stop)

    in_shares(share, count, WIDTH, threads)


def in_shares(call: Callable[[int, int], object], count: int, block: int, threads: int) -> None:
    """Call with (start, stop) for shares of `count` rows, one per thread; each but the last is a multiple of a block, and the
    last at least one."""
    threads = checked_threads(threads)
    share = max(-(-count // (threads * block)) * block, block)
    starts = [0, *range(share, count - block + 1, share)]
    if len(starts) == 1:
        call(0, count)
        return
    own, *others = zip(starts, [*starts[1:], count], strict=True)
    jobs = [workers(len(others)).submit(call, *ends) for ends in others]
    try:
        call(*own)
    finally:
        faults = [job.exception() for job in jobs]  # when all are done
    for fault in faults:
        if fault is not None:
            raise fault


@functools.cache
def workers(count: int) -> ThreadPoolExecutor:
    """Threads that stay, since starting them takes longer than many a batch."""
    return ThreadPoolExecutor(count, thread_name_prefix="locomote")


if hasattr(os, "register_at_fork"):  # a process that was forked has none of them
    os.register_at_fork(after_in_child=workers.cache_clear)


SPECIALISED: dict[tuple[str, str], "RowFunction"] = {}  # by digest of a model and name of a function; see `compile`


class RowFunction(Protocol):
    """A function of rows (N, n), as `compile` makes them."""

    def run(self, rows: Sequence[np.ndarray], threads: int) -> list[np.ndarray]: ...


def run_specialised(model: Model, name: str, arrays: Sequence[np.ndarray], threads: int) -> list[np.ndarray] | None:
    """Results (..., columns) of a specialised function on checked inputs (..., n); None if there is no such function, or too
    few rows for it."""
    if not SPECIALISED or math.prod(lead := common_lead(arrays)) < WIDTH:
        return None
    kernel = SPECIALISED.get((model.digest, name))
    if kernel is None:
        return None
    return [out.reshape(*lead, -1) for out in kernel.run([as_rows(x, lead) for x in arrays], threads)]


def checked_threads(threads: int) -> int:
    """A number of threads, or an error."""
    if not isinstance(threads, (int, np.integer)) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads must be an integer from 1, not {threads!r}")
    return int(threads)


def refuse_overflow(model: Model, outputs: Sequence[np.ndarray], what: str) -> None:
    """Raise if finite inputs led to results that are not."""
    for out in outputs:
        if not all_finite(out):
            raise FloatingPointError(
                f"{what} of model {model.name!r} is not finite for these inputs: values are too large for float64"
            )


def refuse_singular(model: Model, mass: np.ndarray) -> None:
    """Raise a SingularMassMatrix that names the joints, for a mass matrix (nv, nv) that has no inverse."""
    raise SingularMassMatrix(
        f"the mass matrix of model {model.name!r} is singular here: {idle_motions(model, mass)}; give the bodies mass, the "
        f"joints armature, lock them, or use a spherical joint where axes of an Euler joint line up"
    )
