"""A start that meets drives and constraints, or the error that says why there is none."""

from collections.abc import Iterable

import numpy as np

from locomote.errors import LocomoteError
from locomote.locomotion.unresisted import why_no_motion
from locomote.simulation.contacts import Contacts
from locomote.simulation.entries import assemble_one
from locomote.simulation.ignored import checked_names, held_rows, without
from locomote.simulation.stops import stop_titles
from locomote.spatial.numbers import all_finite

BEYOND = 1e-9  # rad or m, that a start may be beyond a limit


class InconsistentStart(LocomoteError, ValueError):
    """No configuration or velocity near the given one meets the drives and constraints."""


def assemble(problem, t: float, q: np.ndarray, v: np.ndarray, ignore: Iterable[str]) -> None:
    """Bring q and v at time t onto drives and constraints, but for those that are ignored; raises InconsistentStart."""
    for k, drive in problem._drives.items():
        q[problem.q_of_v[k]], v[k], _ = drive(float(t))
    if problem.inertia and not problem.constraints:  # nothing to assemble
        checked_names(problem, ignore, "ignore")
        refuse_not_finite(problem, t, q, v)
        return
    plan, a, spare_q, spare_v = without(problem, problem.plan_at(q).own(), ignore), 0.0 * v, np.empty_like(q), np.empty_like(v)
    with problem.scratch(plan) as work:
        left = 0.0
        if contacts := Contacts(problem, plan, work):  # those with a gap are not held, nor those that hit or leave
            if contacts.hold_sunk(float(t), q, v):  # but none starts inside
                assemble_one(plan, work, float(t), q, v.copy(), a, spare_q, spare_v)
                left = work.result[0]
            contacts.touch(float(t), q, v)
        if left <= 1e-9:
            assemble_one(plan, work, float(t), q, v, a, spare_q, spare_v)
            left = work.result[0]
        rest = work.result[1]
        if not problem.inertia:
            problem.evaluate_with(plan, work, t, q, v)
        error, residual = np.where(held_rows(plan), work.error, 0.0), work.A @ v + work.speed
    plan.raise_faults()
    refuse_not_finite(problem, t, q, v)
    if left > 1e-9:
        names = problem.worst_rows(error, 1e-9, "m or rad")
        raise InconsistentStart(
            f"{problem.name!r} cannot be assembled at t = {t:g}: {names}; start from a configuration nearer to a closed one, "
            f"or check lengths and imposed positions"
        )
    if rest > 1e-7:
        raise InconsistentStart(
            f"the imposed velocities of {problem.name!r} at t = {t:g} do not fit its constraints: "
            f"{problem.worst_rows(residual, 1e-8, 'm/s or rad/s')}"
        )


def refuse_not_finite(problem, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """Raise if there is no number at the start."""
    if not (all_finite(q) and all_finite(v)):
        near = np.where(np.isfinite(q), q, problem.model.neutral())
        why = "" if problem.inertia else why_no_motion(problem, t, near)
        raise InconsistentStart(
            f"{problem.name!r} has no finite start at t = {t:g}: {why or 'a drive or a constraint gives NaN'}"
        )


def refuse_beyond(problem, q: np.ndarray) -> None:
    """Raise if a run would start beyond a limit of a joint. q : (nq,), or (N, nq)"""
    plan = problem.plan
    for n, (k, (sign, place, _)) in enumerate(zip(plan.stops, plan.stop_laws, strict=True)):
        gap = sign * (q[..., plan.q_of_v[k]] - place)
        if np.min(gap) < -BEYOND:
            here, title = place + sign * float(np.min(gap)), stop_titles(problem.model, plan)[n]
            raise InconsistentStart(
                f"{problem.name!r} starts at {here:.6g}, beyond the {title} at {place:.6g} (rad or m): start within, or give "
                f"the problem limits=False"
            )
