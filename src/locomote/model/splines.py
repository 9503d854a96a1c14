"""Cubic splines through points, straight beyond them, with the ends of Forsythe, Malcolm and Moler.

At both ends the third derivative is that of the cubic through the four outermost points (Computer Methods for Mathematical
Computations, 1977, chapter 4); with three points it is zero there, two points make a line. SIMM and OpenSim draw curves so.
"""

from collections.abc import Sequence

import numpy as np


class Spline:
    """y over x; call it with x and the order of the derivative, from 0 to 3."""

    def __init__(self, x: Sequence[float], y: Sequence[float]):
        self.x, self.y = np.array(x, dtype=float), np.array(y, dtype=float)
        if self.x.shape != self.y.shape or self.x.ndim != 1 or len(self.x) < 2 or not (np.diff(self.x) > 0).all():
            raise ValueError("a spline needs at least two points, with x that rises")
        self.slopes = _coefficients(self.x, self.y)

    def pieces(self) -> list[np.ndarray]:
        """Polynomials from left to right, the straight ends among them: where each begins, and its coefficients there."""
        h, (b, c, d) = np.diff(self.x)[-1], self.slopes[:, -1]
        first, last = (self.x[0], self.y[0], self.slopes[0, 0]), (self.x[-1], self.y[-1], b + h * (2 * c + 3 * h * d))
        inside = np.column_stack([self.x[:-1], self.y[:-1], self.slopes.T])
        return [np.array(first), *inside, np.array(last)]

    def __call__(self, x, order: int = 0):
        x = np.asarray(x, dtype=float)
        place = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 2)
        inside = np.clip(x, self.x[0], self.x[-1])
        s, (b, c, d) = inside - self.x[place], self.slopes[:, place]
        values = [self.y[place] + s * (b + s * (c + s * d)), b + s * (2 * c + 3 * s * d), 2 * c + 6 * s * d, 6 * d + 0 * s]
        beyond = x - inside
        if order == 0:
            return values[0] + beyond * values[1]
        return np.where(beyond == 0, values[order], values[1] if order == 1 else 0.0)[()]


def _coefficients(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(3, n - 1) first, second over 2 and third derivative over 6 at the left of each piece."""
    n, h, rise = len(x), np.diff(x), np.diff(y) / np.diff(x)
    if n == 2:
        return np.array([rise, np.zeros(1), np.zeros(1)])
    A, right = np.zeros((n, n)), np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1 : i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        right[i] = rise[i] - rise[i - 1]
    A[0, :2], A[-1, -2:] = (-h[0], h[0]), (h[-1], -h[-1])
    if n > 3:
        third = np.diff(np.diff(rise) / (x[2:] - x[:-2]))  # divided differences of third order, times what is below
        right[0], right[-1] = third[0] * h[0] ** 2 / (x[3] - x[0]), -third[-1] * h[-1] ** 2 / (x[-1] - x[-4])
    c = np.linalg.solve(A, right)
    return np.array([rise - h * (c[1:] + 2 * c[:-1]), 3 * c[:-1], np.diff(c) / h])
