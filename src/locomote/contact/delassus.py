"""All contacts of a step at once: impulses p and velocities u = W p + b that meet the contact law of every block.

    POINT   three rows (t1, t2, n)      Coulomb's law (`coulomb`)
    STOP    one row                     0 <= p  orth  u >= 0
    ARM     one row                     |p| <= arm p_n of a point, u = 0 unless the bound is reached: spinning and rolling

Block Gauss-Seidel solves one block after the other, each exactly (1). W is the Delassus matrix. Where its coupling is too
strong for that, semismooth Newton on all rows (Alart and Curnier 1991), n = p_n - r u_n, s = p_t - r u_t:

    open   n <= 0 : p = 0      normal u_n = 0      stick |s| <= mu n : u_t = 0      slide : p_t = mu n s / |s|       (2)

W may be singular: several points of one rigid foot share a load in many ways. Part of its diagonal is added to it in (2).
`settle` gives the size of what is left, as a velocity: `coulomb.miss` of the worst block. What it leaves is for `softening`.

Tested by tests/laws/methods/timestep/test_contact_sweep.py, tests/laws/contact and tests/published/contact.
"""

from math import sqrt

from locomote.compiler.source import helper, routine, sum_helper
from locomote.contact.coulomb import miss, point_impulse
from locomote.linear.lu import solve_dense

POINT, STOP, ARM = range(3)
KIND, FIRST, OWNER = range(3)  # columns of `blocks`; OWNER : row of the normal impulse that an ARM hangs on
SHORT, LONG, NEWTON, ROUNDS = 6, 10, 12, 6  # sweeps before Newton and after it failed, steps of Newton, rounds
UPHILL = 100.0  # by which factor a Newton step may increase the residual
SOFT = (1e-4, 1e-9, 1e-3, 1e-6)  # shares of its diagonal added to W, tried in turn in (2)


@sum_helper
def row_velocity(W, b, p, r, m):
    """u of row r."""
    u = 0.0
    for k in range(m):
        u += W[r, k] * p[k]
    return b[r] + u


@helper
def block_of(W, r):
    """W of three rows from r on, its symmetric part, kept from being singular."""
    add = 1e-12 * (W[r, r] + W[r + 1, r + 1] + W[r + 2, r + 2])
    x, y, z = W[r, r + 1] + W[r + 1, r], W[r, r + 2] + W[r + 2, r], W[r + 1, r + 2] + W[r + 2, r + 1]
    return W[r, r] + add, 0.5 * x, 0.5 * y, W[r + 1, r + 1] + add, 0.5 * z, W[r + 2, r + 2] + add


@routine
def left_over(blocks, count, W, b, mu, p, m):
    """The worst miss of all blocks, m/s."""
    worst = 0.0
    for j in range(count):
        r = blocks[j, FIRST]
        if blocks[j, KIND] == POINT:
            u = (row_velocity(W, b, p, r, m), row_velocity(W, b, p, r + 1, m), row_velocity(W, b, p, r + 2, m))
            most = max(W[r, r], max(W[r + 1, r + 1], W[r + 2, r + 2]))
            if most > 0.0:
                worst = max(worst, miss((p[r], p[r + 1], p[r + 2]), u, mu[j], 1.0 / most))
        elif W[r, r] > 0.0:
            s = p[r] - row_velocity(W, b, p, r, m) / W[r, r]
            bound = mu[j] * p[blocks[j, OWNER]] if blocks[j, KIND] == ARM else 1e300
            worst = max(worst, abs(p[r] - min(bound, max(-bound if blocks[j, KIND] == ARM else 0.0, s))) * W[r, r])
    return worst


@routine
def into_cones(blocks, count, mu, p):
    """Impulses that meet the contact law to a tolerance, projected to where nothing pulls and friction is in its cone."""
    for j in range(count):
        r = blocks[j, FIRST]
        if blocks[j, KIND] == POINT:
            if not p[r + 2] > 0.0:
                p[r] = p[r + 1] = p[r + 2] = 0.0
            size, most = sqrt(p[r] * p[r] + p[r + 1] * p[r + 1]), mu[j] * p[r + 2]
            if size > most:
                p[r], p[r + 1] = p[r] * most / size, p[r + 1] * most / size
        elif blocks[j, KIND] == STOP:
            p[r] = max(0.0, p[r])


@routine
def sweep(blocks, count, W, b, mu, p, m):
    """(1) once for every block; returns the largest change, as a velocity."""
    change = 0.0
    for j in range(count):
        r = blocks[j, FIRST]
        if blocks[j, KIND] == POINT:
            S = block_of(W, r)
            u = (row_velocity(W, b, p, r, m), row_velocity(W, b, p, r + 1, m), row_velocity(W, b, p, r + 2, m))
            x, y, z = p[r], p[r + 1], p[r + 2]
            own = (
                u[0] - S[0] * x - S[1] * y - S[2] * z, u[1] - S[1] * x - S[3] * y - S[4] * z,
                u[2] - S[2] * x - S[4] * y - S[5] * z,
            )  # fmt: skip
            p[r], p[r + 1], p[r + 2] = point_impulse(S, own, mu[j], x, y)
            most = max(S[0], max(S[3], S[5]))
            change = max(change, most * max(abs(p[r] - x), max(abs(p[r + 1] - y), abs(p[r + 2] - z))))
        elif W[r, r] > 0.0:
            s = p[r] - row_velocity(W, b, p, r, m) / W[r, r]
            if blocks[j, KIND] == STOP:
                s = max(0.0, s)
            else:
                bound = mu[j] * p[blocks[j, OWNER]]
                s = min(bound, max(-bound, s))
            change = max(change, W[r, r] * abs(p[r] - s))
            p[r] = s
    return change


@routine
def newton_rows(blocks, count, W, b, mu, p, A, x, m, soft):
    """The linear system of (2) at p: A dp = x."""
    for r in range(m):
        for k in range(m):
            A[r, k] = 0.0
    for j in range(count):
        r = blocks[j, FIRST]
        kind, rows = blocks[j, KIND], 3 if blocks[j, KIND] == POINT else 1
        last = r + rows - 1
        most = W[last, last] if W[last, last] > 0.0 else 1.0
        if kind == POINT:
            most = max(W[r, r], max(W[r + 1, r + 1], most))
        rho, u = 1.0 / most, row_velocity(W, b, p, last, m)
        n, bound = p[last] - rho * u, 0.0
        if kind == ARM:
            bound = mu[j] * p[blocks[j, OWNER]]
        if (kind != ARM and n <= 0.0) or (kind == ARM and abs(n) > bound):
            for k in range(r, r + rows):
                A[k, k] = most
                x[k] = -most * p[k]
            if kind == ARM:
                sign = 1.0 if n > 0.0 else -1.0
                A[r, blocks[j, OWNER]] -= most * sign * mu[j]
                x[r] = -most * (p[r] - sign * bound)
            continue
        for k in range(m):
            A[last, k] = W[last, k]
        A[last, last] += soft * most
        x[last] = -u
        if kind != POINT:
            continue
        u0, u1 = row_velocity(W, b, p, r, m), row_velocity(W, b, p, r + 1, m)
        s0, s1 = p[r] - rho * u0, p[r + 1] - rho * u1
        size, radius = sqrt(s0 * s0 + s1 * s1), mu[j] * n
        if size <= radius:
            for k in range(m):
                A[r, k], A[r + 1, k] = W[r, k], W[r + 1, k]
            A[r, r] += soft * most
            A[r + 1, r + 1] += soft * most
            x[r], x[r + 1] = -u0, -u1
            continue
        d0, d1, part = s0 / size, s1 / size, radius / size
        x[r], x[r + 1] = -most * (p[r] - radius * d0), -most * (p[r + 1] - radius * d1)
        for k in range(m):
            e0 = (1.0 if k == r else 0.0) - rho * W[r, k]
            e1 = (1.0 if k == r + 1 else 0.0) - rho * W[r + 1, k]
            dr = mu[j] * ((1.0 if k == last else 0.0) - rho * W[last, k])
            along = d0 * e0 + d1 * e1
            A[r, k] = most * ((1.0 if k == r else 0.0) - dr * d0 - part * (e0 - along * d0))
            A[r + 1, k] = most * ((1.0 if k == r + 1 else 0.0) - dr * d1 - part * (e1 - along * d1))


@routine
def newton(blocks, count, W, b, mu, p, m, A, x, kept, left, soft, tolerance):
    """(2) repeated while it converges, from p with the residual `left`, also uphill where no step length reduces the residual;
    returns the residual."""
    for _ in range(NEWTON):
        newton_rows(blocks, count, W, b, mu, p, A, x, m, soft)
        if not solve_dense(A, m, x):
            break
        for k in range(m):
            kept[k] = p[k]
        part, better = 1.0, False
        for _ in range(5):
            for k in range(m):
                p[k] = kept[k] + part * x[k]
            now = left_over(blocks, count, W, b, mu, p, m)
            if now < UPHILL * left:
                left, better = now, True
                break
            part *= 0.4
        if not better:
            for k in range(m):
                p[k] = kept[k]
            break
        if left <= tolerance:
            break
    return left


@routine
def settle(blocks, count, W, b, mu, p, m, A, x, kept, tolerance):
    """Impulses p of all blocks, from a guess; returns what is left, m/s."""
    for _ in range(SHORT):
        if sweep(blocks, count, W, b, mu, p, m) < 0.1 * tolerance:
            break
    left = left_over(blocks, count, W, b, mu, p, m)
    if left <= tolerance:
        return left
    for turn in range(ROUNDS):
        left = newton(blocks, count, W, b, mu, p, m, A, x, kept, left, SOFT[turn % 4], tolerance)
        if left <= tolerance:
            return left
        for _ in range(LONG):
            if sweep(blocks, count, W, b, mu, p, m) < 0.1 * tolerance:
                break
        left = left_over(blocks, count, W, b, mu, p, m)
        if left <= tolerance:
            return left
    return left
