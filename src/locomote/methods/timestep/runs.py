"""Many runs with `method="timestep"` in compiled code, without samples and events: on lanes, or one after the other."""

import numpy as np
from numba import float64, int64

from locomote.compiler.records import record_type
from locomote.compiler.source import kernel
from locomote.evaluation.clocks import tick
from locomote.evaluation.evaluate import impose
from locomote.evaluation.plan import SINCE, TURN, Plan
from locomote.evaluation.protocol import Problem
from locomote.methods.entries import MATRIX, PLAN, WORK
from locomote.methods.integrators.timestep import TIMESTEP, TimestepState, begin_timestep
from locomote.methods.state import LEFT_OVER, MET, PROJECT, TIME
from locomote.methods.timestep.lane_runs import on_lanes, run_lanes
from locomote.methods.timestep.pace import followed_step
from locomote.methods.timestep.work import NOT_COUNTED, UNKNOWN

CHUNK = 200  # steps between looks at what others want
FEW = 3  # runs from which on lanes are faster


@kernel
def run_rows(plan, work, state, first, last, start, stop, h, q, v, touch, rates, controls, slots, law, clocked, done):
    """Steps start to stop of runs first to last, from states in their rows, where the ends go; law : steps that miss the law of
    contacts, and the worst of them; clocked : what controllers have to remember; done : work of all sources, if it counts."""
    nq, nv = state.q.shape[0], state.v.shape[0]
    for n in range(first, last):
        for k in range(nq):
            state.q[k] = q[n, k]
        for k in range(nv):
            state.v[k], state.step_a[k] = v[n, k], rates[n, k]
        for c in range(state.touch.shape[0]):
            for k in range(state.touch.shape[1]):
                state.touch[c, k] = touch[n, c * state.touch.shape[1] + k]
        for k in range(state.done.shape[0]):
            state.done[k] = done[n, k] if done.shape[0] > 0 else 0.0
        state.stored[0, 0] = UNKNOWN if done.shape[0] > 0 else NOT_COUNTED
        for j in range(state.ticks.shape[0]):
            at = j * (1 + 2 * nv)
            state.ticks[j] = int(clocked[n, at])
            for k in range(nv):
                state.given[j, k], state.given_before[j, k] = clocked[n, at + 1 + k], clocked[n, at + 1 + nv + k]
        for i in range(start, stop):
            t = i * h
            state.clock[TIME] = t
            work.since[SINCE] = t
            for k in range(nv):
                work.input[k] = work.slope[k] = 0.0
            tick(plan, work, state, t, state.q, state.v)
            for j in range(slots.shape[0]):
                work.input[slots[j]] += controls[n, i, j]
            if state.lam.shape[0] > 0:
                begin_timestep(plan, work, state)
            followed_step(plan, work, state, t, h, state.sweeping[0])
            for k in range(nq):
                state.q[k] = state.q_end[k]
            for k in range(nv):
                state.v[k] = state.y_end[nv + k]
            impose(plan, work, t + h, state.q, state.v, state.a)
            for c in range(state.touch.shape[0]):
                for k in range(state.touch.shape[1]):
                    state.touch[c, k] = state.touch_end[c, k]
            if done.shape[0] > 0:
                for k in range(state.done.shape[0]):
                    state.done[k] = state.y_end[2 * nv + k]
                for k in range(state.stored.shape[1]):
                    state.stored[0, k] = state.stored[1, k]
            left = state.solver[LEFT_OVER]
            law[n, 1] = max(law[n, 1], left)
            law[n, 0] += 1.0 if not left <= MET else 0.0
        if state.lam.shape[0] > 0:  # as ends of steps of a run do, the last meets the constraints
            state.clock[TIME] = stop * h
            begin_timestep(plan, work, state)
        for k in range(nq):
            q[n, k] = state.q[k]
        for k in range(nv):
            v[n, k], rates[n, k] = state.v[k], state.step_a[k]
        for c in range(state.touch.shape[0]):
            for k in range(state.touch.shape[1]):
                touch[n, c * state.touch.shape[1] + k] = state.touch[c, k]
        for k in range(state.done.shape[0] if done.shape[0] > 0 else 0):
            done[n, k] = state.done[k]
        for j in range(state.ticks.shape[0]):
            at = j * (1 + 2 * nv)
            clocked[n, at] = state.ticks[j]
            for k in range(nv):
                clocked[n, at + 1 + k], clocked[n, at + 1 + nv + k] = state.given[j, k], state.given_before[j, k]
    return 0


STATE = record_type(TimestepState)
_KINDS = (PLAN, WORK, STATE, *[int64] * 4, float64, *[MATRIX] * 4, float64[:, :, ::1], int64[::1], MATRIX)
ROWS, LANES = (run_rows, (*_KINDS, MATRIX, MATRIX)), (run_lanes, _KINDS)  # with their argument types


def in_lanes(plan: Plan, count: int) -> bool:
    """Whether a number of runs of a plan step on lanes."""
    return count >= FEW and on_lanes(plan)


class SteppedRuns:
    """Runs of a problem side by side: q (N, nq), v (N, nv), law (N, 2); done (N, integrals) if work counts."""

    def __init__(
        self, problem: Problem, q: np.ndarray, v: np.ndarray, controls: np.ndarray, slots: np.ndarray, h: float,
        *, counts: bool = False,
    ):  # fmt: skip
        self.problem, self.q, self.v, self.h = problem, q.copy(), v.copy(), h
        self.controls, self.slots = np.ascontiguousarray(controls), slots
        self.plan = problem.run_plan(q[0])
        places = len(self.plan.spots)
        width = TIMESTEP.state_for(self.plan).touch.shape[1]
        self.together = in_lanes(self.plan, len(q)) and not counts
        self.done = np.zeros((len(q) if counts else 0, self.plan.integrals))
        self.touch, self.rates, self.law = np.zeros((len(q), places * width)), np.zeros_like(v), np.zeros((len(q), 2))
        self.clocked = np.zeros((len(q), len(self.plan.clocks) * (1 + 2 * v.shape[1])))

    def worker(self):
        """Scratch of one thread."""
        work, state = self.problem.work_for(self.plan), TIMESTEP.state_for(self.plan)
        TIMESTEP.fill_calls(self.plan, work, state, (), without=(TURN,))
        state.stored[:, 0] = NOT_COUNTED
        state.choices[PROJECT] = 1
        return work, state

    def go(self, worker, first: int, last: int, start: int, stop: int) -> None:
        """Steps start to stop of runs first to last."""
        work, state = worker
        given = (
            self.plan, work, state, first, last, start, stop, self.h, self.q, self.v, self.touch, self.rates, self.controls,
            self.slots, self.law,
        )  # fmt: skip
        if self.together:
            run_lanes(*given)
        else:
            run_rows(*given, self.clocked, self.done)
