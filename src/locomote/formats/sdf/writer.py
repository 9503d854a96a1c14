"""A model into SDF.

Every body becomes a link with the frame of the body, placed in that of its parent; every joint goes through its anchor in the
link that it carries. A root on a free joint is free in SDF, too, and one at rest has a fixed joint to the world.
"""

from dataclasses import replace

import numpy as np

from locomote.formats.draft import Draft, other_name
from locomote.formats.rows import row_of, unit_axis
from locomote.formats.sdf.frames import WORLD
from locomote.formats.sdf.joint_text import TYPES, joint_of
from locomote.formats.sdf.link_text import link_of
from locomote.formats.xml import Node
from locomote.formats.xml_text import element, leaf
from locomote.model.description import Body, Coupling, Description, Joint
from locomote.model.edit import joint_transform
from locomote.model.model import Model, rigid_model
from locomote.model.packing import depth_first

VERSION = "1.11"
GRAVITY = Description("", ()).gravity


def write_sdf(model: Model, path=None, *, unsupported: str = "error", visuals: bool = True) -> str:
    """The SDF text of a model, also written to `path` if that is given.

    unsupported : "error" refuses a model with anything that SDF cannot say (armature, couplings to several joints,
        damping of ball joints, ...) and names all of it; "warn" leaves it out, with a Python warning for each. Joints that SDF
        does not have (planar, cylindrical, euler, several on one body, free ones that are not the root's) are always refused
    visuals : write what bodies look like and touch with. Paths of meshes are relative to the folder of `path`

    Other gravity than 9.81 m/s^2 down is that of a world around the model. Numbers read back with the same bits, rotations
    within 1e-15. Raises ModelError with everything that is wrong, or FileError if the file cannot be written; an older file is
    then still there.
    """
    rigid_model(model, "lo.write_sdf")
    description = model.description
    draft = Draft(description, "SDF", unsupported, path)
    names = _Names(description, draft)
    node = element("model", name=names.checked("the model", description.name))
    couplings = {coupling.joint: coupling for coupling in description.couplings}
    for body in depth_first(description.bodies):
        node.children.extend(_parts(body, couplings, names, visuals, draft))
    if not np.array_equal(description.gravity, GRAVITY):
        gravity = leaf("gravity", draft.numbers("the model", "gravity", description.gravity))
        node = element("world", gravity, node, name="default")
    return draft.finished(element("sdf", node, version=VERSION))


def _parts(body: Body, couplings: dict[str, Coupling], names: "_Names", visuals: bool, draft: Draft) -> list[Node]:
    """The link of a body and the joint that carries it."""
    where, placement = f"body {body.name!r}", np.asarray(body.placement, dtype=float)
    joints = [part for joint in body.joints for part in (_single(joint) if joint.kind in ("x",) else [joint])]
    moving = [joint for joint in joints if joint.kind != "fixed"]
    free = body.parent is None and len(moving) == 1 and moving[0].kind == "free" and np.array_equal(placement, np.eye(4))
    link = names.checked(where, body.name)
    if free:
        draft.refuse_said(moving[0], "stiffness", "rest", "damping", "friction", "armature", "effort_limit", "velocity_limit")
        return [link_of(body, link, None, np.eye(4), visuals, draft)]
    if len(moving) > 1:
        draft.faults.add(where, f"SDF has one joint between two links, this body has {len(moving)}; put massive bodies between")
        return []
    if moving and moving[0].kind not in TYPES:
        draft.faults.add(f"joint {moving[0].name!r}", f"SDF has no {moving[0].kind} joint there, nor others like it")
        return []
    if moving and moving[0].reference:
        placement = placement @ joint_transform(moving[0], 0.0)
    joint = moving[0] if moving else Joint(next((j.name for j in joints), "") or names.new(f"{body.name} fixed"), "fixed")
    name = names.checked(f"joint {joint.name!r}", joint.name)
    carried = joint_of(joint, name, body.parent or WORLD, link, couplings.get(joint.name), draft)
    return [link_of(body, link, body.parent, placement, visuals, draft), carried]


def _single(joint: Joint) -> list[Joint]:
    """A shift along x as the prismatic joint that it is."""
    return [replace(part, axis=unit_axis(part.axis)) for part in row_of(joint, set())]


class _Names:
    """Names of one file: those of links and joints differ, and some mean something else in SDF."""

    def __init__(self, description: Description, draft: Draft):
        self.draft = draft
        bodies = [body.name for body in description.bodies]
        joints = [joint.name for body in description.bodies for joint in body.joints if joint.kind != "free"]
        self.taken = {*bodies, *joints}
        for name in {name for name in joints if name in bodies}:
            draft.faults.add(f"joint {name!r}", "a body is called so, too, and in SDF names differ; give it another")

    def new(self, wish: str) -> str:
        """A name that is not taken yet."""
        return other_name(wish, self.taken)

    def checked(self, where: str, name: str) -> str:
        """A name that SDF can have."""
        text = str(name)
        if "::" in text or text == WORLD or (text.startswith("__") and text.endswith("__")):
            self.draft.faults.add(where, "names in SDF have no '::', are not 'world' or between double underscores")
        return self.draft.name(where, name)
