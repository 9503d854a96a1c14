"""Chunks of points on a Dask cluster: any scheduler that a Client reaches. The scheduler holds chunks and rows, no runs.

Workers say their version of the library before they compute. A worker that is lost has its chunk computed by another one; a
chunk that has killed several is computed point by point, and a point that goes on killing is given up. A scheduler that is
started anew is waited for, and gets what was under way once more; where it has no workers yet, they are waited for, too.
"""

import pickle
import queue
import time
from contextlib import suppress
from functools import lru_cache
from typing import Any

from locomote.runs.optional import package
from locomote.sweeps.axes import SweepError
from locomote.sweeps.job import Job, Row, physics
from locomote.sweeps.processes import Chunk, Died, Done

ANSWER = 10.0  # s within which a scheduler has to answer
RETURN = 120.0  # s within which one that was lost has to be back
LOOK = 5.0  # s between looks whether the scheduler is there
DEPTH = 2  # chunks handed out for each thread of the workers, so that none waits


class Cluster:
    """The workers of a Dask scheduler."""

    def __init__(self, job: Job, cluster: Any, limit: float | None):
        if limit is not None:
            raise SweepError("limit is for processes of this machine, which can be ended; on a cluster leave it out")
        self.distributed = package("distributed", "a sweep on a cluster", "'locomote[cluster]'")
        self.job, self.given = job, cluster
        self.sent = package("cloudpickle", "a sweep on a cluster", "'locomote[cluster]'").dumps(job)
        self.own = not isinstance(cluster, self.distributed.Client)
        self.client = connected(self.distributed, cluster)
        self.check_versions()
        self.under_way: dict[Any, Chunk] = {}
        self.ended: queue.SimpleQueue = queue.SimpleQueue()

    @property
    def width(self) -> int:
        """Chunks at once: as many as keep all workers busy; at least one, for workers that are still to come."""
        with suppress(Exception):
            threads = sum(self.client.nthreads().values())
            return max(1, DEPTH * threads)
        return 1

    def check_versions(self) -> None:
        """Refuse workers that would give other numbers."""
        for worker, version in self.client.run(physics, on_error="return").items():
            if version != self.job.physics:
                found = version if isinstance(version, str) else f"none that can be imported ({version})"
                raise SweepError(
                    f"worker {worker} has locomote {found}, here it is {self.job.physics}; install the same version"
                )

    def submit(self, chunk: Chunk) -> None:
        """Hand out a chunk."""
        future = self.client.submit(rows_of, self.sent, chunk, pure=False, retries=0)
        self.under_way[future] = chunk
        future.add_done_callback(self.ended.put)

    def next(self) -> Done | Died:
        """Wait for a chunk to end, well or not."""
        while True:
            try:
                future = self.ended.get(timeout=LOOK)
            except queue.Empty:
                if self.client.status != "running":
                    self.reconnect()
                continue
            if future not in self.under_way:  # of a scheduler that is gone
                continue
            if future.status in ("cancelled", "lost"):
                self.reconnect()
                continue
            chunk = self.under_way.pop(future)
            return Done(chunk, future.result()) if future.status == "finished" else self.failed(chunk, future.exception())

    def failed(self, chunk: Chunk, error: BaseException) -> Died:
        """A chunk that killed its workers; an error of the whole sweep goes on as it is."""
        if isinstance(error, self.distributed.KilledWorker):
            alone = len(chunk.indices) == 1
            return Died(chunk, 0 if alone else None, "it ended every worker that tried it", last=alone)
        raise error

    def reconnect(self) -> None:
        """Wait for the scheduler, and hand out anew what was under way."""
        chunks, deadline = list(self.under_way.values()), time.monotonic() + RETURN
        with suppress(Exception):
            self.client.close(timeout=1)
        while True:
            try:
                self.client = connected(self.distributed, self.given if self.own else self.given.scheduler.address)
                break
            except SweepError:
                if time.monotonic() > deadline:
                    raise
        self.own, self.under_way = True, {}
        for chunk in chunks:
            self.submit(chunk)

    def close(self) -> None:
        """Leave the cluster as it was."""
        with suppress(Exception):
            self.client.cancel(list(self.under_way))
        if self.own:
            with suppress(Exception):
                self.client.close(timeout=5)


def rows_of(job: bytes, chunk: Chunk) -> list[Row]:
    """What a worker does."""
    return loaded(job).rows(*chunk)


@lru_cache(maxsize=4)
def loaded(job: bytes) -> Job:
    """The job of a sweep, loaded once by each worker."""
    return pickle.loads(job)


def connected(distributed, cluster: Any):
    """A Client of an address, a cluster, or itself."""
    if isinstance(cluster, distributed.Client):
        return cluster
    try:
        by_file = isinstance(cluster, str) and cluster.endswith(".json")
        where = {"scheduler_file": cluster} if by_file else {"address": cluster}
        return distributed.Client(**where, timeout=ANSWER, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise SweepError(f"no Dask scheduler answers at {cluster!s:.80} within {ANSWER:g} s ({type(error).__name__})") from None
