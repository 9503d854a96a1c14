"""Contacts of a step by Newton's method on loads and velocities that are always in balance, from what the step before had.

w = Y^T p and u = Y w + b hold after every step. How a block is comes from its load and its velocity alike, y = p - u / W of the
block (Alart and Curnier 1991), and not from a stiff velocity as in `proximal`, so that loads of the step before say which of
many points carry:

    open   y_n <= 0 :  p+ = 0           else  p+_n = p_n - rho u+_n
    stick  |y_t| <= mu y_n :  p+_t = p_t - rho u+_t
    slide  p+_t = mu p+_n d - a/(1 - a) W^-1 (1 - d d^T) u+_t ,  d = y_t / |y_t| ,  a = mu y_n / |y_t|              (1)
    (1 + Y^T G Y) w+ = Y^T p+ at u+ = b                                                                              (2)

with rho = kappa / W: kappa makes loads of redundant points unique, and rises while steps come nearer. A step is cut where it
would leave much more of the law than before. Between rounds of such steps sweeps of Gauss and Seidel pass loads on, from
wherever a round ended: where it went astray, that is another start.
"""

from math import sqrt

from locomote.compiler.source import routine
from locomote.contact import alart_curnier as law
from locomote.contact import proximal as at
from locomote.contact.delassus import ARM, FIRST, KIND, OWNER, POINT
from locomote.contact.proximal import clear_tangent, solve_tangent

FIRST_KAPPA, KAPPA, LESS, MOST_KAPPA, GROWTH = 3e3, 3e2, 0.1, 1e8, 30.0  # of the first round, of others in turn; how it rises
CALM, CALM_KAPPA, CALM_STEPS = 1e-2, 1e6, 2  # m/s left by loads of the step before; a round without sweeps if it is less
NEAR_STEPS = 4  # of one tree of bodies
CALMER = 0.03  # of the tolerance, to which that round goes: what rests has loads as exact as steps are cheap
FIRST_SWEEPS, SWEEPS = 3, 10  # before the first round, and before others
FIRST_STEPS, STEPS, ROUNDS, CUTS = 8, 10, 5, 4
UPHILL, FREELY = 10.0, 1e-3  # how much more a step may leave, and m/s that it may leave anyway


@routine
def ways(c, scale, stiff, give, p, u, now, way):
    """How each block is, and p+ of (1) at u+ = 0."""
    for j in range(c.count):
        r, kind = c.blocks[j, FIRST], c.blocks[j, KIND]
        last = r + law.rows_of(kind) - 1
        way[j, 0] = law.OPEN
        for k in range(r, last + 1):
            now[k] = 0.0
        if not scale[j] > 0.0:
            continue
        most = scale[j] + max(c.soft[last], c.soft[r])
        y = p[last] - (u[last] + c.soft[last] * p[last]) / most
        if kind == ARM:
            bound = c.mu[j] * p[c.blocks[j, OWNER]]
            now[r], way[j, 0] = give[r] * p[r], law.STICK
            if abs(y) > bound:
                way[j, 0], way[j, 1] = 0.0, 1.0 if y > 0.0 else -1.0
            continue
        if not y > 0.0:
            continue
        now[last], way[j, 0] = give[last] * p[last], law.STICK
        if kind != POINT:
            continue
        a = p[r] - (u[r] + c.soft[r] * p[r]) / most
        b = p[r + 1] - (u[r + 1] + c.soft[r + 1] * p[r + 1]) / most
        size, radius = sqrt(a * a + b * b), c.mu[j] * y
        if size <= radius:
            now[r], now[r + 1] = give[r] * p[r], give[r + 1] * p[r + 1]
            continue
        way[j, 1], way[j, 2] = a / size, b / size
        way[j, 0] = min(1.0, radius / ((size - radius) * most * stiff[r]))
        now[r], now[r + 1] = c.mu[j] * way[j, 1] * now[last], c.mu[j] * way[j, 2] * now[last]


@routine
def balanced_step(c, room, p, left):
    """A step of (1) and (2) from p and the velocities U of a room, which it replaces; returns what is left, m/s, or 1e300 if it
    leads nowhere."""
    rows, rhs, dw = room.rows, room.vectors[at.F], room.vectors[at.DW]
    ways(c, rows[at.SCALE], rows[at.STIFF], rows[at.GIVE], p, rows[at.U], rows[at.NOW], room.way)
    law.given_way(c, rows[at.STIFF], room.way, rows[at.NOW], c.b, rows[at.GUESS])
    law.push(c, rows[at.GUESS], rhs)
    clear_tangent(c, room.A)
    for k in range(c.nv):
        room.A[k, k], dw[k] = 1.0, rhs[k]
    law.tangent(c, rows[at.STIFF], room.way, rows[at.NOW], room.A, room.vectors[at.Z :])
    if not solve_tangent(c, room.A, dw):
        return 1e300
    law.change_of(c, dw, rows[at.DU])  # u+ - b
    for r in range(c.m):
        rows[at.DU][r] += c.b[r]
    law.given_way(c, rows[at.STIFF], room.way, rows[at.NOW], rows[at.DU], rows[at.GUESS])
    part, most = 1.0, max(UPHILL * left, FREELY)
    for _ in range(CUTS):
        for r in range(c.m):
            rows[at.LAM][r] = p[r] + part * (rows[at.GUESS][r] - p[r])
            rows[at.NOW][r] = rows[at.U][r] + part * (rows[at.DU][r] - rows[at.U][r])
        off = law.missed(c, rows[at.SCALE], rows[at.LAM], rows[at.NOW], most)
        if off <= most:
            for r in range(c.m):
                p[r], rows[at.U][r] = rows[at.LAM][r], rows[at.NOW][r]
            return off
        part *= 0.4
    return 1e300


@routine
def balanced_round(c, room, p, left, kappa, steps, tolerance):
    """Steps from p and the velocities U of a room; returns what is left, m/s. kappa rises where they come nearer."""
    for _ in range(steps):
        room.best[at.TAKEN] += 1.0
        law.stiffen(c, room.rows[at.SCALE], kappa, room.rows[at.STIFF], room.rows[at.GIVE])
        now = balanced_step(c, room, p, left)
        if not now < 1e300:
            break
        if now < 0.1 * left or 0.3 * left < now < left:
            kappa = min(MOST_KAPPA, GROWTH * kappa)
        left = now
        if left <= tolerance:
            break
    return left


@routine
def stay_balanced(c, room, p, tolerance):
    """A few steps from impulses p that nearly hold what they carry: of the step before, or of a bias that was nearly right.
    Returns what is left, m/s, or more if they do not. After `own_blocks`."""
    left = looked_at(c, room, p)
    if tolerance < left < CALM:
        left = balanced_round(c, room, p, left, CALM_KAPPA, NEAR_STEPS, tolerance)
    return left


@routine
def settle_balanced(c, room, p, tolerance):
    """Impulses p from those of the step before; returns what is left, m/s. After `own_blocks`."""
    left, kappa = looked_at(c, room, p), CALM_KAPPA
    if left <= CALMER * tolerance:
        return left
    if left < CALM:
        left = balanced_round(c, room, p, left, kappa, CALM_STEPS, CALMER * tolerance)
        if left <= tolerance:
            return left
    for turn in range(ROUNDS):
        law.push(c, p, room.vectors[at.W])
        for _ in range(FIRST_SWEEPS if turn == 0 else SWEEPS):
            if law.sweep_rows(c, room.own, p, room.vectors[at.W]) < 0.1 * tolerance:
                break
        left = looked_at(c, room, p)
        if left <= tolerance:
            break
        kappa = FIRST_KAPPA if turn == 0 else (KAPPA if turn % 2 == 1 else LESS * KAPPA)
        left = balanced_round(c, room, p, left, kappa, FIRST_STEPS if turn == 0 else STEPS, tolerance)
        if left <= tolerance:
            break
    return left


@routine
def looked_at(c, room, p):
    """What loads p leave, m/s; their velocities into U of the room."""
    law.push(c, p, room.vectors[at.W])
    law.velocities(c, room.vectors[at.W], room.rows[at.U])
    return law.missed(c, room.rows[at.SCALE], p, room.rows[at.U], 1e300)
