"""Humanoids in closed loop at 1 kHz with plants that the controller does not own: steps, hand on a wall, handstand.

The ground is hard (time steps with Coulomb friction) or compliant (springs, dampers, stick and slip); its friction is 0.7, that
of the controller 0.6. A contact's drift is how far it moved along the ground since it touched, at the earliest a tenth of a
second after it landed.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from file_humanoids import from_file

import locomote as lo
from locomote.control.whole_body.humanoids import SCENARIOS, footholds
from locomote.systems import hrp2_like


@cache
def hrp2():
    system = lo.systems.load("hrp2_like")
    return hrp2_like.humanoid(system.model, SimpleNamespace(**system.parameters))


def check(report):
    """What every scenario must show."""
    print(report)
    assert report.done and not report.fallen, report
    assert report.unsolved == 0
    assert report.torque_use <= 1.0 and report.friction_use <= 1.0 + 1e-9
    assert report.drift < 1e-3
    assert report.quaternion < 1e-9 and report.balance < 1e-8 and report.residual < 1e-7


def heights(report, body):
    return np.array([lo.forward_kinematics(report.run.model, q)[report.run.model.body(body).index][2, 3] for q in report.run.q])


@pytest.mark.parametrize("ground", ["hard", "compliant"])
def test_double_single_double_support(ground):
    report = hrp2().scenario("single_support").run(ground=ground)
    check(report)
    foot = heights(report, "right_sole")
    assert foot.max() > 0.045 and abs(foot[[0, -1]]).max() < 3e-3


def test_walking_in_place():
    report = hrp2().scenario("walk_in_place").run()
    check(report)
    for body in ("left_sole", "right_sole"):
        up = heights(report, body) > 0.02
        assert (np.diff(up.astype(int)) == 1).sum() == 2  # each foot twice


def test_steps_over_footholds():
    report = hrp2().scenario("steps").run()
    check(report)
    moved = lo.center_of_mass(hrp2().model, report.run.q[-1]) - lo.center_of_mass(hrp2().model, report.run.q[0])
    assert moved[0] == pytest.approx(0.24, abs=0.02)
    assert report.run.info["said"] == "all 8 phases done" and "all 8 phases done" in report.run.summary()


@pytest.mark.parametrize("name", ["talos", "g1"])
def test_steps_of_robots_from_files(name):
    from example_robots import ROBOTS

    robot = from_file(name, ROBOTS)
    left, right = (robot.place(foot) for foot in robot.feet)
    ahead = np.array([0.05, 0.0, 0.0])
    check(footholds(robot, [(1, right + ahead), (0, left + ahead)]).run())


@pytest.mark.parametrize("ground", ["hard", "compliant"])
def test_hand_on_wall(ground):
    report = hrp2().scenario("hand_on_wall", force=20.0).run(ground=ground)
    check(report)
    log = {name: t for t, name in report.machine.log}
    held = (report.run.t > log["press"] + 0.7) & (report.run.t < log["let go"])
    if ground == "compliant":
        force = np.array([forces["left_palm"][0, 1] for forces in report.plant_forces])
    else:
        names = [name for name in report.run.problem.contact_names if "left_palm" in name]
        force = report.run.contact_forces[:, report.run.problem.contact_names.index(names[0]), 1]
    assert np.mean(-force[: len(held)][held]) == pytest.approx(20.0, abs=3.0)  # N, as wished


@pytest.mark.parametrize("ground", ["hard", "compliant"])
def test_handstand_is_held_and_recovers_from_a_push(ground):
    robot = hrp2()
    stance = robot.handstand()
    assert stance.holds and stance.error < 1e-6
    scenario = robot.scenario("handstand")
    assert np.linalg.norm(scenario.push[0]) == 20.0
    report = scenario.run(ground=ground)
    check(report)
    assert report.t == pytest.approx(5.0, abs=0.01) and 1e-3 < report.sway < 0.02
    assert np.linalg.norm((lo.center_of_mass(robot.model, report.run.q[-1]) - stance.center)[:2]) < 1e-3
    assert (heights(report, "waist") > 0.8).all()


def test_one_hand_is_lifted_in_a_handstand():
    report = hrp2().scenario("hand_lift").run()
    check(report)
    hand = heights(report, "right_palm")
    assert hand.max() > 0.025 and abs(hand[-1]) < 1e-3
    assert abs(heights(report, "left_palm")).max() < 1e-3


def test_falling_is_said():
    report = hrp2().scenario("pushed_over").run()
    assert "it fell at t =" in report.fallen and not report.done
    assert report.fallen == report.run.info["said"]
    assert np.isfinite(report.run.q).all() and report.t < 1.5


def test_pushes_delays_and_another_mass():
    """Standing, with torques 2 ms late and a body that is heavier than the controller believes."""
    heavier = lo.systems.load("hrp2_like", mass=61.0).model
    for ground in ("hard", "compliant"):
        scenario = hrp2().scenario("stand", duration=1.2, push=((20.0, 10.0, 0.0), 0.3, 0.5))
        report = scenario.run(ground=ground, plant=heavier, delay=2)
        assert report.done and not report.fallen and report.unsolved == 0
        assert report.drift < 1e-3 and 5e-4 < report.sway < 0.03


def test_scenarios_are_in_the_catalogue():
    assert set(hrp2_like.MOTIONS) == set(SCENARIOS)
    system = lo.systems.load("hrp2_like", motion="stand")
    problem = system.problem()
    run = problem.simulate(0.1, q=system.initial[0], progress=False, every=0.01)
    again = problem.simulate(0.1, q=system.initial[0], progress=False, every=0.01)
    assert run.info["said"].startswith("in phase 'stand'") and abs(run.q - again.q).max() < 1e-12
    assert run.audit.ok, str(run.audit)


def test_audits_leave_reports_as_they_are():
    report = hrp2().scenario("stand", duration=0.2).run()
    said = str(report)
    assert report.run.audit.ok and abs(report.run.contact_forces[0]).max() > 1.0
    assert str(report) == said and report.t > 0.19


def test_wrong_names_of_scenarios():
    with pytest.raises(lo.UnknownName, match="scenario"):
        hrp2().scenario("dance")
    with pytest.raises(lo.UnknownName, match="ground"):
        hrp2().scenario("stand").run(ground="soft")
    bare = lo.control.Humanoid(hrp2().model, hrp2().q, "chest", hrp2().feet, hrp2().sole)
    with pytest.raises(ValueError, match="needs hands, palm and raised"):
        bare.scenario("handstand")
