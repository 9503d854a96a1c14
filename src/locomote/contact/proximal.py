"""Contacts of a step solved in the space of velocities: work grows with their number, and not with its square or cube.

W of `delassus` is Y Y^T, which many points of few bodies make large and singular; here nothing is larger than w = Y^T p. Loads
of redundant points are unique by a stiffness about loads lam, which rises from round to round: proximal semismooth Newton on
the law of `alart_curnier`, whose p(u) and G are in

    F(w) = w - Y^T p ;   (1 + Y^T G Y) dw = -F                                                                     (1)
    p+ = p - G Y dw and u+ = u + Y dw are in balance exactly, whatever the law says: they end it if they meet it   (2)
    else dw is cut in halves until |F| falls ; a round ends with lam = p and kappa 10 times as large               (3)
    a round that fails goes back to lam with a tenth of kappa, which then doubles: loads settle where rounds succeed ;
    after two that fail in turn there are some sweeps of Gauss and Seidel                                           (4)
    lam = s p_before ,  s = clamp(-p_before . b / |Y^T p_before|^2, 0, 1): loads are a start, the impulse of a hit is none  (5)

Trees of bodies that touch few others have a tangent whose blocks are mostly zero (`linear.block_lu`).

Tested by tests/laws/contact/test_many_contacts.py.
"""

from typing import NamedTuple

import numpy as np

from locomote.compiler.source import routine
from locomote.contact.alart_curnier import (
    change_of,
    given_way,
    law_at,
    missed,
    push,
    stiffen,
    sweep_rows,
    tangent,
    velocities,
)
from locomote.contact.delassus import FIRST, KIND, POINT
from locomote.linear.block_lu import solve_blocks
from locomote.linear.lu import solve_dense, solve_vectors
from locomote.linear.six_blocks import EIGHT, solve_bodies

FIRST_KAPPA, GROWTH, SLOW_GROWTH, NEAR = 100.0, 10.0, 2.0, 0.3  # NEAR : of a kappa that failed, from which on it is slow
ROUNDS, STEPS, HALVES, SWEEPS = 100, 15, 7, 10  # of Newton's method, in each, of its steps, and sweeps of (4)
INNER = 0.1  # part of what is left of the law to which a round solves F = 0
FULL = 1e6  # kappa from which on, where rounds fail, enough is enough
DENSE = 24  # coordinates up to which all blocks of the tangent count
SMALL = 48  # coordinates of one tree up to which its tangent is solved without factors
MOST = 400  # steps of Newton's method for one guess where the tangent has more coordinates
ROOM, VECTORS = 9, 6  # rows of what a solve works in, for each row of contacts and for each coordinate
SCALE, LAM, U, DU, NOW, LEAST, GUESS, STIFF, GIVE = range(9)
W, F, DW, Z = range(4)  # Z : three rows
LEFT, AT_KAPPA, TAKEN = range(3)  # entries of `best`: the least that was left, and kappa then; steps of Newton's method


class Room(NamedTuple):
    """What a solve works in: rows (ROOM, m), vectors (VECTORS, nv), A (nv, nv), own and way (count, 6 and 3), best (3)"""

    rows: np.ndarray
    vectors: np.ndarray
    A: np.ndarray
    own: np.ndarray
    way: np.ndarray
    best: np.ndarray


@routine
def force_misfit(c, w, p, result):
    """F = w - Y^T p, returns its square."""
    push(c, p, result)
    total = 0.0
    for k in range(c.nv):
        result[k] = w[k] - result[k]
        total += result[k] * result[k]
    return total


@routine
def clear_tangent(c, A):
    """Zeros in all blocks of A that count."""
    if not c.six and (c.trees < 3 or c.nv <= DENSE):
        for i in range(c.nv):
            for k in range(c.wide):
                A[i, k] = 0.0
        return
    for n in range(c.trees):
        for o in range(c.trees):
            if (c.links[n, o] != 0 or n == o) and c.six:
                for i in range(EIGHT * n, EIGHT * n + 6):
                    for k in range(EIGHT):
                        A[i, EIGHT * o + k] = 0.0
            elif c.links[n, o] != 0 or n == o:
                for i in range(c.starts[n], c.starts[n + 1]):
                    for k in range(c.starts[o], c.starts[o + 1]):
                        A[i, k] = 0.0


@routine
def solve_tangent(c, A, x):
    """x <- solution of A y = x; False if there is none."""
    if c.six:
        return solve_bodies(A, x, c.links, c.trees)
    if c.trees == 1 and c.wide % EIGHT == 0 and c.nv <= SMALL:
        return solve_vectors(A, c.nv, x)
    if c.trees < 3 or c.nv <= DENSE:
        return solve_dense(A, c.nv, x)
    return solve_blocks(A, x, c.starts, c.links, c.trees)


@routine
def newton_direction(c, room):
    """dw of (1) from F, and du; False if there is none."""
    A, dw, misfit = room.A, room.vectors[DW], room.vectors[F]
    room.best[TAKEN] += 1.0
    clear_tangent(c, A)
    for i in range(c.nv):
        A[i, i], dw[i] = 1.0, -misfit[i]
    for i in range(c.nv, c.wide):
        dw[i] = 0.0
    tangent(c, room.rows[STIFF], room.way, room.rows[NOW], A, room.vectors[Z:])
    good = solve_tangent(c, A, dw)
    if good:
        change_of(c, dw, room.rows[DU])
    return good


@routine
def keep_if_better(c, room, kappa, p):
    """(2): p+ into p, and into LEAST if it leaves less than all before."""
    rows, best = room.rows, room.best
    u, du, guess = rows[U], rows[DU], rows[GUESS]
    given_way(c, rows[STIFF], room.way, rows[NOW], du, p)
    for r in range(c.m):
        guess[r] = u[r] + du[r]
    off = missed(c, rows[SCALE], p, guess, best[LEFT])
    if off < best[LEFT]:
        best[LEFT], best[AT_KAPPA] = off, kappa
        for r in range(c.m):
            rows[LEAST][r] = p[r]


@routine
def shorten(c, room, before):
    """(3): how much of dw is taken, and whether |F| falls by it; then w, u, p, how blocks are and F are those of there."""
    rows, w, dw, guess = room.rows, room.vectors[W], room.vectors[DW], room.rows[GUESS]
    t, lowest, best, found, size = 1.0, 1e300, 1.0, False, 1e300
    for turn in range(HALVES + 1):
        if turn == HALVES:  # none falls enough: the best of them
            t = best
        for r in range(c.m):
            guess[r] = rows[U][r] + t * rows[DU][r]
        law_at(c, rows[STIFF], rows[GIVE], rows[LAM], guess, rows[NOW], room.way)
        push(c, rows[NOW], room.vectors[F])
        size = 0.0
        for k in range(c.nv):
            room.vectors[F][k] = w[k] + t * dw[k] - room.vectors[F][k]
            size += room.vectors[F][k] ** 2
        if size < lowest:
            lowest, best = size, t
        found = size < (1.0 - 0.1 * t) * before
        if found or not lowest < 1e300:
            break
        if turn < HALVES:
            t *= 0.5
    for k in range(c.nv):
        w[k] += t * dw[k]
    for r in range(c.m):
        rows[U][r] = guess[r]
    return t, size, found


@routine
def newton_round(c, room, p, kappa, most, tolerance):
    """Steps of Newton's method at one kappa; whether they end at F = 0. LEFT of `best` is below the tolerance if p ends it."""
    rows, w, misfit, stuck = room.rows, room.vectors[W], room.vectors[F], 0
    stiffen(c, rows[SCALE], kappa, rows[STIFF], rows[GIVE])
    velocities(c, w, rows[U])
    law_at(c, rows[STIFF], rows[GIVE], rows[LAM], rows[U], rows[NOW], room.way)
    before = force_misfit(c, w, rows[NOW], misfit)
    for _ in range(STEPS):
        if not newton_direction(c, room):
            return False
        keep_if_better(c, room, kappa, p)
        if room.best[LEFT] <= tolerance:
            return True
        t, size, found = shorten(c, room, before)
        if not size < 1e300:
            return False
        if not found:
            stuck += 1
            if stuck == 2:
                return False
        before = size
        if before * most < (INNER * (room.best[LEFT] if t == 1.0 else tolerance)) ** 2:
            return True
    return False


@routine
def start_from(c, room, p):
    """(5)"""
    rows, w, power, square = room.rows, room.vectors[W], 0.0, 0.0
    push(c, p, w)
    for r in range(c.m):
        power -= p[r] * c.b[r]
        square += c.soft[r] * p[r] * p[r]
    for k in range(c.nv):
        square += w[k] * w[k]
    part = min(1.0, max(0.0, power / square)) if square > 0.0 else 0.0
    for r in range(c.m):
        rows[LAM][r], rows[LEAST][r] = part * p[r], 0.0
    for k in range(c.nv):
        w[k] *= part


@routine
def settle_velocities(c, room, p, kappa, stiffest, tolerance, enough):
    """Impulses p of all blocks, from a guess; returns what is left, m/s.

    kappa : the first one ; stiffest : the last one ; enough : what may be left where rounds fail. After `own_blocks`.
    """
    rows, best = room.rows, room.best
    most = 0.0
    for j in range(c.count):
        most = max(most, rows[SCALE][j])
    start_from(c, room, p)
    best[LEFT], best[AT_KAPPA], best[TAKEN], failed, again = 1e300, 0.0, 0.0, 1e300, False
    for _ in range(ROUNDS):
        solved = newton_round(c, room, p, kappa, most, tolerance)
        if best[LEFT] <= tolerance:
            return best[LEFT]
        if solved:
            for r in range(c.m):
                rows[LAM][r] = rows[NOW][r]
            kappa, again = min(stiffest, kappa * (GROWTH if GROWTH * kappa < NEAR * failed else SLOW_GROWTH)), False
            continue
        if (best[LEFT] <= enough and best[AT_KAPPA] >= FULL) or (c.nv > DENSE and best[TAKEN] > MOST):
            break
        push(c, rows[LAM], room.vectors[W])
        for _ in range(SWEEPS if again else 0):  # (4)
            if sweep_rows(c, room.own, rows[LAM], room.vectors[W]) < 0.1 * tolerance:
                break
        failed, kappa, again = kappa, max(1.0, 0.1 * kappa), True
    for r in range(c.m):
        p[r] = rows[LEAST][r]
    return best[LEFT]


@routine
def stick_more(c, mu, p, less, more):
    """Loads of points whose friction is at its bound, for friction that is `more` at most instead of `less`."""
    for j in range(c.count):
        r = c.blocks[j, FIRST]
        if c.blocks[j, KIND] == POINT and mu[j] > less:
            if p[r] * p[r] + p[r + 1] * p[r + 1] > (0.999 * less * p[r + 2]) ** 2:
                p[r + 2] *= less / min(mu[j], more)
