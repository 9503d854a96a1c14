"""Columns of a flexible body side by side: what the gathering of its stations does to all of its coordinates.

A table has six numbers of each coordinate in six rows, one column a coordinate, and as many columns as whole vectors take. In
a compiled kernel for one configuration several columns go through a vector register at once; on lanes and symbols they go one
by one.
"""

from numba import types

from locomote.compiler.lanes import WIDTH, load_floats, store_floats
from locomote.compiler.numba_private import overload
from locomote.compiler.source import helper
from locomote.kernels.articulated import blocks_times
from locomote.spatial.algebra import pair, plus, twist_to_child, wrench_to_parent


@helper
def column_of(table, row, k):
    """Six numbers of column k."""
    return table[row, k], table[row + 1, k], table[row + 2, k], table[row + 3, k], table[row + 4, k], table[row + 5, k]


@helper
def put(table, row, k, f):
    """Six numbers into column k."""
    table[row, k], table[row + 1, k], table[row + 2, k] = f[0], f[1], f[2]
    table[row + 3, k], table[row + 4, k], table[row + 5, k] = f[3], f[4], f[5]


@helper
def columns_at(table, row, j):
    """WIDTH columns from j on, as six vectors."""
    step = table.shape[1]
    at = row * step + j
    return (
        load_floats(table, at), load_floats(table, at + step), load_floats(table, at + 2 * step),
        load_floats(table, at + 3 * step), load_floats(table, at + 4 * step), load_floats(table, at + 5 * step),
    )  # fmt: skip


@helper
def put_columns(table, row, j, f):
    """Six vectors into WIDTH columns from j on."""
    step = table.shape[1]
    at = row * step + j
    store_floats(table, at, f[0])
    store_floats(table, at + step, f[1])
    store_floats(table, at + 2 * step, f[2])
    store_floats(table, at + 3 * step, f[3])
    store_floats(table, at + 4 * step, f[4])
    store_floats(table, at + 5 * step, f[5])


def turn_columns(table, row, R, o, count):
    """Twists of a frame become those of one that is displaced by o and turned by R."""
    for j in range(count):
        put(table, row, j, twist_to_child(R, o, column_of(table, row, j)))


def weigh_columns(table, row, L, H, J, F, P, p, forces, sums, power, count):
    """Rows `forces` <- inertia times twists of rows `row`; rows `sums` += those, seen from a frame in which this one is at p,
    turned by P; row `power` += F . twist."""
    for j in range(count):
        t = column_of(table, row, j)
        f = blocks_times(L, H, J, t)
        put(table, forces, j, f)
        put(table, sums, j, plus(column_of(table, sums, j), wrench_to_parent(P, p, f)))
        table[power, j] = table[power, j] + pair(F, t)


def add_products(table, forces, row, count, m, first):
    """m[first + j, c] += column j of rows `forces` . column c of rows `row`, for c up to j and perhaps beyond."""
    for j in range(count):
        f = column_of(table, forces, j)
        for c in range(j + 1):
            m[first + j, c] = m[first + j, c] + pair(f, column_of(table, row, c))


@overload(turn_columns)
def _turn_columns(table, row, R, o, count):
    if not isinstance(table, types.Array):
        return turn_columns

    def floats(table, row, R, o, count):
        for j in range(0, count, WIDTH):
            put_columns(table, row, j, twist_to_child(R, o, columns_at(table, row, j)))

    return floats


@overload(weigh_columns)
def _weigh_columns(table, row, L, H, J, F, P, p, forces, sums, power, count):
    if not isinstance(table, types.Array):
        return weigh_columns

    def floats(table, row, L, H, J, F, P, p, forces, sums, power, count):
        for j in range(0, count, WIDTH):
            t = columns_at(table, row, j)
            f = blocks_times(L, H, J, t)
            put_columns(table, forces, j, f)
            put_columns(table, sums, j, plus(columns_at(table, sums, j), wrench_to_parent(P, p, f)))
            at = power * table.shape[1] + j
            store_floats(table, at, load_floats(table, at) + pair(t, F))

    return floats


@overload(add_products)
def _add_products(table, forces, row, count, m, first):
    if not isinstance(table, types.Array):
        return add_products

    def floats(table, forces, row, count, m, first):
        whole = count - count % WIDTH  # what is beyond that goes one by one: the next row of m begins there
        for begin in range(0, whole, WIDTH):
            t = columns_at(table, row, begin)
            for j in range(begin, count):
                at = (first + j) * m.shape[1] + begin
                f = column_of(table, forces, j)
                store_floats(m, at, load_floats(m, at) + pair(t, f))
        for j in range(whole, count):
            f = column_of(table, forces, j)
            for c in range(whole, j + 1):
                m[first + j, c] = m[first + j, c] + pair(f, column_of(table, row, c))

    return floats
