"""Mixed systems: net motions by reduced equations against runs of the whole problem, from rest, and plans that park a board."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.by_runs import Moving, exact_run
from locomote.gaits.coordinates import coordinates_of
from locomote.gaits.local_form import local_form
from locomote.gaits.momentum import Drifting

MODES = {"steer": {"rear_steer": 1.0, "front_steer": -1.0}, "rotor": {"rotor": 1.0}}


@pytest.fixture(scope="module")
def board():
    return lo.systems.load("snakeboard").problem()


@pytest.mark.parametrize("name", ["snakeboard", "trikke"])
def test_reduced_equations_are_those_of_runs(name, board):
    """Order four, and the same motion as the whole problem, whose reactions are solved for at every instant."""
    problem = board if name == "snakeboard" else lo.systems.load(name).problem()
    first, second = ("steer", "rotor") if name == "snakeboard" else ("sway", "steer")
    modes = MODES if name == "snakeboard" else {}
    paths = {first: lo.Fourier(0.1, [0.1], [0.3], rate=1.0), second: lo.Fourier(0.0, [0.2, 0.1], [0.4, 0.1], rate=1.0)}
    gait = lo.gaits.Gait(paths, modes=modes)
    moving = Moving(problem, coordinates_of(problem, gait.coordinates))
    assert moving.drifting is not None
    run = exact_run(moving, gait, 1)
    wanted = run.q[-1, :3]
    errors = []
    for steps in (25, 50, 100):
        x, dx, _ = gait.shapes(np.linspace(0.0, gait.period, 2 * steps + 1))
        end = moving.drifting.along(x[None], dx[None], gait.period / steps).poses[0, -1]
        errors.append(np.linalg.norm([*end[:2, 3], np.arctan2(end[1, 0], end[0, 0])] - wanted))
    assert errors[-1] < 1e-6 and errors[0] > 8 * errors[1] or errors[0] < 1e-7


def test_without_constraints_momentum_stays_as_it_is():
    """A floating chain from rest: momentum is zero, so that the drift adds nothing to the connection."""
    robot = lo.systems.load("space_robot").problem()
    form = local_form(robot, ["joint1", "joint2"])
    gait = lo.gaits.Gait({"joint1": lo.Fourier(0.2, [0.5], frequency=1.0), "joint2": lo.Fourier(0.0, [], [0.5], frequency=1.0)})
    x, dx, _ = gait.shapes(np.linspace(0.0, 1.0, 401))
    drift = Drifting(form).along(x[None], dx[None], 1 / 200)
    np.testing.assert_allclose(drift.poses[0, -1], lo.gaits.displacement(robot, gait).pose, atol=1e-7)
    assert abs(drift.speed).max() < 1e-9


def test_a_board_gets_ahead_and_stops(board):
    bounds = {"steer": (-1.1, 1.1), "rotor": (-4.0, 4.0)}
    options = {"coordinates": MODES, "knots": 7, "metric": "angles", "starts": 2, "bounds": bounds}
    plan = lo.gaits.reach(board, {"x": 0.2, "y": 0.0}, duration=4.0, seed=1, **options)
    run = plan.run()
    assert plan.error < 1e-9 and plan.holonomy is None and run.audit.ok
    np.testing.assert_allclose(run.q[-1, :2], [0.2, 0.0], atol=1e-4)
    assert abs(run.v[-1]).max() < 1e-4  # it stands still
    with pytest.raises(lo.LocomoteError, match="depends on the timing"):
        plan.fastest(1.0)
