"""Inverse kinematics: what it finds is judged by the second formulation; formulas find every configuration."""

import pickle

import numpy as np
import pytest
from mechanisms import case_of, random_description
from reference import Reference
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import locomote as lo

PUMA = [(90, 0, 0), (0, 0.4318, 0), (-90, 0.0203, 0.15005), (90, 0, 0.4318), (-90, 0, 0), (0, 0, 0)]
KUKA = [(90, 0.18, 0.4), (0, 0.6, 0.135), (90, 0.12, 0), (-90, 0, 0.62), (90, 0, 0), (0, 0, 0.115)]
SKEWED = [(40, 0.18, 0.4), (70, 0.6, 0.135), (20, 0.12, 0.1), (-60, 0, 0.62), (80, 0, 0), (0, 0, 0.115)]
PARALLEL = [(0, 0.5, 0.3), (90, 0.4, 0.1), (90, 0.1, 0.2), (-90, 0, 0.6), (90, 0, 0), (0, 0, 0.1)]
NO_WRIST = [(90, 0.1, 0.4), (0, 0.6, 0.1), (90, 0.1, 0.1), (-90, 0.1, 0.6), (90, 0.05, 0), (0, 0, 0.1)]
ARMS = {"puma": PUMA, "kuka": KUKA, "skewed": SKEWED, "parallel": PARALLEL}


def arm(rows, **more):
    """An arm of a standard table."""
    table = [{"alpha": alpha, "a": a, "d": d, "mass": 1.0, "ixx": 0.1, "iyy": 0.1, "izz": 0.1, **more} for alpha, a, d in rows]
    return lo.Model(lo.read_dh(table, convention="standard", angles="deg"))


def same_turn(a, b):
    return np.max(abs((a - b + np.pi) % (2 * np.pi) - np.pi)) < 1e-6


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("seed", range(6))
def test_all_configurations_of_a_wristed_arm(name, seed):
    """Every one reaches the pose, the one it was made from is among them, and no numeric search finds another."""
    model = arm(ARMS[name])
    q = model.random(seed)
    pose = Reference(model.description).at(q).pose("link6")
    found = lo.all_inverse_kinematics(model, pose)
    assert found.closed and not found.singular and len(found.q) in (2, 4, 6, 8)
    for row in found.q:
        assert np.allclose(Reference(model.description).at(row).pose("link6"), pose, atol=1e-9)
    assert sum(same_turn(row, q) for row in found.q) == 1
    rng = np.random.default_rng(seed)

    def miss(x):
        return (lo.forward_kinematics(model, x)[-1] - pose)[:3].ravel()

    for _ in range(6):
        done = least_squares(miss, rng.uniform(-np.pi, np.pi, 6), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        if done.cost < 1e-20:
            assert sum(same_turn(row, done.x) for row in found.q) == 1


def test_straight_wrist():
    model = arm(PUMA)
    q = np.array([0.3, 0.4, -0.5, 0.2, 0.0, 0.1])
    found = lo.all_inverse_kinematics(model, lo.forward_kinematics(model, q)[-1])
    assert found.singular and any(np.allclose(row[:3], q[:3]) and abs(row[4]) < 1e-6 for row in found.q)


def test_limits_leave_configurations_out():
    free, held = arm(PUMA), arm(PUMA, lower=np.degrees(-1.0), upper=np.degrees(1.0))
    q = np.full(6, 0.5)
    pose = lo.forward_kinematics(free, q)[-1]
    every, some = lo.all_inverse_kinematics(free, pose), lo.all_inverse_kinematics(held, pose)
    assert len(every.q) == 8 and len(some.q) + some.beyond_limits == 8 and len(some.q) < 8
    assert all((abs(row) <= 1.0 + 1e-9).all() for row in some.q) and any(np.allclose(row, q) for row in some.q)


def test_arms_without_formulas():
    model = arm(NO_WRIST)
    q = model.random(1)
    pose = lo.forward_kinematics(model, q)[-1]
    found = lo.all_inverse_kinematics(model, pose, starts=60)
    assert not found.closed and len(found.q) >= 2
    assert all(np.allclose(lo.forward_kinematics(model, row)[-1], pose, atol=1e-8) for row in found.q)


def test_out_of_reach():
    model = arm(KUKA)
    pose = np.eye(4)
    pose[:3, 3] = 5.0, 0.0, 0.0
    assert len(lo.all_inverse_kinematics(model, pose).q) == 0


@pytest.mark.parametrize("seed", range(12))
def test_any_frame_of_any_mechanism(seed):
    """Place and turn of a point of the last body, of mechanisms with every kind of joint, near where it was."""
    c = case_of(random_description(seed, base="fixed", coupled=False), seed)
    body = c.model.body_names[-1]
    near = c.model.integrate(c.q, 0.05 * c.v)
    pose, point = Reference(c.model.description).at(near).pose(body), np.array([0.1, -0.2, 0.3])
    target = lo.Target(body, pose[:3, :3] @ point + pose[:3, 3], pose[:3, :3], point=point)
    found = lo.inverse_kinematics(c.model, target, start=c.q)
    again = Reference(c.model.description).at(found.q).pose(body)
    assert found.reached and np.allclose(again, pose, atol=1e-7)


def test_several_targets_on_a_humanoid():
    model = lo.systems.load("humanoid").model
    rng = np.random.default_rng(2)
    q = model.integrate(model.neutral(), np.concatenate([np.zeros(6), 0.4 * rng.normal(size=model.nv - 6)]))
    poses = lo.forward_kinematics(model, q)
    foot, hand = (poses[model.body_index(name)] for name in ("left_foot", "right_hand"))
    targets = [lo.Target("left_foot", foot[:3, 3], foot[:3, :3]), lo.Target("right_hand", hand[:3, 3], held="xz")]
    found = lo.inverse_kinematics(model, targets)
    poses = lo.forward_kinematics(model, found.q)
    assert np.allclose(poses[model.body_index("left_foot")], foot, atol=1e-8)
    assert np.allclose(poses[model.body_index("right_hand"), [0, 2], 3], hand[[0, 2], 3], atol=1e-8)
    assert np.array_equal(found.q[:7], model.neutral()[:7])  # the base stays


def test_a_free_turn_about_the_tool():
    model = arm(KUKA)
    R = Rotation.from_euler("xyz", [0.2, 2.9, 0.4]).as_matrix()
    found = lo.inverse_kinematics(model, lo.Target("link6", (0.6, 0.2, 0.5), R, held="xyzab"))
    pose = lo.forward_kinematics(model, found.q)[-1]
    assert np.allclose(pose[:3, 2], R[:, 2], atol=1e-8) and np.allclose(pose[:3, 3], (0.6, 0.2, 0.5), atol=1e-8)


def test_limits_are_kept_and_failure_says_what_was_reached():
    model = arm([(0, 1.0, 0), (0, 1.0, 0)], lower=np.degrees(-0.5), upper=np.degrees(0.5))
    found = lo.inverse_kinematics(model, lo.Target("link2", (1.85, 0.65, 0), held="xy"))
    assert (abs(found.q) <= 0.5).all()
    with pytest.raises(lo.Unreachable, match="at their limits: joint1, joint2") as caught:
        lo.inverse_kinematics(model, lo.Target("link2", (0.0, 2.0, 0), held="xy"))
    best = caught.value.best
    assert np.allclose(best.q, 0.5) and not best.reached and best.errors[0][1] == 0.0
    assert best.errors[0][0] == pytest.approx(max(np.cos(0.5) + np.cos(1.0), 2 - np.sin(0.5) - np.sin(1.0)))
    assert pickle.loads(pickle.dumps(caught.value)).best.starts == best.starts
    assert np.allclose(lo.inverse_kinematics(model, lo.Target("link2", (0, 2, 0)), best=True).q, 0.5)


@pytest.mark.parametrize(
    "target, words",
    [
        (lambda: lo.Target("link7", (1, 0, 0)), "link7"),
        (lambda: lo.Target("link6"), "neither"),
        (lambda: lo.Target("link6", (1, 0)), "three finite"),
        (lambda: lo.Target("link6", (1, 0, np.nan)), "finite"),
        (lambda: lo.Target("link6", (1, 0, 1e300)), "finite"),
        (lambda: lo.Target("link6", (1, 0, 0), np.ones((3, 3))), "rotation"),
        (lambda: lo.Target("link6", (1, 0, 0), held="abc"), "only 'xyz'"),
        (lambda: "link6", "lo.Target"),
    ],
)
def test_wrong_targets(target, words):
    with pytest.raises((ValueError, lo.LocomoteError), match=words):
        lo.inverse_kinematics(arm(PUMA), [target()])


def test_wrong_calls():
    model = arm(PUMA)
    with pytest.raises(ValueError, match="tolerance"):
        lo.inverse_kinematics(model, lo.Target("link6", (1, 0, 0)), tolerance=np.nan)
    with pytest.raises(ValueError, match="rotation"):
        lo.all_inverse_kinematics(model, np.ones((4, 4)))
    with pytest.raises(ValueError, match="finite"):
        lo.all_inverse_kinematics(model, np.full((4, 4), np.nan))


def test_workspace_of_two_links():
    points = lo.workspace(arm([(0, 1.0, 0), (0, 0.6, 0)]), samples=4000)
    reach = np.hypot(points[:, 0], points[:, 1])
    assert abs(points[:, 2]).max() < 1e-12 and 0.4 - 1e-9 <= reach.min() < 0.41 and 1.59 < reach.max() <= 1.6 + 1e-9
    with pytest.raises(ValueError, match="samples"):
        lo.workspace(arm(PUMA), samples=0)
