"""What a run keeps: all that its next step starts from, to go on from a checkpoint, and what it followed through all steps."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from locomote.evaluation import plan as fields
from locomote.methods import state as at
from locomote.methods.events.ignored import put, standing_of
from locomote.methods.recorded import write_fields
from locomote.runs.running import Running
from locomote.runs.trajectory import Trajectory

EXTREMES = ("max", "max_at", "min", "min_at")  # rows of `peaks`


def saved_state(run: Running) -> dict[str, Any]:
    """All that a run needs to go on exactly as if it had not stopped, as arrays of their own."""
    state = {name: getattr(run.state, name).copy() for name in run.method.all_kept}
    contacts = {"active": standing_of(run.plan), "numbers": run.plan.numbers.copy(), "stops": run.contacts.lying()}
    states = [np.ravel(held.state) for held in run.controllers if held.state is not None]
    kept = {"controllers": np.concatenate([np.zeros(0), *states]), "copy": copy_of(run).copy(), "wall": run.wall}
    return state | contacts | kept


def copy_of(run: Running) -> np.ndarray:
    """The copy of the robot that feed-forward moves along: whether it has a motion of its own, and which."""
    work = run.work
    return np.concatenate([work.copying[: len(work.copy_q)], work.copy_q, work.copy_v]).astype(float)


def go_back(run: Running, saved: Mapping[str, Any]) -> None:
    """Go back to a saved state."""
    if "stops" in saved:  # first, since what was made for other coordinates is forgotten with them
        run.contacts.lie(np.flatnonzero(saved["stops"]).tolist())
        run.take_plan()
    for name in run.method.all_kept:
        getattr(run.state, name)[:] = saved[name]
    run.method.resumed(run.state)
    run.plan.numbers[:] = saved["numbers"]
    for c, standing in enumerate(saved["active"]):
        put(run.plan, c, int(standing))
    if len(run.work.copy_q):
        run.work.copying[0] = int(saved["copy"][0])
        run.work.copy_q[:], run.work.copy_v[:] = np.split(saved["copy"][1:], [len(run.work.copy_q)])
    first = 0
    for held in run.controllers:
        if held.state is not None:
            last = first + held.state.size
            held.state, first = np.array(saved["controllers"][first:last]).reshape(held.state.shape), last


def restore(run: Running, saved: Mapping[str, Any], earlier: Trajectory) -> None:
    """Go back to a saved state; the samples before it are those of an earlier part of the run."""
    go_back(run, saved)
    run.wall, run.events, run.goes_on = float(saved["wall"]), list(earlier.events), True
    run.reason, run.start_change = str(earlier.info.get("reason", "")), earlier.info.get("start change")
    run.make_room(len(earlier))
    write_fields(run.samples, run.places, slice(0, len(earlier)), earlier)


def tracked(run: Running) -> dict[str, np.ndarray]:
    """What was followed through all steps: the path of the base, m, and extreme values of all columns with their times."""
    result = {"path": run.state.done[[fields.PATH]]} if len(run.plan.base) else {}
    result |= run.method.tracked(run.state)
    first = 0
    for name in at.PEAKED:
        peaks = run.state.peaks[:, first : first + getattr(run.samples, name).shape[1]]
        first += peaks.shape[1]
        result |= {f"{name}.{label}": row for label, row in zip(EXTREMES, peaks, strict=True)}
    return result


def trajectory(run: Running) -> Trajectory:
    """What was computed so far."""
    return Trajectory(
        model=run.problem.model, problem=run.problem, events=run.events, info=run.info(), state=saved_state(run),
        tracked=tracked(run), **run.arrays(0, int(run.state.counts[at.FILLED])),
    )  # fmt: skip
