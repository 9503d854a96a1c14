"""A flexible body as one body of the generalised Newton-Euler model: what its stations carry, seen from its root.

At station s, with J its motion per coordinate, Ad that of the root, I, F the inertia and bias there (of itself and of what
hangs on it):

    J <- Ad_step J + A1 B1 + A2 B2                                                                                        (1)
    m += J^T I J ,   M_e += J^T I Ad ,   M += Ad^T I Ad ,   Q += J^T F ,   F_root += Ad^T F                               (2)
"""

from locomote.compiler.source import routine
from locomote.kernels.articulated import blocks_plus, blocks_shifted, matrix_turned, symmetric_turned
from locomote.kernels.flexible import columns as col
from locomote.kernels.flexible.modal import modal_column
from locomote.kernels.flexible.shape import step_axes
from locomote.kernels.flexible.wide import add_products, column_of, put, turn_columns, weigh_columns
from locomote.spatial.algebra import IDENTITY, add, compose, plus, rotate, wrench_to_parent
from locomote.spatial.rows import load, load6, load9, store, store6, store9

NONE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
# rows of `table`: M_e^T, by coordinates of v; then by coordinates of one body its J, I J, M_e^T and Q
MOMENTUM, MOTION, FORCES, SUMS, POWER = 0, 6, 12, 18, 24
TABLE = 25


@routine
def carry_table(tree, n, s, steps, table):
    """(1): rows MOTION of `table` from the station before to station s; J of a modal body is its own at each."""
    size, place = tree.rods[n, col.SIZE], tree.rods[n, col.COMPONENTS]
    if tree.rods[n, col.MODAL] != 0:
        for j in range(size):
            put(table, MOTION, j, modal_column(tree, n, s, steps, j))
        return
    at = tree.rods[n, col.BASIS] + (s - tree.rods[n, col.STATION]) * 2 * size
    turn_columns(table, MOTION, load9(steps, s, col.ROTATION), load(steps, s, col.ORIGIN), size)
    step_axes(tree, n, s, steps)
    for j in range(size):
        c, b1, b2 = tree.components[place + j], tree.basis[at + j], tree.basis[at + size + j]
        x, y = col.AXES + 6 * c, col.AXES + 36 + 6 * c
        for r in range(6):
            table[MOTION + r, j] = table[MOTION + r, j] + b1 * steps[s, x + r] + b2 * steps[s, y + r]


@routine
def clear_table(tree, n, steps, table):
    """Zeros in the rows of rod n."""
    for k in range(MOTION, TABLE):
        for j in range(tree.rods[n, col.SIZE]):
            table[k, j] = 0.0 * steps[tree.rods[n, col.STATION], col.ORIGIN]


@routine
def gather(tree, n, steps, work, table, m, force):
    """(1) and (2) for rod n: m (rows of its coordinates), M_e in `table`, M in the row of the body, whose own inertia must be
    there already; F there and Q in `force` unless that is None."""
    size, first, row, station = (
        tree.rods[n, col.SIZE],
        tree.rods[n, col.FIRST_V],
        tree.rods[n, col.ROW],
        tree.rods[n, col.STATION],
    )
    clear_table(tree, n, steps, table)
    for j in range(first, first + size):
        for k in range(size):
            m[j, k] = 0.0 * steps[station, col.ORIGIN]
    L, H, J = load6(work, row, col.LINEAR), load9(work, row, col.COUPLING), load6(work, row, col.ANGULAR)
    P, p = IDENTITY, (0.0, 0.0, 0.0)
    for s in range(station, station + tree.rods[n, col.STATIONS]):
        i = row + 1 + s - station
        carry_table(tree, n, s, steps, table)
        if tree.rods[n, col.MODAL] != 0:
            P, p = load9(steps, s, col.ROTATION), load(steps, s, col.ORIGIN)
        else:
            P, p = compose(P, load9(steps, s, col.ROTATION)), add(p, rotate(P, load(steps, s, col.ORIGIN)))
        store9(work, i, col.PLACE_R, P)
        store(work, i, col.PLACE_O, p)
        Ls, Hs, Js = load6(work, i, col.LINEAR), load9(work, i, col.COUPLING), load6(work, i, col.ANGULAR)
        F = NONE
        if force is not None:
            F = load6(work, i, col.WRENCH)
        weigh_columns(table, MOTION, Ls, Hs, Js, F, P, p, FORCES, SUMS, POWER, size)
        add_products(table, FORCES, MOTION, size, m, first)
        if force is not None:
            store6(work, row, col.WRENCH, plus(load6(work, row, col.WRENCH), wrench_to_parent(P, p, F)))
        Ls, Hs, Js = symmetric_turned(P, Ls), matrix_turned(P, Hs), symmetric_turned(P, Js)
        Ls, Hs, Js = blocks_shifted(Ls, Hs, Js, p)
        L, H, J = blocks_plus(L, H, J, Ls, Hs, Js)
    for j in range(size):
        put(table, MOMENTUM, first + j, column_of(table, SUMS, j))
        if force is not None:
            force[first + j] = force[first + j] + table[POWER, j]
        for c in range(j):
            m[first + c, j] = m[first + j, c]
    store6(work, row, col.LINEAR, L)
    store9(work, row, col.COUPLING, H)
    store6(work, row, col.ANGULAR, J)
