"""Contacts with friction at one instant: which of them touch, and a refusal for answers that would need their forces.

A force of lo.Touch is found over a step, from velocities before and after it; one state does not tell it. Whoever answers for
an instant therefore asks here whether anything touches there, and says so instead of leaving the force out.
"""

import numpy as np

from locomote.contact import spots as at
from locomote.methods.entries import gaps_one, rows_one

TOUCHING = 1e-4  # m, gaps below which something may touch: what turns hovers at ends of steps, by the square of their length


def gaps_of(problem, t: float, q: np.ndarray) -> np.ndarray:
    """(spots,) gaps of all that may touch, m, in the order of `problem.contact_names`."""
    plan, still = problem.plan, np.zeros(problem.model.nv)
    placed = np.zeros((len(plan.spots), at.PLACED))
    with problem.scratch(plan) as work:
        rows_one(plan, work, float(t), q, still, still)
        gaps_one(plan, work, placed)
    plan.raise_faults()
    return placed[:, at.GAP]


def refuse_touching(problem, t: float, q: np.ndarray, what: str) -> None:
    """A ValueError if any contact touches at q; what : who answers for the instant."""
    if not problem.contacts:
        return
    gaps = gaps_of(problem, t, q)
    if (gaps < TOUCHING).any():
        name = problem.contact_names[int(np.argmin(gaps))]
        raise ValueError(
            f"{what} of {problem.name!r} does not know forces of contacts with friction, and {name!r} touches in this state, "
            f"with a gap of {gaps.min():.2g} m: a run knows them (simulate, contact_forces); lo.SoftGround, or lo.PointContact "
            f"for what sticks, are known to all"
        )
