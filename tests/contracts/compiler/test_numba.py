"""What is used of Numba beyond its documentation: in one file, with versions that were tried, and as it is believed to work."""

import gc
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from numba import config, float64

import locomote
from locomote.compiler import numba_private
from locomote.compiler.fingerprint import kernel_stamp
from locomote.compiler.numba_private import collector_at_rest, dispatcher, overload, part
from locomote.compiler.source import helper, kernel, routine
from locomote.dynamics import momentum

PACKAGE = Path(locomote.__file__).resolve().parent
INSIDE = re.compile(r"^\s*(?:from|import) numba\.(?!extending\b)", re.MULTILINE)
VECTOR = float64[::1]


def minor(text):
    return tuple(int(n) for n in text.split(".")[:2])


def test_one_file_looks_inside_numba():
    found = [path.name for path in PACKAGE.rglob("*.py") if INSIDE.search(path.read_text())]
    assert found == ["numba_private.py"]


def test_the_numba_here_was_tried_and_others_are_not_installed():
    assert ".".join(version("numba").split(".")[:2]) in numba_private.TRIED
    project = tomllib.loads((PACKAGE.parent.parent / "pyproject.toml").read_text())["project"]
    (bounds,) = [x for x in project["dependencies"] if x.startswith("numba")]
    oldest, beyond = re.fullmatch(r"numba>=([\d.]+),<([\d.]+)", bounds).groups()
    tried = [minor(x) for x in numba_private.TRIED]
    assert minor(oldest) == min(tried) and minor(beyond) == (0, max(tried)[1] + 1)


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_a_part_is_compiled_once_whoever_calls_it():
    asked = []

    def square(x):
        return x * x

    @overload(square, inlined=True)
    def _square(x):
        asked.append(x)
        return lambda x: x * x

    @routine
    def through_a_routine(x):
        return square(x)

    @helper
    def through_a_helper(x):
        return square(x)

    @dispatcher
    def first(x):
        x[0] = square(x[0]) + through_a_routine(x[0]) + through_a_helper(x[0])
        return 0

    @dispatcher
    def second(x):
        x[0] = through_a_helper(square(x[0]))
        return 0

    x = np.array([3.0])
    first(x)
    second(x)
    assert x[0] == 27.0**4 and asked == [float64]


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_a_part_that_gives_arrays_back_must_say_so():
    def itself(x):
        return x

    part(itself)

    @dispatcher
    def entry(x):
        itself(x)[0] = 1.0
        return 0

    with pytest.raises(Exception, match="not declared to allocate"):
        entry.compile((VECTOR,))


def test_the_collector_is_as_it_was_after_compiling():
    assert gc.isenabled()
    with collector_at_rest():
        assert not gc.isenabled()
        with collector_at_rest():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_at_rest():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
    with pytest.raises(ZeroDivisionError), collector_at_rest():
        1 / 0
    assert gc.isenabled()


OUTSIDE = """
import numpy as np
import locomote as lo
from locomote.dynamics import momentum
model = lo.systems.load("quadruped").model
topology, constants = model._tree
try:
    momentum.kinetic_energy_one(topology, constants[:1].copy(), np.zeros(model.nq), np.zeros(model.nv), np.zeros(1))
    print("went through")
except IndexError as error:
    print("IndexError", error)
print(sum(momentum.kinetic_energy_one.stats.cache_hits.values()))
"""


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_parts_check_bounds_where_kernels_are_asked_to(tmp_path):
    """Compiled and loaded alike."""
    place = {"PYTHONPATH": str(PACKAGE.parent), "LOCOMOTE_CACHE_DIR": str(tmp_path), "NUMBA_BOUNDSCHECK": "1"}
    for hits in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", OUTSIDE], capture_output=True, text=True, env=os.environ | place)
        assert done.stdout.splitlines() == ["IndexError index is out of bounds", hits], done.stderr
    assert len(list(tmp_path.iterdir())) == 1


@kernel
def doubled(x):
    x[0] *= 2.0
    return 0


@kernel
def by_global_name(x):
    return doubled(x)


@kernel
def by_module(x):
    return momentum.kinetic_energy_one(x, x, x, x, x)


@routine
def goes_on(x):
    return doubled(x)


@kernel
def by_a_routine(x):
    return goes_on(x)


@kernel
def attribute_of_that_name(x):
    return x.doubled


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_a_kernel_that_calls_a_kernel_by_name_is_refused():
    """It would compile, and write into memory of others."""

    @kernel
    def by_closure(x):
        return inner(x)

    inner = doubled
    x, instead = (
        np.ones(1),
        "by name, and a kernel can only be called from Python: call the routine that .* runs, or hand over its",
    )
    said = {
        by_global_name: f"^kernel 'by_global_name' calls kernel 'doubled' {instead}",
        by_module: f"^kernel 'by_module' calls kernel 'momentum.kinetic_energy_one' {instead}",
        by_a_routine: rf"^kernel 'by_a_routine' reaches \S*goes_on, which calls kernel 'doubled' {instead}",
        by_closure: f"^kernel 'by_closure' calls kernel 'inner' {instead}",
    }
    for caller, sentence in said.items():
        with pytest.raises(TypeError, match=sentence):
            caller(x)
    assert x[0] == 1.0
    assert kernel_stamp(attribute_of_that_name.py_func)
    doubled(x)
    assert x[0] == 2.0
