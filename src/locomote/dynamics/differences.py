"""Derivatives by central differences of eighth order, for functions that offer nothing better."""

from collections.abc import Callable

import numpy as np

# weights of f(k step) -+ f(-k step), k = 1 to 4, over step and over step squared
FIRST_RATE = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
SECOND_RATE = (8 / 5, -1 / 5, 8 / 315, -1 / 560)


def derivative(function: Callable[[float], np.ndarray], step: float) -> np.ndarray:
    """d/ds of function(s) at s = 0."""
    parts = [weight * (function(k * step) - function(-k * step)) for k, weight in enumerate(FIRST_RATE, 1)]
    return np.sum(parts, axis=0) / step
