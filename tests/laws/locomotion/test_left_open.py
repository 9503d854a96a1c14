"""Targets, frames, lengths and offsets that were left open: taken where a run starts, and by every other answer at the same."""

import numpy as np
import pytest

import locomote as lo

TURN = [0.0, np.sin(0.2), 0.0, np.cos(0.2)]
START = np.array([0.1, 0.0, 0.5, *TURN, 0.3]), np.zeros(7)
OPEN = {
    "point": lo.PointContact("trunk", (-0.15, 0, 0), name="foot"),
    "surface": lo.SurfaceContact("trunk", (-0.15, 0, 0), name="foot"),
    "distance": lo.Distance("tip", None, (0.3, 0, 0), (0.4, 0.3, 1.2), name="tie"),
    "loop": lo.LoopClosure("tip", None, "spherical", frame=(0.3, 0, 0), other_frame=None, name="loop"),
    "coupled": lo.Coupled({"hinge": 1.0}, None, name="gear"),
}


def problem(which, **more):
    link = lo.Inertia(1.0, (0.15, 0.0, 0.0), (0.002, 0.012, 0.012))
    builder = lo.Builder("robot", base="free").body("trunk", inertia=lo.Inertia.box(2.0, (0.3, 0.2, 0.1)))
    builder.body("tip", parent="trunk", at=(0.15, 0, 0), joint=lo.Joint("hinge", axis="y", damping=0.2), inertia=link)
    return lo.Locomotion(builder.build(), constraints=[OPEN[which]], **more)


@pytest.mark.parametrize("which", OPEN)
def test_an_evaluation_is_that_of_the_run(which):
    """A loop that lets its frame turn has axes that only the start tells."""
    p = problem(which, start=START if which == "loop" else None)
    run = p.simulate(0.2, q=START[0], v=START[1], every=0.05, progress=False)
    for k in range(len(run)):
        now = p.evaluate(run.t[k], run.q[k], run.v[k])
        assert np.allclose(now.a, run.a[k], atol=1e-6) and np.allclose(now.reactions, run.reactions[k], atol=1e-6)


@pytest.mark.parametrize("which", OPEN)
def test_derivatives_hold_them_where_they_are(which):
    """Those of a problem that starts in this state, whose targets stay while the state is moved."""
    q, v = problem(which).initial(*START)
    p = problem(which, start=(q, v))
    slopes = problem(which).derivatives(0.0, q, v)
    for k in range(p.model.nv):
        step = 1e-5 * np.eye(p.model.nv)[k]
        ahead, behind = (p.evaluate(0.0, p.model.integrate(q, s * step), v) for s in (1, -1))
        assert np.allclose(slopes.a.q[:, k], (ahead.a - behind.a) / 2e-5, atol=1e-4)
        assert np.allclose(slopes.reactions.q[:, k], (ahead.reactions - behind.reactions) / 2e-5, atol=1e-4)


@pytest.mark.parametrize("which", OPEN)
def test_rollouts_are_runs(which):
    p = problem(which)
    q, v = p.initial(*START)
    runs = lo.rollout(p, q=np.tile(q, (3, 1)), v=v, duration=0.1, step=1e-3, progress=False)
    run = p.simulate(0.1, q=q, v=v, samples=[0.1], method="rk4", step=1e-3, progress=False)
    assert np.allclose(runs.q[:, -1], run.q[-1], atol=1e-5)


def test_rollouts_that_would_close_elsewhere_are_refused():
    p = problem("point")
    q = np.tile(START[0], (2, 1))
    q[1, 0] += 0.1
    with pytest.raises(
        ValueError, match=r"'robot' was left open .*run 1 does not start where run 0 closes it: row 'x' of 'foot'"
    ):
        lo.rollout(p, q=q, v=START[1], duration=0.01, progress=False)


@pytest.mark.parametrize("which", ["point", "loop"])
def test_an_equilibrium_stays_where_it_was_closed(which):
    p = problem(which, springs={"hinge": (50.0, 0.0, 0.0)})
    found = lo.equilibrium(p, START[0])
    body, point = ("trunk", (-0.15, 0, 0)) if which == "point" else ("tip", (0.3, 0, 0))
    places = [lo.forward_kinematics(p.model, q)[p.model.body_index(body)] @ [*point, 1.0] for q in (START[0], found.q)]
    assert np.allclose(*places, atol=1e-6)
    assert abs(p.evaluate(0.0, found.q, np.zeros(7)).a).max() < 1e-5
