"""Gradients through impacts and events: against closed forms, and against differences of runs."""

import numpy as np
import pytest

import locomote as lo

G = 9.81


def ball(restitution=0.8, other=()):
    builder = lo.Builder("ball", base="fixed")
    builder.body("cart", joint=lo.Joint("x", "prismatic", axis="x"), inertia=lo.Inertia(0.5))
    builder.body("ball", parent="cart", joint=lo.Joint("z", "prismatic", axis="z"), inertia=lo.Inertia(1.0))
    for name in other:
        joint = lo.Joint(name, "prismatic", axis="z", stiffness=300.0, damping=6.0)
        builder.body(name, parent="ball", joint=joint, inertia=lo.Inertia(0.4))
    floor = lo.PointContact("ball", (0, 0, 0), (0, 0, 0), "z", unilateral=True, restitution=restitution, name="floor")
    return lo.Locomotion(builder.build(), constraints=[floor])


def height(t, q, v):
    return q[1]


def test_one_impact_in_closed_form():
    """z(T) = e u (T - s) - g (T - s)^2 / 2 after a fall from h, with s = sqrt(2 h / g), u = sqrt(2 g h)."""
    h, T, e = 0.8, 0.6, 0.8
    value, slopes = lo.gradient(ball(e), lo.at_end(height), ["q", "v", "duration"], duration=T, q=[0.0, h], v=[0.3, 0.0],
                                method="adaptive")  # fmt: skip
    s, u = np.sqrt(2 * h / G), np.sqrt(2 * G * h)
    left, ds, du = T - s, 1 / np.sqrt(2 * G * h), np.sqrt(G / (2 * h))
    assert value == pytest.approx(e * u * left - 0.5 * G * left**2, rel=1e-9)
    assert slopes["q"] == pytest.approx([0.0, e * du * left - e * u * ds + G * left * ds], rel=1e-8, abs=1e-12)
    assert slopes["duration"] == pytest.approx(e * u - G * left, rel=1e-9)
    assert [switch.what.startswith("floor hits") for switch in slopes.switches] == [True]


def test_twenty_impacts_of_a_chain():
    problem, start = ball(0.9, ("upper", "top")), {"q": [0.0, 0.6, 0.02, -0.01], "v": [0.2, 0.0, 0.1, 0.0]}
    goal = lo.at_end(lambda t, q, v: q[1] + 0.2 * q[2] + 0.05 * v[1]) + lo.at_time(height, 0.9)
    run = problem.simulate(6.0, method="adaptive", rtol=1e-10, atol=1e-12, progress=False, **start)
    hits = [event.t for event in run.events if event.kind == "impact"]
    end = 0.5 * (hits[19] + hits[20])
    _, slopes = lo.gradient(problem, goal, ["q", "v"], duration=end, method="adaptive", **start)
    assert len(slopes.switches) == 20 and not any(switch.corner for switch in slopes.switches)
    rng = np.random.default_rng(0)
    dq, dv = rng.normal(size=(2, 4))

    def value(e):
        moved = {"q": start["q"] + e * dq, "v": start["v"] + e * dv}
        x = problem.simulate(end, method="adaptive", rtol=1e-12, atol=1e-14, samples=[0.9, end], progress=False, **moved)
        k = int(np.searchsorted(x.t, 0.9))
        return x.q[-1, 1] + 0.2 * x.q[-1, 2] + 0.05 * x.v[-1, 1] + x.q[k, 1]

    wide, narrow = ((value(e) - value(-e)) / (2 * e) for e in (4e-5, 2e-5))
    exact = slopes["q"] @ dq + slopes["v"] @ dv
    assert exact == pytest.approx((4 * narrow - wide) / 3, rel=1e-7) and abs(exact) > 0.05


def test_an_event_that_ends_the_run_moves_its_end():
    """Thrown up with v, caught at z = h: the x of the catch is v_x t, t the second root of h = v t - g t^2 / 2."""
    h, u, w = 0.5, 4.0, 2.0
    catch = lo.When(lambda t, q, v: q[1] - h, direction=-1, terminal=True)
    value, slopes = lo.gradient(
        ball(), lo.at_end(lambda t, q, v: q[0]), ["q", "v", "duration"], duration=3.0, q=[0.0, 0.1], v=[w, u],
        method="adaptive", events=[catch],
    )  # fmt: skip
    root = np.sqrt(u * u - 2 * G * (h - 0.1))
    assert value == pytest.approx(w * (u + root) / G, rel=1e-9)
    assert slopes["v"] == pytest.approx([(u + root) / G, w * (1 + u / root) / G], rel=1e-8)
    assert slopes["q"] == pytest.approx([1.0, w / root], rel=1e-8) and slopes["duration"] == 0.0


def test_what_an_event_does_to_velocities():
    """A kick at a height: the time of the kick moves with the start."""
    kick = lo.When(lambda t, q, v: q[1] - 0.5, direction=-1, then=lambda t, q, v: np.array([v[0], -1.3 * v[1] + 0.2 * q[0]]))
    start = {"q": [0.1, 0.9], "v": [0.4, 0.3]}
    _, slopes = lo.gradient(
        ball(), lo.at_end(height), ["q", "v"], duration=0.6, method="adaptive", events=[kick], check=True, **start
    )
    assert slopes.check is not None and slopes.check < 1e-8


def test_functions_of_the_user_are_followed_along_the_run():
    """A problem that no formula describes has a gradient along its motion."""
    model = ball().model
    problem = lo.Locomotion(model, torques=lambda t, q, v: np.array([-0.3 * v[0], -2.0 * np.sin(q[1]) - 0.1 * v[1]]))
    _, slopes = lo.gradient(
        problem, lo.at_end(height), ["q", "v"], duration=0.5, q=[0.0, 0.3], v=[0.1, 0.2], method="adaptive", check=True
    )
    assert slopes.way == "forward" and slopes.check is not None and slopes.check < 1e-8


@pytest.mark.parametrize("method", ["gauss", "radau"])
def test_implicit_methods(method):
    """Along the motion, whatever steps follow it."""
    problem, goal = lo.systems.load("heavy_top").problem(), lo.at_end(lambda t, q, v: q[0] + v[1])
    _, slopes = lo.gradient(problem, goal, ["q", "v"], duration=0.2, method=method)
    _, other = lo.gradient(problem, goal, ["q", "v"], duration=0.2, method="adaptive", rtol=1e-11, atol=1e-13)
    for name in ("q", "v"):
        assert slopes[name] == pytest.approx(other[name], rel=1e-7, abs=1e-8 * abs(other[name]).max())
