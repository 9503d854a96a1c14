"""Pictures of runs: every panel that has something to show, labelled with units, and no global of matplotlib touched."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import synthetic_runs

import locomote as lo
from locomote.runs.files.files import RunFileError
from locomote.runs.optional import MissingPackage
from locomote.runs.plots import scale_of
from locomote.runs.thinning import POINTS, thinned
from locomote.runs.trajectory import Trajectory

pytest.importorskip("matplotlib")


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")]


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def panel(figure, title):
    return next(axes for axes in figure.axes if axes.get_title(loc="left") == title)


@pytest.mark.parametrize("name", synthetic_runs.RUNS)
def test_every_run_can_be_drawn(name, tmp_path):
    path = tmp_path / "run.png"
    figure = synthetic_runs.RUNS[name]().plot(path=path)
    assert path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 20_000
    assert list(tmp_path.iterdir()) == [path]
    for axes in figure.axes:
        assert axes.get_xlabel() or axes.get_ylabel(), "a scale without a unit"


@pytest.mark.parametrize("suffix", ["svg", "pdf"])
def test_other_formats(suffix, tmp_path):
    synthetic_runs.still().plot(path=tmp_path / f"run.{suffix}")
    assert (tmp_path / f"run.{suffix}").stat().st_size > 5000


def test_panels_of_a_run_on_the_ground():
    figure = synthetic_runs.board().plot()
    expected = [
        "net path from above",
        "shape",
        "joint forces",
        "reactions of the constraints",
        "energy and work",
        "audit passed",
    ]
    assert titles(figure) == expected
    assert labels(panel(figure, "shape")) == ["rotor.angle", "steer.angle", "slider.shift"]
    assert panel(figure, "net path from above").get_xlabel() == "x, m"
    assert "work of drives" in labels(panel(figure, "energy and work"))
    assert "2 events" in figure.get_suptitle()
    assert figure.axes[1].get_ylabel() == "rad"


def test_a_fall_is_drawn_over_time_and_many_joints_as_rows_of_color():
    figure = synthetic_runs.falling().plot()
    assert titles(figure) == ["net motion", "shape", "energy and work", "audit passed"]
    assert labels(panel(figure, "net motion")) == ["x", "y", "z", "yaw", "pitch", "roll"]
    shape = panel(figure, "shape")
    assert len(shape.collections) == 1 and not shape.lines
    assert [tick.get_text() for tick in shape.get_yticklabels()][0] == "front_left_hip.angle 1"


def test_a_base_that_rests_says_so():
    run = synthetic_runs.board()
    figure = replace(run, q=np.tile(run.q[0], (len(run), 1))).plot()
    assert panel(figure, "net motion").texts[0].get_text() == "the base did not move"


def test_chosen_channels_share_a_panel_by_unit(tmp_path):
    figure = synthetic_runs.board().plot(["rotor.angle", "rotor.torque", "steer.angle"], path=tmp_path / "some.png")
    assert [axes.get_ylabel() for axes in figure.axes] == ["rad", "N m"]
    assert labels(figure.axes[0]) == ["rotor.angle", "steer.angle"]
    assert labels(synthetic_runs.board().plot("net.yaw").axes[0]) == ["net.yaw"]


def test_too_many_lines_of_two_units_leave_a_note():
    run = synthetic_runs.board()
    rows = [(f"wheel {k}", row, unit) for k in range(6) for row, unit in (("force", "N"), ("moment", "N m"))]
    reactions = np.sin(run.t[:, None] * np.arange(1, 13)) * np.arange(1, 13)
    many = replace(run, reactions=reactions, constraint_labels=rows, problem=None)
    shown = labels(panel(many.plot(), "reactions of the constraints"))
    assert len(shown) == 9 and shown[-1] == "and 4 more that vary less"
    assert "wheel 0.force" not in shown


def test_wrong_requests_are_refused_in_words(tmp_path):
    run = synthetic_runs.board()
    with pytest.raises(lo.UnknownName, match="no channel named 'rotor.angel'.*did you mean 'rotor.angle'"):
        run.plot("rotor.angel")
    with pytest.raises(ValueError, match="looks like a file: say plot\\(path='run.png'\\)"):
        run.plot("run.png")
    with pytest.raises(ValueError, match="at least one channel"):
        run.plot([])
    with pytest.raises(RunFileError, match="its folder does not exist"):
        run.plot(path=tmp_path / "nowhere" / "run.png")
    empty = Trajectory(model=run.model, **{name: getattr(run, name)[:0] for name in "t q v a tau kinetic potential".split()})
    with pytest.raises(ValueError, match="no samples to plot"):
        empty.plot()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackage, match=r"plotting needs the package matplotlib: pip install 'locomote\[view\]'"):
        synthetic_runs.still().plot()


def test_long_lines_keep_their_spikes():
    t = np.linspace(0.0, 1.0, 100_000)
    y = np.sin(5 * t)
    y[51_234], y[70_001] = 9.0, -9.0
    x, shown = thinned(t, y)
    assert len(x) <= POINTS + 2 and shown.max() == 9.0 and shown.min() == -9.0
    assert x[0] == t[0] and x[-1] == t[-1] and (np.diff(x) > 0).all()


def test_samples_that_are_not_finite_can_be_drawn(tmp_path):
    run = synthetic_runs.board()
    q, v, tau = (np.array(x) for x in (run.q, run.v, run.tau))
    q[-3:], v[-3:], tau[-3:] = np.nan, np.nan, np.inf
    broken = replace(run, q=q, v=v, tau=tau)
    assert titles(broken.plot(path=tmp_path / "broken.png"))[-1] == "audit FAILED"


def test_no_global_of_matplotlib_is_touched(tmp_path):
    """No pyplot, no window, no changed setting."""
    program = f"""
import sys
sys.path.insert(0, {str(synthetic_runs.__file__.rsplit("/", 1)[0])!r})
import matplotlib, synthetic_runs
settings = lambda: [(name, matplotlib.rcParams[name]) for name in matplotlib.rcParams if name != "backend"]
before = settings()
synthetic_runs.still().plot(path={str(tmp_path / "run.png")!r})
print("matplotlib.pyplot" in sys.modules, settings() == before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False True\n", done.stderr


def changed(run, name, values):
    """The same run with another column of q."""
    q = run.q.copy()
    q[:, run.model.joint(name).q] = values[:, None]
    return replace(run, q=q)


def test_angles_that_go_round_have_a_panel_of_their_own():
    run = synthetic_runs.board()
    figure = changed(run, "rotor", np.linspace(0.0, 200.0, len(run))).plot()
    assert "angles that go round" in titles(figure)
    assert labels(panel(figure, "angles that go round")) == ["rotor.angle"]
    assert "rotor.angle" not in labels(panel(figure, "shape"))


def test_peaks_do_not_hide_the_rest():
    low, high, peaks = scale_of([np.r_[np.sin(np.linspace(0, 9, 500)), 400.0], np.zeros(501)])
    assert (low, high) == pytest.approx((-1, 1), abs=0.01) and peaks == "400"
    assert scale_of([np.sin(np.linspace(0, 9, 500)), np.full(500, 3.0)])[1:] == (3.0, "")
    assert scale_of([np.full(5, np.nan)]) == (0.0, 0.0, "") and scale_of([np.zeros(5)])[2] == ""
    run = synthetic_runs.board()
    torque = run.tau.copy()
    torque[3] *= 1e4
    figure = replace(run, tau=torque).plot()
    assert any("peaks: " in label for label in labels(panel(figure, "joint forces")))


def test_a_base_that_stands_on_end_has_no_heading():
    """Its own x axis points up: whatever is level of it is rounding."""
    system = lo.systems.load("walker_cases")
    q, v = system.initial
    upright, board = (run.plot() for run in (system.problem().simulate(0.1, q=q, v=v), synthetic_runs.board()))
    assert labels(panel(upright, "net path from above")) == ["start", "end"]
    assert labels(panel(board, "net path from above")) == ["start", "end", "heading"]
