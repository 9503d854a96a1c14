"""SE(3), SE(2) and the smaller groups against 50-digit series, the group axioms, and themselves compiled and on symbols."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spatial_reference import BEYOND, BRANCHES, EPS, NEAR_PI, NEAR_ZERO, floats, pose, random_units, rate_of, tangent
from twist_arrays import pose_inverse

from locomote.errors import UnknownName
from locomote.spatial import groups
from locomote.spatial.groups_arrays import GROUPS, R1, R2, R3, SE2, SE3, SO2, SO3, group

EVERY_GROUP = tuple(GROUPS.values())


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture(autouse=True)
def no_warnings():
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        yield


@pytest.mark.parametrize("angle", NEAR_ZERO + BRANCHES + NEAR_PI + BEYOND)
def test_exponential_tangent_and_rates_match_50_digits(angle, rng):
    twist, rate = np.concatenate([rng.normal(size=3), angle * random_units(1, rng)[0]]), rng.normal(size=6)
    room = max(1.0, angle)  # the rounding of the angle grows with it
    assert abs(SE3.exp(twist) - floats(pose(twist))).max() <= 8 * EPS * room

    T, T_rate = tangent(twist), rate_of(tangent, twist, rate)
    assert abs(SE3.tangent(twist) - floats(T)).max() <= 8 * EPS * room
    assert abs(SE3.tangent_rate(twist, rate) - floats(T_rate)).max() <= 16 * EPS * room

    inverse = T**-1
    inverse_rate = floats(-inverse * T_rate * inverse)
    inverse = floats(inverse)
    # towards full turns the inverse grows, and its error with the square of that
    room *= max(1.0, abs(inverse).max() ** 2)
    assert abs(SE3.tangent_inverse(twist) - inverse).max() <= 16 * EPS * room
    assert abs(SE3.tangent_inverse_rate(twist, rate) - inverse_rate).max() <= 64 * EPS * room * max(1.0, abs(inverse).max())


@pytest.mark.parametrize("angle", NEAR_ZERO + BRANCHES[:4] + NEAR_PI[:-1])
def test_logarithm_undoes_the_exponential(angle, rng):
    for _ in range(3):
        twist = np.concatenate([rng.normal(size=3), angle * random_units(1, rng)[0]])
        got = SE3.log(floats(pose(twist)))
        assert abs(got - twist).max() <= 16 * EPS
        assert abs(got[3:] - twist[3:]).max() <= 8 * EPS * angle  # relative, also for the smallest angle


def test_half_turn_has_one_of_two_logarithms(rng):
    twist = np.array([0.3, -0.2, 0.5, 0.0, np.pi, 0.0])
    assert abs(SE3.exp(SE3.log(SE3.exp(twist))) - SE3.exp(twist)).max() < 1e-15


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 1e-8, 1e-5, 0.7, 3.0, -3.0, np.pi - 1e-9, 5.0, -9.0, 2 * np.pi])
def test_plane_motion_matches_50_digits(angle, rng):
    vx, vy = rng.normal(size=2)
    true = floats(pose([vx, vy, 0, 0, 0, angle]))
    x, y, turned = groups.se2_exp((vx, vy, angle))
    assert turned == angle
    assert abs(x - true[0, 3]) + abs(y - true[1, 3]) <= 8 * EPS * max(1.0, abs(angle))
    back = groups.se2_log((x, y, angle))
    assert abs(back[2]) <= np.pi
    assert abs(SE2.exp(back) - true).max() <= 16 * EPS * max(1.0, abs(angle))
    if abs(angle) <= np.pi:
        assert back == pytest.approx((vx, vy, angle), rel=1e-14, abs=0)


components = st.floats(-3.0, 3.0)
twists = st.tuples(*[components] * 6)


@settings(max_examples=60, deadline=None)
@given(twists, twists, twists)
def test_group_axioms(a, b, c):
    for one in EVERY_GROUP:
        x, y, z = (one.exp([t[k] for k in one.axes]) for t in (a, b, c))
        assert abs((x @ y) @ z - x @ (y @ z)).max() < 2e-14
        assert abs(x @ pose_inverse(x) - np.eye(4)).max() < 1e-14
        assert abs(one.exp([-a[k] for k in one.axes]) - pose_inverse(x)).max() < 1e-14
        closed = one.log(x @ y)
        assert abs(one.exp(closed) - x @ y).max() < 5e-13  # closed under the product; log may be near half a turn


@settings(max_examples=60, deadline=None)
@given(twists, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_exponentials_along_one_twist_add_up(a, s, t):
    a = np.array(a)
    assert abs(SE3.exp(s * a) @ SE3.exp(t * a) - SE3.exp((s + t) * a)).max() < 1e-13


@pytest.mark.parametrize("one", EVERY_GROUP, ids=lambda g: g.name)
def test_every_group_is_a_part_of_se3(one, rng):
    twist, rate = rng.normal(size=(2, one.size))
    full, full_rate = np.zeros((2, 6))
    full[list(one.axes)], full_rate[list(one.axes)] = twist, rate
    part = np.ix_(one.axes, one.axes)
    g = floats(pose(full))
    assert abs(one.exp(twist) - g).max() < 1e-14
    assert abs(one.log(one.exp(twist)) - twist).max() < 1e-14
    assert abs(one.tangent(twist) - floats(tangent(full))[part]).max() < 1e-14
    assert abs(one.tangent(twist) @ one.tangent_inverse(twist) - np.eye(one.size)).max() < 1e-14
    assert abs(one.tangent_rate(twist, rate) - floats(rate_of(tangent, full, full_rate))[part]).max() < 1e-14
    # Ad and ad from their definitions: g x^ g^-1 and the commutator
    for k, axis in enumerate(one.axes):
        unit = np.eye(6)[axis]
        carried = g @ matrix_of(unit) @ np.linalg.inv(g)
        assert np.allclose(matrix_of_group(one, one.adjoint(g)[:, k]), carried, rtol=0, atol=1e-14)
        commutator = matrix_of(full) @ matrix_of(unit) - matrix_of(unit) @ matrix_of(full)
        assert np.allclose(matrix_of_group(one, one.bracket(twist)[:, k]), commutator, rtol=0, atol=1e-14)


def matrix_of(twist):
    u, v, w, x, y, z = twist
    return np.array([[0, -z, y, u], [z, 0, -x, v], [-y, x, 0, w], [0, 0, 0, 0]])


def matrix_of_group(one, twist):
    full = np.zeros(6)
    full[list(one.axes)] = twist
    return matrix_of(full)


@pytest.mark.parametrize("one", EVERY_GROUP, ids=lambda g: g.name)
def test_batches(one, rng):
    twist = rng.normal(size=(4, 5, one.size))
    assert one.exp(twist).shape == (4, 5, 4, 4)
    assert one.log(one.exp(twist)).shape == twist.shape
    for matrix in (one.tangent(twist), one.tangent_inverse(twist), one.tangent_rate(twist, twist[0]), one.bracket(twist)):
        assert matrix.shape == (4, 5, one.size, one.size)
    assert one.adjoint(one.exp(twist)).shape == (4, 5, one.size, one.size)
    assert np.allclose(one.tangent(twist)[2, 3], one.tangent(twist[2, 3]), rtol=0, atol=1e-15)


def test_lookup_by_name():
    assert group("SE(2)") is SE2
    assert (R1.size, R2.size, R3.size, SO2.size, SO3.size, SE2.size, SE3.size) == (1, 2, 3, 1, 3, 3, 6)
    with pytest.raises(UnknownName, match=r"no group named 'SE\(4\)' in the groups of net motion; did you mean 'SE\("):
        group("SE(4)")


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: SE3.exp(np.zeros(3)), r"twist of SE\(3\) has shape \(3,\), expected \(..., 6\)"),
        (lambda: SE2.tangent_rate(np.zeros(3), np.zeros(6)), r"rate of SE\(2\) has shape \(6,\), expected \(..., 3\)"),
        (lambda: SE3.log(np.eye(3)), r"pose has shape \(3, 3\), expected \(..., 4, 4\)"),
        (lambda: SE3.log(np.ones((4, 4))), "pose has a last row 1 away from"),
        (lambda: SE3.log(np.diag([1.0, 1.0, 2.0, 1.0])), "rotation of pose is not orthonormal"),
        (lambda: SE2.log(SE3.exp([0, 0, 0.5, 0, 0, 0])), r"pose is not in SE\(2\): it moves by 0.5 across it"),
        (lambda: SE3.tangent_inverse([0, 0, 0, 0, 2 * np.pi, 0]), r"twist of SE\(3\) has angle 6.28318531 rad, full turns"),
    ],
)
def test_wrong_inputs_are_refused_in_words(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def every_formula(twist, rate):
    """All formulas of a twist and its rate, as a tuple of flat tuples."""
    quaternion, p = groups.se3_exp(twist)
    T = groups.se3_tangent(twist)
    return (
        quaternion, p, groups.se3_log(quaternion, p), groups.se2_log(groups.se2_exp((twist[0], twist[1], twist[5]))),
        groups.blocks_times(T, rate), groups.blocks_transposed_times(T, rate),
        groups.blocks_times(groups.se3_tangent_inverse(twist), rate),
        groups.blocks_times(groups.se3_tangent_rate(twist, rate), rate),
        groups.blocks_times(groups.se3_tangent_inverse_rate(twist, rate), rate),
    )  # fmt: skip


def delicate_twists(rng):
    for angle in (0.0, 1e-300, 1e-8, 0.05, 0.5, 1.5, 3.0, np.pi - 1e-9, 4.0, 12.0):
        yield np.concatenate([rng.normal(size=3), angle * random_units(1, rng)[0]])


def test_blocks_times_are_the_products_with_the_matrices(rng):
    for twist in delicate_twists(rng):
        rate = rng.normal(size=6)
        flat = every_formula(tuple(twist), tuple(rate))
        assert np.allclose(flat[4], SE3.tangent(twist) @ rate, rtol=0, atol=1e-14)
        assert np.allclose(flat[5], SE3.tangent(twist).T @ rate, rtol=0, atol=1e-14)
        assert np.allclose(flat[7], SE3.tangent_rate(twist, rate) @ rate, rtol=0, atol=1e-13)


def test_symbols_give_the_numbers_of_floats(rng):
    casadi = pytest.importorskip("casadi")
    twist, rate = casadi.SX.sym("twist", 6), casadi.SX.sym("rate", 6)
    flat = every_formula(tuple(casadi.vertsplit(twist)), tuple(casadi.vertsplit(rate)))
    function = casadi.Function("formulas", [twist, rate], [casadi.vertcat(*(number for part in flat for number in part))])
    for at in delicate_twists(rng):
        other = rng.normal(size=6)
        expected = np.concatenate(every_formula(tuple(at), tuple(other)))
        assert np.allclose(np.array(function(at, other))[:, 0], expected, rtol=1e-13, atol=1e-13)


def test_compiled_formulas_give_the_numbers_of_python(rng):
    numba = pytest.importorskip("numba")
    compiled = numba.njit(every_formula)
    for at in delicate_twists(rng):
        other = tuple(rng.normal(size=6))
        got = np.concatenate(compiled(tuple(at), other))
        assert np.allclose(got, np.concatenate(every_formula(tuple(at), other)), rtol=1e-13, atol=1e-13)


class Numbers(NamedTuple):
    """What the next test works in."""

    x: Annotated[np.ndarray, 6, "a twist"]
    out: Annotated[np.ndarray, 16, "what every formula gives"]


def test_lanes_give_the_numbers_of_python(rng):
    numba = pytest.importorskip("numba")
    if numba.config.DISABLE_JIT:
        pytest.skip("lanes exist compiled only")
    from locomote.compiler import lanes, trigonometry  # noqa: F401
    from locomote.compiler.scratch_lanes import hold, lane_scratch
    from locomote.compiler.scratch_layout import Sizes

    width = lanes.WIDTH

    @numba.njit
    def on_lanes(values):
        memory, (x, out) = lane_scratch((Numbers,), Sizes(0, 0, 0))
        for k in range(6):
            for lane in range(width):
                lanes.store_float(x, k * width + lane, values[k, lane])
        quaternion, p = groups.se3_exp((x[0], x[1], x[2], x[3], x[4], x[5]))
        back = groups.se3_log(quaternion, p)
        planar = groups.se2_log(groups.se2_exp((x[0], x[1], x[5])))
        out[0], out[1], out[2], out[3] = quaternion
        out[4], out[5], out[6] = p
        out[7], out[8], out[9], out[10], out[11], out[12] = back
        out[13], out[14], out[15] = planar
        result = np.empty((16, width))
        for k in range(16):
            for lane in range(width):
                result[k, lane] = lanes.load_float(out, k * width + lane)
        hold(memory)
        return result

    for values in np.array(list(delicate_twists(rng)))[: (10 // width) * width].reshape(-1, width, 6):
        got = on_lanes(np.ascontiguousarray(values.T))
        expected = np.concatenate(every_formula(tuple(values.T), tuple(values.T))[:4])
        assert np.allclose(got, expected, rtol=1e-13, atol=1e-13)
