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


def weigh(table, row, a, start, stop, out, k, shift):
    """out[k, shift + j] = sum of a[r] table[row + r, j] over six rows, for j in start..stop-1."""
    for j in range(start, stop):
        out[k, shift + j] = dot6(table, row, j, a)


def weigh_two(table, row, a, other, b, start, stop, out, k, shift):
    """out[k, shift + j] = sum of a[r] table[row + r, j] over six rows + sum of b[r] table[other + r, j] over three."""
    for j in range(start, stop):
        out[k, shift + j] = dot6(table, row, j, a) + dot3(table, other, j, b)


def remove_rows(B, L, r, start, stop, begin, end):
    """B[r] -= sum of L[r, t] B[t] over t in start..stop-1, for columns begin..end-1."""
    c = begin
    while c + 4 <= end:
        w, x, y, z = B[r, c], B[r, c + 1], B[r, c + 2], B[r, c + 3]
        for t in range(start, stop):
            weight = L[r, t]
            w, x = w - weight * B[t, c], x - weight * B[t, c + 1]
            y, z = y - weight * B[t, c + 2], z - weight * B[t, c + 3]
        B[r, c], B[r, c + 1], B[r, c + 2], B[r, c + 3] = w, x, y, z
        c += 4
    while c < end:
        w = B[r, c]
        for t in range(start, stop):
            w = w - L[r, t] * B[t, c]
        B[r, c] = w
        c += 1


def remove_rows_of_two(B, L, r, s, start, stop, begin, end):
    """`remove_rows` for the rows r and s, which reads each B[t] once."""
    remove_rows(B, L, r, start, stop, begin, end)
    remove_rows(B, L, s, start, stop, begin, end)


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


@overload(weigh, jit_options={"forceinline": True})
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
                j = min(begin, stop - WIDTH)  # the last vector may overlap the one before
                store_floats(out, target + j, _six(table, row * columns + j, columns, a))

    return floats


@overload(weigh_two, jit_options={"forceinline": True})
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
def _remove_vector(B, L, r, start, stop, c):
    """One vector of columns of `remove_rows`, not stored yet."""
    wide = B.shape[1]
    place, w = start * wide + c, load_floats(B, r * wide + c)
    for t in range(start, stop):
        w = w - L[r, t] * load_floats(B, place)
        place += wide
    return w


@overload(remove_rows)
def _remove_rows(B, L, r, start, stop, begin, end):
    if not isinstance(B, types.Array):
        return remove_rows

    def floats(B, L, r, start, stop, begin, end):
        target = r * B.shape[1]
        if end - begin < WIDTH:
            for c in range(begin, end):
                u = B[r, c]
                for t in range(start, stop):
                    u -= L[r, t] * B[t, c]
                B[r, c] = u
            return
        last = end - WIDTH  # may overlap the vector before, so it is loaded first and stored last
        tail = _remove_vector(B, L, r, start, stop, last)
        wide, c = B.shape[1], begin
        while c + 4 * WIDTH <= end:  # several sums at a time hide the latency of each
            d, place = target + c, start * wide + c
            w, x = load_floats(B, d), load_floats(B, d + WIDTH)
            y, z = load_floats(B, d + 2 * WIDTH), load_floats(B, d + 3 * WIDTH)
            for t in range(start, stop):
                weight = L[r, t]
                w, x = w - weight * load_floats(B, place), x - weight * load_floats(B, place + WIDTH)
                y, z = y - weight * load_floats(B, place + 2 * WIDTH), z - weight * load_floats(B, place + 3 * WIDTH)
                place += wide
            store_floats(B, d, w)
            store_floats(B, d + WIDTH, x)
            store_floats(B, d + 2 * WIDTH, y)
            store_floats(B, d + 3 * WIDTH, z)
            c += 4 * WIDTH
        while c < last:
            store_floats(B, target + c, _remove_vector(B, L, r, start, stop, c))
            c += WIDTH
        if c < end:
            store_floats(B, target + last, tail)

    return floats


@overload(remove_rows_of_two)
def _remove_rows_of_two(B, L, r, s, start, stop, begin, end):
    if not isinstance(B, types.Array):
        return remove_rows_of_two

    def floats(B, L, r, s, start, stop, begin, end):
        wide, c = B.shape[1], begin
        while c + 4 * WIDTH <= end:  # eight sums at a time
            d, e, place = r * wide + c, s * wide + c, start * wide + c
            d1, d2 = load_floats(B, d), load_floats(B, d + WIDTH)
            d3, d4 = load_floats(B, d + 2 * WIDTH), load_floats(B, d + 3 * WIDTH)
            e1, e2 = load_floats(B, e), load_floats(B, e + WIDTH)
            e3, e4 = load_floats(B, e + 2 * WIDTH), load_floats(B, e + 3 * WIDTH)
            for t in range(start, stop):
                first, second = L[r, t], L[s, t]
                x = load_floats(B, place)
                d1, e1 = d1 - first * x, e1 - second * x
                x = load_floats(B, place + WIDTH)
                d2, e2 = d2 - first * x, e2 - second * x
                x = load_floats(B, place + 2 * WIDTH)
                d3, e3 = d3 - first * x, e3 - second * x
                x = load_floats(B, place + 3 * WIDTH)
                d4, e4 = d4 - first * x, e4 - second * x
                place += wide
            store_floats(B, d, d1)
            store_floats(B, d + WIDTH, d2)
            store_floats(B, d + 2 * WIDTH, d3)
            store_floats(B, d + 3 * WIDTH, d4)
            store_floats(B, e, e1)
            store_floats(B, e + WIDTH, e2)
            store_floats(B, e + 2 * WIDTH, e3)
            store_floats(B, e + 3 * WIDTH, e4)
            c += 4 * WIDTH
        remove_rows(B, L, r, start, stop, c, end)
        remove_rows(B, L, s, start, stop, c, end)

    return floats
