"""When a run is sampled."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.methods.options import is_positive
from locomote.spatial.numbers import as_numbers

INTERVALS = 500  # if the user says nothing
LONGEST = 1e15  # s, 30 million years: time itself is not known to a second any more
MOST = 1e8  # samples of a run
MOST_FOLLOWING = 10_000  # samples at the most that such a run takes where the motion is fast


@dataclass(frozen=True)
class Schedule:
    """Times at which there must be a sample, and how close to each other more of them may be, s; infinite for none."""

    times: np.ndarray
    spacing: float = math.inf

    def to_record(self) -> dict[str, Any]:
        """In short: first, last and how many if they are evenly spaced, else all of them."""
        short = {"first": float(self.times[0]), "last": float(self.times[-1]), "count": len(self.times)}
        even = np.array_equal(self.times, evenly(**short))
        return (short if even else {"times": self.times.tolist()}) | {"spacing": self.spacing}

    @staticmethod
    def of_record(record: Mapping[str, Any]) -> "Schedule":
        """From what `to_record` gave."""
        given = dict(record)
        spacing = float(given.pop("spacing", math.inf))
        return Schedule(np.array(given["times"]) if "times" in given else evenly(**given), spacing)


def evenly(first: float, last: float, count: int) -> np.ndarray:
    """A number of times from the first to the last."""
    return first + (last - first) * np.arange(count) / max(count - 1, 1)


def schedule_of(start: float, duration: float, every: float | None, samples) -> Schedule:
    """Given times, evenly spaced ones or, if nothing is said, evenly spaced ones and more where the motion is fast."""
    if not is_positive(duration) or not math.isfinite(duration):
        raise ValueError(f"duration is {duration!r}, expected a positive number of seconds")
    if duration > LONGEST:
        raise ValueError(f"duration is {duration:g} s: a run of more than {LONGEST:g} s would not end")
    if samples is not None and every is not None:
        raise ValueError("give either every or samples, not both")
    if samples is not None:
        times = as_numbers(samples, "samples", "(n,)")
        if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            raise ValueError("samples must be increasing times, s")
        if times[0] < start or times[-1] > start + duration * (1 + 1e-12):
            raise ValueError(f"samples must lie between {start:g} and {start + duration:g} s")
        return Schedule(np.array(times, dtype=float))
    if every is not None and not is_positive(every):
        raise ValueError(f"every is {every!r}, expected a positive number of seconds")
    if every is not None and duration / every > MOST:
        raise ValueError(f"every = {every:g} s makes {duration / every:.3g} samples in {duration:g} s, more than {MOST:g}")
    count = INTERVALS if every is None else max(1, round(duration / every))
    times = start + duration * np.arange(count + 1) / count
    return Schedule(times, duration / MOST_FOLLOWING if every is None else math.inf)
