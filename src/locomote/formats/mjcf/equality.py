"""MJCF's equality constraints: linear relations between two joints become couplings, the others are not supported.

MuJoCo holds them by soft forces; a Coupling holds exactly.
"""

from locomote.formats.couplings import flattened
from locomote.formats.faults import Faults, shown
from locomote.formats.mjcf.defaults import Defaults
from locomote.formats.mjcf.elements import flag
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import numbers
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node
from locomote.model.description import Body, Coupling, Joint

LOOPS = {"connect": "close the loop in code with a LoopClosure", "weld": "close the loop in code with a LoopClosure"}
KNOWN = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")


def read_couplings(
    root: Node, bodies: tuple[Body, ...], settings: Settings, defaults: Defaults, unsupported: Unsupported, faults: Faults
) -> tuple[Coupling, ...]:
    """The couplings of the <equality> sections."""
    if not settings.on("equality", "constraint"):
        return ()
    joints = {joint.name: joint for body in bodies for joint in body.joints}
    follows, places = {}, {}
    for node in (child for section in root.all("equality") for child in section.children):
        if node.tag not in KNOWN:
            faults.add(node, f"unknown equality{faults.nearest(node.tag, KNOWN)}")
        elif not flag(defaults.fill(node, None, "equality"), "active", True, faults):
            faults.warn_alike("equalities that are not active are not read", node)
        elif node.tag != "joint":
            unsupported.refuse(node, f"the equality <{node.tag}>", LOOPS.get(node.tag, ""))
        else:
            _read_joint(node, joints, follows, places, unsupported, faults)
    return flattened(follows, places, faults)


def _read_joint(node: Node, joints: dict[str, Joint], follows, places, unsupported: Unsupported, faults: Faults) -> None:
    follower, leader = _scalar(node, "joint1", joints, faults), _scalar(node, "joint2", joints, faults)
    given = numbers(node, "polycoef", (1, 5), faults, (0.0, 1.0))
    constant, ratio, *higher = (*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :])
    if follower is None or (leader is None and node.get("joint2") is not None):
        return
    if any(higher) and leader is not None:
        unsupported.refuse(node, "a relation of joints that is not linear (polycoef)")
    elif follower.name in follows:
        faults.add(node, f"joint {shown(follower.name)} follows another already ({places[follower.name]})")
    else:
        # MuJoCo relates what the joints have moved from their references
        offset = constant + follower.reference - (0.0 if leader is None else ratio * leader.reference)
        follows[follower.name] = (None if leader is None else leader.name, ratio, offset)
        places[follower.name] = node


def _scalar(node: Node, attribute: str, joints: dict[str, Joint], faults: Faults) -> Joint | None:
    name = node.get(attribute)
    if name is None:
        if attribute == "joint1":
            faults.add(node, "attribute 'joint1' is missing")
    elif name not in joints:
        faults.add(node, f"{attribute} {shown(name)} is not in the file{faults.nearest(name, joints)}")
    elif joints[name].sizes != (1, 1):
        faults.add(node, f"{attribute} {shown(name)} is {joints[name].kind}; only hinge and slide joints can be related")
    else:
        return joints[name]
    return None
