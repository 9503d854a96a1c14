"""Velocity jumps when contacts close: impulses by momentum balance, several contacts at once.

u = A v + b is the velocity of the rows, free the coordinates that may jump; held velocities do not.

    M (v+ - v-) = A^T P                                     on free coordinates                                     (1)
    u+ = -s e u- on normals of contacts that hit, 0 on all other rows of contacts that stay and on lasting rows     (2)
    P >= 0 on normals; contacts that would have to pull are let go, those let go that would sink in are taken back   (3)

(1) and (2) are one system for v+ and P, which needs no inverse of M: parts may have no mass at all. Where rows depend on each
other not every rebound is possible: rows that must come to rest do, and the rebound is the nearest that this allows.

The energy that the impulses take is P . (u+ + u-) / 2. Friction that sticks, or several contacts, could make that a gain if the
law of restitution were taken literally (Kane and Levinson 1985). s = 1, or where that would happen the largest s that gains
nothing, with P(x) the impulses that change the velocity of the rows by x:

    s^2 = u- . P(u-) / (T . P(T)) ,   T = the rebound for s = 1, 0 on all other rows                                (4)

Tested by tests/laws/methods/events/test_impacts.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from locomote.linear.rank import decomposed, independent_rows, kernel_of, own_lengths, pseudo_inverse


@dataclass(frozen=True)
class Jump:
    """The velocity after an impact, the impulses of all rows (N s or N m s), and the contacts that took part in it.

    lost : energy that the impulses took, J, never positive but by Newton's law
    contact_impulses : (spots, 3) of lo.Touch on its bodies, in world axes, N s
    """

    v: np.ndarray
    impulses: np.ndarray
    closed: tuple[int, ...]
    lost: float
    contact_impulses: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))


def jump(
    M: np.ndarray, A: np.ndarray, b: np.ndarray, v: np.ndarray, free: np.ndarray, contacts, restitution, at_rest: bool = False
) -> Jump:
    """Solve (1) to (4).

    A, b : rows of all closed constraints, zero rows for open ones
    contacts : list of (rows, normal row) of unilateral contacts taking part; restitution : of each, 0 for those already closed
    at_rest : all contacts come to rest, also such as would have to pull for it: the end of what would go on for ever, in
        smaller and smaller hits
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
        if at_rest:
            return Jump(done[0], done[1], closed, done[2])
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
    own, u = A[np.ix_(rows, free)], before[rows]
    T = rebound(own, target[rows])
    (stop, p_stop), (back, p_back) = changes(M[np.ix_(free, free)], own, (-u, T))
    least, most = -u @ p_stop, T @ p_back
    s = np.sqrt(max(0.0, least) / most) if most > max(0.0, least) else 1.0
    impulses[rows] = p_stop + s * p_back
    after[free] += stop + s * back
    return after, impulses, float(0.5 * impulses[rows] @ (s * T + u))


def rebound(A: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The velocities of rows nearest to the targets that are possible while rows without a target are at rest."""
    leaving = target > 0.0
    if not leaving.any():
        return target
    lengths = own_lengths(A)
    allowed, lengths = kernel_of(A[~leaving], lengths[~leaving]), lengths[leaving]
    left, _, _, rank = decomposed(A[leaving] @ allowed, lengths)  # a row that others hold leaves mere rounding
    left = left[:, :rank]
    result = np.zeros(len(target))
    result[leaving] = lengths * (left @ (left.T @ (target[leaving] / lengths)))
    return result


def changes(M: np.ndarray, A: np.ndarray, wanted: Sequence[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each change of the velocities of the rows, (change of v, impulses of least norm): M dv = A^T P, A dv = wanted.

    Velocities that nothing moves, and that move no mass, stay.
    """
    order, rank = independent_rows(A, own_lengths(A))
    chosen, count = order[:rank], len(M)
    lengths, heaviest = np.linalg.norm(A[chosen], axis=1), max(abs(M).max(initial=0.0), 1e-300)
    rows = A[chosen] / lengths[:, None]
    system = np.block([[M / heaviest, -rows.T], [rows, np.zeros((rank, rank))]])
    right = np.zeros((count + rank, len(wanted)))
    right[count:] = np.array([x[chosen] / lengths for x in wanted]).T
    try:
        solved = np.linalg.solve(system, right)
        if not np.isfinite(solved).all():
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:  # a part that moves no mass is free to go
        solved = np.linalg.lstsq(system, right, rcond=1e-14)[0]
    result = []
    for k in range(len(wanted)):
        impulses = np.zeros(len(A))
        impulses[chosen] = heaviest * solved[count:, k] / lengths
        if rank < len(A):  # shared with rows that could do the same
            impulses = pseudo_inverse(A, own_lengths(A)).T @ (A.T @ impulses)
        result.append((solved[:count, k], impulses))
    return result
