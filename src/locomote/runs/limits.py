"""Limits of joints and motors in a run: which were reached, when, and whether all held."""

from typing import Any

import numpy as np

from locomote.evaluation.plan import UNLIMITED, Plan
from locomote.methods.events.stops import stop_titles
from locomote.runs.audit.checks import Check
from locomote.runs.audit.known import problem_of
from locomote.runs.peaks import peaks
from locomote.runs.trajectory import Trajectory

ALLOWED = 1e-6  # rad or m beyond a stop, or part of the largest torque
AT_STOP = 1e-6  # rad or m from a stop that is there


def check_limits(run: Trajectory) -> list[Check]:
    """By how much samples, and what the run tracked between them, go beyond limits that act; nothing where there are none."""
    problem = problem_of(run)
    if problem is None or not len(run):
        return []
    plan, worst, note = problem.plan, 0.0, "of joints and motors"
    motors = limited(plan)
    if not len(plan.stops) and not len(motors):
        return []
    for k in motors:
        over = float(np.nanmax(abs(run.tau[:, k]), initial=0.0)) - float(plan.effort[k])
        if over > worst * max(plan.effort[k], 1.0):
            worst, note = over / max(float(plan.effort[k]), 1.0), f"more torque than the motor of {name_of(run, k)} has"
    for title, k, (sign, end, *_) in zip(stop_titles(run.model, plan), plan.stops, plan.stop_laws, strict=True):
        over = -float(np.nanmin(sign * (run.q[:, plan.q_of_v[k]] - end), initial=0.0))
        if over > worst:
            worst, note = over, f"beyond the {title}, rad or m"
    return [Check("limits", worst, ALLOWED, note)]


def reached(run: Trajectory) -> list[str]:
    """Sentences about limits that were reached, in the order of their times; also of drives that take more than a motor has."""
    problem = problem_of(run)
    if problem is None or not len(run):
        return []
    plan = problem.plan
    found: list[tuple[float, str]] = []
    most = run.model.effort_limit
    for k, peak in enumerate(peaks(run, "tau")):
        if plan.imposed[k] and problem.limits and abs(peak.value) > most[k]:
            said = f"{peak.name} {peak.value:.4g} {peak.unit} of a drive, more than the {most[k]:.4g} {peak.unit} of its motor"
            found.append((peak.t, f"{said}, at {peak.t:.4g} s"))
        elif plan.effort[k] < UNLIMITED and abs(peak.value) >= plan.effort[k] > 0:
            found.append((peak.t, f"{peak.name} at its {plan.effort[k]:.4g} {peak.unit} from {peak.t:.4g} s on"))
    for title, k, (sign, end, *_) in zip(stop_titles(run.model, plan), plan.stops, plan.stop_laws, strict=True):
        t = first_time(run, title, sign * (run.q[:, plan.q_of_v[k]] - end))
        if t is not None:
            found.append((t, f"{title} at {end:.4g} {unit_of(run, int(plan.q_of_v[k]))}, from {t:.4g} s on"))
    found += driven_beyond(run, plan) if problem.limits else []
    return [said for _, said in sorted(found)]


def driven_beyond(run: Trajectory, plan: Plan) -> list[tuple[float, str]]:
    """What is said of drives that take joints beyond their limits, and when."""
    found = []
    for k in np.flatnonzero(plan.imposed).tolist():
        place = int(plan.q_of_v[k])
        beyond = np.flatnonzero((run.q[:, place] < run.model.lower[place]) | (run.q[:, place] > run.model.upper[place]))
        for n in beyond[:1]:
            said = f"{name_of(run, k)} driven beyond its limit, to {run.q[n, place]:.4g} {unit_of(run, place)}"
            found.append((float(run.t[n]), f"{said} at {run.t[n]:.4g} s"))
    return found


def without_pushes(problem: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, off: np.ndarray) -> np.ndarray:
    """(n, nv) forces that nothing explains, without those of stops: inwards, on joints that lie still on one."""
    plan, off = problem.plan, off.copy()
    for k, (sign, end, *_) in zip(plan.stops, plan.stop_laws, strict=True):
        lies = (abs(q[:, plan.q_of_v[k]] - end) <= AT_STOP) & (v[:, k] == 0.0) & (a[:, k] == 0.0)
        off[lies & (sign * off[:, k] > 0.0), k] = 0.0
    return off


def impulses_of_stops(run: Trajectory, plan: Plan, event: Any) -> np.ndarray:
    """(nv,) what stops gave in an impact, N s or N m s."""
    given = event.data.get("stops") or {}
    total = np.zeros(run.model.nv)
    for title, k, sign in zip(stop_titles(run.model, plan), plan.stops, plan.stop_laws[:, 0], strict=True):
        total[k] += sign * float(given.get(title, 0.0))
    return total


def limited(plan: Plan) -> np.ndarray:
    """Coordinates of v whose torques have a limit that acts."""
    return np.flatnonzero((plan.effort < UNLIMITED) & (plan.imposed == 0))


def first_time(run: Trajectory, title: str, gap: np.ndarray) -> float | None:
    """When a joint first was at a stop: as an event says, or a sample."""
    times = [event.t for event in run.events if title in named(event)]
    touching = np.flatnonzero(gap <= AT_STOP)
    return min([*times, *run.t[touching[:1]].tolist()], default=None)


def named(event: Any) -> list[str]:
    """What an event is about."""
    data = event.data
    return [*data.get("stops", {})] + [data[key] for key in ("constraint",) if isinstance(data.get(key), str)]


def unit_of(run: Trajectory, place: int) -> str:
    """The unit of a coordinate of q."""
    return next(slot.unit for slot in run.model.layout().slots if slot.vector == "q" and slot.index == place)


def name_of(run: Trajectory, k: int) -> str:
    """The joint of a coordinate of v."""
    return next(slot.joint for slot in run.model.layout().slots if slot.vector == "v" and slot.index == k)
