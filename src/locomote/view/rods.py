"""Rods of a model as tubes, coloured by how much they are bent and twisted, and lines of modal bodies by how far they moved."""

from functools import partial

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.dynamics.sections import deformed, sections
from locomote.model.description import Body
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model
from locomote.view.colors import BODIES, rgba
from locomote.view.scene import Tube
from locomote.view.smooth import between, finer

SECTIONS = 28  # of a rod as drawn, at least
THIN = 4e-3  # least radius of a rod as drawn, over its length


def rod_tubes(model: Model, bodies: list[Body]) -> tuple[Tube, ...]:
    """A tube for each body that is a rod, and for each line of a modal body."""
    tubes: list[Tube] = []
    for k, body in enumerate(bodies):
        if isinstance(body.flex, Modes):
            tubes += [line_tube(model, body.name, body.flex, np.asarray(line), k) for line in body.flex.lines]
        elif body.flex is not None:
            tubes.append(rod_tube(model, body, body.flex, k))
    return tuple(tubes)


def line_tube(model: Model, name: str, modes: Modes, line: np.ndarray, k: int) -> Tube:
    """The tube of a line of nodes of a modal body."""
    radii = np.full(len(line), 6 * THIN * modes.length)
    return Tube(name, partial(moved, model, name, modes, line), radii, rgba(BODIES[k % len(BODIES)]), "displacement", "m")


def moved(model: Model, name: str, modes: Modes, line: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses (n, k, 4, 4) along a line of nodes, x along it, and how far they are from rest (n, k), m."""
    nodes = deformed(model, q, name)[:, line]
    root = forward_kinematics(model, q)[:, model.body_index(name)]
    rest = np.asarray(modes.points)[line] @ root[:, :3, :3].transpose(0, 2, 1) + root[:, None, :3, 3]
    along = np.gradient(nodes, axis=1)
    x = along / np.linalg.norm(along, axis=-1, keepdims=True)
    side = np.broadcast_to(np.where(abs(x[..., 2:]) < 0.9, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)), x.shape)
    y = np.cross(side, x)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    poses = np.tile(np.eye(4), (*x.shape[:2], 1, 1))
    poses[..., :3, 0], poses[..., :3, 1], poses[..., :3, 2], poses[..., :3, 3] = x, y, np.cross(x, y), nodes
    return poses, np.linalg.norm(nodes - rest, axis=-1)


def rod_tube(model: Model, body: Body, rod: Rod, k: int) -> Tube:
    """The tube of one rod: its root, then its stations."""
    along = np.concatenate([[0.0], sections(model, model.neutral(), body.name).along])
    count = max(1, -(-SECTIONS // len(along)))
    radii = np.array([radii_at(rod, float(x)) for x in between(along, count)])
    color = rgba(BODIES[k % len(BODIES)])
    return Tube(body.name, partial(bent, model, body.name, rod, count), radii, color, "curvature and twist", "1/m")


def radii_at(rod: Rod, x: float) -> tuple[float, float]:
    """Half sizes of the section at x, m."""
    section = rod.at(x)
    y, z = section.size if min(section.size) > 0 else (np.sqrt(section.area / np.pi),) * 2
    return max(float(y), THIN * rod.length), max(float(z), THIN * rod.length)


def bent(model: Model, name: str, rod: Rod, count: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses (n, k, 4, 4) of root and stations, with count - 1 between each two, and how far bending and twist (n, k) are
    from those at rest, 1/m."""
    found = sections(model, q, name)
    root = forward_kinematics(model, q)[:, model.body_index(name)]
    rest = np.array([rod.rest_at(float(x)) for x in found.along])
    turn = np.linalg.norm(found.strains[..., 3:] - rest[:, 3:], axis=-1)
    poses, values = np.concatenate([root[:, None], found.poses], axis=1), np.concatenate([turn[:, :1], turn], axis=1)
    return finer(poses, count), np.maximum(between(values, count, axis=1), 0.0)
