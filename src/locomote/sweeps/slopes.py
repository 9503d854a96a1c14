"""Points with exact slopes: a goal and limits of a run as numbers of a row, and their slopes by every parameter.

A row holds `goal`, each limit by its text, and `goal by rotor.phase`, ...: what L-BFGS-B and SLSQP go on from is in the folder.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from locomote.gradients.channels import channel_of
from locomote.gradients.goals import Goal, at_end
from locomote.gradients.gradient import gradient
from locomote.locomotion.problem import Locomotion
from locomote.sweeps.axes import SweepError
from locomote.sweeps.job import problem_of
from locomote.systems import catalogue


@dataclass(frozen=True)
class Sloped:
    """A function of the values of a point: goals of the run there, by name, and their slopes by the parameters.

    options : of `lo.gradient` (step, method ...)
    """

    problem: Locomotion
    goals: Mapping[str, Goal]
    duration: float
    options: Mapping[str, Any]

    def __call__(self, **values: float) -> dict[str, float]:
        there, found = self.problem.with_parameters(values), {}
        for name, goal in self.goals.items():
            value, slopes = gradient(there, goal, list(values), duration=self.duration, **self.options)
            found[name] = float(value)
            found |= {by(name, parameter): float(slopes[parameter]) for parameter in values}
        return found

    @cached_property
    def digest(self) -> str:
        """Of what goals compute: their terms, and what they make of some numbers."""
        words = []
        for name, goal in self.goals.items():
            some = {term: np.array([0.3 + 0.1 * k, 1.7 - 0.2 * k]) for k, term in enumerate(goal.terms)}
            terms = [(term.kind, channel_of(self.problem, term.what).key, term.time) for term in goal.terms]
            words.append((name, terms, goal.at(some)[0].tolist()))
        return hashlib.sha256(repr(words).encode()).hexdigest()[:16]

    def __repr__(self):
        return f"goals {', '.join(self.goals)} with slopes, {self.digest}"


def by(name: str, parameter: str) -> str:
    """The name of a slope."""
    return f"{name} by {parameter}"


def sloped(make: Any, names: Sequence[str], goal: Any, limits: Mapping[Any, Any], duration: float | None, options) -> Sloped:
    """What is computed at a point for a method that needs slopes, the goal first."""
    if isinstance(make, str):
        for name in names:
            if "." not in name:
                raise SweepError(
                    f"{name!r} is a parameter of system {make!r}; slopes are known by numbers of its problem, such as "
                    f"'rotor.phase' (problem.parameters lists them)"
                )
        duration = catalogue.load(make).duration if duration is None else duration
        make = problem_of(make, ())
    if not isinstance(make, Locomotion):
        raise SweepError(f"make is {make!r:.60}; slopes are known of problems and systems, for functions take by='cma'")
    if duration is None:
        raise SweepError("duration is missing: say how long each run takes, s")
    for name in names:
        if np.ndim(make.parameters[name]):
            raise SweepError(f"{name!r} has {np.size(make.parameters[name])} numbers, ranges are for parameters with one")
    goals = {text(one): one if isinstance(one, Goal) else at_end(one) for one in (goal, *limits)}
    for one in goals.values():
        for term in one.terms:
            channel_of(make, term.what)
    return Sloped(make, goals, float(duration), dict(options))


def text(goal: Any) -> str:
    """A goal in words; a name of a channel means its value at the end."""
    if not isinstance(goal, str | Goal):
        raise SweepError(f"goal or limit is {goal!r:.60}, expected a channel ('net.x'), lo.at_end, lo.integral, or their sums")
    return goal.text if isinstance(goal, Goal) else goal
