"""A compiled function of rows bound to arrays that stay where they are: a call is one call, without looking at them again."""

from collections.abc import Sequence

import numpy as np

from locomote.compiled.emit import scratch_array
from locomote.compiled.kernel import RowKernel, address


class Bound:
    """rows : contiguous float64 arrays (N, n), in the order of the inputs. `out` has the results, (N, ...) each."""

    def __init__(self, kernel: RowKernel, rows: Sequence[np.ndarray]):
        count, width = len(rows[0]), kernel.lanes.width
        self._kernel, self._rows = kernel, list(rows)  # kept, as their addresses are
        for x, columns in zip(rows, kernel.code.inputs, strict=True):
            if x.shape != (count, columns) or x.dtype != kernel.dtype or not x.flags.c_contiguous:
                raise ValueError(f"rows of shape {x.shape} and type {x.dtype} cannot be bound, expected ({count}, {columns})")
        self._full = [np.zeros((width, x.shape[1])) for x in rows] if count < width else []  # a block must be full
        full = kernel.empty(max(count, width))
        self.out = [x[:count] for x in full]
        self._scratch = scratch_array(kernel.lanes, kernel.code.scratch)
        addresses = [address(x) for x in (*(self._full or self._rows), *full)]
        self._arguments = np.array([*addresses, 0, max(count, width), address(self._scratch)], np.int64)
        self._place, self._run = address(self._arguments), kernel._loaded.run

    def __call__(self) -> None:
        for target, x in zip(self._full, self._rows, strict=False):
            target[: len(x)], target[len(x) :] = x, x[-1]
        self._run(self._place)
