"""Depth that a step over contacts has left is removed by a move without velocity: (5) of `timestep`.

Inertia changes on the way dq. With velocities v as they were it would make or lose kinetic energy: much, where a light body
spins a hundred times a second below heavy ones, and no shorter step makes less of it, since depth is there before it. What
turns fast is carried along the way as by no force, which keeps kinetic energy (b : inertial forces, quadratic in velocities):

    M dv = -(b(v + dq) - b(v - dq)) / 4                                                                              (1)
"""

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import routine
from locomote.contact import delassus as solve
from locomote.contact.alart_curnier import along
from locomote.contact.delassus import ARM, STOP
from locomote.evaluation.plan import ENERGIES, INVERSE, LOSSES, POTENTIAL
from locomote.kernels.flexible.elastic import elastic_energy
from locomote.methods.state import LIFTED, RAISED
from locomote.methods.timestep.moves import half_move, steady
from locomote.methods.timestep.rows import inner, outer
from locomote.model.columns import KIND
from locomote.model.joints import has_quaternion, joint_turned_back, past_place
from locomote.spatial.algebra import cross
from locomote.spatial.rows import three

DEPTH = 1e-12  # m, that is not worth it
SWEEPS, WITH_STOPS = 60, 600  # where a joint on its stop stands against feet, few do not do


@routine
def lift(plan, work, state, h, count, nv):
    """(5): q_try moves out of what it is in, by multipliers that do not pull; what leaves by itself is let."""
    deepest, x, blocks = 0.0, state.scratch_v, state.blocks
    for j in range(count):
        r = blocks[j, solve.FIRST] + (2 if blocks[j, solve.KIND] == solve.POINT else 0)
        if blocks[j, solve.KIND] == STOP and state.gaps[j] > 0.0:  # room that the rest of the step will take is no room
            state.gaps[j] = max(0.0, state.gaps[j] + 0.5 * h * min(0.0, along(state.raw, r, state.v_try, state.spans, j)))
        if state.hits[j] < 0.0:
            state.gaps[j] += 0.5 * h * max(0.0, along(state.raw, r, state.v_try, state.spans, j))
        deepest = min(deepest, state.gaps[j]) if state.soft[r] == 0.0 else deepest
        state.spare[j] = 0.0
    if deepest > -DEPTH:
        return
    for k in range(nv):
        x[k] = 0.0
    for _ in range(WITH_STOPS if plan.stops.shape[0] > 0 else SWEEPS):
        change = 0.0
        for j in range(count):
            r = blocks[j, solve.FIRST] + (2 if blocks[j, solve.KIND] == solve.POINT else 0)
            row = state.rows[r]
            own = along(state.rows, r, row, state.spans, j)
            if blocks[j, solve.KIND] != ARM and own > 0.0 and state.soft[r] == 0.0:
                z = max(0.0, state.spare[j] - (state.gaps[j] + along(state.rows, r, x, state.spans, j)) / own)
                by = z - state.spare[j]
                if by != 0.0:
                    for side in range(2):
                        for k in range(state.spans[j, 2 * side], state.spans[j, 2 * side + 1]):
                            x[k] += by * row[k]
                change = max(change, abs(by) * own)
                state.spare[j] = z
        if change < 0.1 * DEPTH:
            break
    outer(plan.topology, work.M, x)
    for k in range(nv):
        state.momentum[k] = x[k]
    before = potential_energy(plan, work, state)
    half_move(plan, state, state.q_try, state.momentum, 2.0, state.scratch_q)
    for i in range(plan.topology.shape[0] - 1):
        joint_turned_back(plan.topology, i, state.q_try, state.scratch_q, state.v_try)
    for k in range(state.scratch_q.shape[0]):
        state.q_try[k] = state.scratch_q[k]
    state.solver[LIFTED], state.solver[RAISED] = potential_energy(plan, work, state) - before, 1.0
    state.y_end[2 * nv + LOSSES] += state.solver[LIFTED]


@routine
def carry(plan, work, state, v):
    """Velocities v along the way in state.momentum, by (1)."""
    nv, x, fastest, longest = v.shape[0], state.scratch_v, 0.0, 0.0
    for k in range(nv):
        fastest, longest, x[k] = max(fastest, abs(v[k])), max(longest, abs(state.momentum[k])), 0.0
    if not (fastest > 0.0 and longest > 0.0):
        return
    scale = fastest / longest  # both of one size, for digits of the difference
    for side in range(2):
        sign = 1.0 - 2.0 * side
        for k in range(nv):
            state.v_star[k], state.a[k] = v[k] + sign * scale * state.momentum[k], 0.0
        steady(plan, state.v_star, state.a)
        call_compiled(plan.calls[INVERSE], (plan, work, state.q_try, state.v_star, state.a))
        for k in range(nv):
            x[k] -= 0.25 * sign / scale * work.bias[k]
    for k in range(nv):
        x[k] = 0.0 if state.known[k] != 0 else x[k]
    inner(plan.topology, work.M, x)
    outer(plan.topology, work.M, x)
    for i in range(plan.topology.shape[0] - 1):
        if has_quaternion(plan.topology[i, KIND]):
            k = past_place(plan.topology, i)
            turned = cross(three(v, k), three(state.momentum, k))
            for axis in range(3):
                x[k + axis] += 0.5 * turned[axis]
    for k in range(nv):
        v[k] += 0.0 if state.known[k] != 0 else x[k]


@routine
def potential_energy(plan, work, state):
    """Potential energy of gravity and of flexible bodies at state.q_try."""
    if plan.rods.shape[0] > 0:
        call_compiled(plan.calls[ENERGIES], (plan, work, state.q_try, state.v_try, state.energy))
        return state.energy[1] + elastic_energy(plan, state.q_try)
    call_compiled(plan.calls[POTENTIAL], (plan.topology, plan.constants, state.q_try, state.energy))
    return state.energy[0]
