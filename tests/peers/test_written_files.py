"""Files that we write, in the programs whose formats they are: these compute what our model, never a file, computes."""

from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from mechanisms import random_q, relative
from mujoco_peer import Pair
from pinocchio_peer import ROBOTS, pair_of
from reference import Reference
from written_mechanisms import for_mjcf, for_urdf

import locomote as lo

TOLERANCE = 1e-9
SEEDS = range(14)


def states(model, count=3):
    rng, reference = np.random.default_rng(5), Reference(model.description)
    for _ in range(count):
        yield random_q(reference, rng), *rng.normal(size=(2, model.nv))


def for_pinocchio(seed):
    """Pinocchio knows planar joints across z only, and no mimic joints here."""
    description = for_urdf(seed)
    bodies = []
    for body in description.bodies:
        joints = tuple(replace(joint, axis="z") if joint.kind == "planar" else joint for joint in body.joints)
        bodies.append(replace(body, joints=joints))
    if bodies[0].joints and bodies[0].joints[0].name == "base":  # the base is not in the file
        bodies[0] = replace(bodies[0], joints=())
    return lo.Model(replace(description, bodies=tuple(bodies), couplings=()))


@pytest.mark.parametrize("seed", SEEDS)
def test_pinocchio_reads_our_urdf(seed):
    model = for_pinocchio(seed)
    text = lo.write_urdf(model)
    robot = pair_of(lo.Model(lo.read_urdf(text)), pin.buildModelFromXML(text))
    for q, v, a in states(model):
        theirs = robot.back(pin.rnea(robot.theirs, robot.data, robot.q(q), robot.v(v), robot.v(a)))
        assert relative(lo.inverse_dynamics(model, q, v, a), theirs) < TOLERANCE
        pin.framesForwardKinematics(robot.theirs, robot.data, robot.q(q))
        poses = lo.forward_kinematics(model, q)
        for name in model.body_names:
            frame = robot.theirs.getFrameId(name, pin.FrameType.BODY)
            assert frame < robot.theirs.nframes
            assert relative(poses[model.body(name).index], robot.data.oMf[frame].homogeneous) < TOLERANCE


def test_pinocchio_reads_the_limits():
    finite = 0
    for model in map(for_pinocchio, SEEDS):
        theirs = pin.buildModelFromXML(lo.write_urdf(model))
        for name in (name for name in model.joint_names if model.joint(name).kind in ("revolute", "prismatic")):
            ours, joint = model.joint(name).joint, theirs.joints[theirs.getJointId(name)]
            assert theirs.damping[joint.idx_v] == ours.damping and theirs.friction[joint.idx_v] == ours.friction
            if np.isfinite(ours.upper).all():
                assert theirs.upperPositionLimit[joint.idx_q] == ours.upper
                assert theirs.lowerPositionLimit[joint.idx_q] == ours.lower
                finite += 1
    assert finite > 3


def unlimited(text):
    """The pair of a text, with limits switched off in MuJoCo, which would hold them by forces."""
    pair = Pair(text)
    pair.theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return pair


def for_mujoco(seed, **changes):
    """MuJoCo opens meshes, and has planes in the world only."""
    description = for_mjcf(seed)
    bodies = []
    for body in description.bodies:
        visuals = tuple(visual for visual in body.visuals if visual.shape not in ("mesh", "plane"))
        joints = tuple(replace(joint, **changes) for joint in body.joints)
        bodies.append(replace(body, visuals=visuals, joints=joints))
    return replace(description, bodies=tuple(bodies))


@pytest.mark.parametrize("seed", SEEDS)
def test_mujoco_reads_our_mjcf(seed):
    model = lo.Model(replace(for_mujoco(seed, friction=0.0), couplings=()))  # their friction is a constraint
    pair = unlimited(lo.write_mjcf(model))
    for q, v, a in states(model):
        assert relative(lo.mass_matrix(model, q), pair.mass_matrix(q)) < TOLERANCE
        assert relative(lo.inverse_dynamics(model, q, v, a), pair.inverse_dynamics(q, v, a)) < TOLERANCE
        assert relative(lo.passive_force(model, q, v), pair.passive_force(q, v)) < TOLERANCE
        poses = lo.forward_kinematics(model, q)
        for name in model.body_names:
            body, pose = pair.data.body(name), poses[model.body(name).index]
            assert relative(pose[:3, 3], body.xpos) < TOLERANCE and relative(pose[:3, :3], body.xmat.reshape(3, 3)) < TOLERANCE


def test_mujoco_reads_couplings_and_limits():
    model = next(model for model in map(lo.Model, map(for_mujoco, range(0, 60, 3))) if model.coupling)
    pair = Pair(lo.write_mjcf(model.unfolded))
    text = lo.write_mjcf(model)
    theirs = mujoco.MjModel.from_xml_string(text)
    assert theirs.neq == len(model.description.couplings)
    rng, data = np.random.default_rng(1), mujoco.MjData(theirs)
    q = model.coupling.expand_q(random_q(Reference(model.description), rng))
    data.qpos[:] = pair.qpos(q)
    mujoco.mj_forward(theirs, data)
    held = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert len(held) == theirs.neq and np.max(abs(held)) < 1e-12  # where our couplings hold, theirs do
    for name in model.joint_names:
        joint = model.joint(name).joint
        if joint.kind in ("revolute", "prismatic"):
            limits = theirs.joint(name).range if theirs.jnt_limited[theirs.joint(name).id] else (-np.inf, np.inf)
            assert np.array_equal(limits, np.ravel([joint.lower, joint.upper]))
            assert theirs.dof_frictionloss[theirs.joint(name).dofadr[0]] == joint.friction


def test_mujoco_reads_a_robot():
    """From URDF by us to MJCF, against Pinocchio's reading of the URDF."""
    path = ROBOTS / "talos_data/robots/talos_reduced.urdf"
    model = lo.load(path, base="free")
    with pytest.warns(UserWarning, match="velocity_limit"):
        pair = unlimited(lo.write_mjcf(model, unsupported="warn", visuals=False))
    robot = pair_of(model, pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()))
    for q, v, a in states(model, 2):
        theirs = robot.back(pin.rnea(robot.theirs, robot.data, robot.q(q), robot.v(v), robot.v(a)))
        assert relative(pair.inverse_dynamics(q, v, a), theirs) < TOLERANCE
