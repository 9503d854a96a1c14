"""Many runs with steps of a fixed length, one after the other in compiled code: for problems whose step is too long a formula
to be straight-line code for many runs at once."""

import numpy as np

from locomote.compiler.source import kernel
from locomote.evaluation.plan import SINCE
from locomote.evaluation.protocol import Problem
from locomote.methods.integrators.rk4 import RK4
from locomote.methods.state import NEAREST, TIME
from locomote.methods.stepper import METHODS, step
from locomote.methods.stepping import DONE


@kernel
def step_rows(plan, work, state, first, last, start, stop, h, method, q, v, controls, slots, tau, done):
    """Steps start to stop of runs first to last, from states in their rows, where the ends go; states of those that cannot go
    on are NaN. done : work of all sources so far, as `State.done`."""
    nq, nv = state.q.shape[0], state.v.shape[0]
    for n in range(first, last):
        for k in range(nq):
            state.q[k] = q[n, k]
        for k in range(nv):
            state.v[k] = v[n, k]
        good = state.q[0] == state.q[0]
        for k in range(state.done.shape[0]):
            state.done[k] = done[n, k]
        i = start
        while good and i < stop:
            state.clock[TIME] = work.since[SINCE] = i * h
            for k in range(nv):
                tau[k] = 0.0
            for j in range(slots.shape[0]):
                tau[slots[j]] = controls[n, i, j]
            good = step(plan, work, state, tau, h, method) == DONE
            i += 1
        for k in range(nq):
            q[n, k] = state.q[k] if good else np.nan
        for k in range(nv):
            v[n, k] = state.v[k] if good else np.nan
        for k in range(state.done.shape[0]):
            done[n, k] = state.done[k]
    return 0


class RunsInRows:
    """Runs of a problem side by side: q (N, nq), v (N, nv), done (N, integrals)."""

    law = None  # there are no contacts

    def __init__(
        self, problem: Problem, q: np.ndarray, v: np.ndarray, controls: np.ndarray, slots: np.ndarray, h: float, method: str
    ):
        self.problem, self.q, self.v, self.h, self.method = problem, q.copy(), v.copy(), h, METHODS[method]
        self.controls, self.slots = np.ascontiguousarray(controls), slots
        self.plan = problem.run_plan(q[0])
        self.done = np.zeros((len(q), self.plan.integrals))

    def worker(self):
        """Scratch of one thread."""
        work, state = self.problem.work_for(self.plan), RK4.state_for(self.plan)
        state.choices[:] = 1, 1, 0
        state.clock[NEAREST] = 1.0
        return work, state

    def go(self, worker, first: int, last: int, start: int, stop: int) -> None:
        """Steps start to stop of runs first to last."""
        work, state = worker
        step_rows(
            self.plan, work, state, first, last, start, stop, self.h, self.method, self.q, self.v, self.controls, self.slots,
            np.zeros(self.v.shape[1]), self.done,
        )  # fmt: skip
