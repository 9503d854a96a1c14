"""Rollouts whose runs have numbers of their own: runs with the same numbers are a lot, with a problem of its own.

All lots go through one step together: what differs between their plans (`symbolic.entries`) is input of its formula. Drives
that differ are evaluated lot by lot, all at one time in compiled code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.drives.packing import pack_signals
from locomote.drives.signals import SCRATCH, signals_one
from locomote.locomotion.problem import Locomotion

if TYPE_CHECKING:
    from locomote.compiled.rollout import Controls


@brief
@dataclass(frozen=True)
class Lots:
    """problems : with different numbers ; which : (N,) the problem of each run"""

    problems: tuple[Locomotion, ...]
    which: np.ndarray

    @property
    def rows(self) -> list[np.ndarray]:
        """Numbers of the runs of each problem."""
        order = np.argsort(self.which, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.which, minlength=len(self.problems)))[:-1])


def lots_of(problem: Locomotion, parameters: Mapping[Any, Any] | None, batch: int | None) -> tuple[Lots | None, int | None]:
    """The problems of runs with parameters, and how many runs there are if these say it.

    parameters : name, pattern or several in a tuple -> one value for all runs, or (N,) or (N, shape) of them
    """
    if parameters is None:
        return None, batch
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters are given by name, as {{'board.mass': masses}}, not as {parameters!r:.60}")
    known, given, sizes = problem.parameters, {}, set()
    for key, values in parameters.items():
        shape = known.shape(known.matching(key)[0])
        given[key] = np.asarray(values, dtype=float)
        if given[key].ndim == len(shape) + 1:
            sizes.add(len(given[key]))
    if len(sizes | ({batch} if batch is not None else set())) > 1:
        raise ValueError(f"parameters are for {', '.join(map(str, sorted(sizes)))} runs, batch is {batch}: they do not fit")
    count = sizes.pop() if sizes else 1 if batch is None else batch
    every = {key: x for key, x in given.items() if x.ndim == len(known.shape(known.matching(key)[0]))}
    each = {key: x for key, x in given.items() if key not in every}
    if every:
        problem = problem.with_parameters(every)
    if not each:
        return Lots((problem,), np.zeros(count, int)), count if sizes or batch is not None else batch
    table = np.concatenate([x.reshape(count, -1) for x in each.values()], axis=1)
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    made = []
    for n in first:
        try:
            made.append(problem.with_parameters({key: x[n] for key, x in each.items()}))
        except ValueError as error:
            raise type(error)(f"run {n}: {error}") if type(error) is ValueError else error from None
    return Lots(tuple(made), which.ravel()), count


@dataclass(frozen=True)
class LotControls:
    """`Controls` of lots whose drives differ; which : (N,) the lot of each run."""

    shared: "Controls"
    motions: tuple[Any, ...]  # packed drives of all lots, for each timed coordinate
    which: np.ndarray

    @staticmethod
    def of(controls: Sequence["Controls"], which: np.ndarray) -> "LotControls":
        """Of the controls of each lot."""
        shared = controls[0]
        drives = zip(*(one.drives for one in controls), strict=True)
        return LotControls(shared, tuple(pack_signals(dict(enumerate(x))) for x in drives), which)

    def part(self, start: int, stop: int) -> "LotControls":
        """Those of some runs."""
        return LotControls(self.shared, self.motions, self.which[start:stop])

    def _at(self, motion: Any, t: float) -> np.ndarray:
        """(3, N) value and rates of a drive of each run."""
        found = np.zeros((3, len(motion.drives)))
        x, dx, ddx = found
        signals_one(motion.rows, motion.numbers, motion.table, float(t), x, dx, ddx, np.empty(SCRATCH))
        motion.raise_fault()
        return found[:, self.which]

    def impose(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """Set positions and velocities (rows) of coordinates that a drive moves."""
        for k, place, motion in zip(self.shared.timed, self.shared.places, self.motions, strict=True):
            if k in self.shared.held:
                q[:, place], v[:, k], _ = self._at(motion, t)

    def signals(self, t: float, step: float) -> np.ndarray:
        """(N, signals) accelerations or forces of timed coordinates at the start, middle and end of a step."""
        count = len(self.motions)
        found = np.zeros((len(self.which), 3 * count))
        for column, (k, motion) in enumerate(zip(self.shared.timed, self.motions, strict=True)):
            for row, when in enumerate((t, t + 0.5 * step, t + step)):
                found[:, row * count + column] = self._at(motion, when)[2 if k in self.shared.held else 0]
        return found
