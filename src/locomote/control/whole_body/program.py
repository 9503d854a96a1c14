"""The quadratic program of one tick, in (y, f, s): free motions, forces of points, slacks.

    M a + h = (0, tau) + sum J_p^T f_p ,   a = a0 + Z y                                                     (1)
    rows of (1) that no torque drives: equalities in (y, f); the others give tau                            (2)
    -limit (1 + s1) <= tau <= limit (1 + s1) ,   s1 >= 0                                                    (3)
    least - s2 <= a_j <= most + s2 of limits of motion ,   s2 >= 0                                          (4)
    normal force within its bounds, mu f_n >= n_i . f_t for the sides i of the pyramid                      (5)
    min  sum w |T a - b|^2 + e_y |y|^2 + sum e_p |f_p - wish_p|^2 + heavy s                                 (6)

Limits of motion (4): the speed after the horizon is to be one from which the brake stops in time. Levels after the first keep
what the rows of levels before them reached, as equalities.
"""

import math

from locomote.control.qp.active_set import LIMIT, NOT_CONVEX, SOLVED, dual_active_set, inverse_factor, optimality
from locomote.control.whole_body.tables import (
    ACROSS,
    COMPONENT,
    FIRST,
    KIND,
    LEAST,
    LEVEL,
    MOST,
    MU,
    POINTS,
    POSTURE,
    SLACKS,
    TASK,
    WEIGHT,
)  # fmt: skip
from locomote.engine.source import helper, routine
from locomote.kernels.kinematics import frame_pose
from locomote.spatial.algebra import cross, rotate
from locomote.spatial.rows import load


@routine
def reduced_products(k, rank, nv):
    """M Z and T Z, columns 0 .. freedoms - 1; T a0 is taken off b."""
    r = nv - rank
    for i in range(nv):
        for c in range(r):
            s = 0.0
            for j in range(nv):
                s += k.M[i, j] * k.Q[rank + c, j]
            k.MZ[i, c] = s
    for i in range(k.row.shape[0]):
        s = k.b[i]
        for j in range(nv):
            s -= k.T[i, j] * k.a0[j]
        k.b[i] = s
        if k.task[k.row[i, TASK], KIND] == POSTURE:  # one entry
            for c in range(r):
                k.TZ[i, c] = k.Q[rank + c, k.row[i, COMPONENT]]
            continue
        for c in range(r):
            s = 0.0
            for j in range(nv):
                s += k.T[i, j] * k.Q[rank + c, j]
            k.TZ[i, c] = s


@routine
def costs(k, level, r, forces):
    """H and g of (6) for the tasks of one level; the lower triangle of the first block only is symmetric-filled."""
    n = r + forces + SLACKS
    for i in range(n):
        for j in range(n):
            k.H[i, j] = 0.0
        k.g[i] = 0.0
    for t in range(k.row.shape[0]):
        if k.row[t, LEVEL] != level:
            continue
        w = k.weight[t]
        for i in range(r):
            wi = w * k.TZ[t, i]
            for j in range(i + 1):
                k.H[i, j] += wi * k.TZ[t, j]
            k.g[i] -= wi * k.b[t]
    for i in range(r):
        k.H[i, i] += k.number[0]
        for j in range(i):
            k.H[j, i] = k.H[i, j]
    for p in range(forces // 3):
        for c in range(3):
            e = k.grip[p, WEIGHT] * (ACROSS if c < 2 else 1.0)
            i = r + 3 * p + c
            k.H[i, i] = e
            k.g[i] = -e * k.wish[p, c]
    n = r + forces
    k.H[n, n], k.g[n] = 1e-3, k.number[3]
    k.H[n + 1, n + 1], k.g[n + 1] = 1e-3, k.number[4]


@routine
def force_columns(k, r, nv, first, rows):
    """Minus (J_p^T f_p)_j for the coordinates `rows`, into A from row `first` on."""
    for c in range(k.contact.shape[0]):
        R, o = frame_pose(k.bodies, k.contact[c, 0], k.contact_frame[c])
        for p in range(k.contact[c, FIRST], k.contact[c, FIRST] + k.contact[c, POINTS]):
            arm = rotate(R, load(k.point, p, 0))
            for t in range(3):
                n = (k.contact_axes[c, t], k.contact_axes[c, 3 + t], k.contact_axes[c, 6 + t])
                m = cross(arm, n)
                column = r + 3 * p + t
                for i in range(rows.shape[0]):
                    j = rows[i]
                    J = k.jacobians
                    k.A[first + i, column] = -(
                        n[0] * J[6 * c, j] + n[1] * J[6 * c + 1, j] + n[2] * J[6 * c + 2, j]
                        + m[0] * J[6 * c + 3, j] + m[1] * J[6 * c + 4, j] + m[2] * J[6 * c + 5, j]
                    )  # fmt: skip


@helper
def stoppable(way, brake, horizon):
    """The speed that, kept for the horizon and then braked, ends at the limit; beyond the limit, one that leads back."""
    if way > 0.0:
        return brake * (math.sqrt(horizon * horizon + 2.0 * way / brake) - horizon)
    return way / (10.0 * horizon)


@routine
def motion_bounds(k, b):
    """Least and most acceleration of a coordinate with limits of position and speed (4)."""
    j, q = k.bounded[b], k.q[k.place[b, 0]]
    horizon, brake, v = k.number[5], k.number[6], k.v[j]
    most, least = k.bound[b, 2], -k.bound[b, 2]
    up, down = k.bound[b, 1] - q, q - k.bound[b, 0]
    if math.isfinite(up):
        most = min(most, stoppable(up, brake, horizon))
    if math.isfinite(down):
        least = max(least, -stoppable(down, brake, horizon))
    if most < least:
        most = least = 0.5 * (most + least)
    return (least - v) / horizon, (most - v) / horizon


@routine
def rows_of_program(k, rank, nv, forces):
    """Rows (2) to (5) with their bounds; returns how many there are."""
    r, mass_rows = nv - rank, k.free.shape[0]
    n, m = r + forces + SLACKS, 0
    for i in range(k.A.shape[0]):
        for j in range(n):
            k.A[i, j] = 0.0
    for i in range(mass_rows):  # (2)
        j = k.free[i]
        still = k.h[j]
        for c in range(nv):
            still += k.M[j, c] * k.a0[c]
        for c in range(r):
            k.A[i, c] = k.MZ[j, c]
        k.lower[i] = k.upper[i] = -still
    force_columns(k, r, nv, 0, k.free)
    m = mass_rows
    count = k.limited.shape[0]
    force_columns(k, r, nv, m, k.limited)
    for i in range(count):  # (3)
        j, low, high = k.limited[i], m + i, m + count + i
        still = k.h[j]
        for c in range(nv):
            still += k.M[j, c] * k.a0[c]
        for c in range(r):
            k.A[low, c] = k.MZ[j, c]
        for c in range(r + forces):
            k.A[high, c] = k.A[low, c]
        limit = k.torque[j]
        k.A[low, n - 2], k.A[high, n - 2] = limit, -limit
        k.lower[low], k.upper[low] = -limit - still, math.inf
        k.lower[high], k.upper[high] = -math.inf, limit - still
    m += 2 * count
    count = k.bounded.shape[0]
    for i in range(count):  # (4)
        j, low, high = k.bounded[i], m + i, m + count + i
        least, most = motion_bounds(k, i)
        for c in range(r):
            k.A[low, c] = k.A[high, c] = k.Q[rank + c, j]
        k.A[low, n - 1], k.A[high, n - 1] = 1.0, -1.0
        k.lower[low], k.upper[low] = least - k.a0[j], math.inf
        k.lower[high], k.upper[high] = -math.inf, most - k.a0[j]
    m += 2 * count
    sides = k.side.shape[0]
    for p in range(forces // 3):  # (5)
        column = r + 3 * p
        k.A[m, column + 2] = 1.0
        k.lower[m], k.upper[m] = k.grip[p, LEAST], k.grip[p, MOST]
        for s in range(sides):
            k.A[m + 1 + s, column], k.A[m + 1 + s, column + 1] = -k.side[s, 0], -k.side[s, 1]
            k.A[m + 1 + s, column + 2] = k.grip[p, MU]
            k.lower[m + 1 + s], k.upper[m + 1 + s] = 0.0, math.inf
        m += 1 + sides
    for s in range(SLACKS):
        k.A[m + s, n - 2 + s] = 1.0
        k.lower[m + s], k.upper[m + s] = 0.0, math.inf
    return m + SLACKS


@routine
def factored(k, r, n):
    """The inverse factor of H: a block of motions, then a diagonal."""
    for i in range(n):
        for j in range(n):
            k.JT[i, j] = 0.0
        if i >= r:
            k.JT[i, i] = 1.0 / math.sqrt(k.H[i, i])
    return inverse_factor(k.H, r, k.JT, k.vector[0])


@routine
def solved(k, rank, nv, forces, levels):
    """Solve level after level; returns the status. `state` has the working set of the last time, and of this one after it."""
    r = nv - rank
    n, m = r + forces + SLACKS, rows_of_program(k, rank, nv, forces)
    status, iterations = SOLVED, 0
    for level in range(levels):
        costs(k, level, r, forces)
        if not factored(k, r, n):
            return NOT_CONVEX
        if level > 0:
            for i in range(m):
                k.state[i] = k.held[i]
        limit = int(k.number[7])
        found = dual_active_set(
            k.JT, k.g, k.A, k.lower, k.upper, n, m, limit, k.state, k.x, k.multiplier, k.room, k.R, k.work, k.sides,
            k.count[3:5],
        )  # fmt: skip
        iterations += k.count[3]
        if found != SOLVED:
            status = found
            break
        if level + 1 < levels:
            for i in range(m):
                k.held[i] = k.state[i]
            for t in range(k.row.shape[0]):
                if k.row[t, LEVEL] != level:
                    continue
                s = 0.0
                for c in range(r):
                    k.A[m, c] = k.TZ[t, c]
                    s += k.TZ[t, c] * k.x[c]
                k.lower[m] = k.upper[m] = s
                k.state[m] = k.held[m] = 0
                m += 1
    k.count[0], k.count[1], k.count[2], k.count[3] = r, n, m, iterations
    k.proof[0], k.proof[1], k.proof[2] = optimality(k.H, k.g, k.A, k.lower, k.upper, n, m, k.x, k.multiplier, k.vector[0])
    return LIMIT if status == LIMIT else status


@routine
def outcome(k, rank, nv, forces):
    """Accelerations, torques, forces and what tasks miss, from x."""
    r = nv - rank
    for j in range(nv):
        s = k.a0[j]
        for c in range(r):
            s += k.Q[rank + c, j] * k.x[c]
        k.a[j] = s
    for i in range(forces):
        k.force[i] = k.x[r + i]
    for j in range(nv):
        s = k.h[j]
        for c in range(nv):
            s += k.M[j, c] * k.a[c]
        k.tau[j] = s
    for c in range(k.contact.shape[0]):
        R, o = frame_pose(k.bodies, k.contact[c, 0], k.contact_frame[c])
        for p in range(k.contact[c, FIRST], k.contact[c, FIRST] + k.contact[c, POINTS]):
            arm = rotate(R, load(k.point, p, 0))
            local = (k.force[3 * p], k.force[3 * p + 1], k.force[3 * p + 2])
            axes = k.contact_axes[c]
            f = rotate((axes[0], axes[1], axes[2], axes[3], axes[4], axes[5], axes[6], axes[7], axes[8]), local)
            m = cross(arm, f)
            for j in range(nv):
                s = 0.0
                for i in range(3):
                    s += k.jacobians[6 * c + i, j] * f[i] + k.jacobians[6 * c + 3 + i, j] * m[i]
                k.tau[j] -= s
    for t in range(k.row.shape[0]):
        s = -k.b[t]
        for c in range(r):
            s += k.TZ[t, c] * k.x[c]
        k.miss[t] = s
