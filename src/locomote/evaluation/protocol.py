"""What runs, contacts, steps by hand and results ask of a problem; `Locomotion` is one, and the type checker compares them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from locomote.drives.drive import Drive
from locomote.evaluation.plan import Plan
from locomote.evaluation.work import Work
from locomote.forces.terms import Term
from locomote.model.model import Model

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # A, drift, velocities asked for, errors of positions


class Labelled(Protocol):
    """A constraint, as runs see it."""

    @property
    def labels(self) -> Any: ...

    @property
    def title(self) -> str: ...


class Said(Protocol):
    """What was said of a problem, as results ask for it: the model as it was given, and how a file names the problem."""

    @property
    def model(self) -> Model: ...

    @property
    def origin(self) -> Mapping[str, Any] | None: ...


class Problem(Protocol):
    """A problem that can run.

    model : the one that is computed, on whose bodies constraints, contacts and terms are
    imposed : (nv,) whether the motion of a coordinate is imposed ; q_of_v : (nv,) its place in q, -1 for those on a group
    imposed_motions, given_torques : coordinate of v -> drive
    torques : as they were said, a table or a function; empty if controllers give them
    contact_names : of what may touch, in the order of the plan ; stretches : contacts along rods
    constraint_labels : (constraint, row, unit of its reaction) of every row
    """

    name: str
    model: Model
    plan: Plan
    imposed: np.ndarray
    q_of_v: np.ndarray
    inertia: bool
    limits: bool
    friction_speed: float
    rank_tolerance: float

    @property
    def statement(self) -> Said: ...

    @property
    def parameters(self) -> Any: ...

    @property
    def drives(self) -> Mapping[Any, Any]: ...

    @property
    def springs(self) -> Mapping[Any, Any]: ...

    @property
    def torques(self) -> Mapping[Any, Any] | Callable: ...

    @property
    def imposed_motions(self) -> Mapping[int, Drive]: ...

    @property
    def given_torques(self) -> Mapping[int, Drive]: ...

    @property
    def environment(self) -> Sequence[Any]: ...

    @property
    def terms(self) -> Sequence[Term]: ...

    @property
    def actuators(self) -> Sequence[Any]: ...

    @property
    def controllers(self) -> Sequence[Any]: ...

    @property
    def constraints(self) -> Sequence[Labelled]: ...

    @property
    def contacts(self) -> Sequence[Any]: ...

    @property
    def contact_names(self) -> Sequence[str]: ...

    @property
    def stretches(self) -> Sequence[Any]: ...

    @property
    def start(self) -> tuple[Any, Any] | None: ...

    @property
    def tolerances(self) -> tuple[float, float] | None: ...

    @cached_property
    def constraint_labels(self) -> tuple[tuple[str, str, str], ...]: ...

    def replaced(self, **said: Any) -> "Problem":
        """The problem with some of what was said of it said otherwise."""
        ...

    def to_record(self) -> dict[str, Any]:
        """The problem as numbers and words for a run file."""
        ...

    def initial(
        self, q: Any = None, v: Any = None, t: float = 0.0, *, ignore: Sequence[str] = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """A state that meets drives and constraints."""
        ...

    def started(
        self, q: Any, v: Any, t: float, *, ignore: Iterable[str] = (), start: str = "check"
    ) -> tuple[tuple[np.ndarray, np.ndarray], dict[str, list[float]] | None]:
        """`initial`, and what it changes of what is given."""
        ...

    @property
    def simulate(self) -> Callable[..., Any]:
        """A run."""
        ...

    def classify(
        self, t: float = 0.0, q: Any = None, *, closed: Sequence[str] | None = None, ignore: Sequence[str] = ()
    ) -> Any:
        """The case of the reduction, with its words as `str`."""
        ...

    def rows(self, t: float, q: Any, v: Any = None) -> Rows:
        """Rows of all constraints at a state, checked."""
        ...

    def balance(self, t: float, q: Any, v: Any = None) -> np.ndarray:
        """(nv,) all forces but those of inertia, constraints and drives."""
        ...

    def resistance(self, q: Any, t: float = 0.0) -> np.ndarray:
        """(nv, nv) what velocities are resisted with."""
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

    def scratch(self, plan: Plan) -> AbstractContextManager[Work]:
        """Scratch for one call, which no other call has meanwhile."""
        ...

    def rows_of(self, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray) -> Rows:
        """`rows` for a plan of its own, unchecked."""
        ...

    def evaluate_with(
        self, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """Accelerations, reactions and rank; q and v are set where imposed."""
        ...

    def worst_rows(self, values: np.ndarray, above: float, unit: str = "(SI units)") -> str:
        """The constraint rows with the largest values, in words."""
        ...
