"""Compiled kernels on disk: found again, thrown away when any of their sources changes, and never a reason to fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import locomote
from locomote.compiler import disk

PACKAGE = Path(locomote.__file__).resolve().parent
PROGRAM = """
import numpy as np
import locomote as lo
model = lo.Builder("pendulum").body("rod", joint=lo.Joint("pivot", axis="y"), inertia=lo.Inertia.rod(2.0, 1.0)).build()
print(repr(float(lo.kinetic_energy(model, np.zeros(1), np.ones(1)))))
from locomote.dynamics import momentum
stats = momentum.kinetic_energy_one.stats
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


STAMP = """
from locomote.compiler.fingerprint import kernel_stamp, source_stamp
from locomote.dynamics import forces, momentum
from locomote.methods.advance import advance
for kernel in (momentum.kinetic_energy_one, forces.inverse_dynamics_batch, advance):
    print(kernel_stamp(kernel.py_func))
print(source_stamp("spatial"))
"""


def stamps(folder):
    place = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = os.environ | place
    return subprocess.run(
        [sys.executable, "-c", STAMP], capture_output=True, text=True, env=environment, check=True
    ).stdout.split()


CHANGES = [  # file, a text, what it becomes, whether each of the three kernels and the folder `spatial` is another one then
    ("kernels/bodies.py", "    return ", "    # nothing\n    return ", (0, 0, 0, 0)),
    ("kernels/bodies.py", '"""', '"""Other words. ', (0, 0, 0, 0)),
    ("spatial/algebra.py", "s * a[0], s", "a[0] * s, s", (1, 1, 1, 1)),
    ("compiler/scalars.py", "import", "import math\nimport", (1, 1, 1, 0)),
    ("compiler/trigonometry.py", '"""', '"""Other words. ', (0, 0, 0, 0)),
    ("methods/advance.py", "SAFETY, SHRINK, GROW = 0.9", "SAFETY, SHRINK, GROW = 0.8", (0, 0, 1, 0)),
    ("methods/events/crossings.py", "0.5 * (", "0.4 * (", (0, 0, 1, 0)),
    ("kernels/inverse_dynamics.py", "def inverse_dynamics(", "def inverse_dynamics(\n    ", (0, 0, 0, 0)),
    ("kernels/inverse_dynamics.py", "ROWS, WORK,", "ROWS, WORK + 1,", (0, 1, 0, 0)),  # the shape of scratch
    ("kernels/inverse_dynamics.py", "motion, filled outward", "Motion, filled outward", (0, 0, 0, 0)),
    ("runs/plots.py", "import", "import math\nimport", (0, 0, 0, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "expected"), CHANGES)
def test_a_kernel_is_known_by_the_code_that_it_reaches(copied, file, old, new, expected):
    before, path = stamps(copied), copied / "locomote" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    after = stamps(copied)
    path.write_text(text)
    assert tuple(int(a != b) for a, b in zip(before, after, strict=True)) == expected
    assert stamps(copied) == before


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
    """Cut, or with any of its bytes changed, a kernel is never run."""
    run(copied, tmp_path)
    (path,) = tmp_path.rglob("*.kernel")
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    assert disk.load(path) is not None
    for _ in range(1000):
        damaged = bytearray(whole)
        for place in rng.integers(len(whole), size=rng.integers(1, 4)):
            damaged[place] ^= rng.integers(1, 256)
        cut = int(rng.integers(len(whole))) if rng.random() < 0.2 else len(whole)
        path.write_bytes(bytes(damaged[:cut]))
        assert disk.load(path) is None
    energy, hits, misses = run(copied, tmp_path)
    assert energy == pytest.approx(1 / 3, rel=1e-12) and (hits, misses) == (0, 1)
    assert run(copied, tmp_path) == (energy, 1, 0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no users here")
@pytest.mark.parametrize("whose", ["a folder that others can write to", "a file that others can write to", "somebody else's"])
def test_what_somebody_else_can_write_is_not_run(copied, tmp_path, whose, monkeypatch):
    run(copied, tmp_path)
    (path,) = tmp_path.rglob("*.kernel")
    if whose == "somebody else's":
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert disk.load(path) is None and not disk.save(path, {}, b"")
        return
    os.chmod(path if "file" in whose else path.parent, 0o777)
    assert disk.load(path) is None
    energy, hits, _ = run(copied, tmp_path)
    assert energy == pytest.approx(1 / 3, rel=1e-12) and hits == 0
