"""Computed torques of a robot that stands on a foot with hard contacts: against inverse dynamics of the same robot, built from
its foot on, and against the change of its momentum."""

import numpy as np
import pytest

import locomote as lo

STEP, T, RATE, BENT, SWING = 1e-3, 0.4, 3.0, 0.3, 0.1
LONG, HIGH = 0.3, 0.05  # m, thigh and shank; ankle above the ground
SIGNS = {"hip": -1.0, "knee": 2.0, "ankle": -1.0}  # of the bend: the foot stays level, the trunk upright above it
FOOT = [(0.12, 0.0, -HIGH), (-0.06, 0.05, -HIGH), (-0.06, -0.05, -HIGH)]
PARTS = {"trunk": (5.0, 0.1), "thigh": (1.0, 0.15), "shank": (0.8, 0.15), "foot": (0.5, 0.02)}  # mass, center off its joint


def inertia(part, up):
    mass, off = PARTS[part]
    return lo.Inertia(mass, (0, 0, up * off), moment=mass * 0.01 * np.eye(3))


def robot(limit=None):
    """From its trunk on, which is free."""
    more = {} if limit is None else {"effort_limit": limit}
    builder = lo.Builder("squatter", base="free").body("trunk", inertia=inertia("trunk", 1))
    for part, parent, joint, z in (
        ("thigh", "trunk", "hip", 0.0),
        ("shank", "thigh", "knee", -LONG),
        ("foot", "shank", "ankle", -LONG),
    ):
        builder.body(part, parent=parent, at=(0, 0, z), joint=lo.Joint(joint, axis="y", **more), inertia=inertia(part, -1))
    return builder.build()


def from_its_foot():
    """The same from its foot on, which is held: joints turn the other way round."""
    builder = lo.Builder("held")
    for part, parent, joint, z in (
        ("shank", None, "ankle", HIGH),
        ("thigh", "shank", "knee", LONG),
        ("trunk", "thigh", "hip", LONG),
    ):
        hung = {"parent": parent} if parent else {}
        builder.body(part, at=(0, 0, z), joint=lo.Joint(joint, axis="y"), inertia=inertia(part, 1), **hung)
    return builder.build()


def bend(t):
    """The bend of the leg, and its rates."""
    return BENT + SWING * np.sin(RATE * t), SWING * RATE * np.cos(RATE * t), -SWING * RATE**2 * np.sin(RATE * t)


def squats(limit=None):
    model = robot(limit)
    targets = {name: lo.Sine(sign * SWING, RATE, 0.0, sign * BENT) for name, sign in SIGNS.items()}
    touch = lo.Touch("foot", lo.Ground(friction=0.8), points=FOOT, name="foot")
    problem = lo.Locomotion(model, contacts=[touch], torques=lo.ComputedTorque(targets, stiffness=400.0, damping=40.0))
    q, v = model.neutral(), np.zeros(model.nv)
    angle, speed, _ = bend(0.0)
    q[2], v[2] = HIGH + 2 * LONG * np.cos(angle), -2 * LONG * np.sin(angle) * speed
    for name, sign in SIGNS.items():
        q[model.joint(name).q], v[model.joint(name).v] = sign * angle, sign * speed
    return problem, q, v


@pytest.fixture(scope="module")
def run():
    problem, q, v = squats()
    return problem.simulate(T, q=q, v=v, step=STEP, every=STEP, progress=False)


def test_it_follows_its_targets(run):
    angle, speed, _ = bend(run.t)
    for name, sign in SIGNS.items():
        joint = run.model.joint(name)
        assert abs(run.q[:, joint.q][:, 0] - sign * angle).max() < 1e-6
        assert abs(run.v[:, joint.v][:, 0] - sign * speed).max() < 1e-5
    assert run.tracked["contact_law"][0] == 0 and run.audit.ok, run.audit
    assert abs(run.q[:, 2] - HIGH - 2 * LONG * np.cos(angle)).max() < 1e-6


def test_torques_are_those_of_inverse_dynamics_of_the_robot_built_from_its_foot(run):
    model, rows = from_its_foot(), run.t[20:]
    angle, speed, rate = bend(rows - 0.5 * STEP)  # torques are means of steps
    signs = -np.array([SIGNS[name] for name in ("ankle", "knee", "hip")])
    for n in range(0, len(rows), 40):
        tau = lo.inverse_dynamics(model, signs * angle[n], signs * speed[n], signs * rate[n])
        for k, name in enumerate(("ankle", "knee", "hip")):
            found = run.tau[20 + n, run.model.joint(name).v][0]
            assert found == pytest.approx(-tau[k], abs=2e-3), (name, rows[n])


def test_loads_of_the_ground_change_the_momentum(run):
    p = np.array([lo.momentum(run.model, q, v)[:3] for q, v in zip(run.q, run.v, strict=True)])
    weight = run.model.mass * np.array(run.model.gravity)
    assert np.allclose(run.contact_forces[1:].sum(axis=1) + weight, np.diff(p, axis=0) / STEP, atol=1e-6)
    assert run.contact_forces[1:, :, 2].min() > 1.0


def test_motors_give_no_more_than_they_can(run):
    most = 0.9 * abs(run.tau).max()
    problem, q, v = squats(most)
    weak = problem.simulate(T, q=q, v=v, step=STEP, every=STEP, progress=False)
    assert abs(weak.tau).max() == pytest.approx(most) and weak.tracked["contact_law"][0] == 0
    assert abs(weak.q - run.q).max() > 1e-4 and weak.audit.ok, weak.audit


def test_rollouts_follow_as_runs_do(run):
    problem, q, v = squats()
    rolled = lo.rollout(problem, q=q[None], v=v[None], duration=T, step=STEP, keep=1)
    assert abs(rolled.q[0] - run.q).max() < 1e-9


def test_what_does_not_know_these_torques_says_so():
    problem, q, v = squats()
    v[:] = 0.0
    with pytest.raises(ValueError, match="computed torques"):
        problem.evaluate(0.0, q, v)
    touch = lo.Touch("foot", points=FOOT)
    with pytest.raises(ValueError, match="copy of the robot"):
        lo.Locomotion(robot(), contacts=[touch], torques=lo.FeedForward({"hip": 0.1}, 1.0, 1.0))
