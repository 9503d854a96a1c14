"""Integrators against motions that are known otherwise: closed forms, and SciPy on equations that are written out here.

Every method is measured on systems that move on a group: a free rigid body, a spherical joint, a planar base.
"""

from functools import cache

import numpy as np
import pytest
from mechanisms import relative
from reference import Reference, about, from_quaternion
from scipy.integrate import solve_ivp

import locomote as lo
from locomote.methods.entries import assemble_one

METHODS = ("adaptive", "rk4", "implicit", "variational")
MOMENTS = np.diag([1.0, 2.0, 2.6])
SPIN = np.array([0.3, 2.0, 0.4])  # near the middle axis, where the body tumbles


def quaternion_rate(q, w):
    """Of the quaternion x, y, z, w of a body with angular velocity w in body axes."""
    u, s = q[:3], q[3]
    return np.concatenate([0.5 * (s * w + np.cross(u, w)), [-0.5 * u @ w]])


def tumbler():
    """A free body without gravity."""
    builder = lo.Builder("tumbler", base="free", gravity=(0, 0, 0))
    return lo.Locomotion(builder.body("body", inertia=lo.Inertia(2.0, (0, 0, 0), MOMENTS)).build())


@cache
def tumbled(duration):
    """Euler's equations by SciPy: quaternion and angular velocity at the end."""

    def rates(t, y):
        return np.concatenate([quaternion_rate(y[:4], y[4:]), np.linalg.solve(MOMENTS, np.cross(MOMENTS @ y[4:], y[4:]))])

    return solve_ivp(rates, (0, duration), [0, 0, 0, 1.0, *SPIN], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


def top(constraints=()):
    """A heavy top on a spherical joint."""
    builder = lo.Builder("top").body(
        "top", joint=lo.Joint("ball", "spherical"), inertia=lo.Inertia(1.5, (0.05, 0, 0.4), MOMENTS / 10)
    )
    return lo.Locomotion(builder.build(), constraints=constraints)


@cache
def topped(duration):
    """Euler's equations with the moment of gravity, about the fixed point."""
    c = np.array([0.05, 0, 0.4])
    inertia = MOMENTS / 10 + 1.5 * (c @ c * np.eye(3) - np.outer(c, c))

    def rates(t, y):
        weight = from_quaternion(*y[:4]).T @ np.array([0, 0, -9.81 * 1.5])
        return np.concatenate(
            [quaternion_rate(y[:4], y[4:]), np.linalg.solve(inertia, np.cross(inertia @ y[4:], y[4:]) + np.cross(c, weight))]
        )

    return solve_ivp(rates, (0, duration), [*TILTED, *SPIN], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


TILTED = np.array([0.3, 0.1, 0.0, np.sqrt(1 - 0.1)])


def glider():
    """A planar base with a heavy pendulum on it, in a vertical plane."""
    builder = lo.Builder("glider", base="planar", gravity=(0, -9.81, 0)).body(
        "base", inertia=lo.Inertia.box(2.0, (0.5, 0.3, 0.2))
    )
    return lo.Locomotion(
        builder.body(
            "bob",
            parent="base",
            joint=lo.Joint("hinge"),
            at=(0.3, 0, 0),
            inertia=lo.Inertia(1.0, (0.5, 0.1, 0), np.eye(3) * 0.02),
        ).build()
    )


GLIDER_Q, GLIDER_V = np.array([0.2, -0.1, 0.5, 0.7]), np.array([0.5, -0.3, 2.0, -3.0])


@cache
def glided(duration):
    """Point masses of the second formulation, integrated by SciPy in world coordinates."""
    reference = Reference(glider().model.description)

    def rates(t, y):
        q, v = y[:4], y[4:]
        now = reference.at(q, v)
        s, c = np.sin(q[2]), np.cos(q[2])
        moving = [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2], v[3]]
        return np.concatenate([moving, np.linalg.solve(now.mass_matrix(), -now.inverse_dynamics())])

    return solve_ivp(rates, (0, duration), [*GLIDER_Q, *GLIDER_V], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


def end_error(system, **options):
    """Error at the end of a run of a system, and the number of its steps."""
    if system == "tumbler":
        run = tumbler().simulate(2.0, v=[0.5, 0, 0, *SPIN], samples=[2.0], **options)
        expected = tumbled(2.0)
        body = from_quaternion(*expected[:4])
        found = np.concatenate([from_quaternion(*run.q[-1, 3:]).ravel(), run.v[-1], run.q[-1, :3]])
        truth = np.concatenate([body.ravel(), body.T @ [0.5, 0, 0], expected[4:], [1.0, 0, 0]])
    elif system == "top":
        run = top().simulate(1.0, q=TILTED, v=SPIN, samples=[1.0], **options)
        expected = topped(1.0)
        found = np.concatenate([from_quaternion(*run.q[-1]).ravel(), run.v[-1]])
        truth = np.concatenate([from_quaternion(*expected[:4]).ravel(), expected[4:]])
    else:
        run = glider().simulate(0.5, q=GLIDER_Q, v=GLIDER_V, samples=[0.5], **options)
        found, truth = np.concatenate([run.q[-1], run.v[-1]]), glided(0.5)
    return float(abs(found - truth).max()), run.info["steps"]


SYSTEMS = ("tumbler", "top", "glider")
STEPS5 = {"tumbler": (0.04, 0.02, 0.01), "top": (0.04, 0.02, 0.01), "glider": (0.025, 0.0125, 0.00625)}


def slope(pairs):
    """Order of convergence from (error, steps) of runs."""
    errors, steps = np.log(np.array(pairs, dtype=float).T)
    return -np.polyfit(steps, errors, 1)[0]


@pytest.mark.parametrize("system", SYSTEMS)
def test_order_of_rk4(system):
    pairs = [end_error(system, method="rk4", step=step) for step in (0.02, 0.01, 0.005)]
    assert slope(pairs) == pytest.approx(4.0, abs=0.25) and pairs[-1][0] < 1e-5


@pytest.mark.parametrize("system", SYSTEMS)
def test_order_of_dormand_prince(system):
    """With steps of a fixed length, which loose tolerances and a largest step make."""
    pairs = [end_error(system, step=step, max_step=step, rtol=1e6, atol=1e6) for step in STEPS5[system]]
    assert slope(pairs) == pytest.approx(5.0, abs=0.4) and pairs[-1][0] < 1e-6, pairs


@pytest.mark.parametrize("system", SYSTEMS)
def test_tolerance_of_dormand_prince(system):
    """The error follows the tolerance, and costs steps as a fifth-order method does."""
    tolerances = (1e-6, 1e-8, 1e-10)
    pairs = [end_error(system, rtol=tolerance, atol=tolerance) for tolerance in tolerances]
    for (error, _), tolerance in zip(pairs, tolerances, strict=True):
        assert error < 100 * tolerance
    assert slope(pairs) > 4.2


@pytest.mark.parametrize("system", SYSTEMS)
def test_order_of_the_implicit_method(system):
    tolerances = (1e-5, 1e-7, 1e-9)
    pairs = [end_error(system, method="implicit", rtol=tolerance, atol=tolerance) for tolerance in tolerances]
    for (error, _), tolerance in zip(pairs, tolerances, strict=True):
        assert error < 300 * tolerance
    assert slope(pairs) > 3.3


@pytest.mark.parametrize("system", SYSTEMS)
def test_order_of_the_variational_method(system):
    pairs = [end_error(system, method="variational", step=step) for step in (0.01, 0.005, 0.0025)]
    assert slope(pairs) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("system", ["tumbler", "top"])
def test_variational_energy_stays_bounded(system):
    """Ten thousand steps: the energy error of the second half is not larger than that of the first."""
    if system == "tumbler":
        run = tumbler().simulate(200.0, v=[0.5, 0, 0, *SPIN], method="variational", step=0.02, every=0.5)
    else:
        run = top().simulate(100.0, q=TILTED, v=SPIN, method="variational", step=0.01, every=0.25)
    error = abs(run.total - run.total[0]) / run.kinetic.max()
    half = len(error) // 2
    assert error.max() < 0.02
    assert error[half:].max() < 1.2 * error[:half].max() + 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_momentum_of_a_free_body_is_kept(method):
    run = tumbler().simulate(3.0, v=[0.5, 0, 0, *SPIN], method=method, step=0.01 if method != "adaptive" else None, every=0.1)
    momenta = lo.momentum(run.model, run.q, run.v)
    tolerance = {"variational": 1e-3}.get(method, 1e-6)
    assert relative(momenta, np.broadcast_to(momenta[0], momenta.shape)) < tolerance


def test_dense_samples_are_as_accurate_as_steps():
    """Many samples between few steps; those of an oscillator and of a tumbling body."""
    model = lo.Builder("mass", base="x").body("mass", inertia=lo.Inertia.box(1.0, (1, 1, 1))).build()
    problem = lo.Locomotion(model, springs={"base": (4.0, 0.0, 0.0)})
    run = problem.simulate(5.0, q=[1.0], rtol=1e-9, atol=1e-9, every=0.01)
    assert run.info["steps"] < 0.7 * len(run)
    assert abs(run.q[:, 0] - np.cos(2 * run.t)).max() < 2e-7 and abs(run.v[:, 0] + 2 * np.sin(2 * run.t)).max() < 4e-7
    assert abs(run.a[:, 0] + 4 * np.cos(2 * run.t)).max() < 1e-6

    many = tumbler().simulate(2.0, v=[0.5, 0, 0, *SPIN], rtol=1e-9, atol=1e-9, every=0.01)
    few = tumbler().simulate(2.0, v=[0.5, 0, 0, *SPIN], rtol=1e-9, atol=1e-9, samples=[0.5, 1.0, 2.0])
    assert many.info["steps"] < len(many) and many.info["steps"] == few.info["steps"]
    assert np.array_equal(many.q[[50, 100, 200]], few.q)
    exact = np.array([tumbled(t)[4:] for t in (0.37, 1.21, 1.83)])
    assert abs(many.v[[37, 121, 183], 3:] - exact).max() < 1e-7


def test_samples_are_where_they_were_asked_for():
    times = np.array([0.0, 0.1, 0.1 + 1e-7, 0.73, 1.0])
    for method in METHODS:
        run = tumbler().simulate(1.0, v=[0.5, 0, 0, *SPIN], method=method, samples=times)
        assert run.info["status"] == "finished"
        assert run.t == pytest.approx(times, abs=1e-12)
    run = tumbler().simulate(1.0, v=[0.5, 0, 0, *SPIN], samples=[0.4], t=0.2)
    assert run.t == pytest.approx([0.4]) and abs(run.v[0, 3:] - tumbled(0.2)[4:]).max() < 1e-7


# constraints


def test_steps_as_asked_for_and_as_taken():
    """Fixed steps are made shorter so that they meet the samples; info says both."""
    asked = tumbler().simulate(1.0, v=[0, 0, 0, *SPIN], method="rk4", step=0.03, every=0.1)
    assert asked.info["step"] == 0.03 and asked.info["mean_step"] == pytest.approx(0.025) and asked.info["steps"] == 40
    chosen = tumbler().simulate(1.0, v=[0, 0, 0, *SPIN], every=0.1)
    assert chosen.info["step"] is None and chosen.info["mean_step"] == pytest.approx(1.0 / chosen.info["steps"])
    assert "40 steps of 0.025 s on average" in asked.summary()


def knife(slope_angle=0.5):
    """A skate on an inclined plane, which turns steadily: it goes to and fro along a cycloid and never comes down."""
    gravity = (9.81 * np.sin(slope_angle), 0.0, -9.81 * np.cos(slope_angle))
    model = (
        lo.Builder("knife", base="planar", gravity=gravity).body("skate", inertia=lo.Inertia.box(1.3, (0.3, 0.05, 0.2))).build()
    )
    return lo.Locomotion(model, constraints=[lo.Blade("skate")]), 9.81 * np.sin(slope_angle)


@pytest.mark.parametrize("method", METHODS)
def test_a_skate_on_an_incline(method):
    """x = g/(2 w^2) sin^2(w t), y = g/(2 w^2) (w t - sin(2 w t) / 2): Bloch, Nonholonomic Mechanics and Control, 1.6."""
    problem, g = knife()
    w = 1.7
    run = problem.simulate(4.0, v=[0, 0, w], method=method, step=0.002 if method != "adaptive" else None, every=0.05)
    scale = g / (2 * w * w)
    tolerance = {"variational": 2e-5}.get(method, 3e-7)
    assert abs(run.q[:, 0] - scale * np.sin(w * run.t) ** 2).max() < tolerance
    assert abs(run.q[:, 1] - scale * (w * run.t - 0.5 * np.sin(2 * w * run.t))).max() < tolerance
    assert run.residual.max() < 1e-7
    sideways = 1.3 * (w * run.v[:, 0] + g * np.sin(run.q[:, 2]))  # what the blade must hold
    assert abs(run.reactions[:, 0] - sideways).max() < 1e-4 if method == "variational" else 1e-6
    assert abs(run.audit.balance) < {"variational": 1e-5}.get(method, 1e-7)


def loop():
    """A parallelogram closed by a revolute joint, hanging."""
    rod = lo.Inertia(0.7, (0.25, 0, 0), np.diag([1e-4, 0.015, 0.015]))
    builder = lo.Builder("loop").body("left", joint=lo.Joint("one", axis="y"), inertia=rod)
    builder.body("bar", parent="left", joint=lo.Joint("two", axis="y"), at=(0.5, 0, 0), inertia=rod)
    builder.body("right", joint=lo.Joint("three", axis="y"), at=(0.8, 0, 0), inertia=rod)
    turn = np.eye(4)
    turn[:3, :3], turn[0, 3] = about((1.0, 0, 0), -np.pi / 2), 0.8
    other = turn.copy()
    other[0, 3] = 0.5
    pin = lo.LoopClosure("bar", "right", kind="revolute", frame=turn, other_frame=other, name="pin")
    return lo.Locomotion(builder.build(), constraints=[pin])


@pytest.mark.parametrize("method", METHODS)
def test_loops_stay_closed(method):
    """A parallelogram swings as its equivalent pendulum: (2 I + m d^2) q'' = (2 m c + m d) g cos q."""
    problem = loop()
    q0, v0 = problem.initial(q=[0.9, -0.9, 0.9])
    run = problem.simulate(2.0, q=q0, v=v0, method=method, step=0.001 if method != "adaptive" else None, every=0.02)
    inertia, pull = 2 * (0.015 + 0.7 * 0.25**2) + 0.7 * 0.25, 9.81 * (2 * 0.7 * 0.25 + 0.7 * 0.5)

    def rates(t, y):
        return [y[1], pull * np.cos(y[0]) / inertia]

    swing = solve_ivp(rates, (0, 2.0), [q0[0], 0.0], t_eval=run.t, method="DOP853", rtol=1e-12, atol=1e-13).y
    tolerance = {"variational": 1e-3}.get(method, 1e-6)
    assert abs(run.q[:, 0] - swing[0]).max() < tolerance
    assert abs(run.q[:, 1] + run.q[:, 0]).max() < 1e-7 and abs(run.q[:, 2] - run.q[:, 0]).max() < 1e-7
    assert run.position_residual.max() < 1e-8 and run.residual.max() < 1e-6
    assert abs(run.audit.balance) < {"variational": 1e-3}.get(method, 1e-6)


def test_projection_keeps_drift_away():
    """A free body pinned at a point: without projection the pin drifts away, with it only by what one step leaves."""
    model = lo.Builder("pinned", base="free").body("body", inertia=lo.Inertia(1.0, (0.5, 0, 0), MOMENTS / 20)).build()
    problem = lo.Locomotion(model, constraints=[lo.PointContact("body", (0.3, 0.1, 0.0))])
    options = {"v": [0, 0, 0, *SPIN], "rtol": 1e-5, "atol": 1e-6, "every": 0.5, "start": "project"}
    kept, free = (problem.simulate(20.0, projection=on, **options) for on in (True, False))
    assert kept.position_residual.max() < 0.2 * free.position_residual.max()
    assert kept.residual.max() < 1e-12 and abs(kept.audit.balance) < 1e-3


def test_coming_back_to_the_constraints_takes_no_energy():
    """Within a run the change is M^-1 A^T mu, orthogonal by mass to all velocities that the constraints allow."""
    problem, rng = loop(), np.random.default_rng(3)
    q, v = problem.initial(q=[0.9, -0.9, 0.9], v=[1.0, 0, 0])
    plan = problem.run_plan(q)
    work, wrong = problem.work_for(plan), v + 1e-3 * rng.normal(size=3)
    right, M, A = wrong.copy(), lo.mass_matrix(problem.model, q), problem.rows(0.0, q)[0]
    assemble_one(plan, work, 0.0, q.copy(), right, np.zeros(3), np.zeros(3), np.zeros(3))
    pull = M @ (right - wrong)
    assert abs(A @ right).max() < 1e-12 < abs(A @ wrong).max()
    assert abs(pull - A.T @ np.linalg.lstsq(A.T, pull, rcond=1e-10)[0]).max() < 1e-12
    assert abs(right @ pull) < 1e-12 * abs(right @ M @ right)


def test_a_velocity_that_constraints_refuse_is_told():
    """An event that asks a skate to go sideways."""
    refused = lo.When(lambda t, q, v: t - 0.5, name="push", then=lambda t, q, v: v + np.array([0, 1.0, 0]))
    allowed = lo.When(lambda t, q, v: t - 0.7, name="brake", then=lambda t, q, v: 0.5 * v)
    model = lo.Builder("skate", base="planar").body("skate", inertia=lo.Inertia.box(1.0, (0.2, 0.1, 0.1))).build()
    run = lo.Locomotion(model, constraints=[lo.Blade("skate")]).simulate(1.0, v=[1.0, 0, 0], events=[refused, allowed])
    assert [event.kind for event in run.events] == ["event", "correction", "event"]
    told = run.events[1]
    assert told.t == pytest.approx(0.5) and told.data["part"] == pytest.approx(np.sqrt(0.5)) and "71 %" in str(told)
    assert run.v[-1] == pytest.approx([0.5, 0, 0], abs=1e-12)


def valley(x, y):
    """A channel along y with the shape of a parabola, which also waves a little."""
    return 0.3 * x * x + 0.05 * np.sin(y), 0.6 * x, 0.05 * np.cos(y), 0.6, 0.0, -0.05 * np.sin(y)


ROLLERS = {
    "ball in a bowl": ({"tube": 0.1}, lo.Sphere((0, 0, 1.0), 1.0, inside=True)),
    "egg on waves": ({"shape": lo.Ellipsoid((0.1, 0.13, 0.09))}, lo.HeightField(valley)),
    "torus in a pipe": (
        {"radius": 0.07, "tube": 0.03, "axle": (0, 1.0, 0)},
        lo.Cylinder((0, 0, 1.0), (0, 1.0, 0), 1.0, inside=True),
    ),
}


@pytest.mark.parametrize("name", ROLLERS)
def test_rolling_keeps_energy_and_contact(name):
    shape, surface = ROLLERS[name]
    model = (
        lo.Builder("roller", base="free")
        .body("roller", inertia=lo.Inertia(1.0, (0, 0, 0), np.diag([0.004, 0.0045, 0.0038])))
        .build()
    )
    problem = lo.Locomotion(model, constraints=[lo.Rolling("roller", surface=surface, **shape)])
    q, v = problem.initial([0.02, 0.01, 0.12, 0.0, 0.0, 0.0, 1.0], [0.2, 0.05, 0.0, 0.0, 2.0, 0.1])
    run = problem.simulate(0.9, q=q, v=v, rtol=1e-10, atol=1e-11, every=0.02)
    assert np.ptp(run.kinetic) > 1e-3
    assert abs(run.audit.balance) < 1e-8 and run.residual.max() < 1e-8 and run.position_residual.max() < 1e-9
    assert abs(run.reactions @ np.ones(3)).max() < 100


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_a_wheel_that_falls_over_says_so(tolerance):
    """Flat on the ground a wheel has no point of contact: its energy goes at once, which is an event, and the run ends."""
    model = lo.Builder("coin", base="free").body("coin", inertia=lo.Inertia.cylinder(1.0, 0.1, 0.01)).build()
    problem = lo.Locomotion(model, constraints=[lo.Rolling("coin", 0.1)])
    half = 0.5 * (np.pi / 2 - 0.1)
    start = [0, 0, 0.1, np.sin(half), 0, 0, np.cos(half)]
    with pytest.raises(lo.RunFailed, match="as for a wheel that lies flat") as failed:
        problem.simulate(2.0, q=start, rtol=tolerance, atol=tolerance, every=0.01)
    run = failed.value.run
    assert np.isfinite(run.q).all() and run.t[-1] == pytest.approx(0.39, abs=0.011)
    first = run.events[0]
    assert first.kind == "correction" and first.t == pytest.approx(0.3954, abs=1e-3)
    assert 0.05 < first.data["part"] <= 1 and -1.0 < first.data["energy"] < -0.1 and "J are lost" in str(first)


def test_a_ball_swings_in_a_bowl():
    """Small swings of a solid ball: w^2 = 5 g / (7 (R - r))."""
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    bowl = lo.Rolling("ball", tube=0.1, surface=lo.Sphere((0, 0, 1.0), 1.0, inside=True))
    problem = lo.Locomotion(model, constraints=[bowl])
    angle = 1e-3
    start = problem.initial([0.9 * np.sin(angle), 0, 1.0 - 0.9 * np.cos(angle), 0, 0, 0, 1.0])
    run = problem.simulate(3.0, q=start[0], v=start[1], rtol=1e-10, atol=1e-12, every=0.05)
    w = np.sqrt(5 * 9.81 / (7 * 0.9))
    assert run.q[:, 0] == pytest.approx(0.9 * angle * np.cos(w * run.t), abs=1e-3 * 0.9 * angle)


# symmetry


@pytest.mark.parametrize("method", METHODS)
def test_turning_the_start_turns_the_path(method):
    """About the vertical, with gravity: two bodies with a ball joint, one of them sliding on a blade."""
    box = lo.Inertia.box(1.0, (0.2, 0.3, 0.4))
    builder = lo.Builder("pair", base="free").body("one", inertia=box)
    builder.body("two", parent="one", joint=lo.Joint("ball", "spherical"), at=(0, 0, 0.5), inertia=box)
    problem = lo.Locomotion(builder.build(), constraints=[lo.Blade("one", (0.1, 0, 0))])
    rng = np.random.default_rng(4)
    q, v = problem.initial(problem.model.random(rng), rng.normal(size=9))
    half = 0.6
    turn, shift = np.array([0, 0, np.sin(half), np.cos(half)]), np.array([1.0, -2.0, 3.0])
    R = from_quaternion(*turn)
    u, s = q[3:6], q[6]
    turned = np.array(
        [*(R @ q[:3] + shift), *(turn[3] * u + s * turn[:3] + np.cross(turn[:3], u)), turn[3] * s - turn[:3] @ u, *q[7:]]
    )
    options = {"method": method, "step": 0.005 if method != "adaptive" else None, "every": 0.1}
    one, two = (problem.simulate(1.0, q=start, v=v, **options) for start in (q, turned))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, shift
    poses = [lo.forward_kinematics(problem.model, run.q) for run in (one, two)]
    assert relative(poses[1], pose @ poses[0]) < 1e-8
    assert relative(two.v, one.v) < 1e-8 and relative(two.reactions, one.reactions) < 1e-6


# drives


@pytest.mark.parametrize("method", METHODS)
def test_imposed_motion_is_exact_and_its_work_is_counted(method):
    """A driven arm on a planar base: the drive is followed to rounding, the energy is what the drive gave."""
    builder = lo.Builder("swinger", base="planar", gravity=(0, 0, 0)).body("base", inertia=lo.Inertia.box(2.0, (0.5, 0.3, 0.2)))
    model = builder.body(
        "arm", parent="base", joint=lo.Joint("arm"), at=(0.2, 0, 0), inertia=lo.Inertia(1.0, (0.5, 0, 0), np.eye(3) * 0.05)
    ).build()
    problem = lo.Locomotion(model, drives={"arm": lo.Sine(0.8, 3.0)})
    run = problem.simulate(2.0, method=method, step=0.002 if method != "adaptive" else None, every=0.05)
    assert abs(run.q[:, 3] - 0.8 * np.sin(3 * run.t)).max() < 1e-14
    assert abs(run.v[:, 3] - 2.4 * np.cos(3 * run.t)).max() < 1e-13
    tolerance = {"variational": 1e-3}.get(method, 1e-6)
    assert abs(run.balance).max() < tolerance * max(run.kinetic)
    # it starts with momentum, since the drive moves at once and the base is at rest: that momentum is kept
    momenta = lo.momentum(model, run.q, run.v)
    assert relative(momenta, np.broadcast_to(momenta[0], momenta.shape)) < 10 * tolerance


# events


def thrown():
    """A point mass in the air."""
    return lo.Locomotion(lo.Builder("stone", base="xyz").body("stone", inertia=lo.Inertia.sphere(1.0, 0.1)).build())


def height(t, q, v):
    return q[2]


@pytest.mark.parametrize("method", METHODS)
def test_events_are_located(method):
    """A stone thrown up at 3 m/s from 1 m: top at v/g, ground where the parabola says."""
    top_of_path = lo.When(lambda t, q, v: v[2], name="top")
    ground = lo.When(height, direction=-1, terminal=True, name="ground")
    run = thrown().simulate(5.0, q=[0, 0, 1.0], v=[1.0, 0, 3.0], method=method, events=[top_of_path, ground], every=0.1)
    fall = (3.0 + np.sqrt(9.0 + 2 * 9.81)) / 9.81
    assert [event.description for event in run.events] == ["top is zero", "ground is zero"]
    assert [event.t for event in run.events] == pytest.approx([3.0 / 9.81, fall], abs=1e-10)
    assert run.info["status"] == "stopped" and run.t[-1] == pytest.approx(fall, abs=1e-10) and len(run) == 10


def test_events_of_an_oscillator():
    """All zeros of a cosine, rising, falling, and both."""
    model = lo.Builder("mass", base="x").body("mass", inertia=lo.Inertia.box(1.0, (1, 1, 1))).build()
    problem = lo.Locomotion(model, springs={"base": (9.0, 0.0, 0.0)})
    zeros = (np.pi / 2 + np.pi * np.arange(10)) / 3
    for direction, expected in ((0, zeros), (1, zeros[1::2]), (-1, zeros[::2])):
        run = problem.simulate(
            10.4, q=[1.0], rtol=1e-11, atol=1e-12, events=[lo.When(lambda t, q, v: q[0], direction)], every=0.5
        )
        assert [event.t for event in run.events] == pytest.approx(list(expected), abs=1e-10)


def test_events_that_fall_into_one_step_come_in_order():
    """A stone on a parabola, which the method follows in a few large steps: every height is passed at its time."""
    heights = [0.2, 0.5, 0.9, 0.7, 0.1]  # in no order
    events = [lo.When(lambda t, q, v, z=z: q[2] - z, name=f"{z}") for z in heights]
    run = thrown().simulate(1.0, q=[0, 0, 1.0], events=events, samples=[1.0])
    assert run.info["steps"] < 30
    expected = sorted((np.sqrt(2 * (1.0 - z) / 9.81), f"{z} is zero") for z in heights)
    assert [event.description for event in run.events] == [name for _, name in expected]
    assert [event.t for event in run.events] == pytest.approx([t for t, _ in expected], abs=1e-10)


def test_events_at_the_same_time_are_all_reported():
    events = [lo.When(lambda t, q, v: q[2] - 0.5, name="a"), lo.When(lambda t, q, v: 1.0 - 2 * q[2], name="b")]
    run = thrown().simulate(1.0, q=[0, 0, 1.0], events=events, samples=[1.0])
    assert sorted(event.description for event in run.events) == ["a is zero", "b is zero"]
    assert [event.t for event in run.events] == pytest.approx([np.sqrt(1.0 / 9.81)] * 2, abs=1e-10)


def test_an_event_may_change_the_velocity():
    """A wall at x = 1 that sends the stone back."""
    wall = lo.When(lambda t, q, v: q[0] - 1.0, name="wall", then=lambda t, q, v: v * [-1, 1, 1])
    model = lo.Builder("puck", base="xyz", gravity=(0, 0, 0)).body("puck", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    run = lo.Locomotion(model).simulate(2.0, v=[0.8, 0.1, 0], events=[wall], every=0.1)
    assert [event.t for event in run.events] == pytest.approx([1.25], abs=1e-10)
    assert run.q[-1] == pytest.approx([1.0 - 0.8 * 0.75, 0.2, 0], abs=1e-9)


def test_events_do_not_change_samples_between_them():
    """Samples in a step that an event cuts are those of the whole motion."""
    with_events = tumbler().simulate(2.0, v=[0.5, 0, 0, *SPIN], events=[lambda t, q, v: v[3], lambda t, q, v: v[5]], every=0.01)
    without = tumbler().simulate(2.0, v=[0.5, 0, 0, *SPIN], every=0.01)
    assert len(with_events.events) > 0
    assert relative(with_events.q, without.q) < 1e-6 and relative(with_events.t, without.t) < 1e-12


# stiff systems


def test_a_stiff_spring_takes_few_implicit_steps():
    """A pendulum with a stiff, strongly damped joint swings as one body; the implicit method does not follow the fast part.

    Rates of 1e6/s: an explicit method would need a step a microsecond.
    """
    ball = lo.Inertia.sphere(1.0, 0.1)
    builder = lo.Builder("whip").body("a", joint=lo.Joint("one", axis="y"), inertia=ball)
    builder.body("b", parent="a", joint=lo.Joint("two", axis="y", anchor=(0, 0, 1.0)), at=(0, 0, -1.0), inertia=ball)
    problem = lo.Locomotion(builder.build(), springs={"two": (1e6, 0.0, 1e6)})
    run = problem.simulate(2.0, q=[0.5, 0.0], method="implicit", rtol=1e-7, atol=1e-9, every=0.2)
    assert run.info["steps"] < 500
    inertia = 2 * 0.4 * 0.01 + 1.0

    def rates(t, y):
        return [y[1], -9.81 * np.sin(y[0]) / inertia]

    rigid = solve_ivp(rates, (0, 2.0), [0.5, 0.0], t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12).y
    assert abs(run.q.sum(axis=1) - rigid[0]).max() < 1e-4
