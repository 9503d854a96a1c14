"""A sequence of contact states: shift the weight, lift, swing, touch down, and on, with one model in all of them.

A phase moves the mass centre and may lift one contact and put it down elsewhere. References go along quintic polynomials that
start and end at rest. A phase is over when its time is up and the motion has come near its goal; when it has not for long, or
the body sinks or leans away, the machine says that it fell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.controller import WholeBody
from locomote.control.whole_body.goals import motion_of
from locomote.control.whole_body.result import Now
from locomote.control.whole_body.tasks import Frame, LookAt
from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.momentum import center_of_mass, momentum


@dataclass
class Phase:
    """One step of a contact sequence.

    name ; duration : s
    center : (2,) or (3,) where the mass centre goes, m, world; it stays if None
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


def along(start, goal, begin: float, duration: float):
    """A function of t for references: from start to goal."""
    start, goal = np.array(start, dtype=float), np.array(goal, dtype=float)

    def reference(t):
        x, v, a = smooth((t - begin) / duration)
        way = goal - start
        return start + x * way, v * way / duration, a * way / duration**2

    return reference


def swung(start, goal, begin: float, duration: float, clearance: float, axis):
    """The same, over a hump of the given height along an axis; a swing that ends in the air goes there straight."""
    level, axis = along(start, goal, begin, duration), np.array(axis, dtype=float)

    def reference(t):
        x, v, a = level(t)
        s = min(max((t - begin) / duration, 0.0), 1.0)
        c = clearance * 64.0
        hump = c * s**3 * (1 - s) ** 3
        slope = c * 3 * s**2 * (1 - s) ** 2 * (1 - 2 * s)
        bend = c * 6 * s * (1 - s) * (1 - 5 * s + 5 * s * s)
        return x + hump * axis, v + slope * axis / duration, a + bend * axis / duration**2

    return reference


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
        self.phase, self.done, self.fallen = -1, False, ""
        self.log: list[tuple[float, str]] = []
        self.now: Now | None = None
        self._begin, self._then = 0.0, -np.inf
        self._goal: np.ndarray | None = None
        self._height = 0.0
        self._references = {name: getattr(task, "reference", None) for name, task in control.tasks.items()}

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

    def restart(self) -> None:
        """Back to the first phase, with the contacts and references of the start."""
        control = self.control
        control.release_all()
        control.contacts.clear()
        control.contacts.update(self._first)
        for name in [name for name in control.tasks if name not in self._references]:
            control.remove(name)
        for name, reference in self._references.items():
            if name in control.tasks and not isinstance(control.tasks[name], (Frame, LookAt)):
                control.tasks[name].reference = reference  # type: ignore[attr-defined]
        control.changed()
        self.phase, self.done, self.fallen, self.now, self._goal, self._height = -1, False, "", None, None, 0.0
        self.log.clear()

    def __call__(self, t: float, q, v) -> np.ndarray:
        """(nv,) torques at time t; a time before that of the last call begins anew."""
        if t < self._then:
            self.restart()
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
            goal = np.array([*phase.center, self._goal[2]][:3], dtype=float)  # type: ignore[index]
            self.control.tasks["com"].reference = along(self._goal, goal, t, phase.duration)  # type: ignore[attr-defined]
            self._goal = goal
        if phase.posture is not None:
            self.control.tasks["posture"].reference = np.array(phase.posture)  # type: ignore[attr-defined]
        if phase.lift is not None:
            self._lift(t, q, phase)

    def _lift(self, t: float, q, phase: Phase) -> None:
        contact = self._kept[phase.lift]  # type: ignore[index]
        start = self._middle(q, contact.name)
        place = start if phase.place is None else np.array(phase.place, dtype=float)
        if contact.name in self.control.contacts:
            self.control.remove(contact.name, ramp=phase.ramp)
            begin, duration = t + phase.ramp, phase.duration - phase.ramp
        else:
            begin, duration = t, phase.duration
        goal = place + (phase.clearance if phase.up else -phase.press) * np.array(contact.normal)
        hump = 0.0 if phase.up or begin == t else phase.clearance
        reference = swung(start, goal, begin, duration, hump, contact.normal)
        task = Frame(
            contact.body, point=contact.points.mean(axis=0), position=reference, name=f"swing {contact.name}", stiffness=400.0
        )
        if not contact.holds_rotation:
            task.rotation = False
            self.control.add(task)
            self._target = goal
            return
        task.rotation = forward_kinematics(self.control.model, q)[self.control.model.body(contact.body).index][:3, :3].copy()
        self.control.add(task)
        self._target = goal

    def _end(self, q) -> None:
        phase = self.phases[self.phase]
        if phase.lift is not None and not phase.up:
            self.control.remove(f"swing {phase.lift}")
            self.control.add(self._kept[phase.lift])

    def _reached(self, t: float, q, v, center) -> bool:
        phase = self.phases[self.phase]
        late = t - self._begin - phase.duration
        if late < 0.0:
            return False
        far = float(np.linalg.norm((center - self._goal)[:2]))  # type: ignore[operator]
        speed = float(np.linalg.norm(momentum(self.control.model, q, v)[:3]) / self.control.model.mass)
        if phase.lift is not None and not phase.up:
            far = max(far, float(np.linalg.norm(self._middle(q, phase.lift) - self._target)))
        if far < self.near[0] and speed < self.near[1]:
            return True
        if late > self.patience and not self.fallen:
            self.fallen = f"phase {phase.name!r} did not reach its goal: {far:.3g} m away, {speed:.3g} m/s, {late:.3g} s late"
        return False

    def _watch(self, t: float, q, center) -> None:
        if self.fallen:
            return
        height = center[2] - self._floor(q) if self.control.contacts else 0.0
        away = float(np.linalg.norm((center - self._reference(t))[:2]))
        if height < 0.6 * self._height:
            self.fallen = f"it fell at t = {t:.3g} s: the mass centre sank to {height:.3g} m"
        elif away > 0.15:
            self.fallen = f"it fell at t = {t:.3g} s: the mass centre is {away:.3g} m from where it should be"

    def _reference(self, t: float) -> np.ndarray:
        reference: Any = getattr(self.control.tasks["com"], "reference", None)
        if reference is None:
            return self._goal  # type: ignore[return-value]
        motion = motion_of(reference, t)
        return np.asarray(reference if motion is None else motion[0])
