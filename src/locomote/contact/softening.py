"""Contacts of a step solved by softening them: each gives way by a part of its own compliance, about the load it had.

    (W + s diag W) p + b - s diag W p_before        p_before = p, and again                                      (1)

With some s the loads of redundant contacts are unique, and `pivoting` finds them; each answer is the p_before of the next.
This is the proximal point method: what (1) leaves of the law is s diag W (p - p_before), which goes whatever s is, so that s
can stay large enough for (1) to be easy. Often the states that contacts have in (1) are those of s = 0 already, and Newton's
method with states kept ends it (`gauss_seidel`)                                                                            (2)
"""

from locomote.compiler.source import routine
from locomote.contact.delassus import ARM, KIND, left_over, newton, sweep
from locomote.contact.gauss_seidel import keep_better, keep_states, sweep_on
from locomote.contact.pivoting import first_states, pivot

SOFT, LESS, MORE, LEAST, MOST = 1e-3, 0.3, 30.0, 1e-6, 0.1  # first s, its changes after (1) went well and ill, its bounds
ROUNDS, SWEEPS = 60, 30  # of (1), and sweeps where `pivoting` fails
SOME, MANY = 20, 2000  # batches of `sweep_on` before (1) where things roll, and after it in vain
PIVOTING, WORK = 2e7, 1e10  # rounds of (1) times rows to the third; batches times rows to the fourth; at most


@routine
def set_diagonal(W, diagonal, m, s):
    """Diagonal of (1)."""
    for k in range(m):
        W[k, k] = diagonal[k] * (1.0 + s)


@routine
def follow(blocks, count, W, b, mu, p, m, A, x, modes, diagonal, before, shifted, trial, best, left, tolerance):
    """(1) from a guess p; the best p met goes into `best` if it leaves less than `left`. Returns the least left."""
    s = SOFT
    for k in range(m):
        diagonal[k] = W[k, k]
    for _ in range(min(ROUNDS, int(PIVOTING / m**3) + 1)):
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
def settle_slowly(blocks, count, W, b, mu, p, m, A, x, kept, modes, diagonal, good, shifted, guess, trial, tolerance, enough):
    """Impulses p of all blocks by whatever way it takes, from the best so far; returns what is left, m/s.

    guess : another start ; enough : what may be left after ways that take long
    """
    left = left_over(blocks, count, W, b, mu, p, m)
    for k in range(m):
        kept[k] = p[k]
    for j in range(count):
        if blocks[j, KIND] == ARM:  # with friction that turns, loads wander
            left = sweep_on(blocks, count, W, b, mu, p, m, A, x, modes, good, kept, left, tolerance, SOME)
            break
    for start in range(3):  # from the guess, from the best so far, and from nothing
        if left > enough:
            for k in range(m):
                p[k] = guess[k] if start == 0 else (kept[k] if start == 1 else 0.0)
            left = follow(blocks, count, W, b, mu, p, m, A, x, modes, diagonal, good, shifted, trial, kept, left, tolerance)
    for start in range(2):  # from the best so far, and from nothing
        if left > enough:
            for k in range(m):
                p[k] = kept[k] if start == 0 else 0.0
            batches = min(MANY, int(WORK / m**4) + 1)
            left = sweep_on(blocks, count, W, b, mu, p, m, A, x, modes, good, kept, left, tolerance, batches)
    for k in range(m):
        p[k] = kept[k]
    return left
