"""Forces of contacts at the start of a run, where no step has ended yet."""

import warnings
from typing import Any

import numpy as np

MOST = 24  # points that touch, for which the search for all answers of Coulomb's law is short


def loads_of(problem: Any, t: float, q: np.ndarray, v: np.ndarray, near: np.ndarray) -> np.ndarray | None:
    """(contacts, 6) forces, N, and points, m, by Coulomb's law at an instant; None where something hits, or none meets it, or
    more points touch than MOST.

    near : (contacts, 6) those of the first sample after it, which says how many touch
    """
    if near[:, :3].any(axis=1).sum() > MOST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            now = problem.evaluate(t, q, v)
        except (ValueError, ArithmeticError):
            return None
    return np.concatenate([now.contact_forces, now.contact_points], axis=1)
