"""Faces and edges of boxes on balls, cylinders and capsules that stand still: distances by hand, rocking by closed forms.

A plank of half height b that rolls on a cylinder of radius R, tilted by x, has its center at

    ((R + b) sin x - R x cos x , (R + b) cos x + R x sin x)                                                          (1)

so that its potential energy is stable for b < R, and  T^2 g (R - b) = 4 pi^2 (I / m + b^2)  for small tilts.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import locomote as lo
from locomote.contact import spots
from locomote.kernels.kinematics import ORIGIN, ROTATION

G, WIDTH = 9.81, 0.15
ROUND = {
    "sphere": lambda R: lo.Sphere((0, 0, 0), R),
    "cylinder": lambda R: lo.Cylinder((0, 0, 0), (0, 1, 0), R),
    "capsule": lambda R: lo.Capsule(R, 0.4, (0, 0, 0), (0, 1, 0)),
}


def plank(kind, R, b, friction=2.0, half=0.6):
    """1 kg, along x."""
    inertia = lo.Inertia.box(1.0, (2 * half, 2 * WIDTH, 2 * b))
    model = lo.Builder("plank", base="free").body("plank", inertia=inertia).build()
    touch = lo.Touch("plank", lo.Ground(ROUND[kind](R), friction=friction), box=(half, WIDTH, b))
    return lo.Locomotion(model, contacts=[touch])


def tilted(R, b, x):
    """(1) as q."""
    z = (R + b) * np.cos(x) + R * x * np.sin(x)
    return [(R + b) * np.sin(x) - R * x * np.cos(x), 0, z, 0, np.sin(x / 2), 0, np.cos(x / 2)]


def tilt(run):
    return 2 * np.arctan2(run.q[:, 4], run.q[:, 6])


def ran(problem, T, q, h=1e-3):
    run = problem.simulate(T, q=q, step=h, every=h, progress=False)
    assert run.tracked["contact_law"][1] < 1e-8 and run.audit.ok
    return run


@pytest.mark.parametrize("kind", ROUND)
def test_a_plank_rocks_with_the_period_of_the_closed_form(kind):
    """Large tilts, by energy: x' from (1) without slip. First order in the step."""
    R, b, start, moment = 0.5, 0.05, 0.15, (1.2**2 + 0.1**2) / 12

    def rate(u):
        """dt / du with x = start sin u."""
        x = start * np.sin(u)
        fall = (R + b) * (np.cos(start) - np.cos(x)) + R * (start * np.sin(start) - x * np.sin(x))
        return np.sqrt((moment + b**2 + (R * x) ** 2) / (2 * G * fall)) * start * np.cos(u)

    period = 4 * quad(rate, 0, np.pi / 2 * (1 - 1e-9))[0]
    errors, losses = [], []
    for h in (1e-3, 5e-4):
        run = ran(plank(kind, R, b), 3.2 * period, tilted(R, b, start), h)
        x = tilt(run)
        k = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
        times = run.t[k] - x[k] * np.diff(run.t)[k] / np.diff(x)[k]
        errors.append(np.diff(times).mean() / period - 1)
        losses.append(start - abs(x[-int(period / h) :]).max())
        assert abs(run.q[:, 1]).max() < 1e-9  # it stays in its plane
    assert abs(errors[0]) < 3e-5 and abs(errors[1]) < 2e-5
    assert 0 < losses[1] < 0.6 * losses[0] < 0.6 * 1.2e-3 * start


@pytest.mark.parametrize("kind", ROUND)
def test_a_box_on_a_cylinder_is_stable_if_it_is_lower_than_the_radius(kind):
    """With its half height 10 % below R it swings, with the period of small tilts; 10 % above it tips over."""
    R, half = 0.3, 0.25
    low, high = ran(plank(kind, R, 0.27, half=half), 6.0, tilted(R, 0.27, 0.01)), plank(kind, R, 0.33, half=half)
    x = tilt(low)
    assert abs(x).max() < 0.0101
    period = 2 * np.pi * np.sqrt((((2 * half) ** 2 + 0.54**2) / 12 + 0.27**2) / (G * (R - 0.27)))
    k = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    assert low.t[k[0]] == pytest.approx(period / 4, rel=2e-3)  # tilts of 0.01 rad are nearly small
    run = ran(high, 1.5, tilted(R, 0.33, 0.01))
    rate = np.sqrt(G * (0.33 - R) / (((2 * half) ** 2 + 0.66**2) / 12 + 0.33**2))
    assert tilt(run)[1000] == pytest.approx(0.01 * np.cosh(rate), rel=2e-3)


def test_a_box_is_carried_where_it_touches():
    """It falls with its face onto a ball and lies there; the force on it points up, and is applied at the top of the ball."""
    problem = plank("sphere", 0.2, 0.05, half=0.15)
    run = ran(problem, 1.0, [0, 0, 0.3, 0, 0, 0, 1])
    assert run.q[-1, 2] == pytest.approx(0.25, abs=1e-9)
    assert problem.contact_names == ("touch_plank",)
    assert run.contact_forces[-1, 0] == pytest.approx([0, 0, G], abs=1e-7)
    assert run.contact_points[-1, 0] == pytest.approx([0, 0, 0.2], abs=1e-9)


def test_a_ball_that_moves_carries_the_box():
    """The round ground may be a body: a plank on a ball that is driven up accelerates with it."""
    builder = lo.Builder("lift").body("ball", joint=lo.Joint("lift", "prismatic", axis="z"))
    builder.body("plank", joint=lo.Joint("plank", "free"), inertia=lo.Inertia.box(1.0, (0.4, 0.3, 0.1)))
    ground = lo.Ground(lo.Sphere((0, 0, 0), 0.2), body="ball")
    touch = lo.Touch("plank", ground, box=(0.2, 0.15, 0.05))
    model = builder.build()
    problem = lo.Locomotion(model, drives={"lift": lo.Polynomial([0.0, 0.0, 1.0])}, contacts=[touch])
    q = model.neutral()
    q[model.joint("plank").q] = [0, 0, 0.25, 0, 0, 0, 1]
    run = problem.simulate(0.5, q=q, step=1e-3, progress=False)
    assert run.contact_forces[-1, 0, 2] == pytest.approx(G + 2.0, rel=1e-4)
    assert run.q[-1, model.joint("plank").q][2] == pytest.approx(0.25 + 0.25, abs=1e-4)


def from_axis(y, place, turn, half):
    """From the place y of the axis to a box, and how far."""
    inside = turn.T @ (np.array([0, y, 0]) - place)
    near = np.clip(inside, -half, half)
    return turn @ near + place - [0, y, 0], np.linalg.norm(near - inside)


@pytest.mark.parametrize("kind", ROUND)
def test_gaps_are_distances_of_the_shapes(kind):
    """Of 200 poses around the ground, the least gap of all spots is the distance of box and surface, found by minimising the
    distance of places of the axis from the box, and its normal points from the ground to the box."""
    R, half, rng = 0.3, np.array([0.25, 0.15, 0.1]), np.random.default_rng(5)
    plan, checked = plank(kind, R, half[2], half=half[0]).plan, 0
    reach = {"sphere": 0.0, "capsule": 0.4, "cylinder": 3.0}[kind]
    rows = np.zeros((len(plan.spots), spots.PLACED))
    for _ in range(200):
        place, turn = rng.normal(size=3) * [0.5, 0.3, 0.5], Rotation.random(random_state=rng).as_matrix()
        tries = [0.0, -reach, reach]
        if reach:
            args, options = (place, turn, half), {"xatol": 1e-12}
            found = minimize_scalar(
                lambda y, *more: from_axis(y, *more)[1], args=args, bounds=(-reach, reach), method="bounded", options=options
            )
            tries.append(found.x)
        to_box, distance = min((from_axis(y, place, turn, half) for y in tries), key=lambda pair: pair[1])
        if distance < 0.05:  # inside, or nearly
            continue
        bodies = np.zeros((2, ROTATION + ORIGIN + 12))
        for k, (R_k, o_k) in enumerate(((turn, place), (np.eye(3), np.zeros(3)))):
            bodies[k, ROTATION : ROTATION + 9], bodies[k, ORIGIN : ORIGIN + 3] = R_k.ravel(), o_k
        for c in range(len(plan.spots)):
            spots.place_spot(plan, np.zeros(8), np.zeros(8), bodies, c, rows)
        best = int(np.argmin(rows[:, spots.GAP]))
        assert rows[best, spots.GAP] == pytest.approx(distance - R, abs=1e-7)
        assert rows[best, spots.NORMAL : spots.NORMAL + 3] == pytest.approx(to_box / distance, abs=1e-4)
        checked += 1
    assert checked > 100
