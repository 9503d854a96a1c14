"""A contact schedule: which contacts bear from when to when, and what tasks follow meanwhile, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from locomote.brief import brief
from locomote.control.whole_body.contacts import Contact
from locomote.drives.drive import Drive
from locomote.drives.table import drive_from_record
from locomote.errors import UnknownName

if TYPE_CHECKING:
    from locomote.control.whole_body.controller import WholeBody


@brief
@dataclass(frozen=True)
class ContactState:
    """One entry of a schedule.

    duration : s ; contacts : names of those that bear ; references : task name -> reference: numbers, or a row of numbers and
    drives, in the time of the schedule
    """

    name: str
    duration: float
    contacts: tuple[str, ...]
    references: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 < self.duration < np.inf:
            raise ValueError(f"state {self.name!r} of a schedule has the duration {self.duration!r}, expected a time above 0 s")
        object.__setattr__(self, "contacts", tuple(self.contacts))


@brief
@dataclass(frozen=True)
class ContactSchedule:
    """States one after the other; a contact that the next state lacks lets go over the last `ramp` seconds of its own.

    states : ContactState, or tuples of its fields ; repeat : begin again at the end; else the last state stays
    """

    states: Sequence[Any]
    ramp: float = 0.1
    repeat: bool = False

    def __post_init__(self) -> None:
        for k, state in enumerate(self.states):
            if (
                not isinstance(state, (ContactState, tuple, list))
                or not 2 < len(vars(state) if isinstance(state, ContactState) else state) < 5
            ):
                raise TypeError(
                    f"states[{k}] of a schedule must be a lo.control.ContactState or (name, duration, contacts), not "
                    f"{state!r:.50}"
                )
        states = tuple(x if isinstance(x, ContactState) else ContactState(*x) for x in self.states)
        if not states:
            raise ValueError("a contact schedule needs at least one state")
        if not 0.0 <= self.ramp:
            raise ValueError(f"ramp of a contact schedule is {self.ramp!r}, expected a time from 0 s")
        object.__setattr__(self, "states", states)

    @property
    def duration(self) -> float:
        """Duration of all states once, s."""
        return float(sum(state.duration for state in self.states))

    def at(self, t: float) -> tuple[int, float]:
        """Number of the state at time t, and the time when it ends, s; infinite for the last one."""
        whole = self.duration
        turns = np.floor(max(t, 0.0) / whole) if self.repeat else 0.0
        end = turns * whole
        for k, state in enumerate(self.states):
            end += state.duration
            if t < end - 1e-9:
                return k, end
        return (0, end + self.states[0].duration) if self.repeat else (len(self.states) - 1, np.inf)

    def to_record(self) -> dict[str, Any]:
        """The schedule as numbers and words that JSON can hold."""
        return {
            "ramp": self.ramp,
            "repeat": self.repeat,
            "states": [
                {
                    "name": s.name, "duration": s.duration, "contacts": list(s.contacts),
                    "references": {name: _stored(value, name) for name, value in s.references.items()},
                }
                for s in self.states
            ],
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "ContactSchedule":
        """The schedule of a record that `to_record` made."""
        wanted = {"states": ("name", "duration", "contacts"), "ramp": (), "repeat": ()}
        if not isinstance(record, Mapping) or not wanted.keys() <= record.keys():
            raise ValueError(f"the record of a contact schedule is a table with {', '.join(wanted)}, not {record!r:.60}")
        for s in record["states"]:
            if not isinstance(s, Mapping) or not set(wanted["states"]) <= s.keys():
                raise ValueError(
                    f"a state in the record of a contact schedule has {', '.join(wanted['states'])}, not {s!r:.60}"
                )
        states = [
            ContactState(
                s["name"], s["duration"], tuple(s["contacts"]), {n: _restored(v) for n, v in s.get("references", {}).items()}
            )
            for s in record["states"]
        ]
        return cls(states, float(record["ramp"]), bool(record["repeat"]))


def _stored(value, name):
    if isinstance(value, Drive):
        return value.to_record()
    if callable(value):
        raise ValueError(f"the reference of task {name!r} is a function, which no file can hold: give numbers or drives")
    if value is None:
        raise ValueError(f"the reference of task {name!r} is None, which no file can hold: give numbers or drives")
    return [_stored(x, name) for x in value] if np.ndim(value) or isinstance(value, (list, tuple)) else float(value)


def _restored(value):
    if isinstance(value, Mapping):
        return drive_from_record(value)
    return [_restored(x) for x in value] if isinstance(value, list) else value


class Follower:
    """A controller's way through a schedule, from a time on."""

    def __init__(self, control: "WholeBody", schedule: ContactSchedule, contacts: Sequence[Contact], start: float):
        self.schedule, self.start, self.state, self.let_go = schedule, start, -1, False
        self.known = {**control.contacts, **{c.name: c for c in contacts}}
        for state in schedule.states:
            for name in state.contacts:
                if name not in self.known:
                    raise UnknownName("contact", name, self.known, f"state {state.name!r} of the schedule")
            for name in state.references:
                if name not in control.tasks:
                    raise UnknownName("task", name, control.tasks, f"state {state.name!r} of the schedule")
        named = {name for state in schedule.states for name in state.references}
        self._first = {name: control.tasks[name].reference for name in named}  # type: ignore[attr-defined]

    def advance(self, control: "WholeBody", t: float) -> None:
        """Bring contacts and references to what they are at time t."""
        k, end = self.schedule.at(t - self.start)
        if k != self.state:
            self.state, self.let_go = k, False
            state = self.schedule.states[k]
            for name in [name for name in control.contacts if name not in state.contacts]:
                control.release(name)
            for name in state.contacts:
                if name not in control.contacts:
                    control.bring(self.known[name])
            self._refer(control, state)
        if not self.let_go and t >= self.start + end - self.schedule.ramp - 1e-9 and np.isfinite(end):
            self.let_go = True
            following = self.schedule.states[(k + 1) % len(self.schedule.states)]
            for name in [name for name in control.contacts if name not in following.contacts]:
                control.release(name, ramp=max(self.start + end - t, 1e-9))

    def _refer(self, control: "WholeBody", state: ContactState) -> None:
        for name, reference in state.references.items():
            control.tasks[name].reference = _shifted(reference, self.start)  # type: ignore[attr-defined]

    def go_to(self, control: "WholeBody", state: int, let_go: bool, past) -> None:
        """Bring references to what they are in a state of the schedule, -1 before its start, after a tick `past`."""
        self.state, self.let_go = state, let_go
        for name, reference in self._first.items():
            control.tasks[name].reference = reference  # type: ignore[attr-defined]
        again = state >= 0 and past is not None and past.t - self.start >= self.schedule.duration - 1e-9
        for one in [*(self.schedule.states if again else ()), *self.schedule.states[: state + 1]]:
            self._refer(control, one)


def _shifted(reference, start):
    """A reference in the time of the schedule, for a controller that reads it in its own."""
    if start == 0.0 or not (callable(reference) or isinstance(reference, (list, tuple))):
        return reference
    from locomote.control.whole_body.goals import motion_of

    if motion_of(reference, 0.0) is None:
        return reference
    return lambda t: motion_of(reference, t - start)
