"""The controller: named tasks and contacts, one compiled call a tick from (q, v) to torques."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import config, typeof

from locomote.control.qp.active_set import INFEASIBLE, LIMIT, NOT_CONVEX, SOLVED
from locomote.control.whole_body import tick as kernels
from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.packing import Packed, pack
from locomote.control.whole_body.result import Now
from locomote.control.whole_body.tables import LEAST, MOST, WEIGHT
from locomote.control.whole_body.tasks import AngularMomentum, CenterOfMass, Frame, LookAt, Posture, Task, at
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass
from locomote.engine.islands import address_of
from locomote.errors import UnknownName
from locomote.model.model import Model, checked_model
from locomote.spatial.charts import CHARTS

SOLVERS = ("own", "daqp")


class WholeBody:
    """Control of a whole body with contacts: from a state to torques, by one quadratic program a tick.

    tasks : lo.CenterOfMass, lo.Frame, lo.LookAt, lo.Posture, lo.AngularMomentum ; contacts : lo.Contact
    torque_limits : True for those of the model, an array (nv,), or False
    position_limits, velocity_limits : whether to keep those of the model
    passive : names of joints without a motor, besides the base ; sides : of friction pyramids, which lie inside the cones
    contact_damping : 1/s, answers speeds of contacts ; horizon, brake : s and rad/s^2, of limits of motion
    solver : "own", or "daqp" with that package

    `tasks` and `contacts` are dicts by name; `add` and `remove` change them while it runs.
    """

    def __init__(
        self,
        model: Model,
        tasks: Iterable[Task] = (),
        contacts: Iterable[Contact] = (),
        *,
        torque_limits: Any = True,
        position_limits: bool = False,
        velocity_limits: bool = False,
        passive: Iterable[str] = (),
        sides: int = 4,
        contact_damping: float = 20.0,
        horizon: float = 0.005,
        brake: float = 20.0,
        solver: str = "own",
        limit: int = 2000,
    ):
        self.model = checked_model(model)
        if model.coupling is not None or not model.plain:
            raise ValueError(
                f"model {model.name!r} has couplings or added inertia, which whole-body control does not know: "
                f"read the file with mimic=False, or lock the joints"
            )
        if solver not in SOLVERS:
            raise UnknownName("solver", solver, SOLVERS, "solvers of quadratic programs")
        if sides < 3 or sides % 2:
            raise ValueError(f"sides is {sides!r}, expected an even number from 4")
        self.solver = solver
        driven = np.ones(model.nv, dtype=bool)
        for name in [*_base_joints(model), *passive]:
            driven[model.joint(name).v] = False
        limits = model.effort_limit if torque_limits is True else np.full(model.nv, np.inf)
        if torque_limits is not True and torque_limits is not False:
            limits = model.checked_v(torque_limits, "torque_limits")
        self.driven = driven
        self.torque_limits = np.where(driven & (limits > 0.0), limits, np.inf)
        self._options = {
            "driven": driven, "torque_limits": self.torque_limits, "position_limits": position_limits,
            "velocity_limits": velocity_limits, "sides": sides, "contact_damping": float(contact_damping),
            "horizon": float(horizon), "brake": float(brake), "limit": int(limit), "motion_weight": 1e-8, "torque_slack": 1e6,
            "motion_slack": 1e4,
        }  # fmt: skip
        self.tasks: dict[str, Task] = {}
        self.contacts: dict[str, Contact] = {}
        self._leaving: dict[str, tuple[float, float, float]] = {}  # contact -> start, duration, load a point at the start
        self._packed: Packed | None = None
        self._starts: dict[str, Any] = {}
        self._held: dict[tuple[str, str, str], int] = {}
        self._last: Now | None = None
        for one in [*tasks, *contacts]:
            self.add(one)

    # what it is asked to do

    def add(self, *things: Task | Contact) -> None:
        """Add tasks and contacts; those of the same name are replaced."""
        for one in things:
            if isinstance(one, Contact):
                self.model.body(one.body)
                self.contacts[one.name] = one
                self._leaving.pop(one.name, None)
            elif isinstance(one, Task):
                one.name = one.name or _default_name(one)
                self.tasks[one.name] = one
                self._starts.pop(one.name, None)
            else:
                raise TypeError(f"{one!r:.60} is neither a task nor a lo.Contact")
        self.changed()

    def remove(self, *names: str, ramp: float = 0.0) -> None:
        """Take tasks or contacts out; contacts over `ramp` seconds, in which the force they may bear goes to zero."""
        for name in names:
            if name in self.contacts:
                if ramp > 0.0 and self._last is not None and name in self._last.forces:
                    load = max(float((self._last.forces[name] @ np.array(self.contacts[name].normal)).max()), 1.0)
                    self._leaving[name] = (self._last.t, float(ramp), load)
                else:
                    del self.contacts[name]
                    self._leaving.pop(name, None)
                    self.changed()
            elif name in self.tasks:
                del self.tasks[name]
                self.changed()
            else:
                raise UnknownName("task or contact", name, [*self.tasks, *self.contacts], "this controller")

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
            self._packed = pack(self.model, self.tasks, self.contacts, self._options)
            for k, row in enumerate(self._packed.rows):
                self._packed.tick.state[k] = self._held.get(row, 0)
            self._address = 0
            if not config.DISABLE_JIT:  # type: ignore[attr-defined]
                self._address = address_of(kernels.tick_one, (typeof(self._packed.tick),))
        return self._packed

    # one tick

    def evaluate(self, t: float, q, v) -> Now:
        """Torques and all that belongs to them at time t (s) in the state q, v."""
        model = self.model
        q, v = model.checked_q(q), model.checked_v(v)
        if q.ndim != 1 or v.ndim != 1:
            raise ValueError(f"one state a tick: q has shape {q.shape}, expected ({model.nq},)")
        self._release(t)
        packed = self.prepare()
        k: Any = packed.tick
        k.q[:], k.v[:] = q, v
        self.write_references(packed, t, q)
        if self.solver == "own":
            status = kernels.tick_at(self._address, k.address) if self._address else kernels.tick_one(k)
        else:
            status = self._by_daqp(k)
        if status != SOLVED:
            k.state[:] = 0
        if status == SOLVED and not np.isfinite(k.tau).all() or status == NOT_CONVEX:
            k.state[:] = 0
            raise ValueError(f"no torques at t = {t:g} s: {self._odd_value(k)}")
        self._last = now = Now(self, packed, float(t), status, self._last)
        return now

    def _odd_value(self, k) -> str:
        """What is not finite, or not positive, among what tasks and contacts ask for."""
        tables = (k.goal, k.goal_rate, k.goal_acceleration, k.posture, k.posture_rate, k.gain)
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

    def write_references(self, packed: Packed, t: float, q) -> None:
        """Put what tasks and contacts ask for at time t into the record."""
        k = packed.tick
        poses: np.ndarray | None = None
        for n, (name, task) in enumerate(self.tasks.items()):
            if isinstance(task, Posture):
                goal: Any = task.reference if task.reference is not None else self._starts.setdefault(name, q.copy())
                if callable(goal):
                    goal, rate = at(goal, t)[:2]
                    k.posture_rate[n] = rate
                else:
                    k.posture_rate[n] = 0.0
                k.posture[n] = goal
            elif isinstance(task, (CenterOfMass, AngularMomentum)):
                offset = 0 if isinstance(task, CenterOfMass) else 3
                goal = task.reference
                if goal is None:
                    goal = np.zeros(3) if offset else self._starts.get(name)
                    if goal is None:
                        goal = self._starts[name] = center_of_mass(self.model, q)
                self._write(k, n, offset, goal, t)
            elif isinstance(task, LookAt):
                k.goal[n, 3:6] = np.array(task.axis) / np.linalg.norm(task.axis)
                goal = task.target
                k.goal[n, :3] = goal(t) if callable(goal) else goal
            elif isinstance(task, Frame):
                if (task.position is None or task.rotation is None) and name not in self._starts:
                    poses = forward_kinematics(self.model, q) if poses is None else poses
                    pose = poses[self.model.body(task.body).index]
                    self._starts[name] = pose[:3, :3] @ np.array(task.point) + pose[:3, 3], pose[:3, :3].copy()
                start = self._starts.get(name, (None, None))
                if task.position is not False:
                    self._write(k, n, 0, start[0] if task.position is None else task.position, t)
                if task.rotation is not False:
                    self._write_rotation(k, n, start[1] if task.rotation is None else task.rotation, t)
                else:
                    k.goal[n, 3:12] = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
        for name, contact in self.contacts.items():
            for value, first in ((contact.velocity, 0), (contact.acceleration, 6)):
                if value is not None:
                    k.contact_rate[packed.entries[name], first : first + 6] = value(t) if callable(value) else value
            if contact.force is not None:
                wish = contact.force(t) if callable(contact.force) else contact.force
                k.wish[packed.points[name]] = np.array(wish) @ contact.axes / len(contact.points)

    @staticmethod
    def _write(k, n, offset, goal: Any, t) -> None:
        part = slice(offset, offset + 3)
        if callable(goal):
            goal, k.goal_rate[n, part], k.goal_acceleration[n, part] = at(goal, t)
        else:
            k.goal_rate[n, part] = k.goal_acceleration[n, part] = 0.0
        k.goal[n, part] = goal

    @staticmethod
    def _write_rotation(k, n, goal: Any, t) -> None:
        if callable(goal):
            goal, k.goal_rate[n, 3:], k.goal_acceleration[n, 3:] = at(goal, t)
        else:
            k.goal_rate[n, 3:] = k.goal_acceleration[n, 3:] = 0.0
        goal = np.asarray(goal, dtype=float)
        k.goal[n, 3:12] = (CHARTS["quaternion"].rotation(goal) if goal.shape == (4,) else goal).reshape(9)

    def _by_daqp(self, k) -> int:
        import daqp

        if k.count[7] > 1:
            raise ValueError("several priorities are solved by the own solver only; give solver='own'")
        kernels.program_one(k)
        n, m = int(k.count[1]), int(k.count[2])
        H, g, A, lower, upper = k.H[:n, :n].copy(), k.g[:n].copy(), k.A[:m, :n].copy(), k.lower[:m], k.upper[:m]
        sense = np.where(lower == upper, 5, 0).astype(np.int32)
        x, _, flag, info = daqp.solve(H, g, A, np.minimum(upper, 1e30), np.maximum(lower, -1e30), sense)
        if flag < 0:
            return INFEASIBLE if flag == -1 else LIMIT
        k.x[:n], k.multiplier[:m] = x, -np.array(info["lam"])
        gradient = k.H[:n, :n] @ k.x[:n] + k.g[:n] - A.T @ k.multiplier[:m]
        k.proof[:] = abs(gradient).max(), max((lower - A @ k.x[:n]).max(), (A @ k.x[:n] - upper).max()), 0.0
        k.count[3] = int(info["iterations"])
        kernels.outcome_one(k)
        return SOLVED

    def __repr__(self):
        return (
            f"<WholeBody of {self.model.name!r}: tasks {', '.join(self.tasks)}; contacts {', '.join(self.contacts) or 'none'}>"
        )


def _base_joints(model: Model) -> list[str]:
    """Joints of the base: none where an arm stands on the ground."""
    roots = [b for b in model.description.bodies if b.parent is None and b.joints]
    fixed = ("revolute", "prismatic", "helical", "cylindrical", "universal")
    return [] if len(roots) != 1 or roots[0].joints[0].kind in fixed else [joint.name for joint in roots[0].joints]


def _default_name(task: Task) -> str:
    plain = {CenterOfMass: "com", AngularMomentum: "angular momentum", Posture: "posture"}
    return plain.get(type(task)) or getattr(task, "body", "task")
