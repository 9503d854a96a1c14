"""Where something rests on contacts that only push: reactions by the lever, contacts that open, and rest that there is not."""

import numpy as np
import pytest

import locomote as lo


def beam(places, gravity=-9.81, **options):
    """A beam of 2 kg in the plane, its mass center at x = 0, over supports at places; free to slide, rise and turn."""
    builder = lo.Builder("beam", base="fixed", gravity=(0.0, 0.0, gravity))
    slide = lo.Joint("x", "prismatic", axis="x", stiffness=50.0)
    joints = [slide, lo.Joint("z", "prismatic", axis="z"), lo.Joint("turn", axis="y")]
    builder.body("beam", joint=joints, inertia=lo.Inertia(2.0, moment=(0.1, 0.1, 0.1)))
    point = {"directions": "z", "unilateral": True}
    contacts = [lo.PointContact("beam", (x, 0.0, 0.0), (x, 0.0, 0.0), name=f"at {x:g}", **point) for x in places]
    return lo.Locomotion(builder.build(), constraints=contacts, **options)


def test_reactions_by_the_lever():
    found = lo.equilibrium(beam((-0.3, 0.6)), [0.0, 0.0, 0.0])
    assert found.reactions == pytest.approx(2 * 9.81 * np.array([2 / 3, 1 / 3]), rel=1e-9) and found.open == ()
    assert found.q == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_what_would_have_to_pull_opens():
    """Three supports under a beam that a spring holds level: the one that would pull has no force."""
    spring = {"turn": (200.0, 0.0, 0.0)}
    problem = beam((-0.3, 0.6), springs=spring, environment=[lambda t, q, v: {"beam": [0, 0, 0, 0, 12.0, 0]}])
    found = lo.equilibrium(problem)
    first, second = found.reactions
    assert min(first, second) >= 0.0 and max(first, second) == pytest.approx(2 * 9.81, rel=1e-6) and len(found.open) == 1
    gap = problem.rows(0.0, found.q)[3]
    assert (gap >= -1e-9).all() and abs(gap[found.reactions > 0]).max() < 1e-9
    closed = [name for name in ("at -0.3", "at 0.6") if name not in found.open]
    assert abs(problem.evaluate(0.0, found.q, np.zeros(3), closed=closed).a).max() < 1e-6


def test_a_run_comes_to_rest_there():
    spring = {"turn": (200.0, 0.0, 12.0), "x": (0.0, 0.0, 20.0)}
    problem = beam((-0.3, 0.6), springs=spring, environment=[lambda t, q, v: {"beam": [0, 0, 0, 0, 12.0, 0]}])
    found = lo.equilibrium(problem)
    run = problem.simulate(8.0, q=found.q + [0.0, 0.0, 0.01], progress=False)
    assert run.q[-1] == pytest.approx(found.q, abs=1e-5)


def test_no_rest_on_a_contact_that_pulls():
    """What falls upwards off its supports, or tips over one of them, has no rest."""
    with pytest.raises(lo.NoEquilibrium, match="would have to pull by"):
        lo.equilibrium(beam((-0.3, 0.6), gravity=9.81))
    over = beam((0.1, 0.6))
    with pytest.raises(lo.NoEquilibrium, match="contact 'at 0.6' would have to pull by 3.92 N"):
        lo.equilibrium(over)


def test_paths_end_where_a_contact_would_pull():
    """A moment that grows: the left support is let go of at the moment of the weight about the right one."""
    moment = lambda load: lambda t, q, v: {"beam": [0, 0, 0, 0, 12.0 * load, 0]}  # noqa: E731
    loaded = lambda load: beam((-0.3, 0.6), environment=[moment(load)])  # noqa: E731
    path = lo.equilibrium_path(loaded, until=0.4)
    assert path.loads[-1] == pytest.approx(0.4) and (path.reactions > 0).all()
    with pytest.raises(lo.NoEquilibrium, match="would have to pull by"):
        lo.equilibrium_path(loaded, until=2.0)


def test_an_open_contact_does_not_hold_swings():
    """A pendulum whose stop is open swings as one without."""
    builder = lo.Builder("pendulum", base="fixed")
    builder.body("bob", joint=lo.Joint("pivot", axis="y"), inertia=lo.Inertia(1.0, com=(0, 0, -1.0), moment=(0.0, 0.0, 0.0)))
    stop = lo.PointContact("bob", (0, 0, -1.0), (0, 0, -1.5), directions="z", unilateral=True, name="stop")
    problem = lo.Locomotion(builder.build(), constraints=[stop])
    assert lo.modes(problem, [0.0]).rates == pytest.approx([np.sqrt(9.81)], rel=1e-6)
