"""Simple shapes fitted to meshes, as MuJoCo does it: to the box that has the inertia of the mesh, or to the box around it."""

from dataclasses import replace

import numpy as np

from locomote.formats import poses
from locomote.formats.faults import shown
from locomote.formats.mjcf.assets import Mesh
from locomote.formats.mjcf.elements import flag
from locomote.formats.mjcf.geom import SIZES, VOLUMES, Geom
from locomote.formats.mjcf.mesh_inertia import mesh_inertia
from locomote.formats.mjcf.reading import Reading
from locomote.formats.numbers import number


def fitted(geom: Geom, reading: Reading) -> Geom:
    """A geom of a simple shape that names a mesh, with the size and place that fit the mesh; other geoms as they are."""
    if geom.mesh is None or geom.shape not in SIZES:
        return geom
    mesh, faults = reading.assets.meshes.get(geom.mesh), reading.faults
    if mesh is None or not mesh.open:
        reading.unsupported.refuse(geom.element, f"a {geom.shape} fitted to mesh {shown(geom.mesh)}, which cannot be read,")
        return geom
    try:
        pose, half = box_of(mesh, reading.settings.fitaabb)
    except ValueError as error:
        reading.unsupported.refuse(geom.element, f"a {geom.shape} fitted to mesh {shown(geom.mesh)} ({error})")
        return geom
    x, y, z = half * number(geom.element, "fitscale", faults, 1.0, least=1e-9)
    if reading.settings.fitaabb:
        wide, most, cut = max(x, y), max(x, y, z), 1.0
    else:
        wide, most, cut = (x + y) / 2, (x + y + z) / 3, 0.5
    sizes = {"sphere": (most,), "capsule": (wide, max(z - cut * wide, 0.0)), "cylinder": (wide, z)}
    size = tuple(float(value) for value in sizes.get(geom.shape, (x, y, z)))
    mass = geom.mass
    if mass is None and not flag(geom.element, "shellinertia", False, faults):
        density = number(geom.element, "density", faults, 1000.0, least=0.0)
        given = None if geom.element.get("mass") is None else number(geom.element, "mass", faults, 0.0, least=0.0)
        mass = density * VOLUMES[geom.shape](*size) if given is None else given
    return replace(geom, size=size, placement=geom.placement @ pose, mesh=None, mass=mass)


def box_of(mesh: Mesh, around: bool) -> tuple[np.ndarray, np.ndarray]:
    """Pose and half edges of the box with the inertia of a mesh, or of that around it with the same axes."""
    inertia = mesh_inertia(mesh.triangles, mesh.inertia, density=1.0)
    moments, axes = np.linalg.eigh(inertia.moment)
    moments, axes = moments[::-1], axes[:, ::-1]
    axes = axes * np.sign(np.linalg.det(axes))
    if not around:
        squares = 6.0 * (moments.sum() - 2.0 * moments) / inertia.mass
        return poses.pose(axes, inertia.com), np.sqrt(np.maximum(squares, 0.0)) / 2
    seen = mesh.triangles.reshape(-1, 3) @ axes
    low, high = seen.min(axis=0), seen.max(axis=0)
    return poses.pose(axes, axes @ (low + high) / 2), (high - low) / 2
