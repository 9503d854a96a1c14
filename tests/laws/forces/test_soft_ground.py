"""Ground that gives way: forces against formulas written by hand, motions against closed forms, steps against each other."""

import pickle

import numpy as np
import pytest

import locomote as lo

BALL = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
BOX = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(1.0, (0.2, 0.3, 0.1))).build()
CORNERS = [(0.1 * x, 0.15 * y, 0.05 * z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
TILTED = [0.0, 0.0, 0.1, 0.1, 0.1, 0.0, np.sqrt(0.98)]


def hill(x, y):
    """A paraboloid."""
    return 0.1 * x * x - 0.05 * y * y, 0.2 * x, -0.1 * y, 0.2, 0.0, -0.1


def force_on(problem, q, v):
    """What the ground does to a free body at the origin of its frame, in world axes, from its acceleration."""
    a = np.array(problem.evaluate(0.0, q, v).a)
    free = lo.forward_dynamics(problem.model, q, v, np.zeros(6))
    R = lo.forward_kinematics(problem.model, q)[0, :3, :3]
    return R @ (lo.mass_matrix(problem.model, q) @ (a - free))[:3]


@pytest.mark.parametrize("normal", ["linear", "hunt-crossley"])
@pytest.mark.parametrize("sliding", ["regularised", "viscous", "none"])
def test_the_law_of_a_point_on_a_slope(normal, sliding):
    slope = lo.Plane.slope(0.3, 0.4)
    k, c, mu, slow, b = 2e3, 0.7, 0.6, 0.05, 30.0
    law = {"normal": normal, "sliding": sliding, "slow": slow, "viscosity": b, "exponent": 1.5}
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": [(0, 0, 0)]}, k, c, mu, slope, **law)])
    rng, n = np.random.default_rng(0), np.array(slope.normal)
    touched = 0
    for _ in range(30):
        q, v = BOX.random(rng), rng.normal(size=6)
        q[:3] *= 0.1
        R = lo.forward_kinematics(BOX, q)[0, :3, :3]
        d, u = -n @ q[:3], R @ v[:3]
        rise = k * d if normal == "linear" else k * max(d, 0) ** 1.5
        push = rise - c * n @ u if normal == "linear" else rise * (1 - c * n @ u)
        f, slip = max(push, 0.0) if d > 0 else 0.0, u - n @ u * n
        speed = np.linalg.norm(slip)
        friction = {
            "regularised": -mu * f * slip / np.hypot(speed, slow),
            "viscous": -min(b * speed, mu * f) * slip / speed,
            "none": 0 * slip,
        }[sliding]
        touched += f > 0
        assert np.allclose(force_on(problem, q, v), f * n + friction, atol=1e-9 * (1 + f))
    assert touched > 5


def test_friction_that_knows_directions():
    """Where a skate slides at an angle, friction is that of the ellipse: along M^2 v."""
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": [(0, 0, 0)]}, 1e3, 0.0, (0.1, 0.8), slow=1e-9)])
    angle, speed = 0.5, np.array([0.3, -0.4])
    q = np.array([0, 0, -0.01, 0, 0, np.sin(angle / 2), np.cos(angle / 2)])
    force = force_on(problem, q, [*speed, 0, 0, 0, 0])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    M = np.array([0.1, 0.8])
    assert np.allclose(force[:2], turn @ (-10.0 * M**2 * speed / np.linalg.norm(M * speed)), atol=1e-6)
    assert force[2] == pytest.approx(10.0)


@pytest.mark.parametrize(
    "surface, place, depth, normal",
    [
        (lo.Plane(), (0.3, 0.2, -0.02), 0.02, (0, 0, 1)),
        (lo.Sphere((0, 0, -1), 1.0), (0.0, 0.6, -0.25), 1 - np.hypot(0.6, 0.75), (0, 0.6, 0.75)),
        (lo.Sphere((0, 0, 1), 1.0, inside=True), (0.0, 0.6, 0.1), np.hypot(0.6, 0.9) - 1, (0, -0.6, 0.9)),
        (lo.Cylinder((0, 0, -1), (1, 0, 0), 1.0), (5.0, 0.6, -0.25), 1 - np.hypot(0.6, 0.75), (0, 0.6, 0.75)),
        (lo.Steps(0.3, 0.2, 3), (0.45, 0.0, 0.37), 0.03, (0, 0, 1)),
        (lo.Box((1.0, 1.0, 0.2)), (0.97, 0.0, 0.0), 0.03, (1, 0, 0)),
        (lo.HeightField(hill), (0.5, -0.4, 0.0), 0.017 / np.sqrt(1.0116), (-0.1, -0.04, 1.0)),
    ],
)
def test_surfaces(surface, place, depth, normal):
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": [(0, 0, 0)]}, 1e3, 0.0, surface=surface)])
    force = force_on(problem, [*place, 0, 0, 0, 1], np.zeros(6))
    assert np.allclose(force, 1e3 * depth * np.array(normal) / np.linalg.norm(normal), atol=1e-9)


def test_a_ball_on_a_spring_swings_and_its_energy_stays():
    ground = lo.SoftGround({"ball": [(0, 0, 0)]}, 400.0, 0.0, radius=0.1)
    z, w = 0.1 - 9.81 / 400, 20.0
    run = lo.Locomotion(BALL, environment=[ground]).simulate(1.0, q=[0, 0, z + 0.01, 0, 0, 0, 1], method="adaptive")
    assert np.allclose(run.q[:, 2], z + 0.01 * np.cos(w * run.t), atol=1e-8)
    assert run.audit.ok and abs(run.work["ground"]).max() < 1e-10
    assert np.allclose(run["energy.ground"], 200 * (0.1 - run.q[:, 2]) ** 2)


def test_a_ball_comes_to_roll():
    """Its angular momentum about the line of contact is kept: five sevenths of its speed are left."""
    ground = lo.SoftGround({"ball": [(0, 0, 0)]}, 1e4, 200.0, 0.4, radius=0.1, slow=1e-3)
    start = [0, 0, 0.1 - 9.81 / 1e4, 0, 0, 0, 1]
    problem = lo.Locomotion(BALL, environment=[ground])
    run = problem.simulate(1.5, q=start, v=[1, 0, 0, 0, 0, 0], rtol=1e-4, atol=1e-6, samples=[1.5])
    sunk = 0.1 - 9.81 / 1e4  # it touches there if it is a ball all the way: the arm of friction is the radius
    assert np.linalg.norm(run.v[-1, :3]) == pytest.approx(5 / 7, rel=2e-3) and abs(run.q[-1, 2] - sunk) < 1e-6


@pytest.mark.parametrize("law", [{}, {"normal": "hunt-crossley"}, {"sliding": "viscous", "viscosity": 30.0}])
def test_power_is_audited_and_the_ground_only_takes(law):
    stiff = {"stiffness": 2e4, "damping": 0.3} if law.get("normal") else {"stiffness": 2e3, "damping": 20.0}
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": CORNERS}, **stiff, **law)])
    run = problem.simulate(0.6, q=TILTED, v=[1, 0, 0, 0, 0, 2.0], method="adaptive")
    lost = -run.work["ground"]
    assert run.audit.balance < 1e-4 and {"force ground", "equations of motion"} <= {
        c.name for c in run.audit.checks if c.passed
    }
    assert lost[-1] > 0.5 and (np.diff(lost) > -1e-9).all()


def test_linearly_implicit_steps_find_the_same_motion():
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": CORNERS}, 1e5, 300.0)])
    start = {"q": TILTED, "v": [1, 0, 0, 0, 0, 2.0], "samples": [0.3]}
    exact = problem.simulate(0.3, method="adaptive", rtol=1e-10, atol=1e-12, **start).q[-1]
    off = [
        abs(problem.simulate(0.3, method="rosenbrock", rtol=x, atol=1e-2 * x, **start).q[-1] - exact).max()
        for x in (1e-2, 1e-4)
    ]
    assert off[0] < 1e-4 and off[1] < 1e-6


def test_linearly_implicit_steps_are_long_where_ground_is_stiff():
    """A robot that stands on rigid ground, which explicit steps resolve: it takes far fewer."""
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": CORNERS}, 1e6, 3e4, sliding="viscous", viscosity=1e4)])
    start = {"q": [0, 0, 0.05 - 9.81 / 4e6, 0, 0, 0, 1], "v": [0, 0, 0, 0, 0, 0.1]}
    stiff = problem.simulate(0.5, method="rosenbrock", samples=[0.5], **start)
    plain = problem.simulate(0.5, method="adaptive", rtol=1e-4, atol=1e-6, samples=[0.5], **start)
    assert stiff.info["steps"] < plain.info["steps"] / 20
    assert np.allclose(stiff.q[-1], plain.q[-1], atol=1e-5)


def test_order_of_linearly_implicit_steps():
    """Second order, with drives and servos that stiff forces feel."""
    builder = lo.Builder("arm")
    for k in range(3):
        parent = f"link{k - 1}" if k else None
        at = (0.3, 0, 0) if k else (0, 0, 0)
        inertia = lo.Inertia.box(0.5, (0.3, 0.05, 0.05))
        builder.body(f"link{k}", parent=parent, at=at, joint=lo.Joint(f"j{k}", axis="y"), inertia=inertia)
    model = builder.build()
    servo = lo.Servo({"j1": lo.Sine(0.3, 5.0), "j2": lo.Sine(0.2, 4.0)}, 400.0, {"j1": 3.0, "j2": 9.0})
    problem = lo.Locomotion(model, drives={"j0": lo.Sine(0.4, 6.0)}, torques=servo)
    start = {"q": problem.initial()[0], "v": problem.initial()[1], "samples": [0.4]}
    exact = problem.simulate(0.4, rtol=1e-11, atol=1e-13, **start).q[-1]
    off = [
        abs(problem.simulate(0.4, method="rosenbrock", rtol=1e9, atol=1e9, step=h, max_step=h, **start).q[-1] - exact).max()
        for h in (4e-3, 2e-3, 1e-3)
    ]
    assert 3.0 < off[0] / off[1] < 5.0 and 3.0 < off[1] / off[2] < 5.0


def test_many_runs_side_by_side():
    """The same motion on lanes as alone, where the step is short enough: h (2 damping + stiffness h) below mass."""
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": CORNERS}, 2e3, 20.0, sliding="viscous", viscosity=20.0)])
    rng = np.random.default_rng(0)
    q, v = np.tile(TILTED, (4, 1)), rng.normal(size=(4, 6))
    runs = lo.rollout(problem, q=q, v=v, duration=0.4, step=2e-4)
    for k in range(4):
        alone = problem.simulate(0.4, q=q[k], v=v[k], samples=[0.4], method="adaptive")
        assert np.allclose(runs.q[k, -1], alone.q[-1], atol=2e-4)


def test_it_can_be_copied_and_kept(tmp_path):
    problem = lo.Locomotion(BOX, environment=[lo.SoftGround({"box": CORNERS}, 2e3, 20.0, (0.3, 0.6), lo.Plane.slope(0.1))])
    again = pickle.loads(pickle.dumps(problem))
    assert np.array_equal(again.evaluate(0.0, TILTED, np.ones(6)).a, problem.evaluate(0.0, TILTED, np.ones(6)).a)
    run = problem.simulate(0.05, q=TILTED, samples=[0.05])
    run.save(tmp_path / "run.h5")
    kept = lo.open_run(tmp_path / "run.h5").problem
    assert np.array_equal(kept.evaluate(0.0, TILTED, np.ones(6)).a, problem.evaluate(0.0, TILTED, np.ones(6)).a)


def test_what_is_wrong_is_said():
    def made(**given):
        given = {"feet": {"box": [(0, 0, 0)]}, "stiffness": 1.0, "damping": 1.0} | given
        return lo.Locomotion(BOX, environment=[lo.SoftGround(**given)])

    for given, words in [
        ({"feet": {}}, "body -> points"), ({"feet": {"box": []}}, "some points"), ({"stiffness": -1.0}, "stiffness"),
        ({"damping": np.nan}, "damping"), ({"friction": (1, 2, 3)}, "friction"), ({"normal": "soft"}, "soft"),
        ({"friction": (0.1, 0.2), "sliding": "viscous"}, "all directions"), ({"feet": {"bix": [(0, 0, 0)]}}, "box"),
        ({"slow": 0.0}, "slow"), ({"surface": lo.Plane(normal=(0, 0, 0))}, "normal"),
    ]:  # fmt: skip
        with pytest.raises((TypeError, ValueError, KeyError, lo.LocomoteError), match=words):
            made(**given)
    with pytest.raises(ValueError, match="rosenbrock"):
        lo.systems.load("snakeboard").problem().simulate(0.1, method="rosenbrock")
