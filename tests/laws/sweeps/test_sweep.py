"""A sweep gives what a loop gives, bit for bit, however it is computed, interrupted, killed and asked for again."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import swept
from places import ROOT

import locomote as lo
from locomote.sweeps.axes import axis_of, points_of

AMPLITUDES, ROTORS = [0.2, 0.5, 0.8], [0.3, 0.6]
MEASURES = ["net.distance", "work.drives", "rotor.torque:peak", "net.yaw:change"]


def by_hand():
    """The same numbers by a loop that shares nothing with sweeps."""
    rows = []
    for amplitude, rotor in itertools.product(AMPLITUDES, ROTORS):
        run = lo.systems.load("snakeboard", amplitude=amplitude, rotor_amplitude=rotor).problem().simulate(3.0)
        net = run.net_motion
        rows.append([np.linalg.norm(net.position[-1] - net.position[0]), run.work["drives"][-1]])
        rows[-1] += [np.abs(run.tau[:, run.model.joint("rotor").v]).max(), net.yaw[-1] - net.yaw[0]]
    return np.array(rows)


@pytest.fixture(scope="module")
def expected():
    return by_hand()


def table(**options):
    axes = {"amplitude": AMPLITUDES, "rotor_amplitude": ROTORS}
    return lo.sweep("snakeboard", axes, measure=MEASURES, duration=3.0, progress=False, **options)


@pytest.mark.parametrize("options", [{}, {"processes": 2}], ids=["here", "processes"])
def test_a_sweep_is_a_loop(options, expected, tmp_path):
    found = table(folder=tmp_path / "s", **options)
    assert np.array_equal(np.stack([found[name] for name in MEASURES], axis=1), expected)
    assert list(found["amplitude"]) == [a for a in AMPLITUDES for _ in ROTORS]
    assert set(found["audit"]) == {"good"} and not found.failed.any()
    again = table(folder=tmp_path / "s", audit=True)
    assert again.arrow.equals(found.arrow)  # wall times too: nothing was computed


def test_a_function_and_a_problem_give_the_same(expected):
    problem = lo.systems.load("snakeboard", amplitude=0.5).problem()
    for make in (problem, "snakeboard"):  # numbers of the problem by their paths
        axes = {"rotor.amplitude": ROTORS} if make is problem else {"amplitude": [0.5], "rotor.amplitude": ROTORS}
        found = lo.sweep(make, axes, measure="net.distance", duration=3.0, progress=False)
        assert np.array_equal(found["net.distance"], expected[2:4, 0])
    axes = {"amplitude": AMPLITUDES, "rotor_amplitude": ROTORS}
    found = lo.sweep(swept.board, axes, measure=swept.distances, duration=3.0, progress=False)
    assert np.array_equal(found["far"], expected[:, 0])
    assert (found["long"] >= found["far"] * (1 - 1e-12)).all()


def test_a_larger_grid_computes_only_what_is_new(tmp_path):
    log = str(tmp_path / "log")
    small, large = {"x": [1.0, 2.0], "log": [log]}, {"x": [0.5, 1.0, 1.5, 2.0], "log": [log]}
    lo.sweep(swept.counted, small, folder=tmp_path / "s", progress=False)
    found = lo.sweep(swept.counted, large, folder=tmp_path / "s", progress=False)
    assert list(found["square"]) == [0.25, 1.0, 2.25, 4.0]
    lines = Path(log).read_text().split()
    assert sorted(map(float, lines)) == [0.5, 1.0, 1.5, 2.0]


def test_failed_points_are_rows_and_are_tried_again_on_request(tmp_path):
    axes = {"x": [4.0, -1.0, 9.0]}
    found = lo.sweep(swept.sometimes, axes, folder=tmp_path / "s", progress=False)
    assert list(found.failed) == [False, True, False]
    assert "a root of a negative number" in found["error"][1] and np.isnan(found["root"][1])
    assert lo.sweep(swept.sometimes, axes, folder=tmp_path / "s", progress=False)["wall"][1] == found["wall"][1]
    again = lo.sweep(swept.sometimes, axes, folder=tmp_path / "s", retry=True, progress=False)
    assert again["wall"][1] != found["wall"][1] and again["wall"][0] == found["wall"][0]


def test_seeds_belong_to_points():
    few = lo.sweep(swept.drawn, {"x": [1.0, 3.0]}, seed=5, progress=False)
    more = lo.sweep(swept.drawn, {"x": [1.0, 2.0, 3.0]}, seed=5, processes=2, progress=False)
    assert few["drawn"][1] == more["drawn"][2] and few["seed"][0] == more["seed"][0]
    assert len(set(more["seed"])) == 3
    assert lo.sweep(swept.drawn, {"x": [1.0]}, seed=6, progress=False)["drawn"][0] != few["drawn"][0]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_point_that_kills_its_process_is_given_up():
    found = lo.sweep(swept.deadly, {"x": [1.0, 2.0, 3.0, 4.0]}, processes=2, progress=False)
    assert list(found["x"]) == [1.0, 2.0, 3.0, 4.0]
    assert list(found.failed) == [False, True, False, False] and "SIGKILL" in found["error"][1]


def test_a_point_that_does_not_end_is_given_up():
    found = lo.sweep(swept.endless, {"x": [1.0, 2.0, 3.0]}, limit=1.0, progress=False)
    assert list(found.failed) == [False, True, False] and "limit of 1 s" in found["error"][1]


PROGRAM = """
import sys
sys.path.insert(0, {helpers!r})
import swept
import locomote as lo
if __name__ == "__main__":
    axes = {{"x": lo.span(0.0, 1.0, 120), "log": [{log!r}]}}
    table = lo.sweep(swept.counted, axes, folder={folder!r}, processes={processes}, progress=False)
    table.save({out!r})
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("processes", [1, 2])
def test_killed_at_any_time_it_goes_on(processes, tmp_path):
    """Kills by progress, not by time; every point that a part on the disk holds is computed once."""
    folder, log = tmp_path / "s", tmp_path / "log"
    names = {"folder": str(folder), "log": str(log), "out": str(tmp_path / "t.csv"), "helpers": str(ROOT / "tests" / "helpers")}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(processes=processes, **names))
    kept = []
    for lines in (5, 40, 75):
        process = subprocess.Popen([sys.executable, program], start_new_session=True)
        while process.poll() is None and (len(log.read_text().split()) if log.exists() else 0) < lines:
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kept.append(written(folder))
    assert subprocess.run([sys.executable, program], timeout=120).returncode == 0
    counts = dict.fromkeys(np.linspace(0.0, 1.0, 120).tolist(), 0)
    for line in log.read_text().split():
        counts[float(line)] += 1
    assert min(counts.values()) == 1
    for before in kept:  # what was on the disk was not computed again after that
        for x in before:
            assert counts[x] <= 1 + sum(x not in other for other in kept)
    rows = (tmp_path / "t.csv").read_text().splitlines()
    assert len(rows) == 121


def written(folder):
    """Values of the points in the parts of a folder."""
    from pyarrow import parquet

    return {x for part in (folder / "parts").glob("*.parquet") for x in parquet.read_table(part)["@x"].to_pylist()}


def test_points():
    grid = points_of({"a": lo.span(1, 100, 3, log=True), "b": ["x", "y"], "n": [1, 2]})
    assert (
        len(grid) == 12
        and grid.at(0) == {"a": 1.0, "b": "x", "n": 1}
        and np.allclose(np.unique(grid.columns["a"]), [1, 10, 100])
    )
    assert len(np.unique(grid.keys())) == 12
    cube = lo.sweeps.latin_hypercube({"a": (0, 1), "b": (-2, 2)}, 50, seed=3)
    for name, low, high in (("a", 0, 1), ("b", -2, 2)):  # one point in each of fifty parts
        parts = np.floor((cube.columns[name] - low) / (high - low) * 50).astype(int)
        assert sorted(parts) == list(range(50))
    even = lo.sweeps.sobol({"a": (0, 1), "b": (0, 1)}, 64).columns
    cells = np.floor(even["a"] * 8).astype(int) * 8 + np.floor(even["b"] * 8).astype(int)
    assert len(np.unique(cells)) == 64  # a net: a point in each cell of 8 x 8
    assert np.array_equal(axis_of("0.1:0.9:5").values(), np.linspace(0.1, 0.9, 5)) and list(axis_of("1,2")) == [1, 2]
    assert np.array_equal(
        lo.sweeps.draws({"a": (2, 3)}, 4, seed=1).columns["a"], lo.sweeps.draws({"a": (2, 3)}, 4, seed=1).columns["a"]
    )


def test_tables_of_points(tmp_path):
    (tmp_path / "p.csv").write_text("amplitude,kind\n0.1,a\n0.2,b\n")
    points = lo.sweeps.read_points(tmp_path / "p.csv")
    assert points.at(1) == {"amplitude": 0.2, "kind": "b"}
    found = lo.sweep(swept.sometimes, {"x": [4.0, 9.0]}, progress=False)
    found.save(tmp_path / "t.parquet")
    assert list(lo.sweeps.read_points(tmp_path / "t.parquet").columns["root"]) == [2.0, 3.0]


def test_what_a_table_gives(tmp_path):
    found = lo.sweep(swept.board, {"amplitude": AMPLITUDES, "rotor_amplitude": ROTORS}, measure="net.distance", duration=0.5,
                     keep="all", folder=tmp_path / "s", progress=False)  # fmt: skip
    best = found.best("net.distance", 2)
    assert [row["net.distance"] for row in best] == sorted(found["net.distance"])[::-1][:2]
    data = found.to_xarray()
    assert data["net.distance"].dims == ("amplitude", "rotor_amplitude")
    assert float(data["net.distance"].sel(amplitude=0.5, rotor_amplitude=0.6)) == found["net.distance"][3]
    assert found.to_pandas().shape == (6, 8)
    run = found.run(4)
    assert run.net_motion.distance == found["net.distance"][4]
    for names in ((), ("amplitude", "net.distance"), ("amplitude", "rotor_amplitude", "net.distance")):
        found.plot(*names, path=tmp_path / "p.png")
    assert len(found.compare("net.x", path=tmp_path / "c.png").axes[0].lines) == 6
    assert len(found.compare("net.x", [0, 4]).axes[0].lines) == 2
    assert "6 points" in repr(found) and "<table>" in found._repr_html_()


def test_points_on_lanes_are_runs_of_fixed_steps():
    """Side by side in vector code against one run after the other, by `simulate`; refused points are rows."""
    axes = {"rotor.amplitude": [0.3, 0.5, 0.8], "rotor.mass": [1.0, -1.0, 2.0]}
    names = ("net.distance", "net.x", "net.y:change", "rotor.velocity:start", "base.y")
    found = lo.sweep("snakeboard", axes, measure=names, duration=2.0, method="rk4", step=0.01, audit=False, progress=False)
    problem = lo.systems.load("snakeboard").problem()
    assert list(found.failed) == [False, True, False] * 3 and "negative mass" in found["error"][1]
    for row in np.flatnonzero(~found.failed):
        values = {name: float(found[name][row]) for name in axes}
        run = problem.with_parameters(values).simulate(2.0, method="rk4", step=0.01)
        expected = [run.net_motion.distance, run.net_motion.x[-1], run.net_motion.y[-1] - run.net_motion.y[0]]
        expected += [run["rotor.velocity"][0], run["base.y"][-1]]
        assert np.allclose([found[name][row] for name in names], expected, rtol=0, atol=1e-9)
    axes = {"rotor.amplitude": [0.3, 0.8], "rotor.mass": [1.5, 2.0]}
    part = lo.sweep(problem, axes, measure=names, duration=2.0, method="rk4", step=0.01, audit=False, progress=False)
    assert [part[name][3] for name in names] == [found[name][8] for name in names]  # the same digits in all company


def test_the_best_runs_are_kept_and_others_computed_again(tmp_path):
    def again(keep):
        axes = {"amplitude": [0.2, 0.8, 0.5]}
        return lo.sweep(
            "snakeboard", axes, measure="net.distance", duration=0.5, folder=tmp_path / "s", keep=keep, progress=False
        )

    found = again(1)
    files = [*(tmp_path / "s" / "runs").glob("*.h5")]
    assert len(files) == 1 and lo.open_run(files[0]).net_motion.distance == found["net.distance"][1]
    assert len(again(2).ranked("net.distance")) == 3 and len([*(tmp_path / "s" / "runs").glob("*.h5")]) == 2
    assert found.run(0).net_motion.distance == found["net.distance"][0]
    runs = found.runs([0, 2])
    assert list(runs) == ["amplitude 0.2", "amplitude 0.5"]
    lo.compare(runs, "net.x", path=tmp_path / "c.png")
