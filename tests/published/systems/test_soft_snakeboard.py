"""The soft snakeboard of Boyer and Belkhiri (2014), in numbers derived independently; data/snakeboard.json.

Velocities of the reference are those of the world, ours those of the board's frame. Its coordinates: x, y, heading, both
axles, shaft, one mode of each beam.
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import posed, run_through, through

import locomote as lo

DATA = numbers("snakeboard")
SYSTEM = lo.systems.load("soft_snakeboard")


def to_world(angle):
    T = np.eye(8)
    c, s = np.cos(angle), np.sin(angle)
    T[:2, :2] = [[c, -s], [s, c]]
    return T


def spun(v):
    """What turning of the frame adds to accelerations."""
    spin = np.zeros(8)
    spin[:2] = -v[2] * v[1], v[2] * v[0]
    return spin


def test_modal_integrals():
    """Modal mass, first and second coupling, stiffness of a beam."""
    beam, modal = DATA["beam"], DATA["modal"]
    flex = lo.rods.Modes.cantilever(beam["length"], beam["mass"], beam["EI"], 1)
    phi, x = flex.shapes[0, :, 1], flex.points[:, 0]
    assert flex.modal_mass[0, 0] == pytest.approx(modal["m1"], rel=1e-12)
    assert flex.masses @ phi == pytest.approx(modal["a1"], rel=1e-12)
    assert flex.masses @ (x * phi) == pytest.approx(modal["b1"], rel=1e-12)
    assert flex.elastic[0, 0] == pytest.approx(modal["k1"], rel=1e-12)
    assert phi[-1] == pytest.approx(modal["tip"], rel=1e-12)


@pytest.mark.parametrize("case", DATA["cases"]["soft"], ids=["first", "second"])
def test_soft(case):
    given, expected = case["input"], case["expected"]
    q, T = np.array(given["q"]), to_world(given["q"][2])
    v = T.T @ given["qd"]
    assert close(T @ lo.mass_matrix(SYSTEM.model, q) @ T.T, expected["M_world"], 1e-12)
    bias = lo.bias_force(SYSTEM.model, q, v) - lo.passive_force(SYSTEM.model, q, 0 * v)
    assert close(T @ (bias - lo.mass_matrix(SYSTEM.model, q) @ spun(v)), expected["bias_world"], 1e-12)
    r1, r1d, r1dd = q[3], v[3], given["r1dd"]
    drives = {
        "rear_steer": through(r1, r1d, r1dd),
        "front_steer": through(-r1, -r1d, -r1dd),
        "rotor": through(q[5], v[5], given["r3dd"]),
    }
    problem = posed(SYSTEM, drives)
    now = problem.evaluate(0.0, q, v)
    assert close(T @ (now.a + spun(v)), expected["qdd"], 1e-11)
    assert close(now.reactions, expected["lambda_"], 1e-11)
    assert close(now.tau[3:6], expected["tau_r1_r2_r3"], 1e-11)
    length = DATA["parameters"]["l"]
    H = np.array([-2 * length * np.cos(r1) ** 2, 0.0, np.sin(2 * r1)])
    dH = r1d * np.array([2 * length * np.sin(2 * r1), 0.0, 2 * np.cos(2 * r1)])
    assert close(now.a[:3], H * expected["eta_r_dot"] + dH * given["eta_r"], 1e-11)
    case = problem.classify(0.0, q)
    assert (case.external, case.passive, case.rank, case.locked_rank, case.free) == (3, 2, 2, 2, 3)


def test_trajectory():
    run = DATA["trajectory_soft"]
    q, v, done = run_through(SYSTEM.problem(), run["t"], *SYSTEM.initial, method="adaptive")
    for k, row in enumerate(run["x_y_theta_etar_e3_e4_e3d_e4d"]):
        assert close(q[k, :3], row[:3], 1e-9) and close(q[k, 6:], row[4:6], 1e-9) and close(v[k, 6:], row[6:], 1e-9), k
        r1 = q[k, 3]
        H = np.array([-0.4 * np.cos(r1) ** 2, 0.0, np.sin(2 * r1)])
        assert close(H @ v[k, :3] / (H @ H), row[3], 1e-9)
    assert done.audit.ok, str(done.audit)


def test_rods_agree_with_modes_where_beams_bend_little():
    """Both ways have the same limit: the difference falls with the square of the bending."""
    apart = []
    for amplitude in (0.05, 0.025):
        ends = []
        for beams in ("modes", "rods"):
            system = lo.systems.load("soft_snakeboard", beams=beams, rotor_amplitude=amplitude)
            q, _, _ = run_through(system.problem(), [0.0, 2.0], *system.initial, rtol=1e-10)
            poses = lo.forward_kinematics(system.model, q[-1])
            ends.append(poses[system.model.body_index("board"), :3, 3] / amplitude)
        apart.append(abs(ends[0] - ends[1]).max())
        size = abs(ends[0]).max()
    assert apart[0] < 1e-3 * size


def test_ways_depend_on_the_ratio_of_frequencies_alone():
    """Four times as fast, with beams sixteen times as stiff: the same way, and the softer of two ratios gets farther."""
    ways = {}
    for ratio, rate in ((1.3, 1.0), (1.3, 4.0), (10.0, 1.0)):
        bending = (ratio * rate / 1.8751040687119611**2) ** 2 * 0.6 * 0.3**3
        given = {"bending": bending, "damping": 0.096 * rate, "rate": rate, "rotor_amplitude": 0.1}
        run = lo.systems.load("soft_snakeboard", **given).problem().simulate(8 * np.pi / rate, rtol=1e-8, progress=False)
        ways[ratio, rate] = run.q[-1, :3]
    assert np.allclose(ways[1.3, 1.0], ways[1.3, 4.0], atol=1e-5)
    assert np.hypot(*ways[1.3, 1.0][:2]) > 1.2 * np.hypot(*ways[10.0, 1.0][:2])
