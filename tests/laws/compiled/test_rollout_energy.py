"""Rollouts whose numbers are finite and make no sense are lost, and the energy of good ones closes."""

import numpy as np
import pytest

import locomote as lo


def swing(**settings):
    builder = lo.Builder("swing", base="fixed")
    inertia = lo.Inertia(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    builder.body("a", joint=lo.Joint("one", axis=(0, 1, 0)), inertia=inertia)
    builder.body("b", parent="a", at=(1, 0, 0), joint=lo.Joint("two", axis=(0, 1, 0)), inertia=inertia)
    return lo.Locomotion(builder.build(), **settings)


def ball(**settings):
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()
    return lo.Locomotion(model, **settings)


@pytest.mark.parametrize(("method", "allowed"), [("rk4", 1e-8), ("euler", 2e-2), ("timestep", 1e-3)])
def test_energy_of_good_rollouts_closes(method, allowed):
    problem = swing(springs={"two": (5.0, 0.1, 0.2)})
    controls = np.random.default_rng(0).normal(size=(4, 400, 2))
    runs = lo.rollout(problem, controls, q=[0.1, 0.2], v=[0.0, 1.0], step=1e-3, method=method)
    assert runs.balance.shape == (4,) and (runs.balance < allowed).all() and not runs.lost.any(), runs.balance


def test_energy_over_contacts_closes_too():
    problem = ball(
        contacts=[lo.Touch("ball", lo.Ground(), sphere=0.1)],
        environment=[lo.Spring("ball", other_point=(0, 0, 1.0), stiffness=20.0)],
    )
    runs = lo.rollout(problem, None, 5, q=[0, 0, 0.3, 0, 0, 0, 1], v=[1.0, 0, 0, 0, 5.0, 0], duration=0.5, step=1e-3)
    assert (runs.balance < 1e-3).all() and not runs.lost.any()


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_a_step_that_a_spring_does_not_bear_is_said(method):
    """Energy grows by orders of magnitude and stays finite."""
    problem = swing(springs={"two": (2e4, 0.0, 0.0)})
    with pytest.warns(RuntimeWarning, match="is too long for 'swing'.*as fast as") as said:
        runs = lo.rollout(problem, None, 3, q=[0.1, 0.2], v=[0.0, 0.0], duration=0.062, step=6.2e-3, method=method)
    assert runs.finite.all() and runs.lost.all() and (runs.balance > 0.1).all()
    assert any("end in numbers without sense" in str(one.message) for one in said)


def test_a_damper_that_explodes_is_lost():
    problem = swing(springs={"one": (0.0, 0.0, 3e3), "two": (0.0, 0.0, 3e3)})
    with pytest.warns(RuntimeWarning, match="too long"):
        runs = lo.rollout(problem, None, 2, q=[0.1, 0.2], v=[0.0, 0.1], duration=0.02, step=1e-3)
    assert runs.lost.all()


def test_runs_that_are_fast_for_a_reason_are_not_lost():
    thrown = lo.rollout(ball(), None, 3, q=[0, 0, 0, 0, 0, 0, 1], v=[50.0, 0, 200.0, 0, 0, 0], duration=2.0, step=1e-2)
    assert not thrown.lost.any() and (thrown.balance < 1e-9).all()
    driven = lo.rollout(swing(), np.full((3, 200, 2), 300.0), q=[0.0, 0.0], v=[0.0, 0.0], step=1e-3)
    assert abs(driven.v).max() > 30 and not driven.lost.any() and (driven.balance < 1e-3).all()
