"""What stands in an MJCF body: its place, inertia, joints and geoms."""

import numpy as np

from locomote.formats import forms
from locomote.formats.draft import Draft, text_of
from locomote.formats.mjcf.joint import KINDS
from locomote.formats.visuals import shown_visuals, touching_shapes
from locomote.formats.xml import Node
from locomote.formats.xml_text import element
from locomote.model.description import Body, Joint, Visual
from locomote.spatial.inertia import Inertia

TYPES = {kind: given for given, kind in KINDS.items()}
SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh")


def place_of(where: str, placement, draft: Draft) -> dict[str, str]:
    """The attributes of a pose: none for the identity. The orientation is a quaternion, or two axes if they are nearer."""
    placement = np.asarray(placement, dtype=float)
    attributes = {"pos": draft.numbers(where, "placement", placement[:3, 3])} if placement[:3, 3].any() else {}
    if not np.array_equal(placement[:3, :3], np.eye(3)):
        quaternion, error = forms.to_quaternion(placement[:3, :3])
        axes, other = forms.to_xy_axes(placement[:3, :3])
        draft.check_rotation(where, min(error, other))
        form, values = ("quat", np.roll(quaternion, 1)) if error <= other else ("xyaxes", axes)
        attributes[form] = " ".join(map(text_of, values))
    return attributes


def inertial_of(where: str, inertia: Inertia, draft: Draft) -> Node:
    """The <inertial> of a body, by principal moments where these are there: MuJoCo takes them also if they are zero."""
    xx, xy, xz, yy, yz, zz = draft.moment(where, inertia.moment)
    form, moments = ("fullinertia", (xx, yy, zz, xy, xz, yz)) if xy or xz or yz else ("diaginertia", (xx, yy, zz))
    return element(
        "inertial",
        pos=draft.numbers(where, "center of mass", inertia.com),
        mass=draft.number(where, "mass", inertia.mass),
        **{form: draft.numbers(where, "moment of inertia", moments)},
    )


def joint_of(joint: Joint, draft: Draft) -> Node:
    """The <joint> of a joint of a kind that MJCF has, with unit axis."""
    where, turns = f"joint {joint.name!r}", joint.sizes == (1, 1)
    attributes = {"name": draft.name(where, joint.name), "type": TYPES[joint.kind]}
    if np.any(joint.anchor):
        attributes["pos"] = draft.numbers(where, "anchor", joint.anchor)
    said = {"damping": "damping"}
    draft.refuse_said(joint, "velocity_limit", moves=False)
    if joint.kind == "free":  # in MJCF these are along axes of the world
        draft.refuse_said(joint, "stiffness", "friction", "armature")
    else:
        said |= {"frictionloss": "friction", "armature": "armature", "stiffness": "stiffness"}
    if turns:
        said |= {"ref": "reference", "springref": "rest"}
        attributes["axis"] = draft.numbers(where, "axis", forms.to_direction(joint.axis))
        attributes |= _limits(where, joint, draft)
    else:
        draft.refuse_said(joint, "rest", "lower", "upper", "effort_limit")
    for attribute, label in said.items():
        value = joint.reference if label == "reference" else draft.one_value(joint, label)
        if value < 0 and label == "stiffness":
            draft.unsupported.refuse(where, f"the negative stiffness {value:g}")
        elif value:
            attributes[attribute] = draft.number(where, label, value)
    return element("joint", **attributes)


def _limits(where: str, joint: Joint, draft: Draft) -> dict[str, str]:
    found = {}
    lower, upper = float(np.ravel(joint.lower)[0]), float(np.ravel(joint.upper)[0])
    effort = draft.one_value(joint, "effort_limit")
    if -np.inf < lower < upper < np.inf:
        found["range"] = draft.numbers(where, "limit", (lower, upper))
    elif lower > -np.inf or upper < np.inf:
        draft.unsupported.refuse(where, f"a range from {lower:g} to {upper:g} (MJCF has two finite limits that differ)")
    if effort == 0:
        draft.unsupported.refuse(where, "effort_limit 0")
    elif effort < np.inf:
        found["actuatorfrcrange"] = draft.numbers(where, "effort_limit", (-effort, effort))
    return found


class Geoms:
    """The geoms of one file, and the meshes that they name."""

    def __init__(self, draft: Draft):
        self.draft = draft
        self.taken: set[str] = set()
        self.meshes: dict[tuple[str, str], Node] = {}

    def of(self, body: Body) -> list[Node]:
        """The geoms of a body. They weigh nothing, and those to look at touch nothing: see the defaults of the file."""
        shown = shown_visuals(body, SHAPES, self.draft, solid=True)
        found = [self._geom(f"a visual of body {body.name!r}", visual) for visual in shown]
        for own, shape in touching_shapes(body, SHAPES, self.draft, solid=True):
            where = f"a collision of body {body.name!r}"
            node = self._geom(where, shape)
            node.attributes |= {"contype": str(own.group), "conaffinity": str(own.mask), "group": "3"}
            if own.friction is not None:
                node.attributes["friction"] = self.draft.number(where, "friction", own.friction)
            found.append(node)
        return found

    def _geom(self, where: str, visual: Visual) -> Node:
        draft, shape = self.draft, visual.shape
        attributes = {"name": draft.name(where, visual.name) or None, "type": shape, **place_of(where, visual.placement, draft)}
        if visual.name in self.taken:
            draft.unsupported.leave_out(where, f"the name {visual.name!r}, which another visual has,")
            attributes["name"] = None
        self.taken |= {visual.name} - {""}
        if visual.color is not None:
            attributes["rgba"] = draft.numbers(where, "colour", visual.color)
        if shape == "mesh":
            return element("geom", mesh=self._mesh(where, visual), **attributes)
        size = [float(value) for value in visual.size]
        if shape in ("box", "plane"):
            size = [value / 2 for value in size]
        elif shape in ("cylinder", "capsule"):
            size[1] /= 2
        return element("geom", size=draft.numbers(where, "size", [*size, *([1.0] if shape == "plane" else [])]), **attributes)

    def _mesh(self, where: str, visual: Visual) -> str:
        file = self.draft.name(where, self.draft.mesh(visual.file or ""))
        scale = self.draft.numbers(where, "size", visual.size)
        if (file, scale) not in self.meshes:
            self.meshes[file, scale] = element("mesh", name=f"mesh {len(self.meshes) + 1}", file=file, scale=scale)
        return self.meshes[file, scale].attributes["name"]
