"""Benchmarks of multibody programs: IFToMM A01, A02, A03 (Andrews' squeezer) and the heavy top.

data/mbs_a01_simple_pendulum.json, data/mbs_a02_n_four_bar_N2.json, data/mbs_andrews_squeezer.json, data/rigid_heavy_top.json.
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import pushed, run_through
from scipy.integrate import solve_ivp

import locomote as lo

PENDULUM, ROW, ANDREWS, TOP = (
    numbers(name) for name in ("mbs_a01_simple_pendulum", "mbs_a02_n_four_bar_N2", "mbs_andrews_squeezer", "rigid_heavy_top")
)
LETTERS = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"]


def test_simple_pendulum():
    system, rows = lo.systems.load("simple_pendulum"), PENDULUM["expected"]["trajectory"]
    times = [0.0, *(row["t"] for row in rows)]
    q, _, run = run_through(system.problem(), times, *system.initial)
    for k, row in enumerate(rows, 1):
        assert abs(q[k, 0] - row["theta"]) < PENDULUM["tolerance"]["abs"]
        assert np.allclose(lo.center_of_mass(system.model, q[k])[[0, 2]], [row["x"], row["y"]], atol=1e-8)
    assert np.max(abs(run.total - PENDULUM["expected"]["energy"])) < 1e-8


def test_n_four_bar():
    """Through the singular position where all links lie level, ten times."""
    system, rows = lo.systems.load("n_four_bar"), ROW["expected"]["trajectory"]
    q, v, run = run_through(system.problem(), [0.0, *(row["t"] for row in rows)], *system.initial)
    for k, row in enumerate(rows, 1):
        assert np.allclose(q[k, [0, 2, 4]], row["theta"], atol=1e-6), row["t"]
        assert np.allclose(q[k, [1, 3]], -q[k, 0], atol=1e-6)
        assert abs(v[k, 0] - row["theta_dot"]) < 1e-5
    level = lo.potential_energy(system.model, np.full(5, np.pi / 2) * (1, -1, 1, -1, 1))
    assert abs(run.total[0] - level - ROW["expected"]["total_energy"]) < 1e-9
    assert np.ptp(run.total) < 1e-6


@pytest.mark.parametrize("tolerance, angle, balance", [(1e-8, 3e-6, 1e-7), (1e-10, 1e-7, 1e-9), (1e-12, 2e-8, 2e-10)])
def test_n_four_bar_passes_all_singular_positions(tolerance, angle, balance):
    """Against the one equation of the parallelogram, with the times at which it lies level."""

    def rates(t, y):
        return [y[1], 3.5 / 3 * 9.81 * np.sin(y[0])]

    def level(t, y):
        return np.cos(y[0])

    system = lo.systems.load("n_four_bar")
    exact = solve_ivp(rates, (0, 10), [0.0, 1.0], "DOP853", rtol=1e-13, atol=1e-13, events=level)
    run = system.problem().simulate(10.0, rtol=tolerance, atol=tolerance)
    assert abs(run.q[-1, 0] - exact.y[0, -1]) < angle and run.audit.balance < balance
    assert np.allclose([event.t for event in run.events], exact.t_events[0], rtol=0, atol=1e-5)


def test_n_four_bar_is_singular_when_level():
    system = lo.systems.load("n_four_bar")
    problem = system.problem()
    level = np.pi / 2 * np.array([1, -1, 1, -1, 1])
    assert problem.classify(0.0, system.initial[0]).rank == 4 and problem.classify(0.0, level).rank < 4


def squeezer():
    system = lo.systems.load("andrews_squeezer")
    return system, [system.model.joint(name).v.start for name in LETTERS]


def reaction_forces(q, multipliers):
    """-G^T lambda of the reference, over (beta, ..., epsilon)."""
    p = ANDREWS["inputs"]["parameters"]
    be, th, ga, ph, de, om, ep = q

    def g(q):
        be, th, ga, ph, de, om, ep = q
        X, Y = p["rr"] * np.cos(be) - p["d"] * np.cos(be + th), p["rr"] * np.sin(be) - p["d"] * np.sin(be + th)
        return np.array([
            X - p["ss"] * np.sin(ga) - p["xb"],
            Y + p["ss"] * np.cos(ga) - p["yb"],
            X - p["e"] * np.sin(ph + de) - p["zt"] * np.cos(de) - p["xa"],
            Y + p["e"] * np.cos(ph + de) - p["zt"] * np.sin(de) - p["ya"],
            X - p["zf"] * np.cos(om + ep) - p["u"] * np.sin(ep) - p["xa"],
            Y - p["zf"] * np.sin(om + ep) + p["u"] * np.cos(ep) - p["ya"],
        ])  # fmt: skip

    assert np.max(abs(g(q))) < 1e-8
    step, q = 1e-6, np.asarray(q, dtype=float)
    G = np.column_stack([(g(q + step * e) - g(q - step * e)) / (2 * step) for e in np.eye(7)])
    return -G.T @ multipliers


def test_andrews_start():
    system, order = squeezer()
    problem = system.problem()
    q, v = problem.initial(*system.initial)
    now = problem.evaluate(0.0, q, v)
    assert close(now.a[order], ANDREWS["expected"]["initial_accelerations"], 1e-9)
    expected = reaction_forces(q[order], ANDREWS["expected"]["initial_multipliers"])
    assert np.allclose(pushed(problem, q, now.reactions)[order], expected, atol=1e-8)


def test_andrews_squeezer():
    system, order = squeezer()
    problem, fine, printed = system.problem(), ANDREWS["expected"]["high_precision"], ANDREWS["expected"]
    rows = printed["computed_trajectory"]
    times = [0.0, *(row["t"] for row in rows)]
    q, v, run = run_through(problem, times, *system.initial, rtol=1e-12, atol=1e-13)
    for k, row in enumerate(rows, 1):
        assert np.allclose(q[k, order], row["q"], atol=ANDREWS["tolerance"]["angles_abs"] * (1 if row["t"] <= 0.03 else 10))
    k = times.index(0.03)
    assert np.max(abs(q[k, order] - np.array(fine["q"], dtype=float))) < 1e-9
    assert np.max(abs(v[k, order] / np.array(fine["qd"], dtype=float) - 1)) < 1e-8
    for name, value in printed["q"].items():  # the published digits
        assert abs(q[k, system.model.joint(name).q] - value) < 1e-7
        assert abs(v[k, system.model.joint(name).v] / printed["qd"][name] - 1) < 1e-6
    now = problem.evaluate(0.03, q[k], v[k])
    assert np.max(abs(now.a[order] / np.array(fine["qdd"], dtype=float) - 1)) < 1e-6
    expected = reaction_forces(q[k, order], np.array(fine["multipliers"], dtype=float))
    assert np.allclose(pushed(problem, q[k], now.reactions)[order], expected, rtol=1e-5, atol=1e-6)


def test_heavy_top():
    system, rows = lo.systems.load("heavy_top"), TOP["expected"]["benchmark"]
    q, v, _ = run_through(system.problem(), [0.0, *(row["t"] for row in rows)], *system.initial, rtol=1e-12, atol=1e-12)
    for k, row in enumerate(rows, 1):
        w, x, y, z = row["quaternion"]
        gap = min(np.max(abs(q[k] - s * np.array([x, y, z, w]))) for s in (1, -1))
        assert gap < TOP["tolerance"]["quaternion_abs"]
        assert np.allclose(lo.center_of_mass(system.model, q[k]), row["com"], atol=TOP["tolerance"]["com_abs"])
        assert abs(v[k, 1] - 150.0) < 1e-8
