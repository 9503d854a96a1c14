"""Many runs with `method="timestep"` in compiled code, without samples and events: on lanes, or one after the other."""

import numpy as np
from numba import config

from locomote.engine.callbacks import ADDRESS
from locomote.engine.islands import call_compiled
from locomote.engine.lane_scratch import hold, lane_scratch
from locomote.engine.lanes import WIDTH, first_lanes, load_float, store_float
from locomote.engine.scalars import select
from locomote.engine.source import helper, kernel
from locomote.ground.near import NEAR
from locomote.kernels.batch import clear, pack_rows, unpack_rows
from locomote.model.columns import ADDED
from locomote.simulation.clocks import tick
from locomote.simulation.equations import impose
from locomote.simulation.plan import ATTEMPT, ENVIRONMENT, SINCE, TORQUES, Plan
from locomote.simulation.problems import Problem
from locomote.simulation.state import LEFT_OVER, MET, TIME, TIMESTEP, TOUCH, can_sweep, state_of
from locomote.simulation.stepping import begin_timestep
from locomote.simulation.timestep import timestep_attempt
from locomote.simulation.timestep_lanes import LaneSteps, StepSizes, sweep_lanes
from locomote.simulation.timestep_setup import set_up_timestep

CHUNK = 200  # steps between looks at what others want
FEW = 3  # runs from which on lanes are faster


@kernel
def run_rows(plan, work, state, first, last, start, stop, h, q, v, touch, rates, controls, slots, law):
    """Steps start to stop of runs first to last, from states in their rows, where the ends go; law : steps that miss the law of
    contacts, and the worst of them."""
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
            state.done[k] = 0.0
        for j in range(state.ticks.shape[0]):
            state.ticks[j] = 0
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
            timestep_attempt(plan, work, state, t, h)
            for k in range(nq):
                state.q[k] = state.q_end[k]
            for k in range(nv):
                state.v[k] = state.y_end[nv + k]
            impose(plan, work, t + h, state.q, state.v, state.a)
            for c in range(state.touch.shape[0]):
                for k in range(state.touch.shape[1]):
                    state.touch[c, k] = state.touch_end[c, k]
            left = state.solver[LEFT_OVER]
            law[n, 1] = max(law[n, 1], left)
            law[n, 0] += 1.0 if not left <= MET else 0.0
        for k in range(nq):
            q[n, k] = state.q[k]
        for k in range(nv):
            v[n, k], rates[n, k] = state.v[k], state.step_a[k]
        for c in range(state.touch.shape[0]):
            for k in range(state.touch.shape[1]):
                touch[n, c * state.touch.shape[1] + k] = state.touch[c, k]
    return 0


@helper
def lane_alone(s, state, work, lane, nq, nv):
    """The start of a step in one lane, as the state of a run."""
    for k in range(nq):
        state.q[k] = load_float(s.q, k * WIDTH + lane)
    for k in range(nv):
        state.v[k], state.step_a[k] = load_float(s.v, k * WIDTH + lane), load_float(s.step_a, k * WIDTH + lane)
        work.input[k], work.slope[k] = load_float(s.input, k * WIDTH + lane), 0.0
    for c in range(state.touch.shape[0]):
        for k in range(TOUCH):
            state.touch[c, k] = load_float(s.touch, (c * TOUCH + k) * WIDTH + lane)


@helper
def lane_again(s, state, lane, nq, nv):
    """The end of the step of a run, into its lane."""
    for k in range(nq):
        store_float(s.q_end, k * WIDTH + lane, state.q_end[k])
    for k in range(nv):
        store_float(s.v_end, k * WIDTH + lane, state.y_end[nv + k])
        store_float(s.a_end, k * WIDTH + lane, state.step_a[k])
    for c in range(state.touch.shape[0]):
        for k in range(TOUCH):
            store_float(s.touch_end, (c * TOUCH + k) * WIDTH + lane, state.touch_end[c, k])
    left = state.solver[LEFT_OVER]
    store_float(s.law, lane, load_float(s.law, lane) + (1.0 if not left <= MET else 0.0))
    store_float(s.law, WIDTH + lane, max(load_float(s.law, WIDTH + lane), left))


@kernel
def run_lanes(plan, work, state, first, last, start, stop, h, q, v, touch, rates, controls, slots, law):
    """The same as `run_rows`, WIDTH runs at a time; what lanes cannot take, each run steps by itself."""
    nq, nv, spots = state.q.shape[0], state.v.shape[0], state.touch.shape[0]
    memory, s = lane_scratch((LaneSteps,), StepSizes(nq, nv, plan.topology.shape[0], spots))
    state.sweeping[0] = 0
    for row in range(first, last, WIDTH):
        count = min(WIDTH, last - row)
        wanted = first_lanes(count)
        pack_rows(q, row, s.q)
        pack_rows(v, row, s.v)
        pack_rows(rates, row, s.step_a)
        pack_rows(law, row, s.law)
        clear(s.near, spots * NEAR)
        clear(s.touch_end, spots * TOUCH)
        if spots > 0:
            pack_rows(touch, row, s.touch)
        for i in range(start, stop):
            for k in range(nv):
                s.input[k] = s.v_end[k] = s.a_end[k] = 0.0
            for j in range(slots.shape[0]):
                for lane in range(count):
                    place = slots[j] * WIDTH + lane
                    store_float(s.input, place, load_float(s.input, place) + controls[row + lane, i, j])
            taken, left = sweep_lanes(plan, work, state, s, i * h, h, wanted)
            s.taken[0] = select(taken, 1.0, 0.0)
            s.law[1] = select(taken & (left > s.law[1]), left, s.law[1])
            for lane in range(count):
                if load_float(s.taken, lane) == 0.0:
                    lane_alone(s, state, work, lane, nq, nv)
                    state.clock[TIME] = work.since[SINCE] = i * h
                    call_compiled(plan.calls[ATTEMPT], (plan, work, state, i * h, h))
                    lane_again(s, state, lane, nq, nv)
            for k in range(nq):
                s.q[k] = s.q_end[k]
            for k in range(nv):
                s.v[k], s.step_a[k] = s.v_end[k], s.a_end[k]
            for c in range(spots):
                for k in range(TOUCH):
                    s.touch[c, k] = s.touch_end[c, k]
        unpack_rows(s.q, q, row, last)
        unpack_rows(s.v, v, row, last)
        unpack_rows(s.step_a, rates, row, last)
        unpack_rows(s.law, law, row, last)
        if spots > 0:
            unpack_rows(s.touch, touch, row, last)
    hold(memory)
    return 0


def on_lanes(plan: Plan) -> bool:
    """Whether runs of a plan can step on lanes: by sweeps, with forces that are functions of time, controls and joints."""
    others = (plan.clocks, plan.follow_rows, plan.actuators, plan.terms, plan.integers)
    given = plan.functions[TORQUES, ADDRESS] != 0 or plan.functions[ENVIRONMENT, ADDRESS] != 0
    plain = not (given or any(len(x) for x in others) or plan.constants.shape[1] > ADDED)
    return bool(can_sweep(plan)) and plain and not config.DISABLE_JIT  # type: ignore[attr-defined]


class SteppedRuns:
    """Runs of a problem side by side: q (N, nq), v (N, nv), law (N, 2)."""

    def __init__(self, problem: Problem, q: np.ndarray, v: np.ndarray, controls: np.ndarray, slots: np.ndarray, h: float):
        self.problem, self.q, self.v, self.h = problem, q.copy(), v.copy(), h
        self.controls, self.slots = np.ascontiguousarray(controls), slots
        self.plan = problem.run_plan(q[0])
        places = len(self.plan.spots)
        width = state_of(self.plan, 0, TIMESTEP).touch.shape[1]
        self.together = on_lanes(self.plan)
        self.touch, self.rates, self.law = np.zeros((len(q), places * width)), np.zeros_like(v), np.zeros((len(q), 2))

    def worker(self):
        """Scratch of one thread."""
        work, state = self.problem.work_for(self.plan), state_of(self.plan, 0, TIMESTEP)
        set_up_timestep(self.plan, work, state)
        state.choices[0] = TIMESTEP
        state.choices[1] = 1
        return work, state

    def go(self, worker, first: int, last: int, start: int, stop: int) -> None:
        """Steps start to stop of runs first to last."""
        work, state = worker
        steps = run_lanes if self.together and last - first >= FEW else run_rows
        steps(
            self.plan, work, state, first, last, start, stop, self.h, self.q, self.v, self.touch, self.rates, self.controls,
            self.slots, self.law,
        )  # fmt: skip
