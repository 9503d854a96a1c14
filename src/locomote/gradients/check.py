"""The check of a gradient of rollouts: the slope along a random direction of all inputs, against differences with the same
steps (`differences`); over contacts, slopes of the motion against a curve through many runs."""

from dataclasses import replace
from typing import Any

import numpy as np

from locomote.errors import LocomoteError
from locomote.gradients.differences import LEAST, SIZES, checked_by, checked_coarsely
from locomote.gradients.fixed import Case
from locomote.locomotion.return_map import departures


def checked_along(case: Case, slopes: dict[str, np.ndarray], seed: int = 0) -> float:
    """The largest relative error over all runs, which is printed; NaN where no input can be moved to both sides."""
    rng = np.random.default_rng(seed)
    way = {name: rng.normal(size=array.shape) for name, array in slopes.items()}
    if case.problem.constraints and {"q", "v"} & way.keys():
        allowed(case, way, rng)
    if "duration" in way:
        way["duration"][:] = 0.0  # its slope is that of the motion that goes on, of which this run has no more steps
    for _, k in case.step.held:
        for name in {"q", "v"} & way.keys():
            way[name][:, k] = 0.0
    coarse = getattr(case, "contacts", "discrete") != "discrete"
    if coarse and "controls" in way:  # alike in all steps: what changes from step to step moves next to nothing
        way["controls"][:] = way["controls"][:, :1]
    for name in way:
        way[name] *= scale(case, name)
        if name in case.parameters:  # which all runs share
            way[name][:] = way[name][0] if moves(case, name, way[name][0]) else 0.0
    if not any(np.any(x) for x in way.values()):
        print(f"gradient of {case.problem.name!r}: {' and '.join(way)} cannot be moved to both sides here, and is not compared")
        return float("nan")
    parts = [(slopes[name] * way[name]).reshape(len(case.starts[0]), -1) for name in way]
    exact, size = sum(part.sum(axis=1) for part in parts), np.sqrt(sum((part**2).sum(axis=1) for part in parts))
    size = np.maximum(size, LEAST * np.maximum(abs(case.found[0]), 1.0))
    if coarse:
        size = np.maximum(size, abs(exact))
        return checked_coarsely(lambda e: moved(case, way, e).found[0], exact, size, case.problem.name)
    return checked_by(lambda e: moved(case, way, e).found[0], exact, size, case.problem.name)


def allowed(case: Case, way: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    """Make the ways of starts such as constraints allow: differences of starts that they forbid are none of the motion."""
    wanted, nv = sorted({"q", "v"} & way.keys()), case.problem.model.nv
    if not case.problem.inertia:
        wanted = [name for name in wanted if name == "q"]  # of which velocities follow
    if not wanted:
        return
    ways = [departures(case.problem, q, v, wanted) for q, v in zip(*case.starts, strict=True)]
    if not any(x.shape[1] for x in ways):
        print(f"gradient of {case.problem.name!r}: constraints allow no other {' and '.join(wanted)}, which are not compared")
    moved = np.array([x @ rng.normal(size=x.shape[1]) for x in ways])
    for name in wanted:
        way[name][:] = moved[:, :nv] if name == "q" else moved[:, nv:]


def scale(case: Any, name: str) -> float:
    """How far an input is moved."""
    if name in case.parameters:
        return 0.1 * (float(abs(np.asarray(case.problem.parameters[name])).max(initial=0.0)) or 0.01)
    return max(float(abs(case.controls).max(initial=0.0)), 1e-3) if name == "controls" else 0.1


def moves(case: Any, name: str, way: np.ndarray) -> bool:
    """Whether a parameter can go both ways: not a damping of zero."""
    value = case.problem.parameters[name]
    try:
        for sign in (1.0, -1.0):
            case.problem.with_parameters({name: value + sign * SIZES[0] * way})
    except (ValueError, LocomoteError):
        return False
    return True


def moved(case: Case, way: dict[str, np.ndarray], e: float) -> Case:
    """The case with its inputs moved by e along a direction."""
    q, v = case.starts
    if "q" in way:
        q = np.array([case.problem.model.integrate(x, e * d) for x, d in zip(q, way["q"], strict=True)])
    if "v" in way:
        v = v + e * way["v"]
    controls = case.controls + e * way["controls"] if "controls" in way else case.controls
    named = {name: case.problem.parameters[name] + e * way[name][0] for name in case.parameters}
    if not named:
        return replace(case, starts=(q, v), controls=controls)
    problem = case.problem.with_parameters(named)
    signals = {**problem.imposed_motions, **problem.given_torques}
    plan = replace(case.plan, drives=tuple(signals[k] for k in case.plan.timed))
    starts = q.copy(), v.copy()
    plan.impose(0.0, *starts)
    return replace(case, problem=problem, plan=plan, starts=starts, controls=controls, known=tuple(case.directions))
