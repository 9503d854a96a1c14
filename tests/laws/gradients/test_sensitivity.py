"""Percent per percent of results of runs, against runs with other numbers."""

import numpy as np
import pytest

import locomote as lo

BY = ["rotor.amplitude", "rotor.rate", "board.mass", "rotor.inertia", "rear_steer.damping"]


def results(problem):
    """Net motion, work and peak torque of an accurate run, from its own channels."""
    run = problem.simulate(2.0, rtol=1e-10, atol=1e-12, every=5e-3)
    net, power = run.net_motion, (run.tau * run.v)[:, 3:].sum(axis=1)
    way = np.hypot(net.x[-1] - net.x[0], net.y[-1] - net.y[0])
    return np.array([way, np.trapezoid(abs(power), run.t), abs(run.tau[:, 3:]).max()])


def test_snakeboard(tmp_path):
    problem = lo.systems.load("snakeboard").problem()
    run = problem.simulate(2.0)
    found = run.sensitivity(BY)
    assert list(found.results) == ["net motion", "work", "peak torque"]
    middle, e = results(problem), 1e-3
    assert list(found.results.values()) == pytest.approx(middle, rel=1e-3)
    for name in ("rotor.amplitude", "board.mass", "rotor.inertia"):
        value = np.array(problem.parameters[name])
        more, less = (results(problem.with_parameters({name: (1 + sign * e) * value})) for sign in (1, -1))
        assert list(found[name].values()) == pytest.approx((more - less) / (2 * e) / middle, rel=2e-2, abs=2e-3)
    assert "rear_steer.damping" not in found.parameters  # it is zero, of which there is no percent
    assert found.words()[0].startswith("1 % more rotor.rate: net motion +")
    assert "net motion (" in str(found) and "<table>" in found._repr_html_()
    assert len(found.plot(path=tmp_path / "bars.png").axes) == 1 and (tmp_path / "bars.png").exists()


def test_a_pendulum_on_a_motor_and_its_report(tmp_path):
    """A massless arm turned slowly in gravity: peak torque m g l, in proportion to each; no net motion of a base."""
    model = lo.Builder("arm").body("arm", joint=lo.Joint("hip", axis="y"), inertia=lo.Inertia(2.0, (0.5, 0, 0))).build()
    problem = lo.Locomotion(model, drives={"hip": lo.Constant(0.0)})
    run = problem.simulate(1.0)
    found = run.sensitivity(["arm.mass", "arm.center", "gravity"])
    assert found.results == {"peak torque": pytest.approx(9.81)}
    for name in found.parameters:
        assert found[name]["peak torque"] == pytest.approx(1.0, rel=1e-9)
    run.report(tmp_path / "run.html", sensitivity=True)
    page = (tmp_path / "run.html").read_text()
    assert "Sensitivity" in page and "<rect x=" in page and "1 % more arm.mass: peak torque +1 %" in page


def test_what_is_refused():
    run = lo.systems.load("snakeboard").problem().simulate(1.0)
    with pytest.raises(ValueError, match="this one is from 0.5 s"):
        run.between(0.5, 1.0).sensitivity("rotor.mass")
    with pytest.raises(lo.UnknownName, match="did you mean 'rotor.mass'"):
        run.sensitivity("rotor.mas")
