"""The quadratic program of one tick, in (y, f, s): free motions, forces of points, slacks.

    M a + h = (0, tau) + sum J_p^T f_p ,   a = a0 + Z^T y                                                   (1)
    rows of (1) that no torque drives: equalities in (y, f); the others give tau                            (2)
    -limit (1 + s1) <= tau <= limit (1 + s1) ,   s1 >= 0                                                    (3)
    least - s2 <= a_j <= most + s2 of limits of motion, and of distances ,   s2 >= 0                        (4)
    normal force within its bounds, mu f_n >= n_i . f_t for the sides i of the pyramid, or of planes
    that are moved until the force is in a round cone                                                        (5)
    min  sum w |T a - b|^2 + e_y |y|^2 + sum e_p |f_p - wish_p|^2 + heavy s                                 (6)

Limits of motion (4) let a joint approach a limit only at a speed from which the brake stops it in time. Levels after the first
keep what the rows of levels before them reached, as equalities; costs of motions and forces count in the last one only.
"""

import math

from locomote.compiler.source import helper, inlined_routine, routine
from locomote.control.whole_body import tables as col
from locomote.control.whole_body.clearances import hardest
from locomote.control.whole_body.terms import contradicts
from locomote.kernels.kinematics import frame_pose
from locomote.linear.cholesky import inverse_factor
from locomote.linear.rows import add_row_to, row_dot, rows_dot
from locomote.qp.active_set import (
    NOT_CONVEX,
    POSITIVE,
    SOLVED,
    dual_active_set,
    optimality,
    scaled,
    sizes,
    unscaled,
)
from locomote.spatial.algebra import cross, rotate
from locomote.spatial.rows import load

PROXIMAL, PULL = 8, 1e-10  # how often costs are moved at most; m/s^2, about what they may pull
ROUND, ROUNDS = 1e-9, 60  # N, how far forces may be outside of round cones; how often planes are moved


@routine
def reduced_products(k, rank, nv):
    """M Z^T and T Z^T, columns 0 .. freedoms - 1; T a0 is taken off b; M a0 + h."""
    r = nv - rank
    for i in range(nv):
        k.still[i] = k.h[i] + row_dot(k.M, i, k.a0, nv)
        for c in range(r):
            k.MZ[i, c] = rows_dot(k.M, i, k.Z, c, nv)
    for i in range(k.row.shape[0]):
        if k.task[k.row[i, col.TASK], col.KIND] == col.POSTURE:  # one entry
            j = k.row[i, col.COMPONENT]
            k.b[i] -= k.a0[j]
            for c in range(r):
                k.TZ[i, c] = k.Z[c, j]
            continue
        k.b[i] -= row_dot(k.T, i, k.a0, nv)
        for c in range(r):
            k.TZ[i, c] = rows_dot(k.T, i, k.Z, c, nv)


@helper
def cost_of(k, r, last, i):
    """What unknown i costs: a motion a little; a force its weight at the last level, and a little before it."""
    if i < r:
        return k.number[0]
    if last:
        return k.grip[(i - r) // 3, col.WEIGHT] * (col.ACROSS if (i - r) % 3 < 2 else 1.0)
    return k.number[8]


@routine
def costs(k, level, last, r, forces):
    """H and g of (6) for the tasks of one level; the lower triangle of the first block only is symmetric-filled."""
    n = r + forces + col.SLACKS
    for i in range(n):
        for j in range(n):
            k.H[i, j] = 0.0
        k.g[i] = 0.0
    for t in range(k.row.shape[0]):
        if k.row[t, col.LEVEL] != level:
            continue
        w = k.weight[t]
        for i in range(r):
            wi = w * k.TZ[t, i]
            for j in range(i + 1):
                k.H[i, j] += wi * k.TZ[t, j]
            k.g[i] -= wi * k.b[t]
    for i in range(r):
        k.H[i, i] += cost_of(k, r, last, i)
        for j in range(i):
            k.H[j, i] = k.H[i, j]
    for i in range(forces):
        e = cost_of(k, r, last, r + i)
        k.H[r + i, r + i] = e
        k.g[r + i] = -e * k.wish[i // 3, i % 3]
    n = r + forces
    k.H[n, n] = k.g[n] = k.number[3]  # s + s^2 / 2: numbers of a size
    k.H[n + 1, n + 1] = k.g[n + 1] = k.number[4]


@routine
def levers(k, nv):
    """Forces of coordinates for a unit force of each point along each axis of its contact."""
    J = k.jacobians
    for c in range(k.contact.shape[0]):
        R, o = frame_pose(k.bodies, k.contact[c, 0], k.contact_frame[c])
        for p in range(k.contact[c, col.FIRST], k.contact[c, col.FIRST] + k.contact[c, col.POINTS]):
            arm = rotate(R, load(k.point, p, 0))
            for t in range(3):
                n = (k.axes_now[c, t], k.axes_now[c, 3 + t], k.axes_now[c, 6 + t])
                m = cross(arm, n)
                row = 3 * p + t
                for j in range(nv):
                    k.lever[row, j] = (
                        n[0] * J[6 * c, j] + n[1] * J[6 * c + 1, j] + n[2] * J[6 * c + 2, j]
                        + m[0] * J[6 * c + 3, j] + m[1] * J[6 * c + 4, j] + m[2] * J[6 * c + 5, j]
                    )  # fmt: skip


@routine
def motion_bounds(k, b):
    """Least and most acceleration of a coordinate with limits of position and speed (4)."""
    j, q = k.bounded[b], k.q[k.place[b, 0]]
    horizon, brake, v = k.number[5], k.number[6], k.v[j]
    most, least = (k.bound[b, 2] - v) / horizon, (-k.bound[b, 2] - v) / horizon
    up, down = k.bound[b, 1] - q, q - k.bound[b, 0]
    if math.isfinite(up):
        most = min(most, hardest(up, v, brake, horizon))
    if math.isfinite(down):
        least = max(least, -hardest(down, -v, brake, horizon))
    if most < least:
        most = least = 0.5 * (most + least)
    return least, most


@helper
def cut_row(k, p, s, m, column):
    """Row m: a plane that touches the cone of point p."""
    at = p * (k.cut.shape[0] // k.point.shape[0]) + s
    k.A[m, column], k.A[m, column + 1], k.A[m, column + 2] = -k.cut[at, 0], -k.cut[at, 1], k.grip[p, col.MU]
    k.lower[m], k.upper[m] = 0.0, math.inf
    k.span[m, 0], k.span[m, 1] = column, column + 3


@routine
def cut_again(k, r, n, forces):
    """Move planes to where forces are outside of round cones; returns whether any was moved.

    A plane that holds nothing is taken, or else the one that is farthest from the force. Planes touch the cone from outside, so
    an answer within all cones is the best one.
    """
    points, sides = forces // 3, k.side.shape[0]
    cuts = k.cut.shape[0] // points if points else 0
    moved = False
    if cuts == 0:
        return False
    first = k.free.shape[0] + col.SLACKS + 2 * k.limited.shape[0] + 2 * k.bounded.shape[0] + k.pair.shape[0]
    for p in range(points):
        column = r + 3 * p
        x, y, z = k.x[column], k.x[column + 1], k.x[column + 2]
        along = math.hypot(x, y)
        if along <= k.grip[p, col.MU] * z + ROUND * (1.0 + abs(z)):
            continue
        place, least = 0, math.inf
        for s in range(cuts):
            held = 0.0 if k.state[first + p * (1 + sides + cuts) + 1 + sides + s] == 0 else 10.0 * along
            near = held + k.cut[p * cuts + s, 0] * x + k.cut[p * cuts + s, 1] * y
            if near < least:
                place, least = s, near
        k.cut[p * cuts + place, 0], k.cut[p * cuts + place, 1] = x / along, y / along
        row = first + p * (1 + sides + cuts) + 1 + sides + place
        cut_row(k, p, place, row, column)
        k.state[row] = 0
        moved = True
    return moved


@inlined_routine
def balance_rows(k, r, forces):
    """Rows (2) of coordinates without a motor; returns how many rows there are now."""
    for i in range(k.free.shape[0]):
        j = k.free[i]
        for c in range(r):
            k.A[i, c] = k.MZ[j, c]
        for f in range(forces):
            k.A[i, r + f] = -k.lever[f, j]
        k.lower[i] = k.upper[i] = -k.still[j]
    return k.free.shape[0]


@inlined_routine
def slack_rows(k, n, m):
    """Signs of slacks, from row m on; returns how many rows there are now."""
    for s in range(col.SLACKS):  # before others: once they are held, nothing else has their large multipliers in it
        k.A[m + s, n - 2 + s] = 1.0
        k.lower[m + s], k.upper[m + s] = 0.0, math.inf
        k.span[m + s, 0], k.span[m + s, 1] = n - 2 + s, n - 1 + s
    if contradicts(k.clash):  # no motion is what contacts ask for: 0 = clash, as rows of one slack that exclude each other
        k.A[m + 1, n - 2], k.A[m + 1, n - 1] = 1.0, 0.0
        k.lower[m], k.lower[m + 1], k.upper[m + 1] = k.clash[col.CLASH], -math.inf, 0.0
        k.span[m + 1, 0], k.span[m + 1, 1] = n - 2, n - 1
    return m + col.SLACKS


@inlined_routine
def torque_rows(k, r, n, m, forces):
    """Rows (3): lower limits, then upper ones, from row m on; returns how many rows there are now."""
    count = k.limited.shape[0]
    for i in range(count):
        j, low, high = k.limited[i], m + i, m + count + i
        for c in range(r):
            k.A[low, c] = k.A[high, c] = k.MZ[j, c]
        for f in range(forces):
            k.A[low, r + f] = k.A[high, r + f] = -k.lever[f, j]
        limit, still = k.torque[j], k.still[j]
        k.A[low, n - 2], k.A[high, n - 2] = limit, -limit
        k.lower[low], k.upper[low] = -limit - still, math.inf
        k.lower[high], k.upper[high] = -math.inf, limit - still
    return m + 2 * count


@inlined_routine
def motion_rows(k, r, n, m, nv):
    """Rows (4): limits of motion as those of torques, then distances; returns how many rows there are now."""
    count = k.bounded.shape[0]
    for i in range(count):
        j, low, high = k.bounded[i], m + i, m + count + i
        least, most = motion_bounds(k, i)
        for c in range(r):
            k.A[low, c] = k.A[high, c] = k.Z[c, j]
        k.A[low, n - 1], k.A[high, n - 1] = 1.0, -1.0
        k.lower[low], k.upper[low] = least - k.a0[j], math.inf
        k.lower[high], k.upper[high] = -math.inf, most - k.a0[j]
    m += 2 * count
    for i in range(k.pair.shape[0]):
        for c in range(r):
            k.A[m, c] = rows_dot(k.apart, i, k.Z, c, nv)
        k.A[m, n - 1] = 1.0
        k.lower[m], k.upper[m] = k.least_apart[i] - row_dot(k.apart, i, k.a0, nv), math.inf
        m += 1
    return m


@inlined_routine
def force_rows(k, r, m, forces):
    """Rows (5), point by point; returns how many rows there are now."""
    sides, cuts = k.side.shape[0], 0 if forces == 0 else k.cut.shape[0] // (forces // 3)
    for p in range(forces // 3):
        column = r + 3 * p
        k.A[m, column + 2] = 1.0
        k.lower[m], k.upper[m] = k.grip[p, col.LEAST], k.grip[p, col.MOST]
        k.span[m, 0], k.span[m, 1] = column, column + 3
        for s in range(sides):
            k.A[m + 1 + s, column], k.A[m + 1 + s, column + 1] = -k.side[s, 0], -k.side[s, 1]
            k.A[m + 1 + s, column + 2] = k.grip[p, col.MU]
            k.lower[m + 1 + s], k.upper[m + 1 + s] = 0.0, math.inf
            k.span[m + 1 + s, 0], k.span[m + 1 + s, 1] = column, column + 3
        m += 1 + sides
        for s in range(cuts):
            cut_row(k, p, s, m, column)
            m += 1
    return m


@routine
def rows_of_program(k, rank, nv, forces):
    """Rows (2) to (5) with their bounds; returns how many there are."""
    r = nv - rank
    n = r + forces + col.SLACKS
    for i in range(k.A.shape[0]):
        for j in range(n):
            k.A[i, j] = 0.0
        k.span[i, 0], k.span[i, 1] = 0, n
    levers(k, nv)
    m = balance_rows(k, r, forces)
    m = slack_rows(k, n, m)
    m = torque_rows(k, r, n, m, forces)
    m = motion_rows(k, r, n, m, nv)
    return force_rows(k, r, m, forces)


@routine
def factored(k, r, n):
    """The inverse factor of H: a block of motions, then a diagonal."""
    for i in range(n):
        for j in range(n):
            k.JT[i, j] = 0.0
        if i >= r:
            k.JT[i, i] = 1.0 / math.sqrt(k.H[i, i])
    return inverse_factor(k.H, r, k.JT, POSITIVE, k.vector[0])


@routine
def centered(k, r, forces, first):
    """Move what costs of motions and forces are about to x, from zero and wishes at `first`; returns how costs pulled, m/s^2.

    Tasks of a level that is not the last are to be met as if motions and forces had no cost; where these are about x, they have
    none (the proximal point of R.T. Rockafellar, 1976).
    """
    center, pull = k.vector[2], 0.0
    for i in range(r + forces):
        if first:
            center[i] = 0.0 if i < r else k.wish[(i - r) // 3, (i - r) % 3]
        step = cost_of(k, r, False, i) * (k.x[i] - center[i])
        k.g[i] -= step
        center[i] = k.x[i]
        pull = max(pull, abs(step) * (1.0 if i < r else k.number[1]))
    return pull


@routine
def level_solved(k, r, n, m, forces, again):
    """Solve one level, and again until forces are in round cones; returns (status, iterations).

    again : only costs were moved since the last time, rows are as they were
    """
    iterations, rounds = 0, 0
    while True:
        sizes(k.A, k.span, k.lower, k.upper, m, n, k.size)
        scaled(k.JT, k.g, k.A, k.span, 0 if again and rounds == 0 else m, n, r, k.B, k.c, k.room[0])
        found = dual_active_set(
            k.B, k.c, k.span, k.size, k.lower, k.upper, n, m, int(k.number[7]), k.state, k.y, k.multiplier, k.room,
            k.basis, k.RT, k.work, k.sides, k.count[3:5],
        )  # fmt: skip
        unscaled(k.JT, k.y, n, r, k.x)
        rounds += 1
        iterations += k.count[3]
        if found != SOLVED or rounds > ROUNDS or not cut_again(k, r, n, forces):
            return found, iterations


@routine
def solved(k, rank, nv, forces, levels):
    """Solve level after level; returns the status.

    `state` has the working set of the last level at the last time, and of this one after it; `held` that of levels before it.
    """
    r = nv - rank
    n, m = r + forces + col.SLACKS, rows_of_program(k, rank, nv, forces)
    status, iterations = SOLVED, 0
    for level in range(levels):
        costs(k, level, level + 1 == levels, r, forces)
        if not factored(k, r, n):
            return NOT_CONVEX
        if levels > 1:
            for i in range(m):
                if level == 0:
                    k.later[i], k.state[i] = k.state[i], k.held[i]
                elif level + 1 == levels:
                    k.state[i] = k.later[i]
        again = 0
        while True:
            status, more = level_solved(k, r, n, m, forces, again > 0)
            iterations += more
            if status != SOLVED or level + 1 == levels or again == PROXIMAL:
                break
            if centered(k, r, forces, again == 0) < PULL:
                break
            again += 1
        if status != SOLVED:
            break
        if level + 1 < levels:
            for i in range(m):
                k.held[i] = k.state[i]
            for t in range(k.row.shape[0]):
                if k.row[t, col.LEVEL] != level:
                    continue
                s = 0.0
                for c in range(r):
                    k.A[m, c] = k.TZ[t, c]
                    s += k.TZ[t, c] * k.x[c]
                k.lower[m] = k.upper[m] = s
                k.state[m] = k.held[m] = k.later[m] = 0
                k.span[m, 0], k.span[m, 1] = 0, n
                m += 1
    k.count[0], k.count[1], k.count[2], k.count[3] = r, n, m, iterations
    k.proof[0], k.proof[1], k.proof[2] = optimality(
        k.H, k.g, k.A, k.span, k.lower, k.upper, n, m, k.x, k.multiplier, k.vector[0]
    )
    return status


@routine
def outcome(k, rank, nv, forces):
    """Accelerations, torques, forces and what tasks miss, from x."""
    r = nv - rank
    for j in range(nv):
        k.a[j] = k.a0[j]
    for c in range(r):
        add_row_to(k.x[c], k.Z, c, k.a, nv)
    for j in range(nv):
        k.tau[j] = k.h[j] + row_dot(k.M, j, k.a, nv)
    for i in range(forces):
        k.force[i] = k.x[r + i]
        add_row_to(-k.force[i], k.lever, i, k.tau, nv)
    for i in range(k.free.shape[0]):
        k.tau[k.free[i]] = 0.0
    for j in range(nv):
        k.wanted[j] = k.tau[j]
        k.tau[j] = min(max(k.tau[j], -k.torque[j]), k.torque[j])
    for t in range(k.row.shape[0]):
        k.miss[t] = row_dot(k.TZ, t, k.x, r) - k.b[t]
