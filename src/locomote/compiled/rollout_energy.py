"""Whether the energy of rollouts closes: their steps once more, in compiled code that counts work, one run after the other.

    gap = E(t) - E(0) - W(t) ,   balance = largest gap / largest of kinetic energy, change of E's parts, work of one source

Rollouts themselves count no work, so that they stay fast. Runs that went faster or further than weight and their start explain
are looked at in any case: numbers that are finite may be nonsense all the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.compiled.lots import Lots
from locomote.dynamics import flexible
from locomote.dynamics.momentum import kinetic_energy, potential_energy
from locomote.evaluation import plan as fields
from locomote.forces.plain import acting
from locomote.locomotion.problem import Locomotion
from locomote.methods.stepped_runs import RunsInRows
from locomote.methods.stiffness import BEARS, fastest_rate, has_stiffness
from locomote.methods.timestep.runs import SteppedRuns

LOOKS = 50  # times at which energy is compared
FAR = 3.0  # times the speed that start and weight give, from which on a run is looked at
SURELY = 0.9  # share of the longest step: rates are known to some per cent
LOST = 0.1  # balance of a run that is lost


@dataclass(frozen=True)
class Again:
    """What it takes to do rollouts once more."""

    problem: Locomotion
    starts: tuple[np.ndarray, np.ndarray]
    controls: np.ndarray
    slots: np.ndarray
    steps: int
    step: float
    method: str
    pushed: bool = False

    @staticmethod
    def of(
        problem: Locomotion, states: list[np.ndarray], values: Any, given: Any, steps: int, step: float, method: str
    ) -> "Again":
        """Energies of rollouts whose states (N, times, ...) begin with their starts."""
        controls = np.zeros((len(states[0]), steps, 0)) if values is None else values
        starts = states[0][:, 0].copy(), states[1][:, 0].copy()
        return Again(problem, starts, controls, np.array(given, np.int64), steps, step, method)

    @property
    def unable(self) -> str:
        """Why work cannot be counted, if so."""
        if not self.problem.inertia:
            return "it has no inertia, and no kinetic energy"
        if self.problem.imposed[self.slots].any():
            return "its controls are accelerations of driven joints"
        if self.pushed:
            return "pushes do work that is not counted"
        return ""

    def balance(self, rows: np.ndarray) -> np.ndarray:
        """(rows,) balance of some of the runs."""
        if self.unable:
            raise ValueError(f"the energy of rollouts of {self.problem.name!r} is not known: {self.unable}")
        q, v = (np.ascontiguousarray(x[rows]) for x in self.starts)
        given = self.problem, q, v, self.controls[rows], self.slots, self.step
        runs: Any = SteppedRuns(*given, counts=True) if self.method == "timestep" else RunsInRows(*given, self.method)
        worker, first, before = runs.worker(), self._energies(0.0, q, v), 0
        gap, scale = np.zeros(len(rows)), abs(first[0])
        for end in np.unique(np.linspace(0, self.steps, LOOKS + 1).astype(int))[1:]:
            runs.go(worker, 0, len(rows), before, int(end))
            before = int(end)
            now, work = self._energies(end * self.step, runs.q, runs.v), np.delete(runs.done, fields.PATH, axis=1)
            gap = np.fmax(gap, abs((now - first).sum(axis=0) - work.sum(axis=1)))
            parts = [abs(now[0]), *abs(now - first)[1:], *abs(work.T)]
            scale = np.fmax(scale, np.max(parts, axis=0))
        broken = ~(np.isfinite(runs.q).all(axis=1) & np.isfinite(runs.v).all(axis=1))
        return np.where(broken, np.inf, gap / np.maximum(scale, np.finfo(float).tiny))

    def _energies(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(3, N) kinetic, potential and elastic energy, J; NaN for states that are not finite."""
        model, (stiffness, rest) = self.problem.model, self.problem.plan.passive[[fields.STIFFNESS, fields.REST]]
        good = np.flatnonzero(np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1))
        result, q, v = np.full((3, len(q)), np.nan), model.normalize(q[good]), v[good]
        if model.flexible and not model.coupling:
            energy = np.array(flexible.ENERGIES(model, [q, v])[0][:, :2].T)
            elastic = flexible.ELASTIC(model, [q, np.zeros_like(v)])[1][:, 0]
        else:
            energy, elastic = np.array([kinetic_energy(model, q, v), potential_energy(model, q)]), np.zeros(len(q))
        if stiffness.any():
            elastic = elastic + 0.5 * np.where(stiffness != 0, stiffness * (q[:, self.problem.q_of_v] - rest) ** 2, 0).sum(
                axis=1
            )
        for term in (term for term in self.problem.terms if term.kind.energy):
            elastic = elastic + acting(model, term, np.full(len(q), t), q, v).energy
        result[:, good] = *energy, elastic
        return result

    def too_long(self) -> float:
        """The fastest rate at the first start, 1/s, if the step is too long for it; else zero."""
        problem, bears = self.problem, BEARS.get(self.method)
        if bears is None or self.unable or not has_stiffness(problem, problem.plan):
            return 0.0
        with problem.scratch(problem.plan) as work:
            rate = fastest_rate(problem, problem.plan, work, 0.0, *(x[0] for x in self.starts))
        return rate if rate * self.step > SURELY * bears else 0.0

    def doubtful(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Numbers of runs that end, at q and v, faster or further away than their start and weight explain."""
        if self.unable or self.problem.imposed.any():
            return np.zeros(0, np.int64)
        q0, v0 = self.starts
        duration = self.steps * self.step
        speed = FAR * (1.0 + abs(v0).max(axis=1, initial=0.0) + float(np.linalg.norm(self.problem.model.gravity)) * duration)
        fast = abs(v).max(axis=1, initial=0.0) > speed
        return np.flatnonzero(fast | (abs(q - q0).max(axis=1, initial=0.0) > 1.0 + speed * duration))


class Agains:
    """The same for lots of runs with numbers of their own: of (lot, rows) -> Again of these runs. first : that of runs of a
    problem like theirs"""

    def __init__(self, of: Callable[[int, np.ndarray], Again], lots: Lots, first: Again):
        self.of, self.lots, self.first = of, lots, first
        self.problem, self.step, self.method, self.unable = first.problem, first.step, first.method, first.unable

    def balance(self, rows: np.ndarray) -> np.ndarray:
        """(rows,) balance of some of the runs."""
        found = np.empty(len(rows))
        for lot in np.unique(self.lots.which[rows]):
            inside = np.flatnonzero(self.lots.which[rows] == lot)
            found[inside] = self.of(int(lot), rows[inside]).balance(np.arange(len(inside)))
        return found

    def too_long(self) -> float:
        """The fastest rate at starts of the lots with the lowest and highest numbers, 1/s, if the step is too long for it."""
        if self.lots.form is not None and not has_stiffness(self.problem, self.problem.plan):
            return 0.0  # nor has any lot, since no number is negative
        return max(self.of(lot, self.lots.rows_of(lot)).too_long() for lot in self.lots.extreme)

    def doubtful(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Numbers of runs that end faster or further away than their start and weight explain, by these lots."""
        if self.problem.imposed.any() or (self.lots.form is not None and not self.lots.names_gravity):
            return self.first.doubtful(q, v)
        every = np.arange(len(q))
        return np.unique(np.concatenate([self.of(lot, every).doubtful(q, v) for lot in self.lots.extreme]))
