"""Copies of a problem that go on from tick to tick: rollouts in pieces, for loops that look at states and decide what is next.

Each copy has its state, its clock, and the memory of its contacts; some of them can be set back while the others go on.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from locomote.compiled.beginning import Controls, closed_at_starts
from locomote.compiled.kernel import RowKernel
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

    q : (count, nq), v : (count, nv) states ; t : (count,) s since each copy began
    """

    def __init__(
        self, problem: Locomotion, count: int, *, step: float, substeps: int, joints: Sequence[Any] | None, threads: int = 1
    ):
        self.step, self.substeps, self.threads, self.count = float(step), int(substeps), int(threads), int(count)
        q, v = problem.initial()
        self.problem = closed_at_starts(problem, q[None])
        self.controls = Controls.of(self.problem, joints, True)
        if self.controls.timed:
            raise ValueError(
                f"{problem.name!r} has drives or torques that are functions of time; give all driven joints to controls"
            )
        self.q, self.v = np.tile(q, (count, 1)), np.tile(v, (count, 1))
        self.t = np.zeros(count)
        self._kernel, self._runs = self._machine()

    def _machine(self) -> tuple[RowKernel | None, SteppedRuns | RunsInRows | None]:
        """The step as one formula, or compiled runs with their memory."""
        if not self.problem.contacts:
            kernel = step_kernel(self.problem, self.controls, self.step, "rk4")
            if kernel is not None:
                return kernel, None
        method = "timestep" if self.problem.contacts else "rk4"
        refuse_unable(self.problem, method, "in ticks")
        kind, more = (SteppedRuns, ()) if self.problem.contacts else (RunsInRows, (method,))
        empty = np.zeros((self.count, self.substeps, len(self.controls.given)))
        runs = kind(self.problem, self.q, self.v, empty, np.array(self.controls.given, np.int64), self.step, *more)
        self.q, self.v = runs.q, runs.v
        return None, runs

    def advance(self, controls: np.ndarray) -> None:
        """One tick with controls (count, columns): torques of joints, N or N m, or accelerations of those that are driven."""
        if self._kernel is not None:
            self._formula(np.ascontiguousarray(controls, float))
        else:
            self._compiled(controls)
        self.t += self.step * self.substeps

    def _formula(self, controls: np.ndarray) -> None:
        kernel = self._kernel
        assert kernel is not None
        past = [np.zeros((self.count, 1))] if len(self.problem.plan.stops) else []
        rows, signals, now = [self.q, self.v, *past], np.zeros((self.count, 0)), self.t[:, None]
        buffers = [kernel.empty(self.count), kernel.empty(self.count)]
        for n in range(self.substeps):
            rows = kernel.run([*rows[:2], controls, signals, now + n * self.step, *rows[2:]], self.threads, out=buffers[n % 2])
        self.q, self.v = rows[0].copy(), rows[1].copy()

    def _compiled(self, controls: np.ndarray) -> None:
        runs = self._runs
        assert runs is not None
        runs.controls[:] = controls[:, None, :]
        together = getattr(runs, "together", False)
        in_shares(
            lambda a, b: runs.go(runs.worker(), a, b, 0, self.substeps), self.count, WIDTH if together else 1, self.threads
        )

    def put(self, which: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Set copies back: `which` (m,) places, q (m, nq), v (m, nv); their clocks and contacts begin anew."""
        self.q[which], self.v[which], self.t[which] = q, v, 0.0
        if isinstance(self._runs, SteppedRuns):
            self._runs.touch[which], self._runs.rates[which] = 0.0, 0.0

    @property
    def contact_forces(self) -> np.ndarray:
        """(count, contacts, 3) forces of contacts on their bodies in the world in the last step, N."""
        if not isinstance(self._runs, SteppedRuns):
            return np.zeros((self.count, 0, 3))
        return self._runs.touch.reshape(self.count, -1, TOUCH)[:, :, FORCE : FORCE + 3]

    @property
    def missed(self) -> np.ndarray:
        """(count, 2) how many steps missed the law of contacts by more than 1e-8 m/s, and the worst, m/s."""
        return self._runs.law if isinstance(self._runs, SteppedRuns) else np.zeros((self.count, 2))
