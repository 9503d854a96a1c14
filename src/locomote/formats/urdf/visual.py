"""What a URDF link looks like. A shape that cannot be read is left out with a warning: it does not move anything."""

from locomote.formats.faults import Faults
from locomote.formats.meshes import MeshFinder
from locomote.formats.numbers import number, numbers
from locomote.formats.urdf.link import read_origin
from locomote.formats.visuals import collision_of
from locomote.formats.xml import Node
from locomote.model.description import Collision, Visual

Color = tuple[float, float, float, float]


def read_materials(root: Node, faults: Faults) -> dict[str, Color]:
    """Colours of the named materials of the file."""
    own = Faults(faults.source)
    found = {}
    for material in [*root.all("material"), *(part for link in root.all("link") for part in _materials_of(link))]:
        color = _color(material, own)
        if color is not None and material.get("name"):
            found.setdefault(material.get("name"), color)
    return found  # faults of colours are told where the visual uses them


def _materials_of(link: Node) -> list[Node]:
    return [material for visual in link.all("visual") for material in visual.all("material")]


def read_visuals(link: Node, materials: dict[str, Color], meshes: MeshFinder, faults: Faults) -> tuple[Visual, ...]:
    """The visuals of a link that can be read."""
    visuals = []
    for node in link.all("visual"):
        own = Faults(faults.source)
        visual = _visual(node, materials, meshes, own)
        if own.faults:
            faults.warn(None, f"a visual of link {link.get('name')!r} is left out: {own.faults[0]}")
        elif visual is not None:
            visuals.append(visual)
    return tuple(visuals)


def read_collisions(link: Node, meshes: MeshFinder, faults: Faults) -> tuple[Collision, ...]:
    """The shapes with which a link touches others, as far as they can be read."""
    found = []
    for node in link.all("collision"):
        own = Faults(faults.source)
        shape = _visual(node, {}, meshes, own)
        if own.faults:
            faults.warn(None, f"a collision of link {link.get('name')!r} is left out: {own.faults[0]}")
        elif shape is not None:
            found.append(collision_of(shape))
    return tuple(found)


def _visual(node: Node, materials: dict[str, Color], meshes: MeshFinder, faults: Faults) -> Visual | None:
    placement = read_origin(node, faults)
    geometry = node.first("geometry")
    if geometry is None or not geometry.children:
        faults.add(node, "it has no <geometry>")
        return None
    material = node.first("material")
    color = None
    if material is not None:
        color = _color(material, faults) or materials.get(material.get("name", ""))
    shape = geometry.children[0]
    name = node.get("name") or ""
    if shape.tag == "box":
        return Visual("box", numbers(shape, "size", 3, faults) or (), placement, color=color, name=name)
    if shape.tag == "sphere":
        return Visual("sphere", lengths(shape, ("radius",), faults), placement, color=color, name=name)
    if shape.tag in ("cylinder", "capsule"):
        return Visual(shape.tag, lengths(shape, ("radius", "length"), faults), placement, color=color, name=name)
    if shape.tag == "mesh":
        scale = numbers(shape, "scale", (1, 3), faults, (1.0, 1.0, 1.0))
        file = shape.get("filename")
        if not file:
            faults.add(shape, "attribute 'filename' is missing")
            return None
        scale = scale if len(scale) == 3 else (scale[0],) * 3
        return Visual("mesh", scale, placement, meshes.find(file), color, name)
    faults.add(shape, "unknown shape; expected box, sphere, cylinder, capsule or mesh")
    return None


def lengths(shape: Node, names: tuple[str, ...], faults: Faults) -> tuple[float, ...]:
    """Attributes of a shape, m; a fault for each that is missing or wrong."""
    found = (number(shape, name, faults) for name in names)
    return tuple(x for x in found if x is not None)


def _color(material: Node, faults: Faults) -> Color | None:
    color = material.first("color")
    return None if color is None else numbers(color, "rgba", 4, faults)
