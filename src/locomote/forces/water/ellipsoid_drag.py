"""Forces of a medium on an ellipsoid, as MuJoCo has them: drag of its projected area, lift, and added mass by velocity alone.

With half axes a, b, c, velocity u against the medium and angular velocity w in its own axes, n = (b^2 c^2 u_x, ...), and the
areas pi |n| / sqrt(n . u) that u sees and A_max, the largest that it can see:

    force      (m * u) x w  +  k_M rho V w x u  +  k_K rho cos A (n x u) x u
               - (3 pi mu D + rho |u| (k_b A + k_s (A_max - A))) u                  D = 2/3 (a + b + c)               (1)
    moment     (m * u) x u  +  (i * w) x w  -  (pi mu D^3 + rho |k_a I w + k_s (I_max - I) w|) w                      (2)

m, i: added masses and moments of Lamb; A (cos: of the angle between u and n) and I are what drag acts on. The medium is not
slow to start (MuJoCo leaves -m u' out; `lo.AddedMass` has it).
"""

import math
from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import select, sqrt
from locomote.forces.kinds import Kind
from locomote.forces.terms import Place, Term
from locomote.model.model import Model
from locomote.spatial.algebra import add, cross, dot, scale, subtract, unrotate

LEAST = 1e-15
# nodes and weights of Kronrod on (0, 1), the weights as far as MuJoCo writes them
HALF = (0.991455371120812639, 0.949107912342758525, 0.864864423359769073, 0.741531185599394440, 0.586087235467691130,
        0.405845151377397167, 0.207784955007898468, 0.0)  # fmt: skip
WEIGHTS = (0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107)


def at_least(x, low):
    """The larger of two."""
    return select(x > low, x, low)


def norm(x):
    """Length of a vector, with a slope where it is zero."""
    return sqrt(dot(x, x) + 1e-60)


def medium_force(t, R, o, u, w, half, masses, moments, coefficients, density, viscosity, wind):
    """(1) and (2); coefficients : k_b, k_s, k_a, k_K, k_M"""
    u = subtract(u, unrotate(R, wind))
    a, b, c = half[0], half[1], half[2]
    blunt, slender, angular, kutta, magnus = (
        coefficients[0], coefficients[1], coefficients[2], coefficients[3], coefficients[4],
    )  # fmt: skip
    largest, least = at_least(at_least(a, b), c), -at_least(at_least(-a, -b), -c)
    middle, speed = a + b + c - largest - least, norm(u)
    linear = (masses[0] * u[0], masses[1] * u[1], masses[2] * u[2])
    spun = (moments[0] * w[0], moments[1] * w[1], moments[2] * w[2])
    n = (b * b * c * c * u[0], c * c * a * a * u[1], a * a * b * b * u[2])
    square, along = dot(n, n), dot(n, u)
    seen = math.pi * sqrt(square / at_least(along, LEAST) + 1e-60)
    cosine = along / at_least(speed * square, LEAST)
    volume, size = 4.0 / 3.0 * math.pi * a * b * c, 2.0 / 3.0 * (a + b + c)
    lift = scale(kutta * density * cosine * seen, cross(cross(n, u), u))
    widest = math.pi * largest * middle
    drag = 3.0 * math.pi * viscosity * size + density * speed * (seen * blunt + slender * (widest - seen))
    force = add(cross(linear, w), add(scale(magnus * density * volume, cross(w, u)), subtract(lift, scale(drag, u))))
    about = (largest_moment(a, b, c), largest_moment(b, c, a), largest_moment(c, a, b))
    top = 8.0 / 15.0 * math.pi * middle * largest**4
    turned = (
        w[0] * (angular * about[0] + slender * (top - about[0])),
        w[1] * (angular * about[1] + slender * (top - about[1])),
        w[2] * (angular * about[2] + slender * (top - about[2])),
    )
    slowed = math.pi * viscosity * size**3 + density * norm(turned)
    moment = add(cross(linear, u), subtract(cross(spun, w), scale(slowed, w)))
    return force, moment


def largest_moment(a, b, c):
    """What turning about the first axis meets."""
    wide = at_least(b, c)
    return 8.0 / 15.0 * math.pi * a * wide**4


ELLIPSOID_DRAG = Kind("ellipsoid drag", medium_force, (3, 3, 3, 5, 0, 0, 3))


@dataclass(frozen=True, eq=False)
class EllipsoidDrag:
    """Forces of a medium on an ellipsoid of a body.

    placement : (4, 4) of the ellipsoid in the body ; half : its half axes, m
    coefficients : of blunt and slender drag, of drag on turning, of the lift of Kutta and that of Magnus
    density : kg/m^3 ; viscosity : Pa s ; wind : velocity of the medium in the world, m/s
    """

    body: str
    placement: np.ndarray
    half: tuple[float, ...]
    coefficients: tuple[float, ...]
    density: float
    viscosity: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    name: str = ""

    def term(self, model: Model) -> Term:
        """The forces as a force term."""
        masses, moments = virtual(np.array(self.half, dtype=float))
        numbers = (*self.half, *(self.density * masses), *(self.density * moments), *self.coefficients, self.density,
                   self.viscosity, *self.wind)  # fmt: skip
        place = Place(self.body, np.asarray(self.placement))
        return Term(self.name or f"medium {self.body}", ELLIPSOID_DRAG, (place,), tuple(map(float, numbers)))


def virtual(half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Added masses and moments of an ellipsoid in a medium of density 1."""
    kappa = np.array([share(*np.roll(half, -k)) for k in range(3)])
    volume = 4.0 / 3.0 * np.pi * half.prod()
    moments = np.zeros(3)
    for i in range(3):
        (y, z), (ky, kz) = np.roll(half, -i)[1:] ** 2, np.roll(kappa, -i)[1:]
        below = max(2.2e-16, abs(2.0 * (y - z) + (y + z) * (ky - kz)))
        moments[i] = volume / 5.0 * (y - z) ** 2 * abs(kz - ky) / below
    return volume * kappa / np.maximum(2.2e-16, 2.0 - kappa), moments


def share(a: float, b: float, c: float) -> float:
    """abc times the integral over l of 1 / ((a^2 + l) sqrt((a^2 + l) (b^2 + l) (c^2 + l))), by 15 points, as in MuJoCo."""
    x = 0.5 + 0.5 * np.array([*(-h for h in HALF), *HALF[-2::-1]])
    weights = np.array([*WEIGHTS, *WEIGHTS[-2::-1]])
    nodes, slopes = x**3 / (1 - x) ** 2, (3.0 * x**2 * (1 - x) + 2.0 * x**3) / (1 - x) ** 3
    unit = (a**3 * b * c) ** 0.4
    p, q, r = (1.0 + unit * nodes / edge**2 for edge in (a, b, c))
    return float((unit / a**2 * slopes / (p * np.sqrt(p * q * r)) * weights).sum())
