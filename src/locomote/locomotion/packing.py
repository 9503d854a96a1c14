"""A problem packed for compiled code: from what was said of it to one Plan, once, and without a way back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.compiler.callbacks import table_of
from locomote.constraints.kinds import is_left_open
from locomote.evaluation import plan as fields
from locomote.evaluation.computed_torque import COMPUTED, KIND
from locomote.evaluation.plan import Plan
from locomote.evaluation.subsystems import pays, subsystems_of
from locomote.evaluation.work import Work, work_of
from locomote.linear.rank import NEARLY_DEPENDENT
from locomote.locomotion.inputs import state_near
from locomote.locomotion.parts import Parts, parts_of
from locomote.locomotion.pieces import PIECES, functions_of
from locomote.locomotion.statement import Statement
from locomote.methods.entries import prepare

if TYPE_CHECKING:
    from locomote.locomotion.problem import Locomotion


@dataclass(frozen=True, eq=False)
class Packed:
    """A problem as compiled code takes it.

    plan : with targets and lengths that were left open taken at the start ; contact_names : of what may touch, in its order
    near : (nq,) that start ; firsts : field of a Statement -> row of the table of functions from which on its own stand
    works : scratch that no call uses at the moment ; slopes : the same for derivatives, with its plan
    """

    parts: Parts
    plan: Plan
    contact_names: tuple[str, ...]
    near: np.ndarray
    firsts: Mapping[str, int]
    works: list[Work] = field(default_factory=list)
    slopes: list[tuple[Any, ...]] = field(default_factory=list)


def pack(said: Statement) -> Packed:
    """All that was said of a problem, packed; an error says what of it cannot be."""
    parts = parts_of(said)
    near = state_near(said.model, parts.model, *(said.start or (None, None)))  # faults of the start show here
    firsts: dict[str, int] = {}
    plan, names = plan_of(parts, near[0], firsts)
    return Packed(parts, plan, names, near[0], firsts)


def plan_of(parts: Parts, q: np.ndarray, firsts: dict[str, int] | None = None) -> tuple[Plan, tuple[str, ...]]:
    """The plan of the parts of a problem, with what was left open taken at q, and the names of what may touch.

    firsts : filled as that of `Packed`
    """
    arrays, breaks, names, callbacks = {}, [], (), functions_of(parts)
    for name, pack_one in PIECES.items():
        if firsts is not None:
            firsts[name] = len(callbacks)
        piece = pack_one(parts, q, len(callbacks))
        arrays |= piece.arrays
        callbacks += piece.callbacks
        breaks += piece.breaks
        names += piece.names
    arrays |= subsystems_of(parts.model, parts.imposed, arrays["integers"], arrays["linear"])
    plan = Plan(
        [callback for callback in callbacks if callback is not None],
        **arrays, functions=table_of(callbacks), breaks=np.unique(breaks), calls=np.zeros(fields.CALLS, np.int64),
        options=options_of(parts, arrays),
    )  # fmt: skip
    return plan, names


def options_of(parts: Parts, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Entries of `options`, by their numbers in `evaluation.plan`."""
    said, options = parts.said, np.zeros(fields.OPTIONS)
    options[fields.RANK_TOLERANCE] = options[fields.PROJECTION_TOLERANCE] = said.rank_tolerance
    options[fields.FRICTION_SPEED] = said.friction_speed
    options[fields.CREEPING] = not said.inertia
    options[fields.LOCAL] = said.inertia and pays(arrays["subsystems"], parts.imposed, len(arrays["holonomic"]))
    options[fields.COMPUTES] = (arrays["follow_rows"][:, KIND] == COMPUTED).any()
    return options


# what a problem gives those who compute with it (`Locomotion` has these as its own)


def plan_at(problem: "Locomotion", q: np.ndarray) -> Plan:
    """The packed problem with open targets and lengths taken at q (nq,); the problem stays as it is."""
    return plan_of(problem.packed.parts, q)[0] if any(map(is_left_open, problem.constraints)) else problem.plan


def run_plan(problem: "Locomotion", q: np.ndarray) -> Plan:
    """A plan for one run from q (nq,), whose contacts may open and close."""
    plan = problem.plan_at(q)
    prepare(plan)
    plan = plan.own()
    plan.options[fields.BY_MASS] = 1.0
    plan.options[fields.PROJECTION_TOLERANCE] = max(problem.rank_tolerance, NEARLY_DEPENDENT)
    return plan


def work_for(problem: "Locomotion", plan: Plan) -> Work:
    """Scratch arrays for one user of a plan, and kernels compiled for it."""
    work = work_of(plan)
    prepare(plan)
    return work


@contextmanager
def scratch(problem: "Locomotion", plan: Plan) -> Iterator[Work]:
    """Scratch for one call, which no other call has meanwhile: not another thread's, nor one that a function of the user
    makes from within."""
    try:
        work = problem.packed.works.pop()
    except IndexError:
        work = work_of(plan)
    try:
        prepare(plan)
        yield work
    finally:
        problem.packed.works.append(work)
