"""Parameters, integrals and controllers with a clock along runs with events: against closed forms and differences of runs."""

import numpy as np
import pytest
from test_event_gradients import ball, height

import locomote as lo

G, H, T, E = 9.81, 0.8, 0.6, 0.8
START = {"q": [0.0, H], "v": [0.3, 0.0], "method": "adaptive"}


def fallen(h=H, g=G, e=E, T=T):
    """Height at T of a ball that fell from h and bounced once, and the integral of its height."""
    s, u = np.sqrt(2 * h / g), np.sqrt(2 * g * h)
    left = T - s
    return e * u * left - g * left**2 / 2, h * s - g * s**3 / 6 + e * u * left**2 / 2 - g * left**3 / 6


def slope(function, x, k):
    """Of one of the results, by differences."""
    return (function(x * (1 + 1e-5))[k] - function(x * (1 - 1e-5))[k]) / (2e-5 * x)


def test_an_impact_by_parameters_in_closed_form():
    by = ["q", "v", "duration", "gravity", "floor.restitution", "floor.target", "ball.mass"]
    for k, goal in enumerate((lo.at_end(height), lo.integral(height))):
        value, slopes = lo.gradient(ball(E), goal, by, duration=T, **START)
        assert value == pytest.approx(fallen()[k], rel=1e-9)
        assert slopes["q"][1] == pytest.approx(slope(lambda h: fallen(h=h), H, k), rel=1e-7)
        assert slopes["gravity"][2] == pytest.approx(-slope(lambda g: fallen(g=g), G, k), rel=1e-6)
        assert slopes["floor.restitution"] == pytest.approx(slope(lambda e: fallen(e=e), E, k), rel=1e-7)
        assert slopes["duration"] == pytest.approx(slope(lambda T: fallen(T=T), T, k), rel=1e-7)
        rises = 1.0 if k == 0 else T  # all of it, floor and ball, one higher
        assert slopes["floor.target"][2] + slopes["q"][1] == pytest.approx(rises, rel=1e-9)
        assert abs(slopes["ball.mass"]) < 1e-10


def checked(problem, goal, by, **given):
    """Slopes that agree with differences along a random direction of all inputs."""
    _, slopes = lo.gradient(problem, goal, by, **({"method": "adaptive", "check": True} | given))
    assert slopes.check is not None and slopes.check < 1e-8
    return slopes


def test_what_drives_do_goes_through_impacts():
    """A drive shakes what bounces: its numbers move the start, the hits and the work."""
    chain = ball(0.7, ("upper",))
    drives = {"upper": lo.Sine(amplitude=0.05, rate=9.0, offset=0.02)}
    problem = lo.Locomotion(chain.model, constraints=chain.constraints, drives=drives)
    goal = lo.integral("power.drives") + lo.at_end("z.shift")
    slopes = checked(problem, goal, ["q", "upper.amplitude", "upper.mass"], duration=0.7, q=[0.0, 0.3, 0.0], v=[0.2, 0.0, 0.0])
    assert len(slopes.switches) == 2 and abs(slopes["upper.amplitude"]) > 1.0


def test_an_event_that_ends_the_run_ends_its_integrals():
    catch = lo.When(lambda t, q, v: q[1] - 0.5, direction=-1, terminal=True)
    given = {"duration": 3.0, "q": [0.0, 0.1], "v": [2.0, 4.0], "events": [catch]}
    slopes = checked(ball(), lo.integral("energy.kinetic") + lo.at_end("x.shift"), ["q", "v", "duration", "ball.mass"], **given)
    assert slopes["duration"] == 0.0


def arm(torques):
    builder = lo.Builder("arm")
    for name, parent, at in (("j1", None, (0, 0, 0)), ("j2", "j1", (0, 0, -0.5))):
        inertia = lo.Inertia(1.0, (0, 0, -0.3), moment=0.02 * np.eye(3))
        builder.body(name, parent=parent, at=at, joint=lo.Joint(f"{name}_joint", axis="y"), inertia=inertia)
    return lo.Locomotion(builder.build(), torques=torques)


GOAL = lo.at_end(lambda t, q, v: q[0] * v[1]) + lo.integral("power.torques")
WANTED = np.array([0.3, -0.2])


@pytest.mark.parametrize("between", ["hold", "line"])
def test_gains_and_targets_of_a_clocked_pd(between):
    targets = {"j1_joint": lo.Sine(amplitude=0.3, rate=4.0), "j2_joint": 0.3}
    pull = lo.PD(targets, 20.0, 1.0, gravity=True, every=0.03, between=between)
    by = ["q", "v", "PD.stiffness", "PD.targets.j1_joint.amplitude", "j1.mass"]
    slopes = checked(arm(pull), GOAL, by, q=[0.2, 0.1], duration=0.1)
    assert abs(slopes["PD.stiffness"]) > 1e-4 and not slopes.said
    with pytest.raises(ValueError, match="says when a controller is called"):
        lo.gradient(arm(pull), GOAL, "PD.every", duration=0.1, method="adaptive")


def smooth(t, q, v, state):
    return 8.0 * (WANTED - q) - 0.5 * v + 3.0 * state, state + 0.02 * (WANTED - q)


def by_place(t, q, v, state):
    tau, following = np.zeros(2), state.copy()
    for k in range(2):
        tau[k] = float(smooth(t, q, v, state)[0][k])
        following[k] = float(smooth(t, q, v, state)[1][k])
    return tau, following


def exact(t, q, v, state):
    one = np.eye(2)
    return np.block([[-8.0 * one, -0.5 * one, 3.0 * one], [-0.02 * one, 0.0 * one, one]])


@pytest.mark.parametrize("function, given", [(smooth, {}), (by_place, {}), (by_place, {"slopes": exact})])
def test_a_controller_in_python(function, given):
    """With a state: through dual numbers, by differences, which is said, and by its own slopes."""
    problem = arm(lo.Sampled(function, every=0.03, state=[0.1, 0.0], **given))
    slopes = checked(problem, GOAL, ["q", "v", "j1.mass"], q=[0.2, 0.1], duration=0.1)
    assert bool(slopes.said) == (function is by_place and not given)


def test_refusals():
    class Remembers:
        present = None

        def __call__(self, t, q, v):
            return 0.0 * v

        def fresh(self):
            return np.zeros(1)

        remembered, recall = fresh, lambda self, state: None

    with pytest.raises(ValueError, match="knows its state itself"):
        lo.gradient(arm(lo.Sampled(Remembers(), every=0.03)), GOAL, "q", duration=0.1, method="adaptive")
    wrong = lo.Sampled(smooth, every=0.03, state=[0.0, 0.0], slopes=lambda *_: np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"slopes of controller 'smooth' are \(2, 2\), expected \(4, 6\)"):
        lo.gradient(arm(wrong), GOAL, "q", duration=0.1, method="adaptive")
    with pytest.raises(ValueError, match="take method='adaptive'"):
        lo.gradient(arm(wrong), GOAL, "q", duration=0.1)
