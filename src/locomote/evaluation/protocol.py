"""What runs, contacts and steps by hand ask of a problem; `Locomotion` is one. The type checker holds both sides to it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from locomote.evaluation.plan import Plan
from locomote.evaluation.work import Work
from locomote.forces.terms import Term
from locomote.model.model import Model


class Labelled(Protocol):
    """A constraint, as runs see it."""

    @property
    def labels(self) -> Any: ...


class Problem(Protocol):
    """A problem that can run.

    imposed : (nv,) whether the motion of a coordinate is imposed
    constraint_labels : (constraint, row, unit of its reaction) of every row
    """

    name: str
    model: Model
    imposed: np.ndarray

    @property
    def terms(self) -> Sequence[Term]: ...

    @property
    def actuators(self) -> Sequence[Any]: ...

    @property
    def controllers(self) -> Sequence[Any]: ...

    @property
    def constraints(self) -> Sequence[Labelled]: ...

    @property
    def inertia(self) -> bool: ...

    @cached_property
    def constraint_labels(self) -> tuple[tuple[str, str, str], ...]: ...

    def initial(self, q: Any = None, v: Any = None, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """A state that meets drives and constraints."""
        ...

    def classify(
        self, t: float = 0.0, q: Any = None, *, closed: Sequence[str] | None = None, ignore: Sequence[str] = ()
    ) -> Any:
        """The case of the reduction, with its words as `str`."""
        ...

    def plan_at(self, q: np.ndarray) -> Plan:
        """The packed problem with all that was left open taken at q."""
        ...

    def run_plan(self, q: np.ndarray) -> Plan:
        """A plan for one run from q, whose contacts may open and close."""
        ...

    def work_for(self, plan: Plan) -> Work:
        """Scratch arrays for one user of a plan, and kernels compiled for it."""
        ...

    def rows_of(
        self, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows A, drift, velocities asked for, and errors of positions."""
        ...

    def evaluate_with(
        self, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Accelerations, reactions and rank; q and v are set where imposed."""
        ...

    def restitution_of(self, constraint: int) -> float:
        """Speed after a hit over speed before it."""
        ...

    def worst_rows(self, values: np.ndarray, above: float, unit: str = "(SI units)") -> str:
        """The constraint rows with the largest values, in words."""
        ...

    def drive_gap(self, t: float) -> str:
        """A sentence about the first drive that has no finite value at time t; empty if all have."""
        ...

    def to_record(self) -> dict[str, Any]:
        """The problem as numbers and words for a run file."""
        ...
