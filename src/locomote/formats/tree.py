"""The order of links that joints connect, and why they are not a tree if they are not."""

from typing import Protocol, TypeVar

from locomote.formats.faults import Faults
from locomote.formats.xml import Node


class Carrier(Protocol):
    """A joint as a file has it; `parent` is a link, or a name that is none for the world."""

    @property
    def node(self) -> Node: ...
    @property
    def name(self) -> str: ...
    @property
    def parent(self) -> str: ...
    @property
    def child(self) -> str: ...


C = TypeVar("C", bound=Carrier)


def parents_first(
    links: dict[str, Node], joints: list[C], complete: bool, faults: Faults, *, no_loops: str, one_root: bool
) -> list[tuple[str, C | None]]:
    """Links with the joint that carries each, depth first; faults if they do not form trees.

    complete : False if some joints could not be read. Their links would look like roots, so roots are then not judged.
    no_loops : why a link has one parent, as "URDF has no loops" ; one_root : whether it has one link only that no joint carries
    """
    carrier: dict[str, C] = {}
    children: dict[str, list[C]] = {name: [] for name in links}
    for joint in joints:
        if joint.child in carrier:
            other = carrier[joint.child]
            faults.add(
                joint.node,
                f"link {joint.child!r} is already carried by joint {other.name!r} (line {other.node.line}); "
                f"{no_loops}: cut one and close it with a constraint",
            )
            continue
        carrier[joint.child] = joint
        children.setdefault(joint.parent, []).append(joint)
    roots = [name for name in links if name not in carrier or carrier[name].parent not in links]
    starts: list[tuple[str, C | None]] = [(name, carrier.get(name)) for name in (roots[:1] if one_root else roots)]
    order = _depth_first(starts, children)
    if not complete:
        return order
    if one_root and len(roots) > 1:
        named = ", ".join(f"{name!r} (line {links[name].line})" for name in roots[:5]) + (", ..." if len(roots) > 5 else "")
        faults.add(None, f"{len(roots)} links are carried by no joint: {named}; join them, exactly one is the root")
    elif len(order) < len(links):
        faults.add(None, f"the joints go in a circle: {_circle(carrier, {name for name, _ in order})}")
    return order


def _depth_first(roots: list[tuple[str, C | None]], children: dict[str, list[C]]) -> list[tuple[str, C | None]]:
    order: list[tuple[str, C | None]] = []
    waiting = roots[::-1]
    while waiting:
        link, joint = waiting.pop()
        order.append((link, joint))
        waiting.extend((below.child, below) for below in reversed(children[link]))
    return order


def _circle(carrier: dict[str, C], reached: set[str]) -> str:
    name = next(child for child in carrier if child not in reached)
    passed: dict[str, None] = {}
    while name not in passed:  # every link that no root reaches goes up into a circle
        passed[name] = None
        name = carrier[name].parent
    ring = list(passed)[list(passed).index(name) :][::-1]
    names = [repr(link) for link in ring[:6]]
    return " -> ".join([*names, names[0]] if len(ring) <= 6 else [*names, "..."])
