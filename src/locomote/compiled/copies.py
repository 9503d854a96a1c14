"""Copies of a problem that go on from tick to tick: rollouts in pieces, for loops that look at states and decide what is next.

Each copy has its state, its clock, and the memory of its contacts; some of them can be set back while the others go on. Copies
may have numbers of their own: then those with the same ones are a lot, which steps by itself, unless the step is one formula.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomote.compiled.beginning import closed_at_starts
from locomote.compiled.lots import Lots, lots_of
from locomote.compiled.rollout import refuse_unable
from locomote.compiled.scan import in_lanes, in_rows
from locomote.compiled.step_loop import StepLoop
from locomote.compiled.who import Controls
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
        if lots is not None:
            lots.refuse_faults()
        self.controls = Controls.of(self.problem, joints, True)
        if self.controls.timed:
            raise ValueError(
                f"{problem.name!r} has drives or torques that are functions of time; give all driven joints to controls"
            )
        self.q, self.v = np.tile(q, (count, 1)), np.tile(v, (count, 1))
        self.t = np.zeros(count)
        places = len(self.problem.plan.spots) if self.problem.contacts else 0
        self.touch = np.zeros((count, places * TOUCH))  # what is known of contacts
        self._lots: list[Lot] = []  # of steps that are no single formula
        self._loop = self._formula(lots)
        if self._loop is None:
            self._lots = self._machines(lots)

    def _formula(self, lots: Lots | None) -> StepLoop | None:
        """The step as one formula, with numbers that differ as its inputs."""
        if self.problem.contacts:
            return None
        entries = None if lots is None else lots.entries
        loop = StepLoop(self.problem if lots is None else lots.sample, self.controls, self.step, "rk4", entries)
        if loop.scan is None:
            return None
        own = [] if lots is None or entries is None else [entries.values[lots.which]]
        self._carry = loop.carry(self.q, self.v, *own)
        self._shared, self._kept = np.zeros((self.substeps, 0)), np.empty((len(self._carry), 1, loop.seen, WIDTH))
        return loop

    def _machines(self, lots: Lots | None) -> list["Lot"]:
        """Compiled runs with their memory, lot by lot."""
        refuse_unable(self.problem, "timestep" if self.problem.contacts else "rk4", "in ticks")
        places = [np.arange(self.count)] if lots is None else lots.rows
        found = [
            Lot(self, self.problem if lots is None else lots.problem_of(n), rows) for n, rows in enumerate(places) if len(rows)
        ]
        return found

    def advance(self, controls: np.ndarray) -> None:
        """One tick with controls (count, columns): torques of joints, N or N m, or accelerations of those that are driven."""
        if self._loop is not None:
            self._by_formula(controls)
        else:
            for lot in self._lots:
                lot.advance(self, controls)
        self.t += self.step * self.substeps

    def _by_formula(self, controls: np.ndarray) -> None:
        loop = self._loop
        assert loop is not None and loop.scan is not None
        nq, both = loop.sizes["q"], loop.sizes["q"] + loop.sizes["v"]
        state = in_lanes(np.concatenate([self.q, self.v, self.t[:, None]], axis=1), loop.scan.lanes)
        self._carry[:, : both + 1] = state
        given = in_lanes(controls, loop.scan.lanes)[:, None].repeat(self.substeps, axis=1)
        loop.scan.run(self._carry, given, self._shared, self._kept, self.threads, keep=self.substeps)
        rows = in_rows(self._kept[:, 0], self.count)
        self.q[:], self.v[:] = rows[:, :nq], rows[:, nq:both]

    def put(self, which: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Set copies back: `which` (m,) places, q (m, nq), v (m, nv); their clocks and contacts begin anew."""
        self.q[which], self.v[which], self.t[which] = q, v, 0.0
        self.touch[which] = 0.0
        for lot in self._lots:
            if isinstance(lot.runs, SteppedRuns):
                lot.runs.rates[lot.own(which)] = 0.0

    @property
    def contact_forces(self) -> np.ndarray:
        """(count, contacts, 3) forces of contacts on their bodies in the world in the last step, N."""
        return self.touch.reshape(self.count, -1, TOUCH)[:, :, FORCE : FORCE + 3].copy()

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
        self.rows, first, last = rows, int(rows[0]), int(rows[-1]) + 1
        self.runs = kind(problem, copies.q[rows], copies.v[rows], empty, slots, copies.step, *more)
        self.worker = self.runs.worker()  # of a single thread
        self.place = slice(first, last) if last - first == len(rows) else None  # in one piece, its arrays are those of all
        if self.place is not None:
            self.runs.q, self.runs.v = copies.q[self.place], copies.v[self.place]
            if isinstance(self.runs, SteppedRuns):
                self.runs.touch = copies.touch[self.place]

    def own(self, which: np.ndarray) -> np.ndarray:
        """Places in its arrays of some copies."""
        if self.place is None:
            return np.flatnonzero(np.isin(self.rows, which))
        return which[(which >= self.place.start) & (which < self.place.stop)] - self.place.start

    def advance(self, copies: Copies, controls: np.ndarray) -> None:
        """One tick."""
        runs, rows = self.runs, self.rows if self.place is None else self.place
        runs.controls[:] = controls[rows][:, None]
        touched = isinstance(runs, SteppedRuns)
        if self.place is None:
            runs.q[:], runs.v[:] = copies.q[rows], copies.v[rows]
            if touched:
                runs.touch[:] = copies.touch[rows]
        if copies.threads == 1:
            runs.go(self.worker, 0, len(self.rows), 0, copies.substeps)
        else:
            self.share(copies)
        if self.place is None:
            copies.q[rows], copies.v[rows] = runs.q, runs.v
            if touched:
                copies.touch[rows] = runs.touch

    def share(self, copies: Copies) -> None:
        """One tick, by several threads."""
        runs = self.runs

        def part(first: int, last: int) -> None:
            runs.go(runs.worker(), first, last, 0, copies.substeps)

        in_shares(part, len(self.rows), WIDTH if getattr(runs, "together", False) else 1, copies.threads)
