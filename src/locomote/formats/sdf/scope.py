"""The names of an SDF model: what its links, joints, frames and nested models are called in full, and the frame of each."""

from dataclasses import dataclass, field

from locomote.formats.faults import Faults, shown
from locomote.formats.sdf.elements import check, flag, word
from locomote.formats.sdf.frames import MODEL, WORLD, Frame, Frames
from locomote.formats.sdf.include import NAMED, PLACEMENT
from locomote.formats.sdf.pose import read_pose, relative_to
from locomote.formats.xml import Node


@dataclass(frozen=True)
class Part:
    """A link or joint: its full name, that of its frame, and the prefix of the names that it knows."""

    name: str
    frame: str
    scope: str
    node: Node
    static: bool


@dataclass
class Contents:
    """All links and joints of a model and of those nested in it, in the order of the file."""

    links: dict[str, Part] = field(default_factory=dict)
    joints: dict[str, Part] = field(default_factory=dict)


class Scopes:
    """Enters models into the frames of a file. strict : since 1.7 a link and a joint of a model have different names."""

    def __init__(self, frames: Frames, strict: bool, faults: Faults):
        self.frames, self.strict, self.faults = frames, strict, faults
        self.contents = Contents()

    def enter(self, model: Node, outer: str = "", static: bool = False) -> None:
        """Enter a model, all that it holds and the models in it; outer : prefix of the names around it."""
        name, faults = self._name(model), self.faults
        if name is None:
            return
        check(model, faults)
        inner, static = f"{outer}{name}::", flag(model, "static", False, faults) or static
        own = f"{inner}{MODEL}"
        first = next((child for tag in ("link", "model") for child in model.all(tag)), None)
        canonical = model.get("canonical_link") or (first.get("name") if first is not None else None)
        if static:
            self.frames.held.add(own)
        elif canonical is None:
            faults.add(model, "has no <link>; a model that moves has one at least")
            canonical = MODEL
        self.frames.all[own] = Frame(
            model,
            outer,
            relative_to(model) or (MODEL if outer else WORLD),
            read_pose(model, faults),
            inner,
            None if static else canonical,
            model.get("placement_frame") or "",
        )
        taken: dict[str, Node] = {}
        for child in model.children:
            if child.tag in NAMED and self._is_free(child, taken):
                self._part(child, inner, static)

    def _part(self, node: Node, inner: str, static: bool) -> None:
        name = self._name(node)
        if node.tag == "model":
            self.enter(node, inner, static)
            return
        if name is None:
            return
        full = inner + name
        key = full if full not in self.frames.all else f"{full} of a {node.tag}"  # before 1.7, when no name meant both
        part, placement = Part(full, key, inner, node, static), node.attributes.pop(PLACEMENT, "")
        check(node, self.faults)
        attached, base = node.get("attached_to") or MODEL, MODEL
        if node.tag == "link":
            self.contents.links[full] = part
            self.frames.links.add(key)
            self.frames.held.update({key} if static else ())
        elif node.tag == "joint":
            self.contents.joints[full] = part
            attached = base = word(node, "child")
        else:
            base = attached
        pose = read_pose(node, self.faults)
        self.frames.all[key] = Frame(node, inner, relative_to(node) or base, pose, inner, attached, placement)

    def _name(self, node: Node) -> str | None:
        """The name of an element, if it is a good one."""
        name = node.get("name")
        if not name:
            self.faults.add(node, f"this <{node.tag}> has no name")
        elif "::" in name or name == WORLD or (name.startswith("__") and name.endswith("__")):
            self.faults.add(node, "a name cannot have '::', be 'world' or be between double underscores; give it another")
        else:
            return name
        return None

    def _is_free(self, node: Node, taken: dict[str, Node]) -> bool:
        name = node.get("name") or ""
        other = taken.setdefault(name, node) if name else node
        if other is not node and (self.strict or other.tag == node.tag):
            self.faults.add(node, f"the name {shown(name)} is taken by the <{other.tag}> in line {other.line}")
            return False
        return True
