"""Copies of a problem that go on from tick to tick: rollouts in pieces, for loops that look at states and decide what is next.

Each copy has its state, its clock, and the memory of its contacts; some of them can be set back while the others go on. Copies
may have numbers of their own: then those with the same ones are a lot, which steps by itself, unless the step is one formula.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomote.compiled.beginning import Controls, closed_at_starts
from locomote.compiled.kernel import RowKernel
from locomote.compiled.lots import Lots, lots_of
from locomote.compiled.rollout import refuse_unable, step_kernel
from locomote.compiler.lanes import WIDTH
from locomote.dynamics.dispatch import in_shares
from locomote.locomotion.problem import Locomotion
from locomote.methods.state import FORCE, TOUCH
from locomote.methods.stepped_runs import RunsInRows
from locomote.methods.timestep.runs import SteppedRuns


class Copies:
    """`count` copies of a problem.

    step : s ; substeps : steps of a tick, during which controls stay as they are
    joints : names of those that controls are for, as of `lo.rollout` ; threads : that share the copies
    parameters : numbers of each copy, by the names and patterns of `problem.parameters`: (count,), or (count, 3) of a vector;
        over contacts copies with equal numbers are stepped together, so eight or more should have them

    q : (count, nq), v : (count, nv) states ; t : (count,) s since each copy began
    """

    def __init__(
        self, problem: Locomotion, count: int, *, step: float, substeps: int, joints: Sequence[Any] | None, threads: int = 1,
        parameters: Mapping[str, Any] | None = None,
    ):  # fmt: skip
        self.step, self.substeps, self.threads, self.count = float(step), int(substeps), int(threads), int(count)
        q, v = problem.initial()
        self.problem, lots, _ = lots_of(closed_at_starts(problem, q[None]), parameters, self.count)
        self.controls = Controls.of(self.problem, joints, True)
        if self.controls.timed:
            raise ValueError(
                f"{problem.name!r} has drives or torques that are functions of time; give all driven joints to controls"
            )
        self.q, self.v = np.tile(q, (count, 1)), np.tile(v, (count, 1))
        self.t = np.zeros(count)
        self._own: list[np.ndarray] = []  # numbers that differ, of a step that is one formula
        self._lots: list[Lot] = []  # else
        self._kernel = self._formula(lots)
        if self._kernel is None:
            self._lots = self._machines(lots)

    def _formula(self, lots: Lots | None) -> RowKernel | None:
        """The step as one formula, with numbers that differ as its inputs."""
        if self.problem.contacts:
            return None
        entries = None if lots is None else lots.entries
        kernel = step_kernel(self.problem, self.controls, self.step, "rk4", entries)
        if kernel is not None and lots is not None and entries is not None:
            self._own = [np.ascontiguousarray(entries.values[lots.which])]
        return kernel

    def _machines(self, lots: Lots | None) -> list["Lot"]:
        """Compiled runs with their memory, lot by lot."""
        refuse_unable(self.problem, "timestep" if self.problem.contacts else "rk4", "in ticks")
        places = [np.arange(self.count)] if lots is None else lots.rows
        found = [
            Lot(self, self.problem if lots is None else lots.problem_of(n), rows) for n, rows in enumerate(places) if len(rows)
        ]
        if lots is None:  # its rows are those of all
            self.q, self.v = found[0].runs.q, found[0].runs.v
        return found

    def advance(self, controls: np.ndarray) -> None:
        """One tick with controls (count, columns): torques of joints, N or N m, or accelerations of those that are driven."""
        if self._kernel is not None:
            self._by_formula(np.ascontiguousarray(controls, float))
        else:
            for lot in self._lots:
                lot.advance(self, controls)
        self.t += self.step * self.substeps

    def _by_formula(self, controls: np.ndarray) -> None:
        kernel = self._kernel
        assert kernel is not None
        past = [np.zeros((self.count, 1))] if len(self.problem.plan.stops) else []
        rows, signals, now = [self.q, self.v, *past], np.zeros((self.count, 0)), self.t[:, None]
        buffers = [kernel.empty(self.count), kernel.empty(self.count)]
        for n in range(self.substeps):
            given = [*rows[:2], controls, signals, now + n * self.step, *rows[2:], *self._own]
            rows = kernel.run(given, self.threads, out=buffers[n % 2])
        self.q, self.v = rows[0].copy(), rows[1].copy()

    def put(self, which: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Set copies back: `which` (m,) places, q (m, nq), v (m, nv); their clocks and contacts begin anew."""
        self.q[which], self.v[which], self.t[which] = q, v, 0.0
        for lot in self._lots:
            if isinstance(lot.runs, SteppedRuns):
                own = np.flatnonzero(np.isin(lot.rows, which))
                lot.runs.touch[own], lot.runs.rates[own] = 0.0, 0.0

    @property
    def contact_forces(self) -> np.ndarray:
        """(count, contacts, 3) forces of contacts on their bodies in the world in the last step, N."""
        found = np.zeros((self.count, len(self.problem.plan.spots) if self.problem.contacts else 0, 3))
        for lot in self._lots:
            if isinstance(lot.runs, SteppedRuns):
                found[lot.rows] = lot.runs.touch.reshape(len(lot.rows), -1, TOUCH)[:, :, FORCE : FORCE + 3]
        return found

    @property
    def missed(self) -> np.ndarray:
        """(count, 2) how many steps missed the law of contacts by more than 1e-8 m/s, and the worst, m/s."""
        found = np.zeros((self.count, 2))
        for lot in self._lots:
            if isinstance(lot.runs, SteppedRuns):
                found[lot.rows] = lot.runs.law
        return found


class Lot:
    """Copies with the same numbers: `rows` of all, as compiled runs with the memory of their contacts."""

    def __init__(self, copies: Copies, problem: Locomotion, rows: np.ndarray):
        kind, more = (SteppedRuns, ()) if problem.contacts else (RunsInRows, ("rk4",))
        slots = np.array(copies.controls.given, np.int64)
        empty = np.zeros((len(rows), copies.substeps, len(slots)))
        self.rows = rows
        self.runs = kind(problem, copies.q[rows], copies.v[rows], empty, slots, copies.step, *more)
        self.worker = self.runs.worker()  # of a single thread

    def advance(self, copies: Copies, controls: np.ndarray) -> None:
        """One tick."""
        runs, shared = self.runs, self.runs.q is copies.q
        runs.controls[:] = controls[self.rows, None, :]
        if not shared:
            runs.q[:], runs.v[:] = copies.q[self.rows], copies.v[self.rows]
        alone = copies.threads == 1

        def share(first: int, last: int) -> None:
            runs.go(self.worker if alone else runs.worker(), first, last, 0, copies.substeps)

        in_shares(share, len(self.rows), WIDTH if getattr(runs, "together", False) else 1, copies.threads)
        if not shared:
            copies.q[self.rows], copies.v[self.rows] = runs.q, runs.v
