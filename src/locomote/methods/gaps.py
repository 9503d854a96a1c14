"""Where all that may touch is in a configuration: places of spots with their gaps, and rows of their velocities."""

import numpy as np

from locomote.contact import spots as at
from locomote.methods.entries import gaps_one, rows_one, spot_rows_one


def placed_at(problem, plan, work, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places of all spots, their rows (3 spots, nv), and rows of turns."""
    still, count = np.zeros(problem.model.nv), len(plan.spots)
    placed, rows, turns = np.zeros((count, at.PLACED)), *np.zeros((2, 3 * count, problem.model.nv))
    rows_one(plan, work, float(t), q, still, still)
    gaps_one(plan, work, placed)
    spot_rows_one(plan, work, placed, rows, turns)
    plan.raise_faults()
    return placed, rows, turns


def gaps_of(problem, t: float, q: np.ndarray) -> np.ndarray:
    """(spots,) gaps of all that may touch, m, in the order of `problem.contact_names`."""
    with problem.scratch(problem.plan) as work:
        return placed_at(problem, problem.plan, work, t, q)[0][:, at.GAP]
