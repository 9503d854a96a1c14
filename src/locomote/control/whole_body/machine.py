"""A sequence of contact states: shift the weight, lift, swing, touch down, and on, with one model in all of them.

A phase moves the mass center and may lift one contact and put it down elsewhere. References go along quintic polynomials that
start and end at rest. A phase is over when its time is up and the motion has come near its goal; when it has not for long, or
the body sinks or leans away, the machine says that it fell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.controller import WholeBody
from locomote.control.whole_body.goals import motion_of
from locomote.control.whole_body.memory import Memory
from locomote.control.whole_body.result import Now
from locomote.control.whole_body.tasks import Frame, LookAt
from locomote.control.whole_body.touching import axes_of
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass, momentum
from locomote.model.model import Model

LATE, SANK, AWAY = 1.0, 2.0, 3.0  # ways to fail
WAY = 12  # numbers of a way
BEGUN = 16 + WAY  # numbers of the machine itself, before the times at which phases began
BEFORE = -1e300  # s, before all ticks
ROUNDING = 1e-9  # s, of times of ticks: whether a phase is over does not hang on it
SWING = 1 + WAY + 1 + 9  # numbers for a contact in the air


@brief
@dataclass
class Phase:
    """One step of a contact sequence.

    name ; duration : s
    center : (2,) or (3,) where the mass center goes, m, world; it stays if None
    lift : name of a contact that leaves the ground, or that is not yet there
    place : (3,) where the middle of its points goes, m, world; if None it stays
    up : it stays in the air at the end ; clearance : m, how high it swings ; ramp : s, in which its force goes to zero
    press : m, how far behind the place the swing aims, to be sure to touch
    posture : (nq,) reference of the task named "posture"
    """

    name: str
    duration: float
    center: Any = None
    lift: str | None = None
    place: Any = None
    up: bool = False
    clearance: float = 0.05
    ramp: float = 0.1
    press: float = 0.002
    posture: Any = None


def smooth(s: float) -> tuple[float, float, float]:
    """A step from 0 to 1 with its derivatives, at rest at both ends."""
    s = min(max(s, 0.0), 1.0)
    return s**3 * (10 + s * (6 * s - 15)), 30 * s**2 * (1 - s) ** 2, 60 * s * (1 - s) * (1 - 2 * s)


@dataclass
class Way:
    """A function of t for references: from start to goal, over a hump of a height along an axis, m.

    begin, duration : s ; a swing that ends in the air goes there straight, without a hump
    """

    start: Any
    goal: Any
    begin: float
    duration: float
    hump: float = 0.0
    axis: Sequence[float] = (0.0, 0.0, 1.0)

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration."""
        s, T = min(max((t - self.begin) / self.duration, 0.0), 1.0), self.duration
        x, v, a = smooth(s)
        start = np.array(self.start, dtype=float)
        way, c = np.array(self.goal, dtype=float) - start, self.hump * 64.0 * np.array(self.axis, dtype=float)
        rise, slope = s**3 * (1 - s) ** 3, 3 * s**2 * (1 - s) ** 2 * (1 - 2 * s)
        bend = 6 * s * (1 - s) * (1 - 5 * s + 5 * s * s)
        return start + x * way + rise * c, (v * way + slope * c) / T, (a * way + bend * c) / T**2


def _numbers(way: Way | None) -> list[float]:
    return [0.0] * WAY if way is None else [*way.start, *way.goal, way.begin, way.duration, way.hump, *way.axis]


def _way(row: np.ndarray) -> Way | None:
    """The other way round; the first number says whether there is one."""
    _, *x = row.tolist()
    return Way(np.array(x[:3]), np.array(x[3:6]), x[6], x[7], x[8], (x[9], x[10], x[11])) if row[0] else None


def swing_name(contact: str | None) -> str:
    """Name of the task that moves a contact through the air."""
    return f"swing {contact}"


class ContactMachine:
    """Drives a controller through phases; call it as `machine(t, q, v)` for torques.

    control : with a task named "com"; its contacts are those of the start ; contacts : further ones that phases may bring about
    patience : s, how long a phase may go on beyond its time ; near : m and m/s, when its goal counts as reached
    phase : index of the present one ; done ; fallen : why, in words, or "" ; log : (t, name) of phases that began
    """

    def __init__(
        self,
        control: WholeBody,
        phases: Sequence[Phase],
        *,
        contacts: Sequence[Contact] = (),
        patience: float = 1.0,
        near: tuple = (0.015, 0.05),
    ):
        self._first = dict(control.contacts)
        self._kept = {**control.contacts, **{c.name: c for c in contacts}}
        for phase in phases:
            if phase.lift is not None and phase.lift not in self._kept:
                known = ", ".join(self._kept)
                raise ValueError(f"phase {phase.name!r} lifts {phase.lift!r}, which is no contact; there are {known}")
        self.control, self.phases, self.patience, self.near = control, list(phases), patience, near
        self.phase, self.done = -1, False
        self.log: list[tuple[float, str]] = []
        self.now: Now | None = None
        self._begin, self._then = 0.0, BEFORE
        self._goal, self._target, self._height = np.zeros(3), np.zeros(3), 0.0
        self._fall = (0.0, 0.0, 0.0, 0.0)  # kind, and the numbers of its sentence
        self._center: Way | None = None
        self._swings: dict[str, tuple[Way, np.ndarray | None]] = {}  # contact -> its way, and the attitude that it keeps
        self._tasks = dict(control.tasks)
        self._references = {name: getattr(task, "reference", None) for name, task in control.tasks.items()}
        self._memory: Memory | None = None

    def __repr__(self) -> str:
        return f"<ContactMachine of {len(self.phases)} phases{', done' if self.done else ''}>"

    @property
    def over(self) -> bool:
        """Whether there is nothing more to come: all phases are done, or it fell."""
        return self.done or bool(self.fallen)

    def says(self) -> str:
        """How far it came, in words, for the summary of a run."""
        if self.fallen:
            return self.fallen
        if self.done:
            return f"all {len(self.phases)} phases done"
        return f"in phase {self.log[-1][1]!r}, {self.phase + 1} of {len(self.phases)}" if self.log else "not begun"

    @property
    def model(self) -> Model:
        """The model of the controller."""
        return self.control.model

    @property
    def turn(self):
        """The controller's: one call has both at a time."""
        return self.control.turn

    @property
    def present(self) -> np.ndarray | None:
        """(n,) what it knows now, None after ticks of others; the controller keeps it."""
        return self.control.present

    @present.setter
    def present(self, row: np.ndarray | None) -> None:
        self.control.present = row

    @property
    def fallen(self) -> str:
        """Why it counts as fallen, in words, or nothing."""
        kind, *numbers = self._fall
        if kind == LATE:
            name, (far, speed, late) = self.phases[self.phase].name, numbers
            return f"phase {name!r} did not reach its goal: {far:.3g} m away, {speed:.3g} m/s, {late:.3g} s late"
        t, size, _ = numbers
        if kind == SANK:
            return f"it fell at t = {t:.3g} s: the mass center sank to {size:.3g} m"
        return f"it fell at t = {t:.3g} s: the mass center is {size:.3g} m from where it should be" if kind == AWAY else ""

    # what it knows from tick to tick

    def fresh(self) -> np.ndarray:
        """(n,) what it knows at the start of a run; `lo.Sampled` keeps it in checkpoints."""
        if self.phase < 0:  # what was added to the controller before it began
            self._first, self._tasks = dict(self.control.contacts), dict(self.control.tasks)
            self._kept |= self._first
        lifted = dict.fromkeys(swing_name(phase.lift) for phase in self.phases if phase.lift is not None)
        self._memory = Memory(self.control, self._kept, [*self._tasks, *lifted])
        own = np.zeros(BEGUN + len(self.phases) + len(self._kept) * SWING)
        own[:3] = -1.0, 0.0, BEFORE
        return np.concatenate([own, self._memory.fresh(self._first, self._tasks)])

    def remembered(self) -> np.ndarray:
        """(n,) what it knows now."""
        if self._memory is None:
            self.fresh()
        assert self._memory is not None
        own = [self.phase, self.done, self._then, self._begin, self._height, *self._goal, *self._target, *self._fall]
        own += [self._center is not None, *_numbers(self._center)]
        own += [t for t, _ in self.log] + [0.0] * (len(self.phases) - len(self.log))
        for name in self._kept:
            way, attitude = self._swings.get(name, (None, None))
            own += [way is not None, *_numbers(way), attitude is not None]
            own += [0.0] * 9 if attitude is None else list(attitude.ravel())
        self.present = np.concatenate([own, self._memory.write(self.control)])
        return self.present

    def recall(self, row: np.ndarray) -> None:
        """Go back to what a row (n,) says."""
        if self._memory is None:
            self.fresh()
        assert self._memory is not None
        if not -1 <= row[0] <= len(self.phases):
            raise ValueError(
                f"the state of the contact machine is in phase {row[0]:g} of {len(self.phases)}: it is not of this run"
            )
        self.phase, self.done = int(row[0]), bool(row[1])
        self._then, self._begin, self._height = (float(x) for x in row[2:5])
        self._goal, self._target = np.array(row[5:8]), np.array(row[8:11])
        self._fall = (float(row[11]), float(row[12]), float(row[13]), float(row[14]))
        self._center = _way(row[15:BEGUN])
        begun = row[BEGUN:][: min(self.phase + 1, len(self.phases))]
        self.log = [(float(t), phase.name) for t, phase in zip(begun, self.phases, strict=False)]
        swings = row[BEGUN + len(self.phases) :][: len(self._kept) * SWING].reshape(-1, SWING)
        self._swings = {}
        for name, numbers in zip(self._kept, swings, strict=True):
            way = _way(numbers[: WAY + 1])
            if way is not None:
                self._swings[name] = way, np.array(numbers[-9:]).reshape(3, 3) if numbers[WAY + 1] else None
        self._refer()
        known: dict[str, Any] = dict.fromkeys(self._memory.tasks)
        known |= self._tasks | {swing_name(name): self._swing_task(name) for name in self._swings}
        self._memory.read(self.control, row[-self._memory.size :], self._kept, known)
        self.now, self.present = None, row

    def _refer(self) -> None:
        """References of tasks as they are in the present phase."""
        for name, reference in self._references.items():
            if name in self._tasks and not isinstance(self._tasks[name], (Frame, LookAt)):
                self._tasks[name].reference = reference  # type: ignore[attr-defined]
        if self._center is not None:
            self._tasks["com"].reference = self._center  # type: ignore[attr-defined]
        for phase in self.phases[: self.phase + 1]:
            if phase.posture is not None:
                self._tasks["posture"].reference = np.array(phase.posture)  # type: ignore[attr-defined]

    def __call__(self, t: float, q, v) -> np.ndarray:
        """(nv,) torques at time t; a time before that of the last call begins anew."""
        with self.turn:
            return self._tick(t, q, v)

    def _tick(self, t: float, q, v) -> np.ndarray:
        if t < self._then:
            self.recall(self.fresh())
        self._then = t
        center = center_of_mass(self.control.model, q)
        if self.phase < 0:
            self._height = center[2] - self._floor(q)
            self._goal = center
            self._next(t, q, center)
        elif not self.done and self._reached(t, q, v, center):
            self._end(q)
            self._next(t, q, center)
        self.now = self.control.evaluate(t, q, v)
        self._watch(t, q, center)
        return self.now.tau

    def _middle(self, q, name: str) -> np.ndarray:
        contact = self._kept[name]
        pose = forward_kinematics(self.control.model, q)[self.control.model.body(contact.body).index]
        return pose[:3, :3] @ contact.points.mean(axis=0) + pose[:3, 3]

    def _floor(self, q) -> float:
        return float(min(self._middle(q, name)[2] for name in self.control.contacts))

    def _next(self, t: float, q, center) -> None:
        self.phase += 1
        self._begin = t
        if self.phase >= len(self.phases):
            self.done = True
            return
        phase = self.phases[self.phase]
        self.log.append((t, phase.name))
        if phase.center is not None:
            goal = np.array([*phase.center, self._goal[2]][:3], dtype=float)
            self._center = Way(self._goal, goal, t, phase.duration)
            self.control.tasks["com"].reference = self._center  # type: ignore[attr-defined]
            self._goal = goal
        if phase.posture is not None:
            self.control.tasks["posture"].reference = np.array(phase.posture)  # type: ignore[attr-defined]
        if phase.lift is not None:
            self._lift(t, q, phase)

    def _lift(self, t: float, q, phase: Phase) -> None:
        contact = self._kept[phase.lift]  # type: ignore[index]
        for name in [name for name in self._swings if name != contact.name and self._kept[name].body == contact.body]:
            self.control.release(swing_name(name))  # it is in the air already, and goes on to another contact
            del self._swings[name]
        start = self._middle(q, contact.name)
        place = start if phase.place is None else np.array(phase.place, dtype=float)
        if contact.name in self.control.contacts:
            self.control.release(contact.name, ramp=phase.ramp)
            begin, duration = t + phase.ramp, phase.duration - phase.ramp
        else:
            begin, duration = t, phase.duration
        normal = axes_of(self.model, contact, forward_kinematics(self.model, q))[:, 2]
        goal = place + (phase.clearance if phase.up else -phase.press) * normal
        hump = 0.0 if phase.up or begin == t else phase.clearance
        turned = None
        if contact.holds_rotation:
            turned = forward_kinematics(self.control.model, q)[self.control.model.body(contact.body).index][:3, :3].copy()
        self._swings[contact.name] = Way(start, goal, begin, duration, hump, tuple(normal.tolist())), turned
        self._target = goal
        self.control.bring(self._swing_task(contact.name), replace=True)

    def _swing_task(self, name: str) -> Frame:
        contact, (way, attitude) = self._kept[name], self._swings[name]
        task = Frame(contact.body, point=contact.points.mean(axis=0), position=way, name=swing_name(name), stiffness=400.0)
        task.rotation = False if attitude is None else attitude
        return task

    def _end(self, q) -> None:
        phase = self.phases[self.phase]
        if phase.lift is not None and not phase.up:
            self.control.release(swing_name(phase.lift))
            del self._swings[phase.lift]
            self.control.bring(self._kept[phase.lift], replace=True)

    def _reached(self, t: float, q, v, center) -> bool:
        phase = self.phases[self.phase]
        late = t - self._begin - phase.duration
        if late < -ROUNDING:
            return False
        far = float(np.linalg.norm((center - self._goal)[:2]))
        speed = float(np.linalg.norm(momentum(self.control.model, q, v)[:3]) / self.control.model.mass)
        if phase.lift is not None and not phase.up:
            far = max(far, float(np.linalg.norm(self._middle(q, phase.lift) - self._target)))
        if far < self.near[0] and speed < self.near[1]:
            return True
        if late > self.patience and not self.fallen:
            self._fall = (LATE, far, speed, late)
        return False

    def _watch(self, t: float, q, center) -> None:
        if self.fallen:
            return
        height = center[2] - self._floor(q) if self.control.contacts else 0.0
        away = float(np.linalg.norm((center - self._reference(t))[:2]))
        if height < 0.6 * self._height:
            self._fall = (SANK, t, height, 0.0)
        elif away > 0.15:
            self._fall = (AWAY, t, away, 0.0)

    def _reference(self, t: float) -> np.ndarray:
        reference: Any = getattr(self.control.tasks["com"], "reference", None)
        if reference is None:
            return self._goal
        motion = motion_of(reference, t)
        return np.asarray(reference if motion is None else motion[0])
