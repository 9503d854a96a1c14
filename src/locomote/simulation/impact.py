"""Velocity jumps when contacts close: impulses by momentum balance, several contacts at once.

u = A v + b is the velocity of the rows, free the coordinates that may jump; held velocities do not.

    M (v+ - v-) = A^T P                                     on free coordinates                                     (1)
    u+ = -s e u- on normals of contacts that hit, 0 on all other rows of contacts that stay and on lasting rows     (2)
    P >= 0 on normals; contacts that would have to pull are let go, those let go that would sink in are taken back   (3)

The energy that the impulses take is P . (u+ + u-) / 2. Friction that sticks, or several contacts, could make that a gain if the
law of restitution were taken literally (Kane and Levinson 1985). s = 1, or where that would happen the largest s that gains
nothing:

    s^2 = u- W u- / (T W T) ,   W = (A M^-1 A^T)^+ ,   T = -e u- on normals, 0 elsewhere                             (4)
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Jump:
    """The velocity after an impact, the impulses of all rows (N s or N m s), and the contacts that took part in it.

    lost : energy that the impulses took, J, never positive
    """

    v: np.ndarray
    impulses: np.ndarray
    closed: tuple[int, ...]
    lost: float


def jump(M: np.ndarray, A: np.ndarray, b: np.ndarray, v: np.ndarray, free: np.ndarray, contacts, restitution) -> Jump:
    """Solve (1) to (4).

    A, b : rows of all closed constraints, zero rows for open ones
    contacts : list of (rows, normal row) of unilateral contacts taking part; restitution : of each, 0 for those already closed
    """
    of_contacts = {r for rows, _ in contacts for r in rows}
    lasting = [r for r in range(len(A)) if r not in of_contacts and np.any(A[r])]
    before = A @ v + b
    target = np.zeros(len(A))
    for (_, normal), e in zip(contacts, restitution, strict=True):
        target[normal] = max(0.0, -e * before[normal])
    normals = [normal for _, normal in contacts]
    closed, seen = tuple(range(len(contacts))), set()
    while True:
        rows = sorted([*lasting, *(r for c in closed for r in contacts[c][0])])
        done = struck(M, A, v, before, target, free, rows)
        tolerance = 1e-12 * (1.0 + np.abs(done[1]).max(initial=0.0))
        after = A @ done[0] + b
        pulling = min(((done[1][normals[c]], c) for c in closed), default=(0.0, -1))
        sinking = min(((after[n], c) for c, n in enumerate(normals) if c not in closed), default=(0.0, -1))
        seen.add(closed)
        if pulling[0] < -tolerance:
            following = tuple(c for c in closed if c != pulling[1])
        elif sinking[0] < -1e-12 * (1.0 + np.abs(before).max(initial=0.0)):
            following = tuple(sorted([*closed, sinking[1]]))
        else:
            return Jump(done[0], done[1], closed, done[2])
        if following in seen:  # no choice fits all: that which does not sink in comes first
            return Jump(done[0], done[1], closed, done[2])
        closed = following


def struck(M, A, v, before, target, free, rows) -> tuple[np.ndarray, np.ndarray, float]:
    """(1), (2) and (4) for given rows: velocity after, impulses, energy."""
    impulses, after = np.zeros(len(A)), v.copy()
    if not rows:
        return after, impulses, 0.0
    spread = np.linalg.solve(M[np.ix_(free, free)], A[rows][:, free].T)
    W = np.linalg.pinv(A[rows][:, free] @ spread, rcond=1e-12, hermitian=True)
    T, u = target[rows], before[rows]
    most, least = T @ W @ T, u @ W @ u
    s = np.sqrt(max(0.0, least) / most) if most > least else 1.0
    impulses[rows] = W @ (s * T - u)
    after[free] += spread @ impulses[rows]
    return after, impulses, float(0.5 * impulses[rows] @ (s * T + u))
