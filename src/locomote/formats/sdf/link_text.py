"""A body as an SDF link: where it is, what it weighs, what it looks like."""

from itertools import combinations_with_replacement

import numpy as np

from locomote.formats import forms
from locomote.formats.draft import Draft, text_of
from locomote.formats.sdf.elements import MASSES
from locomote.formats.sdf.link import MOMENTS
from locomote.formats.sdf.visual import SHAPES
from locomote.formats.visuals import shown_visuals, touching_shapes
from locomote.formats.xml import Node
from locomote.formats.xml_text import element, leaf
from locomote.model.description import Body, Visual
from locomote.spatial.inertia import Inertia

MASSLESS = "bodies without mass are links with mass 0, which Gazebo does not take; give them some for it"


def link_of(body: Body, name: str, parent: str | None, placement: np.ndarray, visuals: bool, draft: Draft) -> Node:
    """The <link> of a body."""
    where = f"body {body.name!r}"
    node = element("link", *pose_of(where, placement, parent, draft), _inertial(where, body, draft), name=name)
    shapes, taken, other = tuple(SHAPES), set[str](), set[str]()
    if visuals:
        for visual in shown_visuals(body, shapes, draft, solid=True):
            node.children.append(_visual(where, visual, taken, draft))
    for own, shape in touching_shapes(body, shapes, draft, solid=True) if visuals else ():
        node.children.append(_visual(where, shape, other, draft, tag="collision"))
        if own.friction is not None:
            mu = leaf("mu", draft.number(where, "friction", own.friction))
            node.children[-1].children.append(element("surface", element("friction", element("ode", mu))))
    return node


def pose_of(where: str, placement: np.ndarray, relative_to: str | None, draft: Draft) -> list[Node]:
    """The <pose> of a placement in a frame, by angles or a quaternion, whichever reads back nearer; none if it says nothing."""
    straight = np.array_equal(placement[:3, :3], np.eye(3))
    if straight and not placement[:3, 3].any() and relative_to is None:
        return []
    angles, error = ((0.0, 0.0, 0.0), 0.0) if straight else forms.to_rpy(placement[:3, :3])
    form, turn = None, angles
    if error:
        quaternion, other = forms.to_quaternion(placement[:3, :3])
        if other < error:
            form, turn, error = "quat_xyzw", quaternion, other
    draft.check_rotation(where, error)
    text = f"{draft.numbers(where, 'placement', placement[:3, 3])} {' '.join(map(text_of, turn))}"
    return [leaf("pose", text, relative_to=relative_to, rotation_format=form)]


def _inertial(where: str, body: Body, draft: Draft) -> Node:
    """The <inertial> of a body; one without mass gets zeros, since without the element it would weigh 1 kg."""
    added = np.zeros((6, 6)) if body.added_inertia is None else np.asarray(body.added_inertia, dtype=float)
    inertia = body.inertia
    if inertia is None or not (inertia.mass or inertia.moment.any()):
        draft.faults.warn_alike(MASSLESS, where)
        inertia = Inertia(0.0)
    place = np.eye(4)
    place[:3, 3] = inertia.com
    moments = zip(MOMENTS, draft.moment(where, inertia.moment), strict=True)
    parts = [
        *pose_of(where, place, None, draft),
        leaf("mass", draft.number(where, "mass", inertia.mass)),
        element("inertia", *(leaf(tag, draft.number(where, tag, x)) for tag, x in moments)),
    ]
    if added.any():
        pairs = zip(MASSES.split(), combinations_with_replacement(range(6), 2), strict=True)
        masses = [leaf(tag, draft.number(where, "added inertia", added[i, j])) for tag, (i, j) in pairs if added[i, j]]
        parts.append(element("fluid_added_mass", *masses))
    return element("inertial", *parts)


def _visual(where: str, visual: Visual, taken: set[str], draft: Draft, *, tag: str = "visual") -> Node:
    where, sizes = f"a {tag} of {where}", list(visual.size)
    parts = [leaf("uri", draft.name(where, draft.mesh(visual.file or "")))] if visual.shape == "mesh" else []
    for part, count, _ in SHAPES[visual.shape]:
        own, sizes = sizes[:count], sizes[count:]
        parts.append(leaf(part, draft.numbers(where, "size", own)))
    shape = element("geometry", element(visual.shape, *parts))
    nodes = [*pose_of(where, np.asarray(visual.placement, dtype=float), None, draft), shape]
    if visual.color is not None:
        nodes.append(element("material", leaf("diffuse", draft.numbers(where, "colour", visual.color))))
    name = draft.name(where, visual.name)
    if name in taken:
        draft.unsupported.leave_out(where, f"the name {name!r}, which another {tag} has,")
    taken.add(name)
    return element(tag, *nodes, name=name)
