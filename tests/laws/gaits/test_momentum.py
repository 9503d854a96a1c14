"""Mixed systems: net motions by reduced equations against runs of the whole problem, from rest, and plans that park a board."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.by_runs import Moving, exact_run
from locomote.gaits.coordinates import coordinates_of
from locomote.gaits.holonomy import holonomy
from locomote.gaits.local_form import local_form
from locomote.gaits.momentum import Drifting
from locomote.gaits.reachability import rest_to_rest

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
    assert plan.error < 1e-9 and plan.holonomy.all and run.audit.ok
    np.testing.assert_allclose(run.q[-1, :2], [0.2, 0.0], atol=1e-4)
    assert abs(run.v[-1]).max() < 1e-4  # it stands still
    with pytest.raises(lo.LocomoteError, match="depends on the timing"):
        plan.fastest(1.0)


def test_without_momentum_rest_to_rest_is_the_holonomy():
    """Changes of whole motions, stepped with their momentum, span what curvature carried to the start spans."""
    form = local_form(lo.systems.load("space_robot").problem(), ["joint1", "joint2"])
    at = np.array([0.1, 0.2])
    stepped, carried = rest_to_rest(Drifting(form), at), holonomy(form, at)
    assert stepped.rank == carried.rank == 1 and stepped.given == 0 and stepped.stops
    np.testing.assert_allclose(abs(stepped.basis @ carried.basis.T), 1.0, atol=1e-9)


def test_a_snakeboard_reaches_all_by_steer_and_rotor_and_nothing_by_one(board):
    """It is controllable (Ostrowski and Burdick 1997); with its wheels held straight the rotor turns for nothing."""
    both = lo.gaits.reachable(board, coordinates=MODES)
    assert both.all and both.given == both.speeds == 1
    assert "from rest to rest, reach every motion in SE(2); they build up and take away 1 of the 1 speeds" in str(both)
    alone = lo.gaits.reachable(board, coordinates=["rotor"])
    assert alone.rank == 0 and "none of x, y, turn about z" in str(alone)
    aside = np.eye(4)
    aside[1, 3] = 0.1
    with pytest.raises(lo.gaits.OutOfReach, match="from rest to rest, reach 0 of the 3 directions"):
        lo.gaits.reach(board, aside, coordinates=["rotor"], knots=7, starts=1)


def test_a_sleigh_with_a_rotor_only_gets_faster():
    """Chaplygin's sleigh: p' = m a omega^2 along its blade, never back, so that no motion from rest ends at rest."""
    builder = lo.Builder("sleigh", base="planar")
    builder.body("body", inertia=lo.Inertia(2.0, com=(0.3, 0, 0), moment=(1, 1, 1)))
    builder.body("disc", parent="body", at=(0.3, 0, 0), joint=lo.Joint("rotor"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    found = lo.gaits.reachable(lo.Locomotion(builder.build(), constraints=[lo.Blade("body")]))
    assert not found.stops and not found.all and found.given == 2 and "does not stop there" in str(found)


def test_reach_is_not_said_of_problems_with_other_forces():
    trikke = lo.systems.load("trikke").problem()
    with pytest.raises(lo.gaits.NoConnection, match="acts? on it, with inertia"):
        lo.gaits.reachable(trikke.replaced(environment=[lo.Drag("frame", lo.Fluid(1000.0, 1.0), 1.0)]))
