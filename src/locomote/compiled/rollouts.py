"""What rollouts give: states of all runs, and which of them are lost."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomote.compiled.rollout_energy import LOST, Again, Agains
from locomote.later import later
from locomote.locomotion.problem import Locomotion
from locomote.methods.events.stops import BEYOND
from locomote.methods.stiffness import BEARS


@dataclass(frozen=True)
class Rollouts:
    """States of all runs at the times that were kept."""

    t: np.ndarray  # (K,)
    q: np.ndarray  # (N, K, nq)
    v: np.ndarray  # (N, K, nv)
    contact_law: np.ndarray | None = None  # (N, 2): steps that miss the contact law by more than 1e-8 m/s, and by how much
    contact_forces: np.ndarray | None = None  # (N, K, places, 3): on bodies in the world in the step before, N; 0 at the start
    outputs: dict[str, np.ndarray] | None = None  # name -> (N, K) of what was asked for
    beyond: np.ndarray | None = None  # (N,) how far joints went beyond limits that the method has no stops for, rad or m
    nonsense: np.ndarray | None = None  # numbers of runs whose energy does not close, of those that were looked at
    start_change: dict[str, np.ndarray] | None = None  # "q", "v" (N, nv) by which starts differ from those that were given
    _again: Again | Agains | None = field(default=None, repr=False)

    @property
    def lost(self) -> np.ndarray:
        """(N,) whether a run ended in what is not a number, or in numbers without sense: where it could not go, or with energy
        that came from nowhere."""
        lost = ~self.finite if self.beyond is None else ~self.finite | (self.beyond > BEYOND)
        if self.nonsense is not None:
            lost[self.nonsense] = True
        return lost

    @cached_property
    def balance(self) -> np.ndarray:
        """(N,) largest gap between energy and the work done, over what was exchanged: the steps of all runs are taken once
        more, one run after the other, by code that counts work."""
        if self._again is None:
            raise ValueError("these rollouts do not know their problem, and cannot be taken once more")
        return self._again.balance(np.arange(len(self.q)))

    def gradient(
        self,
        weights: Mapping[str, Any],
        by: str | Sequence[str] = "controls",
        *,
        contacts: str = "saltation",
        threads: int = 1,
        memory: float | None = None,
    ) -> Any:
        """Exact slopes of the sum of weights times states, of each run: the product of a row with the Jacobian.

        weights : "q" and "v", each (N, K, columns) as the states that were kept, or (N, columns) for the end
        by : of "controls", "q", "v" (the start), and names of parameters
        contacts, threads, memory : as of `lo.gradient`

        Returns `Slopes`, with N in front: "controls" (N, steps, columns), "q" and "v" (N, nv) along the tangent, parameters.
        """
        return later("gradients.of_rollouts", "gradient_of_runs")(self, weights, by, contacts, threads, memory)

    @property
    def finite(self) -> np.ndarray:
        """(N,) whether a run ended in numbers."""
        return np.asarray(np.isfinite(self.q[:, -1]).all(axis=-1) & np.isfinite(self.v[:, -1]).all(axis=-1))

    def __repr__(self) -> str:
        return f"<Rollouts: {len(self.q)} runs, {len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g} s>"


def looked_at(runs: Rollouts, again: Again | Agains) -> Rollouts:
    """The rollouts, with those marked whose energy does not close: if the step is too long for a term all are looked at, else
    those that went faster or further than makes sense."""
    rate, good = again.too_long(), np.flatnonzero(runs.finite)
    if rate:
        warnings.warn(
            f"the step of {again.step:g} s is too long for {again.problem.name!r}: springs, dampers or other forces make small "
            f"motions as fast as {rate:.3g} 1/s, for which method={again.method!r} takes at most "
            f"{BEARS[again.method] / rate:.2g} s; `balance` says what the energy does",
            RuntimeWarning,
            stacklevel=4,
        )
    doubtful = good if rate else np.intersect1d(good, again.doubtful(runs.q[:, -1], runs.v[:, -1]))
    nonsense = doubtful[~(again.balance(doubtful) <= LOST)] if len(doubtful) and not again.unable else None
    return replace(runs, nonsense=nonsense, _again=again)


def warn_of_lost(problem: Locomotion, runs: Rollouts, step: float, method: str) -> None:
    """Warn of runs that ended in what is not a number, and of those that went beyond limits."""
    count, broken = len(runs.q), ~runs.finite
    past = np.zeros(count, dtype=bool) if runs.beyond is None else ~broken & (runs.beyond > BEYOND)
    if past.any() and runs.beyond is not None:
        warnings.warn(
            f"{past.sum()} of {count} rollouts of {problem.name!r} pass limits of joints, by up to "
            f"{runs.beyond[past].max():.3g} rad or m: method={method!r} has no stops; use method='timestep', or give the "
            f"problem limits=False; `lost` marks them",
            RuntimeWarning,
            stacklevel=4,
        )
    if runs.nonsense is not None and len(runs.nonsense):
        warnings.warn(
            f"{len(runs.nonsense)} of {count} rollouts of {problem.name!r} end in numbers without sense: their energy does not "
            f"close by more than {LOST:.0%} of what was exchanged: the step of {step:g} s is too long; `lost` marks them",
            RuntimeWarning,
            stacklevel=4,
        )
    if broken.any():
        warnings.warn(
            f"{broken.sum()} of {count} rollouts of {problem.name!r} left what numbers can hold: the step of {step:g} s is too "
            f"long for these speeds, or the constraints became singular; `lost` marks them",
            RuntimeWarning,
            stacklevel=4,
        )
