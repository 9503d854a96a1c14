"""Forces of lo.Touch at one instant, and impacts, against all ways of all contacts (`helpers.contact_modes`).

python tests/laws/locomotion/test_contacts_at_an_instant.py      the worst deviations of all accelerations
"""

import sys
import warnings
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from helpers.contact_modes import hit, touching_problem

import locomote as lo

CLOSE = 1e-8
PLANAR, SPATIAL, BATCH = 500, 100, 50


def outcome(ask):
    """What was found, None if nothing, and whether it was said that there is more."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            return ask(), any("several answers" in str(w.message) for w in told)
        except lo.NoContactForce as error:
            assert "Painleve" in str(error)
            return None, False


def near(x, y):
    return abs(x - y).max() < CLOSE * (1.0 + abs(y).max())


def test_many_corners_have_the_accelerations_of_short_steps():
    """Ten boxes on each other, 40 corners, one of them pushed: by the solver of steps, which shares nothing with this."""
    problem = lo.systems.load("box_stack").problem()
    q, v = problem.initial()
    step = 1e-5
    stepper = problem.stepper(q, v, step=step, method="timestep")
    stepper.advance()
    assert problem.evaluate(0.0, q, v).a == pytest.approx((stepper.v - v) / step, abs=1e-4)


@pytest.mark.parametrize("first", range(0, PLANAR + SPATIAL, BATCH))
def test_accelerations_are_those_of_the_ways_that_fit(first):
    for seed in range(first, first + BATCH):
        planar = seed < PLANAR
        problem, q, v, a, instant = touching_problem(seed, planar)
        expected = instant.planar() if planar else instant.spatial()
        found, several = outcome(lambda p=problem, q=q, v=v: p.evaluate(0.0, q, v))
        assert (found is None) == (not expected) and several == (len(expected) > 1), seed
        if found is not None:
            assert any(near(found.a - a, x) for x in expected), seed


@pytest.mark.parametrize("first", range(0, 200, BATCH))
def test_velocities_after_a_hit_are_those_of_the_ways_that_fit(first):
    compared = weakened = 0
    for seed in range(first, first + BATCH):
        planar = seed < 150
        restitution = (0.0, 0.5, 1.0)[seed % 3] if planar else float(seed == 150)
        problem, q, v, _, instant = touching_problem(seed, planar, restitution)
        expected, less = hit(instant, v, planar, restitution)
        jump, _ = outcome(lambda p=problem, q=q, v=v: p.impact(q, v))
        if expected is None:
            continue
        assert near(jump.v - v, expected), seed
        energy = 0.5 * jump.v @ instant.M @ jump.v - 0.5 * v @ instant.M @ v
        assert abs(jump.lost - energy) < 1e-9 * (1.0 + v @ instant.M @ v) and energy < 1e-9
        compared, weakened = compared + 1, weakened + less
    assert compared > 0.9 * BATCH and (weakened > 0 or first == 150)


if __name__ == "__main__":
    for title, seeds in (("planar", range(PLANAR)), ("spatial", range(PLANAR, PLANAR + SPATIAL))):
        worst, agree, none, many = 0.0, 0, 0, 0
        for seed in seeds:
            problem, q, v, a, instant = touching_problem(seed, title == "planar")
            expected = instant.planar() if title == "planar" else instant.spatial()
            found, several = outcome(lambda p=problem, q=q, v=v: p.evaluate(0.0, q, v))
            agree += (found is None) == (not expected) and several == (len(expected) > 1)
            none, many = none + (not expected), many + (len(expected) > 1)
            if found is not None:
                worst = max(worst, min(abs(found.a - a - x).max() / (1.0 + abs(x).max()) for x in expected))
        print(
            f"{title}: {len(seeds)} problems, {agree} alike, {none} without an answer, {many} with several; worst {worst:.1e}"
        )
