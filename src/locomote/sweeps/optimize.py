"""`lo.optimize`: the parameters with the best runs. Whole populations are computed at once, as the points of a sweep are.

An optimizer asks for points and is told how good they are. It is drawn from its seed alone, so the folder keeps no state of it:
the same call asks for the same points, finds those that were finished, and goes on to the same digits.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.runs.progress import shown_progress
from locomote.sweeps.axes import SweepError, SweepPoints, range_of
from locomote.sweeps.descent import DESCENTS, Descent, Used
from locomote.sweeps.job import Job, Row
from locomote.sweeps.measures import checked_measures
from locomote.sweeps.optimizers import OPTIMIZERS, Optimizer
from locomote.sweeps.slopes import Sloped, sloped, text
from locomote.sweeps.store import Store
from locomote.sweeps.studies import Study
from locomote.sweeps.sweep import compute, job_of, pool_of, watched
from locomote.sweeps.table import SweepTable


@brief
@dataclass(frozen=True, eq=False)
class Optimum:
    """What an optimisation found.

    values : name of a parameter -> its best value ; value : of the goal there ; measures : all that was measured there
    feasible : whether it meets all limits ; best : (generations,) of the goal so far, NaN before a point met the limits
    starts : values of the goal at the end of each start, the best first ; evaluations : points that were asked for
    reason : why it ended ; table : every point that was computed, in order
    """

    values: Mapping[str, float]
    value: float
    measures: Mapping[str, float]
    feasible: bool
    best: np.ndarray
    starts: Sequence[float]
    evaluations: int
    reason: str
    table: SweepTable = field(repr=False)


def optimize(
    make,
    ranges: Mapping[str, Sequence[float]],
    *,
    goal,
    least: bool = False,
    limits: Mapping[str, Sequence[float | None]] | None = None,
    by: str = "cma",
    evaluations: int = 1000,
    population: int | None = None,
    start: Mapping[str, float] | None = None,
    starts: int = 1,
    tolerance: float = 1e-9,
    seed: int = 0,
    folder=None,
    duration: float | None = None,
    processes: int = 1,
    cluster=None,
    limit: float | None = None,
    progress: bool | None = None,
    storage: str | None = None,
    **options,
) -> Optimum:
    """The values of some parameters at which a goal is largest (or least).

    make, duration, processes, cluster, limit, folder, options : as of `lo.sweep`
    ranges : name of a parameter -> (lowest, highest) ; start : where to begin, the middle of all ranges if left out
    goal : name of a measure, such as "net.distance", or a function of a run that gives one number; see `by`
    limits : name of a measure -> (lowest, highest), None for no limit: only points that meet them count as good
    by : "cma" (covariance matrix adaptation, Hansen 2016), "de" (differential evolution, Storn and Price 1997); along exact
        slopes "l-bfgs-b", and "slsqp" which takes limits: parameters are then numbers of a problem, goals and limits are
        channels at the end, or what `lo.gradient` takes (lo.integral("power.drives")), and options are those of `lo.gradient`
    evaluations : points at most, shared evenly by all starts ; population : points at once, by the number of parameters if None
    starts : how often to begin anew, from places drawn in the ranges; the best one counts, and all are reported
    storage : address of a database, as "sqlite:///best.db", to which points are copied as trials of an Optuna study with the
        name of the problem, for its dashboard
    tolerance : ends a start when the last points differ by less, in parts of the ranges ; seed : of all draws

    A point that fails counts as worse than all others. With a folder, the same call goes on where it was stopped, to the same
    digits.
    """
    names, low, high = checked_ranges(ranges)
    checked_method(by, limits)
    if by in DESCENTS:
        make = sloped(make, names, goal, limits or {}, duration, options)
        goal, limits, duration, options = text(goal), {text(one): ends for one, ends in (limits or {}).items()}, None, {}
    measures, limits = measures_of(goal, limits or {})
    ask = Asking(names, low, high, float(math.copysign(1.0, 1 if least else -1)), measures, limits)
    first = SweepPoints(dict(zip(names, np.column_stack([ask.middle(start), low, high]), strict=True)), {})
    job = job_of(make, first, None if by in DESCENTS else measures, duration, options, False, seed, "none", folder)
    for name, value in (("evaluations", evaluations), ("starts", starts), ("population", population or 2)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise SweepError(f"{name} is {value!r:.40}, expected an integer from 1")
    about = {"optimize": [by, names, low.tolist(), high.tolist(), bool(least), sorted(limits.items()), population, starts]}
    box = dict(zip(names, zip(low.tolist(), high.tolist(), strict=True), strict=True))
    study = None if storage is None else Study(storage, name_of(make), box, least)
    with Store(folder, {} if folder is None else job.identity() | about) as store:
        memo = Memo(store)
        pool = pool_of(job, processes, cluster, limit, population or 2 * len(names))
        try:
            with watched(int(evaluations), 0, shown_progress(progress)) as watch:
                search = Search(ask, memo, pool, watch, int(evaluations), study)
                for k in range(int(starts)):
                    begin = ask.unit(start) if k == 0 else np.random.default_rng([seed, k]).random(len(names))
                    search.start(by, begin, population, tolerance, seed + 7919 * k, int(evaluations) // int(starts))
        finally:
            pool.close()
        return search.found(job, store, folder)


class Memo:
    """Rows by key: those of the folder, and those that are computed now."""

    def __init__(self, store: Store):
        self.store, self.numbers = store, {}
        rows = store.all()
        for row in [] if rows is None else rows.to_pylist():
            self.numbers[row["key"]] = {n[1:]: x for n, x in row.items() if n[0] == "=" and x is not None}

    @property
    def empty(self) -> bool:
        """Whether there is no row yet."""
        return not self.numbers

    def write(self, rows: Sequence[Row], points: SweepPoints) -> None:
        """Keep rows."""
        self.store.write(rows, points)
        self.numbers |= {row.key: dict(row.numbers) for row in rows}


@dataclass(frozen=True)
class Asking:
    """What is asked for: parameters in a box, a goal with its sign (-1 for the largest), limits of measures."""

    names: list[str]
    low: np.ndarray
    high: np.ndarray
    sign: float
    measures: Any
    limits: Mapping[str, tuple[float, float]]

    def middle(self, start: Mapping[str, float] | None) -> np.ndarray:
        """Where to begin, in units of the parameters."""
        return self.low + self.unit(start) * (self.high - self.low)

    def unit(self, start: Mapping[str, float] | None) -> np.ndarray:
        """Where to begin, as parts of the ranges."""
        found = np.full(len(self.names), 0.5)
        for name, value in (start or {}).items():
            if name not in self.names:
                raise SweepError(f"start names {name!r}, which has no range")
            k = self.names.index(name)
            if not self.low[k] <= value <= self.high[k]:
                raise SweepError(f"start of {name!r} is {value!r:.40}, outside its range {self.low[k]:g} to {self.high[k]:g}")
            found[k] = (value - self.low[k]) / (self.high[k] - self.low[k])
        return found

    def points(self, unit: np.ndarray) -> SweepPoints:
        """Points of the unit cube (n, d) as values of the parameters."""
        values = self.low + np.clip(unit, 0.0, 1.0) * (self.high - self.low)
        return SweepPoints({name: values[:, k] for k, name in enumerate(self.names)}, {})

    def goal(self, numbers: Mapping[str, float]) -> float:
        """The goal of a point, NaN if it failed."""
        name = self.measures[0] if isinstance(self.measures, tuple) else next(iter(numbers), "")
        return float(numbers.get(name, math.nan))

    def violation(self, numbers: Mapping[str, float]) -> float:
        """By how much a point misses its limits, all of them together; infinite if it has no numbers."""
        if math.isnan(self.goal(numbers)):
            return math.inf
        total = 0.0
        for name, (low, high) in self.limits.items():
            value = numbers.get(name, math.nan)
            total += math.inf if math.isnan(value) else max(0.0, low - value, value - high)
        return total


class Search:
    """One start after the other, until all evaluations are used."""

    def __init__(self, ask: Asking, memo: Memo, pool, watch, evaluations: int, study: Study | None = None):
        self.study = study
        self.ask, self.memo, self.pool, self.watch, self.left, self.most = ask, memo, pool, watch, evaluations, evaluations
        self.keys, self.asked, self.best, self.ends, self.reason = [], [], [], [], "all evaluations are used"
        self.top = (math.inf, math.inf, None, {})  # violation, signed goal, values, numbers

    def start(self, method: str, begin: np.ndarray, population: int | None, tolerance: float, seed: int, most: int) -> None:
        """One start with `most` points, from `begin` in the unit cube."""
        if method in DESCENTS:
            self.descend(method, begin, tolerance, most)
        else:
            self.run(OPTIMIZERS[method](begin, population, tolerance, seed), most)

    def descend(self, method: str, begin: np.ndarray, tolerance: float, most: int) -> None:
        """Along slopes, a point at a time."""
        end, own, asked, row = self.left - most, (math.inf, math.inf), b"", {}

        def numbers(x: np.ndarray) -> Mapping[str, float]:
            nonlocal own, asked, row
            if x.tobytes() != asked:
                if self.left <= end or self.watch.stopping:
                    raise Used("all evaluations are used")
                own = min(own, self.judged(x[None])[0])
                asked, row = x.tobytes(), self.memo.numbers[int(self.keys[-1][0])]
                self.note()
            if not row:
                raise Used("a point on the way failed; its row says why")
            return row

        self.reason = Descent(self.ask, numbers, method, tolerance).run(begin)
        self.ends.append(self.ask.sign * own[1] if own[0] == 0 else math.nan)

    def note(self) -> None:
        """Keep the best so far."""
        self.best.append(self.ask.sign * self.top[1] if self.top[0] == 0 else math.nan)

    def run(self, optimizer: Optimizer, most: int) -> None:
        """Ask, compute, tell."""
        own, end = (math.inf, math.inf), self.left - most
        while self.left - end >= optimizer.population and not self.watch.stopping:
            unit = optimizer.ask()
            if not len(unit):
                self.reason = optimizer.reason
                break
            order = self.judged(unit)
            optimizer.tell(unit, order)
            own = min(own, min(order))
            self.note()
        self.ends.append(self.ask.sign * own[1] if own[0] == 0 else math.nan)

    def judged(self, unit: np.ndarray) -> list[tuple[float, float]]:
        """(violation, signed goal) of each point: compared in this order, smaller is better."""
        points = self.ask.points(unit)
        keys = points.keys()
        _, first = np.unique(keys, return_index=True)
        todo = np.array([i for i in sorted(first) if int(keys[i]) not in self.memo.numbers], int)
        if len(todo):
            compute(self.pool, points, keys, todo, self.memo, self.watch)
        if self.watch.stopping and any(int(key) not in self.memo.numbers for key in keys):
            raise KeyboardInterrupt(f"{self.most - self.left} points are finished; the same call goes on with the others")
        self.left -= len(unit)
        self.keys.append(keys)
        self.asked.append(points)
        found = []
        for i, key in enumerate(keys.tolist()):
            numbers = self.memo.numbers[key]
            goal, missed = self.ask.goal(numbers), self.ask.violation(numbers)
            judged = (missed, math.inf if math.isnan(goal) else self.ask.sign * goal)
            if judged < self.top[:2]:
                self.top = (*judged, points.at(i), numbers)
            found.append(judged)
        if self.study is not None:
            self.study.add(points, keys, [self.memo.numbers[key] for key in keys.tolist()], found)
        return found

    def found(self, job: Job, store: Store, folder) -> Optimum:
        """The result."""
        if self.top[2] is None:
            rows, _ = store.asked(np.concatenate(self.keys)) if self.keys else (None, None)
            why = "" if rows is None else f"; the first one: {rows['error'][0].as_py()}"
            raise SweepError(f"no point of {self.most - self.left} has a number{why}")
        points = {name: np.concatenate([p.columns[name] for p in self.asked]) for name in self.ask.names}
        keys, first = np.unique(np.concatenate(self.keys), return_index=True)
        order = np.sort(first)
        whole = SweepPoints({name: x[order] for name, x in points.items()}, {})
        rows, _ = store.asked(np.concatenate(self.keys)[order])
        store.write_table(rows)
        table = SweepTable(rows, whole, None if folder is None else Path(folder), job)
        ends = sorted(self.ends, key=lambda x: (math.isnan(x), self.ask.sign * x))
        return Optimum(
            self.top[2], self.ask.sign * self.top[1], self.top[3], self.top[0] == 0, np.array(self.best), tuple(ends),
            self.most - self.left, self.reason, table,
        )  # fmt: skip


def name_of(make: Any) -> str:
    """What is optimised, in a word."""
    if isinstance(make, str):
        return make
    return make.problem.name if isinstance(make, Sloped) else getattr(make, "name", getattr(make, "__name__", "function"))


def checked_ranges(ranges: Any) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names, lowest and highest values."""
    if not isinstance(ranges, Mapping) or not ranges:
        raise SweepError(f"ranges are {ranges!r:.60}, expected a mapping from names of parameters to (lowest, highest)")
    ends = {str(name): range_of(name, given) for name, given in ranges.items()}
    for name, (low, high) in ends.items():
        if not low < high:
            raise SweepError(f"range of {name!r} is {low:g} to {high:g}: there is nothing to choose")
    low, high = np.array(list(ends.values())).T
    return list(ends), low, high


def checked_method(by: Any, limits: Any) -> None:
    known = (*OPTIMIZERS, *DESCENTS)
    if by not in known:
        raise SweepError(f"by is {by!r:.40}, expected one of {', '.join(map(repr, known))}")
    if by == "l-bfgs-b" and limits:
        raise SweepError("'l-bfgs-b' knows ranges of parameters and no limits of measures: take 'slsqp'")


def measures_of(goal: Any, limits: Mapping[str, Any]) -> tuple[Any, dict[str, tuple[float, float]]]:
    """What is measured of each run, the goal first, and limits as numbers."""
    bounds = {}
    for name, pair in limits.items():
        try:
            low, high = (fallback if x is None else float(x) for x, fallback in zip(pair, (-math.inf, math.inf), strict=True))
        except (TypeError, ValueError):
            raise SweepError(f"limits of {name!r} are {pair!r:.60}, expected (lowest, highest), None for no limit") from None
        bounds[str(name)] = (low, high)
    if callable(goal):
        if bounds:
            raise SweepError("limits need a goal by its name; a function that is the goal can look after its own limits")
        return goal, bounds
    if not isinstance(goal, str):
        raise SweepError(f"goal is {goal!r:.60}, expected the name of a measure ('net.distance'), or a function of a run")
    return checked_measures(list(dict.fromkeys([goal, *bounds]))), bounds
