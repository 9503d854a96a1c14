"""Rows of all constraints, their drift and their position errors.

A row holds the power of one world wrench W on the motion of the body relative to the other (V, A: twists at the world
origin in world axes and their rates, here A for the given accelerations):

    value  W . (V_b - V_a)                        row of A:  W . S_k over the body's joints, minus the other's        (1)
    drift  W . (A_b - A_a) + W' . (V_b - V_a)                                                                         (2)
    rate of A:  W' . S_k + W . (V_k x S_k) ,   V_k the twist of the body that joint k moves                           (5)

    along d at x     W = (d, x x d)   W' = (d', x' x d + x x d')                                                      (3)
    turn about u     W = (0, u)       W' = (0, u')                                                                    (4)

With the accelerations of imposed coordinates given and all others zero, the drift holds all that is known of the rate.
"""

from math import sqrt

from locomote.constraints.columns import (
    ACTIVE,
    ADDRESS,
    BLADE,
    BODY,
    COUNT,
    CUSTOM,
    DISTANCE,
    FIRST,
    FORWARD,
    FRAME_A,
    FRAME_B,
    KIND,
    LATERAL,
    LENGTH,
    LINEAR,
    OFFSET,
    OTHER,
    PAIRS,
    POINT,
    ROLL,
    ROWS,
    SIGNS,
    TURN,
)
from locomote.constraints.contact import contact, heading, velocity_at
from locomote.engine.callbacks import call
from locomote.engine.source import helper, routine
from locomote.kernels.common_frame import take
from locomote.kernels.kinematics import ORIGIN, ROTATION, TWIST
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.spatial.algebra import (
    add,
    angular,
    bracket,
    compose,
    cross,
    dot,
    join,
    minus,
    pair,
    plus,
    rotate,
    scale,
    subtract,
    times,
)
from locomote.spatial.rows import load, load6, load9, store6


@routine
def world_accelerations(topology, v, a, axes, bodies, rates):
    """Rates of the world twists of all bodies, (bodies + 1, 6), without gravity; world twists must be there."""
    world = topology.shape[0] - 1
    store6(rates, world, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for i in range(world):
        A, V_i = load6(rates, topology[i, PARENT], 0), load6(bodies, i, TWIST)
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = take(axes, 0, k)
            A = plus(A, plus(times(a[k], S), times(v[k], bracket(V_i, S))))
        store6(rates, i, 0, A)


@helper
def frame(bodies, numbers, c, i, start):
    """Pose in the world of a frame of constraint c, fixed to body i."""
    R, o = load9(bodies, i, ROTATION), load(bodies, i, ORIGIN)
    return compose(R, load9(numbers, c, start)), add(o, rotate(R, load(numbers, c, start + 9)))


@helper
def column(R, k):
    """Column k of a rotation."""
    if k == 0:
        return (R[0], R[3], R[6])
    elif k == 1:
        return (R[1], R[4], R[7])
    return (R[2], R[5], R[8])


@routine
def spread(topology, axes, bodies, i, W, dW, sign, A, rate, r):
    """Add the power of a world wrench on body i to row r, (1), and its rate if there is room for it, (5)."""
    world = topology.shape[0] - 1
    while i < world:
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = take(axes, 0, k)
            A[r, k] += sign * pair(W, S)
            if rate.shape[0] > 0:
                rate[r, k] += sign * (pair(dW, S) + pair(W, bracket(load6(bodies, i, TWIST), S)))
        i = topology[i, PARENT]


@routine
def put(topology, axes, bodies, rates, integers, c, r, W, dW, A, drift, rate):
    """Row r from its wrench and the rate of that, (1) and (2)."""
    b, a = integers[c, BODY], integers[c, OTHER]
    spread(topology, axes, bodies, b, W, dW, 1.0, A, rate, r)
    spread(topology, axes, bodies, a, W, dW, -1.0, A, rate, r)
    V_rel = minus(load6(bodies, b, TWIST), load6(bodies, a, TWIST))
    drift[r] = pair(W, minus(load6(rates, b, 0), load6(rates, a, 0))) + pair(dW, V_rel)


@helper
def along(d, x):
    """Wrench of a row along d at x, (3)."""
    return join(d, cross(x, d))


@helper
def along_rate(d, dd, x, dx):
    """Its rate."""
    return join(dd, add(cross(dx, d), cross(x, dd)))


@routine
def point_rows(topology, axes, bodies, rates, integers, numbers, c, A, drift, error, rate):
    """POINT and BLADE."""
    b, a = integers[c, BODY], integers[c, OTHER]
    V_b, V_a = load6(bodies, b, TWIST), load6(bodies, a, TWIST)
    R_b, x = frame(bodies, numbers, c, b, FRAME_B)
    R_a, o_a = frame(bodies, numbers, c, a, FRAME_A)
    dx = velocity_at(V_b, x)
    for j in range(integers[c, COUNT]):
        r = integers[c, FIRST] + j
        if integers[c, KIND] == BLADE:
            d = column(R_b, 1)
            dd = cross(angular(V_b), d)
            error[r] = 0.0
        else:
            d = column(R_a, integers[c, ROWS + j])
            dd = cross(angular(V_a), d)
            error[r] = dot(d, subtract(x, o_a))
        put(topology, axes, bodies, rates, integers, c, r, along(d, x), along_rate(d, dd, x, dx), A, drift, rate)


@routine
def turn_rows(topology, axes, bodies, rates, integers, numbers, c, A, drift, error, rate):
    """TURN: the error of a row is minus sign * a_i . b_j, of two axes that stand at right angles."""
    b, a = integers[c, BODY], integers[c, OTHER]
    w_b, w_a = angular(load6(bodies, b, TWIST)), angular(load6(bodies, a, TWIST))
    R_b, o_b = frame(bodies, numbers, c, b, FRAME_B)
    R_a, o_a = frame(bodies, numbers, c, a, FRAME_A)
    for j in range(integers[c, COUNT]):
        r, sign, which = integers[c, FIRST] + j, numbers[c, SIGNS + j], integers[c, PAIRS + j]
        e_a, e_b = column(R_a, which // 3), column(R_b, which % 3)
        u = scale(sign, cross(e_a, e_b))
        du = scale(sign, add(cross(cross(w_a, e_a), e_b), cross(e_a, cross(w_b, e_b))))
        error[r] = -sign * dot(e_a, e_b)
        zero = (0.0, 0.0, 0.0)
        put(topology, axes, bodies, rates, integers, c, r, join(zero, u), join(zero, du), A, drift, rate)


@routine
def distance_row(topology, axes, bodies, rates, integers, numbers, c, A, drift, error, rate):
    """DISTANCE."""
    b, a, r = integers[c, BODY], integers[c, OTHER], integers[c, FIRST]
    V_b, V_a = load6(bodies, b, TWIST), load6(bodies, a, TWIST)
    R_b, x = frame(bodies, numbers, c, b, FRAME_B)
    R_a, y = frame(bodies, numbers, c, a, FRAME_A)
    gap, dx = subtract(x, y), velocity_at(V_b, x)
    length = sqrt(dot(gap, gap))
    d, opening = scale(1.0 / length, gap), subtract(dx, velocity_at(V_a, y))
    dd = scale(1.0 / length, subtract(opening, scale(dot(d, opening), d)))
    error[r] = length - numbers[c, LENGTH]
    put(topology, axes, bodies, rates, integers, c, r, along(d, x), along_rate(d, dd, x, dx), A, drift, rate)


@routine
def rolling_rows(topology, axes, bodies, rates, integers, numbers, c, place, shape, A, drift, error, rate):
    """ROLL."""
    b, a = integers[c, BODY], integers[c, OTHER]
    V_b, V_a = load6(bodies, b, TWIST), load6(bodies, a, TWIST)
    R_b, o_b = frame(bodies, numbers, c, b, FRAME_B)
    R_a, o_a = frame(bodies, numbers, c, a, FRAME_A)
    x, dx, n, dn, gap = contact(integers, numbers, c, R_a, o_a, R_b, o_b, V_a, V_b, place, shape)
    f, df, side, dside = heading(integers, numbers, c, R_a, R_b, angular(V_a), angular(V_b), n, dn)
    for j in range(integers[c, COUNT]):
        r, which = integers[c, FIRST] + j, integers[c, ROWS + j]
        if which == FORWARD:
            d, dd = f, df
        elif which == LATERAL:
            d, dd = side, dside
        else:
            d, dd = n, dn
        error[r] = gap if which > LATERAL else 0.0
        put(topology, axes, bodies, rates, integers, c, r, along(d, x), along_rate(d, dd, x, dx), A, drift, rate)


@routine
def constraint_rows(
    topology,
    axes,
    bodies,
    rates,
    integers,
    numbers,
    linear,
    linear_q,
    t,
    q,
    v,
    a,
    place,
    shape,
    custom,
    A,
    drift,
    speed,
    error,
    rate,
):
    """Fill A (rows, nv), drift, speed b and position error (rows); rows of constraints that are not active are zero, but
    for the error. `rate` (rows, nv) receives the rate of A, unless it is empty
    (not that of custom rows). `place`, `shape` and `custom` are scratch for callbacks."""
    nv = A.shape[1]
    for r in range(A.shape[0]):
        drift[r] = speed[r] = error[r] = 0.0
        for k in range(nv):
            A[r, k] = 0.0
            if rate.shape[0] > 0:
                rate[r, k] = 0.0
    for c in range(integers.shape[0]):
        kind, first, count = integers[c, KIND], integers[c, FIRST], integers[c, COUNT]
        if kind == POINT or kind == BLADE:
            point_rows(topology, axes, bodies, rates, integers, numbers, c, A, drift, error, rate)
        elif kind == TURN:
            turn_rows(topology, axes, bodies, rates, integers, numbers, c, A, drift, error, rate)
        elif kind == DISTANCE:
            distance_row(topology, axes, bodies, rates, integers, numbers, c, A, drift, error, rate)
        elif kind == ROLL:
            rolling_rows(topology, axes, bodies, rates, integers, numbers, c, place, shape, A, drift, error, rate)
        elif kind == LINEAR:
            which = integers[c, ADDRESS]
            error[first] = -numbers[c, OFFSET]
            for k in range(nv):
                A[first, k] = linear[which, k]
                drift[first] += linear[which, k] * a[k]
            for k in range(q.shape[0]):
                error[first] += linear_q[which, k] * q[k]
        elif kind == CUSTOM:
            call(integers[c, ADDRESS], t, q, v, custom)
            for j in range(count):
                r, last = first + j, count * nv
                drift[r], speed[r], error[r] = custom[last + j], custom[last + count + j], custom[last + 2 * count + j]
                for k in range(nv):
                    A[r, k] = custom[j * nv + k]
                    drift[r] += A[r, k] * a[k]
        if integers[c, ACTIVE] == 0:
            for r in range(first, first + count):
                drift[r] = speed[r] = 0.0
                for k in range(nv):
                    A[r, k] = 0.0
