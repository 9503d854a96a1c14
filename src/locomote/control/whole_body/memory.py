"""What a controller knows from tick to tick, as one row of numbers of fixed length: runs keep it in checkpoints.

Contacts and tasks are known by name from the start; which of them are there, in which order, contacts that are leaving, what
tasks found at their start, the working set of the last program and its torques: with these, a controller that was stopped goes
on as if it had not been, to the last bit. Tasks and contacts that join later are not known; then nothing can be gone on with,
and `read` says so.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.control.whole_body.contacts import Contact
from locomote.control.whole_body.tables import CUTS, SLACKS
from locomote.control.whole_body.tasks import CenterOfMass, Frame, Posture, Task

if TYPE_CHECKING:
    from locomote.control.whole_body.controller import WholeBody

KNOWN, STRANGE, NONE = 1.0, -1.0, -1.0


class Past:
    """What later ticks need of one that was before: time, torques, load of a point of each contact."""

    def __init__(self, t: float, tau: np.ndarray, loads: dict[str, float]):
        self.t, self.tau, self.loads = t, tau, loads

    def load(self, name: str) -> float | None:
        """N, the largest normal force of a point of a contact; None if it was not there."""
        return self.loads.get(name)


class Memory:
    """Where everything is in the row; names : of all contacts and tasks that may come and go."""

    def __init__(self, control: "WholeBody", contacts: Mapping[str, Contact], tasks: Iterable[str]):
        self.contacts, self.tasks = tuple(contacts), tuple(tasks)
        model, sides = control.model, control._options["sides"]
        points = sum(len(c.points) for c in contacts.values())
        rows = 5 * model.nv + SLACKS + len(control.clearances) + points * (1 + sides + CUTS) + len(self.tasks) * model.nv
        self._wide = max(12, model.nq)
        shapes = {
            "known": (1,), "past": (2 + model.nv,), "load": (len(contacts),), "contact": (len(contacts), 4),
            "task": (len(self.tasks),), "start": (len(self.tasks), 1 + self._wide), "follower": (2,), "set": (rows,),
            "first": (rows,),
            "cut": (points * CUTS, 2),
        }  # fmt: skip
        self._parts, first = {}, 0
        for name, shape in shapes.items():
            last = first + int(np.prod(shape))
            self._parts[name], first = (slice(first, last), shape), last
        self.size = first

    def views(self, row: np.ndarray) -> dict[str, np.ndarray]:
        """Parts of the row by name."""
        return {name: row[part].reshape(shape) for name, (part, shape) in self._parts.items()}

    def fits(self, control: "WholeBody") -> bool:
        """Whether all that the controller has is known."""
        return set(control.contacts) <= set(self.contacts) and set(control.tasks) <= set(self.tasks)

    def fresh(self, contacts: Iterable[str], tasks: Iterable[str]) -> np.ndarray:
        """The row at the start of a run, when only contacts and tasks are there."""
        row = np.zeros(self.size)
        at = self.views(row)
        at["known"][0] = KNOWN
        at["contact"][:, 0] = at["task"][:] = at["follower"][0] = -1.0
        for place, name in enumerate(contacts):
            at["contact"][self.contacts.index(name), 0] = place
        for place, name in enumerate(tasks):
            at["task"][self.tasks.index(name)] = place
        return row

    def write(self, control: "WholeBody") -> np.ndarray:
        """The row of now."""
        if not self.fits(control):
            row = np.zeros(self.size)
            row[0] = STRANGE
            return row
        row = self.fresh(control.contacts, control.tasks)
        at = self.views(row)
        for name, leaving in control._leaving.items():
            at["contact"][self.contacts.index(name), 1:] = leaving
        for name, start in control._starts.items():
            if name in self.tasks:
                numbers = np.concatenate([np.ravel(part) for part in start]) if isinstance(start, tuple) else np.ravel(start)
                own = at["start"][self.tasks.index(name)]
                own[0], own[1 : 1 + len(numbers)] = KNOWN, numbers
        if control._last is not None:
            at["past"][0], at["past"][1], at["past"][2:] = KNOWN, control._last.t, control._last.tau
            at["load"][:] = [NONE if (load := control._last.load(name)) is None else max(load, 0.0) for name in self.contacts]
        if control._follower is not None:
            at["follower"][:] = control._follower.state, control._follower.let_go
        if control._packed is not None:
            k: Any = control._packed.tick
            at["set"][: len(k.state)], at["first"][: len(k.held)], at["cut"][: len(k.cut)] = k.state, k.held, k.cut
        return row

    def read(self, control: "WholeBody", row: np.ndarray, contacts: Mapping[str, Contact], tasks: Mapping[str, Task]) -> None:
        """Bring a controller to what a row says; contacts, tasks : all that are known, by name."""
        if row.shape != (self.size,):
            raise ValueError(
                f"the state of the controller has {row.size} numbers, expected {self.size}: tasks or contacts were added or "
                f"removed since"
            )
        at = self.views(row)
        if at["known"][0] != KNOWN:
            raise ValueError(
                "tasks or contacts had joined that the controller did not have at the start, and no file holds them: "
                "start the run anew"
            )
        for part, most in (("contact", len(self.contacts)), ("task", len(self.tasks))):
            if not (abs(at[part] if part == "task" else at[part][:, 0]) <= most).all():
                raise ValueError(
                    f"the state of the controller has a {part} at a place that there is not: it is not of this run"
                )
        control._leaving.clear()
        control._starts.clear()
        control._held.clear()
        control._last, control._packed = None, None
        for known, there, places, names in (
            (contacts, control.contacts, at["contact"][:, 0], self.contacts),
            (tasks, control.tasks, at["task"], self.tasks),
        ):
            there.clear()
            there.update({names[i]: known[names[i]] for i in np.argsort(places, kind="stable") if places[i] >= 0})
        for i, name in enumerate(self.contacts):
            start, duration, load = at["contact"][i, 1:]
            if duration > 0.0:
                control._leaving[name] = (float(start), float(duration), float(load))
        for i, name in enumerate(self.tasks):
            if at["start"][i, 0] == KNOWN:
                control._starts[name] = _start(control, tasks[name], at["start"][i, 1:])
        if at["past"][0] == KNOWN:
            loads = {name: float(x) for name, x in zip(self.contacts, at["load"], strict=True) if x != NONE}
            control._last = Past(float(at["past"][1]), at["past"][2:].copy(), loads)
        if control._follower is not None:
            control._follower.go_to(control, int(at["follower"][0]), bool(at["follower"][1]), control._last)
        k: Any = control.prepare().tick
        k.state[:], k.held[:], k.cut[:] = at["set"][: len(k.state)], at["first"][: len(k.held)], at["cut"][: len(k.cut)]


def _start(control: "WholeBody", task: Task, numbers: np.ndarray) -> Any:
    if isinstance(task, CenterOfMass):
        return numbers[:3].copy()
    if isinstance(task, Frame):
        return numbers[:3].copy(), numbers[3:12].reshape(3, 3).copy()
    assert isinstance(task, Posture)
    return numbers[: control.model.nq].copy()
