"""Drag that grows with the square of the velocity relative to the fluid, and drag that is proportional to it.

With W = u - U the velocity relative to the fluid, in axes of the place:

    quadratic     force_i = -1/2 rho (Cd A)_i |W| W_i ,   moment_i = -1/2 rho (Cm)_i |w| w_i                          (1)
    slender       per length of a body along x, across:   -1/2 rho Cd h |W_n| W_n  (h: height that the flow meets)      (2)
                  and along:                              -1/2 rho Cf P |W_x| W_x  (P: girth)
    viscous       force = -6 pi mu a W ,   moment = -8 pi mu a^3 (w - curl U / 2)          a sphere of radius a          (3)
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import sqrt
from locomote.forces.along import Line
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number, a_vector
from locomote.forces.terms import Place, Term
from locomote.forces.water.fluid import Fluid
from locomote.model.model import Model
from locomote.spatial.algebra import dot, scale, subtract, unrotate

SMOOTH = 1e-8  # m^2/s^2 under square roots, so that nothing is singular at rest


def quadratic(t, R, o, u, w, U, G, D, areas, spins):
    """(1), with 1/2 rho in the numbers."""
    W = subtract(u, unrotate(R, U))
    speed, spin = -sqrt(dot(W, W) + 1e-8), -sqrt(dot(w, w) + 1e-8)
    force = (speed * areas[0] * W[0], speed * areas[1] * W[1], speed * areas[2] * W[2])
    return force, (spin * spins[0] * w[0], spin * spins[1] * w[1], spin * spins[2] * w[2])


def across_and_along(t, R, o, u, w, U, G, D, along, over_y, over_z):
    """(2) over an element, with 1/2 rho and its length in the numbers."""
    W = subtract(u, unrotate(R, U))
    side = -sqrt(W[1] * W[1] + W[2] * W[2] + 1e-8)
    return (-along * sqrt(W[0] * W[0] + 1e-8) * W[0], side * over_y * W[1], side * over_z * W[2]), (0.0, 0.0, 0.0)


def stokes(t, R, o, u, w, U, G, D, push, turn):
    """(3)."""
    W = subtract(u, unrotate(R, U))
    curl = (0.5 * (G[7] - G[5]), 0.5 * (G[2] - G[6]), 0.5 * (G[3] - G[1]))
    return scale(-push, W), scale(-turn, subtract(w, unrotate(R, curl)))


def three_of(label: str, value: Any) -> np.ndarray:
    """Three numbers that are not negative, or one for all axes."""
    numbers = np.array(a_vector(label, [value] * 3 if np.isscalar(value) else value))
    if (numbers < 0).any():
        raise ValueError(f"{label} is {value!r:.60}, expected numbers that are not negative")
    return numbers


@brief
@dataclass(frozen=True)
class Drag:
    """Quadratic drag at a point of a body (1).

    area : drag coefficient times area that the flow meets, m^2: one number, or one along each axis of the body
    spin : the same for turning about the axes, m^5 ; point : in the body frame, m
    """

    body: str
    fluid: Fluid
    area: Any
    spin: Any = 0.0
    point: Vector = (0.0, 0.0, 0.0)
    name: str = ""

    def term(self, model: Model) -> Term:
        """Drag as a force term."""
        half = 0.5 * self.fluid.density
        numbers = np.concatenate([half * three_of("area of drag", self.area), half * three_of("spin of drag", self.spin)])
        kind = Kind("drag", quadratic, (3, 3), flow=self.fluid.law)
        place = Place.at(self.body, a_vector("point", self.point))
        return Term(self.name or f"drag {self.body}", kind, (place,), (*self.fluid.numbers, *numbers.tolist()))


@brief
@dataclass(frozen=True)
class SlenderDrag:
    """Drag across and along a slender straight body (2), from `start` to `end` of the body frame, m; along a rod between
    sections at X = `start` and `end`, m.

    height, width : of its section along z and y of the strip, m: numbers, or functions of 0..1 from start to end
    across, along : drag coefficient of the section, and of skin friction
    up : direction of the height in the body frame
    elements : at Gauss points, how many; 6 if None, on a rod its mass nodes
    """

    body: str
    fluid: Fluid
    start: Vector | float
    end: Vector | float
    height: Any
    width: Any = None
    across: float = 1.0
    along: float = 0.01
    up: Vector = (0.0, 0.0, 1.0)
    elements: int | None = None
    name: str = ""

    def term(self, model: Model) -> Term:
        """Drag as a force term."""
        line = Line(self.body, self.start, self.end, a_vector("up", self.up))
        across, along = (a_number(n, getattr(self, n), least=0.0) for n in ("across", "along"))
        places, numbers, half = [], [], 0.5 * self.fluid.density
        for x, length in zip(*line.nodes(model, self.elements, 6), strict=True):
            height = section_value("height", self.height, x)
            width = height if self.width is None else section_value("width", self.width, x)
            places.append(line.place(x))
            numbers += [
                half * length * along * girth(height, width),
                half * length * across * height,
                half * length * across * width,
            ]
        kind = Kind("slender drag", across_and_along, (), own=(0, 0, 0), flow=self.fluid.law)
        return Term(self.name or f"drag along {self.body}", kind, tuple(places), (*self.fluid.numbers, *numbers))


def section_value(label: str, given: Any, x: float) -> float:
    """A number, or a function of 0..1 at x."""
    return a_number(label, given(float(x)) if callable(given) else given, least=0.0)


def girth(height: float, width: float) -> float:
    """Girth of an ellipse (Ramanujan), m."""
    a, b = height / 2, width / 2
    return math.pi * (3 * (a + b) - math.sqrt((3 * a + b) * (a + 3 * b)))


@brief
@dataclass(frozen=True)
class StokesDrag:
    """Viscous drag of a sphere (3), alone in its fluid; radius : m ; point : its center in the body frame, m."""

    body: str
    fluid: Fluid
    radius: float
    point: Vector = (0.0, 0.0, 0.0)
    name: str = ""

    def term(self, model: Model) -> Term:
        """Drag as a force term."""
        a, mu = a_number("radius", self.radius, above=0.0), self.fluid.viscosity
        kind = Kind("stokes drag", stokes, (0, 0), flow=self.fluid.law)
        numbers = (6 * math.pi * mu * a, 8 * math.pi * mu * a**3)
        place = Place.at(self.body, a_vector("point", self.point))
        return Term(self.name or f"stokes drag {self.body}", kind, (place,), (*self.fluid.numbers, *numbers))
