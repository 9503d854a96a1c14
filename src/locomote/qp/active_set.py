"""A strictly convex quadratic program by a dual active set (Goldfarb and Idnani 1983), dense, warm started.

    min 1/2 x.H x + g.x    with    lower <= A x <= upper                                                    (1)

With H = L L^T and y = L^T x it is the point nearest to -c within planes:

    min 1/2 y.y + c.y      with    lower <= B y <= upper ,   c = L^-1 g ,   rows of B are L^-1 times those of A          (2)

n_j is a row of B in the working set, with the sign of the bound b_j that it is held at, N = (n_1 .. n_q), u its multipliers.
Only the thin factors of N are kept (Daniel, Gragg, Kaufman and Stewart 1976), so that a row costs what its working set is long:

    N = Q R ,   columns of Q orthonormal, R upper triangular                                                (3)

The minimum on the working set is

    R^T w = b ,   e = w + Q^T c ,   y = -c + Q e ,   R u = e                                                (4)

A violated row n splits into Q d and a rest z that is orthogonal to Q. Going along z changes multipliers by -t r, R r = d, and
its own by t:

    t_2 = violation / z.z ,   t_1 = min u_j / r_j over inequalities with r_j > 0                            (5)

If neither is finite no x meets the rows: (1, -r) on (n, N) is a certificate after Farkas, multiples of rows whose sum is zero
while that of their bounds is positive; it counts if the gap is beyond what rounding could make of it. Rows of Q and columns
of R are rows of the tables `basis` and `RT`.

Corners where more rows meet than there are unknowns are common (a pyramid at its apex), and rounding moves rows there by turns.
Before a small violation is believed, the minimum is computed anew and corrected with the rows themselves.

Tested by tests/laws/qp/test_quadratic_programs.py and tests/contracts/control/whole_body/test_wild_ticks.py.
"""

import math

from locomote.compiler.source import helper, inlined_routine, routine
from locomote.linear.gram_schmidt import append, split
from locomote.linear.rows import add_row_to, row_dot, rows_dot, stretch_dot

SOLVED, INFEASIBLE, LIMIT, NOT_CONVEX = 0, 1, 2, 3
TIGHT = 1e-11  # violations, over the size of a row, that count as none
DOUBTFUL, LOOSER = 1e-7, 10.0  # violations that may be rounding: looked at twice; then the row is judged so much more loosely
SURE = 1e-9  # gap of a certificate over the sizes of its rows, below which it proves nothing
DEPENDENT = 1e-11  # length of z over that of n below which a row depends on the working set; `linear.rank` says why so small
POSITIVE = 1e-14  # pivot of H over its diagonal entry below which H is not positive definite
FIRST, LAST = 0, 1  # columns of `span`: where rows are not zero


@routine
def spans(A, m, n, span):
    """Where each row of A is not zero."""
    for i in range(m):
        first, last = 0, n
        while last > 0 and A[i, last - 1] == 0.0:
            last -= 1
        while first < last and A[i, first] == 0.0:
            first += 1
        span[i, FIRST], span[i, LAST] = first, last


@routine
def scaled(JT, g, A, span, m, n, dense, B, c, scale):
    """B and c of (2); JT is the inverse factor, diagonal from the row `dense` on. scale : (n,) scratch"""
    for i in range(n):
        scale[i] = JT[i, i]
        c[i] = row_dot(JT, i, g, dense) if i < dense else JT[i, i] * g[i]
    for p in range(m):
        for j in range(n):
            B[p, j] = scale[j] * A[p, j]
        if span[p, FIRST] < dense:
            for i in range(dense):
                B[p, i] = rows_dot(JT, i, A, p, dense)
            span[p, LAST] = max(span[p, LAST], dense)


@routine
def unscaled(JT, y, n, dense, x):
    """x of y."""
    for j in range(n):
        x[j] = y[j]
    for j in range(dense):
        x[j] = 0.0
    for i in range(dense):
        add_row_to(y[i], JT, i, x, dense)
    for j in range(dense, n):
        x[j] = JT[j, j] * y[j]


@routine
def split_row(B, p, sign, first, last, basis, q, n, d, z, more):
    """d and z of row p times a sign; returns (z.z, n.n)."""
    for j in range(n):
        z[j] = sign * B[p, j]
    return split(z, first, last, basis, q, n, d, more)


@routine
def add_row(basis, RT, d, z, rest, q, n):
    """Take a row with the given d and z, not dependent, into the factors at place q."""
    for i in range(q):
        RT[q, i] = d[i]
    RT[q, q] = append(basis, q, n, z, rest)


@routine
def drop_row(basis, RT, k, q, n):
    """Take row k of q out of the factors; R becomes triangular again by Givens turns."""
    for i in range(k, q - 1):
        for j in range(i + 2):
            RT[i, j] = RT[i + 1, j]
    for i in range(k, q - 1):
        a, b = RT[i, i], RT[i, i + 1]
        h = math.hypot(a, b)
        if h == 0.0:
            continue
        c, s = a / h, b / h
        RT[i, i] = h
        for j in range(i + 1, q - 1):
            a, b = RT[j, i], RT[j, i + 1]
            RT[j, i], RT[j, i + 1] = c * a + s * b, c * b - s * a
        for j in range(n):
            a, b = basis[i, j], basis[i + 1, j]
            basis[i, j], basis[i + 1, j] = c * a + s * b, c * b - s * a


@helper
def back_substituted(RT, q, x):
    """R^-1 x, in place; columns of R are rows of RT."""
    for i in range(q - 1, -1, -1):
        x[i] /= RT[i, i]
        w = -x[i]
        for k in range(i):
            x[k] += w * RT[i, k]


@routine
def minimum(basis, RT, c, bound, q, n, w, u, y):
    """y and u of the minimum on the working set, whose bounds (with signs) are given (4)."""
    for i in range(q):
        w[i] = (bound[i] - row_dot(RT, i, w, i)) / RT[i, i]
    for i in range(q):
        u[i] = w[i] + row_dot(basis, i, c, n)
    for j in range(n):
        y[j] = -c[j]
    for i in range(q):
        add_row_to(u[i], basis, i, y, n)
    back_substituted(RT, q, u)


@routine
def refined(B, basis, RT, c, work, side, bound, q, n, w, z, u, y):
    """Correct y and u of `minimum` by what is left of their equations, with the rows themselves instead of their factors:

    R^T dw = bound - N^T y ,   y += Q dw ;   R du = Q^T (y + c - N u) ,   u += du
    """
    for i in range(q):
        left = bound[i] - side[i] * row_dot(B, work[i], y, n)
        w[i] = (left - row_dot(RT, i, w, i)) / RT[i, i]
    for i in range(q):
        add_row_to(w[i], basis, i, y, n)
    for j in range(n):
        z[j] = y[j] + c[j]
    for i in range(q):
        add_row_to(-side[i] * u[i], B, work[i], z, n)
    for i in range(q):
        w[i] = row_dot(basis, i, z, n)
    back_substituted(RT, q, w)
    for i in range(q):
        u[i] += w[i]


@routine
def take_out(basis, RT, k, q, n, work, side, bound, u, state):
    """Drop place k of all that is kept about the working set."""
    drop_row(basis, RT, k, q, n)
    state[work[k]] = 0
    for i in range(k, q - 1):
        work[i], side[i], bound[i], u[i] = work[i + 1], side[i + 1], bound[i + 1], u[i + 1]


@routine
def best(B, c, basis, RT, fixed, q, n, work, side, bound, state, w, z, u, y):
    """The minimum on the working set, from which inequalities that pull are taken out; returns how many rows are left in it."""
    while True:
        minimum(basis, RT, c, bound, q, n, w, u, y)
        worst, place = 0.0, -1
        for k in range(fixed, q):
            if u[k] < worst:
                worst, place = u[k], k
        if place < 0:
            break
        take_out(basis, RT, place, q, n, work, side, bound, u, state)
        q -= 1
    refined(B, basis, RT, c, work, side, bound, q, n, w, z, u, y)
    return q


@inlined_routine
def first_rows(B, span, lower, upper, n, m, state, basis, RT, d, z, more, work, side, bound):
    """The working set to begin with: equalities, then what was held last time; returns (how many rows, how many equalities)."""
    q, fixed = 0, 0
    for turn in range(2):
        for i in range(m):
            equal = lower[i] == upper[i]
            if equal != (turn == 0) or (not equal and state[i] == 0):
                continue
            sign = 1.0 if equal or state[i] > 0 else -1.0
            value = lower[i] if sign > 0.0 else upper[i]
            state[i] = 0
            if q >= n or not math.isfinite(value):
                continue
            rest, whole = split_row(B, i, sign, span[i, FIRST], span[i, LAST], basis, q, n, d, z, more)
            if rest > (DEPENDENT * DEPENDENT) * whole and rest > 0.0:
                add_row(basis, RT, d, z, rest, q, n)
                work[q], side[q], bound[q] = i, 1 if sign > 0.0 else -1, sign * value
                state[i] = side[q]
                q += 1
        if turn == 0:
            fixed = q
    return q, fixed


@inlined_routine
def most_violated(B, span, size, lower, upper, n, m, state, y):
    """The row that y violates most for its size: (row or -1, sign of its bound, violation, violation over size)."""
    p, sign, gap, worst = -1, 1.0, 0.0, 0.0
    for i in range(m):
        if state[i] != 0:
            continue
        value = stretch_dot(B, i, y, span[i, FIRST], span[i, LAST], n)
        low, high = lower[i] - value, value - upper[i]
        v = max(low, high)
        if v > worst * size[i] and v > TIGHT * size[i]:
            worst, p, gap, sign = v / size[i], i, v, 1.0 if low > high else -1.0
    return p, sign, gap, worst


@inlined_routine
def first_to_leave(RT, d, fixed, q, u, w):
    """r of (5), into w, and t_1 with the place of its row: (t_1, place or -1)."""
    for i in range(q):
        w[i] = d[i]
    back_substituted(RT, q, w)
    t, place = math.inf, -1
    for k in range(fixed, q):
        if w[k] > 0.0 and u[k] < t * w[k]:
            t, place = max(u[k], 0.0) / w[k], k
    return t, place


@inlined_routine
def proves_nothing(p, gap, size, q, work, w):
    """Whether the gap of a certificate could be rounding of its rows."""
    amount = size[p]
    for k in range(q):
        amount += abs(w[k]) * size[work[k]]
    return gap <= SURE * amount


@routine
def dual_active_set(B, c, span, size, lower, upper, n, m, limit, state, y, multiplier, room, basis, RT, work, side, counts):
    """Solve (2); returns SOLVED, INFEASIBLE (then `multiplier` is the certificate) or LIMIT.

    B : (m, n) ; c : (n,) ; span : (m, 2) where rows are not zero ; size : (m,) see `sizes`; changed
    state : (m,) in: rows to begin with, 1 at their lower, -1 at their upper bound, 0 else; out: the working set
    y : (n,) ; multiplier : (m,) of rows, positive at lower bounds, negative at upper ones
    room : (6, n + 1) scratch ; basis, RT : (n, n) ; work, side : (n + 1,) integers ; counts : (2,) iterations, working set
    """
    d, z, more, w, u, bound = room[0], room[1], room[2], room[3], room[4], room[5]
    for i in range(m):
        multiplier[i] = 0.0
    q, fixed = first_rows(B, span, lower, upper, n, m, state, basis, RT, d, z, more, work, side, bound)
    q, iterations = best(B, c, basis, RT, fixed, q, n, work, side, bound, state, w, z, u, y), 0
    polished = True  # nothing is to be rid of yet
    while iterations < limit:
        iterations += 1
        p, sign, gap, worst = most_violated(B, span, size, lower, upper, n, m, state, y)
        if worst < DOUBTFUL:
            if not polished:  # rid of the rounding of many steps; then look once more
                q = best(B, c, basis, RT, fixed, q, n, work, side, bound, state, w, z, u, y)
                polished = True
                continue
            if p < 0:
                break
            size[p] *= LOOSER  # a row that comes back again and again is one that rounding moves
        polished = False
        own = 0.0  # multiplier of the new row
        while True:
            rest, whole = split_row(B, p, sign, span[p, FIRST], span[p, LAST], basis, q, n, d, z, more)
            dependent = q >= n or rest <= (DEPENDENT * DEPENDENT) * whole or rest == 0.0
            t1, place = first_to_leave(RT, d, fixed, q, u, w)
            t2 = math.inf if dependent else gap / rest
            if dependent and place < 0:
                if proves_nothing(p, gap, size, q, work, w):  # met as well as rounding lets it be
                    size[p] = math.inf
                    break
                multiplier[p] = sign
                for k in range(q):
                    multiplier[work[k]] = -side[k] * w[k]
                counts[0], counts[1] = iterations, q
                return INFEASIBLE
            t = min(t1, t2)  # (5)
            if not dependent:
                for j in range(n):
                    y[j] += t * z[j]
                gap -= t * rest
            for k in range(q):
                u[k] -= t * w[k]
            own += t
            if t2 <= t1:
                add_row(basis, RT, d, z, rest, q, n)
                work[q], side[q], u[q] = p, 1 if sign > 0.0 else -1, own
                bound[q] = lower[p] if sign > 0.0 else -upper[p]
                state[p] = side[q]
                q += 1
                break
            take_out(basis, RT, place, q, n, work, side, bound, u, state)
            q -= 1
            iterations += 1
            if iterations >= limit:
                break
    for k in range(q):
        multiplier[work[k]] = side[k] * (u[k] if k < fixed else max(u[k], 0.0))
    counts[0], counts[1] = iterations, q
    return LIMIT if iterations >= limit else SOLVED


@routine
def sizes(A, span, lower, upper, m, n, size):
    """By what violations of rows are judged: their length and their lesser bound."""
    for i in range(m):
        if span[i, LAST] - span[i, FIRST] > 8:
            length = math.sqrt(rows_dot(A, i, A, i, n))
        else:
            s = 0.0
            for j in range(span[i, FIRST], span[i, LAST]):
                s += A[i, j] * A[i, j]
            length = math.sqrt(s)
        size[i] = length + min(abs(lower[i]), abs(upper[i]))
        if not math.isfinite(size[i]) or size[i] == 0.0:  # without bounds, or zero throughout
            size[i] = math.inf


@routine
def optimality(H, g, A, span, lower, upper, n, m, x, multiplier, left):
    """(stationarity, worst row, complementarity): what an optimal x leaves of each; no other quantity of the solver is used.

    left : (n,) scratch
    """
    stationary, outside, slack = 0.0, 0.0, 0.0
    for j in range(n):
        left[j] = g[j] + row_dot(H, j, x, n)
    for i in range(m):
        s, y = stretch_dot(A, i, x, span[i, FIRST], span[i, LAST], n), multiplier[i]
        outside = max(outside, max(lower[i] - s, s - upper[i]))
        if y != 0.0:
            slack = max(slack, abs(y * (s - (lower[i] if y > 0.0 else upper[i]))))
            add_row_to(-y, A, i, left, n)
    for j in range(n):
        stationary = max(stationary, abs(left[j]))
    return stationary, outside, slack
