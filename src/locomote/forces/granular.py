"""Sand and dry ground: forces that do not grow with speed.

Granular resistive force theory (Maladen, Ding, Li, Goldman, Science 325 (2009)): an element of length l and radius r that
moves with the velocity W at the angle psi to its axis feels, whatever its speed,

    across   2 l r (C_S sin b + C_F sin psi) ,   along   2 l r C_F cos psi ,   tan b = cot g_0 sin psi                  (1)

Dry friction of a body that lies on the ground, with other coefficients forwards, backwards and sideways (snake scales):

    force = -N (m_x W_x, m_y W_y) / |W| ,   m_x the one for forwards or backwards                                     (2)

Both are smooth at rest: |W| is sqrt(W^2 + slow^2), with a speed `slow` below which things creep.
"""

import math
from dataclasses import dataclass

from locomote.brief import brief
from locomote.compiler.scalars import sqrt
from locomote.forces.along import Line
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number, a_vector, whole_number
from locomote.forces.terms import Place, Term
from locomote.model.model import Model


def sand(t, R, o, u, w, cot, slow, plough, slide):
    """(1) on an element, with 2 l r in the numbers."""
    by = 1.0 / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + slow * slow)
    across2 = (u[1] * u[1] + u[2] * u[2]) * by * by
    side = -by * (plough * cot / sqrt(1.0 + cot * cot * across2) + slide)
    return (-slide * by * u[0], side * u[1], side * u[2]), (0.0, 0.0, 0.0)


def scales(t, R, o, u, w, forwards, backwards, sideways, slow):
    """(2), with N in the numbers."""
    by = 1.0 / sqrt(u[0] * u[0] + u[1] * u[1] + slow * slow)
    ahead = 0.5 * (1.0 + u[0] / sqrt(u[0] * u[0] + slow * slow))
    along = backwards + (forwards - backwards) * ahead
    return (-along * by * u[0], -sideways * by * u[1], 0.0), (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Granular:
    """Sand around a slender straight body, from `start` to `end` of the body frame, m; along a rod between sections at
    X = `start` and `end`, m.

    radius : m ; plough, slide : C_S and C_F, N/m^2 ; angle : g_0, rad ; slow : m/s
    elements : pieces; 4 if None, on a rod its mass nodes
    """

    body: str
    start: Vector | float
    end: Vector | float
    radius: float
    plough: float
    slide: float
    angle: float = math.radians(13.84)
    slow: float = 1e-3
    elements: int | None = None
    name: str = ""

    def term(self, model: Model) -> Term:
        """Sand as a force term."""
        line = Line(self.body, self.start, self.end)
        girth = 2 * a_number("radius", self.radius, above=0.0)
        plough, slide = (girth * a_number(name, getattr(self, name), least=0.0) for name in ("plough", "slide"))
        angle = a_number("angle", self.angle, above=0.0)
        nodes, lengths = line.middles(model, self.elements, 4)
        numbers = (1.0 / math.tan(angle), a_number("slow", self.slow, above=0.0))
        numbers += tuple(float(length * force) for length in lengths for force in (plough, slide))
        places = tuple(line.place(x) for x in nodes)
        return Term(self.name or f"sand {self.body}", Kind("sand", sand, (0, 0), own=(0, 0)), places, numbers)


@brief
@dataclass(frozen=True)
class Scales:
    """Dry friction with the ground that depends on the direction, at points of a body that lies on it; x of the body is
    forwards.

    load : weight that it carries, N, shared by all points ; points : in the body frame, m
    forwards, backwards, sideways : coefficients ; slow : m/s
    """

    body: str
    load: float
    forwards: float
    backwards: float
    sideways: float
    points: tuple[Vector, ...] = ((0.0, 0.0, 0.0),)
    slow: float = 1e-3
    name: str = ""

    def term(self, model: Model) -> Term:
        """Friction as a force term."""
        share = a_number("load", self.load, least=0.0) / whole_number("number of points", len(self.points))
        numbers = tuple(share * a_number(n, getattr(self, n), least=0.0) for n in ("forwards", "backwards", "sideways"))
        places = tuple(Place.at(self.body, a_vector("point", p)) for p in self.points)
        slow = a_number("slow", self.slow, above=0.0)
        return Term(self.name or f"friction {self.body}", Kind("scales", scales, (0, 0, 0, 0)), places, (*numbers, slow))
