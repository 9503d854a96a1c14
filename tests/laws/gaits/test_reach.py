"""Inverse locomotion: slopes against differences, targets met by runs, effort against shooting, what is out of reach."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import locomote as lo
from locomote.gaits import course as courses
from locomote.gaits.course import Basis, Course
from locomote.gaits.inverse_locomotion import wanted
from locomote.gaits.local_form import local_form
from locomote.gaits.metric import metric_of
from locomote.gaits.net_motion import curvature


@pytest.fixture(scope="module")
def swimmer():
    return lo.systems.load("purcell_swimmer", length=1 / 3).problem()


@pytest.fixture(scope="module")
def cat():
    return lo.systems.load("falling_cat").problem()


def turned(angle, axis):
    u = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def attitude(place):
    """(3, 3) a random attitude: of the unit quaternion of that place in a row."""
    w, x, y, z = (q := np.random.default_rng(0).normal(size=(place + 1, 4))[-1]) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


@pytest.mark.parametrize("rest", [False, True])
@pytest.mark.parametrize("free", [False, True])
def test_slopes_against_differences(swimmer, rest, free):
    form = local_form(swimmer)
    rows = wanted(form.group, np.eye(4), {0.5: {"x": 0.1, "turn": 0.2}})
    avoid = (lo.gaits.Obstacle((0.1, 0.2, 0.0), 0.05), lo.gaits.Wall((0.0, -0.5, 0.0), (0.0, 1.0, 0.0)))
    course = Course(
        form,
        Basis(np.linspace(0, 1, 7), rest),
        metric_of(form),
        np.array([0.1, 0.2]),
        None if free else np.zeros(2),
        rows,
        avoid,
    )
    rng = np.random.default_rng(0)
    c = 0.7 * rng.normal(size=2 * (6 if free else 5))
    found, u = course.at(c), rng.normal(size=len(c))

    def along(what):
        h = 1e-6 if what == "clear" else 1e-4
        value = [np.asarray(getattr(course.at(c + s * h * u), what)) for s in (-2, -1, 1, 2)]
        return (value[0] - 8 * value[1] + 8 * value[2] - value[3]) / (12 * h)

    for what, slopes in (("effort", found.by_effort), ("rows", found.by_rows), ("clear", found.by_clear)):
        np.testing.assert_allclose(slopes @ u, along(what), rtol=1e-6, atol=1e-8, err_msg=what)


def test_a_swimmer_goes_where_it_is_sent(swimmer):
    target = {"x": 0.03, "y": 0.02, "turn": 0.2}
    plan = lo.gaits.reach(swimmer, target, duration=2.0, knots=9, starts=2, seed=1)
    run = plan.run()
    assert plan.error < 1e-10 and run.audit.ok and "effort" in str(plan)
    np.testing.assert_allclose(run.q[-1, :3] - run.q[0, :3], list(target.values()), atol=1e-6)
    np.testing.assert_allclose(plan.values[0], plan.values[-1])
    assert np.isclose(plan.slower(2.0).effort, plan.effort / 2) and plan.slower(2.0).duration == 4.0


def test_a_cat_turns_over(cat):
    target = turned(1.0, (1.0, 0.2, 0.0))
    plan = lo.gaits.reach(cat, target, knots=7, starts=1)
    assert plan.error < 1e-10 and plan.holonomy.rank == 3
    np.testing.assert_allclose(plan.pose[:3, :3], target, atol=1e-9)


def test_the_way_keeps_clear_of_an_obstacle(swimmer):
    direct = lo.gaits.reach(swimmer, {"x": 0.06}, knots=9, starts=1, seed=3)
    way = direct.poses[:, :3, 3]
    far = np.minimum(np.linalg.norm(way, axis=1), np.linalg.norm(way - way[-1], axis=1))
    ball = lo.gaits.Obstacle(tuple(way[np.argmax(far)]), 0.5 * far.max())
    plan = lo.gaits.reach(swimmer, {"x": 0.06}, knots=9, starts=2, seed=3, avoid=[ball])
    before, after = (ball.clearance(own.poses[:, :3, 3])[0].min() for own in (direct, plan))
    assert before < -0.4 * ball.radius and after > -0.01 * ball.radius and plan.effort > direct.effort
    with pytest.raises(ValueError, match="starts inside"):
        lo.gaits.reach(swimmer, {"x": 0.06}, avoid=[lo.gaits.Obstacle((0.0, 0.0, 0.0), 0.1)])


def test_effort_against_shooting():
    """One angle of a planar satellite: extremals are paths of a charge in a magnetic field, G x'' + ... = charge F x'."""
    problem = lo.systems.load("space_robot").problem()
    form = local_form(problem)
    plan = lo.gaits.reach(problem, {"turn": 0.05}, knots=17, starts=1, coordinates=form.coordinates.names[:2])
    form = local_form(problem, form.coordinates.names[:2])
    turn = form.group.size - 1

    def rates(t, y):
        x, dx, charge = y[:2], y[2:4], y[5]
        local = form(x)
        G, dG = local.G[0], local.dG[0]
        F = curvature(form, local)[0][:, :, turn]
        drift = np.einsum("ijk,i,k->j", dG, dx, dx) - 0.5 * np.einsum("ijk,j,k->i", dG, dx, dx)
        ddx = np.linalg.solve(G, charge * F @ dx - drift)
        return [*dx, *ddx, -local.A[0, turn] @ dx, 0.0]

    def miss(z):
        end = solve_ivp(rates, (0, 1), [*plan.values[0], *z[:2], 0.0, z[2]], rtol=1e-10, atol=1e-12).y[:, -1]
        return [*(end[:2] - plan.values[-1]), end[4] - 0.05]

    t = np.linspace(0.2, 0.8, 7)
    x, dx, ddx = (np.stack([np.array([drive(s)[k] for s in t]) for drive in plan.paths().values()], axis=1) for k in range(3))
    local = form(x)
    drift = np.einsum("pijk,pi,pk->pj", local.dG, dx, dx) - 0.5 * np.einsum("pijk,pj,pk->pi", local.dG, dx, dx)
    left = np.einsum("pjk,pk->pj", local.G, ddx) + drift
    right = np.einsum("pjk,pk->pj", curvature(form, local)[:, :, :, turn], dx)
    charge = (left * right).sum() / (right * right).sum()
    np.testing.assert_allclose(left, charge * right, atol=0.02 * abs(left).max())  # an extremal
    speed = np.array([drive(0.0)[1] for drive in plan.paths().values()])
    z, _, ok, words = fsolve(miss, [*speed, charge], full_output=True)
    assert ok == 1, words
    effort = z[:2] @ form(plan.values[0]).G[0] @ z[:2]  # constant along extremals
    np.testing.assert_allclose(plan.effort, effort, rtol=1e-3)


def test_what_is_out_of_reach_is_said(cat, swimmer):
    away = np.eye(4)
    away[0, 3] = 0.1
    with pytest.raises(lo.gaits.OutOfReach, match="reach 3 of the 6 directions of SE.3.: none of x, y, z"):
        lo.gaits.reach(cat, away)
    still = lo.gaits.reach(swimmer, np.eye(4))
    assert still.effort == 0.0 and still.error < 1e-12


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"target": {"w": 1.0}}, "no target named 'w'"),
        ({"target": {}}, "the target is empty"),
        ({"target": np.eye(2)}, r"target has shape \(2, 2\)"),
        ({"target": 2 * np.eye(4)}, "no pose"),
        ({"target": {"x": np.nan}}, "finite number"),
        ({"duration": 0.0}, "positive time"),
        ({"knots": 3}, "at least 6"),
        ({"start": [0.0]}, "expected 2 numbers"),
        ({"through": {2.0: {"x": 0.0}}}, "between 0 and 1"),
        ({"starts": 0}, "integer from 1"),
    ],
)
def test_bad_input(swimmer, given, sentence):
    with pytest.raises((ValueError, lo.LocomoteError), match=sentence):
        lo.gaits.reach(swimmer, given.pop("target", {"x": 0.01}), **given)


def test_panels_follow_a_path_that_winds(cat):
    """Coarse panels have a path of 26 rad that reaches this attitude by their errors alone; finer ones know better."""
    target = attitude(15)
    plan = lo.gaits.reach(cat, target, knots=7, starts=1, amplitude=1.0)
    form = local_form(cat)

    def turning(t, y):
        x, dx = (np.array([path(t)[k] for path in plan.paths().values()]) for k in (0, 1))
        eta = -form(x[None]).A[0] @ dx
        R, w = y.reshape(3, 3), eta[-3:]
        return (R @ np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])).ravel()

    end = solve_ivp(turning, (0.0, plan.duration), np.eye(3).ravel(), "DOP853", rtol=1e-8, atol=1e-9).y[:, -1]
    assert plan.error < 1e-9
    np.testing.assert_allclose(end.reshape(3, 3), target, atol=1e-6)


def test_a_path_that_cannot_be_made_exact_is_said(swimmer, monkeypatch):
    monkeypatch.setattr(courses, "FINEST", 0)
    with pytest.raises(lo.gaits.OutOfReach, match="1 of 1 searches .* near the target, but none .* on fine panels"):
        lo.gaits.reach(swimmer, {"x": 0.03}, knots=9, starts=1)
