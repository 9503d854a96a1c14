"""A start that does not meet drives and constraints: the run says what it changed, or refuses it."""

import numpy as np
import pytest

import locomote as lo


def sled(**options):
    builder = lo.Builder("sled", base="planar").body("sled", inertia=lo.Inertia.box(2.0, (0.6, 0.3, 0.1)))
    return lo.Locomotion(builder.build(), constraints=[lo.Blade("sled", (-0.2, 0, 0), name="blade")], **options)


def four_bar():
    return lo.systems.load("four_bar").problem()


def test_a_motion_that_constraints_forbid_is_refused():
    with pytest.raises(lo.InconsistentStart, match=r"'sled'.*base\.vy by -.* m/s.*start='project'"):
        sled().simulate(0.1, v=[0.0, 5.0, 0.0], progress=False)


def test_it_is_taken_if_asked_for_and_the_run_says_what_was_changed(tmp_path):
    run = sled().simulate(0.1, v=[0.0, 5.0, 0.0], start="project", progress=False)
    change = run.start_change
    assert np.allclose(run.v[0], np.array([0.0, 5.0, 0.0]) + change["v"]) and not change["q"].any()
    assert abs(change["v"][1]) > 1.0 and "start" in run.summary() and "base.vy by -" in run.summary()
    run.save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert np.array_equal(again.start_change["v"], change["v"]) and again.summary() == run.summary()
    assert "moved to meet" in run.extend(0.1, progress=False).summary()


def test_a_little_is_taken_away_and_said():
    run = sled().simulate(0.1, v=[2.0, 0.1, 0.0], progress=False)
    assert run.start_change is not None and run.start_change["v"][1] < -0.01


@pytest.mark.parametrize("v", [None, [2.0, 0.0, 0.0]])
def test_a_start_that_fits_is_not_changed(v):
    run = sled().simulate(0.1, v=v, progress=False)
    assert run.start_change is None and "moved to meet" not in run.summary()


def test_what_drives_set_in_motion_is_said_and_not_refused():
    """A base that must move because its shape does has been taken nothing away."""
    problem = lo.systems.load("roller_racer").problem()
    q, v = lo.systems.load("roller_racer").initial
    run = problem.simulate(0.1, q=q, v=0 * v, progress=False)
    assert run.start_change is not None and run.start_change["v"].any()
    base = 0 * v
    base[0] = 1e-6
    assert problem.simulate(0.1, q=q, v=base, start="project", progress=False).start_change is not None


def test_a_configuration_far_from_a_closed_one_is_refused():
    problem = four_bar()
    q, _ = problem.initial()
    far = q + np.where(problem.imposed, 0.0, 0.4)
    with pytest.raises(lo.InconsistentStart, match=r"rad.*start='project'"):
        problem.simulate(0.1, q=far, progress=False)
    run = problem.simulate(0.1, q=far, start="project", progress=False)
    assert abs(run.start_change["q"]).max() > 0.1
    assert problem.simulate(0.1, q=q + np.where(problem.imposed, 0.0, 0.01), progress=False).start_change is not None


def test_start_is_a_word():
    with pytest.raises(ValueError, match="start is 'nearest', expected 'check' or 'project'"):
        sled().simulate(0.1, start="nearest", progress=False)


def test_every_system_of_the_catalogue_starts_from_its_own_state():
    from locomote.systems.catalogue import names

    for name in names():
        system = lo.systems.load(name)
        q, v = system.initial
        problem = system.problem()
        run = problem.simulate(1e-4, q=q, v=v, samples=[0.0], progress=False)
        assert run.start_change is None or not run.start_change["q"][~problem.imposed].any(), name


SIDEWAYS = [0.0, 5.0, 0.0]
# what takes q, v and `start`, and gives q, v at the start and what was changed
WAYS = {
    "simulate": lambda problem, **given: of_run(problem.simulate(0.01, progress=False, **given)),
    "stepper": lambda problem, **given: of_stepper(problem.stepper(**given)),
    "reset": lambda problem, **given: of_stepper(reset(problem.stepper(), **given)),
    "one rollout": lambda problem, **given: of_rollouts(lo.rollout(problem, duration=0.01, **given)),
    "rollouts": lambda problem, **given: of_rollouts(lo.rollout(problem, duration=0.01, **last_of_three(problem, given))),
    "rollouts by timestep": lambda problem, **given: of_rollouts(
        lo.rollout(problem, duration=0.01, method="timestep", **last_of_three(problem, given))
    ),
}


def of_run(run):
    return run.q[0], run.v[0], run.start_change


def of_stepper(stepper):
    return stepper.q, stepper.v, stepper.start_change


def reset(stepper, **given):
    stepper.reset(**given)
    return stepper


def of_rollouts(runs):
    change = runs.start_change and {name: x[-1] for name, x in runs.start_change.items()}
    return runs.q[-1, 0], runs.v[-1, 0], change


def last_of_three(problem, given):
    """Two runs that start where they can, and one that does not."""
    good = dict(zip("qv", problem.initial(), strict=True))
    return {name: np.array([good[name], good[name], x]) if name in good else x for name, x in given.items()}


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_to_start_have_one_rule(way):
    """Refused, with one sentence; or taken if asked for, and what was changed is said."""
    with pytest.raises(lo.InconsistentStart, match=r"the start of 'sled'.*base\.vy by -.* m/s.*start='project'"):
        WAYS[way](sled(), v=SIDEWAYS)
    q, v, change = WAYS[way](sled(), v=SIDEWAYS, start="project")
    expected = sled().initial(None, SIDEWAYS)
    assert np.allclose(q, expected[0]) and np.allclose(v, expected[1]) and np.allclose(change["v"], v - SIDEWAYS)
    assert WAYS[way](sled(), v=[2.0, 0.1, 0.0])[2]["v"][1] < -0.01  # a little is taken away, and said
    assert WAYS[way](sled(), v=[2.0, 0.0, 0.0])[2] is None
    with pytest.raises(ValueError, match="start is 'nearest', expected 'check' or 'project'"):
        WAYS[way](sled(), start="nearest")


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_to_start_close_loops_alike(way):
    problem = four_bar()
    q, _ = problem.initial()
    with pytest.raises(lo.InconsistentStart, match=r"rad.*start='project'"):
        WAYS[way](problem, q=q + np.where(problem.imposed, 0.0, 0.4))
    near = q + np.where(problem.imposed, 0.0, 0.01)
    expected = of_run(problem.simulate(0.01, q=near, progress=False))
    found = WAYS[way](problem, q=near)
    assert np.allclose(found[0], expected[0], atol=1e-9) and np.allclose(found[2]["q"], expected[2]["q"], atol=1e-9)


def test_which_of_many_starts_is_refused():
    with pytest.raises(lo.InconsistentStart, match="^run 2: the start of 'sled'"):
        WAYS["rollouts"](sled(), v=SIDEWAYS)
