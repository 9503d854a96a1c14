"""Runs one after the other: a finished run that goes on, and runs joined into one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from locomote.methods import state as at
from locomote.methods.options import is_positive
from locomote.methods.recorded import TABLES, mapped
from locomote.runs.asked import keep, known
from locomote.runs.audit.known import CLOCKS
from locomote.runs.checkpoints import restore
from locomote.runs.files.saved import (
    OPTIONS,
    check_fit,
    checked_ignore,
    checked_options,
    checked_schedule,
    checked_start,
    checked_state,
)
from locomote.runs.runner import Runner
from locomote.runs.running import Running
from locomote.runs.schedule import Schedule, schedule_of
from locomote.runs.trajectory import Trajectory

MEETING = 1e-6  # by which the end of a run and the start of the next may differ
ADDED = ("steps", "rejected", "evaluations", "wall")  # numbers of `info` that add up
EXTREMES = ("q", "v", "a", "tau", "reactions")


def extend(run: Trajectory, duration: float, *, every=None, events: Sequence = (), progress: bool | None = None) -> Trajectory:
    """The run and what comes after it; see Trajectory.extend."""
    problem, state, info = run.problem, run.state, run.info
    if problem is None:
        why = f" ({run.problem_missing})" if run.problem_missing else ""
        raise ValueError(f"the run of {run.model.name!r} does not hold its problem{why}, so it cannot go on")
    if state is None or not len(run) or not all(name in info for name in OPTIONS):
        raise ValueError(
            f"the run of {run.model.name!r} holds no state to go on from; start from its last sample instead: "
            f"lo.join([run, problem.simulate(duration, q=run.q[-1], v=run.v[-1], t=run.t[-1])])"
        )
    if info.get("status") == "failed":
        raise ValueError(f"the run of {run.model.name!r} failed and cannot go on: {info.get('message', '')}")
    if info.get("events", 0) != len(events):
        raise ValueError(f"the run watched for {info.get('events', 0)} events, give them as run.extend(duration, events=[...])")
    label = f"the run of {run.model.name!r}"
    options = checked_options(label, info)
    check_fit(label, problem, run)
    schedule = longer(run, checked_schedule(label, info, options, run), duration, every)
    start = checked_start(label, problem, run)  # contacts without a place of their own are where this run began
    running = Running(problem, schedule, options, events, start, info["t0"], ignore=checked_ignore(label, problem, info))
    restore(running, checked_state(label, state, running, run), run)
    return Runner(running).whole(progress, None, 5.0)


def longer(run: Trajectory, old: Schedule, duration: float, every: float | None) -> Schedule:
    """The times of a run up to where it is, and those of what comes after it."""
    end, passed = float(run.state["clock"][at.TIME]), int(run.state["counts"][at.NEXT])  # type: ignore[index]
    if every is None and is_positive(duration):
        every = min(float(np.median(np.diff(old.times))), duration) if len(old.times) > 1 else None
    new = schedule_of(end, duration, every, None)
    return Schedule(np.concatenate([old.times[:passed], new.times[1:]]), old.spacing)


def join(runs: Sequence[Trajectory]) -> Trajectory:
    """One run out of several that follow each other: each starts at the time and in the state in which the one before ended.

    Work and the numbers of `info` add up, the problem is kept if it is the same for all. Of the sample that two runs share,
    the first is kept.
    """
    if isinstance(runs, Trajectory) or not all(isinstance(run, Trajectory) for run in runs):
        raise TypeError("join takes a list of runs, as in lo.join([run1, run2])")
    parts = [run for run in runs if len(run)]
    if not parts:
        raise ValueError("join needs at least one run with samples")
    joined = parts[0]
    for run in parts[1:]:
        joined = joined_pair(joined, run)
    return joined


def joined_pair(one: Trajectory, two: Trajectory) -> Trajectory:
    """Two runs as one."""
    for label, same in (
        ("models", one.model == two.model),
        ("constraints", one.constraint_labels == two.constraint_labels),
        ("imposed coordinates", bool(np.array_equal(one.imposed, two.imposed))),
        ("contacts", one.contact_labels == two.contact_labels),
        ("actuators", one.command_labels == two.command_labels),
        ("sources of work", set(one.work) == set(two.work)),
        ("forces", all(set(getattr(one, table)) == set(getattr(two, table)) for table in TABLES)),
    ):
        if not same:
            raise ValueError(f"these runs cannot be joined: they have other {label}")
    apart = abs(two.t[0] - one.t[-1])
    if apart > MEETING * max(1.0, abs(one.t[-1])):
        raise ValueError(f"a run that ends at t = {one.t[-1]:g} s cannot be joined to one that starts at t = {two.t[0]:g} s")
    off = {"q": one.model.difference(one.q[-1], two.q[0]), "v": two.v[0] - one.v[-1]}
    for name, x in off.items():
        if not abs(x).max(initial=0.0) <= MEETING * max(1.0, float(abs(getattr(one, name)[-1]).max(initial=0.0))):
            raise ValueError(f"these runs do not meet: at t = {one.t[-1]:g} s their {name} differ by up to {abs(x).max():.3g}")
    arrays = mapped(lambda field, x, y: np.concatenate([x, (x[-1] + y - y[0] if field.adds else y)[1:]]), one, two)
    arrays["t"] = np.maximum.accumulate(arrays["t"])
    same = one.problem is two.problem and one.problem is not None
    missing = "" if same else "it was joined from runs of several problems"
    joined = replace(
        one, **arrays, events=[*one.events, *two.events],
        info=joined_info(one.info, two.info, arrays["t"]),
        problem=one.problem if same else None, problem_record=one.problem_record if same else None, problem_missing=missing,
        state=None, tracked=joined_extremes(one.tracked, two.tracked), constraint_labels=one.constraint_labels,
        imposed=one.imposed,
    )  # fmt: skip
    both = known(two)
    keep(joined, {name: np.concatenate([x, both[name][1:]]) for name, x in known(one).items() if name in both})
    return joined


def joined_info(one: Mapping[str, Any], two: Mapping[str, Any], t: np.ndarray) -> dict[str, Any]:
    """How both were computed: what adds up added up, the end that of the second."""
    info = dict(one) | {name: two[name] for name in ("status", "message") if name in two}
    info |= {name: one[name] + two[name] for name in ADDED if name in one and name in two}
    if info.get("steps"):
        info["mean_step"] = float(t[-1] - t[0]) / info["steps"]
    if both := [*one.get(CLOCKS, ()), *(clock for clock in two.get(CLOCKS, ()) if clock not in one.get(CLOCKS, ()))]:
        info[CLOCKS] = both
    if one.get("method") != two.get("method"):
        info["method"] = f"{one.get('method')}, then {two.get('method')}"
    return info | {"samples": Schedule(np.unique(t)).to_record()}


def joined_extremes(one: Mapping[str, np.ndarray] | None, two: Mapping[str, np.ndarray] | None) -> dict[str, np.ndarray] | None:
    """What both tracked: lengths added, extremes of both."""
    if one is None or two is None:
        return None
    result = {name: one[name] + two[name] for name in ("path", "contact_loads") if name in one and name in two}
    if all("contact_law" in table for table in (one, two)):
        (left, worst), (more, other) = one["contact_law"], two["contact_law"]
        result["contact_law"] = np.array([left + more, max(worst, other)])
    for name in EXTREMES:
        for end, better in (("max", np.greater), ("min", np.less)):
            both = f"{name}.{end}", f"{name}.{end}_at"
            if all(key in table for key in both for table in (one, two)):
                later = better(two[both[0]], one[both[0]])
                result |= {key: np.where(later, two[key], one[key]) for key in both}
    return result
