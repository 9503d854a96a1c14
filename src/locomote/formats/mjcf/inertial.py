"""The inertia of an MJCF body: given, or summed over its geoms, and then bounded as the compiler options say."""

import numpy as np

from locomote.formats.faults import Faults, shown
from locomote.formats.mjcf.elements import ORIENTATIONS, flag
from locomote.formats.mjcf.frames import read_placement
from locomote.formats.mjcf.geom import Geom
from locomote.formats.mjcf.mesh_inertia import mesh_inertia
from locomote.formats.mjcf.reading import Reading
from locomote.formats.mjcf.settings import Settings
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node
from locomote.spatial.inertia import Inertia

ADVICE = "give the body an <inertial> (MuJoCo writes one when it saves a model with saveinertial)"


def read_inertial(node: Node, frame: np.ndarray, settings: Settings, faults: Faults) -> Inertia | None:
    """The inertia of an <inertial> in the body frame."""
    if node.get("pos") is None:
        faults.add(node, "attribute 'pos' is missing")
    placement = frame @ read_placement(node, settings, faults)
    mass = number(node, "mass", faults, least=0.0)
    moment = numbers(node, "diaginertia", 3, faults, (0.0, 0.0, 0.0))
    if node.get("fullinertia") is not None:
        turned = [name for name in (*ORIENTATIONS, "diaginertia") if node.get(name) is not None]
        if turned:
            faults.add(node, f"has fullinertia and {turned[0]}; keep one")
        xx, yy, zz, xy, xz, yz = numbers(node, "fullinertia", 6, faults, (0.0,) * 6)
        moment = (xx, xy, xz, yy, yz, zz)
    return None if mass is None else Inertia(mass, moment=moment).moved(placement)


def body_inertia(
    name: str, node: Node, given: Inertia | None, geoms: list[Geom], fixed: bool, reading: Reading
) -> Inertia | None:
    """The inertia of a body in its frame, None if it has none. `fixed` says that the body cannot move."""
    settings = reading.settings
    low, high = settings.inertiagrouprange
    weighing = [geom for geom in geoms if low <= geom.group <= high and geom.mass != 0]
    inertia = given
    if settings.inertiafromgeom == "true" or (settings.inertiafromgeom == "auto" and given is None):
        unknown = [geom for geom in weighing if geom.mass is None]
        summed = [geom.inertia for geom in weighing if geom.mass is not None]
        if unknown and fixed and settings.settotalmass <= 0:
            reading.faults.warn_alike("bodies fixed to the world that weigh what a mesh weighs are taken as massless", node)
        else:
            summed += filter(None, (_of_mesh(name, geom, reading) for geom in unknown))
        if summed:
            inertia = sum(summed[1:], summed[0])
        if len(weighing) == 1 and weighing[0].shape != "mesh":
            reading.besides.axes[name] = weighing[0].placement[:3, :3]
    return bounded(inertia, settings, node, reading)


def _of_mesh(name: str, geom: Geom, reading: Reading) -> Inertia | None:
    """The inertia of a geom that weighs what its mesh weighs, in the body frame; None if that cannot be known."""
    mesh, element, faults = reading.assets.meshes.get(geom.mesh or ""), geom.element, reading.faults
    if geom.shape != "mesh" or mesh is None or not mesh.open:
        reading.unsupported.refuse(element, f"the inertia of a mesh or shell (body {shown(name)})", ADVICE)
        return None
    shell = flag(element, "shellinertia", False, faults)
    kind = "shell" if shell else "exact" if reading.settings.exactmeshinertia and mesh.inertia == "legacy" else mesh.inertia
    mass = None if element.get("mass") is None else number(element, "mass", faults, 0.0, least=0.0)
    density = number(element, "density", faults, 1000.0, least=0.0)
    try:
        return mesh_inertia(mesh.triangles, kind, density=density, mass=mass).moved(geom.placement)
    except ValueError as error:
        reading.unsupported.refuse(
            element, f"the inertia of body {shown(name)}, which weighs what its mesh weighs ({error}),", ADVICE
        )
    return None


def bounded(inertia: Inertia | None, settings: Settings, node: Node, reading: Reading) -> Inertia | None:
    """The inertia after boundmass, boundinertia and balanceinertia.

    A body that has none of its own gets its least mass at the point of its own axes that its place on its parent reads as: so
    MuJoCo has it.
    """
    if not (settings.boundmass or settings.boundinertia or settings.balanceinertia):
        return None if inertia is None or (inertia.mass == 0 and not inertia.moment.any()) else inertia
    inertia = inertia or Inertia(0.0, tuple(read_placement(node, settings, reading.faults)[:3, 3]))
    principal, axes = np.linalg.eigh(inertia.moment)
    principal = np.maximum(principal, settings.boundinertia) if settings.boundinertia else principal
    if settings.balanceinertia and principal.sum() - 2 * principal.max() < 0:
        principal = np.full(3, principal.mean())
    bound = Inertia(max(inertia.mass, settings.boundmass), inertia.com, axes @ np.diag(principal) @ axes.T)
    return None if bound.mass == 0 and not bound.moment.any() else bound
