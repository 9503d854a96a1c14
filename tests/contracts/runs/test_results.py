"""What is made of runs: peaks, runs that go on, several in one picture, notebooks, and the words for all that."""

import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
import synthetic_runs

import locomote as lo
from locomote.runs.plots import COLORS
from locomote.runs.thinning import POINTS, extremes, misses, parts_of, thinned
from locomote.runs.trajectory import Trajectory


@cache
def snakeboard():
    return lo.systems.load("snakeboard").problem()


def circling(samples, turns=50.0):
    """A sledge that goes round a circle of 1 m: its path is 2 pi a turn."""
    model = lo.Builder("sledge", base="planar").body("sledge", inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.1))).build()
    t = np.linspace(0.0, 1.0, samples)
    w, one = 2 * np.pi * turns, np.ones(samples)
    q = np.stack([np.sin(w * t), 1 - np.cos(w * t), w * t], axis=1)
    v = np.stack([w * one, 0 * one, w * one], axis=1)
    energy = {"kinetic": lo.kinetic_energy(model, q, v), "potential": 0 * t}
    a = np.stack([0 * one, 0 * one, 0 * one], axis=1)
    return Trajectory(model=model, t=t, q=q, v=v, a=a, tau=0 * v, **energy)


# lengths and peaks


def test_a_path_that_samples_cut_short_is_said_to_be_longer():
    fine, coarse = circling(5001), circling(80)
    assert not fine.net_motion.is_coarse and np.isclose(fine.net_motion.length, 100 * np.pi, rtol=1e-3)
    assert coarse.net_motion.is_coarse and coarse.net_motion.length < 100 * np.pi
    assert "on a path of at least" in coarse.summary() and "at least" not in fine.summary()
    assert "between samples it went further than they show" in coarse.summary()
    assert misses(coarse) and not misses(fine)


def test_the_path_that_a_run_tracked_is_taken():
    run = replace(circling(80), tracked={"path": np.array([314.159])})
    assert run.net_motion.length == 314.159 and not run.net_motion.is_coarse
    assert "on a path of 314.2 m" in run.summary()
    assert run.between(0.0, 0.5).tracked is None


def test_peaks_that_a_run_tracked_are_taken():
    board = synthetic_runs.board()
    tracked = {}
    for name in ("tau", "reactions"):
        values = getattr(board, name)
        tracked |= {f"{name}.max": values.max(axis=0), f"{name}.max_at": 0 * values[0]}
        tracked |= {f"{name}.min": values.min(axis=0), f"{name}.min_at": 0 * values[0]}
    tracked["tau.max"][5], tracked["tau.max_at"][5] = 77.7, 3.21
    text = replace(board, tracked=tracked).summary()
    assert "slider.force 77.7 N at 3.21 s" in text and "slider.force -1.814 N at 10.95 s" in board.summary()


def test_peaks_that_samples_hardly_meet_are_said_to_be_larger():
    board = synthetic_runs.board()
    tau = np.array(board.tau)
    tau[200, 5] = 9.0
    assert "slider.force at least 9 N at 6 s" in replace(board, tau=tau).summary()
    assert "at least" not in board.summary()


# pictures of many samples


def test_thinned_lines_keep_the_extremes_of_both_sides():
    s = np.linspace(0, 40 * np.pi, 50_000)
    x, y = np.cos(s), np.sin(s)
    x[31_111], y[12_345] = 5.0, -5.0
    a, b = thinned(x, y)
    assert len(a) <= POINTS + 2 and a.max() == 5.0 and b.min() == -5.0


def test_rows_of_color_keep_spikes():
    x = np.sin(np.linspace(0, 9, 30_000))
    x[[7_777, 20_001]] = 8.0, -8.0
    shown = extremes(x, parts_of(len(x)))
    assert shown.max() == 8.0 and shown.min() == -8.0 and len(shown) <= POINTS


def test_a_picture_says_that_it_is_thinned():
    assert "drawn by the extremes of 5001 samples" in circling(5001, 2.0).plot().get_suptitle()
    assert "drawn by" not in circling(101, 2.0).plot().get_suptitle()
    assert "samples too far apart" in circling(80).plot().get_suptitle()


# runs that go on


def test_a_run_goes_on_from_its_end():
    whole, half = (snakeboard().simulate(t, every=0.05, rtol=1e-11, atol=1e-13, progress=False) for t in (4.0, 2.0))
    run = half.extend(2.0, progress=False)
    assert len(run) == len(whole) == 81 and np.allclose(run.t, whole.t, atol=1e-12)
    assert np.array_equal(run.q[:41], half.q) and np.allclose(run.q, whole.q, atol=1e-8)
    assert np.allclose(run.work["drives"], whole.work["drives"], atol=1e-9)
    assert run.audit.ok and run.info["status"] == "finished" and run.info["steps"] > half.info["steps"]
    again = run.extend(0.5, every=0.1, progress=False)
    assert len(again) == 86 and again.t[-1] == pytest.approx(4.5)


def test_a_run_from_a_file_goes_on(tmp_path):
    run = snakeboard().simulate(1.0, every=0.1, progress=False)
    run.save(tmp_path / "run.h5")
    there, here = lo.open_run(tmp_path / "run.h5").extend(1.0, progress=False), run.extend(1.0, progress=False)
    assert np.array_equal(there.q, here.q) and there.audit.ok


def test_contacts_go_on_as_they_are():
    builder = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1))
    contact = lo.PointContact("ball", target=(0, 0, 0), directions="z", unilateral=True, restitution=0.5)
    problem = lo.Locomotion(builder.build(), constraints=[contact])
    half = problem.simulate(0.4, q=[0, 0, 1.0], v=[0.2, 0, 0], every=0.02, progress=False)
    run = half.extend(0.4, progress=False)
    assert [event.kind for event in run.events] == ["impact"] and run.audit.ok
    assert run.events[0].t == pytest.approx(np.sqrt(2 / 9.81)) and run.t[-1] == pytest.approx(0.8)


def test_runs_that_cannot_go_on_say_why():
    run = snakeboard().simulate(1.0, every=0.1, progress=False)
    with pytest.raises(ValueError, match="does not hold its problem \\(a function\\), so it cannot go on"):
        replace(run, problem=None, problem_missing="a function").extend(1.0)
    with pytest.raises(ValueError, match="holds no state to go on from; start from its last sample instead: lo.join"):
        run.between(0.0, 0.5).extend(1.0)
    with pytest.raises(ValueError, match="duration is -1"):
        run.extend(-1)
    with pytest.raises(ValueError, match="the run watched for 0 events, give them as run.extend"):
        run.extend(1.0, events=[lo.When(lambda t, q, v: t - 1.5)])
    failed = replace(run, info={**run.info, "status": "failed", "message": "too fast"})
    with pytest.raises(ValueError, match="failed and cannot go on: too fast"):
        failed.extend(1.0)


def test_runs_are_joined():
    problem = snakeboard()
    one = problem.simulate(1.0, every=0.1, progress=False)
    two = problem.simulate(1.0, q=one.q[-1], v=one.v[-1], t=1.0, every=0.1, method="rk4", progress=False)
    run, longer = lo.join([one, two]), problem.simulate(2.0, every=0.1, progress=False)
    assert len(run) == 21 and np.allclose(run.t, longer.t) and np.allclose(run.q, longer.q, atol=1e-6)
    assert np.allclose(run.work["drives"], longer.work["drives"], atol=1e-6)
    assert run.problem is problem and run.audit.balance < 1e-6 and run.info["method"] == "adaptive, then rk4"
    assert run.info["steps"] == one.info["steps"] + two.info["steps"]
    assert lo.join([one]) is one


def test_extremes_of_joined_runs():
    first, second = circling(21, 1.0), circling(21, 1.0)
    second = replace(second, t=second.t + 1.0, q=second.q + np.array([0, 0, 2 * np.pi]))
    track = {"path": [6.0], "v.max": [1.0, 5.0, 2.0], "v.max_at": [0.1, 0.2, 0.3]}
    more = {"path": [7.0], "v.max": [3.0, 4.0, 2.0], "v.max_at": [1.1, 1.2, 1.3]}
    tracked = lo.join([replace(first, tracked=track), replace(second, tracked=more)]).tracked
    assert (
        tracked["path"] == [13.0] and tracked["v.max"].tolist() == [3, 5, 2] and tracked["v.max_at"].tolist() == [1.1, 0.2, 0.3]
    )


def test_runs_that_do_not_meet_are_not_joined():
    problem = snakeboard()
    one = problem.simulate(1.0, every=0.1, progress=False)
    with pytest.raises(ValueError, match="ends at t = 1 s cannot be joined to one that starts at t = 0 s"):
        lo.join([one, one])
    with pytest.raises(ValueError, match="these runs do not meet: at t = 1 s their q differ by up to"):
        lo.join([one, replace(one, t=one.t + 1.0)])
    with pytest.raises(ValueError, match="cannot be joined: they have other models"):
        lo.join([one, synthetic_runs.still()])
    with pytest.raises(TypeError, match="join takes a list of runs"):
        lo.join(one)
    with pytest.raises(ValueError, match="at least one run"):
        lo.join([])


# several runs in one picture


def test_several_runs_in_one_picture(tmp_path):
    board = synthetic_runs.board()
    slower = replace(board, q=board.q / 2)
    figure = lo.compare({"fast": board, "slow": slower}, ["rotor.angle", "rotor.torque"], path=tmp_path / "both.png")
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
    angle, torque = figure.axes
    assert [line.get_label() for line in angle.lines] == ["fast", "slow"] and angle.get_ylabel() == "rad"
    assert np.array_equal(angle.lines[1].get_ydata(), slower["rotor.angle"]) and torque.get_ylabel() == "N m"
    assert len({line.get_color() for line in angle.lines} & set(COLORS)) == 2
    assert len({line.get_linestyle() for line in angle.lines}) == 2
    both = lo.compare([board, slower], ["rotor.angle", "steer.angle"]).axes[0]
    assert [line.get_label() for line in both.lines][0] == "board, run 1: rotor.angle" and len(both.lines) == 4
    path = lo.compare([board, circling(101, 1.0)], "net path").axes[0]
    assert path.get_xlabel() == "x, m" and [line.get_label() for line in path.lines] == ["board", "sledge"]


def test_wrong_comparisons_are_refused_in_words():
    board = synthetic_runs.board()
    with pytest.raises(TypeError, match="compare takes a list of runs"):
        lo.compare(board, "rotor.angle")
    with pytest.raises(lo.UnknownName, match="no channel named 'rotor.angle' in the run of 'pendulum'"):
        lo.compare([board, synthetic_runs.still()], "rotor.angle")
    with pytest.raises(ValueError, match="the base of 'pendulum' is fixed: it has no net path"):
        lo.compare([synthetic_runs.still()], "net path")
    with pytest.raises(TypeError, match="compare takes runs, not 3"):
        lo.compare([3], "t")
    with pytest.raises(ValueError, match="at least one run"):
        lo.compare([], "t")


def test_a_run_is_drawn_into_axes():
    from matplotlib.figure import Figure

    board, figure = synthetic_runs.board(), Figure()
    axes = figure.add_subplot()
    assert board.plot("rotor.angle", ax=axes, label="mine") is figure
    board.plot(["steer.angle"], ax=axes)
    assert [line.get_label() for line in axes.lines] == ["mine", "steer.angle"] and axes.get_ylabel() == "rad"
    with pytest.raises(ValueError, match="these axes show rad over t, s, not N m over t, s"):
        board.plot("rotor.torque", ax=axes)
    with pytest.raises(ValueError, match="ax takes one channel"):
        board.plot(ax=axes)
    with pytest.raises(ValueError, match="must have one unit, these have rad, N m"):
        board.plot(["rotor.angle", "rotor.torque"], ax=axes)


def test_the_net_path_alone():
    figure = synthetic_runs.board().plot("net path")
    assert figure.axes[0].get_xlabel() == "x, m" and figure.axes[0].get_title(loc="left") == "net path"


# notebooks


def cells(html):
    """The cells of a table, by rows; that it is well-formed is part of the test."""
    return [[cell.text for cell in row] for row in ElementTree.fromstring(f"<div>{html}</div>").iter("tr")]


def test_notebooks_show_the_picture_once():
    figure = synthetic_runs.still().plot()
    picture = figure._repr_png_()
    assert picture.startswith(b"\x89PNG") and len(picture) > 5000
    from matplotlib._pylab_helpers import Gcf

    assert figure not in [manager.canvas.figure for manager in Gcf.get_all_fig_managers()]  # else it would be shown again


def test_notebooks_show_runs_and_audits():
    board = replace(synthetic_runs.board(), info={"status": "failed", "message": "x < 3 & <script>"})
    rows = dict(cells(board._repr_html_()))
    assert rows["audit"] == "audit passed" and "x < 3 & <script>" in rows["run"] and "<script>" not in board._repr_html_()
    table = cells(board.audit._repr_html_())
    assert table[0][:3] == ["check", "found", "allowed"] and table[1][0] == "power balance" and table[1][3] == "ok"


def test_notebooks_show_layouts_cases_and_equations():
    arm = lo.Inertia(1.0, com=(0, 0, -0.5))
    model = lo.Builder("a<b").body("one", joint=lo.Joint("x<y", axis="y"), inertia=arm).build()
    rows = cells(model.layout()._repr_html_())
    assert rows[0] == ["slot", "joint", "kind", "coordinate", "unit"] and rows[1] == ["q[0]", "x<y", "revolute", "angle", "rad"]
    case = lo.Locomotion(model).classify(0.0, [0.0])
    assert cells(case._repr_html_()) == [["unconstrained", "1 unknown velocity of the shape"], ["from dynamics", "x<y.rate"]]
    plain = lo.Builder("plain").body("one", joint=lo.Joint("hip", axis="y"), inertia=arm).build()
    latex = lo.equations(plain)._repr_latex_()
    assert latex.startswith("$$") and latex.endswith("$$") and r"\tau_{hip}" in latex


# words


def test_an_arm_with_torques_has_nothing_passive():
    arm = lo.Builder("arm").body("one", joint=lo.Joint("hip", axis="y"), inertia=lo.Inertia(1.0, com=(0, 0, -0.5))).build()
    text = str(lo.Locomotion(arm, torques={"hip": 1.0}).classify(0.0, [0.0]))
    assert text == "unconstrained: 1 unknown velocity of the shape\nfrom dynamics: hip.rate"
    text = str(lo.Locomotion(arm, drives={"hip": 1.0}).classify(0.0, [1.0]))
    assert text == "unconstrained: no unknown velocities\nmotion: all of it is imposed"


def test_long_lists_of_names_are_cut():
    quadruped = lo.systems.load("quadruped").problem()
    text = str(quadruped.classify(0.0, quadruped.model.neutral()))
    assert text.endswith("and 9 more") and len(max(text.splitlines(), key=len)) < 200


def test_what_falls_has_no_cost_of_transport():
    cat = lo.systems.load("falling_cat").problem()
    thrown = np.zeros(cat.model.nv)
    thrown[:3] = 1.0, 0.5, 2.0
    for v in (None, thrown):
        run = cat.simulate(0.4, v=v, progress=False)
        assert "cost of transport" not in run.summary()
    walked = snakeboard().simulate(2.0, progress=False).summary()
    assert re.search(r"cost of transport .* m along the ground", walked)


def test_remainders_of_zero_are_zero():
    run = lo.systems.load("falling_cat").problem().simulate(0.5, progress=False)
    assert "(x 0, y 0, z -1.226)" in run.summary() and "yaw 0, pitch 0, roll -180 deg" in run.summary()


def test_summaries_name_what_contacts_carry_and_actuators_pull():
    box = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(2.0, (0.2, 0.2, 0.1))).build()
    stands = lo.Locomotion(box, contacts=[lo.Touch("box", lo.Ground(), box=(0.1, 0.1, 0.05), name="sole")])
    text = stands.simulate(0.05, q=[0, 0, 0.05, 0, 0, 0, 1], progress=False).summary()
    (line,) = (line for line in text.splitlines() if line.startswith("largest loads"))
    assert line.split()[2].startswith("sole") and 0.0 < float(line.split()[3]) <= 2.0 * 9.81 * 1.001
    text = lo.systems.load("tendon_robot").problem().simulate(0.1, progress=False).summary()
    assert re.search(r"^largest commands  tendon \d.tension [\d.]+ N at", text, re.MULTILINE)


def test_many_points_that_touch_at_the_start_are_not_searched(monkeypatch):
    system = lo.systems.load("box_stack", count=8)
    problem, (q, v) = system.problem(), system.initial
    run = problem.simulate(0.003, q=q, v=v, every=0.001, progress=False)
    monkeypatch.setattr(lo.Locomotion, "evaluate", lambda *given, **named: pytest.fail("searched"))
    assert (run.contact_forces[0] == 0).all() and run.contact_forces[1].any(axis=1).sum() > 24
