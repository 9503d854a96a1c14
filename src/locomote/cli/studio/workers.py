"""Jobs of the studio: each is done by a process of its own, so that it can be ended at any time, whatever it is at."""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODULE = "locomote.cli.studio.work"
AT_ONCE = 2  # processes that work side by side
KEPT = 30  # results of a tab that are kept


@dataclass
class Job:
    """Something that a tab asked for. state : waiting, running, done, refused, stopped"""

    number: int
    tab: str
    order: dict[str, Any]
    place: Path
    state: str = "waiting"
    share: float | None = None  # of the time of a run; None while it gets ready
    found: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def told(self) -> dict[str, Any]:
        """How far it is."""
        return {"job": self.number, "state": self.state, "share": self.share, "message": self.message, "found": self.found}


class Worker:
    """A process that does one job after the other."""

    def __init__(self, folder: Path):
        environment = os.environ | {"LOCOMOTE_QUIET": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE, str(folder)], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, encoding="utf-8", start_new_session=True,
        )  # fmt: skip

    def do(self, job: Job) -> None:
        """Do a job; what it answers goes there."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(job.order) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass
        for line in self.process.stdout:
            answer = json.loads(line)
            if "share" in answer:
                job.share = float(answer["share"])
            elif "done" in answer:
                job.found, job.state = answer["done"], "done"
                return
            elif "refused" in answer:
                job.message, job.state = answer["refused"], "refused"
                return
        if job.state == "running":
            job.message, job.state = "the process that did it has ended; was there too little memory?", "refused"

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        """End the process, and wait for that."""
        self.process.kill()
        self.process.wait(10.0)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass


class Jobs:
    """All jobs of a studio, and the processes that do them. Results are kept in a folder that goes with the studio."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.home = Path(tempfile.mkdtemp(prefix="locomote-studio-"))
        self.jobs: dict[int, Job] = {}
        self._waiting: queue.Queue[Job | None] = queue.Queue()
        self._at: dict[int, Worker] = {}
        self._lock, self._next, self._closed = threading.RLock(), 0, False
        self._threads = [threading.Thread(target=self._serve, daemon=True, name=f"studio {n}") for n in range(AT_ONCE)]
        for thread in self._threads:
            thread.start()

    def add(self, tab: str, order: Mapping[str, Any], *, of: Job | None = None) -> Job:
        """A new job; of : the job whose result it is about."""
        with self._lock:
            self._next += 1
            place = self.home / str(self._next) if of is None else of.place
            place.mkdir(exist_ok=True)
            job = Job(self._next, tab, dict(order) | {"place": str(place)}, place)
            self.jobs[job.number] = job
            self._forget(tab)
        self._waiting.put(job)
        return job

    def of(self, tab: str, number: Any) -> Job:
        """A job of a tab; KeyError for those of others."""
        job = self.jobs.get(number) if isinstance(number, int) else None
        if job is None or job.tab != tab:
            raise KeyError("there is no such run; its tab was closed, or it is too long ago")
        return job

    def stop(self, job: Job) -> None:
        """End a job, whatever it is at."""
        with self._lock:
            if job.state in ("waiting", "running"):
                job.state, job.message = "stopped", "stopped"
                worker = self._at.get(job.number)
                if worker is not None:
                    worker.end()

    def leave(self, tab: str) -> None:
        """A tab was closed: its jobs end, and what they left goes."""
        for job in [job for job in list(self.jobs.values()) if job.tab == tab]:
            self.stop(job)
            self.jobs.pop(job.number, None)
            shutil.rmtree(job.place, ignore_errors=True)

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        for job in list(self.jobs.values()):
            self.stop(job)
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join(10.0)
        shutil.rmtree(self.home, ignore_errors=True)

    def _forget(self, tab: str) -> None:
        """Keep the last results of a tab only."""
        own = [job for job in self.jobs.values() if job.tab == tab and job.state in ("done", "refused", "stopped")]
        for job in own[:-KEPT]:
            del self.jobs[job.number]
            if not any(other.place == job.place for other in self.jobs.values()):
                shutil.rmtree(job.place, ignore_errors=True)

    def _serve(self) -> None:
        worker: Worker | None = Worker(self.folder)  # ready before it is asked for
        while (job := self._waiting.get()) is not None and not self._closed:
            with self._lock:
                if job.state != "waiting":
                    job.ended.set()
                    continue
                if worker is None or not worker.is_alive():
                    worker = Worker(self.folder)
                self._at[job.number], job.state = worker, "running"
            try:
                worker.do(job)
            finally:
                with self._lock:
                    self._at.pop(job.number, None)
                job.ended.set()
        if worker is not None:
            worker.end()
