"""The controller: named tasks and contacts, one compiled call a tick from (q, v) to torques.

It works in tables of its own, so one call has it at a time: every public call takes its turn. What it knows from tick to tick
is that of the last tick; a run notes its own (`remembered`) and goes back to it after ticks of others (`present`).
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
from numba import config, typeof

from locomote.compiler.indirect import address_of
from locomote.control.whole_body import tick as kernels
from locomote.control.whole_body.by_daqp import by_daqp
from locomote.control.whole_body.clearances import Clearance
from locomote.control.whole_body.contacts import Contact, Pyramid
from locomote.control.whole_body.goals import Writer, contact_writer, writer_of
from locomote.control.whole_body.memory import Memory, Past
from locomote.control.whole_body.motors import Motors, motors_of
from locomote.control.whole_body.packing import Packed, pack
from locomote.control.whole_body.result import Now
from locomote.control.whole_body.schedule import ContactSchedule, Follower
from locomote.control.whole_body.tables import LEAST, MOST, WEIGHT
from locomote.control.whole_body.tasks import AngularMomentum, CenterOfMass, Posture, Task
from locomote.control.whole_body.tick import ODD
from locomote.errors import UnknownName
from locomote.locomotion.inputs import checked_positive, checked_table
from locomote.locomotion.springs import FRICTION_SPEED, joint_springs, passive_forces
from locomote.model.model import Model, checked_model
from locomote.qp.active_set import NOT_CONVEX, SOLVED

SOLVERS = ("own", "daqp")
CONES = ("pyramid", "round")


class WholeBody:
    """Control of a whole body with contacts: from a state to torques, by one quadratic program a tick.

    tasks : lo.control.CenterOfMass, lo.control.Frame, lo.control.LookAt, lo.control.Posture, lo.control.AngularMomentum ;
    contacts : lo.control.Contact clearances : lo.control.Clearance, bodies that stay apart
    torque_limits : True for those of the model, an array (nv,), N or N m, or False; a joint with a limit of 0 has no motor
    position_limits, velocity_limits : whether to keep those of the model
    passive : names of joints without a motor, besides the base: joints between the world and the only root, unless the first is
        one of an arm (revolute, prismatic, ...) ; actuated : names of joints of the base that have a motor after all
    springs, friction_speed : as of lo.Locomotion, which are added to the springs, dampers and friction of the model's joints
    sides : of friction pyramids, which lie inside the cones
    cones : "pyramid", inside the cone, or "round": second order, by planes that are moved until forces are within
    contact_damping : 1/s, answers speeds of contacts ; horizon, brake : s and rad/s^2, of limits of motion
    solver : "own", or "daqp" with that package

    `tasks` and `contacts` are dicts by name; `add` and `remove` change them while it runs. Threads may share it.
    """

    def __init__(
        self,
        model: Model,
        tasks: Iterable[Task] = (),
        contacts: Iterable[Contact] = (),
        *,
        clearances: Iterable[Clearance] = (),
        cones: str = "pyramid",
        torque_limits: Any = True,
        position_limits: bool = False,
        velocity_limits: bool = False,
        passive: Iterable[str] = (),
        actuated: Iterable[str] = (),
        springs: Mapping[Any, Sequence[float]] | None = None,
        friction_speed: float = FRICTION_SPEED,
        sides: int = 4,
        contact_damping: float = 20.0,
        horizon: float = 0.005,
        brake: float = 20.0,
        solver: str = "own",
        limit: int = 5000,
    ):
        self.model = checked_model(model)
        if model.coupling is not None or model.flexible is not None or not model.plain:
            raise ValueError(
                f"model {model.name!r} has couplings, flexible bodies or added inertia, which whole-body control does not "
                f"know: read the file with mimic=False, or lock the joints"
            )
        if solver not in SOLVERS:
            raise UnknownName("solver", solver, SOLVERS, "solvers of quadratic programs")
        if cones not in CONES:
            raise UnknownName("kind of cone", cones, CONES, "friction cones")
        if cones == "round" and solver != "own":
            raise ValueError("round cones are solved by the own solver only; give solver='own'")
        Pyramid(sides)
        self.solver = solver
        self.motors: Motors = motors_of(model, torque_limits=torque_limits, passive=passive, actuated=actuated)
        self._passive = joint_springs(model, checked_table("springs", springs))
        self._friction_speed = checked_positive("friction_speed", friction_speed)
        self._options = {
            "driven": self.driven, "torque_limits": self.torque_limits, "passive": self._passive,
            "friction_speed": self._friction_speed, "position_limits": position_limits,
            "velocity_limits": velocity_limits, "sides": sides, "contact_damping": float(contact_damping),
            "horizon": float(horizon), "brake": float(brake), "limit": int(limit),
            "round": cones == "round", "motion_weight": 1e-8, "torque_slack": 1e6,
            "motion_slack": 1e5,
        }  # fmt: skip
        self.tasks: dict[str, Task] = {}
        self.contacts: dict[str, Contact] = {}
        self.clearances: dict[str, Clearance] = {}
        self._leaving: dict[str, tuple[float, float, float]] = {}  # contact -> start, duration, load a point at the start
        self._packed: Packed | None = None
        self._follower: Follower | None = None
        self._writers: list[Writer] = []
        self._address = 0
        self._shapes = (model.nq,), (model.nv,)
        self._starts: dict[str, Any] = {}
        self._held: dict[tuple[str, str, str], int] = {}
        self._last: Now | Past | None = None
        self._memory: Memory | None = None
        self._known: tuple[dict[str, Contact], dict[str, Task]] = ({}, {})
        self._said: tuple[dict[str, Contact], dict[str, Task]] = ({}, {})  # what was given by hand: runs begin with it
        self._turn, self._ticking = threading.RLock(), False
        self.present: np.ndarray | None = None
        for one in [*tasks, *contacts, *clearances]:
            self.add(one)

    @property
    def driven(self) -> np.ndarray:
        """(nv,) booleans, coordinates that have a motor."""
        return self.motors.driven

    @property
    def torque_limits(self) -> np.ndarray:
        """(nv,) N or N m."""
        return self.motors.limits

    @property
    def turn(self):
        """What to hold (`with control.turn:`) where several calls belong together and other threads have the controller too."""
        return self._turn

    def passive_force(self, q, v) -> np.ndarray:
        """(nv,) force of springs, dampers and friction of joints that it accounts for, N or N m."""
        q, v = self.model.checked_q(q), self.model.checked_v(v)
        return passive_forces(self.model, self._passive, q, v, self._friction_speed)

    # what it is asked to do

    def add(self, *things: Task | Contact | Clearance, replace: bool = False) -> None:
        """Add tasks, contacts and clearances; replace : those of the same name, which is refused otherwise."""
        with self._turn:
            for one in things:
                self.bring(one, replace=replace)
                if isinstance(one, (Contact, Task)):
                    self._said[isinstance(one, Task)][one.name] = one  # type: ignore[assignment]

    def bring(self, one: Task | Contact | Clearance, *, replace: bool = False) -> None:
        """As `add`, for a schedule: the next run begins without it."""
        if isinstance(one, Contact):
            kind, there, bodies = "contact", self.contacts, [one.body, one.other]
        elif isinstance(one, Task):
            one.name = one.name or _default_name(one)
            kind, there, bodies = "task", self.tasks, []
        elif isinstance(one, Clearance):
            kind, there, bodies = "clearance", self.clearances, [one.body, one.other]
        else:
            raise TypeError(f"{one!r:.60} is neither a task nor a lo.control.Contact or lo.control.Clearance")
        for body in bodies:
            if body is not None:
                self.model.body(body)
        before: Any = there.get(one.name, one)
        if before is not one and not replace and not (kind == "contact" and one.name in self._leaving):
            raise ValueError(
                f"there is a {kind} {one.name!r} already: give each a name of its own (name=...), or add(..., replace=True)"
            )
        with self._turn:
            there[one.name] = one  # type: ignore[assignment]
            (self._leaving if kind == "contact" else self._starts if kind == "task" else {}).pop(one.name, None)
            self.changed()

    def remove(self, *names: str | Task | Contact | Clearance, ramp: float = 0.0) -> None:
        """Take tasks or contacts out; contacts over `ramp` seconds, in which the force they may bear goes to zero."""
        with self._turn:
            for name in names:
                taken = self.release(name, ramp=ramp)
                for said in self._said:
                    if said.get(taken.name) is taken:
                        del said[taken.name]

    def release(self, name: str | Task | Contact | Clearance, *, ramp: float = 0.0) -> Task | Contact | Clearance:
        """As `remove`, for a schedule: the next run begins with it again. Returns what was taken out."""
        there = [table for table in (self.contacts, self.tasks, self.clearances) if self._is_in(table, name)]
        key = name if isinstance(name, str) else name.name
        if not there:
            raise UnknownName("task or contact", key, [*self.tasks, *self.contacts, *self.clearances], "this controller")
        if len(there) > 1:
            raise ValueError(f"{key!r} names several things: give remove() the task, contact or clearance itself")
        with self._turn:
            one, load = there[0][key], None if self._last is None else self._last.load(key)
            if isinstance(one, Contact) and ramp > 0.0 and self._last is not None and load is not None:
                self._leaving[key] = (self._last.t, float(ramp), max(load, 1.0))
                return one
            del there[0][key]
            if isinstance(one, Contact):
                self._leaving.pop(key, None)
            self.changed()
            return one

    @staticmethod
    def _is_in(table: Mapping[str, Any], name) -> bool:
        return name in table if isinstance(name, str) else any(one is name for one in table.values())

    @property
    def leaving(self) -> tuple[str, ...]:
        """Contacts that are on their way out."""
        return tuple(self._leaving)

    def follow(self, schedule: ContactSchedule, *, contacts: Iterable[Contact] = (), start: float = 0.0) -> None:
        """Let contacts come and go by a schedule that begins at `start`, s; contacts : further ones that it names."""
        self._follower = Follower(self, schedule, list(contacts), float(start))

    # what it knows from tick to tick

    def fresh(self) -> np.ndarray:
        """(n,) what it knows at the start of a run; `lo.Sampled` keeps it in checkpoints."""
        with self._turn:
            contacts, tasks = self._said
            known = (self._follower.known if self._follower is not None else {}) | contacts
            self._memory, self._known = Memory(self, known, tasks), (known, dict(tasks))
            return self._memory.fresh(contacts, tasks)

    def remembered(self) -> np.ndarray:
        """(n,) what it knows now."""
        with self._turn:
            if self._memory is None:
                self.fresh()
            assert self._memory is not None
            self.present = self._memory.write(self)
            return self.present

    def recall(self, row: np.ndarray) -> None:
        """Go back to what a row (n,) says."""
        with self._turn:
            if self._memory is None:
                self.fresh()
            assert self._memory is not None
            self._memory.read(self, row, *self._known)
            self.present = row

    def changed(self) -> None:
        """To be called when fields of a task or contact other than references were set by hand."""
        self._keep_working_set()
        self._packed = None

    def _keep_working_set(self) -> None:
        if self._packed is not None:
            state = self._packed.tick.state
            self._held = {row: int(s) for row, s in zip(self._packed.rows, state, strict=False) if s}

    def prepare(self) -> Packed:
        """Compile, and lay out tables, so that the first tick takes no longer than others."""
        if self._packed is None:
            self._packed = pack(self.model, self.tasks, self.contacts, self.clearances, self._options)
            for k, row in enumerate(self._packed.rows):
                self._packed.tick.state[k] = self._held.get(row, 0)
            self._writers = self._all_writers(self._packed)
            self._address = 0
            if not config.DISABLE_JIT:  # type: ignore[attr-defined]
                self._address = address_of(kernels.tick_one, (typeof(self._packed.tick),))
        return self._packed

    def _all_writers(self, packed: Packed) -> list[Writer]:
        k: Any = packed.tick
        writers = [writer_of(self.model, task, n, k, self._starts) for n, task in enumerate(self.tasks.values())]
        for name, contact in self.contacts.items():
            write = contact_writer(contact, k.contact_rate[packed.entries[name]], k.wish[packed.points[name]])
            writers += [] if write is None else [write]
        return writers

    # one tick

    def evaluate(self, t: float, q, v) -> Now:
        """Torques and all that belongs to them at time t (s) in the state q, v."""
        if type(q) is not np.ndarray or type(v) is not np.ndarray or q.shape != self._shapes[0] or v.shape != self._shapes[1]:
            q, v = self._checked(q, v)
        with self._turn:
            if self._ticking:
                raise RuntimeError("a reference of this controller asks it for torques: what it gives would depend on itself")
            self._ticking = True
            try:
                return self._tick(t, q, v)
            finally:
                self._ticking = False

    def _tick(self, t: float, q: np.ndarray, v: np.ndarray) -> Now:
        self.present = None  # what a run had noted is not of now any more
        if self._follower is not None:
            self._follower.advance(self, t)
        if self._leaving:
            self._release(t)
        packed = self._packed or self.prepare()
        k: Any = packed.tick
        k.q[:], k.v[:] = q, v
        for write in self._writers:
            write(t, q)
        if self.solver == "own":
            status = kernels.tick_at(self._address, k.address) if self._address else kernels.tick_one(k)
        else:
            status = by_daqp(k)
        if status != SOLVED:
            k.state[:] = k.held[:] = 0
            if status in (ODD, NOT_CONVEX):
                self._checked(q, v)
                raise ValueError(f"no torques at t = {t:g} s: {self._odd_value(k)}")
        self._last = now = Now(self, packed, float(t), status, self._last)
        return now

    def _checked(self, q, v) -> tuple[np.ndarray, np.ndarray]:
        q, v = self.model.checked_q(q), self.model.checked_v(v)
        if q.ndim != 1 or v.ndim != 1:
            raise ValueError(f"one state a tick: q has shape {q.shape}, expected ({self.model.nq},)")
        return q, v

    def _odd_value(self, k) -> str:
        """What is not finite, or not positive, among what tasks and contacts ask for."""
        tables = (k.goal, k.goal_rate, k.goal_acceleration, k.posture, k.posture_rate, k.posture_acceleration, k.gain)
        for n, name in enumerate(self.tasks):
            if not all(np.isfinite(table[n]).all() for table in tables):
                return f"the reference of task {name!r} has a value that is not finite"
            if not self.tasks[name].weight >= 0.0:
                return f"task {name!r} has the weight {self.tasks[name].weight!r}, expected a number from 0"
        if not (np.isfinite(k.contact_rate).all() and np.isfinite(k.wish).all()):
            return "a contact has a motion or a force that is not finite"
        if not (k.grip[:, WEIGHT] > 0.0).all():
            return "the force weight of a contact is not positive"
        return "values are too large for float64"

    def torques(self, t: float, q, v, state=None):
        """(tau, state) as controllers in loops want it: `lo.Sampled(control.torques)`, or by hand."""
        return self.evaluate(t, q, v).tau, state

    def __call__(self, t: float, q, v) -> np.ndarray:
        """(nv,) torques."""
        return self.evaluate(t, q, v).tau

    def _release(self, t: float) -> None:
        for name, (start, duration, load) in list(self._leaving.items()):
            left = 1.0 - (t - start) / duration
            if left <= 0.0:
                del self._leaving[name]
                del self.contacts[name]
                self.changed()
            elif self._packed is not None:
                self._packed.tick.grip[self._packed.points[name], LEAST] = 0.0
                self._packed.tick.grip[self._packed.points[name], MOST] = load * left

    def write_references(self, t: float, q) -> None:
        """Put what tasks and contacts ask for at time t into the record."""
        with self._turn:
            self.prepare()
            for write in self._writers:
                write(t, q)

    def __getstate__(self):
        with self._turn:
            self._keep_working_set()
            own = ("tasks", "contacts", "clearances", "_leaving", "_starts", "_held")
            state = self.__dict__ | {name: dict(getattr(self, name)) for name in own}
            state |= {"_follower": copy(self._follower), "_said": tuple(dict(x) for x in self._said)}
            state |= {"_packed": None, "_writers": [], "_address": 0, "_last": None, "present": None, "_turn": None}
            return state

    def __setstate__(self, state) -> None:
        self.__dict__.update(state | {"_turn": threading.RLock(), "_ticking": False})

    def __repr__(self) -> str:
        return (
            f"<WholeBody of {self.model.name!r}: tasks {', '.join(self.tasks)}; contacts {', '.join(self.contacts) or 'none'}>"
        )


def _default_name(task: Task) -> str:
    plain = {CenterOfMass: "com", AngularMomentum: "angular momentum", Posture: "posture"}
    return plain.get(type(task)) or getattr(task, "body", "task")
