"""Rods of a model as tubes, coloured by how much they are bent and twisted."""

from functools import partial

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.sections import sections
from locomote.model.description import Body
from locomote.model.model import Model
from locomote.model.rods import Rod
from locomote.view.colors import BODIES, rgba
from locomote.view.scene import Tube

THIN = 4e-3  # of its length: the least radius of a rod that is drawn


def rod_tubes(model: Model, bodies: list[Body]) -> tuple[Tube, ...]:
    """A tube for each body that is a rod."""
    return tuple(rod_tube(model, body, body.flex, k) for k, body in enumerate(bodies) if body.flex is not None)


def rod_tube(model: Model, body: Body, rod: Rod, k: int) -> Tube:
    """The tube of one rod: its root, then its stations."""
    along = np.concatenate([[0.0], sections(model, model.neutral(), body.name).along])
    radii = np.array([radii_at(rod, float(x)) for x in along])
    color = rgba(BODIES[k % len(BODIES)])
    return Tube(body.name, partial(bent, model, body.name, rod), radii, color, "curvature and twist", "1/m")


def radii_at(rod: Rod, x: float) -> tuple[float, float]:
    """Half sizes of the section at x, m."""
    section = rod.section_at(x)
    y, z = section.size if min(section.size) > 0 else (np.sqrt(section.area / np.pi),) * 2
    return max(float(y), THIN * rod.length), max(float(z), THIN * rod.length)


def bent(model: Model, name: str, rod: Rod, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses (n, k, 4, 4) of root and stations, and how far bending and twist (n, k) are from those at rest, 1/m."""
    found = sections(model, q, name)
    root = forward_kinematics(model, q)[:, model.body_index(name)]
    rest = np.array([rod.rest_at(float(x)) for x in found.along])
    turn = np.linalg.norm(found.strains[..., 3:] - rest[:, 3:], axis=-1)
    return np.concatenate([root[:, None], found.poses], axis=1), np.concatenate([turn[:, :1], turn], axis=1)
