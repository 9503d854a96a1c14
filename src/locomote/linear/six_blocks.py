"""Matrices of blocks of 6 x 6, one for each free body, each in six rows of EIGHT columns: their sums and LU factors.

Block (n, m) stands in rows EIGHT n and columns EIGHT m on; two rows and columns of each are zero, but for the diagonal, and are
neither read nor written by name: a row of a block is a vector or two. links[n, m] is as in `linear.block_lu`.

    U_nm = A_nn^-1 A_nm ,   A_im -= A_in U_nm        for linked i, m > n, rows exchanged within body n only           (1)
"""

from numba import types

from locomote.compiler.lanes import WIDTH, load_float, load_floats, store_floats
from locomote.compiler.numba_private import overload
from locomote.compiler.source import helper, routine

EIGHT = 8  # columns of a block, the width of the widest vectors
NOTHING = 1e-300  # size of a pivot that there is none to divide by


@routine
def factor_six(A, k, x, links, n, trees):
    """LU factors of the block on the diagonal from row k on, with exchanges in all of its rows and in x; False if there are
    none."""
    for c in range(6):
        place = c
        for i in range(c + 1, 6):
            if abs(A[k + i, k + c]) > abs(A[k + place, k + c]):
                place = i
        if not abs(A[k + place, k + c]) > NOTHING:
            return False
        if place != c:
            x[k + c], x[k + place] = x[k + place], x[k + c]
            for m in range(trees):
                if links[n, m] != 0 or m == n:
                    for j in range(EIGHT * m, EIGHT * m + EIGHT):
                        A[k + c, j], A[k + place, j] = A[k + place, j], A[k + c, j]
        share = 1.0 / A[k + c, k + c]
        for i in range(c + 1, 6):
            f = A[k + i, k + c] * share
            A[k + i, k + c] = f
            for j in range(c + 1, 6):
                A[k + i, k + j] -= f * A[k + c, k + j]
    return True


@helper
def solve_six(A, k, x):
    """x[k:k + 6] by the factors of the block on the diagonal from row k on."""
    for i in range(1, 6):
        for j in range(i):
            x[k + i] -= A[k + i, k + j] * x[k + j]
    for i in range(5, -1, -1):
        for j in range(i + 1, 6):
            x[k + i] -= A[k + i, k + j] * x[k + j]
        x[k + i] /= A[k + i, k + i]


@helper
def take_six(A, i, k, x):
    """x[i:i + 6] without what block (i, k) makes of x[k:k + 6]."""
    for r in range(i, i + 6):
        x[r] -= (A[r, k] * x[k] + A[r, k + 1] * x[k + 1] + A[r, k + 2] * x[k + 2]) + (
            A[r, k + 3] * x[k + 3] + A[r, k + 4] * x[k + 4] + A[r, k + 5] * x[k + 5]
        )


@routine
def solve_bodies(A, x, links, trees):
    """x <- solution of A y = x; A is replaced by factors. False if it is singular."""
    for n in range(trees):
        k = EIGHT * n
        if not factor_six(A, k, x, links, n, trees):
            return False
        solve_six(A, k, x)
        for m in range(n + 1, trees):
            if links[n, m] != 0:
                divide_block(A, k, EIGHT * m)
        for i in range(n + 1, trees):
            if links[i, n] != 0:
                take_six(A, EIGHT * i, k, x)
                for m in range(n + 1, trees):
                    if links[n, m] != 0:
                        take_block(A, EIGHT * i, k, EIGHT * m)
    for n in range(trees - 2, -1, -1):
        for m in range(n + 1, trees):
            if links[n, m] != 0:
                take_six(A, EIGHT * n, EIGHT * m, x)
    return True


def divide_block(A, k, m):
    """Block (k, m) by the factors of block (k, k)."""
    for j in range(m, m + EIGHT):
        for i in range(1, 6):
            for r in range(i):
                A[k + i, j] -= A[k + i, k + r] * A[k + r, j]
        for i in range(5, -1, -1):
            for r in range(i + 1, 6):
                A[k + i, j] -= A[k + i, k + r] * A[k + r, j]
            A[k + i, j] /= A[k + i, k + i]


def take_block(A, i, k, m):
    """Block (i, m) -= block (i, k) times block (k, m)."""
    for r in range(6):
        for j in range(m, m + EIGHT):
            for s in range(6):
                A[i + r, j] -= A[i + r, k + s] * A[k + s, j]


def add_block(A, i, count, m, rows, felt, r, G):
    """Some rows of block (i, m) += Y^T G Z of three rows Y and Z, `felt`, from r on, G being symmetric (00, 01, 11) and
    (02, 12, 22) its last column, with no other entry in its last row."""
    for j in range(m, m + EIGHT):
        x, y, n = felt[r, j], felt[r + 1, j], felt[r + 2, j]
        a, b, c = G[0] * x + G[1] * y + G[3] * n, G[1] * x + G[2] * y + G[4] * n, G[5] * n
        for k in range(i, i + count):
            A[k, j] += rows[r, k] * a + rows[r + 1, k] * b + rows[r + 2, k] * c


def add_rows(w, x, y, z, rows, r, first, last):
    """w += x, y and z times three rows from r on, columns first to last - 1, a multiple of EIGHT."""
    for k in range(first, last):
        w[k] += x * rows[r, k] + y * rows[r + 1, k] + z * rows[r + 2, k]


def push_rows(w, p, rows, count):
    """w = the sum of `count` rows, weighed by p; rows are whole vectors of EIGHT."""
    for k in range(rows.shape[1]):
        total = 0.0
        for r in range(count):
            total += p[r] * rows[r, k]
        w[k] = total


@helper
def _six(A, place, step):
    """Six vectors below each other."""
    return (
        load_floats(A, place), load_floats(A, place + step), load_floats(A, place + 2 * step),
        load_floats(A, place + 3 * step), load_floats(A, place + 4 * step), load_floats(A, place + 5 * step),
    )  # fmt: skip


@overload(divide_block)
def _divide_block(A, k, m):
    if not isinstance(A, types.Array):
        return divide_block

    def floats(A, k, m):
        step = A.shape[1]
        d = k * step + k
        for j in range(0, EIGHT, WIDTH):
            place = k * step + m + j
            a, b, c, d0, e, f = _six(A, place, step)
            L = d + step
            b = b - load_float(A, L) * a
            L += step
            c = c - load_float(A, L) * a - load_float(A, L + 1) * b
            L += step
            d0 = d0 - load_float(A, L) * a - load_float(A, L + 1) * b - load_float(A, L + 2) * c
            L += step
            e = e - load_float(A, L) * a - load_float(A, L + 1) * b - load_float(A, L + 2) * c - load_float(A, L + 3) * d0
            L += step
            f = f - load_float(A, L) * a - load_float(A, L + 1) * b - load_float(A, L + 2) * c
            f = (f - load_float(A, L + 3) * d0 - load_float(A, L + 4) * e) * (1.0 / load_float(A, L + 5))
            L -= step
            e = (e - load_float(A, L + 5) * f) * (1.0 / load_float(A, L + 4))
            L -= step
            d0 = (d0 - load_float(A, L + 4) * e - load_float(A, L + 5) * f) * (1.0 / load_float(A, L + 3))
            L -= step
            c = c - load_float(A, L + 3) * d0 - load_float(A, L + 4) * e - load_float(A, L + 5) * f
            c = c * (1.0 / load_float(A, L + 2))
            L -= step
            b = b - load_float(A, L + 2) * c - load_float(A, L + 3) * d0 - load_float(A, L + 4) * e
            b = (b - load_float(A, L + 5) * f) * (1.0 / load_float(A, L + 1))
            L -= step
            a = a - load_float(A, L + 1) * b - load_float(A, L + 2) * c - load_float(A, L + 3) * d0
            a = (a - load_float(A, L + 4) * e - load_float(A, L + 5) * f) * (1.0 / load_float(A, L))
            store_floats(A, place, a)
            store_floats(A, place + step, b)
            store_floats(A, place + 2 * step, c)
            store_floats(A, place + 3 * step, d0)
            store_floats(A, place + 4 * step, e)
            store_floats(A, place + 5 * step, f)

    return floats


@overload(take_block)
def _take_block(A, i, k, m):
    if not isinstance(A, types.Array):
        return take_block

    def floats(A, i, k, m):
        step = A.shape[1]
        for j in range(0, EIGHT, WIDTH):
            a, b, c, d, e, f = _six(A, k * step + m + j, step)
            for r in range(6):
                place, L = (i + r) * step + m + j, (i + r) * step + k
                x = load_floats(A, place) - load_float(A, L) * a - load_float(A, L + 1) * b - load_float(A, L + 2) * c
                y = load_float(A, L + 3) * d + load_float(A, L + 4) * e + load_float(A, L + 5) * f
                store_floats(A, place, x - y)

    return floats


@overload(add_block)
def _add_block(A, i, count, m, rows, felt, r, G):
    if not isinstance(A, types.Array):
        return add_block

    def floats(A, i, count, m, rows, felt, r, G):
        step, wide = A.shape[1], rows.shape[1]
        for j in range(m, m + EIGHT, WIDTH):
            at = r * wide + j
            x, y, n = load_floats(felt, at), load_floats(felt, at + wide), load_floats(felt, at + 2 * wide)
            a, b, c = G[0] * x + G[1] * y + G[3] * n, G[1] * x + G[2] * y + G[4] * n, G[5] * n
            for k in range(count):
                place, at = (i + k) * step + j, r * wide + i + k
                z = load_float(rows, at) * a + load_float(rows, at + wide) * b + load_float(rows, at + 2 * wide) * c
                store_floats(A, place, load_floats(A, place) + z)

    return floats


@overload(add_rows, inlined=True)
def _add_rows(w, x, y, z, rows, r, first, last):
    if not isinstance(rows, types.Array):
        return add_rows

    def floats(w, x, y, z, rows, r, first, last):
        wide = rows.shape[1]
        for j in range(first, last, WIDTH):
            place = r * wide + j
            a, b, c = load_floats(rows, place), load_floats(rows, place + wide), load_floats(rows, place + 2 * wide)
            store_floats(w, j, load_floats(w, j) + x * a + y * b + z * c)

    return floats


@overload(push_rows)
def _push_rows(w, p, rows, count):
    if not isinstance(rows, types.Array):
        return push_rows

    def floats(w, p, rows, count):
        wide = rows.shape[1]
        for j in range(0, wide, WIDTH):
            a = b = c = 0.0 * load_floats(rows, j)
            place, r = j, 0
            while r + 3 <= count:
                a, b = (
                    a + load_float(p, r) * load_floats(rows, place),
                    b + load_float(p, r + 1) * load_floats(rows, place + wide),
                )
                c = c + load_float(p, r + 2) * load_floats(rows, place + 2 * wide)
                place, r = place + 3 * wide, r + 3
            while r < count:
                a = a + load_float(p, r) * load_floats(rows, place)
                place, r = place + wide, r + 1
            store_floats(w, j, (a + b) + c)

    return floats
