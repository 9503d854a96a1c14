"""What the library knows of a method: one record, made in the file of the method (`integrators/`).

The loop of a run, the choice of "auto", refusals, tolerances, resumed runs, the audit, the list of kernels, docs and help all
ask it. Most of its fields have the value of a plain method, so that a new one says what is special about it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numba import float64, int64

from locomote.compiler.indirect import address_of
from locomote.compiler.records import record_type
from locomote.evaluation.plan import ATTEMPT, DENSE, TURN, WITHIN, Plan
from locomote.evaluation.work import Work
from locomote.methods.entries import PLAN, WORK, fill_matrices
from locomote.methods.state import KEPT, UNSEEN, State, layout_of

Info = Mapping[str, Any]  # how a run was computed, as `Trajectory.info`
# what problems may have that not every method takes
NO_INERTIA, COMPUTED, FEED, CONSTRAINTS, FLEXIBLE, CONTACTS, SUDDEN = (
    "motion without inertia", "computed torques", "feed-forward", "constraints", "flexible bodies", "contacts with friction",
    "limits of cables",
)  # fmt: skip
BALANCE_ALLOWED = 1e-6  # allowed error of the power balance, over the energy that a run moves about


@dataclass(frozen=True)
class Situation:
    """What the choice of a method looks at.

    contacts : with friction ; fed : by feed-forward ; inertia : whether there is any ; springs : on free coordinates
    gives_way : ground does ; rods : there are flexible bodies ; soft : some of them deform freely ; damped : some of those are
    constrained : by rows ; opening : contacts open and close at events
    """

    contacts: bool = False
    fed: bool = False
    inertia: bool = True
    springs: bool = False
    gives_way: bool = False
    rods: bool = False
    soft: bool = False
    damped: bool = False
    constrained: bool = False
    opening: bool = False

    @property
    def stiff_rods(self) -> bool:
        """Whether flexible bodies, and nothing else, say which steps suit."""
        return not (self.contacts or self.fed or self.opening) and self.inertia and self.soft

    @property
    def stiff_ground(self) -> bool:
        """Whether ground that gives way does."""
        rigid = self.inertia and not (self.contacts or self.rods or self.constrained)
        return rigid and self.gives_way


def nothing(*given: Any) -> None:
    """What a method does that has nothing to do."""


@dataclass(frozen=True, eq=False)
class Method:
    """A method.

    name : what users call it ; title : what it is, and what for ; order : of its results

    Steps (entries of `State.traits` and `State.control`)
    chooses : by their errors, which an attempt leaves in clock[SIZE] ; power : by which their length follows these
    retreat : part of a step that is tried after one without an answer ; first_step : s, of those that choose
    dense : samples within steps are as good as ends ; grows : steps that end at samples may still become longer
    long : steps are long beside samples and pass them; they end where drives are not smooth, and on the constraints
    measure : power of the step that errors of long steps grow with ; reach : rtol -> part of a step that samples within leave
    impulsive : velocities jump within steps, over contacts and stops; shorter where the attempt says so
    tableau : of an explicit method (`explicit.table`) ; tolerances : rtol and atol, unless told otherwise

    Problems
    takes : what not every method takes ; suits : Situation -> why it is the one, None if it is not
    local : constraints may be eliminated part by part ; by_mass : accelerations come by the mass matrix

    Room and kernels
    state : State, with what the method keeps ; sizes : plan -> sizes of that ; fill : (state, plan), numbers to begin with
    kept : arrays of its own that the next step starts from ; changed : (state), other coordinates are held from now on
    resumed : (state), the run goes on from a file ; tracked : state -> what it says of the whole run
    kernels : with their argument types, by entries of `calls` ; fed_kernels : with feed-forward, in their place
    idle : plan -> entries that a problem does without ; with_mass : whether they need the mass matrix themselves
    set_up : (plan, work, state, terms) -> what must live as long as the plan ; help : (..., stuck), the same on the way

    Audit
    rough : steps may be longer than hits on soft ground ; balance : info -> power balance that is allowed, of the energy
    """

    name: str
    title: str
    order: int
    chooses: bool = False
    power: float = 0.0
    retreat: float = 0.1
    first_step: float = 1e-4
    dense: bool = False
    grows: bool = False
    long: bool = False
    measure: float = 1.0
    reach: Callable[[float], float] = lambda rtol: 1.0
    impulsive: bool = False
    tableau: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    tolerances: tuple[float, float] = (1e-8, 1e-10)
    takes: frozenset[str] = frozenset((CONSTRAINTS, FLEXIBLE))
    suits: Callable[[Situation], str | None] = nothing
    local: bool = False
    by_mass: bool = False
    state: type[State] = State
    sizes: Callable[[Plan], dict[str, int]] = lambda plan: {}
    fill: Callable[[Any, Plan], None] = nothing
    kept: tuple[str, ...] = ()
    changed: Callable[[Any], None] = nothing
    resumed: Callable[[Any], None] = nothing
    tracked: Callable[[Any], dict[str, np.ndarray]] = lambda state: {}
    kernels: Mapping[int, tuple] = field(default_factory=dict)
    fed_kernels: Mapping[int, tuple] = field(default_factory=dict)
    idle: Callable[[Plan], tuple[int, ...]] = lambda plan: ()
    with_mass: bool = False
    set_up: Callable[[Plan, Work, Any, Sequence[Any]], Any] = nothing
    help: Callable[[Plan, Work, Any, Sequence[Any], bool], Any] = nothing
    rough: bool = False
    balance: Callable[[Info], float] = lambda info: BALANCE_ALLOWED

    @property
    def explicit(self) -> bool:
        """Whether steps are explicit, and short where something is stiff."""
        return len(self.tableau) > 0

    @property
    def all_kept(self) -> tuple[str, ...]:
        """Arrays of a state that its next step starts from."""
        return (*KEPT, *self.kept)

    def state_for(self, plan: Plan, events: int = 0) -> Any:
        """A state for a plan and a number of event functions of the user."""
        state = self.state.zeros(layout_of(self.state, self._sizes(plan, events)))
        state.peaks[:] = UNSEEN
        state.traits[:] = self.chooses, self.dense, self.long, self.grows, self.impulsive
        state.control[:] = self.power, self.measure, self.retreat
        state.tableau[:] = self.tableau
        self.fill(state, plan)
        return state

    def _sizes(self, plan: Plan, events: int) -> tuple[tuple[str, int], ...]:
        table, width = self.tableau.shape
        stops = 0 if self.impulsive else len(plan.stops)  # which others meet as events
        common = {
            "nq": int(plan.topology[-1, 2]), "nv": int(plan.topology[-1, 3]), "held_rows": len(plan.holonomic),
            "integrals": plan.integrals, "events": events + plan.unilateral + stops, "clocks": len(plan.clocks),
            "touching": len(plan.spots) if self.impulsive else 0, "table": table, "table_width": width,
        }  # fmt: skip
        return tuple((common | self.sizes(plan)).items())

    def fill_calls(self, plan: Plan, work: Work, state: Any, terms: Sequence[Any], without: tuple[int, ...] = ()) -> Any:
        """Compile, or load, the step; gives what must live as long as the plan. without : entries that are not needed"""
        idle = (*self.idle(plan), *without)
        plan.calls[[ATTEMPT, TURN, WITHIN, *idle]] = 0
        if self.by_mass:
            plan.options[DENSE] = 1.0
        if self.with_mass:
            fill_matrices(plan)
        for slot, address in _addresses(self, len(plan.fed) > 0, idle):
            plan.calls[slot] = address
        return self.set_up(plan, work, state, terms)


@cache
def _addresses(method: Method, fed: bool, idle: tuple[int, ...]) -> list[tuple[int, int]]:
    """Entries of `calls` with the addresses of kernels, compiled or loaded."""
    kernels = method.fed_kernels if fed else method.kernels
    return [(slot, address_of(*entry)) for slot, entry in kernels.items() if slot not in idle]


def attempt_types(state: type[State]) -> tuple:
    """Argument types of kernels that attempt a step, or look within one, with a kind of state."""
    return (PLAN, WORK, record_type(state), float64, float64)


def turn_types(state: type[State]) -> tuple:
    """The same of kernels at the turn from step to step."""
    return (PLAN, WORK, record_type(state), int64)
