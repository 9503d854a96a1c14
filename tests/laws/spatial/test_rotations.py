"""Rotations against 50-digit references, SciPy, and themselves compiled, on lanes and on symbols."""

import itertools

import mpmath as mp
import numpy as np
import pytest
from rotation_arrays import (
    matrix_from_quaternion,
    quaternion_from_vector,
    quaternion_inverse,
    quaternion_normalized,
    quaternion_product,
    rotation_tangent,
    rotation_tangent_inverse,
    rotation_tangent_inverse_rate,
    rotation_tangent_rate,
    vector_from_quaternion,
)
from scipy.spatial.transform import Rotation
from spatial_reference import BEYOND, BRANCHES, EPS, NEAR_PI, NEAR_ZERO, floats, pose, random_units

from locomote.spatial import rotations
from locomote.spatial.algebra import of_quaternion
from locomote.spatial.rotations_arrays import matrix_from_vector, quaternion_from_matrix, vector_from_matrix

PRINCIPAL = NEAR_ZERO + BRANCHES[:4] + NEAR_PI
EVERY_ANGLE = NEAR_ZERO + BRANCHES + NEAR_PI + BEYOND


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(autouse=True)
def no_warnings():
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        yield


def delicate_vectors(rng, angles, each=4):
    return np.concatenate([angle * random_units(each, rng) for angle in angles])


def same_rotation(p, q):
    """Largest difference of two sets of quaternions up to sign."""
    return np.minimum(abs(p - q).max(axis=-1), abs(p + q).max(axis=-1)).max()


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-16, 1e-8, 1e-3, 0.3, 2.0, 9.0, 9.999999, 10.0, 10.000001, 15.0, 40.0, 400.0])
def test_entire_functions_match_their_series_in_50_digits(x):
    got = rotations.entire(x)
    for k in range(8):
        true = sum((-mp.mpf(x)) ** j / mp.factorial(2 * j + k) for j in range(120))
        # the rounding of x alone moves the angle by angle * eps / 2
        assert abs(got[k] - true) * mp.factorial(k) <= (3 + mp.sqrt(x)) * EPS


@pytest.mark.parametrize("angle", EVERY_ANGLE)
def test_quaternion_of_a_rotation_vector_matches_50_digits(angle, rng):
    for w in angle * random_units(5, rng):
        exact = [mp.mpf(c) for c in w]
        true_angle = mp.sqrt(sum(c * c for c in exact))
        sine = mp.sin(true_angle / 2) / true_angle if true_angle else mp.mpf(1) / 2
        q = quaternion_from_vector(w)
        for k in range(3):
            assert abs(q[k] - exact[k] * sine) <= 3 * EPS * abs(w[k]) * min(1, 1 / max(angle, 1e-300)) * max(1.0, angle)
        assert abs(q[3] - mp.cos(true_angle / 2)) <= EPS * max(1.0, angle)
        assert abs(np.dot(q, q) - 1.0) <= 4 * EPS


@pytest.mark.parametrize("angle", EVERY_ANGLE)
def test_matrix_of_a_rotation_vector_matches_the_matrix_exponential(angle, rng):
    for w in angle * random_units(2, rng):
        true = floats(pose([0, 0, 0, *w]))[:3, :3]
        R = matrix_from_vector(w)
        assert abs(R - true).max() <= 4 * EPS * max(1.0, angle)
        upper = R[[0, 0, 1], [1, 2, 2]]
        assert np.allclose(upper, true[[0, 0, 1], [1, 2, 2]], rtol=8 * EPS * max(1.0, angle), atol=4 * EPS * min(1.0, angle))


def test_large_angles_agree_with_scipy(rng):
    w = rng.uniform(10, 1000, size=(200, 1)) * random_units(200, rng)
    assert abs(matrix_from_vector(w) - Rotation.from_rotvec(w).as_matrix()).max() < 1e-12


@pytest.mark.parametrize("through", ["matrix", "quaternion"])
def test_logarithm_undoes_the_exponential_to_the_last_digits(through, rng):
    w = delicate_vectors(rng, PRINCIPAL, each=50)
    angle = np.linalg.norm(w, axis=1)
    got = (
        vector_from_matrix(matrix_from_vector(w)) if through == "matrix" else vector_from_quaternion(quaternion_from_vector(w))
    )
    half_turn = angle > np.pi - 1e-15
    wrong = np.where(half_turn, np.minimum(abs(got - w).max(axis=1), abs(got + w).max(axis=1)), abs(got - w).max(axis=1))
    assert (wrong <= 4 * EPS * angle).all()


def test_logarithm_of_a_matrix_near_half_a_turn_keeps_the_axis_and_the_gap():
    for gap in (1e-3, 1e-6, 1e-9, 1e-12):
        for axis in (
            np.eye(3)[0],
            np.eye(3)[1],
            np.eye(3)[2],
            np.array([3.0, -4.0, 12.0]) / 13,
            np.array([-8.0, 1.0, -4.0]) / 9,
        ):
            angle = np.pi - gap
            true = floats(pose([0, 0, 0, *(angle * axis)]))[:3, :3]
            assert abs(vector_from_matrix(true) - angle * axis).max() < 1e-15


def test_exact_half_turns():
    for axis in np.eye(3):
        R = 2 * np.outer(axis, axis) - np.eye(3)
        assert np.array_equal(abs(vector_from_matrix(R)), np.pi * axis)
        assert np.array_equal(abs(quaternion_from_matrix(R)), [*axis, 0.0])


def test_logarithm_ignores_sign_and_length_of_the_quaternion(rng):
    q = rng.normal(size=(4, 500))
    w = np.array(rotations.quaternion_log(tuple(q)))
    assert np.array_equal(np.array(rotations.quaternion_log(tuple(-q))), w)
    assert np.allclose(np.array(rotations.quaternion_log(tuple(3.7 * q))), w, rtol=1e-14, atol=0)
    assert np.linalg.norm(w, axis=0).max() <= np.pi + 1e-15


def test_conversions_agree_with_scipy(rng):
    turns = Rotation.random(2000, rng=rng)
    R, q = turns.as_matrix(), turns.as_quat(canonical=True)
    assert abs(matrix_from_quaternion(q) - R).max() < 1e-15
    assert abs(quaternion_from_matrix(R) - q).max() < 1e-15
    assert abs(vector_from_matrix(R) - turns.as_rotvec()).max() < 2e-14  # SciPy's own error near half turns
    assert abs(quaternion_from_vector(turns.as_rotvec()) - q).max() < 1e-15


def test_quaternion_of_a_matrix_is_good_whichever_component_is_largest(rng):
    for k in range(4):
        q = 0.3 * rng.normal(size=(300, 4))
        q[:, k] += 2.0
        q = quaternion_normalized(q)
        assert same_rotation(quaternion_from_matrix(Rotation.from_quat(q).as_matrix()), q) < 1e-15
        assert (quaternion_from_matrix(matrix_from_quaternion(q))[:, 3] >= 0).all()


def test_product_and_inverse_are_those_of_the_rotations(rng):
    a, b = Rotation.random(100, rng=rng), Rotation.random(100, rng=rng)
    product = quaternion_product(a.as_quat(), b.as_quat())
    assert same_rotation(product, (a * b).as_quat()) < 1e-15
    assert same_rotation(quaternion_inverse(a.as_quat()), a.inv().as_quat()) < 1e-15


def test_normalised_quaternion_of_any_length():
    for length in (1e-300, 1e-5, 1.0, 1e300):
        assert np.allclose(
            quaternion_normalized(length * np.array([1.0, 2.0, 2.0, 4.0])), np.array([1, 2, 2, 4]) / 5, rtol=1e-15
        )


def test_angular_velocity_from_the_tangent_is_that_of_the_moving_matrix(rng):
    """By complex step through SciPy's matrix exponential."""
    from scipy.linalg import expm

    from locomote.spatial.inertia import skew

    for _ in range(20):
        w, rate = rng.normal(size=3) * 2, rng.normal(size=3)
        R = expm(skew(w))
        moved = expm(skew(w).astype(complex) + 1e-20j * skew(rate)).imag / 1e-20
        body, world = R.T @ moved, moved @ R.T
        for omega, frame in ((body, "local"), (world, "world")):
            got = rotation_tangent(w, frame=frame) @ rate
            assert np.allclose(got, [omega[2, 1], omega[0, 2], omega[1, 0]], rtol=0, atol=1e-12)


def test_tangent_in_the_world_is_the_transposed(rng):
    w, rate = rng.normal(size=(2, 10, 3))
    for function in (rotation_tangent, rotation_tangent_inverse):
        assert np.array_equal(function(w, frame="world"), np.swapaxes(function(w), -1, -2))
    for function in (rotation_tangent_rate, rotation_tangent_inverse_rate):
        assert np.array_equal(function(w, rate, frame="world"), np.swapaxes(function(w, rate), -1, -2))


def test_inverse_tangent_is_refused_at_a_full_turn():
    with pytest.raises(ValueError, match=r"rotation vector \[1\] has angle 6.28318531 rad, full turns"):
        rotation_tangent_inverse([[0.0, 0.0, 1.0], [0.0, 2 * np.pi, 0.0]])
    with pytest.raises(ValueError, match="frame is 'body', expected 'local' or 'world'"):
        rotation_tangent([0.0, 0.0, 1.0], frame="body")


def test_batches_broadcast(rng):
    w = rng.normal(size=(4, 5, 3))
    assert quaternion_from_vector(w).shape == (4, 5, 4)
    assert matrix_from_vector(w).shape == rotation_tangent(w).shape == (4, 5, 3, 3)
    assert rotation_tangent_rate(w, rng.normal(size=(5, 3))).shape == (4, 5, 3, 3)
    assert quaternion_product([0.0, 0.0, 0.0, 1.0], quaternion_from_vector(w)).shape == (4, 5, 4)
    assert quaternion_from_vector(np.zeros((0, 3))).shape == (0, 4)
    assert vector_from_matrix(matrix_from_vector(w))[2, 3] == pytest.approx(
        vector_from_matrix(matrix_from_vector(w[2, 3])), abs=1e-15
    )


def test_inputs_are_left_alone(rng):
    w = rng.normal(size=(5, 3))
    w.flags.writeable = False
    q = quaternion_from_vector(w)
    q.flags.writeable = False
    quaternion_normalized(q), vector_from_quaternion(q), rotation_tangent_rate(w, w)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: matrix_from_vector(np.zeros(4)), r"rotation vector has shape \(4,\), expected \(..., 3\)"),
        (lambda: matrix_from_vector(1.0), r"rotation vector has shape \(\), expected \(..., 3\)"),
        (lambda: vector_from_quaternion(np.zeros((2, 3))), r"quaternion has shape \(2, 3\), expected \(..., 4\)"),
        (lambda: vector_from_matrix(np.zeros((3, 2))), r"rotation matrix has shape \(3, 2\), expected \(..., 3, 3\)"),
        (lambda: vector_from_matrix(np.zeros(3)), r"rotation matrix has shape \(3,\), expected \(..., 3, 3\)"),
        (lambda: rotation_tangent_rate(np.zeros(3), np.zeros(2)), r"rate has shape \(2,\), expected \(..., 3\)"),
        (
            lambda: vector_from_quaternion([[0, 0, 0, 1], [0, 0, 0, 1.1]]),
            r"quaternion \[1\] has length 1.1, expected 1 within 1e-6",
        ),
        (lambda: vector_from_quaternion([0, 0, 0, np.nan]), "quaternion has length nan"),
        (lambda: vector_from_matrix(2 * np.eye(3)), "rotation matrix is not orthonormal: R.T R is 3 away from 1"),
        (lambda: vector_from_matrix(-np.eye(3)), "rotation matrix is a reflection: its determinant is -1"),
        (lambda: quaternion_normalized(np.zeros(4)), "quaternion cannot be normalised: its largest entry is 0"),
    ],
)
def test_wrong_inputs_are_refused_in_words(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def every_formula(w, rate):
    """All formulas of a rotation vector and a rate, in one flat tuple."""
    q = rotations.quaternion_exp(w)
    R = of_quaternion(q[0], q[1], q[2], q[3])
    return (
        *q, *rotations.quaternion_log(q), *rotations.quaternion_log(rotations.quaternion_of_matrix(R)),
        *rotations.quaternion_multiply(q, rotations.quaternion_conjugate(q)), *rotations.so3_tangent(w),
        *rotations.so3_tangent_inverse(w), *rotations.so3_tangent_rate(w, rate), *rotations.so3_tangent_inverse_rate(w, rate),
    )  # fmt: skip


def test_symbols_give_the_numbers_of_floats(rng):
    casadi = pytest.importorskip("casadi")
    w, rate = casadi.SX.sym("w", 3), casadi.SX.sym("rate", 3)
    flat = every_formula(tuple(casadi.vertsplit(w)), tuple(casadi.vertsplit(rate)))
    function = casadi.Function("formulas", [w, rate], [casadi.vertcat(*flat)])
    for vector in delicate_vectors(rng, (0.0, 1e-8, 0.01, 0.5, 1.5, 3.0, np.pi - 1e-6, 4.0), each=1):
        other = rng.normal(size=3)
        assert np.allclose(
            np.array(function(vector, other))[:, 0], every_formula(tuple(vector), tuple(other)), rtol=0, atol=1e-14
        )


def test_derivatives_of_symbols_are_finite_and_right_at_zero(rng):
    """An optimiser differentiates through the formulas, twice, and starts at zero."""
    casadi = pytest.importorskip("casadi")
    w, rate = casadi.SX.sym("w", 3), rng.normal(size=3)
    q = rotations.quaternion_exp(tuple(casadi.vertsplit(w)))
    vector = casadi.vertcat(*rotations.quaternion_log(q))
    first, second = casadi.jacobian(vector, w), casadi.jacobian(casadi.jacobian(casadi.vertcat(*q), w), w)
    slope = casadi.jacobian(casadi.vertcat(*rotations.so3_tangent(tuple(casadi.vertsplit(w)))), w) @ rate
    function = casadi.Function("derivatives", [w], [first, second, slope])
    for angle in (0.0, 1e-12, 1e-6, 1e-2, 1.0):
        at = angle * random_units(1, rng)[0]
        identity, bent, sloped = (np.array(value) for value in function(at))
        assert np.allclose(identity, np.eye(3), rtol=0, atol=1e-13)
        assert np.isfinite(bent).all()
        assert np.allclose(sloped[:, 0], rotation_tangent_rate(at, rate).ravel(), rtol=0, atol=1e-14)


def test_compiled_formulas_give_the_numbers_of_python(rng):
    numba = pytest.importorskip("numba")

    @numba.njit
    def compiled(w, rate):
        q = rotations.quaternion_exp(w)
        R = of_quaternion(q[0], q[1], q[2], q[3])
        return (
            q, rotations.quaternion_log(q), rotations.quaternion_log(rotations.quaternion_of_matrix(R)),
            rotations.quaternion_multiply(q, rotations.quaternion_conjugate(q)), rotations.so3_tangent(w),
            rotations.so3_tangent_inverse(w), rotations.so3_tangent_rate(w, rate), rotations.so3_tangent_inverse_rate(w, rate),
        )  # fmt: skip

    for vector in delicate_vectors(rng, (*PRINCIPAL[:-1], 4.0, 12.3), each=1):
        other = tuple(rng.normal(size=3))
        got = np.concatenate([np.array(part) for part in compiled(tuple(vector), other)])
        expected = np.array(every_formula(tuple(vector), other))
        assert (abs(got - expected) <= rounding(vector, other, expected)).all()


def rounding(w, rate, expected):
    """What rounding may change: some units of the last digit, and what as many in the rotation vector change. Near whole turns,
    where the inverse tangent has poles, that is much."""
    eps = np.finfo(float).eps
    moved = [every_formula(tuple(w * (1 + 4 * eps * np.array(signs))), rate) for signs in itertools.product((-1, 1), repeat=3)]
    return 64 * eps * np.maximum(1.0, abs(expected)) + 4 * abs(np.array(moved) - expected).max(axis=0)
