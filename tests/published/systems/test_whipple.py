"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina, Schwab (2007), built of bodies, joints and rolling discs only.

data/bicycle_whipple_linear.json: matrices, eigenvalues at speeds of 0 to 10 m/s, weave and capsize speeds. The linear equations
come from `linearize` about straight running, and, written out below, from differences of two accelerations.
"""

from functools import lru_cache

import numpy as np
import pytest
from cases import close, numbers
from scipy.optimize import brentq

import locomote as lo

DATA = numbers("bicycle_whipple_linear")
EXPECTED = DATA["expected"]
SYSTEM = lo.systems.load("whipple_bicycle")
PROBLEM = SYSTEM.problem()
LEAN, STEER, REAR = 3, 6, 8  # what is free; all other velocities follow from the constraints
WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)  # central differences of order eight
STEP = 4e-3


def accelerations(lean, steer, lean_rate, steer_rate, speed):
    """Of lean and steer, for an assembled state."""
    q, rates = SYSTEM.model.neutral(), np.zeros(9)
    q[3:7] = np.sin(lean / 2), 0.0, 0.0, np.cos(lean / 2)
    q[7] = steer
    q, _ = PROBLEM.initial(q, rates)
    A, free = PROBLEM.rows(0.0, q)[0], [LEAN, STEER, REAR]
    rates[free] = lean_rate, steer_rate, speed / 0.3
    others = [k for k in range(9) if k not in free]
    rates[others] = -np.linalg.solve(A[:, others], A[:, free] @ rates[free])
    a = PROBLEM.evaluate(0.0, q, rates).a
    return a[[LEAN, STEER]]


@lru_cache
def linear(speed):
    """(2, 4) slopes of the two accelerations by lean, steer (to the right, as in the benchmark), and their rates."""
    sign, columns = np.array([1.0, -1.0]), []
    for k in range(4):
        slope = np.zeros(2)
        for n, weight in enumerate(WEIGHTS, 1):
            for side in (1, -1):
                state = np.zeros(4)
                state[k] = side * n * STEP * sign[k % 2]
                slope += weight * side / STEP * sign * accelerations(*state, speed)
        columns.append(slope)
    return np.array(columns).T


def eigenvalues(speed):
    """All of them, with zeros for where the bicycle is and how fast it rolls."""
    system = lo.systems.load("whipple_bicycle", speed=speed, push=0.0)
    return system.problem().linearize(*system.initial).eigenvalues


@pytest.mark.parametrize("speed", range(11))
def test_eigenvalues(speed):
    ours = list(eigenvalues(float(speed)))
    for value in EXPECTED["eigenvalues_recomputed"][str(speed)]:
        nearest = min(ours, key=lambda x: abs(x - complex(value["re"], value["im"])))
        assert abs(nearest - complex(value["re"], value["im"])) < DATA["tolerance"]["eigenvalues_abs"]
        ours.remove(nearest)
    assert max(map(abs, ours)) < 1e-4  # the others are zero, with the rounding of a defective matrix


def test_matrices():
    """M^-1 times damping and stiffness, of the closed forms of the benchmark."""
    M, C1, K0, K2 = (np.array(EXPECTED[name]) for name in ("M", "C1", "K0", "K2"))
    for speed in (0.0, 3.0, 7.0):
        stiffness, damping = 9.81 * K0 + speed**2 * K2, speed * C1
        assert close(linear(speed), -np.linalg.solve(M, np.hstack([stiffness, damping])), 1e-10)


def test_weave_and_capsize_speeds():
    def growth(speed, oscillating):
        matrix = np.block([[np.zeros((2, 2)), np.eye(2)], [linear(speed)]])
        return max(x.real for x in np.linalg.eigvals(matrix) if (abs(x.imag) > 1e-6) == oscillating)

    assert abs(brentq(growth, 4.0, 5.0, (True,), xtol=1e-13) - EXPECTED["weave_speed"]) < 1e-9
    assert abs(brentq(growth, 5.5, 6.5, (False,), xtol=1e-13) - EXPECTED["capsize_speed"]) < 1e-9


def test_mass_and_case():
    assert SYSTEM.model.mass == pytest.approx(94.0)
    case = PROBLEM.classify(0.0, SYSTEM.initial[0])
    assert (case.external, case.passive, case.rank, case.free, case.self_stress) == (6, 3, 6, 3, 0)


def test_rides_by_itself():
    """Pushed at 4.6 m/s it comes upright again; at 3 m/s it falls within a few seconds; energy stays."""
    for speed, falls in ((4.6, False), (3.0, True)):
        system = lo.systems.load("whipple_bicycle", speed=speed, push=0.2)
        run = system.problem().simulate(3.0 if falls else 6.0, q=system.initial[0], v=system.initial[1], rtol=1e-9, atol=1e-11)
        x, y, z, w = run.q[:, 3:7].T
        lean = np.arcsin(2 * (y * z + w * x))
        assert (max(abs(lean)) > 0.5) == falls
        if not falls:
            assert abs(lean[-1]) < 0.02 and np.ptp(run.total) < 1e-6 * run.total[0]
