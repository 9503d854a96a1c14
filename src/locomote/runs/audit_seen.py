"""Do samples see what happens between them?

Samples a whole number of periods apart all look the same, and those at half periods catch a swing where nothing accelerates: no
bound that is made of samples alone can tell. The run knows better: it tracked the extremes of every column at the ends of all
steps. A column of which the samples span less than SEEN of what was tracked between them is not seen by them. Where there are
hardly more steps than samples there is nothing to overlook.
"""

import numpy as np

from locomote.runs.trajectory import Trajectory
from locomote.simulation.options import COLLOCATION

SEEN = 0.2
STEPS, LONG_STEPS = 2.0, 0.3  # in an interval, at least, that could hide half a period: of explicit steps, of collocation
LEAST = 1e-3  # of the largest span: what moves less hides nothing


def seen_columns(run: Trajectory, usable: np.ndarray) -> np.ndarray:
    """(nv,) whether the samples see how a coordinate moves. usable : numbers of samples that can be computed with"""
    seen, steps = np.ones(run.model.nv, dtype=bool), run.info.get("steps")
    fewest = LONG_STEPS if run.info.get("method") in COLLOCATION else STEPS
    if not run.tracked or len(usable) < 2 or not isinstance(steps, int) or steps < fewest * (len(run) - 1):
        return seen
    for name in ("v", "a"):
        seen &= spans_enough(run, usable, name)
    if not run.model.coupling:
        place = run.model.coordinates
        seen[place.plain_v] &= spans_enough(run, usable, "q")[place.plain_q]
    return seen


def spans_enough(run: Trajectory, usable: np.ndarray, name: str) -> np.ndarray:
    """(columns,) whether samples span what was tracked from the first of them to the last."""
    values, tracked = getattr(run, name)[usable], run.tracked or {}
    ends = [tracked.get(f"{name}.{end}") for end in ("max", "max_at", "min", "min_at")]
    if any(x is None or len(x) != values.shape[1] for x in ends):
        return np.ones(values.shape[1], dtype=bool)
    most, most_at, least, least_at = (np.asarray(x) for x in ends)
    first, last = run.t[usable[0]], run.t[usable[-1]]
    within = (np.minimum(most_at, least_at) >= first) & (np.maximum(most_at, least_at) <= last)
    span = np.where(within, most - least, 0.0)
    return (values.max(axis=0) - values.min(axis=0) >= SEEN * span) | (span <= LEAST * span.max(initial=0.0))
