"""Humanoids in closed loop at 1 kHz with a plant that the controller does not own: steps, hand on a wall, handstand.

Friction of the ground is 0.7, that of the controller 0.6. A contact's drift is how far it moved along the ground while it was
one, from a tenth of a second after it landed.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "formats"))

from plant import Plant
from scenarios import UP, footholds, from_file, ground_plant, hand_on_wall, handstand, hrp2, run, single_support

import locomote as lo


def check(report):
    """What every scenario must show."""
    assert report.machine.done, report.machine.fallen
    assert not report.machine.fallen
    assert report.unsolved == 0
    assert report.torque_use <= 1.0 and report.friction_use <= 1.0 + 1e-9
    assert report.drift < 1e-3
    assert report.quaternion < 1e-9 and report.balance < 1e-8 and report.residual < 1e-7


def test_double_single_double_support():
    robot = hrp2()
    check(run(robot.model, single_support(robot), ground_plant(robot)))


def test_steps_over_footholds():
    robot = hrp2()
    left, right = (robot.place(foot) for foot in robot.feet)
    ahead = np.array([0.12, 0.0, 0.0])
    report = run(robot.model, footholds(robot, [(1, right + ahead), (0, left + ahead)]), ground_plant(robot))
    check(report)
    moved = lo.center_of_mass(robot.model, report.q[-1]) - lo.center_of_mass(robot.model, report.q[0])
    assert moved[0] > 0.1


@pytest.mark.parametrize("name", ["talos", "g1"])
def test_steps_of_robots_from_files(name):
    from example_robots import ROBOTS

    robot = from_file(name, ROBOTS)
    right = robot.place(robot.feet[1])
    check(run(robot.model, footholds(robot, [(1, right + [0.05, 0.0, 0.0])]), ground_plant(robot)))


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


def test_handstand_push_and_hand_lift():
    model = lo.systems.load("hrp2_like").model
    stance, control = handstand(model)
    assert stance.holds and stance.error < 1e-6
    palm = lo.rectangle(0.14, 0.10)
    plant = Plant(model, dict.fromkeys(("left_palm", "right_palm"), (palm, UP, 0.0)), stance.q)
    plant.pushed = model.body("waist").index
    left = lo.forward_kinematics(model, stance.q)[model.body("left_palm").index][:3, 3]
    right = lo.forward_kinematics(model, stance.q)[model.body("right_palm").index][:3, 3]
    phases = [
        lo.Phase("hold", 5.0), lo.Phase("shift", 2.0, center=left[:2]),
        lo.Phase("lift", 1.0, lift="right_palm", up=True, clearance=0.03), lo.Phase("one hand", 0.5),
        lo.Phase("put", 1.0, lift="right_palm", place=right),
    ]  # fmt: skip
    report = run(model, lo.ContactMachine(control, phases), plant, push=(1.0, 1.2, (20.0, 0.0, 0.0)))
    check(report)
    assert {name: t for t, name in report.machine.log}["shift"] == pytest.approx(5.0, abs=0.01)


def test_falling_is_said():
    robot = hrp2()
    machine = footholds(robot, [(1, robot.place(robot.feet[1]))])
    plant = ground_plant(robot)
    plant.pushed = robot.model.body("chest").index
    report = run(robot.model, machine, plant, push=(0.1, 0.6, (0.0, 150.0, 0.0)))
    assert "it fell at t =" in report.machine.fallen and not report.machine.done


def test_pushes_delays_and_another_mass():
    """Standing, with torques 2 ms late and a trunk that is heavier than the controller believes."""
    robot = hrp2()
    heavier = lo.systems.load("hrp2_like", mass=61.0).model
    plant = ground_plant(robot)
    plant.model, plant.pushed = heavier, heavier.body("chest").index
    machine = lo.ContactMachine(robot.control(), [lo.Phase("stand", 1.5)])
    report = run(robot.model, machine, plant, push=(0.3, 0.5, (20.0, 10.0, 0.0)), delay=2)
    assert report.machine.done and not report.machine.fallen and report.unsolved == 0
    assert report.drift < 1e-3 and report.sway < 0.03
