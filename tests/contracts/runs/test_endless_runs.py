"""Runs that would not end are refused, and runs that take long say why."""

import numpy as np
import pytest

import locomote as lo


def pendulum(**settings):
    builder = lo.Builder("pendulum", base="fixed")
    builder.body("rod", joint=lo.Joint("hinge", axis=(0, 1, 0)), inertia=lo.Inertia(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1)))
    return lo.Locomotion(builder.build(), **settings)


@pytest.mark.parametrize("method", ["rk4", "timestep", "variational"])
@pytest.mark.parametrize("step", [1e-300, 1e-14])
def test_steps_that_do_not_end_are_refused(method, step):
    with pytest.raises(ValueError, match="would not end"):
        pendulum().simulate(1.0, method=method, step=step, progress=False)


def test_a_longest_step_of_next_to_nothing_is_refused():
    with pytest.raises(ValueError, match="max_step.*would not end"):
        pendulum().simulate(1.0, max_step=1e-300, progress=False)


@pytest.mark.parametrize("every", [1e-300, 1e-14, 1e-11])
@pytest.mark.parametrize(
    "controller",
    [
        lambda every: lo.Sampled(lambda t, q, v: np.zeros(1), every=every),
        lambda every: lo.PD({"hinge": 0.0}, 1.0, 0.1, every=every),
    ],
)
def test_clocks_that_do_not_end_are_refused(every, controller):
    with pytest.raises(ValueError, match="every of .*would not end"):
        pendulum(torques=controller(every)).simulate(1.0, progress=False)


def test_a_first_step_may_be_as_short_as_it_likes():
    assert pendulum().simulate(0.1, step=1e-300, progress=False).info["steps"] < 2000


def test_a_stiff_spring_is_said_to_be_stiff():
    problem = pendulum(springs={"hinge": (1e8, 0.0, 1e5)})
    with pytest.warns(RuntimeWarning, match="stiff: its fastest motion has a rate of"):
        run = problem.simulate(1.0, progress=False)
    assert run.info["method"] == "adaptive" and "method='radau'" in run.info["stiff"] and "is stiff" in run.summary()
    assert problem.simulate(1.0, method="radau", progress=False).info["steps"] < run.info["steps"] / 100


def test_contacts_have_one_method_and_others_are_refused():
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("ball", lo.Ground(), sphere=0.1)])
    for method in ("adaptive", "rk4", "implicit", "variational", "gauss", "gauss4", "gauss8", "radau", "rosenbrock"):
        with pytest.raises(ValueError, match=f"method='timestep' steps over, not '{method}'"):
            problem.simulate(0.01, q=[0, 0, 0.2, 0, 0, 0, 1], method=method, progress=False)
    run = problem.simulate(0.01, q=[0, 0, 0.2, 0, 0, 0, 1], progress=False)
    assert run.info["method"] == "timestep" and "contacts" in run.info["reason"]
