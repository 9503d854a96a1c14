"""What an SDF link looks like. A shape that cannot be read is left out with a warning: it does not move anything."""

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults
from locomote.formats.sdf.elements import value, values, word
from locomote.formats.sdf.pose import read_pose, relative_to
from locomote.formats.sdf.reading import Reading
from locomote.formats.sdf.scope import Part
from locomote.formats.visuals import collision_of
from locomote.formats.xml import Node
from locomote.model.description import Collision, Visual

# by shape: its elements, with how many numbers and the default of the format
SHAPES = {
    "box": (("size", 3, 1.0),),
    "sphere": (("radius", 1, 1.0),),
    "cylinder": (("radius", 1, 1.0), ("length", 1, 1.0)),
    "capsule": (("radius", 1, 0.5), ("length", 1, 1.0)),
    "ellipsoid": (("radii", 3, 1.0),),
    "plane": (("size", 2, 1.0),),
    "mesh": (("scale", 3, 1.0),),
}


def read_visuals(part: Part, reading: Reading) -> tuple[Visual, ...]:
    """The visuals of a link that can be read."""
    visuals = []
    for node in part.node.all("visual"):
        own = Faults(reading.faults.source)
        visual = _visual(node, part, reading, own)
        if own.faults:
            reading.faults.warn(None, f"a visual of link {reading.named(part.name)!r} is left out: {own.faults[0]}")
        elif visual is not None:
            visuals.append(visual)
    return tuple(visuals)


def read_collisions(part: Part, reading: Reading) -> tuple[Collision, ...]:
    """The shapes with which a link touches others, as far as they can be read."""
    found = []
    for node in part.node.all("collision"):
        own = Faults(reading.faults.source)
        shape = _visual(node, part, reading, own)
        if own.faults:
            reading.faults.warn(None, f"a collision of link {reading.named(part.name)!r} is left out: {own.faults[0]}")
        elif shape is not None:
            found.append(collision_of(shape, _friction(node, own)))
    return tuple(found)


def _friction(node: Node, faults: Faults) -> float | None:
    """Coulomb's coefficient of a collision, None if it says none."""
    for tag in ("surface", "friction", "ode"):
        found = node.first(tag)
        if found is None:
            return None
        node = found
    mu = value(node, "mu", faults, -1.0)
    return mu if 0.0 <= mu < 1e4 else None


def _visual(node: Node, part: Part, reading: Reading, faults: Faults) -> Visual | None:
    placement = read_pose(node, faults)
    if relative_to(node):
        frame = reading.frames.find(part.scope, relative_to(node), node)
        placement = reading.frames.relative(frame, part.frame) @ placement
    geometry = node.first("geometry")
    if geometry is None or not geometry.children:
        faults.add(node, "it has no <geometry>")
        return None
    shape = geometry.children[0]
    if shape.tag == "empty":
        return None
    if shape.tag not in SHAPES:
        faults.add(shape, f"this shape is not read; known are {', '.join(SHAPES)}")
        return None
    size = tuple(x for tag, n, usual in SHAPES[shape.tag] for x in values(shape, tag, n, faults, (usual,) * n))
    file = None
    if shape.tag == "mesh":
        if not word(shape, "uri"):
            faults.add(shape, "it has no <uri>")
            return None
        file = reading.meshes.find(word(shape, "uri"))
    if shape.tag == "plane":
        normal = values(shape, "normal", 3, faults, (0.0, 0.0, 1.0))
        placement = placement @ poses.pose(poses.from_z_axis(normal) if any(normal) else np.eye(3), (0.0, 0.0, 0.0))
    return Visual(shape.tag, size, placement, file, _color(node, faults), node.get("name") or "")


def _color(node: Node, faults: Faults) -> tuple[float, float, float, float] | None:
    material = node.first("material")
    known = [] if material is None else [tag for tag in ("diffuse", "ambient") if material.first(tag) is not None]
    if material is None or not known:
        return None
    red, green, blue, *alpha = values(material, known[0], (3, 4), faults, (1.0, 1.0, 1.0, 1.0))
    opaque = 1.0 - value(node, "transparency", faults, 0.0)
    return red, green, blue, (alpha[0] if alpha else 1.0) * opaque
