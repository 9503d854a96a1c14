"""Robots of files on the ground: they stand, carry their weight, and do not drift."""

import numpy as np
import pytest
from helpers.example_robots import ROBOTS

import locomote as lo
from locomote.contact.collisions import lowest, parts_of
from locomote.locomotion.posture import feet_of

QUADRUPED = "go2_description/urdf/go2.urdf"
STANDING = {
    QUADRUPED: 4,  # hulls of meshes
    "anymal_b_simple_description/robots/anymal.urdf": 4,
    "talos_data/robots/talos_reduced.urdf": 2,  # soles with bumps
    "romeo_description/urdf/romeo.urdf": 2,  # fingers without mass
}


def loaded(name, **options):
    return lo.load(ROBOTS / name, base="free", **options)


@pytest.mark.parametrize("name", STANDING)
def test_robots_stand(name):
    robot = loaded(name)
    problem = lo.on_ground(robot)
    run = problem.simulate(10.0, step=2e-3, every=0.05)
    settled = run.q[run.t > 5.0]
    assert abs(settled - settled[-1]).max() < 1e-6 and run.tracked["contact_law"][0] == 0 and run.audit.ok
    assert abs(run.contact_forces[-1].sum(axis=0) - [0, 0, 9.81 * robot.mass]).max() < 1e-3 * robot.mass
    assert abs(run.q[-1, 2] - run.q[0, 2]) < 5e-3 and abs(run.q[-1, 3:6]).max() < 5e-3


@pytest.mark.parametrize("name", STANDING)
def test_feet_are_found_below_the_center_of_mass(name):
    robot = loaded(name)
    parts = [part for shape in robot.collisions for part in parts_of(shape)]
    feet = feet_of(robot, parts, robot.neutral(), np.array([0.0, 0.0, 1.0]))
    assert len(feet) == STANDING[name]
    problem = lo.on_ground(robot)
    q = problem.start[0]
    poses = lo.forward_kinematics(problem.model, q)
    places = [(poses[problem.model.body_index(foot.body)] @ [*foot.place, 1.0])[:3] for foot in feet]
    assert abs(np.mean(places, axis=0)[:2] - lo.center_of_mass(problem.model, q)[:2]).max() < 5e-3
    assert abs(np.array(places)[:, 2]).max() < 5e-3


def test_it_is_put_on_slopes_stairs_and_hills():
    robot = loaded(QUADRUPED)

    def hill(x, y):
        return 0.1 * np.sin(x), 0.1 * np.cos(x), 0.0, -0.1 * np.sin(x), 0.0, 0.0

    for surface in (lo.Plane.slope(0.2), lo.Steps(0.3, 0.1, 3, point=(0.4, 0.0, 0.0)), lo.HeightField(hill)):
        problem = lo.on_ground(robot, lo.Ground(surface))
        run = problem.simulate(0.5, step=2e-3)
        assert abs(run.q[-1] - run.q[0]).max() < 0.05 and run.tracked["contact_law"][0] == 0


def test_postures_and_drops():
    robot = loaded(QUADRUPED)
    joints = {
        f"{leg}_{part}_joint": value for leg in ("FL", "FR", "RL", "RR") for part, value in (("thigh", 0.8), ("calf", -1.6))
    }
    said = lo.on_ground(robot, posture=joints).start[0]
    assert all(said[robot.joint(name).q] == value for name, value in joints.items())
    again = lo.on_ground(robot, posture=said, drop=0.1).start[0]
    assert np.isclose(again[2], said[2] + 0.1) and np.array_equal(again[3:], said[3:])
    free = lo.on_ground(robot, hold=False)
    assert not free.springs and free.contacts
    feet = lo.on_ground(robot, bodies=["FL_foot", "FR_foot", "RL_foot", "RR_foot"])
    assert len(feet.contacts) == 5 and abs(feet.start[0] - free.start[0]).max() < 1e-9


def test_shapes_reach_down_to_their_lowest_points():
    random = np.random.default_rng(1)
    for shape, size in (("box", (0.1, 0.2, 0.3)), ("sphere", (0.1,)), ("capsule", (0.1, 0.3)), ("cylinder", (0.1, 0.3))):
        pose = np.eye(4)
        pose[:3, :3] = np.linalg.qr(random.normal(size=(3, 3)))[0]
        pose[:3, :3] *= np.sign(np.linalg.det(pose[:3, :3]))
        pose[:3, 3] = random.normal(size=3)
        body = lo.Builder("b", base="free").body(
            "b", inertia=lo.Inertia.sphere(1, 1), collisions=[lo.Collision(shape, size, pose)]
        ).build()  # fmt: skip
        low = min(lowest(part, np.eye(4), np.array([0.0, 0, 1])) for part in parts_of(body.collisions[0]))
        assert np.isclose(lo.on_ground(body, posture={}).start[0][2], -low)


def test_what_cannot_stand_is_said():
    robot = loaded(QUADRUPED)
    with pytest.raises(ValueError, match="one base, and that is free"):
        lo.on_ground(lo.load(ROBOTS / QUADRUPED))
    with pytest.raises(ValueError, match="no collision shapes"):
        lo.on_ground(lo.Builder("b", base="free").body("b", inertia=lo.Inertia.sphere(1, 1)).build())
    with pytest.raises(ValueError, match="drop"):
        lo.on_ground(robot, drop=-1)
    with pytest.raises(TypeError, match=r"lo\.Ground"):
        lo.on_ground(robot, lo.Plane())
    with pytest.raises(LookupError, match="nonsense"):
        lo.on_ground(robot, posture="nonsense")
    with pytest.raises(LookupError, match="knee"):
        lo.on_ground(robot, posture={"knee": 1.0})
    with pytest.raises(LookupError, match="paw"):
        lo.on_ground(robot, bodies=["paw"])
    for shape, word in ((lo.Collision("mesh", (1, 1, 1), file="no.stl"), "no such file"), (lo.Collision("box", (1,)), "size")):
        made = lo.Builder("b", base="free").body("b", inertia=lo.Inertia.sphere(1, 1), collisions=[shape]).build()
        with pytest.raises(ValueError, match=word):
            lo.on_ground(made)
