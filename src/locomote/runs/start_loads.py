"""Forces of contacts at the start of a run, where no step has ended yet."""

import warnings
from typing import Any

import numpy as np


def loads_of(problem: Any, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray | None:
    """(contacts, 6) forces, N, and points, m, by Coulomb's law at an instant; None where something hits, or none meets it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            now = problem.evaluate(t, q, v)
        except (ValueError, ArithmeticError):
            return None
    return np.concatenate([now.contact_forces, now.contact_points], axis=1)
