"""Lighthill's efficiency and the cost of transport, against work and way of runs and the drag of a straight swimmer."""

import numpy as np
import pytest

import locomote as lo


@pytest.fixture(scope="module")
def swimmer():
    return lo.systems.load("purcell_swimmer", length=1 / 3).problem()


def measured(problem, gait):
    """m, s and J of a period, by a run."""
    run = problem.replaced(drives=gait.drives(), start=None).simulate(gait.period, samples=[0.0, gait.period])
    return np.hypot(*run.q[-1, :2]), gait.period, float(run.work["drives"][-1])


def test_efficiencies_are_those_of_runs(swimmer):
    """Towed straight the swimmer of length 1 has a resistance of 1 N s/m (1 N s/m^2 along)."""
    speed = 0.01
    light = lo.gaits.optimize(swimmer, "x", cost="lighthill", harmonics=2)
    cheap = lo.gaits.optimize(swimmer, "x", cost="transport", speed=speed, harmonics=2)
    way, lasts, work = measured(swimmer, light.gait)
    np.testing.assert_allclose(light.value, (way / lasts) ** 2 / (work / lasts), rtol=1e-8)
    way, lasts, work = measured(swimmer, cheap.gait)
    np.testing.assert_allclose([way / lasts, way / work], [speed, cheap.value], rtol=1e-6)
    np.testing.assert_allclose(light.value / cheap.value, speed, rtol=1e-5)  # one is best where the other is
    steady = lo.gaits.optimize(swimmer, "x", harmonics=2)
    assert light.value <= steady.value**2 * (1 + 1e-6)  # at constant power it is largest
    assert light.value >= 0.9 * steady.value**2


def test_slopes_are_those_of_differences(swimmer):
    from locomote.gaits.local_form import local_form
    from locomote.gaits.optimisation import search_of

    search = search_of(local_form(swimmer), "x", "lighthill", 2, None, None, None, None)
    c = np.random.default_rng(0).normal(scale=0.4, size=10)
    slopes = search.at(c).slopes
    for k, unit in enumerate(1e-5 * np.eye(10)):
        two = search.at(c + unit).value - search.at(c - unit).value
        np.testing.assert_allclose(two / 2e-5, slopes[k], rtol=1e-5, atol=1e-8)


def test_sentences(swimmer):
    robot = lo.systems.load("space_robot").problem()
    for words, wrong in (
        ("needs the power that a shape takes", lambda: lo.gaits.optimize(robot, "turn", cost="lighthill")),
        ("is of displacements; goal is 'turn'", lambda: lo.gaits.optimize(swimmer, "turn", cost="lighthill")),
        ("needs speed=", lambda: lo.gaits.optimize(swimmer, "x", cost="transport")),
        ("no other cost does", lambda: lo.gaits.optimize(swimmer, "x", speed=0.1)),
        ("measured by runs", lambda: lo.gaits.optimize(swimmer, "x", cost="work")),
    ):
        with pytest.raises((ValueError, lo.LocomoteError)) as raised:
            wrong()
        assert words in str(raised.value), str(raised.value)
