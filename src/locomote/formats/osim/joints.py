"""Joints of OpenSim files as rows of joints of one coordinate.

Every joint moves its child by translations along axes of the parent, then by turns about three axes, each by a function of a
coordinate. A coordinate is the joint of the first axis that follows it with slope 1 or -1; axes that follow it otherwise
are joints of their own, held to it by a relation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from locomote.formats.faults import shown
from locomote.formats.osim.functions import Function, numbers_in, read_function
from locomote.formats.osim.reading import Reading
from locomote.formats.poses import turn
from locomote.formats.xml import Node
from locomote.model.description import Joint
from locomote.model.scene import Relation

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TURN, SHIFT = "revolute", "prismatic"
# what each coordinate of a joint does, in the order of its coordinates; and the order in which it happens, from the parent on
FIXED_KINDS = {
    "WeldJoint": (),
    "PinJoint": ((TURN, Z),),
    "SliderJoint": ((SHIFT, X),),
    "UniversalJoint": ((TURN, X), (TURN, Y)),
    "BallJoint": ((TURN, X), (TURN, Y), (TURN, Z)),
    "GimbalJoint": ((TURN, X), (TURN, Y), (TURN, Z)),
    "PlanarJoint": ((TURN, Z), (SHIFT, X), (SHIFT, Y)),
    "FreeJoint": ((TURN, X), (TURN, Y), (TURN, Z), (SHIFT, X), (SHIFT, Y), (SHIFT, Z)),
}
KINDS = (*FIXED_KINDS, "CustomJoint")


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of a file: where it starts, its limits, and whether it stays where it starts."""

    name: str
    start: float
    lower: float
    upper: float
    locked: bool
    node: Node


@dataclass
class Axis:
    """One axis of a joint: it turns about or shifts along `axis` by a function of a coordinate (None: of nothing)."""

    kind: str
    axis: tuple[float, ...]
    coordinate: str | None
    function: Function
    node: Node


@dataclass
class Row:
    """What a joint is made of: joints and constant poses from the parent on, and relations between coordinates."""

    steps: list[Joint | np.ndarray] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


def read_coordinates(node: Node, reading: Reading) -> list[Coordinate]:
    """The coordinates of a joint."""
    found = []
    for part in (child for holder in node.all("coordinates") for child in holder.all("Coordinate")):
        name = part.get("name") or f"{node.get('name')} {len(found) + 1}"
        (start,) = numbers_in(part, "default_value", reading.faults, (0.0,), 1)
        lower, upper = numbers_in(part, "range", reading.faults, (-np.inf, np.inf), 2)
        if not _true(part, "clamped"):
            lower, upper = -np.inf, np.inf
        if lower > upper:
            reading.faults.add(part, f"its range {lower:g} to {upper:g} is empty")
            lower, upper = -np.inf, np.inf
        if _true(part, "prescribed"):
            reading.faults.warn_alike("prescribed motions of coordinates are not kept; state them as drives", part)
        found.append(Coordinate(name, start, lower, upper, _true(part, "locked"), part))
    return found


def _true(node: Node, tag: str) -> bool:
    child = node.first(tag)
    return child is not None and child.text.strip().lower() == "true"


def axes_of(node: Node, coordinates: Sequence[Coordinate], reading: Reading) -> list[Axis]:
    """The axes of a joint in the order in which they move the child, from the parent on."""
    if node.tag == "CustomJoint":
        return _custom(node, {own.name for own in coordinates}, reading)
    kinds = FIXED_KINDS[node.tag]
    if len(coordinates) != len(kinds):
        reading.faults.add(node, f"has {len(coordinates)} coordinates, expected {len(kinds)}")
        return []
    follow = Function((0.0, 1.0))
    axes = [Axis(kind, axis, own.name, follow, node) for (kind, axis), own in zip(kinds, coordinates, strict=True)]
    return sorted(axes, key=lambda axis: axis.kind != SHIFT)


def _custom(node: Node, known: set[str], reading: Reading) -> list[Axis]:
    axes = []
    for part in (child for holder in node.all("SpatialTransform") for child in holder.all("TransformAxis")):
        names = (part.first("coordinates").text if part.first("coordinates") is not None else "").split()  # type: ignore[union-attr]
        name = part.get("name") or ""
        function = read_function(part, reading.unsupported, reading.faults)
        if len(names) > 1:
            reading.unsupported.refuse(part, "an axis that follows several coordinates")
            continue
        if names and names[0] not in known:
            reading.faults.add(part, f"follows {shown(names[0])}, which is no coordinate of its joint")
            continue
        axis = numbers_in(part, "axis", reading.faults, Z, 3)
        if not any(axis):
            reading.faults.add(part, "its axis is zero")
            continue
        axes.append(Axis(SHIFT if name.startswith("trans") else TURN, axis, names[0] if names else None, function, part))
    return sorted(axes, key=lambda axis: axis.kind != SHIFT)


def row_of(node: Node, coordinates: Sequence[Coordinate], reading: Reading) -> Row:
    """A joint as joints of one coordinate."""
    row, known = Row(), {own.name: own for own in coordinates}
    axes = axes_of(node, coordinates, reading)
    leaders: dict[str, Axis] = {}
    for axis in axes:
        line = axis.function.line if axis.coordinate else None
        if axis.coordinate and axis.coordinate not in leaders and line in ((1.0, 0.0), (-1.0, 0.0)):
            leaders[axis.coordinate] = axis
    for name, own in known.items():
        if name not in leaders and not own.locked and any(axis.coordinate == name for axis in axes):
            reading.unsupported.refuse(own.node, f"coordinate {shown(name)}, which no axis follows as it is")
    for n, axis in enumerate(axes, 1):
        unit = np.array(axis.axis) / np.linalg.norm(axis.axis)
        own = known.get(axis.coordinate or "")
        if own is None or own.locked or axis.function.constant is not None:
            row.steps.append(_pose(axis, unit, axis.function, own))
        elif leaders.get(own.name) is axis:
            sign = axis.function.line[0] if axis.function.line else 1.0
            row.steps.append(Joint(own.name, axis.kind, tuple(sign * unit), lower=own.lower, upper=own.upper))
        elif own.name in leaders:
            name = f"{node.get('name') or 'joint'} {n}"
            row.steps.append(Joint(name, axis.kind, tuple(unit)))
            row.relations.append(relation_of(name, own.name, axis.function))
    return row


def relation_of(joint: str, leader: str, function: Function) -> Relation:
    """A joint that follows another one."""
    ratios, title = {joint: 1.0}, f"{joint} of {leader}"
    if function.knots:
        return Relation(title, ratios, 0.0, leader, knots=function.knots)
    return Relation(title, ratios, function.coefficients[0], leader, function.coefficients[1:])


def _pose(axis: Axis, unit: np.ndarray, function: Function, own: Coordinate | None) -> np.ndarray:
    """The pose of an axis that does not move."""
    value = function.constant
    if value is None:
        value = (
            float(Relation("", {}, 0.0, "", function.coefficients[1:], knots=function.knots).curve()(own.start, 0))
            if own
            else 0.0
        )
        value += 0.0 if function.knots else function.coefficients[0]
    pose = np.eye(4)
    if axis.kind == SHIFT:
        pose[:3, 3] = value * unit
    else:
        pose[:3, :3] = turn(unit, value)
    return pose
