"""Contacts of a step solved by softening them: each gives way by a part of its own compliance, about the load it had.

    (W + s diag W) p + b - s diag W p_before        p_before = p, and again                                      (1)

With some s the loads of redundant contacts are unique, and `pivot` finds them; each answer is the p_before of the next. This is
the proximal point method: what (1) leaves of the law is s diag W (p - p_before), which goes whatever s is, so that s can stay
large enough for (1) to be easy. Often the states that contacts have in (1) are those of s = 0 already, and Newton's method
with states kept ends it                                                                                         (2)
"""

from locomote.engine.source import routine
from locomote.ground.pivot import first_states, pivot, state_rows
from locomote.ground.solve import left_over, newton, settle, solve_dense, sweep

SOFT, LESS, MORE, LEAST, MOST = 1e-3, 0.3, 30.0, 1e-6, 0.1  # first s, its changes after (1) went well and ill, its bounds
ROUNDS, SWEEPS, LAST = 60, 30, 6  # of (1), sweeps where `pivot` fails, steps of (2)


@routine
def set_diagonal(W, diagonal, m, s):
    """Diagonal of (1)."""
    for k in range(m):
        W[k, k] = diagonal[k] * (1.0 + s)


@routine
def keep_states(blocks, count, W, b, mu, p, m, A, x, modes, tolerance):
    """(2): impulses p for the states in `modes`; returns what is left, m/s."""
    left = 1e300
    for _ in range(LAST):
        state_rows(blocks, count, modes, W, b, mu, p, A, x, m, 1e-13)
        if not solve_dense(A, x, m):
            break
        for k in range(m):
            p[k] += x[k]
        left = left_over(blocks, count, W, b, mu, p, m)
        if left <= tolerance:
            break
    return left


@routine
def keep_better(p, m, now, best, left):
    """Keep p in `best` if it leaves less; returns the least left."""
    if now < left:
        for k in range(m):
            best[k] = p[k]
        return now
    return left


@routine
def follow(blocks, count, W, b, mu, p, m, A, x, modes, diagonal, before, shifted, trial, best, left, tolerance):
    """(1) from a guess p; the best p met goes into `best` if it leaves less than `left`. Returns the least left."""
    s = SOFT
    for k in range(m):
        diagonal[k] = W[k, k]
    for _ in range(ROUNDS):
        for k in range(m):
            before[k], shifted[k] = p[k], b[k] - s * diagonal[k] * p[k]
        set_diagonal(W, diagonal, m, s)
        rest = left_over(blocks, count, W, shifted, mu, p, m)
        rest = newton(blocks, count, W, shifted, mu, p, m, A, x, trial, rest, 0.0, 0.1 * tolerance)
        if rest > 0.1 * tolerance:
            rest = pivot(blocks, count, W, shifted, mu, p, m, A, x, modes, 0.1 * tolerance, 0.0)
        else:
            first_states(blocks, count, modes, W, shifted, mu, p, m)
        if rest > 0.1 * tolerance:
            for _ in range(SWEEPS):
                sweep(blocks, count, W, shifted, mu, p, m)
            rest = left_over(blocks, count, W, shifted, mu, p, m)
        set_diagonal(W, diagonal, m, 0.0)
        left = keep_better(p, m, left_over(blocks, count, W, b, mu, p, m), best, left)
        if left <= tolerance:
            break
        if rest <= 0.1 * tolerance:
            s = max(LEAST, LESS * s)
            for k in range(m):
                before[k] = p[k]
            left = keep_better(p, m, keep_states(blocks, count, W, b, mu, p, m, A, x, modes, tolerance), best, left)
            if left <= tolerance:
                break
        else:
            s = min(MOST, MORE * s)
        for k in range(m):
            p[k] = before[k]
    return left


@routine
def settle_all(blocks, count, W, b, mu, p, m, A, x, kept, modes, diagonal, good, shifted, guess, trial, tolerance, enough):
    """Impulses p of all blocks, from a guess, by whatever way it takes; returns what is left, m/s. enough : what may be left
    after ways that take long"""
    for k in range(m):
        guess[k] = p[k]
    left = settle(blocks, count, W, b, mu, p, m, A, x, kept, tolerance)
    if left <= tolerance:
        return left
    for k in range(m):
        kept[k] = p[k]
    for start in range(3):  # from the guess, from where `settle` ended, and from nothing
        if left > enough:
            for k in range(m):
                p[k] = guess[k] if start == 0 else (kept[k] if start == 1 else 0.0)
            left = follow(blocks, count, W, b, mu, p, m, A, x, modes, diagonal, good, shifted, trial, kept, left, tolerance)
    for k in range(m):
        p[k] = kept[k]
    return left
