"""The tuple helpers against the same operations written with NumPy matrices."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from locomote.spatial import algebra


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def adjoint(R, o):
    """Twists of the child to the parent, linear part first."""
    return np.block([[R, skew(o) @ R], [np.zeros((3, 3)), R]])


def ad(t):
    return np.block([[skew(t[3:]), skew(t[:3])], [np.zeros((3, 3)), skew(t[3:])]])


@pytest.fixture(params=range(5))
def rng(request):
    return np.random.default_rng(request.param)


def close(got, expected):
    assert np.allclose(got, np.ravel(expected), rtol=0, atol=2e-15)


def test_vectors(rng):
    a, b, s = rng.normal(size=3), rng.normal(size=3), rng.normal()
    close(algebra.add(a, b), a + b)
    close(algebra.subtract(a, b), a - b)
    close(algebra.scale(s, a), s * a)
    close(algebra.cross(a, b), np.cross(a, b))
    close(algebra.dot(a, b), a @ b)


def test_rotations(rng):
    turn, other = Rotation.random(rng=rng), Rotation.random(rng=rng)
    R, Q, a = turn.as_matrix(), other.as_matrix(), rng.normal(size=3)
    close(algebra.rotate(R.ravel(), a), R @ a)
    close(algebra.unrotate(R.ravel(), a), R.T @ a)
    close(algebra.compose(R.ravel(), Q.ravel()), R @ Q)
    close(algebra.compose(R.ravel(), algebra.IDENTITY), R)
    close(algebra.of_quaternion(*turn.as_quat()), R)
    angle = rng.normal()
    close(algebra.turned_about_z(R.ravel(), np.sin(angle), np.cos(angle)), R @ Rotation.from_euler("z", angle).as_matrix())


def test_symmetric_matrices(rng):
    S = rng.normal(size=(3, 3))
    S, a = S + S.T, rng.normal(size=3)
    close(algebra.symmetric_times(S[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]], a), S @ a)


def test_twists_and_wrenches(rng):
    a, b, s = rng.normal(size=6), rng.normal(size=6), rng.normal()
    close(algebra.plus(a, b), a + b)
    close(algebra.minus(a, b), a - b)
    close(algebra.times(s, a), s * a)
    close(algebra.pair(a, b), a @ b)
    close(algebra.join(algebra.linear(a), algebra.angular(a)), a)
    close(algebra.bracket(a, b), ad(a) @ b)
    close(algebra.bracket_dual(a, b), -ad(a).T @ b)


def test_changes_of_frame(rng):
    R, o, t = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3), rng.normal(size=6)
    Ad, r = adjoint(R, o), R.ravel()
    close(algebra.twist_to_parent(r, o, t), Ad @ t)
    close(algebra.twist_to_child(r, o, t), np.linalg.inv(Ad) @ t)
    close(algebra.wrench_to_parent(r, o, t), np.linalg.inv(Ad).T @ t)
    close(algebra.wrench_to_child(r, o, t), Ad.T @ t)


def test_a_point_of_the_body_moves_as_its_twist_says(rng):
    """Independent of the matrices above: velocity of one point, computed in both frames."""
    R, o, t, point = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3), rng.normal(size=6), rng.normal(size=3)
    in_parent = np.array(algebra.twist_to_parent(R.ravel(), o, t))
    velocity = in_parent[:3] + np.cross(in_parent[3:], o + R @ point)
    assert np.allclose(velocity, R @ (t[:3] + np.cross(t[3:], point)), rtol=0, atol=1e-14)


class Sized:
    """An exact number, and the sum of the sizes of all products that it is a sum of: what its rounding is measured by."""

    def __init__(self, value, size=None):
        self.value = Fraction(value)
        self.size = abs(self.value) if size is None else size

    def __add__(self, other):
        return Sized(self.value + other.value, self.size + other.size)

    def __sub__(self, other):
        return Sized(self.value - other.value, self.size + other.size)

    def __mul__(self, other):
        return Sized(self.value * other.value, self.size * other.size)

    def __neg__(self):
        return Sized(-self.value, self.size)


def test_compiled_helpers_give_the_numbers_of_python():
    """Both against exact arithmetic: compilers may add and multiply in one rounding where Python takes two. However that is
    done, a sum of products is off by at most n u times the sum of the sizes of its products, with n the longest chain of
    operations and u half a unit of the last digit (Higham, Accuracy and Stability of Numerical Algorithms, 3.1)."""
    numba = pytest.importorskip("numba")

    def formula(R, o, t):
        seen = algebra.twist_to_child(R, o, t)
        return algebra.wrench_to_parent(R, o, algebra.bracket_dual(seen, algebra.bracket(t, seen)))

    chain = 4 * 7  # four stages: six products each at most, summed, and a product before them
    rng = np.random.default_rng(0)
    compiled = numba.njit(formula)
    for _ in range(20):
        R, o, t = tuple(Rotation.random(rng=rng).as_matrix().ravel()), tuple(rng.normal(size=3)), tuple(rng.normal(size=6))
        exact = formula(*(tuple(Sized(x) for x in part) for part in (R, o, t)))
        for got in (compiled(R, o, t), formula(R, o, t)):
            for x, true in zip(got, exact, strict=True):
                assert abs(Fraction(float(x)) - true.value) <= chain * Fraction(2) ** -53 * true.size
