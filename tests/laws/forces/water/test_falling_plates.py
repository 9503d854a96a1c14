"""Cards that fall: against equations of their own, integrated by SciPy, and what becomes of cards of more and less inertia.

A. Andersen, U. Pesavento, Z.J. Wang, J. Fluid Mech. 541 (2005) 91: cards flutter, tumble, or do both without order.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import locomote as lo

C_T, C_R, A, B, M = 1.2, np.pi, 1.4, 1.0, 0.2


def equations(t, y, inertia, thin):
    """Their (5.1) to (5.3), in half chords and the speed of the card, with the thickness over the chord kept."""
    x, n, w, angle = y[:4]
    speed = np.hypot(x, n) + 1e-30
    G = 2 / np.pi * (-C_T * x * n / speed + C_R * w)
    F = (A - B * (x * x - n * n) / speed**2) * speed / np.pi
    return [
        ((inertia + 1) * w * n - G * n - np.sin(angle) - F * x) / (inertia + thin**2),
        (-(inertia + thin**2) * w * x + G * x - np.cos(angle) - F * n) / (inertia + 1),
        (-(1 - thin**2) * x * n - (M + M * abs(w)) * w) / (inertia * (1 + thin**2) / 4 + (1 - thin**2) ** 2 / 8),
        w,
        x * np.cos(angle) - n * np.sin(angle),
        x * np.sin(angle) + n * np.cos(angle),
    ]


@pytest.mark.parametrize("inertia", [0.6, 1.1, 1.4])
def test_a_card_falls_as_its_equations_say(inertia):
    system = lo.systems.load("falling_plate", inertia=inertia)
    p = system.parameters
    a = p["chord"] / 2
    b = inertia * p["air"] / p["density"] * a
    u = np.sqrt((p["density"] / p["air"] - 1) * 9.81 * b)
    run = system.problem().simulate(12 * a / u, q=system.initial[0], rtol=1e-11, atol=1e-13)
    assert run.audit.ok and run.audit.balance < 1e-9, str(run.audit)
    start = [0, 0, 0, p["angle"], 0, 0]
    other = solve_ivp(equations, (0, 12), start, args=(inertia, b / a), rtol=1e-11, atol=1e-13, t_eval=run.t * u / a).y
    np.testing.assert_allclose(run.q, (other[[4, 5, 3]] * [[a], [a], [1]]).T, atol=1e-6)


def kind_of(inertia, spans=120):
    """Turns of a card in the second half of its fall, and the largest swing in between."""
    system = lo.systems.load("falling_plate", inertia=inertia)
    run = system.problem().simulate(3 * system.duration, q=system.initial[0], rtol=1e-9, atol=1e-11)
    angle = run.q[len(run) // 2 :, 2]
    return (angle[-1] - angle[0]) / (2 * np.pi), np.ptp(angle), run


def test_cards_flutter_and_tumble():
    turns, swing, run = kind_of(1.1)
    assert abs(turns) < 0.6 and 2 < swing < np.pi  # from side to side, never over
    assert (np.diff(run.work["plate plate"]) < 1e-9).all()  # nothing is gained
    turns, _, _ = kind_of(1.4)
    assert abs(turns) > 4  # over and over
    steps = np.diff(kind_of(1.4)[2].q[-200:, 2])
    assert (steps > 0).all() or (steps < 0).all()
