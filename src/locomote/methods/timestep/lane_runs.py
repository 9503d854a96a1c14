"""Many runs with `method="timestep"` on lanes: several at a time, and by itself what a lane cannot take."""

from numba import config

from locomote.compiler.callbacks import ADDRESS
from locomote.compiler.lanes import WIDTH, first_lanes, load_float, store_float
from locomote.compiler.scalars import select
from locomote.compiler.scratch_lanes import hold, lane_scratch
from locomote.compiler.source import helper, kernel
from locomote.contact.spots import MOTION
from locomote.contact.sweep_columns import NEAR
from locomote.evaluation.plan import ENVIRONMENT, SINCE, TORQUES, Plan
from locomote.kernels.batch import clear, pack_rows, unpack_rows
from locomote.methods.integrators.timestep import can_sweep
from locomote.methods.state import LEFT_OVER, MET, TIME, TOUCH
from locomote.methods.timestep.lanes import LaneSteps, StepSizes, sweep_lanes
from locomote.methods.timestep.pace import followed_step
from locomote.model.columns import ADDED

TAKEN, FAST = 1.0, 2.0  # states of a lane: step taken; may have to be shorter, and sweeps will do


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
            taken, left, fast = sweep_lanes(plan, work, state, s, i * h, h, wanted)
            s.taken[0] = select(taken, TAKEN, select(fast, FAST, 0.0))
            s.law[1] = select(taken & (left > s.law[1]), left, s.law[1])
            for lane in range(count):
                if load_float(s.taken, lane) != TAKEN:
                    state.sweeping[0] = 1 if load_float(s.taken, lane) == FAST else 0
                    lane_alone(s, state, work, lane, nq, nv)
                    state.clock[TIME] = work.since[SINCE] = i * h
                    followed_step(plan, work, state, i * h, h, 1)
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
    plain = plain and not plan.spot_laws[:, MOTION : MOTION + 3].any() and not len(plan.pairs)
    return bool(can_sweep(plan)) and plain and not config.DISABLE_JIT  # type: ignore[attr-defined]
