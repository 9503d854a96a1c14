"""Kernels that come with the package: made for levels of processors, used where they fit, and never a reason to fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

import locomote
from locomote.compiler import cache, wheel_kernels
from locomote.compiler.processor import LEVELS, architecture, fitting, host_features

PACKAGE = Path(locomote.__file__).resolve().parent
pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
HERE = fitting(LEVELS.get(architecture(), ()), host_features())

PROGRAM = """
import numpy as np
import locomote as lo
from locomote.dynamics import momentum
model = lo.Builder("pendulum").body("rod", joint=lo.Joint("pivot", axis="y"), inertia=lo.Inertia.rod(2.0, 1.0)).build()
energy = float(lo.potential_energy(model, np.array([0.3])))
stats = momentum.potential_energy_one.stats
print(repr(energy), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
COMPILED = """
from locomote import needed
from locomote.dynamics import momentum
needed.need(*momentum.POTENTIAL.one.need).make()
"""


def output(package, cache, program=PROGRAM, **environment):
    place = {"PYTHONPATH": str(package), "LOCOMOTE_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_CPU", "LOCOMOTE_"))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=plain | place | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A copy of the package with one ready kernel of the best level of this processor."""
    if not HERE:
        pytest.skip("there is no level for this processor")
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, folder / "locomote", ignore=shutil.ignore_patterns("__pycache__", "ready"))
    output(folder, folder / "locomote" / "ready" / HERE[0].name, COMPILED, **HERE[0].settings)
    assert len(list((folder / "locomote" / "ready").rglob("*.kernel"))) == 1
    return folder


def test_nothing_is_compiled_that_came_with_the_package(installed, tmp_path):
    energy, hits, misses = output(installed, tmp_path)
    assert (hits, misses) == ("1", "0") and not list(tmp_path.rglob("*.kernel"))
    own = output(installed, tmp_path, LOCOMOTE_READY="0")
    assert own[1:] == ["0", "1"] and float(own[0]) == pytest.approx(float(energy), rel=1e-14)
    # what was made here comes first
    assert output(installed, tmp_path) == [own[0], "1", "0"]


def test_a_chosen_processor_gets_its_own(installed, tmp_path):
    assert output(installed, tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")[1:] == ["0", "1"]


def test_a_damaged_one_is_compiled_anew(installed, tmp_path):
    (path,) = (installed / "locomote" / "ready").rglob("*.kernel")
    whole = path.read_bytes()
    try:
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        assert output(installed, tmp_path)[1:] == ["0", "1"]
    finally:
        path.write_bytes(whole)


def test_other_versions_do_not_see_them(installed, tmp_path):
    program = "import llvmlite, numba; llvmlite.__version__ = '0.0.1'\n" + PROGRAM
    assert output(installed, tmp_path, program)[1:] == ["0", "1"]


@pytest.mark.skipif(architecture() != "x86_64", reason="of x86-64")
def test_levels_are_chosen_by_what_a_processor_has():
    levels = LEVELS["x86_64"]
    all_of = {name: dict.fromkeys(needs, True) for name, _, _, needs in levels}
    assert [x.name for x in fitting(levels, all_of["x86-64-v4"])] == ["x86-64-v4", "x86-64-v3", "x86-64-v2"]
    assert [x.name for x in fitting(levels, all_of["x86-64-v2"])] == ["x86-64-v2"]
    assert fitting(levels, all_of["x86-64-v3"] | {"fma": False})[0].name == "x86-64-v2"
    assert fitting(levels, {}) == []


@pytest.mark.skipif(architecture() != "x86_64", reason="of x86-64")
@pytest.mark.parametrize(("name", "width"), [("x86-64-v4", "8"), ("x86-64-v3", "4"), ("x86-64-v2", "4"), ("generic", "4")])
def test_lanes_are_as_wide_as_those_of_the_level(name, width, tmp_path):
    program = "from locomote.compiler.lanes import WIDTH; print(WIDTH)"
    assert output(PACKAGE.parent, tmp_path, program, NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES="") == [width]


@pytest.mark.skipif(architecture() != "x86_64", reason="of x86-64")
def test_code_for_lanes_of_another_width_is_left_out(monkeypatch, tmp_path):
    """A processor with wide lanes takes code of a lower level only where it has nothing to do with lanes."""
    from locomote import needed
    from locomote.dynamics import forces

    every = ["x86-64-v4", "x86-64-v3", "x86-64-v2"]
    monkeypatch.setattr(cache, "ready_levels", lambda: LEVELS["x86_64"])
    monkeypatch.setattr(cache, "width_here", lambda: 8)
    for (kernel, signature), levels in ((needed.PICTURES[3], every), (forces.INVERSE.batch.need, every[:1])):
        found = kernel._cache.ready_paths(signature, kernel.targetctx.codegen())
        assert [path.parent.parent.name for path in found] == levels


@pytest.mark.skipif(architecture() != "x86_64", reason="of x86-64")
@pytest.mark.parametrize(("came_along", "width"), [((1, 2), 4), ((0, 1), 8), ((), 8)])
def test_lanes_follow_the_kernels_that_came_along(came_along, width, monkeypatch, tmp_path):
    """A wide processor takes batches of a wheel for narrower ones as they are, and compiles its own if there is no wheel."""
    levels = LEVELS["x86_64"]
    monkeypatch.setattr(wheel_kernels, "READY", tmp_path)
    monkeypatch.setattr(wheel_kernels, "levels_here", lambda: levels)
    monkeypatch.setattr(wheel_kernels, "lanes_width", lambda: 8)
    for k in came_along:
        wheel_kernels.folder_of(levels[k]).mkdir(parents=True)
    wheel_kernels.ready_levels.cache_clear()
    try:
        assert wheel_kernels.ready_levels() == tuple(levels[k] for k in came_along)
        assert wheel_kernels.width_here() == width
    finally:
        wheel_kernels.ready_levels.cache_clear()
