"""Are samples at the times at which they were to be taken?

`info["samples"]` says when: every such time from the first sample to the last must have one, and every sample must be at such
a time, at an event, or, in runs that take more samples where the motion is fast, between them.
"""

import numpy as np

from locomote.runs.audit.checks import Check
from locomote.runs.schedule import Schedule
from locomote.runs.trajectory import Trajectory

ALLOWED = 1e-6  # share of the time between two samples
ROUNDING = 1e-12  # share of a time


def check_times(run: Trajectory) -> Check | None:
    """How far samples are from their times, as a part of the time between two; None if the run does not say when they are."""
    record = run.info.get("samples")
    if record is None or len(run) < 2:
        return None
    schedule = Schedule.of_record(record)
    first, last = run.t[[0, -1]]
    slack = ROUNDING * max(abs(first), abs(last))
    times = schedule.times[(schedule.times >= first - slack) & (schedule.times <= last + slack)]
    apart = float(np.median(np.diff(schedule.times))) if len(schedule.times) > 1 else float(last - first) or 1.0
    off = np.maximum(distance(times, run.t) - slack, 0.0)
    if off.max(initial=0.0) > ALLOWED * apart:
        k = int(off.argmax())
        note = f"no sample at t = {times[k]:.6g} s, and none at {int((off > ALLOWED * apart).sum())} of {len(times)} times"
        return Check("times of samples", float(off[k]) / apart, ALLOWED, note)
    if np.isfinite(schedule.spacing):
        return Check(
            "times of samples", float(off.max(initial=0.0)) / apart, ALLOWED, f"at {len(times)} times that were asked for"
        )
    known = np.sort(np.concatenate([schedule.times, [event.t for event in run.events], [run.info.get("t0", first)]]))
    ends = np.arange(len(run)) == len(run) - 1  # a run may end anywhere
    off = np.where(ends, 0.0, np.maximum(distance(run.t, known) - slack, 0.0))
    k, value = int(off.argmax()), float(off.max()) / apart
    note = f"at {len(times)} times that were asked for"
    return Check(
        "times of samples", value, ALLOWED, note if value <= ALLOWED else f"nothing was to be sampled at t = {run.t[k]:.6g} s"
    )


def distance(times: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How far each time is from the nearest of others, which increase."""
    place = np.clip(np.searchsorted(others, times), 1, max(len(others) - 1, 1))
    return np.minimum(abs(times - others[place - 1]), abs(others[np.minimum(place, len(others) - 1)] - times))
