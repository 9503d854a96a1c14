"""Rows of all constraints, their drift and their position errors.

A row holds the power of one world wrench W on the motion of the body relative to the other (V, A: twists at the world
origin in world axes and their rates, here A for the given accelerations):

    value  W . (V_b - V_a)                        row of A:  W . S_k over the body's joints, minus the other's        (1)
    drift  W . (A_b - A_a) + W' . (V_b - V_a)                                                                         (2)
    rate of A:  W' . S_k + W . (V_k x S_k) ,   V_k the twist of the body that joint k moves                           (5)

    along d at x     W = (d, x x d)   W' = (d', x' x d + x x d')                                                      (3)
    turn about u     W = (0, u)       W' = (0, u')                                                                    (4)
    keel             the sum of l phi W over sections: phi = W . Z , Z the twist of a unit motion of the root         (6)
    curve             c . q - p(x) , x one of q: row c less p' at x, drift less p'' x'^2, rate of A less p'' x' at x     (7)

With the accelerations of imposed coordinates given and all others zero, the drift holds all that is known of the rate.
`plan` and `work` are records with the arrays named in `evaluation.plan`.
"""

from locomote.compiler.callbacks import call
from locomote.compiler.indirect import call_compiled
from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper, routine
from locomote.constraints import columns as col
from locomote.geometry.rolling import contact, heading, velocity_at
from locomote.kernels.common_frame import take
from locomote.kernels.kinematics import ORIGIN, ROTATION, TWIST
from locomote.model.columns import PARENT, V_COUNT, V
from locomote.spatial import algebra as al
from locomote.spatial.rows import load, load6, load9, store6


@routine
def world_accelerations(plan, work, v, a):
    """Rates of the world twists of all bodies (work.rates), without gravity; world twists must be there."""
    topology, axes, bodies, rates = plan.topology, work.axes, work.bodies, work.rates
    world = topology.shape[0] - 1
    store6(rates, world, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for i in range(world):
        A, V_i = load6(rates, topology[i, PARENT], 0), load6(bodies, i, TWIST)
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = take(axes, 0, k)
            A = al.plus(A, al.plus(al.times(a[k], S), al.times(v[k], al.bracket(V_i, S))))
        store6(rates, i, 0, A)


@helper
def frame(plan, work, c, i, start):
    """Pose in the world of a frame of constraint c, fixed to body i."""
    R, o = load9(work.bodies, i, ROTATION), load(work.bodies, i, ORIGIN)
    return al.compose(R, load9(plan.numbers, c, start)), al.add(o, al.rotate(R, load(plan.numbers, c, start + 9)))


@helper
def column(R, k):
    """Column k of a rotation."""
    if k == 0:
        return (R[0], R[3], R[6])
    elif k == 1:
        return (R[1], R[4], R[7])
    return (R[2], R[5], R[8])


@helper
def pair_of_sizes(W, S):
    """What the power of a wrench on a twist could be if no term cancelled another: rounding is measured against it."""
    return (
        abs(W[0] * S[0]) + abs(W[1] * S[1]) + abs(W[2] * S[2]) + abs(W[3] * S[3]) + abs(W[4] * S[4]) + abs(W[5] * S[5])
    )  # fmt: skip


@routine
def spread(plan, work, i, end, W, dW, sign, r):
    """Add the power of a world wrench on body i to row r, (1), and its rate if there is room for it, (5), for all joints
    between it and its ancestor `end`: those above move both bodies of the row alike."""
    topology, axes, A, rate = plan.topology, work.axes, work.A, work.rate
    if plan.rods.shape[0] > 0:
        place = work.place
        place[0], place[1], place[2], place[3], place[4], place[5] = W
        call_compiled(plan.calls[col.PULL], (plan, work, A, i, end, sign, r))
        return
    while i != end:
        for k in range(topology[i, V], topology[i, V] + topology[i, V_COUNT]):
            S = take(axes, 0, k)
            A[r, k] += sign * al.pair(W, S)
            if work.possible.shape[0] > 0:
                work.possible[r] = max(work.possible[r], pair_of_sizes(W, S))
            if rate.shape[0] > 0:
                rate[r, k] += sign * (al.pair(dW, S) + al.pair(W, al.bracket(load6(work.bodies, i, TWIST), S)))
        i = topology[i, PARENT]


@routine
def put(plan, work, c, r, W, dW):
    """Row r from its wrench and the rate of that, (1) and (2)."""
    b, a, bodies, rates = plan.integers[c, col.BODY], plan.integers[c, col.OTHER], work.bodies, work.rates
    end = plan.integers[c, col.MEETING]
    spread(plan, work, b, end, W, dW, 1.0, r)
    spread(plan, work, a, end, W, dW, -1.0, r)
    V_rel = al.minus(load6(bodies, b, TWIST), load6(bodies, a, TWIST))
    work.drift[r] += al.pair(W, al.minus(load6(rates, b, 0), load6(rates, a, 0))) + al.pair(dW, V_rel)


@helper
def along(d, x):
    """Wrench of a row along d at x, (3)."""
    return al.join(d, al.cross(x, d))


@helper
def along_rate(d, dd, x, dx):
    """Its rate."""
    return al.join(dd, al.add(al.cross(dx, d), al.cross(x, dd)))


@helper
def twists(plan, work, c):
    """World twists of the body and of the other."""
    return load6(work.bodies, plan.integers[c, col.BODY], TWIST), load6(work.bodies, plan.integers[c, col.OTHER], TWIST)


@helper
def frames(plan, work, c):
    """Poses in the world of the frame on the body and of the frame on the other."""
    R_b, o_b = frame(plan, work, c, plan.integers[c, col.BODY], col.FRAME_B)
    R_a, o_a = frame(plan, work, c, plan.integers[c, col.OTHER], col.FRAME_A)
    return R_b, o_b, R_a, o_a


@routine
def point_rows(plan, work, c):
    """POINT and BLADE."""
    V_b, V_a = twists(plan, work, c)
    R_b, x, R_a, o_a = frames(plan, work, c)
    dx = velocity_at(V_b, x)
    for j in range(plan.integers[c, col.COUNT]):
        r = plan.integers[c, col.FIRST] + j
        if plan.integers[c, col.KIND] == col.BLADE:
            d = column(R_b, 1)
            dd = al.cross(al.angular(V_b), d)
        else:
            d = column(R_a, plan.integers[c, col.ROWS + j])
            dd = al.cross(al.angular(V_a), d)
            work.error[r] = al.dot(d, al.subtract(x, o_a))
        put(plan, work, c, r, along(d, x), along_rate(d, dd, x, dx))


@routine
def keel_rows(plan, work, c):
    """KEEL: the share of one section, in a row of its own or, (6), in one for each motion of the root."""
    integers, share, r = plan.integers, plan.numbers[c, col.LENGTH], plan.integers[c, col.FIRST]
    b, a, V = integers[c, col.BODY], integers[c, col.OTHER], load6(work.bodies, integers[c, col.ROOT], TWIST)
    V_b, V_a = twists(plan, work, c)
    R_b, x = frame(plan, work, c, b, col.FRAME_B)
    d = column(R_b, 1)
    W = along(d, x)
    dW = along_rate(d, al.cross(al.angular(V_b), d), x, velocity_at(V_b, x))
    if integers[c, col.MOTIONS] == 0:
        put(plan, work, c, r, al.times(share, W), al.times(share, dW))
        return
    R, o = frame(plan, work, c, integers[c, col.ROOT], col.FRAME_A)
    is_tip = c == 0 or integers[c - 1, col.KIND] != col.KEEL or integers[c - 1, col.FIRST] != r
    end = world = plan.topology.shape[0] - 1
    if c + 1 < integers.shape[0] and integers[c + 1, col.KIND] == col.KEEL and integers[c + 1, col.FIRST] == r:
        end = integers[c + 1, col.BODY]
    for j in range(6):
        if integers[c, col.MOTIONS] >> j & 1:
            axis = column(R, j % 3)
            Z = al.join(axis, (0.0, 0.0, 0.0))
            if j >= 3:
                Z = al.join(al.cross(o, axis), axis)
            phi, dphi = share * al.pair(W, Z), share * (al.pair(dW, Z) + al.pair(W, al.bracket(V, Z)))
            own, rate = al.times(phi, W), al.plus(al.times(phi, dW), al.times(dphi, W))
            F = own  # and of all sections beyond this one, which stand before it: one walk along the rod serves all
            if not is_tip:
                F = al.plus(load6(work.keel, j, 0), own)
            store6(work.keel, j, 0, F)
            spread(plan, work, b, end, F, rate, 1.0, r)
            spread(plan, work, a, world, own, rate, -1.0, r)
            work.drift[r] += al.pair(own, al.minus(load6(work.rates, b, 0), load6(work.rates, a, 0))) + al.pair(
                rate, al.minus(V_b, V_a)
            )
            r += 1


@routine
def turn_rows(plan, work, c):
    """TURN: the error of a row is minus sign * a_i . b_j, of two axes that stand at right angles."""
    V_b, V_a = twists(plan, work, c)
    w_b, w_a, zero = al.angular(V_b), al.angular(V_a), (0.0, 0.0, 0.0)
    R_b, o_b, R_a, o_a = frames(plan, work, c)
    for j in range(plan.integers[c, col.COUNT]):
        r, sign, which = plan.integers[c, col.FIRST] + j, plan.numbers[c, col.SIGNS + j], plan.integers[c, col.PAIRS + j]
        e_a, e_b = column(R_a, which // 3), column(R_b, which % 3)
        u = al.scale(sign, al.cross(e_a, e_b))
        du = al.scale(sign, al.add(al.cross(al.cross(w_a, e_a), e_b), al.cross(e_a, al.cross(w_b, e_b))))
        work.error[r] = -sign * al.dot(e_a, e_b)
        put(plan, work, c, r, al.join(zero, u), al.join(zero, du))


@routine
def distance_row(plan, work, c):
    """DISTANCE."""
    r = plan.integers[c, col.FIRST]
    V_b, V_a = twists(plan, work, c)
    R_b, x, R_a, y = frames(plan, work, c)
    gap, dx = al.subtract(x, y), velocity_at(V_b, x)
    length = sqrt(al.dot(gap, gap))
    d, opening = al.scale(1.0 / length, gap), al.subtract(dx, velocity_at(V_a, y))
    dd = al.scale(1.0 / length, al.subtract(opening, al.scale(al.dot(d, opening), d)))
    work.error[r] = length - plan.numbers[c, col.LENGTH]
    put(plan, work, c, r, along(d, x), along_rate(d, dd, x, dx))


@routine
def rolling_rows(plan, work, c):
    """ROLL."""
    V_b, V_a = twists(plan, work, c)
    R_b, o_b, R_a, o_a = frames(plan, work, c)
    integers, numbers = plan.integers, plan.numbers
    a, b, d = numbers[c, col.SHAPE_NUMBERS], numbers[c, col.SHAPE_NUMBERS + 1], numbers[c, col.SHAPE_NUMBERS + 2]
    shape = (integers[c, col.SHAPE], a, b, d)
    a, b, d = numbers[c, col.SURFACE_NUMBERS], numbers[c, col.SURFACE_NUMBERS + 1], numbers[c, col.SURFACE_NUMBERS + 2]
    surface = (integers[c, col.SURFACE], a, b, d, plan.functions, integers[c, col.FUNCTION], work.place, work.shape)
    x, dx, n, dn, gap = contact(shape, surface, R_a, o_a, R_b, o_b, V_a, V_b)
    f, df, side, dside = heading(shape, R_a, R_b, al.angular(V_a), al.angular(V_b), n, dn)
    for j in range(plan.integers[c, col.COUNT]):
        r, which = plan.integers[c, col.FIRST] + j, plan.integers[c, col.ROWS + j]
        if which == col.FORWARD:
            d, dd = f, df
        elif which == col.LATERAL:
            d, dd = side, dside
        else:
            d, dd = n, dn
            work.error[r] = gap
        put(plan, work, c, r, along(d, x), along_rate(d, dd, x, dx))


@routine
def curve_at(curves, first, count, x):
    """A piecewise polynomial with its first and second derivative: each piece about the place where it begins."""
    value = slope = bend = 0.0 * x
    for p in range(first, first + count):
        s = x - curves[p, 0]
        y = dy = ddy = 0.0 * x
        for n in range(curves.shape[1] - 1, 0, -1):
            ddy = ddy * s + 2.0 * dy
            dy = dy * s + y
            y = y * s + curves[p, n]
        here = x >= curves[p, 0]
        if p == first:  # from wherever x comes
            value, slope, bend = y, dy, ddy
        else:
            value, slope, bend = select(here, y, value), select(here, dy, slope), select(here, ddy, bend)
    return value, slope, bend


@routine
def linear_row(plan, work, c, q, v, a):
    """LINEAR."""
    integers = plan.integers
    r, which = integers[c, col.FIRST], integers[c, col.FUNCTION]
    work.error[r] = -plan.numbers[c, col.OFFSET]
    for n in range(plan.touched_first[r], plan.touched_first[r + 1]):
        k = plan.touched[n]
        work.A[r, k] = plan.linear[which, k]
        work.drift[r] += plan.linear[which, k] * a[k]
        work.error[r] += plan.linear_q[which, plan.q_of_v[k]] * q[plan.q_of_v[k]]
    if integers[c, col.PIECES] > 0:  # (7)
        k = integers[c, col.ALONG]
        p, dp, ddp = curve_at(plan.curves, integers[c, col.CURVED], integers[c, col.PIECES], q[plan.q_of_v[k]])
        work.A[r, k] -= dp
        work.drift[r] -= dp * a[k] + ddp * v[k] * v[k]
        work.error[r] -= p
        if work.rate.shape[0] > 0:
            work.rate[r, k] -= ddp * v[k]


@routine
def custom_rows(plan, work, c, t, q, v, a):
    """CUSTOM: the callback gives rows, drift, speed and error, one after the other."""
    first, count, nv = plan.integers[c, col.FIRST], plan.integers[c, col.COUNT], v.shape[0]
    call(plan.functions, plan.integers[c, col.FUNCTION], t, q, v, work.given_rows)
    for j in range(count):
        r, last = first + j, count * nv
        work.drift[r], work.speed[r] = work.given_rows[last + j], work.given_rows[last + count + j]
        work.error[r] = work.given_rows[last + 2 * count + j]
        for k in range(nv):
            work.A[r, k] = work.given_rows[j * nv + k]
            work.drift[r] += work.A[r, k] * a[k]


@routine
def clear(plan, work, first, last):
    """Rows without anything in them."""
    for r in range(first, last):
        work.drift[r] = work.speed[r] = 0.0
        for n in range(plan.touched_first[r], plan.touched_first[r + 1]):
            k = plan.touched[n]
            work.A[r, k] = 0.0
            if work.rate.shape[0] > 0:
                work.rate[r, k] = 0.0


@routine
def constraint_rows(plan, work, t, q, v, a):
    """Fill work.A (rows, nv), .drift, .speed b and .error; bodies, twists and axes must be there, accelerations for a too.

    Rows of constraints that are not active are zero, but for the error. work.rate receives the rate of A unless it is
    empty, but not that of custom rows.
    """
    integers = plan.integers
    clear(plan, work, 0, work.A.shape[0])
    for r in range(work.error.shape[0]):
        work.error[r] = 0.0
    for r in range(work.possible.shape[0]):
        work.possible[r] = 0.0
    for c in range(integers.shape[0]):
        kind = integers[c, col.KIND]
        if kind == col.POINT or kind == col.BLADE:
            point_rows(plan, work, c)
        elif kind == col.TURN:
            turn_rows(plan, work, c)
        elif kind == col.DISTANCE:
            distance_row(plan, work, c)
        elif kind == col.ROLL:
            rolling_rows(plan, work, c)
        elif kind == col.LINEAR:
            linear_row(plan, work, c, q, v, a)
        elif kind == col.CUSTOM:
            custom_rows(plan, work, c, t, q, v, a)
        elif kind == col.KEEL:
            keel_rows(plan, work, c)
        if integers[c, col.ACTIVE] == 0:
            clear(plan, work, integers[c, col.FIRST], integers[c, col.FIRST] + integers[c, col.COUNT])
