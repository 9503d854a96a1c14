"""The geoms of an MJCF body: what they weigh and what they look like."""

from dataclasses import dataclass

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import Faults, shown
from locomote.formats.mjcf.assets import Assets
from locomote.formats.mjcf.elements import Element, choice, flag
from locomote.formats.mjcf.frames import read_placement
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import number, numbers
from locomote.formats.visuals import collision_of
from locomote.model.description import Collision, Visual
from locomote.spatial.inertia import Inertia

# how many sizes a shape has: half edges, radii, radius and half length
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
WEIGHTLESS = ("plane", "hfield")
SHAPES = (*SIZES, *WEIGHTLESS, "mesh", "sdf")
LAST_VISIBLE_GROUP = 2  # MuJoCo's viewer hides the others, which hold collision shapes
VOLUMES = {
    "sphere": lambda r: 4 / 3 * np.pi * r**3,
    "capsule": lambda r, h: np.pi * r**2 * (2 * h + 4 / 3 * r),
    "cylinder": lambda r, h: 2 * np.pi * r**2 * h,
    "box": lambda x, y, z: 8 * x * y * z,
    "ellipsoid": lambda x, y, z: 4 / 3 * np.pi * x * y * z,
}
INERTIAS = {
    "sphere": lambda m, r: Inertia.sphere(m, r),
    "capsule": lambda m, r, h: Inertia.capsule(m, r, 2 * h),
    "cylinder": lambda m, r, h: Inertia.cylinder(m, r, 2 * h),
    "box": lambda m, x, y, z: Inertia.box(m, (2 * x, 2 * y, 2 * z)),
    "ellipsoid": lambda m, x, y, z: Inertia.ellipsoid(m, (x, y, z)),
}
AREAS = {
    "sphere": lambda r: (4 * np.pi * r**2,),
    "capsule": lambda r, h: (4 * np.pi * r * h, 4 * np.pi * r**2),  # the side, the rest
    "cylinder": lambda r, h: (4 * np.pi * r * h, 2 * np.pi * r**2),
    "box": lambda x, y, z: (8 * y * z, 8 * x * z, 8 * x * y),  # faces across x, y, z
}
SHELLS = {  # moments about x, y, z for each 1 kg of these areas
    "sphere": lambda r: ((2 / 3 * r**2,) * 3,),
    "capsule": lambda r, h: (
        (r**2 / 2 + h**2 / 3, r**2 / 2 + h**2 / 3, r**2), (2 / 3 * r**2 + h * (h + r),) * 2 + (2 / 3 * r**2,)
    ),
    "cylinder": lambda r, h: (
        (r**2 / 2 + h**2 / 3, r**2 / 2 + h**2 / 3, r**2), (r**2 / 4 + h**2, r**2 / 4 + h**2, r**2 / 2)
    ),
    "box": lambda x, y, z: tuple(
        (a * y**2 + b * z**2, c * x**2 + b * z**2, c * x**2 + a * y**2)
        for c, a, b in ((1, 1 / 3, 1 / 3), (1 / 3, 1, 1 / 3), (1 / 3, 1 / 3, 1))
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Geom:
    """A geom in the frame of its body. `mass` is None if the geom weighs something that only its mesh knows; hollow : whether
    it weighs at its surface only."""

    element: Element
    shape: str
    size: tuple[float, ...]
    placement: np.ndarray
    group: float
    mass: float | None
    mesh: str | None
    hollow: bool = False

    @property
    def inertia(self) -> Inertia:
        """Its inertia in the body frame; only if `mass` is known."""
        if not self.mass:
            return Inertia(0.0)
        if not self.hollow:
            return INERTIAS[self.shape](self.mass, *self.size).moved(self.placement)
        areas = np.array(AREAS[self.shape](*self.size))
        moment = areas @ np.array(SHELLS[self.shape](*self.size)) * self.mass / areas.sum()
        return Inertia(self.mass, moment=np.diag(moment)).moved(self.placement)


def read_geom(element: Element, frame: np.ndarray, settings: Settings, faults: Faults) -> Geom:
    """The geom of an element; `frame` is the pose in the body of the <frame> elements around it."""
    shape = choice(element, "type", SHAPES, "sphere", faults)
    mesh = element.get("mesh")
    if shape == "mesh" and mesh is None:
        faults.add(element, "is a mesh but does not name one")
    placement, size = from_to(element, shape, faults)
    if placement is None:
        placement = read_placement(element, settings, faults)
        size = numbers(element, "size", (1, 3), faults, (0.0,)) if element.get("size") is not None else ()
    known = shape in SIZES and mesh is None
    if known:
        size = _checked(element, shape, size, faults)
    group = number(element, "group", faults, 0.0)
    hollow = flag(element, "shellinertia", False, faults)
    mass = _mass(element, shape, size, known, hollow, faults)
    return Geom(element, shape, size, frame @ placement, group, mass, mesh, hollow and known)


def from_to(element: Element, shape: str, faults: Faults) -> tuple[np.ndarray | None, tuple[float, ...]]:
    """Placement and size of a geom that is stretched between two points; None without them."""
    if element.get("fromto") is None:
        return None, ()
    ends = np.array(numbers(element, "fromto", 6, faults, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)))
    if shape not in ("capsule", "cylinder", "box", "ellipsoid"):
        faults.add(element, f"fromto is for capsule, cylinder, box and ellipsoid, not for {shape}")
        return np.eye(4), ()
    along = ends[:3] - ends[3:]
    half = float(np.linalg.norm(along)) / 2
    if half < 1e-12:
        faults.add(element, "the two points of fromto are the same")
        return np.eye(4), (1.0, 1.0, 1.0)[: SIZES[shape]]
    radius = numbers(element, "size", (1, 3), faults, (0.0,))[:1]
    size = (*radius, half) if SIZES[shape] == 2 else (*radius, *radius, half)
    return poses.pose(poses.from_z_axis(along), (ends[:3] + ends[3:]) / 2), size


def _checked(element: Element, shape: str, size: tuple[float, ...], faults: Faults) -> tuple[float, ...]:
    wanted = SIZES[shape]
    if len(size) < wanted:
        faults.add(element, f"a {shape} needs {wanted} sizes, has {len(size)}")
    elif min(size[:wanted]) <= 0:
        faults.add(element, f"its size {shown(' '.join(f'{value:g}' for value in size[:wanted]))} must be positive")
    else:
        return tuple(float(value) for value in size[:wanted])
    return (1.0,) * wanted


def _mass(element: Element, shape: str, size: tuple[float, ...], known: bool, hollow: bool, faults: Faults) -> float | None:
    given = None if element.get("mass") is None else number(element, "mass", faults, 0.0, least=0.0)
    density = number(element, "density", faults, 1000.0, least=0.0)
    if shape in WEIGHTLESS or given == 0 or (given is None and density == 0):
        return 0.0
    if not known or (hollow and shape not in SHELLS):
        return None
    if given is not None:
        return given
    return density * (sum(AREAS[shape](*size)) if hollow else VOLUMES[shape](*size))


def visual_of(geom: Geom, assets: Assets, faults: Faults) -> Visual | None:
    """What the geom looks like, or None if it is not shown."""
    return None if geom.group > LAST_VISIBLE_GROUP else shape_of(geom, assets, faults)


def collision_of_geom(geom: Geom, assets: Assets, faults: Faults, paired: bool = False) -> Collision | None:
    """What the geom touches with, or None if it touches nothing; paired : whether a <pair> names it"""
    group, mask = (bits(geom.element, name, faults) for name in ("contype", "conaffinity"))
    if not (group or mask or paired):
        return None
    for name in ("adhesion", "surfacevel"):
        if any(numbers(geom.element, name, (1, 6), faults, (0.0,))):
            faults.warn_alike(f"{name} of geoms is left out: give lo.Ground adhesion= or motion= in code", geom.element)
    said = assets.meshes.get(geom.mesh or "")
    shape = shape_of(geom, assets, faults)
    if said is not None and said.said is not None:
        corners = tuple(float(x) for x in np.ravel(said.corners))
        shape = Visual("hull", corners, geom.placement, name=geom.element.get("name") or "")
    friction = numbers(geom.element, "friction", (1, 3), faults, (1.0, 0.005, 0.0001))[0]
    return None if shape is None else collision_of(shape, min(max(friction, 0.0), 1e4), group, mask)


def bits(element: Element, name: str, faults: Faults) -> int:
    """A mask of 32 bits, 1 if it is not said."""
    value = number(element, name, faults, 1.0)
    return int(value) & 0xFFFFFFFF if abs(value) < 2**53 else 1


def shape_of(geom: Geom, assets: Assets, faults: Faults) -> Visual | None:
    """The shape of a geom with its colour; None of one that has no shape here."""
    if geom.shape in ("hfield", "sdf"):
        return None
    own = Faults(faults.source)
    color = assets.colors.get(geom.element.get("material") or "")
    if geom.element.get("rgba") is not None:
        color = numbers(geom.element, "rgba", 4, own, color or (0.5, 0.5, 0.5, 1.0))
    name = geom.element.get("name") or ""
    if geom.mesh is not None:
        mesh = assets.meshes.get(geom.mesh)
        if mesh is None or mesh.said is not None:
            faults.warn_alike("geoms whose mesh has no file are not shown", geom.element)
            return None
        return Visual("mesh", mesh.scale, geom.placement @ mesh.placement, mesh.file, color, name)
    size = geom.size
    if geom.shape == "box":
        size = tuple(2 * value for value in size)
    elif geom.shape in ("cylinder", "capsule"):
        size = (size[0], 2 * size[1])
    elif geom.shape == "plane":
        size = tuple(2 * value for value in (*size, 0.0, 0.0)[:2])
    return Visual(geom.shape, size, geom.placement, color=color, name=name)
