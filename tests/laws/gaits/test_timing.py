"""Forces along plans against runs, and fastest timings: forces stay within their limits and touch them, the way is the same."""

import numpy as np
import pytest

import locomote as lo
from locomote.gaits.local_form import local_form
from locomote.gaits.timing import forces


@pytest.fixture(scope="module")
def snake():
    builder = lo.Builder("snake", base="planar", gravity=(0, 0, 0))
    link = lo.Inertia.box(1.0, (1.0, 0.1, 0.1))
    builder.body("middle", inertia=link)
    builder.body("head", parent="middle", at=(0.5, 0, 0), joint=lo.Joint("front"), inertia=link)
    builder.body("tail", parent="middle", at=(-0.5, 0, 0), joint=lo.Joint("rear"), inertia=link)
    blades = [lo.Blade("middle"), lo.Blade("head", (0.5, 0, 0)), lo.Blade("tail", (-0.5, 0, 0))]
    return lo.Locomotion(builder.build(), constraints=blades)


def planned(problem, target, names, **more):
    return lo.gaits.reach(problem, target, coordinates=names, knots=9, starts=1, **more)


@pytest.mark.parametrize("name", ["purcell_swimmer", "space_robot", "snake"])
def test_forces_stay_within_their_limits(name, snake):
    problem = snake if name == "snake" else lo.systems.load(name).problem()
    names = problem.model.joint_names[1:3]
    target = {"purcell_swimmer": {"x": 0.05}, "space_robot": {"turn": 0.03}, "snake": {"x": 0.05}}[name]
    more = {"start": [0.6, -0.9], "end": "free"} if name == "snake" else {}
    plan = planned(problem, target, names, rest=name != "purcell_swimmer", amplitude=0.2, **more)
    form = local_form(problem, names)
    slots = [problem.model.joint(n).v.start for n in names]
    run = plan.run(every=plan.duration / 100)
    np.testing.assert_allclose(forces(plan, form, run.t), run.tau[:, slots], atol=1e-4 * abs(run.tau).max())
    limit = {names[0]: 0.4, names[1]: 0.8}
    fast = plan.fastest(limit)
    assert abs(fast.pose - plan.pose).max() < 1e-4 and fast.error < 1e-3
    np.testing.assert_allclose(fast.length, plan.length, rtol=2e-3)
    run = fast.run(every=fast.duration / 400)
    used = np.max([abs(run.tau[:, k]) / limit[n] for k, n in zip(slots, names, strict=True)], axis=0)
    assert 0.97 < used.max() < 1.001 and np.median(used) > 0.7
    # as short as uniform slowing down to the same limits, or shorter
    uniform = np.max([abs(forces(plan, form, plan.duration * np.linspace(0, 1, 401))) / np.array([0.4, 0.8])])
    assert fast.duration < 1.02 * plan.duration * (np.sqrt(uniform) if problem.inertia else uniform)


def test_sentences(snake):
    plan = planned(lo.systems.load("purcell_swimmer").problem(), {"x": 0.05}, ["front", "rear"])
    for words, torques in (("expected a number above 0", {"front": 0.0}), ("no coordinate named 'knee'", {"knee": 1.0})):
        with pytest.raises((ValueError, lo.LocomoteError)) as raised:
            plan.fastest(torques)
        assert words in str(raised.value)
