"""What a run gives: channels by name, parts of it, values between samples, its audit and its summary."""

import csv
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
import synthetic_runs
from synthetic_runs import LABELS, Problem

import locomote as lo
from locomote.runs.files.files import RunFileError
from locomote.runs.optional import MissingPackage
from locomote.runs.trajectory import Event, Trajectory
from locomote.systems import catalogue


@pytest.fixture(params=synthetic_runs.RUNS)
def run(request):
    return synthetic_runs.RUNS[request.param]()


@pytest.fixture
def board():
    return synthetic_runs.board()


# arrays


def test_length_and_repr(board):
    assert len(board) == 401
    assert repr(board) == "<Trajectory of 'board': 401 samples, 0 to 12 s, 2 events, finished>"


def test_arrays_cannot_be_written(run):
    for name in ("t", "q", "v", "a", "tau", "reactions", "kinetic", "potential", "elastic", "residual", "position_residual"):
        array = getattr(run, name)
        assert array.dtype == np.float64 and not array.flags.writeable, name
    with pytest.raises(AttributeError):
        run.t = 0
    with pytest.raises(TypeError):
        run.work["drives"] = 0
    with pytest.raises(TypeError):
        run.info["status"] = "better"


def test_given_arrays_stay_writable():
    q = np.zeros((5, 1))
    still = replace(synthetic_runs.still(), q=q)
    q[0] = 0.0
    assert q.flags.writeable and not still.q.flags.writeable


def test_runs_go_to_other_processes(run):
    other = pickle.loads(pickle.dumps(replace(run, problem=None)))
    assert np.array_equal(other.q, run.q) and other.info == run.info and other.work.keys() == run.work.keys()
    assert other.constraint_labels == run.constraint_labels and not other.q.flags.writeable


def test_events_are_in_order_of_time(board):
    assert [event.t for event in board.events] == [3.5, 7.0]
    assert str(board.events[1]) == "t = 7 s: the axles line up: rank 2 becomes 1"


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"q": np.zeros((401, 5))}, r"q has shape \(401, 5\), expected \(401, 6\)"),
        ({"v": np.zeros((400, 6))}, r"v has shape \(400, 6\), expected \(401, 6\)"),
        ({"kinetic": "much"}, r"kinetic must be an array of numbers, shape \(401,\), not 'much'"),
        ({"reactions": np.zeros((401, 3))}, r"reactions has shape \(401, 3\), expected \(401, 2\)"),
        ({"work": {"drives": np.zeros(3)}}, r"work\['drives'\] has shape \(3,\), expected \(401,\)"),
        ({"t": np.linspace(1, 0, 401)}, "t must be finite and must not decrease"),
        ({"t": np.full(401, np.nan)}, "t must be finite and must not decrease"),
        ({"imposed": [True]}, r"imposed has shape \(1,\), expected \(6,\)"),
    ],
)
def test_wrong_arrays_are_refused_in_words(board, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(board, **change)


def test_labels_and_drives_come_from_the_problem(board):
    assert board.constraint_labels == tuple(LABELS)
    assert board.imposed.tolist() == [False] * 3 + [True] * 3


# channels


def test_channels_have_names_and_units(board):
    units = dict(board.channels)
    assert len(units) == len(board.channels)
    expected = {
        "t": "s", "base.x": "m", "base.angle": "rad", "base.vx": "m/s", "base.wz": "rad/s", "base.dwz": "rad/s^2",
        "base.force x": "N", "base.moment z": "N m", "rotor.angle": "rad", "rotor.velocity": "rad/s",
        "rotor.acceleration": "rad/s^2", "rotor.torque": "N m", "slider.shift": "m", "slider.velocity": "m/s",
        "slider.force": "N", "front.lateral": "N", "net.yaw": "rad", "energy.total": "J", "work.drives": "J",
    }  # fmt: skip
    assert expected.items() <= units.items()
    assert board.unit("slider.force") == "N"


def test_channels_are_found_by_name(board):
    names = [channel.name for channel in board.channels]
    assert all(name in board.channels for name in names) and board.channels[0] in board.channels
    assert "no such channel" not in board.channels


def test_channels_have_the_right_numbers(board):
    assert np.array_equal(board["rotor.angle"], 0.7 * np.sin(board.t))
    assert np.array_equal(board["slider.velocity"], board.v[:, 5])
    assert np.array_equal(board["steer.torque"], board.tau[:, 4])
    assert np.array_equal(board["base.dvx"], board.a[:, 0])
    assert np.array_equal(board["rear.lateral"], board.reactions[:, 1])
    assert np.array_equal(board["work.losses"], -0.2 * board.t)
    assert np.array_equal(board["energy.total"], board.kinetic + board.potential + board.elastic)


def test_every_channel_is_an_array_over_time(run):
    for name, unit in run.channels:
        assert run[name].shape == (len(run),) and run[name].dtype == np.float64 and unit, name


def test_every_kind_of_joint_has_channels():
    kinds = ("helical", "cylindrical", "pin_in_slot", "universal", "euler", "spherical", "planar", "free", "x", "xy", "xyz")
    builder = lo.Builder("all").body("ground")
    for kind in kinds:
        builder.body(f"body {kind}", parent="ground", joint=lo.Joint(kind, kind), inertia=lo.Inertia.sphere(1.0, 0.1))
    model = builder.build()
    q, v = model.neutral()[None], np.zeros((1, model.nv))
    made = Trajectory(model=model, t=[0.0], q=q, v=v, a=v, tau=v, kinetic=[0.0], potential=[0.0])
    names = [channel.name for channel in made.channels]
    assert len(set(names)) == len(names) >= model.nq + 3 * model.nv
    for name in ("cylindrical.shift force", "cylindrical.turn torque", "universal.velocity 2", "euler.torque 1 about z",
                 "pin_in_slot.shift force", "pin_in_slot.turn torque", "spherical.qw", "spherical.moment y",
                 "xy.y force", "free.dwx"):  # fmt: skip
        assert name in names


def test_misspelt_channels_get_suggestions(board):
    with pytest.raises(
        lo.UnknownName, match="no channel named 'rotor.angel' in the run of 'board'; did you mean 'rotor.angle'"
    ):
        board["rotor.angel"]
    with pytest.raises(KeyError):
        board["nothing like it"]


def test_constraints_called_alike_are_told_apart(board):
    labels = [("base", "x", "N"), ("base", "x", "N")]
    twice = replace(board, constraint_labels=labels, problem=None)
    assert np.array_equal(twice["base.x (2)"], board.reactions[:, 0])
    assert np.array_equal(twice["base.x (3)"], board.reactions[:, 1])
    assert np.array_equal(twice["base.x"], board.q[:, 0])


# net motion


def test_net_motion_in_the_plane(board):
    net = board.net_motion
    assert (net.joint, net.body) == ("base", "deck")
    assert np.array_equal(net.position, np.column_stack([board.q[:, :2], np.zeros(len(board))]))
    assert np.allclose(net.yaw, board.q[:, 2]) and not net.pitch.any() and not net.roll.any()
    assert np.isclose(net.distance, np.hypot(*(board.q[-1, :2] - board.q[0, :2])))
    assert np.isclose(net.length, np.sum(np.hypot(*np.diff(board.q[:, :2], axis=0).T)))
    assert net.is_flat and np.isclose(net.turns[0], board.q[-1, 2] - board.q[0, 2])


def test_net_motion_counts_turns(board):
    q = np.array(board.q)
    q[:, 2] = 4.0 * np.pi * board.t  # more than half a turn from one sample to the next further below
    assert np.isclose(replace(board, q=q).net_motion.turns[0], 48 * np.pi)
    coarse = replace(board, q=q).between(0.0, 12.0)
    rows = slice(None, None, 50)
    few = Trajectory(model=board.model, **{n: getattr(coarse, n)[rows] for n in "t q v a tau kinetic potential".split()})
    assert np.isclose(few.net_motion.turns[0], 48 * np.pi)


def test_net_motion_of_a_free_base_agrees_with_kinematics():
    fall = synthetic_runs.falling()
    poses = lo.forward_kinematics(fall.model, fall.q)[:, fall.model.body_index("trunk")]
    net = fall.net_motion
    assert np.allclose(net.poses, poses, atol=1e-14) and not net.is_flat
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_euler("ZYX", np.stack([net.yaw, net.pitch, net.roll], axis=1)).as_matrix()
    assert np.allclose(turns, poses[:, :3, :3], atol=1e-12)


def test_a_fixed_base_has_no_net_motion():
    still = synthetic_runs.still()
    assert still.net_motion is None and "net.x" not in dict(still.channels)


# parts


def test_between(board):
    part = board.between(3.0, 6.0)
    assert part.t[0] >= 3.0 and part.t[-1] <= 6.0 and len(part) == 101
    assert np.array_equal(part["rotor.angle"], board["rotor.angle"][100:201])
    assert [event.t for event in part.events] == [3.5]
    assert part.state is None and board.between(3.0, 12.0).state is board.state
    assert part.audit.ok and abs(part.balance).max() < 1e-12
    assert part.work["drives"][0] != 0
    with pytest.raises(ValueError, match="no sample between t = 13 s and t = 14 s; it goes from 0 to 12 s"):
        board.between(13.0, 14.0)


def test_at_a_sample_is_that_sample(run):
    for k in (0, 2, len(run) - 1):
        here = run.at(run.t[k])
        assert np.allclose(here.q, run.q[k], atol=1e-14) and np.allclose(here.v, run.v[k], atol=1e-14)
        assert np.allclose(here.tau, run.tau[k]) and np.allclose(here.reactions, run.reactions[k])


def test_between_samples_is_accurate_on_the_group():
    """Against a run with four times the samples; the error falls with the third power of the spacing at least."""
    fine = synthetic_runs.falling(81, 0.4, 20)
    errors = []
    for every in (16, 8):
        coarse = Trajectory(model=fine.model, **{n: getattr(fine, n)[::every] for n in "t q v a tau kinetic potential".split()})
        here = coarse.at(fine.t)
        assert here.q.shape == fine.q.shape
        errors.append([abs(fine.model.difference(fine.q, here.q)).max(), abs(here.v - fine.v).max()])
    (q16, v16), (q8, v8) = errors
    assert q8 < 1e-5 and q8 < q16 / 6 and v8 < 1e-3 and v8 < v16 / 6


def test_at_takes_any_shape_and_refuses_other_times(board):
    assert board.at(np.ones((2, 3))).q.shape == (2, 3, 6)
    assert board.at(1.0).q.shape == (6,)
    for t in (-0.1, 12.1, np.nan):
        with pytest.raises(ValueError, match="outside the run: it goes from 0 to 12 s"):
            board.at([1.0, t])
    single = board.between(0.0, 0.0)
    assert np.array_equal(single.at(0.0).q, board.q[0])


def test_at_an_impact_is_after_it(board):
    t = np.array(board.t)
    t[201] = t[200]
    after = replace(board, t=t).at(t[200])
    assert np.allclose(after.v, board.v[201])
    last = board.between(0.0, t[200])
    t = np.array(last.t)
    t[-2] = t[-1]
    assert np.allclose(replace(last, t=t).at(t[-1]).v, last.v[-1])


def test_a_hit_throws_nothing_between_samples(board):
    """Accelerations of time steps are means over a step, and those of a hit as large as one likes."""
    a = np.array(board.a)
    a[200] = 1e9
    times = np.linspace(board.t[199], board.t[201], 41)
    hit, smooth = replace(board, a=a).at(times), board.at(times)
    assert abs(hit.q - smooth.q).max() < 1e-4 and abs(hit.v - smooth.v).max() < 1e-2
    assert hit.a.max() > 1e8  # is told all the same


# audit


def test_audit_of_a_good_run(run):
    audit = run.audit
    assert audit.ok and not audit.failed and str(audit).startswith("audit passed")
    assert audit.relative.shape == (len(run),)


def test_a_free_fall_conserves_momentum():
    audit = synthetic_runs.falling().audit
    assert audit.conserved == tuple(f"{kind} {axis}" for kind in ("linear", "angular") for axis in "xyz")
    assert audit.momentum < 1e-6 and audit.balance < 1e-6
    coarse = synthetic_runs.falling(101, 0.5, 2).audit  # a method of second order with steps ten times as long
    assert 30 < coarse.momentum / audit.momentum < 300


def test_momentum_that_a_force_changes_is_not_audited(board):
    assert board.audit.conserved == ()
    assert synthetic_runs.still().audit.conserved == ()


def test_momentum_of_zero_is_conserved_too():
    """A cat that turns its halves has no angular momentum: there is nothing to divide by."""
    half = lo.Inertia.cylinder(2.0, 0.1, 0.4)
    builder = lo.Builder("cat", base="free").body("front", inertia=half)
    model = builder.body("rear", parent="front", joint=lo.Joint("waist"), inertia=half).build()
    t = np.linspace(0.0, 1.0, 50)
    q, v, a = np.tile(model.neutral(), (50, 1)), np.zeros((50, 7)), np.zeros((50, 7))
    twist, rate, second = np.sin(3 * t) / 2, 1.5 * np.cos(3 * t), -4.5 * np.sin(3 * t)
    q[:, 5:7] = np.stack([np.sin(-twist / 2), np.cos(twist / 2)], axis=1)
    q[:, 7], v[:, 5], v[:, 6], a[:, 5], a[:, 6] = 2 * twist, -rate, 2 * rate, -second, 2 * second
    q[:, 2], v[:, 2], a[:, 2] = -9.81 * t**2 / 2, -9.81 * t, -9.81
    work = lo.kinetic_energy(model, q, v) + lo.potential_energy(model, q)
    energy = {"kinetic": lo.kinetic_energy(model, q, v), "potential": lo.potential_energy(model, q)}
    audit = Trajectory(model=model, t=t, q=q, v=v, a=a, tau=0 * v, work={"drives": work - work[0]}, **energy).audit
    assert audit.ok and "angular z" in audit.conserved and "linear z" in audit.conserved and audit.momentum < 1e-12


def test_audit_of_bad_runs(board):
    def failed(**changes):
        return [check.name for check in replace(board, **changes).audit.failed]

    assert failed(kinetic=board.kinetic * 1.001) == ["power balance", "energies"]
    assert failed(residual=np.full(401, 1e-3)) == ["constraint velocities"]
    assert failed(position_residual=np.full(401, 1e-3)) == ["constraint positions"]
    v = np.array(board.v)
    v[-1] = np.nan
    assert "values that are not finite" in failed(v=v)
    fall = synthetic_runs.falling()
    q = np.array(fall.q)
    q[50, 3:7] *= 1 + 1e-7
    worse = replace(fall, q=q).audit
    assert [check.name for check in worse.failed] == ["quaternion norms"]
    assert "quaternion norms" in str(worse) and "TOO LARGE" in str(worse) and "FAILED" in str(worse)
    energies = replace(board, kinetic=np.where(board.t > 6, np.nan, board.kinetic)).audit
    assert not energies.ok


def test_the_balance_does_not_see_where_height_is_measured_from():
    fall = synthetic_runs.falling()
    high = replace(fall, potential=fall.potential + 1e5)
    assert np.isclose(high.audit.balance, fall.audit.balance, rtol=1e-2)


def test_rest_is_balanced():
    """Rounding of a large potential energy at rest is not a fault."""
    still = synthetic_runs.still()
    noise = 1e3 + 1e-13 * np.array([1.0, -1.0, 1.0, 0.0, 1.0])
    assert replace(still, potential=noise).audit.ok


def test_a_run_without_samples():
    still = synthetic_runs.still()
    empty = Trajectory(model=still.model, **{n: getattr(still, n)[:0] for n in "t q v a tau kinetic potential".split()})
    assert len(empty) == 0 and empty.audit.ok and "no time at all" in empty.summary()
    assert repr(empty) == "<Trajectory of 'pendulum': 0 samples, no time>"
    with pytest.raises(ValueError, match="it has no samples"):
        empty.at(0.0)


# summary and export


def test_summary_says_what_matters(board):
    text = replace(board, info={**board.info, "classification": "external 3, rank 2"}).summary()
    for part in (
        "board, 12 s from t = 0 s, 401 samples, finished", "classification    external 3, rank 2",
        "deck moved 8.676 m", "slider.force -1.814 N at 10.95 s", "front.lateral",
        "work              drives -0.01062 J, environment 7.367 J, losses",
        "cost of transport", "audit passed", "rank 2 becomes 1", "adaptive (rtol 1e-10, atol 1e-12), 312 steps",
        "1876 evaluations", "100 times real time",
    ):  # fmt: skip
        assert part in text, part
    assert all(len(line) < 160 for line in text.splitlines())


def test_summary_of_the_cost_of_transport(board):
    line = next(line for line in board.summary().splitlines() if line.startswith("cost of transport"))
    power = abs(board.tau * board.v).sum(axis=1)
    work = float(np.sum(np.diff(board.t) * (power[1:] + power[:-1])) / 2)
    assert f"{work / (5 * 9.81 * board.net_motion.distance):.4g}" in line
    assert "cost of transport" not in synthetic_runs.falling().summary()
    assert "cost of transport" not in synthetic_runs.still().summary()


def test_summary_of_a_failed_run_says_why(board):
    failed = replace(board, info={"status": "failed", "message": "the force at t = 12.01 s is not finite"})
    assert "failed\n" in failed.summary() and "the force at t = 12.01 s is not finite" in failed.summary()


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_summary_of_many_forces_is_short(name):
    model = catalogue.load(name).model
    ones = np.ones((3, model.nv))
    q = np.tile(model.neutral(), (3, 1))
    events = [Event(0.5, "touch", f"foot {k} touches") for k in range(20)]
    energy = {"kinetic": np.zeros(3), "potential": np.zeros(3)}
    text = Trajectory(model=model, t=[0, 1, 2], q=q, v=0 * ones, a=0 * ones, tau=ones, events=events, **energy).summary()
    assert f"and {model.nv - 4} more" in text and "and 16 more" in text and len(text.splitlines()) < 30


def test_to_dict(board):
    table = board.to_dict()
    assert list(table) == [channel.name for channel in board.channels]
    table["t"][0] = 5.0
    assert board.t[0] == 0.0


def test_to_csv(run, tmp_path):
    run.to_csv(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as stream:
        head, *rows = csv.reader(stream)
    assert head == [f"{name} [{unit}]" for name, unit in run.channels]
    assert np.array_equal(np.array(rows, dtype=float).T, np.array(list(run.to_dict().values())))
    with pytest.raises(RunFileError, match="its folder does not exist"):
        run.to_csv(tmp_path / "nowhere" / "run.csv")


def test_to_xarray(board):
    pytest.importorskip("xarray")
    data = board.to_xarray()
    assert data["rotor.angle"].dims == ("t",) and data["rotor.angle"].attrs["units"] == "rad"
    assert np.array_equal(data["rotor.torque"].values, board["rotor.torque"])
    assert float(data["rotor.angle"].sel(t=6.0, method="nearest")) == board["rotor.angle"][200]
    assert data.attrs["model"] == "board" and data.attrs["method"] == "adaptive"


def test_without_xarray(board, monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(MissingPackage, match="a run as a Dataset needs the package xarray: pip install xarray"):
        board.to_xarray()


def test_coupled_models_have_runs():
    arm = lo.Inertia.sphere(1.0, 0.1)
    builder = lo.Builder("gears").body("a", joint=lo.Joint("first"), inertia=arm)
    builder.body("b", parent="a", joint=lo.Joint("second"), inertia=arm).couple("second", {"first": -2.0})
    model = builder.build()
    t = np.linspace(0, 1, 4)
    one = np.ones((4, 1))
    run = Trajectory(
        model=model, t=t, q=t[:, None], v=one, a=0 * one, tau=0 * one, **synthetic_runs.energies(model, t[:, None], one)
    )
    assert "first.angle" in dict(run.channels) and "second.angle" not in dict(run.channels)
    assert run.audit.ok and np.isclose(run.at(0.5).q, 0.5)


def test_problem_is_only_asked_for_what_is_missing(board):
    problem = Problem(board.model, imposed=(3,), labels=[("other", "row", "N")] * 2)
    assert replace(board, problem=problem, constraint_labels=None, imposed=None).constraint_labels[0][0] == "other"
