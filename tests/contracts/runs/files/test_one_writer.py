"""Two processes, or two parts of one, that write a run to the same file: the second is told, and the first loses nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest
import resume_trials

import locomote as lo
from locomote.runs.files.files import RunFileError
from locomote.runs.files.runfile import RunWriter

SAID = "a run is being written to this file; wait until that has ended, or name another file"
PROGRAM = """
import sys, resume_trials, locomote as lo
try:
    if sys.argv[2] == "run":
        resume_trials.whip().simulate(0.1, checkpoint=sys.argv[1], progress=False)
    elif sys.argv[2] == "resume":
        lo.resume(sys.argv[1], events=[resume_trials.crossing], progress=False)
    else:
        resume_trials.whip().simulate(0.1, progress=False).save(sys.argv[1])
except lo.FileError as fault:
    print(fault)
"""
needs_locks = pytest.mark.skipif(os.name == "nt", reason="this system does not know such locks")


def elsewhere(path, what):
    """What another process says that runs, resumes or saves to a file."""
    folder = os.path.dirname(resume_trials.__file__)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), what], capture_output=True, text=True, cwd=folder, check=True
    )
    return done.stdout


@needs_locks
def test_another_process_is_told(tmp_path):
    """While a run goes on; afterwards the file is free."""
    path, said = tmp_path / "run.h5", {}
    problem = resume_trials.whip()

    def asked(t, q, v):
        if t > 0.05 and not said:
            said.update({what: elsewhere(path, what) for what in ("run", "resume", "save")})
        return 1.0

    run = problem.simulate(0.1, checkpoint=path, checkpoint_interval=0.0, events=[asked], progress=False)
    assert all(SAID in words for words in said.values()), said
    assert np.array_equal(lo.open_run(path).q, run.q) and sorted(os.listdir(tmp_path)) == ["run.h5"]
    assert elsewhere(path, "run") == "" and len(lo.open_run(path)) > 0


@needs_locks
def test_the_same_process_is_told(tmp_path):
    path = tmp_path / "run.h5"
    writer = RunWriter(path, resume_trials.whip(), info={"method": "adaptive"})
    for write in (
        lambda: RunWriter(path, resume_trials.whip()),
        lambda: resume_trials.whip().simulate(0.1, progress=False).save(path),
    ):
        with pytest.raises(RunFileError, match=SAID):
            write()
    writer.__exit__()
    RunWriter(path, resume_trials.whip()).close()
    assert len(lo.open_run(path)) == 0


def test_a_file_that_was_replaced_is_noticed(tmp_path):
    """By hand, or where the system knows no locks: what is there is left alone, and the run is not lost."""
    path, other = tmp_path / "run.h5", resume_trials.whip().simulate(0.1, progress=False)

    def replaced(t, q, v):
        if t > 0.05 and not (tmp_path / "other.h5").exists():
            other.save(tmp_path / "other.h5")
            os.replace(tmp_path / "other.h5", path)
            (tmp_path / "other.h5").touch()
        return 1.0

    with pytest.raises(lo.RunFailed, match="another file has taken its place since the run began") as failed:
        resume_trials.whip().simulate(0.2, checkpoint=path, checkpoint_interval=0.0, events=[replaced], progress=False)
    assert len(failed.value.run) > 1 and np.array_equal(lo.open_run(path).q, other.q)


def test_a_run_that_failed_lets_go_of_its_file(tmp_path):
    path = tmp_path / "run.h5"

    def broken(t, q, v):
        raise OSError("gone")

    with pytest.raises(lo.RunFailed):
        resume_trials.whip().simulate(0.1, checkpoint=path, events=[broken], progress=False)
    again = resume_trials.whip().simulate(0.1, checkpoint=path, progress=False)
    assert np.array_equal(lo.open_run(path).q, again.q)
