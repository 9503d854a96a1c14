"""A model into URDF.

Every body becomes a link with the frame of the body. URDF has one joint between two links, with its axis through the origin of
the child, so bodies on several joints, and turns about an axis beside the origin, get links without mass in between, and joints
of several angles or shifts become as many joints: more names, the same q and v. What does not hang on the world as the root of
a URDF does gets a link for the world.
"""

from dataclasses import replace

import numpy as np

from locomote.formats import forms, poses
from locomote.formats.draft import Draft, base_word, other_name, text_of
from locomote.formats.rows import row_of, unit_axis
from locomote.formats.urdf.joint import KINDS, NO_LIMIT
from locomote.formats.urdf.link_text import link_of, origin_of
from locomote.formats.xml import Node
from locomote.formats.xml_text import element
from locomote.model.description import Body, Description, Joint
from locomote.model.edit import joint_transform
from locomote.model.model import Model, rigid_model
from locomote.model.packing import depth_first

GRAVITY = Description("", ()).gravity
TYPES = {kind: given for given, kind in KINDS.items() if given not in ("continuous", "fixed")}


def write_urdf(model: Model, path=None, *, unsupported: str = "error", visuals: bool = True) -> str:
    """The URDF text of a model, also written to `path` if that is given.

    unsupported : "error" refuses a model with anything that URDF cannot say (springs, armature, added inertia, gravity other
        than 9.81 m/s^2 down, ...) and names all of it; "warn" leaves it out, with a Python warning for each. Joints that URDF
        does not have (helical, spherical) are always refused
    visuals : write what bodies look like and touch with. Paths of meshes are relative to the folder of `path`

    How the root moves is not part of URDF: read the file with the same `base`. Numbers read back with the same bits, rotations
    within 1e-15 (mostly with the same bits, too). Raises ModelError with everything that is wrong, or FileError if the file
    cannot be written; an older file is then still there.
    """
    rigid_model(model, "lo.write_urdf")
    description = model.description
    draft = Draft(description, "URDF", unsupported, path)
    if not np.array_equal(description.gravity, GRAVITY):
        draft.unsupported.refuse(None, f"gravity {description.gravity} m/s^2 (URDF has none, which stands for {GRAVITY})")
    base = base_word(description)
    robot = element("robot", name=draft.name("the model", description.name))
    tree = _Tree(description, base, draft, robot)
    for body in tree.bodies:
        robot.children.append(link_of(body, tree.name("body", body.name), visuals, draft))
        tree.hang(body)
    return draft.finished(robot, f"the root moves: load this with base='{base}'" if base != "fixed" else "")


class _Tree:
    """The joints of one file, and links for what is between two of them."""

    def __init__(self, description: Description, base: str, draft: Draft, robot: Node):
        self.draft, self.robot = draft, robot
        self.bodies = depth_first(description.bodies)
        self.links = {body.name for body in self.bodies}
        self.joints = {joint.name for body in self.bodies for joint in body.joints}
        self.couplings = {coupling.joint: coupling for coupling in description.couplings}
        self.world = None  # a link for the world, unless the model is one root at rest there or moved by the base
        roots = [body for body in self.bodies if body.parent is None]
        moves = any(joint.kind != "fixed" for joint in roots[0].joints) and base == "fixed"
        if len(roots) > 1 or moves or not np.array_equal(roots[0].placement, np.eye(4)):
            self.world = self.link("world")

    def name(self, kind: str, name: str) -> str:
        """A name that URDF can have."""
        if "${" in str(name) or "$(" in str(name):
            self.draft.faults.add(f"{kind} {name!r}", "its name reads as a macro of xacro; give it another")
        return self.draft.name(f"{kind} {name!r}", name)

    def link(self, wish: str) -> str:
        """A new link without mass; its name."""
        name = other_name(wish, self.links)
        self.robot.children.append(element("link", name=self.name("body", name)))
        return name

    def hang(self, body: Body) -> None:
        """The joints between a body and its parent."""
        parent, placement = body.parent or self.world, np.asarray(body.placement, dtype=float)
        if parent is None:
            return
        row = [part for joint in body.joints for part in row_of(joint, self.joints)]
        for k, joint in enumerate(row):
            anchor = _anchor(joint)
            if anchor.any():
                placement = placement @ poses.pose(np.eye(3), anchor)
            if joint.reference:
                placement = placement @ joint_transform(replace(joint, anchor=(0.0, 0.0, 0.0)), 0.0)
            last = k + 1 == len(row) and not anchor.any()
            child = body.name if last else self.link(f"{body.name} after {joint.name}")
            self._joint(joint, parent, child, placement)
            parent, placement = child, poses.pose(np.eye(3), -anchor)
        if parent != body.name:
            given = [joint.name for joint in body.joints if joint.kind == "fixed"]
            name = given[0] if given else other_name(f"{body.name} fixed", self.joints)
            self._add(name, "fixed", parent, body.name, origin_of(f"body {body.name!r}", placement, self.draft))

    def _joint(self, joint: Joint, parent: str, child: str, placement: np.ndarray) -> None:
        where, draft = f"joint {joint.name!r}", self.draft
        if joint.kind not in TYPES:
            draft.faults.add(where, f"URDF has no {joint.kind} joint, nor others with the same coordinates")
            return
        draft.refuse_said(joint, "stiffness", "rest", "armature")
        parts = origin_of(where, placement, draft)
        if joint.kind != "free":
            direction = forms.to_direction(unit_axis(joint.axis))
            parts.append(element("axis", xyz=draft.numbers(where, "axis", direction)))
        kind, limit = self._limit(joint)
        losses = {label: draft.one_value(joint, label) for label in ("damping", "friction")}
        if any(losses.values()):
            limit.append(element("dynamics", **{label: draft.number(where, label, x) for label, x in losses.items()}))
        self._add(joint.name, kind, parent, child, [*parts, *limit, *self._mimic(joint)])

    def _add(self, name: str, kind: str, parent: str, child: str, parts: list[Node]) -> None:
        ends = element("parent", link=parent), element("child", link=child)
        self.robot.children.append(element("joint", *ends, *parts, name=self.name("joint", name), type=kind))

    def _limit(self, joint: Joint) -> tuple[str, list[Node]]:
        """The type of the joint, which depends on its limits, and these."""
        kind, draft = TYPES[joint.kind], self.draft
        values = {"effort": draft.one_value(joint, "effort_limit"), "velocity": draft.one_value(joint, "velocity_limit")}
        needed = kind == "prismatic" or min(values.values()) < np.inf  # other readers want it for every prismatic joint
        if joint.sizes[0] > 1:
            draft.refuse_said(joint, "lower", "upper")
        else:
            lower, upper = float(np.ravel(joint.lower)[0]), float(np.ravel(joint.upper)[0])
            if lower > -np.inf or upper < np.inf:
                values, needed = {"lower": lower, "upper": upper, **values}, True
            elif kind == "revolute":
                kind = "continuous"
        limits = {label: text_of(np.clip(value, -NO_LIMIT, NO_LIMIT)) for label, value in values.items()}
        return kind, [element("limit", **limits)] if needed else []

    def _mimic(self, joint: Joint) -> list[Node]:
        where, coupling = f"joint {joint.name!r}", self.couplings.get(joint.name)
        if coupling is None:
            return []
        if len(coupling.ratios) != 1:
            self.draft.unsupported.refuse(where, f"a coupling to {len(coupling.ratios)} joints")
            return []
        leader, ratio = coupling.ratios[0]
        multiplier = self.draft.number(where, "the ratio of its coupling", ratio)
        offset = self.draft.number(where, "the offset of its coupling", coupling.offset)
        return [element("mimic", joint=leader, multiplier=multiplier, offset=offset)]


def _anchor(joint: Joint) -> np.ndarray:
    """The point beside the origin that the axis of a turn goes through; zero where there is none, or it makes no difference."""
    anchor = np.array(joint.anchor, dtype=float)
    return anchor if joint.kind == "revolute" and np.cross(joint.axis, anchor).any() else np.zeros(3)
