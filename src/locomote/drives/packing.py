"""Drives as arrays for compiled code."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.callbacks import Callback, table_of
from locomote.drives import signals as packed
from locomote.drives.drive import Drive, as_drive

FEW = 200  # times that are faster done in Python than by loading compiled code


@brief
@dataclass(frozen=True, eq=False)
class Signals:
    """Packed drives, for `drives.signals`.

    rows : (terms, 5) int64, whose SPARE is a row of a table that begins with `functions`; numbers : float64
    functions : the callbacks of that table, from row `first` on; drives : index -> drive, as they were given
    """

    rows: np.ndarray
    numbers: np.ndarray
    functions: list[Callback]
    drives: dict[int, Drive]
    first: int = 0

    @cached_property
    def table(self) -> np.ndarray:
        """The table of functions of these drives alone; good as long as this object lives."""
        return table_of([*[None] * self.first, *self.functions])

    @property
    def breaks(self) -> list[float]:
        """Times, s, at which some drive is not smooth."""
        return [x for drive in self.drives.values() for x in drive._breaks()]

    def motion(self, t: Any) -> tuple:
        """Position, velocity and acceleration at t (s), each of the shape of t, of drives of one coordinate."""
        times = np.asarray(t, dtype=float)
        flat = np.ascontiguousarray(times).reshape(-1)
        motion = np.empty((3, flat.size))
        if flat.size > FEW:
            given = flat if flat.flags.writeable else flat.copy()
            packed.compiled_history(self.rows, self.numbers, self.table, given, motion)
        else:
            packed.history(self.rows, self.numbers, self.table, flat, motion, np.empty(packed.SCRATCH))
        self.raise_fault()
        if times.ndim == 0:
            return tuple(motion[:, 0].tolist())
        return tuple(row.reshape(times.shape) for row in motion)

    def raise_fault(self) -> None:
        """Raise what a Function of the user raised, if one did."""
        for callback in self.functions:
            callback.raise_fault()

    def gap(self, t: float) -> tuple[int, str] | None:
        """The first index whose drive is not finite at t, and a sentence on it; None if all are well."""
        for index, drive in self.drives.items():
            motion = drive(t)
            if not all(map(math.isfinite, motion)):
                return index, f"its drive has no value at t = {t:g} s: {drive._gap(t) or f'it gives {motion}'}"
        return None

    def __reduce__(self):
        return pack_signals, (self.drives, self.first)


def pack_signals(drives: Mapping[int, Any], first: int = 0) -> Signals:
    """Drives by the index of their coordinate, as arrays for compiled code; their functions stand in a table from row `first`
    on."""
    rows, numbers, functions, kept = [], [], [], {}
    for index, given in drives.items():
        if (type(index) is not int and not isinstance(index, Integral)) or index < 0:
            raise ValueError(f"drives are packed by indices from 0, not by {index!r}")
        drive = kept[int(index)] = as_drive(given)
        for term in drive._terms():
            own = [len(term.ramps), *term.ramps, *term.numbers]
            rows.append([int(index), term.kind, len(numbers), len(own), first + len(functions) if term.callback else 0])
            numbers.extend(own)
            functions.extend([term.callback] if term.callback else [])
    shape = (len(rows), packed.COLUMNS)
    return Signals(np.array(rows, dtype=np.int64).reshape(shape), np.array(numbers, dtype=float), functions, kept, first)
