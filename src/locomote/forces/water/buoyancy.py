"""Buoyancy: the weight of the fluid that a body displaces, upwards, at the center of its volume."""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.forces.along import Line
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number, a_vector, body_of
from locomote.forces.terms import Place, Term
from locomote.forces.water.fluid import Fluid
from locomote.model.flexible.along import Along, rod_of
from locomote.model.flexible.rods import Rod
from locomote.model.model import Model
from locomote.spatial.algebra import dot, unrotate


def lift(t, R, o, u, w, force):
    """A constant force in the world; its energy is that of the displaced fluid, which has to go up."""
    return unrotate(R, force), (0.0, 0.0, 0.0), -dot(force, o), 0.0


BUOYANCY = Kind("buoyancy", lift, (), energy=True, own=(3,))


@brief
@dataclass(frozen=True)
class Buoyancy:
    """Weight of the displaced fluid on a body; volume : m^3, as much as the body itself would have at the fluid's density if
    None (neutral) ; center : of the volume in the body frame, m; the center of mass if None. On a rod the volume is that of
    its sections if none is given, and the center is in the axes of each section.
    """

    body: str | Along
    fluid: Fluid
    volume: float | None = None
    center: Vector | None = None
    name: str = ""

    def term(self, model: Model) -> Term:
        """Buoyancy as a force term."""
        up = -self.fluid.density * np.asarray(model.gravity, dtype=float)
        places, volumes = self._along_rod(model) if self._of_rod(model) else self._at_point(model)
        numbers = tuple((up * volume).tolist() for volume in volumes)
        return Term(self.name or f"buoyancy {self.body}", BUOYANCY, places, tuple(x for force in numbers for x in force))

    def _of_rod(self, model: Model) -> bool:
        if isinstance(self.body, Along) or self.volume is not None:
            return False
        return isinstance(body_of(model, self.body).flex, Rod)

    def _along_rod(self, model: Model) -> tuple[tuple[Place, ...], list[float]]:
        assert isinstance(self.body, str)
        rod = rod_of(model, self.body)
        line = Line(self.body, 0.0, float(rod.length))
        nodes, lengths = line.nodes(model, None, 0)
        volumes = [float(rod.at(x * rod.length).area * length) for x, length in zip(nodes, lengths, strict=True)]
        center = (0.0, 0.0, 0.0) if self.center is None else a_vector("center of a volume", self.center)
        return tuple(Place.at(line.body_at(x), center) for x in nodes), volumes

    def _at_point(self, model: Model) -> tuple[tuple[Place, ...], list[float]]:
        inertia = None if isinstance(self.body, Along) else body_of(model, self.body).inertia
        mass = inertia.mass if inertia is not None else 0.0
        volume = mass / self.fluid.density if self.volume is None else a_number("volume", self.volume, least=0.0)
        center = self.center
        if center is None:
            center = tuple(np.asarray(inertia.com, float)) if inertia is not None else (0.0, 0.0, 0.0)
        return (Place.at(self.body, a_vector("center of a volume", center)),), [volume]
