"""`lo.sweep`: hand out the points that are not finished, keep what comes back, say how far it is, give the table."""

import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from locomote.locomotion.problem import Locomotion
from locomote.runs.progress import Shown, shown_progress
from locomote.sweeps.axes import SweepError, SweepPoints, points_of
from locomote.sweeps.job import Job, Row, of_system
from locomote.sweeps.lanes import corners
from locomote.sweeps.measures import checked_measures
from locomote.sweeps.processes import Chunk, Died, Done, Here, Processes
from locomote.sweeps.store import RUNS, Store
from locomote.sweeps.table import SweepTable

PART, SHARE, LONGEST = (
    0.3,
    0.01,
    30.0,
)  # s of work in a part; of what went before, at most s: little is lost, and files stay few
MOST, LANES = 20_000, 2048  # points in a part; at least, of those that go side by side, which share the work of each step
DEATHS = 2  # of processes at the same point, after which it is given up
KEEP = ("none", "all", "failed")


def sweep(
    make,
    axes,
    *,
    measure=None,
    folder=None,
    duration: float | None = None,
    processes: int = 1,
    cluster=None,
    keep: str | int = "none",
    audit: bool = True,
    retry: bool = False,
    limit: float | None = None,
    seed: int = 0,
    progress: bool | None = None,
    **options,
) -> SweepTable:
    """Run a problem at many points of its parameters and measure each run: a table with one row a point.

    make : name of a system of the catalogue (its own parameters, or numbers of its problem such as "rotor.mass", are the axes),
        a problem (`problem.parameters` lists its numbers), or a function of the values of a point (and of
        `seed`, if it asks for one) that gives a problem, a system, a run, or numbers by name
    axes : name of a parameter -> its values (a list, or lo.span(first, last, count)), of which all combinations are taken; or
        points of lo.sweeps.latin_hypercube, sobol, draws, read_points
    measure : names such as "net.distance", "work.drives", "rotor.torque:peak" (`locomote.sweeps.measures` lists them), or a
        function of a run that gives a number, or numbers by name
    folder : where finished points are kept; the same call goes on there, and computes nothing twice
    duration : s of each run; that of the system if None ; options : of `simulate` (method, step, rtol, atol, every ...)
    processes : of this machine that work side by side ; cluster : address of a Dask scheduler, a Client or a cluster instead
    keep : run files that are kept in the folder: "none", "all", "failed" (those whose audit is not good, too), or how many of
        the best by the first measure, which are run once more at the end
    audit : audit every run, which takes about as long as the run ; retry : compute points that failed once more
    limit : s after which a point is given up (in processes of their own) ; seed : of the seeds that points get
    progress : show a bar; by default if there is a terminal

    A point that fails is a row with its error in words. Ctrl-C ends the sweep after the parts under way; the same call goes on.
    """
    points = points_of(axes)
    best = 0 if isinstance(keep, str | bool) else int(keep)
    job = job_of(make, points, measure, duration, options, audit, seed, "none" if best > 0 else keep, folder)
    keys = points.keys()
    refuse_twice(points, keys)
    with Store(folder, {} if folder is None else job.identity()) as store:
        todo = np.flatnonzero(~store.finished(keys, retry=bool(retry)))
        if len(todo):
            pool = pool_of(job, processes, cluster, limit, len(todo))
            try:
                with watched(len(points), len(points) - len(todo), shown_progress(progress)) as watch:
                    compute(pool, points, keys, todo, store, watch)
            finally:
                pool.close()
        rows, found = store.asked(keys)
        if rows is None or len(found) < len(points):
            raise KeyboardInterrupt(f"{len(found)} of {len(points)} points are finished; the same call goes on with the others")
        store.write_table(rows)
        table = SweepTable(rows, points, None if folder is None else Path(folder), job)
        keep_best(table, best)
    return table


def keep_best(table: SweepTable, count: int) -> None:
    """Write the runs of the best rows to the folder, those of others away."""
    if not count:
        return
    if table.folder is None or not table.measures:
        raise SweepError(f"keep is {count}, and there is no folder to keep runs in, or no measure; give folder= and measure=")
    keys = table.points.keys()
    files = {row: table.folder / RUNS / f"{keys[row]:016x}.h5" for row in table.ranked(table.measures[0])[:count]}
    for row, file in files.items():
        if not file.exists():
            table.run(row).save(file)
    for file in set((table.folder / RUNS).glob("*.h5")) - set(files.values()):
        file.unlink()


def job_of(make, points: SweepPoints, measure, duration, options, audit, seed, keep, folder) -> Job:
    """The job of a sweep, all of it checked that can be without running."""
    if keep not in KEEP:
        raise SweepError(f"keep is {keep!r:.40}, expected one of {', '.join(map(repr, KEEP))}, or how many of the best")
    if keep != "none" and folder is None:
        raise SweepError(f"keep is {keep!r}, and there is no folder to keep runs in; give folder=")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SweepError(f"seed is {seed!r:.40}, expected an integer from 0")
    if isinstance(make, str):
        of_system(make, points.at(0))  # an unknown system, an unknown parameter
    elif isinstance(make, Locomotion):
        make.with_parameters(points.at(0))
        if duration is None:
            raise SweepError("duration is missing: say how long each run takes, s")
    elif not callable(make):
        raise SweepError(f"make is {make!r:.60}, expected the name of a system, a problem, or a function")
    if duration is not None and not (np.isfinite(duration) and duration > 0):
        raise SweepError(f"duration is {duration!r:.40} s, expected a number above 0")
    measures = None if measure is None and not isinstance(make, str | Locomotion) else checked_measures(measure)
    place = "" if folder is None else str((Path(folder) / RUNS).resolve())
    job = Job(make, duration, dict(options), measures, bool(audit), int(seed), keep, place)
    problem = job.for_lanes([points.at(0)])
    return job if problem is None else replace(job, company=corners(problem, points))


def refuse_twice(points: SweepPoints, keys: np.ndarray) -> None:
    """A point that is asked for twice would be computed once; say so."""
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    if len(same):
        first, second = sorted(order[same[0] : same[0] + 2].tolist())
        raise SweepError(f"points {first} and {second} are the same: {points.at(first)}; ask for each once")


def pool_of(job: Job, processes: Any, cluster: Any, limit: float | None, count: int):
    """Who computes."""
    if limit is not None and not (np.isfinite(limit) and limit > 0):
        raise SweepError(f"limit is {limit!r:.40} s, expected a number above 0")
    if cluster is not None:
        from locomote.sweeps.cluster import Cluster

        return Cluster(job, cluster, limit)
    if isinstance(processes, bool) or not isinstance(processes, int | np.integer) or processes < 1:
        raise SweepError(f"processes is {processes!r:.40}, expected an integer from 1")
    if processes == 1 and limit is None:
        return Here(job)
    return Processes(job, min(int(processes), count), limit)


# handing out and keeping


def compute(pool, points: SweepPoints, keys: np.ndarray, todo: np.ndarray, store: Any, watch: "Watch") -> None:
    """Compute points and keep their rows, until all are done or somebody asks to stop."""
    waiting, under_way, deaths = Waiting(todo, pool.job.side_by_side(points.at(0))), 0, Counter()
    first = store.empty  # nothing has worked yet
    while under_way or (waiting and not watch.stopping):
        while waiting and under_way < pool.width and not watch.stopping:
            indices = waiting.take()
            pool.submit(Chunk(indices.tolist(), keys[indices].tolist(), [points.at(i) for i in indices]))
            under_way += 1
        found = pool.next()
        under_way -= 1
        if isinstance(found, Died):
            rows = after_death(found, deaths, waiting)
        else:
            rows = found.rows
            waiting.learn(found)
            if first:
                refuse_useless(rows)
            first = False
        if rows:
            store.write(rows, points)
            watch.show(rows)


class Waiting:
    """SweepPoints that wait, and how many of them make a part: a single one at first (on lanes, some), then as many as take a
    while."""

    def __init__(self, todo: np.ndarray, lanes: bool):
        self.least = LANES if lanes else 1
        self.runs, self.size, self.began = deque([todo]), self.least, time.monotonic()

    def __bool__(self):
        return bool(self.runs)

    def take(self) -> np.ndarray:
        """The next part."""
        run = self.runs.popleft()
        if len(run) > self.size:
            self.runs.appendleft(run[self.size :])
        return run[: self.size]

    def put(self, *runs: Sequence[int] | np.ndarray) -> None:
        """SweepPoints to be computed once more, first."""
        self.runs.extendleft(np.array(run, int) for run in reversed(runs) if len(run))

    def learn(self, done: Done) -> None:
        """The size of parts, from the time that one took; at most ten times the last, since the first point compiles."""
        each = sum(row.wall for row in done.rows) / max(1, len(done.rows))
        part = min(max(PART, SHARE * (time.monotonic() - self.began)), LONGEST)
        self.size = max(self.least, int(min(MOST, 10 * max(1, len(done.rows)), max(1, part / max(each, 1e-6)))))


def after_death(found: Died, deaths: Counter, waiting: Waiting) -> list[Row]:
    """The points of a process that ended wait again, the one that it was at alone, or all of them alone where that is not
    known;
    a point that was tried often enough is given up, with a row that says so."""
    indices, place = list(found.chunk.indices), found.place
    if place is None:
        waiting.put(*([index] for index in indices))
        return []
    culprit, rest = indices[place], (indices[:place], indices[place + 1 :])
    deaths[culprit] += 1
    if deaths[culprit] < DEATHS and not found.last:
        waiting.put([culprit], *rest)
        return []
    waiting.put(*rest)
    return [Row(culprit, found.chunk.keys[place], 0, 0.0, error=f"point given up: {found.why}", where="process")]


def refuse_useless(rows: list[Row]) -> None:
    """An error for the whole sweep if its first point shows that the request is wrong, as an unknown name."""
    for row in rows:
        if row.wrong:
            raise SweepError(f"the first point: {row.error}")


class Watch:
    """How far a sweep is, and whether somebody asked it to stop."""

    def __init__(self, total: int, before: int, shown: Shown):
        self.total, self.before, self.shown = total, before, shown
        self.done, self.failed, self.stopping, self.began, self._bar = 0, 0, False, time.monotonic(), None

    def show(self, rows: list[Row]) -> None:
        """Some rows more."""
        self.done += len(rows)
        self.failed += sum(bool(row.error) for row in rows)
        elapsed = time.monotonic() - self.began
        if not self.shown or (self._bar is None and elapsed < 0.5):
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            kinds = (
                TextColumn("sweep"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[said]}"),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*kinds, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("sweep", total=self.total, completed=self.before, said="")
            self._bar.start()
        failures = f", {self.failed} failed" * bool(self.failed)
        self._bar.update(self._task, completed=self.before + self.done, said=f"{self.done / elapsed:.3g} a second{failures}")

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def stop(self, *_) -> None:
        """Ctrl-C: the parts under way come to their end; a second one ends at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        sys.stderr.write("stopping after the parts under way; Ctrl-C once more stops at once\n")


@contextmanager
def watched(total: int, before: int, shown: Shown):
    """A Watch that Ctrl-C tells to stop, where this is the main thread."""
    watch, earlier = Watch(total, before, shown), None
    if threading.current_thread() is threading.main_thread():
        earlier = signal.signal(signal.SIGINT, watch.stop)
    try:
        yield watch
    finally:
        watch.close()
        if earlier is not None:
            with suppress(ValueError):
                signal.signal(signal.SIGINT, earlier)
