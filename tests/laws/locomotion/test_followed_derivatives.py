"""Derivatives of problems whose joints follow targets: servos by dual numbers, computed torques by their own differential
equation."""

import numpy as np
import pytest

import locomote as lo


@pytest.fixture(scope="module")
def arm():
    builder = lo.Builder("arm")
    builder.body("upper", joint=lo.Joint("shoulder", axis="y"), inertia=lo.Inertia(1.0, (0, 0, -0.25), (0.02, 0.02, 0.003)))
    inertia = lo.Inertia(0.6, (0, 0, -0.2), (0.01, 0.01, 0.002))
    builder.body("lower", parent="upper", at=(0, 0, -0.5), joint=lo.Joint("elbow", axis="y"), inertia=inertia)
    return builder.build()


def test_servos_pull_by_their_stiffness_and_damping(arm):
    """tau = 40 (target - q) - 3 v, so that M a changes by -40 dq - 3 dv beside what it does without."""
    q, v = np.array([0.3, -0.5]), np.array([0.7, 0.2])
    plain = lo.Locomotion(arm)
    held = lo.Locomotion(arm, torques=lo.Servo({"shoulder": lo.Sine(0.2, 2.0), "elbow": 0.1}, 40.0, 3.0))
    t = 0.4
    target = np.array([0.2 * np.sin(2.0 * t), 0.1])
    pull = 40.0 * (target - q) + 3.0 * (np.array([0.4 * np.cos(2.0 * t), 0.0]) - v)
    pushed = lo.Locomotion(arm, torques={"shoulder": pull[0], "elbow": pull[1]}).derivatives(t, q, v)
    found, M = held.derivatives(t, q, v), lo.mass_matrix(arm, q)
    assert np.allclose(found.a.q, pushed.a.q - 40.0 * np.linalg.inv(M), rtol=1e-12, atol=1e-10)
    assert np.allclose(found.a.v, pushed.a.v - 3.0 * np.linalg.inv(M), rtol=1e-12, atol=1e-10)
    assert not np.allclose(plain.derivatives(t, q, v).a.q, found.a.q)


def test_computed_torques_make_every_joint_an_oscillator(arm):
    """e'' + 20 e' + 75 e = 0 of each joint: eigenvalues -5 and -15."""
    problem = lo.Locomotion(arm, torques=lo.ComputedTorque({"shoulder": 0.4, "elbow": -0.2}, 75.0, 20.0))
    values = np.linalg.eigvals(problem.linearize(q=[0.4, -0.2]).A)
    assert np.allclose(np.sort(values.real), [-15.0, -15.0, -5.0, -5.0], atol=1e-5) and abs(values.imag).max() < 1e-5
    with pytest.raises(ValueError, match="computed torques.*differences"):
        problem.derivatives(0.0, [0.1, 0.2], [0.0, 0.0])
    run = problem.simulate(0.2, q=[0.0, 0.0], method="implicit", progress=False)
    exact = 0.4 * (1 - (1.5 * np.exp(-5 * run.t) - 0.5 * np.exp(-15 * run.t)))
    assert np.allclose(run["shoulder.angle"], exact, atol=1e-6)
