"""A strictly convex quadratic program by a dual active set (Goldfarb and Idnani 1983), dense, warm started.

    min 1/2 x.H x + g.x    with    lower <= A x <= upper                                                    (1)

n_j is a row of A in the working set, with the sign of the bound that it is held at, N = (n_1 .. n_q), u its multipliers. J with
J^T H J = 1 is kept such that its first columns carry N:

    J^T N = (R; 0) ,   R upper triangular                                                                   (2)

With y = J^-1 x and c = J^T g, the minimum on the working set is

    R^T y_1 = b ,   y_2 = -c_2 ,   R u = y_1 + c_1                                                          (3)

A violated row with normal n has d = J^T n. Going along z = J_2 d_2 changes multipliers by -t r, R r = d_1, and its own by t:

    t_2 = violation / d_2.d_2 ,   t_1 = min u_j / r_j over inequalities with r_j > 0                        (4)

If neither is finite no x meets the rows: (1, -r) on (n, N) is a certificate after Farkas, multiples of rows whose sum is zero
while that of their bounds is positive. Rows of J^T are contiguous: Householder reflections and Givens turns run along them.
"""

import math

from locomote.engine.source import helper, routine

SOLVED, INFEASIBLE, LIMIT, NOT_CONVEX = 0, 1, 2, 3
TIGHT = 1e-11  # violations, over the length of a row and the size of its bound, that count as none
DEPENDENT = 1e-11  # length of d_2 over that of d below which a row depends on the working set


@routine
def inverse_factor(H, n, JT, row):
    """Fill the first n rows of JT with the inverse of the lower factor of H = L L^T; False if H is not positive definite.

    row : (n,) scratch
    """
    for i in range(n):
        for j in range(i + 1):
            s = H[i, j]
            for k in range(j):
                s -= JT[i, k] * JT[j, k]
            if i > j:
                JT[i, j] = s / JT[j, j]
            elif s > 1e-14 * abs(H[i, i]):
                JT[i, i] = math.sqrt(s)
            else:
                return False
    for i in range(n):  # row i of the inverse: (e_i - sum of L_ik times row k) / L_ii
        for k in range(i):
            row[k] = JT[i, k]
        share = 1.0 / JT[i, i]
        for j in range(n):
            JT[i, j] = 0.0
        for k in range(i):
            w = -share * row[k]
            for j in range(k + 1):
                JT[i, j] += w * JT[k, j]
        JT[i, i] = share
    return True


@helper
def _row_dot(table, i, x, n):
    s = 0.0
    for j in range(n):
        s += table[i, j] * x[j]
    return s


@routine
def carried(JT, A, p, sign, n, d):
    """d = J^T n of row p, of which only the stretch that is not zero is looked at."""
    first, last = 0, n
    while last > 0 and A[p, last - 1] == 0.0:
        last -= 1
    while first < last and A[p, first] == 0.0:
        first += 1
    for i in range(n):
        s = 0.0
        for j in range(first, last):
            s += JT[i, j] * A[p, j]
        d[i] = sign * s


@routine
def tail(d, q, n):
    """d_2 . d_2"""
    s = 0.0
    for i in range(q, n):
        s += d[i] * d[i]
    return s


@routine
def add_row(JT, R, d, q, n, row):
    """Take a row with the given d, not dependent, into the working set at place q; `row` is scratch (n,)."""
    length = math.sqrt(tail(d, q, n))
    head = d[q]
    edge = -length if head > 0.0 else length
    for i in range(q):
        R[i, q] = d[i]
    R[q, q] = edge
    d[q] = head - edge  # the Householder vector, in place
    norm = d[q] * d[q] + (length * length - head * head)
    if norm > 0.0 and q + 1 < n:
        for j in range(n):
            row[j] = 0.0
        for i in range(q, n):
            w = d[i]
            for j in range(n):
                row[j] += w * JT[i, j]
        for i in range(q, n):
            w = 2.0 * d[i] / norm
            for j in range(n):
                JT[i, j] -= w * row[j]
    elif norm > 0.0:
        for j in range(n):
            JT[q, j] = -JT[q, j]


@routine
def drop_row(JT, R, k, q, n):
    """Take row k of q out of the working set; R becomes triangular again by Givens turns."""
    for i in range(q):
        for j in range(max(k, i - 1), q - 1):
            R[i, j] = R[i, j + 1]
    for i in range(k, q - 1):
        a, b = R[i, i], R[i + 1, i]
        h = math.hypot(a, b)
        if h == 0.0:
            continue
        c, s = a / h, b / h
        R[i, i], R[i + 1, i] = h, 0.0
        for j in range(i + 1, q - 1):
            a, b = R[i, j], R[i + 1, j]
            R[i, j], R[i + 1, j] = c * a + s * b, c * b - s * a
        for j in range(n):
            a, b = JT[i, j], JT[i + 1, j]
            JT[i, j], JT[i + 1, j] = c * a + s * b, c * b - s * a


@routine
def minimum(JT, R, g, bound, q, n, c, y, u, x):
    """x and u of the minimum on the working set, whose bounds (with signs) are given."""
    for i in range(n):
        c[i] = _row_dot(JT, i, g, n)
    for i in range(q):
        s = bound[i]
        for k in range(i):
            s -= R[k, i] * y[k]
        y[i] = s / R[i, i]
    for i in range(q, n):
        y[i] = -c[i]
    for i in range(q - 1, -1, -1):
        s = y[i] + c[i]
        for k in range(i + 1, q):
            s -= R[i, k] * u[k]
        u[i] = s / R[i, i]
    for j in range(n):
        x[j] = 0.0
    for i in range(n):
        w = y[i]
        for j in range(n):
            x[j] += w * JT[i, j]


@routine
def take_out(JT, R, k, q, n, work, side, bound, u, state):
    """Drop place k of all that is kept about the working set."""
    drop_row(JT, R, k, q, n)
    state[work[k]] = 0
    for i in range(k, q - 1):
        work[i], side[i], bound[i], u[i] = work[i + 1], side[i + 1], bound[i + 1], u[i + 1]


@routine
def dual_active_set(JT, g, A, lower, upper, n, m, limit, state, x, multiplier, room, R, work, side, counts):
    """Solve (1); returns SOLVED, INFEASIBLE (then `multiplier` is the certificate) or LIMIT.

    JT : (n, n) rows of the inverse factor of H, see `inverse_factor`; is changed ; g : (n,) ; A : (m, n)
    state : (m,) in: rows to begin with, 1 at their lower, -1 at their upper bound, 0 else; out: the working set
    x : (n,) ; multiplier : (m,) of rows, positive at lower bounds, negative at upper ones
    room : (9, m + n) scratch ; R : (n, n) scratch ; work, side : (n + 1,) whole numbers ; counts : (2,) iterations, working set
    """
    d, c, y, u, bound, row, length = room[0], room[1], room[2], room[3], room[4], room[5], room[6]
    begin, end = room[7], room[8]  # stretches of rows that are not zero
    q, fixed, iterations = 0, 0, 0
    for i in range(m):
        s, first, last = 0.0, 0, n
        while last > 0 and A[i, last - 1] == 0.0:
            last -= 1
        while first < last and A[i, first] == 0.0:
            first += 1
        for j in range(first, last):
            s += A[i, j] * A[i, j]
        length[i], begin[i], end[i] = math.sqrt(s), first, last
        multiplier[i] = 0.0
    for turn in range(2):  # equalities, then what was held last time
        for i in range(m):
            equal = lower[i] == upper[i]
            if equal != (turn == 0) or (not equal and state[i] == 0):
                continue
            sign = 1.0 if equal or state[i] > 0 else -1.0
            value = lower[i] if sign > 0.0 else upper[i]
            if not equal:
                state[i] = 0
                if not math.isfinite(value) or q >= n:
                    continue
            else:
                state[i] = 0
            if q < n:
                carried(JT, A, i, sign, n, d)
                rest = tail(d, q, n)
                if rest > (DEPENDENT * DEPENDENT) * (rest + tail(d, 0, q)) and rest > 0.0:
                    add_row(JT, R, d, q, n, row)
                    work[q], side[q], bound[q] = i, 1 if sign > 0.0 else -1, sign * value
                    state[i] = side[q]
                    q += 1
        if turn == 0:
            fixed = q
    minimum(JT, R, g, bound, q, n, c, y, u, x)
    while q > fixed:  # until the start is dual feasible
        worst, place = 0.0, -1
        for k in range(fixed, q):
            if u[k] < worst:
                worst, place = u[k], k
        if place < 0:
            break
        take_out(JT, R, place, q, n, work, side, bound, u, state)
        q -= 1
        minimum(JT, R, g, bound, q, n, c, y, u, x)
    polished = True  # nothing is to be rid of yet
    while iterations < limit:
        iterations += 1
        p, sign, gap, worst = -1, 1.0, 0.0, 0.0
        for i in range(m):
            if state[i] != 0:
                continue
            value = 0.0
            for j in range(int(begin[i]), int(end[i])):
                value += A[i, j] * x[j]
            low, high = lower[i] - value, value - upper[i]
            v, edge = (low, lower[i]) if low > high else (high, upper[i])
            if v > 0.0:
                scaled = v / (length[i] + abs(edge)) if length[i] + abs(edge) > 0.0 else 0.0
                if lower[i] == upper[i]:
                    scaled *= 1e3  # equalities that depended on others at the start are looked at first
                if scaled > TIGHT and scaled > worst:
                    worst, p, gap, sign = scaled, i, v, 1.0 if low > high else -1.0
        if p < 0:
            if polished:
                break
            minimum(JT, R, g, bound, q, n, c, y, u, x)  # rid of the rounding of many steps; then look once more
            polished = True
            continue
        polished = False
        own = 0.0  # multiplier of the new row
        while True:
            carried(JT, A, p, sign, n, d)
            rest = tail(d, q, n)
            dependent = rest <= (DEPENDENT * DEPENDENT) * (rest + tail(d, 0, q)) or rest == 0.0
            for i in range(q - 1, -1, -1):  # r, in y
                s = d[i]
                for k in range(i + 1, q):
                    s -= R[i, k] * y[k]
                y[i] = s / R[i, i]
            t1, place = math.inf, -1
            for k in range(fixed, q):
                if y[k] > 0.0 and u[k] < t1 * y[k]:
                    t1, place = max(u[k], 0.0) / y[k], k
            t2 = math.inf if dependent else gap / rest
            if dependent and place < 0:
                multiplier[p] = sign
                for k in range(q):
                    multiplier[work[k]] = -side[k] * y[k]
                counts[0], counts[1] = iterations, q
                return INFEASIBLE
            t = min(t1, t2)
            if not dependent:
                for i in range(q, n):
                    w = t * d[i]
                    for j in range(n):
                        x[j] += w * JT[i, j]
                gap -= t * rest
            for k in range(q):
                u[k] -= t * y[k]
            own += t
            if t2 <= t1:
                add_row(JT, R, d, q, n, row)
                work[q], side[q], u[q] = p, 1 if sign > 0.0 else -1, own
                bound[q] = lower[p] if sign > 0.0 else -upper[p]
                state[p] = side[q]
                q += 1
                break
            take_out(JT, R, place, q, n, work, side, bound, u, state)
            q -= 1
            iterations += 1
            if iterations >= limit:
                break
    for k in range(q):
        multiplier[work[k]] = side[k] * u[k]
    counts[0], counts[1] = iterations, q
    return LIMIT if iterations >= limit else SOLVED


@routine
def optimality(H, g, A, lower, upper, n, m, x, multiplier, left):
    """(stationarity, worst row, complementarity): what an optimal x leaves of each; no other quantity of the solver is used.

    left : (n,) scratch
    """
    stationary, outside, slack = 0.0, 0.0, 0.0
    for j in range(n):
        left[j] = g[j] + _row_dot(H, j, x, n)
    for i in range(m):
        s, y = _row_dot(A, i, x, n), multiplier[i]
        outside = max(outside, max(lower[i] - s, s - upper[i]))
        if y != 0.0:
            slack = max(slack, abs(y * (s - (lower[i] if y > 0.0 else upper[i]))))
            for j in range(n):
                left[j] -= y * A[i, j]
    for j in range(n):
        stationary = max(stationary, abs(left[j]))
    return stationary, outside, slack
