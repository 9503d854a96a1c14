"""Optima that are known by other means; the same digits after a kill."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import swept
from places import ROOT

import locomote as lo


@pytest.mark.parametrize(("method", "evaluations"), [("cma", 1500), ("de", 4000)])
def test_a_curved_valley(method, evaluations):
    found = lo.optimize(
        swept.rosenbrock, {"a": (-2, 2), "b": (-1, 3)}, goal="height", least=True, method=method, evaluations=evaluations,
        progress=False,
    )  # fmt: skip
    assert abs(found.values["a"] - 1) < 1e-5 and abs(found.values["b"] - 1) < 1e-5 and found.value < 1e-10
    assert found.evaluations <= evaluations and (np.diff(found.best) <= 0).all()
    assert found.table.best("height", least=True)[0]["height"] == found.value


@pytest.mark.parametrize("method", ["cma", "de"])
def test_limits_hold_and_failures_are_avoided(method):
    """The largest sum on a disc is at 45 degrees: sqrt(2)."""
    found = lo.optimize(
        swept.corner, {"a": (-2, 2), "b": (-2, 2)}, goal="sum", limits={"radius": (None, 1.0)}, method=method, evaluations=3000,
        start={"a": -0.3}, progress=False,
    )  # fmt: skip
    assert found.feasible and found.measures["radius"] <= 1.0
    assert abs(found.value - np.sqrt(2)) < 1e-4
    assert found.table.failed.any() or method == "cma"


def test_several_starts_say_that_there_are_several_hills():
    found = lo.optimize(swept.hills, {"x": (0, 1)}, goal="height", starts=8, evaluations=2400, start={"x": 0.2}, progress=False)
    assert abs(found.value - 2) < 1e-6 and abs(found.values["x"] - 0.9) < 1e-4
    assert any(abs(end - 1) < 1e-3 for end in found.starts) and found.starts[0] == found.value


def test_a_snakeboard_as_by_hand():
    """One parameter: the best of a fine grid is next to it."""
    found = lo.optimize(
        "snakeboard", {"rotor.phase": (-1.5, 1.5)}, goal="net.distance", duration=3.0, evaluations=60, tolerance=1e-4,
        progress=False,
    )  # fmt: skip
    grid = lo.sweep("snakeboard", {"rotor.phase": lo.span(-1.5, 1.5, 31)}, measure="net.distance", duration=3.0, audit=False)
    best = grid.best("net.distance")[0]
    assert abs(found.values["rotor.phase"] - best["rotor.phase"]) <= 0.1 and found.value >= best["net.distance"]


PROGRAM = """
import sys, time
sys.path.insert(0, {helpers!r})
import swept
import locomote as lo
if __name__ == "__main__":
    found = lo.optimize(swept.rosenbrock, {{"a": (-2, 2), "b": (-1, 3)}}, goal="height", least=True, evaluations=400,
                        folder={folder!r}, progress=False, processes={processes})
    print(repr(sorted(found.values.items())), repr(found.value), found.evaluations)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed_it_goes_on_to_the_same_digits(tmp_path):
    def program(name, processes):
        path = tmp_path / f"{name}.py"
        helpers = str(ROOT / "tests" / "helpers")
        path.write_text(PROGRAM.format(folder=str(tmp_path / name), processes=processes, helpers=helpers))
        return [sys.executable, path]

    whole = subprocess.run(program("whole", 1), capture_output=True, text=True, check=True).stdout
    for parts in (10, 40):
        process = subprocess.Popen(program("killed", 1), start_new_session=True, stdout=subprocess.DEVNULL)
        while process.poll() is None and len([*(tmp_path / "killed" / "parts").glob("*.parquet")]) < parts:
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = len([*(tmp_path / "killed" / "parts").glob("*.parquet")])
    again = subprocess.run(program("killed", 2), capture_output=True, text=True, check=True).stdout
    assert again == whole and before >= 40


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ranges": {"a": (1, 1), "b": (0, 1)}}, "nothing to choose"),
        ({"ranges": {}}, "expected a mapping"),
        ({"goal": "heigt"}, "did you mean 'height'"),
        ({"goal": 3}, "expected the name of a measure"),
        ({"method": "newton"}, "expected one of 'cma', 'de'"),
        ({"start": {"a": 5.0}}, "outside its range"),
        ({"start": {"c": 5.0}}, "has no range"),
        ({"limits": {"height": 3}}, "expected (lowest, highest)"),
        ({"evaluations": 0}, "expected an integer from 1"),
    ],
)
def test_wrong_calls(change, words):
    call = {"ranges": {"a": (-2, 2), "b": (-1, 3)}, "goal": "height", "evaluations": 20, "progress": False} | change
    with pytest.raises((lo.LocomoteError, ValueError)) as error:
        lo.optimize(swept.rosenbrock, call.pop("ranges"), **call)
    assert words in str(error.value)
