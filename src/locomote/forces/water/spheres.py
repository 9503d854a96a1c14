"""Spheres in slow viscous flow with hydrodynamic interaction.

Forces f_j on the fluid move sphere i with V_i = U(x_i) + sum_j m_ij f_j. With r the vector from j to i, e its direction:

    m_ii = 1 / (6 pi mu a_i)
    Oseen            m_ij = 1/(8 pi mu r) (1 + e e^T)                                                                (1)
    Rotne-Prager     m_ij = 1/(8 pi mu r) ((1 + s/3r^2) 1 + (1 - s/r^2) e e^T) ,   s = a_i^2 + a_j^2                  (2)

and, for spheres that overlap, the form that keeps m positive (Zuk, Wajnryb, Mizerski, Szymczak, J. Fluid Mech. 741 (2014)):

    m_ij = 1/(192 pi mu a_i a_j r^3) ((16 r^3 (a_i + a_j) - (d^2 + 3 r^2)^2) 1 + 3 (d^2 - r^2)^2 e e^T) , d = a_i - a_j   (3)

The rule sets up m, factors it as L D L^T and solves for f; spheres feel -f, and -8 pi mu a^3 (w - curl U / 2).
"""

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from locomote.brief import brief
from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper
from locomote.forces.kinds import ANGULAR, ENERGY, LINEAR, LOSS, ORIGIN, ROTATION, Kind, adopt, power
from locomote.forces.numbers import a_number
from locomote.forces.terms import Place, Term
from locomote.forces.water.fluid import Fluid
from locomote.model.model import Model
from locomote.spatial.algebra import rotate, subtract, unrotate
from locomote.spatial.rows import load, load9

EIGHT_PI = 8 * math.pi


@helper
def pair_mobility(r2, a, b, full):
    """Factors of 1 and of r r^T in m_ij, times 8 pi mu; full : (2) and (3), otherwise (1)."""
    r2 = select(r2 > 0.0, r2, 1e-30)
    r = sqrt(r2)
    s, d = full * (a * a + b * b), a - b
    one, two = (1.0 + s / (3.0 * r2)) / r, (1.0 - s / r2) / (r2 * r)
    below = 24.0 * a * b * r2 * r
    near = d * d + 3.0 * r2
    close = (16.0 * r2 * r * (a + b) - near * near) / below
    across = 3.0 * (d * d - r2) * (d * d - r2) / (below * r2)
    overlap = full * (a + b) > r
    return select(overlap, close, one), select(overlap, across, two)


@helper
def entry(table, last, k):
    """Number k of a matrix that is kept in rows of six, from row `last` on."""
    return table[last + k // 6, k % 6]


@helper
def put(table, last, k, value):
    """Set number k of such a matrix."""
    table[last + k // 6, k % 6] = value


@helper
def put_mobilities(places, first, number, numbers, own, table, last):
    """m (1) to (3), its lower triangle; numbers from `own` on are viscosity, whether (2) or (1), and radii."""
    size, mu, full = 3 * number, numbers[own], numbers[own + 1]
    for i in range(number):
        x, a = load(places, first + i, ORIGIN), numbers[own + 2 + i]
        for j in range(i + 1):
            b = numbers[own + 2 + j]
            e = subtract(x, load(places, first + j, ORIGIN))
            if i == j:
                one, two = 4.0 / (3.0 * a), 0.0
            else:
                one, two = pair_mobility(e[0] * e[0] + e[1] * e[1] + e[2] * e[2], a, b, full)
            for m in range(3):
                for n in range(3):
                    value = two * e[m] * e[n]
                    if m == n:
                        value = value + one
                    put(table, last, (3 * i + m) * size + 3 * j + n, value / (EIGHT_PI * mu))


@helper
def factor(table, last, size):
    """m = L D L^T in place, D on the diagonal."""
    for c in range(size):
        d = c * size + c
        for r in range(c + 1, size):
            k = r * size + c
            ratio = entry(table, last, k) / entry(table, last, d)
            for m in range(c + 1, r + 1):
                p, q = r * size + m, m * size + c
                value = entry(table, last, q) if m < r else entry(table, last, k)
                put(table, last, p, entry(table, last, p) - ratio * value)
        for r in range(c + 1, size):
            k = r * size + c
            put(table, last, k, entry(table, last, k) / entry(table, last, d))


@helper
def solve(table, last, size, x, first):
    """Solve with the factors, in place; x are the first three columns of rows from `first` on."""
    for r in range(size):
        for c in range(r):
            below = entry(table, last, r * size + c)
            x[first + r // 3, r % 3] = x[first + r // 3, r % 3] - below * x[first + c // 3, c % 3]
    for r in range(size):
        x[first + r // 3, r % 3] = x[first + r // 3, r % 3] / entry(table, last, r * size + r)
    for r in range(size - 1, -1, -1):
        for c in range(r + 1, size):
            below = entry(table, last, c * size + r)
            x[first + r // 3, r % 3] = x[first + r // 3, r % 3] - below * x[first + c // 3, c % 3]


@functools.cache
def together(flow: Callable, count: int) -> Callable:
    """The rule for spheres in a flow that has `count` numbers. After those: viscosity, whether (2) or (1), and the radii."""
    adopt(flow)

    def rule(t, places, first, number, numbers, start, wrenches, results, row):
        own, last, size = start + count, first + number, 3 * number
        put_mobilities(places, first, number, numbers, own, wrenches, last)
        factor(wrenches, last, size)
        for i in range(number):
            R, o = load9(places, first + i, ROTATION), load(places, first + i, ORIGIN)
            U, _, _ = flow(t, o, numbers, start)
            W = subtract(rotate(R, load(places, first + i, LINEAR)), U)
            for m in range(3):
                wrenches[first + i, m] = W[m]
        solve(wrenches, last, size, wrenches, first)
        loss = 0.0
        for i in range(number):
            R, o, a = load9(places, first + i, ROTATION), load(places, first + i, ORIGIN), numbers[own + 2 + i]
            _, G, _ = flow(t, o, numbers, start)
            curl = unrotate(R, (0.5 * (G[7] - G[5]), 0.5 * (G[2] - G[6]), 0.5 * (G[3] - G[1])))
            u, w = load(places, first + i, LINEAR), load(places, first + i, ANGULAR)
            f, turn = unrotate(R, load(wrenches, first + i, 0)), EIGHT_PI * numbers[own] * a * a * a
            for m in range(3):
                wrenches[first + i, m] = -f[m]
                wrenches[first + i, 3 + m] = -turn * (w[m] - curl[m])
            loss = loss - power(u, w, load(wrenches, first + i, 0), load(wrenches, first + i, 3))
        for k in range(size * size):
            put(wrenches, last, k, 0.0)
        results[row, ENERGY] = 0.0
        results[row, LOSS] = loss

    return rule


@brief
@dataclass(frozen=True)
class ViscousSpheres:
    """Spheres at the origins of bodies, in slow viscous flow, with the flow that each of them makes for the others.

    radii : body -> radius, m ; interaction : "rotne-prager" or "oseen"
    """

    fluid: Fluid
    radii: Mapping[str, float]
    interaction: str = "rotne-prager"
    name: str = "spheres"

    def term(self, model: Model) -> Term:
        """All spheres as one force term."""
        if self.interaction not in ("rotne-prager", "oseen"):
            raise ValueError(f"interaction is {self.interaction!r}, expected 'rotne-prager' or 'oseen'")
        if not self.radii:
            raise ValueError("there are no spheres: radii is empty")
        law, count = self.fluid.law
        kind = Kind(f"{self.interaction} spheres", together(law, count), (), flow=None, whole=True)
        radii = [a_number(f"radius of {body!r}", a, above=0.0) for body, a in self.radii.items()]
        numbers = (*self.fluid.numbers, a_number("viscosity", self.fluid.viscosity, above=0.0))
        full = 1.0 if self.interaction == "rotne-prager" else 0.0
        places = tuple(Place.at(body) for body in self.radii)
        rows = ((3 * len(radii)) ** 2 + 5) // 6
        return Term(self.name, kind, places, (*numbers, full, *radii), scratch=rows)
