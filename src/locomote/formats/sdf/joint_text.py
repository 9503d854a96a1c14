"""A joint as SDF has it: what it connects, its axes, limits, springs and losses."""

import numpy as np

from locomote.formats import forms
from locomote.formats.draft import Draft
from locomote.formats.rows import unit_axis
from locomote.formats.sdf.link_text import pose_of
from locomote.formats.xml import Node
from locomote.formats.xml_text import element, leaf
from locomote.model.description import Coupling, Joint
from locomote.model.packing import per_coordinate

TYPES = {
    "revolute": "revolute",
    "prismatic": "prismatic",
    "helical": "screw",
    "universal": "universal",
    "spherical": "ball",
    "fixed": "fixed",
}
DYNAMICS = {"damping": "damping", "friction": "friction", "spring_reference": "rest", "spring_stiffness": "stiffness"}
LIMIT = {"lower": "lower", "upper": "upper", "effort": "effort_limit", "velocity": "velocity_limit"}


def joint_of(joint: Joint, name: str, parent: str, child: str, coupling: Coupling | None, draft: Draft) -> Node:
    """The <joint> of a joint of a kind that SDF has, with its anchor and axes in the frame of the child."""
    where, kind = f"joint {joint.name!r}", TYPES[joint.kind]
    parts = [leaf("parent", parent), leaf("child", child)]
    place = np.eye(4)
    place[:3, 3] = joint.anchor if joint.kind != "fixed" else 0.0
    parts += pose_of(where, place, None, draft)
    axes = {"fixed": (), "spherical": (), "universal": (joint.axis, joint.axis2)}.get(joint.kind, (joint.axis,))
    if joint.kind == "helical":
        parts.append(leaf("screw_thread_pitch", draft.number(where, "pitch", 2 * np.pi * joint.pitch)))
    if joint.kind == "universal" and abs(unit_axis(joint.axis) @ unit_axis(joint.axis2)) > 1e-12:
        kind = "revolute2"  # the axes of a universal joint are at right angles
    if axes:
        draft.refuse_said(joint, "armature")
    elif joint.kind != "fixed":
        draft.refuse_said(joint, *DYNAMICS.values(), "armature", *LIMIT.values())
    if joint.kind == "revolute" and np.isinf([joint.lower, joint.upper]).all():
        kind = "continuous"
    for k, axis in enumerate(axes):
        parts.append(_axis(where, joint, k, len(axes), axis, coupling, draft))
    return element("joint", *parts, name=name, type=kind)


def _axis(where: str, joint: Joint, k: int, count: int, axis, coupling: Coupling | None, draft: Draft) -> Node:
    """An axis, with what is said of the coordinate along it."""
    said = {label: per_coordinate(getattr(joint, label), count)[k] for label in (*DYNAMICS.values(), *LIMIT.values())}
    parts = [leaf("xyz", draft.numbers(where, "axis", forms.to_direction(unit_axis(axis))))]
    losses = [leaf(tag, draft.number(where, label, said[label])) for tag, label in DYNAMICS.items() if said[label]]
    limits = [leaf(tag, draft.number(where, label, said[label])) for tag, label in LIMIT.items() if np.isfinite(said[label])]
    if said["stiffness"] < 0:
        draft.unsupported.refuse(where, f"the negative stiffness {said['stiffness']:g}")
    parts += [element("dynamics", *losses)] if losses else []
    parts += [element("limit", *limits)] if limits else []
    if coupling is not None and len(coupling.ratios) != 1:
        draft.unsupported.refuse(where, f"a coupling to {len(coupling.ratios)} joints")
    elif coupling is not None:
        leader, ratio = coupling.ratios[0]
        multiplier = leaf("multiplier", draft.number(where, "the ratio of its coupling", ratio))
        offset = leaf("offset", draft.number(where, "the offset of its coupling", coupling.offset))
        parts.append(element("mimic", multiplier, offset, joint=leader))
    return element("axis2" if k else "axis", *parts)
