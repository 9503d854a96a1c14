"""Rhythms in runs: as drives in files, resumed runs, rollouts; as controllers with the state of their network; sentences."""

import shutil

import numpy as np
import pytest

import locomote as lo


@pytest.fixture(scope="module")
def swimmer():
    return lo.systems.load("purcell_swimmer").problem()


@pytest.fixture(scope="module")
def found():
    pair = lo.gaits.Kuramoto([2 * np.pi] * 2, 4.0, lags=lo.gaits.waves(2, 0.25), amplitudes=0.8, start=[0.0, 0.5])
    return lo.gaits.rhythm(pair, 3.0)


def test_drives_of_a_rhythm_are_drives_like_any(swimmer, found, tmp_path):
    drives = found.drives({"front": 0, "rear": 1})
    assert abs(drives["front"](found.t)[0] - found.outputs[:, 0]).max() < 1e-12
    speed = np.array([found.network.speeds(x, np.zeros(2))[0] for x in found.states[::20]])
    np.testing.assert_allclose(drives["front"](found.t[::20])[1], speed, atol=1e-4)
    problem = swimmer.replaced(drives=drives, start=None)
    run = problem.simulate(1.0)
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert run.audit.ok and np.array_equal(again.q, run.q)
    whole, later = problem.simulate(2.0), again.problem.simulate(1.0, t=1.0, q=run.q[-1], v=run.v[-1])
    np.testing.assert_allclose(later.q[-1], whole.q[-1], atol=1e-7)
    rolled = lo.rollout(problem, batch=2, duration=1.0, step=0.01)
    np.testing.assert_allclose(rolled.q[0, -1], run.q[-1], atol=1e-6)
    with pytest.raises(lo.LocomoteError, match="its samples go from"):
        problem.simulate(4.0)


def test_a_network_in_a_run_has_its_state_there(tmp_path):
    builder = lo.Builder("swing", gravity=(0, 0, 0))
    builder.body("bob", joint=lo.Joint("hinge"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    model = builder.build()
    networks = (
        lo.gaits.Kuramoto([3.0]),
        lo.gaits.Hopf([3.0], amplitudes=0.5),
        lo.gaits.Matsuoka([[0.0, 2.0], [2.0, 0.0]], rise=0.2, adaptation=0.4),
    )
    for network in networks:
        moved = lo.gaits.entrained(network, model, {"hinge": 0}, feedback=0.5, stiffness=20.0, damping=4.0, every=0.01)
        problem = lo.Locomotion(model, torques=moved)
        one, two = problem.simulate(1.0), problem.simulate(1.0)
        assert one.audit.ok and np.array_equal(one.q, two.q) and abs(one.q).max() > 0.05  # each run begins anew
    with pytest.raises((ValueError, lo.LocomoteError), match="controllers with a clock"):
        lo.rollout(problem, batch=2, duration=0.1, step=0.01)


def test_a_run_with_a_network_goes_on_from_its_file(tmp_path, monkeypatch):
    """Its state is in the checkpoint: what goes on has the bits of the whole run. Files lack the function, and say so."""
    monkeypatch.setattr("locomote.runs.runner.CHUNK", float("nan"))  # always as many steps between two looks at the clock
    builder = lo.Builder("swing", gravity=(0, 0, 0))
    builder.body("bob", joint=lo.Joint("hinge"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    model = builder.build()
    network = lo.gaits.Hopf([3.0], amplitudes=0.5)
    moved = lo.gaits.entrained(network, model, {"hinge": 0}, feedback=0.5, stiffness=20.0, damping=4.0, every=0.005)
    problem, path, cut = lo.Locomotion(model, torques=moved), tmp_path / "whole.h5", tmp_path / "cut.h5"

    def copies(t, q, v):
        if t > 7.0 and not cut.exists():
            shutil.copy(path, cut)
        return -1.0

    options = {"every": 0.05, "progress": False, "checkpoint": path, "checkpoint_interval": 0.0}
    run = problem.simulate(8.0, events=[lo.When(copies)], **options)
    watch = {"events": [lo.When(lambda t, q, v: -1.0)], "progress": False, "interval": 0.0}
    assert 0.1 < lo.open_run(cut).t[-1] < 7.1
    with pytest.raises(ValueError, match=r"does not hold its problem .* give it as resume\(path, problem=...\)"):
        lo.resume(cut, **watch)
    again = lo.resume(cut, problem=problem, **watch)
    for what in ("t", "q", "v", "tau"):
        assert np.array_equal(getattr(run, what), getattr(again, what)), what


def test_sentences(found):
    gaits = lo.gaits
    for words, wrong in (
        ("rate of a Kuramoto", lambda: gaits.Kuramoto([np.nan])),
        ("coupling of a Kuramoto has shape (3,)", lambda: gaits.Kuramoto([1.0, 2.0], [1.0, 2.0, 3.0])),
        ("gain of a Hopf", lambda: gaits.Hopf([1.0], gain=-1.0)),
        ("inhibition of a Matsuoka", lambda: gaits.Matsuoka([1.0])),
        ("expected pairs of neurons", lambda: gaits.Matsuoka(np.eye(2), antagonists=[[0, 2]])),
        ("rise of a Matsuoka", lambda: gaits.Matsuoka(np.eye(2), rise=0.0)),
        ("positive time", lambda: gaits.rhythm(gaits.Kuramoto([1.0]), 0.0)),
        ("expected lo.gaits.Kuramoto", lambda: gaits.rhythm(3, 1.0)),
        ("outputs 0 to 1", lambda: found.drives({"front": 2})),
        ("expected {joint", lambda: found.drives({})),
        ("not locked", lambda: gaits.rhythm(gaits.Kuramoto([1.0, 2.0]), 5.0).legs(0.5)),
    ):
        with pytest.raises((TypeError, ValueError, lo.LocomoteError)) as raised:
            wrong()
        assert words in str(raised.value), str(raised.value)
