"""Shapes and laws of contact against closed forms: capsules, boxes and balls of two bodies, rolling and spinning friction,
ground that gives way, curved ground."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locomote as lo

G = 9.81


def ran(problem, T, **options):
    run = problem.simulate(T, **{"method": "timestep", "step": 1e-3, "progress": False} | options)
    assert run.tracked["contact_law"][1] < 1e-8
    return run


def free_bodies(**inertias):
    """Free bodies of the given names."""
    builder = lo.Builder("bodies", gravity=(0, 0, 0))
    for name, inertia in inertias.items():
        builder.body(name, joint=lo.Joint(f"free_{name}", kind="free"), inertia=inertia)
    return builder.build()


def placed(model, **poses):
    q = model.neutral()
    for name, (place, turn) in poses.items():
        q[model.joint(f"free_{name}").q] = np.r_[place, Rotation.from_rotvec(turn).as_quat()]
    return q


ROD = lo.Inertia(1.0, moment=(0.02, 0.02, 0.002))
LYING, ACROSS = (0, np.pi / 2, 0), (np.pi / 2, 0, 0)  # capsules along x, along y
SHAPES = {
    "ball": (lo.Sphere(radius=0.1), 0.1, LYING),
    "capsule along": (lo.Capsule(0.1, 0.3), 0.1, LYING),
    "capsule across": (lo.Capsule(0.1, 0.3), 0.1, ACROSS),
    "capsule upright": (lo.Capsule(0.1, 0.3), 0.4, (0, 0, 0)),
    "box": (lo.Box((0.2, 0.2, 0.1)), 0.1, (0, 0, 0.3)),
}


@pytest.mark.parametrize("lower", ["ball", "capsule along", "capsule across", "box"])
@pytest.mark.parametrize("upper", SHAPES)
def test_two_shapes_stop_each_other_at_the_right_distance(lower, upper):
    """Two equal bodies meet head on, without friction: they go on together, and touch where the shapes say."""
    (shape, low, turn), (other, high, tilt) = SHAPES[lower], SHAPES[upper]
    model = free_bodies(a=ROD, b=ROD)
    problem = lo.Locomotion(model, contacts=lo.between("a", shape, "b", other, friction=0.0))
    q = placed(model, a=((0, 0, 0), turn), b=((0, 0, low + high + 0.05), tilt))
    v = np.zeros(12)
    v[6:9] = Rotation.from_rotvec(tilt).inv().apply([0, 0, -1.0])
    run = ran(problem, 0.3, q=q, v=v)
    first, second = run.q[-1, :7], run.q[-1, 7:]
    assert second[2] - first[2] == pytest.approx(low + high, abs=1e-9)
    assert first[2] == pytest.approx(-0.5 * (0.3 - 0.05), abs=1e-3)
    for x, v in ((first, run.v[-1, :6]), (second, run.v[-1, 6:])):
        assert np.allclose(Rotation.from_quat(np.array(x[3:])).apply(np.array(v[:3])), [0, 0, -0.5], atol=1e-9)


@pytest.mark.parametrize("along", [-0.25, 0.1, 0.39])
def test_capsules_touch_between_their_ends_and_at_them(along):
    """A crossing capsule hits another off its center: what it turns by follows from the arm of the impulse."""
    model = free_bodies(a=ROD, b=ROD)
    problem = lo.Locomotion(model, contacts=lo.between("a", lo.Capsule(0.1, 0.3), "b", lo.Capsule(0.1, 0.3), friction=0.0))
    beyond = max(0.0, along - 0.3)  # past the end the half ball is touched, at its side
    high = np.sqrt(0.04 - beyond**2)
    q = placed(model, a=((0, 0, 0), LYING), b=((along, 0, high + 0.002), ACROSS))
    v = np.zeros(12)
    v[6:9] = Rotation.from_rotvec(ACROSS).inv().apply([0, 0, -1.0])
    run = ran(problem, 4e-3, step=1e-4, q=q, v=v)
    n = np.array([beyond, 0, high]) / 0.2
    arm = np.cross([min(along, 0.3), 0, 0], -n)
    spread = 2 + arm @ np.diag([1 / 0.002, 1 / 0.02, 1 / 0.02]) @ arm  # inverse of the mass that the contact feels
    spin = Rotation.from_quat(np.array(run.q[-1, 3:7])).apply(np.array(run.v[-1, 3:6]))
    assert np.allclose(spin, np.diag([1 / 0.002, 1 / 0.02, 1 / 0.02]) @ arm * n[2] / spread, atol=1e-2)
    assert np.linalg.norm(spin) > 0.5


def test_capsule_lies_across_a_narrow_box():
    """It overhangs on both sides: the rims of the face carry it, each half its weight."""
    builder = lo.Builder("one", base="free").body("rod", inertia=ROD)
    problem = lo.Locomotion(
        builder.build(), contacts=[lo.Touch("rod", lo.Ground(lo.Box((0.1, 0.5, 0.2)), friction=0.5), capsule=(0.05, 0.4))]
    )
    start = np.r_[0, 0, 0.25, Rotation.from_rotvec(LYING).as_quat()]
    run = ran(problem, 0.5, q=start)
    assert np.allclose(run.q[-1, :3], start[:3], atol=1e-9)
    carried = run.contact_forces[-1][:, 2] > 1e-6
    places = run.contact_points[-1][carried]
    assert run.contact_forces[-1][:, 2].sum() == pytest.approx(G, rel=1e-9)
    assert places[:, 0].min() < -0.05 and places[:, 0].max() > 0.05 and np.allclose(places[:, 2], 0.2, atol=1e-8)


def test_rolling_friction_slows_a_ball():
    r, arm, v0 = 0.1, 2e-3, 1.0
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, r)).build()
    problem = lo.Locomotion(ball, contacts=[lo.Touch("ball", lo.Ground(friction=0.5, rolling=arm), sphere=r)])
    run = ran(problem, 1.0, q=[0, 0, r, 0, 0, 0, 1], v=[v0, 0, 0, 0, v0 / r, 0])
    assert run.q[-1, 0] == pytest.approx(v0 - 5 / 7 * G * arm / r / 2, rel=1e-5)  # the moment arm m g acts on 7/5 m r^2


def test_torsional_friction_stops_a_spin():
    r, arm, w0 = 0.1, 2e-3, 5.0
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, r)).build()
    problem = lo.Locomotion(ball, contacts=[lo.Touch("ball", lo.Ground(friction=0.5, torsion=arm), sphere=r)])
    slowing = arm * G / (0.4 * r * r)
    run = ran(problem, 0.5, q=[0, 0, r, 0, 0, 0, 1], v=[0, 0, 0, 0, 0, w0])
    assert run.v[-1, 5] == pytest.approx(w0 - slowing * 0.5, rel=1e-9)
    stopped = ran(problem, 1.5, q=[0, 0, r, 0, 0, 0, 1], v=[0, 0, 0, 0, 0, w0])
    assert abs(stopped.v[-1]).max() < 1e-9


BLOCK = lo.Builder("block", base="free").body("block", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1))).build()
SOLE = [(0.1, 0.1, -0.05), (0.1, -0.1, -0.05), (-0.1, 0.1, -0.05), (-0.1, -0.1, -0.05)]


def test_soft_ground_carries_and_swings():
    """Four springs below a block: it sinks by m g / 4 k, and swings with sqrt(4 k / m)."""
    k, z = 1000.0, 0.05 - G / 4000
    ground = lo.Ground(friction=0.5, stiffness=k)
    problem = lo.Locomotion(BLOCK, contacts=[lo.Touch("block", ground, points=SOLE)])
    still = ran(problem, 1.0, q=[0, 0, z, 0, 0, 0, 1])
    assert still.q[-1, 2] == pytest.approx(z, abs=1e-10)
    w = np.sqrt(4 * k)
    misses = []
    for step in (1e-4, 5e-5):
        run = ran(problem, np.pi / w, q=[0, 0, z + 1e-3, 0, 0, 0, 1], step=step)
        misses.append(run.q[-1, 2] - (z - 1e-3))
    assert abs(misses[1]) < 1e-5 and misses[0] / misses[1] == pytest.approx(
        2, rel=0.1
    )  # springs are taken at the end: it damps


def test_soft_ground_is_stable_at_any_step():
    ground = lo.Ground(friction=0.5, stiffness=1e6, damping=3e3)
    problem = lo.Locomotion(BLOCK, contacts=[lo.Touch("block", ground, points=SOLE)])
    run = ran(problem, 1.0, q=[0, 0, 0.08, 0, 0, 0, 1], step=4e-3)
    assert run.q[-1, 2] == pytest.approx(0.05 - G / 4e6, abs=1e-9)
    assert run.audit.balance < 1e-3


def test_friction_springs_stick_and_then_slide():
    """A block on shear springs, pushed: it gives way by F / 4 k, springs back, and slides when friction is at its end."""
    mu, kt = 0.5, 2000.0
    ground = lo.Ground(friction=mu, shear=kt, shear_damping=5.0)

    def pushed(force, T):
        problem = lo.Locomotion(
            BLOCK, contacts=[lo.Touch("block", ground, points=SOLE)],
            environment=[lambda t, q, v: {"block": [force(t), 0, 0, 0, -0.05 * force(t), 0]}],
        )  # fmt: skip
        return ran(problem, T, q=[0, 0, 0.05, 0, 0, 0, 1], step=1e-3, every=0.5)

    held = pushed(lambda t: 3.0 * min(t, 1.0), 4.0)
    assert held.q[-1, 0] == pytest.approx(3.0 / (4 * kt), rel=1e-6)
    back = pushed(lambda t: 3.0 * max(0.0, 1.0 - abs(t - 1.0)), 4.0)
    assert abs(back.q[-1, 0]) < 1e-9  # it remembers where it stood: no creep
    slid = pushed(lambda t: 6.0, 1.0)
    assert slid.v[-1, 0] - slid.v[-2, 0] == pytest.approx((6.0 - mu * G) * 0.5, rel=1e-3)


def test_bead_in_a_ring_to_second_order():
    mu, v0, R = 0.3, 2.0, 1.0
    wall = lo.Ground(lo.Cylinder(axis=(0, 0, 1), radius=R, inside=True), friction=mu)
    builder = lo.Builder("bead", base="xy", gravity=(0, 0, 0)).body("body", inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("body", wall, points=[(0, 0, 0)])])
    exact, misses = v0 / (1 + mu * v0 / R), []
    for step in (4e-3, 2e-3):
        run = ran(problem, 1.0, q=[R, 0], v=[0, v0], step=step, samples=[0.0, 1.0])
        misses.append(np.linalg.norm(run.v[-1]) / exact - 1)
    assert abs(misses[1]) < 2e-6 and misses[0] / misses[1] == pytest.approx(4, rel=0.1)
    smooth = lo.Ground(lo.Cylinder(axis=(0, 0, 1), radius=R, inside=True), friction=0.0)
    free = lo.Locomotion(builder.build(), contacts=[lo.Touch("body", smooth, points=[(0, 0, 0)])])
    run = ran(free, 1.0, q=[R, 0], v=[0, v0])
    assert np.linalg.norm(run.v[-1]) == pytest.approx(v0, rel=1e-7)  # a smooth wall takes nothing


def test_ball_rolls_over_a_ball_and_leaves_it():
    """A ball rolls down the outside of a fixed one: it leaves where cos = 10 / 17."""
    r, R = 0.05, 0.5
    ball = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, r)).build()
    problem = lo.Locomotion(ball, contacts=[lo.Touch("ball", lo.Ground(lo.Sphere(radius=R), friction=20.0), sphere=r)])
    start, w = 0.1, (R + r)
    q = [w * np.sin(start), 0, w * np.cos(start), 0, 0, 0, 1]
    run = ran(problem, 1.2, q=q, step=5e-4, every=5e-4)
    left = 1 + np.argmin(run.contact_forces[1:, 0, 2] > 0)
    height = run.q[left, 2] / np.linalg.norm(run.q[left, :3])
    assert height == pytest.approx(10 / 17 * np.cos(start), abs=5e-3)
