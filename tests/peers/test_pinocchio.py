"""Every robot of example-robot-data, on a fixed and on a free base, in Pinocchio and here: the same numbers to 1e-9.

Mimic joints are let loose, as Pinocchio does. Two files have joints that move no mass at all: there forward dynamics must say
so, and everything else is still compared. Elsewhere the mass matrix has condition numbers up to 1e9, from fingers of some
grams; accelerations are compared by their residual in the equations of motion, which no condition blows up, and directly below
a condition of 1e8. Their derivatives are compared with those that follow from Pinocchio's mass matrix, inverted to all digits,
and from its derivatives of inverse dynamics; with its own directly below 1e7. Above it (the iCub), Pinocchio's inverse of
its mass matrix is 6e-10 to 1e-7 away from the true inverse of it, ours 1e-11 from that of ours.
"""

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_peer import URDFS, pair

import locomote as lo
from locomote.model.columns import MASS

TOLERANCE = 1e-9
REGULAR, TAME = 1e8, 1e7  # condition numbers up to which accelerations and their derivatives are compared directly
FRAMES = {"local": pin.LOCAL, "world": pin.WORLD, "aligned": pin.LOCAL_WORLD_ALIGNED}
STATES = 2
# grippers and fingers without mass at the end of a chain
SINGULAR = {"romeo_description/urdf/romeo.urdf", "romeo_description/urdf/romeo_laas_small.urdf"}


def relative(x, y, scale=0.0):
    """Largest difference relative to the largest number involved."""
    x, y = np.asarray(x), np.asarray(y)
    assert x.shape == y.shape
    size = max(np.max(abs(y), initial=0.0), scale)
    return float(np.max(abs(x - y), initial=0.0) / size) if size > 0 else float(np.max(abs(x), initial=0.0))


@pytest.fixture(params=URDFS, scope="module")
def name(request):
    return request.param


@pytest.fixture(params=["fixed", "free"], scope="module")
def robot(name, request):
    both = pair(name, request.param)
    if both.ours.nv == 0:
        pytest.skip("nothing moves")
    return both


def states(robot):
    """Random states in both orders."""
    rng = np.random.default_rng(11)
    for _ in range(STATES):
        q, (v, x) = robot.ours.random(rng), rng.normal(size=(2, robot.ours.nv))
        yield q, v, x, robot.q(q), robot.v(v), robot.v(x)


def mass_of(robot, q):
    """Pinocchio's mass matrix in our order."""
    M = np.array(pin.crba(robot.theirs, robot.data, q))
    return robot.back(np.triu(M) + np.triu(M, 1).T, axes=2)


def test_sizes(robot):
    assert robot.ours.nv == robot.theirs.nv
    moving = sum(inertia.mass for inertia in list(robot.theirs.inertias)[1:])
    assert robot.ours.constants[:-1, MASS].sum() == pytest.approx(moving, rel=1e-12)


def test_inverse_dynamics(robot):
    for q, v, a, pq, pv, pa in states(robot):
        theirs = robot.back(pin.rnea(robot.theirs, robot.data, pq, pv, pa))
        assert relative(lo.inverse_dynamics(robot.ours, q, v, a), theirs) < TOLERANCE
        bias = robot.back(pin.nonLinearEffects(robot.theirs, robot.data, pq, pv))
        assert relative(lo.bias_force(robot.ours, q, v), bias) < TOLERANCE
        gravity = robot.back(pin.computeGeneralizedGravity(robot.theirs, robot.data, pq))
        assert relative(lo.gravity_force(robot.ours, q), gravity) < TOLERANCE


def test_inverse_dynamics_with_wrenches(robot):
    """A wrench on every body that has a joint of its own."""
    rng = np.random.default_rng(12)
    for q, v, a, pq, pv, pa in states(robot):
        external = [pin.Force.Zero() for _ in range(robot.theirs.njoints)]
        wrenches = {}
        for joint, other in robot.joints.items():
            wrench = rng.normal(size=6)
            external[other.id] = pin.Force(wrench)
            wrenches[robot.ours.joint(joint).body] = wrench
        theirs = robot.back(pin.rnea(robot.theirs, robot.data, pq, pv, pa, external))
        assert relative(lo.inverse_dynamics(robot.ours, q, v, a, wrenches=wrenches), theirs) < TOLERANCE


def test_joint_wrenches(robot):
    """Its joint frames are our body frames; where they have joints of their own, links that are fixed belong to both sides."""
    known = {name: k for k, name in enumerate(robot.theirs.names)}
    if "root_joint" in known:
        known[robot.ours.joint_names[0]] = known["root_joint"]
    for q, v, a, pq, pv, pa in states(robot):
        pin.rnea(robot.theirs, robot.data, pq, pv, pa)
        ours = lo.joint_wrenches(robot.ours, q, v, a)
        joints = [name for name in robot.ours.joint_names if name in known]
        found = np.array([ours[robot.ours.body_index(robot.ours.joint(name).body)] for name in joints])
        theirs = np.array([robot.data.f[known[name]].vector for name in joints])
        assert joints and relative(found, theirs) < TOLERANCE


def test_mass_matrix(robot):
    for q, _, _, pq, _, _ in states(robot):
        assert relative(lo.mass_matrix(robot.ours, q), mass_of(robot, pq)) < TOLERANCE


def test_forward_dynamics(name, robot):
    for q, v, tau, pq, pv, ptau in states(robot):
        M = mass_of(robot, pq)
        bias = robot.back(pin.nonLinearEffects(robot.theirs, robot.data, pq, pv))
        try:
            ours = lo.forward_dynamics(robot.ours, q, v, tau)
        except lo.SingularMassMatrix:
            assert np.linalg.cond(M) > 1e12 and name in SINGULAR
            continue
        scale = abs(M).max() * abs(ours).max() + abs(bias).max()
        assert abs(M @ ours + bias - tau).max() < TOLERANCE * scale
        if np.linalg.cond(M) < REGULAR:
            assert relative(ours, robot.back(pin.aba(robot.theirs, robot.data, pq, pv, ptau))) < TOLERANCE


def test_momentum(robot):
    for q, v, _, pq, pv, _ in states(robot):
        theirs = robot.back(pin.computeCentroidalMap(robot.theirs, robot.data, pq))
        assert relative(lo.momentum_matrix(robot.ours, q), theirs) < TOLERANCE
        center = pin.centerOfMass(robot.theirs, robot.data, pq)
        assert relative(lo.center_of_mass(robot.ours, q), center, scale=1.0) < TOLERANCE
        assert (
            relative(lo.kinetic_energy(robot.ours, q, v), pin.computeKineticEnergy(robot.theirs, robot.data, pq, pv))
            < TOLERANCE
        )
        energy = pin.computePotentialEnergy(robot.theirs, robot.data, pq)
        weight = robot.theirs.gravity.linear @ np.array([0.0, 0.0, -1.0]) * sum(i.mass for i in robot.theirs.inertias)
        assert relative(lo.potential_energy(robot.ours, q), energy, scale=weight) < TOLERANCE


def test_momentum_rate(robot):
    for q, v, a, pq, pv, pa in states(robot):
        theirs = pin.computeCentroidalMomentumTimeVariation(robot.theirs, robot.data, pq, pv, pa)
        assert relative(lo.momentum_rate(robot.ours, q, v, a), theirs.vector) < TOLERANCE


def some_frames(robot):
    """Up to eight links: the first, the last, and some in between, welded ones among them."""
    names = robot.ours.body_names
    fixed = [name for name in names if not robot.ours.body(name).joints]
    moved = [name for name in names if robot.ours.body(name).joints]
    chosen = [*fixed[:: max(1, len(fixed) // 3)], *moved[:: max(1, len(moved) // 3)], names[-1]]
    return {name: robot.theirs.getFrameId(name, pin.FrameType.BODY) for name in chosen}


def test_poses_and_jacobians(robot):
    for q, v, _, pq, pv, _ in states(robot):
        pin.computeJointJacobiansTimeVariation(robot.theirs, robot.data, pq, pv)
        pin.updateFramePlacements(robot.theirs, robot.data)
        poses = lo.forward_kinematics(robot.ours, q)
        for body, frame in some_frames(robot).items():
            assert frame < robot.theirs.nframes
            pose = robot.data.oMf[frame].homogeneous
            assert relative(poses[robot.ours.body(body).index], pose, scale=1.0) < TOLERANCE
            for kind, reference in FRAMES.items():
                theirs = robot.back(pin.getFrameJacobian(robot.theirs, robot.data, frame, reference))
                assert relative(lo.jacobian(robot.ours, q, body, frame=kind), theirs, scale=1.0) < TOLERANCE
                rate = robot.back(pin.getFrameJacobianTimeVariation(robot.theirs, robot.data, frame, reference))
                assert relative(lo.jacobian_rate(robot.ours, q, v, body, frame=kind), rate, scale=1.0) < TOLERANCE


def test_motion_of_all_bodies(robot):
    """In "aligned", what Pinocchio calls classical accelerations."""
    for q, v, a, pq, pv, pa in states(robot):
        pin.forwardKinematics(robot.theirs, robot.data, pq, pv, pa)
        pin.updateFramePlacements(robot.theirs, robot.data)
        for kind, reference in FRAMES.items():
            ours = lo.motion(robot.ours, q, v, a, frame=kind)
            rate_of = pin.getFrameClassicalAcceleration if kind == "aligned" else pin.getFrameAcceleration
            for body, frame in some_frames(robot).items():
                k = robot.ours.body(body).index
                twist = pin.getFrameVelocity(robot.theirs, robot.data, frame, reference).vector
                rate = rate_of(robot.theirs, robot.data, frame, reference).vector
                assert relative(ours.poses[k], robot.data.oMf[frame].homogeneous, scale=1.0) < TOLERANCE
                assert relative(ours.twists[k], twist, scale=1.0) < TOLERANCE
                assert relative(ours.accelerations[k], rate, scale=1.0) < TOLERANCE


def true_inverse(M):
    """M^-1, to more digits than a float has: Newton's steps from one that has some."""
    M, inverse = M.astype(np.longdouble), np.linalg.inv(M).astype(np.longdouble)
    for _ in range(5):
        inverse = inverse + inverse @ (np.eye(len(M)) - M @ inverse)
    return inverse.astype(float)


def test_inverse_dynamics_derivatives(robot):
    for q, v, a, pq, pv, pa in states(robot):
        theirs = pin.computeRNEADerivatives(robot.theirs, robot.data, pq, pv, pa)
        ours = lo.inverse_dynamics_derivatives(robot.ours, q, v, a)
        M = mass_of(robot, pq)
        assert relative(ours.q, robot.back(theirs[0], axes=2), scale=abs(M).max()) < TOLERANCE
        assert relative(ours.v, robot.back(theirs[1], axes=2), scale=abs(M).max()) < TOLERANCE
        assert relative(ours.a, M) < TOLERANCE


def test_forward_dynamics_derivatives(name, robot):
    """da/dq = -M^-1 dtau/dq: by residual, and directly."""
    for q, v, tau, pq, pv, ptau in states(robot):
        M = mass_of(robot, pq)
        try:
            ours = lo.forward_dynamics_derivatives(robot.ours, q, v, tau)
            a = lo.forward_dynamics(robot.ours, q, v, tau)
        except lo.SingularMassMatrix:
            assert np.linalg.cond(M) > 1e12 and name in SINGULAR
            continue
        inverse = pin.computeRNEADerivatives(robot.theirs, robot.data, pq, pv, robot.v(a))
        true = true_inverse(M)
        assert relative(ours.tau, true) < TOLERANCE
        for mine, other in zip((ours.q, ours.v), inverse[:2], strict=True):
            slope = robot.back(other, axes=2)
            assert relative(mine, -(true @ slope), scale=1.0) < TOLERANCE
            assert abs(M @ mine + slope).max() < TOLERANCE * (abs(M).max() * max(1.0, abs(mine).max()) + abs(slope).max())
        unit = abs(M).max() * abs(ours.tau).max()
        assert abs(M @ ours.tau - np.eye(robot.ours.nv)).max() < TOLERANCE * max(1.0, unit)
        if np.linalg.cond(M) < TAME:
            theirs = pin.computeABADerivatives(robot.theirs, robot.data, pq, pv, ptau)
            for mine, other in zip(ours, theirs, strict=True):
                assert relative(mine, robot.back(other, axes=2), scale=0.0 if mine is ours.tau else 1.0) < TOLERANCE


def test_batch_is_pinocchio_row_by_row(robot):
    """The lanes, too."""
    given = [list(s) for s in states(robot)] * 5
    q, v, x = (np.array([s[k] for s in given]) for k in range(3))
    theirs = np.array([robot.back(pin.rnea(robot.theirs, robot.data, *s[3:])) for s in given])
    assert relative(lo.inverse_dynamics(robot.ours, q, v, x), theirs) < TOLERANCE
    masses = np.array([mass_of(robot, s[3]) for s in given])
    assert relative(lo.mass_matrix(robot.ours, q), masses) < TOLERANCE


def test_there_are_robots():
    assert len(URDFS) > 60


@pytest.mark.parametrize(
    ("file", "base"), [("panda_description/urdf/panda.urdf", "fixed"), ("talos_data/robots/talos_reduced.urdf", "free")]
)
def test_regressor(file, base):
    """Columns of the body that hangs on a joint; the frames of both are the same."""
    robot = pair(file, base)
    for q, v, a, pq, pv, pa in states(robot):
        Y = lo.regressor(robot.ours, q, v, a)
        other = robot.back(pin.computeJointTorqueRegressor(robot.theirs, robot.data, pq, pv, pa).T).T
        for name, joint in robot.joints.items():
            k = robot.ours.body(robot.ours.joint(name).body).index
            assert relative(Y[:, 10 * k : 10 * k + 10], other[:, 10 * (joint.id - 1) : 10 * joint.id]) < TOLERANCE
