"""SRDF: what a file beside a URDF says of a robot: groups of joints, their states, and links that do not touch each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from locomote.brief import brief
from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.numbers import parse_numbers
from locomote.formats.source import read_source
from locomote.formats.xml import Node, parse
from locomote.model.description import Description, Keyframe
from locomote.model.model import Model

QUIET = ("virtual_joint", "end_effector", "link_sphere_approximation", "rotor_params", "specified_params", "passive_joint",
         "disable_default_collisions", "enable_collisions", "joint_property", "gripper")  # fmt: skip


@brief
@dataclass(frozen=True)
class Semantics:
    """What an SRDF file says of a robot.

    groups : name -> joints, in the order of the file ; states : postures of groups, as keyframes; joints that they do not name
        are neutral, those of the state "arm: home" are of group "arm" if several groups have a "home"
    apart : pairs of links that do not touch ; passive : joints that nothing drives
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    states: tuple[Keyframe, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    passive: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def applied(self, description: Description) -> Description:
        """The description with these states and pairs besides its own."""
        taken = {own.name for own in description.keyframes}
        states = tuple(state for state in self.states if state.name not in taken)
        return replace(
            description,
            keyframes=(*description.keyframes, *states),
            apart=(*description.apart, *self.apart),
            warnings=(*description.warnings, *self.warnings),
        )


def read_srdf(path_or_text, model: Model | Description) -> Semantics:
    """What an SRDF file, or its text, says of a robot.

    model : the robot, a Model or Description; links and joints are those that it has
    """
    return describe_srdf(path_or_text, model if isinstance(model, Description) else model.description)


def describe_srdf(path_or_text, description: Description) -> Semantics:
    """The Semantics of a file for a description."""
    source = read_source(path_or_text, is_text=lambda text: text.lstrip("\ufeff \t\r\n").startswith("<"))
    root = parse(source)
    if root.tag != "robot" or root.all("link"):
        raise ModelError(source.name, f"{root}: this is no SRDF, whose outermost element is <robot> and which has no links")
    return _Reader(root, description, Faults(source.name)).result()


class _Reader:
    def __init__(self, root: Node, description: Description, faults: Faults):
        self.root, self.faults = root, faults
        self.bodies = {body.name: body for body in description.bodies}
        self.joints = {joint.name: joint for body in description.bodies for joint in body.joints}

    def result(self) -> Semantics:
        groups = self.groups()
        states, apart = self.states(groups), self.apart()
        passive = tuple(name for node in self.root.all("passive_joint") if (name := node.get("name") or "") in self.joints)
        strange = {n.tag for n in self.root.children} - {"group", "group_state", "disable_collisions", *QUIET}
        if strange:
            self.faults.warn(None, f"not read: {', '.join(sorted(strange)[:8])}")
        self.faults.check()
        return Semantics(groups, states, apart, passive, self.faults.all_warnings())

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Joints of groups: named, along chains, of links, and of other groups."""
        nodes = {name: node for node in self.root.all("group") if (name := node.get("name"))}
        found: dict[str, tuple[str, ...]] = {}

        def joints_of(name: str, within: tuple[str, ...]) -> tuple[str, ...]:
            if name in found:
                return found[name]
            if name in within:
                self.faults.add(nodes[name], f"group {shown(name)} holds itself")
                return ()
            own: dict[str, None] = {}
            for part in nodes[name].children:
                own |= dict.fromkeys(self.part(part, nodes, lambda other: joints_of(other, (*within, name))))
            found[name] = tuple(own)
            return found[name]

        for name in nodes:
            joints_of(name, ())
        return found

    def part(self, node: Node, nodes: Mapping[str, Node], joints_of) -> list[str]:
        name = node.get("name") or ""
        if node.tag == "joint":
            if name in self.joints:
                return [name]
            self.faults.warn_alike("joints that the robot does not have are left out of groups", node)
        elif node.tag == "link":
            if name in self.bodies:
                return [joint.name for joint in self.bodies[name].joints if joint.kind != "fixed"]
            self.faults.warn_alike("links that the robot does not have are left out of groups", node)
        elif node.tag == "chain":
            return self.chain(node)
        elif node.tag == "group":
            if name in nodes:
                return list(joints_of(name))
            self.faults.add(node, f"there is no group {shown(name)}{self.faults.nearest(name, nodes)}")
        return []

    def chain(self, node: Node) -> list[str]:
        base, tip = node.get("base_link") or "", node.get("tip_link") or ""
        for name in (base, tip):
            if name not in self.bodies:
                self.faults.add(node, f"link {shown(name)} is not one of the robot{self.faults.nearest(name, self.bodies)}")
                return []
        found, at = [], tip
        while at != base:
            body = self.bodies[at]
            found[:0] = [joint.name for joint in body.joints if joint.kind != "fixed"]
            if body.parent is None:
                self.faults.add(node, f"link {shown(tip)} is not below {shown(base)}")
                return []
            at = body.parent
        return found

    def states(self, groups: Mapping[str, tuple[str, ...]]) -> tuple[Keyframe, ...]:
        nodes = [node for node in self.root.all("group_state") if node.get("name")]
        names = [node.get("name") or "" for node in nodes]
        found: dict[str, Keyframe] = {}
        for node, name in zip(nodes, names, strict=True):
            title = name if names.count(name) == 1 else f"{node.get('group')}: {name}"
            if title in found:
                self.faults.add(node, f"the name {shown(title)} is taken")
                continue
            q = [values for joint in node.all("joint") if (values := self.value(joint)) is not None]
            found[title] = Keyframe(title, tuple(q))
        return tuple(found.values())

    def value(self, node: Node) -> tuple[str, tuple[float, ...]] | None:
        name = node.get("name") or ""
        if name not in self.joints:
            self.faults.warn_alike("joints that the robot does not have are left out of states", node)
            return None
        count = self.joints[name].sizes[0]
        values = parse_numbers(node.get("value") or "", count, count)
        if isinstance(values, str):
            if count == 1:
                self.faults.add(node, f"value {values}")
            else:
                self.faults.warn_alike("values of joints of several coordinates that are not those of q are left out", node)
            return None
        return name, tuple(values)

    def apart(self) -> tuple[tuple[str, str], ...]:
        found = []
        for node in self.root.all("disable_collisions"):
            pair = (node.get("link1") or "", node.get("link2") or "")
            if all(name in self.bodies for name in pair):
                found.append(pair)
            else:
                self.faults.warn_alike("pairs with links that the robot does not have are left out", node)
        return tuple(dict.fromkeys(found))
