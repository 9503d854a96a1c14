"""A step of `timestep.sweep` for several runs at once, on lanes: same tree, same contacts, each run with ways of its own.

Numbers are those of `timestep.sweep`. All lanes share the sweeps. A lane that meets the contact law keeps its values; sweeps go
on while any lane that has not may still try. What is left over is for the other way of stepping, run by run.
"""

from typing import Annotated, NamedTuple

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.lanes import any_lane
from locomote.compiler.scalars import select, sqrt
from locomote.compiler.scratch_layout import NQ, NV, ROWS, Size
from locomote.compiler.source import routine
from locomote.contact import spots as at
from locomote.contact.states import in_cone, larger, store_where
from locomote.contact.sweep_columns import IMPULSE, MODE, NEAR, NORMAL, OPEN
from locomote.evaluation.plan import DAMPING, FRICTION, FRICTION_SPEED, REST, SIGNALS, STIFFNESS, UNLIMITED
from locomote.kernels.contact_sweep import ANSWER, EXTRA, RESPONSE, sweep_inward, sweep_outward
from locomote.kernels.inverse_dynamics import WORK as NEWTON
from locomote.kernels.kinematics import BODIES, ROTATION, Places, poses_in_world, twists_in_bodies
from locomote.methods.state import FORCE, SPEED_OF_ARRIVAL, STUCK, TOUCH
from locomote.methods.timestep.lane_contacts import follow_loads, follow_turning, load_bodies, look, place_near, size_of
from locomote.methods.timestep.moves import count_v, half_move, resist, steady
from locomote.methods.timestep.pace import JUMP, fastest_unseen
from locomote.methods.timestep.sweep import CLOSE, FEW, GUESSED, MET, MORE_TURNS, STIFF, TURNS, bias_of
from locomote.model.columns import MASS, V_COUNT, Q, V
from locomote.model.joints import joint_turned_back, past_place
from locomote.spatial.algebra import rotate, scale
from locomote.spatial.rows import load, load9

SPOTS = Size("spots")


class StepSizes(NamedTuple):
    """Sizes of a model with contacts."""

    nq: int
    nv: int
    rows: int
    spots: int


class LaneSteps(NamedTuple):
    """A step of several runs."""

    q: Annotated[np.ndarray, NQ, "start, packed, and advanced by the caller"]
    v: Annotated[np.ndarray, NV, "likewise"]
    touch: Annotated[np.ndarray, SPOTS, TOUCH, "contacts as the step before left them"]
    step_a: Annotated[np.ndarray, NV, "accelerations of the step before"]
    law: Annotated[np.ndarray, 2, "steps that miss the contact law, and the worst of all, packed and added to"]
    input: Annotated[np.ndarray, NV, "controls, packed"]
    q_end: Annotated[np.ndarray, NQ, "end of the step"]
    v_end: Annotated[np.ndarray, NV, "likewise"]
    touch_end: Annotated[np.ndarray, SPOTS, TOUCH, "likewise"]
    a_end: Annotated[np.ndarray, NV, "likewise"]
    taken: Annotated[np.ndarray, 1, "where a step was taken, and where not because bodies turn fast"]
    q_try: Annotated[np.ndarray, NQ, "middle of the step"]
    v_middle: Annotated[np.ndarray, NV, "velocity of the start, in axes of the middle"]
    v_star: Annotated[np.ndarray, NV, "guess of the mean velocity"]
    a: Annotated[np.ndarray, NV, "scratch"]
    y_try: Annotated[np.ndarray, NV, "scratch"]
    scratch_v: Annotated[np.ndarray, NV, "scratch"]
    tau: Annotated[np.ndarray, NV, "forces of joints"]
    D: Annotated[np.ndarray, NV, "what resists"]
    gain: Annotated[np.ndarray, NV, "accelerations of a sweep"]
    sine: Annotated[np.ndarray, NQ, "of joint angles, at the middle"]
    cosine: Annotated[np.ndarray, NQ, "likewise"]
    bodies: Annotated[np.ndarray, ROWS, BODIES, "poses and twists there"]
    newton: Annotated[np.ndarray, ROWS, NEWTON, "wrenches of the motion"]
    near: Annotated[np.ndarray, SPOTS, NEAR, "contacts, zero to begin with"]
    extra: Annotated[np.ndarray, ROWS, EXTRA, "inertias and wrenches of contacts"]
    sweep: Annotated[np.ndarray, ROWS, RESPONSE + 6 * SPOTS, "articulated inertias, accelerations and responses"]
    dofs: Annotated[np.ndarray, NV, ANSWER + SPOTS, "what sweeps keep of a coordinate"]
    R: Annotated[np.ndarray, SPOTS, SPOTS, "of (4), of contacts that slide in any lane"]
    ds: Annotated[np.ndarray, SPOTS, "likewise"]


@routine
def begin_step(plan, work, state, s, t, h):
    """Middle of the step, and forces of joints there; `work.active` has those that are the same for all."""
    nv, soft = count_v(plan.topology), plan.options[FRICTION_SPEED]
    for k in range(nv):
        s.v_middle[k] = s.v[k]
        work.active[k] = 0.0
    half_move(plan, s, s.q, s.v_middle, h, s.q_try)
    for i in range(plan.topology.shape[0] - 1):
        joint_turned_back(plan.topology, i, s.q, s.q_try, s.v_middle)
    resist(plan, state.typical, h, s.v_middle, s.D)
    if plan.torque_rows.shape[0] > 0:
        middle = t + 0.5 * h
        numbers = (plan.torque_rows, plan.torque_numbers, plan.functions, middle, work.active, work.dx, work.ddx, work.signal)
        call_compiled(plan.calls[SIGNALS], numbers)
    for k in range(nv):
        force, v, most = work.active[k] + s.input[k], s.v_middle[k], plan.effort[k]
        if most < UNLIMITED:
            force = select(force > most, most, select(force < -most, -most, force))
        s.tau[k] = force - plan.passive[DAMPING, k] * v
        if plan.passive[FRICTION, k] > 0.0:
            s.tau[k] -= plan.passive[FRICTION, k] * v / sqrt(v * v + soft * soft)
        if plan.passive[STIFFNESS, k] != 0.0:
            s.tau[k] -= plan.passive[STIFFNESS, k] * (s.q_try[plan.q_of_v[k]] - plan.passive[REST, k])


@routine
def keep_where(plan, s, h, taken):
    """Velocities, accelerations and contacts of lanes that have met the contact law."""
    nv, near = count_v(plan.topology), s.near
    for k in range(nv):
        s.v_end[k] = select(taken, s.v_middle[k] + h * s.gain[k], s.v_end[k])
        s.a_end[k] = select(taken, s.gain[k], s.a_end[k])
    for c in range(plan.spots.shape[0]):
        mode, mu = near[c, MODE], plan.spot_laws[c, at.FRICTION]
        s.touch_end[c, STUCK] = select(taken, mode, s.touch_end[c, STUCK])
        if any_lane(taken & (mode > OPEN)):
            p = in_cone(load(near, c, NORMAL), mu, load(near, c, IMPULSE))
            force = scale(1.0 / h, rotate(load9(s.bodies, plan.spots[c, at.BODY], ROTATION), p))
            force = (select(mode > OPEN, force[0], 0.0), select(mode > OPEN, force[1], 0.0), select(mode > OPEN, force[2], 0.0))
            store_where(s.touch_end, c, FORCE, taken, force)
        else:
            store_where(s.touch_end, c, FORCE, taken, (0.0, 0.0, 0.0))


@routine
def end_steps(plan, s, h):
    """Ends of steps, from v_end in axes of the middle; accelerations in axes that turn."""
    nv = count_v(plan.topology)
    for k in range(nv):
        s.v_star[k], s.a[k] = 0.5 * (s.v_middle[k] + s.v_end[k]), 0.0
    steady(plan, s.v_star, s.a)
    for k in range(nv):
        s.a_end[k] = s.a_end[k] + s.a[k]
    half_move(plan, s, s.q_try, s.v_end, h, s.q_end)
    for i in range(plan.topology.shape[0] - 1):
        joint_turned_back(plan.topology, i, s.q_try, s.q_end, s.v_end)
    for c in range(plan.spots.shape[0]):
        s.touch_end[c, SPEED_OF_ARRIVAL] = 0.0


@routine
def sweep_lanes(plan, work, state, s, t, h, live):
    """Try a step in all lanes that are live; gives where it was taken, into the ends, the residual of the contact law there,
    and where bodies turn too fast for lanes (`timestep.pace`)."""
    topology, constants, nv = plan.topology, plan.constants, count_v(plan.topology)
    room = Places(s.sine, s.cosine, s.bodies)
    begin_step(plan, work, state, s, t, h)
    poses_in_world(topology, constants, topology[topology.shape[0] - 1, Q], s.q_try, room)
    twists_in_bodies(topology, constants, s.q_try, s.v_middle, room)
    mass, sticking = 0.0, 0.0 * s.v[0]
    for i in range(topology.shape[0] - 1):
        mass += constants[i, MASS]
    for c in range(plan.spots.shape[0]):
        sticking = sticking + select(s.touch[c, STUCK] > OPEN, 1.0, 0.0)
    share = mass / larger(sticking, 1.0)
    rho, turns = STIFF * share, select(sticking > FEW, MORE_TURNS, TURNS)
    live = live & ~place_near(plan, work, state, s, h, rho, sticking)
    for k in range(nv):
        s.v_star[k] = s.v_middle[k] + 0.5 * h * s.step_a[k]
    bias_of(plan, s.q_try, s.v_star, s.a, None, s.sine, s.cosine, s.newton)
    follow_turning(plan, s, h)
    fast, most = sticking < 0.0, fastest_unseen(state, h)
    for i in range(topology.shape[0] - 1):
        for k in range(past_place(topology, i), topology[i, V] + topology[i, V_COUNT]):
            fast = fast | (size_of(s.v_middle[k]) > most)
    live = live & ~fast
    taken, least, before = sticking < 0.0, 0.0 * sticking, 1e300 + 0.0 * sticking
    for turn in range(MORE_TURNS):
        live = live & (turns > turn)
        if not any_lane(live):
            break
        load_bodies(plan, state, s, h, rho)
        sweep_inward(
            topology, constants, s.q_try, s.sine, s.cosine, None, None, s.newton, state.loaded, s.extra, s.tau, s.D, s.sweep,
            s.dofs,
        )  # fmt: skip
        sweep_outward(topology, constants, s.q_try, s.sine, s.cosine, None, s.D, s.sweep, s.dofs, s.gain)
        follow_loads(plan, state, s, h, rho, share, live)
        left, total = look(plan, s, h, rho, share, live)
        live = live & ((total < 1e300) & ~(((left > CLOSE) & (left > before)) & (sticking <= FEW)))
        if turn >= TURNS - 1:
            live = live & ~(left > CLOSE)
        good, wild = live, sticking < 0.0
        for i in range(topology.shape[0] - 1):
            first = past_place(topology, i)
            for k in range(first, topology[i, V] + topology[i, V_COUNT]):
                good = good & (h * size_of(s.v_middle[k] + 0.5 * h * s.gain[k] - s.v_star[k]) < GUESSED)
                wild = wild | ((h * h * size_of(s.gain[k]) > JUMP) | (size_of(s.v_middle[k] + h * s.gain[k]) > most))
        wild = (live & wild) & (left <= MET)
        fast, live = fast | wild, live & ~wild
        again, now = (live & ~good) & (left < CLOSE), (good & ~wild) & (left <= MET)
        before = select(again, 1e300, left)
        if any_lane(now):
            keep_where(plan, s, h, now)
            taken, live, least = taken | now, live & ~now, select(now, left, least)
        if any_lane(again):
            for k in range(nv):
                s.v_star[k] = select(again, s.v_middle[k] + 0.5 * h * s.gain[k], s.v_star[k])
            bias_of(plan, s.q_try, s.v_star, s.a, None, s.sine, s.cosine, s.newton)
            follow_turning(plan, s, h)
    end_steps(plan, s, h)
    return taken, least, fast
