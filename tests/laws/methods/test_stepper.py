"""Steps by hand: equal to runs, with constraints, drives and functions, for wrong calls too."""

import numpy as np
import pytest

import locomote as lo


@pytest.mark.parametrize("name", ["snakeboard", "quadruped", "four_bar", "heavy_top", "acm_snake"])
def test_steps_are_those_of_a_run(name):
    problem = lo.systems.load(name).problem()
    run = problem.simulate(0.2, method="rk4", step=1e-3, samples=[0.2])
    stepper = problem.stepper(step=1e-3)
    for _ in range(200):
        stepper.advance()
    assert stepper.t == pytest.approx(0.2)
    assert stepper.q == pytest.approx(run.q[-1], abs=1e-10) and stepper.v == pytest.approx(run.v[-1], abs=1e-9)


def test_torques_are_held_for_a_step():
    """A mass: constant torque a step, so that the speed after each is known."""
    model = lo.Builder("mass", base="x").body("mass", inertia=lo.Inertia(2.0)).build()
    rng = np.random.default_rng(0)
    pushes = rng.normal(size=50)
    for method, error in (("rk4", 1e-13), ("euler", 1e-13)):
        stepper = lo.Locomotion(model).stepper(step=0.01, method=method)
        for push in pushes:
            stepper.advance(np.array([push]))
        assert stepper.v[0] == pytest.approx(pushes.sum() * 0.01 / 2.0, abs=error)
    stepper.reset(q=[3.0], t=1.0)
    stepper.advance([2.0], steps=4)
    assert stepper.t == pytest.approx(1.04) and stepper.v[0] == pytest.approx(0.04) and stepper.q[0] == pytest.approx(3.001)


def test_semi_implicit_steps_converge_at_first_order():
    problem = lo.systems.load("heavy_top").problem()
    exact = problem.simulate(0.1, rtol=1e-12, atol=1e-13, samples=[0.1])
    errors = []
    for count in (800, 1600):
        stepper = problem.stepper(step=0.1 / count, method="euler")
        stepper.advance(steps=count)
        errors.append(abs(stepper.v - exact.v[-1]).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def test_states_are_copies():
    stepper = lo.systems.load("simple_pendulum").problem().stepper()
    q = stepper.q
    stepper.advance(steps=10)
    assert not np.array_equal(q, stepper.q)
    stepper.q[:] = 9.0
    assert abs(stepper.q[0]) < 9.0


def test_wrong_steps():
    problem = lo.systems.load("simple_pendulum").problem()
    with pytest.raises(ValueError, match="step is 0, expected a positive number"):
        problem.stepper(step=0)
    with pytest.raises(ValueError, match="unknown method 'adaptive'; known for steps by hand: rk4, euler"):
        problem.stepper(method="adaptive")
    stepper = problem.stepper()
    with pytest.raises(ValueError, match="tau has shape"):
        stepper.advance([1.0, 2.0])
    before = stepper.q
    with pytest.raises(lo.LocomoteError, match="cannot go on at t = 0 s: a value is not finite"):
        stepper.advance(np.array([np.nan]))
    assert np.array_equal(stepper.q, before) and stepper.t == 0.0
    ball = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(2.0, 0.1)).build()
    ground = lo.PointContact("ball", target=(0, 0, 0), directions="z", unilateral=True)
    with pytest.raises(ValueError, match="has contacts that open and close, which steps by hand do not look after"):
        lo.Locomotion(ball, constraints=[ground]).stepper(q=[0, 0, 1.0])


def test_faults_of_functions_come_out():
    def torques(t, q, v):
        if t > 0.005:
            raise RuntimeError("motor burnt")
        return [0.0]

    stepper = lo.Locomotion(lo.systems.load("simple_pendulum").model, torques=torques).stepper()
    with pytest.raises(RuntimeError, match="motor burnt"):
        stepper.advance(steps=20)


def test_torques_of_any_kind_take_the_same_step():
    """Plain arrays go a short way into the kernel, all others are looked at first: the same numbers; wrong ones do nothing."""
    model = lo.systems.load("quadruped").model
    problem, tau = lo.Locomotion(model), np.linspace(-1.0, 1.0, model.nv)
    still = tau.copy()
    still.flags.writeable = False
    ends = []
    for given in (tau, still, tau.tolist(), np.repeat(tau, 2)[::2], tau.astype(">f8")):
        stepper = problem.stepper(step=1e-3)
        stepper.advance(given)
        stepper.advance(given, steps=2)
        ends.append((stepper.t, *stepper.q, *stepper.v))
    assert all(end == ends[0] for end in ends) and ends[0][0] == pytest.approx(3e-3)
    stepper = problem.stepper(step=1e-3)
    for wrong in (np.zeros(model.nv + 1), np.zeros(model.nv - 1), np.zeros((1, model.nv)), np.zeros(0)):
        with pytest.raises(ValueError, match="tau"):
            stepper.advance(wrong)
    assert stepper.t == 0.0


def test_steps_over_contacts_are_those_of_runs():
    builder = lo.Builder("robot", base="free").body("trunk", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    builder.body(
        "arm", parent="trunk", at=(0, 0, 0.05), joint=lo.Joint("hinge", axis="y"), inertia=lo.Inertia(0.3, (0, 0, 0.1))
    )
    feet = lo.Touch("trunk", lo.Ground(friction=0.5), points=[(0.05, 0, -0.05), (-0.05, 0.05, -0.05), (-0.05, -0.05, -0.05)])
    problem = lo.Locomotion(builder.build(), contacts=[feet], springs={"hinge": (5.0, 0.0, 0.1)})
    q, v, steps = [0, 0, 0.06, 0, 0, 0, 1, 0.2], [0.5, 0, 0, 0, 0, 0, 0], 100
    stepper, tau = problem.stepper(q, v, step=1e-3), np.array([0, 0, 0, 0, 0, 0, 0.2])
    assert (stepper.contact_forces == 0).all() and stepper.contact_forces.shape == (3, 3)
    stepper.advance(tau, steps=steps)
    pushed = problem.replaced(torques=lambda t, q, v: tau)
    run = pushed.simulate(1e-3 * steps, q=q, v=v, step=1e-3, samples=[1e-3 * steps], progress=False)
    assert np.allclose(stepper.q, run.q[-1], atol=1e-12) and np.allclose(stepper.v, run.v[-1], atol=1e-10)
    assert np.allclose(stepper.contact_forces, run.contact_forces[-1], atol=1e-7) and run.contact_forces[-1].any()
    assert np.allclose(stepper.contact_points, run.contact_points[-1], atol=1e-10)
    stepper.reset(q, v)
    assert stepper.t == 0.0 and (stepper.contact_forces == 0).all()
    with pytest.raises(ValueError, match="has contacts with friction, which method='timestep' steps over, not 'euler'"):
        problem.stepper(q, v, method="euler")
