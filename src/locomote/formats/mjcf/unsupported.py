"""What an MJCF file may hold that this library does not read.

What would change the motion is a fault, so that the machine simulated is that of the file. What would not is named
in one warning.
"""

from locomote.formats.faults import Faults
from locomote.formats.mjcf.defaults import ACTUATORS, Defaults
from locomote.formats.numbers import numbers
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node

READ = {"compiler", "option", "default", "attached", "worldbody", "equality", "keyframe"}
HARMLESS = {
    "actuator",
    "sensor",
    "contact",
    "visual",
    "statistic",
    "size",
    "custom",
    "asset",
    "extension",
    "tendon",
}
QUIET = {"visual", "statistic", "size", "custom", "asset"}  # not even a mention


def judge_sections(root: Node, defaults: Defaults, unsupported: Unsupported, faults: Faults, scene: bool = False) -> None:
    """Faults and one warning for the sections of a file that are not read; `scene` : actuators are read."""
    ignored: dict[str, int] = {}
    read = READ | {"actuator", "tendon", "sensor", "contact"} if scene else READ
    for section in root.children:
        if section.tag in READ:
            continue
        if section.tag == "deformable":
            if all(child.tag == "skin" for child in section.children):
                continue  # only to be looked at
            unsupported.refuse(section, "<deformable>", "use a rod in code")
        elif section.tag not in HARMLESS:
            faults.add(section, f"unknown section{faults.nearest(section.tag, READ | HARMLESS)}")
        elif section.tag not in QUIET and section.tag not in read:
            ignored[section.tag] = ignored.get(section.tag, 0) + len(section.children)
        if section.tag == "tendon" and not scene:
            _judge_tendons(section, defaults, unsupported, faults)
        if section.tag == "actuator" and not scene:
            _judge_actuators(section, defaults, unsupported, faults)
    counted = ", ".join(f"{tag} ({count})" for tag, count in ignored.items() if count)
    if counted:
        faults.warn(None, f"not read, since it does not change the free motion: {counted}")


def _judge_tendons(section: Node, defaults: Defaults, unsupported: Unsupported, faults: Faults) -> None:
    for node in section.children:
        tendon = defaults.fill(node, None, "tendon")
        active = [
            name
            for name in ("stiffness", "damping", "frictionloss", "armature")
            if any(numbers(tendon, name, (1, 3), faults, (0.0,)))
        ]
        if active:
            unsupported.refuse(node, f"a tendon with {' and '.join(active)}")


def _judge_actuators(section: Node, defaults: Defaults, unsupported: Unsupported, faults: Faults) -> None:
    for node in section.children:
        if node.tag not in ACTUATORS:
            faults.add(node, f"unknown actuator{faults.nearest(node.tag, ACTUATORS)}")
            continue
        actuator = defaults.fill(node, None, "actuator")
        for name in ("armature", "damping"):
            if any(numbers(actuator, name, (1, 3), faults, (0.0,))):
                unsupported.refuse(node, f"{name} of an actuator", "give it to the joint, times the square of the gear ratio")
