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
    """Dual numbers on a problem that has nothing but the model, against the analytic derivatives."""
    model = lo.systems.load("satellite").model
    rng = np.random.default_rng(4)
    q, v = model.random(rng), rng.normal(size=model.nv)
    problem = lo.Locomotion(model)
    ours, theirs = lo.linearize(model, q, v), lo.linearize(problem, q, v)
    assert relative(theirs.A, ours.A) < 1e-12 and relative(theirs.B, ours.B) < 1e-12
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


def test_constraints_reduce_forces_and_motion():
    """A cart on a rail that is a constraint, pole on it, against the model whose joints are just those two."""
    pole = lo.Inertia(0.4, (0, 0, 0.5), np.diag([0.05, 0.05, 0.001]))

    def built(base):
        builder = lo.Builder("cart", base=base).body("cart", inertia=lo.Inertia.box(1.5, (0.3, 0.2, 0.1)))
        return builder.body("pole", parent="cart", joint=lo.Joint("hinge", axis="y"), inertia=pole).build()

    free, plain = built("xyz"), lo.linearize(built("x"))
    held = lo.linearize(lo.Locomotion(free, constraints=[lo.PointContact("cart", target=(0, 0, 0), directions="yz")]))
    assert held.A.shape == (4, 4) and held.B.shape == (4, 4)
    assert np.allclose(held.eigenvalues, plain.eigenvalues, atol=1e-10)
    turn = held.velocities[[0, 3]]  # both bases span x and the hinge
    assert relative(turn.T @ turn, np.eye(2)) < 1e-12
    assert relative(turn @ held.B[2:][:, [0, 3]], plain.B[2:]) < 1e-12
    assert abs(held.B[:, [1, 2]]).max() < 1e-12  # pushing against the rail moves nothing


@pytest.mark.parametrize("name", ["four_bar", "snakeboard", "rolling_disc", "ball_on_turntable"])
def test_exact_slopes_are_those_of_departures(name):
    """Against differences of eighth order of states that depart and are brought back onto the constraints."""
    from locomote.locomotion import linearization

    problem = lo.systems.load(name).problem()
    q, v = problem.initial()
    rng, model = np.random.default_rng(1), problem.model
    q, v = problem.initial(model.integrate(q, 0.1 * rng.normal(size=model.nv)), v + 0.3 * rng.normal(size=model.nv))
    found = problem.linearize(q, v)
    bases, carried = (found.positions, found.velocities), linearization.drag(model, v)
    departures = linearization.by_differences(problem, problem.plan_at(q), 0.0, q, v, *bases, carried)
    assert relative(found.A, departures) < 1e-8
