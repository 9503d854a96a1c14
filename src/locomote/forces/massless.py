"""Models without inertia, for motion in which mass does not matter: what is left of their mass is its weight."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from locomote.forces.along import Line
from locomote.forces.kinds import Kind
from locomote.forces.terms import Place, Term
from locomote.model.description import Body
from locomote.model.flexible.cross_sections import Material, SectionConstants
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model
from locomote.spatial.algebra import dot, scale, unrotate


def without_inertia(model: Model) -> Model:
    """The same mechanism with massless bodies and motors."""
    bodies = tuple(
        replace(
            body, inertia=None, added_inertia=None, flex=massless(body),
            joints=tuple(replace(joint, armature=0.0) for joint in body.joints),
        )
        for body in model.description.bodies
    )  # fmt: skip
    return Model(replace(model.description, bodies=bodies))


def massless(body: Body) -> Rod | None:
    """The rod of a body, if it is one, without mass."""
    if isinstance(body.flex, Modes):
        raise ValueError(
            f"body {body.name!r} is modal: modes have mass, so it cannot be in a problem without inertia; use lo.Rod"
        )
    if body.flex is None:
        return None
    section, material = body.flex.section, body.flex.material
    return replace(body.flex, section=weightless(section), material=material and weightless(material))


def weightless(part: Any) -> Any:
    """A section or material, or a function of X that gives such, without mass."""
    if callable(part):
        return lambda x: weightless(part(x))
    if isinstance(part, SectionConstants):
        return replace(part, mass=0.0, inertia=0.0)
    return replace(part, density=0.0) if isinstance(part, Material) else part


def pull_down(t, R, o, u, w, gravity, mass):
    """Weight at a center of mass."""
    force = scale(mass, gravity)
    return unrotate(R, force), (0.0, 0.0, 0.0), -dot(force, o), 0.0


WEIGHT = Kind("weight", pull_down, (3,), energy=True, own=(0,))


@dataclass(frozen=True)
class Weight:
    """Weight of all bodies of a model that had inertia; that of rods at their mass nodes."""

    heavy: Model

    def term(self, model: Model) -> Term:
        """Weight as a force term."""
        with_mass = [body for body in self.heavy.description.bodies if body.inertia is not None and body.inertia.mass != 0]
        places = [Place.at(body.name, body.inertia.com) for body in with_mass if body.inertia is not None]
        masses = [body.inertia.mass for body in with_mass if body.inertia is not None]
        for body in self.heavy.description.bodies:
            if isinstance(body.flex, Rod):
                rod, line = body.flex, Line(body.name, 0.0, float(body.flex.length))
                for x, length in zip(*line.nodes(self.heavy, None, 0), strict=True):
                    X = x * rod.length
                    places.append(line.place(x))
                    masses.append(float(rod.at(X).mass * length))
        return Term("weight", WEIGHT, tuple(places), (*np.asarray(self.heavy.gravity, float).tolist(), *masses))


def weights_of(model: Model) -> tuple[Weight, ...]:
    """Weight, where there is any."""
    return (Weight(model),) if model.mass > 0 and np.any(model.gravity) else ()
