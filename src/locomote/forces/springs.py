"""Springs and dampers between points of bodies."""

from dataclasses import dataclass
from typing import ClassVar

from locomote.compiler.scalars import select, sqrt
from locomote.forces.kinds import Kind
from locomote.forces.terms import Place, Term
from locomote.model.model import Model
from locomote.spatial.algebra import dot, rotate, scale, subtract, unrotate


def pull(t, R, o, u, w, S, p, r, z, stiffness, length, damping):
    """A spring between the origins of two frames, (R, o) and (S, p)."""
    gap, rate = subtract(o, p), subtract(rotate(R, u), rotate(S, r))
    distance = sqrt(dot(gap, gap))
    along = scale(1.0 / select(distance > 0.0, distance, 1.0), gap)
    speed, away, none = dot(along, rate), distance - length, (0.0, 0.0, 0.0)
    force = scale(-stiffness * away - damping * speed, along)
    other = scale(-1.0, unrotate(S, force))
    return unrotate(R, force), none, other, none, 0.5 * stiffness * away * away, damping * speed * speed


SPRING = Kind("spring", pull, (0, 0, 0), bodies=2, energy=True)


@dataclass(frozen=True)
class Spring:
    """A spring with a damper between a point of a body and a point of another (the world if None).

    stiffness : N/m ; length : at rest, m ; damping : N s/m
    """

    strut: ClassVar[bool] = True  # drawn between its points

    body: str
    other: str | None = None
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    other_point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    length: float = 0.0
    damping: float = 0.0
    name: str = ""

    def term(self, model: Model) -> Term:
        """The spring as a force term."""
        places = Place.at(self.body, self.point), Place.at(self.other, self.other_point)
        name = self.name or f"spring {self.body} {self.other or 'world'}"
        return Term(name, SPRING, places, (self.stiffness, self.length, self.damping), elastic=True)
