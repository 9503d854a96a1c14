"""`runs.gradient(weights)`: slopes of a weighted sum of the states of rollouts, by what they started from."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomote.compiled.beginning import Controls
from locomote.compiled.rollout_energy import Again
from locomote.compiled.rollouts import Rollouts
from locomote.errors import UnknownName
from locomote.gradients.contact_case import ContactCase
from locomote.gradients.fixed import Case
from locomote.gradients.goals import at_end
from locomote.gradients.gradient import MEMORY, units, wanted
from locomote.gradients.slopes import Slopes
from locomote.spatial.numbers import as_numbers


def gradient_of_runs(
    runs: Rollouts, weights: Mapping[str, Any], by: str | Sequence[str], contacts: str, threads: int, memory: float | None
) -> Slopes:
    """See `Rollouts.gradient`."""
    again = runs._again
    if not isinstance(again, Again):
        reason = "were interrupted" if again is None else "have numbers of their own: take lo.gradient for each"
        raise ValueError(f"these rollouts have no gradient: they {reason}")
    names, parameters = wanted(again.problem, by)
    if "duration" in names:
        raise ValueError("weights say nothing of what runs do after their end: slopes by 'duration' are those of lo.gradient")
    case = case_of(again, parameters, contacts, threads, MEMORY if memory is None else memory)
    seeds = seeds_of(runs, case, weights)
    case.rolled.go(sorted(seeds))
    found = case.reverse(names, seeds)
    return Slopes(
        found, units=units(case, names), way="reverse", memory=case.rolled.bytes, checkpoints=case.rolled.checkpoints,
        switches=case.switches(),
    )  # fmt: skip


def case_of(again: Again, parameters: Sequence[str], contacts: str, threads: int, memory: float) -> Case:
    """The runs once more, with a goal that nobody asks for."""
    problem, given = again.problem, tuple(int(k) for k in again.slots)
    every = Controls.of(problem, None, False)
    own = [n for n, k in enumerate(every.timed) if k not in given]
    timed, drives, places = (tuple(x[n] for n in own) for x in (every.timed, every.drives, every.places))
    goal, times = at_end(lambda t, q, v: 0.0 * v[0]), again.step * np.arange(again.steps + 1)
    given_controls = Controls(given, timed, drives, places, every.held)
    rest = (again.starts, np.array(again.controls), times, again.step, again.method, threads, memory, tuple(parameters))
    if again.method == "timestep":
        return ContactCase(problem, goal, given_controls, *rest, contacts=contacts)
    return Case(problem, goal, given_controls, *rest)


def seeds_of(runs: Rollouts, case: Case, weights: Mapping[str, Any]) -> dict[int, np.ndarray]:
    """Weights as slopes by states after so many steps."""
    sizes = {"q": case.problem.model.nq, "v": case.problem.model.nv}
    for name in weights:
        if name not in sizes:
            raise UnknownName("state", name, sizes, "weights of rollouts")
    count, steps = len(runs.q), np.rint(runs.t / float(case.length or 1.0)).astype(int)
    numbers = case.step.size + len(case.step.entries.places)
    seeds = {int(n): np.zeros((count, numbers)) for n in (*steps, case.steps)}
    for name, first in (("q", 0), ("v", sizes["q"])):
        if name not in weights:
            continue
        shape = (count, len(runs.t), sizes[name])
        given = as_numbers(weights[name], f"weights of {name}", f"{shape}, or {(count, sizes[name])} of the end")
        if given.shape == (count, sizes[name]):
            seeds[case.steps][:, first : first + sizes[name]] += given
        elif given.shape == shape:
            for k, n in enumerate(steps):
                seeds[int(n)][:, first : first + sizes[name]] += given[:, k]
        else:
            raise ValueError(f"weights of {name} are {given.shape}, expected {shape}, or {shape[::2]} of the end")
    return seeds
