"""Loads: forces and moments that stay the same, in the axes of the world (dead loads) or in those of the body (followers).

A dead force F at the point x of a body has the potential energy -F . x. A dead moment and a follower have none: what a load
with such a part gives is work.
"""

from dataclasses import dataclass

from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_vector
from locomote.forces.terms import Place, Term
from locomote.model.flexible.along import Along
from locomote.model.model import Model
from locomote.spatial.algebra import dot, unrotate


def dead(t, R, o, u, w, force):
    """A force in axes of the world."""
    return unrotate(R, force), (0.0, 0.0, 0.0), -dot(force, o), 0.0


def dead_moment(t, R, o, u, w, force, moment):
    """A force and a moment in axes of the world."""
    return unrotate(R, force), unrotate(R, moment)


def follower(t, R, o, u, w, force, moment):
    """A force and a moment in axes of the body."""
    return force, moment


DEAD = Kind("load", dead, (3,), energy=True)
MOMENT, FOLLOWER = Kind("load with a moment", dead_moment, (3, 3)), Kind("load that follows", follower, (3, 3))


@dataclass(frozen=True)
class Load:
    """A constant force and moment on a body, or on a section of a rod, lo.rods.Along(rod, X).

    force : (3,) N ; moment : (3,) N m ; point : of the body frame that the force acts at, m
    axes : "world" for a dead load, whose direction does not change, "body" for one that turns with the body
    """

    body: str | Along
    force: Vector = (0.0, 0.0, 0.0)
    moment: Vector = (0.0, 0.0, 0.0)
    point: Vector = (0.0, 0.0, 0.0)
    axes: str = "world"
    name: str = ""

    def term(self, model: Model) -> Term:
        """The load as a force term."""
        if self.axes not in ("world", "body"):
            raise ValueError(
                f"axes of a load are {self.axes!r:.40}, expected 'world' (a dead load) or 'body' (one that follows)"
            )
        force, moment = a_vector("force of a load", self.force), a_vector("moment of a load", self.moment)
        place, name = Place.at(self.body, a_vector("point of a load", self.point)), self.name or f"load {self.body}"
        if self.axes == "world" and not any(moment):
            return Term(name, DEAD, (place,), force)
        return Term(name, MOMENT if self.axes == "world" else FOLLOWER, (place,), (*force, *moment))
