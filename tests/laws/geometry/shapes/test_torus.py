"""A torus as ground and as a tyre: gap by sampling, normal and curvature by differences, motion against closed forms and
against the rolling constraint; pictures, files and refusals."""

import numpy as np
import pytest
from scipy.special import ellipk

import locomote as lo
from locomote.contact.spots import GAP, PLACED, place_spot
from locomote.geometry.table import normal_and_gap, normal_rate, pack_surface
from locomote.kernels.kinematics import ORIGIN, ROTATION
from locomote.view.build import scene_of

RING = lo.Torus(0.5, 0.2)
PIPE = lo.Torus(0.5, 0.2, inside=True)
G = 9.81


def packed(surface):
    p = pack_surface(surface)
    return (p.kind, *p.numbers)


def points_of(torus, count=700):
    """Points of its surface, in its frame."""
    a, b = np.meshgrid(*[np.linspace(0, 2 * np.pi, count, endpoint=False)] * 2)
    out = torus.radius + torus.tube * np.cos(b)
    return np.stack([out * np.cos(a), out * np.sin(a), torus.tube * np.sin(b)], axis=-1).reshape(-1, 3)


def ball(radius=0.05):
    return lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, radius)).build()


def test_gap_is_the_distance_to_the_nearest_point():
    samples, rng = points_of(RING), np.random.default_rng(0)
    for y in rng.uniform(-0.9, 0.9, size=(40, 3)):
        away = np.linalg.norm(samples - y, axis=1)
        within = (np.hypot(y[0], y[1]) - 0.5) ** 2 + y[2] ** 2 < 0.2**2
        n, gap = normal_and_gap(packed(RING), tuple(y))
        assert gap == pytest.approx((-1 if within else 1) * away.min(), abs=2e-4)
        np.testing.assert_allclose(y - gap * np.array(n), samples[away.argmin()], atol=2e-2)
        m, depth = normal_and_gap(packed(PIPE), tuple(y))
        assert depth == -gap and np.allclose(m, np.negative(n))


@pytest.mark.parametrize("surface", [RING, PIPE, lo.Torus(0.3, 0.0), lo.Torus(0.0, 0.4)])
def test_normal_is_the_gradient_and_curvature_its_rate(surface):
    y, h = np.array([0.3, -0.4, 0.15]), 1e-6
    n, _ = normal_and_gap(packed(surface), tuple(y))
    for d in np.eye(3):
        ahead, behind = (normal_and_gap(packed(surface), tuple(y + s * h * d)) for s in (1, -1))
        assert (ahead[1] - behind[1]) / (2 * h) == pytest.approx(n @ d, abs=1e-9)
        rate = normal_rate(packed(surface), tuple(y), tuple(d))
        np.testing.assert_allclose((np.array(ahead[0]) - behind[0]) / (2 * h), rate, atol=1e-7)


def test_without_a_tube_or_a_ring_it_is_finite_everywhere():
    for surface in (RING, PIPE):
        for y in ((0.0, 0.0, 0.0), (0.0, 0.0, 0.3), (0.5, 0.0, 0.0)):
            n, gap = normal_and_gap(packed(surface), y)
            assert np.isfinite(gap) and np.dot(n, n) == pytest.approx(1.0)


def swing(length, angle):
    """Period of a pendulum, s."""
    return 4 * np.sqrt(length / G) * ellipk(np.sin(angle / 2) ** 2)


def bottom(angle, radius=0.05):
    """A ball in the pipe, off its bottom by an angle."""
    arm = PIPE.tube - radius
    return [PIPE.radius + arm * np.sin(angle), 0, -arm * np.cos(angle), 0, 0, 0, 1]


@pytest.mark.parametrize("angle", [0.05, 1.0])
def test_a_ball_slides_in_a_round_pipe_like_a_pendulum(angle):
    problem = lo.Locomotion(ball(), contacts=[lo.Touch("ball", lo.Ground(PIPE, friction=0.0), sphere=0.05)])
    period = swing(0.15, angle)
    run = problem.simulate(period, q=bottom(angle), step=period / 2000)
    arm = (run.q[:, 0] - 0.5) ** 2 + run.q[:, 2] ** 2
    np.testing.assert_allclose(arm, 0.15**2, rtol=1e-4)
    assert run.q[-1, 0] - 0.5 == pytest.approx(0.15 * np.sin(angle), rel=2e-4)
    assert run.q[:, 0].min() - 0.5 == pytest.approx(-0.15 * np.sin(angle), rel=1e-3) and run.audit.ok


def test_a_ball_rolls_in_it_more_slowly_by_the_constraint_and_by_friction():
    period = swing(7 / 5 * 0.15, 0.5)
    held = lo.Locomotion(ball(), constraints=[lo.Rolling("ball", tube=0.05, surface=PIPE)])
    free = lo.Locomotion(ball(), contacts=[lo.Touch("ball", lo.Ground(PIPE, friction=2.0), sphere=0.05)])
    q = bottom(0.5)
    run = held.simulate(period, q=q)
    np.testing.assert_allclose(run.q[-1, :3], q[:3], atol=1e-5)
    assert run.audit.ok
    np.testing.assert_allclose(free.simulate(period, q=q, step=period / 2000).q[-1, :3], q[:3], atol=1e-4)


def test_a_ball_circles_on_the_outer_wall():
    """tan of its angle from below is v^2 / (g r), without friction."""
    angle, problem = 0.6, lo.Locomotion(ball(), contacts=[lo.Touch("ball", lo.Ground(PIPE, friction=0.0), sphere=0.05)])
    out = 0.5 + 0.15 * np.sin(angle)
    run = problem.simulate(1.0, q=bottom(angle), v=[0, np.sqrt(G * out * np.tan(angle)), 0, 0, 0, 0], step=5e-4)
    np.testing.assert_allclose(np.hypot(run.q[:, 0], run.q[:, 1]), out, atol=1e-4)
    np.testing.assert_allclose(run.q[:, 2], -0.15 * np.cos(angle), atol=1e-4)


def tyre():
    ring = lo.Inertia(2.0, (0, 0, 0), np.diag([0.05, 0.05, 0.1]))
    return lo.Builder("tyre", base="free").body("tyre", inertia=ring).build()


TYRE = lo.Torus(0.3, 0.05)


def leaning(lean):
    """Configuration of a tyre on z = 0 with its axle along y, but for a lean, rad."""
    half = (np.pi / 2 + lean) / 2
    return [0, 0, 0.3 * np.cos(lean) + 0.05, -np.sin(half), 0, 0, np.cos(half)]


def test_a_tyre_rolls_as_the_rolling_constraint_says():
    model, q = tyre(), leaning(0.2)
    held = lo.Locomotion(model, constraints=[lo.Rolling("tyre", shape=TYRE)])
    words = lo.Locomotion(model, constraints=[lo.Rolling("tyre", 0.3, tube=0.05)])
    v = held.simulate(1e-9, q=q, v=[2.0, 0.0, 0.0, 0.0, 0.0, 6.0], start="project").v[0]
    one, two = (problem.simulate(0.5, q=q, v=v) for problem in (held, words))
    np.testing.assert_array_equal(one.q, two.q)
    free = lo.Locomotion(model, contacts=[lo.Touch("tyre", lo.Ground(friction=5.0), shape=TYRE)])
    errors = []
    for step in (1e-3, 5e-4):
        run = free.simulate(0.5, q=q, v=v, step=step)
        errors.append(abs(run.q[-1] - one.q[-1]).max())
    assert errors[1] < 2e-3 and errors[1] < 0.7 * errors[0]


def test_a_tyre_lies_flat():
    model = tyre()
    flat = lo.Locomotion(model, contacts=[lo.Touch("tyre", lo.Ground(), shape=TYRE)])
    run = flat.simulate(1.0, q=[0, 0, 0.06, 0, 0, 0, 1], step=1e-3)
    assert run.q[-1, 2] == pytest.approx(0.05, abs=1e-6) and abs(run.v[-1]).max() < 1e-6


def test_gap_of_a_tyre_above_a_plane_and_a_ball_is_the_distance():
    model, rng, samples = tyre(), np.random.default_rng(3), points_of(TYRE, 500)
    for surface, height, distance in (
        (lo.Plane(), 0.8, lambda x: x[:, 2]),
        (lo.Sphere((0.1, 0.2, -1.0), 0.7), 0.8, lambda x: np.linalg.norm(x - [0.1, 0.2, -1.0], axis=1) - 0.7),
        (lo.Sphere((0.1, 0.2, 0.0), 2.0, True), 0.3, lambda x: 2.0 - np.linalg.norm(x - [0.1, 0.2, 0.0], axis=1)),
    ):
        plan = lo.Locomotion(model, contacts=[lo.Touch("tyre", lo.Ground(surface), shape=TYRE)]).plan
        for q in (model.random(rng) for _ in range(5)):
            q[2] = height
            pose, bodies = lo.forward_kinematics(model, q)[0], np.zeros((2, 30))
            for row, x in ((0, pose), (1, np.eye(4))):
                bodies[row, ROTATION : ROTATION + 9], bodies[row, ORIGIN : ORIGIN + 3] = x[:3, :3].ravel(), x[:3, 3]
            placed, none = np.zeros((3, PLACED)), np.zeros(8)
            place_spot(plan, none, none, bodies, 0, placed)
            assert placed[0, GAP] == pytest.approx(distance(samples @ pose[:3, :3].T + pose[:3, 3]).min(), abs=1e-4)


def test_soft_ground_and_bodies_that_carry_a_torus():
    soft = lo.SoftGround({"ball": [(0, 0, 0)]}, 1e4, 100.0, surface=PIPE, radius=0.05)
    run = lo.Locomotion(ball(), environment=[soft]).simulate(2.0, q=bottom(0.0))
    assert run.q[-1, 2] == pytest.approx(-0.15 - G / 1e4, abs=1e-6)
    touches = lo.between("ball", lo.Sphere(radius=0.05), "ring", lo.Torus(0.3, 0.05))
    assert len(touches) == 1 and isinstance(touches[0].ground.surface, lo.Torus) and touches[0].sphere == 0.05


def test_rollouts_step_as_runs_do():
    problem = lo.Locomotion(tyre(), contacts=[lo.Touch("tyre", lo.Ground(friction=0.8), shape=TYRE)])
    q, v = leaning(0.3), [1.0, 0.2, 0.0, 0.0, 0.3, 3.0]
    runs = lo.rollout(problem, batch=5, q=q, v=v, duration=0.1, step=1e-4)  # which a run does not halve
    run = problem.simulate(0.1, q=q, v=v, step=1e-4)
    np.testing.assert_allclose(runs.q[:, -1], np.tile(run.q[-1], (5, 1)), atol=1e-8)


def test_it_is_drawn_and_kept(tmp_path):
    problem = lo.Locomotion(ball(), contacts=[lo.Touch("ball", lo.Ground(RING), sphere=0.05)])
    run = problem.simulate(0.05, q=[0.5, 0, 0.26, 0, 0, 0, 1], step=1e-3)
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert again.problem is not None and again.problem.contacts[0].ground.surface == RING
    np.testing.assert_array_equal(again.problem.simulate(0.05, q=run.q[0], step=1e-3).q, run.q)
    piece = next(p for p in scene_of(problem.model, problem, run.q).pieces if p.layer == "surfaces")
    np.testing.assert_allclose(np.ptp(piece.mesh.vertices, axis=0), [1.4, 1.4, 0.4], atol=0.02)
    wheel = lo.Locomotion(tyre(), contacts=[lo.Touch("tyre", shape=TYRE)])
    assert any(p.layer == "wheels" for p in scene_of(wheel.model, wheel, np.array([leaning(0.0)])).pieces)


def test_what_is_not_known_is_refused_with_what_is():
    for make, words in (
        (
            lambda: lo.Touch("b", lo.Ground(lo.Box((1, 1, 1))), shape=TYRE),
            "Torus touches a Box.*Torus touches Plane and Sphere",
        ),
        (lambda: lo.Touch("b", lo.Ground(), shape=PIPE), "inside of a torus"),
        (lambda: lo.Locomotion(ball(), contacts=[lo.Touch("ball", lo.Ground(RING), box=(1, 1, 1))]), "Box touches a Torus"),
        (lambda: lo.Locomotion(ball(), constraints=[lo.Rolling("ball", shape=PIPE)]), "inside of a Torus does not roll"),
        (lambda: pack_surface(lo.Torus(0.1, 0.2, inside=True)), "narrower than the ring"),
        (lambda: pack_surface(lo.Torus(-0.1, 0.2)), "must not be negative"),
        (lambda: lo.between("a", TYRE, "b", lo.Box((1, 1, 1))), "is not known"),
    ):
        with pytest.raises(ValueError, match=words):
            make()
    with pytest.raises(TypeError, match="soft ground takes points"):
        lo.Locomotion(ball(), environment=[lo.SoftGround({"ball": TYRE}, 1e4, 10.0)])
