"""Which unilateral contacts an evaluation takes as closed: rows of the others are not there."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from locomote.constraints import columns as col
from locomote.errors import UnknownName
from locomote.simulation.plan import Plan


def plan_with_closed(problem, closed: Any) -> tuple[Plan, np.ndarray]:
    """The plan with the named contacts closed and all other unilateral ones open, and which rows are there.

    closed : names, or None for all
    """
    plan = problem.plan
    present = np.ones(len(plan.holonomic), dtype=bool)
    if closed is None:
        return plan, present
    if isinstance(closed, str) or not isinstance(closed, Iterable):
        raise TypeError(f"closed must be a list of the names of contacts, such as closed=['floor'], not {closed!r:.60}")
    titles = [label[0] for label in problem.constraint_labels]
    contacts = {c: titles[plan.integers[c, col.FIRST]] for c in np.flatnonzero(plan.integers[:, col.UNILATERAL])}
    names = list(closed)
    for name in names:
        if name in contacts.values():
            continue
        if name in titles:
            raise ValueError(f"closed names {name!r}, which is always closed; name contacts that are unilateral, or none")
        raise UnknownName("unilateral contact", name, dict.fromkeys(contacts.values()), repr(problem.name))
    own = plan.own()
    for c, name in contacts.items():
        first, count = plan.integers[c, [col.FIRST, col.COUNT]]
        own.integers[c, col.ACTIVE] = present[first : first + count] = name in names
    return own, present
