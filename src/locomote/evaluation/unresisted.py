"""Why a problem has no motion at a state: what moves no mass, or, without inertia, what nothing resists, in words."""

import warnings

import numpy as np

from locomote.dynamics.idle import NOTHING, SHARE, combination, reduced
from locomote.dynamics.matrices import mass_matrix
from locomote.evaluation.protocol import Problem
from locomote.linear.rank import kernel_of, own_lengths

SHOWN = 3  # warnings of a model


def why_no_motion(problem: Problem, t: float, q: np.ndarray) -> str:
    """A sentence about motions that drives and constraints leave free and that nothing resists; empty if there are none."""
    model, free = problem.model, np.asarray(problem.plan.free)
    try:
        resists = mass_matrix(model, q) if problem.inertia else problem.resistance(q, t)
        A = problem.rows(t, q)[0][:, free] if problem.constraints else np.zeros((0, len(free)))
    except (ArithmeticError, ValueError):  # not finite: there is another reason
        return ""
    resists = (0.5 * resists + 0.5 * resists.T)[np.ix_(free, free)]
    own = np.maximum(np.diag(resists), 0.0)
    scale = 1.0 / np.sqrt(np.where(own > NOTHING * own.max(initial=np.finfo(float).tiny), own, 1.0))
    left = np.eye(len(free))
    if len(A):
        left = kernel_of(A * scale, own_lengths(A * scale), problem.rank_tolerance)
    if not left.size:
        return ""
    alike = left.T @ (resists * scale * scale[:, None]) @ left
    if not np.isfinite(alike).all():  # beyond the largest numbers: there is another reason
        return ""
    values, vectors = np.linalg.eigh(alike)
    idle = values <= NOTHING
    if not idle.any():
        return ""
    motions = [combination(model, free, x, SHARE) for x in reduced((left @ vectors[:, idle]).T * scale)]
    which, it = ("motion", "it") if len(motions) == 1 else ("motions", "them")
    if problem.inertia:
        return f"no mass moves with the {which} {', '.join(motions)}; give bodies mass or joints armature, or lock {it}"
    return f"nothing resists the {which} {', '.join(motions)}, without inertia; give {it} drag or damping, or impose {it}"


def show_warnings(problem: Problem) -> None:
    """The warnings of a model as one of Python's, when it is simulated first."""
    model = problem.statement.model
    if model.__dict__.get("_shown"):
        return
    model.__dict__["_shown"] = True
    said = list(model.description.warnings)
    others = [warning for warning in model.warnings if warning not in said]  # about joints without mass, which may be imposed
    if others and why_no_motion(problem, 0.0, problem.model.neutral()):
        said += others
    if said:
        more = f"; and {len(said) - SHOWN} more in model.warnings" if len(said) > SHOWN else ""
        warnings.warn(f"model {model.name!r}: {'; '.join(said[:SHOWN])}{more}", UserWarning, stacklevel=5)
