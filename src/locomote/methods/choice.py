"""Which method suits a problem, and which it cannot have: as the records of the methods say."""

from collections.abc import Iterator, Sequence

import numpy as np

from locomote.evaluation.computed_torque import computes_torques
from locomote.evaluation.plan import CREEPING, STIFFNESS, Plan
from locomote.forces.terms import Term
from locomote.kernels.flexible.columns import FIRST_V, MATRIX, SIZE
from locomote.methods import method as by
from locomote.methods.method import Situation
from locomote.methods.registry import METHODS, method_named


def choose(plan: Plan, terms: Sequence[Term] = ()) -> tuple[str, str]:
    """The method that suits a problem, and why if that is not plain."""
    situation, wanted = situation_of(plan, terms), {by.SUDDEN} if sudden(terms) else set()
    able = {name: method for name, method in METHODS.items() if method.takes >= wanted}
    return next((name, why) for name, method in able.items() if (why := method.suits(situation)) is not None)


def situation_of(plan: Plan, terms: Sequence[Term] = ()) -> Situation:
    """What the choice looks at."""
    free = set(plan.free.tolist())
    own = [int(row[FIRST_V]) + k for row in plan.rods for k in range(int(row[SIZE]))]
    springs = np.flatnonzero(plan.passive[STIFFNESS]).tolist()
    return Situation(
        contacts=len(plan.spots) > 0, fed=len(plan.fed) > 0, inertia=plan.options[CREEPING] == 0.0,
        springs=bool(free.intersection([*own, *springs])), gives_way=any(term.kind.name == "soft ground" for term in terms),
        rods=bool(own), soft=bool(free.intersection(own)), damped=any(is_damped(plan, row, free) for row in plan.rods),
        constrained=len(plan.holonomic) > 0, opening=plan.unilateral > 0,
    )  # fmt: skip


def is_damped(plan: Plan, row: np.ndarray, free: set[int]) -> bool:
    """Whether a flexible body, a row of `rods`, has damping of its own along coordinates that are free."""
    first, size, at = int(row[FIRST_V]), int(row[SIZE]), int(row[MATRIX])
    own = plan.viscous[at : at + size * size].reshape(size, size).diagonal()
    return any(own[k] > 0.0 for k in range(size) if first + k in free)


def sudden(terms: Sequence[Term]) -> str:
    """The name of a cable with limits at which its force sets in, "" if there is none."""
    cables = [term for term in terms if term.kind.name == "cable"]
    if not cables:
        return ""
    from locomote.forces.cables import has_stops  # a run imports no force that it does not use

    return next((term.name for term in cables if has_stops(term.numbers)), "")


def asked(plan: Plan, name: str, terms: Sequence[Term] = ()) -> Iterator[tuple[str, str]]:
    """What a problem has that not every method takes, and what to say of a method that does not."""
    if plan.options[CREEPING] != 0.0:
        yield by.NO_INERTIA, f"is for motion with inertia; {name!r} has none"
    if computes_torques(plan):
        yield by.COMPUTED, f"does not know the computed torques of {name!r}"
    if len(plan.fed):
        yield by.FEED, f"does not know the copy of the robot that feed-forward of {name!r} looks at"
    if len(plan.holonomic):
        yield by.CONSTRAINTS, f"takes no constraints, and {name!r} has {len(plan.holonomic)} rows"
    if len(plan.rods):
        yield by.FLEXIBLE, f"does not know the flexible bodies of {name!r}"
    if cable := sudden(terms):
        yield by.SUDDEN, f"has long steps, which do not see where cable {cable!r} of {name!r} comes to its limits"


def refuse(method: str, plan: Plan, name: str, terms: Sequence[Term] = ()) -> None:
    """Raise if a problem, called `name`, cannot be run by a method."""
    takes, wanted = method_named(method).takes, dict(asked(plan, name, terms))
    needs = {*wanted, *((by.CONTACTS,) if len(plan.spots) else ())}
    for feature in (feature for feature in wanted if feature not in takes):
        other, _ = choose(plan, terms)
        hint = f"; use {other!r}, or 'auto'" if METHODS[other].takes >= needs else ""
        raise ValueError(f"method {method!r} {wanted[feature]}{hint}")
