"""Tendons of MJCF: over joints, with lengths that are linear in coordinates, and straight ones between two sites."""

from dataclasses import dataclass

import numpy as np

from locomote.formats.faults import shown
from locomote.formats.mjcf.elements import Element
from locomote.formats.mjcf.reading import Reading
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node
from locomote.model.description import Joint
from locomote.model.scene import Motor, Strand


@dataclass(frozen=True)
class FixedTendon:
    """A tendon whose length is the sum of coefficient times coordinate."""

    node: Node
    joints: dict[str, float]


def read_fixed_tendons(root: Node, joints: dict[str, Joint], reading: Reading) -> dict[str, FixedTendon]:
    """The <fixed> tendons of a file, by name."""
    found: dict[str, FixedTendon] = {}
    for node in (child for section in root.all("tendon") for child in section.all("fixed")):
        ratios: dict[str, float] = {}
        for part in node.all("joint"):
            name = part.get("joint")
            if name not in joints or joints[name].sizes != (1, 1):
                near = reading.faults.nearest(name or "", joints)
                reading.faults.add(part, f"joint {shown(name)} is no hinge or slide of the file{near}")
            else:
                ratios[name] = ratios.get(name, 0.0) + number(part, "coef", reading.faults, 1.0)
        found[node.get("name") or f"tendon {len(found) + 1}"] = FixedTendon(node, ratios)
    return found


def read_elastic(
    root: Node, joints: dict[str, Joint], tendons: dict[str, FixedTendon], reading: Reading
) -> tuple[list[Motor], list[Strand]]:
    """What elastic tendons do: those over joints as motors that are told nothing, straight ones as strands."""
    motors, strands = [], []
    owners = {id(tendon.node): (name, tendon) for name, tendon in tendons.items()}
    for n, node in enumerate(child for section in root.all("tendon") for child in section.children):
        tendon = reading.defaults.fill(node, None, "tendon")
        stiffness, damping = (_linear(tendon, name, reading) for name in ("stiffness", "damping"))
        for name in ("frictionloss", "armature"):
            if number(tendon, name, reading.faults, 0.0):
                reading.unsupported.refuse(node, f"a tendon with {name}")
        if not stiffness and not damping:
            continue
        rest = _rest(tendon, reading)
        if id(node) in owners:
            name, fixed = owners[id(node)]
            start = sum(ratio * float(np.ravel(joints[joint].rest)[0]) for joint, ratio in fixed.joints.items())
            push = stiffness * (start if rest is None else rest)
            motors.append(Motor(name, fixed.joints, gain=(0.0, 0.0, 0.0), bias=(push, -stiffness, -damping), place=-1))
        elif (ends := _two_sites(node, reading)) is not None:
            (body, frame), (other, other_frame) = ends
            name = node.get("name") or f"tendon {n + 1}"
            first, second = _point(frame), _point(other_frame)
            strands.append(Strand(name, str(body), first, other, second, stiffness, rest, damping))
    return motors, strands


def _point(frame: np.ndarray) -> tuple[float, float, float]:
    x, y, z = frame[:3, 3]
    return float(x), float(y), float(z)


def _linear(tendon: Element, name: str, reading: Reading) -> float:
    values = numbers(tendon, name, (1, 3), reading.faults, (0.0,))
    if any(values[1:]):
        reading.unsupported.refuse(tendon, f"a tendon whose {name} is not linear")
    return values[0]


def _rest(tendon: Element, reading: Reading) -> float | None:
    """Length at rest; None for that where springs of joints have no force."""
    values = numbers(tendon, "springlength", (1, 2), reading.faults, (-1.0,))
    if len(set(values)) > 1:
        reading.unsupported.refuse(tendon, "a tendon that is slack between two lengths (springlength)")
    return None if values[0] < 0 else values[0]


def _two_sites(node: Node, reading: Reading):
    """The bodies and poses of the two sites of a straight tendon, one of them on a body; None after a fault."""
    names = [child.get("site") for child in node.children]
    if len(names) != 2 or any(child.tag != "site" for child in node.children):
        reading.unsupported.refuse(node, "an elastic tendon through more than two sites, or round a geom")
        return None
    strange = [name for name in names if name not in reading.besides.sites]
    if strange:
        near = reading.faults.nearest(strange[0] or "", reading.besides.sites)
        reading.faults.add(node, f"site {shown(strange[0])} is not in the file{near}")
        return None
    ends = sorted((reading.besides.sites[str(name)] for name in names), key=lambda end: end[0] is None)
    return None if ends[0][0] is None else ends
