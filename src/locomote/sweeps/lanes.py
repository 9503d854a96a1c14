"""Points that differ in numbers only, run side by side on vector lanes: sweeps with fixed steps whose measures are motions.

method="rk4" or "euler", step=..., audit=False, keep="none"
measures   coordinates and velocities (`rotor.angle`, `base.vx`), net.x, net.y, net.z: at the end, :start, :change,
           and over time if `every` is given; net.distance, net.speed
"""

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from locomote.compiled.rollout import rollout
from locomote.compiled.rollouts import Rollouts
from locomote.errors import LocomoteError
from locomote.locomotion.problem import Locomotion
from locomote.model.base import moving_root
from locomote.runs.channels import columns_of_q, columns_of_v
from locomote.runs.netmotion import net_motion
from locomote.sweeps.axes import SweepPoints
from locomote.sweeps.measures import OVER_TIME

STEPPED = ("rk4", "euler")
ENDS = ("end", "start", "change")
NET = ("net.x", "net.y", "net.z")
WAY = ("net.distance", "net.speed")
KNOWN = {"method", "step", "every"}  # options of simulate that mean the same to rollouts


class Clock:
    """What measures over time ask of a run."""

    def __init__(self, t: np.ndarray):
        self.t = t


def side_by_side(problem: Locomotion, measures: Any, options: Mapping[str, Any]) -> bool:
    """Whether points of a problem can go on lanes."""
    stepped = options.get("method") in STEPPED and options.get("step") is not None and set(options) <= KNOWN
    if not stepped or not isinstance(measures, tuple) or problem.contacts or problem.controllers:
        return False
    known = columns(problem)
    for name in measures:
        channel, how = split(name)
        base = channel in NET or channel in WAY
        if (base and moving_root(problem.model) is None) or (not base and channel not in known):
            return False
        if how not in ENDS and "every" not in options:
            return False
    return True


def split(name: str) -> tuple[str, str]:
    """Channel, and how it is taken."""
    head, _, tail = name.rpartition(":")
    return (head, tail) if tail in OVER_TIME else (name, "end")


def columns(problem: Locomotion) -> dict[str, tuple[str, int]]:
    """Channel -> "q" or "v", and its column."""
    model = problem.model
    found = {channel.name: ("v", k) for k, channel in enumerate(columns_of_v(model, "v"))}
    return found | {channel.name: ("q", k) for k, channel in enumerate(columns_of_q(model))}


def corners(problem: Locomotion, points: SweepPoints) -> tuple[dict[str, Any], ...]:
    """Two points that differ in every axis that has several values. Rows of a chunk are computed in their company, so that the
    same numbers are inputs of the step whatever the chunk is, and a point has the same digits in all of them."""
    for share in (0.0, 0.1, 0.25, 0.4):
        ends = [
            {name: np.quantile(x, cut, method="nearest").item() for name, x in points.columns.items()}
            for cut in (share, 1 - share)
        ]
        if not any(refused(problem, end) for end in ends):
            return tuple(ends)
    return ()


def together(
    problem: Locomotion, values: Sequence[Mapping[str, Any]], company: Sequence[Mapping[str, Any]], measures: Sequence[str],
    duration: float, options: Mapping[str, Any],
) -> tuple[list[dict[str, float]], list[str], float]:  # fmt: skip
    """Numbers of each point, its error ("" if all is well), and the seconds that a point took."""
    began = time.perf_counter()
    errors = [""] * len(values)
    good = np.arange(len(values))
    runs = attempted(problem, [*values, *company], duration, options)
    if runs is None:  # some values are refused: those are found one by one
        errors = [refused(problem, point) for point in values]
        good = np.array([k for k, error in enumerate(errors) if not error], int)
        runs = attempted(problem, [*(values[k] for k in good), *company], duration, options) if len(good) else None
    numbers: list[dict[str, float]] = [{} for _ in values]
    if runs is not None:
        table = {name: measured(problem, runs, name) for name in measures}
        for place, (k, lost) in enumerate(zip(good.tolist(), runs.lost.tolist(), strict=False)):
            if lost:
                errors[k] = "the run was lost: its numbers left what they can hold, or make no sense; take shorter steps"
            else:
                numbers[k] = {name: float(x[place]) for name, x in table.items()}
    return numbers, errors, (time.perf_counter() - began) / max(1, len(values))


def attempted(problem: Locomotion, values: Sequence[Mapping[str, Any]], duration: float, options: Mapping[str, Any]):
    """Rollouts of some points; None if one of them has a value that is refused."""
    step = float(options["step"])
    keep = max(1, round(options["every"] / step)) if "every" in options else None
    columns = {name: np.array([point[name] for point in values]) for name in values[0]}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # runs that are lost say so in their rows
            return rollout(
                problem, batch=len(values), duration=duration, step=step, keep=keep, method=options["method"],
                parameters=columns, progress=False,
            )  # fmt: skip
    except (LocomoteError, ValueError, ArithmeticError):
        if not any(refused(problem, point) for point in values):
            raise
        return None


def refused(problem: Locomotion, point: Mapping[str, Any]) -> str:
    """Why a problem cannot have some values; "" if it can."""
    try:
        problem.with_parameters(point)
    except (LocomoteError, ValueError, ArithmeticError) as error:
        return " ".join(str(error).split())
    return ""


def measured(problem: Locomotion, runs: Rollouts, name: str) -> np.ndarray:
    """(N,) a measure of all runs."""
    channel, how = split(name)
    clock: Any = Clock(runs.t)
    if channel in WAY:
        ends = positions(problem, runs.q[:, [0, -1]], runs.v[:, [0, -1]])
        way = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        return way / (runs.t[-1] - runs.t[0]) if channel == "net.speed" else way
    if channel in NET:
        courses = positions(problem, runs.q, runs.v)[:, :, NET.index(channel)]
    else:
        array, k = columns(problem)[channel]
        courses = getattr(runs, array)[:, :, k]
    return np.array([OVER_TIME[how](clock, course) for course in courses])


def positions(problem: Locomotion, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(N, K, 3) of the base of states (N, K, ...), m."""
    count = q.shape[0] * q.shape[1]
    motion = net_motion(problem.model, np.arange(count, dtype=float), q.reshape(count, -1), v.reshape(count, -1))
    assert motion is not None
    return motion.position.reshape(*q.shape[:2], 3)
