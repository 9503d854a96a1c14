"""A body as a URDF link: where it is, what it weighs, what it looks like."""

import numpy as np

from locomote.formats import forms
from locomote.formats.draft import Draft, text_of
from locomote.formats.urdf.link import MOMENTS
from locomote.formats.visuals import shown_visuals, touching_shapes
from locomote.formats.xml import Node
from locomote.formats.xml_text import element
from locomote.model.description import Body, Visual
from locomote.spatial.inertia import Inertia

SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh")


def link_of(body: Body, name: str, visuals: bool, draft: Draft) -> Node:
    """The <link> of a body."""
    where, node = f"body {body.name!r}", element("link", name=name)
    if inertia := draft.inertia(body):
        node.children.append(_inertial(where, inertia, draft))
    if visuals:
        node.children.extend(_visual(where, visual, draft) for visual in shown_visuals(body, SHAPES, draft, solid=False))
    for _, shape in touching_shapes(body, SHAPES, draft, solid=False) if visuals else ():
        node.children.append(_visual(where, shape, draft, tag="collision"))
    return node


def origin_of(where: str, placement, draft: Draft) -> list[Node]:
    """The <origin> of a pose; none for the identity."""
    placement = np.asarray(placement, dtype=float)
    place, angles = placement[:3, 3], None
    if not np.array_equal(placement[:3, :3], np.eye(3)):
        angles, error = forms.to_rpy(placement[:3, :3])
        draft.check_rotation(where, error)
    xyz = draft.numbers(where, "placement", place) if place.any() else None
    rpy = " ".join(map(text_of, angles)) if angles else None
    return [element("origin", xyz=xyz, rpy=rpy)] if xyz or rpy else []


def _inertial(where: str, inertia: Inertia, draft: Draft) -> Node:
    place = [element("origin", xyz=draft.numbers(where, "center of mass", inertia.com))] if inertia.com.any() else []
    moments = zip(MOMENTS, draft.moment(where, inertia.moment), strict=True)
    return element(
        "inertial",
        *place,
        element("mass", value=draft.number(where, "mass", inertia.mass)),
        element("inertia", **{label: draft.number(where, label, value) for label, value in moments}),
    )


def _visual(where: str, visual: Visual, draft: Draft, *, tag: str = "visual") -> Node:
    where = f"a {tag} of {where}"
    sizes = [draft.number(where, "size", value) for value in visual.size]
    if visual.shape == "mesh":
        shape = element("mesh", filename=draft.name(where, draft.mesh(visual.file or "")), scale=" ".join(sizes))
    elif visual.shape == "box":
        shape = element("box", size=" ".join(sizes))
    else:
        shape = element(visual.shape, **dict(zip(("radius", "length"), sizes, strict=False)))
    parts = [*origin_of(where, visual.placement, draft), element("geometry", shape)]
    if visual.color is not None:
        rgba = draft.numbers(where, "colour", visual.color)
        parts.append(element("material", element("color", rgba=rgba), name=f"rgba {rgba}"))
    return element(tag, *parts, name=draft.name(where, visual.name) or None)
