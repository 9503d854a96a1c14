"""Cases of the reduction over the catalogue (Boyer, Belkhiri 2013, table I; Boyer, Porez 2014, section 9), and closed forms
of systems for which no numbers are published."""

import numpy as np
import pytest
from cases import close, numbers
from problems import posed, run_through, through

import locomote as lo

BIPED = numbers("planar_biped")


def case_of(name, **changes):
    system = lo.systems.load(name, **changes)
    return system.problem().classify(0.0, system.initial[0])


@pytest.mark.parametrize(
    "name, changes, over, free",
    [
        ("unicycle", {}, False, False),
        ("walker_cases", {"phase": "double"}, True, False),
        ("snakeboard", {"amplitude": 0.3}, False, True),
        ("mobile_pendulum", {}, True, True),
    ],
)
def test_table_of_cases(name, changes, over, free):
    """A system in each of the four cells: over-constrained or not, with or without a kernel."""
    case = case_of(name, **changes)
    assert (case.over_constrained, case.free > 0) == (over, free)


@pytest.mark.parametrize("phase, rows, rank", [("flight", 0, 0), ("point", 2, 2), ("single", 3, 3), ("double", 6, 3)])
def test_walker_changes_its_case(phase, rows, rank):
    case = case_of("walker_cases", phase=phase)
    assert (case.external, case.rows, case.locked_rank, case.free) == (3, rows, rank, 3 - rank)


def test_unicycle():
    """v = R (l' + r') / 2, omega = R (r' - l') / (2 d)."""
    system = lo.systems.load("unicycle")
    problem = posed(system, {"left": through(0.3, 2.0, 1.0), "right": through(-0.2, 5.0, -3.0)})
    q, v = problem.initial(np.array([0.4, 0.1, 0.9, 0.0, 0.0]))
    R, d = 0.05, 0.15
    assert close(v[:3], [R * 3.5, 0.0, R * 3.0 / (2 * d)], 1e-12)
    now = problem.evaluate(0.0, q, v)
    v_rate, w = R * -1.0, v[2]
    # body components: Vx' is the change of speed, Vy stays zero
    assert close(now.a[:3], [v_rate, 0.0, R * -4.0 / (2 * d)], 1e-12) and w != 0
    assert now.self_stress.shape[1] == 1


def test_trikke():
    """Two independent rows of three, one reduced velocity; it moves from rest."""
    case = case_of("trikke")
    assert (case.rank, case.free, case.self_stress) == (2, 1, 1)
    system = lo.systems.load("trikke")
    q, _, _ = run_through(system.problem(), [0.0, system.duration], *system.initial, rtol=1e-9, atol=1e-11)
    assert np.hypot(*(q[-1, :2] - q[0, :2])) > 1.0


def test_roller_racer():
    assert case_of("roller_racer").free == 1
    system = lo.systems.load("roller_racer")
    q, _, _ = run_through(system.problem(), [0.0, system.duration], *system.initial, rtol=1e-9, atol=1e-11)
    assert abs(q[-1, 0]) > 1.0 and abs(q[-1, 1]) < 0.2 * abs(q[-1, 0])


@pytest.mark.parametrize("phase", ["jump", "blade"])
def test_skater_spins_up(phase):
    """By the ratio of the moments of inertia: the mass center is over the blade."""
    system = lo.systems.load("ice_skater", phase=phase)
    q, v, run = run_through(system.problem(), [0.0, 0.5], *system.initial)
    inertia = 1.2 + 2 * 4.0 * np.array([0.9, 0.25]) ** 2
    assert v[-1, 2] / v[0, 2] == pytest.approx(inertia[0] / inertia[1], rel=1e-9)
    if phase == "jump":
        assert q[-1, 3] == pytest.approx(3.0 * 0.5 - 9.81 / 2 * 0.25, abs=1e-9)
    else:
        assert close(v[:, 0], [2.0, 2.0], 1e-9)
        assert run.tau[0, 3] == pytest.approx(68.0 * 9.81)


def test_skier_goes_faster_by_the_weight_along_the_skis():
    """V' = g sin(slope) cos(heading), whatever the masses; edges hold sideways."""
    system = lo.systems.load("ice_skater", phase="slope")
    run = system.problem().simulate(system.duration, every=0.01, rtol=1e-10, atol=1e-12)
    heading = 0.8 * np.sin(1.5 * run.t)
    slices = np.cos((heading[1:] + heading[:-1]) / 2) * np.diff(run.t)
    speed = 2.0 + 9.81 * np.sin(np.radians(15.0)) * np.r_[0.0, np.cumsum(slices)]
    c, s, (x, y) = np.cos(heading), np.sin(heading), run.v[:, :2].T
    assert close(run.q[:, 2], heading, 1e-9) and close(c * x + s * y, speed, 1e-3) and close(c * y - s * x, 0 * heading, 1e-7)
    assert run.audit.ok


def test_skater_jumps_after_gliding():
    """The problem changes its case: what held lets go, the state goes on."""
    glide, jump = lo.systems.load("ice_skater", phase="blade"), lo.systems.load("ice_skater", phase="jump")
    first = glide.problem().simulate(0.5, q=glide.initial[0], v=glide.initial[1])
    v = first.v[-1].copy()
    v[3] = 3.0
    drives = {"left": through(0.25), "right": through(0.25)}
    second = posed(jump, drives).simulate(0.6, q=first.q[-1], v=v)
    assert close(second.v[-1, 2], first.v[-1, 2], 1e-9)
    start, end = (lo.momentum(glide.model, x.q[k], x.v[k]) for x, k in ((second, 0), (second, -1)))
    assert close(start[[0, 1, 5]], end[[0, 1, 5]], 1e-8)


@pytest.mark.parametrize("spin", [5.0, -5.0])
def test_rattleback_has_a_preferred_sense(spin):
    system = lo.systems.load("rattleback", spin=spin)
    run = system.problem().simulate(20.0, q=system.initial[0], v=system.initial[1], rtol=1e-9, atol=1e-11)
    vertical = np.array([lo.forward_kinematics(system.model, q)[0, 2, :3] @ v[3:] for q, v in zip(run.q, run.v, strict=True)])
    assert (vertical[-1] * spin < 0) == (spin < 0)
    assert np.ptp(run.total) < 1e-6 * abs(run.total[0])


def test_walker_gait():
    """Joint angles of the step, against the published gait."""
    from types import SimpleNamespace

    from locomote.systems.walker_cases import gait, hip

    gait_data, p = BIPED["gait"], SimpleNamespace(**lo.systems.load("walker_cases").parameters)
    times = np.array(gait_data["t"])
    x, speed = hip(p, times)
    assert close(x, gait_data["x_h"], 1e-12) and close(speed, gait_data["xd_h"], 1e-12)
    angles = gait(p, times)
    assert close(angles[:3].T, gait_data["stance_leg_th1_th2_th3"], 1e-12)
    assert close(angles[3:].T, gait_data["swing_leg_th1_th2_th3"], 1e-12)


@pytest.mark.parametrize("feet", ["mid", "end"])
@pytest.mark.parametrize("k", [0, 1])
def test_walker_model(feet, k):
    """Mass matrix and forces of the biped; the reference's base velocities are those of the world."""
    system, case = lo.systems.load("walker_cases", phase="flight", foot=feet), BIPED["cases"][feet][k]
    given, expected = case["input"], case["expected"]
    q, T = np.array(given["q"]), np.eye(9)
    c, s = np.cos(q[2]), np.sin(q[2])
    T[:2, :2] = [[c, -s], [s, c]]
    v = T.T @ given["qd"]
    assert close(T @ lo.mass_matrix(system.model, q) @ T.T, expected["M"], 1e-12)
    assert close(T @ lo.gravity_force(system.model, q), -np.array(expected["gravity"]), 1e-12)
    joints = ["left_hip", "left_knee", "left_ankle", "right_hip", "right_knee", "right_ankle"]
    motion = zip(joints, q[3:], v[3:], given["joint_qdd"], strict=True)
    now = posed(system, {joint: through(*x) for joint, *x in motion}).evaluate(0.0, q, v)
    carried = np.array([-v[2] * v[1], v[2] * v[0]])
    assert close([*(T[:2, :2] @ (now.a[:2] + carried)), now.a[2]], expected["inverse_base_qdd"], 1e-9)
    assert close(now.tau[3:], expected["inverse_tau"], 1e-9)


def test_standing_on_two_feet():
    """Reactions carry the weight; how the feet share the rest is a self-stress of dimension three."""
    system = lo.systems.load("walker_cases", phase="double")
    problem = system.problem()
    q, v = problem.initial(*system.initial)
    now = problem.evaluate(0.0, q, v)
    labels = [row for _, row, _ in problem.constraint_labels]
    up = sum(r for r, row in zip(now.reactions, labels, strict=True) if row == "z")
    assert up == pytest.approx(system.model.mass * 9.81) and close(now.a, np.zeros(9), 1e-9)
    assert now.self_stress.shape == (6, 3)


def test_bicycle_steers_into_the_fall():
    straight, steered = (lo.systems.load("bicycle", steering=s, speed=4.0) for s in ("imposed", "feedback"))
    for system, falls in ((straight, True), (steered, False), (lo.systems.load("bicycle"), False)):
        run = system.problem().simulate(1.0 if falls else 5.0, q=system.initial[0], v=system.initial[1])
        x, y, z, w = run.q[:, 3:7].T
        lean = abs(np.arcsin(2 * (y * z + w * x)))
        assert (lean[-1] > 0.5) == falls
        if not falls:
            assert lean[-1] < 0.5 * lean[0]


@pytest.mark.parametrize("name", lo.systems.names())
def test_energy_closes(name):
    """No system of the catalogue has friction that would spoil the power balance at a tight tolerance."""
    system = lo.systems.load(name)
    q, v = system.initial
    problem = system.problem()
    if problem.contacts:  # fixed steps over friction: of second order
        run = problem.simulate(0.5, q=q, v=v)
        assert run.audit.balance < 1e-2
        return
    if any(isinstance(force, lo.SoftGround) for force in problem.environment):  # dampers jump where feet land
        run = problem.simulate(0.3, q=q, v=v, method="adaptive", rtol=1e-9, atol=1e-10)
        assert run.audit.balance < 1e-5
        return
    if problem.model.flexible:  # as they are run, and wherever there are samples
        for samples in (None, np.linspace(0.0, system.duration, 12)):
            run = problem.simulate(system.duration, samples=samples)
            assert run.audit.ok and run.audit.balance < 1e-8, str(run.audit)
        return
    run = problem.simulate(system.duration, q=q, v=v, rtol=1e-10, atol=1e-10)
    assert run.audit.ok and run.audit.balance < 1e-9
