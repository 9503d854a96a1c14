"""Cables and muscles along paths over bodies, as tubes."""

from functools import partial

import numpy as np

from locomote.actuation.controllers import Sampled
from locomote.dynamics.kinematics import forward_kinematics
from locomote.model.model import Model
from locomote.model.paths import Path
from locomote.view.colors import BODIES, rgba
from locomote.view.scene import Tube

SECTIONS = 24  # of each branch
THICK = 0.012  # radius, over the size of the scene
MUSCLE = (0.75, 0.22, 0.2, 1.0)


def cable_tubes(model: Model, environment, controllers, size: float) -> list[Tube]:
    """A tube for each branch of the paths of cables and muscles."""
    cables = [part for part in environment if getattr(part, "cable", False)]
    sampled = [own for own in controllers if isinstance(own, Sampled)]
    if not cables and not sampled:
        return []
    from locomote.actuation.motors import MotorLaw  # here: laws of force are read where there are some

    found: list[Tube] = []
    for n, part in enumerate(cables):
        color = MUSCLE if hasattr(part, "fibres") else rgba(BODIES[2])
        found += _tubes(model, part.name or f"cable {n + 1}", part.path, color, size)
    laws = [own.function for own in sampled if isinstance(own.function, MotorLaw)]
    for motor, path in ((motor, motor.path) for law in laws for motor in law.motors if motor.path is not None):
        found += _tubes(model, motor.name, path, MUSCLE if motor.fibres is not None else rgba(BODIES[2]), size)
    return found


def _tubes(model: Model, name: str, path: Path, color, size: float) -> list[Tube]:
    from locomote.forces.path_lines import lines_of

    count = len(lines_of(path, forward_kinematics(model, model.neutral()), model.body_names))
    radii = np.full(SECTIONS, THICK * size)
    return [
        Tube(name if count == 1 else f"{name} {k + 1}", partial(sections_of, model, path, k), radii, color)
        for k in range(count)
    ]


def sections_of(model: Model, path: Path, branch: int, q: np.ndarray) -> tuple[np.ndarray, None]:
    """Poses (n, SECTIONS, 4, 4) along a branch of a path, x along it."""
    from locomote.forces.path_lines import lines_of

    poses = np.tile(np.eye(4), (len(q), SECTIONS, 1, 1))
    for n, bodies in enumerate(forward_kinematics(model, q)):
        points = even(lines_of(path, bodies, model.body_names)[branch])
        along = np.gradient(points, axis=0)
        x = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-12)
        side = np.where(abs(x[:, 2:]) < 0.9, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
        y = np.cross(side, x)
        y = y / np.linalg.norm(y, axis=-1, keepdims=True)
        poses[n, :, :3, 0], poses[n, :, :3, 1], poses[n, :, :3, 2], poses[n, :, :3, 3] = x, y, np.cross(x, y), points
    return poses, None


def even(points: np.ndarray) -> np.ndarray:
    """(SECTIONS, 3) points at even distances along a line of straight pieces."""
    reached = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0.0, reached[-1], SECTIONS)
    return np.stack([np.interp(at, reached, points[:, k]) for k in range(3)], axis=1)
