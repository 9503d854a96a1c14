"""A second process that compiles ahead: it helps, it is never needed, and it ends with the first."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numba import config

import locomote
from locomote.compiler import background, locks

PACKAGE = Path(locomote.__file__).resolve().parent
ENVIRONMENT = {"PYTHONPATH": str(PACKAGE.parent), "LOCOMOTE_READY": "0", "LOCOMOTE_QUIET": "1"}
pytestmark = [
    pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled"),
    pytest.mark.skipif(locks.fcntl is None, reason="there are no such locks here"),
]

# compiles the first of four small kernels, with the others expected; then waits for input, and compiles the rest
PROGRAM = """
import sys
from locomote import needed
from locomote.methods.needed import ROWS
from locomote.compiler import background
from locomote.model import moves
needs = [needed.need(*call) for call in (*ROWS, moves.NORMALIZE.need, needed.PICTURES[3])]
background.expect("run", lambda: needs)
needs[0].make()
print(background._helpers[0].process.pid if background._helpers else 0, flush=True)
sys.stdin.readline()
for x in needs:
    x.make()
hits = [sum(x.kernel.stats.cache_hits.values()) for x in needs]
import numpy as np
picture = np.zeros((2, 2, 3), dtype=np.uint8)
needs[3].kernel(np.full((4, 4, 3), 0.5, dtype=np.float32), 2, picture)
print(*hits, int(picture.min()), flush=True)
"""


class Process:
    """The program, with a cache of its own."""

    def __init__(self, cache, **environment):
        settings = os.environ | ENVIRONMENT | {"LOCOMOTE_CACHE_DIR": str(cache)} | environment
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings
        )
        self.helper = int(self.process.stdout.readline())

    def goes_on(self):
        """Which of the four kernels were found on disk, and what the last one gave."""
        out, _ = self.process.communicate("\n")
        assert self.process.returncode == 0
        *hits, value = map(int, out.split())
        return hits, value


def lives(pid):
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc/self").exists() else True
    except (ProcessLookupError, FileNotFoundError):
        return False


def until(condition, seconds=600):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def kernels(cache):
    return {path.name.partition("-")[0] for path in cache.rglob("*.kernel")}


def two_cores():
    return len(os.sched_getaffinity(0)) > 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) > 1


@pytest.mark.skipif(not two_cores(), reason="there is one core")
def test_the_rest_of_the_list_is_compiled_meanwhile(tmp_path):
    process = Process(tmp_path)
    assert process.helper
    until(lambda: len(kernels(tmp_path)) == 4)
    hits, value = process.goes_on()
    assert hits == [0, 1, 1, 1] and 120 < value < 136
    until(lambda: not lives(process.helper))
    assert not [x for x in tmp_path.rglob("*.claim") if x.name != "helper.claim"]


@pytest.mark.skipif(not two_cores(), reason="there is one core")
def test_it_can_be_killed(tmp_path):
    process = Process(tmp_path)
    os.kill(process.helper, signal.SIGKILL)
    until(lambda: not lives(process.helper))
    _, value = process.goes_on()
    assert 120 < value < 136 and len(kernels(tmp_path)) == 4


@pytest.mark.skipif(not two_cores(), reason="there is one core")
def test_it_ends_with_the_first_however_that_ends(tmp_path):
    process = Process(tmp_path)
    assert lives(process.helper)
    process.process.kill()
    process.process.wait()
    until(lambda: not lives(process.helper))


@pytest.mark.parametrize("why", ["switched off", "no folder"])
def test_it_is_not_needed(tmp_path, why):
    if why == "no folder":
        (tmp_path / "taken").write_text("")
    process = Process(tmp_path / "taken" if why == "no folder" else tmp_path, LOCOMOTE_HELPER=str(int(why == "no folder")))
    assert process.helper == 0
    hits, value = process.goes_on()
    assert hits == [0, 0, 0, 0] and 120 < value < 136


def test_where_it_is_not_possible(tmp_path, monkeypatch):
    monkeypatch.setenv("LOCOMOTE_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("LOCOMOTE_HELPER", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1}, raising=False)
    assert background.is_possible()
    with monkeypatch.context() as one_core:
        one_core.setattr(os, "sched_getaffinity", lambda pid: {1}, raising=False)
        assert not background.is_possible()
    with monkeypatch.context() as embedded:
        embedded.setattr(sys, "executable", "")
        assert not background.is_possible()
    with monkeypatch.context() as frozen:
        frozen.setattr(sys, "frozen", True, raising=False)
        assert not background.is_possible()
    tmp_path.chmod(0o777)
    assert not background.is_possible()  # others could put code there


HOLDER = """
import sys
from pathlib import Path
from locomote.compiler import locks
locks.claim(Path(sys.argv[1]), "something")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_claim_ends_with_its_holder(tmp_path):
    piece = tmp_path / "folder" / "piece.kernel"
    settings = os.environ | ENVIRONMENT
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(piece)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings
    )
    assert holder.stdout.readline() == "held\n" and locks.is_claimed(piece)
    holder.kill()
    holder.wait()
    assert not locks.is_claimed(piece)
    locks.claim(piece, "something")
    locks.give_back()
    assert not list(piece.parent.iterdir())


def test_nobody_waits_for_ever(tmp_path, monkeypatch):
    """Not for one that sleeps, nor holding something that the other may wait for."""
    piece, other = tmp_path / "folder" / "piece.kernel", tmp_path / "folder" / "other.kernel"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(piece)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | ENVIRONMENT,
    )  # fmt: skip
    try:
        assert holder.stdout.readline() == "held\n"
        monkeypatch.setattr(locks, "LONGEST", 0.1)
        locks.claim(piece, "something")
        assert locks._held() == []
        monkeypatch.setattr(locks, "LONGEST", 1e6)
        locks.claim(other, "other")
        locks.claim(piece, "something")
        assert len(locks._held()) == 1
    finally:
        locks.give_back()
        holder.kill()
        holder.wait()


def test_needs_that_only_this_process_knows_stay_here():
    class Local:
        pass

    assert background.pickled(Local()) is None
    assert background.pickled(background.Need("locomote.model.moves", "integrate_rows", ())) is not None
