"""The order of the links of a URDF file, and why they are not a tree if they are not."""

from locomote.formats.faults import Faults
from locomote.formats.urdf.joint import UrdfJoint
from locomote.formats.xml import Node


def parents_first(
    links: dict[str, Node], joints: list[UrdfJoint], complete: bool, faults: Faults
) -> list[tuple[str, UrdfJoint | None]]:
    """Links with the joint that carries each, depth first; faults if they do not form one tree.

    complete : False if some joints could not be read. Their links would look like roots, so roots are then not judged.
    """
    carrier: dict[str, UrdfJoint] = {}
    children: dict[str, list[UrdfJoint]] = {name: [] for name in links}
    for joint in joints:
        if joint.child in carrier:
            other = carrier[joint.child]
            faults.add(
                joint.node,
                f"link {joint.child!r} is already carried by joint {other.name!r} (line {other.node.line}); "
                "URDF has no loops: cut one and close it with a constraint",
            )
            continue
        carrier[joint.child] = joint
        children[joint.parent].append(joint)
    roots = [name for name in links if name not in carrier]
    order = _depth_first(roots[:1], children)
    if not complete:
        return order
    if len(roots) > 1:
        named = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:5]) + (", ..." if len(roots) > 5 else "")
        faults.add(None, f"{len(roots)} links are carried by no joint: {named}; join them, exactly one is the root")
    elif len(order) < len(links):
        faults.add(None, f"the joints go in a circle: {_circle(carrier, {name for name, _ in order})}")
    return order


def _depth_first(roots: list[str], children: dict[str, list[UrdfJoint]]) -> list[tuple[str, UrdfJoint | None]]:
    order: list[tuple[str, UrdfJoint | None]] = []
    waiting: list[tuple[str, UrdfJoint | None]] = [(root, None) for root in roots]
    while waiting:
        link, joint = waiting.pop()
        order.append((link, joint))
        waiting.extend((below.child, below) for below in reversed(children[link]))
    return order


def _circle(carrier: dict[str, UrdfJoint], reached: set[str]) -> str:
    name = next(child for child in carrier if child not in reached)
    passed: dict[str, None] = {}
    while name not in passed:  # every link that no root reaches goes up into a circle
        passed[name] = None
        name = carrier[name].parent
    ring = list(passed)[list(passed).index(name) :][::-1]
    names = [repr(link) for link in ring[:6]]
    return " -> ".join([*names, names[0]] if len(ring) <= 6 else [*names, "..."])
