"""Controllers with a clock: called at their ticks only, held between them, exact after a kill, and as fast as they are."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy.linalg import expm

import locomote as lo


def slider(**options):
    builder = lo.Builder("slider").body(
        "block", joint=lo.Joint("x", "prismatic", axis="x"), inertia=lo.Inertia.box(2.0, (1, 1, 1))
    )
    return lo.Locomotion(builder.build(), **options)


def arm():
    builder = lo.Builder("arm")
    builder.body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=lo.Inertia.box(1.0, (0.1, 0.1, 1.0)))
    builder.body(
        "lower",
        parent="upper",
        at=(0, 0, -0.5),
        joint=lo.Joint("elbow", axis="y"),
        inertia=lo.Inertia.box(1.0, (0.1, 0.2, 0.6)),
    )
    return builder.build()


@pytest.mark.parametrize("method", ["adaptive", "rk4", "implicit"])
def test_a_sampled_law_gives_the_motion_of_the_discrete_system(method):
    """Block of 2 kg, tau = -30 x - 8 v at 50 Hz, held: between ticks a constant force, whose motion is known."""
    h, gains = 0.02, np.array([30.0, 8.0])
    problem = slider(torques=lo.Sampled(lambda t, q, v: [-gains[0] * q[0] - gains[1] * v[0]], every=h))
    run = problem.simulate(1.0, q=[1.0], every=h, method=method, step=1e-3)
    A, B = np.array([[1, h], [0, 1]]), np.array([h * h / 4, h / 2])
    state = np.array([1.0, 0.0])
    for k, t in enumerate(run.t):
        np.testing.assert_allclose([run.q[k, 0], run.v[k, 0]], state, atol=1e-8)
        state = A @ state + B * -(gains @ state)
        assert t == pytest.approx(k * h)
    assert run.audit.ok, str(run.audit)


def test_a_line_between_ticks_lags_by_one_period():
    seen = []

    def ramp(t, q, v):
        seen.append(t)
        return [np.floor(t / 0.1 + 0.5)]

    run = slider(torques=lo.Sampled(ramp, every=0.1, between="line")).simulate(1.0, every=0.05, method="rk4", step=0.05)
    np.testing.assert_allclose(seen[:10], 0.1 * np.arange(10), atol=1e-12)
    np.testing.assert_allclose(run["x.force"], np.maximum(0.0, run.t / 0.1 - 1.0), atol=1e-9)
    np.testing.assert_allclose(run.v[-1, 0], 0.5 * 9.0 * 0.9 / 2.0, rtol=1e-9)  # area of the ramp, by mass


def test_several_rates_and_states():
    calls = {"fast": [], "slow": []}

    def fast(t, q, v, state):
        calls["fast"].append(t)
        return [state[0]], state + 1.0

    def slow(t, q, v, state):
        calls["slow"].append(t)
        return [100.0 * state[0, 1]], state + [[0.0, 1.0]]

    controllers = [lo.Sampled(fast, every=0.01, state=[0.0]), lo.Sampled(slow, every=0.025, start=0.01, state=[[0.0, 1.0]])]
    problem = slider(torques=controllers)
    first, second = (problem.simulate(0.1, every=0.005) for _ in range(2))
    assert len(calls["fast"]) == 20 and len(calls["slow"]) == 8  # every run begins anew
    np.testing.assert_array_equal(first.q, second.q)
    expected = np.floor(first.t / 0.01 - 1e-9).clip(0) + 100.0 * np.floor((first.t - 0.01) / 0.025 - 1e-9 + 1).clip(0)
    np.testing.assert_allclose(first["x.force"][1:], expected[1:], atol=1e-12)


def test_pd_is_the_function_that_it_stands_for():
    model, target = arm(), lo.Sine(0.4, 3.0)

    def by_hand(t, q, v):
        x, dx, _ = target(t)
        weight = lo.gravity_force(model, q)
        return [50.0 * (x - q[0]) + 4.0 * (dx - v[0]) + weight[0], 20.0 * (0.3 - q[1]) - v[1] + weight[1]]

    pd = lo.PD(
        {"shoulder": target, "elbow": 0.3},
        {"shoulder": 50.0, "elbow": 20.0},
        {"shoulder": 4.0, "elbow": 1.0},
        gravity=True,
        every=2e-3,
    )
    compiled = lo.Locomotion(model, torques=pd)
    slow = lo.Locomotion(model, torques=lo.Sampled(by_hand, every=2e-3))
    one, two = (problem.simulate(1.0, every=0.01) for problem in (compiled, slow))
    np.testing.assert_allclose(one.q, two.q, atol=1e-10)
    np.testing.assert_allclose(one.tau, two.tau, atol=1e-8)
    now = compiled.evaluate(0.2, [0.1, 0.2], [0.3, 0.4])
    np.testing.assert_allclose(now.tau, by_hand(0.2, np.array([0.1, 0.2]), np.array([0.3, 0.4])), rtol=1e-12)


def test_lqr_holds_an_upright_pendulum():
    """Discrete gains for the linearised plant; closed-loop eigenvalues as designed."""
    import scipy.linalg

    builder = lo.Builder("cart")
    builder.body("cart", joint=lo.Joint("x", "prismatic", axis="x"), inertia=lo.Inertia.box(1.0, (0.3, 0.2, 0.1)))
    builder.body(
        "rod",
        parent="cart",
        joint=lo.Joint("tilt", axis="y"),
        inertia=lo.Inertia.box(0.3, (0.05, 0.05, 1.0)).moved(lo_pose(0.5)),
    )
    model = builder.build()
    plant = lo.linearize(model, [0, 0], [0, 0])
    h, B = 0.01, plant.B[:, :1]
    both = expm(np.block([[plant.A, B], [np.zeros((1, 5))]]) * h)
    Ad, Bd = both[:4, :4], both[:4, 4:]
    P = scipy.linalg.solve_discrete_are(Ad, Bd, np.diag([1.0, 10, 1, 1]), [[0.1]])
    K = np.linalg.solve([[0.1]] + Bd.T @ P @ Bd, Bd.T @ P @ Ad)
    problem = lo.Locomotion(model, torques=lo.Sampled(lambda t, q, v: [-(K @ [*q, *v])[0], 0.0], every=h))
    run = problem.simulate(12.0, q=[0.0, 0.2], every=h)
    assert abs(run.q[-1]).max() < 1e-4 and run.audit.ok
    assert abs(np.linalg.eigvals(Ad - Bd @ K)).max() < 1


def lo_pose(z):
    pose = np.eye(4)
    pose[2, 3] = z
    return pose


RUN = """
    import sys, os, signal
    import numpy as np
    import locomote as lo
    builder = lo.Builder("slider")
    builder.body("block", joint=lo.Joint("x", "prismatic", axis="x"), inertia=lo.Inertia.box(2.0, (1, 1, 1)))

    def control(t, q, v, state):
        state = state + [q[0] * 1e-3, 1.0]
        if DIES and state[1] > 3000:
            os.kill(os.getpid(), signal.SIGKILL)
        return [-30 * q[0] - v[0] - 3 * state[0] + np.sin(state[1])], state

    problem = lo.Locomotion(builder.build(), torques=lo.Sampled(control, every=1e-3, state=[0.0, 0.0]))
"""


def test_a_killed_run_goes_on_bit_for_bit(tmp_path):
    path = tmp_path / "run.h5"
    start = textwrap.dedent(RUN)
    begin = "run = problem.simulate(5.0, q=[1.0], checkpoint=sys.argv[1], checkpoint_interval=0.01, every=0.01, progress=False)"
    done = subprocess.run(
        [sys.executable, "-c", start.replace("DIES", "True") + begin, str(path)], env=os.environ, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    space = {}
    exec(start.replace("DIES", "False"), space)
    part = lo.open_run(path)
    assert 0.5 < part.t[-1] < 3.01
    rest = lo.resume(path, problem=space["problem"], progress=False)
    whole = space["problem"].simulate(5.0, q=[1.0], every=0.01)
    np.testing.assert_array_equal(rest.q, whole.q)
    np.testing.assert_array_equal(rest.tau, whole.tau)


def test_a_hostile_state_of_clocks_is_refused(tmp_path):
    space = {}
    exec(textwrap.dedent(RUN).replace("DIES", "False"), space)
    run = space["problem"].simulate(0.1, q=[1.0])
    for name, value in (("ticks", -5), ("ticks", 10**15), ("controllers", np.nan)):
        state = {key: np.array(x) for key, x in run.state.items()}
        state[name] = np.full_like(state[name], value)
        import dataclasses

        with pytest.raises(lo.LocomoteError, match="cannot go on"):
            dataclasses.replace(run, state=state).extend(0.1)


def test_faults_and_wrong_controllers_get_a_sentence():
    def fails(t, q, v):
        raise ArithmeticError("no answer")

    with pytest.raises(lo.RunFailed, match="raised ArithmeticError .*no answer"):
        slider(torques=lo.Sampled(fails)).simulate(0.1)
    with pytest.raises(lo.RunFailed, match="shape"):
        slider(torques=lo.Sampled(lambda t, q, v: [1.0, 2.0])).simulate(0.1)
    with pytest.raises(lo.RunFailed, match="keep its shape"):
        slider(torques=lo.Sampled(lambda t, q, v, s: ([0.0], [1.0, 2.0]), state=[0.0])).simulate(0.1)
    with pytest.raises(ValueError, match="every of controller"):
        lo.Sampled(fails, every=0.0)
    with pytest.raises(TypeError, match="a controller is a function"):
        lo.Sampled(3)
    with pytest.raises(TypeError, match="expected lo.Sampled, lo.PD, lo.Servo, lo.ComputedTorque or lo.FeedForward"):
        slider(torques=[3])
    with pytest.raises(ValueError, match="no stiffness for joint 'x'"):
        slider(torques=lo.PD({"x": 0.0}, {}, 1.0))
    with pytest.raises(ValueError, match="steps by hand"):
        slider(torques=lo.PD({"x": 0.0}, 1.0, 1.0)).stepper()


def test_a_problem_with_pd_travels():
    problem = slider(torques=lo.PD({"x": lo.Sine(1.0, 2.0)}, 30.0, 2.0))
    copy = pickle.loads(pickle.dumps(problem))
    np.testing.assert_array_equal(copy.simulate(0.5).q, problem.simulate(0.5).q)
