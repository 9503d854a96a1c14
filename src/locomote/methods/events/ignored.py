"""Constraints that do not hold for a while, and contacts that are not looked at: feet that swing through the ground.

A constraint that is ignored has no rows. It is a number in `active` of a saved state: 1 holds, 0 open, -1 ignored.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from locomote.constraints import columns as col
from locomote.errors import UnknownName
from locomote.evaluation.plan import Plan
from locomote.evaluation.protocol import Problem
from locomote.methods.events.when import When

Ignored = Sequence[str] | Mapping[str, float]


def title(problem: Problem, plan: Plan, c: int) -> str:
    """What the user calls the constraint of an elementary one."""
    return problem.constraint_labels[plan.integers[c, col.FIRST]][0]


def places(problem: Problem, plan: Plan, names: Iterable[str]) -> list[int]:
    """The elementary constraints of those that are named."""
    wanted = set(names)
    return [c for c in range(len(plan.integers)) if title(problem, plan, c) in wanted]


def checked_names(problem: Problem, names: Any, label: str) -> tuple[str, ...]:
    """Names of constraints, all of which the problem has."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"{label} must be a list of the names of constraints, such as {label}=['foot'], not {names!r:.60}")
    titles = dict.fromkeys(name for name, _, _ in problem.constraint_labels)
    names = tuple(names)
    for name in names:
        if isinstance(name, str) and name in titles:
            continue
        if touching := [touch for touch in problem.contacts if touch.title == name]:
            raise ValueError(
                f"{label} names {touching[0].title!r}, a lo.Touch, which time steps always look at; {label} takes constraints "
                f"such as lo.PointContact(..., unilateral=True)"
            )
        raise UnknownName("constraint", name, titles, repr(problem.name))
    return names


def checked_ignored(problem: Problem, ignore: Ignored, t: float) -> dict[str, float | None]:
    """Name -> time until which it is ignored, or None if only an event ends that."""
    names = checked_names(problem, ignore, "ignore")
    if not isinstance(ignore, Mapping):
        return dict.fromkeys(names)
    for name, until in ignore.items():
        if until is not None and not (isinstance(until, (int, float, np.number)) and np.isfinite(until) and until > t):
            raise ValueError(
                f"ignore[{name!r}] is {until!r}, expected the time (s) until which it is ignored, after t = {t:g} s"
            )
    return {name: None if until is None else float(until) for name, until in ignore.items()}


def ends_of(ignored: Mapping[str, float | None]) -> list[When]:
    """Events at which what is ignored until some time counts again."""
    return [until_time(name, until) for name, until in ignored.items() if until is not None]


def until_time(name: str, until: float) -> When:
    """The event of one of them."""
    return When(lambda t, q, v: t - until, 1, name=f"the time until which {name} is ignored", close=(name,))


def without(problem: Problem, plan: Plan, names: Iterable[str]) -> Plan:
    """The plan, which must be its caller's own, with the named constraints ignored."""
    for c in places(problem, plan, checked_names(problem, names, "ignore")):
        put(plan, c, -1)
    return plan


def put(plan: Plan, c: int, standing: int) -> None:
    """Let an elementary constraint hold (1), be open (0, of unilateral ones), or be ignored (-1)."""
    number = abs(int(plan.integers[c, col.UNILATERAL]))
    plan.integers[c, col.UNILATERAL] = -number if standing < 0 else number
    plan.integers[c, col.ACTIVE] = standing > 0


def standing_of(plan: Plan) -> np.ndarray:
    """1, 0 or -1 for every elementary constraint."""
    active, number = plan.integers[:, col.ACTIVE], plan.integers[:, col.UNILATERAL]
    return np.where((number < 0) | ((number == 0) & (active == 0)), -1, active)


def held_rows(plan: Plan) -> np.ndarray:
    """(rows,) whether the constraint of each row holds."""
    result = np.zeros(len(plan.holonomic), dtype=bool)
    for first, count, active in plan.integers[:, [col.FIRST, col.COUNT, col.ACTIVE]]:
        result[first : first + count] = active != 0
    return result
