"""Contacts that a run does not look at: feet that swing through the ground."""

from collections.abc import Sequence

import numpy as np

from locomote.constraints import columns as col
from locomote.errors import UnknownName
from locomote.simulation.plan import Plan
from locomote.simulation.problems import Problem


def without_contacts(problem: Problem, plan: Plan, names: Sequence[str]) -> Plan:
    """The plan, which must be its caller's own, with the named unilateral contacts open for good."""
    if isinstance(names, str):
        raise TypeError(f"ignore must be a list of the names of contacts, such as ignore=[{names!r}]")
    if not names:
        return plan
    integers = plan.integers
    titles = {int(c): problem.constraint_labels[integers[c, col.FIRST]][0] for c in np.flatnonzero(integers[:, col.UNILATERAL])}
    for name in names:
        if name not in titles.values():
            raise UnknownName("unilateral contact", name, dict.fromkeys(titles.values()), repr(problem.name))
    kept = 0
    for c, title in titles.items():
        if title in names:
            integers[c, [col.ACTIVE, col.UNILATERAL]] = 0
        else:
            kept += 1
            integers[c, col.UNILATERAL] = kept
    return plan
