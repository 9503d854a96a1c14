"""Answers for one instant of problems with lo.Touch: by the law, or by states that are said; as without contacts elsewhere."""

import numpy as np
import pytest

import locomote as lo
from locomote.locomotion.touching import touching

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


def on_the_ground(p, q):
    """The state with the foot on its ground."""
    for _ in range(40):
        near = touching(p, 0.0, q, np.zeros(7), np.array([0]))
        q = q - np.r_[near.gaps[0] * near.axes[0, 2], np.zeros(5)]
    return q


@pytest.mark.parametrize("name", ["reduction", "connection"])
def test_what_depends_on_states_asks_for_them(name):
    p, (q, v) = problem(lo.Plane()), state(RESTING)
    with pytest.raises(ValueError, match=r"'robot' depends on which contacts hold, and 'foot' touches .*with_contacts"):
        ANSWERS[name](p, q, v)
    assert np.isfinite(ANSWERS[name](p.with_contacts({"foot": "stick"}, q), q, v)).all()


@pytest.mark.parametrize("name", ["evaluate", "derivatives", "linearize"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_what_sticks_is_held_as_by_constraints(name, ground):
    p = problem(GROUNDS[ground], springs={"hinge": (5.0, 0.0, 0.1)})
    q, v = state(RESTING)
    q = on_the_ground(p, q)
    found, expected = (ANSWERS[name](x, q, v) for x in (p, p.with_contacts({"foot": "stick"}, q)))
    assert np.allclose(found, expected, atol=1e-9 * (1 + abs(expected).max()))


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_what_flies_moves_as_without_contacts(name, ground):
    found, expected = (ANSWERS[name](p, *state(FLYING)) for p in (problem(GROUNDS[ground]), problem()))
    assert np.array_equal(found, expected)


def test_an_instant_knows_what_a_run_comes_to():
    p, (q, v) = problem(lo.Plane(), springs={"hinge": (5.0, 0.2, 0.5)}), state(RESTING)
    rest = lo.equilibrium(p, q)
    run = p.simulate(0.05, q=rest.q, v=v, step=1e-3, progress=False)
    now = p.evaluate(run.t[-1], run.q[-1], run.v[-1])
    assert np.allclose(now.contact_forces, run.contact_forces[-1], atol=1e-5) and now.contact_states == {"foot": "stick"}
    assert abs(now.contact_forces[0, 2] - 1.3 * 9.81) < 1e-5


def test_hits_and_unknown_states_are_told():
    p, (q, v) = problem(lo.Plane()), state(RESTING)
    v[2] = -1.0
    with pytest.raises(ValueError, match=r"'foot' of 'robot' hits its ground in this state, at 1 m/s.*problem.impact"):
        p.evaluate(0.0, q, v)
    after = p.impact(q, v)
    assert abs(after.v[2]) < 1e-9 and after.contact_impulses[0, 2] > 0.0
    with pytest.raises(lo.UnknownName, match="'leg'"):
        p.evaluate(0.0, q, 0 * v, contacts={"leg": "stick"})
    with pytest.raises(lo.UnknownName, match="'glued'"):
        p.evaluate(0.0, q, 0 * v, contacts={"foot": "glued"})
    with pytest.raises(ValueError, match="'foot' of 'robot' is to slide and does not move along its ground"):
        p.evaluate(0.0, q, 0 * v, contacts={"foot": "slide"})
    with pytest.raises(ValueError, match="'foot' of 'robot' slides with friction"):
        p.with_contacts({"foot": "slide"}, q)


def test_paths_of_equilibria_refuse_contacts():
    with pytest.raises(ValueError, match="a path of equilibria of 'robot' does not know forces of contacts"):
        lo.equilibrium_path(lambda load: problem(lo.Plane()), state(FLYING)[0])


def test_an_equilibrium_says_what_slides():
    tilted = problem(lo.Plane.slope(0.5), springs={"hinge": (5.0, 0.0, 0.1)})
    standing = tilted.replaced(contacts=[lo.Touch("trunk", lo.Ground(lo.Plane.slope(0.5), friction=0.4), box=(0.1, 0.1, 0.05))])
    n = np.array(lo.Plane.slope(0.5).normal)
    q = np.array([*(0.05 * n), 0, np.sin(0.25), 0, np.cos(0.25), 0.0])
    with pytest.raises(lo.NoEquilibrium, match="friction of contact 'touch_trunk.0' does not hold it, and it slides"):
        lo.equilibrium(standing, q)


def test_a_run_has_forces_of_contacts_from_its_first_sample_on():
    p, (q, v) = problem(lo.Plane(), springs={"hinge": (5.0, 0.2, 0.5)}), state(RESTING)
    rest = lo.equilibrium(p, q)
    run = p.simulate(0.01, q=rest.q, v=v, step=1e-3, progress=False)
    assert np.allclose(run.contact_forces[0], run.contact_forces[1], atol=1e-6) and run.contact_forces[0, 0, 2] > 12.0
    assert np.allclose(run.contact_points[0], run.contact_points[1], atol=1e-9)
    assert run["foot.force z"][0] == run.contact_forces[0, 0, 2] and run.audit.ok
    hitting = p.simulate(0.01, q=q, v=np.r_[0, 0, -1.0, 0, 0, 0, 0], step=1e-3, progress=False)
    assert (hitting.contact_forces[0] == 0).all() and hitting.contact_forces[1].any()


def test_events_bear_names_and_impulses_of_their_contacts():
    ball = lo.Builder("ball", base="xyz").body("ball", inertia=lo.Inertia.sphere(2.0, 0.1)).build()
    ground = lo.PointContact("ball", target=(0, 0, 0), directions="z", unilateral=True, restitution=0.5, name="floor")
    run = lo.Locomotion(ball, constraints=[ground]).simulate(
        0.6, q=[0, 0, 1.0], events=[lo.When(lambda t, q, v: t - 0.1, name="tenth")], progress=False
    )
    tenth, hit = (next(e for e in run.events if e.kind == kind) for kind in ("event", "impact"))
    assert tenth.name == "tenth" and hit.name == "floor"
    assert np.isclose(hit.data["contact_impulses"]["floor"][0], 1.5 * 2.0 * np.sqrt(2 * 9.81))
