"""Contacts of a step solved by many sweeps of block Gauss-Seidel: slow, but it converges where loads wander.

In a heap loads go round from ball to ball for thousands of sweeps before it is decided which contacts slide, while methods that
jump ahead reach wrong states. What is decided is kept: after each batch of sweeps the states that contacts have are kept, and
Newton's method tries to finish from there; if it fails, sweeps go on where they were.
"""

from locomote.compiler.source import routine
from locomote.contact.delassus import left_over, sweep
from locomote.contact.pivoting import first_states, state_rows
from locomote.linear.lu import solve_dense

BATCH, LAST = 100, 6  # sweeps between two trials of Newton's method, and its steps
LOOK, WORTH = 100, 0.95  # batches in which the residual must fall below this share, or loads go round


@routine
def keep_states(blocks, count, W, b, mu, p, m, A, x, modes, tolerance):
    """Impulses p for the states in `modes`; returns what is left, m/s."""
    left = 1e300
    for _ in range(LAST):
        state_rows(blocks, count, modes, W, b, mu, p, A, x, m, 1e-13)
        if not solve_dense(A, m, x):
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
def sweep_on(blocks, count, W, b, mu, p, m, A, x, modes, before, best, left, tolerance, batches):
    """From a guess p; the best p met goes into `best` if it leaves less than `left`. Returns the least left."""
    least, now = 1e300, 1e300
    for n in range(batches):
        if n % LOOK == LOOK - 1:
            if now > WORTH * least:
                break
            least = now
        for _ in range(BATCH):
            sweep(blocks, count, W, b, mu, p, m)
        now = left_over(blocks, count, W, b, mu, p, m)
        left = keep_better(p, m, now, best, left)
        if left <= tolerance:
            break
        for k in range(m):
            before[k] = p[k]
        first_states(blocks, count, modes, W, b, mu, p, m)
        left = keep_better(p, m, keep_states(blocks, count, W, b, mu, p, m, A, x, modes, tolerance), best, left)
        if left <= tolerance:
            break
        for k in range(m):
            p[k] = before[k]
    return left
