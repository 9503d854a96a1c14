"""The one problem: given what is imposed, find the rest.

Coordinates of a model are imposed (a drive gives their motion), driven (a torque acts on them) or passive (neither; springs,
dampers and friction may act). One evaluation gives the accelerations of the last two, the torques that the imposed motion
costs, and the reactions of the constraints.

A problem is said once (`statement`), packed once (`packing`), and everything that can be asked of it is a function of it in a
file of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from locomote.actuation.actuators import Actuator
from locomote.constraints.kinds import Constraint
from locomote.constraints.packing import labels_of
from locomote.contact.bodies import BodyContacts
from locomote.contact.touch import Touch
from locomote.forces.terms import ForceTerm
from locomote.later import later
from locomote.linear.rank import DEPENDENT
from locomote.locomotion.balance import balance, resistance
from locomote.locomotion.case import case_without_rows, classify, external
from locomote.locomotion.connection import connection
from locomote.locomotion.contact_states import with_contacts
from locomote.locomotion.derivatives import derivatives
from locomote.locomotion.evaluation import evaluate, evaluate_with
from locomote.locomotion.impacts import impact
from locomote.locomotion.inputs import checked_time
from locomote.locomotion.joint_wrenches import joint_wrenches
from locomote.locomotion.linearization import linearization_of
from locomote.locomotion.momentum_form import momentum_form
from locomote.locomotion.net_displacement import net_displacement
from locomote.locomotion.packing import Packed, pack, plan_at, run_plan, scratch, work_for
from locomote.locomotion.reduction import reduction
from locomote.locomotion.rows import rows, rows_of, rows_rate, scaled_rows, worst_rows
from locomote.locomotion.self_stress import reactions
from locomote.locomotion.simulate import simulate
from locomote.locomotion.springs import FRICTION_SPEED
from locomote.locomotion.start import initial, started
from locomote.locomotion.statement import Statement
from locomote.methods.stepper import Stepper
from locomote.model.model import Model
from locomote.quantities import Parameters


class Locomotion:
    """A model with imposed motions, torques, springs, constraints and surroundings.

    drives : joint name -> drive (lo.Sine, lo.Spline, ..., a number, a function of t); joints with several coordinates take a
        sequence, (name, k) names one coordinate; the name of a rod -> lo.StrainField, lo.StrainWave, or such a sequence
    torques : joint name -> drive as torque over time; or a function (t, q, v) -> (nv,), N or N m, of which
        entries of imposed coordinates are not used: there the drive gives all that is needed; or controllers with a clock,
        lo.Sampled and lo.PD, one or a list
    springs : joint name -> (stiffness, rest, damping), in addition to those of the model
    constraints : sequence of lo.Blade, lo.Rolling, lo.LoopClosure, ...
    environment : sequence of forces (lo.Spring, ..., what @lo.force makes) and functions (t, q, v) -> {body: wrench in the
        body frame}
    contacts : sequence of lo.Touch, what may touch which ground, also along rods, and of lo.BodyContacts, which bodies may
        touch each other; runs with method="timestep"
    limits : whether joints stop at the limits of the model in all runs, and torques at those of motors wherever computed
    actuators : sequence of lo.Tendon, lo.Chamber, lo.Muscle and lo.rods.StrainLaw, inside rods
    rank_tolerance : relative size below which a constraint row counts as dependent on others
    inertia : False for motion in which mass does not matter (low Reynolds number, sand): forces balance at every instant, and
        velocities follow from the configuration, whatever they were before; needs something that resists every motion
    friction_speed : speed at which dry friction reaches most of its value, rad/s or m/s
    tolerances : (rtol, atol) of runs that say nothing else; those of the method if None
    start : (q, v) that runs start near unless told otherwise; neutral and at rest if None
    origin : how a run file names the problem instead of storing its parts: {"system": name, "parameters": {...}}

    A model with coupled (mimic) joints is taken apart: `problem.model` has them as joints of their own, held by constraints.
    """

    def __init__(
        self,
        model: Model,
        *,
        drives: Mapping[Any, Any] | None = None,
        torques: Mapping[Any, Any] | Callable | None = None,
        springs: Mapping[Any, Sequence[float]] | None = None,
        constraints: Sequence[Constraint] = (),
        environment: Sequence[ForceTerm | Callable] = (),
        contacts: Sequence[Touch | BodyContacts] = (),
        limits: bool = True,
        actuators: Sequence[Actuator] = (),
        rank_tolerance: float = DEPENDENT,
        friction_speed: float = FRICTION_SPEED,
        inertia: bool = True,
        tolerances: tuple[float, float] | None = None,
        name: str = "",
        origin: Mapping[str, Any] | None = None,
        start: tuple[Any, Any] | None = None,
    ):
        said = Statement(
            model=model, drives={} if drives is None else drives, torques=torques, springs={} if springs is None else springs,
            constraints=constraints, environment=environment, contacts=contacts, limits=limits, actuators=actuators,
            rank_tolerance=rank_tolerance, friction_speed=friction_speed, inertia=inertia, tolerances=tolerances, name=name,
            origin=origin, start=start,
        )  # fmt: skip
        self._take(said)

    def _take(self, said: Statement, packed: Packed | None = None) -> None:
        """Pack what was said, if it is not. Its parts have names here, so that no one has to know where each comes from."""
        self.statement, self.packed = said, pack(said) if packed is None else packed
        self.name, self.start, self.tolerances = said.name, said.start, said.tolerances
        self.drives, self.springs = said.drives, said.springs
        self.environment, self.actuators = said.environment, said.actuators
        self.controllers, self.torques = said.controllers, {} if said.controllers else said.torques
        self.inertia, self.limits = said.inertia, said.limits
        self.rank_tolerance, self.friction_speed = said.rank_tolerance, said.friction_speed
        parts = self.packed.parts
        self.model, self.imposed, self.q_of_v = parts.model, parts.imposed, parts.q_of_v
        self.constraints, self.terms = parts.constraints, parts.terms
        self.contacts, self.stretches = parts.contacts, parts.stretches
        self.imposed_motions, self.given_torques = parts.drives, parts.torques  # by coordinates of v
        self.plan, self.contact_names = self.packed.plan, self.packed.contact_names

    def __reduce__(self):
        """As it was said, so that a copy, here or in another process, packs its own plan and makes its own callbacks."""
        return _of, (type(self), self.statement)

    def __repr__(self) -> str:
        imposed, rows = int(self.imposed.sum()), len(self.constraint_labels)
        return f"<Locomotion {self.name!r}: nv={self.model.nv}, {imposed} imposed, {rows} constraint rows>"

    def _repr_html_(self) -> str:
        return later("view.notebook", "of_problem")(self)

    def replaced(self, **said: Any) -> "Locomotion":
        """The problem with some of what was said of it said otherwise: arguments as of the constructor, `model` among them.

        What is said otherwise no longer is the system of the catalogue that it came from: files keep its parts instead.
        """
        return _of(type(self), replace(self.statement, **({"origin": None} | said)))

    @cached_property
    def parameters(self) -> Parameters:
        """Every number that the problem was made from, by name: `problem.parameters["board.mass"]`, kg; print it for a table
        with units. `with_parameters` takes the same names and patterns."""
        from locomote.locomotion.parameters.change import parameters_of

        return parameters_of(self)

    @cached_property
    def parameter_places(self) -> Mapping[str, Any]:
        """Where each parameter stands in what was said; problems that are made of one another share it."""
        from locomote.locomotion.parameters.names import places_of

        return places_of(self.packed.parts)

    def with_parameters(self, values: Mapping[Any, Any]) -> "Locomotion":
        """A problem with other numbers, by name: {"rotor.amplitude": 0.5}; nothing is compiled for it.

        values : name, or pattern such as "*.mass", or several of these in a tuple, which are then tied -> number, or numbers
            of the shape that the parameter has; in SI units, as `parameters` says
        """
        from locomote.locomotion.parameters.change import changed

        said, packed, known = changed(self, values)
        problem = _of(type(self), said, packed)
        problem.parameter_places = known
        return problem

    def to_record(self) -> dict[str, Any]:
        """The problem as numbers and words for a run file; a ValueError names what cannot be stored."""
        from locomote.locomotion.record import record_of

        return record_of(self.statement)

    @cached_property
    def constraint_labels(self) -> tuple[tuple[str, str, str], ...]:
        """(constraint, row, unit of its reaction) of every row."""
        return labels_of(self.constraints)

    # runs
    simulate = simulate
    initial = initial
    started = started

    def stepper(
        self, q=None, v=None, *, t: float = 0.0, step: float = 1e-3, method: str = "rk4", start: str = "check"
    ) -> Stepper:
        """Steps by hand from a start near q, v, for loops of your own: `stepper.advance(tau)`, then look at `stepper.q`, `.v`.

        step : s ; method : "rk4", "euler" (semi-implicit, one evaluation a step), or "timestep", which problems with contacts
            take instead of "rk4": `stepper.contact_forces` has their forces
        start : as of `simulate`; `stepper.start_change` says what was changed
        """
        return Stepper(self, q, v, checked_time(t), step, method, start)

    # contacts as constraints
    with_contacts = with_contacts

    # answers for one instant
    evaluate = evaluate
    reactions = reactions
    joint_wrenches = joint_wrenches
    derivatives = derivatives
    impact = impact
    linearize = linearization_of
    reduction = reduction
    momentum_form = momentum_form
    classify = classify
    case_without_rows = cached_property(case_without_rows)
    balance = balance
    resistance = resistance

    # net motion
    external = cached_property(external)
    connection = connection

    def connection_field(self, region: Mapping[Any, Any], *, modes: Any = None, at: Any = None) -> Any:
        """The connection and its curvature over two shape coordinates: numbers, a best frame, and a picture by its `plot`.

        region : two names of joints -> (low, high), (low, high, points), or None for a usual range; rad or m
        modes : name in region -> {joint: weight}, for coordinates that move several joints together
        at : (nq,) configuration, or {joint: value}, where all others stay; the start if None
        """
        return later("gaits.fields", "connection_field")(self, region, modes=modes, at=at)

    net_displacement = net_displacement

    # rows of the constraints
    rows = rows
    rows_rate = rows_rate
    scaled_rows = scaled_rows
    worst_rows = worst_rows

    # for those who compute with a plan and scratch of their own
    plan_at = plan_at
    run_plan = run_plan
    work_for = work_for
    scratch = scratch
    rows_of = rows_of
    evaluate_with = evaluate_with


def _of(kind: type[Locomotion], said: Statement, packed: Packed | None = None) -> Locomotion:
    """The problem of a statement; also for pickle and copy."""
    problem = kind.__new__(kind)
    problem._take(said, packed)
    return problem
