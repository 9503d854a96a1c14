"""Inverse, forward and hybrid dynamics and the matrices behind them, against the second formulation and each other."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import relative

import locomote as lo

TOLERANCE = 1e-12
SOLVED = 1e-11  # where the mass matrix (condition up to 1e5) was inverted


def test_inverse_dynamics(case):
    assert relative(lo.inverse_dynamics(case.model, case.q, case.v, case.a), case.truth.inverse_dynamics()) < TOLERANCE


def test_inverse_dynamics_with_wrenches(case):
    ours = lo.inverse_dynamics(case.model, case.q, case.v, case.a, wrenches=case.wrenches)
    assert relative(ours, case.truth.inverse_dynamics(case.wrenches)) < TOLERANCE


def test_mass_matrix(case):
    M = lo.mass_matrix(case.model, case.q)
    assert relative(M, case.truth.mass_matrix()) < TOLERANCE
    assert np.array_equal(M, M.T) or case.model.coupling
    assert np.linalg.eigvalsh(M)[0] > 0


def test_bias_and_gravity(case):
    assert relative(lo.bias_force(case.model, case.q, case.v), case.still.inverse_dynamics()) < TOLERANCE
    loaded = lo.bias_force(case.model, case.q, case.v, wrenches=case.wrenches)
    assert relative(loaded, case.still.inverse_dynamics(case.wrenches)) < TOLERANCE
    assert relative(lo.gravity_force(case.model, case.q), case.reference.at(case.q).inverse_dynamics()) < TOLERANCE


def test_gravity_is_the_gradient_of_potential_energy(case):
    gradient = case.reference.derivative(lambda s: s.potential_energy(), case.q)
    assert relative(lo.gravity_force(case.model, case.q), gradient) < TOLERANCE


def test_gravity_is_the_gradient_of_our_potential_energy(case):
    h, steps = 1e-5, 1e-5 * np.eye(case.model.nv)
    sides = [lo.potential_energy(case.model, case.model.integrate(case.q, s * steps)) for s in (1, -1)]
    assert relative(lo.gravity_force(case.model, case.q), (sides[0] - sides[1]) / (2 * h)) < 1e-7


def test_forward_dynamics(case):
    M, bias = case.truth.mass_matrix(), case.still.inverse_dynamics()
    a = lo.forward_dynamics(case.model, case.q, case.v, case.tau)
    assert relative(a, np.linalg.solve(M, case.tau - bias)) < SOLVED


def test_forward_dynamics_with_wrenches(case):
    M, bias = case.truth.mass_matrix(), case.still.inverse_dynamics(case.wrenches)
    a = lo.forward_dynamics(case.model, case.q, case.v, case.tau, wrenches=case.wrenches)
    assert relative(a, np.linalg.solve(M, case.tau - bias)) < SOLVED


def test_forward_after_inverse_is_the_identity(case):
    for wrenches in (None, case.wrenches):
        tau = lo.inverse_dynamics(case.model, case.q, case.v, case.a, wrenches=wrenches)
        assert relative(lo.forward_dynamics(case.model, case.q, case.v, tau, wrenches=wrenches), case.a) < SOLVED


def test_inverse_after_forward_is_the_identity(case):
    a = lo.forward_dynamics(case.model, case.q, case.v, case.tau)
    assert relative(lo.inverse_dynamics(case.model, case.q, case.v, a), case.tau) < SOLVED


def test_mass_matrix_is_the_derivative_of_inverse_dynamics(case):
    """Inverse dynamics is affine in the acceleration, so differences are exact."""
    q, v = case.q, case.v
    at_rest = lo.bias_force(case.model, q, v)
    columns = [lo.inverse_dynamics(case.model, q, v, e) - at_rest for e in np.eye(case.model.nv)]
    assert relative(np.array(columns).T, lo.mass_matrix(case.model, q)) < 1e-11


def masks(case):
    """Nothing imposed, everything, and three draws."""
    rng, nv = case.rng(31), case.model.nv
    return [np.zeros(nv, bool), np.ones(nv, bool), *(rng.random(nv) < share for share in (0.2, 0.5, 0.8))]


def test_hybrid_dynamics(case):
    """The imposed accelerations and free forces are kept, and both together satisfy the equations of motion."""
    M = case.truth.mass_matrix()
    for wrenches in (None, case.wrenches):
        bias = case.still.inverse_dynamics(wrenches)
        for mask in masks(case):
            a, tau = lo.hybrid_dynamics(case.model, case.q, case.v, case.tau, case.a, mask, wrenches=wrenches)
            assert np.array_equal(a[mask], case.a[mask])
            assert np.array_equal(tau[~mask], case.tau[~mask])
            expected = case.a.copy()
            known = case.tau - bias - M[:, mask] @ case.a[mask]
            expected[~mask] = np.linalg.solve(M[np.ix_(~mask, ~mask)], known[~mask])
            assert relative(a, expected) < SOLVED
            assert relative(tau[mask], (M @ expected + bias)[mask]) < SOLVED


def test_hybrid_between_forward_and_inverse(case):
    args = (case.model, case.q, case.v)
    a, tau = lo.hybrid_dynamics(*args, case.tau, case.a, np.zeros(case.model.nv, bool))
    assert relative(a, lo.forward_dynamics(*args, case.tau)) < SOLVED
    a, tau = lo.hybrid_dynamics(*args, case.tau, case.a, np.ones(case.model.nv, bool))
    assert relative(tau, lo.inverse_dynamics(*args, case.a)) < TOLERANCE


def test_hybrid_by_names(case):
    own = [name for name in case.model.joint_names if not case.model.joint(name).coupled]
    names = own[::2]
    mask = np.zeros(case.model.nv, bool)
    for name in names:
        mask[case.model.joint(name).v] = True
    by_names = lo.hybrid_dynamics(case.model, case.q, case.v, case.tau, case.a, names)
    by_mask = lo.hybrid_dynamics(case.model, case.q, case.v, case.tau, case.a, mask)
    assert all(np.array_equal(x, y) for x, y in zip(by_names, by_mask, strict=True))


def test_coriolis_matrix(case):
    C = lo.coriolis_matrix(case.model, case.q, case.v)
    rate = case.reference.derivative(lambda s: s.mass_matrix(), case.q, along=case.v)
    twice = rate - 2 * C
    assert abs(twice + twice.T).max() < 1e-11 * max(1.0, abs(rate).max())
    gravity = case.reference.at(case.q).inverse_dynamics()
    assert relative(C @ case.v + gravity, case.still.inverse_dynamics()) < TOLERANCE


def test_coriolis_matrix_is_linear_in_velocity(case):
    other = case.rng(32).normal(size=case.model.nv)
    both = lo.coriolis_matrix(case.model, case.q, case.v + 2.0 * other)
    parts = lo.coriolis_matrix(case.model, case.q, case.v) + 2.0 * lo.coriolis_matrix(case.model, case.q, other)
    assert relative(both, parts) < TOLERANCE


def test_wrenches_as_array_are_wrenches_by_name(case):
    array = np.zeros((len(case.model.body_names), 6))
    for name, wrench in case.wrenches.items():
        array[case.model.body(name).index] = wrench
    args = (case.model, case.q, case.v, case.a)
    for function in (lo.inverse_dynamics, lo.forward_dynamics):
        assert np.array_equal(function(*args, wrenches=array), function(*args, wrenches=case.wrenches))
    assert relative(lo.inverse_dynamics(*args, wrenches=0 * array), lo.inverse_dynamics(*args)) < TOLERANCE


def test_wrenches_act_through_jacobians(case):
    """The power of a wrench is that of its generalised force."""
    args = (case.model, case.q, case.v, case.a)
    held = lo.inverse_dynamics(*args) - lo.inverse_dynamics(*args, wrenches=case.wrenches)
    power = sum(wrench @ case.truth.twist(name) for name, wrench in case.wrenches.items())
    assert abs(held @ case.v - power) < 1e-11 * max(1.0, abs(held).max())


def test_passive_force_and_spring_energy(case):
    """Springs, dampers and dry friction of one-coordinate joints, written out; the force of springs is minus the gradient."""
    rng, bodies, by_joint = case.rng(33), [], {}
    coupled = {c.joint for c in case.reference.description.couplings}
    for body in case.reference.description.bodies:
        joints = []
        for joint in body.joints:
            if joint.sizes[1] and joint.name not in coupled:
                k, d, f = rng.uniform(0.1, 2.0, (3, joint.sizes[1]))
                rest = rng.uniform(-1.0, 1.0, joint.sizes[1])
                joint = replace(joint, stiffness=k, damping=d, friction=f, rest=rest)
                by_joint[joint.name] = joint
            joints.append(joint)
        bodies.append(replace(body, joints=tuple(joints)))
    model = lo.Model(replace(case.reference.description, bodies=tuple(bodies)))
    force = lo.passive_force(model, case.q, case.v)
    for name, joint in by_joint.items():
        view = model.joint(name)
        if joint.sizes == (1, 1):
            away = case.q[view.q] - joint.rest
            rate = case.v[view.v]
            expected = -joint.stiffness * away - joint.damping * rate - joint.friction * np.sign(rate)
            assert relative(force[view.v], expected) < TOLERANCE
    if not {joint.kind for joint in by_joint.values()} & {"planar", "spherical", "free"}:
        gradient = -lo.passive_force(model, case.q, np.zeros(model.nv))
        h, steps = 1e-5, 1e-5 * np.eye(model.nv)
        sides = [lo.spring_energy(model, model.integrate(case.q, s * steps)) for s in (1, -1)]
        assert relative(gradient, (sides[0] - sides[1]) / (2 * h)) < 1e-7


@pytest.mark.parametrize("stiffness", [2.0, (1.0, 2.0, 3.0)], ids=["equal", "different"])
@pytest.mark.parametrize("kind", ["planar", "spherical", "free"])
def test_springs_of_group_joints_have_their_energy(kind, stiffness):
    """The work that a spring does is taken from its energy, for joints whose coordinates are no plain numbers, too."""
    stiffness = np.tile(stiffness, 2 if kind == "free" else 1) if np.ndim(stiffness) else stiffness
    joint = lo.Joint("joint", kind, stiffness=stiffness)
    model = lo.Builder("sprung").body("body", joint=joint, inertia=lo.Inertia.box(1.0, (1, 2, 3))).build()
    q, h = model.random(1), 1e-5
    sides = [lo.spring_energy(model, model.integrate(q, s * h * np.eye(model.nv))) for s in (1, -1)]
    force = lo.passive_force(model, q, np.zeros(model.nv))
    assert relative(force, (sides[1] - sides[0]) / (2 * h)) < 1e-7
