"""Rules of joints that users must know and cannot see: the directions of a planar joint, and where armature may be."""

import numpy as np
import pytest

import locomote as lo

BOX = lo.Inertia.box(1.0, (0.1, 0.2, 0.3))
X, Y, Z = np.eye(3)


def sled(axis):
    """A body on a planar joint, on a parent that stands askew."""
    builder = lo.Builder("sled").body("table", at=(0.3, -0.2, 0.5))
    return builder.body("sled", parent="table", joint=lo.Joint("slide", "planar", axis=axis), inertia=BOX).build()


def by_rule(n):
    """The two directions of a normal that is no axis of the frame, as the docs say them."""
    n = np.array(n) / np.linalg.norm(n)
    first = np.cross(np.eye(3)[np.argmin(abs(n))], n)
    first /= np.linalg.norm(first)
    return first, np.cross(n, first)


# axis -> the directions of x and y in the body frame
DIRECTIONS = [
    ("z", X, Y),
    ("x", Y, Z),
    ("y", Z, X),
    ((0, 0, 2.0), X, Y),
    ((0, 0, -1.0), X, -Y),
    ((-3.0, 0, 0), Y, -Z),
    ((0, -1.0, 0), Z, -X),
    ((0, 1.0, 1.0), (0, -np.sqrt(0.5), np.sqrt(0.5)), (1.0, 0, 0)),  # e = x: x cross (y + z)
    ((1.0, 1.0, 1.0), (0, -np.sqrt(0.5), np.sqrt(0.5)), np.array((2.0, -1.0, -1.0)) / np.sqrt(6)),  # e = x, first of equals
    ((3.0, -0.5, 1.0), *by_rule((3.0, -0.5, 1.0))),
]


@pytest.mark.parametrize("axis, first, second", DIRECTIONS, ids=[str(axis) for axis, _, _ in DIRECTIONS])
def test_directions_of_a_planar_joint(axis, first, second):
    model = sled(axis)
    start = lo.forward_kinematics(model, np.zeros(3))[1]
    assert np.allclose(start[:3, :3], np.eye(3), atol=1e-15)
    for q, along in (((0.7, 0, 0), first), ((0, 0.7, 0), second)):
        moved = lo.forward_kinematics(model, np.array(q))[1, :3, 3] - start[:3, 3]
        assert np.allclose(moved, 0.7 * np.array(along), atol=1e-15)
    normal = np.cross(first, second)
    turned = lo.forward_kinematics(model, np.array([0, 0, 0.2]))[1, :3, :3]
    assert np.allclose(turned @ first, np.cos(0.2) * np.array(first) + np.sin(0.2) * np.array(second), atol=1e-15)
    assert np.allclose(turned @ normal, normal, atol=1e-15)


def test_velocity_of_a_planar_joint_is_in_turned_directions():
    """v is in the body frame: along the directions as they have turned with the body."""
    model, q = sled("x"), np.array([0.4, -0.3, 0.5])
    turn = lo.forward_kinematics(model, q)[1, :3, :3]
    twist = lo.velocity(model, q, np.array([2.0, 3.0, 4.0]), "sled", frame="aligned")
    assert np.allclose(twist, np.concatenate([turn @ (2.0 * Y + 3.0 * Z), 4.0 * X]), atol=1e-15)


def armed(kind, armature):
    return lo.Builder("wheel").body("wheel", joint=lo.Joint("hub", kind, armature=armature), inertia=BOX).build()


@pytest.mark.parametrize("kind", ["free", "planar", "spherical"])
def test_no_armature_is_none(kind):
    count = armed(kind, 0.0).nv
    assert armed(kind, np.zeros(count)) == armed(kind, 0) == armed(kind, 0.0)


def test_armature_of_a_ball_is_a_ball():
    """The same about all axes: as if the body had the moments of a ball more."""
    heavier = lo.Inertia(1.0, BOX.com, BOX.moment + 0.3 * np.eye(3))
    other = lo.Builder("wheel").body("wheel", joint=lo.Joint("hub", "spherical"), inertia=heavier).build()
    for armature in (0.3, (0.3, 0.3, 0.3)):
        model = armed("spherical", armature)
        q, v, a = model.random(3), np.array([2.0, -1.0, 0.5]), np.array([0.2, 0.4, -3.0])
        assert np.allclose(lo.inverse_dynamics(model, q, v, a), lo.inverse_dynamics(other, q, v, a), rtol=0, atol=1e-13)
        assert np.isclose(lo.kinetic_energy(model, q, v), lo.kinetic_energy(other, q, v), rtol=1e-14)
