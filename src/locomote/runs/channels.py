"""Names and units of everything that a run records: `rotor.angle`, `rotor.velocity`, `rotor.torque`, `foot.normal`, ...

A channel is a column of an array of the run. Coordinates are called as in `model.layout()`; what belongs to v is called

    layout      velocity       acceleration      force
    rate        velocity       acceleration      torque or force      with whatever stands around `rate`, as in `rate 1`
    vx, wx      vx, wx         dvx, dwx          force x, moment x    components in the body frame, and their rates
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from locomote.actuation.actuators import SAID, Actuator, command, named
from locomote.drives.drive import as_drive
from locomote.evaluation.protocol import Problem
from locomote.methods.recorded import BY_NAME, FIELDS, Field
from locomote.model.base import moving_root
from locomote.model.model import Model
from locomote.runs.asked import fields_of
from locomote.tables import lines_of

ENERGIES = ("kinetic", "potential", "elastic", "total")
VECTORS = ("v", "a", "tau")  # fields whose columns are coordinates of v
NET_MOTION = {"x": "m", "y": "m", "z": "m", "yaw": "rad", "pitch": "rad", "roll": "rad"}


class Channel(NamedTuple):
    """The name of a channel and its unit."""

    name: str
    unit: str


class Channels(tuple[Channel, ...]):
    """Channels of a run, and whether one of a name is among them; printed, a table of their names and units."""

    def __contains__(self, channel: object) -> bool:
        return super().__contains__(channel) or any(own.name == channel for own in self)

    def __str__(self) -> str:
        return "\n".join(lines_of(self, ("channel", "unit")))


class Column(NamedTuple):
    """Where the numbers of a channel are: an array of the run, and a column of it (None: the array itself; a name: that of a
    table; a name and a number: that component of a load, over all places)."""

    array: str
    index: int | str | tuple[Any, int] | None
    unit: str

    def read(self, run: Any) -> np.ndarray:
        """(n,) the numbers."""
        array = getattr(run, self.array)
        if self.index is None:
            return array
        if self.array == "net_motion":
            return getattr(array, str(self.index))
        if isinstance(self.index, str):
            return array[self.index]
        if isinstance(self.index, tuple) and isinstance(self.index[0], str):
            return array[self.index[0]][:, :, self.index[1]].sum(axis=1)
        return array[:, *self.index] if isinstance(self.index, tuple) else array[:, self.index]


def columns_of_q(model: Model) -> list[Channel]:
    """The channels of q, in its order."""
    slots = sorted((slot for slot in model.layout() if slot.vector == "q"), key=lambda slot: slot.index)
    return [Channel(f"{slot.joint}.{slot.name}", slot.unit) for slot in slots]


def columns_of_v(model: Model, vector: str) -> list[Channel]:
    """The channels of v, a or tau, in the order of v."""
    slots = sorted((slot for slot in model.layout() if slot.vector == "v"), key=lambda slot: slot.index)
    return [Channel(f"{slot.joint}.{name}", unit) for slot in slots for name, unit in [_in_v(slot, vector)]]


def _in_v(slot, vector: str) -> tuple[str, str]:
    rate = slot.unit.split(",")[0]
    turning = rate.startswith("rad")
    unit = {"v": rate, "a": f"{rate}^2", "tau": "N m" if turning else "N"}[vector]
    if "rate" in slot.name:
        word = {"v": "velocity", "a": "acceleration", "tau": "torque" if turning else "force"}[vector]
        return slot.name.replace("rate", word), unit
    axis = slot.name[-1]
    return {"v": slot.name, "a": f"d{slot.name}", "tau": f"{'moment' if turning else 'force'} {axis}"}[vector], unit


def columns_of_axes(field: Field, names: Sequence[str]) -> list[tuple[str, int, int, str]]:
    """Channel, place, component and unit of each number of a field that has six for every name."""
    return [
        (f"{name}.{field.axes[axis // 3][0]} {'xyz'[axis % 3]}", k, axis, field.axes[axis // 3][1])
        for k, name in enumerate(names)
        for axis in range(6)
    ]


def told_by(actuators: Iterable[Actuator]) -> tuple[tuple[str, str, str], ...]:
    """(actuator, word, unit) of what actuators inside rods are told."""
    return tuple((name, *SAID[type(a)]) for name, a in named(actuators).items() if SAID[type(a)][0])


def commands_of(actuators: Iterable[Actuator], t: np.ndarray) -> np.ndarray:
    """(n, commands) what they are told at times t."""
    drives = [as_drive(command(a)) for a in actuators if SAID[type(a)][0]]
    return np.array([[drive(float(time))[0] for drive in drives] for time in t]).reshape(len(t), len(drives))


# size of a field -> the labels of its columns, those that a problem gives, and those of columns without a name
LABELS: dict[str, tuple[str, Callable[[Problem], Sequence], Callable[[int], Any]]] = {
    "rows": ("constraint_labels", lambda problem: problem.constraint_labels, lambda k: ("reaction", str(k), "N or N m")),
    "contacts": ("contact_labels", lambda problem: problem.contact_names, lambda k: f"contact {k}"),
    "commands": (
        "command_labels", lambda problem: told_by(problem.actuators),
        lambda k: (f"actuator {k}", "command", "-"),
    ),
}  # fmt: skip
LABELLED = {field.shape[0]: field.name for field in FIELDS if field.shape and field.shape[0] in LABELS}


def labels_of(run: Any) -> dict[str, tuple]:
    """Labels of all columns that have any: as given, or as the problem has them, or numbers."""
    found = {}
    for size, (name, of_problem, numbered) in LABELS.items():
        values, labels = getattr(run, LABELLED[size]), getattr(run, name)
        count = 0 if values is None else np.shape(values)[1] if np.ndim(values) > 1 else 0
        if labels is None and run.problem is not None and (count or size == "rows"):
            labels = of_problem(run.problem)
        if labels is None:
            labels = [numbered(k + 1) for k in range(count)]
        found[name] = tuple(x if isinstance(x, str) else tuple(map(str, x)) for x in labels)
    return found


def columns(run: Any) -> Mapping[str, Column]:
    """Every channel of a run by name."""
    result: dict[str, Column] = {"t": Column("t", None, "s")}

    def put(name: str, array: str, index: Any, unit: str) -> None:
        free, n = name, 1
        while free in result:  # a constraint called like a joint
            n += 1
            free = f"{name} ({n})"
        result[free] = Column(array, index, unit)

    for k, (name, unit) in enumerate(columns_of_q(run.model)):
        put(name, "q", k, unit)
    for vector in VECTORS:
        for k, (name, unit) in enumerate(columns_of_v(run.model, vector)):
            put(name, vector, k, unit)
    for k, (constraint, row, unit) in enumerate(run.constraint_labels):
        put(f"{constraint}.{row}", "reactions", k, unit)
    for name, k, axis, unit in columns_of_axes(BY_NAME["contacts"], run.contact_labels):
        put(name, "_loads", (k, axis), unit)
    if moving_root(run.model) is not None:
        for name, unit in NET_MOTION.items():
            put(f"net.{name}", "net_motion", name, unit)
    for name in ENERGIES:
        put(f"energy.{name}", name, None, "J")
    for name in run.energies:
        put(f"energy.{name}", "energies", name, "J")
    for name, wrenches in run.loads.items():
        for k, axis in enumerate("xyz"):
            put(f"{name}.force {axis}", "loads", (name, k), "N")
        for k, axis in enumerate("xyz" if wrenches.shape[1] == 1 else ""):  # at several places they have no sum
            put(f"{name}.moment {axis}", "loads", (name, 3 + k), "N m")
    for k, (name, word, unit) in enumerate(run.command_labels):
        put(f"{name}.{word}", "commands", k, unit)
    for name in run.work:
        put(f"work.{name}", "work", name, "J")
    put("audit.balance", "balance", None, "J")
    put("audit.residual", "residual", None, BY_NAME["residual"].unit)
    put("audit.position residual", "position_residual", None, BY_NAME["position_residual"].unit)
    for field in fields_of(run):
        for name, k, axis, unit in columns_of_axes(field, run.model.body_names):
            put(name, field.name, (k, axis), unit)
    return result
