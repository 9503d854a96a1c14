"""Analytic derivatives against complex steps through the second formulation, which has no rounding to speak of."""

import numpy as np
from mechanisms import relative
from reference import STEP

import locomote as lo

TOLERANCE = 1e-11
SOLVED = 1e-11


def by_velocity(case, a, wrenches):
    """(nv, nv) derivative of inverse dynamics by v."""
    steps = 1j * STEP * np.eye(case.model.nv)
    return np.array([np.imag(case.reference.at(case.q, case.v + s, a).inverse_dynamics(wrenches)) / STEP for s in steps]).T


def by_position(case, a, wrenches):
    """(nv, nv) derivative of inverse dynamics along the tangent."""
    return case.reference.derivative(lambda s: s.inverse_dynamics(wrenches), case.q, case.v, a)


def test_inverse_dynamics_derivatives(case):
    for wrenches in (None, case.wrenches):
        ours = lo.inverse_dynamics_derivatives(case.model, case.q, case.v, case.a, wrenches=wrenches)
        assert relative(ours.q, by_position(case, case.a, wrenches)) < TOLERANCE
        assert relative(ours.v, by_velocity(case, case.a, wrenches)) < TOLERANCE
        assert relative(ours.a, case.truth.mass_matrix()) < TOLERANCE


def test_forward_dynamics_derivatives(case):
    M = case.truth.mass_matrix()
    for wrenches in (None, case.wrenches):
        a = np.linalg.solve(M, case.tau - case.still.inverse_dynamics(wrenches))
        ours = lo.forward_dynamics_derivatives(case.model, case.q, case.v, case.tau, wrenches=wrenches)
        assert relative(ours.q, -np.linalg.solve(M, by_position(case, a, wrenches))) < SOLVED
        assert relative(ours.v, -np.linalg.solve(M, by_velocity(case, a, wrenches))) < SOLVED
        assert relative(ours.tau, np.linalg.inv(M)) < SOLVED


def test_derivatives_follow_our_own_functions(case):
    """Richardson's extrapolation of central differences along our own `integrate`."""
    model, q, v, a = case.model, case.q, case.v, case.a

    def central(h):
        steps = h * np.eye(model.nv)
        sides = [lo.inverse_dynamics(model, model.integrate(q, s * steps), v, a) for s in (1, -1)]
        return (sides[0] - sides[1]).T / (2 * h)

    ours = lo.inverse_dynamics_derivatives(model, q, v, a).q
    assert relative(ours, (4 * central(1e-3) - central(2e-3)) / 3) < 1e-7
