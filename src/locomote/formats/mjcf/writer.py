"""A model into MJCF, the format of MuJoCo.

Every body becomes a body with the same joints; joints of several angles or shifts become as many hinges and slides, with the
same q and v. Geoms weigh nothing; those to look at touch nothing.
"""

import numpy as np

from locomote.formats.draft import Draft
from locomote.formats.mjcf.body_text import TYPES, Geoms, inertial_of, joint_of, place_of
from locomote.formats.rows import row_of
from locomote.formats.xml import DEEPEST, Node
from locomote.formats.xml_text import element
from locomote.model.description import Body, Coupling, Description, Joint
from locomote.model.model import Model, rigid_model
from locomote.model.packing import depth_first


def write_mjcf(model: Model, path=None, *, unsupported: str = "error", visuals: bool = True) -> str:
    """The MJCF text of a model, also written to `path` if that is given.

    unsupported : "error" refuses a model with anything that MJCF cannot say and that matters to the motion (limits on one
        side, couplings to several joints, added inertia, ...) and names all of it; "warn" leaves it out, with a Python warning
        for each; limits of velocities are always left out so. Joints that MJCF does not have (helical, planar, free ones that
        do not hang on the world) are always refused
    visuals : write what bodies look like and touch with. Paths of meshes are relative to the folder of `path`; MuJoCo itself
        opens them, and does not know all kinds (Collada)

    Numbers read back with the same bits, rotations within 1e-15. Raises ModelError with everything that is wrong, or FileError
    if the file cannot be written; an older file is then still there.
    """
    rigid_model(model, "lo.write_mjcf")
    description = model.description
    draft = Draft(description, "MJCF", unsupported, path)
    joints = _joints(description)
    geoms = Geoms(draft)
    world = _world(description, joints, geoms if visuals else None, draft)
    couplings = [_equality(coupling, joints, draft) for coupling in description.couplings]
    gravity = draft.numbers("the model", "gravity", description.gravity)
    sections = [
        element("compiler", angle="radian"),
        element("option", gravity=gravity),
        element("default", element("geom", mass="0", contype="0", conaffinity="0")),
        element("asset", *geoms.meshes.values()),
        world,
        element("equality", *filter(None, couplings)),
    ]
    name = draft.name("the model", description.name)
    return draft.finished(element("mujoco", *(part for part in sections if part.children or part.attributes), model=name))


def _joints(description: Description) -> dict[str, list[Joint]]:
    """The joints of each body, as joints of one coordinate where these have the same q and v."""
    taken = {joint.name for body in description.bodies for joint in body.joints}
    return {body.name: [part for joint in body.joints for part in row_of(joint, taken)] for body in description.bodies}


def _world(description: Description, joints: dict[str, list[Joint]], geoms: Geoms | None, draft: Draft) -> Node:
    """All bodies, each in its parent."""
    world = element("worldbody")
    nodes: dict[str | None, tuple[Node, int]] = {None: (world, 2)}
    for body in depth_first(description.bodies):
        around, depth = nodes[body.parent]
        if body.name == "world" and _is_world(body, joints[body.name], draft):
            nodes[body.name] = around, depth
            continue
        node = _body(body, joints[body.name], geoms, draft)
        around.children.append(node)
        nodes[body.name] = node, depth + 1
        if depth + 2 == DEEPEST + 1:
            draft.faults.add(f"body {body.name!r}", f"its chain of parents is too long: elements are nested {DEEPEST} deep")
    return world


def _is_world(body: Body, joints: list[Joint], draft: Draft) -> bool:
    """Whether a body of this name may be the world of MJCF, which is no body: it is left out."""
    same = body.parent is None and not joints and not body.visuals and np.array_equal(body.placement, np.eye(4))
    if same:
        draft.unsupported.leave_out(f"body {body.name!r}", "a body that has the name and the place of MJCF's world")
    else:
        draft.faults.add(f"body {body.name!r}", "in MJCF this is the name of the world; give it another")
    return same


def _body(body: Body, joints: list[Joint], geoms: Geoms | None, draft: Draft) -> Node:
    where = f"body {body.name!r}"
    node = element("body", name=draft.name(where, body.name), **place_of(where, body.placement, draft))
    if inertia := draft.inertia(body):
        node.children.append(inertial_of(where, inertia, draft))
    for joint in joints:
        if _has_joint(joint, body, len(joints), draft):
            node.children.append(joint_of(joint, draft))
    node.children.extend([] if geoms is None else geoms.of(body))
    return node


def _has_joint(joint: Joint, body: Body, count: int, draft: Draft) -> bool:
    """Whether MJCF has such a joint at this place; a fault if not."""
    where = f"joint {joint.name!r}"
    if joint.kind not in TYPES:
        draft.faults.add(where, f"MJCF has no {joint.kind} joint, nor others with the same coordinates")
        return False
    if joint.kind == "free":
        if body.parent is not None:
            draft.faults.add(where, f"a free joint of MJCF is in a body of the world; {body.name!r} hangs on {body.parent!r}")
        if count > 1:
            draft.faults.add(where, f"a free joint of MJCF is the only one of its body; {body.name!r} has {count}")
        if not np.array_equal(body.placement, np.eye(4)):
            draft.faults.add(where, f"a free joint of MJCF starts from the world; {body.name!r} has a placement before it")
    return True


def _equality(coupling: Coupling, joints: dict[str, list[Joint]], draft: Draft) -> Node | None:
    """The equality of a coupling. MuJoCo relates what joints have moved from their references."""
    where = f"joint {coupling.joint!r}"
    if len(coupling.ratios) > 1:
        draft.unsupported.refuse(where, f"a coupling to {len(coupling.ratios)} joints")
        return None
    references = {joint.name: joint.reference for some in joints.values() for joint in some}
    constant, ratio, leader = coupling.offset - references[coupling.joint], 1.0, None
    for leader, ratio in coupling.ratios:
        constant += ratio * references[leader]
    terms = draft.numbers(where, "a number of its coupling", (constant, ratio, 0.0, 0.0, 0.0))
    return element("joint", joint1=coupling.joint, joint2=leader, polycoef=terms)
