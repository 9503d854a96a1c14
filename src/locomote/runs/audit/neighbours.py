"""Do neighbouring samples fit each other? q must follow v, v must follow a, work must follow power.

Over the time h from one sample to the next, with d the change of a difference (d^2 a: how much the change of a itself
changes from one interval to the next),

    v1 - v0 = h (a0 + a1) / 2                              off by about  h |d^2 a| / 12                             (1)
    q1 - q0 = h (v0 + v1) / 2 - h^2 (a1 - a0) / 12         off by about  h^2 |d^2 a| / 24                           (2)
    W1 - W0 = h (P0 + P1) / 2                              off by about  h |d^2 P| / 12                             (3)

Along a group (2) is taken from both sides to the middle, and is off by h^3 |v| |a| / 24 more. Where these bounds are a large
part of what moved, the samples are too far apart to say anything, and the interval does not count; neither does a coordinate
whose motion samples do not see (`audit.seen`), nor an interval in which something happened (an impact, an event, a tick of a
controller). A force shorter than the time between samples escapes them too: some intervals may therefore be off, as long as no
sample stands out alone, and q by no more than h |v1 - v0|, which is what such a force can do. Samples within steps by
collocation are as right as these, to COLLOCATED rtol of the largest velocity.

Tested by tests/contracts/runs/audit, test_damage.py for what it must see and test_good_runs.py for what not.
"""

import operator
from dataclasses import dataclass

import numpy as np

from locomote.methods.registry import method_of
from locomote.model.model import Model
from locomote.runs.audit.checks import Check
from locomote.runs.audit.chosen import spread
from locomote.runs.audit.known import clocks_of
from locomote.runs.audit.seen import by_unit
from locomote.runs.trajectory import Trajectory
from locomote.spatial.numbers import all_finite

ALLOWED = 1e-3  # share of the motion in an interval
COLLOCATED = 5.0  # rtol, of the largest velocity of its unit, that samples within steps by collocation are off
STIFF_ALLOWED = 1e-2  # the same where stiff forces die out within steps
SAFETY = 4.0  # times the bounds above
DENSE = 0.05  # bound, as a part of what moves in an interval, up to which samples are dense
MOSTLY = 0.9  # share of intervals that must be dense for a coordinate to be judged: else bounds may be small by chance
SOME = 0.1  # share of intervals that may be off, for forces shorter than an interval
TORN = 2.0  # times what a short force does to q in an interval: more is no force
PART = 1e-3  # least speed of a coordinate, as a share of the largest of its unit
RESOLVED = 1e-4  # share of the largest velocity of its unit: smaller changes of velocity are not judged
LEAST = 1e-7  # m, rad, m/s or rad/s: smaller changes are not judged
LEAST_WORK = 1e-6  # share of the energy that a run exchanges: less is not judged
FOLLOWED = 4  # steps in an interval of samples, at most, that follow what flexible bodies and soft ground do
ENOUGH = 8  # intervals, at least, for a judgement
INTERVALS = 2000  # that are looked at, unless all are
TICK = 1e-6  # share of a period within which a sample counts as one at the tick
CHUNK = 5000  # intervals at a time, for memory
SOURCES = ("drives", "torques")
AROUND = np.array([[-1], [0], [1], [2]])


@dataclass(frozen=True)
class Neighbours:
    """What a run says of its own samples: checks, what was not checked, and the part of all intervals that are dense."""

    checks: list[Check]
    unchecked: list[str]
    dense: float


def check_neighbours(
    run: Trajectory, usable: np.ndarray, exchanged: float, seen: np.ndarray, *, deep: bool = False
) -> Neighbours:
    """Compare neighbouring samples.

    usable : numbers of samples whose values are finite ; exchanged : energy that the run moves about, J
    seen : (nv,) whether samples see how a coordinate moves
    """
    rows, method = quiet_intervals(run, usable), method_of(run.info)
    if len(rows) < ENOUGH:
        return Neighbours([], ["that q follows v, and v follows a: too few samples in a row"] if len(run) > 1 else [], 0.0)
    if method.impulsive:
        why = "steps over contacts let velocities jump, and lift what sank in without them"
        return Neighbours([], [f"that q follows v, and v follows a: {why}"], 0.0)
    rows = rows if deep else spread(rows, INTERVALS)
    parts = [Intervals(run, rows[first : first + CHUNK]) for first in range(0, len(rows), CHUNK)]
    joined = np.concatenate if len(parts) > 1 else operator.itemgetter(0)
    checks, unchecked, dense = [], [], 1.0
    allowed = STIFF_ALLOWED if method.rough else ALLOWED
    turning = run.model._turns
    fastest = abs(run.v[usable]).max(axis=0)
    largest_of_unit = by_unit(turning, fastest, 1.0)
    for name, words in (("q", "q follows v"), ("v", "v follows a")):
        judgeable = seen.copy()
        if name == "v" and (run.model.flexible or method.rough):
            # deformations swing faster than samples can follow, and shake what they hang on; so does ground that gives way
            judgeable &= run.info.get("steps", 0) <= FOLLOWED * (len(run) - 1)
            for body in run.model.flexible.rods if run.model.flexible else ():
                judgeable[run.model.joint(body).v] = False
        if not judgeable.any():
            unchecked.append(f"that {words}: samples are too far apart")
            dense = 0.0
            continue
        speeds = fastest if name == "q" else abs(run.a[usable]).max(axis=0)
        off, bound, h = (joined([getattr(part, x)[name] for part in parts]) for x in ("off", "bound", "h"))
        least = by_unit(turning, speeds, PART)
        # errors of integration and of projection are relative to velocities, however little these change
        moved = np.maximum(h * least, LEAST + (RESOLVED * largest_of_unit if name == "v" else 0.0))
        good = (SAFETY * bound <= DENSE * moved) & judgeable
        if method.long:
            steps = float(run.info.get("mean_step") or 0.0) if name == "q" else 1.0
            inside = COLLOCATED * float(run.info.get("rtol", 0.0)) * steps
            bound = bound + inside / SAFETY * largest_of_unit
        dense = min(dense, float(good[:, speeds >= least].all(axis=1).mean()))
        often = good.sum(axis=0)
        good &= often >= MOSTLY * len(good)
        if often.max(initial=0) < max(ENOUGH, MOSTLY * len(good)):
            unchecked.append(f"that {words}: samples are too far apart")
            continue
        excess = np.where(good & (moved > 0), np.maximum(abs(off) - SAFETY * bound, 0.0), 0.0)
        part = np.divide(excess, moved, out=np.zeros_like(excess), where=moved > 0)
        short = joined([p.short for p in parts]) if name == "q" else np.inf
        torn = np.where(excess > TORN * short, part, 0.0).max(axis=1)
        checks.append(judged(words, part, off, rows, torn, allowed))
    checks += check_work(run, parts, exchanged, seen)
    return Neighbours(checks, unchecked, dense)


def judged(
    words: str, part: np.ndarray, off: np.ndarray, rows: np.ndarray, torn: np.ndarray, allowed: float = ALLOWED
) -> Check:
    """The check of one quantity, from how far each interval is off, as a part of what moved in it.

    torn : (intervals,) the same where no force, however short, explains it
    """
    if not part.any():
        return Check(words, 0.0, allowed, f"in {len(rows)} intervals")
    worst = part.max(axis=1)
    many = float(np.interp((1 - SOME) * (len(worst) - 1), np.arange(len(worst)), np.sort(worst)))
    alone = np.zeros(len(worst))  # one sample off: two intervals off, one as much forth as the other back
    beside = np.flatnonzero(np.diff(rows) == 1)
    there, back = off[beside], off[beside + 1]
    opposite = abs(there + back) < 0.1 * np.maximum(abs(there), abs(back))
    alone[beside] = np.where(opposite, np.minimum(part[beside], part[beside + 1]), 0.0).max(axis=1)
    value = max(many, float(alone.max()), float(torn.max()))
    note = f"in {len(rows)} intervals"
    if many > allowed:
        note = f"not so in {100 * float(np.mean(worst > allowed)):.0f} % of them"
    elif float(alone.max()) > allowed:
        note = "one sample stands out"
    elif value > allowed:
        note = f"not so in {int((torn > allowed).sum())} intervals, such as the one after sample {rows[torn.argmax()]}"
    return Check(words, value, allowed, note)


def quiet_intervals(run: Trajectory, usable: np.ndarray, *, ticks: bool = True) -> np.ndarray:
    """Numbers k of samples with k + 1 right after them, both usable, and nothing happening from one to the other.

    ticks : whether that of a controller with a clock counts as something
    """
    rows = usable[:-1]
    rows = rows[(usable[1:] == rows + 1) & (run.t[usable[1:]] > run.t[rows])]
    quiet = np.ones(len(rows), dtype=bool)
    if run.events:
        times = np.array([event.t for event in run.events])
        quiet = np.searchsorted(times, run.t[rows], side="left") == np.searchsorted(times, run.t[rows + 1], side="right")
    for period, start in clocks_of(run) if ticks else ():  # forces jump at ticks
        passed = (run.t - start) / period
        quiet &= np.floor(passed[rows + 1] + TICK) == np.ceil(passed[rows] - TICK) - 1
    return rows[quiet]


class Intervals:
    """How far (1), (2) and (3) are off in some intervals, and the bounds on that."""

    def __init__(self, run: Trajectory, rows: np.ndarray):
        model = run.model
        # the samples at both ends of every interval, and one more on either side
        around = np.minimum(np.maximum(rows + AROUND, 0), len(run) - 1)
        times, both = Times(run.t[around]), around[1:3]
        h, (v0, v1), a = times.h, run.v[both], run.a[around]
        a0, a1 = a[1:3]
        bend = times.curvature(a)
        self.off = {"v": v1 - v0 - h / 2 * (a0 + a1)}
        self.bound = {"q": h**2 * bend / 24, "v": h * bend / 12}
        on_group = on_groups(model)
        if on_group.any() or model.coupling:
            to_middle = np.array([h / 2 * v0 + h**2 / 8 * a0, h**2 / 8 * a1 - h / 2 * v1])
            early, late = model.integrate(model.normalize(run.q[both]), to_middle)
            self.off["q"] = model.difference(early, late) - h**2 * (a1 - a0) / 24
            most_v, most_a = (abs(x[both])[..., on_group].max(axis=(0, 2), initial=0.0) for x in (run.v, run.a))
            self.bound["q"] += on_group * h**3 * (most_v * most_a)[:, None] / 24
        else:
            q0, q1 = run.q[both]
            self.off["q"] = q1 - q0 - h / 2 * (v0 + v1) + h**2 / 12 * (a1 - a0)
        self.h = {"q": h, "v": h}
        self.short = h * (abs(v1 - v0) + h * (abs(a0) + abs(a1)) / 2)
        pushed = run.tau.any()
        for name in SOURCES:
            done = run.work.get(name)
            if done is None or not (pushed or done.any()):
                continue
            own = of_source(run, name)
            power = (run.tau[around] * run.v[around])[..., own].sum(axis=2, keepdims=True)
            if power.any() or done.any():
                self.off[name] = (done[rows + 1] - done[rows])[:, None] - h / 2 * (power[1] + power[2])
                self.bound[name] = h * times.curvature(power) / 12
                self.h[name] = h * abs(power[1])


def of_source(run: Trajectory, name: str) -> np.ndarray:
    """(nv,) the coordinates that a source of work acts on."""
    return run.imposed if name == "drives" else ~run.imposed


def on_groups(model: Model) -> np.ndarray:
    """(nv,) which coordinates move along a group and are not plain numbers."""
    grouped = np.ones(model.coordinates.nv, dtype=bool)
    grouped[model.coordinates.plain_v] = False
    return grouped[model.coupling.own_v] if model.coupling else grouped


class Times:
    """Lengths of some intervals and of those beside them.

    t : (4, intervals) times of the samples before, at both ends and after; the same twice where there is none
    """

    def __init__(self, t: np.ndarray):
        lengths = t[1:] - t[:-1]
        beside = lengths[::2]
        # beside the first or last sample, or an impact, nothing is known on one side
        self.known = (beside > 0)[..., None]
        self.h = lengths[1][:, None]
        self.ratio = np.divide(lengths[1], beside, out=np.zeros_like(beside), where=beside > 0)[..., None]

    def curvature(self, x: np.ndarray) -> np.ndarray:
        """(intervals, columns) how much the change of x (4, intervals, columns) over each interval differs from that over its
        neighbours; where these are not known, the change itself."""
        change = x[1:] - x[:-1]
        found = abs(np.where(self.known, change[1] - self.ratio * change[::2], change[1])).max(axis=0)
        return found if all_finite(found) else np.nan_to_num(found, nan=np.inf)


def check_work(run: Trajectory, parts: list[Intervals], exchanged: float, seen: np.ndarray) -> list[Check]:
    """(3), over all intervals together; the work of a force on what does not move is rounding."""
    checks = []
    for name in SOURCES:
        if name not in run.work or not all(name in part.off for part in parts):
            continue
        if not seen[of_source(run, name)].all():
            continue
        off, bound, moved = (sum(float(getattr(p, x)[name].sum()) for p in parts) for x in ("off", "bound", "h"))
        if moved > 0 and SAFETY * bound <= DENSE * moved:
            value = max(0.0, abs(off) - SAFETY * bound) / max(moved, LEAST_WORK * exchanged)
            checks.append(Check(f"work of {name}", value, ALLOWED, "against force times velocity"))
    return checks
