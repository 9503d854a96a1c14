"""The models that speed is measured on."""

import numpy as np

from locomote.bench.peers import ROBOTS, robot_file
from locomote.formats.load import load
from locomote.model.description import Body, Description, Joint
from locomote.model.model import Model
from locomote.spatial.inertia import Inertia
from locomote.spatial.rotations_arrays import matrix_from_vector


def chain(links: int) -> Model:
    """A chain of revolute joints in general directions: nothing is aligned, nothing folds."""
    rng = np.random.default_rng(links)
    bodies = []
    for i in range(links):
        place = np.eye(4)
        place[:3, :3] = matrix_from_vector(rng.normal(size=3))
        place[:3, 3] = rng.uniform(-0.2, 0.2, 3)
        inertia = Inertia(1.0, rng.uniform(-0.1, 0.1, 3), np.diag(rng.uniform(0.02, 0.03, 3)))
        bodies.append(Body(f"link{i}", f"link{i - 1}" if i else None, place, (Joint(f"joint{i}"),), inertia))
    return Model(Description(f"chain {links}", tuple(bodies)))


def measured_models() -> dict[str, Model]:
    """Robots of example-robot-data, or the catalogue's where that is not installed, and chains."""
    models = {}
    for name, (_, base) in ROBOTS.items():
        path = robot_file(name)
        if path is not None:
            models[name] = load(path, base=base, mimic=False)
    if not models:
        from locomote import systems

        models = {name: systems.load(name).model for name in ("humanoid", "quadruped")}
    return models | {"chain 30": chain(30), "chain 100": chain(100)}


def states(model: Model, count: int):
    """Random q, v, a as contiguous rows."""
    rng = np.random.default_rng(0)
    return model.random(rng, count), rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))
