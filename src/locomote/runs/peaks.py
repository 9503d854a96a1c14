"""The largest values of the columns of a run: those it tracked at every step, or those at its samples."""

from typing import NamedTuple

import numpy as np

from locomote.runs.trajectory import Trajectory

COARSE = 0.01  # part of a peak that the curve through it and its neighbours may rise above it


class Peak(NamedTuple):
    """The value of largest magnitude of a channel, its time (s), and whether more may have been between samples."""

    name: str
    unit: str
    value: float
    t: float
    at_least: bool


def peaks(run: Trajectory, array: str) -> list[Peak]:
    """The peaks of all columns of q, v, a, tau or reactions, in the order of the columns."""
    values, found = getattr(run, array), []
    if not values.size:
        return []
    known = [run.tracked.get(f"{array}.{end}") for end in ("max", "max_at", "min", "min_at")] if run.tracked else [None]
    for name, column in run._columns.items():
        if column.array != array:
            continue
        k = int(column.index)  # type: ignore[arg-type]
        if all(x is not None for x in known):
            high, high_at, low, low_at = (float(x[k]) for x in known)  # type: ignore[index]
            value, t = (high, high_at) if abs(high) >= abs(low) else (low, low_at)
            found.append(Peak(name, column.unit, value, t, False))
        else:
            x = np.nan_to_num(values[:, k])
            row = int(np.argmax(abs(x)))
            found.append(Peak(name, column.unit, float(values[row, k]), float(run.t[row]), is_coarse(x, row)))
    return found


def is_coarse(x: np.ndarray, row: int) -> bool:
    """Whether a parabola through a peak and its neighbours bends so much that the peak itself was hardly met."""
    if not 0 < row < len(x) - 1:
        return False
    return bool(abs(x[row - 1] - 2 * x[row] + x[row + 1]) / 8 > COARSE * abs(x[row]))
