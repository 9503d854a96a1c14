"""Bounds by the area rule against closed forms, and against the best gaits that searches find."""

import numpy as np
import pytest

import locomote as lo


def test_a_unicycle_parks_as_far_as_the_closed_form_says():
    """y = integral of R / 3 cos(w / 3) over |u| + |w| < 3, with wheels u -+ w: 12 R (1 - cos 1) for a track of 6 radii."""
    unicycle = lo.systems.load("unicycle").problem()
    found = lo.gaits.bound(unicycle, bounds=(-3.0, 3.0))
    np.testing.assert_allclose(found.value, 12 * 0.05 * (1 - np.cos(1.0)), rtol=1e-3)
    assert "do not cross themselves" in str(found)
    best = lo.gaits.optimize(unicycle, "y", cost="none", bounds=(-3.0, 3.0), harmonics=3)
    assert 0.75 * found.value < best.amount < found.value


def test_purcells_swimmer_keeps_below_its_bound_and_comes_close():
    swimmer = lo.systems.load("purcell_swimmer", length=1 / 3).problem()
    shift, turn = (lo.gaits.bound(swimmer, goal, bounds=(-2.0, 2.0)).value for goal in ("distance", "turn"))
    for goal, most in (("x", shift), ("turn", turn)):
        best = lo.gaits.optimize(swimmer, goal, cost="none", bounds=(-2.0, 2.0), harmonics=6)
        assert 0.85 * most < abs(best.amount) < most


def test_random_stars_without_turn_keep_below():
    """Loops that are their own mirror image do not turn a swimmer; none gets beyond the bound."""
    swimmer = lo.systems.load("perfect_fluid_swimmer").problem()
    names = lo.gaits.optimize(swimmer, "x", harmonics=1).gait.names
    most = lo.gaits.bound(swimmer, bounds=(-2.0, 2.0)).value
    rng, far = np.random.default_rng(0), []
    for _ in range(8):
        a, b = rng.uniform(0.3, 1.4, 2)
        ahead, back = lo.Fourier(0.0, [a], [b], frequency=1.0), lo.Fourier(0.0, [-a], [b], frequency=1.0)
        net = lo.gaits.displacement(swimmer, lo.gaits.Gait(dict(zip(names, (ahead, back), strict=True))))
        far += [net.distance] if abs(net.angle) < 1e-9 else []
    assert len(far) == 8 and 0.0 < max(far) < most


def test_sentences():
    swimmer, robot = lo.systems.load("purcell_swimmer").problem(), lo.systems.load("space_robot").problem()
    for words, wrong in (
        ("no goal named 'x'", lambda: lo.gaits.bound(swimmer, "x", bounds=(-1.0, 1.0))),
        ("give bounds= of both coordinates", lambda: lo.gaits.bound(swimmer)),
        ("loops of two coordinates, not of 1", lambda: lo.gaits.bound(swimmer, coordinates=["front"], bounds=(-1.0, 1.0))),
        ("not within the bounds", lambda: lo.gaits.bound(swimmer, bounds=(-1.0, 1.0), center=[2.0, 0.0])),
        (
            "momentum",
            lambda: lo.gaits.bound(
                lo.systems.load("snakeboard").problem(), coordinates=["rotor", "rear_steer"], bounds=(-1.0, 1.0)
            ),
        ),
    ):
        with pytest.raises((ValueError, lo.LocomoteError)) as raised:
            wrong()
        assert words in str(raised.value), str(raised.value)
    turn = lo.gaits.bound(robot, "turn", coordinates=["joint1", "joint2"], bounds=(-1.0, 1.0))
    best = lo.gaits.optimize(robot, "turn", coordinates=["joint1", "joint2"], cost="none", bounds=(-1.0, 1.0), harmonics=5)
    assert 0.8 * turn.value < abs(best.amount) < 1.001 * turn.value
