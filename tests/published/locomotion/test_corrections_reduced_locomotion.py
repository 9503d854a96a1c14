"""Boyer and Belkhiri (2013), printed equations that the library departs from: what is printed fails, what is used holds.

Numbers of the tests are those of the corrections in docs/papers/reduced-locomotion.md.
"""

import numpy as np
import pytest

import locomote as lo

BICYCLE = lo.systems.load("bicycle", model="frozen", steering="imposed", amplitude=0.5)
H, AHEAD, BEHIND, TILT = 0.34, 0.62, 0.48, 0.31


def riding(t=0.35):
    problem = BICYCLE.problem()
    return problem, t, *problem.initial(t=t)


def test_2_3_15_imposed_accelerations_belong_to_the_reduced_force():
    """(57) leaves them out, (68) prints J r_a' for J' r_a': both miss the lean by far while the bicycle is steered."""
    problem, t, q, v = riding()
    r, held = problem.reduction(t, q, v), problem.imposed
    now, rate, second = problem.evaluate(t, q, v), v[problem.imposed], problem.evaluate(t, q, v).a[problem.imposed]
    true = np.linalg.lstsq(r.H, now.a[~held] - r.J @ second - r.gamma, rcond=None)[0]
    assert np.allclose(r.reduced_acceleration(second), true, atol=1e-9)
    without = np.linalg.solve(r.reduced_inertia, r.H.T @ (r.f - r.M @ r.gamma))  # (57)
    undotted = np.linalg.solve(r.reduced_inertia, r.H.T @ (r.f - r.Ma.T @ second - r.M @ (r.J @ rate + r.J @ second)))  # (68)
    assert abs(without - true).max() > 0.05 and abs(undotted - true).max() > 0.05


def test_4_modified_inertia_stands_in_the_passive_force():
    """r_dyn'' of the soft snakeboard with M~ and, as printed after (23), with M_r."""
    problem = lo.systems.load("soft_snakeboard").problem()
    t = 1.5
    q, v = problem.initial(t=t)
    now, held = problem.evaluate(t, q, v), problem.imposed
    s = problem.reduction(t, q, v).structured()
    blocks = s.blocks(now.a[held])
    true = s.S @ now.a[~held][s.passive]
    printed = blocks.passive_force - blocks.coupling @ np.linalg.solve(blocks.inertia, blocks.modified_force)
    assert np.allclose(blocks.passive_acceleration, true, atol=1e-8 * abs(true).max())
    assert not np.allclose(np.linalg.solve(blocks.passive_inertia, printed), true, rtol=0.0, atol=1e-5 * abs(true).max())


def test_5_self_stress_takes_its_torque_away():
    """The second line of (24) with lam = lam_0 + N mu, as (44) has it; + Ba^T lam_stat is off by twice that."""
    system = lo.systems.load("mobile_pendulum")
    problem = system.problem()
    q, v = problem.initial(*system.initial, t=0.3)
    r, held = problem.reduction(0.3, q, v), problem.imposed
    second, mu = problem.evaluate(0.3, q, v).a[held], np.array([2.0])
    x, lam = r.acceleration(second), r.reactions(second) + r.N @ mu
    line = r.maa @ second + r.Ma @ x - r.Qa - r.Ba.T @ lam
    assert np.allclose(r.torques(second, mu), line) and not np.allclose(r.torques(second) + r.Ba.T @ (r.N @ mu), line)


def test_7_the_inverse_map_at_rest_gives_minus_the_forces():
    """Q_p of a pendulum at rest is -m l g sin r; inverse dynamics asks for the opposite."""
    model = lo.systems.load("mobile_pendulum").model
    q = np.zeros(4)
    q[model.joint("swing").q] = 0.3
    held = lo.inverse_dynamics(model, q, np.zeros(4), np.zeros(4))[model.joint("swing").v]
    assert np.isclose(held[0], 0.4 * 0.6 * 9.81 * np.sin(0.3))


def test_9_the_cart_goes_as_fast_as_its_wheels_turn():
    problem = lo.systems.load("mobile_pendulum").problem()
    q, v = problem.initial(t=0.3)
    wheel = problem.model.joint("front").v.start
    assert np.isclose(v[0], 0.1 * v[wheel]) and not np.isclose(v[0], 0.1 * q[problem.model.joint("front").q.start])


def test_10_one_origin_for_constraints_and_inertias():
    """How fast a still bicycle falls per lean: about the line of contact 10.68 s^-2; with inertias at the axles 15.96."""
    model = BICYCLE.model
    lean, q = 1e-6, BICYCLE.model.neutral()
    q[3:7] = np.sin(lean / 2), 0.0, 0.0, np.cos(lean / 2)
    M, force = lo.mass_matrix(model, q), -lo.gravity_force(model, q)
    roll = np.eye(9)[3]
    up = np.eye(9)
    up[:3, 3:6] = [[0, H, 0], [-H, 0, 0], [0, 0, 0]]  # velocities of the point at the height of the axles
    back = np.linalg.inv(up)
    mixed, pull = back.T @ M @ back, back.T @ force
    assert np.isclose(roll @ force / (roll @ M @ roll) / lean, 10.68, atol=0.01)
    assert np.isclose(roll @ pull / (roll @ mixed @ roll) / lean, 15.96, atol=0.01)


@pytest.mark.parametrize("printed", [True, False], ids=["printed", "corrected"])
def test_11_the_front_wheel_does_not_slip(printed):
    """Velocity of the material point at the front contact, by kinematics of the model, for (49) to (54) and for ours."""
    model, steer, (rate, turn) = BICYCLE.model, 0.4, (0.7, 12.0)  # of steering and rear wheel
    s, c, sa, ca, wheelbase = np.sin(steer), np.cos(steer), np.sin(TILT), np.cos(TILT), AHEAD + BEHIND
    yaw = H / wheelbase * (ca * s / c * turn + (0.0 if printed else sa * rate))
    front = (c + ca**2 * s * s / c) * turn - sa * ca * s * rate if printed else turn / c
    q, v = model.neutral(), np.zeros(9)
    q[model.joint("steer").q] = steer
    v[:6] = H * turn, BEHIND * yaw, 0.0, 0.0, 0.0, yaw
    v[model.joint("steer").v], v[model.joint("front").v], v[model.joint("rear").v] = rate, front, turn
    body = model.joint("front").body
    pose = lo.forward_kinematics(model, q)[model.body_index(body)]
    point = tuple((np.linalg.inv(pose) @ [AHEAD, 0.0, 0.0, 1.0])[:3])
    slip = np.linalg.norm(lo.velocity(model, q, v, body, point=point, frame="aligned")[:2])
    assert (slip > 0.02) if printed else (slip < 1e-12)


def test_17_axle_one_is_the_rear_one():
    """H of (60) is in the kernel of the rows with r_1 the angle of the rear axle, and not with that of the front axle."""
    problem = lo.systems.load("snakeboard").problem()
    q, _ = problem.initial(t=0.6)
    A = problem.rows(0.6, q)[0][:, :3]
    for axle, holds in (("rear_steer", True), ("front_steer", False)):
        r = float(q[problem.model.joint(axle).q][0])
        H60 = np.array([-2 * 0.2 * np.cos(r) ** 2, 0.0, np.sin(2 * r)])
        assert np.allclose(A @ H60, 0.0, atol=1e-12) == holds


def test_18_three_angles_have_three_torques():
    problem = lo.systems.load("snakeboard").problem()
    q, v = problem.initial(t=0.6)
    assert problem.imposed.sum() == 3 and np.count_nonzero(problem.evaluate(0.6, q, v).tau) == 3
    assert not problem.rows(0.6, q)[0][:, 3:].any()  # B_a = 0
