"""Net motions of gaits: against runs, small loops, starting points, and slopes by differences."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits import goals
from locomote.gaits.curves import Basis, Series, Star
from locomote.gaits.goals import goal_of
from locomote.gaits.local_form import local_form
from locomote.gaits.metric import metric_of
from locomote.gaits.path_ordered import Ordered, Panels
from locomote.gaits.search import Search
from locomote.spatial.groups_arrays import group

SECOND = {"frequency": 1.0}


def circle(first, second, size=1.0, at=(0.0, 0.0)):
    return lo.gaits.Gait(
        {first: lo.Fourier(at[0], [size], **SECOND), second: lo.Fourier(at[1], [], [size], **SECOND)}, period=1.0
    )


@pytest.fixture(scope="module")
def purcell():
    return lo.systems.load("purcell_swimmer", length=1 / 3).problem()


@pytest.mark.parametrize("name", ["purcell_swimmer", "perfect_fluid_swimmer", "space_robot", "falling_cat"])
def test_net_motion_is_that_of_a_run(name):
    problem = lo.systems.load(name).problem()
    names = [joint for joint in problem.model.joint_names if joint != "base"]
    rng = np.random.default_rng(1)
    paths = {joint: lo.Fourier(rng.normal(), 0.4 * rng.normal(size=2), 0.4 * rng.normal(size=2), **SECOND) for joint in names}
    gait = lo.gaits.Gait(paths)
    found = lo.gaits.displacement(problem, gait)
    q = problem.replaced(drives=gait.drives()).initial()[0]
    q[: problem.model.joint("base").q.stop] = problem.model.neutral()[: problem.model.joint("base").q.stop]
    ran = problem.net_displacement(gait.drives(), 1.0, q)
    place = problem.model.neutral()
    place[problem.model.joint("base").q] = ran
    wanted = lo.forward_kinematics(problem.model, place)[0]
    wanted[:3, 3] -= 0.5 * np.array(problem.model.gravity) * (name == "falling_cat")  # what it falls is not its doing
    assert abs(found.pose - wanted).max() < 1e-8
    assert found.error < 1e-11


def test_small_loops_leave_curvature_times_area_with_its_order(purcell):
    form, middle, errors = local_form(purcell), np.array([0.5, -0.3]), []
    from locomote.gaits.net_motion import curvature

    F = curvature(form, form(middle[None]))[0, 0, 1]
    for size in (0.04, 0.02, 0.01):
        net = lo.gaits.displacement(purcell, circle("front", "rear", size, middle))
        errors.append(np.linalg.norm(net.log + F * np.pi * size**2))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 2.8).all() and (orders < 3.2).all()  # one order above that of the area


def test_starting_points_conjugate_and_periods_repeat(purcell):
    gait = circle("front", "rear", 1.2, (0.2, 0.4))
    net = lo.gaits.displacement(purcell, gait)
    parts, poses = net.phases()
    later = lo.gaits.displacement(purcell, gait.shifted(parts[40]))
    assert abs(poses[40] - later.pose).max() < 1e-10 and abs(later.angle - net.angle) < 1e-10
    assert abs(net.repeated(3) - net.pose @ net.pose @ net.pose).max() < 1e-12
    point, axis, angle, advance = net.screw()
    fixed = net.pose[:3, :3] @ point + net.pose[:3, 3]
    assert np.allclose(fixed, point) and advance == 0.0 and np.isclose(angle * axis[2], net.angle)


def test_the_way_back_undoes_and_one_coordinate_goes_nowhere(purcell):
    gait = circle("front", "rear")
    back = lo.gaits.Gait({"front": lo.Fourier(0.0, [1.0], **SECOND), "rear": lo.Fourier(0.0, [], [-1.0], **SECOND)})
    there, here = (lo.gaits.displacement(purcell, one).pose for one in (gait, back))
    assert abs(there @ here - np.eye(4)).max() < 1e-11
    line = lo.gaits.Gait({"front": lo.Fourier(0.2, [0.7], **SECOND), "rear": lo.Fourier(-0.3, [0.4], **SECOND)})
    assert abs(lo.gaits.displacement(purcell, line).pose - np.eye(4)).max() < 1e-11


def test_corners_and_modes(purcell):
    """A square stroke as four straight pieces, the same as a spline with its knots; and coordinates that move both joints."""
    tent = lambda t: float(np.interp(t % 1.0, [0, 0.25, 0.5, 0.75, 1.0], [-1.0, 1.0, 1.0, -1.0, -1.0]))  # noqa: E731
    late = lambda t: tent(t - 0.25)  # noqa: E731
    rate = lambda t: 8.0 if t % 1.0 < 0.25 else -8.0 if 0.5 <= t % 1.0 < 0.75 else 0.0  # noqa: E731
    paths = {
        "front": lo.Function(tent, rate, lambda t: 0.0),
        "rear": lo.Function(late, lambda t: rate(t - 0.25), lambda t: 0.0),
    }
    square = lo.gaits.Gait(paths, period=1.0, corners=(0.25, 0.5, 0.75))
    net = lo.gaits.displacement(purcell, square)
    assert net.error < 1e-10 and abs(net.angle) < 1e-10
    both = lo.gaits.Gait(
        {"even": lo.Fourier(0.0, [0.5], **SECOND), "odd": lo.Fourier(0.0, [], [0.5], **SECOND)},
        modes={"even": {"front": 1.0, "rear": 1.0}, "odd": {"front": 1.0, "rear": -1.0}},
    )
    plain = lo.gaits.Gait({"front": lo.Fourier(0.0, [0.5], [0.5], **SECOND), "rear": lo.Fourier(0.0, [0.5], [-0.5], **SECOND)})
    one, two = (lo.gaits.displacement(purcell, gait) for gait in (both, plain))
    assert abs(one.pose - two.pose).max() < 1e-11 and np.isclose(one.length, two.length)
    assert np.allclose(both.drives()["front"](0.3), plain.drives()["front"](0.3))


@pytest.mark.parametrize("name", ["SE(2)", "SO(3)", "SE(3)"])
def test_slopes_of_ordered_products(name):
    own, rng, panels = group(name), np.random.default_rng(2), Panels(np.linspace(0.0, 1.0, 9))
    xi, way = rng.normal(size=(2, 8, 3, own.size))
    asked = {"turn": goals.turn, "yaw": lambda o: goals.log_entry(o, own.axes.index(5))}
    if name != "SO(3)":
        asked |= {"x": lambda o: goals.shift(o, 0), "distance": goals.distance}
    for goal in asked.values():
        now = Ordered(own, panels, xi)
        slope = (now.slopes(goal(now)[1]) * way).sum()
        one, two = (goal(Ordered(own, panels, xi + s * way))[0] for s in (1e-5, -1e-5))
        assert np.isclose(slope, (one - two) / 2e-5, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("cost", "kind", "metric"), [("length", Series, None), ("energy", Series, "torque"), ("none", Star, None)]
)
def test_slopes_of_gaits(purcell, cost, kind, metric):
    form, rng = local_form(purcell), np.random.default_rng(3)
    curves = kind(Basis(Panels(np.linspace(0.0, 1.0, 33)), 3), 2)
    search = Search(form, curves, goal_of(form, "x"), metric_of(form, metric), cost, 0.0)
    start = curves.nearest(np.array([[0.1, 0.8, 0.1], [-0.2, 0.1, 0.9]]))
    start = start + 0.05 * rng.normal(size=len(start))
    way = rng.normal(size=len(start))
    now = search.at(start)
    one, two = (search.at(start + s * way) for s in (1e-5, -1e-5))
    assert np.isclose(now.slopes @ way, (one.value - two.value) / 2e-5, rtol=1e-6, atol=1e-9)
    assert np.isclose(now.turn_slopes @ way, (one.turns - two.turns) / 2e-5, rtol=1e-6, atol=1e-9)
