"""Optimisation along exact slopes: L-BFGS-B (bounds) and SLSQP (bounds and limits) of SciPy.

Their steps follow from values and slopes alone, which rows hold: the same call asks for the same points and goes on to the same
digits. Parameters are parts of their ranges, and the goal is in units of its first slope, so that tolerances mean the same.
"""

from collections.abc import Callable, Mapping

import numpy as np

from locomote.sweeps.slopes import by

DESCENTS = {"l-bfgs-b": "L-BFGS-B", "slsqp": "SLSQP"}
ROUNDING = 1e-15  # of a goal


class Used(Exception):
    """No evaluations are left, or a point has no numbers."""


class Descent:
    """One start. numbers(x) gives the row of a point (d,) of the unit cube, or raises Used."""

    def __init__(self, ask, numbers: Callable[[np.ndarray], Mapping[str, float]], method: str, tolerance: float):
        self.ask, self.numbers, self.method, self.tolerance = ask, numbers, DESCENTS[method], tolerance
        self.goal, self.scale = ask.measures[0], 1.0

    def value(self, x: np.ndarray, name: str) -> tuple[float, np.ndarray]:
        """A number of a point, and its slopes by parts of the ranges."""
        row = self.numbers(x)
        slopes = np.array([row[by(name, parameter)] for parameter in self.ask.names])
        return row[name], slopes * (self.ask.high - self.ask.low)

    def height(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """The goal, small where it is good, and its slopes."""
        value, slopes = self.value(x, self.goal)
        return self.ask.sign * value / self.scale, self.ask.sign * slopes / self.scale

    def limits(self) -> list[dict]:
        """Functions that are at least zero where a limit holds, by a little more than SciPy lets it be missed."""
        found = []
        for name, ends in self.ask.limits.items():
            for end, sign in zip(ends, (1.0, -1.0), strict=True):
                if np.isfinite(end):
                    unit = 1.0 + abs(end)

                    def room(x, name=name, end=end, sign=sign, unit=unit):
                        return sign * (self.value(x, name)[0] - end) / unit - 2 * self.tolerance

                    def slope(x, name=name, sign=sign, unit=unit):
                        return sign * self.value(x, name)[1] / unit

                    found.append({"type": "ineq", "fun": room, "jac": slope})
        return found

    def run(self, begin: np.ndarray) -> str:
        """Go down; why it ended."""
        from scipy.optimize import minimize

        try:
            self.scale = max(float(np.abs(self.height(begin)[1]).max()), 1e-300)
            limits: dict = {"constraints": self.limits()} if self.ask.limits else {}
            small = {"ftol": self.tolerance}
            if self.method == "L-BFGS-B":
                small = {"gtol": self.tolerance, "ftol": ROUNDING, "maxfun": 10**9}
            found = minimize(
                self.height, begin, jac=True, bounds=[(0.0, 1.0)] * len(begin), method=self.method,
                options={"maxiter": 10**6, **small}, **limits,
            )  # fmt: skip
        except Used as ended:
            return str(ended)
        good = "slopes are flat, or lead out of the ranges or limits"
        return good if found.success else f"no further: {found.message.lower()}"
