"""A program as a function of rows: compiled, loaded, and run on batches."""

import ctypes
import math
import threading
from collections.abc import Sequence

import numpy as np

from locomote.compiled.emit import emitted, scratch_array
from locomote.compiled.library import Code, Loaded, object_code
from locomote.compiled.program import Program
from locomote.compiled.vectors import Lanes
from locomote.compiler.calls import DATA, layout_is_known
from locomote.dynamics.dispatch import in_shares

LIMIT = 60_000  # operations; longer straight lines take too long to compile, and gain little over loops on lanes


def code_of(program: Program, shapes: Sequence[tuple[int, ...]], lanes: Lanes) -> Code:
    """Emit a program and have LLVM compile it; without a binary if there are too many operations."""
    count = program.operations
    if count > LIMIT:
        return Code(b"", 0, program.inputs, tuple(shapes), count)
    module = emitted(program, lanes)
    return Code(object_code(module.text), module.scratch, program.inputs, tuple(shapes), count)


class RowKernel:
    """Code in this process, run on inputs (N, n)."""

    def __init__(self, lanes: Lanes, code: Code):
        self.lanes, self.code = lanes, code
        self.dtype = np.dtype(np.float64 if lanes.scalar == "double" else np.float32)
        self._loaded, self._local = Loaded(code.binary), threading.local()

    def empty(self, count: int) -> list[np.ndarray]:
        """Arrays for the results of a number of rows; what is always zero is so already."""
        return [np.zeros((count, math.prod(shape)), self.dtype) for shape in self.code.results]

    def run(self, rows: Sequence[np.ndarray], threads: int = 1, out: Sequence[np.ndarray] | None = None) -> list[np.ndarray]:
        """Results as rows (N, ...), from inputs as rows (N, n).

        `out`, if given, is filled: contiguous, and zero where results are always zero, as `empty` makes it.
        """
        count, width = len(rows[0]), self.lanes.width
        out = self.empty(count) if out is None else list(out)
        if count == 0:
            return out
        rows = [np.ascontiguousarray(x, self.dtype) for x in rows]
        if count < width:  # a block must be full: the last row fills it
            full = self.run([np.concatenate([x, np.repeat(x[-1:], width - count, axis=0)]) for x in rows])
            for target, x in zip(out, full, strict=True):
                target[:] = x[:count]
            return out
        addresses = [address(x) for x in (*rows, *out)]

        def share(start: int, stop: int) -> None:
            arguments = np.array([*addresses, start, stop, self._scratch()], np.int64)
            self._loaded.run(address(arguments))

        in_shares(share, count, width, threads)
        return out

    def _scratch(self) -> int:
        """Address of memory that only this thread works in."""
        if not hasattr(self._local, "scratch"):
            self._local.scratch = scratch_array(self.lanes, self.code.scratch)
        return address(self._local.scratch)


def address(array: np.ndarray) -> int:
    """Where an array starts in memory; asking for it the usual way takes as long as some rows."""
    if layout_is_known():
        return ctypes.c_int64.from_address(id(array) + DATA).value
    return array.__array_interface__["data"][0]
