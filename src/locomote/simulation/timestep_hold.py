"""A step in which all contacts stay as they were: those that stuck stick, the others are open. Most steps of robots are such.

Multipliers lam, the impulses of the step before, carry the load, and a stiff term only its change:

    (M + D + r J^T J) dv = h (force - bias) + J^T (lam - r (J v - u)) ,   u = (0, 0, -e)                             (1)
    p = lam - r (J v_end - u)                                                                                      (2)

J has the rows of one body's path to the world, so that the matrix of (1) has entries where M has, and the factor of the
tree fits: no Delassus matrix, whatever the number of contacts. What remains is |p - lam| / r. It is accepted if p lies in the
cones, all else stays open and the remainder is small; (1) is repeated with lam = p a few times for that.
"""

from math import sqrt

from locomote.engine.source import routine
from locomote.ground import spots as at
from locomote.kernels.factor import factor
from locomote.model.columns import MASS, PARENT, V_COUNT, V
from locomote.simulation.state import FORCE, LEFT_OVER, STUCK
from locomote.simulation.timestep_rows import inner, outer, put_row
from locomote.spatial.algebra import dot
from locomote.spatial.rows import load

STIFF, ROUNDS, GOOD = 1e7, 4, 1e-9  # r over the mass of a contact's share; of (1); m/s
SAFE = 1e-9  # m, gap of what is open
LEAK = 0.99  # of loads from step to step: what points of a foot carry against each other goes
SLOW_TURN = 3e-5  # rad, of a step, in which the bias of its start will do


@routine
def reaches(state, c, h, v):
    """How far below a spot the ground may be so that it is looked at."""
    fastest, x = 0.0, load(state.placed, c, at.POINT)
    for k in range(v.shape[0]):
        fastest = max(fastest, abs(v[k]))
    return 1e-4 + 4.0 * h * (fastest + 10.0 * h) * (1.0 + sqrt(dot(x, x)))


@routine
def add_squares(plan, state, M, m, body, weight):
    """M += weight J^T J for three rows from m on, on the path of a body, lower half."""
    topology, path, raw, count, i = plan.topology, state.path, state.raw, 0, body
    world = topology.shape[0] - 1
    while i < world:
        for k in range(topology[i, V] + topology[i, V_COUNT] - 1, topology[i, V] - 1, -1):
            path[count] = k
            count += 1
        i = topology[i, PARENT]
    for a in range(count):
        k = path[a]
        x, y, z = weight * raw[m, k], weight * raw[m + 1, k], weight * raw[m + 2, k]
        for b in range(a, count):
            l = path[b]
            M[k, l] += x * raw[m, l] + y * raw[m + 1, l] + z * raw[m + 2, l]


@routine
def hold_on(plan, work, state, h, v):
    """(1) and (2); True if it is accepted: state.v_try, .impulse and .row_of are then those of the step."""
    nv, m, mass, sticking = v.shape[0], 0, 0.0, 0
    for i in range(plan.topology.shape[0] - 1):
        mass += plan.constants[i, MASS]
    for n in range(plan.stops.shape[0]):
        k = plan.stops[n]
        gap = plan.stop_laws[n, 0] * (state.q_try[plan.q_of_v[k]] - plan.stop_laws[n, 1])
        if gap < 4.0 * h * (abs(v[k]) + 10.0 * h):
            return False
    for c in range(plan.spots.shape[0]):
        state.row_of[c] = -1
        at.place_spot(plan.spots, plan.spot_laws, plan.functions, work.place, work.shape, work.bodies, c, state.placed)
        gap, stuck = state.placed[c, at.GAP], state.touch[c, STUCK] != 0.0
        if stuck:
            sticking += 1
            if abs(gap) > 1e-6:
                return False
        elif gap < SAFE or (gap < reaches(state, c, h, v) and state.touch[c, FORCE + 2] != 0.0):
            return False
    if sticking == 0:
        return False
    rho = STIFF * mass / sticking
    state.held_count[1] = 1
    for c in range(plan.spots.shape[0]):
        if state.touch[c, STUCK] == 0.0:
            continue
        state.row_of[c] = m
        for axis in range(3):
            d, row = load(state.placed, c, at.FIRST_AXIS + 3 * axis), state.raw[m + axis]
            for k in range(nv):
                row[k] = 0.0
            put_row(plan, work, row, plan.spots[c, at.BODY], load(state.placed, c, at.POINT), d, 1.0, False)
            before = 0.0
            for k in range(nv):
                before += row[k] * v[k]
            state.before[m + axis], state.offset[m + axis] = before, 0.0
            state.impulse[m + axis] = (LEAK if sticking > 4 else 1.0) * h * dot(d, load(state.touch, c, FORCE))
        add_squares(plan, state, work.M, m, plan.spots[c, at.BODY], rho)
        state.offset[m + 2] = max(state.placed[c, at.GAP], 0.0) / (0.5 * h)
        m += 3
    state.held_count[0] = m
    factor(plan.topology, work.M)
    x, worst, turning = state.scratch_v, 0.0, 0.0
    for _ in range(ROUNDS):
        for k in range(nv):
            x[k] = h * (work.active[k] + work.passive[k] - work.bias[k])
        for r in range(m):
            f = state.impulse[r] - rho * (state.before[r] + state.offset[r])
            for k in range(nv):
                x[k] += f * state.raw[r, k]
        inner(plan.topology, work.M, x)
        outer(plan.topology, work.M, x)
        worst = 0.0
        for r in range(m):
            u = state.before[r] + state.offset[r]
            for k in range(nv):
                u += state.raw[r, k] * x[k]
            state.impulse[r] -= rho * u
            worst = max(worst, abs(u))
        if worst < GOOD:
            break
    if not worst < GOOD:
        return False
    for c in range(plan.spots.shape[0]):
        r = state.row_of[c]
        if r >= 0:
            bound = plan.spot_laws[c, at.FRICTION] * state.impulse[r + 2]
            if not (state.impulse[r + 2] > 0.0 and state.impulse[r] ** 2 + state.impulse[r + 1] ** 2 <= bound * bound):
                return False
        elif state.placed[c, at.GAP] < reaches(state, c, h, v):
            gap, row = state.placed[c, at.GAP], state.raw[m]
            for k in range(nv):
                row[k] = 0.0
            put_row(
                plan,
                work,
                row,
                plan.spots[c, at.BODY],
                load(state.placed, c, at.POINT),
                load(state.placed, c, at.NORMAL),
                1.0,
                False,
            )
            for k in range(nv):
                gap += h * row[k] * (v[k] + x[k])
            if gap < 0.0:
                return False
    for k in range(nv):
        state.v_try[k] = v[k] + x[k]
        turning = max(turning, 0.5 * h * abs(x[k]))
    state.solver[LEFT_OVER] = worst
    return turning < SLOW_TURN
