"""Linear systems about a state, against CasADi's derivatives of the traced motion and against the flow itself."""

import casadi
import mechanisms
import numpy as np
import pytest
from mechanisms import relative
from scipy.linalg import expm

import locomote as lo


@pytest.mark.parametrize("name", [1, 2, 3, 6, 15, 21])
def test_model_against_symbols(name):
    """xi(s) leads from q0 moved by v0 s to the departed state moved by its own velocity; its mixed derivative is the matrix."""
    case = mechanisms.case(name)
    model, s = case.model, lo.symbolic(case.model)
    found = lo.linearize(model, case.q, case.v, tau=case.tau)
    dq, dv, time = casadi.SX.sym("dq", model.nv), casadi.SX.sym("dv", model.nv), casadi.SX.sym("s")
    start = s.integrate(case.q, dq)
    xi = s.difference(s.integrate(case.q, case.v * time), s.integrate(start, (case.v + dv) * time))
    departure = casadi.vertcat(dq, dv)
    rate = casadi.jacobian(casadi.jacobian(xi, time), departure)
    acceleration = casadi.jacobian(s.forward_dynamics(start, case.v + dv, case.tau), departure)
    at = casadi.Function("at", [departure, time], [rate, acceleration])
    top, bottom = (np.array(x) for x in at(np.zeros(2 * model.nv), 0.0))
    assert relative(found.A[: model.nv], top) < 1e-9
    assert relative(found.A[model.nv :], bottom) < 1e-9
    inverse = np.linalg.inv(lo.mass_matrix(model, case.q))
    assert relative(found.B, np.concatenate([np.zeros_like(inverse), inverse])) < 1e-9


def test_problem_without_constraints_is_the_model():
    """Differences along the constraints, of which there are none, against the analytic derivatives."""
    model = lo.systems.load("satellite").model
    rng = np.random.default_rng(4)
    q, v = model.random(rng), rng.normal(size=model.nv)
    problem = lo.Locomotion(model)
    ours, theirs = lo.linearize(model, q, v), lo.linearize(problem, q, v)
    assert theirs.B is None and relative(theirs.A, ours.A) < 1e-8
    assert relative(problem.linearize(q, v).A, theirs.A) == 0.0


def test_small_motion_of_a_double_pendulum():
    """The exponential of A against a run from a departed state."""
    link = lo.Inertia(1.0, (0, 0, -0.5), (0.1, 0.1, 0.01))
    builder = lo.Builder("double pendulum").body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=link)
    model = builder.body("lower", parent="upper", at=(0, 0, -1), joint=lo.Joint("elbow", axis="y"), inertia=link).build()
    system, size = lo.linearize(model), 1e-5
    assert np.allclose(system.eigenvalues.real, 0.0, atol=1e-9)
    start = size * np.array([1.0, -2.0])
    run = lo.Locomotion(model).simulate(1.5, q=start, v=np.zeros(2), rtol=1e-12, atol=1e-16, samples=[1.5], progress=False)
    state = expm(1.5 * system.A) @ np.concatenate([start, np.zeros(2)])
    assert np.allclose(np.concatenate([run.q[-1], run.v[-1]]), state, rtol=0, atol=1e-3 * size)


def test_wrong_arguments():
    problem = lo.systems.load("simple_pendulum").problem()
    with pytest.raises(ValueError, match="tau is for a model"):
        lo.linearize(problem, tau=np.zeros(problem.model.nv))
