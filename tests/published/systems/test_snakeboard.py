"""The rigid snakeboard of Boyer and Belkhiri (2013), in numbers derived independently; data/snakeboard.json.

Velocities of the reference are those of the world, ours those of the board's frame.
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import posed, run_through, through

import locomote as lo

DATA = numbers("snakeboard")
SYSTEM = lo.systems.load("snakeboard")


def to_world(angle, v=None, a=None):
    """Accelerations of the world from those of the frame, or the matrix of velocities."""
    T = np.eye(6)
    c, s = np.cos(angle), np.sin(angle)
    T[:2, :2] = [[c, -s], [s, c]]
    if v is None:
        return T
    spin = np.zeros(6)
    spin[:2] = -v[2] * v[1], v[2] * v[0]
    return T @ (a + spin)


@pytest.mark.parametrize("case", DATA["cases"]["rigid"], ids=["first", "second"])
def test_rigid(case):
    given, expected = case["input"], case["expected"]
    q, T = np.array(given["q"]), to_world(given["q"][2])
    v = T.T @ given["qd"]
    assert close(T @ lo.mass_matrix(SYSTEM.model, q) @ T.T, expected["M_world"], 1e-13)
    r1, r1d, r1dd = q[3], v[3], given["r1dd"]
    drives = {
        "rear_steer": through(r1, r1d, r1dd),
        "front_steer": through(-r1, -r1d, -r1dd),
        "rotor": through(q[5], v[5], given["r3dd"]),
    }
    problem = posed(SYSTEM, drives)
    A, _, _, _ = problem.rows(0.0, q, v)
    assert close(A @ v, np.zeros(2), 1e-12)
    now = problem.evaluate(0.0, q, v)
    assert close(to_world(q[2], v, now.a), expected["qdd"], 1e-12)
    assert close(now.reactions, expected["lambda_"], 1e-12)
    assert close(now.tau[3:], expected["tau_r1_r2_r3"], 1e-12)

    # the reduced velocity along the kernel of the paper
    length = DATA["parameters"]["l"]
    H = np.array([-2 * length * np.cos(r1) ** 2, 0.0, np.sin(2 * r1)])
    dH = r1d * np.array([2 * length * np.sin(2 * r1), 0.0, 2 * np.cos(2 * r1)])
    assert close(v[:3], H * given["eta_r"], 1e-12)
    assert close(now.a[:3], H * expected["eta_r_dot"] + dH * given["eta_r"], 1e-12)
    case = problem.classify(0.0, q)
    assert (case.external, case.passive, case.rank, case.locked_rank, case.free) == (3, 0, 2, 2, 1)


def test_trajectory():
    run = DATA["trajectory_rigid"]
    q, v, _ = run_through(SYSTEM.problem(), run["t"], *SYSTEM.initial)
    for k, row in enumerate(run["x_y_theta_etar"]):
        assert close(q[k, :3], row[:3], 1e-8), k
        r1 = q[k, 3]
        H = np.array([-0.4 * np.cos(r1) ** 2, 0.0, np.sin(2 * r1)])
        assert close(H @ v[k, :3] / (H @ H), row[3], 1e-8)


def test_ten_periods():
    """x = -3.9285, y = -0.0286, heading -3.130 after ten periods."""
    q, _, _ = run_through(SYSTEM.problem(), [0.0, SYSTEM.duration], *SYSTEM.initial)
    assert np.allclose(q[-1, :3], [-3.9285, -0.0286, -3.130], atol=(5e-5, 5e-5, 5e-4))


def test_singular_steering():
    """With both axles along the board two motions are left, where the paper's kernel vanishes."""
    problem = posed(SYSTEM, {"rear_steer": np.pi / 2, "front_steer": -np.pi / 2, "rotor": 0.0})
    case = problem.classify(0.0, np.array([0, 0, 0, np.pi / 2, -np.pi / 2, 0]))
    assert case.free == 2 and case.rank == 1
