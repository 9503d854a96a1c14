"""One checklist over every chart, against SciPy's rotations and derivatives of the rotation matrix."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from locomote.errors import UnknownName
from locomote.spatial.charts import CHARTS, EULER_SEQUENCES, chart

EVERY_CHART = pytest.mark.parametrize("one", CHARTS.values(), ids=CHARTS)
MINIMAL = [name for name, one in CHARTS.items() if one.size == 3]


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture(autouse=True)
def no_warnings():
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        yield


def scipy_rotation(name, x):
    """The rotation of coordinates by SciPy, not by the chart."""
    if name == "quaternion":
        return Rotation.from_quat(x)
    if name == "matrix":
        return Rotation.from_matrix(x.reshape(*x.shape[:-1], 3, 3))
    if name == "rotation_vector":
        return Rotation.from_rotvec(x)
    if name == "modified_rodrigues":
        return Rotation.from_mrp(x)
    if name == "roll_pitch_yaw":
        return Rotation.from_euler("xyz", x)
    return Rotation.from_euler(name.upper(), x)


def random_motion(one, rng, count=100):
    """Coordinates, body angular velocity and rates that belong together through the inverse of the rate map."""
    x = one.coordinates(Rotation.random(count, rng=rng).as_matrix())
    omega = rng.normal(size=(count, 3))
    return x, omega, (one.inverse_rate_map(x) @ omega[..., None])[..., 0]


def test_every_sequence_is_there():
    assert len(EULER_SEQUENCES) == 12
    assert len(CHARTS) == 17


@EVERY_CHART
def test_rotation_is_that_of_scipy(one, rng):
    R = Rotation.random(500, rng=rng).as_matrix()
    x = one.coordinates(R)
    assert x.shape == (500, one.size)
    assert abs(one.rotation(x) - R).max() < 2e-15
    assert abs(scipy_rotation(one.name, x).as_matrix() - R).max() < 2e-15


@EVERY_CHART
def test_coordinates_come_back_for_small_angles(one, rng):
    for size in (1e-300, 1e-12, 1e-8, 1e-4):
        R = Rotation.from_rotvec(size * rng.normal(size=(20, 3))).as_matrix()
        assert abs(one.rotation(one.coordinates(R)) - R).max() < 1e-15


@EVERY_CHART
def test_identity_has_plain_coordinates(one):
    x = one.coordinates(np.eye(3))
    assert np.array_equal(x, {4: [0, 0, 0, 1], 9: np.eye(3).ravel(), 3: [0, 0, 0]}[one.size])


@EVERY_CHART
def test_rate_map_gives_the_body_angular_velocity(one, rng):
    """R^T R' by central differences of SciPy's rotation along the rates."""
    x, omega, rate = random_motion(one, rng)
    assert np.allclose((one.rate_map(x) @ rate[..., None])[..., 0], omega, rtol=0, atol=1e-11)
    near = one.singularity(x) > 0.05  # differences are no reference where rates are huge
    x, omega, rate, h = x[near], omega[near], rate[near], 1e-5
    if one.name == "matrix":
        moved = rate.reshape(-1, 3, 3)
    else:
        moved = (scipy_rotation(one.name, x + h * rate).as_matrix() - scipy_rotation(one.name, x - h * rate).as_matrix()) / (
            2 * h
        )
    turning = np.swapaxes(scipy_rotation(one.name, x).as_matrix(), -1, -2) @ moved
    velocity = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=-1)
    assert np.allclose(velocity, omega, rtol=0, atol=2e-6)


@pytest.mark.parametrize("name", MINIMAL)
def test_rate_map_matches_a_complex_step_of_the_matrix(name, rng):
    """The matrix formula was checked against SciPy; its derivative along each coordinate has no rounding error here."""
    one = chart(name)
    x = rng.uniform(0.3, 1.2, size=(20, 3))
    R, L = one.rotation(x), one.rate_map(x)
    for k in range(3):
        stepped = tuple(x[:, i] + (1e-30j if i == k else 0j) for i in range(3))
        moved = (
            np.stack([np.broadcast_to(entry, 20) for entry in one.matrix_of(stepped)], axis=-1).imag.reshape(-1, 3, 3) / 1e-30
        )
        turning = np.swapaxes(R, -1, -2) @ moved
        column = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=-1)
        assert np.allclose(L[..., k], column, rtol=0, atol=5e-15)


@EVERY_CHART
def test_rate_map_derivative_matches_a_complex_step(one, rng):
    x, _, rate = random_motion(one, rng, 50)
    stepped = tuple(x[:, k] + 1e-30j * rate[:, k] for k in range(one.size))
    entries = [np.imag(np.broadcast_to(entry, 50)) / 1e-30 for entry in one.rates_of(stepped)]
    expected = np.stack(entries, axis=-1).reshape(50, 3, one.size)
    scale = np.maximum(1.0, abs(rate).max(axis=-1))[:, None, None]
    assert (abs(one.rate_map_derivative(x, rate) - expected) <= 1e-14 * scale).all()


@EVERY_CHART
def test_inverse_rate_map(one, rng):
    x, omega, rate = random_motion(one, rng)
    product = one.rate_map(x) @ one.inverse_rate_map(x)
    assert (abs(product - np.eye(3)).max(axis=(-2, -1)) <= 4e-15 / one.singularity(x)).all()
    if one.constraint_count:
        # rates from an angular velocity keep the constraint
        assert np.allclose(one.constraint_jacobian(x) @ rate[..., None], 0.0, rtol=0, atol=1e-14)
        assert abs(one.constraint(x)).max() < 2e-15
        kept = np.linalg.matrix_rank(one.constraint_jacobian(x[0]))
        assert kept == one.size - 3
        step = 1e-6 * rng.normal(size=x.shape)
        slope = (one.constraint(x + step) - one.constraint(x - step)) / 2
        assert np.allclose(slope, (one.constraint_jacobian(x) @ step[..., None])[..., 0], rtol=0, atol=1e-15)
    else:
        assert one.constraint(x).shape == (100, 0) and one.constraint_jacobian(x).shape == (100, 0, 3)


def test_quaternion_rate_map_takes_the_quaternion_to_zero(rng):
    q = chart("quaternion").coordinates(Rotation.random(10, rng=rng).as_matrix())
    assert abs(chart("quaternion").rate_map(q) @ q[..., None]).max() < 1e-15


@pytest.mark.parametrize("name", EULER_SEQUENCES)
def test_euler_singularity(name, rng):
    one = chart(name)
    lock = 0.0 if name[0] == name[2] else np.pi / 2
    for gap in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        x = np.array([0.7, lock + gap, -1.1]) if gap or lock else np.array([0.7, 0.0, -1.1])
        assert one.singularity(x) == pytest.approx(abs(np.sin(gap)), rel=1e-12, abs=2.5e-16)
        assert bool(one.near_singular(x))
        R = scipy_rotation(name, x).as_matrix()
        assert abs(one.rotation(one.coordinates(R)) - R).max() < 1e-15  # other angles perhaps, the same rotation
    with pytest.raises(ValueError, match=rf"coordinates \[1\] of chart '{name}' are singular: distance"):
        one.inverse_rate_map([[0.7, lock + 0.5, 0.1], [0.7, lock, 0.1]])
    x = rng.uniform(-1, 1, size=(100, 3))
    determinant = np.linalg.det(one.rate_map(x))
    assert np.allclose(one.singularity(x), abs(determinant), rtol=0, atol=1e-15)


def test_singularity_of_the_smooth_charts(rng):
    vector = chart("rotation_vector")
    assert vector.singularity([0.0, 0.0, 0.0]) == 1.0
    assert vector.singularity([0.0, 2 * np.pi, 0.0]) < 2.5e-16
    x = rng.normal(size=(50, 3)) * 3
    assert np.allclose(vector.singularity(x) ** 2, np.linalg.det(vector.rate_map(x)), rtol=0, atol=1e-14)
    with pytest.raises(ValueError, match="'rotation_vector' are singular"):
        vector.inverse_rate_map([0.0, 2 * np.pi, 0.0])
    rodrigues = chart("modified_rodrigues")
    assert rodrigues.singularity([0.0, 0.0, 1.0]) == 0.5
    assert rodrigues.near_singular([0.0, 0.0, 4.0]) and not rodrigues.near_singular([0.0, 0.0, 4.0], threshold=0.01)
    assert (np.linalg.norm(rodrigues.coordinates(Rotation.random(100, rng=rng).as_matrix()), axis=-1) <= 1.0).all()
    for name in ("quaternion", "matrix"):
        x = chart(name).coordinates(Rotation.random(4, rng=rng).as_matrix())
        assert np.array_equal(chart(name).singularity(x), np.ones(4))
        assert not chart(name).near_singular(x).any()


def test_roll_pitch_yaw_turns_the_way_pilots_say():
    """Yaw about z first, then nose down by positive pitch about y, then roll about x."""
    nose = chart("roll_pitch_yaw").rotation([0.0, 0.2, 0.3]) @ [1.0, 0.0, 0.0]
    assert np.allclose(nose, [np.cos(0.2) * np.cos(0.3), np.cos(0.2) * np.sin(0.3), -np.sin(0.2)], rtol=0, atol=1e-16)
    zyx = chart("zyx").rotation([0.3, 0.2, 0.1])
    assert np.array_equal(chart("roll_pitch_yaw").rotation([0.1, 0.2, 0.3]), zyx)


@EVERY_CHART
def test_batches_and_single_values(one, rng):
    R = Rotation.random(12, rng=rng).as_matrix().reshape(3, 4, 3, 3)
    x = one.coordinates(R)
    assert x.shape == (3, 4, one.size)
    assert one.rotation(x).shape == (3, 4, 3, 3)
    assert one.rate_map(x).shape == one.rate_map_derivative(x, x[0]).shape == (3, 4, 3, one.size)
    assert one.inverse_rate_map(x).shape == (3, 4, one.size, 3)
    assert one.singularity(x).shape == one.near_singular(x).shape == (3, 4)
    assert np.ndim(one.singularity(x[0, 0])) == 0
    assert np.allclose(one.rate_map(x)[1, 2], one.rate_map(x[1, 2]), rtol=0, atol=1e-15)


@EVERY_CHART
def test_symbols_give_the_numbers_of_floats(one, rng):
    casadi = pytest.importorskip("casadi")
    x, rate = casadi.SX.sym("x", one.size), casadi.SX.sym("rate", one.size)
    parts, rates = tuple(casadi.vertsplit(x)), tuple(casadi.vertsplit(rate))
    R = one.matrix_of(parts)
    lists = (R, one.coordinates_of(R), one.rates_of(parts), one.rates_derivative_of(parts, rates), one.inverse_rates_of(parts))
    function = casadi.Function("chart", [x, rate], [casadi.vertcat(*entries) for entries in lists])
    at, _, speed = (value[0] for value in random_motion(one, rng, 1))
    expected = (
        one.rotation(at), one.coordinates(one.rotation(at)), one.rate_map(at),
        one.rate_map_derivative(at, speed), one.inverse_rate_map(at),
    )  # fmt: skip
    for got, value in zip(function(at, speed), expected, strict=True):
        assert np.allclose(np.array(got)[:, 0], value.ravel(), rtol=1e-13, atol=1e-14)


@EVERY_CHART
def test_wrong_shapes_are_refused(one):
    with pytest.raises(ValueError, match=rf"coordinates of chart '{one.name}' has shape \(2,\), expected \(..., {one.size}\)"):
        one.rotation(np.zeros(2))
    with pytest.raises(ValueError, match=rf"rate of chart '{one.name}' has shape \(2,\)"):
        one.rate_map_derivative(one.coordinates(np.eye(3)), np.zeros(2))
    with pytest.raises(ValueError, match="rotation matrix is not orthonormal"):
        one.coordinates(np.ones((3, 3)))


def test_coordinates_off_their_constraint_are_refused():
    with pytest.raises(ValueError, match=r"coordinates \[1\] are not a quaternion .*one: the constraint is off by 0.21"):
        chart("quaternion").rate_map([[0, 0, 0, 1], [0, 0, 0, 1.1]])
    with pytest.raises(ValueError, match="not the nine entries, row by row, of a rotation matrix: the determinant is -1"):
        chart("matrix").rotation(-np.eye(3).ravel())


def test_lookup_suggests_the_nearest_name():
    assert chart("zxz").name == "zxz"
    with pytest.raises(UnknownName, match="no chart named 'quaternoin' in .*; did you mean 'quaternion'?"):
        chart("quaternoin")
    with pytest.raises(UnknownName):
        chart(None)


@EVERY_CHART
def test_charts_can_be_sent_to_another_process(one):
    assert np.array_equal(pickle.loads(pickle.dumps(one)).coordinates(np.eye(3)), one.coordinates(np.eye(3)))
