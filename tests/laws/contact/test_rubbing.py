"""Friction beyond one coefficient on ground at rest: belts, treadmills, skates, tyres, suction, static and fading friction.

All of it against closed forms. A point at the centre of mass of a body carries it without turning it.
"""

import numpy as np
import pytest

import locomote as lo

G = 9.81


def free_box(half=(0.1, 0.1, 0.05), mass=1.0):
    inertia = lo.Inertia.box(mass, tuple(2 * x for x in half))
    return lo.Builder("box", base="free").body("box", inertia=inertia).build()


def ran(problem, T, q, v, step=1e-3):
    run = problem.simulate(
        T, q=np.array(q, float), v=np.array(v, float), method="timestep", step=step, every=step, progress=False
    )
    assert run.tracked["contact_law"][0] == 0 and run.audit.ok, run.audit
    return run


def on_point(ground, T, v, *, z=0.0, turn=(0, 0, 0, 1), step=1e-3, **more):
    """A body on a point at its centre of mass."""
    touch = lo.Touch("box", ground, points=[(0, 0, 0)], **more)
    return ran(lo.Locomotion(free_box(), contacts=[touch]), T, [0, 0, z, *turn], v, step)


def test_a_box_put_on_a_belt():
    """It slides until it goes with the belt; the belt gives m V^2, of which half is lost."""
    mu, V, half = 0.4, 1.2, (0.1, 0.1, 0.05)
    ground = lo.Ground(friction=mu, motion=(V, 0, 0))
    run = ran(
        lo.Locomotion(free_box(half), contacts=[lo.Touch("box", ground, box=half)]), 0.6, [0, 0, 0.05, 0, 0, 0, 1], [0] * 6
    )
    rides = V / (mu * G)
    x = np.where(run.t < rides, mu * G * run.t**2 / 2, V * run.t - V**2 / (2 * mu * G))
    assert abs(run.q[:, 0] - x).max() < 1e-6 and abs(run.q[:, 2] - 0.05).max() < 1e-9
    assert run.work["constraints"][-1] == pytest.approx(V**2, rel=1e-3)
    assert run.work["losses"][-1] == pytest.approx(-(V**2) / 2, rel=1e-3)
    assert run.kinetic[-1] == pytest.approx(V**2 / 2, rel=1e-6)


def test_a_ball_on_a_treadmill():
    """A full ball put on it rolls in the end, at 2/7 of its speed: its moment of momentum about the line of contact is kept."""
    mu, V, r = 0.3, 2.0, 0.1
    model = lo.Builder("ball", base="free").body("ball", inertia=lo.Inertia.sphere(1.0, r)).build()
    problem = lo.Locomotion(model, contacts=[lo.Touch("ball", lo.Ground(friction=mu, motion=(V, 0, 0)), sphere=r)])
    run = ran(problem, 1.0, [0, 0, r, 0, 0, 0, 1], [0] * 6)
    rolls, v = 2 * V / (7 * mu * G), 2 * V / 7
    x = np.where(run.t < rolls, mu * G * run.t**2 / 2, v * (run.t - rolls / 2))
    assert abs(run.q[:, 0] - x).max() < 1e-6


@pytest.mark.parametrize("carried", [False, True])
def test_a_floor_that_moves_is_a_floor_at_rest_seen_by_somebody_who_walks(carried):
    """Galilei: a box thrown on it, with restitution and spin; the floor being the world's, or that of a body far too heavy."""
    V, half, throw = np.array([0.7, -0.4, 0.0]), (0.1, 0.15, 0.05), np.array([1.0, 0.5, -1.0, 2.0, 1.0, 3.0])
    ends = []
    for motion in (V, 0 * V):
        law = {"friction": 0.4, "restitution": 0.3, "motion": tuple(motion)}
        builder = lo.Builder("box").body(
            "box", inertia=lo.Inertia.box(1.0, (0.2, 0.3, 0.1)), joint=lo.Joint("free", kind="free")
        )
        turn = np.eye(4)
        if carried:  # the axes of the floor are not those of the world
            turn[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
            builder.body("floor", inertia=lo.Inertia(1e9), at=turn, joint=lo.Joint("slide", kind="prismatic", axis="z"))
            law |= {"body": "floor", "motion": tuple(turn[:3, :3].T @ motion)}
        model = builder.build()
        held = {"drives": {"slide": 0.0}} if carried else {}
        problem = lo.Locomotion(model, contacts=[lo.Touch("box", lo.Ground(**law), box=half)], **held)
        v = throw.copy()
        v[:2] -= (V - motion)[:2]
        run = ran(problem, 0.5, np.r_[0, 0, 0.3, 0, 0, 0, 1, [0.0] * carried], np.r_[v, [0.0] * carried])
        ends.append(run.q[:, :7].copy())
        ends[-1][:, :2] += np.outer(run.t, (V - motion)[:2])
    assert abs(ends[0] - ends[1]).max() < 1e-6


def test_a_skate_goes_where_it_points():
    """Nothing holds it along its blade, enough across: with a spin it goes round a circle."""
    v, spin = 1.0, 2.0
    run = on_point(lo.Ground(friction=0.0, across=0.8), 2.0, [v, 0, 0, 0, 0, spin], along=(1, 0, 0))
    angle = spin * run.t
    circle = v / spin * np.c_[np.sin(angle), 1 - np.cos(angle)]
    assert abs(run.q[:, :2] - circle).max() < 5e-3
    finer = on_point(lo.Ground(friction=0.0, across=0.8), 2.0, [v, 0, 0, 0, 0, spin], along=(1, 0, 0), step=5e-4)
    assert abs(finer.q[-1, :2] - circle[-1]).max() < 0.6 * abs(run.q[-1, :2] - circle[-1]).max()  # of first order
    side = on_point(lo.Ground(friction=0.0, across=0.5), 0.5, [1.0, 1.0, 0, 0, 0, 0], along=(1, 0, 0))
    assert abs(side.v[:, 0] - 1.0).max() < 1e-9 and abs(side.v[:, 1] - np.maximum(0, 1 - 0.5 * G * side.t)).max() < 1e-6


def test_a_locked_tyre_turns_towards_where_it_slides_more_easily():
    """Force is that of an ellipse, -mu_i^2 u_i / |mu u|: so v_y = C v_x to the power (mu_y / mu_x)^2."""
    mu, v0 = (0.6, 0.9), (2.0, 1.0)
    off = []
    for step in (1e-3, 2.5e-4):
        run = on_point(lo.Ground(friction=mu[0], across=mu[1]), 0.2, [*v0, 0, 0, 0, 0], along=(1, 0, 0), step=step)
        off.append(abs(run.v[:, 1] - v0[1] * (run.v[:, 0] / v0[0]) ** ((mu[1] / mu[0]) ** 2)).max())
        force, u = run.contact_forces[-1, 0], (run.v[-1, :2] + run.v[-2, :2]) / 2
        ellipse = np.square(mu) * u
        assert np.hypot(*(force[:2] / mu)) == pytest.approx(force[2], rel=1e-9)
        assert np.cross(np.r_[force[:2], 0], np.r_[ellipse, 0])[2] == pytest.approx(0, abs=3 * step * force[2])
    assert off[1] < 0.3 * off[0] and off[1] < 1e-3  # of first order, as all sliding whose direction turns


@pytest.mark.parametrize("part, holds", [(1.05, True), (0.95, False)])
def test_a_suction_cup_holds_as_much_as_it_can(part, holds):
    """Below a ceiling by four points, up to its weight."""
    half = (0.1, 0.1, 0.05)
    corners = [(x, y, 0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    ground = lo.Ground(lo.Plane((0, 0, 1.0), (0, 0, -1.0)), friction=0.5, adhesion=part * G / 4)
    problem = lo.Locomotion(free_box(half), contacts=[lo.Touch("box", ground, points=corners)])
    run = ran(problem, 0.3, [0, 0, 0.9499, 0, 0, 0, 1], [0, 0, 1.0, 0, 0, 0])
    fallen = 0.95 - run.q[-1, 2]
    assert fallen < 1e-8 if holds else fallen > 0.3
    if holds:
        assert run.contact_forces[-1, :, 2].sum() == pytest.approx(G, rel=1e-8)


def test_a_suction_cup_on_a_wall():
    """Friction is that of the load that the cup presses by itself: it holds, or slides down by g - mu A / m."""
    wall, x = lo.Plane((0, 0, 0), (1.0, 0, 0)), -1e-12
    for adhesion, fall in ((1.05 * G / 0.5, 0.0), (0.8 * G / 0.5, 0.2 * G)):
        touch = lo.Touch("box", lo.Ground(wall, friction=0.5, adhesion=adhesion), points=[(0, 0, 0)])
        problem = lo.Locomotion(free_box(), contacts=[touch])
        run = ran(problem, 0.3, [x, 0, 0, 0, 0, 0, 1], [-0.01, 0, 0, 0, 0, 0])
        settled = run.t > 0.01
        t = run.t[settled] - run.t[settled][0]
        z = run.q[settled, 2] - run.q[settled][0, 2] - run.v[settled][0, 2] * t
        assert abs(z + fall * t**2 / 2).max() < 1e-7 and abs(run.q[:, 0]).max() < 1e-4


def test_what_sticks_holds_more_than_what_slides():
    """On a slope between both angles of friction a body at rest stays, and one that slides goes on faster and faster."""
    angle, mu = np.radians(25), 0.4
    ground = lo.Ground(lo.Plane.slope(angle), friction=mu, static=0.5)
    down = np.array([np.cos(angle), 0, -np.sin(angle)])
    assert mu < np.tan(angle) < 0.5
    rest = on_point(ground, 0.5, [0] * 6)
    assert abs(rest.q[:, :3]).max() < 1e-8
    run = on_point(ground, 0.5, [*(0.2 * down), 0, 0, 0])
    way = 0.2 * run.t + G * (np.sin(angle) - mu * np.cos(angle)) * run.t**2 / 2
    assert abs(run.q[:, :3] @ down - way).max() < 1e-6


def test_friction_that_fades_with_speed():
    """mu = mu_k + (mu_s - mu_k) exp(-v / w): exp(v / w) falls to nothing by an exponential."""
    mu, static, w, v0 = 0.2, 0.5, 0.3, 1.5
    off = []
    for step in (2e-3, 1e-3):
        run = on_point(lo.Ground(friction=mu, static=static, fading=w), 0.3, [v0, 0, 0, 0, 0, 0], step=step)
        more = (static - mu) / mu
        z = (np.exp(v0 / w) + more) * np.exp(-G * mu * run.t / w) - more
        off.append(abs(run.v[:, 0] - w * np.log(z)).max())
    assert off[1] < 0.3 * off[0] and off[1] < 1e-5


@pytest.mark.parametrize(
    "law, message",
    [
        ({"motion": (0, 0, 1.0)}, "leaves its plane"),
        ({"motion": (1.0, 0)}, "three numbers"),
        ({"static": 0.1}, "at least 0.7"),
        ({"fading": 0.1}, "needs its static friction"),
        ({"static": 0.9, "across": 0.1}, "the same in all directions"),
        ({"motion": (1.0, 0, 0), "shear": 1e4}, "shear"),
        ({"adhesion": -1.0}, "not negative"),
    ],
)
def test_laws_that_make_no_sense_are_refused(law, message):
    with pytest.raises(ValueError, match=message):
        lo.Ground(**law)


def test_an_axis_of_friction_takes_both_sides():
    with pytest.raises(ValueError, match="along="):
        lo.Touch("box", lo.Ground(across=0.1), sphere=0.1)
    with pytest.raises(ValueError, match="across="):
        lo.Touch("box", lo.Ground(), sphere=0.1, along=(1, 0, 0))


def test_an_instant_does_not_know_these_laws():
    problem = lo.Locomotion(free_box(), contacts=[lo.Touch("box", lo.Ground(motion=(1.0, 0, 0)), points=[(0, 0, 0)])])
    with pytest.raises(ValueError, match="which runs know"):
        problem.evaluate(0.0, [0, 0, 0, 0, 0, 0, 1.0], np.zeros(6))
