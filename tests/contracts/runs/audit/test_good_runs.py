"""No false alarm: random good runs of every kind, and every system of the catalogue, saved and opened."""

import pytest
import random_good_runs
from test_true_audits import same_lines

import locomote as lo
from locomote.systems.catalogue import names

MAKERS = len(random_good_runs.MAKERS)


@pytest.mark.parametrize("seed", [*range(3 * MAKERS), 150, 215, 228, 236, 267, 293])
def test_random_good_runs_pass(seed, tmp_path):
    assert random_good_runs.faults(seed, tmp_path) == []


@pytest.mark.parametrize("name", names())
def test_saved_and_opened_the_audit_says_the_same(name, tmp_path):
    system = lo.systems.load(name)
    duration = min(system.duration, 0.5)
    run = system.problem().simulate(duration, every=duration / 40, progress=False)
    assert run.audit.ok, run.audit
    run.save(tmp_path / "run.h5")
    same_lines(run, lo.open_run(tmp_path / "run.h5"))
