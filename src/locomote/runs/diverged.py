"""Has a run blown up? Then what stopped it in the end is not what is wrong with it.

E - E(first sample) - work since then ,   more than SHARE of the energy that there is: it came from nowhere              (1)
|v| ,   more than GREW times what it would be had it grown evenly since an earlier sample: it grows without bound        (2)
"""

from typing import Any

import numpy as np

from locomote.evaluation.plan import Plan
from locomote.evaluation.work import Work
from locomote.methods import state as at
from locomote.methods.entries import record_one
from locomote.methods.options import Options
from locomote.methods.registry import METHODS
from locomote.methods.state import Samples, State

SHARE = 0.2
GREW = 100.0
EXPLODED = 1e6  # times the velocities of the run until then, where steps were as short as they can be


def grown(state: State, samples: Samples, factor: float) -> float:
    """The largest velocity, if it is far above what was usual in this run; else zero."""
    v, first = float(abs(state.v).max(initial=0.0)), abs(samples.v[: max(1, int(state.counts[at.FILLED]))])
    usual = float(np.nanmedian(first.max(axis=1, initial=0.0))) if first.size else 0.0
    return v if v > factor * max(1.0, usual) else 0.0


def why_exploded(state: State, samples: Samples) -> str:
    """A sentence about a motion that becomes infinite in finite time, by which steps become as short as can be; or nothing."""
    if not (v := grown(state, samples, EXPLODED)):
        return ""
    return (
        f"the motion grows without bound in finite time (velocities are {v:.2g} by now), which no tolerance mends: look for a "
        f"force that feeds it, such as a damper or feedback of the wrong sign"
    )


def why_diverged(plan: Plan, work: Work, state: State, samples: Samples, options: Options) -> str:
    """What shows that a run has blown up, and what to do; empty if nothing does. There must be room for a sample."""
    filled = int(state.counts[at.FILLED])
    if not filled:
        return ""
    shorter = f"tighten rtol (now {options.rtol:g})"
    if not METHODS[options.method].chooses:
        step = float(state.clock[at.STEP])
        shorter = f"steps of {step:.2g} s are too long for what is stiff here: method='auto' suits it, or shorter ones"
    with np.errstate(all="ignore"):
        gap, energy = energy_from_nowhere(plan, work, state, samples, filled)
        if not gap <= SHARE * energy:
            return f"the run has diverged: {gap:.2g} J of {energy:.2g} J came from nowhere; {shorter}"
        since, most, v = samples.t[:filled] - samples.t[0], abs(samples.v[:filled]).max(axis=1), abs(state.v).max(initial=0.0)
        moving, passed = np.flatnonzero((since > 0.0) & (most > 0.0)), float(state.clock[at.TIME] - samples.t[0])
        early = moving[since[moving] <= 0.5 * passed]
        k = early[-1] if len(early) else moving[0] if len(moving) else 0
        if since[k] > 0.0 and not v <= GREW * most[k] * passed / since[k]:
            return (
                f"the motion grows without bound: rates of {most[k]:.2g} at most at t = {samples.t[k]:.6g} s, {v:.2g} now; "
                f"what acts on it feeds it, so look at the signs of forces, or {shorter}"
            )
    return ""


def energy_from_nowhere(plan: Plan, work: Work, state: State, samples: Samples, n: int) -> tuple[Any, Any]:
    """(1) and the energy in J, of the state as it is now; the samples and what was tracked stay as they are."""
    peaks = state.peaks.copy()
    record_one(plan, work, state.common, samples)
    energies = samples.energy[[0, n]]
    given = sum(float(x[n].sum() - x[0].sum()) for x in (samples.work, samples.term_work))
    state.peaks[:], state.counts[at.FILLED] = peaks, n
    first, now = energies
    kinetic = max(first[at.KINETIC_ENERGY], now[at.KINETIC_ENERGY])
    return abs(now.sum() - first.sum() - given), max(kinetic, *abs(now - first)[1:], abs(given))
