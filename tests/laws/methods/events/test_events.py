"""Events of the user: the state in which a run ends, functions that touch zero twice, samples and extremes between samples."""

import numpy as np
import pytest

import locomote as lo

G = 9.81


def thrown():
    """A point mass in the air."""
    return lo.Locomotion(lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(2.0, 0.1)).build())


def oscillator(frequency=1.0, base="x"):
    """A mass on a spring along x."""
    model = lo.Builder("mass", base=base).body("mass", inertia=lo.Inertia(1.0)).build()
    return lo.Locomotion(model, springs={model.joint_names[0]: (frequency**2, 0.0, 0.0)})


METHODS = ["adaptive", "rk4", "implicit", "variational"]


@pytest.mark.parametrize("samples", [[0.0, 10.0], [10.0], None], ids=["ends", "last", "default"])
@pytest.mark.parametrize("method", METHODS)
def test_a_terminal_event_ends_the_run_in_its_state(method, samples):
    ground = lo.When(lambda t, q, v: q[2], direction=-1, terminal=True, name="ground")
    run = thrown().simulate(10.0, q=[0, 0, 1.0], v=[1.0, 0, 2.0], events=[ground], samples=samples, method=method, step=0.01)
    landing = (2.0 + np.sqrt(4.0 + 2 * G)) / G
    assert run.info["status"] == "stopped" and run.t[-1] == pytest.approx(landing, rel=1e-8)
    assert run.q[-1] == pytest.approx([landing, 0, 0], abs=1e-7) and run.v[-1, 2] == pytest.approx(2.0 - G * landing, rel=1e-7)
    assert np.array_equal(run.events[-1].q, run.q[-1]) and np.array_equal(run.events[-1].v, run.v[-1])
    assert run.audit.ok and (np.diff(run.t) > 0).all()


def test_events_know_their_state_in_files(tmp_path):
    top = lo.When(lambda t, q, v: v[2], name="top")
    run = thrown().simulate(0.5, v=[0, 0, 2.0], events=[top])
    assert run.events[0].q[2] == pytest.approx(2.0**2 / (2 * G)) and abs(run.events[0].v[2]) < 1e-9
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5").events[0]
    assert np.array_equal(again.q, run.events[0].q) and np.array_equal(again.v, run.events[0].v)


@pytest.mark.parametrize("direction", [-1, 0, 1])
@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_touches_zero_twice_in_a_step(method, direction):
    """The parabola of a throw rises above a line by a hair, within one step: both crossings, or the one that is wanted."""
    top = 1.0 + 2.0**2 / (2 * G)
    low = top - 1e-5
    line = lo.When(lambda t, q, v: low - q[2], direction, name="line")
    run = thrown().simulate(0.5, q=[0, 0, 1.0], v=[0, 0, 2.0], events=[line], method=method, step=0.05, every=0.5)
    middle, half = 2.0 / G, np.sqrt(2 * 1e-5 / G)
    wanted = {-1: [middle - half], 1: [middle + half], 0: [middle - half, middle + half]}[direction]
    assert [event.t for event in run.events] == pytest.approx(wanted, abs=1e-8)


def test_a_function_that_nearly_touches_zero_does_not():
    top = 1.0 + 2.0**2 / (2 * G)
    run = thrown().simulate(0.5, q=[0, 0, 1.0], v=[0, 0, 2.0], events=[lambda t, q, v: top + 1e-7 - q[2]])
    assert not run.events


@pytest.mark.parametrize("offset", [0.0, -1e-16, 1e-16])
def test_an_event_that_is_zero_at_the_start_is_armed_later(offset):
    """A section through the start: the first return, not the start itself, whatever rounding says there."""
    section = lo.When(lambda t, q, v: q[0] - 1.0 + offset if v[0] <= 0 else -1.0, after=0.5, terminal=True)
    run = oscillator(2.0).simulate(10.0, q=[1.0 - offset], events=[section], rtol=1e-10)
    assert len(run.events) <= 1
    crossing = lo.When(lambda t, q, v: v[0], direction=-1, after=0.1, terminal=True)
    run = oscillator(2.0).simulate(10.0, q=[1.0], events=[crossing], rtol=1e-10)
    assert [event.t for event in run.events] == pytest.approx([np.pi], rel=1e-8)


def test_many_events():
    """Far more functions than the model has coordinates."""
    run = oscillator().simulate(3.0, q=[1.0], events=[lambda t, q, v, k=k: t - 0.01 * (k + 1) for k in range(200)])
    assert [event.t for event in run.events] == pytest.approx(0.01 * np.arange(1, 201), abs=1e-9)


# what runs follow between samples


@pytest.mark.parametrize("method", METHODS)
def test_path_and_extremes_do_not_depend_on_samples(method):
    """600 s of an oscillation of 3 rad/s: 500 samples see a fraction of it, the run sees all."""
    problem, frequency = oscillator(3.0), 3.0
    run = problem.simulate(60.0, q=[1.0], method=method, step=0.01, rtol=1e-9, samples=[0.0, 30.0, 60.0])
    halves, rest = divmod(frequency * 60.0, np.pi)
    wanted = 2.0 * halves + 1.0 - np.cos(rest)
    assert run.tracked["path"][0] == pytest.approx(wanted, rel=2e-3)
    assert run.net_motion.length == pytest.approx(wanted, rel=2e-3)
    for name, value in (("q", 1.0), ("v", 3.0), ("a", 9.0)):
        assert run.tracked[f"{name}.max"][0] == pytest.approx(value, rel=0.02)
        assert run.tracked[f"{name}.min"][0] == pytest.approx(-value, rel=0.02)
        when = run.tracked[f"{name}.max_at"][0]
        exact = {"q": np.cos(3 * when), "v": -3 * np.sin(3 * when), "a": -9 * np.cos(3 * when)}[name]
        assert run.tracked[f"{name}.max"][0] == pytest.approx(exact, abs=2e-2 * value)


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_samples_follow_the_motion(method):
    """A long run of a fast motion is sampled as often as it moves, so that curves and sums over samples are right."""
    run = oscillator(3.0).simulate(600.0, q=[1.0], method=method, step=0.02)
    assert 5 * 3.0 * 600 / (2 * np.pi) < len(run) <= 11_000
    assert (np.diff(run.t) > 0).all() and np.isin(600.0 * np.arange(501) / 500, run.t).all()
    length = abs(np.diff(run.q[:, 0])).sum()
    assert length == pytest.approx(run.tracked["path"][0], rel=0.05)
    slow = oscillator(0.01).simulate(100.0, q=[1.0])
    assert 501 <= len(slow) < 520
    asked = oscillator(3.0).simulate(60.0, q=[1.0], every=1.0)
    assert np.array_equal(asked.t, np.arange(61.0))


def test_turns_are_sampled():
    """A body that spins steadily has constant velocities; its turns are counted all the same."""
    body = lo.Builder("top", base="free").body("top", inertia=lo.Inertia(1.0, (0, 0, 0), np.eye(3) * 0.1)).build()
    run = lo.Locomotion(body).simulate(200.0, v=[0, 0, 0, 0, 0, 5.0])
    assert run.net_motion.turns[0] == pytest.approx(1000.0, rel=1e-9)


def test_a_run_at_rest_takes_no_more_samples():
    run = oscillator().simulate(10.0)
    assert len(run) == 501
