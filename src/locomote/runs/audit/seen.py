"""Do samples see what happens between them?

Samples a whole number of periods apart all look the same, and those at half periods catch a swing where nothing accelerates: no
bound that is made of samples alone can tell. The run knows better: it tracked the extremes of every column at the ends of all
steps. A column of which the samples span less than SEEN of what was tracked between them is not seen by them. Where there are
hardly more steps than samples there is nothing to overlook, and where there are many more, more must be seen. What swings so
fast that it turns by more than TURNED from one sample to the next is not seen at all, and may shake everything else.
"""

import numpy as np

from locomote.methods.registry import method_of
from locomote.runs.trajectory import Trajectory

TRACKED = ("q", "v", "a", "tau", "reactions")
SEEN, SURELY_SEEN = 0.2, 0.5
STEPS, LONG_STEPS = 2.0, 0.3  # in an interval, at least, that could hide half a period: of explicit steps, of collocation
MANY = 10.0  # times as many steps could hide several periods: SURELY_SEEN is asked for
TURNED = 2.0  # rad: a third of a period
PART = 1e-3  # velocity that a coordinate must have to show a rate, as a share of the largest of its unit
LEAST = 1e-6  # share of the largest span: what moves less hides nothing


def by_unit(turning: np.ndarray, speeds: np.ndarray, part: float) -> np.ndarray:
    """(nv,) speeds; of coordinates that hardly move, a part of the largest of their unit. turning : whether it is rad"""
    turns, others = (float(speeds[same].max(initial=0.0)) for same in (turning, ~turning))
    return np.maximum(speeds, part * np.where(turning, turns, others))


class Extremes:
    """The largest and the smallest value of every column of a run: at its samples, and as it tracked them."""

    def __init__(self, run: Trajectory):
        self.run, self.tracked = run, run.tracked or {}
        arrays = {name: getattr(run, name) for name in TRACKED}
        known = {name: x for name, x in arrays.items() if x.size and self.has(name, ("max", "min"))}
        self.sampled = {name: (x.max(axis=0), x.min(axis=0)) for name, x in known.items()}

    def has(self, name: str, ends: tuple[str, ...]) -> bool:
        """Whether something was tracked of all columns."""
        return all(len(self.tracked.get(f"{name}.{end}", ())) == getattr(self.run, name).shape[1] for end in ends)

    def seen(self) -> np.ndarray:
        """(nv,) whether the samples see how a coordinate moves."""
        run, seen = self.run, np.ones(self.run.model.nv, dtype=bool)
        fewest, steps = LONG_STEPS if method_of(run.info).long else STEPS, run.info.get("steps")
        known = all(name in self.sampled and self.has(name, ("max_at", "min_at")) for name in ("q", "v", "a"))
        if len(run) < 2 or not isinstance(steps, int):
            return seen
        if not known:  # a part of a run, say: where there are very many steps from one sample to the next, nothing is
            apart, step = float(np.median(np.diff(run.t))), run.info.get("mean_step")
            return seen & (not step or apart <= MANY * fewest * step)
        if steps < fewest * (len(run) - 1):
            return seen
        part = SURELY_SEEN if steps > MANY * fewest * (len(run) - 1) else SEEN
        for name in ("v", "a"):
            seen &= self.spans_enough(name, part)
        if not run.model.coupling:
            place = run.model.coordinates
            seen[place.plain_v] &= self.spans_enough("q", part)[place.plain_q]
        if self.fastest() * float(np.median(np.diff(run.t))) > TURNED:
            seen[:] = False
        return seen

    def fastest(self) -> float:
        """The largest rate of a coordinate, rad/s: the span of its acceleration over that of its velocity, as tracked."""
        v, a = (self.tracked[f"{name}.max"] - self.tracked[f"{name}.min"] for name in ("v", "a"))
        moving = (v > 0.0) & (v >= by_unit(self.run.model._turns, v, PART))
        return float(np.divide(a, v, out=np.zeros_like(v), where=moving).max(initial=0.0))

    def spans_enough(self, name: str, part: float) -> np.ndarray:
        """(columns,) whether samples span that part of what was tracked from the first of them to the last."""
        most, most_at, least, least_at = (self.tracked[f"{name}.{end}"] for end in ("max", "max_at", "min", "min_at"))
        first, last = self.run.t[[0, -1]]
        within = (np.minimum(most_at, least_at) >= first) & (np.maximum(most_at, least_at) <= last)
        span = np.where(within, most - least, 0.0)
        high, low = self.sampled[name]
        return (high - low >= part * span) | (span <= LEAST * span.max(initial=0.0))

    def beyond(self) -> float:
        """How far samples lie beyond the extremes that the run tracked, as a part of the span of their column."""
        worst = 0.0
        for name, (high, low) in self.sampled.items():
            most, least = self.tracked[f"{name}.max"], self.tracked[f"{name}.min"]
            span = np.maximum(np.maximum(abs(most), abs(least)), 1e-300)
            worst = max(worst, float((np.maximum(high - most, least - low) / span).max()))
        return worst
