"""Inertias of bodies against integration of their volume, and the laws of a rigid body."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from locomote.spatial.inertia import Inertia, general_fault, skew

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)
MASS = 2.5


@pytest.fixture
def rng():
    return np.random.default_rng(9)


def random_inertia(rng):
    """Of a cloud of points, so a real body for sure; with the cloud."""
    masses, points = rng.uniform(0.1, 1.0, 8), rng.normal(size=(8, 3))
    com = masses @ points / masses.sum()
    return Inertia(masses.sum(), com, second_moment(masses, points - com)), masses, points


def second_moment(masses, points):
    """sum m (r.r 1 - r r^T)."""
    squares = (points * points).sum(axis=-1)
    return np.einsum("i,jk->jk", masses * squares, np.eye(3)) - np.einsum("i,ij,ik->jk", masses, points, points)


def slices_moment(mass, radius_x, radius_y, low, high):
    """A body of elliptic slices across z, by Gauss quadrature over z (slices have closed forms)."""
    z = low + (high - low) * (NODES + 1) / 2
    a, b, w = radius_x(z), radius_y(z), WEIGHTS * (high - low) / 2
    area = np.pi * a * b * w
    density = mass / area.sum()
    xx, yy, zz = area * a * a / 4, area * b * b / 4, area * z * z
    return density * np.array([(yy + zz).sum(), (xx + zz).sum(), (xx + yy).sum()])


def test_box():
    x, y, z = 0.4, 0.7, 1.1
    grid = [length / 2 * NODES for length in (x, y, z)]
    points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 3)
    masses = MASS / 8 * np.einsum("i,j,k->ijk", WEIGHTS, WEIGHTS, WEIGHTS).ravel()
    assert np.allclose(Inertia.box(MASS, (x, y, z)).moment, second_moment(masses, points), rtol=1e-13, atol=1e-15)


def test_ellipsoid_and_sphere():
    a, b, c = 0.4, 0.7, 1.1

    def profile(z):
        return np.sqrt(1 - (z / c) ** 2)

    moment = slices_moment(MASS, lambda z: a * profile(z), lambda z: b * profile(z), -c, c)
    assert np.allclose(Inertia.ellipsoid(MASS, (a, b, c)).moment, np.diag(moment), rtol=1e-13, atol=1e-15)
    assert np.allclose(Inertia.sphere(MASS, a).moment, Inertia.ellipsoid(MASS, (a, a, a)).moment, rtol=1e-15)


def test_cylinder():
    moment = slices_moment(MASS, lambda z: 0.3 + 0 * z, lambda z: 0.3 + 0 * z, -0.5, 0.5)
    assert np.allclose(Inertia.cylinder(MASS, 0.3, 1.0).moment, np.diag(moment), rtol=1e-13, atol=1e-15)


def test_capsule():
    radius, length = 0.3, 0.8
    ball, tube = 4 / 3 * np.pi * radius**3, np.pi * radius**2 * length
    parts = []
    for low, high in ((-length / 2 - radius, -length / 2), (-length / 2, length / 2), (length / 2, length / 2 + radius)):
        over = (low + high) / 2 > length / 2 - 1e-9, (low + high) / 2 < -length / 2 + 1e-9

        def profile(z, over=over):
            beyond = np.where(over[0], z - length / 2, np.where(over[1], z + length / 2, 0.0))
            return np.sqrt(radius**2 - beyond**2)

        mass = MASS / (ball + tube) * (ball / 2 if any(over) else tube)
        parts.append(slices_moment(mass, profile, profile, low, high))
    capsule = Inertia.capsule(MASS, radius, length)
    assert np.allclose(capsule.moment, np.diag(sum(parts)), rtol=1e-13, atol=1e-15)
    assert np.allclose(Inertia.capsule(MASS, radius, 0.0).moment, Inertia.sphere(MASS, radius).moment, rtol=1e-15)


@pytest.mark.parametrize("shape", [Inertia.cylinder, Inertia.capsule])
def test_shapes_along_other_axes(shape):
    """They are those along z, turned."""
    for axis, turn in (("x", [0, np.pi / 2, 0]), ("y", [np.pi / 2, 0, 0])):
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_rotvec(turn).as_matrix()
        assert np.allclose(pose[:3, 2], np.eye(3)["xyz".index(axis)] * pose[:3, 2].sum())
        assert np.allclose(shape(MASS, 0.3, 1.0, axis=axis).moment, shape(MASS, 0.3, 1.0).moved(pose).moment, atol=1e-15)


@pytest.mark.parametrize("axis", "xyz")
def test_rod(axis):
    rod = Inertia.rod(MASS, 1.2, axis)
    along = np.eye(3)["xyz".index(axis)]
    points, masses = np.outer(0.6 * (NODES + 1), along), MASS / 2 * WEIGHTS
    assert np.allclose(rod.com, masses @ points / MASS, rtol=1e-14)
    assert np.allclose(rod.about_origin, second_moment(masses, points), rtol=0, atol=1e-14)


def test_matrix_gives_the_energy_of_the_points(rng):
    for _ in range(10):
        inertia, masses, points = random_inertia(rng)
        twist = rng.normal(size=6)
        velocities = twist[:3] + np.cross(twist[3:], points)
        energy = (masses * (velocities**2).sum(axis=-1)).sum() / 2
        assert twist @ inertia.matrix @ twist / 2 == pytest.approx(energy, rel=1e-13)
        momentum = inertia.matrix @ twist
        assert np.allclose(momentum[:3], masses @ velocities, rtol=0, atol=1e-13)
        assert np.allclose(momentum[3:], masses @ np.cross(points, velocities), rtol=0, atol=1e-13)


def test_parameters_go_there_and_back(rng):
    inertia, masses, points = random_inertia(rng)
    about = second_moment(masses, points)
    expected = [masses.sum(), *(masses @ points), about[0, 0], about[0, 1], about[1, 1], about[0, 2], about[1, 2], about[2, 2]]
    assert np.allclose(inertia.parameters, expected, rtol=0, atol=1e-13)
    back = Inertia.from_parameters(inertia.parameters)
    assert np.allclose(back.com, inertia.com, rtol=0, atol=1e-14) and np.allclose(
        back.moment, inertia.moment, rtol=0, atol=1e-13
    )


def test_moved_body_has_the_inertia_of_its_moved_points(rng):
    inertia, masses, points = random_inertia(rng)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    there = points @ pose[:3, :3].T + pose[:3, 3]
    moved = inertia.moved(pose)
    assert np.allclose(moved.com, masses @ there / masses.sum(), rtol=0, atol=1e-14)
    assert np.allclose(moved.about_origin, second_moment(masses, there), rtol=0, atol=1e-13)


def test_sum_is_the_inertia_of_all_points(rng):
    (a, masses_a, points_a), (b, masses_b, points_b) = random_inertia(rng), random_inertia(rng)
    masses, points = np.concatenate([masses_a, masses_b]), np.concatenate([points_a, points_b])
    both = a + b
    assert both.mass == pytest.approx(masses.sum())
    assert np.allclose(both.com, masses @ points / masses.sum(), rtol=0, atol=1e-14)
    assert np.allclose(both.about_origin, second_moment(masses, points), rtol=0, atol=1e-13)
    assert np.allclose((a + Inertia(0.0)).parameters, a.parameters, rtol=0, atol=1e-14)
    assert (Inertia(0.0) + Inertia(0.0)).mass == 0.0


def test_halves_of_a_box_make_the_box():
    half = Inertia.box(1.0, (0.5, 0.3, 0.2))
    left, right = np.eye(4), np.eye(4)
    left[0, 3], right[0, 3] = -0.25, 0.25
    assert np.allclose((half.moved(left) + half.moved(right)).moment, Inertia.box(2.0, (1.0, 0.3, 0.2)).moment, rtol=1e-14)


def test_three_ways_to_write_the_moment():
    full = Inertia(1.0, moment=[[2.0, 0.1, 0.2], [0.1, 3.0, 0.3], [0.2, 0.3, 4.0]])
    assert full == Inertia(1.0, moment=(2.0, 0.1, 0.2, 3.0, 0.3, 4.0))
    assert Inertia(1.0, moment=(2.0, 3.0, 4.0)) == Inertia(1.0, moment=np.diag([2.0, 3.0, 4.0]))
    assert full != Inertia(1.0, moment=(2.0, 3.0, 4.0))
    with pytest.raises(ValueError, match="read-only"):
        full.moment[0, 0] = 1.0
    with pytest.raises(ValueError, match=r"center of 3 numbers and a moment of 3, 6 or 3x3, not shapes \(2,\) and \(3, 3\)"):
        Inertia(1.0, (0.0, 0.0), (1.0, 1.0, 1.0))


def test_a_caller_s_array_is_not_kept():
    com = np.zeros(3)
    inertia = Inertia(1.0, com, np.eye(3))
    com[0] = 5.0
    assert inertia.com[0] == 0.0


@pytest.mark.parametrize(
    "inertia, words",
    [
        (Inertia(-1.0), "negative mass -1 kg"),
        (Inertia(np.nan), "not finite"),
        (Inertia(1.0, moment=(1.0, 1.0, 2.1)), "the largest exceeds the sum of the other two"),
        (Inertia(1.0, moment=(-1.0, 1.0, 1.0)), "negative principal moment"),
        (Inertia(1.0, moment=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
    ],
)
def test_a_body_that_cannot_be_is_named(inertia, words):
    assert words in inertia.fault()


def test_real_bodies_have_no_fault(rng):
    for inertia in (
        Inertia.box(1.0, (1, 2, 3)), Inertia.rod(1.0, 2.0), Inertia(0.0), Inertia.sphere(1e-9, 1e-3), random_inertia(rng)[0],
        Inertia(1.0, moment=(1.0, 1.0, 2.0 + 1e-7)),
    ):  # fmt: skip
        assert inertia.fault() is None


def test_added_inertia():
    assert general_fault(Inertia.box(1.0, (1, 2, 3)).matrix) is None
    assert "shape (3, 3), expected (6, 6)" in general_fault(np.eye(3))
    assert "not symmetric" in general_fault(np.eye(6) + np.eye(6, k=1))
    assert "negative eigenvalue -1" in general_fault(np.diag([1, 1, 1, 1, 1, -1.0]))
    assert "not finite" in general_fault(np.full((6, 6), np.nan))


def test_skew_crosses(rng):
    a, b = rng.normal(size=(2, 3))
    assert np.allclose(skew(a) @ b, np.cross(a, b), rtol=0, atol=1e-16 * 8)
