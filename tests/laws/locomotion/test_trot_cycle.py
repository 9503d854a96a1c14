"""The cycle of a trotting robot at ordinary friction: exact derivatives against differences of runs."""

import numpy as np
import pytest
from planar_trotter import LEGS, PERIOD, cycle_of, other_legs, settled, trotter

import locomote as lo

DEPARTURE = 1e-5
UP = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # z of the frame is y of the world


@pytest.fixture(scope="module")
def found():
    robot = trotter()
    return robot, cycle_of(robot, *settled(robot))


def half_period(robot, q, v):
    """The state after half a period on contacts that stick, with other names of legs."""
    model = robot.model
    feet = [lo.PointContact(f"{name}_knee_link", (0, -0.2, 0), UP, unilateral=True) for name in LEGS]
    sticking = robot.replaced(contacts=(), constraints=feet)
    run = sticking.simulate(PERIOD / 2, q=q, v=v, samples=[0.0, PERIOD / 2], rtol=1e-13, atol=1e-14, progress=False)
    q, v = other_legs(model)(0.0, run.q[-1], run.v[-1])
    return np.array(q), np.array(v)


def test_the_cycle_closes_and_is_stable(found):
    robot, cycle = found
    assert cycle.residual < 1e-11 and cycle.stable and abs(cycle.period - PERIOD / 2) < 1e-12
    q, v = half_period(robot, cycle.q, cycle.v)
    assert abs(q - cycle.q).max() < 1e-10 and abs(v - cycle.v).max() < 1e-9


def test_multipliers_are_those_of_differences_of_runs(found):
    """Along the slowest departure, and along those that random ones become, which meet all constraints, as ends of runs do:
    feet stand elsewhere in them."""
    robot, cycle = found
    nv, J = robot.model.nv, cycle.jacobian
    values, vectors = np.linalg.eig(J)
    slowest = np.argmax(abs(values))
    assert abs(values[slowest].imag) < 1e-9 and np.isclose(values[slowest], cycle.multipliers[0])
    for d in (vectors[:, slowest].real, *np.random.default_rng(1).normal(size=(2, 2 * nv)) @ J.T):
        d, ends = d / abs(d).max(), []
        for sign in (1, -1):
            step = sign * DEPARTURE * d
            q, v = half_period(robot, robot.model.integrate(cycle.q, step[:nv]), cycle.v + step[nv:])
            ends.append(np.r_[robot.model.difference(cycle.q, q), v])
        assert np.allclose((ends[0] - ends[1]) / (2 * DEPARTURE), J @ d, atol=1e-6 * abs(J @ d).max())


def test_time_steps_at_that_friction_stay_on_it(found):
    """Feet neither slide nor ask for more friction than there is, and the motion repeats itself to the error of the steps."""
    robot, cycle = found
    run = robot.simulate(PERIOD, q=cycle.q, v=cycle.v, step=2.5e-4, every=2.5e-4, progress=False)
    along, down = abs(run.contact_forces[1:, :, 0]), run.contact_forces[1:, :, 1]
    assert (along[down > 0.01] < 0.5 * down[down > 0.01]).all()
    assert abs(run.q[-1, 1:] - cycle.q[1:]).max() < 2e-3 and abs(run.q[-1, 0] / PERIOD) > 0.2
    assert ((down > 0.01).mean(axis=0) < 0.8).all()  # every foot is in the air for a part of the time
