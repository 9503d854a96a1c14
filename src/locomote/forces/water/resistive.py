"""Resistive force theory: a slender body in slow viscous flow has, at every place along it, a drag by its velocity there alone.

For a straight element along x of length L, with W = u - U its velocity relative to the fluid at its center and g the change of
that along it:

    force per length = -c_t W_t - c_n W_n                                                                            (1)
    force = -L (c_t W_x, c_n W_y, c_n W_z) ,   moment = -L^3/12 c_n (0, -g_z, g_y) - L c_s w_x e_x                      (2)

(2) is (1) integrated, exact for a straight body in a flow whose gradient is constant along it.

    c_t = 2 pi mu / (ln(2 l/a) - 1/2) ,   c_n = 4 pi mu / (ln(2 l/a) + 1/2) ,   c_s = 4 pi mu a^2                       (3)

for a radius a and a length l: that of the body, or a wavelength times 0.18 over 2 (Gray and Hancock 1955, Lighthill 1976).
"""

import math
from dataclasses import dataclass

from locomote.brief import brief
from locomote.forces.along import Line
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number
from locomote.forces.terms import Term
from locomote.forces.water.fluid import Fluid
from locomote.model.model import Model
from locomote.spatial.algebra import rotate, subtract, unrotate


def slender(t, R, o, u, w, U, G, D, along, across, spin, L, cube):
    """(2); cube : L^3/12, or 0 where L is the weight of a Gauss point, which knows the velocity of its section only."""
    W = subtract(u, unrotate(R, U))
    change = unrotate(R, rotate(G, (R[0], R[3], R[6])))
    g_y, g_z = w[2] - change[1], -w[1] - change[2]
    turn = cube * across
    return (-L * along * W[0], -L * across * W[1], -L * across * W[2]), (-L * spin * w[0], turn * g_z, -turn * g_y)


def coefficients(viscosity: float, radius: float, length: float) -> tuple[float, float, float]:
    """(3): c_t, c_n, N s/m^2, and c_s, N s."""
    mu, a = a_number("viscosity", viscosity, least=0.0), a_number("radius", radius, above=0.0)
    if not a_number("length", length, above=0.0) > 2 * a:
        raise ValueError(f"a body of radius {a:g} m and length {length:g} m is not slender; give along and across yourself")
    ratio = math.log(2 * length / a)
    return 2 * math.pi * mu / (ratio - 0.5), 4 * math.pi * mu / (ratio + 0.5), 4 * math.pi * mu * a * a


@brief
@dataclass(frozen=True)
class Resistive:
    """Viscous drag on a slender straight body, from `start` to `end` in the body frame, m; along a rod between sections at
    X = `start` and `end`, m.

    along, across : drag per length and speed, N s/m^2; from `radius` (m) and the viscosity if None
    length : that the drag of a thin body depends on by its logarithm, m; its own if None
    elements : how many pieces; one is exact unless the flow is curved, and taken if None; on a rod its mass nodes
    """

    body: str
    fluid: Fluid
    start: Vector | float
    end: Vector | float
    along: float | None = None
    across: float | None = None
    radius: float | None = None
    length: float | None = None
    elements: int | None = None
    name: str = ""

    def term(self, model: Model) -> Term:
        """Drag as a force term."""
        line = Line(self.body, self.start, self.end)
        if self.radius is None and (self.along is None or self.across is None):
            raise ValueError(f"resistive drag on {self.body!r} needs its radius, or both along and across")
        along, across, spin = 0.0, 0.0, 0.0
        if self.radius is not None:
            along, across, spin = coefficients(self.fluid.viscosity, self.radius, self.length or line.length)
        along = along if self.along is None else a_number("along", self.along, least=0.0)
        across = across if self.across is None else a_number("across", self.across, least=0.0)
        nodes, lengths = line.middles(model, self.elements, 1)
        numbers = [*self.fluid.numbers, along, across, spin]
        for length in lengths:
            numbers += [length, 0.0 if line.on_rod else length**3 / 12]
        kind = Kind("resistive", slender, (0, 0, 0), own=(0, 0), flow=self.fluid.law)
        places = tuple(line.place(x) for x in nodes)
        return Term(self.name or f"resistive {self.body}", kind, places, tuple(numbers))
