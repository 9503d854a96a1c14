"""The climber against a double pendulum written down by hand, and what a climb must keep."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomote as lo
from locomote.systems import pendular_climber as climber

P = {name: parameter.default for name, parameter in climber.PARAMETERS.items()}
BODY = np.array([P["width"] / 2, -0.6 * P["drop"]])  # m, from the left hand, in axes of the body, x and z
HINGE = np.array([P["width"] / 2, -P["drop"]])
MOMENTS = 1.25 * P["body_mass"] * P["width"] ** 2 / 12, P["tail_mass"] * P["tail"] ** 2 / 30


def turned(x, angle):
    """A vector of the body in the wall, with a positive lean taking x down; and its derivative by the angle."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x[0] + s * x[1], c * x[1] - s * x[0]]), np.array([c * x[1] - s * x[0], -s * x[1] - c * x[0]])


def rates(t, y):
    """Lagrange's equations of the lean and of the tail's angle in the wall, about the hand that holds."""
    lean, tail, dlean, dtail = y
    _, b1 = turned(BODY, lean)
    h0, h1 = turned(HINGE, lean)
    w0, w1 = turned((0.0, -P["tail"]), tail)
    m, n, g = P["body_mass"], P["tail_mass"], P["gravity"]
    M = np.array([[m * b1 @ b1 + n * h1 @ h1 + MOMENTS[0], n * h1 @ w1], [n * h1 @ w1, n * w1 @ w1 + MOMENTS[1]]])
    curved = -h0 * dlean**2 - w0 * dtail**2  # second derivatives of turns are turns by half a circle
    wanted = P["stiffness"] * (P["swing"] * np.tanh(P["quick"] * dlean) - (tail - lean)) - P["damping"] * (dtail - dlean)
    torque = np.clip(wanted, -P["torque"], P["torque"])
    forces = np.array([-torque - n * h1 @ curved - m * g * b1[1] - n * g * h1[1], torque - n * w1 @ curved - n * g * w1[1]])
    return [dlean, dtail, *np.linalg.solve(M, forces)]


def test_on_one_hand_it_is_a_double_pendulum():
    system = lo.systems.load("pendular_climber")
    run = system.problem().simulate(1.5, every=0.25, rtol=1e-9, atol=1e-11)
    other = solve_ivp(rates, (0.0, 1.5), np.zeros(4), "DOP853", t_eval=run.t, rtol=1e-9, atol=1e-11)
    assert np.allclose(run.q[:, 2], other.y[0], atol=1e-7) and np.allclose(run.q[:, 2] + run.q[:, 3], other.y[1], atol=1e-7)


@pytest.fixture(scope="module")
def climb():
    return climber.climb(7.0)


def test_hands_take_hold_at_rest_each_above_the_other(climb):
    grips = [event for event in climb.events if event.kind == "close"]
    assert [event.data["constraint"] for event in grips] == ["right", "left", "right"]
    assert max(abs(np.array(event.data["v"][:3])).max() for event in grips) < 1e-9
    height = [climber.hands(event.data["q"])[:, 1].max() for event in grips]
    assert np.diff(height) == pytest.approx(0.084, abs=0.005)
    assert climb.audit.ok and climb.work["losses"][-1] == pytest.approx(0.0, abs=1e-12)  # no impact takes anything


def test_all_work_is_energy(climb):
    energy = climb.kinetic + climb.potential
    assert energy[-1] - energy[0] == pytest.approx(climb.work["torques"][-1], rel=1e-8) and energy[-1] - energy[0] > 1.0


def test_its_climb_converges(climb):
    coarse = climber.climb(7.0, rtol=1e-7)
    assert abs(coarse.q[-1] - climb.q[-1]).max() < 1e-5


def test_a_lazy_tail_does_not_climb():
    """It swings on, and no hand takes hold where none is higher."""
    run = climber.climb(4.0, torque=0.02)
    assert not [event for event in run.events if event.kind == "close"] and run.audit.ok
    with pytest.raises(lo.ModelError, match="torque"):
        climber.climb(1.0, torque=-1.0)


def test_it_goes_on_from_a_file(climb, tmp_path):
    """Both grips, and the hand that holds, are in the file; events are given again."""
    p = climber.PARAMETERS
    first = climber.climb(4.0)
    first.save(tmp_path / "climb.h5")
    events = climber.changes(SimpleNamespace(**{name: x.default for name, x in p.items()}))
    longer = lo.open_run(tmp_path / "climb.h5").extend(3.0, events=events, progress=False)
    assert np.allclose(longer.q[-1], climb.q[-1], atol=1e-7)
