"""What each thing that was said of a problem gives its plan: one function for each field of a Statement, alike in all.

A number that changes, with all that decides sizes as it was, is packed anew by the function of its field alone; the arrays that
this gives are the only ones of the plan that differ.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from locomote.actuation.actuators import pack_actuators
from locomote.compiler.callbacks import Callback
from locomote.constraints.packing import pack_constraints
from locomote.contact.spots import pack_spots
from locomote.drives.packing import pack_signals
from locomote.dynamics.wrenches import gathered
from locomote.evaluation import plan as fields
from locomote.forces.terms import ForceTerm, pack_terms
from locomote.locomotion.clocked import pack_controllers
from locomote.locomotion.followed import pack_following
from locomote.locomotion.parts import Parts
from locomote.locomotion.springs import joint_springs
from locomote.model.base import moving_root
from locomote.model.joints import WORDS
from locomote.model.model import Model


class Piece(NamedTuple):
    """A part of a plan.

    arrays : by their names in the plan ; callbacks : functions of the user, which stand in its table in this order
    breaks : times at which signals are not smooth, s ; names : of what may touch
    """

    arrays: Mapping[str, np.ndarray]
    callbacks: Sequence[Callback] = ()
    breaks: Sequence[float] = ()
    names: tuple[str, ...] = ()


# each takes the parts of a problem, the configuration that open targets and lengths are taken from, and the row of the table of
# functions from which on its own stand


def of_model(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Bodies and coordinates."""
    model, imposed = parts.model, parts.imposed
    return Piece({
        "topology": model._topology, "constants": model._constants, "imposed": imposed.astype(np.int64),
        "free": np.flatnonzero(~imposed), "held": np.flatnonzero(imposed), "q_of_v": parts.q_of_v.copy(),
        "base": base_velocity(model), "quaternions": np.array(model.coordinates.quaternions, np.int64), **flexible_parts(model),
    })  # fmt: skip


def of_drives(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Imposed motions."""
    packed = pack_signals(parts.drives, first)
    return Piece({"drive_rows": packed.rows, "drive_numbers": packed.numbers}, packed.functions, packed.breaks)


def of_torques(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Torques over time; a function that gives them all has a row of its own (`functions_of`)."""
    packed = pack_signals(parts.torques, first)
    return Piece({"torque_rows": packed.rows, "torque_numbers": packed.numbers}, packed.functions, packed.breaks)


def of_actuators(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Actuators inside rods, and what they are told."""
    table, points, told = pack_actuators(parts.model, parts.said.actuators)
    packed = pack_signals(told, first)
    arrays = {"actuators": table, "actuator_points": points, "tension_rows": packed.rows, "tension_numbers": packed.numbers}
    return Piece(arrays, packed.functions, packed.breaks)


def of_constraints(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Constraints, couplings of the model among them."""
    packed = pack_constraints(parts.model, parts.constraints, q, first)
    names = ("integers", "numbers", "linear", "linear_q", "curves", "holonomic", "touched", "touched_first")
    return Piece({name: getattr(packed, name) for name in names}, packed.callbacks)


def of_environment(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Force terms; functions of the surroundings have a row of their own (`functions_of`)."""
    packed = pack_terms(parts.model, parts.terms)
    return Piece({
        "terms": packed.table, "place_bodies": packed.bodies, "placements": packed.placements, "term_numbers": packed.numbers,
    })  # fmt: skip


def of_contacts(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """What may touch."""
    packed = pack_spots(parts.model, parts.contacts, first)
    arrays = {"spots": packed.integers, "spot_laws": packed.numbers}
    hulls = {"hull_corners": packed.hull_corners, "hull_edges": packed.hull_edges}
    return Piece(arrays | hulls | packed.bodies, packed.callbacks, names=packed.names)


def of_limits(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Where coordinates end, and the largest torque of each."""
    stops, laws, effort = pack_limits(parts.model, parts.q_of_v, parts.imposed, parts.said.limits)
    return Piece({"stops": stops, "stop_laws": laws, "effort": effort})


def of_controllers(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Controllers, with a clock and without."""
    clocks = pack_controllers(parts, first)
    following = pack_following(parts, first + len(clocks.pd_signals.functions))
    return Piece({
        "clocks": clocks.clocks, "clock_kinds": clocks.clock_kinds, "pd_rows": clocks.pd_rows, "pd_numbers": clocks.pd_numbers,
        "pd_signal_rows": clocks.pd_signals.rows, "pd_signal_numbers": clocks.pd_signals.numbers,
        "follow_rows": following.rows, "follow_numbers": following.numbers, "led": following.led, "fed": following.fed,
        "follow_signal_rows": following.signals.rows, "follow_signal_numbers": following.signals.numbers,
    }, [*clocks.pd_signals.functions, *following.signals.functions])  # fmt: skip


def of_springs(parts: Parts, q: np.ndarray, first: int) -> Piece:
    """Springs, dampers and dry friction of joints."""
    return Piece({"passive": joint_springs(parts.model, parts.said.springs)})


# field of a Statement -> its piece, in the order in which their functions stand in the table
PIECES: Mapping[str, Callable[[Parts, np.ndarray, int], Piece]] = MappingProxyType({
    "drives": of_drives, "torques": of_torques, "actuators": of_actuators, "constraints": of_constraints,
    "environment": of_environment, "contacts": of_contacts, "limits": of_limits, "controllers": of_controllers,
    "springs": of_springs, "model": of_model,
})  # fmt: skip


def functions_of(parts: Parts) -> list[Callback | None]:
    """The first rows of the table of functions: one that gives all torques, those of the surroundings, and no event."""
    model, said = parts.model, parts.said
    own: list[Callback | None] = [None] * fields.OTHERS
    if callable(said.torques):
        own[fields.TORQUES] = Callback(said.torques, (model.nq, model.nv, model.nv), name=f"torques of {said.name!r}")
    if functions := [f for f in said.environment if not isinstance(f, ForceTerm)]:
        sizes = (model.nq, model.nv, 6 * (len(model.topology) - 1))
        own[fields.ENVIRONMENT] = Callback(wrenches_of(model, functions), sizes, name=f"environment of {said.name!r}")
    return own


def flexible_parts(model: Model) -> dict[str, np.ndarray]:
    """Arrays of the flexible bodies of a model, for a plan."""
    if model._soft is None or model._strain is None:
        return fields.rigid()
    names = ("rods", "stations", "basis", "components", "hung", "elastic", "viscous")
    return {name: getattr(model._soft, name) for name in names} | {"strain": model._strain}


def wrenches_of(model: Model, functions: Sequence[Callable]):
    """Environment functions as one callback: wrenches on moving bodies, in packed frames."""

    def environment(t, q, v):
        total = np.zeros((len(model.topology) - 1, 6))
        for f in functions:
            given = f(t, q, v)
            if given:
                loads = gathered(model, given)
                total += 0.0 if loads is None else loads
        return total.ravel()

    return environment


def base_velocity(model: Model) -> np.ndarray:
    """Coordinates of v that are the velocity of the origin of the base, along axes at right angles to each other; none where
    it takes more than that to say it: a slide on a turning base, or slides askew."""
    found, axes, turns = [], [], False
    base = moving_root(model)
    for joint in base.joints if base else ():
        first, kind = model.joint(joint.name).v.start, WORDS[joint.kind]
        slides = kind.slides(joint)
        if slides and (turns or (found and kind.on_group)):
            return np.zeros(0, np.int64)
        axes += slides
        found += range(first, first + len(slides))
        turns = turns or kind.turns
    unit = np.array(axes, dtype=float).reshape(-1, 3)
    askew = np.abs(unit @ unit.T - np.eye(len(unit))).max(initial=0.0) > 1e-12
    return np.array([] if askew else found, np.int64)


def pack_limits(model: Model, q_of_v: np.ndarray, imposed: np.ndarray, enforced: bool):
    """Coordinates of v that end somewhere, with the side and place of the end, and the largest torque of each coordinate."""
    stops, laws, effort = [], [], np.full(model.nv, fields.UNLIMITED)
    if enforced:
        effort = np.minimum(model.effort_limit, fields.UNLIMITED)
        for k in np.flatnonzero((q_of_v >= 0) & ~imposed):
            for sign, end in ((1.0, model.lower[q_of_v[k]]), (-1.0, model.upper[q_of_v[k]])):
                if np.isfinite(end):
                    stops.append(int(k))
                    laws.append((sign, float(end), 0.0))
    return np.array(stops, np.int64), np.array(laws, float).reshape(-1, 3), np.array(effort, float)
