"""MJCF's equality constraints.

Linear relations between two joints become couplings of the model. Of a scene also the others are read: bodies that are held
together become loops, relations that are not linear, and those of tendons over joints, relations.

MuJoCo holds them by soft forces; here they hold exactly.
"""

from dataclasses import dataclass, field

import numpy as np

from locomote.formats import poses
from locomote.formats.couplings import Follows, flattened
from locomote.formats.faults import shown
from locomote.formats.mjcf.elements import flag
from locomote.formats.mjcf.reading import Reading
from locomote.formats.mjcf.tendon import FixedTendon
from locomote.formats.numbers import numbers
from locomote.formats.xml import Node
from locomote.model.description import Body, Coupling, Joint
from locomote.model.scene import Loop, Relation

LOOP = "close the loop in code with a LoopClosure, or take lo.load_scene"
KINDS = {"connect": "spherical", "weld": "weld"}
KNOWN = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")


@dataclass
class Equalities:
    """What the <equality> sections hold together."""

    couplings: tuple[Coupling, ...] = ()
    loops: list[Loop] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


@dataclass
class Reader:
    """Reads the equalities of one file."""

    reading: Reading
    joints: dict[str, Joint]
    tendons: dict[str, FixedTendon]
    starts: dict[str | None, np.ndarray]  # poses of bodies where the file puts them
    found: Equalities = field(default_factory=Equalities)
    follows: Follows = field(default_factory=dict)
    places: dict[str, Node] = field(default_factory=dict)

    def read(self, node: Node) -> None:
        """One active equality."""
        scene, refuse = self.reading.scene, self.reading.unsupported.refuse
        if node.tag == "joint":
            self.joint(node)
        elif node.tag in KINDS and scene:
            self.loop(node)
        elif node.tag == "tendon" and scene:
            self.tendon(node)
        else:
            refuse(node, f"the equality <{node.tag}>", LOOP if node.tag in KINDS else "")

    def joint(self, node: Node) -> None:
        """A relation of one joint with another, or with a number."""
        follower, leader = self.scalar(node, "joint1"), self.scalar(node, "joint2")
        constant, ratio, *higher = polynomial(node, self.reading)
        if follower is None or (leader is None and node.get("joint2") is not None):
            return
        # MuJoCo relates what the joints have moved from their references
        if any(higher) and leader is not None:
            if not self.reading.scene:
                self.reading.unsupported.refuse(
                    node, "a relation of joints that is not linear (polycoef)", "take lo.load_scene"
                )
            powers, offset = (ratio, *higher), constant + follower.reference
            title = node.get("name") or f"{follower.name} by {leader.name}"
            relation = Relation(title, {follower.name: 1.0}, offset, leader.name, powers, leader.reference)
            self.found.relations.append(relation)
        elif follower.name in self.follows:
            place = self.places[follower.name]
            self.reading.faults.add(node, f"joint {shown(follower.name)} follows another already ({place})")
        else:
            offset = constant + follower.reference - (0.0 if leader is None else ratio * leader.reference)
            self.follows[follower.name] = (None if leader is None else leader.name, ratio, offset)
            self.places[follower.name] = node

    def tendon(self, node: Node) -> None:
        """A linear relation of the lengths of one or two tendons over joints."""
        names = [name for k in "12" if (name := node.get(f"tendon{k}")) is not None]
        if not names or any(name not in self.tendons for name in names):
            self.reading.unsupported.refuse(node, "an equality of tendons that are not <fixed>")
            return
        constant, ratio, *higher = polynomial(node, self.reading)
        if any(higher) and len(names) > 1:
            self.reading.unsupported.refuse(node, "a relation of tendons that is not linear (polycoef)")
        ratios: dict[str, float] = {}
        offset = constant
        for name, factor in zip(names, (1.0, -ratio), strict=False):
            for joint, coefficient in self.tendons[name].joints.items():
                ratios[joint] = ratios.get(joint, 0.0) + factor * coefficient
                offset += factor * coefficient * self.joints[joint].reference
        self.found.relations.append(Relation(node.get("name") or f"{' and '.join(names)}", ratios, offset))

    def loop(self, node: Node) -> None:
        """Two bodies, or two sites, that are held together."""
        kind, title = KINDS[node.tag], node.get("name") or f"{node.tag} {len(self.found.loops) + 1}"
        if node.get("site1") is not None or node.get("site2") is not None:
            sites = [self.site(node, f"site{k}") for k in "12"]
            if all(site is not None for site in sites):
                (body, frame), (other, other_frame) = (site for site in sites if site is not None)
                self.keep(node, Loop(title, kind, body, other, frame, other_frame))
            return
        body, other = self.body(node, "body1"), self.body(node, "body2")
        if node.get("body1") is None:
            self.reading.faults.add(node, "attribute 'body1' is missing")
        away = poses.inverse(self.starts[other]) @ self.starts[body]
        if kind == "spherical":
            anchor = poses.pose(np.eye(3), numbers(node, "anchor", 3, self.reading.faults, (0.0, 0.0, 0.0)))
            if node.get("anchor") is None:
                self.reading.faults.add(node, "attribute 'anchor' is missing")
            self.keep(node, Loop(title, kind, body, other, anchor, away @ anchor))
            return
        given = numbers(node, "relpose", 7, self.reading.faults, (0.0,) * 7)
        if any(given[3:]):
            w, x, y, z = given[3:]
            self.keep(node, Loop(title, kind, body, other, poses.pose(poses.from_quaternion(x, y, z, w), given[:3]), np.eye(4)))
        else:
            self.keep(node, Loop(title, kind, body, other, np.eye(4), away))

    def keep(self, node: Node, loop: Loop) -> None:
        """A loop, its world side last."""
        if loop.body is None:
            loop = Loop(loop.name, loop.kind, loop.other, loop.body, loop.other_frame, loop.frame)
        if loop.body is None:
            self.reading.faults.add(node, "holds the world to itself")
        else:
            self.found.loops.append(loop)

    def body(self, node: Node, attribute: str) -> str | None:
        """A body by its name, None for the world."""
        name = node.get(attribute)
        if name is None or name == "world":
            return None
        if name not in self.starts:
            near = self.reading.faults.nearest(name, [known for known in self.starts if known])
            self.reading.faults.add(node, f"{attribute} {shown(name)} is not in the file{near}")
            return None
        return name

    def site(self, node: Node, attribute: str) -> tuple[str | None, np.ndarray] | None:
        """The body of a site and its pose there; None after a fault."""
        name, sites = node.get(attribute), self.reading.besides.sites
        if name is None:
            self.reading.faults.add(node, f"attribute {attribute!r} is missing")
        elif name not in sites:
            self.reading.faults.add(
                node, f"{attribute} {shown(name)} is not in the file{self.reading.faults.nearest(name, sites)}"
            )
        return sites.get(name or "")

    def scalar(self, node: Node, attribute: str) -> Joint | None:
        """A joint with one coordinate, by its name."""
        name, faults = node.get(attribute), self.reading.faults
        if name is None:
            if attribute == "joint1":
                faults.add(node, "attribute 'joint1' is missing")
        elif name not in self.joints:
            faults.add(node, f"{attribute} {shown(name)} is not in the file{faults.nearest(name, self.joints)}")
        elif self.joints[name].sizes != (1, 1):
            faults.add(
                node, f"{attribute} {shown(name)} is {self.joints[name].kind}; only hinge and slide joints can be related"
            )
        else:
            return self.joints[name]
        return None


def polynomial(node: Node, reading: Reading) -> tuple[float, ...]:
    """The five coefficients of an equality."""
    given = numbers(node, "polycoef", (1, 5), reading.faults, (0.0, 1.0))
    return (*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :])


def poses_at_start(bodies: tuple[Body, ...], starts: dict[str, np.ndarray]) -> dict[str | None, np.ndarray]:
    """Body -> pose in the world where the file puts it, all joints at their references; the world as None."""
    found: dict[str | None, np.ndarray] = {None: np.eye(4)}
    for body in bodies:
        free = [starts[joint.name] for joint in body.joints if joint.name in starts]
        found[body.name] = free[0] if free else found[body.parent] @ body.placement
    return found


def read_equalities(root: Node, bodies: tuple[Body, ...], tendons: dict[str, FixedTendon], reading: Reading) -> Equalities:
    """What the <equality> sections of a file hold together."""
    if not reading.settings.on("equality", "constraint"):
        return Equalities()
    joints = {joint.name: joint for body in bodies for joint in body.joints}
    reader = Reader(reading, joints, tendons, poses_at_start(bodies, reading.besides.starts))
    for node in (child for section in root.all("equality") for child in section.children):
        if node.tag not in KNOWN:
            reading.faults.add(node, f"unknown equality{reading.faults.nearest(node.tag, KNOWN)}")
        elif not flag(reading.defaults.fill(node, None, "equality"), "active", True, reading.faults):
            reading.faults.warn_alike("equalities that are not active are not read", node)
        else:
            reader.read(node)
    reader.found.couplings = flattened(reader.follows, reader.places, reading.faults)
    return reader.found
