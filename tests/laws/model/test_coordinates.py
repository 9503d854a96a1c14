"""The manifold of configurations: moving along it, differences, and the axioms that both obey."""

import numpy as np
from mechanisms import random_q, relative
from reference import elementary

TOLERANCE = 1e-11


def other_q(case, salt=70):
    return random_q(case.reference, case.rng(salt))


def joint_poses(reference, q):
    """Poses of all factors of all joints, as {(joint, factor): 4x4}."""
    result = {}
    for joint in reference.joints:
        for n, (X, _) in enumerate(elementary(joint, reference.coordinates(joint.name, np.asarray(q))[0])):
            result[joint.name, n] = X
    return result


def same_configuration(case, q, p):
    ours, theirs = joint_poses(case.reference, q), joint_poses(case.reference, p)
    return max((abs(ours[key] - theirs[key]).max() for key in ours), default=0.0) < TOLERANCE


def test_integrate_is_the_exponential(case):
    """Against the matrix exponential of the velocity, joint by joint; long and short steps."""
    for scale in (1.0, 1e-3, 1e-9):
        dv = scale * case.v
        expected = case.reference.moved(case.q, dv)
        ours = joint_poses(case.reference, case.model.integrate(case.q, dv))
        for key, pose in expected.items():
            assert abs(ours[key] - pose).max() < TOLERANCE, key


def test_integrate_nothing_is_the_identity(case):
    assert relative(case.model.integrate(case.q, np.zeros(case.model.nv)), case.q) < 1e-15


def test_integrate_keeps_quaternions_unit(case):
    q = case.q
    for _ in range(50):
        q = case.model.integrate(q, 0.3 * case.v)
    case.model.checked_q(q)
    assert relative(case.model.normalize(q), q) < 1e-14


def test_half_steps_make_a_step(case):
    half = case.model.integrate(case.model.integrate(case.q, 0.5 * case.v), 0.5 * case.v)
    assert same_configuration(case, half, case.model.integrate(case.q, case.v))


def test_back_and_forth(case):
    back = case.model.integrate(case.model.integrate(case.q, case.v), -case.v)
    assert same_configuration(case, back, case.q)


def test_difference_undoes_integrate(case):
    """For steps that turn less than half a turn."""
    step = case.v * min(1.0, 2.0 / max(1.0, np.linalg.norm(case.v)))
    assert relative(case.model.difference(case.q, case.model.integrate(case.q, step)), step) < TOLERANCE


def test_integrate_undoes_difference(case):
    for salt in (70, 71, 72):
        p = other_q(case, salt)
        assert same_configuration(case, case.model.integrate(case.q, case.model.difference(case.q, p)), p)


def test_difference_is_antisymmetric(case):
    p = case.model.integrate(case.q, 0.3 * case.v)
    assert relative(case.model.difference(p, case.q), -case.model.difference(case.q, p)) < TOLERANCE


def test_difference_of_equals_is_zero(case):
    assert abs(case.model.difference(case.q, case.q)).max() < 1e-15


def test_opposite_quaternions_are_the_same_place(case):
    q = np.array(case.q)
    for joint in case.reference.joints:
        if joint.kind in ("spherical", "free"):
            place = case.reference.places[joint.name][0]
            q[place.stop - 4 : place.stop] *= -1
    assert same_configuration(case, q, case.q)
    step = 0.3 * case.v
    assert relative(case.model.difference(q, case.model.integrate(case.q, step)), step) < TOLERANCE


def test_neutral(case):
    """All coordinates zero, rotations the identity: bodies stand where their placements say, up to references."""
    q = case.model.neutral()
    case.model.checked_q(q)
    assert np.count_nonzero(q) == sum(joint.kind in ("spherical", "free") for joint in case.reference.joints)
    for (name, _), pose in joint_poses(case.reference, q).items():
        joint = case.model.joint(name)
        if not joint.coupled and not joint.joint.reference:
            assert abs(pose - np.eye(4)).max() < 1e-15


def test_random_is_on_the_manifold_and_repeats(case):
    q = case.model.random(3, (4, 5))
    assert q.shape == (4, 5, case.model.nq)
    case.model.checked_q(q)
    assert np.array_equal(q, case.model.random(np.random.default_rng(3), (4, 5)))
    assert not np.array_equal(q, case.model.random(4, (4, 5)))
