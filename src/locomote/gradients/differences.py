"""The check of a gradient: along a direction, the slope against differences of runs.

    D(e) = (J(e) - J(-e)) / 2 e ,   R(e) = (4 D(e/2) - D(e)) / 3        (Richardson)

The size e is that where two neighbouring R differ least: larger ones feel curvature, smaller ones rounding.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

SIZES = 0.03 * 0.15 ** np.arange(8)
SENSITIVE = 10.0  # slope of a unit direction beside the value, from which on sizes are as much smaller
COARSE, RUNS = 0.03, 25  # how far runs over contacts are moved, and how many there are
LEAST = 1e-9  # of the value (or 1), below which slopes are zero


def checked_by(value: Callable[[float], Any], exact: Any, size: Any, name: str) -> float:
    """The largest relative error of a slope, which is printed. value : of the goal, of one or many runs, moved so far"""
    steep = float(np.max(size / np.maximum(abs(value(0.0)), 1.0)))
    rough = [richardson(value, e) for e in SIZES / max(1.0, steep / SENSITIVE)]
    best = min(range(len(rough) - 1), key=lambda n: float(np.max(abs(rough[n + 1] - rough[n]))))
    error = float(np.max(abs(rough[best + 1] - exact) / size))
    print(f"gradient of {name!r}: differences along a random direction agree to {error:.1e}")
    return error


def checked_coarsely(value: Callable[[float], Any], exact: Any, size: Any, name: str) -> float:
    """The largest relative error of a slope against that of a cubic through many runs, which is printed: neighbouring runs over
    contacts differ by steps in which they hit, and only many of them show the motion."""
    places = COARSE * np.linspace(-1.0, 1.0, RUNS)
    fitted = np.polyfit(places, np.array([np.atleast_1d(value(e)) for e in places]), 3)[2]
    error = float(np.max(abs(fitted - exact) / size))
    print(f"gradient of {name!r}: a curve through {RUNS} runs along a random direction agrees to {error:.1e}")
    return error


def richardson(value: Callable[[float], Any], e: float) -> Any:
    """R(e)."""
    wide, narrow = ((value(x) - value(-x)) / (2.0 * x) for x in (e, 0.5 * e))
    return (4.0 * narrow - wide) / 3.0
