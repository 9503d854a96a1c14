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
        swept.rosenbrock, {"a": (-2, 2), "b": (-1, 3)}, goal="height", least=True, by=method, evaluations=evaluations,
        progress=False,
    )  # fmt: skip
    assert abs(found.values["a"] - 1) < 1e-5 and abs(found.values["b"] - 1) < 1e-5 and found.value < 1e-10
    assert found.evaluations <= evaluations and (np.diff(found.best) <= 0).all()
    assert found.table.best("height", least=True)[0]["height"] == found.value


@pytest.mark.parametrize("method", ["cma", "de"])
def test_limits_hold_and_failures_are_avoided(method):
    """The largest sum on a disc is at 45 degrees: sqrt(2)."""
    found = lo.optimize(
        swept.corner, {"a": (-2, 2), "b": (-2, 2)}, goal="sum", limits={"radius": (None, 1.0)}, by=method, evaluations=3000,
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
        ({"by": "newton"}, "expected one of 'cma', 'de', 'l-bfgs-b', 'slsqp'"),
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


STROKE = {"duration": 2 * np.pi, "progress": False}
ANGLES = {"front.amplitude": (0.3, 2.5), "rear.amplitude": (0.3, 2.5)}


def stroke(front, rear):
    """Where one stroke of Purcell's swimmer leads, by an adaptive run, which shares nothing with slopes, m."""
    problem = lo.systems.load("purcell_swimmer").problem()
    there = problem.with_parameters({"front.amplitude": front, "rear.amplitude": rear})
    return there.simulate(2 * np.pi, rtol=1e-10, atol=1e-12, progress=False).net_motion.displacement[0]


def test_along_slopes_to_the_top_and_again_from_the_folder(tmp_path):
    """All steps from the top go down; stopped half way, the same call goes on to the same digits."""
    call = {"goal": "net.x", "by": "l-bfgs-b", "step": 2 * np.pi / 100, **STROKE}
    found = lo.optimize("purcell_swimmer", ANGLES, **call)
    front, rear = found.values.values()
    top = stroke(front, rear)
    assert found.evaluations < 30 and abs(found.value - top) < 1e-6 and 0.4 < front < 2.4
    for a, b in ((0.05, 0), (-0.05, 0), (0, 0.05), (0, -0.05), (0.05, 0.05), (-0.05, 0.05)):
        assert stroke(front + a, rear + b) < top
    begun = lo.optimize("purcell_swimmer", ANGLES, evaluations=4, folder=tmp_path / "s", **call)
    again = lo.optimize("purcell_swimmer", ANGLES, folder=tmp_path / "s", **call)
    assert begun.evaluations == 4 and again.values == found.values and again.value == found.value
    assert len([*(tmp_path / "s" / "parts").iterdir()]) == found.evaluations
    with pytest.raises(ValueError, match="holds another sweep"):
        lo.optimize("purcell_swimmer", ANGLES, folder=tmp_path / "s", **call | {"goal": lo.at_end("net.x") * 2.0})


def test_slopes_of_limits():
    """On a limit, the slopes of the goal and of the limit point the same way: no step along it is better."""
    work = lo.integral(lambda t, q, v: v[3] * v[3] + v[4] * v[4])
    call = {"goal": lo.at_end("net.x"), "step": 2 * np.pi / 100, **STROKE}
    found = lo.optimize("purcell_swimmer", ANGLES, by="slsqp", limits={work: (None, 4.0)}, **call)
    row, names = found.measures, list(ANGLES)
    goal, limit = (np.array([row[f"{name} by {parameter}"] for parameter in names]) for name in list(row)[:: len(names) + 1])
    assert found.feasible and 3.999 < row["integral of <lambda>"] <= 4.0 and goal @ limit > 0
    assert abs(goal[0] * limit[1] - goal[1] * limit[0]) < 1e-3 * np.linalg.norm(goal) * np.linalg.norm(limit)
    assert abs(np.pi * sum(x**2 for x in found.values.values()) - 4.0) < 1e-3  # of sines over a period


@pytest.mark.parametrize(
    ("make", "ranges", "change", "words"),
    [
        ("snakeboard", {"amplitude": (0.1, 0.9)}, {}, "slopes are known by numbers of its problem"),
        (swept.rosenbrock, {"a": (0, 1)}, {}, "for functions take by='cma'"),
        ("snakeboard", {"rotor.phas": (0.1, 0.9)}, {}, "rotor.phase"),
        ("snakeboard", {"rotor.phase": (0.1, 0.9)}, {"goal": "net.distance"}, "channel"),
        ("snakeboard", {"rotor.phase": (0.1, 0.9)}, {"goal": len}, "expected a channel"),
        ("snakeboard", {"rotor.phase": (0.1, 0.9)}, {"limits": {"net.y": (0, 1)}}, "take 'slsqp'"),
        ("quadruped", {"trunk.placement": (0.1, 0.9)}, {}, "trunk.placement"),
    ],
)
def test_wrong_calls_of_slopes(make, ranges, change, words):
    with pytest.raises((lo.LocomoteError, ValueError, TypeError)) as error:
        lo.optimize(make, ranges, **{"goal": "net.x", "by": "l-bfgs-b", "duration": 1.0, "progress": False} | change)
    assert words in str(error.value)


def test_a_study_for_the_dashboard(tmp_path):
    """Every point once, however often it is asked for; failed ones and limits as Optuna knows them."""
    optuna = pytest.importorskip("optuna", reason="Optuna is not installed")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    place = f"sqlite:///{tmp_path / 'best.db'}"
    call = {"goal": "sum", "limits": {"radius": (None, 1.0)}, "start": {"a": -0.3}, "progress": False, "storage": place}
    for evaluations in (30, 60):
        found = lo.optimize(swept.corner, {"a": (-2, 2), "b": (-2, 2)}, evaluations=evaluations, folder=tmp_path / "s", **call)
    trials = optuna.load_study(study_name="corner", storage=place).trials
    assert len(trials) == len(found.table) and sum(t.state.name == "FAIL" for t in trials) == int(found.table.failed.sum())
    feasible = [t.value for t in trials if t.value is not None and t.system_attrs["constraints"][0] <= 0.0]
    assert max(feasible) == found.value
    with pytest.raises(ValueError, match="looks for the opposite"):
        lo.optimize(swept.corner, {"a": (-2, 2), "b": (-2, 2)}, goal="sum", least=True, storage=place, evaluations=10)
