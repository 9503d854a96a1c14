"""Sums over rows of a table, over a range of columns: many dot products at once, and those that factors are made of.

In a compiled kernel for one configuration the columns go through vector registers; on lanes and symbols, one by one.
"""

from numba import types

from locomote.compiler.lanes import WIDTH, extract, load_float, load_floats, store_floats
from locomote.compiler.numba_private import overload
from locomote.compiler.source import helper


@helper
def dot6(table, row, j, a):
    """Six rows of column j times six weights."""
    return (
        a[0] * table[row, j] + a[1] * table[row + 1, j] + a[2] * table[row + 2, j]
        + a[3] * table[row + 3, j] + a[4] * table[row + 4, j] + a[5] * table[row + 5, j]
    )  # fmt: skip


@helper
def dot3(table, row, j, a):
    """Three rows of column j times three weights."""
    return a[0] * table[row, j] + a[1] * table[row + 1, j] + a[2] * table[row + 2, j]


def copy_row(table, row, start, stop, out, k, shift):
    """out[k, shift + j] = table[row, j], for j in start..stop-1."""
    for j in range(start, stop):
        out[k, shift + j] = table[row, j]


def weigh(table, row, a, start, stop, out, k, shift):
    """out[k, shift + j] = sum of a[r] table[row + r, j] over six rows, for j in start..stop-1."""
    for j in range(start, stop):
        out[k, shift + j] = dot6(table, row, j, a)


def weigh_two(table, row, a, other, b, start, stop, out, k, shift):
    """out[k, shift + j] = sum of a[r] table[row + r, j] over six rows + sum of b[r] table[other + r, j] over three."""
    for j in range(start, stop):
        out[k, shift + j] = dot6(table, row, j, a) + dot3(table, other, j, b)


def row_times(M, k, x, first, last):
    """Row k times x, columns first..last-1."""
    total = 0.0
    for i in range(first, last):
        total += M[k, i] * x[i]
    return total


def take_row_part(M, k, j, f, first, last):
    """Row j -= f row k, columns first..last-1."""
    for i in range(first, last):
        M[j, i] -= f * M[k, i]


def weigh_rows(out, r, weights, table, first, last, more):
    """Three rows of `out` from r on = those of `weights`, columns first..last-1, times these rows of a table, whose rows and
    those of `out` are whole vectors; added to what is there if `more`."""
    for i in range(r, r + 3):
        for j in range(table.shape[1]):
            total = out[i, j] if more else 0.0
            for k in range(first, last):
                total += weights[i, k] * table[k, j]
            out[i, j] = total


@helper
def summed(lanes):
    """The sum of all lanes."""
    total = 0.0
    for d in range(0, WIDTH, 4):
        total += (extract(lanes, d) + extract(lanes, d + 1)) + (extract(lanes, d + 2) + extract(lanes, d + 3))
    return total


@helper
def _six(table, place, step, a):
    return (
        a[0] * load_floats(table, place) + a[1] * load_floats(table, place + step)
        + a[2] * load_floats(table, place + 2 * step) + a[3] * load_floats(table, place + 3 * step)
        + a[4] * load_floats(table, place + 4 * step) + a[5] * load_floats(table, place + 5 * step)
    )  # fmt: skip


@helper
def _three(table, place, step, a):
    return (
        a[0] * load_floats(table, place) + a[1] * load_floats(table, place + step) + a[2] * load_floats(table, place + 2 * step)
    )


@overload(copy_row, inlined=True)
def _copy_row(table, row, start, stop, out, k, shift):
    if not isinstance(table, types.Array):
        return copy_row

    def floats(table, row, start, stop, out, k, shift):
        source, target = row * table.shape[1], k * out.shape[1] + shift
        if stop - start < WIDTH:
            for j in range(start, stop):
                out[k, shift + j] = table[row, j]
        else:
            for begin in range(start, stop, WIDTH):
                j = min(begin, stop - WIDTH)  # the last vector may overlap the one before
                store_floats(out, target + j, load_floats(table, source + j))

    return floats


@overload(weigh, inlined=True)
def _weigh(table, row, a, start, stop, out, k, shift):
    if not isinstance(table, types.Array):
        return weigh

    def floats(table, row, a, start, stop, out, k, shift):
        columns, target = table.shape[1], k * out.shape[1] + shift
        if stop - start < WIDTH:
            for j in range(start, stop):
                out[k, shift + j] = dot6(table, row, j, a)
        else:
            for begin in range(start, stop, WIDTH):
                j = min(begin, stop - WIDTH)
                store_floats(out, target + j, _six(table, row * columns + j, columns, a))

    return floats


@overload(weigh_two, inlined=True)
def _weigh_two(table, row, a, other, b, start, stop, out, k, shift):
    if not isinstance(table, types.Array):
        return weigh_two

    def floats(table, row, a, other, b, start, stop, out, k, shift):
        columns, target = table.shape[1], k * out.shape[1] + shift
        if stop - start < WIDTH:
            for j in range(start, stop):
                out[k, shift + j] = dot6(table, row, j, a) + dot3(table, other, j, b)
        else:
            for begin in range(start, stop, WIDTH):
                j = min(begin, stop - WIDTH)
                six = _six(table, row * columns + j, columns, a)
                store_floats(out, target + j, six + _three(table, other * columns + j, columns, b))

    return floats


@helper
def _product(A, a, B, b, count):
    """`count` numbers of A from place a on times those of B from b on."""
    total, i = 0.0, 0
    if count >= WIDTH:
        sums = load_floats(A, a) * load_floats(B, b)
        i = WIDTH
        while i + WIDTH <= count:
            sums = sums + load_floats(A, a + i) * load_floats(B, b + i)
            i += WIDTH
        total = summed(sums)
    while i < count:
        total += load_float(A, a + i) * load_float(B, b + i)
        i += 1
    return total


@overload(weigh_rows)
def _weigh_rows(out, r, weights, table, first, last, more):
    if not isinstance(table, types.Array):
        return weigh_rows

    def floats(out, r, weights, table, first, last, more):
        wide, step = table.shape[1], weights.shape[1]
        for j in range(0, wide, WIDTH):
            place, at, start = r * wide + j, r * step + first, first
            if more:
                a, b, c = load_floats(out, place), load_floats(out, place + wide), load_floats(out, place + 2 * wide)
            else:
                x, start = load_floats(table, first * wide + j), first + 1
                a, b, c = (
                    load_float(weights, at) * x,
                    load_float(weights, at + step) * x,
                    load_float(weights, at + 2 * step) * x,
                )
                at += 1
            place = start * wide + j
            for _ in range(start, last):
                x = load_floats(table, place)
                a, b = a + load_float(weights, at) * x, b + load_float(weights, at + step) * x
                c = c + load_float(weights, at + 2 * step) * x
                place, at = place + wide, at + 1
            place = r * wide + j
            store_floats(out, place, a)
            store_floats(out, place + wide, b)
            store_floats(out, place + 2 * wide, c)

    return floats


@overload(row_times, inlined=True)
def _row_times(M, k, x, first, last):
    if not (isinstance(M, types.Array) and isinstance(x, types.Array)):
        return row_times
    return lambda M, k, x, first, last: _product(M, k * M.shape[1] + first, x, first, last - first)


@overload(take_row_part, inlined=True)
def _take_row_part(M, k, j, f, first, last):
    if not isinstance(M, types.Array):
        return take_row_part

    def floats(M, k, j, f, first, last):
        a, b, i = j * M.shape[1], k * M.shape[1], first
        while i + WIDTH <= last:
            store_floats(M, a + i, load_floats(M, a + i) - f * load_floats(M, b + i))
            i += WIDTH
        while i < last:
            M[j, i] -= f * M[k, i]
            i += 1

    return floats
