"""Motions of legs against forward kinematics and differences, gaits by counting feet, laws by what the closed loop must do."""

import pickle

import numpy as np
import pytest

import locomote as lo

STEP = 1e-4


def differences(function, t):
    """Value, first and second derivative of a function of time, by central differences of the fourth order."""
    f = [np.asarray(function(t + k * STEP), dtype=float) for k in (-2, -1, 0, 1, 2)]
    first = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * STEP)
    return f[2], first, (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * STEP**2)


def wave(k):
    """A smooth motion: position, velocity, acceleration."""
    return lambda t: np.array([0.1 * np.sin(3 * t + k), 0.3 * np.cos(3 * t + k), -0.9 * np.sin(3 * t + k)])


@pytest.mark.parametrize("bend", [1, -1])
def test_legs_reach_what_they_are_asked_for(bend):
    a, b, x, y, t = 0.5, 0.4, wave(0), wave(1), 0.3

    def z(t):
        return wave(2)(t) - (0.6, 0, 0)

    A, K = lo.control.planar_leg(x(t), z(t), a, b, bend=bend)[0]
    assert np.sign(K) == bend
    assert np.allclose([a * np.cos(A) + b * np.cos(A + K), a * np.sin(A) + b * np.sin(A + K)], [x(t)[0], z(t)[0]])
    pitch = wave(4)
    foot = lo.control.hip_knee_ankle(x(t), z(t), pitch(t), a, b, bend=bend)
    assert foot[0].sum() == pytest.approx(pitch(t)[0])
    roll, A, K = lo.control.roll_pitch_knee(x(t), y(t), z(t), a, b, bend=bend)[0]
    down = a * np.sin(A) + b * np.sin(A + K)
    assert np.allclose(
        [a * np.cos(A) + b * np.cos(A + K), -down * np.sin(roll), down * np.cos(roll)], [x(t)[0], y(t)[0], z(t)[0]]
    )
    for leg in (
        lambda t: lo.control.planar_leg(x(t), z(t), a, b, bend=bend),
        lambda t: lo.control.hip_knee_ankle(x(t), z(t), pitch(t), a, b, bend=bend),
        lambda t: lo.control.roll_pitch_knee(x(t), y(t), z(t), a, b, bend=bend),
    ):
        _, first, second = differences(lambda t, leg=leg: leg(t)[0], t)
        assert np.allclose(leg(t)[1], first, atol=1e-8) and np.allclose(leg(t)[2], second, atol=1e-5)


def test_legs_of_many_times_at_once():
    t = np.linspace(0, 1, 7)
    x, z = wave(0)(t), wave(1)(t) - np.array([[0.6], [0], [0]])
    many = lo.control.planar_leg(x, z, 0.5, 0.4)
    assert many.shape == (3, 2, 7) and np.allclose(many[:, :, 3], lo.control.planar_leg(x[:, 3], z[:, 3], 0.5, 0.4))


def test_a_leg_that_is_too_short_says_so():
    with pytest.raises(lo.Unreachable, match=r"1\.2 m from the hip.*less than 1 m"):
        lo.control.planar_leg((0, 0, 0), (-1.2, 0, 0), 0.5, 0.5)
    with pytest.raises(lo.Unreachable, match="roll axis"):
        lo.control.roll_pitch_knee((0.5, 0, 0), (0, 0, 0), (0, 0, 0), 0.5, 0.5)
    with pytest.raises(ValueError, match="bend"):
        lo.control.planar_leg((0, 0, 0), (-0.8, 0, 0), 0.5, 0.5, bend=0)


@pytest.mark.parametrize("t", [0.2, 0.77, 1.3, 2.6])
def test_pendulum_walk(t):
    walk = lo.control.PendulumWalk()
    x, v, a = walk.trunk(t)
    k, _ = walk.step(t)
    assert a == pytest.approx(walk.gravity / walk.height * (x - k * walk.step_length))  # an inverted pendulum over its foot
    for function in (lambda t: walk.trunk(t)[0], lambda t: walk.foot(t, 0)[0], lambda t: walk.foot(t, 1)[0]):
        _, first, second = differences(function, t)
        exact = walk.trunk(t) if np.ndim(first) == 0 else walk.foot(t, 0 if np.allclose(function(t), walk.foot(t, 0)[0]) else 1)
        assert np.allclose(exact[1], first, atol=1e-8) and np.allclose(exact[2], second, atol=1e-4)


def test_steps_follow_each_other():
    walk = lo.control.PendulumWalk()
    before, after = walk.step_time - 1e-9, walk.step_time + 1e-9
    assert np.allclose(walk.trunk(before)[:2], walk.trunk(after)[:2], atol=1e-7)
    for group in (0, 1):
        assert np.allclose(walk.foot(before, group)[:2], walk.foot(after, group)[:2], atol=1e-7)
    assert walk.foot(walk.step_time / 2, 1)[0, 1] == pytest.approx(walk.foot_height)
    joints = lo.control.biped_reference(walk)
    q0, v0, _ = joints(0.0)
    q1, v1, _ = joints(walk.step_time)
    assert np.allclose(q0, np.roll(q1, 3)) and np.allclose(v0, np.roll(v1, 3))  # the legs change their parts


@pytest.mark.parametrize("legs", [2, 4, 6, 8])
@pytest.mark.parametrize("name", ["walk", "trot", "pace", "bound", "tripod"])
def test_gaits(name, legs):
    g = lo.control.gait(name, legs, period=0.8)
    times = np.linspace(0, 0.8, 2001)[:-1] + 1e-7
    stands = np.array([g.stands(t) for t in times])
    assert np.allclose(stands.mean(axis=0), g.duty, atol=2e-3)
    if name in ("trot", "pace", "tripod"):
        assert (stands.sum(axis=1) == legs // 2).all()
    if name == "walk":
        assert (stands.sum(axis=1) == legs - 1).all()
    if name == "tripod" and legs == 6:
        assert {tuple(row) for row in stands} == {
            (True, False, False, True, True, False),
            (False, True, True, False, False, True),
        }
    holds = g.holds(0.0, 4.0, 0.5)
    for k in range(legs):
        own = [h for h in holds if h.leg == k]
        assert np.allclose(np.diff([h.place for h in own]), 0.5 * 0.8)
        assert all(g.stands((h.start + h.end) / 2)[k] for h in own)


@pytest.mark.parametrize("name", ["walk", "trot", "bound"])
def test_feet_stand_still_on_the_ground(name):
    g = lo.control.gait(name, 4)
    options = {"speed": 0.4, "height": 0.05}
    for leg in range(4):
        for t in np.linspace(0.013, 0.97, 40):
            foot = lo.control.foot_motion(g, leg, t, **options)
            _, first, second = differences(lambda t, leg=leg: lo.control.foot_motion(g, leg, t, **options)[0], t)
            if all(g.stands(t + s)[leg] == g.stands(t)[leg] for s in (-3 * STEP, 3 * STEP)):
                assert np.allclose(foot[1], first, atol=1e-7) and np.allclose(foot[2], second, atol=1e-4)
            if g.stands(t)[leg]:
                assert np.allclose(foot[:, 1], 0) and foot[1, 0] == -0.4
        for t in (g.phases[leg] * g.period, (g.phases[leg] + g.duty) * g.period):  # at rest on the ground at both ends
            for side in (-1e-9, 1e-9):
                foot = lo.control.foot_motion(g, leg, t + side, **options)
                assert abs(foot[1, 0] + 0.4) < 1e-6 and abs(foot[0, 1]) < 1e-12


def test_wrong_gaits():
    with pytest.raises(lo.UnknownName, match="trot"):
        lo.control.gait("trott", 4)
    with pytest.raises(ValueError, match="legs"):
        lo.control.gait("trot", 1)
    with pytest.raises(ValueError, match="duty"):
        lo.control.gait("trot", 4, duty=1.0)
    with pytest.raises(ValueError, match="leg 4"):
        lo.control.gait("trot", 4).phase(4, 0.0)


def arm():
    return lo.systems.load("stanford_arm").model


def closed(model, law, q, v, time, step=1e-3):
    """The controlled motion, each law call held for a step, which is made of many small ones."""
    state, t = None, 0.0
    for _ in range(round(time / step)):
        tau, state = law(t, q, v, state)
        for _ in range(4):
            a = lo.forward_dynamics(model, q, v, tau)
            middle = v + step / 8 * a
            a = lo.forward_dynamics(model, model.integrate(q, step / 8 * v), middle, tau)
            q, v = model.integrate(q, step / 4 * middle), v + step / 4 * a
        t += step
    return q, v, state


def floating():
    """A quadruped in flight, off its reference."""
    model = lo.systems.load("quadruped").model
    driven = lo.control.driven_coordinates(model)
    rng = np.random.default_rng(1)
    q = model.neutral()
    q[driven.q] = 0.3 * rng.normal(size=len(driven.q))
    return model, driven, q, 0.3 * rng.normal(size=model.nv), rng


def test_computed_torque_leaves_a_linear_error():
    model, driven, q, v, rng = floating()
    reference = lo.control.ramped(rng.normal(size=12), rng.normal(size=12), 0.9)
    law = lo.control.computed_torque(model, reference, stiffness=49.0, damping=14.0)
    tau, _ = law(0.4, q, v, None)
    desired, rate, second = reference(0.4)
    a = lo.forward_dynamics(model, q, v, tau)[driven.v]
    assert np.allclose(a, second + 49 * (desired - q[driven.q]) + 14 * (rate - v[driven.v])) and not tau[:6].any()


def test_computed_torque_with_forces_of_the_ground():
    model, driven, q, v, rng = floating()
    push = {"front_left_foot": rng.normal(size=6)}
    law = lo.control.computed_torque(
        model, lo.control.held(np.zeros(12)), stiffness=1.0, damping=1.0, wrenches=lambda t, q, v: push
    )
    a = lo.forward_dynamics(model, q, v, law(0.0, q, v, None)[0], wrenches=push)[driven.v]
    assert np.allclose(a, -q[driven.q] - v[driven.v])


@pytest.mark.parametrize(
    "make, stiffness, damping", [(lo.control.computed_torque, 49.0, 14.0), (lo.control.feed_forward, 3.0, 0.3)]
)
def test_both_laws_follow_in_flight(make, stiffness, damping):
    model, driven, q, v, rng = floating()
    q[driven.q], v[:] = 0.1, 0.0
    reference = lo.control.ramped(q[driven.q], q[driven.q] + 0.3 * rng.normal(size=12), 0.4)
    law = pickle.loads(pickle.dumps(make(model, reference, stiffness=stiffness, damping=damping)))
    q, v, _ = closed(model, law, q, v, 0.4)
    assert np.max(abs(q[driven.q] - reference(0.4)[0])) < 2e-3


def test_feed_forward_keeps_a_base_of_its_own():
    """The copy moves as the desired joints alone would move it, whatever the robot does meanwhile."""
    model, driven, q, v, rng = floating()
    v[:] = 0.0
    reference = lo.control.ramped(q[driven.q], rng.normal(size=12), 0.5)
    law = lo.control.feed_forward(model, reference, stiffness=0.0, damping=0.0)
    _, state = law(0.0, q, v, None)
    _, state = law(0.25, model.random(rng), rng.normal(size=model.nv), state)
    problem = lo.Locomotion(model, drives={})
    names = model.joint_names[1:]
    drives, k = {}, 0
    for name in names:
        size = model.joint(name).v.stop - model.joint(name).v.start
        drives[name] = [lo.Cycloid(q[driven.q][k + j], reference(1.0)[0][k + j], 0.5) for j in range(size)]
        drives[name] = drives[name][0] if size == 1 else drives[name]
        k += size
    problem = lo.Locomotion(model, drives=drives)
    run = problem.simulate(0.25, q=q, v=v, progress=False)
    assert np.max(abs(model.difference(state[1], run.q[-1]))) < 1e-5


def test_pid_takes_away_what_pd_leaves():
    model = arm()
    goal = np.array([0.2, 0.3, 0.1, 0.1, 0.2, 0.1])
    inertia = lo.mass_matrix(model, goal).diagonal()
    gains = {"stiffness": 100 * inertia, "damping": 20 * inertia}
    q, v = goal.copy(), np.zeros(6)
    off, _, _ = closed(model, lo.control.pd(model, lo.control.held(goal), **gains), q, v, 2.0)
    none, _, _ = closed(model, lo.control.pid(model, lo.control.held(goal), **gains, integral=150 * inertia), q, v, 3.0)
    held, _, _ = closed(
        model, lo.control.gravity_compensation(model, lo.control.pd(model, lo.control.held(goal), **gains)), q, v, 0.5
    )
    assert (
        abs(off - goal).max() > 1e-2 and abs(none - goal).max() < abs(off - goal).max() / 20 and abs(held - goal).max() < 1e-9
    )
    assert abs(100 * inertia * (goal - off) - lo.gravity_force(model, off)).max() < 0.5  # PD at rest bears the weight


def test_pid_does_not_wind_up():
    model = arm()
    law = lo.control.pid(model, lo.control.held(np.ones(6)), stiffness=0, damping=0, integral=2.0, limit=0.3)
    state = None
    for k in range(5):
        tau, state = law(float(k), np.zeros(6), np.zeros(6), state)
    assert np.allclose(tau, 0.6)


def test_wrong_laws():
    model = lo.systems.load("rope", links=3).model
    with pytest.raises(ValueError, match="no position of its own"):
        lo.control.pd(model, lo.control.held(np.zeros(9)), stiffness=1, damping=1)
    model = arm()
    with pytest.raises(ValueError, match=r"expected three of \(6,\)"):
        lo.control.pd(model, lo.control.held(np.zeros(5)), stiffness=1, damping=1)(0.0, np.zeros(6), np.zeros(6), None)
    with pytest.raises(ValueError, match="not finite"):
        lo.control.pd(model, lo.control.held(np.full(6, np.nan)), stiffness=1, damping=1)(0.0, np.zeros(6), np.zeros(6), None)
    with pytest.raises(ValueError, match="gain"):
        lo.control.pd(model, lo.control.held(np.zeros(6)), stiffness=np.inf, damping=1)
    with pytest.raises(lo.UnknownName):
        lo.control.pd(model, lo.control.held(np.zeros(1)), stiffness=1, damping=1, joints=["elbow"])
