"""Steps over contacts count the work of what else acts: energy closes at any step, not only as steps go to zero."""

import numpy as np
import pytest

import locomote as lo


def ball():
    return lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, 0.1)).build()


def pushed(t, q, v):
    """A wrench of the user that depends on how the ball moves."""
    return {"ball": np.array([2.0 * np.cos(9 * t) - v[0], 0.3, 0.0, 0.0, 0.1, -0.2 * v[5]])}


ACTING = {
    "soft ground": lambda: lo.SoftGround({"ball": [(0, 0, 0)]}, 1e4, 20.0, radius=0.1),
    "stiff soft ground": lambda: lo.SoftGround({"ball": [(0, 0, 0)]}, 1e6, 100.0, radius=0.1),
    "hunt-crossley": lambda: lo.SoftGround({"ball": [(0, 0, 0)]}, 1e5, 0.5, radius=0.1, normal="hunt-crossley"),
    "damped spring": lambda: lo.Spring("ball", point=(0.05, 0, 0), other_point=(0, 0, 1.0), stiffness=50.0, damping=3.0),
    "drag": lambda: lo.Drag("ball", lo.Fluid(100.0), 0.02),
    "function": lambda: pushed,
}


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("what", ACTING)
def test_energy_closes_at_any_step(what, step):
    touch = lo.Touch("ball", lo.Ground(friction=0.5), points=[(0, 0, -0.099)])
    problem = lo.Locomotion(ball(), environment=[ACTING[what]()], contacts=[touch])
    run = problem.simulate(0.4, q=[0, 0, 0.15, 0, 0, 0, 1], v=[0.3, 0, 0, 1.0, 2.0, 3.0], step=step, every=0.02, progress=False)
    assert run.audit.balance < 1e-8 + step**2, run.audit  # a ball that turns moves by steps of second order
    assert run.audit.ok, run.audit


def test_the_same_on_a_run_that_goes_on():
    touch = lo.Touch("ball", lo.Ground(friction=0.5), points=[(0, 0, -0.099)])
    problem = lo.Locomotion(ball(), environment=[ACTING["soft ground"]()], contacts=[touch])
    start = {"q": [0, 0, 0.15, 0, 0, 0, 1], "v": [0.3, 0, 0, 0, 0, 0], "step": 1e-3, "every": 0.02, "progress": False}
    whole, half = problem.simulate(0.4, **start), problem.simulate(0.2, **start)
    longer = half.extend(0.2)
    assert np.allclose(whole.work["ground"], longer.work["ground"], atol=1e-9) and longer.audit.balance < 1e-9
