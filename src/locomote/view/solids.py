"""The simplest full body that has a given inertia: what a body without shapes of its own most likely is.

With m the mass and I_x <= I_y <= I_z the principal moments, h_i = (I_x + I_y + I_z) / 2 - I_i is the sum of m x_i^2:

    all alike        ball      r^2 = 5 h / m                                                     (1)
    two alike        cylinder  r^2 = 4 h / m across,  L^2 = 12 h / m along its axis              (2)
    else             box       edges a_i^2 = 12 h_i / m                                          (3)

Moments that would need a body lighter than air are numbers of a joint, a motor or a frame, and no shape.
"""

import numpy as np

from locomote.geometry import meshes
from locomote.geometry.meshes import Mesh
from locomote.spatial.inertia import Inertia

ALIKE = 1e-6  # share of the largest moment
THIN = 0.04  # least size across, over the largest
SMALL = 1e-6  # radius of gyration of a point, m
LIGHTEST = 1.2  # kg/m^3, of a body that is drawn: that of air


def solid_of(inertia: Inertia) -> tuple[str, Mesh, np.ndarray] | None:
    """Its name, its mesh and its pose (4, 4) in the body frame; None for a point, no mass, or less of it than air."""
    mass, moment = float(inertia.mass), np.asarray(inertia.moment)
    if not mass > 0 or not np.isfinite(moment).all() or np.trace(moment) < mass * SMALL**2:
        return None
    values, axes = np.linalg.eigh(moment)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    h = np.maximum(values.sum() / 2 - values, 0.0) / mass  # falling, since moments rise
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes, inertia.com
    close = ALIKE * values[2]
    if values[2] - values[0] <= close:
        radius = float(np.sqrt(5 * h[0]))  # (1)
        return ("ball", meshes.sphere(radius), pose) if dense(mass, 4 / 3 * np.pi * radius**3) else None
    if values[2] - values[1] <= close or values[1] - values[0] <= close:
        rod = values[2] - values[1] <= close
        along, across = (h[0], h[1:].mean()) if rod else (h[2], h[:2].mean())
        length, radius = np.sqrt(12 * along), np.sqrt(4 * across)  # (2)
        if not dense(mass, np.pi * radius**2 * length):
            return None
        least = THIN * max(length, 2 * radius)
        turned = axes[:, [1, 2, 0]] if rod else axes
        pose[:3, :3] = turned
        return "cylinder", meshes.cylinder(float(max(radius, least / 2)), float(max(length, least))), pose
    edges = np.sqrt(12 * h)  # (3)
    if not dense(mass, float(np.prod(edges))):
        return None
    return "box", meshes.box(*(float(x) for x in np.maximum(edges, THIN * edges.max()))), pose


def dense(mass: float, volume: float) -> bool:
    """Whether a body is heavier than air."""
    return mass >= LIGHTEST * volume
