"""Bodies that turn by changing their shape in free flight.

Boyer, Porez (2014), falling cat, numbers derived independently; data/falling_cat.json.
Saha, Shah, Nandihal (2013), space robot and planar cat; data/space_robot.json; data/redysim_floating_3link_inverse.json.
Krishnaprasad (1985), satellite with rotors; data/float_satellite_rotors.json.
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import posed, run_through, through

import locomote as lo
from locomote.spatial.rotations_arrays import matrix_from_vector

CAT, SPACE, ROTORS = numbers("falling_cat"), numbers("space_robot"), numbers("float_satellite_rotors")
REDYSIM = numbers("redysim_floating_3link_inverse")


def at_rest(model, q, rates, base):
    """v with momentum zero for joint rates."""
    M = lo.mass_matrix(model, q)
    return np.concatenate([-np.linalg.solve(M[:base, :base], M[:base, base:] @ rates), rates])


def polar(r, rd, rdd):
    """Bend and direction of the vector r with their rates, and their derivatives by r."""
    bend, direction = np.hypot(*r), np.arctan2(r[1], r[0])
    J = np.array([[r[0] / bend, r[1] / bend], [-r[1] / bend**2, r[0] / bend**2]])
    bend_rate, turn_rate = J @ rd
    second = J @ rdd + [bend * turn_rate**2, -2 * bend_rate * turn_rate / bend]
    return (bend, bend_rate, second[0]), (direction, turn_rate, second[1]), J


@pytest.mark.parametrize("case", CAT["cases"], ids=["first", "second"])
def test_cat(case):
    given, expected, system = case["input"], case["expected"], lo.systems.load("falling_cat")
    bend, turn, J = polar(*(np.array(given[key]) for key in ("r", "rd", "rdd")))
    back = tuple(-x for x in turn)
    problem = posed(system, {"bend": through(*bend), "turn": through(*turn), "untwist": through(*back)})
    q, spread = system.model.neutral(), np.array([[0, 1], [1, 0], [0, -1]]) @ J  # rates of turn, bend, untwist per r'
    q[7:] = turn[0], bend[0], back[0]
    assert close(matrix_from_vector(np.array([0.0, *given["r"]])), lo.forward_kinematics(system.model, q)[1, :3, :3], 1e-12)
    v = at_rest(system.model, q, spread @ given["rd"], 6)
    M = lo.mass_matrix(system.model, q)
    connection = np.linalg.solve(M[:6, :6], M[:6, 6:] @ spread)[3:]
    assert close(connection, expected["connection"], 1e-12) and close(v[3:6], expected["Omega"], 1e-12)
    assert close(problem.connection(q).A[3:] @ spread, expected["connection"], 1e-12)
    now = problem.evaluate(0.0, q, v)
    assert close(now.a[3:6], expected["Omega_dot"], 1e-9)
    assert close(spread.T @ now.tau[6:], expected["tau_conjugate_to_r"], 1e-9)

    # angular momentum about the mass center, per angular velocity and per r'
    H = lo.momentum_matrix(system.model, q)
    locked = lo.lock(system.model, dict(zip(("turn", "bend", "untwist"), q[7:], strict=True)))
    assert close(lo.momentum_matrix(locked, q[:7])[3:, 3:6], expected["locked_inertia"], 1e-12)
    assert close((H[:, 6:] @ spread)[3:], expected["I_r"], 1e-12)


@pytest.mark.parametrize("row", CAT["hula_loop"], ids=["20 degrees", "40 degrees"])
def test_hula_loop(row):
    system = lo.systems.load("falling_cat")
    turn = lo.Polynomial((0.0, 2 * np.pi))
    problem = posed(system, {"bend": lo.Constant(row["bend"]), "turn": turn, "untwist": -turn})
    q = system.model.neutral()
    q[8] = row["bend"]
    v = at_rest(system.model, q, np.array([2 * np.pi, 0.0, -2 * np.pi]), 6)
    q, _, _ = run_through(problem, [0.0, 1.0], q, v)
    assert close(lo.forward_kinematics(system.model, q[-1])[0, :3, :3], row["R"], 1e-8)


@pytest.mark.parametrize("row", CAT["bend_loop_unbend"], ids=["30 degrees", "60 degrees"])
def test_bend_loop_unbend(row):
    system = lo.systems.load("falling_cat", bend=row["bend"])
    q, v, _ = run_through(system.problem(), [0.0, system.duration], *system.initial)
    start, end = (lo.forward_kinematics(system.model, x)[0, :3, :3] for x in (q[0], q[-1]))
    assert close(start.T @ end, row["R"], 1e-8)
    assert close(v[-1, 3:], np.zeros(6), 1e-7)


def test_cat_lands_on_its_feet():
    system = lo.systems.load("falling_cat")
    q, _, run = run_through(system.problem(), [0.0, system.duration], *system.initial)
    end = lo.forward_kinematics(system.model, q[-1])[0]
    assert close(end[:3, :3], np.eye(3), 1e-7)
    assert abs(end[2, 3] - (1.3 - 9.81 / 2 * 0.5**2)) < 1e-8
    spin = [lo.momentum(system.model, a, b)[3:] for a, b in zip(run.q, run.v, strict=True)]
    assert np.max(np.abs(spin)) < 1e-10


def planar_cat(**changes):
    link = {"base_mass": 1.0, "base_inertia": 1 / 12, "link_mass": 1.0, "link_inertia": 1 / 12, "links": 2}
    return lo.systems.load("space_robot", **link, **changes)


@pytest.mark.parametrize("name", ["arm", "cat"])
@pytest.mark.parametrize("k", [0, 1])
def test_space_robot(name, k):
    case, system = SPACE["cases"][name][k], lo.systems.load("space_robot") if name == "arm" else planar_cat()
    given, expected = case["input"], case["expected"]
    q = np.array([*given["pose"], *given["r"]])
    v = np.array([*expected["eta"], *given["rd"]])
    assert close(lo.mass_matrix(system.model, q), expected["M"], 1e-12)
    shape = zip(given["r"], given["rd"], given["rdd"], strict=True)
    problem = posed(system, {f"joint{j}": through(*x) for j, x in enumerate(shape, 1)})
    form, now = problem.connection(q), problem.evaluate(0.0, q, v)
    assert form.kind == "mechanical" and close(form.A, expected["connection"], 1e-12)
    assert close(now.a[:3], expected["eta_dot"], 1e-9) and close(now.tau[3:], expected["tau"], 1e-9)


def test_arm_trajectory():
    system, data = lo.systems.load("space_robot"), SPACE["arm_trajectory"]
    times = sorted({0.0, *data["t"], *(row[0] for row in data["torques_t_tau1_tau2_tau3"]), 20.0})
    q, _, run = run_through(system.problem(), times, *system.initial)
    poses = q[[times.index(t) for t in data["t"]], :3]
    assert close(poses, data["base_pose"], 1e-9)
    torques = np.array(data["torques_t_tau1_tau2_tau3"])
    assert close(run.tau[[times.index(t) for t in torques[:, 0]], 3:], torques[:, 1:], 1e-8)
    assert np.allclose(q[-1, :3], data["published_simulator"]["base_20s"], atol=1e-6)


def test_redysim_demonstration():
    system, rows = lo.systems.load("space_robot"), REDYSIM["expected"]["samples"]
    q, _, run = run_through(system.problem(), [row["t"] for row in rows], *system.initial)
    for k, row in enumerate(rows):
        tau = run.tau[k, 3:]
        assert close(q[k, 3:], row["joint_q"], 1e-9) and close(q[k, :3], row["base_xy_phi_derived"], 1e-8)
        assert close(tau, row["tau_derived"], 1e-8) and np.allclose(tau, row["tau_published"], atol=2e-4)


@pytest.mark.parametrize("row", SPACE["cat_loops"], ids=["forward", "backward"])
def test_planar_cat_loops(row):
    direction = row["direction"]
    system = planar_cat(motion="loop", amplitude=row["amplitude"], time=2 * np.pi)
    problem = system.problem()
    if direction < 0:
        drives = dict(problem.drives)
        drives["joint2"] = 2 * row["centre"][1] - drives["joint2"]
        problem = posed(system, drives)
    q, v = system.initial
    v = direction * v
    q, _, _ = run_through(problem, [0.0, system.duration], q, v)
    assert close(q[-1, :3], row["net_pose"], 1e-8)


def test_satellite_with_momentum():
    p = ROTORS["inputs"]
    inertia = dict(zip(("inertia_x", "inertia_y", "inertia_z"), p["I_body_without_spin_of_rotors"], strict=True))
    wheels = dict(zip(("wheel_x", "wheel_y", "wheel_z"), p["J_rotor"], strict=True))
    system = lo.systems.load("satellite", **inertia, **wheels)
    speeds = [(5.0, 1.0, 0.0), (4.0, 0.7, 0.3), (-6.0, 1.3, 0.0)]  # amplitude, frequency, phase of the rates
    drives = {axis: rate_sine(*given) for axis, given in zip("xyz", speeds, strict=True)}
    rates = np.array([a * np.sin(phase) for a, _, phase in speeds])
    J = np.array(p["J_rotor"])
    total = np.array(p["I_body_without_spin_of_rotors"]) + J
    v = np.array([*(np.array(p["H_inertial"]) - J * rates) / total, *rates])
    rows = ROTORS["expected"]["attitude"]
    q, _, _ = run_through(posed(system, drives), [0.0, *(row["t"] for row in rows)], system.model.neutral(), v)
    for k, row in enumerate(rows, 1):
        w, x, y, z = row["quaternion"]
        gap = min(np.max(abs(q[k, :4] - sign * np.array([x, y, z, w]))) for sign in (1, -1))
        assert gap < ROTORS["tolerance"]["abs"]


def rate_sine(amplitude, frequency, phase):
    """A wheel whose rate is a sine."""
    return lo.Function(
        lambda t: amplitude / frequency * (np.cos(phase) - np.cos(frequency * t + phase)),
        lambda t: amplitude * np.sin(frequency * t + phase),
        lambda t: amplitude * frequency * np.cos(frequency * t + phase),
    )


def test_satellite_slews_from_rest_to_rest():
    system = lo.systems.load("satellite")
    q, v, _ = run_through(system.problem(), [0.0, system.duration], *system.initial)
    assert close(q[-1, :4], [0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)], 1e-9) and close(v[-1], np.zeros(6), 1e-9)


@pytest.mark.parametrize("failed", ["x", "y", "z"])
def test_satellite_with_a_failed_wheel(failed):
    """Loops of two wheels turn it about the lost axis, by about the area of the loop and the ratio of inertias."""
    system = lo.systems.load("satellite", failed=failed, loops=1)
    q, _, _ = run_through(system.problem(), [0.0, system.duration], *system.initial)
    lost = "xyz".index(failed)
    assert close(q[-1, 4:], q[0, 4:], 1e-9)  # wheels are back
    turn = 2 * q[-1, :3]
    assert abs(turn[lost]) > 0.1 and np.max(abs(np.delete(turn, lost))) < 0.35 * abs(turn[lost])
