"""A flexible body as one body of the generalised Newton-Euler model: what its stations carry, seen from its root.

At station s, with J its motion per coordinate, Ad that of the root, I, F the inertia and bias there (of itself and of what
hangs on it):

    J <- Ad_step J + A1 B1 + A2 B2                                                                                        (1)
    m += J^T I J ,   M_e += J^T I Ad ,   M += Ad^T I Ad ,   Q += J^T F ,   F_root += Ad^T F                               (2)
"""

from locomote.engine.source import routine
from locomote.kernels.articulated import blocks_plus, blocks_shifted, blocks_times, matrix_turned, symmetric_turned
from locomote.kernels.flexible.columns import (
    ANGULAR,
    AXES,
    BASIS,
    COMPONENTS,
    COUPLING,
    FIRST_V,
    LINEAR,
    ORIGIN,
    PLACE_O,
    PLACE_R,
    ROTATION,
    ROW,
    SIZE,
    STATION,
    STATIONS,
    WRENCH,
)
from locomote.kernels.flexible.shape import step_axes
from locomote.spatial.algebra import IDENTITY, add, compose, pair, plus, rotate, twist_to_child, wrench_to_parent
from locomote.spatial.rows import load, load6, load9, store, store6, store9

MOTION, MOMENTUM = 0, 6  # rows of `table`: J, then M_e^T; one column for each coordinate of v
TABLE = 12


@routine
def carry_table(tree, n, s, steps, table):
    """(1): rows MOTION of `table` from the station before to station s."""
    size, place, first = tree.rods[n, SIZE], tree.rods[n, COMPONENTS], tree.rods[n, FIRST_V]
    at = tree.rods[n, BASIS] + (s - tree.rods[n, STATION]) * 2 * size
    R, o = load9(steps, s, ROTATION), load(steps, s, ORIGIN)
    step_axes(tree, n, s, steps)
    for j in range(size):
        k, c, b1, b2 = first + j, tree.components[place + j], tree.basis[at + j], tree.basis[at + size + j]
        t = (table[0, k], table[1, k], table[2, k], table[3, k], table[4, k], table[5, k])
        t = twist_to_child(R, o, t)
        x, y = AXES + 6 * c, AXES + 36 + 6 * c
        table[0, k] = t[0] + b1 * steps[s, x] + b2 * steps[s, y]
        table[1, k] = t[1] + b1 * steps[s, x + 1] + b2 * steps[s, y + 1]
        table[2, k] = t[2] + b1 * steps[s, x + 2] + b2 * steps[s, y + 2]
        table[3, k] = t[3] + b1 * steps[s, x + 3] + b2 * steps[s, y + 3]
        table[4, k] = t[4] + b1 * steps[s, x + 4] + b2 * steps[s, y + 4]
        table[5, k] = t[5] + b1 * steps[s, x + 5] + b2 * steps[s, y + 5]


@routine
def gather(tree, n, steps, work, table, m, force):
    """(1) and (2) for rod n: m (rows of its coordinates), M_e in `table`, M in the row of the body, whose own inertia must be
    there already; F there and Q in `force` unless that is None."""
    size, first, row, station = tree.rods[n, SIZE], tree.rods[n, FIRST_V], tree.rods[n, ROW], tree.rods[n, STATION]
    for j in range(first, first + size):
        for k in range(TABLE):
            table[k, j] = 0.0 * steps[station, ORIGIN]
        for k in range(size):
            m[j, k] = 0.0 * steps[station, ORIGIN]
    L, H, J = load6(work, row, LINEAR), load9(work, row, COUPLING), load6(work, row, ANGULAR)
    P, p = IDENTITY, (0.0, 0.0, 0.0)
    for s in range(station, station + tree.rods[n, STATIONS]):
        i = row + 1 + s - station
        carry_table(tree, n, s, steps, table)
        p = add(p, rotate(P, load(steps, s, ORIGIN)))
        P = compose(P, load9(steps, s, ROTATION))
        store9(work, i, PLACE_R, P)
        store(work, i, PLACE_O, p)
        Ls, Hs, Js = load6(work, i, LINEAR), load9(work, i, COUPLING), load6(work, i, ANGULAR)
        for j in range(size):
            k = first + j
            t = (table[0, k], table[1, k], table[2, k], table[3, k], table[4, k], table[5, k])
            f = blocks_times(Ls, Hs, Js, t)
            for c in range(j + 1):
                b = first + c
                m[k, c] = m[k, c] + (
                    f[0] * table[0, b] + f[1] * table[1, b] + f[2] * table[2, b]
                    + f[3] * table[3, b] + f[4] * table[4, b] + f[5] * table[5, b]
                )  # fmt: skip
            f = wrench_to_parent(P, p, f)
            table[6, k] = table[6, k] + f[0]
            table[7, k] = table[7, k] + f[1]
            table[8, k] = table[8, k] + f[2]
            table[9, k] = table[9, k] + f[3]
            table[10, k] = table[10, k] + f[4]
            table[11, k] = table[11, k] + f[5]
            if force is not None:
                force[k] = force[k] + pair(load6(work, i, WRENCH), t)
        if force is not None:
            moved = wrench_to_parent(P, p, load6(work, i, WRENCH))
            store6(work, row, WRENCH, plus(load6(work, row, WRENCH), moved))
        Ls, Hs, Js = symmetric_turned(P, Ls), matrix_turned(P, Hs), symmetric_turned(P, Js)
        Ls, Hs, Js = blocks_shifted(Ls, Hs, Js, p)
        L, H, J = blocks_plus(L, H, J, Ls, Hs, Js)
    for j in range(size):
        for c in range(j):
            m[first + c, j] = m[first + j, c]
    store6(work, row, LINEAR, L)
    store9(work, row, COUPLING, H)
    store6(work, row, ANGULAR, J)
