"""Compiled kernels on disk: found again, thrown away when any of their sources changes, and never a reason to fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import locomote

PACKAGE = Path(locomote.__file__).resolve().parent
PROGRAM = """
import numpy as np
import locomote as lo
model = lo.Builder("pendulum").body("rod", joint=lo.Joint("pivot", axis="y"), inertia=lo.Inertia.rod(2.0, 1.0)).build()
print(repr(float(lo.kinetic_energy(model, np.zeros(1), np.ones(1)))))
from locomote.kernels import single
stats = single.kinetic_energy_one.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def run(folder, cache, **environment):
    """Energy, cache hits and cache misses of the program, with the package in `folder`."""
    place = {"PYTHONPATH": str(folder), "LOCOMOTE_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=os.environ | place | environment)
    assert done.returncode == 0, done.stderr
    energy, counts = done.stdout.splitlines()
    return float(energy), *(int(n) for n in counts.split())


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package that a test may edit."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, folder / "locomote", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_kernels_are_kept_and_thrown_away_when_a_helper_changes(copied, tmp_path):
    energy, hits, misses = run(copied, tmp_path)
    assert energy == pytest.approx(1 / 3, rel=1e-12)
    assert (hits, misses) == (0, 1)
    assert run(copied, tmp_path) == (energy, 1, 0)
    helper = copied / "locomote" / "kernels" / "bodies.py"
    text = helper.read_text()
    changed = text.replace(
        "symmetric_times(moment_of_inertia(second_moment(constants, i)), w)",
        "symmetric_times(moment_of_inertia(second_moment(constants, i)), add(w, w))",
    )
    assert changed != text
    helper.write_text(changed)
    twice, hits, misses = run(copied, tmp_path)
    assert (hits, misses) == (0, 1), "an old kernel was used after a helper had changed"
    assert twice == pytest.approx(2 / 3, rel=1e-12)
    helper.write_text(text)
    assert run(copied, tmp_path) == (energy, 1, 0)


@pytest.mark.parametrize("folder", ["engine", "spatial", "model", "kernels"])
def test_the_stamp_covers_all_sources_of_kernels(copied, folder):
    program = "from locomote.engine.cache import source_stamp; print(source_stamp('kernels'))"

    def stamp():
        place = {"PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | place, check=True
        ).stdout

    before, new = stamp(), copied / "locomote" / folder / "one_more_helper.py"
    assert stamp() == before
    new.write_text("x = 1\n")
    added = stamp()
    new.write_text("x = 2\n")
    edited = stamp()
    new.unlink()
    assert len({before, added, edited}) == 3 and stamp() == before


def test_an_unwritable_folder_only_costs_time(copied, tmp_path):
    """Here the place of the folder is taken by a file, which no permission of the user can change."""
    (tmp_path / "taken").write_text("")
    energy, hits, _ = run(copied, tmp_path / "taken" / "cache")
    assert energy == pytest.approx(1 / 3, rel=1e-12) and hits == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_permission_only_costs_time(copied, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    energy, hits, _ = run(copied, locked)
    assert energy == pytest.approx(1 / 3, rel=1e-12) and hits == 0


def test_a_damaged_cache_only_costs_time(copied, tmp_path):
    run(copied, tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.suffix in (".nbc", ".nbi")]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[: len(path.read_bytes()) // 2])
    energy, _, _ = run(copied, tmp_path)
    assert energy == pytest.approx(1 / 3, rel=1e-12)
