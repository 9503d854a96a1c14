"""Gaits within limits of joint forces: runs need no more, laws of scale hold, slopes are those of differences."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.curves import Basis, Series
from locomote.gaits.local_form import local_form
from locomote.gaits.path_ordered import Panels
from locomote.gaits.torques import Forces

STEER = {"steer": {"rear_steer": 1.0, "front_steer": -1.0}, "rotor": {"rotor": 1.0}}
ARM = {"coordinates": ["joint1", "joint2"], "bounds": (-1.5, 1.5)}


@pytest.fixture(scope="module")
def purcell():
    return lo.systems.load("purcell_swimmer", length=1 / 3).problem()


@pytest.fixture(scope="module")
def robot():
    return lo.systems.load("space_robot").problem()


def ran(problem, gait):
    """A run over a period, the other joints held, with no momentum but that of the gait."""
    form = local_form(problem, list(gait.names))
    x, dx, _ = gait.shapes(0.0)
    v = np.zeros(problem.model.nv)
    v[form.base], v[form.coordinates.shape] = -form(x[None]).A[0] @ dx, form.coordinates.directions @ dx
    q = form.coordinates.configurations(x)
    drives = {n: float(q[problem.model.joint(n).q][0]) for n in problem.drives} | gait.drives()
    run = problem.replaced(drives=drives, start=None)
    return run.simulate(gait.period, q=q, v=v, every=gait.period / 600, progress=False)


def test_the_fastest_gait_of_a_swimmer_uses_its_torques_and_no_more(purcell):
    limits = {"front": 0.02, "rear": 0.04}
    best = lo.gaits.optimize(purcell, "x", cost="speed", torques=limits, harmonics=3)
    used = abs(ran(purcell, best.gait).tau[:, 3:]).max(axis=0) / list(limits.values())
    assert 0.995 < used.max() < 1.0005
    np.testing.assert_allclose(best.value, best.amount / best.gait.period)
    # the same path with a timing in which one joint is at its limit at any time is as fast as can be
    form, t = local_form(purcell, ["front", "rear"]), np.linspace(0.0, best.gait.period, 4001)
    x, dx, _ = best.gait.shapes(t)
    least = np.trapezoid((abs(np.einsum("pjk,pk->pj", form(x).G, dx)) / list(limits.values())).max(axis=1), t)
    assert 0.7 * best.gait.period < least < best.gait.period
    for cost in ("length", "none"):  # and no other gait of this shape family is as fast
        other = lo.gaits.optimize(purcell, "x", cost=cost)
        most = (abs(ran(purcell, other.gait).tau[:, 3:]).max(axis=0) / list(limits.values())).max()
        assert other.amount / most < best.value


@pytest.mark.parametrize("system, goal, power, options", [("purcell_swimmer", "x", 1.0, {}), ("space_robot", "turn", 0.5, ARM)])
def test_speed_goes_with_the_limits(system, goal, power, options):
    """Torques of water go with the rate, those of inertia with its square; the best path is the same."""
    problem = lo.systems.load(system).problem()
    one, four = (lo.gaits.optimize(problem, goal, cost="speed", torques=c, harmonics=2, **options) for c in (1.0, 4.0))
    np.testing.assert_allclose(four.value / one.value, 4.0**power, rtol=1e-4)
    np.testing.assert_allclose(four.amount, one.amount, rtol=1e-3)


def test_a_satellite_turns_as_fast_as_its_arm_allows(robot):
    best = lo.gaits.optimize(robot, "turn", cost="speed", torques=1.0, harmonics=3, **ARM)
    run = ran(robot, best.gait)
    slots = [robot.model.joint(n).v.start for n in best.gait.names]
    assert 0.995 < abs(run.tau[:, slots]).max() < 1.0005
    np.testing.assert_allclose(run.q[-1, 2] - run.q[0, 2], best.amount, atol=1e-6)


def test_a_period_that_is_said_is_kept(purcell):
    free = lo.gaits.optimize(purcell, "x", cost="length", harmonics=2)
    most = abs(ran(purcell, free.gait).tau[:, 3:]).max()
    tight = lo.gaits.optimize(purcell, "x", cost="length", harmonics=2, torques=0.7 * most)
    assert tight.gait.period == 1.0 and abs(ran(purcell, tight.gait).tau[:, 3:]).max() < 0.7 * most * 1.001
    assert 0.5 * free.value < tight.value < free.value


@pytest.mark.parametrize(
    "system, names", [("purcell_swimmer", ["front", "rear"]), ("space_robot", ["joint1", "joint2", "joint3"])]
)
def test_slopes_of_forces(system, names):
    form = local_form(lo.systems.load(system).problem(), names)
    series = Series(Basis(Panels(np.linspace(0.0, 1.0, 9)), 2), len(names))
    forces = Forces(form, series, np.linspace(1.0, 2.0, len(names)))
    c, t = 0.4 * np.random.default_rng(0).normal(size=5 * len(names)), np.array([0.0, 0.13, 0.7])
    found = forces.slopes(c, t)
    for k, unit in enumerate(1e-5 * np.eye(len(c))):
        wanted = (forces.along(c + unit, t) - forces.along(c - unit, t)) / 2e-5
        np.testing.assert_allclose(found[..., k], wanted, atol=1e-6 * abs(found).max())


def test_by_runs_forces_stay_within_limits():
    board = lo.systems.load("snakeboard").problem()
    options = {"bounds": {"steer": (-0.8, 0.8), "rotor": (-0.8, 0.8)}, "amplitude": 0.4, "period": 6.28, "harmonics": 1}
    best = lo.gaits.optimize(board, "x", coordinates=STEER, torques={"rotor": 0.01}, **options)
    x, dx, _ = best.gait.shapes(0.0)
    assert 0.05 < best.value < 0.2
    from locomote.gaits.by_runs import Moving
    from locomote.gaits.coordinates import coordinates_of

    moving = Moving(board, coordinates_of(board, STEER))
    assert moving.drifting is not None
    form, v = moving.drifting.form, np.zeros(board.model.nv)
    v[form.base], v[form.coordinates.shape] = -form(x[None]).A[0] @ dx, form.coordinates.directions @ dx
    problem = board.replaced(drives={**board.drives, **best.gait.drives()}, start=None)
    run = problem.simulate(6.28, q=form.coordinates.configurations(x), v=v, every=0.02, progress=False, start="project")
    assert 0.0098 < abs(run.tau[:, board.model.joint("rotor").v.start]).max() < 0.01005


def test_sentences(purcell, robot):
    for words, problem, options in (
        ("cost='speed' needs torques=", purcell, {"cost": "speed"}),
        ("no coordinate named 'knee'", purcell, {"cost": "speed", "torques": {"knee": 1.0}}),
        ("limit of 'front' is -1.0, expected a number above 0", purcell, {"cost": "speed", "torques": {"front": -1.0}}),
        ("limit of 'front' is nan", purcell, {"torques": float("nan")}),
        ("expected a limit of front or rear", purcell, {"torques": {}}),
        ("which may cross themselves", purcell, {"torques": 1.0, "simple": True}),
        ("cost is 'none' or 'work' of the drives, not 'speed'", purcell, {"way": "runs", "cost": "speed", "torques": 1.0}),
        ("since it has no inertia", purcell, {"way": "runs", "torques": 1.0}),
    ):
        with pytest.raises((ValueError, lo.LocomoteError)) as raised:
            lo.gaits.optimize(problem, "x", **options)
        assert words in str(raised.value), str(raised.value)
