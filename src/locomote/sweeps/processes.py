"""Chunks of points computed here, or in processes of this machine. A process that dies, or that stays at one point for too
long, is replaced, and says which point it was at.

A pool has `width`, how many chunks it takes at once, `submit(chunk)`, and `next()`, which waits for one of

    Done(chunk, rows)              finished
    Died(chunk, place, why, last)  the process ended, at the point at `place` of the chunk if that is known; nothing of the
                                   chunk is known; last : that point shall not be tried again
"""

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import time
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from locomote.sweeps.axes import SweepError
from locomote.sweeps.job import Job, Row

GRACE = 60.0  # s that a new process may take to begin: imports, and code that is compiled


class Chunk(NamedTuple):
    """Some points: their places among those asked for, their keys, their values."""

    indices: Sequence[int]
    keys: Sequence[int]
    values: Sequence[Mapping[str, Any]]


class Done(NamedTuple):
    """A chunk and its rows."""

    chunk: Chunk
    rows: list[Row]


class Died(NamedTuple):
    """A chunk whose process ended, at which of its points, why, and whether that was its last try."""

    chunk: Chunk
    place: int | None
    why: str
    last: bool = False


class Here:
    """SweepPoints computed by this process, one after the other."""

    width = 1

    def __init__(self, job: Job):
        self.job, self.waiting = job, deque()

    def submit(self, chunk: Chunk) -> None:
        """Take a chunk."""
        self.waiting.append(chunk)

    def next(self) -> Done:
        """Compute the next one."""
        chunk = self.waiting.popleft()
        return Done(chunk, self.job.rows(*chunk))

    def close(self) -> None:
        """Nothing to end."""


@dataclass
class Worker:
    """A process, the connection to it, what it works on, and the point that it said it is at."""

    process: Any
    wire: Any
    chunk: Chunk | None = None
    place: int = 0
    since: float = 0.0


class Processes:
    """A few processes of this machine. limit : s that a point may take, None for as long as it likes."""

    def __init__(self, job: Job, count: int, limit: float | None):
        self.width, self.limit, self.job = count, limit, job
        try:
            self.sent = pickle.dumps(job)
        except Exception as error:
            raise SweepError(
                f"make or measure cannot be sent to other processes ({error}); give functions of a module, or processes=1"
            ) from None
        self.context = multiprocessing.get_context("spawn")
        self.workers = [self.start() for _ in range(count)]

    def start(self) -> Worker:
        """A new process."""
        mine, theirs = self.context.Pipe()
        process = self.context.Process(target=work, args=(theirs, self.sent), daemon=True)
        process.start()
        theirs.close()
        return Worker(process, mine)

    def submit(self, chunk: Chunk) -> None:
        """Hand a chunk to a process that has none."""
        worker = next(worker for worker in self.workers if worker.chunk is None)
        worker.chunk, worker.place, worker.since = chunk, 0, time.monotonic() + GRACE
        with suppress(OSError):  # it died at rest: `next` sees the end of its wire
            worker.wire.send(chunk)

    def next(self) -> Done | Died:
        """Wait for a chunk to end, well or not."""
        while True:
            busy = [worker for worker in self.workers if worker.chunk is not None]
            ready = multiprocessing.connection.wait([worker.wire for worker in busy], timeout=0.2)
            for worker in busy:
                found = self.heard(worker) if worker.wire in ready else self.late(worker)
                if found is not None:
                    return found

    def heard(self, worker: Worker) -> Done | Died | None:
        """What a process says: the point that it begins, rows, an error of the whole sweep; or that it is no more."""
        assert worker.chunk is not None
        try:
            said = worker.wire.recv()
        except (EOFError, OSError):
            worker.process.join(5.0)
            return self.replaced(worker, f"its process ended ({ending(worker.process.exitcode)})")
        if isinstance(said, int):
            worker.place, worker.since = said, time.monotonic()
            return None
        if isinstance(said, BaseException):
            raise said
        done, worker.chunk = Done(worker.chunk, said), None
        return done

    def late(self, worker: Worker) -> Died | None:
        """End a process that stays too long at a point."""
        if self.limit is None or time.monotonic() - worker.since <= self.limit:
            return None
        worker.process.kill()
        worker.process.join()
        return self.replaced(worker, f"it took longer than the limit of {self.limit:g} s", last=True)

    def replaced(self, worker: Worker, why: str, *, last: bool = False) -> Died:
        """A new process in the place of one that ended."""
        assert worker.chunk is not None
        worker.wire.close()
        self.workers[self.workers.index(worker)] = self.start()
        return Died(worker.chunk, worker.place, why, last)

    def close(self) -> None:
        """End all processes."""
        for worker in self.workers:
            with suppress(OSError):
                worker.wire.close()
        for worker in self.workers:
            worker.process.join(2.0)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def work(wire: Any, job: bytes) -> None:
    """What a process does: chunks until its wire is closed. Ctrl-C is for the one who hands them out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    with suppress(EOFError, OSError):
        try:
            own: Job = pickle.loads(job)
        except Exception as error:
            wire.recv()
            wire.send(SweepError(f"make or measure cannot be loaded by another process: {type(error).__name__}: {error}"))
            return
        while True:
            chunk = wire.recv()
            try:
                wire.send(own.rows(*chunk, said=wire.send))
            except SweepError as error:
                wire.send(error)


def ending(code: int | None) -> str:
    """How a process ended, in words."""
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
