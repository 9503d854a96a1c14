"""Robot and object in one program: what objects do in a plant that knows nothing of it."""

import numpy as np

import locomote as lo
from locomote.control.whole_body.on_ball import apart, regulator
from locomote.control.whole_body.walk_on_ball import Leg, Rolled, cycles
from locomote.systems.handling import STEPPING


def test_the_hand_opens_the_drawer():
    """To its middle: half of the way, on the line that was asked for, the hand does not slip, the run is sound."""
    system = lo.systems.load("handling")
    problem, model = system.problem(), system.model
    run = problem.simulate(1.55, every=0.05, progress=False)
    rail = run.q[:, model.joint("rail").q.start]
    assert run.audit.ok and abs(rail[-1] + 0.1) < 0.01
    poses = lo.forward_kinematics(model, run.q)
    hand, drawer = (poses[:, model.body(name).index] for name in ("right_palm", "drawer"))
    between = np.linalg.inv(drawer) @ hand
    assert abs(between - between[0]).max() < 2e-4
    feet = poses[:, model.body("left_sole").index]
    assert abs(feet - feet[0]).max() < 1e-4


def test_it_balances_on_a_ball():
    """Pushed, the ball rolls farther than the robot, and both come back; it rolls, feet stay on it."""
    system = lo.systems.load("handling", motion="ball")
    problem, model = system.problem(), system.model
    run = problem.simulate(2.4, every=0.05, progress=False)
    place, _, center, _ = zip(*(apart(model, "ball", q, v) for q, v in zip(run.q, run.v, strict=True)), strict=True)
    ball, robot = np.array(place)[:, :2], np.array(center)
    assert run.audit.ok and np.linalg.norm(ball, axis=1).max() > 0.03
    assert np.linalg.norm(ball, axis=1).max() > 1.2 * np.linalg.norm(robot, axis=1).max()
    assert np.linalg.norm(ball[-1]) < 0.012 and np.linalg.norm(robot[-1]) < 0.012
    poses = lo.forward_kinematics(model, run.q)
    feet = np.linalg.inv(poses[:, model.body("ball").index]) @ poses[:, model.body("front_left_foot").index]
    assert abs(feet[:, :3, 3] - feet[0, :3, 3]).max() < 1e-4
    assert abs(np.linalg.norm(feet[:, :3, 3], axis=1) - 0.4).max() < 1e-6


def test_the_regulator_is_stable():
    """Poles of m h x'' + k b'' = m g (x - b) with b'' = -K (x, x', b, b')."""
    gains = regulator(9.0, 0.8, (3.0, 0.2, 0.4))
    lean, share = 9.81 / 0.8, (0.2 / 0.4 + 3.0 * 0.4) / (9.0 * 0.8)
    rows = [[0, 1, 0, 0], [lean, 0, -lean, 0] + share * gains, [0, 0, 0, 1], -gains]
    assert np.linalg.eigvals(np.array(rows, dtype=float)).real.max() < -0.3
    assert gains[0] < 0 < gains[2]  # away from where the robot leans, first


def test_it_steps_back_on_a_ball_that_rolls_on():
    """The first of twelve steps: a foot leaves the ball and lands farther back, the others stay, the run is sound."""
    system = lo.systems.load("handling", motion="walk_on_ball")
    problem, model = system.problem(), system.model
    run = problem.simulate(2.6, every=0.05, progress=False)
    poses = lo.forward_kinematics(model, run.q)
    ball = poses[:, model.body("ball").index]
    feet = {leg: np.linalg.inv(ball) @ poses[:, model.body(f"{leg}_foot").index] for leg in STEPPING}
    away = {leg: np.linalg.norm(foot[:, :3, 3], axis=1) - 0.4 for leg, foot in feet.items()}
    assert run.audit.ok and away["front_left"].max() > 0.02 and abs(away["front_left"][-1]) < 1e-6
    moved = {leg: np.linalg.norm(foot[-1, :3, 3] - foot[0, :3, 3]) for leg, foot in feet.items()}
    assert 0.04 < moved.pop("front_left") < 0.08
    assert max(moved.values()) < 2e-4 and all(abs(away[leg]).max() < 1e-6 for leg in moved)
    assert ball[-1, 0, 3] > 0.02 and abs(ball[:, 2, 3] - 0.4).max() < 1e-6


def test_the_way_over_the_ball_obeys_the_equation_of_both():
    """m h x'' + k b'' = m g (x - b), by differences; ways end where they should."""
    lead, share, step = 0.11, 0.23, 1e-3
    stops = [np.zeros(2), np.array([0.03, 0.01]), np.array([0.02, -0.02])]
    motion = Rolled([Leg(0.0, stops[0], stops[1]), Leg(2.0, stops[1], stops[2])], lead, share)
    for t in np.linspace(0.1, 3.5, 50):
        x, b = (np.array([motion(t + k * step)[i] for k in (-1, 0, 1)]) for i in (0, 2))
        x2, b2 = ((z[0] - 2 * z[1] + z[2]) / step**2 for z in (x, b))
        assert np.allclose(lead * (x2 + share * b2), x[1] - b[1], atol=1e-6) and np.allclose(b2, motion(t)[4], atol=1e-3)
        assert np.allclose((x[2] - x[0]) / (2 * step), motion(t)[1], atol=1e-4)
    assert np.allclose(motion(9.0)[:3:2], stops[2]) and cycles(0.3) == 3 and cycles(0.31) == 4
