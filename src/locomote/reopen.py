"""Runs on disk: opened again, and gone on with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from locomote.locomotion.problem import Locomotion
from locomote.locomotion.record import problem_from_record
from locomote.methods.events.when import When
from locomote.runs.checkpoints import restore
from locomote.runs.files import runfile
from locomote.runs.files.files import refuse_busy
from locomote.runs.files.saved import check_fit, checked_ignore, checked_options, checked_schedule, checked_start, checked_state
from locomote.runs.runner import Runner
from locomote.runs.running import Running
from locomote.runs.trajectory import Trajectory
from locomote.systems.catalogue import load


def rebuilt(record: Mapping[str, Any]) -> Locomotion:
    """The problem of a record: a system of the catalogue by its name and parameters, with the numbers that were changed, or
    all parts of it."""
    if "system" in record:
        return load(record["system"], **record["parameters"]).with_parameters(record.get("changed", {})).problem()
    return problem_from_record(record)


def open_run(path) -> Trajectory:
    """Open the file of a run, also one that is not finished or was cut off in the middle; `run.problem` can be run again."""
    return runfile.open_run(path, rebuilt)


def resume(
    path,
    *,
    problem: Locomotion | None = None,
    events: Sequence[When | Callable] = (),
    progress: bool | None = None,
    interval: float = 5.0,
) -> Trajectory:
    """Go on with a run whose file stops in the middle, to the end it was meant to have; the file is completed.

    problem : needed if the problem contains Python functions, which files do not hold
    events : needed if the run watched for events, for the same reason
    interval : s between checkpoints
    """
    refuse_busy(path)
    earlier = open_run(path)
    if earlier.info.get("status") == "finished":
        return earlier
    again = problem or earlier.problem
    if again is None:
        raise ValueError(f"{path} does not hold its problem ({earlier.problem_missing}); give it as resume(path, problem=...)")
    if earlier.state is None:
        raise ValueError(f"{path} holds no state to go on from: the run was cut off before its first checkpoint; start it anew")
    info, options = earlier.info, checked_options(path, earlier.info)
    if info["events"] != len(events):
        raise ValueError(f"the run in {path} watched for {info['events']} events, give them as resume(path, events=[...])")
    check_fit(path, again, earlier)
    schedule = checked_schedule(path, info, options, earlier)
    start = checked_start(path, again, earlier)  # where targets that were left open were taken
    running = Running(again, schedule, options, events, start, info["t0"], ignore=checked_ignore(path, again, info))
    restore(running, checked_state(path, earlier.state, running, earlier), earlier)
    return Runner(running).whole(progress, path, interval, earlier)
