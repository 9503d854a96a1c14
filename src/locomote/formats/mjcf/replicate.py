"""MJCF's <replicate>: its children several times, each further along, with everything in the file that names them.

The k-th copy has the pose of k steps, each an offset and a turn in the frame of the one before, and names that end with k.
"""

import numpy as np

from locomote.formats import forms
from locomote.formats.faults import Faults
from locomote.formats.mjcf.frames import read_placement
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import number
from locomote.formats.xml import Node

MOST, MOST_ELEMENTS = 10_000, 200_000  # copies of one element; elements of a file after all copies
# attributes by which elements name others of a body
REFERENCES = frozenset(
    "body body1 body2 joint joint1 joint2 geom geom1 geom2 site site1 site2 sidesite cranksite slidersite refsite objname"
    " refname jointinparent target tendon tendon1 tendon2 actuator subtree1 subtree2".split()
)
NAMED = ("body", "joint", "freejoint", "geom", "site", "camera", "light", "frame")
OTHERS = ("contact", "equality", "tendon", "actuator", "sensor")  # in the order in which they name each other


def replicate(root: Node, settings: Settings, faults: Faults) -> None:
    """Put copies where <replicate> elements stand, innermost first."""
    waiting = [(world, child) for world in root.all("worldbody") for child in world.children]
    found: list[tuple[Node, Node]] = []
    while waiting:
        parent, node = waiting.pop()
        if node.tag == "replicate":
            found.append((parent, node))
        waiting.extend((node, child) for child in node.children)
    size = sum(1 for _ in root.walk()) if found else 0
    for parent, node in reversed(found):  # those inside others come later in the list
        count = number(node, "count", faults, 0.0)
        inside = sum(1 for _ in node.walk())
        size += int(min(max(count, 0.0), MOST)) * inside
        if not (1 <= count <= MOST and count % 1 == 0):
            faults.add(node, f"its count is {count:g}, expected a whole number from 1 to {MOST:,}")
        elif size > MOST_ELEMENTS:
            faults.add(node, f"makes more than {MOST_ELEMENTS:,} elements: this is not a model file")
            return
        else:
            size += _expand(root, parent, node, int(count), settings, faults)
            continue
        parent.children.remove(node)


def _expand(root: Node, parent: Node, node: Node, count: int, settings: Settings, faults: Faults) -> int:
    """Put the copies of one element in its place; how many elements were added elsewhere."""
    step = read_placement(_as_frame(node), settings, faults)
    names = {own.get("name") for own in node.walk() if own.tag in NAMED and own.get("name")}
    pose, copies, digits = np.eye(4), [], len(str(count - 1))
    ends = [f"{node.get('sep', '')}{k:0{digits}d}" for k in range(count)]
    for end in ends:
        w = forms.to_quaternion(pose[:3, :3])[0]
        place = {"pos": _text(pose[:3, 3]), "quat": _text((w[3], *w[:3]))}
        frame = Node("frame", place, node.line, node.file)
        frame.children = [_copied(child, names, end) for child in node.children]
        copies.append(frame)
        pose = pose @ step
    at = parent.children.index(node)
    parent.children[at : at + 1] = copies
    return _copy_others(root, names, ends)


def _as_frame(node: Node) -> Node:
    """What a <replicate> says of a step, as a frame."""
    names = {"offset": "pos", "euler": "euler"}
    return Node("frame", {names[name]: value for name, value in node.attributes.items() if name in names}, node.line, node.file)


def _text(values) -> str:
    return " ".join(repr(float(value)) for value in values)


def _copied(node: Node, names: set, end: str) -> Node:
    """A copy of an element, and of all below it, in which `names` have an ending."""
    whole = Node(node.tag, {}, node.line, node.file)
    waiting = [(node, whole)]
    while waiting:
        own, copy = waiting.pop()
        copy.text = own.text
        for name, value in own.attributes.items():
            renamed = value in names and (name in REFERENCES or (name == "name" and own.tag in NAMED))
            copy.attributes[name] = value + end if renamed else value
        copy.children = [Node(child.tag, {}, child.line, child.file) for child in own.children]
        waiting.extend(zip(own.children, copy.children, strict=True))
    return whole


def _copy_others(root: Node, names: set, ends: list[str]) -> int:
    """Copy the elements of other sections that name what was copied, behind all others, copy by copy; how many there are."""
    known, added = set(names), 0
    for tag in OTHERS:
        sections = root.all(tag)
        naming = [node for section in sections for node in section.children if _names(node, known)]
        if not naming:
            continue
        for section in sections:
            section.children = [node for node in section.children if node not in naming]
        for end in ends:
            for node in naming:
                copy = _copied(node, known, end)
                if "name" in copy.attributes:
                    copy.attributes["name"] += end
                sections[-1].children.append(copy)
        added += len(ends) * len(naming)
        if tag in ("tendon", "actuator"):
            known.update(name for node in naming if (name := node.get("name")))
    return added


def _names(node: Node, known: set) -> bool:
    """Whether an element, or one in it, names one of these."""
    return any(value in known for own in node.walk() for name, value in own.attributes.items() if name in REFERENCES)
