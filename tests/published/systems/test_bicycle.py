"""The bicycle of Boyer and Belkhiri (2013) with frozen and with exact contacts, in numbers derived independently;
data/bicycle.json.

The reference's axes are X up, Y forward, Z left, ours x forward, y left, z up. Its velocities are (V, Omega, front, steer,
rear), of a point on the ground (frozen) or at the height of the axles (exact).
"""

import numpy as np
import pytest
from cases import close, numbers
from problems import posed, through

import locomote as lo

DATA = numbers("bicycle")
FROZEN, EXACT = lo.systems.load("bicycle", model="frozen"), lo.systems.load("bicycle", model="exact")
RADIUS = DATA["parameters"]["h"]
AXES = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # theirs = AXES @ ours
TO_THEIRS = np.zeros((9, 9))
TO_THEIRS[:3, :3] = TO_THEIRS[3:6, 3:6] = AXES
TO_THEIRS[[6, 7, 8], [7, 6, 8]] = 1.0
UP = np.eye(9)
UP[:3, 3:6] = [[0, RADIUS, 0], [-RADIUS, 0, 0], [0, 0, 0]]  # velocity of the point above the origin: V + W x h z


def placed(given, rotation, height=0.0):
    q = EXACT.model.neutral()
    R = np.array(rotation) @ AXES
    q[:3] = -R @ (0.0, 0.0, RADIUS) + (0, 0, height) if height else 0.0
    q[3:7] = lo.chart("quaternion").coordinates(R)
    q[7:] = given["r1"], given["r2"], given["r3"]
    return q


def imposed(system, given):
    steer, rear = (through(given[f"r{k}"], given[f"r{k}d"], given[f"r{k}dd"]) for k in (1, 3))
    return posed(system, {"steer": steer, "rear": rear})


@pytest.mark.parametrize("case", DATA["cases_frozen_contact"], ids=["first", "second"])
def test_frozen_contacts(case):
    given, expected = case["input"], case["expected"]
    q, v = placed(given, expected["R_world_from_body"]), TO_THEIRS.T @ expected["nu_V_Omega_r2_r1_r3"]
    T, model, problem = TO_THEIRS, FROZEN.model, imposed(FROZEN, given)
    assert close(T @ lo.mass_matrix(model, q) @ T.T, expected["M"], 1e-12)
    assert close(T @ lo.gravity_force(model, q), -np.array(expected["gravity"]), 1e-12)
    assert close(T @ (lo.bias_force(model, q, v) - lo.gravity_force(model, q)), expected["bias"], 1e-12)
    A, drift, _, _ = problem.rows(0.0, q, v)
    assert close(A @ T.T, expected["A_rows_rearXYZ_front_t_e2_X"], 1e-12)
    assert close(A @ v, np.zeros(6), 1e-12)
    step = 1e-6
    moved = [problem.rows(0.0, model.integrate(q, s * step * v))[0] @ v for s in (1, -1)]
    assert close(drift, (moved[0] - moved[1]) / (2 * step), 1e-7)

    now = problem.evaluate(0.0, q, v)
    assert close(T @ now.a, expected["acc_V_Omega_r2_r1_r3"], 1e-11)
    assert close(now.tau[[6, 8]], expected["tau1_tau3"], 1e-11)
    assert close(now.reactions, expected["lambda_rows"], 1e-11)
    # motion of the passive coordinates (V, Omega, front) per rate of steering and of the rear wheel
    parts = problem.reduction(0.0, q, v)
    J = parts.J.copy()
    J[:3], J[3:6] = AXES @ J[:3], AXES @ J[3:6]
    assert close(J, expected["J"], 1e-12)
    assert close(parts.torques(np.array([given["r1dd"], given["r3dd"]])), expected["tau1_tau3"], 1e-11)
    free = parts.H[:, 0] / parts.H[3, 0]
    assert close(free, [0, 0, 0, 1, 0, 0, 0], 1e-12)  # the lean rate is the only reduced velocity
    nu = parts.H[3, 0] * parts.reduced_acceleration(np.array([given["r1dd"], given["r3dd"]]))
    assert close(nu[0], expected["Omega_Y_dot"], 1e-9)
    case = problem.classify(0.0, q)
    assert (case.rank, case.locked_rank, case.free, case.passive, case.self_stress) == (6, 6, 1, 1, 0)


@pytest.mark.parametrize("case", DATA["cases_exact_discs"], ids=["first", "second"])
def test_exact_discs(case):
    given, expected = case["input"], case["expected"]
    q = placed(given, expected["R_world_from_body"], expected["height_Oa"])
    v = TO_THEIRS.T @ expected["nu_V_Omega_r2_r1_r3"]
    v[:3] -= np.cross(v[3:6], (0, 0, RADIUS))
    problem = imposed(EXACT, given)
    A, _, _, error = problem.rows(0.0, q, v)
    assert close(A @ v, np.zeros(6), 1e-9) and close(error, np.zeros(6), 1e-9)
    now = problem.evaluate(0.0, q, v)
    assert close(TO_THEIRS @ UP @ now.a, expected["acc_V_Omega_r2_r1_r3"], 1e-9)
    assert close(now.tau[[6, 8]], expected["tau1_tau3"], 1e-9)
    assert close(reactions_in_frame(problem, q, now), expected["lambda_rear_front_body_axes"], 1e-9)

    # assembling finds pitch and height from a place nearby
    start = EXACT.model.integrate(q, 1e-2 * np.array([0, 0, 1, 0, 1, 0, 0, 0, 0]))
    found, _ = problem.initial(start, v)
    assert np.max(abs(problem.rows(0.0, found)[3])) < 1e-9


def reactions_in_frame(problem, q, now):
    """Forces on the rear and on the front wheel, in the reference's axes of the frame."""
    poses = lo.forward_kinematics(EXACT.model, q)
    R = poses[0, :3, :3]
    result = []
    for k, name in enumerate(("rear_wheel", "front_wheel")):
        axle = poses[EXACT.model.body(name).index, :3, 1]
        forward = np.cross(axle, (0, 0, 1)) / np.linalg.norm(np.cross(axle, (0, 0, 1)))
        f, l, n = now.reactions[3 * k : 3 * k + 3]
        force = f * forward + l * np.cross((0, 0, 1), forward) + n * np.array([0, 0, 1])
        result.extend(AXES @ R.T @ force)
    return result


def lean_acceleration(lean, steer, rate, acceleration, speed=4.0):
    """Roll acceleration about the line of contact, for a straight ride disturbed a little."""
    system = lo.systems.load("bicycle", speed=speed)
    drives = {"steer": through(steer, rate, acceleration), "rear": through(0.0, speed / RADIUS)}
    problem = posed(system, drives)
    q, v = system.model.neutral(), np.zeros(9)
    q[3:7] = np.sin(lean / 2), 0, 0, np.cos(lean / 2)
    v[0] = speed
    q, v = problem.initial(q, v)
    v[3] = 0.0
    q, v = problem.initial(q, v)
    return problem.evaluate(0.0, q, v).a[3]


@pytest.mark.parametrize("name, k", [("phi", 0), ("steer", 1), ("steerd", 2), ("steerdd", 3)])
def test_linear_lean(name, k):
    """How fast it falls per lean, steer angle, and their rates: the coefficients of Whipple's equations."""
    expected, h = DATA["linear_lean_exact"]["phidd_per"][name], 1e-4

    def response(size):
        given = [0.0] * 4
        given[k] = size
        return lean_acceleration(*given)

    slope = (8 * (response(h) - response(-h)) - (response(2 * h) - response(-2 * h))) / (12 * h)
    assert abs(slope - expected) < 1e-6 * max(1.0, abs(expected))


LOAD = {"mass_y": 0.02, "inertia_xy": 0.1, "inertia_yz": -0.15}


def test_a_load_on_one_side_has_its_mirror_image():
    """A frame without symmetry leans and steers to one side; with the load on the other side, to the other."""
    runs = []
    for side in (1.0, -1.0):
        given = {name: side * x for name, x in LOAD.items()}
        run = lo.systems.load("bicycle", lean=side * 0.02, **given).problem().simulate(1.5, every=0.1, progress=False)
        assert run.audit.ok
        runs.append(run)
    left, right = (run.q for run in runs)
    assert np.allclose(left[:, 0], right[:, 0], atol=1e-6)
    for odd in (1, 3, 5, 7):  # y, roll, yaw, steer
        assert np.allclose(left[:, odd], -right[:, odd], atol=1e-6)
    plain = lo.systems.load("bicycle", lean=0.02).problem().simulate(1.5, every=0.1, progress=False)
    assert abs(left[-1, 1] - plain.q[-1, 1]) > 0.02


def test_friction_of_the_front_wheel_is_paid_by_the_rear_one():
    """Straight ahead at a constant speed: torque of the rear wheel is that of the bearing, as both wheels turn alike."""
    system = lo.systems.load("bicycle", lean=0.0, wheel_friction=0.3)
    problem = system.problem()
    q, v = problem.initial()
    now = problem.evaluate(0.0, q, v)
    rear = system.model.joint("rear").v.start
    plain = lo.systems.load("bicycle", lean=0.0).problem().evaluate(0.0, q, v)
    assert np.isclose(abs(now.tau[rear] - plain.tau[rear]), 0.3 * 5.5 / 0.34, rtol=1e-9)
