"""Which constraints an evaluation takes as closed: rows of the others are not there."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from locomote.constraints import columns as col
from locomote.errors import UnknownName
from locomote.evaluation.plan import Plan
from locomote.methods.events.ignored import held_rows, without


def plan_with_closed(problem, closed: Any, ignore: Sequence[str] = (), q: np.ndarray | None = None) -> tuple[Plan, np.ndarray]:
    """The plan with the named contacts closed and all other unilateral ones open, and which rows are there.

    closed : names, or None for all ; ignore : names of constraints of any kind that are not there
    q : where targets and lengths that were left open are taken if the problem says no start, where they are then
    """
    plan = problem.plan if q is None or problem.start is not None else problem.plan_at(q)
    if closed is None and not len(ignore):
        return plan, held_rows(plan)
    own = without(problem, plan.own(), ignore)
    if closed is not None:
        if isinstance(closed, str) or not isinstance(closed, Iterable):
            raise TypeError(f"closed must be a list of the names of contacts, such as closed=['floor'], not {closed!r:.60}")
        titles = [label[0] for label in problem.constraint_labels]
        contacts = {c: titles[plan.integers[c, col.FIRST]] for c in np.flatnonzero(plan.integers[:, col.UNILATERAL])}
        names = list(closed)
        for name in names:
            if name in contacts.values():
                continue
            if name in titles:
                raise ValueError(
                    f"closed names {name!r}, which is always closed, unless ignore names it; name contacts that are unilateral"
                )
            raise UnknownName("unilateral contact", name, dict.fromkeys(contacts.values()), repr(problem.name))
        for c, name in contacts.items():
            own.integers[c, col.ACTIVE] = name in names and own.integers[c, col.UNILATERAL] > 0
    return own, held_rows(own)
