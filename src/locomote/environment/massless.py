"""Models without inertia, for motion in which mass does not matter: what is left of their mass is its weight."""

from dataclasses import dataclass, replace

import numpy as np

from locomote.environment.kinds import Kind
from locomote.environment.terms import Place, Term
from locomote.model.model import Model
from locomote.spatial.algebra import dot, scale, unrotate


def without_inertia(model: Model) -> Model:
    """The same mechanism with massless bodies and motors."""
    bodies = tuple(
        replace(body, inertia=None, added_inertia=None, joints=tuple(replace(joint, armature=0.0) for joint in body.joints))
        for body in model.description.bodies
    )
    return Model(replace(model.description, bodies=bodies))


def pull_down(t, R, o, u, w, gravity, mass):
    """Weight at a centre of mass."""
    force = scale(mass, gravity)
    return unrotate(R, force), (0.0, 0.0, 0.0), -dot(force, o), 0.0


WEIGHT = Kind("weight", pull_down, (3,), energy=True, own=(0,))


@dataclass(frozen=True)
class Weight:
    """Weight of all bodies of a model that had inertia."""

    heavy: Model

    def term(self, model: Model) -> Term:
        """Weight as a force term."""
        with_mass = [body for body in self.heavy.description.bodies if body.inertia is not None and body.inertia.mass != 0]
        places = tuple(Place.at(body.name, body.inertia.com) for body in with_mass if body.inertia is not None)
        masses = [body.inertia.mass for body in with_mass if body.inertia is not None]
        return Term("weight", WEIGHT, places, (*np.asarray(self.heavy.gravity, float).tolist(), *masses))


def weights_of(model: Model) -> tuple[Weight, ...]:
    """Weight, where there is any."""
    return (Weight(model),) if model.mass > 0 and np.any(model.gravity) else ()
