"""Four-bar linkages in numbers derived independently.

Mechanism of Saha, Shah, Nandihal (2013); data/fourbar.json. Mechanism of the ReDySim demonstration, let go;
data/redysim_fourbar_free.json.
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import posed, run_through, through

import locomote as lo

DATA, REDYSIM = numbers("fourbar"), numbers("redysim_fourbar_free")
FALL = lo.systems.load("four_bar", rate=0.0)
CASES = pytest.mark.parametrize("case", DATA["cases"], ids=["first", "second"])


def in_ground(q, reactions):
    """Reactions in axes of the ground from those in axes of the coupler."""
    angle = q[1] + q[2]
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ reactions


@CASES
def test_assembly(case):
    """The state of the whole linkage from that of the crank."""
    given, expected = case["input"], case["expected"]
    system = lo.systems.load("four_bar", angle=given["theta1"], rate=given["theta1d"])
    q, v = system.problem().initial(*system.initial)
    assert close(q, expected["q"], 1e-12) and close(v, expected["qd"], 1e-12)
    near = q + (0.0, 0.02, -0.03)
    driven = posed(system, {"crank": through(given["theta1"], given["theta1d"])})
    q, v = driven.initial(near, np.zeros(3))
    assert close(q, expected["q"], 1e-9) and close(v, expected["qd"], 1e-9)


@CASES
def test_dynamics(case):
    given, expected = case["input"], case["expected"]
    q, v, model = np.array(expected["q"]), np.array(expected["qd"]), FALL.model
    assert close(lo.mass_matrix(model, q), expected["M"], 1e-13)
    gravity = lo.gravity_force(model, q)
    assert close(gravity, -np.array(expected["gravity"]), 1e-13)
    assert close(lo.bias_force(model, q, v) - gravity, expected["bias"], 1e-12)

    problem = posed(FALL, torques={"crank": given["tau1"]})
    A, drift, _, error = problem.rows(0.0, q, v)
    assert close(in_ground(q, A), expected["J"], 1e-13) and close(error, np.zeros(2), 1e-13)
    assert close(in_ground(q, drift), expected["Jdot_qd"], 1e-11)
    now = problem.evaluate(0.0, q, v)
    assert close(now.a, expected["forward_qdd"], 1e-11)
    assert close(in_ground(q, now.reactions), expected["forward_lambda"], 1e-11)

    now = posed(FALL, {"crank": through(q[0], v[0], given["theta1dd"])}).evaluate(0.0, q, v)
    assert close(now.a, expected["inverse_qdd"], 1e-11)
    assert close(in_ground(q, now.reactions), expected["inverse_lambda"], 1e-11)
    assert close(now.tau[0], expected["inverse_tau1"], 1e-11)


def test_crank_at_45_rpm():
    """The torque over a turn: one evaluation each."""
    system = lo.systems.load("four_bar", motion="driven")
    problem = system.problem()
    q, v = problem.initial(*system.initial)
    for t, torque, output, coupler in DATA["inverse_45rpm"]["rows"]:
        q, v = problem.initial(q, v, t=t)
        assert close(q[1:], [output, coupler], 1e-9), t
        assert close(problem.evaluate(t, q, v).tau[0], torque, 1e-8), t


def test_run_at_45_rpm():
    """The same while it runs."""
    system = lo.systems.load("four_bar", motion="driven")
    rows = np.array(DATA["inverse_45rpm"]["rows"])
    q, _, run = run_through(system.problem(), rows[:, 0], *system.initial)
    assert close(q[:, 1:], rows[:, 2:], 1e-8)
    assert close(run.tau[:, 0], rows[:, 1], 1e-6)


@pytest.mark.parametrize("name, rate", [("free_fall_from_rest", 0.0), ("free_fall_from_45rpm", 1.5 * np.pi)])
def test_fall(name, rate):
    rows, system = DATA["forward"][name], lo.systems.load("four_bar", rate=rate)
    q, v, run = run_through(system.problem(), rows["t"], *system.initial)
    expected = np.array(rows["q_qd"])
    assert close(q, expected[:, :3], 1e-8) and close(v, expected[:, 3:], 1e-8)
    assert abs(run.total[0] - rows["energy"]) < 1e-12 and np.ptp(run.total) < 1e-8


def test_redysim():
    p = REDYSIM["inputs"]
    lengths = {"crank": p["crank"], "output": p["link2"], "coupler": p["link3"], "base": p["ground"]}
    masses = dict(zip(("crank_mass", "output_mass", "coupler_mass"), p["m"], strict=True))
    system = lo.systems.load("four_bar", rate=0.0, **lengths, **masses)
    closed = p["q0_closed_exactly"]
    assert close(system.initial[0], [closed["theta1"], closed["theta2"], closed["theta3_minus_theta2"]], 1e-12)
    a = system.problem().evaluate(0.0, *system.initial).a
    assert close([a[0], a[1], a[1] + a[2]], REDYSIM["expected"]["initial_accelerations"], 1e-9)
    rows = REDYSIM["expected"]["trajectory"]
    q, v, _ = run_through(system.problem(), [0.0, *(row["t"] for row in rows)], *system.initial)
    for k, row in enumerate(rows, 1):
        assert np.allclose(
            [q[k, 0], q[k, 1], q[k, 1] + q[k, 2]], [row["theta1"], row["theta2_abs"], row["theta3_abs"]], atol=1e-6
        )
        assert np.allclose([v[k, 0], v[k, 1], v[k, 1] + v[k, 2]], row["rates"], atol=1e-6 * 30)


def test_links_too_short():
    with pytest.raises(lo.ModelError, match="cannot close the loop"):
        _ = lo.systems.load("four_bar", coupler=0.01).initial
