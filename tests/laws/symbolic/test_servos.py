"""Servos in formulas: those of problems, of copies on lanes, and of slopes of runs, against runs and against PD by hand."""

import numpy as np
import pytest

import locomote as lo

STIFFNESS, DAMPING, MOST = 20.0, 0.5, 1.0  # N m/rad, N m s/rad, N m of the first motor


def robot():
    """A trunk with four legs; the motor of the first is weak."""
    builder = lo.Builder("robot", base="free").body("trunk", inertia=lo.Inertia.box(2.0, (0.3, 0.2, 0.1)))
    for k, (x, y) in enumerate(((0.15, 0.1), (0.15, -0.1), (-0.15, 0.1), (-0.15, -0.1))):
        joint = lo.Joint(f"hip {k}", axis="y", effort_limit=np.inf if k else MOST)
        builder.body(
            f"leg {k}", parent="trunk", at=(x, y, 0), joint=joint, inertia=lo.Inertia(0.3, (0, 0, -0.1), (1e-3, 1e-3, 2e-4))
        )
    return builder.build()


def targets():
    return {f"hip {k}": lo.Sine(0.3, 6.0, offset=0.1 * k) for k in range(4)}


@pytest.fixture(scope="module")
def setting():
    model = robot()
    problem = lo.Locomotion(model, torques=lo.Servo(targets(), STIFFNESS, DAMPING))
    v = np.random.default_rng(0).normal(size=model.nv)
    return problem, model.integrate(model.neutral(), 0.1 * v), v


def test_the_formula_has_the_servo_and_the_limit_of_its_motor(setting):
    problem, q, v = setting
    t, drives = 0.3, targets()
    tau = np.zeros(problem.model.nv)
    for k in range(4):
        joint, (place, rate, _) = problem.model.joint(f"hip {k}"), drives[f"hip {k}"](t)
        tau[joint.v] = STIFFNESS * (place - q[joint.q]) + DAMPING * (rate - v[joint.v])
    asked = tau.copy()
    tau[6] = np.clip(tau[6], -MOST, MOST)
    assert tau[6] != asked[6]
    found = np.array(lo.symbolic_problem(problem)(t, q, v, np.zeros(problem.model.nv))).ravel()
    assert np.allclose(found, lo.forward_dynamics(problem.model, q, v, tau), rtol=1e-9, atol=1e-9)


def test_a_limit_is_that_of_what_is_given_and_the_servo_together(setting):
    problem, q, v = setting
    formula, given = lo.symbolic_problem(problem), np.zeros(problem.model.nv)
    asked = np.array([formula(0.3, q, v, given)]).ravel()
    given[6] = -2.0  # against the servo, which alone asks for more than the limit
    sums = problem.replaced(torques=lo.Servo(targets(), STIFFNESS, DAMPING, torques={"hip 0": lo.Constant(-2.0)}))
    assert np.allclose(np.array(formula(0.3, q, v, given)).ravel(), sums.evaluate(0.3, q, v).a, rtol=1e-9, atol=1e-9)
    assert not np.allclose(np.array(formula(0.3, q, v, given)).ravel(), asked)


def test_copies_on_lanes_follow_as_runs_do(setting):
    problem, q, v = setting
    copies = lo.rollout(problem, q=np.tile(q, (3, 1)), v=np.tile(v, (3, 1)), duration=0.3, step=1e-3, progress=False)
    run = problem.simulate(0.3, q=q, v=v, rtol=1e-10, atol=1e-12, progress=False)
    assert abs(run["hip 0.torque"]).max() == pytest.approx(MOST)
    assert np.allclose(copies.q[:, -1], run.q[-1], atol=2e-6)  # the limit is a corner


def test_slopes_go_through_servos_and_controls_beside_them(setting):
    problem, q, v = setting
    u = np.random.default_rng(1).normal(size=(100, 4))
    goal = lo.at_end(lambda t, q, v: q[0] + v[7])
    options = {"controls": u, "joints": [f"hip {k}" for k in range(4)], "q": q, "v": v, "step": 1e-3}
    _, slopes = lo.gradient(problem, goal, ["q", "v", "controls", "trunk.mass"], check=True, **options)
    assert slopes.check < 1e-6


def test_slopes_over_contacts_go_through_servos():
    model = robot()
    feet = [lo.Touch(f"leg {k}", lo.Ground(friction=0.1), sphere=0.02, at=(0, 0, -0.2)) for k in range(4)]
    problem = lo.Locomotion(model, contacts=feet, torques=lo.Servo({f"hip {k}": 0.1 for k in range(4)}, 2.0, 0.05))
    q, v = model.neutral(), np.zeros(model.nv)
    q[2], v[0] = 0.22, 1.0  # on the ground, sliding
    goal = lo.at_end(lambda t, q, v: q[0])
    given = {"q": q, "v": v, "controls": np.zeros((50, 4)), "joints": [f"hip {k}" for k in range(4)], "contacts": "discrete"}
    _, slopes = lo.gradient(problem, goal, ["controls", "trunk.mass"], check=True, **given)
    assert slopes.check < 1e-6


def test_what_has_no_formula_is_said():
    model = robot()
    for torques, why in (
        (lo.Servo({"hip 1": lo.Function(np.sin)}, 1.0, 0.1), "a servo follows a function, samples or a ramp"),
        (lo.ComputedTorque({"hip 1": 0.1}, 100.0, 20.0), "computed from the equations of motion"),
        (lo.PD({"hip 1": 0.1}, 1.0, 0.1, every=0.01), "controllers with a clock"),
    ):
        with pytest.raises(ValueError, match=why):
            lo.symbolic_problem(lo.Locomotion(model, torques=torques))
