"""LU factors, in place, with row pivots or without, and solutions by them.

Columns are factored PANEL at a time, and all rows below take what they must of the rows above in one pass:

    M_nj -= sum over the panel of L_nk U_kj ,   WIDTH columns j in a register                                         (1)

Small systems go without factors: each pivot takes its column out of all other rows (Gauss and Jordan). Where the pivot is not
small beside its own row, rows are not exchanged:

    M_cj <- M_cj / M_cc ,   M_nj -= M_nc M_cj   for all n other than c, j from c on                                   (2)
"""

from numba import types

from locomote.compiler.lanes import WIDTH, first_lanes, load_float, load_floats, store_floats
from locomote.compiler.numba_private import overload
from locomote.compiler.scalars import select
from locomote.compiler.source import helper, routine
from locomote.linear.dots import row_times, take_row_part

PANEL = 4  # columns
SMALL = 12  # rows below which all columns are one panel
WEAK = 1e-3  # square of a pivot, beside that of its row, below which rows are exchanged
NOTHING = 1e-300  # size of a pivot that there is none to divide by


@routine
def lu_factor(M, count, pivots):
    """M[:count, :count] <- its LU factors, with the rows exchanged that `pivots` then has; False if it is singular."""
    return _factor(M, count, True, pivots, None)


@routine
def lu_factor_part(M, left_out, factors, chosen, pivots):
    """factors <- LU factors of the rows and columns of M that are not left out (0 in `left_out`), whose numbers go to `chosen`;
    returns how many there are."""
    count = 0
    for i in range(left_out.shape[0]):
        if left_out[i] == 0:
            chosen[count] = i
            count += 1
    for i in range(count):
        for j in range(count):
            factors[i, j] = M[chosen[i], chosen[j]]
    lu_factor(factors, count, pivots)
    return count


@routine
def lu_factor_positive(M, count):
    """M[:count, :count] <- its LU factors without pivots, as what resists every motion allows; False if it does not."""
    return _factor(M, count, False, None, None)


@routine
def solve_dense(M, count, x):
    """x[:count] <- solution of M y = x, with row pivots; False if M is singular. M is replaced by factors."""
    if not _factor(M, count, True, None, x):
        return False
    lu_solve(M, count, None, x)
    return True


@routine
def solve_vectors(M, count, x):
    """The same where rows of M are whole vectors, with zeros beyond `count`: for small ones, by (2). M is used up."""
    wide = (count + WIDTH - 1) // WIDTH * WIDTH
    for c in range(count):
        own = M[c, c]
        if not own * own > WEAK * row_times(M, c, M[c], 0, wide):
            place = c
            for n in range(c + 1, count):
                if abs(M[n, c]) > abs(M[place, c]):
                    place = n
            if not abs(M[place, c]) > NOTHING:
                return False
            if place != c:
                for m in range(count):
                    M[c, m], M[place, m] = M[place, m], M[c, m]
                x[c], x[place] = x[place], x[c]
        y = x[c] / M[c, c]
        for n in range(count):
            x[n] -= M[n, c] * y
        x[c] = y
        clear_column(M, c, count)
    return True


def clear_column(M, c, count):
    """(2): row c divided by its pivot, and column c of all other rows taken out by it."""
    share = 1.0 / M[c, c]
    for j in range(c, count):
        M[c, j] *= share
    for n in range(count):
        f = M[n, c] if n != c else 0.0
        for j in range(c, count):
            M[n, j] -= f * M[c, j]


@overload(clear_column)
def _clear_column(M, c, count):
    if not isinstance(M, types.Array):
        return clear_column

    def floats(M, c, count):
        wide = M.shape[1]
        share, first, j = 1.0 / M[c, c], c // WIDTH * WIDTH, (count - 1) // WIDTH * WIDTH
        while j >= first:  # column c goes last
            a = share * load_floats(M, c * wide + j)
            store_floats(M, c * wide + j, a)
            for n in range(c):
                s = n * wide
                store_floats(M, s + j, load_floats(M, s + j) - load_float(M, s + c) * a)
            for n in range(c + 1, count):
                s = n * wide
                store_floats(M, s + j, load_floats(M, s + j) - load_float(M, s + c) * a)
            j -= WIDTH

    return floats


@routine
def lu_solve(M, count, pivots, x):
    """x[:count] <- solution for the right side x; `pivots` is None for factors without, or if x was exchanged with them."""
    if pivots is not None:
        for k in range(count):
            place = pivots[k]
            if place != k:  # rows of the factors were exchanged as a whole
                x[k], x[place] = x[place], x[k]
    for k in range(1, count):
        x[k] -= row_times(M, k, x, 0, k)
    for k in range(count - 1, -1, -1):
        x[k] = (x[k] - row_times(M, k, x, k + 1, count)) / M[k, k]


@routine
def _factor(M, count, pivoting, pivots, x):
    """The factors; x is exchanged with the rows, if there is one."""
    good, panel = True, PANEL if count >= SMALL else SMALL
    for first in range(0, count, panel):
        last = min(first + panel, count)
        for c in range(first, last):
            if pivoting:
                place = c
                for n in range(c + 1, count):
                    if abs(M[n, c]) > abs(M[place, c]):
                        place = n
                if pivots is not None:
                    pivots[c] = place
                if place != c:
                    for m in range(count):
                        M[c, m], M[place, m] = M[place, m], M[c, m]
                    if x is not None:
                        x[c], x[place] = x[place], x[c]
                good = good and abs(M[c, c]) > NOTHING
            else:
                good = good and M[c, c] > 0.0
            _divide(M, c, last, count)
        for c in range(first + 1, last):
            for k in range(first, c):
                take_row_part(M, k, c, M[c, k], last, count)
        take_panel(M, first, last, count)
    return good


@helper
def _divide(M, c, last, count):
    """Column c of L, and what the columns of its panel after it lose by it."""
    share = 1.0 / M[c, c]
    for n in range(c + 1, count):
        ratio = M[n, c] * share
        M[n, c] = ratio
        if ratio != 0.0:
            for m in range(c + 1, last):
                M[n, m] -= ratio * M[c, m]


def take_panel(M, first, last, count):
    """(1)"""
    for n in range(last, count):
        for k in range(first, last):
            for j in range(last, count):
                M[n, j] -= M[n, k] * M[k, j]


@overload(take_panel)
def _take_panel(M, first, last, count):
    if not isinstance(M, types.Array):
        return take_panel

    def floats(M, first, last, count):
        j = last
        while j < count:  # there are SMALL columns at least, if any
            if count - j >= 2 * WIDTH:
                _take_two(M, first, last, count, j)
                j += 2 * WIDTH
            else:  # the last vector may overlap finished columns, which it leaves unchanged
                begin = min(j, count - WIDTH)
                _take_one(M, first, last, count, begin, j - begin)
                j = begin + WIDTH

    return floats


@helper
def _weights(M, place):
    """PANEL entries of a row of L."""
    return load_float(M, place), load_float(M, place + 1), load_float(M, place + 2), load_float(M, place + 3)


@helper
def _less(x, f, a):
    """x less PANEL vectors, weighed."""
    return x - f[0] * a[0] - f[1] * a[1] - f[2] * a[2] - f[3] * a[3]


@helper
def _panel(M, first, j):
    """WIDTH entries from column j on of PANEL rows of U."""
    wide, s = M.shape[1], first * M.shape[1] + j
    return load_floats(M, s), load_floats(M, s + wide), load_floats(M, s + 2 * wide), load_floats(M, s + 3 * wide)


@routine
def _take_two(M, first, last, count, j):
    """(1) for 2 WIDTH columns from j on."""
    a, b = _panel(M, first, j), _panel(M, first, j + WIDTH)
    for n in range(last, count):
        s = n * M.shape[1]
        f = _weights(M, s + first)
        if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0 or f[3] != 0.0:
            store_floats(M, s + j, _less(load_floats(M, s + j), f, a))
            store_floats(M, s + j + WIDTH, _less(load_floats(M, s + j + WIDTH), f, b))


@routine
def _take_one(M, first, last, count, j, done):
    """(1) for WIDTH columns from j on, of which the first `done` keep what they have."""
    a, keep = _panel(M, first, j), first_lanes(done)
    for n in range(last, count):
        s = n * M.shape[1]
        f, x = _weights(M, s + first), load_floats(M, s + j)
        if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0 or f[3] != 0.0:
            store_floats(M, s + j, select(keep, x, _less(x, f, a)))
