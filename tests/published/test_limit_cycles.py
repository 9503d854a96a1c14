"""Limit cycles of walkers against published fixed points, multipliers and closed forms.

simplest walker : Garcia, Chatterjee, Ruina, Coleman (1998); fixed points agree with the authors' program, multipliers
are computed to 15 digits from the same equations (those printed there carry the error of a forward difference).
rimless wheel : McGeer (1990), closed form.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import locomote as lo
from locomote.systems import simplest_walker

WALKER = {  # slope: theta, its rate, period, multipliers
    0.009: (0.20031090054424709, -0.19983247300495235, 3.882463752851374, [-0.1900998410658862 + 0.5575987766820757j] * 2),
    0.0151: (0.23722504025954646, -0.23197673826556461, 3.912462144672246, [-1.0025261209643346, -0.29678882213549396]),
}
WHEELS = [(8, 0.08, 0.0, 0.3497543674325098), (10, 0.05, 0.0, 0.3421012441362957), (8, 0.1, 0.1, None)]


@pytest.mark.parametrize("slope", WALKER)
def test_simplest_walker(slope):
    angle, rate, period, multipliers = WALKER[slope]
    cycle = simplest_walker.gait(slope=slope, angle=round(angle, 3), speed=round(rate, 3), swing=round(rate, 3) + 0.02)
    assert cycle.q[2] == pytest.approx(angle, abs=1e-9) and cycle.v[2] == pytest.approx(rate, abs=1e-9)
    assert cycle.period == pytest.approx(period, abs=1e-8)
    assert len(cycle.multipliers) == 2
    assert np.allclose(np.sort(abs(cycle.multipliers)), np.sort(np.abs(multipliers)), atol=1e-5)
    assert np.allclose(np.sort(cycle.multipliers.real), np.sort(np.real(multipliers)), atol=1e-5)
    assert cycle.stable == (slope == 0.009)


@pytest.mark.parametrize("spokes, slope, inertia, steady", WHEELS)
def test_rimless_wheel(spokes, slope, inertia, steady):
    system = lo.systems.load("rimless_wheel", spokes=spokes, slope=slope, inertia=inertia, speed=0.5)
    problem, half = system.problem(), np.pi / spokes
    eta = (np.cos(2 * half) + inertia) / (1 + inertia)
    speed = np.sqrt(eta**2 * 4 * np.sin(half) * np.sin(slope) / (1 + inertia) / (1 - eta**2))
    if steady:
        assert speed == pytest.approx(steady, rel=1e-12)
    names = [f"spoke{k}" for k in range(spokes)]

    def step(t, q, v):
        # the wheel turns about +y, so the spoke ahead is the last one; then that one is the first again
        after = problem.impact(q, v, closed=[names[-1]]).v
        w = after[2]
        return [-np.sin(half), np.cos(half), -half], [w * np.cos(half), w * np.sin(half), w]

    down = lo.When(lambda t, q, v: q[2] - half)
    cycle = lo.limit_cycle(problem, down, *system.initial, then=step, ignore=names[1:])
    assert cycle.v[2] == pytest.approx(speed, rel=1e-8)
    assert len(cycle.multipliers) == 1 and cycle.multipliers[0].real == pytest.approx(eta**2, rel=1e-6)


def test_impact_map_of_the_simplest_walker():
    system = lo.systems.load("simplest_walker")
    numbers = SimpleNamespace(**system.parameters)
    problem = lo.Locomotion(system.model, constraints=simplest_walker.feet(numbers))
    theta, rate, swing = -0.2, -0.23, 0.1
    q, v = simplest_walker.state(numbers, theta, rate, -theta, swing)
    done = problem.impact(q, v, closed=["right_foot"])
    assert done.v[3] == pytest.approx(np.cos(2 * theta) * rate, abs=1e-9)
    assert done.v[3] - done.v[2] == pytest.approx(np.cos(2 * theta) * (1 - np.cos(2 * theta)) * rate, abs=1e-9)
    assert done.lost < 0


def test_what_cannot_be_found_is_said():
    builder = lo.Builder("free", gravity=(0, 0, 0), base="fixed")
    builder.body("a", joint=lo.Joint("x", kind="prismatic", axis="x"), inertia=lo.Inertia(1.0, moment=(1, 1, 1)))
    problem = lo.Locomotion(builder.build())
    with pytest.raises(lo.NoLimitCycle, match="does not come back"):
        lo.limit_cycle(problem, lambda t, q, v: q[0] - 1.0, [0.0], [0.0], longest=1.0)
    with pytest.raises(lo.UnknownName):
        problem.simulate(1.0, ignore=["nothing"])
