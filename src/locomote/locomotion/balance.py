"""Forces on the coordinates of a problem without those of inertia, constraints and drives, and how they resist velocities."""

import numpy as np

from locomote.dynamics.function import refuse_torn
from locomote.evaluation.protocol import Problem
from locomote.locomotion.inputs import checked_time, one_state, unfolded_q
from locomote.methods.entries import balance_one, fill_matrices


def balance(problem: Problem, t: float, q, v=None) -> np.ndarray:
    """(nv,) all forces on the coordinates, N or N m, but those of inertia, constraints and drives: gravity, springs,
    elasticity, given torques and surroundings at (t, q, v), v zero if None. No mass is needed."""
    q, v = one_state(problem.model, q, np.zeros(problem.model.nv) if v is None else v)
    with problem.scratch(problem.plan) as work:
        fill_matrices(problem.plan)
        balance_one(problem.plan, work, checked_time(t), q, v)
        problem.plan.raise_faults()
        found = work.z[: problem.model.nv].copy()
    refuse_torn(problem.model, q[None])
    return found


def resistance(problem: Problem, q, t: float = 0.0) -> np.ndarray:
    """(nv, nv) what the surroundings and joints resist velocities with, N s/m, N s or N m s: force = -R v, where forces are
    proportional to velocities (derivative at rest, over unit velocities, where they are not)."""
    q, still = one_state(problem.model, unfolded_q(problem.statement.model, q), np.zeros(problem.model.nv))
    at_rest = problem.balance(t, q, still)
    return np.column_stack([at_rest - problem.balance(t, q, unit) for unit in np.eye(problem.model.nv)])
