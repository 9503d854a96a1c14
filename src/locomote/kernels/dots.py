"""Many dot products at once: rows of a table, weighted and summed, over a range of columns.

In a compiled kernel for one configuration the columns go through vector registers; on lanes and symbols, one by one.
"""

from numba import types
from numba.extending import overload

from locomote.engine.lanes import WIDTH, load_floats, store_floats
from locomote.engine.source import helper


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


def weigh(table, row, a, start, stop, out, k):
    """out[k, j] = sum of a[r] table[row + r, j] over six rows, for j in start..stop-1."""
    for j in range(start, stop):
        out[k, j] = dot6(table, row, j, a)


def weigh_two(table, row, a, other, b, start, stop, out, k):
    """out[k, j] = sum of a[r] table[row + r, j] over six rows + sum of b[r] table[other + r, j] over three."""
    for j in range(start, stop):
        out[k, j] = dot6(table, row, j, a) + dot3(table, other, j, b)


def remove_rows(B, columns, r, L, row, row_step, column, column_step, start, count):
    """B[r] -= sum over t < count of L[row + t row_step, column + t column_step] B[start + t], over the first `columns`."""
    for c in range(columns):
        value = B[r, c]
        for t in range(count):
            value = value - L[row + t * row_step, column + t * column_step] * B[start + t, c]
        B[r, c] = value


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
        a[0] * load_floats(table, place)
        + a[1] * load_floats(table, place + step)
        + a[2] * load_floats(table, place + 2 * step)
    )


@overload(weigh, jit_options={"forceinline": True})
def _weigh(table, row, a, start, stop, out, k):
    if not isinstance(table, types.Array):
        return weigh

    def floats(table, row, a, start, stop, out, k):
        columns, target = table.shape[1], k * out.shape[1]
        if stop - start < WIDTH:
            for j in range(start, stop):
                out[k, j] = dot6(table, row, j, a)
        else:
            for begin in range(start, stop, WIDTH):
                j = min(begin, stop - WIDTH)  # the last vector may overlap the one before
                store_floats(out, target + j, _six(table, row * columns + j, columns, a))

    return floats


@overload(weigh_two, jit_options={"forceinline": True})
def _weigh_two(table, row, a, other, b, start, stop, out, k):
    if not isinstance(table, types.Array):
        return weigh_two

    def floats(table, row, a, other, b, start, stop, out, k):
        columns, target = table.shape[1], k * out.shape[1]
        if stop - start < WIDTH:
            for j in range(start, stop):
                out[k, j] = dot6(table, row, j, a) + dot3(table, other, j, b)
        else:
            for begin in range(start, stop, WIDTH):
                j = min(begin, stop - WIDTH)
                six = _six(table, row * columns + j, columns, a)
                store_floats(out, target + j, six + _three(table, other * columns + j, columns, b))

    return floats


@overload(remove_rows, jit_options={"forceinline": True})
def _remove_rows(B, columns, r, L, row, row_step, column, column_step, start, count):
    if not isinstance(B, types.Array):
        return remove_rows

    def floats(B, columns, r, L, row, row_step, column, column_step, start, count):
        wide, target = B.shape[1], r * B.shape[1]
        c = 0
        while c + 4 * WIDTH <= columns:
            d = target + c
            v, w = load_floats(B, d), load_floats(B, d + WIDTH)
            x, y = load_floats(B, d + 2 * WIDTH), load_floats(B, d + 3 * WIDTH)
            for t in range(count):
                weight, s = L[row + t * row_step, column + t * column_step], (start + t) * wide + c
                v = v - weight * load_floats(B, s)
                w = w - weight * load_floats(B, s + WIDTH)
                x = x - weight * load_floats(B, s + 2 * WIDTH)
                y = y - weight * load_floats(B, s + 3 * WIDTH)
            store_floats(B, d, v)
            store_floats(B, d + WIDTH, w)
            store_floats(B, d + 2 * WIDTH, x)
            store_floats(B, d + 3 * WIDTH, y)
            c += 4 * WIDTH
        while c + WIDTH <= columns:
            v = load_floats(B, target + c)
            for t in range(count):
                weight = L[row + t * row_step, column + t * column_step]
                v = v - weight * load_floats(B, (start + t) * wide + c)
            store_floats(B, target + c, v)
            c += WIDTH
        while c < columns:
            u = B[r, c]
            for t in range(count):
                u -= L[row + t * row_step, column + t * column_step] * B[start + t, c]
            B[r, c] = u
            c += 1

    return floats
