"""Magnets: two dipoles fixed to two bodies.

m, k are the dipole moments, r the vector from the second to the first, d its length, e = r / d, c = mu_0 / (4 pi):

    energy    c / d^3 (m.k - 3 (m.e)(k.e))                                                                           (1)
    force     3 c / d^4 ((m.k - 5 (m.e)(k.e)) e + (k.e) m + (m.e) k)        on the first, its opposite on the second (2)
    moment    m x B(k) ,   k x B(m) ,   B(k) = c / d^3 (3 (k.e) e - k)                                               (3)

J.D. Jackson: Classical Electrodynamics, 3rd ed., sections 5.6 and 5.7. Dipoles are points: magnets of some size are like
them from a few of their lengths on.
"""

from dataclasses import dataclass

from locomote.compiler.scalars import select, sqrt
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_vector
from locomote.forces.terms import Place, Term
from locomote.model.flexible.along import Along
from locomote.model.model import Model
from locomote.spatial.algebra import add, cross, dot, rotate, scale, subtract, unrotate

STRENGTH = 1e-7  # mu_0 / (4 pi), N/A^2


def field(k, e, by):
    """(3): what a dipole makes at e; by : c / d^3."""
    return scale(by, subtract(scale(3.0 * dot(k, e), e), k))


def attract(t, R, o, u, w, S, p, r, z, moment, other):
    """Dipoles at the origins of two frames, (R, o) and (S, p)."""
    gap = subtract(o, p)
    square = dot(gap, gap)
    d = sqrt(select(square > 0.0, square, 1.0))
    e, m, k = scale(1.0 / d, gap), rotate(R, moment), rotate(S, other)
    by, me, ke, mk = STRENGTH / (d * d * d), dot(m, e), dot(k, e), dot(m, k)
    along = add(scale(mk - 5.0 * me * ke, e), add(scale(ke, m), scale(me, k)))
    force = scale(3.0 * by / d, along)  # (2)
    on_first, on_second = cross(m, field(k, e, by)), cross(k, field(m, e, by))
    energy = by * (mk - 3.0 * me * ke)  # (1)
    return unrotate(R, force), unrotate(R, on_first), unrotate(S, scale(-1.0, force)), unrotate(S, on_second), energy, 0.0


MAGNET = Kind("magnet", attract, (3, 3), bodies=2, energy=True)


@dataclass(frozen=True)
class Magnet:
    """A magnetic dipole of a body and one of another body (of the world if None) that act on each other.

    body, other : or sections of rods, lo.rods.Along(rod, X) ; moment, other_moment : (3,) in axes of each, A m^2, from south
        to north ; point, other_point : where they are, m
    """

    body: str | Along
    other: str | Along | None = None
    moment: Vector = (0.0, 0.0, 1.0)
    other_moment: Vector = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)
    other_point: Vector = (0.0, 0.0, 0.0)
    name: str = ""

    def term(self, model: Model) -> Term:
        """The magnet as a force term."""
        if self.body == self.other:
            raise ValueError(f"both dipoles of a magnet are on {self.body!r}: a body does not pull itself")
        first, second = a_vector("moment of a magnet", self.moment), a_vector("other_moment of a magnet", self.other_moment)
        places = (
            Place.at(self.body, a_vector("point of a magnet", self.point)),
            Place.at(self.other, a_vector("other_point of a magnet", self.other_point)),
        )
        return Term(self.name or f"magnet {self.body} {self.other or 'world'}", MAGNET, places, (*first, *second))
