"""Bouyarmane and Kheddar (2012), printed equations that the library departs from: what is printed fails, what is used holds.

Numbers of the tests are those of the corrections in docs/papers/floating-base.md. Quaternions are scalar first here.
"""

import numpy as np
import pytest

import locomote as lo

RNG = np.random.default_rng(7)
THETA = RNG.normal(size=4)
THETA /= np.linalg.norm(THETA)


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def rotation(x):
    """(11)"""
    a, b, c, d = x
    return np.array(
        [
            [2 * (a * a + b * b) - 1, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), 2 * (a * a + c * c) - 1, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), 2 * (a * a + d * d) - 1],
        ]
    )


def slopes(x):
    """(4, 3, 3) dR/dtheta, by differences that are exact for a quadratic."""
    return np.array([(rotation(x + e) - rotation(x - e)) / 2 for e in np.eye(4)])


def equation_10(x):
    """R3 R2^T dR1 + R2 R1^T dR3 + R1 R3^T dR2, with the columns of R."""
    R, dR = rotation(x), slopes(x)
    pairs = ((2, 1, 0), (1, 0, 2), (0, 2, 1))
    return sum(np.outer(R[:, i], R[:, j]) @ dR[:, :, k].T for i, j, k in pairs)


def usual(x):
    """2 E"""
    return 2 * np.column_stack([-x[1:], x[0] * np.eye(3) + skew(x[1:])])


def test_1_the_global_jacobian_is_that_of_the_inertial_frame():
    """w of (13), called local, is that of R' R^T, in world axes."""
    rate = RNG.normal(size=4)
    rate -= THETA * (rate @ THETA)
    turning = np.einsum("k,kij->ij", rate, slopes(THETA)) @ rotation(THETA).T
    assert np.allclose(skew(equation_10(THETA) @ rate), turning, atol=1e-12)
    assert not np.allclose(skew(rotation(THETA).T @ equation_10(THETA) @ rate), turning, atol=0.1)


def test_2_equation_10_holds_along_the_sphere_only():
    """The same w for rates that keep the length; across it (10) still turns, 2 E does not."""
    rate = RNG.normal(size=4)
    along = rate - THETA * (rate @ THETA)
    J, E = equation_10(THETA), usual(THETA)
    assert np.allclose(J @ along, E @ along, atol=1e-12) and np.allclose(E @ THETA, 0.0, atol=1e-12)
    assert np.linalg.norm(J @ THETA) > 0.1
    mean = [0.5 * np.trace(np.einsum("k,kij->ij", THETA, slopes(THETA)) @ rotation(THETA).T), 0.0]
    assert abs(mean[0]) > 0.1  # R' R^T is not antisymmetric across it


def body():
    builder = lo.Builder("base", base="free")
    return builder.body("base", inertia=lo.Inertia(3.0, (0.2, -0.1, 0.3), (0.2, 0.3, 0.25))).build()


def test_5_gauss_is_about_mass_centers():
    """The least of (22) with accelerations of frame origins is another motion of a body that spins about a point beside it."""
    model = body()
    q, v = model.random(3), RNG.normal(size=6)
    true = lo.gauss(model, q, v).minimum().a
    assert np.allclose(true, lo.forward_dynamics(model, q, v, np.zeros(6)), atol=1e-10)
    gravity = lo.forward_kinematics(model, q)[0, :3, :3].T @ [0.0, 0.0, -9.81]
    I, w = np.diag([0.2, 0.3, 0.25]), v[3:]
    at_origin = np.r_[gravity - np.cross(w, v[:3]), np.linalg.solve(I, np.cross(I @ w, w))]  # free accelerations of the origin
    assert not np.allclose(at_origin, true, atol=0.1)
    com = np.array([0.2, -0.1, 0.3])
    moved = at_origin.copy()
    moved[:3] -= np.cross(moved[3:], com) + np.cross(w, np.cross(w, com))
    assert np.allclose(moved, true, atol=1e-10)


def test_6_the_projector_of_34_is_oblique():
    """It takes the constraint's direction away, and is no orthogonal projector; 1 - S^T S q q^T S^T S is."""
    x = np.r_[5.0, -3.0, 2.0, THETA, 0.7]
    S = np.diag([0.0] * 3 + [1.0] * 4 + [0.0])
    printed, right = np.eye(8) - S @ np.outer(x, x), np.eye(8) - S @ np.outer(x, x) @ S
    for A in (printed, right):
        assert np.allclose(A @ A, A, atol=1e-12) and np.allclose(A @ (S @ x), 0.0, atol=1e-12)
    assert np.allclose(right, right.T) and not np.allclose(printed, printed.T, atol=0.1)
    assert np.linalg.norm(printed, 2) > 2 * np.linalg.norm(right, 2)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_7_the_multiplier_is_zero_with_a_minus_before_u(sign):
    """(33) with the true motion of a base with one driven joint: 0, and with the printed plus 2 qhat u."""
    builder = lo.Builder("arm", base="free").body("base", inertia=lo.Inertia(3.0, (0.1, 0, 0), (0.2, 0.3, 0.25)))
    builder.body(
        "link", parent="base", at=(0.3, 0, 0), joint=lo.Joint("turn"), inertia=lo.Inertia(1.0, (0.2, 0, 0), (0.1,) * 3)
    )
    charted = lo.Charted(builder.build(), "quaternion")
    q, rate, u = np.r_[0.1, 0.2, 0.3, THETA[[1, 2, 3, 0]], 0.7], RNG.normal(size=8), 1.3
    rate[3:7] -= q[3:7] * (rate[3:7] @ q[3:7])
    joints = np.r_[np.zeros(6), u]
    equations = charted.equations(q, rate, joints)
    found = charted.accelerations(q, rate, joints)
    rest = equations.mass @ found.second_rates + equations.bias
    asked = np.r_[np.zeros(7), u]
    # the part of q along the constraint is that of (33): only the quaternion's
    theta = np.r_[np.zeros(3), q[3:7], 0.0]
    assert abs(theta @ (rest - asked)) < 1e-9 and abs(found.multiplier).max() < 1e-9
    assert np.isclose(q @ (rest + sign * asked), 0.0 if sign < 0 else 2 * q[7] * u, atol=1e-9)


def test_9_nine_scalar_equations_of_a_rotation_matrix_are_six():
    """R^T R = 1 has nine entries and six independent ones: multipliers of nine rows are not unique."""
    R = rotation(THETA)
    rows = np.array([(e.reshape(3, 3).T @ R + R.T @ e.reshape(3, 3)).ravel() for e in np.eye(9)]).T
    assert rows.shape == (9, 9) and np.linalg.matrix_rank(rows) == 6
