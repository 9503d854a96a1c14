"""What to do about a line of an audit that failed: what to change, and to which value.

An error of a method of order p shrinks with its step h as h^p, and with its tolerances as these; HALF of what would just do is
told. Lines that compare numbers with what the problem gives fail where numbers, or the problem, are not those of the run.
"""

from dataclasses import replace
from math import floor, isfinite, log10

import numpy as np

from locomote.methods.gaps import gaps_of
from locomote.methods.registry import method_of
from locomote.runs.audit.checks import Check
from locomote.runs.trajectory import Trajectory

HALF, TENTH = 0.5, 0.1
LEAST_RTOL, SHORTEST = 1e-13, 1e-4  # below which tolerances say nothing; part of a step below which another method is better
NUMERICAL = ("power balance", "conserved momentum", "constraint velocities", "constraint positions")
FOLLOWING = ("q follows v", "v follows a", "work of drives", "work of torques")
SUNK = 1e-6  # m, inside of what it touches, from which on a start gives energy that matters
WRONG = 0.5  # share of the scale, more than any tolerance explains


def with_remedy(check: Check, run: Trajectory) -> Check:
    """The same line, with what to do if it failed."""
    return check if check.passed else replace(check, remedy=remedy(check, run))


def remedy(check: Check, run: Trajectory) -> str:
    """What to change, and to which value."""
    name = check.name
    if name in NUMERICAL and isfinite(check.value):
        return of_integration(check, run)
    if name == "energy that contacts give" and (sentence := sunk(run)):
        return sentence
    if name in ("contact law", "energy that contacts give", "loads of neighbouring steps"):
        return f"take step={rounded(HALF * step_of(run))}, or less friction where contacts jam"
    if name in FOLLOWING:
        return f"{tighter(run, TENTH) or again(run)}; if the line stays, sample with every={rounded(HALF * apart(run))}"
    if name == "contacts that pull":
        return "let the contact slide: directions='z', or lo.Touch with the friction of its ground"
    if name == "quaternion norms":
        return "q=model.normalize(run.q) has unit quaternions; if a file brought these, take it from its source again"
    if name == "values that are not finite":
        return f"use run.between({run.t[0]:g}, t) with t before the first of them, or {again(run)}"
    if name == "times of samples":
        return f"t was changed after the run: {again(run)}"
    return f"numbers or problem are not those of this run: {again(run)}"


def sunk(run: Trajectory) -> str:
    """What to do about a start with something inside what it touches; nothing if there is none."""
    problem = run.problem
    gaps = gaps_of(problem, run.t[0], run.q[0]) if problem is not None and problem.contacts else np.zeros(0)
    if problem is None or not len(gaps) or gaps.min() > -SUNK:
        return ""
    name = problem.contact_names[int(gaps.argmin())]
    return f"{name!r} starts {-gaps.min():.2g} m inside what it touches and is lifted out: begin with a q where it is clear"


def of_integration(check: Check, run: Trajectory) -> str:
    """By a smaller tolerance, a shorter step, or another method."""
    info = run.info
    method, far = method_of(info), check.value / check.allowed
    if name_of_constraints(check) and info.get("projection") is False:
        return "run it with projection=True"
    if method.chooses:
        if check.value > WRONG:
            return f"no tolerance makes this: a force does other work than the run counts, or {again(run)}"
        return tighter(run, HALF / far) or again(run)
    step = step_of(run) * (HALF / far) ** (1 / method.order)
    if not step > SHORTEST * step_of(run):
        return "run it with method='adaptive', or 'auto', which choose their steps"
    return f"run it with step={rounded(step)}"


def tighter(run: Trajectory, part: float) -> str:
    """The tolerances of a run, smaller by a factor; empty if it has none, or they are as small as they can be."""
    rtol, atol = (run.info.get(name) for name in ("rtol", "atol"))
    if not method_of(run.info).chooses or not (isinstance(rtol, int | float) and isinstance(atol, int | float)):
        return ""
    part = max(part, LEAST_RTOL / rtol) if rtol > 0 else 1.0
    return f"run it with rtol={rounded(part * rtol)}, atol={rounded(part * atol)}" if part < HALF * (1 + 1e-9) else ""


def name_of_constraints(check: Check) -> bool:
    """Whether a line is about constraints that are not met."""
    return check.name.startswith("constraint")


def step_of(run: Trajectory) -> float:
    """Length of a step, s."""
    return float(run.info.get("mean_step") or run.info.get("step") or 1e-3)


def apart(run: Trajectory) -> float:
    """Time between samples, s."""
    gaps = np.diff(run.t)
    return float(np.median(gaps[gaps > 0])) if (gaps > 0).any() else 1e-3


def again(run: Trajectory) -> str:
    """How to repeat a run."""
    span = float(run.t[-1] - run.t[0]) if len(run) else 0.0
    return f"run it again, run.problem.simulate({span:.6g}, q=run.q[0], v=run.v[0], t={run.t[0] if len(run) else 0.0:.6g})"


def rounded(value: float) -> str:
    """A number to one digit, rounded down."""
    if not (isfinite(value) and value > 0):
        return "1e-3"
    power = floor(log10(value))
    return f"{floor(value / 10.0**power + 1e-9) * 10.0**power:.0e}"
