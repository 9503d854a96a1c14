"""One URDF joint: its kind, axis, place, limits and losses."""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import number, numbers
from locomote.formats.urdf.link import read_origin
from locomote.formats.xml import Node, only_child
from locomote.model.description import Joint

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
UNRANGED = "joints without lower and upper limit are taken as unlimited"
WITH_AXIS = ("revolute", "prismatic", "planar")
DYNAMICS = {"damping", "friction"}
NO_LIMIT = sys.float_info.max  # how programs that do not know inf say that there is no limit


@dataclass(frozen=True)
class UrdfJoint:
    """A joint as the file has it. `joint` is None if it does not move."""

    node: Node
    name: str
    parent: str
    child: str
    placement: np.ndarray
    joint: Joint | None
    mimic: Node | None


def read_joint(name: str, node: Node, links: dict[str, Node], faults: Faults) -> UrdfJoint | None:
    """The joint of a <joint> element, or None (and faults) if it cannot be placed in the tree."""
    kind = _kind(node, faults)
    parent, child = _link(node, "parent", links, faults), _link(node, "child", links, faults)
    placement = read_origin(node, faults)
    axis = _axis(node, faults) if kind in WITH_AXIS else (1.0, 0.0, 0.0)
    limits = _limits(node, faults)
    damping, friction = _losses(node, faults)
    if parent is None or child is None or kind is None:
        return None
    if parent == child:
        faults.add(node, f"link {parent!r} is its own parent")
        return None
    joint = None
    if kind != "fixed":
        joint = Joint(name, kind, axis, damping=damping, friction=friction, **limits)
    return UrdfJoint(node, name, parent, child, placement, joint, only_child(node, "mimic", faults))


def _kind(node: Node, faults: Faults) -> str | None:
    given = node.get("type")
    if given in KINDS:
        return KINDS[given]
    if given is None:
        faults.add(node, f"has no type; expected one of {', '.join(KINDS)}")
    else:
        faults.add(node, f"unknown joint type {shown(given)}; expected one of {', '.join(KINDS)}")
    return None


def _link(node: Node, role: str, links: dict[str, Node], faults: Faults) -> str | None:
    element = only_child(node, role, faults)
    if element is None:
        faults.add(node, f"has no <{role}>")
        return None
    name = element.get("link")
    if not name:
        faults.add(element, "attribute 'link' is missing")
    elif name not in links:
        faults.add(node, f"its {role} link {shown(name)} is not in the file{faults.nearest(name, links)}")
    else:
        return name
    return None


def _axis(node: Node, faults: Faults) -> tuple[float, float, float]:
    element = only_child(node, "axis", faults)
    if element is None:
        return (1.0, 0.0, 0.0)  # the format's default
    axis = numbers(element, "xyz", 3, faults)
    if axis is None:
        return (1.0, 0.0, 0.0)
    if not any(axis):
        faults.add(node, "its axis is zero; give the direction of motion")
        return (1.0, 0.0, 0.0)
    return tuple(poses.unit(axis))


def _limits(node: Node, faults: Faults) -> dict[str, Any]:
    """Limits by name of Joint's field. The format says that a bound left out is zero; both left out is taken as no range."""
    element = only_child(node, "limit", faults)
    ranged = node.get("type") in ("revolute", "prismatic")
    if ranged and (element is None or (element.get("lower") is None and element.get("upper") is None)):
        faults.warn_alike(UNRANGED, node)
        ranged = False
    if element is None:
        return {}
    limits = {
        "velocity_limit": number(element, "velocity", faults, np.inf, infinite=True, least=0.0),
        "effort_limit": number(element, "effort", faults, np.inf, infinite=True, least=0.0),
    }
    if ranged:
        lower = limits["lower"] = number(element, "lower", faults, 0.0, infinite=True)
        upper = limits["upper"] = number(element, "upper", faults, 0.0, infinite=True)
        if lower > upper:
            faults.add(node, f"its lower limit {lower:g} is above its upper limit {upper:g}")
    return {label: value if abs(value) < NO_LIMIT else value * np.inf for label, value in limits.items()}


def _losses(node: Node, faults: Faults) -> tuple[float, float]:
    element = only_child(node, "dynamics", faults)
    if element is None:
        return 0.0, 0.0
    unread = sorted(set(element.attributes) - DYNAMICS)
    if unread:
        names = ", ".join(name[:30] for name in unread[:5])
        faults.warn_alike(f"not part of URDF, not read: {names} in <dynamics>", node)
    return number(element, "damping", faults, 0.0, least=0.0), number(element, "friction", faults, 0.0, least=0.0)
