"""Impulse of vortices: what momentum a wake has, from where its vorticity is.

With the vorticity w of an unbounded fluid at rest far away, density rho (Boyer and Porez 2014, (24), whose factors are 1/2 in
space and 1 in the plane):

    space   p = rho/2 int x x w dV ,   s = -rho/2 int |x|^2 w dV                                                    (1)
    plane   p = rho int x x w dA ,     s = -rho/2 int |x|^2 w dA                                                    (2)

Of a closed vortex line of circulation G, with w dV = G dx along it, p = rho G (area that it spans), whatever the origin. A
bound sheet n x u_w on a body counts as vorticity, too: give it as lines that close those of the wake.
"""

from typing import NamedTuple

import numpy as np

from locomote.forces.numbers import a_number
from locomote.spatial.numbers import as_numbers


class Impulse(NamedTuple):
    """linear : (3,) kg m/s ; angular : (3,) kg m^2/s about the origin"""

    linear: np.ndarray
    angular: np.ndarray


def vortex_impulse(lines, circulation, density: float = 1000.0) -> Impulse:
    """Impulse of closed vortex lines (1), or of vortices in the plane (2).

    lines : (lines, points, 3) corners of closed polygons in order, m; or (vortices, 2) places in the plane
    circulation : (lines,) m^2/s, counterclockwise ; density : kg/m^3; in the plane, results are per metre across it
    """
    x, G = as_numbers(lines, "lines", "(lines, points, 3) or (vortices, 2)"), as_numbers(circulation, "circulation", "(lines,)")
    if not (x.ndim == 3 and x.shape[2] == 3) and not (x.ndim == 2 and x.shape[1] == 2):
        raise ValueError(f"lines has shape {x.shape}, expected (lines, points, 3), or (vortices, 2) in the plane")
    if G.shape != (len(x),):
        raise ValueError(f"circulation has shape {G.shape}, expected ({len(x)},), one a line")
    density = a_number("density", density, above=0.0)
    if x.ndim == 2:
        linear = density * np.array([G @ x[:, 1], -(G @ x[:, 0]), 0.0])
        return Impulse(linear, np.array([0.0, 0.0, -0.5 * density * (G @ (x**2).sum(axis=1))]))
    step = np.roll(x, -1, axis=1) - x
    middle = x + 0.5 * step
    area = 0.5 * np.cross(middle, step).sum(axis=1)
    square = (middle**2).sum(axis=2) + (step**2).sum(axis=2) / 12  # its mean along a straight piece
    spin = -0.5 * (square[..., None] * step).sum(axis=1)
    return Impulse(density * (G @ area), density * (G @ spin))
