"""Every URDF file of example-robot-data: loads as Pinocchio loads it, or fails with a true sentence."""

import numpy as np
import pinocchio
import pytest
from example_robots import ROBOTS, URDFS
from formats_kinematics import body_poses, random_coordinates

from locomote.errors import ModelError
from locomote.formats.urdf.reader import read_urdf

FAIL = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "mimics joint 'index_q1', which is not in the file",
    "ur_description/urdf/ur3.urdf": "there is no <link>",
}
LOADABLE = [name for name in URDFS if name != "ur_description/urdf/ur3.urdf"]


def test_there_are_robots():
    assert len(URDFS) > 60


@pytest.mark.parametrize("name", FAIL)
def test_fails_with_a_true_sentence(name):
    with pytest.raises(ModelError, match=FAIL[name]):
        read_urdf(ROBOTS / name)


@pytest.mark.parametrize("name", LOADABLE)
def test_is_what_pinocchio_reads(name):
    description = read_urdf(ROBOTS / name, mimic=name not in FAIL)
    model = pinocchio.buildModelFromUrdf(str(ROBOTS / name))
    q = random_coordinates(description, np.random.default_rng(1))
    theirs = pinocchio.neutral(model)
    names = {joint.name for body in description.bodies for joint in body.moving}
    assert names == set(list(model.names)[1:])
    for joint_name, value in q.items():
        joint = model.joints[model.getJointId(joint_name)]
        theirs[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, theirs)
    poses = body_poses(description, q)
    for body in description.bodies:
        frame = model.getFrameId(body.name, pinocchio.FrameType.BODY)
        np.testing.assert_allclose(poses[body.name], data.oMf[frame].homogeneous, atol=1e-12, err_msg=body.name)
    for joint_name, inertia in lumped(description).items():
        theirs = model.inertias[0 if joint_name is None else model.getJointId(joint_name)]
        np.testing.assert_allclose(inertia.mass, theirs.mass, rtol=1e-12)
        np.testing.assert_allclose(inertia.mass * inertia.com, theirs.mass * theirs.lever, atol=1e-12)
        np.testing.assert_allclose(inertia.about_origin, about_origin(theirs), atol=1e-12, rtol=1e-9)


def lumped(description):
    """{joint: inertia of its body and of all that is fixed to it, in the frame of that body}; None for the fixed base."""
    total, carrier, reach = {}, {}, {}
    for body in description.bodies:
        moves = bool(body.moving)
        carrier[body.name] = body.moving[0].name if moves else carrier.get(body.parent)
        reach[body.name] = np.eye(4) if moves or body.parent is None else reach[body.parent] @ body.placement
        if body.inertia is not None:
            moved = body.inertia.moved(reach[body.name])
            total[carrier[body.name]] = total[carrier[body.name]] + moved if carrier[body.name] in total else moved
    return total


def about_origin(inertia):
    away = pinocchio.skew(inertia.lever)
    return inertia.inertia - inertia.mass * away @ away


@pytest.mark.parametrize("name", [name for name in URDFS if name not in FAIL])
def test_free_base_and_meshes(name):
    description = read_urdf(ROBOTS / name)
    free = description.with_base("free")
    assert free.bodies[0].joints[0].kind == "free"
    meshes = [visual for body in description.bodies for visual in body.visuals if visual.shape == "mesh"]
    if name != "romeo_description/urdf/romeo_laas_small.urdf":  # its meshes are named by a path of its authors' machine
        assert all(visual.file.startswith(str(ROBOTS.parent)) for visual in meshes)


def test_limits_are_those_of_pinocchio():
    description = read_urdf(ROBOTS / "talos_data/robots/talos_reduced.urdf")
    model = pinocchio.buildModelFromUrdf(description.source)
    for joint in (joint for body in description.bodies for joint in body.moving):
        theirs = model.joints[model.getJointId(joint.name)]
        assert joint.lower == model.lowerPositionLimit[theirs.idx_q]
        assert joint.upper == model.upperPositionLimit[theirs.idx_q]
        assert joint.velocity_limit == model.velocityLimit[theirs.idx_v]
        assert joint.damping == model.damping[theirs.idx_v]
