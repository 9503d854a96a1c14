"""Gaits of problems without a connection: periodic orbits against long runs, and their slopes against orbits nearby."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.by_runs import Moving, exact_orbit, exact_run, run_search
from locomote.gaits.coordinates import coordinates_of
from locomote.gaits.curves import Basis, Series
from locomote.gaits.optimisation import gait_of
from locomote.gaits.path_ordered import Panels

JOINTS = ["front", "rear"]


def fish() -> lo.Locomotion:
    """Three links with inertia and quadratic drag, which coast for some periods."""
    water, length = lo.Fluid(1000.0, 1e-3), 0.1
    builder, link = lo.Builder("fish", base="planar", gravity=(0, 0, 0)), lo.Inertia.box(0.05, (length, 0.02, 0.02))
    builder.body("middle", inertia=link)
    builder.body("head", parent="middle", at=(length / 2, 0, 0), joint=lo.Joint("front"), inertia=link)
    builder.body("tail", parent="middle", at=(-length / 2, 0, 0), joint=lo.Joint("rear"), inertia=link)
    places = {"middle": 0.0, "head": length / 2, "tail": -length / 2}
    drag = [lo.Drag(name, water, (2e-5, 1e-3, 1e-3), spin=(1e-7,) * 3, point=(x, 0, 0)) for name, x in places.items()]
    return lo.Locomotion(builder.build(), environment=drag)


@pytest.fixture(scope="module")
def moving():
    problem = fish()
    return Moving(problem, coordinates_of(problem, JOINTS))


def search_of(moving, cost="none"):
    curves = Series(Basis(Panels(np.linspace(0.0, 1.0, 9)), 1), 2)
    return run_search(moving, curves, "x", cost, 0.0, None, None, period=1.0, periods=None)


NUMBERS = np.array([0.1, 0.5, 0.0, 0.0, 0.0, 0.5])


def test_slopes_of_an_orbit_are_those_of_orbits_nearby(moving):
    """Each neighbour settles by itself, from rest, so that the formula of implicit functions has no part in it. Way over work:
    the slopes of both. It takes long where the steps of its runs are not yet compiled."""
    found = search_of(moving, "work").at(NUMBERS)
    for k, unit in enumerate(1e-3 * np.eye(len(NUMBERS))):
        ahead, behind = (search_of(moving, "work").at(NUMBERS + sign * unit) for sign in (1.0, -1.0))
        np.testing.assert_allclose((ahead.value - behind.value) / 2e-3, found.slopes[k], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose((ahead.turns - behind.turns) / 2e-3, found.turn_slopes[:, k], rtol=1e-3, atol=1e-4)


def test_an_orbit_is_what_a_long_run_settles_to_and_not_its_first_period(moving):
    search = search_of(moving)
    gait = gait_of(search.curves, moving, NUMBERS, 1.0)
    run, orbit = exact_orbit(search, gait, NUMBERS)
    assert orbit.stable and orbit.miss < 1e-4 and 0.5 < abs(orbit.multipliers[0]) < 1.0
    far = [np.hypot(*step) for step in np.diff(exact_run(moving, gait, 120).q[:, :2], axis=0)]
    settled = np.hypot(*(run.q[-1, :2] - run.q[0, :2]))
    np.testing.assert_allclose(far[-1], settled, rtol=1e-3)
    assert abs(far[0] - settled) > 0.1 * settled


def test_optimize_takes_the_orbit(moving):
    best = lo.gaits.optimize(moving.problem, "x", coordinates=JOINTS, harmonics=1, bounds=(-0.5, 0.5))
    assert best.orbit is not None and best.cost == "none" and "periodic orbit" in str(best)
    bad = lo.gaits.optimize(moving.problem, "x", coordinates=JOINTS, harmonics=1, bounds=(-0.5, 0.5), periods=1)
    assert bad.orbit is None and "from rest" in str(bad)
    assert search_of(moving).at(numbers_of(best)).value > search_of(moving).at(numbers_of(bad)).value


def numbers_of(best) -> np.ndarray:
    return np.concatenate([[d.mean, d.cosines[0], d.sines[0]] for d in best.gait.paths.values()])


def test_sentences(moving):
    for words, options in (
        ("whose cost is 'none' or 'work' of the drives, not 'length'", {"cost": "length"}),
        ("cost='transport' needs speed=", {"cost": "transport"}),
        ("period is -1", {"period": -1}),
        ("periods is 0", {"periods": 0}),
    ):
        with pytest.raises(ValueError, match=words):
            lo.gaits.optimize(moving.problem, "x", coordinates=JOINTS, **options)
    board = lo.systems.load("snakeboard").problem()
    with pytest.raises(ValueError, match="keeps the energy that its drives give it"):
        lo.gaits.optimize(board, "x", coordinates=["rotor", "rear_steer"], cost="work")
