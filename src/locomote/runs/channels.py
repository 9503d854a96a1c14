"""Names and units of everything that a run records: `rotor.angle`, `rotor.velocity`, `rotor.torque`, `foot.normal`, ...

A channel is a column of an array of the run. Coordinates are called as in `model.layout()`; what belongs to v is called

    layout      velocity       acceleration      force
    rate        velocity       acceleration      torque or force      with whatever stands around `rate`, as in `rate 1`
    vx, wx      vx, wx         dvx, dwx          force x, moment x    components in the body frame, and their rates
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from locomote.model.model import Model

ENERGIES = ("kinetic", "potential", "elastic", "total")
NET_MOTION = {"x": "m", "y": "m", "z": "m", "yaw": "rad", "pitch": "rad", "roll": "rad"}


class Channel(NamedTuple):
    """The name of a channel and its unit."""

    name: str
    unit: str


class Column(NamedTuple):
    """Where the numbers of a channel are: an array of the run, and a column of it (None: the array itself)."""

    array: str
    index: int | str | tuple[str, int] | None
    unit: str


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


def columns(
    model: Model,
    reactions: Iterable[tuple[str, str, str]],
    work: Iterable[str],
    moves: bool,
    energies: Iterable[str] = (),
    loads: Mapping[str, np.ndarray] = MappingProxyType({}),
    contacts: Iterable[str] = (),
    told: Iterable[tuple[str, str, str]] = (),
) -> Mapping[str, Column]:
    """Every channel of a run by name. `moves`: whether the base moves, so that there is a net motion; energies: names of force
    terms; loads: wrenches of force terms at their places; contacts: names of places that may touch; told: (name,
    word, unit) of what actuators are told."""
    result: dict[str, Column] = {"t": Column("t", None, "s")}

    def put(name: str, array: str, index: int | str | tuple[str, int] | None, unit: str) -> None:
        free, n = name, 1
        while free in result:  # a constraint called like a joint
            n += 1
            free = f"{name} ({n})"
        result[free] = Column(array, index, unit)

    for k, (name, unit) in enumerate(columns_of_q(model)):
        put(name, "q", k, unit)
    for vector in ("v", "a", "tau"):
        for k, (name, unit) in enumerate(columns_of_v(model, vector)):
            put(name, vector, k, unit)
    for k, (constraint, row, unit) in enumerate(reactions):
        put(f"{constraint}.{row}", "reactions", k, unit)
    for k, name in enumerate(contacts):
        for axis in range(3):
            put(f"{name}.force {'xyz'[axis]}", "contact_channels", 6 * k + axis, "N")
        for axis in range(3):
            put(f"{name}.point {'xyz'[axis]}", "contact_channels", 6 * k + 3 + axis, "m")
    if moves:
        for name, unit in NET_MOTION.items():
            put(f"net.{name}", "net_motion", name, unit)
    for name in ENERGIES:
        put(f"energy.{name}", name, None, "J")
    for name in energies:
        put(f"energy.{name}", "energies", name, "J")
    for name, wrenches in loads.items():
        for k, axis in enumerate("xyz"):
            put(f"{name}.force {axis}", "loads", (name, k), "N")
        for k, axis in enumerate("xyz" if wrenches.shape[1] == 1 else ""):  # at several places they have no sum
            put(f"{name}.moment {axis}", "loads", (name, 3 + k), "N m")
    for name, word, unit in told:
        put(f"{name}.{word}", "actuation", name, unit)
    for name in work:
        put(f"work.{name}", "work", name, "J")
    put("audit.balance", "balance", None, "J")
    put("audit.residual", "residual", None, "m/s or rad/s")
    put("audit.position residual", "position_residual", None, "m or rad")
    return result
