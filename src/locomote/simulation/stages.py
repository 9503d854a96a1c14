"""Inverse dynamics of all stages of a step at once: one stage a lane, so that they take little longer than one.

Forces that are not of inertia are found stage by stage, before: wrenches go into the lanes, the rest is taken off after.
"""

from locomote.engine.lanes import WIDTH, lane_matrix, lane_vector
from locomote.engine.source import helper, kernel, routine
from locomote.kernels.flexible.columns import STEPS
from locomote.kernels.flexible.columns import WORK as ROWS
from locomote.kernels.flexible.motion import inverse_dynamics


def room_for(nq: int, nv: int, bodies: int, stations: int) -> int:
    """How many numbers the lanes of a tree take, with as many more as it takes to start at a whole vector."""
    return WIDTH * (3 * nq + 3 * nv + bodies * (6 + ROWS) + stations * STEPS + 1)


@routine
def put_stage(state, work, i, loaded):
    """Stage i, in q_try, v_try and a, and wrenches on bodies if there are any, into its lane."""
    nq, nv, room, at = state.q.shape[0], state.v.shape[0], state.room, state.room_at[0] + i
    for k in range(nq):
        room[at + k * WIDTH] = state.q_try[k]
    at += nq * WIDTH
    for k in range(nv):
        room[at + k * WIDTH], room[at + (nv + k) * WIDTH] = state.v_try[k], state.a[k]
    at += 2 * nv * WIDTH
    if loaded:
        for r in range(work.wrenches.shape[0]):
            for k in range(6):
                room[at + (6 * r + k) * WIDTH] = work.wrenches[r, k]


@helper
def velocity_in(state, i, k):
    """The velocity of coordinate k in the lane of stage i."""
    return state.room[state.room_at[0] + i + (state.q.shape[0] + k) * WIDTH]


@kernel
def bias_stages(plan, work, state):
    """Inverse dynamics of all lanes: a row of state.bias for each stage; returns how many stages."""
    nq, nv, stages = state.q.shape[0], state.v.shape[0], state.stages.shape[0]
    count, room, at = plan.topology.shape[0], state.room, state.room_at[0]
    q, at = lane_vector(room, at), at + nq * WIDTH
    v, at = lane_vector(room, at), at + nv * WIDTH
    a, at = lane_vector(room, at), at + nv * WIDTH
    wrenches, at = lane_matrix(room, at, 6), at + 6 * count * WIDTH
    sine, at = lane_vector(room, at), at + nq * WIDTH
    cosine, at = lane_vector(room, at), at + nq * WIDTH
    steps, at = lane_matrix(room, at, STEPS), at + plan.stations.shape[0] * STEPS * WIDTH
    rows, at = lane_matrix(room, at, ROWS), at + count * ROWS * WIDTH
    tau = lane_vector(room, at)
    inverse_dynamics(plan, plan.strain, nq, q, v, a, wrenches, sine, cosine, steps, rows, tau)
    for k in range(nv):
        for i in range(stages):
            state.bias[i, k] = room[at + k * WIDTH + i]
    return stages
