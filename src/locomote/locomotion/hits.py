"""Impulses of contacts with friction when they hit, at one instant.

With u- the velocities of the rows of `contact.instant` before, and Y of `contact_forces`:

    u+ = u- + Y Y^T p ,   u+ and p meet Coulomb's law, with u+_n + s e u-_n instead of u+_n for hits faster than `rebound`  (1)
    s = 1 , or where that would make energy the largest in [0, 1] for which p . (u- + u+) / 2 <= 0                          (2)

for each group of contacts that feel each other, as steps do (`methods.timestep.hits`); a group with a hit on ground with
impact="newton" has s = 1.
"""

import numpy as np

from locomote.contact import spots as at
from locomote.contact.instant import Contacts
from locomote.locomotion.contact_forces import by_law, contacts_of, response_of
from locomote.locomotion.touching import TOUCHING, Touching, touching
from locomote.methods.events.impact import Jump
from locomote.methods.gaps import gaps_of

ROUNDING, FINE, TURNS = 1e-12, 1e-14, 60


def hit(problem, plan, t: float, q: np.ndarray, v: np.ndarray, spots, A: np.ndarray, lengths, present) -> Jump:
    """The jump of v when the spots with these numbers hit, under constraint rows A that are there."""
    if not problem.inertia:
        raise ValueError(f"{problem.name!r} has no inertia: nothing hits")
    hard = [k for k in spots if not plan.spot_laws[k, at.STIFFNESS] > 0.0]
    if not hard:
        return Jump(v.copy(), np.zeros(len(present)), (), 0.0, np.zeros((len(plan.spots), 3)))
    near = touching(problem, t, q, np.zeros(len(v)), np.array(hard, dtype=int))
    contacts, kept = contacts_of(problem, plan, near, None)
    response = response_of(problem, plan, q, A, lengths)
    J = np.concatenate([near.J, near.turns[kept]])
    Y, before = response.rows(J), J @ v
    p = np.zeros(len(J))
    for group in groups_of(contacts, Y):
        p[rows_in(contacts, group)] = bounded(problem, plan, t, near, contacts, Y, before, group)
    change, free = response.motion(J.T @ p), plan.free
    off = response.M[np.ix_(free, free)] @ change[free] - (J.T @ p)[free]
    impulses, forces = np.zeros(len(present)), np.zeros((len(plan.spots), 3))
    impulses[present] = np.linalg.pinv((A[:, free] / lengths[:, None]).T, rcond=problem.rank_tolerance) @ off / lengths
    own = p[: 3 * contacts.count].reshape(-1, 3)
    forces[near.spots] = np.einsum("cki,ck->ci", near.axes, own)
    lost = float(0.5 * p @ (before + J @ (v + change)) + impulses[present] @ (A @ (v + 0.5 * change)))
    return Jump(v + change, impulses, tuple(int(k) for k in near.spots[own[:, 2] > 0.0]), lost, forces)


def spots_that_hit(problem, t: float, q: np.ndarray, names) -> list[int]:
    """Numbers of the spots with these names, or of a whole lo.Touch; of all that touch if names is None."""
    if names is None:
        return np.flatnonzero(gaps_of(problem, t, q) < TOUCHING).tolist()
    return [k for k, spot in enumerate(problem.contact_names) if spot in names or spot.rpartition(".")[0] in names]


def groups_of(contacts: Contacts, Y: np.ndarray) -> list[list[int]]:
    """Contacts that feel each other, together."""
    own = Y[: 3 * contacts.count].reshape(contacts.count, 3, -1)
    W = np.einsum("aik,bjk->aibj", own, own)
    felt = abs(W).max(axis=(1, 3)) > 1e-12 * abs(W).max(initial=0.0)
    left, groups = set(range(contacts.count)), []
    while left:
        group, new = set(), {left.pop()}
        while new:
            group |= new
            new = {int(k) for c in new for k in np.flatnonzero(felt[c])} - group
        left -= group
        groups.append(sorted(group))
    return groups


def rows_in(contacts: Contacts, group: list[int]) -> np.ndarray:
    """Rows of the contacts of a group, and of their moments."""
    turns = 3 * contacts.count + np.flatnonzero(np.isin(contacts.owner, group))
    return np.concatenate([(3 * np.array(group)[:, None] + np.arange(3)).ravel(), turns]).astype(int)


def bounded(problem, plan, t: float, near: Touching, contacts: Contacts, Y, before, group: list[int]) -> np.ndarray:
    """Impulses (rows of the group,) by (1) and (2)."""
    rows, laws = rows_in(contacts, group), plan.spot_laws[near.spots[group]]
    turns = np.isin(contacts.owner, group)
    place = {c: n for n, c in enumerate(group)}
    owner = np.array([place[int(c)] for c in contacts.owner[turns]], dtype=int)
    own = Contacts(
        contacts.friction[group], np.full((len(group), 2), np.nan), np.full(len(group), np.nan), owner, contacts.arms[turns],
        np.full(len(owner), np.nan),
    )  # fmt: skip
    part = Touching(
        **{
            name: getattr(near, name)[group] if name not in ("J", "turns") else getattr(near, name)
            for name in near.__dataclass_fields__
        }
    )
    Y, before = Y[rows], before[rows]
    normal = before[2 : 3 * len(group) : 3]
    fast = (laws[:, at.RESTITUTION] > 0.0) & (normal < -laws[:, at.REBOUND])
    bounce = np.where(fast, laws[:, at.RESTITUTION] * normal, 0.0)

    def struck(s: float) -> tuple[np.ndarray, float]:
        b = before.copy()
        b[2 : 3 * len(group) : 3] += s * bounce
        p = by_law(problem, t, part, own, Y, b)
        work = 0.5 * p * (2.0 * before + Y @ (Y.T @ p))
        size = abs(work).sum()
        return p, 0.0 if abs(work.sum()) <= ROUNDING * size else float(work.sum())

    p, work = struck(1.0)
    if work <= 0.0 or (fast & (laws[:, at.NEWTON] > 0.0)).any():
        return p
    low, high, above = 0.0, 1.0, work
    p, below = struck(0.0)
    for turn in range(TURNS):
        s = 0.5 * (low + high) if turn % 3 == 2 or not above > below else (low * above - high * below) / (above - below)
        trial, work = struck(s)
        if work > 0.0:
            high, above = s, work
        else:
            low, below, p = s, work, trial
        if high - low < FINE or below == 0.0:
            break
    return p
