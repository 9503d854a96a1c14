"""The <pair> elements of an MJCF file: two geoms that touch whatever their masks say, with a friction of their own."""

from locomote.formats.faults import shown
from locomote.formats.mjcf.reading import Reading
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node
from locomote.model.scene import Pair


def paired_geoms(root: Node) -> frozenset[str]:
    """Names of geoms that are in pairs: they touch even if their masks are zero."""
    nodes = [node for section in root.all("contact") for node in section.all("pair")]
    return frozenset(name for node in nodes for which in ("geom1", "geom2") if (name := node.get(which)))


def read_pairs(root: Node, reading: Reading) -> tuple[Pair, ...]:
    """The pairs of a scene."""
    found: dict[frozenset[str], Pair] = {}
    for node in (node for section in root.all("contact") for node in section.all("pair")):
        pair = reading.defaults.fill(node, None)
        names = [node.get(which) or "" for which in ("geom1", "geom2")]
        strange = [name for name in names if name not in reading.besides.rounds]
        if strange or names[0] == names[1]:
            near = reading.faults.nearest(strange[0], reading.besides.rounds) if strange else ""
            said = f"there is no geom {shown(strange[0])}{near}" if strange else f"geom {shown(names[0])} is paired with itself"
            reading.faults.add(node, said)
            continue
        frictions = [
            numbers(reading.besides.rounds[name][1].element, "friction", (1, 3), reading.faults, (1.0,))[0] for name in names
        ]
        own = numbers(pair, "friction", (1, 5), reading.faults, (max(frictions),))
        if len(own) > 1 and own[1] != own[0]:
            reading.faults.warn_alike("friction of pairs is alike in all directions, by the first number", node)
        if number(pair, "margin", reading.faults, 0.0) != number(pair, "gap", reading.faults, 0.0):
            reading.faults.warn_alike("margins of pairs are left out: shapes touch where they meet", node)
        friction = own[0] if number(pair, "condim", reading.faults, 3.0) > 1 else 0.0
        found[frozenset(names)] = Pair(names[0], names[1], min(max(friction, 0.0), 1e4))
    return tuple(found.values())
