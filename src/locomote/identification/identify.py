"""`lo.identify`: parameters of a problem from measured motion and torques."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.gradients.channels import known_channels
from locomote.identification.by_differences import ByDifferences
from locomote.identification.by_regressor import ByRegressor
from locomote.identification.by_run import ByRun, Refused
from locomote.identification.fit import fit
from locomote.identification.identified import Identified, identified
from locomote.identification.measured import Measured, several
from locomote.identification.rows import Rows
from locomote.identification.sensors import Sensor, Sensors
from locomote.identification.unknowns import Unknowns
from locomote.locomotion.problem import Locomotion
from locomote.runs.channels import columns_of_v
from locomote.runs.progress import Bar, shown_progress

WAYS = ("run", "regressor")
METHODS = ("rk4", "euler")


def identify(
    problem: Locomotion,
    data: Measured | Sequence[Measured],
    by: str | Sequence[Any],
    *,
    sensors: Mapping[str, Sensor] | None = None,
    way: str = "run",
    step: float | None = None,
    method: str = "rk4",
    start: str = "check",
    iterations: int = 50,
    confidence: float = 0.95,
    threads: int = 1,
    progress: bool | None = None,
) -> Identified:
    """Parameters of a problem from measurements, with confidence intervals, and what the measurements do not show.

    data : one or more runs that were measured; lo.read_measured reads files
    by : what is unknown: names or patterns of `problem.parameters`, single numbers of them ("board.inertia[5]"), tuples of
        names that stay equal, and "q" and "v", the start of each run. The search begins at the values of the problem
    sensors : name or pattern of channels -> lo.Sensor, with their noise, offsets and delays; noise that is not said is found
    way : "run" compares channels with those of runs of the problem; "regressor" compares measured torques with inverse
        dynamics along the measured motion (all positions, velocities and accelerations), without any run
    step : s, of the runs; by default one that divides the time between samples, 2 ms at most ; method : "rk4" or "euler"
    start : "check" or "project", as of `lo.rollout` ; iterations : at most ; confidence : of the intervals ; threads : of runs

    Returns `Identified`, which prints as a table. Slopes are exact and come with one pass over the runs; over contacts
    (lo.Touch) they are differences. Masses and whole inertias stay those of bodies. See docs/identification.md.
    """
    if not isinstance(problem, Locomotion):
        raise TypeError(f"expected a lo.Locomotion, not {problem!r:.60}; a system of the catalogue has one as .problem()")
    data = several(data)
    for name, value, known in (("way", way, WAYS), ("method", method, METHODS)):
        if value not in known:
            raise UnknownName(name, value, known, "identify")
    if not (isinstance(confidence, float) and 0 < confidence < 1):
        raise ValueError(f"confidence is {confidence!r:.40}, expected a number between 0 and 1, such as 0.95")
    if isinstance(iterations, bool) or not isinstance(iterations, (int, np.integer)) or iterations < 1:
        raise ValueError(f"iterations is {iterations!r:.40}, expected an integer from 1")
    if step is not None and not (isinstance(step, (int, float)) and np.isfinite(step) and step > 0):
        raise ValueError(f"step must be a positive number of seconds, not {step!r:.40}")
    unknowns = Unknowns.of(problem, by)
    channels = outputs_of(problem, data, way)
    known = Sensors.of(channels, sensors)
    rows = Rows.of(data, known)
    if way == "regressor":
        means: Any = ByRegressor.of(unknowns, data, known, rows)
    else:
        kind = ByDifferences if problem.contacts else ByRun
        means = kind.of(unknowns, data, known, rows, step=step, method=method, start=start, threads=threads)
    first = np.concatenate([unknowns.first, np.zeros(means.sizes[1]), first_of_sensors(known)])
    if len(means.rows) <= len(first):
        raise ValueError(f"{len(means.rows)} measured numbers cannot tell {len(first)} unknowns")
    begin = time.perf_counter()
    with Bar(f"identify {problem.name}", np.array([0.0, float(iterations)]), shown_progress(progress)) as bar:
        try:
            found = fit(
                means.at, first, means.rows.values, means.rows.channels, known.noises, Refused, unknowns.limited,
                int(iterations), lambda n, _: bar.show(float(n), time.perf_counter() - begin),
            )  # fmt: skip
        except Refused as error:
            raise ValueError(f"{problem.name!r} cannot be run from its own values: {error}") from None
    return identified(means, found, data, confidence)


def outputs_of(problem: Locomotion, data: Sequence[Measured], way: str) -> list[str]:
    """Channels that are compared, in the order in which they were measured."""
    known = known_channels(problem)
    names = list(dict.fromkeys(name for one in data for name in one.channels))
    for name in names:
        if name not in known:
            raise UnknownName("channel", name, known, f"the channels of {problem.name!r} that have a formula")
        unit = known[name].unit.split(",")[0]
        for one in data:
            said = one.units.get(name, unit).split(",")[0]
            if said not in (unit, "", "-"):
                raise ValueError(f"{name!r} was measured in {said}, and {problem.name!r} has it in {unit}")
    if way == "run":
        return names
    torques = [name for name in names if name in {c.name for c in columns_of_v(problem.model, "tau")}]
    if not torques:
        raise ValueError(f"way='regressor' compares torques, and none of {problem.name!r} was measured")
    return torques


def first_of_sensors(sensors: Sensors) -> np.ndarray:
    """Where the search of offsets and delays begins: none, and half of the largest delay."""
    first = np.zeros(len(sensors.names))
    for k, most in zip(sensors.delay_of, sensors.most, strict=True):
        if k >= 0:
            first[k] = 0.5 * most
    return first
