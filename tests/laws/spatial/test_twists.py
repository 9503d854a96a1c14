"""Poses, twists and wrenches over arrays against NumPy's matrices and mechanical facts."""

import numpy as np
import pytest
import twist_arrays as arrays
from scipy.spatial.transform import Rotation

from locomote.spatial import twists
from locomote.spatial.inertia import skew


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def random_poses(rng, count):
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Rotation.random(count, rng=rng).as_matrix()
    poses[:, :3, 3] = rng.normal(size=(count, 3))
    return poses


def test_poses_compose_and_invert_as_matrices(rng):
    a, b = random_poses(rng, 20), random_poses(rng, 20)
    assert abs(arrays.pose_compose(a, b) - a @ b).max() < 1e-15 * 10
    assert abs(arrays.pose_inverse(a) - np.linalg.inv(a)).max() < 1e-14
    assert np.array_equal(arrays.pose_from(a[:, :3, :3], a[:, :3, 3]), a)


def test_adjoint_carries_a_twist_as_the_pose_carries_its_matrix(rng):
    """g x^ g^-1 = (Ad x)^."""
    for pose in random_poses(rng, 10):
        twist = rng.normal(size=6)

        def matrix(t):
            return np.block([[skew(t[3:]), t[:3, None]], [np.zeros((1, 4))]])

        carried = pose @ matrix(twist) @ np.linalg.inv(pose)
        assert np.allclose(matrix(twists.adjoint(pose) @ twist), carried, rtol=0, atol=1e-14)
        assert np.allclose(matrix(arrays.twist_from_child_to_parent(pose, twist)), carried, rtol=0, atol=1e-14)
        other = rng.normal(size=6)
        commutator = matrix(twist) @ matrix(other) - matrix(other) @ matrix(twist)
        assert np.allclose(matrix(twists.bracket(twist) @ other), commutator, rtol=0, atol=1e-14)


def test_power_is_the_same_in_every_frame(rng):
    poses, twist, wrench = random_poses(rng, 50), rng.normal(size=(50, 6)), rng.normal(size=(50, 6))
    power = (twist * wrench).sum(axis=-1)
    up = (arrays.twist_from_child_to_parent(poses, twist) * arrays.wrench_from_child_to_parent(poses, wrench)).sum(axis=-1)
    down = (arrays.twist_from_parent_to_child(poses, twist) * arrays.wrench_from_parent_to_child(poses, wrench)).sum(axis=-1)
    assert np.allclose(up, power, rtol=0, atol=2e-14) and np.allclose(down, power, rtol=0, atol=2e-14)


def test_up_and_down_undo_each_other(rng):
    poses, x = random_poses(rng, 50), rng.normal(size=(50, 6))
    there = arrays.twist_from_child_to_parent(poses, x)
    assert np.allclose(arrays.twist_from_parent_to_child(poses, there), x, rtol=0, atol=1e-14)
    there = arrays.wrench_from_child_to_parent(poses, x)
    assert np.allclose(arrays.wrench_from_parent_to_child(poses, there), x, rtol=0, atol=1e-14)
    assert np.allclose(there, (arrays.adjoint_dual(poses) @ x[..., None])[..., 0], rtol=0, atol=1e-14)


def test_duals_are_the_transposed_inverses(rng):
    poses, t = random_poses(rng, 20), rng.normal(size=(20, 6))
    assert np.allclose(
        arrays.adjoint_dual(poses), np.swapaxes(np.linalg.inv(twists.adjoint(poses)), -1, -2), rtol=0, atol=1e-13
    )
    assert np.array_equal(arrays.bracket_dual(t), -np.swapaxes(twists.bracket(t), -1, -2))


def test_a_weight_hung_beside_the_origin():
    """A force of 2 N up at 3 m along x has a moment of -6 N m about y."""
    pose = np.eye(4)
    pose[0, 3] = 3.0
    assert np.array_equal(arrays.wrench_from_child_to_parent(pose, [0, 0, 2, 0, 0, 0]), [0, 0, 2, 0, -6, 0])


def test_spinning_parent_sees_the_child_move():
    """A frame at 3 m along x on a body turning at 2 rad/s about z moves at 6 m/s along y."""
    pose = np.eye(4)
    pose[0, 3] = 3.0
    assert np.array_equal(arrays.twist_from_parent_to_child(pose, [0, 0, 0, 0, 0, 2]), [0, 6, 0, 0, 0, 2])


def test_batches_broadcast(rng):
    poses = random_poses(rng, 5)
    assert arrays.twist_from_child_to_parent(poses, rng.normal(size=(3, 1, 6))).shape == (3, 5, 6)
    assert twists.adjoint(poses).shape == twists.bracket(rng.normal(size=(5, 6))).shape == (5, 6, 6)
    assert arrays.pose_compose(poses, np.eye(4)).shape == (5, 4, 4)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: twists.adjoint(np.eye(3)), r"pose has shape \(3, 3\), expected \(..., 4, 4\)"),
        (lambda: twists.bracket(np.zeros(5)), r"twist has shape \(5,\), expected \(..., 6\)"),
        (lambda: arrays.wrench_from_child_to_parent(np.eye(4), np.zeros(5)), r"wrench has shape \(5,\), expected \(..., 6\)"),
        (lambda: arrays.pose_from(np.eye(3), np.zeros(2)), r"position has shape \(2,\), expected \(..., 3\)"),
        (lambda: arrays.pose_from(np.diag([1, 1, -1]), np.zeros(3)), "rotation matrix is a reflection"),
        (lambda: arrays.pose_inverse(np.stack([np.eye(4), np.ones((4, 4))])), r"pose \[1\] has a last row 1 away"),
    ],
)
def test_wrong_inputs_are_refused_in_words(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
