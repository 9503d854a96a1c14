"""Velocity jumps when contacts close: impulses by momentum balance, several contacts at once.

M (v+ - v-) = A^T P        held velocities do not jump                                                         (1)
A v+ + b = -e (A v- + b) on the normals of contacts that hit, 0 on all other rows                               (2)
P >= 0 on normals of unilateral contacts: contacts that would have to pull are let go, one at a time            (3)
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Jump:
    """The velocity after an impact, the impulses of all rows (N s or N m s), and the contacts that stay closed."""

    v: np.ndarray
    impulses: np.ndarray
    closed: tuple[int, ...]


def jump(M: np.ndarray, A: np.ndarray, b: np.ndarray, v: np.ndarray, free: np.ndarray, contacts, restitution) -> Jump:
    """Solve (1) to (3).

    A, b : rows of all closed constraints, zero rows for open ones; free : coordinates that may jump
    contacts : list of (rows, normal row) of unilateral contacts taking part; restitution : of each, 0 for those already closed
    """
    remaining = list(range(len(contacts)))
    contact_rows = {r for rows, _ in contacts for r in rows}
    always = [r for r in range(len(A)) if r not in contact_rows and np.any(A[r])]
    while True:
        rows = sorted([*always, *(r for c in remaining for r in contacts[c][0])])
        impulses, after = np.zeros(len(A)), v.copy()
        if rows:
            target = np.zeros(len(A))
            for c in remaining:
                normal = contacts[c][1]
                target[normal] = -restitution[c] * (A[normal] @ v + b[normal])
            W = A[rows][:, free]
            spread = np.linalg.solve(M[np.ix_(free, free)], W.T)
            need = target[rows] - (A[rows] @ v + b[rows])
            impulses[rows] = np.linalg.lstsq(W @ spread, need, rcond=1e-12)[0]
            after[free] += spread @ impulses[rows]
        pulls = [(impulses[contacts[c][1]], c) for c in remaining]
        worst = min(pulls, default=(0.0, -1))
        if worst[0] >= -1e-12 * (1.0 + np.abs(impulses).max(initial=0.0)):
            return Jump(after, impulses, tuple(remaining))
        remaining.remove(worst[1])
