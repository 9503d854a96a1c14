"""Periodic orbits over contacts: a box that two masses inside it shake along the ground, against a point that slides, stepped
by hand."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.by_runs import Moving, exact_orbit, run_search
from locomote.gaits.coordinates import coordinates_of
from locomote.gaits.curves import Basis, Series
from locomote.gaits.optimisation import gait_of
from locomote.gaits.path_ordered import Panels
from locomote.gaits.upright import Upright

FRICTION, BOX, SLIDE, MASS, G = 0.3, 1.0, 0.05, 0.5, 9.81
NUMBERS = np.array([0.0, 0.0, -0.03, 0.0, 0.01, 0.0])
BOUNDS = {"along": (-0.04, 0.04), "up": (-0.012, 0.012)}


def shaken(spatial: bool = False) -> lo.Locomotion:
    """A box on its corners; in a plane that y is up in, or in space with z up."""
    up, size = ((0, 0, 1), (0.4, 0.2, 0.1)) if spatial else ((0, 1, 0), (0.4, 0.1, 0.2))
    builder = lo.Builder("shaken", base="free" if spatial else "planar", gravity=tuple(-G * x for x in up))
    builder.body("box", inertia=lo.Inertia.box(BOX, size))
    along, lift = lo.Joint("along", "prismatic", axis=(1, 0, 0)), lo.Joint("up", "prismatic", axis=up)
    builder.body("slide", parent="box", joint=along, inertia=lo.Inertia.sphere(SLIDE, 0.01))
    builder.body("mass", parent="slide", joint=lift, inertia=lo.Inertia.sphere(MASS, 0.02))
    corners = [(x, y, -0.05) if spatial else (x, -0.05, 0) for x in (-0.2, 0.2) for y in ((-0.1, 0.1) if spatial else (0,))]
    ground = lo.Ground(lo.Plane(normal=up), friction=FRICTION)
    model = builder.build()
    q = np.array(model.neutral())
    q[2 if spatial else 1] = 0.05
    touch = [lo.Touch("box", ground, points=corners, name="foot")]
    return lo.Locomotion(model, contacts=touch, drives={"along": 0.0, "up": 0.0}, start=(q, np.zeros(model.nv)))


def slid(numbers, *, spatial: bool = False, steps: int = 20_000, periods: int = 5, period: float = 0.25) -> float:
    """How far the box gets in the last of some periods from rest: a point under Coulomb's friction, by small steps."""
    rate = 2 * np.pi / period
    s, h = (np.arange(steps) + 0.5) * 2 * np.pi / steps, period / steps
    c = np.asarray(numbers).reshape(2, 3)
    ahead, lifted = (-(rate**2) * (row[1] * np.cos(s) + row[2] * np.sin(s)) for row in c)
    whole = BOX + SLIDE + MASS
    pushed, limit = -(SLIDE + MASS) * ahead / whole, FRICTION * (whole * G + MASS * lifted) / whole
    assert (limit > 0.0).all()  # it stays on the ground
    v = x = before = 0.0
    for _ in range(periods):
        before = x
        for force, most in zip(pushed, limit, strict=True):
            free = v + h * force
            v = np.sign(free) * max(abs(free) - h * most, 0.0)
            x += h * v
    return x - before


def search_of(problem):
    moving = Moving(problem, coordinates_of(problem, ["along", "up"]))
    curves = Series(Basis(Panels(np.linspace(0.0, 1.0, 9)), 1), 2)
    return run_search(moving, curves, "x", "none", None, None, None, period=0.25, periods=None)


@pytest.mark.parametrize("spatial", [False, True])
def test_an_orbit_over_contacts_is_that_of_a_point_that_slides(spatial):
    search = search_of(shaken(spatial))
    found = search.at(NUMBERS)
    np.testing.assert_allclose(found.value, slid(NUMBERS), rtol=0.01)
    gait = gait_of(search.curves, search.form, NUMBERS, 0.25)
    run, orbit = exact_orbit(search, gait, NUMBERS)
    assert orbit.stable and orbit.miss < 0.02 and run.t[-1] == 0.25
    np.testing.assert_allclose(run.q[-1, 0] - run.q[0, 0], slid(NUMBERS), rtol=0.01)


def test_slopes_over_contacts_are_those_of_the_point_nearby():
    found = search_of(shaken()).at(NUMBERS)
    wanted = [(slid(NUMBERS + step) - slid(NUMBERS - step)) / 2e-3 for step in 1e-3 * np.eye(6)]
    np.testing.assert_allclose(found.slopes, wanted, atol=0.05 * max(np.abs(wanted)))


def test_optimize_takes_orbits_over_contacts():
    start = lo.gaits.Gait({"along": lo.Sine(0.03, 8 * np.pi), "up": lo.Fourier(0.0, [0.01], rate=8 * np.pi)}, period=0.25)
    best = lo.gaits.optimize(shaken(), "x", start=start, harmonics=1, bounds=BOUNDS, period=0.25)
    assert best.orbit is not None and best.orbit.stable
    numbers = np.concatenate([[d.mean, d.cosines[0], d.sines[0]] for d in best.gait.paths.values()])
    reference = slid(numbers)
    assert reference > 3 * abs(slid(NUMBERS))
    np.testing.assert_allclose(best.value, reference, rtol=0.02)


def test_how_a_base_leans_is_a_state_whatever_its_heading():
    about = np.array([0.3, -0.2, 0.7, 0.0, 0.0, 0.0, 1.0])
    upright, y = Upright((0, 1, 2, 3, 4, 5), np.array([0.0, 0.0, 1.0]), about), np.array([[0.9, 0.3, -0.4], [0.5, 0.0, 0.0]])
    q = upright.put(np.tile(about, (2, 1)), y)
    np.testing.assert_allclose(upright.values(q), y, atol=1e-12)
    from scipy.spatial.transform import Rotation

    turned = (Rotation.from_rotvec([[0.0, 0.0, 1.1], [0.0, 0.0, -2.0]]) * Rotation.from_quat(q[:, 3:7])).as_quat()
    elsewhere = np.concatenate([[[5.0, 6.0, 0.9], [1.0, 2.0, 0.5]], turned], axis=1)
    np.testing.assert_allclose(upright.values(elsewhere), y, atol=1e-12)


def test_ground_that_is_not_the_same_all_over_is_run_from_rest():
    problem = shaken()
    stairs = lo.Ground(lo.Steps(0.3, 0.1), friction=FRICTION)
    other = problem.replaced(contacts=[lo.Touch("box", stairs, points=[(0.0, -0.05, 0.0)])], start=None)
    moving = Moving(other, coordinates_of(other, ["along", "up"]))
    curves = Series(Basis(Panels(np.linspace(0.0, 1.0, 9)), 1), 2)
    assert run_search(moving, curves, "x", "none", None, None, None, period=0.25, periods=None).periods == 1
