"""Gradients over contacts: steps at their law against differences, backwards against forwards, and hits against the motion."""

import jumping_leg
import numpy as np
import pytest
from random_gradients import linear
from trotting_robot import averaged, slopes_by_curves, slopes_of, trot, trotter

import locomote as lo
from locomote.gradients.contact_case import ContactCase
from locomote.gradients.fixed import Case

ROBOT = trotter()


def case_of(problem, given, contacts="discrete", goal=None):
    """The runs of a gradient."""
    goal, controls = lo.at_end(lambda t, q, v: q[0]) if goal is None else goal, given["controls"]
    rest = (None, given["q"], given["v"], None, given["step"], "timestep", "check", 1, 1e9, (None, None), ())
    return ContactCase(**vars(Case.of(problem, goal, controls, *rest)), contacts=contacts)


def test_two_hundred_steps_of_a_trot():
    """Steps as such: their law is met to rounding, and differences of the same steps agree, through touches and slips."""
    given, d = trot(ROBOT, 2e-3), np.random.default_rng(0).normal(size=(200, 12))
    case, e = case_of(ROBOT, given), 1e-4
    case.rolled.go([])
    runs, nq = case.rolled, ROBOT.model.nq
    assert runs.left.max() < 1e-10 and (np.diff(runs.ways[:, 0], axis=0) != 0).sum() >= 8 and len(runs.lifts) >= 4
    none = np.zeros((1, nq + ROBOT.model.nv))
    slope = runs.along(none, d[None], np.zeros((1, 200, 1)), np.zeros((1, 0)), [200])[200][0]
    ends = []
    for sign in (1.0, -1.0):
        other = case_of(ROBOT, given | {"controls": given["controls"] + sign * e * d}).rolled
        ends.append(other.go([])[200][0])
        assert (other.ways == runs.ways).all()
    error = abs((ends[0] - ends[1]) / (2 * e) - slope)
    assert error[:nq].max() < 1e-7 * abs(slope[:nq]).max() and error[nq:].max() < 1e-6 * abs(slope[nq:]).max()


@pytest.mark.parametrize("contacts", ["saltation", "discrete"])
def test_backwards_is_forwards(contacts):
    rng = np.random.default_rng(1)
    goal = lo.at_end(linear(ROBOT, rng)) ** 2 + lo.integral(linear(ROBOT, rng)) + lo.at_time(linear(ROBOT, rng), 0.04)
    by = ["q", "v", "lf_hip_link.mass", "lf_hip.damping", "ground.friction", "gravity"]
    given = trot(ROBOT, 2e-3, 0.1) | {"contacts": contacts}
    _, back = lo.gradient(ROBOT, goal, [*by, "controls"], **given)
    _, ahead = lo.gradient(ROBOT, goal, by, way="forward", **given)
    for name in by:
        assert back[name] == pytest.approx(ahead[name], rel=1e-10, abs=1e-10 * abs(back[name]).max())
    assert back["controls"].shape == (50, 12) and any("touches" in switch.what for switch in back.switches)


def test_parameters_against_differences():
    goal, given = lo.at_end("net.x") + lo.integral("energy.kinetic"), trot(ROBOT, 2e-3, 0.1) | {"contacts": "discrete"}
    names = ["lf_hip_link.mass", "lf_hip.stiffness", "ground.friction"]
    _, slopes = lo.gradient(ROBOT, goal, names, **given)
    for name in names:
        value = ROBOT.parameters[name]
        ends = [
            lo.gradient(ROBOT.with_parameters({name: value * (1 + sign * 1e-5)}), goal, names, **given)[0] for sign in (1, -1)
        ]
        assert (ends[0] - ends[1]) / (2e-5 * value) == pytest.approx(slopes[name], rel=1e-6)


def thrown(points, friction=0.5):
    box = lo.Builder("box", base="free").body("box", inertia=lo.Inertia.box(2.0, (0.2, 0.2, 0.2))).build()
    return lo.Locomotion(box, contacts=[lo.Touch("box", lo.Ground(lo.Plane(), friction=friction), points=points)])


@pytest.mark.parametrize("height", [0.0307, 0.0309, 0.0311])
def test_a_hit_by_hand(height):
    """What falls from higher hits later, and slides from then on slower by friction times its speed of falling: the slope of
    where it is by the height is the coefficient. That of the steps as such is 0 or 1."""
    problem = thrown([(0, 0, 0)])
    q, v = problem.model.neutral(), np.array([2.0, 0, -2.0, 0, 0, 0])
    q[2] = height
    for step in (2e-3, 1e-3, 5e-4):
        given = {"q": q, "v": v, "duration": 0.1, "step": step}
        _, slopes = lo.gradient(problem, lo.at_end("net.x"), ["q"], **given)
        assert slopes["q"][2] == pytest.approx(0.5, abs=6.0 * step)
    _, slopes = lo.gradient(problem, lo.at_end("net.x"), ["q"], contacts="discrete", **given)
    assert abs(slopes["q"][2] - 0.5) > 0.4


@pytest.mark.parametrize("speed", [0.0, 0.6])
def test_redundant_points(speed):
    """Four corners of a box that stands or slides, and more between them: forces are not unique, motion is."""
    points = [(x, y, -0.1) for x in (-0.1, 0.0, 0.1) for y in (-0.1, 0.0, 0.1)]
    problem = thrown(points)
    q, v = problem.model.neutral(), np.array([speed, 0.2 * speed, 0, 0, 0, 0])
    q[2] = 0.1
    goal, by = lo.at_end(linear(problem, np.random.default_rng(3))), ["v", "box.mass", "box.friction"]
    by = [name for name in by if name == "v" or name in problem.parameters]
    given = {"q": q, "v": v, "duration": 0.05, "step": 1e-3, "contacts": "discrete"}
    _, back = lo.gradient(problem, goal, by, **given)
    _, ahead = lo.gradient(problem, goal, by, way="forward", **given)
    for name in by:
        assert back[name] == pytest.approx(ahead[name], rel=1e-9, abs=1e-9)
    if speed:
        way = np.array([1.0, -0.5, 0, 0, 0, 0])  # turning, friction would depend on which corner carries what
        ends = [lo.gradient(problem, goal, "v", **(given | {"v": v + sign * 1e-6 * way}))[0] for sign in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(back["v"] @ way, rel=1e-6)


def test_slopes_of_a_trot_at_four_step_lengths():
    """All slopes through six touches, two of which let other feet go, stay as steps become shorter, and each is that of curves
    through means of many runs within 10 %, the smallest ones, too."""
    slopes = np.array([slopes_of(ROBOT, step) for step in (2e-3, 1e-3, 5e-4, 2.5e-4)])
    shifts = np.linspace(0.36, 1.2, 5)
    true = slopes_by_curves(averaged(ROBOT, shifts, range(3000, 3040)).mean(axis=0), shifts)
    assert ((abs(slopes - true) / abs(true).max(axis=0)).max(axis=(1, 2)) < [0.04, 0.015, 0.01, 0.008]).all()
    assert (abs(slopes[-1] - true) < 0.1 * abs(true)).all()
    _, found = lo.gradient(ROBOT, lo.at_end("net.x"), "controls", **trot(ROBOT, 5e-4))
    at_once = [switch for switch in found.switches if switch.corner]
    assert len(at_once) == 2 and all(switch.what.endswith("at once with another") for switch in at_once)


def test_a_hit_that_lets_other_feet_go_a_step_later():
    """Slopes by all torques are alike whether feet that a hit pulls away open in its step or in the next one."""
    slopes = np.array([slopes_of(ROBOT, 0.4 / n) for n in range(800, 808)])
    assert (np.ptp(slopes, axis=0) < 0.015 * abs(slopes).max(axis=(0, 1))).all()


def test_a_jump_at_three_step_lengths():
    """Take-off, flight and landing: where the leg ends, and how fast, by torques of hip and knee."""
    leg = jumping_leg.leg()
    shifts = 0.5 * np.linspace(-1.0, 1.0, 41)
    for joint in (0, 1):
        moved = np.array([jumping_leg.push(5e-4, more, joint) for more in shifts])
        given = jumping_leg.jump(5e-4)
        many = lo.rollout(leg, moved, q=given["q"], v=given["v"], step=5e-4, joints=given["joints"])
        for speed in (False, True):
            goal = lo.at_end(lambda t, q, v, speed=speed: v[0] if speed else q[0])
            fitted = np.polyfit(shifts, (many.v if speed else many.q)[:, -1, 0], 3)[2]
            for step in (2e-3, 1e-3, 5e-4):
                _, slopes = lo.gradient(leg, goal, "controls", **jumping_leg.jump(step))
                assert slopes["controls"][:, joint].sum() == pytest.approx(fitted, rel=0.05)
    assert [switch.what for switch in slopes.switches if "touches" in switch.what or "opens" in switch.what] == [
        "foot touches and sticks", "foot opens", "foot touches and sticks"
    ]  # fmt: skip


def test_integrals_through_a_hit():
    """The integral of the kinetic energy of a ball that falls and stops, m g^2 t^3 / 6 with t = sqrt(2 h / g), by h."""
    problem, h = thrown([(0, 0, 0)], friction=0.0), 0.1
    q = problem.model.neutral()
    q[2] = h
    rest = np.sqrt(2 * h / 9.81)
    for step in (2e-3, 5e-4):
        given = {"q": q, "v": np.zeros(6), "duration": 0.3, "step": step}
        _, slopes = lo.gradient(problem, lo.integral("energy.kinetic"), ["q"], **given)
        assert slopes["q"][2] == pytest.approx(0.5 * 2.0 * 9.81 * rest, rel=10.0 * step)


def test_refusals():
    """What steps over contacts have no slopes for is said."""
    bouncing = lo.Ground(lo.Plane(), restitution=0.5)
    problem = thrown([(0, 0, 0)])
    other = problem.replaced(contacts=[lo.Touch("box", bouncing, points=[(0, 0, 0)])])
    with pytest.raises(ValueError, match="a ground has restitution"):
        lo.gradient(other, lo.at_end("net.x"), "q", duration=0.01)
    with pytest.raises(ValueError, match="which method='timestep' steps over, not 'adaptive'"):
        lo.gradient(problem, lo.at_end("net.x"), "q", duration=0.01, method="adaptive")
    with pytest.raises(ValueError, match="not differentiated over contacts"):
        lo.gradient(problem, lo.integral("power.torques"), "q", duration=0.01)


def test_contacts_that_give_way():
    """A smooth motion, whose slopes are exact for it, and whose goal is off less the less contacts give way: it is said."""
    leg, goal, given = jumping_leg.leg(), lo.at_end(lambda t, q, v: q[0]), jumping_leg.jump(2.5e-4)
    hard, slopes = lo.gradient(leg, goal, "controls", **given)
    off = {}
    for depth in (4e-3, 1e-3):
        value, soft = lo.gradient(leg, goal, ["controls", "thigh.mass"], contacts="smooth", depth=depth, check=True, **given)
        off[depth] = value - hard, soft["controls"][:, 1].sum() / slopes["controls"][:, 1].sum() - 1.0
        assert soft.check < 1e-5 and soft.said[0].endswith(f"off by {value - hard:.2g}") and not soft.switches
    assert 0.0 < off[1e-3][0] < 0.5 * off[4e-3][0] < 0.03 and abs(off[1e-3][1]) < 0.5 * abs(off[4e-3][1]) < 0.2
    with pytest.raises(ValueError, match="steps of 0.25 ms are too long for contacts that give way by 0.1 mm"):
        lo.gradient(leg, goal, "controls", contacts="smooth", depth=1e-4, **given)
    with pytest.raises(ValueError, match="'ground.friction' is a number of hard ground"):
        lo.gradient(leg, goal, "ground.friction", contacts="smooth", **given)
