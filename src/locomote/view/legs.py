"""Springy legs without mass, which are forces and no bodies: drawn from the foothold to the body while they push."""

from functools import partial
from typing import Any

import numpy as np

from locomote.dynamics.kinematics import forward_kinematics
from locomote.geometry.meshes import along
from locomote.model.model import Model
from locomote.view.colors import BODIES, rgba
from locomote.view.scene import Tube

THICK = 0.02  # radius over length


def leg_tubes(model: Model, environment) -> tuple[Tube, ...]:
    """A tube for each foothold."""
    found = []
    for term in environment:
        if getattr(getattr(term, "law", None), "leg", False):
            numbers: dict[str, Any] = dict(term.given)
            foot, length = np.array(numbers["foot"], dtype=float), float(numbers["length"])
            shape = partial(pushing, model, model.body_index(term.body), foot, length)
            found.append(Tube(term.name, shape, np.full(2, THICK * length), rgba(BODIES[1])))
    return tuple(found)


def pushing(model: Model, body: int, foot: np.ndarray, length: float, q: np.ndarray) -> tuple[np.ndarray, None]:
    """Poses (n, 2, 4, 4) of both ends; in flight both are in the body, hidden."""
    top = forward_kinematics(model, q)[:, body, :3, 3]
    way = np.linalg.norm(top - foot, axis=1)
    short = way < length
    start = np.where(short[:, None], foot, top - [0.0, 0.0, 1e-6])
    turns = along(start, top)
    poses = np.tile(np.eye(4), (len(q), 2, 1, 1))
    poses[..., :3, 0], poses[..., :3, 1], poses[..., :3, 2] = (turns[:, None, :, k] for k in (2, 0, 1))
    poses[:, 0, :3, 3], poses[:, 1, :3, 3] = start, top
    return poses, None
