"""SDF elements: which children and attributes they may have, and values out of the text of their children.

A child that SDF does not know is a fault where it could change the motion (a misspelt <dampng>). Names with a colon are those
of other programs, as the format says.
"""

from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node

FLAGS = {"true": True, "1": True, "false": False, "0": False}
MASSES = "xx xy xz xp xq xr yy yz yp yq yr zz zp zq zr pp pq pr qq qr rr"  # entries of added mass, by rows of the upper half
# by tag: attributes, children of which there is one at most, others
ELEMENTS = {
    tag: (set(attributes.split()), set(once.split()), set(many.split()))
    for tag, (attributes, once, many) in {
        "model": (
            "name canonical_link placement_frame namespace version",
            "static self_collide allow_auto_disable pose enable_wind",
            "frame link joint plugin gripper include model",
        ),
        "include": ("merge", "uri name namespace static pose placement_frame", "plugin"),
        "frame": ("name attached_to", "pose", ""),
        "link": (
            "name",
            "gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose inertial",
            "collision visual sensor projector audio_sink audio_source battery light particle_emitter plugin frame",
        ),
        "inertial": ("auto", "mass density auto_inertia_params pose inertia fluid_added_mass", "frame"),
        "inertia": ("", "ixx ixy ixz iyy iyz izz", ""),
        "fluid_added_mass": ("", MASSES, ""),
        "velocity_decay": ("", "linear angular", ""),
        "joint": (
            "name type",
            "parent child pose gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch axis axis2 physics",
            "sensor frame",
        ),
        "axis": ("", "xyz dynamics limit mimic initial_position", ""),
        "xyz": ("expressed_in", "", ""),
        "dynamics": ("", "damping friction spring_reference spring_stiffness", ""),
        "limit": ("", "lower upper effort velocity stiffness dissipation", ""),
        "mimic": ("joint axis", "multiplier offset reference", ""),
        "pose": ("relative_to rotation_format degrees", "", ""),
    }.items()
}
ELEMENTS["axis2"] = ELEMENTS["axis"]


def check(node: Node, faults: Faults) -> None:
    """Note the attributes and children of an element that SDF does not have, or has once."""
    attributes, once, many = ELEMENTS[node.tag]
    for name in node.attributes:
        if name not in attributes and not name.startswith("xmlns") and ":" not in name:
            faults.add(node, f"unknown attribute {shown(name)}{faults.nearest(name, attributes)}")
    seen: dict[str, Node] = {}
    for child in node.children:
        if child.tag in once and seen.setdefault(child.tag, child) is not child:
            faults.add(node, f"has more than one <{child.tag}> (lines {seen[child.tag].line} and {child.line}); keep one")
        elif child.tag not in once and child.tag not in many and ":" not in child.tag:
            faults.add(child, f"<{node.tag}> has no such element{faults.nearest(child.tag, once | many)}")


class _Text:
    """The text of an element, read like an attribute of it."""

    def __init__(self, node: Node):
        self.node = node

    def __str__(self) -> str:
        return str(self.node)

    def get(self, attribute: str, default: str | None = None) -> str | None:
        return self.node.text


def value(node: Node, tag: str, faults: Faults, default: float, *, infinite=False, least=None) -> float:
    """The number in a child; `default` without it, or if it is wrong, which is a fault."""
    child = node.first(tag)
    found = default if child is None else number(_Text(child), tag, faults, default, infinite=infinite, least=least)
    return default if found is None else found


def values(node: Node, tag: str, count, faults: Faults, default: tuple[float, ...]) -> tuple[float, ...]:
    """The numbers in a child, `count` or (least, most) of them, as in `value`."""
    child = node.first(tag)
    return (default if child is None else numbers(_Text(child), tag, count, faults, default)) or default


def word(node: Node, tag: str) -> str:
    """The text of a child, "" without it."""
    child = node.first(tag)
    return "" if child is None else child.text.strip()


def flag(node: Node, tag: str, default: bool, faults: Faults) -> bool:
    """Whether a child says true."""
    return default if node.first(tag) is None else _is_true(node, tag, word(node, tag), default, faults)


def attribute_flag(node: Node, attribute: str, faults: Faults) -> bool:
    """Whether an attribute says true."""
    return _is_true(node, attribute, node.get(attribute) or "false", False, faults)


def _is_true(node: Node, label: str, text: str, default: bool, faults: Faults) -> bool:
    if text.strip().lower() not in FLAGS:
        faults.add(node, f"{label} is {shown(text)}, expected true or false")
    return FLAGS.get(text.strip().lower(), default)
