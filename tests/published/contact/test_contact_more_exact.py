"""Further closed forms of hard contact: floors that move, boxes that tip while they slide, discs that roll, roads to rest."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import locomote as lo

G = 9.81


def ran(problem, T, **options):
    run = problem.simulate(T, **{"method": "timestep", "step": 1e-3, "progress": False} | options)
    assert run.tracked["contact_law"][1] < 1e-8
    return run


def on_a_floor(speed, mu=0.4):
    """A box on a slab that a drive moves along x."""
    half = (0.1, 0.1, 0.05)
    builder = lo.Builder("floor")
    slide = lo.Joint("slide", kind="prismatic", axis=(1, 0, 0))
    builder.body("slab", joint=slide, inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    builder.body("box", joint=lo.Joint("free", kind="free"), inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    ground = lo.Ground(friction=mu, body="slab")
    model = builder.build()
    problem = lo.Locomotion(model, drives={"slide": lo.Polynomial((0.0, speed))}, contacts=[lo.Touch("box", ground, box=half)])
    q = model.neutral()
    q[model.joint("free").q] = [0, 0, 0.05, 0, 0, 0, 1]
    return problem, model, q


def test_floor_that_moves_changes_nothing():
    ends = []
    for speed in (0.0, 1.5):
        problem, model, q = on_a_floor(speed)
        v = np.zeros(model.nv)
        v[model.joint("free").v.start] = 1.0 + speed
        run = ran(problem, 0.5, q=q, v=v)
        ends.append(run.q[-1][model.joint("free").q][0] - speed * 0.5)
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)
    assert ends[0] == pytest.approx(1 / (2 * 0.4 * G), rel=1e-4)


@pytest.mark.parametrize("mu, tips", [(0.45, False), (0.55, True)])
def test_sliding_box_tips_beyond_its_slenderness(mu, tips):
    half = (0.1, 0.1, 0.2)  # width over height is a half
    builder = lo.Builder("box", base="free")
    builder.body("box", inertia=lo.Inertia.box(1.0, tuple(2 * h for h in half)))
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("box", lo.Ground(friction=mu), box=half)])
    run = ran(problem, 0.15, q=[0, 0, 0.2, 0, 0, 0, 1], v=[2.0, 0, 0, 0, 0, 0])
    lean = Rotation.from_quat(np.array(run.q[-1, 3:])).magnitude()
    assert lean > 1e-3 if tips else lean < 1e-9
    if not tips:
        assert run.q[-1, 0] == pytest.approx(2.0 * 0.15 - mu * G * 0.15**2 / 2, rel=1e-6)


@pytest.mark.parametrize("mu, rolls", [(0.5, True), (0.05, False)])
def test_disc_rolls_or_slips_down(mu, rolls):
    theta, r, m = np.radians(20), 0.2, 1.5
    builder = lo.Builder("disc", base="free")
    builder.body("disc", inertia=lo.Inertia(m, moment=(0.25 * m * r * r, 0.25 * m * r * r, 0.5 * m * r * r)))
    slope = lo.Plane.slope(theta)
    problem = lo.Locomotion(builder.build(), contacts=[lo.Touch("disc", lo.Ground(slope, friction=mu), sphere=r)])
    upright = Rotation.from_euler("y", theta) * Rotation.from_euler("x", -np.pi / 2)  # its axle lies across
    start = r * np.array(slope.normal)
    run = ran(problem, 1.0, q=np.r_[start, upright.as_quat()])
    a = 2 / 3 * G * np.sin(theta) if rolls else G * (np.sin(theta) - mu * np.cos(theta))
    assert np.linalg.norm(run.q[-1, :3] - start) == pytest.approx(a / 2, rel=1e-6)


def test_horizontal_momentum_of_a_chain_on_ice_is_kept():
    builder, box = lo.Builder("chain", base="free"), lo.Inertia.box(1.0, (0.2, 0.1, 0.06))
    builder.body("a", inertia=box)
    builder.body("b", parent="a", at=(0.22, 0, 0), joint=lo.Joint("turn", axis=(0, 0, 1)), inertia=box)
    model = builder.build()
    points = [(0.1, 0.0, -0.03), (-0.1, 0.05, -0.03), (-0.1, -0.05, -0.03)]
    problem = lo.Locomotion(model, contacts=[lo.Touch(name, lo.Ground(friction=0.0), points=points) for name in "ab"])
    run = ran(problem, 0.5, q=[0, 0, 0.03, 0, 0, 0, 1, 0.3], v=[0.5, 0.2, 0, 0, 0, 1.0, -2.0], every=0.05)
    momentum = []
    for q, v in zip(run.q, run.v, strict=True):
        h = lo.momentum(model, np.array(q), np.array(v))
        momentum.append(h[:2])
    assert np.ptp(momentum, axis=0).max() < 2e-4  # second order in the step, of 1.4 N s
