"""Energies, momentum and center of mass: their values, their rates, and what a motion conserves."""

from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from constraint_reference import derivative
from mechanisms import case_of, random_description, relative
from reference import STEP

import locomote as lo

TOLERANCE = 1e-12


def has_added(case):
    return any(body.added_inertia is not None for body in case.reference.bodies)


def test_kinetic_energy(case):
    energy = lo.kinetic_energy(case.model, case.q, case.v)
    assert relative(energy, case.truth.kinetic_energy()) < TOLERANCE
    M = lo.mass_matrix(case.model, case.q)
    assert relative(energy, 0.5 * case.v @ M @ case.v) < TOLERANCE


def test_potential_energy(case):
    ours, theirs = lo.potential_energy(case.model, case.q), case.truth.potential_energy()
    assert relative(ours, theirs) < TOLERANCE


def test_center_of_mass(case):
    assert relative(lo.center_of_mass(case.model, case.q), case.truth.center_of_mass()) < TOLERANCE


def test_potential_energy_is_that_of_the_center(case):
    center, gravity = lo.center_of_mass(case.model, case.q), case.model.gravity
    assert relative(lo.potential_energy(case.model, case.q), -case.truth.mass() * gravity @ center) < 1e-11


def test_momentum(case):
    momentum = lo.momentum(case.model, case.q, case.v)
    assert relative(momentum, case.truth.momentum()) < TOLERANCE
    assert relative(lo.momentum_matrix(case.model, case.q) @ case.v, case.truth.momentum()) < TOLERANCE


def test_momentum_matrix(case):
    columns = [case.reference.at(case.q, e).momentum() for e in np.eye(case.model.nv)]
    assert relative(lo.momentum_matrix(case.model, case.q), np.array(columns).T) < TOLERANCE


def test_linear_momentum_is_mass_times_velocity_of_the_center(case):
    if not has_added(case):
        expected = case.truth.mass() * case.truth.center_velocity()
        assert relative(lo.momentum(case.model, case.q, case.v)[:3], expected) < TOLERANCE


def rate_of_momentum(case, a):
    """By a complex step along the motion (v, a)."""
    step = 1j * STEP
    return np.imag(case.reference.at(case.q, case.v + step * a, nudge=step * case.v).momentum()) / STEP


def test_momentum_rate(case):
    ours = lo.momentum_rate(case.model, case.q, case.v, case.a)
    assert relative(case.truth.momentum_rate(), rate_of_momentum(case, case.a)) < TOLERANCE
    assert relative(ours, case.truth.momentum_rate()) < TOLERANCE


@pytest.mark.parametrize("seed", range(4))
def test_momentum_rate_is_the_external_wrench(seed):
    """A free mechanism with no force at its base: only gravity and the given wrenches change its momentum."""
    case = case_of(random_description(seed, base="free", added=False, coupled=False), seed)
    tau = np.array(case.tau)
    tau[:6] = 0.0
    a = lo.forward_dynamics(case.model, case.q, case.v, tau, wrenches=case.wrenches)
    center, total = case.truth.center_of_mass(), np.zeros(6)
    total[:3] = case.truth.mass() * case.model.gravity
    for name, wrench in case.wrenches.items():
        pose = case.truth.pose(name)
        force = pose[:3, :3] @ wrench[:3]
        total[:3] += force
        total[3:] += pose[:3, :3] @ wrench[3:] + np.cross(pose[:3, 3] - center, force)
    assert relative(lo.momentum_rate(case.model, case.q, case.v, a), total) < 1e-10
    assert relative(rate_of_momentum(case, a), total) < 1e-10


def test_power_in_is_the_rate_of_energy(case):
    """tau . v and the power of wrenches against d/dt of kinetic and potential energy of the second formulation."""
    tau = lo.inverse_dynamics(case.model, case.q, case.v, case.a, wrenches=case.wrenches)
    power = tau @ case.v + sum(wrench @ case.truth.twist(name) for name, wrench in case.wrenches.items())
    step = 1j * STEP
    moved = case.reference.at(case.q, case.v + step * case.a, nudge=step * case.v)
    rate = np.imag(moved.kinetic_energy() + moved.potential_energy()) / STEP
    scale = max(1.0, float(abs(tau) @ abs(case.v)))
    assert abs(power - rate) < TOLERANCE * scale


PLAIN = ("revolute", "prismatic", "helical", "cylindrical", "universal", "x", "xy", "xyz")


def bracket(u, v):
    """Of two twists (linear, angular)."""
    return np.concatenate([np.cross(u[3:], v[:3]) + np.cross(u[:3], v[3:]), np.cross(u[3:], v[3:])])


def tangent_rate(u, v, free):
    """u' such that exp(u) moves with the body velocity v, to the order that fourth-order steps need."""
    rate = np.array(v)
    if free:
        once = bracket(u[:6], v[:6])
        rate[:6] += 0.5 * once + bracket(u[:6], once) / 12
    return rate


def rolled(case, duration, steps):
    """The state after a motion without any force: classical Runge-Kutta, in the tangent at the start of each step."""
    model, h, zero = case.model, duration / steps, np.zeros(case.model.nv)
    free = case.reference.joints[0].kind == "free"
    q, v = case.q, case.v

    def slope(u, w):
        return tangent_rate(u, w, free), lo.forward_dynamics(model, model.integrate(q, u), w, zero)

    for _ in range(steps):
        k1 = slope(zero, v)
        k2 = slope(h / 2 * k1[0], v + h / 2 * k1[1])
        k3 = slope(h / 2 * k2[0], v + h / 2 * k2[1])
        k4 = slope(h * k3[0], v + h * k3[1])
        u, dv = (h / 6 * (k1[n] + 2 * k2[n] + 2 * k3[n] + k4[n]) for n in (0, 1))
        q, v = model.integrate(q, u), v + dv
    return q, v


def falls_with_fourth_power(errors, scale):
    """Whether halving the step divides the error by about sixteen, until rounding takes over."""
    return all(fine < coarse / 10 or fine < 1e-11 * scale for coarse, fine in zip(errors, errors[1:], strict=False))


@pytest.mark.parametrize("base", ["xyz", "free"])
@pytest.mark.parametrize("seed", [0, 3, 5])
def test_energy_is_kept_without_forces(seed, base):
    case = case_of(random_description(seed, base=base, kinds=PLAIN, coupled=False, bodies=5), seed)

    def energy(q, v):
        return lo.kinetic_energy(case.model, q, v) + lo.potential_energy(case.model, q)

    start = energy(case.q, case.v)
    drifts = [abs(energy(*rolled(case, 0.1, steps)) - start) for steps in (20, 40, 80)]
    assert drifts[-1] < 1e-6 * max(1.0, abs(start))
    assert falls_with_fourth_power(drifts, max(1.0, abs(start)))


@pytest.mark.parametrize("seed", [1, 4, 6])
def test_momentum_is_kept_without_gravity(seed):
    description = random_description(seed, base="free", kinds=PLAIN, added=False, coupled=False, bodies=5)
    case = case_of(replace(description, gravity=(0.0, 0.0, 0.0)), seed)
    start = lo.momentum(case.model, case.q, case.v)
    drifts = [abs(lo.momentum(case.model, *rolled(case, 0.1, steps)) - start).max() for steps in (20, 40, 80)]
    assert drifts[-1] < 1e-6 * max(1.0, abs(start).max())
    assert falls_with_fourth_power(drifts, max(1.0, abs(start).max()))


def test_model_mass_counts_everything():
    for name in mechanisms.NAMES:
        case = mechanisms.case(name)
        total = sum(body.inertia.mass for body in case.reference.bodies if body.inertia is not None)
        assert case.model.mass == pytest.approx(total, rel=1e-14)


def test_momentum_rate_with_rods_and_added_inertia():
    """About a center of mass that water around a body lets move on its own: the derivative of momentum along a motion."""
    rod = lo.Rod(0.5, lo.Section.circle(0.02), lo.Material(1000.0, 1e6), strains="bending", order=1)
    builder = lo.Builder("swimmer", base="free").body("head", inertia=lo.Inertia(2.0, (0.1, 0, 0), (0.01, 0.02, 0.03)))
    builder.body("tail", parent="head", at=(0.3, 0, 0), flex=rod)
    water = lo.AddedMass("head", lo.Fluid(1000.0, 1e-3), lo.Ellipsoid((0.1, 0.05, 0.05)))
    model, rng = lo.Locomotion(builder.build(), environment=[water]).model, np.random.default_rng(4)
    q, v, a = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)

    def along(s):
        return lo.momentum(model, model.integrate(q, s * v + 0.5 * s * s * a), v + s * a)

    assert relative(lo.momentum_rate(model, q, v, a), derivative(along)) < 1e-8
    far = lo.momentum(model, q, v)[:3] / model.mass  # which is not how the center moves
    assert abs(far - derivative(lambda s: lo.center_of_mass(model, model.integrate(q, s * v)))).max() > 0.1
