"""Numbers that a run is measured by: channels at the end or over time by name, or a function of the user.

net.distance, net.length, net.speed        of the base, from its first place to its last; along its path; distance over time
CHANNEL                                    at the end:                        work.drives, rotor.angle
CHANNEL:start, :change, :mean, :rms, :min, :max, :peak                        over the samples; peak is the largest amount
energetics.NAME                            of swimmers and fliers, as run.energetics has it
"""

import inspect
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.runs.trajectory import Trajectory
from locomote.sweeps.axes import SweepError


def mean(run: Trajectory, values: np.ndarray) -> float:
    """Over time, by trapezoids."""
    length = run.t[-1] - run.t[0]
    return float(np.trapezoid(values, run.t) / length) if length > 0 else float(values[-1])


OVER_TIME: dict[str, Callable[[Trajectory, np.ndarray], float]] = {
    "end": lambda run, x: float(x[-1]),
    "start": lambda run, x: float(x[0]),
    "change": lambda run, x: float(x[-1] - x[0]),
    "mean": mean,
    "rms": lambda run, x: math.sqrt(max(0.0, mean(run, x**2))),
    "min": lambda run, x: float(x.min()),
    "max": lambda run, x: float(x.max()),
    "peak": lambda run, x: float(np.abs(x).max()),
}
OF_BASE: dict[str, Callable[[Trajectory, Any], float]] = {
    "net.distance": lambda run, net: net.distance,
    "net.length": lambda run, net: net.length,
    "net.speed": lambda run, net: net.distance / (run.t[-1] - run.t[0]),
}
Measure = Callable[[Trajectory], Any]


def measured(run: Trajectory, measures: Sequence[str] | Measure) -> dict[str, float]:
    """The numbers of a run, by name."""
    if callable(measures):
        return as_numbers(measures(run), getattr(measures, "__name__", "measure"))
    return {name: named(run, name) for name in measures}


def named(run: Trajectory, name: str) -> float:
    """One measure of a run by its name."""
    if name in OF_BASE:
        if run.net_motion is None:
            raise SweepError(f"measure {name!r}: the base of {run.model.name!r} is fixed, so it has no net motion")
        return float(OF_BASE[name](run, run.net_motion))
    if name.startswith("energetics."):
        return of_energetics(run, name)
    channel, _, how = name.rpartition(":") if name.rpartition(":")[2] in OVER_TIME else (name, "", "end")
    known = [c.name for c in run.channels]
    if channel not in known:
        raise UnknownName("measure", channel, [*OF_BASE, *known], f"the run of {run.model.name!r}")
    return OVER_TIME[how](run, run[channel])


def of_energetics(run: Trajectory, name: str) -> float:
    found, key = run.energetics, name.removeprefix("energetics.")
    known = [] if found is None else [n for n in dir(found) if not n.startswith("_") and is_number(getattr(found, n))]
    if key not in known:
        raise UnknownName("measure", name, [f"energetics.{n}" for n in known], f"the run of {run.model.name!r}")
    return float(getattr(found, key))


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real)


def as_numbers(value: Any, name: str) -> dict[str, float]:
    """What a function of the user gave, as numbers with names: a number, or a mapping of names to numbers."""
    table = value if isinstance(value, Mapping) else {name: value}
    found = {}
    for key, number in table.items():
        if np.ndim(number) != 0 or not is_number(number := np.asarray(number)[()]):
            shape = f"of shape {np.shape(number)}" if np.ndim(number) else f"{number!r:.40}"
            raise SweepError(f"measure {key!r} gave a value {shape}, expected one number, or a mapping from names to numbers")
        found[str(key)] = float(number)
    return found


def checked_measures(measure: Any) -> tuple[str, ...] | Measure:
    """Names, or a function of a run."""
    if isinstance(measure, str):
        measure = [part.strip() for part in measure.split(",") if part.strip()]
    if callable(measure):
        return measure
    if not isinstance(measure, Sequence) or not measure or not all(isinstance(name, str) and name for name in measure):
        raise SweepError(f"measure is {measure!r:.60}, expected names such as 'net.distance', or a function of a run")
    if len(set(measure)) < len(measure):
        raise SweepError(f"measure names something twice: {', '.join(measure)}")
    return tuple(measure)


def code_of(function: Callable) -> str:
    """What a function computes, as far as a text can say it: its source, or what was compiled from it."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return repr(function) if code is None else f"{code.co_code.hex()} {code.co_consts!r} {code.co_names!r}"
