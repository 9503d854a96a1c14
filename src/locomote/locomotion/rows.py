"""Rows of the constraints of a problem at a state: as numbers, their rates, and in words."""

import numpy as np

from locomote.constraints.custom import Custom
from locomote.dynamics.differences import derivative
from locomote.evaluation.plan import Plan
from locomote.evaluation.protocol import Problem, Rows
from locomote.evaluation.work import Work, work_of
from locomote.locomotion.inputs import checked_time, one_state, refuse_wild_rows
from locomote.methods.entries import prepare, rows_one


def rows(problem: Problem, t: float, q, v=None) -> Rows:
    """(A, drift, speed, error): rows of all constraints at a state, A' v + b', b, and position errors."""
    q, v = one_state(problem.model, q, np.zeros(problem.model.nv) if v is None else v)
    with problem.scratch(problem.plan) as work:
        found = problem.rows_of(problem.plan, work, checked_time(t), q, v)
    refuse_wild_rows(problem, *found)
    return found


def rows_of(problem: Problem, plan: Plan, work: Work, t: float, q: np.ndarray, v: np.ndarray) -> Rows:
    """`rows` at q (nq,) and v (nv,) for a plan of its own, unchecked."""
    q, v = (x if x.flags.writeable else x.copy() for x in (q, v))  # compiled code is for arrays that can be written to
    rows_one(plan, work, float(t), q, v, np.zeros(problem.model.nv))
    plan.raise_faults()
    return work.A.copy(), work.drift.copy(), work.speed.copy(), work.error.copy()


def rows_rate(problem: Problem, t: float, q, v) -> np.ndarray:
    """(rows, nv) rate of the rows when the configuration moves with v; custom rows by differences of eighth order."""
    model, work = problem.model, work_of(problem.plan, rates=True)
    q, v = one_state(model, q, v)
    prepare(problem.plan)
    rows_one(problem.plan, work, float(t), q, v, np.zeros(model.nv))
    problem.plan.raise_faults()
    result = work.rate.copy()
    if model.flexible:
        return derivative(lambda s: problem.rows(t, model.integrate(q, s * v))[0], 2e-3)
    owners = [constraint for constraint in problem.constraints for _ in constraint.labels]
    if custom := [r for r, owner in enumerate(owners) if isinstance(owner, Custom)]:
        result[custom] = derivative(lambda s: problem.rows(t, model.integrate(q, s * v))[0][custom], 2e-3)
    return result


def scaled_rows(problem: Problem, t: float, q) -> np.ndarray:
    """(rows, free) the part of all rows on free coordinates, scaled to lengths of about one, as ranks are decided by."""
    q, v = one_state(problem.model, q, np.zeros(problem.model.nv))
    with problem.scratch(problem.plan) as work:
        return problem.rows_of(problem.plan, work, t, q, v)[0][:, problem.plan.free] / work.lengths[:, None]


def worst_rows(problem: Problem, values: np.ndarray, above: float, unit: str = "(SI units)") -> str:
    """The constraint rows with the largest values (rows,), in words."""
    rows = [r for r in np.argsort(-abs(values)) if abs(values[r]) > above][:3]
    labels = problem.constraint_labels
    return ", ".join(f"row {labels[r][1]!r} of {labels[r][0]!r} is off by {values[r]:.3g} {unit}" for r in rows)
