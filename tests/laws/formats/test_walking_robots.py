"""Quadrupeds of example-robot-data trot: feet of the gait by forward kinematics, and the motion on soft ground."""

import numpy as np
import pytest
from example_robots import ROBOTS

import locomote as lo

ANYMAL = {"LF": 1, "RF": 1, "LH": -1, "RH": -1}
SOLO = {"FL": 1, "FR": 1, "HL": -1, "HR": -1}
CASES = {
    "anymal_b_simple_description/robots/anymal.urdf": (
        ["LH_FOOT", "RH_FOOT", "LF_FOOT", "RF_FOOT"],
        {f"{leg}_{j}": s * a for leg, s in ANYMAL.items() for j, a in (("HFE", 0.4), ("KFE", -0.8))}, 0.06,
    ),
    "go2_description/urdf/go2.urdf": (
        ["RL_foot", "RR_foot", "FL_foot", "FR_foot"],
        {f"{leg}_{j}_joint": a for leg in ("FL", "FR", "RL", "RR") for j, a in (("thigh", 0.8), ("calf", -1.6))}, 0.06,
    ),
    "solo_description/robots/solo12.urdf": (
        ["HL_FOOT", "HR_FOOT", "FL_FOOT", "FR_FOOT"],
        {f"{leg}_{j}": s * a for leg, s in SOLO.items() for j, a in (("HFE", 0.7), ("KFE", -1.4))}, 0.03,
    ),
}  # fmt: skip


@pytest.mark.parametrize("file", CASES)
def test_quadrupeds_trot(file):
    feet, legs, lift = CASES[file]
    robot = lo.load(ROBOTS / file, base="free")
    q, rows = robot.neutral(), [robot.body_index(foot) for foot in feet]
    for name, angle in legs.items():
        q[robot.joint(name).q] = angle
    q[2] = -lo.forward_kinematics(robot, q)[rows, 2, 3].min()
    rhythm = lo.control.gait("trot", 4, period=0.5)
    targets = lo.control.stepping(robot, feet, rhythm, q, speed=0.3, height=lift)
    start = lo.forward_kinematics(robot, q)[rows, :3, 3]
    for t in (0.1, 0.33, 0.71):
        there = q.copy()
        for name, drive in targets.items():
            there[robot.joint(name).q] = drive(t)[0]
        wanted = [lo.control.foot_motion(rhythm, k, t, speed=0.3, height=lift)[0] for k in range(4)]
        moved = lo.forward_kinematics(robot, there)[rows, :3, 3] - start
        assert np.allclose(moved[:, [0, 2]], wanted, atol=2e-4) and abs(moved[:, 1]).max() < 1e-4
    ground = lo.SoftGround(
        {foot: [(0, 0, 0)] for foot in feet}, 1e3 * robot.mass, 50 * robot.mass, sliding="viscous", viscosity=30 * robot.mass
    )
    problem = lo.Locomotion(robot, torques=lo.ComputedTorque(targets, 400.0, 40.0), environment=[ground])
    run = problem.simulate(2.0, q=q, v=[0.3, *np.zeros(robot.nv - 1)], samples=np.arange(0.0, 2.01, 0.02), progress=False)
    up = 1 - 2 * (run.q[:, 3] ** 2 + run.q[:, 4] ** 2)
    assert 0.35 < run.q[-1, 0] < 0.65 and up.min() > 0.98 and abs(run.q[:, 2] - q[2]).max() < 0.03


def test_what_cannot_be_stepped():
    robot = lo.systems.load("quadruped").model
    feet = [f"{leg}_foot" for leg in ("rear_left", "rear_right", "front_left", "front_right")]
    rhythm = lo.control.gait("trot", 4)
    with pytest.raises(ValueError, match="4 legs, 3 feet"):
        lo.control.stepping(robot, feet[:3], rhythm, robot.neutral(), speed=0.3, height=0.05)
    with pytest.raises(lo.Unreachable, match="m away"):
        lo.control.stepping(robot, feet, rhythm, robot.neutral(), speed=2.0, height=0.05)


def test_legs_with_rods_step_by_their_joints():
    """Shanks that bend have no motor: targets are of hips and knees, and feet go where they should on straight shanks."""
    builder = lo.Builder("soft legs", base="free").body("trunk", inertia=lo.Inertia(5.0, moment=(0.2, 0.2, 0.2)))
    feet = []
    for k, at in enumerate(((-0.2, 0.1), (-0.2, -0.1), (0.2, 0.1), (0.2, -0.1))):
        builder.body(f"thigh {k}", parent="trunk", at=(*at, 0.0), joint=lo.Joint(f"hip {k}", axis="y"), inertia=lo.Inertia(0.5))
        knee = lo.Joint(f"knee {k}", axis="y")
        down = np.eye(4)
        down[:3, :3], down[:3, 3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], (0.0, 0.0, -0.2)
        rod = lo.Rod(0.2, lo.Section.circle(0.01), lo.Material(1000, 1e7), strains="bending_y", order=1)
        builder.body(f"shank {k}", parent=f"thigh {k}", at=down, joint=knee, flex=rod)
        builder.body(f"foot {k}", parent=f"shank {k}", inertia=lo.Inertia(0.05))
        feet.append(f"foot {k}")
    robot = builder.build()
    q = robot.neutral()
    for k in range(4):
        q[robot.joint(f"hip {k}").q], q[robot.joint(f"knee {k}").q] = 0.4, -0.8
    targets = lo.control.stepping(robot, feet, lo.control.gait("trot", 4, period=0.5), q, speed=0.1, height=0.02)
    assert sorted(targets) == sorted(f"{joint} {k}" for joint in ("hip", "knee") for k in range(4))
    soft = lo.systems.load("soft_quadruped").model
    with pytest.raises(ValueError, match="no joint of model .* is driven"):
        lo.control.stepping(soft, soft.body_names[-4:], lo.control.gait("trot", 4), soft.neutral(), speed=0.1, height=0.01)
