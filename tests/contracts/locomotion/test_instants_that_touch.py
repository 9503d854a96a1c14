"""Answers for one instant of problems with lo.Touch: refused where something touches, those without contacts elsewhere."""

import numpy as np
import pytest

import locomote as lo

FLYING, RESTING = 0.3, 0.05  # m, heights of the trunk


def bowl(x, y):
    return [0.1 * (x * x + y * y), 0.2 * x, 0.2 * y, 0.2, 0.0, 0.2]


GROUNDS = {
    "plane": lo.Plane(),
    "sphere": lo.Sphere((0, 0, -1.0), 1.0),
    "box": lo.Box((1, 1, 1), (0, 0, -1.0)),
    "steps": lo.Steps(0.5, 0.1, 1, (5.0, 0, 0)),
    "height field": lo.HeightField(bowl),
}


def problem(ground=None, **more):
    builder = lo.Builder("robot", base="free").body("trunk", inertia=lo.Inertia.box(1.0, (0.2, 0.2, 0.1)))
    builder.body(
        "arm", parent="trunk", at=(0, 0, 0.05), joint=lo.Joint("hinge", axis="y"), inertia=lo.Inertia(0.3, (0, 0, 0.1))
    )
    contacts = [] if ground is None else [lo.Touch("trunk", lo.Ground(ground), sphere=0.05, name="foot")]
    return lo.Locomotion(builder.build(), contacts=contacts, **more)


def state(height):
    return np.array([0, 0, height, 0, 0, 0, 1, 0.2]), np.zeros(7)


ANSWERS = {
    "evaluate": lambda p, q, v: p.evaluate(0.0, q, v).a,
    "derivatives": lambda p, q, v: p.derivatives(0.0, q, v).a.q,
    "linearize": lambda p, q, v: p.linearize(q, v).A,
    "reduction": lambda p, q, v: p.reduction(0.0, q, v).M,
    "connection": lambda p, q, v: p.connection(q).A,
    "modes": lambda p, q, v: lo.modes(p, q).shapes,
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_what_touches_is_told(name, ground):
    with pytest.raises(
        ValueError, match=r"'robot' does not know forces of contacts with friction, and 'foot' touches .*simulate"
    ):
        ANSWERS[name](problem(GROUNDS[ground]), *state(RESTING))


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_what_flies_moves_as_without_contacts(name, ground):
    found, expected = (ANSWERS[name](p, *state(FLYING)) for p in (problem(GROUNDS[ground]), problem()))
    assert np.array_equal(found, expected)


def test_a_run_knows_what_an_instant_does_not():
    p, (q, v) = problem(lo.Plane(), springs={"hinge": (5.0, 0.0, 0.5)}), state(RESTING)
    run = p.simulate(0.05, q=q, v=v, step=1e-3, progress=False)
    assert run.contact_forces[-1].sum(axis=0)[2] > 5.0
    with pytest.raises(ValueError, match="'foot' touches"):
        p.evaluate(run.t[-1], run.q[-1], run.v[-1])


def test_steps_by_hand_and_paths_of_equilibria_refuse_contacts():
    with pytest.raises(ValueError, match="'robot' has contacts with friction, which steps by hand do not know"):
        problem(lo.Plane()).stepper(*state(FLYING))
    with pytest.raises(ValueError, match="a path of equilibria of 'robot' does not know forces of contacts"):
        lo.equilibrium_path(lambda load: problem(lo.Plane()), state(FLYING)[0])


def test_an_equilibrium_says_that_it_knows_no_contacts():
    with pytest.raises(lo.NoEquilibrium, match="forces of contacts with friction are not known here: let a run come to rest"):
        lo.equilibrium(problem(lo.Plane()), state(RESTING)[0])
    hung = lo.Spring("trunk", other_point=(0, 0, 1.0), stiffness=100.0, length=0.1, name="rope")
    above, below = (problem(lo.Plane((0, 0, z)), environment=[hung], springs={"hinge": (5.0, 0.0, 0.0)}) for z in (-1.0, 0.9))
    found = lo.equilibrium(above, state(FLYING)[0])
    assert found.q[2] == pytest.approx(0.9 - 1.3 * 9.81 / 100.0, abs=1e-6)
    with pytest.raises(ValueError, match="an equilibrium of 'robot' does not know .* 'foot' touches"):
        lo.equilibrium(below, state(1.5)[0])


def test_an_equilibrium_in_gimbal_lock_is_none():
    """Forces of angles vanish there although those of the body do not."""
    link = lo.Inertia(1.0, (0.15, 0.0, 0.0), (0.002, 0.012, 0.012))
    builder = lo.Builder("robot").body("upper", joint=lo.Joint("turns", "euler", sequence="yzx"), inertia=link)
    builder.body("tip", parent="upper", at=(0.3, 0, 0), joint=lo.Joint("hinge", axis="y"), inertia=link)
    p = lo.Locomotion(builder.build())
    hanging = lo.equilibrium(p, [1.4, 0.1, 0.0, 0.1])
    assert abs(p.evaluate(0.0, hanging.q, np.zeros(4)).a).max() < 1e-6
    try:
        found = lo.equilibrium(p, [0.3, 0.2, 0.4, 0.1])
    except lo.NoEquilibrium as error:
        assert "gimbal lock" in str(error)
    else:
        assert abs(p.evaluate(0.0, found.q, np.zeros(4)).a).max() < 1e-6
