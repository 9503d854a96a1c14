"""Frames of SDF, which refer to each other by name: where each of them is, and which link it moves with.

A frame has a pose in the frame that it is relative to, and is attached to another; the two need not be the same. With X(a, b)
the pose of a in b, p the frame that f is relative to, and P its placement frame, if it is a model that has one:

    X(f, world) = X(p, world) pose X(P, f)^-1                                                                  (1)
"""

from dataclasses import dataclass, field

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults, shown
from locomote.formats.xml import Node

WORLD = "world"
MODEL = "__model__"
NEAR = 64  # steps up in which a frame is looked for; its pose is then free of rounding on the way to the world


@dataclass(frozen=True)
class Frame:
    """A frame as the file has it.

    scope : prefix of the names among which `relative_to` is ; inside : of those among which `attached_to` and `placement` are
    attached_to : None of a link, and of what is fixed to the world
    """

    node: Node
    scope: str
    relative_to: str
    pose: np.ndarray = field(default_factory=lambda: np.eye(4))
    inside: str = ""
    attached_to: str | None = None
    placement: str = ""


class Frames:
    """All frames by their full names, such as "arm::hand::__model__"."""

    def __init__(self, faults: Faults):
        self.faults = faults
        self.all: dict[str, Frame] = {WORLD: Frame(Node(WORLD, {}, 0), "", WORLD)}
        self.links: set[str] = set()
        self.held: set[str] = set()  # links and models that do not move
        self._placed: dict[str, np.ndarray | None] = {}  # by placement frame; None while looked for
        self._poses: dict[str, np.ndarray] = {WORLD: np.eye(4)}
        self._told: set[tuple[int, str]] = set()

    def find(self, scope: str, name: str, node: Node) -> str:
        """The full name of a frame in a scope; the world, and a fault, if there is none. A model stands for its own frame.

        No name is none, without a fault: what lacks it has told so.
        """
        for full in (scope + name, f"{scope}{name}::{MODEL}"):
            if full in self.all:
                return full
        if name and (id(node), name) not in self._told:
            known = (other.removeprefix(scope) for other in self.all if other.startswith(scope))
            self.faults.add(node, f"there is no frame {shown(name)} here{self.faults.nearest(name, known)}")
            self._told.add((id(node), name))
        return WORLD

    def pose(self, full: str) -> np.ndarray:
        """The pose of a frame in the world."""
        row, name = self._up(full, lambda name: name in self._poses)
        result = self._poses.setdefault(name, np.eye(4))  # a circle was told
        for name in reversed(row):
            result = self._poses[name] = result @ self._step(name)
        return result

    def relative(self, full: str, to: str) -> np.ndarray:
        """The pose of a frame in another."""
        result, name = np.eye(4), full
        for _ in range(NEAR):
            if name == to:
                return result
            if name == WORLD:
                break
            result = self._step(name) @ result
            name = self._parent(name)
        return poses.inverse(self.pose(to)) @ self.pose(full)

    def link(self, full: str) -> str:
        """The link that a frame moves with, or the world, also for links that do not move."""
        row: dict[str, None] = {}
        while full not in self.links and full != WORLD and full not in self.held:
            if full in row:
                self._circle(row, full, "attached to")
                return WORLD
            row[full] = None
            frame = self.all[full]
            full = self.find(frame.inside, frame.attached_to or "", frame.node)
        return WORLD if full in self.held else full

    def check(self, prefix: str) -> None:
        """Note what is wrong with the frames of a model that nothing used yet."""
        for name in [name for name in self.all if name.startswith(prefix)]:
            self.pose(name)
            self.link(name)

    def _parent(self, full: str) -> str:
        frame = self.all[full]
        return self.find(frame.scope, frame.relative_to, frame.node)

    def _step(self, full: str) -> np.ndarray:
        """The pose of a frame in the one that it is relative to, (1)."""
        frame = self.all[full]
        if not frame.placement:
            return frame.pose
        if full not in self._placed:
            self._placed[full] = None
            self._placed[full] = frame.pose @ poses.inverse(self._placement(full, frame))
        found = self._placed[full]
        if found is None:
            self.faults.add(frame.node, "its placement depends on itself, through the placement of another model")
            return frame.pose
        return found

    def _placement(self, full: str, frame: Frame) -> np.ndarray:
        """The pose of the placement frame of a model in it."""
        row, end = self._up(self.find(frame.inside, frame.placement, frame.node), lambda name: name == full)
        if end != full:
            self.faults.add(frame.node, f"its placement frame {shown(frame.placement)} is not in it")
            return np.eye(4)
        inner = np.eye(4)
        for name in reversed(row):
            inner = inner @ self._step(name)
        return inner

    def _up(self, full: str, there) -> tuple[dict[str, None], str]:
        """The frames from one up to the first that is `there`, and this; the world, and a fault, if they go in a circle."""
        row: dict[str, None] = {}
        while not there(full) and full != WORLD:
            if full in row:
                self._circle(row, full, "relative to")
                return row, WORLD
            row[full] = None
            full = self._parent(full)
        return row, full

    def _circle(self, row: dict[str, None], full: str, how: str) -> None:
        names = list(row)[list(row).index(full) :]
        if (len(names), how + min(names)) not in self._told:
            self._told.add((len(names), how + min(names)))
            shown_names = [*map(shown, names[:6]), *(["..."] if len(names) > 6 else []), shown(full)]
            self.faults.add(self.all[full].node, f"frames are {how} each other in a circle: {' -> '.join(shown_names)}")
