"""Hard contact with Coulomb friction against closed forms: slopes, sliding, spinning, rolling, tipping, bouncing, Painleve."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import locomote as lo

G = 9.81


def free_body(mass=1.0, moment=(1e-2, 1e-2, 1e-2), name="body"):
    builder = lo.Builder(name, base="free")
    builder.body("body", inertia=lo.Inertia(mass, moment=moment))
    return builder.build()


def box_moment(m, half):
    x, y, z = (4 * h * h for h in half)
    return (m / 12 * (y + z), m / 12 * (x + z), m / 12 * (x + y))


def box_on(ground, half, *, mass=1.0, **more):
    model = free_body(mass, box_moment(mass, half))
    return lo.Locomotion(model, contacts=[lo.Touch("body", ground, box=half)], **more)


def ran(problem, T, most=1e-8, **options):
    options = {"method": "timestep", "step": 1e-3, "progress": False} | options
    run = problem.simulate(T, **options)
    law = run.tracked["contact_law"]
    assert law[1] < most, f"{int(law[0])} steps left more than 1e-8 m/s of the law, the worst {law[1]:.2g}"
    return run


def turn_of(q):
    return Rotation.from_quat(np.array(q[3:]))


def pose(place, turn=(0, 0, 0)):
    return np.r_[place, Rotation.from_rotvec(turn).as_quat()]


@pytest.mark.parametrize("factor", [1.01, 0.99])
def test_box_on_a_slope_rests_or_slides(factor):
    theta, half = 0.3, (0.1, 0.1, 0.05)
    ground = lo.Ground(lo.Plane.slope(theta), friction=factor * np.tan(theta))
    start = pose(0.05 * np.array(ground.surface.normal), (0, theta, 0))
    run = ran(box_on(ground, half), 2.0, q=start)
    a = max(0.0, G * (np.sin(theta) - factor * np.tan(theta) * np.cos(theta)))
    assert np.linalg.norm(run.q[-1, :3] - start[:3]) == pytest.approx(a * 2.0, rel=1e-6, abs=1e-8)
    assert run.audit.ok, run.audit


def test_box_stops_after_the_right_way_in_any_direction():
    mu, v0, half = 0.5, 2.0, (0.1, 0.1, 0.05)
    d = np.array([np.cos(0.5), np.sin(0.5), 0])
    run = ran(box_on(lo.Ground(friction=mu), half), 1.0, q=pose((0, 0, 0.05)), v=np.r_[v0 * d, 0, 0, 0])
    assert np.allclose(run.q[-1, :3] - [0, 0, 0.05], v0**2 / (2 * mu * G) * d, atol=4e-5)
    assert np.allclose(run.q[-1, 3:], [0, 0, 0, 1], atol=1e-9)


def test_plate_on_corners_spins_down():
    mu, w0, m, r = 0.4, 6.0, 2.0, 0.2
    half = (r / np.sqrt(2), r / np.sqrt(2), 0.01)
    moment = box_moment(m, half)
    model = free_body(m, moment)
    corners = [(x * half[0], y * half[1], -0.01) for x in (-1, 1) for y in (-1, 1)]
    problem = lo.Locomotion(model, contacts=[lo.Touch("body", lo.Ground(friction=mu), points=corners)])
    run = ran(problem, 1.5, q=pose((0, 0, 0.01)), v=[0, 0, 0, 0, 0, w0])
    angle = Rotation.from_quat(run.q[:, 3:]).as_euler("ZYX")[:, 0]
    alpha = mu * m * G * r / moment[2]
    assert np.unwrap(angle)[-1] == pytest.approx(w0**2 / (2 * alpha), rel=1e-4)
    assert np.allclose(run.q[-1, :2], 0, atol=1e-9)


def ball_problem(mu, r=0.1, m=1.0, surface=None):
    I = 0.4 * m * r * r
    touch = lo.Touch("body", lo.Ground(surface or lo.Plane(), friction=mu), sphere=r)
    return lo.Locomotion(free_body(m, (I, I, I)), contacts=[touch])


@pytest.mark.parametrize("spin", [0.0, 5.0])
def test_ball_slides_then_rolls(spin):
    mu, v0, r = 0.3, 2.0, 0.1
    run = ran(ball_problem(mu), 1.0, q=pose((0, 0, r)), v=[v0, 0, 0, 0, -spin, 0], every=0.01)
    world = turn_of(run.q[-1]).apply(np.array(run.v[-1, :3]))
    end = (5 * v0 - 2 * r * spin) / 7
    assert world[0] == pytest.approx(end, abs=1e-9)
    when = (v0 - end) / (mu * G)
    path = v0 * when - mu * G * when**2 / 2 + end * (1.0 - when)
    assert run.q[-1, 0] == pytest.approx(path, rel=1e-5)
    momentum = [world @ [1, 0, 0] + 0.4 * r * w[1] for world, w in zip(
        [turn_of(q).apply(np.array(v[:3])) for q, v in zip(run.q, run.v, strict=True)],
        [turn_of(q).apply(np.array(v[3:])) for q, v in zip(run.q, run.v, strict=True)], strict=True)]  # fmt: skip
    assert np.ptp(momentum) < 1e-10  # about the line of contact


def test_ball_rolls_down():
    theta, r = np.radians(20), 0.1
    problem = ball_problem(0.5, surface=lo.Plane.slope(theta))
    run = ran(problem, 2.0, q=pose(r * np.array(lo.Plane.slope(theta).normal)))
    start = r * np.array(lo.Plane.slope(theta).normal)
    assert np.linalg.norm(run.q[-1, :3] - start) == pytest.approx(5 / 7 * G * np.sin(theta) * 2.0, rel=1e-6)


@pytest.mark.parametrize("factor, falls", [(0.99, False), (1.01, True)])
def test_tall_box_tips_at_its_angle(factor, falls):
    half = (0.1, 0.1, 0.3)
    theta = np.arctan(factor * half[0] / half[2])
    ground = lo.Ground(lo.Plane.slope(theta), friction=2.0)
    run = ran(box_on(ground, half), 3.0, q=pose(half[2] * np.array(ground.surface.normal), (0, theta, 0)))
    turned = (turn_of(run.q[-1]) * Rotation.from_rotvec([0, theta, 0]).inv()).magnitude()
    assert turned > 1.0 if falls else turned < 1e-9


def test_painleves_rod_has_an_answer_in_every_step():
    l, theta = 0.5, np.radians(60)
    builder = lo.Builder("rod", base="free")
    builder.body("body", inertia=lo.Inertia(1.0, moment=(1e-6, 1 / 3 * l * l, 1 / 3 * l * l)))
    ground = lo.Ground(friction=2.0)
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("body", ground, points=[(-l, 0, 0), (l, 0, 0)])])
    for speed in (3.0, -3.0):
        start = pose((0, 0, l * np.sin(theta)), (0, -theta, 0))
        world = np.array([speed, 0, 0])
        v = np.r_[Rotation.from_rotvec([0, -theta, 0]).inv().apply(world), 0, 0, 0]
        run = problem.simulate(0.3, q=start, v=v, method="timestep", step=1e-3, progress=False)
        energy = run.kinetic + run.potential
        assert np.isfinite(run.q).all() and (np.diff(energy) < 1e-4 * energy[0]).all()


def test_pushed_box_waits_for_friction():
    mu, m, k, half = 0.5, 1.0, 2.0, (0.1, 0.1, 0.05)
    t0 = mu * m * G / k
    model = free_body(m, box_moment(m, half))

    def push(t, q, v):
        return {"body": [k * t, 0, 0, 0, 0.05 * 0, 0]}

    problem = lo.Locomotion(model, contacts=[lo.Touch("body", lo.Ground(friction=mu), box=half)], environment=[push])
    run = ran(problem, t0 + 1.0, q=pose((0, 0, 0.05)), samples=[t0 - 0.001, t0 + 1.0])
    assert abs(run.q[0, 0]) < 1e-9
    assert run.q[-1, 0] == pytest.approx(k / (6 * m), rel=1e-4)


def test_order_of_contacts_does_not_matter():
    """Nor do corners of a redundant foot: together they are the wrench that the motion asks for, in any order."""
    half = (0.2, 0.1, 0.05)
    corners = [(0.2, 0.0, -0.05), (-0.2, 0.1, -0.05), (-0.2, -0.1, -0.05), (0.1, 0.05, -0.05), (-0.1, -0.02, -0.05)]
    ends, model = [], free_body(1.0, box_moment(1.0, half))
    for order in ([0, 1, 2], [2, 0, 1], [0, 1, 2, 3, 4], [4, 2, 3, 0, 1]):
        touch = lo.Touch("body", lo.Ground(friction=0.3), points=[corners[k] for k in order])
        run = ran(lo.Locomotion(model, contacts=[touch]), 0.3, q=pose((0, 0, 0.05)), v=[1.0, 0.3, 0, 0, 0, 2.0], every=1e-3)
        ends.append(run.q[-1])
        change = [turn_of(q).apply(np.array(v).reshape(2, 3)) for q, v in zip(run.q, run.v, strict=True)]
        rates = np.diff(change, axis=0) / 1e-3  # means over steps
        middle = run.q[:-1, :3] + 0.5e-3 * np.array(change)[:-1, 0]
        force, arms = run.contact_forces[1:], run.contact_points[1:] - middle[:, None]
        assert np.allclose(force.sum(axis=1), rates[:, 0] + [0, 0, G], atol=1e-8)
        moments = np.cross(arms, force).sum(axis=1)
        assert np.allclose(moments, rates[:, 1] * box_moment(1.0, half)[2] * [0, 0, 1], atol=1e-7)  # it turns about z alone
    assert np.allclose(ends[0], ends[1], atol=1e-8)  # five that slide and turn may do so in many ways


def test_mirrored_throws_stay_mirrored():
    """A box thrown with a spin, and its image in the plane y = 0."""
    half, flip = (0.1, 0.15, 0.05), np.diag([1.0, -1.0, 1.0])
    problem = box_on(lo.Ground(friction=0.4, restitution=0.3), half)
    place, turn = np.array([0, 0.1, 0.3]), Rotation.from_rotvec([0.3, 0.2, 0.1])
    shift, spin = turn.inv().apply([1.0, 0.4, 0.0]), np.array([2.0, 1.0, -1.0])
    ends = []
    for image in (False, True):
        M = flip if image else np.eye(3)
        R = Rotation.from_matrix(M @ turn.as_matrix() @ M)
        run = ran(problem, 1.0, q=np.r_[M @ place, R.as_quat()], v=np.r_[M @ shift, np.linalg.det(M) * M @ spin], samples=[1.0])
        ends.append((M @ run.q[-1, :3], M @ turn_of(run.q[-1]).as_matrix() @ M))
    assert np.allclose(ends[0][0], ends[1][0], atol=1e-6) and np.allclose(ends[0][1], ends[1][1], atol=1e-6)
    assert abs(ends[0][0][1] - place[1]) > 0.05


def test_floor_that_moves_changes_nothing_and_ice_keeps_momentum():
    half = (0.1, 0.1, 0.05)
    run = ran(box_on(lo.Ground(friction=0.0), half), 0.5, q=pose((0, 0, 0.05)), v=[1.0, 0.5, 0, 0, 0, 3.0], every=0.05)
    world = [turn_of(q).apply(np.array(v[:3])) for q, v in zip(run.q, run.v, strict=True)]
    assert np.ptp(np.array(world)[:, :2], axis=0).max() < 1e-12


def test_restitution_of_a_ball():
    r, e = 0.1, 0.8
    I = 0.4 * r * r
    touch = lo.Touch("body", lo.Ground(restitution=e), sphere=r)
    problem = lo.Locomotion(free_body(1.0, (I, I, I)), contacts=[touch])
    run = ran(problem, 1.2, q=pose((0, 0, 1.0 + r)), step=2.5e-4, every=1e-3)
    fall = np.sqrt(2 / G)
    top = run.q[(run.t > fall + 0.05), 2].max() - r
    assert top == pytest.approx(e * e, rel=5e-3)
    assert (np.diff(run.kinetic + run.potential) < 1e-6).all()


def test_ball_comes_to_rest():
    touch = lo.Touch("body", lo.Ground(restitution=0.5), sphere=0.1)
    problem = lo.Locomotion(free_body(1.0, (4e-3,) * 3), contacts=[touch])
    run = ran(problem, 3.0, q=pose((0, 0, 0.4)))
    assert abs(run.q[-1, 2] - 0.1) < 1e-9 and np.abs(run.v[-1]).max() < 1e-9


def test_rimless_wheel_period():
    n, l, m, gamma, h = 8, 1.0, 1.0, 0.1, 2.5e-4
    I, alpha = 0.1, np.pi / 8
    builder = lo.Builder("wheel", base="free")
    builder.body("body", inertia=lo.Inertia(m, moment=(I, I, I)))
    spokes = [(l * np.sin(2 * alpha * k), y, -l * np.cos(2 * alpha * k)) for k in range(n) for y in (-0.3, 0.3)]
    ground = lo.Ground(lo.Plane.slope(gamma), friction=2.0)
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("body", ground, points=spokes)])
    eta = (m * l * l * np.cos(2 * alpha) + I) / (m * l * l + I)
    c = 4 * m * G * l * np.sin(alpha) * np.sin(gamma) / (m * l * l + I)
    w2 = eta**2 * c / (1 - eta**2)
    speed = lambda x: np.sqrt(w2 + 2 * m * G * l * (np.cos(gamma - alpha) - np.cos(gamma + x)) / (m * l * l + I))  # noqa: E731
    period = quad(lambda x: 1 / speed(x), -alpha, alpha)[0]
    start = pose(l * np.cos(alpha) * np.array(ground.surface.normal), (0, gamma - alpha, 0))
    w = np.sqrt(w2)
    turn = Rotation.from_rotvec([0, gamma - alpha, 0])
    hub = turn.inv().apply(np.cross([0, w, 0], -turn.apply([0, 0, -l])))
    T = 8 * period
    run = ran(problem, T, q=start, v=np.r_[hub, 0, w, 0], step=h, every=1e-3)
    travelled = run.q[-1, 0] / np.cos(gamma) - run.q[0, 0] / np.cos(gamma)
    assert travelled / (2 * l * np.sin(alpha)) == pytest.approx(8.0, abs=0.06)
