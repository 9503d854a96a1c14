"""Shapes of bodies that touch each other in runs: they stand, they hit, nothing is lost by looking less often."""

import numpy as np
import pytest

import locomote as lo
from locomote.contact import spots as at
from locomote.contact.bodies import pairs_of
from locomote.contact.meeting import meet_one
from locomote.methods.entries import rows_one

CUBE = lo.Hull([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
BOX, CAN = lo.Box((0.1, 0.1, 0.1)), lo.Collision("cylinder", (0.1, 0.2))


def bodies(count, gravity=(0.0, 0.0, -9.81)):
    builder = lo.Builder("bodies", gravity=gravity)
    for k in range(count):
        builder = builder.body(f"b{k}", joint=lo.Joint(f"j{k}", "free"), inertia=lo.Inertia.box(1.0 + k, (0.2, 0.2, 0.2)))
    return builder.build()


def meeting(shapes, **law):
    count = len(shapes)
    solids = tuple(lo.Solid(f"b{k}", shape) for k, shape in enumerate(shapes))
    return lo.BodyContacts(solids, tuple((i, j) for i in range(count) for j in range(i + 1, count)), **law)


def stacked(shapes, **law):
    """Bodies of height 0.2 on each other, turned a little, above a floor."""
    model = bodies(len(shapes))
    q = model.neutral()
    for k in range(len(shapes)):
        q[model.joint(f"j{k}").q] = [0.004 * k, 0.003 * k, 0.1 + 0.201 * k, 0, 0, np.sin(0.15 * k), np.cos(0.15 * k)]
    floor = lo.Touch("b0", lo.Ground(), shape=shapes[0])
    return lo.Locomotion(model, contacts=[floor, meeting(shapes, **law)], start=(q, np.zeros(model.nv)))


@pytest.mark.parametrize(
    "shapes", [[CUBE, CUBE, CUBE], [BOX, CUBE, BOX], [BOX, CAN, CUBE], [CUBE, lo.Capsule(0.1, 0.08, axis=(1, 0, 0))]],
    ids=["hulls", "mixed", "cylinder", "capsule"],
)  # fmt: skip
def test_stacks_stand(shapes):
    problem = stacked(shapes)
    run = problem.simulate(1.0, step=2e-3, every=0.1)
    assert run.audit.ok, str(run.audit)
    assert abs(run.q[-1] - run.q[-2]).max() < 1e-10
    assert np.allclose(run.q[-1].reshape(-1, 7)[:, 2], 0.1 + 0.2 * np.arange(len(shapes)), atol=2e-6)
    for k in range(1, len(shapes)):  # what lies above each is carried by its own pairs
        above = 9.81 * sum(problem.model.body(f"b{n}").mass for n in range(k, len(shapes)))
        slots = run.contact_forces[-1, -run.contact_pairs.shape[1] :]
        known = [tuple(sorted((a.body, b.body))) for a, b in pairs_of(problem)]
        own = [known.index((f"b{k - 1}", f"b{k}")) + 1 == pair for pair in run.contact_pairs[-1]]
        assert np.allclose(abs(slots[own].sum(axis=0)), [0, 0, above], atol=1e-6)


def test_hits_keep_momentum_and_what_restitution_says():
    model = bodies(2, gravity=(0.0, 0.0, 0.0))
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.joint("j1").q] = [0.4, 0.03, 0.02, 0.1, 0.2, 0.05, np.sqrt(1 - 0.0525)]
    v[model.joint("j1").v] = [-1.0, 0, 0, 0.5, -0.3, 1.0]
    before = lo.momentum(model, q, v)
    for restitution in (0.0, 0.6):
        problem = lo.Locomotion(model, contacts=[meeting([CUBE, CUBE], restitution=restitution, friction=0.3)])
        run = problem.simulate(0.6, q=q, v=v, step=1e-3, every=0.05)
        assert run.audit.ok, str(run.audit)
        assert run.kinetic[-1] < run.kinetic[0] and abs(run.v[-1][:3]).max() > 0.1
        after = lo.momentum(model, run.q[-1], run.v[-1])
        assert np.allclose(after[:3], before[:3], atol=1e-12) and np.allclose(after[3:], before[3:], atol=1e-4)


def test_balls_by_shapes_are_balls_by_between():
    model = bodies(2, gravity=(0.0, 0.0, 0.0))
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.joint("j1").q][:2] = 0.3, 0.05
    v[model.joint("j1").v][0] = -1.0
    ball = lo.Sphere(radius=0.1)
    ends = []
    for contacts in (
        [meeting([ball, ball], restitution=0.5, friction=0.2)],
        lo.balls("b0", 0.1, "b1", 0.1, restitution=0.5, friction=0.2),
    ):
        run = lo.Locomotion(model, contacts=contacts).simulate(0.4, q=q, v=v, step=1e-3, every=0.4)
        ends.append(run.v[-1])
    assert np.allclose(ends[0], ends[1], atol=1e-9) and abs(ends[0]).max() > 0.1


def test_nothing_is_lost_by_looking_less_often():
    rng = np.random.default_rng(5)
    shapes = [CUBE, BOX, CAN, lo.Ellipsoid((0.1, 0.08, 0.12)), lo.Hull(rng.normal(size=(30, 3)) * 0.06), lo.Capsule(0.05, 0.1)]
    model = bodies(len(shapes))
    problem = lo.Locomotion(model, contacts=[meeting(shapes)])
    plan, still = problem.plan, np.zeros(model.nv)
    follows, looked = problem.work_for(plan), [0, 0]
    v = 0.3 * rng.normal(size=model.nv)
    q = model.integrate(model.neutral(), rng.normal(size=model.nv) * 0.25)
    for step in range(120):
        q = model.integrate(q, 5e-3 * v)
        v = v - 0.2 * np.concatenate([[*q[7 * k : 7 * k + 3], 0, 0, 0] for k in range(len(shapes))]) if step % 2 else v
        found = []
        for n, work in enumerate((follows, problem.work_for(plan))):
            placed = np.zeros((len(plan.spots), at.PLACED))
            rows_one(plan, work, 0.0, q, still, still)
            looked[n] += meet_one(plan, work, np.zeros_like(placed), at.PAIR, placed, 1e-3, 1e-3)
            found.append(placed[np.argsort(placed[:, at.PAIR], kind="stable")])
        assert np.array_equal(*found)
    assert looked[0] < 0.6 * looked[1]


def test_more_pairs_than_room_are_a_missed_law():
    problem = stacked([BOX, BOX, BOX], room=1)
    run = problem.simulate(0.1, step=2e-3)
    assert not run.audit.ok and run.tracked["contact_law"][0] > 0


def test_runs_go_on_from_files(tmp_path):
    problem = stacked([CUBE, CAN, BOX])
    whole = problem.simulate(0.4, step=2e-3, every=0.1)
    problem.simulate(0.2, step=2e-3, every=0.1).save(tmp_path / "run.h5")
    again = lo.open_run(tmp_path / "run.h5")
    assert np.array_equal(again.contact_pairs, whole.contact_pairs[:3]) and again.contact_pairs.any()
    more = again.extend(0.2, every=0.1)
    assert np.array_equal(more.q[-1], whole.q[-1]) and np.array_equal(more.contacts[-1], whole.contacts[-1])


def test_what_is_said_wrongly_is_refused():
    model = bodies(2)
    with pytest.raises(ValueError, match="expected places of two of 2 solids"):
        lo.BodyContacts((lo.Solid("b0", BOX), lo.Solid("b1", BOX)), ((0, 2),))
    with pytest.raises(ValueError, match="friction of 'bodies'"):
        meeting([BOX, BOX], friction=-1.0)
    with pytest.raises(ValueError, match="do not move relative to each other"):
        lo.Locomotion(model, contacts=[lo.BodyContacts((lo.Solid("b0", BOX), lo.Solid("b0", CUBE)), ((0, 1),))])
    with pytest.raises(lo.UnknownName, match="b7"):
        lo.Locomotion(model, contacts=[lo.BodyContacts((lo.Solid("b0", BOX), lo.Solid("b7", CUBE)), ((0, 1),))])
    with pytest.raises(ValueError, match="belongs to the world"):
        lo.Locomotion(model, contacts=[lo.BodyContacts((lo.Solid("b0", BOX), lo.Solid("b1", lo.Plane())), ((0, 1),))])
    problem = stacked([BOX, BOX])
    q = problem.simulate(0.2, step=2e-3, every=0.2).q[-1]
    with pytest.raises(ValueError, match="known in runs"):
        problem.evaluate(0.0, q, np.zeros(problem.model.nv))


@pytest.mark.parametrize("shape", [CUBE, BOX, CAN, lo.Capsule(0.1, 0.08, axis=(1, 0, 0)), lo.Sphere(radius=0.1)], ids=str)
def test_solids_above_a_plane_are_shapes_on_a_ground(shape):
    model = bodies(1)
    q = model.neutral()
    q[:7] = [0, 0, 0.12, 0, 0, np.sin(0.2), np.cos(0.2)]
    slope = lo.Plane.slope(0.1)
    solids = (lo.Solid(None, slope), lo.Solid("b0", shape))
    run = lo.Locomotion(model, contacts=[lo.BodyContacts(solids, ((1, 0),), friction=0.05)]).simulate(
        0.5, q=q, step=5e-4, every=0.05
    )
    assert run.audit.ok, str(run.audit)
    known = [lo.Touch("b0", lo.Ground(slope, 0.05), shape=shape)] if shape is not CAN else []
    if known:
        other = lo.Locomotion(model, contacts=known).simulate(0.5, q=q, step=5e-4, every=0.05)
        assert np.allclose(run.v[-1], other.v[-1], atol=2e-3 * abs(other.v[-1]).max() + 1e-9)
    with pytest.raises(ValueError, match="belongs to the world"):
        lo.Locomotion(model, contacts=[lo.BodyContacts((lo.Solid("b0", slope), lo.Solid(None, BOX)), ((0, 1),))])
