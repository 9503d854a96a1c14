"""The mobile pendulum of Boyer and Belkhiri (2013), in numbers derived independently; data/mobile_pendulum.json."""

import numpy as np
import pytest
from cases import close, numbers
from problems import posed, pushed, run_through, through

import locomote as lo

DATA = numbers("mobile_pendulum")
SYSTEM = lo.systems.load("mobile_pendulum")
CASES = pytest.mark.parametrize("case", DATA["cases"], ids=["first", "second"])


def state(given):
    q = np.array([given["x"], given["r3"], 0.0, 0.0])
    return q, np.array([0.1 * given["rd"], given["r3d"], given["rd"], given["rd"]])


@CASES
def test_model(case):
    expected, (q, v) = case["expected"], state(case["input"])
    assert close(lo.mass_matrix(SYSTEM.model, q), expected["M"], 1e-13)
    assert close(lo.bias_force(SYSTEM.model, q, v), expected["bias_minus_gravity"], 1e-13)


@CASES
def test_imposed_wheels(case):
    given, expected, (q, v) = case["input"], case["expected"], state(case["input"])
    wheel = through(0.0, given["rd"], given["rdd"])
    problem = posed(SYSTEM, {"front": wheel, "rear": wheel})
    now = problem.evaluate(0.0, q, v)
    assert close(now.a, [expected["xdd"], expected["r3dd"], given["rdd"], given["rdd"]], 1e-12)
    assert close(now.tau[2:], expected["tau_equal"], 1e-12)  # least norm shares equally
    assert close(now.reactions.sum(), expected["rail_force_sum"], 1e-12)
    assert now.self_stress.shape == (2, 1)
    # all of the force at one wheel is another of the possible answers
    stress = now.self_stress[:, 0] / now.self_stress[0, 0]
    for name, only in (("tau_front_leading", 0), ("tau_rear_leading", 1)):
        share = now.reactions + stress * (expected["rail_force_sum"] * (only == 0) - now.reactions[0])
        assert close(share[1 - only], 0.0, 1e-12)
        assert close((now.tau - pushed(problem, q, share - now.reactions))[2:], expected[name], 1e-12)


@CASES
def test_given_torques(case):
    """With unequal torques the wheels still turn alike."""
    expected, (q, v) = case["expected"], state(case["input"])
    problem = posed(SYSTEM, torques=dict(zip(("front", "rear"), case["input"]["tau_forward"], strict=True)))
    now = problem.evaluate(0.0, q, v)
    assert close(now.a, expected["forward_acc_x_r3_r1_r2"], 1e-12)
    assert close(now.reactions, expected["forward_lambda"], 1e-12)


def test_case():
    case = SYSTEM.problem().classify(0.0, SYSTEM.initial[0])
    assert (case.external, case.passive, case.rank, case.locked_rank, case.free, case.self_stress) == (1, 1, 2, 1, 1, 1)
    assert case.over_constrained and case.kinematic == ("base.x rate",) and case.mobility == 1


def test_trajectory():
    run = DATA["trajectory"]
    q, v, _ = run_through(SYSTEM.problem(), run["t"], *SYSTEM.initial)
    assert close(q[:, 1], run["r3"], 1e-9) and close(v[:, 1], run["r3d"], 1e-8)
