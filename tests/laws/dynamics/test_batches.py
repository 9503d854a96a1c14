"""Many configurations at once are the same as one after the other: any number, any leading shape, any number of threads."""

from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from mechanisms import case_of, random_description, random_q, relative

import locomote as lo

SINGLE = 1e-12  # lanes and single kernels round differently
SOLVED = 1e-11
# plain tree, free base, added inertia, coupled, forest, long
MODELS = [0, 8, 7, 14, "arm", "legged", "swimmer", "crowd"]


@pytest.fixture(params=MODELS, ids=str, scope="module")
def case(request):
    return mechanisms.case(request.param)


def states(case, shape, salt=0):
    """Regular random q, v, x and wrenches of a leading shape."""
    rng, count = case.rng(60 + salt), int(np.prod(shape))
    q = []
    while len(q) < count:
        draw = random_q(case.reference, rng)
        if count > 60 or np.linalg.cond(case.reference.at(draw).mass_matrix()) < 1e5:
            q.append(draw)
    q = np.array(q).reshape(*shape, case.model.nq)
    v, x = rng.normal(size=(2, *shape, case.model.nv))
    return q, v, x, rng.normal(size=(*shape, len(case.model.body_names), 6))


def calls(case, q, v, x, f):
    """Every function that takes batches, with the tolerance of its comparison."""
    body = case.model.body_names[-1]
    m = case.model
    return {
        "inverse_dynamics": (lambda k: lo.inverse_dynamics(m, q[k], v[k], x[k]), SINGLE),
        "inverse_dynamics loaded": (lambda k: lo.inverse_dynamics(m, q[k], v[k], x[k], wrenches=f[k]), SINGLE),
        "forward_dynamics": (lambda k: lo.forward_dynamics(m, q[k], v[k], x[k]), SOLVED),
        "forward_dynamics loaded": (lambda k: lo.forward_dynamics(m, q[k], v[k], x[k], wrenches=f[k]), SOLVED),
        "hybrid_dynamics": (lambda k: lo.hybrid_dynamics(m, q[k], v[k], x[k], x[k], [m.joint_names[0]])[1], SOLVED),
        "bias_force": (lambda k: lo.bias_force(m, q[k], v[k]), SINGLE),
        "gravity_force": (lambda k: lo.gravity_force(m, q[k]), SINGLE),
        "passive_force": (lambda k: lo.passive_force(m, q[k], v[k]), SINGLE),
        "mass_matrix": (lambda k: lo.mass_matrix(m, q[k]), SINGLE),
        "coriolis_matrix": (lambda k: lo.coriolis_matrix(m, q[k], v[k]), SINGLE),
        "forward_kinematics": (lambda k: lo.forward_kinematics(m, q[k]), SINGLE),
        "jacobian": (lambda k: lo.jacobian(m, q[k], body), SINGLE),
        "jacobian_rate": (lambda k: lo.jacobian_rate(m, q[k], v[k], body), SINGLE),
        "velocity": (lambda k: lo.velocity(m, q[k], v[k], body), SINGLE),
        "acceleration": (lambda k: lo.acceleration(m, q[k], v[k], x[k], body), SINGLE),
        "momentum": (lambda k: lo.momentum(m, q[k], v[k]), SINGLE),
        "momentum_matrix": (lambda k: lo.momentum_matrix(m, q[k]), SINGLE),
        "momentum_rate": (lambda k: lo.momentum_rate(m, q[k], v[k], x[k]), SINGLE),
        "center_of_mass": (lambda k: lo.center_of_mass(m, q[k]), SINGLE),
        "kinetic_energy": (lambda k: lo.kinetic_energy(m, q[k], v[k]), SINGLE),
        "potential_energy": (lambda k: lo.potential_energy(m, q[k]), SINGLE),
        "spring_energy": (lambda k: lo.spring_energy(m, q[k]), SINGLE),
        "integrate": (lambda k: m.integrate(q[k], v[k]), SINGLE),
        "difference": (lambda k: m.difference(m.integrate(q[k], 0.1 * v[k]), q[k]), SINGLE),
    }


def derivative_calls(case, q, v, x, f):
    m = case.model
    return {
        "inverse": (lambda k: np.stack(lo.inverse_dynamics_derivatives(m, q[k], v[k], x[k]), axis=-3), SINGLE),
        "inverse loaded": (
            lambda k: np.stack(lo.inverse_dynamics_derivatives(m, q[k], v[k], x[k], wrenches=f[k]), axis=-3),
            SINGLE,
        ),
        "forward": (lambda k: np.stack(lo.forward_dynamics_derivatives(m, q[k], v[k], x[k]), axis=-3), SOLVED),
        "forward loaded": (
            lambda k: np.stack(lo.forward_dynamics_derivatives(m, q[k], v[k], x[k], wrenches=f[k]), axis=-3),
            SOLVED,
        ),
    }


def test_batch_is_a_loop(case):
    given = states(case, (13,))
    for name, (call, tolerance) in (calls(case, *given) | derivative_calls(case, *given)).items():
        one_by_one = np.array([call(k) for k in range(13)])
        assert relative(call(slice(None)), one_by_one) < tolerance, name


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40])
def test_any_number(count):
    case = mechanisms.case(8)
    given = states(case, (40,))
    everything = {name: pair for table in (calls, derivative_calls) for name, pair in table(case, *given).items()}
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse", "forward", "inverse_dynamics loaded"):
        call, tolerance = everything[name]
        many, whole = call(slice(0, count)), call(slice(None))
        assert relative(many, whole[:count]) < tolerance, name


def test_leading_dimensions(case):
    given = states(case, (2, 3, 2))
    for name, (call, tolerance) in calls(case, *given).items():
        result = call(...)
        rows = np.array([call((i, j, k)) for i in range(2) for j in range(3) for k in range(2)])
        assert relative(result.reshape(rows.shape), rows) < tolerance, name
        assert result.shape[:3] == (2, 3, 2), name


def test_broadcasting(case):
    """q over one axis, v over another, one acceleration for all."""
    q, v, _, f = states(case, (5,))
    x = case.a
    result = lo.inverse_dynamics(case.model, q[:, None], v[None, :3], x)
    assert result.shape == (5, 3, case.model.nv)
    for i, j in ((0, 0), (4, 2), (2, 1)):
        assert relative(result[i, j], lo.inverse_dynamics(case.model, q[i], v[j], x)) < SINGLE
    body = case.model.body_names[-1]
    loaded = lo.inverse_dynamics(case.model, q[0], v[0], x, wrenches={body: f[:, 0]})
    assert loaded.shape == (5, case.model.nv)
    for k in (0, 4):
        assert relative(loaded[k], lo.inverse_dynamics(case.model, q[0], v[0], x, wrenches={body: f[k, 0]})) < SINGLE
    mixed = lo.inverse_dynamics(case.model, q, v, x, wrenches={body: f[0, 0], case.model.body_names[0]: f[:, 1]})
    both = {body: f[0, 0], case.model.body_names[0]: f[3, 1]} if body != case.model.body_names[0] else {body: f[3, 1]}
    assert relative(mixed[3], lo.inverse_dynamics(case.model, q[3], v[3], x, wrenches=both)) < SINGLE


def test_hybrid_broadcasting(case):
    q, v, x, _ = states(case, (4,))
    a, tau = lo.hybrid_dynamics(case.model, q, v[0], x[:1], case.a, [case.model.joint_names[0]])
    one = lo.hybrid_dynamics(case.model, q[2], v[0], x[0], case.a, [case.model.joint_names[0]])
    assert a.shape == tau.shape == (4, case.model.nv)
    assert relative(a[2], one[0]) < SOLVED and relative(tau[2], one[1]) < SOLVED


def test_threads_change_nothing(case):
    q, v, x, f = states(case, (70,))
    for function in (lo.inverse_dynamics, lo.forward_dynamics):
        for wrenches in (None, f):
            assert np.array_equal(
                function(case.model, q, v, x, wrenches=wrenches, threads=2), function(case.model, q, v, x, wrenches=wrenches)
            )
    assert np.array_equal(lo.mass_matrix(case.model, q, threads=3), lo.mass_matrix(case.model, q))
    for function in (lo.inverse_dynamics_derivatives, lo.forward_dynamics_derivatives):
        for ours, theirs in zip(function(case.model, q, v, x, threads=2), function(case.model, q, v, x), strict=True):
            assert np.array_equal(ours, theirs)


def test_more_threads_than_rows(case):
    q, v, x, _ = states(case, (9,))
    assert np.array_equal(lo.inverse_dynamics(case.model, q, v, x, threads=64), lo.inverse_dynamics(case.model, q, v, x))


def test_empty_batch(case):
    """No configurations: no results, of the right shape."""
    q, v = np.zeros((0, case.model.nq)), np.zeros((0, case.model.nv))
    assert lo.inverse_dynamics(case.model, q, v, v).shape == (0, case.model.nv)
    assert lo.forward_dynamics(case.model, q, v, v).shape == (0, case.model.nv)
    assert lo.mass_matrix(case.model, q).shape == (0, case.model.nv, case.model.nv)
    assert lo.forward_kinematics(case.model, q).shape == (0, len(case.model.body_names), 4, 4)
    assert lo.inverse_dynamics_derivatives(case.model, q, v, v).q.shape == (0, case.model.nv, case.model.nv)


def test_large_angles_on_lanes(case):
    """Angles far beyond a turn: the polynomial sines of lanes against those of one configuration, and of the reference."""
    rng, q, _, _ = case.rng(61), *states(case, (8,))[:3]
    q = np.array(q)
    for joint in case.reference.joints:
        if joint.name in case.reference.places and joint.kind in ("revolute", "universal", "euler", "cylindrical"):
            place = case.reference.places[joint.name][0]
            q[:, place.start] += 2 * np.pi * rng.integers(-40, 40, 8)
    many = lo.mass_matrix(case.model, q)
    for k in range(8):
        assert relative(many[k], lo.mass_matrix(case.model, q[k])) < 1e-12
        assert relative(many[k], case.reference.at(q[k]).mass_matrix()) < 1e-11


@pytest.mark.parametrize("angle", [1e3, 1e5, 9.9e5, 1.1e6, 1e9, 1e15, 1e17])
def test_huge_angles(angle):
    """Also beyond the reach of the polynomial; without joint references, whose subtraction would round."""
    description = random_description(106, base="fixed", bodies=6, kinds=("revolute",), roots=1, bare=True)
    bodies = [replace(b, joints=tuple(replace(j, reference=0.0) for j in b.joints)) for b in description.bodies]
    case = case_of(replace(description, bodies=tuple(bodies)), 106)
    q = np.array(case.q)
    q[1] += angle
    q[-1] -= angle
    truth = case.reference.at(q).mass_matrix()
    assert relative(lo.mass_matrix(case.model, q), truth) < 1e-11
    many = lo.mass_matrix(case.model, np.tile(q, (9, 1)))
    assert relative(many[8], truth) < 1e-11
