"""Linearly implicit steps for stiff forces, such as those of soft ground and of servos: two stages of order 2, L-stable.

    (1 - g J) k_1 = f(t, y) ,   (1 - g J) k_2 = f(t + h, y + h k_1) - 2 k_1 ,   g = (1 - 1/sqrt 2) h                   (1)
    y_end = y + 3/2 h k_1 + 1/2 h k_2 ,   error: h/2 (k_1 + k_2)                                                       (2)

(J.G. Verwer, E.J. Spee, J.G. Blom, W. Hundsdorfer: A second-order Rosenbrock method applied to photochemical dispersion
problems, SIAM J. Sci. Comput. 20 (1999).) Work is integrated by the rule of trapezes between both ends. The method is of order
2 whatever J is, so J has only what is stiff: with displacements u and velocities v, D and K how forces fall with v and u,
(1 - g J)(k_u, k_v) = (r_u, r_v) is

    (M + g D + g^2 K) k_v = M r_v - g K E^T r_u ,   k_u = r_u + g E k_v                                                (3)

where E v are the rates of chart coordinates at the start of the step, shifts turned into the world; E is orthogonal.

Stiff forces also change with time: where coordinates h are imposed, and where servos pull to targets x, M f' = -D a_h - K v_h
+ K_p x' + K_d x'' + given' joins with g, and leaves with it in the second stage.

M, D and K may be those of an earlier step. D and K are those of force terms on one body, of springs and dampers of joints, and
of servos. Of a term they are differences of its law at its places, P^T G P with G (6, 6) at each place: for all places at once,
six calls of the law each. A place where nothing acts yet is looked at where it will be after the step: ground that will be
touched is stiff already. Accelerations by computed torque do not feel the forces: k_v = (r_v - g K_p r_u) / (1 + g K_d +
g^2 K_p).
All are looked at anew where a place begins or ceases to feel a force, after a step that was refused, and every OLD steps.

Tested by tests/laws/forces/test_soft_ground.py.
"""

from math import sqrt

import numpy as np

from locomote.compiler.indirect import call_compiled
from locomote.compiler.source import helper, kernel, routine
from locomote.evaluation.chart import chart_rate
from locomote.evaluation.computed_torque import COMPUTED, COORDINATE, KIND, find_targets
from locomote.evaluation.computed_torque import DAMPING as SERVO_DAMPING
from locomote.evaluation.computed_torque import STIFFNESS as SERVO_STIFFNESS
from locomote.evaluation.evaluate import find_rows, impose
from locomote.evaluation.plan import DAMPING, MASS, STIFFNESS
from locomote.forces.acting import find_places
from locomote.forces.kinds import ANGULAR, LINEAR, ORIGIN, PLACE, ROTATION
from locomote.forces.terms import ADDRESS, COUNT, FIRST, OWN, START
from locomote.kernels.common_frame import take
from locomote.kernels.kinematics import LOCAL, seen_from
from locomote.linear.lu import lu_factor_part, lu_solve
from locomote.methods.state import SIZE
from locomote.methods.stepping import error_part, finite, rates
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.spatial.algebra import add, compose, rotate
from locomote.spatial.rows import load, load9, store

GAMMA = 1.0 - sqrt(0.5)
SMALL = 1e-6  # m/s or rad/s, of differences over velocities
SHORT = 1e-9  # m or rad, over displacements
OLD = 10  # steps
# entries of `linear`: steps since D and K were looked at, when that was, and the g of the factors
AGE, SEEN, FACTORED = range(3)


@routine
def act_at(plan, work, t):
    """What all terms on single bodies do at work.places, into work.loads_of_terms."""
    for n in range(plan.terms.shape[0]):
        if plan.terms[n, COUNT] == plan.terms[n, OWN]:
            call_compiled(
                plan.terms[n, ADDRESS],
                (
                    t, work.places, plan.terms[n, FIRST], plan.terms[n, COUNT], plan.term_numbers, plan.terms[n, START],
                    work.loads_of_terms, work.results, n,
                ),
            )  # fmt: skip


@routine
def feels(work, s):
    """Whether anything acts at a place."""
    most = 0.0
    for k in range(6):
        most = max(most, abs(work.loads_of_terms[s, k]))
    return most > 0.0


@routine
def look_ahead(plan, work, state, t, h):
    """Places as they are, those that feel nothing moved to where they will be; which of them feel something, and whether
    that is another pattern than when it was last looked at."""
    count, changed = plan.place_bodies.shape[0], False
    find_rows(plan, work, t, state.q, state.v, work.zero)
    find_places(plan, work)
    act_at(plan, work, t)
    for s in range(count):
        state.pattern[s] = 1
        if not feels(work, s):
            state.pattern[s] = 0
            o, R = load(work.places, s, ORIGIN), load9(work.places, s, ROTATION)
            u = load(work.places, s, LINEAR)
            store(work.places, s, ORIGIN, add(o, rotate(R, (h * u[0], h * u[1], h * u[2]))))
    act_at(plan, work, t)
    for s in range(count):
        if state.pattern[s] == 0 and feels(work, s):
            state.pattern[s] = 2
        changed = changed or (state.pattern[s] > 0) != (state.pattern_seen[s] > 0)
    return changed


@routine
def move(work, s, c, size):
    """Displace place s along its own axis c, or turn it about that."""
    R = load9(work.places, s, ROTATION)
    x, y, z = size if c % 3 == 0 else 0.0, size if c % 3 == 1 else 0.0, size if c % 3 == 2 else 0.0
    if c < 3:
        store(work.places, s, ORIGIN, add(load(work.places, s, ORIGIN), rotate(R, (x, y, z))))
    else:
        R = compose(R, (1.0, -z, y, z, 1.0, -x, -y, x, 1.0))
        for k in range(9):
            work.places[s, ROTATION + k] = R[k]


@routine
def differences(plan, work, state, t, over, blocks):
    """How loads at places fall with their displacements (over = 0) or velocities (1); state.place_loads is there."""
    count = plan.place_bodies.shape[0]
    for c in range(6):
        for s in range(count):
            if over == 0:
                move(work, s, c, SHORT)
            else:
                work.places[s, (LINEAR if c < 3 else ANGULAR) + c % 3] += SMALL
        act_at(plan, work, t)
        for s in range(count):
            for k in range(6):
                change = work.loads_of_terms[s, k] - state.place_loads[s, k]
                blocks[s, 6 * k + c] = -change / (SHORT if over == 0 else SMALL)
            for k in range(PLACE):
                work.places[s, k] = state.place_kept[s, k]


@routine
def place_rows(plan, work, state):
    """Velocities of all places in their own axes per velocity of each coordinate (P) into state.place_rows."""
    world = plan.topology.shape[0] - 1
    for s in range(plan.place_bodies.shape[0]):
        R, o, i = load9(work.places, s, ROTATION), load(work.places, s, ORIGIN), plan.place_bodies[s]
        while i < world:
            for k in range(plan.topology[i, V], plan.topology[i, V] + plan.topology[i, V_COUNT]):
                x = seen_from(LOCAL, R, o, take(work.axes, 0, k))
                for c in range(6):
                    state.place_rows[6 * s + c, k] = x[c]
            i = plan.topology[i, PARENT]


@routine
def gather(plan, state, s, blocks, A):
    """A += P^T G P for place s."""
    world, P = plan.topology.shape[0] - 1, state.place_rows
    j = plan.place_bodies[s]
    while j < world:
        for m in range(plan.topology[j, V], plan.topology[j, V] + plan.topology[j, V_COUNT]):
            for c in range(6):
                value = 0.0
                for d in range(6):
                    value += blocks[s, 6 * c + d] * P[6 * s + d, m]
                state.place_column[c] = value
            i = plan.place_bodies[s]
            while i < world:
                for n in range(plan.topology[i, V], plan.topology[i, V] + plan.topology[i, V_COUNT]):
                    value = 0.0
                    for c in range(6):
                        value += P[6 * s + c, n] * state.place_column[c]
                    A[n, m] += value
                i = plan.topology[i, PARENT]
        j = plan.topology[j, PARENT]


@routine
def look(plan, work, state, t):
    """M, D and K; places must be as `look_ahead` left them."""
    nv, count = state.v.shape[0], plan.place_bodies.shape[0]
    call_compiled(plan.calls[MASS], (plan, work, state.q))
    for i in range(nv):
        for j in range(nv):
            state.stiff_M[i, j], state.stiff_D[i, j], state.stiff_K[i, j] = work.M[i, j], 0.0, 0.0
        state.stiff_D[i, i], state.stiff_K[i, i] = plan.passive[DAMPING, i], plan.passive[STIFFNESS, i]
    for n in range(plan.follow_rows.shape[0]):
        k = plan.follow_rows[n, COORDINATE]
        if plan.follow_rows[n, KIND] != COMPUTED:
            state.stiff_D[k, k] += plan.follow_numbers[n, SERVO_DAMPING]
            state.stiff_K[k, k] += plan.follow_numbers[n, SERVO_STIFFNESS]
    for s in range(count):
        state.pattern_seen[s] = state.pattern[s]
        for k in range(6):
            state.place_loads[s, k] = work.loads_of_terms[s, k]
        for k in range(PLACE):
            state.place_kept[s, k] = work.places[s, k]
    place_rows(plan, work, state)
    differences(plan, work, state, t, 1, state.place_blocks)
    for s in range(count):
        if state.pattern[s] > 0:
            gather(plan, state, s, state.place_blocks, state.stiff_D)
    differences(plan, work, state, t, 0, state.place_blocks)
    for s in range(count):
        if state.pattern[s] > 0:
            gather(plan, state, s, state.place_blocks, state.stiff_K)


@routine
def factor(plan, state, g):
    """Factors of M + g D + g^2 K on coordinates whose accelerations follow from forces; the whole of it is state.jacobian."""
    nv = state.v.shape[0]
    for i in range(nv):
        for j in range(nv):
            state.jacobian[i, j] = state.stiff_M[i, j] + g * (state.stiff_D[i, j] + g * state.stiff_K[i, j])
    lu_factor_part(state.jacobian, plan.led, state.factors, state.chosen, state.pivots)
    state.linear[FACTORED] = g


@routine
def find_chart(plan, work, state):
    """E into state.chart, where coordinates move on a group."""
    nv = state.v.shape[0]
    for k in range(nv):
        if plan.q_of_v[k] < 0:
            for j in range(nv):
                state.moved[j] = state.scratch_v[j] = 0.0
            state.scratch_v[k] = 1.0
            chart_rate(plan.topology, state.q, state.moved, state.scratch_v, work.dx)
            for j in range(nv):
                state.chart[j, k] = work.dx[j]


@routine
def find_forcing(plan, work, state, t):
    """M f' into state.forcing."""
    nv, count = state.v.shape[0], plan.follow_rows.shape[0]
    for k in range(nv):
        state.forcing[k] = 0.0
    if plan.held.shape[0] > 0:
        impose(plan, work, t, state.scratch_q, state.scratch_v, state.a)
        for n in range(plan.held.shape[0]):
            h = plan.held[n]
            for k in range(nv):
                state.forcing[k] -= state.stiff_D[k, h] * state.a[h] + state.stiff_K[k, h] * state.scratch_v[h]
    if count > 0:
        find_targets(plan, work, t)
        for n in range(count):
            if plan.follow_rows[n, KIND] != COMPUTED:
                pull = plan.follow_numbers[n, SERVO_STIFFNESS] * work.follow_dx[n]
                pull += plan.follow_numbers[n, SERVO_DAMPING] * work.follow_ddx[n]
                state.forcing[plan.follow_rows[n, COORDINATE]] += pull + work.follow_dx[count + n]


@routine
def move_by(plan, state, k, n):
    """The move of k[n], out of the chart, into state.moved."""
    nv = state.v.shape[0]
    for j in range(nv):
        value = k[n, j]
        if plan.q_of_v[j] < 0:
            value = 0.0
            for i in range(nv):
                value += state.chart[i, j] * k[n, i]
        state.moved[j] = value


@helper
def right_side(state, k, n, row, g, sign):
    """Right side of a row of (3) for k[n], whose move is in state.moved."""
    nv, value = state.v.shape[0], sign * g * state.forcing[row]
    for j in range(nv):
        value += state.stiff_M[row, j] * k[n, nv + j] - g * state.stiff_K[row, j] * state.moved[j]
    return value


@helper
def take_answer(plan, state, k, n, row, g, x):
    """The answer x of a row of (3) into k[n]: the velocity, and the move that comes of it."""
    nv = state.v.shape[0]
    k[n, nv + row] = x
    if plan.q_of_v[row] >= 0:
        k[n, row] += g * x
    else:
        for j in range(nv):
            k[n, j] += g * state.chart[j, row] * x


@routine
def solve_stage(plan, state, g, n, sign):
    """(3) for the right side in k[n], in place."""
    nv, x, count = state.v.shape[0], state.shift, 0
    move_by(plan, state, state.k, n)
    for row in range(nv):
        if plan.led[row] == 0:
            x[count] = right_side(state, state.k, n, row, g, sign)
            count += 1
    for m in range(plan.follow_rows.shape[0]):
        if plan.follow_rows[m, KIND] == COMPUTED:
            c = plan.follow_rows[m, COORDINATE]
            kp, kd = plan.follow_numbers[m, SERVO_STIFFNESS], plan.follow_numbers[m, SERVO_DAMPING]
            known = (state.k[n, nv + c] - g * kp * state.k[n, c]) / (1.0 + g * kd + g * g * kp)
            state.k[n, nv + c] = known
            state.k[n, c] += g * known
            for i in range(count):
                x[i] -= state.jacobian[state.chosen[i], c] * known
    lu_solve(state.factors, count, state.pivots, x)
    for i in range(count):
        take_answer(plan, state, state.k, n, state.chosen[i], g, x[i])


@routine
def prepare_linear(plan, work, state, t, h, g):
    """M, D and K anew if it is time, and the factors of (3)."""
    changed, old = look_ahead(plan, work, state, t, h), state.linear[AGE] < 0.0 or state.linear[AGE] >= OLD
    again = state.linear[AGE] > 0.0 and state.linear[SEEN] == t  # tried before with what was there
    if changed or old or again:
        look(plan, work, state, t)
        state.linear[AGE], state.linear[FACTORED] = 0.0, -1.0
    state.linear[AGE] += 1.0
    state.linear[SEEN] = t
    if state.linear[FACTORED] != g:
        factor(plan, state, g)


@kernel
def rosenbrock_attempt(plan, work, state, t, h):
    """A step of (1) and (2) from y and its rates in k[0]: fill y_end, and the size of its error."""
    nv, size, g = state.v.shape[0], state.y.shape[0], GAMMA * h
    prepare_linear(plan, work, state, t, h, g)
    for n in range(size):
        state.k[1, n] = state.k[0, n]
    find_chart(plan, work, state)
    find_forcing(plan, work, state, t)
    solve_stage(plan, state, g, 1, 1.0)
    for n in range(size):
        state.y_try[n] = state.y[n] + h * state.k[1, n]
    rank = rates(plan, work, state, t + h, state.y_try, 2)
    if rank < 0:
        for n in range(size):
            state.y_end[n] = np.nan
        return rank
    for n in range(size):
        state.k[2, n] -= 2.0 * state.k[1, n]
    solve_stage(plan, state, g, 2, -1.0)
    total = 0.0
    for n in range(size):
        state.y_end[n] = state.y[n] + h * (1.5 * state.k[1, n] + 0.5 * state.k[2, n])
    for n in range(2 * nv):
        part = error_part(plan, state, n, 0.5 * h * (state.k[1, n] + state.k[2, n]))
        total = max(total, abs(part))
    state.clock[SIZE] = total if finite(state.y_end) else 1e6
    if state.clock[SIZE] <= 1.0:
        rates(plan, work, state, t + h, state.y_end, 3)
        for n in range(2 * nv, size):
            state.y_end[n] = state.y[n] + 0.5 * h * (state.k[0, n] + state.k[3, n])
    return rank
