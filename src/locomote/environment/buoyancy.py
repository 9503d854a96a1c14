"""Buoyancy: the weight of the fluid that a body displaces, upwards, at the centre of its volume."""

from dataclasses import dataclass

import numpy as np

from locomote.environment.fluid import Fluid
from locomote.environment.kinds import Kind
from locomote.environment.numbers import Vector, a_number, a_vector, body_of
from locomote.environment.terms import Place, Term
from locomote.model.model import Model
from locomote.spatial.algebra import dot, unrotate


def lift(t, R, o, u, w, force):
    """A constant force in the world; its energy is that of the displaced fluid, which has to go up."""
    return unrotate(R, force), (0.0, 0.0, 0.0), -dot(force, o), 0.0


BUOYANCY = Kind("buoyancy", lift, (3,), energy=True)


@dataclass(frozen=True)
class Buoyancy:
    """Weight of the displaced fluid on a body; volume : m^3, as much as the body itself would have at the fluid's density if
    None (neutral) ; center : of the volume in the body frame, m; the centre of mass if None
    """

    body: str
    fluid: Fluid
    volume: float | None = None
    center: Vector | None = None
    name: str = ""

    def term(self, model: Model) -> Term:
        """Buoyancy as a force term."""
        inertia = body_of(model, self.body).inertia
        mass = inertia.mass if inertia is not None else 0.0
        volume = mass / self.fluid.density if self.volume is None else a_number("volume", self.volume, least=0.0)
        center = self.center
        if center is None:
            center = tuple(np.asarray(inertia.com, float)) if inertia is not None else (0.0, 0.0, 0.0)
        force = -self.fluid.density * volume * np.asarray(model.gravity, dtype=float)
        place = Place.at(self.body, a_vector("center of a volume", center))
        return Term(self.name or f"buoyancy {self.body}", BUOYANCY, (place,), tuple(force.tolist()))
