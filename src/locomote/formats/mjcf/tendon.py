"""Tendons of MJCF over joints: lengths that are linear in coordinates."""

from dataclasses import dataclass

from locomote.formats.faults import shown
from locomote.formats.mjcf.reading import Reading
from locomote.formats.numbers import number
from locomote.formats.xml import Node
from locomote.model.description import Joint


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
