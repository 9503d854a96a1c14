"""Humanoids in closed loop at 1 kHz with plants that the controller does not own: steps, hand on a wall, handstand.

The ground is hard (time steps with Coulomb friction) or compliant (springs, dampers, stick and slip); its friction is 0.7, that
of the controller 0.6. A contact's drift is how far it moved along the ground since it touched, at the earliest a tenth of a
second after it landed.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "formats"))

from plant import Plant
from scenarios import UP, footholds, from_file, ground_plant, hand_on_wall, handstand, hrp2, run, run_hard, single_support

import locomote as lo

PALM = lo.rectangle(0.14, 0.10)


def soles(robot):
    return dict.fromkeys(robot.feet, (robot.sole, UP, 0.0))


def check(report):
    """What every scenario must show."""
    assert report.machine.done, report.machine.fallen
    assert not report.machine.fallen
    assert report.unsolved == 0
    assert report.torque_use <= 1.0 and report.friction_use <= 1.0 + 1e-9
    assert report.drift < 1e-3
    assert report.quaternion < 1e-9 and report.balance < 1e-8 and report.residual < 1e-7


@pytest.mark.parametrize("ground", ["hard", "compliant"])
def test_double_single_double_support(ground):
    robot = hrp2()
    machine = single_support(robot)
    if ground == "hard":
        check(run_hard(robot.model, machine, soles(robot), robot.q)[0])
    else:
        check(run(robot.model, machine, ground_plant(robot)))


def test_steps_over_footholds():
    robot = hrp2()
    left, right = (robot.place(foot) for foot in robot.feet)
    ahead = np.array([0.12, 0.0, 0.0])
    holds = [(1, right), (0, left), (1, right + ahead), (0, left + 2 * ahead), (1, right + 2 * ahead)]
    report, _ = run_hard(robot.model, footholds(robot, holds), soles(robot), robot.q)
    check(report)
    moved = lo.center_of_mass(robot.model, report.q[-1]) - lo.center_of_mass(robot.model, report.q[0])
    assert moved[0] == pytest.approx(0.24, abs=0.02)


@pytest.mark.parametrize("name", ["talos", "g1"])
def test_steps_of_robots_from_files(name):
    from example_robots import ROBOTS

    robot = from_file(name, ROBOTS)
    left, right = (robot.place(foot) for foot in robot.feet)
    ahead = np.array([0.05, 0.0, 0.0])
    check(run_hard(robot.model, footholds(robot, [(1, right + ahead), (0, left + ahead)]), soles(robot), robot.q)[0])


def test_hand_on_wall():
    robot = hrp2()
    hand = robot.model.body("left_palm").index
    wall = lo.forward_kinematics(robot.model, robot.q)[hand][0, 3] + 0.12
    robot.touching = {"left_palm": (np.zeros((1, 3)), (-1.0, 0.0, 0.0), -wall)}
    machine, plant = hand_on_wall(robot, "left_palm", wall), ground_plant(robot)
    pressed = []
    watched = plant.advance
    plant.advance = lambda tau, duration: (
        watched(tau, duration),
        pressed.append((machine.log[-1][1], -plant.forces[2][0, 0])),
    )[0]
    check(run(robot.model, machine, plant))
    held = [force for name, force in pressed if name == "press"]
    assert np.mean(held[-300:]) == pytest.approx(20.0, abs=3.0)  # N, as wished


def test_handstand_is_held_and_recovers_from_a_push():
    model = lo.systems.load("hrp2_like").model
    stance, control = handstand(model)
    assert stance.holds and stance.error < 1e-6
    plant = Plant(model, dict.fromkeys(("left_palm", "right_palm"), (PALM, UP, 0.0)), stance.q)
    plant.pushed = model.body("waist").index
    machine = lo.ContactMachine(control, [lo.Phase("hold", 5.0)])
    report = run(model, machine, plant, push=(1.0, 1.2, (20.0, 0.0, 0.0)))
    check(report)
    assert report.t == pytest.approx(5.0, abs=0.01) and 1e-3 < report.sway < 0.02
    assert np.linalg.norm((lo.center_of_mass(model, plant.q) - stance.center)[:2]) < 1e-3


def test_one_hand_is_lifted_in_a_handstand():
    model = lo.systems.load("hrp2_like").model
    stance, control = handstand(model)
    poses = lo.forward_kinematics(model, stance.q)
    left, right = (poses[model.body(f"{side}_palm").index][:3, 3] for side in ("left", "right"))
    phases = [
        lo.Phase("hold", 0.3), lo.Phase("shift", 2.0, center=left[:2]),
        lo.Phase("lift", 1.0, lift="right_palm", up=True, clearance=0.03), lo.Phase("one hand", 0.5),
        lo.Phase("put", 1.0, lift="right_palm", place=right), lo.Phase("back", 2.0, center=stance.center[:2]),
    ]  # fmt: skip
    touching = dict.fromkeys(("left_palm", "right_palm"), (PALM, UP, 0.0))
    report, trajectory = run_hard(model, lo.ContactMachine(control, phases), touching, stance.q)
    check(report)
    heights = [lo.forward_kinematics(model, q)[model.body("right_palm").index][2, 3] for q in trajectory.q]
    assert max(heights) > 0.025 and abs(heights[-1]) < 1e-3


def test_falling_is_said():
    robot = hrp2()
    machine = footholds(robot, [(1, robot.place(robot.feet[1]))])
    plant = ground_plant(robot)
    plant.pushed = robot.model.body("chest").index
    report = run(robot.model, machine, plant, push=(0.1, 0.6, (0.0, 150.0, 0.0)))
    assert "it fell at t =" in report.machine.fallen and not report.machine.done


def test_pushes_delays_and_another_mass():
    """Standing, with torques 2 ms late and a body that is heavier than the controller believes."""
    robot = hrp2()
    heavier = lo.systems.load("hrp2_like", mass=61.0).model
    plant = ground_plant(robot)
    plant.model, plant.pushed = heavier, heavier.body("chest").index
    machine = lo.ContactMachine(robot.control(), [lo.Phase("stand", 1.5)])
    report = run(robot.model, machine, plant, push=(0.3, 0.5, (20.0, 10.0, 0.0)), delay=2)
    assert report.machine.done and not report.machine.fallen and report.unsolved == 0
    assert report.drift < 1e-3 and report.sway < 0.03
