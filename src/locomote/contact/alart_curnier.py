"""The law of Alart and Curnier on all blocks of a step: impulses for velocities, and how they change.

Rows Y are those of `methods.timestep.attempt`, w = Y^T p is the change of velocity that impulses make (mass = 1), u = Z w + b:
Z, `felt`, is Y, or rows of where the step ends.
Contacts are stiff by rho about loads lam, rho being kappa over the largest squared row of a block:

    y = lam - rho u ;   p_n = max(0, y_n) ,  p_t = y_t, or mu p_n d , d = y_t / |y_t| , where that is less        (1)
    G = -dp/du :  open 0 ;  stick rho 1 ;  slide  G_nn = rho , G_tt = rho (mu p_n / |y_t|) (1 - d d^T) , G_tn = rho mu d    (2)

A row with compliance s (ground that gives way) has rho / (1 + rho s) and lam / (1 + rho s) in (1). A stop is a normal row; an
ARM is held within +- arm p_n. A block moves the coordinates of two spans at most, those of the trees of its bodies: all sums
over coordinates are over them.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from locomote.compiler.source import helper, routine
from locomote.contact.coulomb import miss, point_impulse
from locomote.contact.delassus import ARM, FIRST, KIND, OWNER, POINT, STOP
from locomote.linear.dots import row_times
from locomote.linear.six_blocks import EIGHT, add_block, add_rows, push_rows

OPEN, STICK = -1.0, 2.0  # first column of `way`; of what slides it is mu p_n / |y_t|, then d; of an ARM at its bound 0, sign


class Contacts(NamedTuple):
    """Blocks (count, 3), spans (count, 4) of coordinates that they move, rows Y and Z (m, nv), compliances, b (m), friction;
    wide : columns that blocks may move, nv of them and some that are zero ;
    trees : how many there are, where their coordinates start (trees + 1) and which feel each other, in order of `islands` ;
    six : whether all are free bodies, in rows of `linear.six_blocks`"""

    blocks: np.ndarray
    spans: np.ndarray
    rows: np.ndarray
    felt: np.ndarray
    soft: np.ndarray
    b: np.ndarray
    mu: np.ndarray
    count: int
    m: int
    nv: int
    wide: int
    trees: int
    starts: np.ndarray
    links: np.ndarray
    six: bool


@helper
def along(rows, r, x, spans, j):
    """Row r of block j times x."""
    one, other = spans[j, 0], spans[j, 2]
    if spans[j, 1] - one == EIGHT:  # a free body, whose loop is unrolled
        total = row_times(rows, r, x, one, one + EIGHT)
    else:
        total = row_times(rows, r, x, one, spans[j, 1])
    if spans[j, 3] - other == EIGHT:
        total += row_times(rows, r, x, other, other + EIGHT)
    elif spans[j, 3] > other:
        total += row_times(rows, r, x, other, spans[j, 3])
    return total


@helper
def rows_of(kind):
    return 3 if kind == POINT else 1


@routine
def velocities(c, w, u):
    """u = Z w + b"""
    for j in range(c.count):
        r = c.blocks[j, FIRST]
        for k in range(r, r + rows_of(c.blocks[j, KIND])):
            u[k] = c.b[k] + along(c.felt, k, w, c.spans, j)


@routine
def change_of(c, dw, du):
    """du = Z dw"""
    for j in range(c.count):
        r = c.blocks[j, FIRST]
        for k in range(r, r + rows_of(c.blocks[j, KIND])):
            du[k] = along(c.felt, k, dw, c.spans, j)


@routine
def push(c, p, w):
    """w = Y^T p"""
    if c.trees == 1 and c.wide % EIGHT == 0:
        push_rows(w, p, c.rows, c.m)
        return
    for k in range(c.wide):
        w[k] = 0.0
    for j in range(c.count):
        r = c.blocks[j, FIRST]
        if c.blocks[j, KIND] == POINT:
            if p[r + 2] != 0.0 or p[r] != 0.0 or p[r + 1] != 0.0:
                add_three(w, p[r], p[r + 1], p[r + 2], c.rows, r, c.spans[j, 0], c.spans[j, 1])
                add_three(w, p[r], p[r + 1], p[r + 2], c.rows, r, c.spans[j, 2], c.spans[j, 3])
        elif p[r] != 0.0:
            for side in range(2):
                for k in range(c.spans[j, 2 * side], c.spans[j, 2 * side + 1]):
                    w[k] += p[r] * c.rows[r, k]


@helper
def add_three(w, x, y, z, rows, r, first, last):
    """w += x, y and z times three rows from r on."""
    if (last - first) % EIGHT == 0:
        add_rows(w, x, y, z, rows, r, first, last)
        return
    for k in range(first, last):
        w[k] += x * rows[r, k] + y * rows[r + 1, k] + z * rows[r + 2, k]


@routine
def own_blocks(c, own, scale):
    """W of every block by itself into `own` (count, 6), its symmetric part, and its largest diagonal entry into `scale`, 0 of
    what nothing moves; returns the largest of all."""
    most = 0.0
    for j in range(c.count):
        r, rows, felt, spans = c.blocks[j, FIRST], c.rows, c.felt, c.spans
        own[j, 0] = scale[j] = along(felt, r, rows[r], spans, j)
        if c.blocks[j, KIND] == POINT:
            own[j, 1] = 0.5 * (along(felt, r, rows[r + 1], spans, j) + along(felt, r + 1, rows[r], spans, j))
            own[j, 2] = 0.5 * (along(felt, r, rows[r + 2], spans, j) + along(felt, r + 2, rows[r], spans, j))
            own[j, 3] = along(felt, r + 1, rows[r + 1], spans, j)
            own[j, 4] = 0.5 * (along(felt, r + 1, rows[r + 2], spans, j) + along(felt, r + 2, rows[r + 1], spans, j))
            own[j, 5] = along(felt, r + 2, rows[r + 2], spans, j)
            scale[j] = max(scale[j], max(own[j, 3], own[j, 5]))
        most = max(most, scale[j])
    return most


@routine
def stiffen(c, scale, kappa, stiff, give):
    """rho / (1 + rho s) of every row, and 1 / (1 + rho s)."""
    for j in range(c.count):
        rho, r = kappa / scale[j] if scale[j] > 0.0 else 0.0, c.blocks[j, FIRST]
        for k in range(r, r + rows_of(c.blocks[j, KIND])):
            give[k] = 1.0 / (1.0 + rho * c.soft[k])
            stiff[k] = rho * give[k]


@routine
def law_at(c, stiff, give, lam, u, p, way):
    """(1), and how each block is."""
    for j in range(c.count):
        r, kind = c.blocks[j, FIRST], c.blocks[j, KIND]
        last = r + rows_of(kind) - 1
        y = give[last] * lam[last] - stiff[last] * u[last]
        if kind == ARM:
            bound = c.mu[j] * p[c.blocks[j, OWNER]]
            p[r], way[j, 0] = min(bound, max(-bound, y)), STICK if abs(y) <= bound else 0.0
            way[j, 1] = 1.0 if y > 0.0 else -1.0
            continue
        if not (y > 0.0 and stiff[last] > 0.0):
            way[j, 0] = OPEN
            for k in range(r, last + 1):
                p[k] = 0.0
            continue
        p[last], way[j, 0] = y, STICK
        if kind == POINT:
            a, b, radius = give[r] * lam[r] - stiff[r] * u[r], give[r + 1] * lam[r + 1] - stiff[r + 1] * u[r + 1], c.mu[j] * y
            square = a * a + b * b
            if square > radius * radius:
                size = 1.0 / sqrt(square)
                way[j, 0], way[j, 1], way[j, 2] = radius * size, a * size, b * size
                a, b = radius * way[j, 1], radius * way[j, 2]
            p[r], p[r + 1] = a, b


@routine
def given_way(c, stiff, way, p, du, result):
    """p - G du"""
    for j in range(c.count):
        r, kind = c.blocks[j, FIRST], c.blocks[j, KIND]
        last = r + rows_of(kind) - 1
        if kind == ARM:
            if way[j, 0] == STICK:
                result[r] = p[r] - stiff[r] * du[r]
            else:
                result[r] = way[j, 1] * c.mu[j] * result[c.blocks[j, OWNER]]
            continue
        if way[j, 0] == OPEN:
            for k in range(r, last + 1):
                result[k] = 0.0
            continue
        change = -stiff[last] * du[last]
        result[last] = p[last] + change
        if kind == POINT:
            if way[j, 0] == STICK:
                result[r], result[r + 1] = p[r] - stiff[r] * du[r], p[r + 1] - stiff[r + 1] * du[r + 1]
            else:
                d0, d1 = way[j, 1], way[j, 2]
                across = stiff[r] * way[j, 0] * (d0 * du[r + 1] - d1 * du[r])
                result[r] = p[r] + d1 * across + c.mu[j] * d0 * change
                result[r + 1] = p[r + 1] - d0 * across + c.mu[j] * d1 * change


@helper
def add_products(A, x, z, i, first, last):
    """Row i of A += x times three rows of z, columns first to last."""
    if last - first == 6:  # a free body, whose loop is unrolled
        for k in range(6):
            A[i, first + k] += x[0] * z[0, first + k] + x[1] * z[1, first + k] + x[2] * z[2, first + k]
        return
    for k in range(first, last):
        A[i, k] += x[0] * z[0, k] + x[1] * z[1, k] + x[2] * z[2, k]


@helper
def add_sides(c, j, r, stiff, way, A):
    """Blocks of A += Y^T G Z of a point between free bodies, or of one, or of one tree of bodies."""
    one, other, a, b, n = c.spans[j, 0], c.spans[j, 2], stiff[r], stiff[r + 1], stiff[r + 2]
    G = (a, 0.0, b, 0.0, 0.0, n)  # 00, 01, 11, 02, 12, 22 of (2)
    if way[j, 0] != STICK:
        d0, d1, across, n_t = way[j, 1], way[j, 2], a * way[j, 0], c.mu[j] * n
        G = (across * d1 * d1, -across * d0 * d1, across * d0 * d0, n_t * d0, n_t * d1, n)
    if not c.six:
        for k in range(0, c.wide, EIGHT):
            add_block(A, 0, c.nv, k, c.rows, c.felt, r, G)
        return
    add_block(A, one, 6, one, c.rows, c.felt, r, G)
    if c.spans[j, 3] > other:
        add_block(A, one, 6, other, c.rows, c.felt, r, G)
        add_block(A, other, 6, one, c.rows, c.felt, r, G)
        add_block(A, other, 6, other, c.rows, c.felt, r, G)


@routine
def tangent(c, stiff, way, p, A, z):
    """A += Y^T G Z; z : (3, nv), scratch for rows of G Z"""
    for j in range(c.count):
        r, kind, spans = c.blocks[j, FIRST], c.blocks[j, KIND], c.spans
        last, rows, felt, friction = r + rows_of(kind) - 1, c.rows, c.felt, 0.0
        if way[j, 0] == OPEN:
            continue
        if kind == POINT and (c.six or (c.trees == 1 and c.wide % EIGHT == 0)):
            add_sides(c, j, r, stiff, way, A)
            continue
        if kind == ARM and way[j, 0] != STICK:
            last = c.blocks[j, OWNER]
            friction = way[j, 1] * c.mu[j]
            if not p[last] > 0.0:
                continue
        for side in range(2):
            for k in range(spans[j, 2 * side], spans[j, 2 * side + 1]):
                a = stiff[last] * felt[last, k]
                if kind != POINT:
                    z[0, k] = a if friction == 0.0 else friction * a
                    continue
                z[2, k] = a
                if way[j, 0] == STICK:
                    z[0, k], z[1, k] = stiff[r] * felt[r, k], stiff[r + 1] * felt[r + 1, k]
                else:
                    d0, d1 = way[j, 1], way[j, 2]
                    across, a = stiff[r] * way[j, 0] * (d0 * felt[r + 1, k] - d1 * felt[r, k]), c.mu[j] * a
                    z[0, k], z[1, k] = d0 * a - d1 * across, d1 * a + d0 * across
        for side in range(2):
            for i in range(spans[j, 2 * side], spans[j, 2 * side + 1]):
                if kind == POINT:
                    x = (rows[r, i], rows[r + 1, i], rows[r + 2, i])
                    add_products(A, x, z, i, spans[j, 0], spans[j, 1])
                    add_products(A, x, z, i, spans[j, 2], spans[j, 3])
                else:
                    for k in range(spans[j, 0], spans[j, 1]):
                        A[i, k] += rows[r, i] * z[0, k]
                    for k in range(spans[j, 2], spans[j, 3]):
                        A[i, k] += rows[r, i] * z[0, k]


@routine
def missed(c, scale, p, u, enough):
    """The worst miss of all blocks, m/s, or one above `enough`; u : without what compliances add."""
    worst, soft = 0.0, c.soft
    for j in range(c.count):
        r, kind = c.blocks[j, FIRST], c.blocks[j, KIND]
        if not scale[j] > 0.0:
            continue
        if kind == POINT:
            if u[r + 2] >= 0.0 and p[r] == 0.0 and p[r + 1] == 0.0 and p[r + 2] == 0.0:
                continue
            v = (u[r] + soft[r] * p[r], u[r + 1] + soft[r + 1] * p[r + 1], u[r + 2] + soft[r + 2] * p[r + 2])
            most = max(scale[j] + soft[r + 2], scale[j] + soft[r])
            worst = max(worst, miss((p[r], p[r + 1], p[r + 2]), v, c.mu[j], 1.0 / most))
        else:
            most = scale[j] + soft[r]
            s = p[r] - (u[r] + soft[r] * p[r]) / most
            bound = c.mu[j] * p[c.blocks[j, OWNER]] if kind == ARM else 1e300
            worst = max(worst, abs(p[r] - min(bound, max(-bound if kind == ARM else 0.0, s))) * most)
        if worst > enough:
            break
    return worst


@routine
def sweep_rows(c, own, p, w):
    """Every block solved exactly once, after the other (Gauss and Seidel); w = Y^T p goes along. Returns the largest change, as
    a velocity."""
    change, rows, felt, soft, b, spans = 0.0, c.rows, c.felt, c.soft, c.b, c.spans
    for j in range(c.count):
        r, kind = c.blocks[j, FIRST], c.blocks[j, KIND]
        if kind == POINT:
            more = 1e-12 * (own[j, 0] + own[j, 3] + own[j, 5] + soft[r] + soft[r + 1] + soft[r + 2])
            if not more > 0.0:
                continue
            x, y, z = p[r], p[r + 1], p[r + 2]
            normal = b[r + 2] + along(felt, r + 2, w, spans, j)
            if normal >= 0.0 and x == 0.0 and y == 0.0 and z == 0.0:  # it stays open
                continue
            S = (own[j, 0] + soft[r], own[j, 1], own[j, 2], own[j, 3] + soft[r + 1], own[j, 4], own[j, 5] + soft[r + 2])
            rest = (
                b[r] + along(felt, r, w, spans, j) + soft[r] * x - S[0] * x - S[1] * y - S[2] * z,
                b[r + 1] + along(felt, r + 1, w, spans, j) + soft[r + 1] * y - S[1] * x - S[3] * y - S[4] * z,
                normal + soft[r + 2] * z - S[2] * x - S[4] * y - S[5] * z,
            )
            S = (S[0] + more, S[1], S[2], S[3] + more, S[4], S[5] + more)
            p[r], p[r + 1], p[r + 2] = point_impulse(S, rest, c.mu[j], x, y)
            dx, dy, dz = p[r] - x, p[r + 1] - y, p[r + 2] - z
            if dx != 0.0 or dy != 0.0 or dz != 0.0:
                add_three(w, dx, dy, dz, rows, r, spans[j, 0], spans[j, 1])
                add_three(w, dx, dy, dz, rows, r, spans[j, 2], spans[j, 3])
            change = max(change, max(S[0], max(S[3], S[5])) * max(abs(dx), max(abs(dy), abs(dz))))
            continue
        S0 = own[j, 0] + soft[r]
        if S0 > 0.0:
            s = p[r] - (b[r] + along(felt, r, w, spans, j) + soft[r] * p[r]) / S0
            if kind == STOP:
                s = max(0.0, s)
            else:
                bound = c.mu[j] * p[c.blocks[j, OWNER]]
                s = min(bound, max(-bound, s))
            dx = s - p[r]
            p[r] = s
            for side in range(2):
                for k in range(spans[j, 2 * side], spans[j, 2 * side + 1]):
                    w[k] += dx * rows[r, k]
            change = max(change, S0 * abs(dx))
    return change
