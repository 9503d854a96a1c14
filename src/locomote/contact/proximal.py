"""Contacts of a step solved in the space of velocities: work grows with their number, and not with its square or cube.

Rows Y are those of `methods.timestep.attempt`, w = Y^T p is the change of velocity that impulses make (mass = 1), u = Y w + b.
W of `delassus` is Y Y^T, which many points of few bodies make large and singular; here nothing is larger than w. Loads of
redundant points are unique by a stiffness about loads lam, of kappa over the largest squared row of a contact, which rises
from round to round (proximal semismooth Newton on the law of Alart and Curnier):

    y = lam - rho u ;   p_n = max(0, y_n) ,  p_t = y_t, or mu p_n d , d = y_t / |y_t| , where that is less        (1)
    G = -dp/du :  open 0 ;  stick rho 1 ;  slide  G_nn = rho , G_tt = rho (mu p_n / |y_t|) (1 - d d^T) , G_tn = rho mu d    (2)
    F(w) = w - Y^T p ;   (1 + Y^T G Y) dw = -F                                                                     (3)
    p+ = p - G Y dw and u+ = u + Y dw are in balance exactly, whatever the law says: they end it if they meet it   (4)
    else dw is cut in halves until |F| falls ; a round ends with lam = p and kappa 30 times as large               (5)
    a round that fails goes back to lam, takes some sweeps of Gauss and Seidel, and kappa rises more slowly        (6)
    the first step of a later round starts from u = 0 of what carried and stuck in the one before                   (7)

A row with compliance s (ground that gives way) has rho / (1 + rho s) and lam / (1 + rho s) in (1). A stop is a normal row; an
ARM is held within +- arm p_n.

Tested by tests/laws/contact/test_many_contacts.py.
"""

from math import sqrt

from locomote.compiler.source import helper, routine, sum_helper
from locomote.contact.coulomb import heading_of, miss, point_impulse
from locomote.contact.delassus import ARM, FIRST, KIND, OWNER, POINT, STOP
from locomote.linear.lu import solve_dense

FIRST_KAPPA, GROWTH, SLOW_GROWTH = 100.0, 30.0, 3.0
ROUNDS, STEPS, HALVES, SWEEPS = 40, 15, 7, 10  # Newton steps in a round, halvings of a step, and sweeps of (6)
FULL = 1e6  # kappa from which on, where rounds fail, enough is enough


@sum_helper
def along(rows, r, x, nv):
    """Row r times x."""
    s = 0.0
    for k in range(nv):
        s += rows[r, k] * x[k]
    return s


@routine
def velocities(rows, b, w, u, m, nv):
    """u = Y w + b"""
    for r in range(m):
        u[r] = b[r] + along(rows, r, w, nv)


@routine
def push(rows, p, w, m, nv):
    """w = Y^T p"""
    for k in range(nv):
        w[k] = 0.0
    for r in range(m):
        if p[r] != 0.0:
            for k in range(nv):
                w[k] += p[r] * rows[r, k]


@helper
def rows_of(kind):
    return 3 if kind == POINT else 1


@routine
def scales(blocks, count, rows, soft, scale, nv):
    """The largest squared row of every block, 0 of what nothing moves; returns the largest of all."""
    most = 0.0
    for j in range(count):
        r = blocks[j, FIRST]
        scale[j] = 0.0
        for k in range(r, r + rows_of(blocks[j, KIND])):
            scale[j] = max(scale[j], along(rows, k, rows[k], nv))
        most = max(most, scale[j])
    return most


@routine
def law_at(blocks, count, mu, soft, scale, kappa, lam, u, y, p):
    """(1)"""
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        last = r + rows_of(kind) - 1
        rho = kappa / scale[j] if scale[j] > 0.0 else 0.0
        for k in range(r, last + 1):
            y[k] = (lam[k] - rho * u[k]) / (1.0 + rho * soft[k])
        if kind == ARM:
            bound = mu[j] * p[blocks[j, OWNER]]
            p[r] = min(bound, max(-bound, y[r]))
            continue
        p[last] = max(0.0, y[last]) if rho > 0.0 else 0.0
        if kind == POINT:
            size, radius = sqrt(y[r] * y[r] + y[r + 1] * y[r + 1]), mu[j] * p[last]
            part = radius / size if size > radius else 1.0
            p[r], p[r + 1] = part * y[r], part * y[r + 1]


@routine
def given_way(blocks, count, mu, soft, scale, kappa, y, p, du, result):
    """p - G du of (4)"""
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        last = r + rows_of(kind) - 1
        rho = kappa / scale[j] if scale[j] > 0.0 else 0.0
        if kind == ARM:
            owner = blocks[j, OWNER]
            bound = mu[j] * p[owner]
            if abs(y[r]) <= bound:
                result[r] = p[r] - rho / (1.0 + rho * soft[r]) * du[r]
            else:
                result[r] = (mu[j] if y[r] > 0.0 else -mu[j]) * result[owner]
            continue
        if not p[last] > 0.0:
            for k in range(r, last + 1):
                result[k] = 0.0
            continue
        change = -rho / (1.0 + rho * soft[last]) * du[last]
        result[last] = p[last] + change
        if kind == POINT:
            g = rho / (1.0 + rho * soft[r])
            size, radius = sqrt(y[r] * y[r] + y[r + 1] * y[r + 1]), mu[j] * p[last]
            if size <= radius:
                result[r], result[r + 1] = p[r] - g * du[r], p[r + 1] - g * du[r + 1]
            else:
                d0, d1 = y[r] / size, y[r + 1] / size
                across = g * radius / size * (d0 * du[r + 1] - d1 * du[r])
                result[r] = p[r] + d1 * across + mu[j] * d0 * change
                result[r + 1] = p[r + 1] - d0 * across + mu[j] * d1 * change


@routine
def add_product(A, g, a, b, nv):
    """A += g a b^T"""
    for i in range(nv):
        if a[i] != 0.0:
            f = g * a[i]
            for k in range(nv):
                A[i, k] += f * b[k]


@routine
def assemble(blocks, count, mu, soft, scale, kappa, rows, y, p, A, a, nv):
    """1 + Y^T G Y of (3); a : scratch"""
    for i in range(nv):
        for k in range(nv):
            A[i, k] = 0.0
        A[i, i] = 1.0
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        last = r + rows_of(kind) - 1
        rho = kappa / scale[j] if scale[j] > 0.0 else 0.0
        if kind == ARM:
            owner = blocks[j, OWNER]
            if abs(y[r]) <= mu[j] * p[owner]:
                add_product(A, rho / (1.0 + rho * soft[r]), rows[r], rows[r], nv)
            elif p[owner] > 0.0:
                stiff = (y_stiffness(blocks, count, scale, soft, kappa, j)) * (mu[j] if y[r] > 0.0 else -mu[j])
                add_product(A, stiff, rows[r], rows[owner], nv)
            continue
        if not p[last] > 0.0:
            continue
        stiff = rho / (1.0 + rho * soft[last])
        if kind == STOP:
            add_product(A, stiff, rows[last], rows[last], nv)
            continue
        g = rho / (1.0 + rho * soft[r])
        size, radius = sqrt(y[r] * y[r] + y[r + 1] * y[r + 1]), mu[j] * p[last]
        if size <= radius:
            add_product(A, stiff, rows[last], rows[last], nv)
            add_product(A, g, rows[r], rows[r], nv)
            add_product(A, g, rows[r + 1], rows[r + 1], nv)
            continue
        d0, d1 = y[r] / size, y[r + 1] / size
        for k in range(nv):
            a[k] = rows[last, k] + mu[j] * (d0 * rows[r, k] + d1 * rows[r + 1, k])
        add_product(A, stiff, a, rows[last], nv)
        if radius > 0.0:
            for k in range(nv):
                a[k] = d0 * rows[r + 1, k] - d1 * rows[r, k]
            add_product(A, g * radius / size, a, a, nv)


@helper
def y_stiffness(blocks, count, scale, soft, kappa, j):
    """Stiffness of the normal row that ARM j hangs on: its point is the block before it, or the one before that."""
    owner, i = blocks[j, OWNER], j
    while blocks[i, KIND] != POINT:
        i -= 1
    rho = kappa / scale[i] if scale[i] > 0.0 else 0.0
    return rho / (1.0 + rho * soft[owner])


@routine
def missed(blocks, count, mu, soft, scale, p, u):
    """The worst miss of all blocks, m/s; u : without what compliances add."""
    worst = 0.0
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        if not scale[j] > 0.0:
            continue
        if kind == POINT:
            v = (u[r] + soft[r] * p[r], u[r + 1] + soft[r + 1] * p[r + 1], u[r + 2] + soft[r + 2] * p[r + 2])
            most = max(scale[j] + soft[r + 2], scale[j] + soft[r])
            worst = max(worst, miss((p[r], p[r + 1], p[r + 2]), v, mu[j], 1.0 / most))
        else:
            most = scale[j] + soft[r]
            s = p[r] - (u[r] + soft[r] * p[r]) / most
            bound = mu[j] * p[blocks[j, OWNER]] if kind == ARM else 1e300
            worst = max(worst, abs(p[r] - min(bound, max(-bound if kind == ARM else 0.0, s))) * most)
    return worst


@routine
def sweep_rows(blocks, count, rows, soft, b, mu, p, w, nv):
    """Every block solved exactly once, after the other; w = Y^T p goes along. Returns the largest change, as a velocity."""
    change = 0.0
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        if kind == POINT:
            x, y, z = p[r], p[r + 1], p[r + 2]
            S = (
                along(rows, r, rows[r], nv) + soft[r], along(rows, r, rows[r + 1], nv), along(rows, r, rows[r + 2], nv),
                along(rows, r + 1, rows[r + 1], nv) + soft[r + 1], along(rows, r + 1, rows[r + 2], nv),
                along(rows, r + 2, rows[r + 2], nv) + soft[r + 2],
            )  # fmt: skip
            more = 1e-12 * (S[0] + S[3] + S[5])
            if not more > 0.0:
                continue
            own = (
                b[r] + along(rows, r, w, nv) + soft[r] * x - S[0] * x - S[1] * y - S[2] * z,
                b[r + 1] + along(rows, r + 1, w, nv) + soft[r + 1] * y - S[1] * x - S[3] * y - S[4] * z,
                b[r + 2] + along(rows, r + 2, w, nv) + soft[r + 2] * z - S[2] * x - S[4] * y - S[5] * z,
            )
            start = heading_of(-x, -y) if x * x + y * y > 0.0 else heading_of(own[0], own[1])
            S = (S[0] + more, S[1], S[2], S[3] + more, S[4], S[5] + more)
            p[r], p[r + 1], p[r + 2] = point_impulse(S, own, mu[j], start)
            dx, dy, dz = p[r] - x, p[r + 1] - y, p[r + 2] - z
            for k in range(nv):
                w[k] += dx * rows[r, k] + dy * rows[r + 1, k] + dz * rows[r + 2, k]
            change = max(change, max(S[0], max(S[3], S[5])) * max(abs(dx), max(abs(dy), abs(dz))))
            continue
        S0 = along(rows, r, rows[r], nv) + soft[r]
        if S0 > 0.0:
            s = p[r] - (b[r] + along(rows, r, w, nv) + soft[r] * p[r]) / S0
            if kind == STOP:
                s = max(0.0, s)
            else:
                bound = mu[j] * p[blocks[j, OWNER]]
                s = min(bound, max(-bound, s))
            dx = s - p[r]
            p[r] = s
            for k in range(nv):
                w[k] += dx * rows[r, k]
            change = max(change, S0 * abs(dx))
    return change


@routine
def square_of(rows, w, dw, t, p, F, m, nv):
    """|F|^2 at w + t dw, with F there."""
    push(rows, p, F, m, nv)
    total = 0.0
    for k in range(nv):
        F[k] = w[k] + t * dw[k] - F[k]
        total += F[k] * F[k]
    return total


@routine
def carried_on(blocks, count, mu, lam, u, result):
    """u of (7)"""
    for j in range(count):
        r, kind = blocks[j, FIRST], blocks[j, KIND]
        last = r + rows_of(kind) - 1
        for k in range(r, last + 1):
            result[k] = u[k]
        if kind == ARM:
            if abs(lam[r]) < mu[j] * lam[blocks[j, OWNER]]:
                result[r] = 0.0
        elif lam[last] > 0.0:
            result[last] = 0.0
            if kind == POINT and lam[r] ** 2 + lam[r + 1] ** 2 < (mu[j] * lam[last]) ** 2:
                result[r] = result[r + 1] = 0.0


@routine
def stick_more(blocks, count, mu, p, less, more):
    """Loads of points whose friction is at its bound, for friction that is `more` at most instead of `less`."""
    for j in range(count):
        r = blocks[j, FIRST]
        if blocks[j, KIND] == POINT and mu[j] > less:
            if p[r] * p[r] + p[r + 1] * p[r + 1] > (0.999 * less * p[r + 2]) ** 2:
                p[r + 2] *= less / min(mu[j], more)


@routine
def settle_velocities(blocks, count, rows, soft, b, mu, p, m, nv, room, vectors, A, stiffest, tolerance, enough):
    """Impulses p of all blocks, from a guess; returns what is left, m/s.

    stiffest : kappa, at most ; enough : what may be left where rounds fail
    room : (8, m), vectors : (4, nv), A : (nv, nv), scratch
    """
    scale, lam, u, du, y, now, least, guess = room[0], room[1], room[2], room[3], room[4], room[5], room[6], room[7]
    w, F, dw, a = vectors[0], vectors[1], vectors[2], vectors[3]
    most = scales(blocks, count, rows, soft, scale, nv)
    push(rows, p, w, m, nv)
    power, square = 0.0, 0.0
    for r in range(m):
        power -= p[r] * b[r]
        square += soft[r] * p[r] * p[r]
    for k in range(nv):
        square += w[k] * w[k]
    part = min(1.0, max(0.0, power / square)) if square > 0.0 else 0.0  # loads are a start, the impulse of a hit is none
    for r in range(m):
        lam[r], least[r] = part * p[r], 0.0
    for k in range(nv):
        w[k] *= part
    kappa, failed, left, later, best_kappa = FIRST_KAPPA, 1e300, 1e300, False, 0.0
    for _ in range(ROUNDS):
        velocities(rows, b, w, u, m, nv)
        law_at(blocks, count, mu, soft, scale, kappa, lam, u, y, now)
        before, solved, stuck = square_of(rows, w, w, 0.0, now, F, m, nv), False, 0
        for step in range(STEPS):
            if step == 0 and later:
                carried_on(blocks, count, mu, lam, u, guess)
                law_at(blocks, count, mu, soft, scale, kappa, lam, guess, y, now)
                for r in range(m):
                    du[r] = u[r] - guess[r]
            else:
                law_at(blocks, count, mu, soft, scale, kappa, lam, u, y, now)
                for r in range(m):
                    du[r] = 0.0
            given_way(blocks, count, mu, soft, scale, kappa, y, now, du, guess)
            square_of(rows, w, w, 0.0, guess, F, m, nv)
            assemble(blocks, count, mu, soft, scale, kappa, rows, y, now, A, a, nv)
            for k in range(nv):
                dw[k] = -F[k]
            if not solve_dense(A, nv, dw):
                break
            for r in range(m):
                change = along(rows, r, dw, nv)
                du[r] += change
                guess[r] = change
            given_way(blocks, count, mu, soft, scale, kappa, y, now, du, p)  # (4)
            for r in range(m):
                du[r] = guess[r]
                guess[r] = u[r] + du[r]
            off = missed(blocks, count, mu, soft, scale, p, guess)
            if off < left:
                left, best_kappa = off, kappa
                for r in range(m):
                    least[r] = p[r]
            if left <= tolerance:
                return left
            t, lowest, best, found = 1.0, 1e300, 1.0, False
            for _ in range(HALVES):  # (5)
                for r in range(m):
                    guess[r] = u[r] + t * du[r]
                law_at(blocks, count, mu, soft, scale, kappa, lam, guess, y, now)
                size = square_of(rows, w, dw, t, now, F, m, nv)
                if size < lowest:
                    lowest, best = size, t
                if size < (1.0 - 0.1 * t) * before:
                    found = True
                    break
                t *= 0.5
            if not lowest < 1e300:
                break
            if not found:
                stuck += 1
                if stuck == 2:
                    break
                t = best
            for k in range(nv):
                w[k] += t * dw[k]
            for r in range(m):
                u[r] += t * du[r]
            fell, before = lowest / before if before > 0.0 else 0.0, lowest
            reached = before * most
            if reached < 0.01 * tolerance * tolerance or (t == 1.0 and fell < 1e-4 and reached < 1e-14):
                solved = True
                break
        if solved:
            law_at(blocks, count, mu, soft, scale, kappa, lam, u, y, lam)
            rise = GROWTH * kappa if GROWTH * kappa < 0.3 * failed else max(0.3 * failed, SLOW_GROWTH * kappa)
            kappa, later = min(stiffest, rise), True
        else:  # (6)
            if left <= enough and best_kappa >= FULL:
                break
            push(rows, lam, w, m, nv)
            for _ in range(SWEEPS):
                if sweep_rows(blocks, count, rows, soft, b, mu, lam, w, nv) < 0.1 * tolerance:
                    break
            failed, kappa, later = kappa, max(1.0, 0.1 * kappa), False
    for r in range(m):
        p[r] = least[r]
    return left
