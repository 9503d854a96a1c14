"""One SDF joint: what it connects, its kind, axes, limits, springs and losses."""

from dataclasses import dataclass
from math import copysign
from typing import Any

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import shown
from locomote.formats.sdf.elements import check, value, values, word
from locomote.formats.sdf.frames import WORLD
from locomote.formats.sdf.reading import Reading
from locomote.formats.sdf.scope import Part
from locomote.formats.xml import Node
from locomote.model.description import Joint

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "screw": "helical",
    "universal": "universal",
    "revolute2": "universal",
    "ball": "spherical",
    "fixed": "fixed",
    "gearbox": "gearbox",
}
AXES = {"fixed": (), "ball": (), "universal": ("axis", "axis2"), "revolute2": ("axis", "axis2"), "gearbox": ("axis", "axis2")}
UNSAID = Joint("")
PER_AXIS = ("damping", "friction", "rest", "stiffness", "effort_limit", "velocity_limit", "lower", "upper")
NO_LIMIT = 1e16  # how files say that there is no limit, besides inf
THREAD = "thread_pitch is taken as rad/m of a left-handed thread, as Gazebo does; screw_thread_pitch says it in m a turn"


@dataclass(frozen=True)
class SdfJoint:
    """A joint as the file has it. `parent` and `child` are links, by their full names; `joint` is None if it does not move.

    axes : (n, 3) of the joint, in the world when nothing has moved
    """

    part: Part
    parent: str
    child: str
    joint: Joint | None
    axes: np.ndarray

    @property
    def node(self) -> Node:
        return self.part.node

    @property
    def name(self) -> str:
        return self.part.name


def read_joint(part: Part, reading: Reading) -> SdfJoint | None:
    """The joint of an element, or None (and faults) if it cannot be placed in the tree."""
    node, faults, frames = part.node, reading.faults, reading.frames
    given = (node.get("type") or "").strip()
    if given not in KINDS:
        faults.add(node, f"its type is {shown(given)}, expected one of {', '.join(KINDS)}")
        return None
    parent, child = _end(part, "parent", reading), _end(part, "child", reading)
    if parent is None or child is None:
        return None
    if child == WORLD or parent == child:
        itself = f"joins link {reading.named(child)!r} to itself"
        faults.add(node, "the world, or a link of a static model, cannot be its child" if child == WORLD else itself)
        return None
    place = frames.relative(part.frame, child)
    axes = [_axis(node, tag, part, child, place, reading) for tag in AXES.get(given, ("axis",))]
    world = frames.pose(child)[:3, :3]
    along = np.array([world @ axis for axis in axes]).reshape(-1, 3)
    if given in ("fixed", "gearbox"):
        return SdfJoint(part, parent, child, None, along)
    own = _all_said([_said(node.first(tag), given, reading) for tag in AXES.get(given, ("axis",))])
    own |= {tag: tuple(axis.tolist()) for tag, axis in zip(("axis", "axis2"), axes, strict=False)}
    if given == "screw":
        own["pitch"] = _pitch(node, reading)
    joint = Joint(reading.named(part.name), KINDS[given], anchor=tuple(place[:3, 3].tolist()), **own)
    return SdfJoint(part, parent, child, joint, along)


def _end(part: Part, role: str, reading: Reading) -> str | None:
    """The link at an end of a joint, or the world."""
    name = word(part.node, role)
    if not name:
        reading.faults.add(part.node, f"has no <{role}>")
        return None
    if name == WORLD:
        return WORLD
    frame = reading.frames.find(part.scope, name, part.node)
    return None if frame == WORLD else reading.frames.link(frame)


def _axis(node: Node, tag: str, part: Part, child: str, place: np.ndarray, reading: Reading) -> np.ndarray:
    """A unit axis of the joint in the frame of its child."""
    faults, axis, usual = reading.faults, node.first(tag), np.array([0.0, 0.0, 1.0])
    if axis is None:
        faults.add(node, f"has no <{tag}>")
        return usual
    check(axis, faults)
    xyz = axis.first("xyz")
    direction = values(axis, "xyz", 3, faults, (0.0, 0.0, 1.0))
    if not any(direction):
        faults.add(axis, "its xyz is zero; give the direction of motion")
        return usual
    turn = place[:3, :3]
    if xyz is not None:
        check(xyz, faults)
        if xyz.get("expressed_in"):
            frame = reading.frames.find(part.scope, xyz.get("expressed_in") or "", xyz)
            turn = reading.frames.relative(frame, child)[:3, :3]
    return poses.unit(direction) if np.array_equal(turn, np.eye(3)) else poses.unit(turn @ poses.unit(direction))


def _said(axis: Node | None, given: str, reading: Reading) -> dict[str, float]:
    """Limits, springs and losses along an axis, by name of Joint's field."""
    if axis is None:
        return {}
    faults, found = reading.faults, {}
    losses, limit = axis.first("dynamics"), axis.first("limit")
    if value(axis, "initial_position", faults, 0.0):
        faults.warn_alike("initial_position is not kept; give q to what you call", axis)
    if losses is not None:
        check(losses, faults)
        found["damping"] = value(losses, "damping", faults, 0.0, least=0.0)
        found["friction"] = value(losses, "friction", faults, 0.0, least=0.0)
        found["rest"] = value(losses, "spring_reference", faults, 0.0)
        found["stiffness"] = value(losses, "spring_stiffness", faults, 0.0, least=0.0)
    if limit is not None:
        check(limit, faults)
        for label, tag in (("effort_limit", "effort"), ("velocity_limit", "velocity")):
            most = value(limit, tag, faults, np.inf, infinite=True)
            found[label] = np.inf if most < 0 or most >= NO_LIMIT else most  # a negative one is none, as the format says
        lower, upper = (value(limit, tag, faults, x, infinite=True) for tag, x in (("lower", -np.inf), ("upper", np.inf)))
        if lower > upper:
            faults.add(limit, f"its lower limit {lower:g} is above its upper limit {upper:g}")
        if given != "continuous":
            found["lower"] = lower if abs(lower) < NO_LIMIT else copysign(np.inf, lower)
            found["upper"] = upper if abs(upper) < NO_LIMIT else copysign(np.inf, upper)
    return found


def _all_said(said: list[dict[str, float]]) -> dict[str, Any]:
    """What axes say: one value, or one for each of two."""
    if len(said) < 2:
        return dict(*said)
    labels = [label for label in PER_AXIS if any(label in one for one in said)]
    return {label: tuple(one.get(label, getattr(UNSAID, label)) for one in said) for label in labels}


def _pitch(node: Node, reading: Reading) -> float:
    """The advance of a screw, m/rad."""
    if node.first("screw_thread_pitch") is not None or node.first("thread_pitch") is None:
        return value(node, "screw_thread_pitch", reading.faults, 1.0) / (2 * np.pi)
    reading.faults.warn_alike(THREAD, node)
    turns = value(node, "thread_pitch", reading.faults, 1.0)
    if abs(turns) < 1e-30:
        reading.faults.add(node, "its thread_pitch is zero; give screw_thread_pitch, the advance of a turn in m")
        return 0.0
    return -1.0 / turns
