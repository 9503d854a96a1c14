"""What stands in an MJCF body, sorted by kind, and lifted out of the <frame> elements around it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from locomote.formats.mjcf.elements import check_attributes
from locomote.formats.mjcf.frames import read_placement
from locomote.formats.mjcf.reading import Reading
from locomote.formats.xml import Node

UNSEEN = {"light"}
COMPILED = "save the compiled model with MuJoCo and load that"
GENERATED = {
    "composite": COMPILED,
    "flexcomp": "use a rod in code",
    "flex": "use a rod in code",
    "plugin": "",
}
Part = tuple[Node, np.ndarray, str | None]  # element, pose of the frames around it in the body, defaults class


@dataclass
class Parts:
    """The parts of one body that this library reads."""

    bodies: list[Part] = field(default_factory=list)
    joints: list[Part] = field(default_factory=list)
    geoms: list[Part] = field(default_factory=list)
    inertials: list[Part] = field(default_factory=list)
    sites: list[Part] = field(default_factory=list)
    cameras: list[Part] = field(default_factory=list)


def parts_of(body: Node, childclass: str | None, reading: Reading) -> Parts:
    """The parts of a body. Elements that are not supported or not known become faults."""
    parts, faults = Parts(), reading.faults
    places = {"body": parts.bodies, "joint": parts.joints, "freejoint": parts.joints, "geom": parts.geoms}
    places["inertial"] = parts.inertials
    for part in _lifted(body, childclass, reading):
        node = part[0]
        if node.tag in ("site", "camera"):
            (parts.sites if node.tag == "site" else parts.cameras).append(part)
        elif node.tag in places:
            check_attributes(node, faults)
            places[node.tag].append(part)
        elif node.tag in GENERATED:
            reading.unsupported.refuse(node, f"<{node.tag}>", GENERATED[node.tag])
        elif node.tag not in UNSEEN:
            near = faults.nearest(node.tag, [*places, *GENERATED, *UNSEEN, "site", "camera", "frame"])
            faults.add(node, f"unknown element in <{body.tag}>{near}")
    return parts


def _lifted(body: Node, childclass: str | None, reading: Reading) -> Iterator[Part]:
    """The children of a body in file order, those of <frame> elements in their place."""
    waiting = [(child, np.eye(4), childclass) for child in reversed(body.children)]
    while waiting:
        node, frame, around = waiting.pop()
        if node.tag != "frame":
            yield node, frame, around
            continue
        check_attributes(node, reading.faults)
        if any(node.get(name) is not None for name in ("scale", "massscale", "scaling")):
            reading.unsupported.refuse(node, "the scaling of a <frame>")
        inner = frame @ read_placement(node, reading.settings, reading.faults)
        waiting.extend((child, inner, node.get("childclass") or around) for child in reversed(node.children))
