"""Plans of contacts, checked by what shares no code with the planner; `benchmarks/plans.py` checks those of the page."""

import numpy as np
import pytest
from plan_checks import check, least_use, moved
from standing_robots import HRP2 as MODEL
from standing_robots import HRP2_SOLE as SOLE
from standing_robots import standing

import locomote as lo

RISE, DEPTH = 0.1, 0.28  # m, with room for soles of 0.24


def stairs(steps, *, rail=True):
    """Holds of two feet on stairs, and of the right hand on a rail."""
    found = []
    for side, y in (("left", 0.095), ("right", -0.095)):
        sole = lo.control.Contact(f"{side}_sole", SOLE, friction=0.6, name=f"{side} foot")
        for k in range(steps + 1):
            place = np.eye(4)
            place[:3, 3] = 0.03 + DEPTH * k, y, RISE * k
            found.append(lo.control.Support(f"{side} {k}", sole, place))
    hand = lo.control.Contact("right_palm", friction=0.5, name="hand")
    ahead = 0.1 + DEPTH / 2 * np.arange(2 * steps + 2) if rail else ()
    return found + [lo.control.Support(f"rail {k}", hand, (x, -0.33, 0.72 + RISE / DEPTH * x)) for k, x in enumerate(ahead)]


def on_the_ground():
    q = standing()
    q[2] -= lo.forward_kinematics(MODEL, q)[MODEL.body("left_sole").index][2, 3]
    return q


@pytest.fixture(scope="module")
def stair():
    """A stair, and the plan up it and to the rail."""
    supports, start, goal = stairs(1), ["left 0", "right 0"], ["left 1", "right 1", "rail 2"]
    plan = lo.control.plan_contacts(MODEL, supports, start, goal, posture=on_the_ground(), stride=0.45, margin=0.02)
    return supports, start, goal, plan


def test_up_a_stair(stair):
    supports, start, goal, plan = stair
    assert plan.found and min(change.stance.margin for change in plan.changes) > 0.02
    assert check(MODEL, plan, supports, start, goal).use <= max(change.stance.torque_use for change in plan.changes) + 1e-3
    phases = plan.phases()
    assert [phase.lift for phase in phases if phase.lift] and all(phase.center is not None for phase in phases[::2])


def test_the_plan_is_run(stair):
    """Whole-body control goes up a stair with a riser, an edge and a rail, which the plant has and the controller does not
    know."""
    supports, start, _, plan = stair
    feet = tuple(f"{side}_sole" for side in ("left", "right"))
    robot = lo.control.Humanoid(MODEL, on_the_ground(), "chest", feet, SOLE)
    ground = lo.Ground(lo.Steps(DEPTH, RISE, 1, (0.03 + DEPTH / 2, 0, 0)), 0.7)
    touches = [lo.Touch(foot, ground, points=tuple(map(tuple, SOLE))) for foot in feet]
    rail = next(support.middle for support in supports if support.name == "rail 2")
    peg = lo.Ground(lo.Box((0.04, 0.012, 0.012), tuple(rail - [0, 0, 0.012])), 0.6)
    touches.append(lo.Touch("right_palm", peg, points=((0, 0, 0),)))
    first = [support for support in supports if support.name in start]
    report = robot.follow(plan, first, touches, edges=True, clearance=0.08, swing=1.0).run()
    assert report.done and report.run.audit.ok and report.drift < 1e-3 and report.unsolved == 0
    poses = lo.forward_kinematics(MODEL, report.run.q[-1])
    for foot, y in zip(feet, (0.095, -0.095), strict=True):
        assert np.allclose(poses[MODEL.body(foot).index][:3, 3], [0.03 + DEPTH, y, RISE], atol=5e-3)
    assert np.allclose(poses[MODEL.body("right_palm").index][:3, 3], rail, atol=2e-3)


def test_no_way():
    """Without a rail no foot is wide enough for a margin of 8 cm; a stair that is too high is not reached."""
    q, start = on_the_ground(), ["left 0", "right 0"]
    plan = lo.control.plan_contacts(MODEL, stairs(1, rail=False), start, ["left 1", "right 1"], posture=q, margin=0.08)
    with pytest.raises(ValueError, match="found no way"):
        lo.control.Humanoid(MODEL, q, "chest", ("left_sole", "right_sole"), SOLE).follow(plan, [], [])
    assert not plan.found and plan.changes == () and plan.postures > 0
    leaning = moved(MODEL, q, 4, 0.5)
    assert least_use(MODEL, leaning, [support.contact for support in stairs(1) if support.name in start]) == np.inf


def test_wrong_plans():
    supports, q = stairs(1), on_the_ground()
    with pytest.raises(lo.UnknownName, match="left 0"):
        lo.control.plan_contacts(MODEL, supports, ["left"], ["left 1"], posture=q)
    with pytest.raises(ValueError, match="two supports in one stance"):
        lo.control.plan_contacts(MODEL, supports, ["left 0", "left 1"], ["left 1"], posture=q)
    with pytest.raises(ValueError, match="name of its own"):
        lo.control.plan_contacts(MODEL, [*supports, supports[0]], ["left 0"], ["left 1"], posture=q)
