"""Start states of files in which something is inside what it touches: the nearest one in which nothing is.

Engines with soft contacts keep states in which bodies have sunk in a little. With Y the rows of the gaps, over the factor of
the mass matrix (`contact_forces`, (1)), as often as it takes:

    least x^T x  with  Y x >= -gap                                                                                    (1)
"""

import warnings

import numpy as np
from scipy.optimize import nnls

from locomote.contact import spots as at
from locomote.errors import LocomoteError, ModelError
from locomote.locomotion.contact_forces import response_of
from locomote.locomotion.problem import Locomotion
from locomote.methods.gaps import gaps_of, placed_at

CLEAR, SUNK = 1e-9, 1e-6  # m
NEAR = 0.01  # m, of gaps that may close while others are opened
ROUNDS = 20


def cleared(problem: Locomotion) -> Locomotion:
    """The problem with a start in which nothing hard is inside what it touches, with a warning if it was."""
    if not problem.contacts or problem.start is None:
        return problem
    q, v = problem.initial()
    hard = problem.plan.spot_laws[:, at.STIFFNESS] == 0.0
    gaps = np.where(hard, gaps_of(problem, 0.0, q), np.inf)
    if gaps.min(initial=0.0) > -SUNK:
        return problem
    name = problem.contact_names[int(gaps.argmin())]
    try:
        moved = lifted(problem, q, hard)
    except ModelError:
        raise
    except LocomoteError:
        said = f"{-gaps.min():.2g} m inside what it touches, and some motion moves no mass, so that it cannot be put clear"
        raise ModelError(problem.name, f"starts with {name!r} {said}; give all bodies that move mass") from None
    if moved is None:
        warnings.warn(
            f"{problem.name!r} starts with {name!r} {-gaps.min():.2g} m inside what it touches, and no way out", stacklevel=3
        )
        return problem
    far = abs(problem.model.difference(q, moved)).max()
    warnings.warn(
        f"{problem.name!r} starts with {name!r} {-gaps.min():.2g} m inside what it touches: it is put clear, coordinates are "
        f"changed by {far:.2g} (m or rad) at most", stacklevel=3,
    )  # fmt: skip
    return problem.replaced(start=(moved, v))


def lifted(problem: Locomotion, q: np.ndarray, hard: np.ndarray) -> np.ndarray | None:
    """(nq,) nearest configuration in which nothing is inside what it touches; None if none is found."""
    plan = problem.plan
    with problem.scratch(plan) as work:
        for _ in range(ROUNDS):
            placed, rows, _ = placed_at(problem, plan, work, 0.0, q)
            near = np.flatnonzero(hard & (placed[:, at.GAP] < NEAR))
            gaps = placed[near, at.GAP]
            if gaps.min(initial=0.0) > -CLEAR:
                return q
            answer = response_of(problem, plan, q, work.A.copy(), work.lengths.copy())
            Y = answer.rows(rows[3 * near + 2])
            matrix = np.vstack([Y.T, -gaps])  # (1) by non-negative least squares (Lawson and Hanson)
            z, _ = nnls(matrix, np.append(np.zeros(Y.shape[1]), 1.0))
            left = matrix @ z - np.append(np.zeros(Y.shape[1]), 1.0)
            if abs(left[-1]) < 1e-14:
                return None
            x = -left[:-1] / left[-1]
            step = np.zeros(problem.model.nv)
            step[answer.free] = answer.H @ np.linalg.solve(answer.L.T, x)
            q = problem.initial(problem.model.integrate(q, step))[0]
    return None
