"""Many dot products at once: rows of a table, weighted and summed, over a range of columns.

In a compiled kernel for one configuration the columns go through vector registers; on lanes and symbols, one by one.
"""

from numba import types

from locomote.compiler.lanes import WIDTH, load_floats, store_floats
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
