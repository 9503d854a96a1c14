"""Many dot products at once: rows of a table, weighted and summed, over a range of columns.

In a compiled kernel for one configuration the columns go through vector registers; on lanes and symbols, one by one.
"""

from numba import types
from numba.extending import overload

from locomote.engine.lanes import WIDTH, load_float, load_floats, store_floats
from locomote.engine.source import helper, routine
from locomote.model.columns import NEXT, RUN, V_COUNT, V

GROUP = 4 * WIDTH  # columns that `remove_below` and `remove_above` take at least, from a multiple of it on


@helper
def grouped(count):
    """The next multiple of a group."""
    return (count + GROUP - 1) // GROUP * GROUP


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


def remove_row(M, i, k, weight, start, stop, limit):
    """M[i] -= weight M[k], for columns start..stop-1, and maybe for others of the same vectors before `limit`."""
    for c in range(start, stop):
        M[i, c] = M[i, c] - weight * M[k, c]


def remove_four_rows(M, i, k, weights, start, stop, limit):
    """M[i] -= weights . (M[k], M[k-1], M[k-2], M[k-3]), for columns likewise."""
    for c in range(start, stop):
        taken = weights[0] * M[k, c] + weights[1] * M[k - 1, c] + weights[2] * M[k - 2, c] + weights[3] * M[k - 3, c]
        M[i, c] = M[i, c] - taken


@routine
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


def remove_below(L, B, k, stop, begin, end):
    """B[k] -= sum of L[k, t] B[t] over t in k+1..stop-1, for columns begin..end-1, and maybe for others of the same groups."""
    remove_rows(B, L, k, k + 1, stop, begin, end)


def remove_above(topology, L, B, b, k, scale, begin, end):
    """B[k] = scale B[k] - sum of L[k, j] B[j] over ancestors j of coordinate k, which belongs to joint b; columns likewise."""
    for c in range(begin, end):
        B[k, c] = B[k, c] * scale
    stop = k
    while b < topology.shape[0] - 1:
        remove_rows(B, L, k, topology[b, RUN], stop, begin, end)
        b = topology[b, NEXT]
        stop = topology[b, V] + topology[b, V_COUNT]


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


@overload(copy_row, jit_options={"forceinline": True})
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
                j = min(begin, stop - WIDTH)
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


@overload(remove_row, jit_options={"forceinline": True})
def _remove_row(M, i, k, weight, start, stop, limit):
    if not isinstance(M, types.Array):
        return remove_row

    def floats(M, i, k, weight, start, stop, limit):
        target, source = i * M.shape[1], k * M.shape[1]
        c = start
        while c < stop and c + WIDTH <= limit:
            store_floats(M, target + c, load_floats(M, target + c) - weight * load_floats(M, source + c))
            c += WIDTH
        while c < stop:
            M[i, c] -= weight * M[k, c]
            c += 1

    return floats


@overload(remove_four_rows, jit_options={"forceinline": True})
def _remove_four_rows(M, i, k, weights, start, stop, limit):
    if not isinstance(M, types.Array):
        return remove_four_rows

    def floats(M, i, k, weights, start, stop, limit):
        wide = M.shape[1]
        target, source = i * wide, k * wide
        c = start
        while c < stop and c + WIDTH <= limit:
            p = source + c
            x = load_floats(M, target + c) - weights[0] * load_floats(M, p) - weights[1] * load_floats(M, p - wide)
            x = x - weights[2] * load_floats(M, p - 2 * wide) - weights[3] * load_floats(M, p - 3 * wide)
            store_floats(M, target + c, x)
            c += WIDTH
        while c < stop:
            M[i, c] -= weights[0] * M[k, c] + weights[1] * M[k - 1, c] + weights[2] * M[k - 2, c] + weights[3] * M[k - 3, c]
            c += 1

    return floats


@helper
def load4(B, p):
    """Four vectors."""
    return load_floats(B, p), load_floats(B, p + WIDTH), load_floats(B, p + 2 * WIDTH), load_floats(B, p + 3 * WIDTH)


@helper
def less4(x, weight, B, p):
    """Four vectors less others."""
    return (
        x[0] - weight * load_floats(B, p), x[1] - weight * load_floats(B, p + WIDTH),
        x[2] - weight * load_floats(B, p + 2 * WIDTH), x[3] - weight * load_floats(B, p + 3 * WIDTH),
    )  # fmt: skip


@helper
def store4(B, p, x):
    store_floats(B, p, x[0])
    store_floats(B, p + WIDTH, x[1])
    store_floats(B, p + 2 * WIDTH, x[2])
    store_floats(B, p + 3 * WIDTH, x[3])


@overload(remove_below)
def _remove_below(L, B, k, stop, begin, end):
    if not isinstance(B, types.Array):
        return remove_below

    def floats(L, B, k, stop, begin, end):
        wide, place, row = B.shape[1], k * B.shape[1], k * L.shape[1]
        c = begin - (begin & (GROUP - 1))
        while c + GROUP < end:  # several sums at a time hide the latency of each
            p, s = place + c, (stop - 1) * wide + c
            x, y = load4(B, p), load4(B, p + GROUP)
            for t in range(stop - 1, k, -1):  # the row that was done last comes last
                x, y = less4(x, load_float(L, row + t), B, s), less4(y, load_float(L, row + t), B, s + GROUP)
                s -= wide
            store4(B, p, x)
            store4(B, p + GROUP, y)
            c += 2 * GROUP
        while c < end:
            p, s = place + c, (stop - 1) * wide + c
            x = load4(B, p)
            for t in range(stop - 1, k, -1):
                x = less4(x, load_float(L, row + t), B, s)
                s -= wide
            store4(B, p, x)
            c += GROUP

    return floats


@helper
def _scaled4(scale, x):
    return scale * x[0], scale * x[1], scale * x[2], scale * x[3]


@overload(remove_above)
def _remove_above(topology, L, B, b, k, scale, begin, end):
    if not isinstance(B, types.Array):
        return remove_above

    def floats(topology, L, B, b, k, scale, begin, end):
        wide, place, row, world = B.shape[1], k * B.shape[1], k * L.shape[1], topology.shape[0] - 1
        c = begin - (begin & (GROUP - 1))
        while c + GROUP < end:
            p, body, stop = place + c, b, k
            x, y = _scaled4(scale, load4(B, p)), _scaled4(scale, load4(B, p + GROUP))
            while body < world:
                s = topology[body, RUN] * wide + c
                for t in range(topology[body, RUN], stop):
                    x, y = less4(x, load_float(L, row + t), B, s), less4(y, load_float(L, row + t), B, s + GROUP)
                    s += wide
                body = topology[body, NEXT]
                stop = topology[body, V] + topology[body, V_COUNT]
            store4(B, p, x)
            store4(B, p + GROUP, y)
            c += 2 * GROUP
        while c < end:
            p, body, stop = place + c, b, k
            x = _scaled4(scale, load4(B, p))
            while body < world:
                s = topology[body, RUN] * wide + c
                for t in range(topology[body, RUN], stop):
                    x = less4(x, load_float(L, row + t), B, s)
                    s += wide
                body = topology[body, NEXT]
                stop = topology[body, V] + topology[body, V_COUNT]
            store4(B, p, x)
            c += GROUP

    return floats
