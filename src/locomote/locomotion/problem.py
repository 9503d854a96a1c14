"""The one problem: given what is imposed, find the rest.

Coordinates of a model are imposed (a drive gives their motion), driven (a torque acts on them) or passive (neither; springs,
dampers and friction may act). One evaluation gives the accelerations of the last two, the torques that the imposed motion
costs, and the reactions of the constraints.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from locomote.actuation.actuators import Actuator
from locomote.actuation.controllers import controllers_of
from locomote.compiler.background import expect
from locomote.constraints.kinds import Constraint, Custom, is_left_open
from locomote.constraints.packing import labels_of
from locomote.contact.touch import Touch
from locomote.drives.drives import as_drive, pack_signals
from locomote.drives.strains import are_strains, refuse_free_points, several, strain_drives
from locomote.dynamics.differences import derivative
from locomote.dynamics.function import refuse_torn
from locomote.errors import LocomoteError
from locomote.evaluation import plan as fields
from locomote.evaluation.plan import Plan
from locomote.evaluation.subsystems import size_of_parts
from locomote.evaluation.work import Work, work_of
from locomote.forces.along import with_sections
from locomote.forces.massless import weights_of, without_inertia
from locomote.forces.terms import ForceTerm, terms_of
from locomote.forces.water.added import AddsInertia, with_added
from locomote.later import later
from locomote.locomotion.case import Case, case_of
from locomote.locomotion.clocked import first_input
from locomote.locomotion.closed import plan_with_closed
from locomote.locomotion.connection import Connection, connection_of
from locomote.locomotion.derivatives import Derivatives, derivatives_of
from locomote.locomotion.evaluation import Evaluation
from locomote.locomotion.impacts import impact_of
from locomote.locomotion.inputs import (
    checked_list,
    checked_method,
    checked_name,
    checked_pair,
    checked_positive,
    checked_table,
    checked_time,
    checked_tolerances,
    is_samples,
    one_state,
    refuse_wild_rows,
    slots_of,
    warn_of_degrees,
)
from locomote.locomotion.linearization import Linearization, linearization_of
from locomote.locomotion.packing import make_plan
from locomote.locomotion.parts import couplings_as_constraints
from locomote.locomotion.reduction import Reduction, reduction_of, self_stresses
from locomote.locomotion.sections import constraints_on, contacts_on
from locomote.locomotion.springs import FRICTION_SPEED, places_in_q
from locomote.locomotion.start import assemble, refuse_beyond, started
from locomote.locomotion.touching import refuse_touching
from locomote.locomotion.unresisted import why_no_motion
from locomote.methods.choice import TOLERANCES, choose, refuse
from locomote.methods.entries import balance_one, creep_one, evaluate_one, fill_addresses, fill_matrices, rows_one
from locomote.methods.events.ignored import Ignored, checked_ignored
from locomote.methods.events.impact import Jump
from locomote.methods.events.when import When
from locomote.methods.options import Options
from locomote.methods.stepper import Stepper
from locomote.model.base import base_joints
from locomote.model.model import Model, checked_model
from locomote.runs.runner import Runner
from locomote.runs.schedule import schedule_of
from locomote.runs.trajectory import Trajectory
from locomote.spatial.numbers import all_finite

NEARLY_SINGULAR = 1e-4  # relative size of constraint rows that a run does not correct


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
    contacts : sequence of lo.Touch, what may touch which ground, also along rods; runs with method="timestep"
    limits : whether joints stop at the limits of the model in all runs, and torques at theirs wherever they are computed
    actuators : sequence of lo.Tendon, lo.Chamber, lo.Muscle and lo.StrainLaw, inside rods
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
        contacts: Sequence[Touch] = (),
        limits: bool = True,
        actuators: Sequence[Actuator] = (),
        rank_tolerance: float = 1e-9,
        friction_speed: float = FRICTION_SPEED,
        inertia: bool = True,
        tolerances: tuple[float, float] | None = None,
        name: str = "",
        origin: Mapping[str, Any] | None = None,
        start: tuple[Any, Any] | None = None,
    ):
        self.original, self.origin = checked_model(model), origin
        self.environment = checked_list("environment", environment)
        self.inertia = bool(inertia)
        weight = () if self.inertia else weights_of(model)
        hung = with_sections(model.unfolded, (*weight, *self.environment))
        self.said_constraints = checked_list("constraints", constraints)
        self.drives, self.springs = checked_table("drives", drives), checked_table("springs", springs)
        hung, ready = constraints_on(hung, self.said_constraints, self.drives)
        self.said_contacts = checked_list("contacts", contacts)
        hung, self.contacts, self.stretches = contacts_on(hung, self.said_contacts, self.drives)
        self.model = with_added(hung, self.environment) if self.inertia else without_inertia(hung)
        self.start = None if start is None else checked_pair("start", start)
        self.constraints = (*couplings_as_constraints(model), *ready)
        self.name = checked_name("name of a problem", name) or model.name
        self.controllers = controllers_of(torques)
        self.torques = {} if self.controllers else torques if callable(torques) else checked_table("torques", torques)
        self.terms = terms_of(self.model, (*weight, *self.environment), fields.SOURCES)
        self.limits = bool(limits)
        self.actuators = checked_list("actuators", actuators)
        self.rank_tolerance = checked_positive("rank_tolerance", rank_tolerance, below=1.0)
        self.friction_speed = checked_positive("friction_speed", friction_speed)
        self.tolerances = checked_tolerances(tolerances)
        self._drives = self._all_signals(self.drives, "drives")
        self.imposed = np.zeros(self.model.nv, dtype=bool)
        self.imposed[list(self._drives)] = True
        refuse_free_points(self.model, self.imposed)
        self._spare, self._spare_slopes = [], []  # scratch that no call uses at the moment, and that of derivatives
        near = self._state_near(*(self.start or (None, None)))  # faults of the input show here
        self._plan = make_plan(self, near[0])

    def __reduce__(self):
        """As it was said, so that a copy, here or in another process, packs its own plan and makes its own callbacks."""
        said = {
            "drives": self.drives, "torques": list(self.controllers) or self.torques, "springs": self.springs,
            "constraints": self.said_constraints, "environment": self.environment, "actuators": self.actuators,
            "contacts": self.said_contacts, "limits": self.limits,
            "rank_tolerance": self.rank_tolerance, "friction_speed": self.friction_speed, "inertia": self.inertia,
            "tolerances": self.tolerances, "name": self.name, "origin": self.origin, "start": self.start,
        }  # fmt: skip
        return _as_said, (type(self), self.original, said)

    def __repr__(self):
        imposed, rows = int(self.imposed.sum()), len(self.constraint_labels)
        return f"<Locomotion {self.name!r}: nv={self.model.nv}, {imposed} imposed, {rows} constraint rows>"

    # packing

    def _slots(self, key) -> list[int]:
        """Coordinates of v that a key of drives, torques or springs names."""
        return slots_of(self.model, key)

    def _all_signals(self, table: Mapping[Any, Any], label: str) -> dict[int, Any]:
        """Drives by coordinates of v."""
        result: dict[int, Any] = {}
        for key, given in table.items():
            own = strain_drives(self.model, key, several(given)).items() if are_strains(given) else None
            for k, drive in self._signals(key, given, label) if own is None else own:
                if k in result:
                    raise ValueError(f"{label}[{key!r}]: that coordinate is there already; name each once")
                result[k] = drive
        return result

    def _signals(self, key, given, label):
        slots = self._slots(key)
        many = list(given) if isinstance(given, (list, tuple)) and not is_samples(given) else [given]
        if len(many) != len(slots):
            raise ValueError(
                f"{label}[{key!r}] gives {len(many)} signal(s), joint {key!r} has {len(slots)} coordinates: give one each, "
                f"or name one as ({key!r}, 0)"
            )
        for slot in slots:
            if label == "drives" and self.q_of_v[slot] < 0:
                raise ValueError(
                    f"drives[{key!r}]: coordinates of a {self.model.joint(key if isinstance(key, str) else key[0]).kind} joint "
                    f"move on a group and cannot be imposed one by one; use an euler, xyz or several revolute joints"
                )
        return zip(slots, (as_drive(x) for x in many), strict=True)

    @cached_property
    def q_of_v(self) -> np.ndarray:
        """(nv,) place in q of every coordinate of v that is a plain number, -1 for those on a group."""
        return places_in_q(self.model)

    @property
    def plan(self) -> Plan:
        """The packed problem; targets of contacts and lengths that were left open are those of the start."""
        return self._plan

    def plan_at(self, q: np.ndarray) -> Plan:
        """The packed problem with open targets and lengths taken at q; the problem stays as it is."""
        return make_plan(self, q) if any(map(is_left_open, self.constraints)) else self._plan

    def run_plan(self, q: np.ndarray) -> Plan:
        """A plan for one run from q, whose contacts may open and close."""
        plan = self.plan_at(q)
        self.prepare(plan)
        plan = plan.own()
        plan.options[fields.BY_MASS] = 1.0
        plan.options[fields.PROJECTION_TOLERANCE] = max(self.rank_tolerance, NEARLY_SINGULAR)
        return plan

    def work_for(self, plan: Plan) -> Work:
        """Scratch arrays for one user of a plan, and kernels compiled for it."""
        work = work_of(plan)
        self.prepare(plan)
        return work

    def prepare(self, plan: Plan) -> None:
        """Have the kernels of a plan compiled."""
        if not plan.calls[fields.EVALUATE]:
            fill_addresses(plan)

    @contextmanager
    def scratch(self, plan: Plan) -> Iterator[Work]:
        """Scratch for one call, which no other call has meanwhile: not another thread's, nor one that a function of the user
        makes from within."""
        try:
            work = self._spare.pop()
        except IndexError:
            work = work_of(plan)
        try:
            self.prepare(plan)
            yield work
        finally:
            self._spare.append(work)

    @cached_property
    def constraint_labels(self) -> tuple[tuple[str, str, str], ...]:
        """(constraint, row, unit of its reaction) of every row."""
        return labels_of(self.constraints)

    def to_record(self) -> dict[str, Any]:
        """The problem as numbers and words for a run file; a ValueError names what cannot be stored."""
        from locomote.locomotion.record import problem_to_record

        return dict(self.origin) if self.origin else problem_to_record(self)

    # runs

    def simulate(
        self,
        duration: float,
        *,
        q=None,
        v=None,
        t: float = 0.0,
        method: str = "auto",
        step: float | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        max_step: float = np.inf,
        every: float | None = None,
        samples=None,
        events: Sequence[When | Callable] = (),
        projection: bool = True,
        singular: str = "continue",
        progress: bool | None = None,
        on_interrupt: str = "return",
        checkpoint=None,
        checkpoint_interval: float = 5.0,
        ignore: Ignored = (),
        start: str = "check",
    ) -> Trajectory:
        """Run for a duration (s) from a start near q, v.

        method : "auto" (chosen by the bodies and contacts that there are; `run.info["reason"]` says why), "adaptive" (Dormand-
            Prince 5(4)), "rk4", "implicit" (stiff systems), "variational" (conservative systems), "gauss" (flexible bodies and
            stiff springs with little damping, order 6; "gauss4" and "gauss8" of order 4 and 8), "radau" (the same, damped),
            "timestep" (hard contacts with friction, fixed steps),
            "rosenbrock" (stiff forces such as soft ground, without constraints)
        step : s, of methods with fixed steps; the first step of others
        rtol, atol, max_step : of methods that choose steps; if None `tolerances` of the problem, or else 1e-8, 1e-10 (1e-3,
            1e-10 for "gauss", 1e-5, 1e-10 for "radau"; 1e-3, 3e-4 for "rosenbrock")
        every : distance of samples, s ; samples : their times ; if neither is given 500 intervals, and more samples where the
            motion is fast. Impacts are sampled before and after, and a terminal event in its state, whatever is asked for.
        events : functions (t, q, v) -> number, or lo.When
        projection : keep constraints met at every step ; singular : "continue" or "stop" when their rank changes
        ignore : names of constraints that do not hold, and of unilateral contacts that stay open whatever their gap (a foot
            that swings through), until an event closes them (lo.When); or {name: time until which, s}
        start : "check" refuses q or v of which little would be left once drives and constraints are met (InconsistentStart);
            "project" takes the nearest state that meets them, however far; `run.start_change` says what was changed
        progress : show a bar; by default if there is a terminal ; checkpoint : file that the run is written to as it goes on,
            at least every `checkpoint_interval` seconds; `lo.resume(file)` goes on with it

        Ctrl-C ends the run and gives what was computed, so that what follows goes on; a second one within a second, or
        on_interrupt="raise", ends that too. A run that cannot go on raises RunFailed, with what was computed.
        """
        why, chosen = "", method == "auto"
        if chosen:
            method, why = ("timestep", "there are contacts with friction") if self.contacts else choose(self.plan, self.terms)
        method = checked_method(self, method)
        refuse(method, self.plan, self.name)
        expect("run", lambda plan=self.plan: later("needed", "of_run")(plan, method))
        usual = self.tolerances or TOLERANCES.get(method, (1e-8, 1e-10))
        rtol, atol = usual[0] if rtol is None else rtol, usual[1] if atol is None else atol
        options = Options(method, step, rtol, atol, max_step, projection, singular, on_interrupt).checked()
        t = checked_time(t)
        schedule = schedule_of(t, duration, every, samples)
        ignored = checked_ignored(self, ignore, t)
        begun, change = started(self, q, v, t, ignore=ignored, start=start)
        refuse_beyond(self, begun[0])
        runner = Runner(self, schedule, options, events, begun, t, ignore=ignored)
        runner.chosen, runner.reason, runner.start_change = chosen, why, change
        return runner.whole(progress, checkpoint, checkpoint_interval)

    def stepper(self, q=None, v=None, *, t: float = 0.0, step: float = 1e-3, method: str = "rk4") -> Stepper:
        """Steps by hand from a start near q, v, for loops of your own: `stepper.advance(tau)`, then look at `stepper.q`, `.v`.

        step : s ; method : "rk4", or "euler" (semi-implicit, one evaluation a step)
        """
        return Stepper(self, q, v, checked_time(t), step, method)

    # states

    def _state_near(self, q, v) -> tuple[np.ndarray, np.ndarray]:
        """A state of the model, neutral and at rest where nothing is given."""
        model = self.model
        q = model.neutral() if q is None else self._unfolded_q(q)
        return one_state(model, q, np.zeros(model.nv) if v is None else self._unfolded_v(v))

    def initial(self, q=None, v=None, t: float = 0.0, *, ignore: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray]:
        """A state at time t that meets drives and constraints, nearest to what is given (the start, or neutral and at rest).

        ignore : names of constraints that do not hold, and of unilateral contacts that are open, whatever their gap
        Raises InconsistentStart, saying which constraint cannot be met and by how much.
        """
        if q is None and v is None and self.start is not None:
            q, v = self.start
        q, v = self._state_near(q, v)
        t = checked_time(t)
        assemble(self, t, q, v, ignore)
        warn_of_degrees(self.model, q)
        return q, v

    def _unfolded_q(self, q):
        coupling = self.original.coupling
        return coupling.expand_q(np.asarray(q, float)) if coupling and np.shape(q)[-1:] == (self.original.nq,) else q

    def _unfolded_v(self, v):
        coupling = self.original.coupling
        return coupling.expand_v(np.asarray(v, float)) if coupling and np.shape(v)[-1:] == (self.original.nv,) else v

    def worst_rows(self, values: np.ndarray, above: float, unit: str = "(SI units)") -> str:
        """The constraint rows with the largest values, in words."""
        rows = [r for r in np.argsort(-abs(values)) if abs(values[r]) > above][:3]
        labels = self.constraint_labels
        return ", ".join(f"row {labels[r][1]!r} of {labels[r][0]!r} is off by {values[r]:.3g} {unit}" for r in rows)

    # evaluations

    def evaluate(self, t: float, q, v, *, closed: Sequence[str] | None = None, ignore: Sequence[str] = ()) -> Evaluation:
        """Accelerations, torques and reactions at time t in state q, v (imposed coordinates are set from the drives).

        closed : names of the unilateral contacts that hold here, others have no reaction; all hold if None, whatever their gap
            and even if they have to pull, because one state does not tell which are in touch (a run finds that out by itself)
        ignore : names of constraints of any kind that do not hold here

        Targets, frames and lengths that were left open are those of the start; of this state if the problem says no start, as
        of a run that has come here, with axes of frames that may turn as they are here. Forces of lo.Touch are found over a
        step of a run: a state in which one touches is refused.
        """
        model, t = self.model, checked_time(t)
        q, v = one_state(model, q, v)
        plan, present = plan_with_closed(self, closed, ignore, q)
        given = first_input(self, t, q, v) if self.controllers else 0.0
        with self.scratch(plan) as work:
            work.input[:] = given
            try:
                a, lam, rank = self.evaluate_with(plan, work, t, q, v)
            finally:
                work.input[:] = 0.0
            rows, drift, lengths = work.A.copy(), work.drift[present], work.lengths[present]
            tau = np.where(self.imposed, work.tau, work.active)
            names = [*fields.SOURCES, "path", *(term.name for term in self.terms)]
            power = dict(zip(names, work.power.tolist(), strict=True))
        del power["path"]
        refuse_torn(model, q[None])
        refuse_wild_rows(self, rows)
        refuse_touching(self, t, q, "an evaluation")
        if rank < 0 or not all_finite(a):
            raise LocomoteError(
                f"{self.name!r} has no acceleration at t = {t:g}: "
                f"{why_no_motion(self, t, q) or 'a drive, a torque, a force or a constraint gives a value that is not finite'}"
            )
        if not len(drift):
            return Evaluation(a, tau, lam, np.zeros((len(lam), 0)), np.zeros((model.nv, 0)), int(rank), power, 0.0)
        A = rows[present][:, plan.free]
        worst = float((abs(A @ a[plan.free] + drift) / lengths).max())
        stress = np.zeros((len(lam), 0))
        if rank < len(drift):  # or all rows are independent
            own = self_stresses(A, lengths, self.rank_tolerance)
            stress = np.zeros((len(lam), own.shape[1]))
            stress[present] = own
        torques = np.where(self.imposed[:, None], -rows.T @ stress, 0.0)
        return Evaluation(a, tau, lam, stress, torques, int(rank), power, worst)

    def derivatives(self, t: float, q, v, *, closed: Sequence[str] | None = None) -> Derivatives:
        """Exact derivatives of `evaluate`: of .a, .tau, .reactions, each by .q, .v, .tau (further forces) and .t."""
        return derivatives_of(self, t, q, v, closed)

    def impact(self, q, v, *, closed: Sequence[str], t: float = 0.0, ignore: Sequence[str] = ()) -> Jump:
        """What happens to v when the named unilateral contacts hit at q, with those that are named and closed already; others
        are not there. Contacts that would have to pull let go; lasting constraints hold, but for those that `ignore` names: to
        close one is the impact with it.

        The result has .v after it, .impulses of all rows (N s or N m s), .lost energy (J, never positive).
        """
        return impact_of(self, q, v, closed, checked_time(t), ignore)

    def rows(self, t: float, q, v=None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(A, drift, speed, error): rows of all constraints at a state, A' v + b', b, and position errors."""
        q, v = one_state(self.model, q, np.zeros(self.model.nv) if v is None else v)
        with self.scratch(self.plan) as work:
            found = self.rows_of(self.plan, work, checked_time(t), q, v)
        refuse_wild_rows(self, *found)
        return found

    def rows_of(self, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray):
        """`rows` for a plan of its own, unchecked."""
        rows_one(plan, work, float(t), q, v, np.zeros(self.model.nv))
        plan.raise_faults()
        return work.A.copy(), work.drift.copy(), work.speed.copy(), work.error.copy()

    def evaluate_with(self, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray):
        """Accelerations and reactions for a plan of its own, unchecked; q and v are set where imposed."""
        a, lam = np.zeros(self.model.nv), np.zeros(len(plan.holonomic))
        rank = (evaluate_one if self.inertia else creep_one)(plan, work, float(t), q, v, a, lam)
        plan.raise_faults()
        return a, lam, int(rank)

    def rows_rate(self, t: float, q, v) -> np.ndarray:
        """(rows, nv) rate of the rows when the configuration moves with v; custom rows by differences of eighth order."""
        model, work = self.model, work_of(self.plan, rates=True)
        q, v = one_state(model, q, v)
        self.prepare(self.plan)
        rows_one(self.plan, work, float(t), q, v, np.zeros(model.nv))
        self.plan.raise_faults()
        result = work.rate.copy()
        if model.flexible:
            return derivative(lambda s: self.rows(t, model.integrate(q, s * v))[0], 2e-3)
        parts = zip(self.constraints, self._row_slices(), strict=True)
        if custom := [r for c, rows in parts if isinstance(c, Custom) for r in rows]:
            result[custom] = derivative(lambda s: self.rows(t, model.integrate(q, s * v))[0][custom], 2e-3)
        return result

    def scaled_rows(self, t: float, q) -> np.ndarray:
        """(rows, free) the part of all rows on free coordinates, scaled to lengths of about one, as ranks are decided by."""
        q, v = one_state(self.model, q, np.zeros(self.model.nv))
        with self.scratch(self.plan) as work:
            return self.rows_of(self.plan, work, t, q, v)[0][:, self.plan.free] / work.lengths[:, None]

    def _row_slices(self) -> list[range]:
        ends = np.cumsum([len(c.labels) for c in self.constraints], dtype=int)
        return [range(end - len(c.labels), end) for c, end in zip(self.constraints, ends, strict=True)]

    def resistance(self, q, t: float = 0.0) -> np.ndarray:
        """(nv, nv) what the surroundings and joints resist velocities with, N s/m, N s or N m s: force = -R v, where forces are
        proportional to velocities (slope at rest, over unit velocities, where they are not)."""
        q, still = one_state(self.model, self._unfolded_q(q), np.zeros(self.model.nv))
        at_rest = self.balance(t, q, still)
        return np.column_stack([at_rest - self.balance(t, q, unit) for unit in np.eye(self.model.nv)])

    def balance(self, t: float, q, v=None) -> np.ndarray:
        """(nv,) all forces on the coordinates, N or N m, but those of inertia, constraints and drives: gravity, springs,
        elasticity, given torques and surroundings at (t, q, v), v zero if None. No mass is needed."""
        q, v = one_state(self.model, q, np.zeros(self.model.nv) if v is None else v)
        with self.scratch(self.plan) as work:
            fill_matrices(self.plan)
            balance_one(self.plan, work, checked_time(t), q, v)
            self.plan.raise_faults()
            found = work.z[: self.model.nv].copy()
        refuse_torn(self.model, q[None])
        return found

    def connection(self, q, t: float = 0.0) -> Connection:
        """The net motion that changes of shape bring about at configuration q, with its curvature."""
        return connection_of(self, self._unfolded_q(q), t)

    def connection_field(self, x: str, y: str, *, ranges=None, count: int = 31, q=None, t: float = 0.0):
        """The connection and its curvature over two shape coordinates: numbers, and a picture by its `plot`.

        x, y : names of joints with one coordinate ; ranges : from where to where of each, rad or m; within 1 of zero if None
        count : points of each ; q : (nq,) where all others stay; the start if None
        """
        return later("view.fields", "connection_field")(self, x, y, ranges=ranges, count=count, q=q, t=t)

    def net_displacement(self, path: Mapping[Any, Any], duration: float, q=None) -> np.ndarray:
        """Coordinates of the base after its shape went along a path: from q (or the start), with no momentum of its own.

        path : drives of all shape coordinates, as for `drives` ; duration : s, one period for a closed path
        """
        acting: list[Any] = [e for e in self.environment if not self.inertia or isinstance(e, AddsInertia)]
        own = self.said_constraints
        moved = Locomotion(self.original, drives=path, constraints=own, environment=acting, inertia=self.inertia)
        start, v = moved.initial(q, np.zeros(self.model.nv))
        if moved.imposed[sorted(self.external)].any() or moved.imposed.sum() != self.model.nv - len(self.external):
            raise ValueError("path must impose every coordinate that is not of the base, and none of the base")
        connection = connection_of(moved, start)
        v[connection.base] = -connection.A @ v[connection.shape]
        run = moved.simulate(duration, q=start, v=v, rtol=1e-11, atol=1e-12, samples=[duration], progress=False)
        slices = [self.model.joint(joint.name).q for joint in base_joints(self.model)]
        return np.concatenate([run.q[-1, part] for part in slices])

    def linearize(self, q=None, v=None, t: float = 0.0) -> Linearization:
        """Small motions about a state (an equilibrium, or a motion steady in body frames) as a linear system."""
        return linearization_of(self, q, v, t)

    def reduction(self, t: float, q, v, inverse="minimum", previous: Reduction | None = None) -> Reduction:
        """All matrices of the reduction at a state.

        inverse : "minimum" norm, weights of the rows, or a list of rows, which decides how redundant reactions are shared
        previous : a reduction just before, whose basis H is continued
        """
        return reduction_of(self, t, q, v, inverse, previous)

    def restitution_of(self, constraint: int) -> float:
        """Speed after a hit over speed before it."""
        return float(getattr(self.constraints[constraint], "restitution", 0.0))

    def drive_gap(self, t: float) -> str:
        """A sentence about the first drive that has no finite value at time t; empty if all have."""
        gap = pack_signals(self._drives).gap(t)
        return gap[1] if gap else ""

    def classify(self, t: float = 0.0, q=None, *, closed: Sequence[str] | None = None, ignore: Sequence[str] = ()) -> Case:
        """Which case of the reduction the system is in at time t and configuration q, that of the start if None.

        closed : names of the unilateral contacts that hold here; all of them if None, whatever their gap
        ignore : names of constraints of any kind that do not hold here
        """
        start = self.initial(t=t, ignore=ignore)[0] if q is None else q
        q, v = one_state(self.model, start, np.zeros(self.model.nv))
        plan, present = plan_with_closed(self, closed, ignore)
        if not self.constraints:
            return self._case_without_rows
        with self.scratch(plan) as work:
            A, lengths = self.rows_of(plan, work, checked_time(t), q, v)[0], work.lengths[present]
        refuse_wild_rows(self, A)
        return self._case(A[present], lengths, plan)

    @cached_property
    def _case_without_rows(self) -> Case:
        return self._case(np.zeros((0, self.model.nv)), np.zeros(0), self.plan)

    def _case(self, A: np.ndarray, lengths: np.ndarray, plan: Plan) -> Case:
        """The case of constraint rows A (rows, nv) of given lengths."""
        base = [k for k in range(self.model.nv) if not self.imposed[k] and k in self.external]
        inner = [k for k in range(self.model.nv) if not self.imposed[k] and k not in self.external]
        names = [f"{s.joint}.{s.name}" for s in self.model.layout().slots if s.vector == "v"]
        touching = len(self.contacts)
        parts = size_of_parts(plan.subsystems) if plan.options[fields.LOCAL] else None
        return case_of(A, lengths, self.imposed, base, inner, names, self.rank_tolerance, self.inertia, touching, parts)

    @cached_property
    def external(self) -> frozenset[int]:
        """Coordinates of v that are the net motion: those of the base, if the model has one."""
        parts = [self.model.joint(joint.name).v for joint in base_joints(self.model)]
        return frozenset(k for part in parts for k in range(part.start, part.stop))


def _as_said(kind: type[Locomotion], model: Model, said: dict[str, Any]) -> Locomotion:
    """For pickle and copy."""
    return kind(model, **said)
