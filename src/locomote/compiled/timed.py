"""Drives and torques over time, of coordinates that follow no controls: for many steps of many runs at once.

Runs may have drives of their own, with numbers p. Where signals are linear in these, as in amplitudes and offsets, a few say
those of all runs, weighed by numbers of each:

    s(t; p) = s(t; p_0) + sum_d w_d (s(t; p_d) - s(t; p_0)) ,   w_d = (p - p_0)_d / (p_d - p_0)_d               (1)

with p_d as p_0 but for one number, which is as far away as any run has it; (1) must give the signals of some runs to rounding.
"""

from copy import copy

import numpy as np

from locomote.compiled.lots import Lots
from locomote.compiled.who import Controls
from locomote.drives.signals import COUNT, FIRST, TARGET, compiled_history
from locomote.evaluation.plan import Plan

LONG = 4096  # steps that are looked at at once
TRIED = 96  # times at which (1) is tried
MOST = 6  # numbers of a coordinate up to which it is
ROUNDING = 1e-14  # of the largest value


class Timed:
    """What follows time.

    controls : who does ; lots : if runs have drives of their own
    """

    def __init__(self, controls: Controls, lots: Lots | None = None):
        self.controls, self.which = controls, None if lots is None else lots.which
        self.held = [(place, k) for k, place in zip(controls.timed, controls.places, strict=True) if k in controls.held]
        self._own = (
            [] if lots is None else [own_numbers(lots, "drive" if k in controls.held else "torque", k) for k in controls.timed]
        )
        self._few: list[np.ndarray] = []  # of each coordinate (1 + d, ...) numbers p_0, p_1, ... of (1)
        self._bare: list[bool] = []  # whether the signals of p_0 are zero
        self._weights: np.ndarray | None = None  # (lots, all d)
        self._lots = 0 if lots is None else len(lots)
        self._form = None if lots is None else lots.form  # which remembers (1)
        self._functions = None if lots is None else lots.sample.plan.functions

    @property
    def own_drives(self) -> bool:
        """Whether signals differ between runs, and must be given run by run."""
        return self.which is not None and self._weights is None

    @property
    def spread(self) -> tuple[int, ...]:
        """How many weights the signals of each coordinate have, if (1) holds; negative if those of p_0 are zero."""
        return tuple((1 - len(x)) if bare else (len(x) - 1) for x, bare in zip(self._few, self._bare, strict=True))

    def columns_of(self, column: int) -> list[int]:
        """Columns of a coordinate."""
        timed, held = self.controls.timed, [k for _, k in self.held]
        k = timed[column]
        imposed = 3 * len(timed) + 2 * held.index(k) if k in held else 0
        return [column + when * len(timed) for when in range(3)] + ([imposed, imposed + 1] if k in held else [])

    def weighed(self, spread: tuple[int, ...]) -> list[list[int]]:
        """Columns that each weight enters: those of its coordinate."""
        return [self.columns_of(column) for column, many in enumerate(spread) for _ in range(abs(many))]

    def alike(self, spread: tuple[int, ...]) -> list[int]:
        """Columns that all runs have the same part of: those of coordinates whose p_0 has signals."""
        zero = {column for n, many in enumerate(spread) if many < 0 for column in self.columns_of(n)}
        return [column for column in range(self.size) if column not in zero]

    @property
    def weights(self) -> np.ndarray | None:
        """(runs, weights) of (1)."""
        return None if self._weights is None else self._weights[self.which]

    def linear(self, steps: int, step: float) -> "Timed":
        """The same by (1), if it holds for some steps, of s."""
        if self.which is None:
            return self
        times, few, weights, bare = steps * step * np.sort(np.arange(TRIED) * 0.6180339887 % 1.0), [], [], []
        for place, (rows, numbers) in enumerate(self._own):
            key = place, self.controls.timed, steps, step
            if self._form is None or key not in self._form.memory:
                told = self._told_by_few(rows, numbers, times)
                if told is None:
                    return self
                moved = (told[1:] != told[0]).argmax(axis=1)
                others = np.setdiff1d(np.intersect1d(inside_of(rows), self._differ(place)), moved)
                found = self._without(rows, told, moved, steps, step), moved, others
            else:
                found = self._form.memory[key]
            (told, none), moved, others = found
            if len(others) and (numbers[:, others] != told[0, others]).any():
                return self
            few.append(told)
            bare.append(none)
            weights.append((numbers[:, moved] - told[0, moved]) / (told[1 + np.arange(len(moved)), moved] - told[0, moved]))
            if self._form is not None:
                self._form.memory[key] = found
        made = copy(self)
        made._few, made._bare, made._weights = (
            few,
            bare,
            np.concatenate([np.broadcast_to(x, (self._lots, x.shape[1])) for x in weights], axis=1),
        )
        return made

    def _differ(self, place: int) -> np.ndarray:
        """Places of numbers of a coordinate that may differ between lots of a form."""
        name = "drive_numbers" if self.controls.timed[place] in self.controls.held else "torque_numbers"
        return np.zeros(0, int) if self._form is None else self._form.places.get(name, np.zeros(0, int))

    def _without(self, rows, few: np.ndarray, moved: np.ndarray, steps: int, step: float) -> tuple[np.ndarray, bool]:
        """Numbers of few with p_0 without what moves, and true, if signals then are zero throughout, as without amplitudes."""
        if not len(moved) or (few[1 + np.arange(len(moved)), moved] == 0.0).any():
            return few, False
        none = few.copy()
        none[:, moved] = 0.0
        for first in range(0, steps, LONG):
            times = step * (first + 0.5 * np.arange(2 * min(LONG, steps - first) + 1))
            if self._motions(rows, none[:1], times).any():
                return few, False
        none[1 + np.arange(len(moved)), moved] = few[1 + np.arange(len(moved)), moved]
        return none, True

    def _told_by_few(self, rows, numbers: np.ndarray, times: np.ndarray) -> np.ndarray | None:
        """Numbers of few; None if (1) does not hold."""
        inside = inside_of(rows) if numbers.size else np.zeros(0, int)
        away = numbers[:, inside] - numbers[:1, inside]
        moved = np.flatnonzero(away.any(axis=0))
        if len(moved) > MOST:
            return None
        far = np.abs(away[:, moved]).argmax(axis=0)
        few = np.repeat(numbers[:1], 1 + len(moved), axis=0)
        few[1 + np.arange(len(moved)), inside[moved]] = numbers[far, inside[moved]]
        if len(moved):
            weights = away[:, moved] / away[far, moved]
            looked = np.unique([*away[:, moved].argmin(axis=0), *far, len(numbers) // 2, len(numbers) // 3])
            first, *others = self._motions(rows, few, times)
            exact = self._motions(rows, numbers[looked], times)
            told = first + np.tensordot(weights[looked], np.array(others) - first, axes=1)
            if (np.abs(told - exact) > ROUNDING * np.abs(exact).max(axis=(0, 2), keepdims=True)).any():
                return None
        return few

    @property
    def size(self) -> int:
        """Columns of `columns`."""
        return 3 * len(self.controls.timed) + 2 * len(self.held)

    def part(self, start: int, stop: int) -> "Timed":
        """That of some runs."""
        part = copy(self)
        part.which = None if self.which is None else self.which[start:stop]
        return part

    def impose(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """Set positions and velocities (rows) of coordinates that a drive moves."""
        for column, (k, place) in enumerate(zip(self.controls.timed, self.controls.places, strict=True)):
            if k in self.controls.held:
                motion = self._picked(self._motion(column, np.array([t])))
                q[:, place], v[:, k] = motion[:, 0, 0], motion[:, 1, 0]

    def columns(self, first: int, last: int, step: float) -> np.ndarray:
        """(1 or runs, steps, columns) of steps: accelerations or forces at their start, middle and end, then positions and
        velocities that drives impose after each; of (1) those of p_0, then for each weight the columns that it enters."""
        steps, timed = last - first, self.controls.timed
        times = step * (first + 0.5 * np.arange(2 * steps + 1))
        if self._weights is None:
            motions = [self._picked(self._motion(column, times)) for column in range(len(timed))]
            return self._arranged(motions, 1 if self.which is None else len(self.which), steps)
        own = [self._motions(rows, few, times) for (rows, _), few in zip(self._own, self._few, strict=True)]
        first_of_all = self._arranged([x[:1] for x in own], 1, steps)
        parts, entered = [first_of_all[:, :, self.alike(self.spread)]], iter(self.weighed(self.spread))
        for column, motion in enumerate(own):
            for other in motion[1:]:
                moved = [x[:1] if c != column else (other - motion[0])[None] for c, x in enumerate(own)]
                parts.append(self._arranged(moved, 1, steps)[:, :, next(entered)])
        return np.concatenate(parts, axis=2)

    def _arranged(self, motions: list[np.ndarray], count: int, steps: int) -> np.ndarray:
        """`columns` of motions (1 or count, 3, times) of each coordinate."""
        found, timed = np.empty((count, steps, self.size)), self.controls.timed
        place = 3 * len(timed)
        for column, (k, motion) in enumerate(zip(timed, motions, strict=True)):
            rate = motion[:, 2 if k in self.controls.held else 0]
            for when, at in enumerate((rate[:, :-1:2], rate[:, 1::2], rate[:, 2::2])):
                found[:, :, when * len(timed) + column] = at
            if k in self.controls.held:
                found[:, :, place], found[:, :, place + 1] = motion[:, 0, 2::2], motion[:, 1, 2::2]
                place += 2
        return found

    def now(self, times: np.ndarray, count: int) -> np.ndarray:
        """(count, times, timed) accelerations or forces at some times."""
        found = np.empty((count, len(times), len(self.controls.timed)))
        for column, k in enumerate(self.controls.timed):
            motion = self._picked(self._motion(column, times))
            found[:, :, column] = motion[:, 2 if k in self.controls.held else 0]
        return found

    def _motion(self, column: int, times: np.ndarray) -> np.ndarray:
        """(1 or lots, 3, times) value and rates of a coordinate."""
        if not self._own or (self._form is None and len(self._own[column][1]) == 1):
            return np.array(self.controls.drives[column](times))[None]
        rows, numbers = self._own[column]
        if self._weights is None:
            return self._motions(rows, numbers, times)
        first, *others = self._motions(rows, self._few[column], times)
        if not others:
            return first[None]
        place = sum(map(abs, self.spread[:column]))
        return first + np.tensordot(self._weights[:, place : place + len(others)], np.array(others) - first, axes=1)

    def _motions(self, rows: np.ndarray, numbers: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(many, 3, times) for many rows of numbers."""
        found = np.empty((len(numbers), 3, len(times)))
        for own, motion in zip(numbers, found, strict=True):
            compiled_history(rows, own, self._functions, times, motion)
        return found

    def _picked(self, motion: np.ndarray) -> np.ndarray:
        """Those of runs, from those of lots."""
        return motion if len(motion) == 1 or self.which is None else motion[self.which]


def inside_of(rows: np.ndarray) -> np.ndarray:
    """Places of the numbers of signals."""
    return np.concatenate([np.arange(x[FIRST], x[FIRST] + x[COUNT]) for x in rows])


def own_numbers(lots: Lots, name: str, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the signals for a coordinate of v, and their numbers: (lots, ...), or (1, ...) if they are the same."""
    plan: Plan = lots.sample.plan
    rows: np.ndarray = getattr(plan, f"{name}_rows")
    rows = np.ascontiguousarray(rows[rows[:, TARGET] == k])
    same: np.ndarray = getattr(plan, f"{name}_numbers")[None]
    table = lots.signals.get(f"{name}_numbers", same)
    inside = inside_of(rows)
    return rows, table[:1] if (table[:, inside] == table[0, inside]).all() else np.ascontiguousarray(table)


def timed_of(controls: Controls, lots: Lots) -> Timed:
    """That of lots, whose drives may differ."""
    return Timed(controls, lots if lots.signals else None)
