"""Constraints that an event of the run opens or closes: a latch, a gripper, a blade that lifts, a foot that does not count.

Opening changes no velocity. Closing is an impact without rebound of all that is closed then (`impact`): momentum balance, and
the energy that it takes is lost. A constraint that was left open somewhere (target=None, ...) holds where it closes; one that
was not must fit there. Unilateral contacts are ignored instead, and looked at again.
"""

from collections.abc import Sequence

import numpy as np

from locomote.constraints import columns as col
from locomote.constraints.kinds import is_left_open
from locomote.methods.events.event import Event
from locomote.methods.events.ignored import places, put, standing_of, title
from locomote.methods.events.unilateral import Contacts

MISSED = 1e-6  # m or rad by which a constraint that closes may be off


def switch(contacts: Contacts, t: float, q, v, done, opening: Sequence[str], closing: Sequence[str]) -> list[Event]:
    """Open, then close; v and done change. `contacts.jam` says why, if that cannot be."""
    problem, plan, state = contacts.problem, contacts.plan, {"q": q.tolist(), "v": v.tolist()}
    standing, found = standing_of(plan), []
    for c in places(problem, plan, opening):
        put(plan, c, -1)
    for name in named(contacts, standing >= 0, opening):
        words = "is ignored from here on" if is_unilateral(contacts, name) else "opens"
        found.append(Event(t, "open", f"{name} {words}", {"constraint": name, "velocity": False} | state))
    names = named(contacts, standing < 0, closing)
    lasting = [name for name in names if not is_unilateral(contacts, name)]
    for name in (name for name in names if name not in lasting):
        found.append(Event(t, "close", f"{name} counts again", {"constraint": name, "velocity": False} | state))
        count_again(contacts, t, q, v, name)
    if lasting and not contacts.jam:
        found += close(contacts, t, q, v, done, lasting)
    return found if contacts.jam else found + (contacts.settle(t, q, v, done) if contacts else [])


def named(contacts: Contacts, among: np.ndarray, names: Sequence[str]) -> list[str]:
    """Those of the names that have an elementary constraint among these."""
    own = {title(contacts.problem, contacts.plan, int(c)) for c in np.flatnonzero(among)}
    return [name for name in dict.fromkeys(names) if name in own]


def is_unilateral(contacts: Contacts, name: str) -> bool:
    """Whether a constraint is a contact that opens and closes by itself."""
    return any(contacts.plan.integers[c, col.UNILATERAL] for c in places(contacts.problem, contacts.plan, [name]))


def count_again(contacts: Contacts, t: float, q, v, name: str) -> None:
    """Look at a contact again, unless it is inside by now."""
    for c in places(contacts.problem, contacts.plan, [name]):
        put(contacts.plan, c, 0)
        gap = contacts.gap(t, q, v, c)
        if gap < -MISSED:
            contacts.jam = (
                f"{name!r} counts again at t = {t:.6g} s and is {-gap:.3g} m inside; let it count while it is outside"
            )


def close(contacts: Contacts, t: float, q, v, done, names: Sequence[str]) -> list[Event]:
    """Close lasting constraints."""
    problem, plan = contacts.problem, contacts.plan
    closing, before = places(problem, plan, names), {"q": q.tolist(), "v": v.tolist()}
    anew = [c for c in closing if is_left_open(problem.constraints[plan.integers[c, col.OWNER]])]
    if anew:
        plan.numbers[anew] = problem.plan_at(q).numbers[anew]
    for c in closing:
        put(plan, c, 1)
    A, _, b, error = problem.rows_of(plan, contacts.work, t, q, v)
    own = np.zeros(len(A), dtype=bool)
    for c in closing:
        first, count = plan.integers[c, [col.FIRST, col.COUNT]]
        own[first : first + count] = True
    off = np.where(own & (plan.holonomic != 0), error, 0.0)
    if not abs(off).max(initial=0.0) <= MISSED:
        worst = problem.worst_rows(off, MISSED, "m or rad")
        contacts.jam = (
            f"{' and '.join(names)} cannot close at t = {t:.6g} s: {worst}; let the event be where it fits, or leave its "
            f"target open (None), so that it holds where it closes"
        )
        return []
    data = {"constraint": names[0], "constraints": list(names)}
    if not problem.inertia:  # velocities follow from what holds
        return [Event(t, "close", f"{' and '.join(names)} {verb(names, 'close')}", data | before)]
    closed, (A, b) = [c for c in contacts.all if contacts.is_closed(c)], contacts.with_stops(A, b)
    jumped = contacts.strike(t, q, v, done, (A, b), closed, [0.0] * len(closed), names, at_rest=False)
    for k, c in enumerate(closed):
        if k not in jumped.closed:
            contacts.open(c)
    data |= {"energy": jumped.lost} | contacts.impulses(jumped)
    return [Event(t, "close", f"{' and '.join(names)} {verb(names, 'close')}, {-jumped.lost:.4g} J are lost", data | before)]


def verb(names: Sequence[str], word: str) -> str:
    """The word, of one or of several."""
    return word if len(names) > 1 else f"{word}s"
