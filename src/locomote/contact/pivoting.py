"""Contacts of a step solved by changing one contact at a time: slow, for what `delassus` leaves.

Points of few rigid bodies carry load in many ways, and where they do not fit together by some nanometres the way that meets the
law may be far: loads go from one contact to another until one of them opens or slides. Gauss-Seidel takes a hundred thousand
sweeps for that, and Newton's method jumps beyond. Here each block has a state, kept until it is proved wrong:

    OPEN  p = 0        HELD  u = 0        SLIDING  p_t = mu p_n s / |s| , s = p_t - r u_t , u_n = 0  (ARM: p = +- arm p_n)

    solve the equations of all states, linearised at p, for a step dp                                            (1)
    go along dp until a push would pull or a held point would leave its cone: that one changes, and again (1)    (2)
    at the end of a whole step the worst of those changes that is open and sinks in, or slides with its friction (3)

This is the method of Baraff (1994), with directions of friction by Newton's method.
"""

from math import sqrt

from locomote.compiler.source import helper, routine
from locomote.contact.delassus import ARM, FIRST, KIND, OWNER, POINT, STOP, left_over, row_velocity
from locomote.linear.lu import solve_dense

OPEN, HELD, SLIDING = 0, 1, 2
TURNS, EACH = 60, 4  # most turns of (1), and further turns for each block


@helper
def scale_of(W, r, kind):
    """The largest diagonal entry of a block."""
    most = W[r, r]
    if kind == POINT:
        most = max(most, max(W[r + 1, r + 1], W[r + 2, r + 2]))
    return most if most > 0.0 else 1.0


@routine
def state_rows(blocks, count, modes, W, b, mu, p, A, x, m, soft):
    """(1) as A dp = x."""
    for j in range(count):
        r, kind, mode = blocks[j, FIRST], blocks[j, KIND], modes[j]
        rows = 3 if kind == POINT else 1
        last, most = r + rows - 1, scale_of(W, r, kind)
        for k in range(r, r + rows):
            for i in range(m):
                A[k, i] = 0.0
            if mode == OPEN:
                A[k, k] = most
                x[k] = -most * p[k]
        if mode == OPEN:
            continue
        if kind == ARM and mode == SLIDING:
            owner, sign = blocks[j, OWNER], 1.0 if p[r] > 0.0 else -1.0
            A[r, r] = most
            A[r, owner] -= most * sign * mu[j]
            x[r] = -most * (p[r] - sign * mu[j] * p[owner])
            continue
        first = last if mode == SLIDING else r
        for k in range(first, last + 1):
            for i in range(m):
                A[k, i] = W[k, i]
            A[k, k] += soft * most
            x[k] = -row_velocity(W, b, p, k, m)
        if mode != SLIDING or kind != POINT:
            continue
        rho, n = 1.0 / most, p[last]
        s0, s1 = p[r] - rho * row_velocity(W, b, p, r, m), p[r + 1] - rho * row_velocity(W, b, p, r + 1, m)
        size, radius = sqrt(s0 * s0 + s1 * s1), mu[j] * n
        if not size > 0.0:
            A[r, r] = A[r + 1, r + 1] = most
            x[r], x[r + 1] = -most * p[r], -most * p[r + 1]
            continue
        d0, d1, part = s0 / size, s1 / size, min(1.0, radius / size)
        x[r], x[r + 1] = -most * (p[r] - radius * d0), -most * (p[r + 1] - radius * d1)
        for i in range(m):
            e0 = (1.0 if i == r else 0.0) - rho * W[r, i]
            e1 = (1.0 if i == r + 1 else 0.0) - rho * W[r + 1, i]
            along, dr = d0 * e0 + d1 * e1, mu[j] if i == last else 0.0
            A[r, i] = most * ((1.0 if i == r else 0.0) - dr * d0 - part * (e0 - along * d0))
            A[r + 1, i] = most * ((1.0 if i == r + 1 else 0.0) - dr * d1 - part * (e1 - along * d1))
    for j in range(count):
        if modes[j] == OPEN:  # p is zero there and stays zero
            r = blocks[j, FIRST]
            for k in range(r, r + (3 if blocks[j, KIND] == POINT else 1)):
                for i in range(m):
                    if i != k:
                        A[i, k] = 0.0


@helper
def leaves_cone(x, y, n, dx, dy, dn, mu):
    """The first t in (0, 1] from which on (x, y, n) + t (dx, dy, dn) is beyond the cone; 2 if it stays."""
    a = dx * dx + dy * dy - mu * mu * dn * dn
    b = x * dx + y * dy - mu * mu * n * dn
    c = min(0.0, x * x + y * y - mu * mu * n * n)
    if c + 2.0 * b + a <= 0.0 and n + dn >= 0.0:
        return 2.0
    root = sqrt(max(0.0, b * b - a * c))
    if b + root > 0.0:
        return max(0.0, -c / (b + root))
    return 2.0


@routine
def first_change(blocks, count, modes, mu, p, dp):
    """(2): how far it goes, and which block changes then."""
    best, which = 1.0, -1
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        t = 2.0
        if modes[j] != OPEN and kind != ARM:
            n = r + 2 if kind == POINT else r
            if p[n] + dp[n] < 0.0:
                t = max(0.0, p[n] / (-dp[n])) if dp[n] < 0.0 else 2.0
        if modes[j] == HELD and kind == POINT:
            t = min(t, leaves_cone(p[r], p[r + 1], p[r + 2], dp[r], dp[r + 1], dp[r + 2], mu[j]))
        if modes[j] == HELD and kind == ARM:
            n = blocks[j, OWNER]
            for sign in (-1.0, 1.0):
                room, rise = mu[j] * p[n] - sign * p[r], sign * dp[r] - mu[j] * dp[n]
                if rise > room and rise > 0.0:
                    t = min(t, max(0.0, room / rise))
        if t < best:
            best, which = t, j
    return best, which


@routine
def change(blocks, modes, p, j):
    """Block j has come to the edge of what its state allows."""
    r, kind = blocks[j, FIRST], blocks[j, KIND]
    n = r + 2 if kind == POINT else r
    if kind == ARM:
        modes[j] = SLIDING
    elif modes[j] == SLIDING or kind == STOP or not p[n] > 1e-14 * (1e-12 + abs(p[r]) + abs(p[n])):
        modes[j] = OPEN
        for k in range(r, n + 1):
            p[k] = 0.0
    else:
        modes[j] = SLIDING


@routine
def worst_state(blocks, count, modes, W, b, mu, p, m, tolerance):
    """(3): change the worst block; False if none is wrong."""
    worst, which, to = tolerance, -1, HELD
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        n = r + 2 if kind == POINT else r
        if modes[j] == OPEN:
            bad, way = -row_velocity(W, b, p, n, m), HELD
            if kind == POINT:
                x, y = row_velocity(W, b, p, r, m), row_velocity(W, b, p, r + 1, m)
                if x * x + y * y > 1e-14 and mu[j] > 0.0:
                    way = SLIDING
        elif modes[j] == SLIDING and kind == POINT:
            x, y = row_velocity(W, b, p, r, m), row_velocity(W, b, p, r + 1, m)
            size = sqrt(p[r] * p[r] + p[r + 1] * p[r + 1])
            bad, way = ((x * p[r] + y * p[r + 1]) / size if size > 0.0 else 0.0), HELD
        elif modes[j] == SLIDING:
            bad, way = row_velocity(W, b, p, r, m) * (1.0 if p[r] > 0.0 else -1.0), HELD
        else:
            bad, way = 0.0, HELD
        if bad > worst:
            worst, which, to = bad, j, way
    if which >= 0:
        modes[which] = to
    return which >= 0


@routine
def first_states(blocks, count, modes, W, b, mu, p, m):
    """States that p and its velocities speak for; p is brought into its cones."""
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        n, rho = (r + 2 if kind == POINT else r), 1.0 / scale_of(W, r, kind)
        modes[j] = HELD
        if kind == ARM:
            bound = mu[j] * max(0.0, p[blocks[j, OWNER]])
            modes[j] = SLIDING if abs(p[r] - rho * row_velocity(W, b, p, r, m)) > bound else HELD
            p[r] = min(bound, max(-bound, p[r]))
            continue
        if not p[n] > 0.0:
            modes[j] = OPEN
            for k in range(r, n + 1):
                p[k] = 0.0
        elif kind == POINT:
            size, most = sqrt(p[r] * p[r] + p[r + 1] * p[r + 1]), mu[j] * p[n]
            x, y = p[r] - rho * row_velocity(W, b, p, r, m), p[r + 1] - rho * row_velocity(W, b, p, r + 1, m)
            if x * x + y * y > most * most:
                modes[j] = SLIDING
            if size > most:
                p[r], p[r + 1] = p[r] * most / size, p[r + 1] * most / size


@routine
def pivot(blocks, count, W, b, mu, p, m, A, x, modes, tolerance, soft):
    """Impulses p of all blocks, from a guess; returns what is left, m/s."""
    first_states(blocks, count, modes, W, b, mu, p, m)
    left, turns = 1e300, TURNS + EACH * count
    for _ in range(turns):
        state_rows(blocks, count, modes, W, b, mu, p, A, x, m, soft)
        if not solve_dense(A, m, x):
            return left_over(blocks, count, W, b, mu, p, m)
        t, which = first_change(blocks, count, modes, mu, p, x)
        for k in range(m):
            p[k] += t * x[k]
        if which >= 0:
            change(blocks, modes, p, which)
            continue
        left = left_over(blocks, count, W, b, mu, p, m)
        if left <= tolerance:
            return left
        worst_state(blocks, count, modes, W, b, mu, p, m, 0.1 * tolerance)
    return left
