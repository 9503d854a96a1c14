"""A sweep on a Dask cluster: real schedulers and workers as processes of this machine, which are killed."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
import swept
from places import ROOT

import locomote as lo
from locomote.sweeps import cluster
from locomote.sweeps.job import Job

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Machines:
    """A scheduler and workers, as processes."""

    def __init__(self, folder):
        self.folder, self.port, self.processes = folder, free_port(), []
        self.address = f"tcp://127.0.0.1:{self.port}"

    def start(self, program: str, *words: str) -> subprocess.Popen:
        paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "helpers")])
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *words, "--no-dashboard"]
        log = (self.folder / f"{program}{len(self.processes)}.log").open("w")
        process = subprocess.Popen(
            command, env=os.environ | {"PYTHONPATH": paths}, stdout=log, stderr=log, start_new_session=True, cwd=self.folder
        )
        log.close()
        self.processes.append(process)
        return process

    def scheduler(self):
        return self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def worker(self):
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny")

    def end(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def machines(tmp_path):
    found = Machines(tmp_path)
    try:
        yield found
    finally:
        found.end()


def after(folder, parts, then):
    """A thread that does something once so many parts are on the disk."""

    def wait():
        while len(list((folder / "parts").glob("*.parquet"))) < parts:
            time.sleep(0.02)
        then()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_workers_and_the_scheduler_are_killed(machines, tmp_path):
    """A worker dies, then the scheduler with all that it knows: the table is that of one process, each row once."""
    scheduler, folder = machines.scheduler(), tmp_path / "s"
    first, _ = machines.worker(), machines.worker()

    def trouble():
        os.killpg(first.pid, signal.SIGKILL)
        os.killpg(scheduler.pid, signal.SIGKILL)
        scheduler.wait()
        machines.scheduler()
        machines.worker()

    axes = {"x": lo.span(0.0, 1.0, 300), "log": [str(tmp_path / "log")]}
    thread = after(folder, 4, trouble)
    found = lo.sweep(swept.counted, axes, folder=folder, cluster=machines.address, progress=False)
    thread.join()
    assert np.array_equal(found["square"], np.linspace(0.0, 1.0, 300) ** 2) and not found.failed.any()


def test_a_deadly_point_is_given_up(machines, tmp_path):
    machines.scheduler()
    for _ in range(5):  # Dask gives a task up after four workers
        machines.worker()
    found = lo.sweep(swept.deadly, {"x": [1.0, 2.0]}, cluster=machines.address, progress=False)
    assert list(found.failed) == [False, True] and "ended every worker" in found["error"][1]


def test_a_worker_of_another_version_is_refused(machines):
    from distributed import Client

    machines.scheduler()
    machines.worker()
    job = replace(Job(swept.sometimes, None, {}, None, False, 0), physics="0.0.0 other")
    with Client(machines.address, set_as_default=False) as client:
        client.wait_for_workers(1)
        with pytest.raises(ValueError, match="install the same version"):
            cluster.Cluster(job, client, None)
        found = client.submit(cluster.rows_of, __import__("cloudpickle").dumps(job), cluster.Chunk([0], [1], [{"x": 1.0}]))
        with pytest.raises(ValueError, match="install the same version everywhere"):
            found.result()
        good = lo.sweep(swept.sometimes, {"x": [4.0]}, cluster=client, progress=False)  # a Client, which stays open
        assert list(good["root"]) == [2.0] and client.status == "running"


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER", 0.3)
    with pytest.raises(ValueError, match="no Dask scheduler answers at tcp://127.0.0.1:"):
        lo.sweep(swept.sometimes, {"x": [1.0]}, cluster=f"tcp://127.0.0.1:{free_port()}")
    with pytest.raises(ValueError, match="limit is for processes"):
        lo.sweep(swept.sometimes, {"x": [1.0]}, cluster="tcp://127.0.0.1:1", limit=1.0)
