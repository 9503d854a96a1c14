"""Contacts of a step solved by softening them first: each gives way by a part of its own compliance, ever less of it.

    (W + s diag W) p + b        s = 1e-2, then less and less                                                     (1)

With some s the loads of redundant contacts are unique, and `pivot` finds them; the answer to one s is a good guess for the
next. Steps of s become shorter where the way bends. What (1) leaves of the law is s W p, less than the tolerance in the end.
"""

from math import sqrt

from locomote.engine.source import routine
from locomote.ground.pivot import pivot
from locomote.ground.solve import left_over, settle, sweep

SOFT, LEAST, ROUNDS, SWEEPS, SHORTEST = 1e-2, 0.1, 60, 30, 0.97  # first s, its change, how often; changes of s that are no more


@routine
def set_diagonal(W, diagonal, m, s):
    """Diagonal of (1)."""
    for k in range(m):
        W[k, k] = diagonal[k] * (1.0 + s)


@routine
def follow(blocks, count, W, b, mu, p, m, A, x, modes, diagonal, good, best, left, tolerance):
    """Go along (1) from a guess p; the best p met goes into `best` if it leaves less than `left`. Returns the least left."""
    s, factor, have = SOFT, LEAST, False
    for k in range(m):
        good[k], diagonal[k] = p[k], W[k, k]
    for _ in range(ROUNDS):
        set_diagonal(W, diagonal, m, s)
        rest = pivot(blocks, count, W, b, mu, p, m, A, x, modes, 0.3 * tolerance, 0.0)
        if rest > 0.3 * tolerance:
            for _ in range(SWEEPS):
                sweep(blocks, count, W, b, mu, p, m)
            rest = left_over(blocks, count, W, b, mu, p, m)
        set_diagonal(W, diagonal, m, 0.0)
        now = left_over(blocks, count, W, b, mu, p, m)
        if now < left:
            left = now
            for k in range(m):
                best[k] = p[k]
        if left <= tolerance:
            break
        if rest <= 0.3 * tolerance:
            have = True
            for k in range(m):
                good[k] = p[k]
            factor = max(LEAST, factor * factor)
            s *= factor
        else:
            for k in range(m):
                p[k] = good[k]
            if have:
                s /= factor
                factor = sqrt(factor)
                if factor > SHORTEST:
                    break
                s *= factor
            else:
                s *= 10.0
    return left


@routine
def settle_all(blocks, count, W, b, mu, p, m, A, x, kept, modes, diagonal, good, tolerance, enough):
    """Impulses p of all blocks, from a guess, by whatever way it takes; returns what is left, m/s. enough : what may be left
    after ways that take long"""
    left = settle(blocks, count, W, b, mu, p, m, A, x, kept, tolerance)
    if left <= tolerance:
        return left
    for k in range(m):
        kept[k] = p[k]
    for start in range(2):  # from the guess, and from nothing
        if left > enough:
            for k in range(m):
                p[k] = kept[k] if start == 0 else 0.0
            left = follow(blocks, count, W, b, mu, p, m, A, x, modes, diagonal, good, kept, left, tolerance)
    for k in range(m):
        p[k] = kept[k]
    return left
