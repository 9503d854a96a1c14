"""A scenario: a machine of contact states on a ground that it does not own, and what is measured while it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.actuation.controllers import Sampled
from locomote.contact.touch import Ground, Touch
from locomote.control.whole_body.machine import ContactMachine
from locomote.control.whole_body.plants import CompliantPlant, Late, LateControl, Push
from locomote.control.whole_body.touching import places_of, touched_pose
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass, kinetic_energy, momentum_rate, potential_energy
from locomote.errors import UnknownName
from locomote.geometry.shapes.plane import Plane
from locomote.model.model import Model
from locomote.runs.trajectory import Trajectory

TICK, UP = 1e-3, (0.0, 0.0, 1.0)
GROUNDS = ("hard", "compliant")
LANDING = 0.1  # s after it touched, from which on the drift of a contact counts
SAMPLES = 0.02  # s


@dataclass(frozen=True)
class Scenario:
    """What happens, where it starts, and what it may touch.

    make : gives a new machine ; q : (nq,) start ; touching : body -> (points (n, 3), normal, offset)
    between : touches of bodies with each other, or with what else is no plane, on hard ground
    pushed : body that a push acts on ; push : (force (3,), start, stop) that belongs to it, N and s, or None
    falls : it is to fall, and to say so
    """

    name: str
    model: Model
    make: Callable[[], ContactMachine]
    q: np.ndarray
    touching: Mapping[str, tuple]
    pushed: str
    push: tuple | None = None
    falls: bool = False
    between: tuple[Touch, ...] = ()

    @property
    def duration(self) -> float:
        """s, of all phases, and half a second more."""
        return float(sum(phase.duration for phase in self.make().phases)) + 0.5

    def setting(self, *, friction: float = 0.7, push=None, delay: int = 0, watch: Callable | None = None) -> dict[str, Any]:
        """Arguments of lo.Locomotion on hard ground; see `run`."""
        machine = self.make()
        law: Any = watch or machine
        if delay:
            law = Late(watch, delay) if watch else LateControl(machine, delay)
        push = self.push if push is None else push
        return {
            "torques": counted(law, machine, self.name)
            if watch
            else Sampled(law, every=TICK, name=self.name, says=machine.says),
            "contacts": self.contacts(friction),
            "environment": [] if push is None else [Push(self.model, self.pushed, *push)],
        }

    def contacts(self, friction: float) -> list[Touch]:
        """What may touch what, with the friction of the ground."""
        return [*touches(self.touching, friction), *self.between]

    def run(
        self,
        *,
        ground: str = "hard",
        friction: float = 0.7,
        push=None,
        delay: int = 0,
        plant: Model | None = None,
        longest: float | None = None,
    ) -> "Report":
        """Control at 1 kHz until the machine is done or the robot fell.

        ground : "hard", with Coulomb's law in time steps, or "compliant", springs with stick and slip
        push : (force (3,), start, stop), N and s ; delay : ms by which torques are late
        plant : the model that is simulated, if it is not the one that the controller believes in
        """
        if ground not in GROUNDS:
            raise UnknownName("ground", ground, GROUNDS, "scenarios")
        if ground == "compliant" and self.between:
            raise ValueError(f"scenario {self.name!r} has touches between bodies, which hard ground has: give ground='hard'")
        model, machine = plant or self.model, self.make()
        push = self.push if push is None else push
        force = None if push is None else Push(model, self.pushed, *push)
        watch = Watch(self.model, machine, self.q)
        law = Late(watch, delay) if delay else watch
        longest = self.duration + machine.patience if longest is None else longest
        way = _on_hard if ground == "hard" else _on_compliant
        return way(self, model, watch, law, force, friction, longest)


@dataclass
class Report:
    """What a scenario showed.

    done, fallen : whether all phases came to their end; what was said of a fall, or ""
    t : s, time of the last tick ; unsolved : ticks whose status was not "solved"
    torque_use, friction_use : greatest shares of limits ; residual : of the programs ; quaternion : greatest error of its norm
    balance : N, momentum rate less all forces ; drift : m, greatest way of a contact along the ground
    sway : m, greatest way of the mass center sideways ; forces : by contact, list of (t, (3,) force that the program wanted)
    run : the motion
    """

    machine: ContactMachine
    t: float = 0.0
    unsolved: int = 0
    torque_use: float = 0.0
    friction_use: float = 0.0
    quaternion: float = 0.0
    balance: float = 0.0
    residual: float = 0.0
    sway: float = 0.0
    drift: float = 0.0
    slid: float = 0.0
    run: Trajectory | None = None
    plant_forces: list = field(default_factory=list)

    @property
    def done(self) -> bool:
        """Whether all phases came to their end."""
        return self.machine.done

    @property
    def fallen(self) -> str:
        """Why it counts as fallen, or nothing."""
        return self.machine.fallen

    def __str__(self) -> str:
        end = self.fallen or ("done" if self.done else "not done")
        return (
            f"{end} at {self.t:.3g} s: drift {1e3 * self.drift:.2g} mm, torque use {self.torque_use:.2f}, friction use "
            f"{self.friction_use:.2f}, {self.unsolved} ticks not solved, residual {self.residual:.1e}, balance "
            f"{self.balance:.1e} N, quaternion {self.quaternion:.1e}, sway {1e3 * self.sway:.1f} mm"
        )


class Watch:
    """Measures a machine while it is called."""

    def __init__(self, model: Model, machine: ContactMachine, q):
        self.model, self.machine, self.report = model, machine, Report(machine)
        self._start, self._ticks = center_of_mass(model, q), 0
        self._began: dict[str, tuple[np.ndarray, float]] = {}
        roots = [body for body in model.description.bodies if body.parent is None and body.joints]
        self._flies = all(body.joints[0].kind == "free" for body in roots)  # else the world holds it by joints, too

    def __call__(self, t, q, v):
        """(nv,) torques of the machine."""
        machine, report, model = self.machine, self.report, self.model
        tau = machine(t, q, v)
        now = machine.now
        assert now is not None
        report.t = t
        report.unsolved += now.status != "solved"
        if now.solved:
            report.torque_use = max(report.torque_use, now.torque_use)
            report.friction_use = max(report.friction_use, *now.friction_use.values(), 0.0)
            report.residual = max(report.residual, now.residual)
        report.quaternion = max(report.quaternion, abs(float(np.linalg.norm(q[3:7])) - 1.0))
        if self._ticks % 100 == 0 and now.solved and self._flies:
            rate = momentum_rate(model, q, v, now.a)[:3]
            outer = [f.sum(axis=0) for name, f in now.forces.items() if machine.control.contacts[name].other is None]
            force = sum(outer, model.mass * model.gravity)
            report.balance = max(report.balance, float(abs(rate - force).max()))
        self._ticks += 1
        self._drift(t, q)
        report.sway = max(report.sway, float(np.linalg.norm((center_of_mass(model, q) - self._start)[:2])))
        return tau

    def _drift(self, t, q) -> None:
        """How far contacts went since they landed; those that leave do not count any more."""
        control, began = self.machine.control, self._began
        for name in [name for name in began if name not in control.contacts or name in control.leaving]:
            del began[name]
        poses = forward_kinematics(self.model, q)
        for name, c in control.contacts.items():
            if name in control.leaving or c.radius:  # what rolls goes on
                continue
            on = touched_pose(self.model, c, poses)
            place = on[:3, :3].T @ (places_of(self.model, c, poses).mean(axis=0) - on[:3, 3])
            first, since = began.setdefault(name, (place, t))
            if since > 0.0 and (t - since < LANDING or (c.normal[2] == 1.0 and first[2] > 5e-5)):
                began[name] = place, since
                continue
            moved = place - first
            along = np.linalg.norm(moved - np.array(c.normal) * (moved @ np.array(c.normal)))
            self.report.drift = max(self.report.drift, float(along))


def counted(law: Callable, machine: ContactMachine, name: str) -> Sampled:
    """A controller that is watched. Its state, how often it was called, says that it may not be called again for samples of a
    run, and when a run that is over is asked for forces at its start: what was seen would be what audits see."""
    first: list[np.ndarray] = []

    def torques(t, q, v, calls):
        if calls[0] == 0.0 and first and np.array_equal(first[0], [t, *q, *v]):
            return first[1], calls + 1.0
        tau = law(t, q, v)
        if not first:
            first.extend((np.array([t, *q, *v]), np.array(tau)))
        return tau, calls + 1.0

    return Sampled(torques, every=TICK, state=[0.0], name=name, says=machine.says)


def touches(touching: Mapping[str, tuple], friction: float) -> list[Touch]:
    """What may touch, for lo.Locomotion."""
    found = []
    for body, (points, normal, offset) in touching.items():
        n = float(normal[0]), float(normal[1]), float(normal[2])
        at = offset * n[0], offset * n[1], offset * n[2]
        surface = Plane() if n == UP and offset == 0.0 else Plane(point=at, normal=n)
        found.append(Touch(body, Ground(surface, friction=friction), points=tuple(map(tuple, np.atleast_2d(points)))))
    return found


def _on_hard(scenario, model, watch, law, force, friction, longest) -> Report:
    from locomote.locomotion.problem import Locomotion
    from locomote.methods.events.when import When

    machine = watch.machine
    torques: Any = counted(law, machine, scenario.name)
    problem = Locomotion(
        model, name=scenario.name, torques=torques,
        contacts=scenario.contacts(friction), environment=[] if force is None else [force],
    )  # fmt: skip
    over = When(lambda t, q, v: 1.0 if machine.over else -1.0, 1, terminal=True, name="over")
    watch.report.run = problem.simulate(
        longest, q=scenario.q, method="timestep", step=TICK, every=SAMPLES, progress=False, events=[over]
    )
    return watch.report


def _on_compliant(scenario, model, watch, law, force, friction, longest) -> Report:
    size = model.mass / 58.0
    plant = CompliantPlant(
        model, scenario.touching, scenario.q, friction=friction, stiffness=1e5 * size, damping=300.0 * size,
        step=2.5e-4 if size > 0.9 else 1e-4, push=force,
    )  # fmt: skip
    samples, report = [], watch.report
    for k in range(round(longest / TICK)):
        t = TICK * k
        tau = law(t, plant.q, plant.v)
        if k % round(SAMPLES / TICK) == 0:
            samples.append((t, plant.q, plant.v, tau))
            report.plant_forces.append({body: f.copy() for body, f in plant.forces.items()})
        if watch.machine.over:
            break
        plant.advance(t, tau, TICK)
    t, q, v, tau = (np.array(x) for x in zip(*samples, strict=True))
    report.slid = max(float(s.max()) for s in plant.slid.values())
    report.run = Trajectory(
        model=model, t=t, q=q, v=v, a=np.zeros_like(v), tau=tau, kinetic=kinetic_energy(model, q, v),
        potential=potential_energy(model, q),
        info={"status": "finished", "method": "compliant ground", "said": watch.machine.says()},
    )  # fmt: skip
    return report
