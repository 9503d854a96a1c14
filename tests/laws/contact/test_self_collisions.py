"""Shapes of a robot that are near each other, against all pairs."""

import numpy as np
import pytest
from helpers.example_robots import ROBOTS

import locomote as lo


def arm(**second):
    """Three links in a row, with balls; the third can turn back onto the first."""
    builder = lo.Builder("arm")
    shapes = [lo.Collision("sphere", (0.1,)), lo.Collision("sphere", (0.1,)), lo.Collision("sphere", (0.1,), **second)]
    for n, shape in enumerate(shapes):
        hung = {} if n == 0 else {"parent": f"l{n - 1}", "at": (0.15, 0, 0)}
        joint = lo.Joint(f"j{n}", axis="z")
        builder.body(f"l{n}", joint=joint, inertia=lo.Inertia.sphere(1, 0.1), collisions=[shape], **hung)
    return builder.build()


def test_neighbours_are_left_out_and_others_found():
    model = arm()
    assert lo.self_collisions(model, [0, 0, 0]) == ()
    (pair,) = lo.self_collisions(model, [0, 2.5, 0])  # l2 comes back to l0
    places = lo.forward_kinematics(model, np.array([0, 2.5, 0]))[:, :3, 3]
    assert (pair.first.body, pair.second.body) == ("l0", "l2")
    assert np.isclose(pair.gap, np.linalg.norm(places[2] - places[0]) - 0.2)
    (near,) = lo.self_collisions(model, [0, 0, 0], margin=0.11)
    assert np.isclose(near.gap, 0.1)


def test_groups_and_files_keep_apart():
    assert lo.self_collisions(arm(group=2, mask=2), [0, 2.5, 0]) == ()
    text = (
        '<mujoco><worldbody><body name="a"><joint/><geom size="0.1"/><body name="b" pos="0.1 0 0"><joint/><geom size="0.1"/>'
        '<body name="c" pos="0.05 0 0"><joint/><geom size="0.1"/></body></body></body></worldbody>EXCLUDE</mujoco>'
    )
    exclude = '<contact><exclude body1="c" body2="a"/></contact>'
    assert len(lo.self_collisions(lo.Model(lo.read_mjcf(text.replace("EXCLUDE", ""))), [0, 0, 0])) == 1
    assert lo.self_collisions(lo.Model(lo.read_mjcf(text.replace("EXCLUDE", exclude))), [0, 0, 0]) == ()


def test_balls_about_shapes_leave_nothing_out():
    model = lo.load(ROBOTS / "anymal_b_simple_description/robots/anymal.urdf", base="free")
    random = np.random.default_rng(2)
    q = model.neutral()
    q[7:] = random.uniform(-1.5, 1.5, len(q) - 7)
    found = {(x.first.title, x.second.title, round(x.gap, 9)) for x in lo.self_collisions(model, q)}
    poses, every = lo.forward_kinematics(model, q), set()
    for a, b in lo.collision_pairs(model).pairs:
        gap = lo.separation(a, poses[model.body_index(a.body)], b, poses[model.body_index(b.body)]).gap
        if gap <= 0:
            every.add((a.title, b.title, round(gap, 9)))
    assert found == every and found


def test_odd_calls():
    with pytest.raises(ValueError, match="margin"):
        lo.self_collisions(arm(), [0, 0, 0], margin=np.nan)
    with pytest.raises(ValueError, match="q has shape"):
        lo.self_collisions(arm(), [0, 0])


def test_pairs_are_off_for_a_reason():
    model = arm()
    assert [(a.body, b.body) for a, b in lo.collision_pairs(model).pairs] == [("link0", "link2")] or len(
        lo.collision_pairs(model)
    ) == 1
    kept = lo.collision_pairs(model)
    a, b = kept.pairs[0]
    assert kept.without(a.body, b.body).off[-1][2] == "as said" and not kept.without(a.body, b.body).pairs
    assert not kept.only([a.body]).pairs and len(kept.only([a.body, b.body])) == 1
    with pytest.raises(lo.UnknownName, match="nobody"):
        kept.without("nobody", a.body)
    (near,) = lo.self_collisions(model, model.neutral(), margin=10.0)
    assert near.gap > 0
    folded = model.neutral()
    for joint in model.joint_names[1:]:
        folded[model.joint(joint).q] = 3.0
    deep = lo.self_collisions(model, folded)
    off = lo.collision_pairs(model, folded).off
    assert [reason for _, _, reason in off] == ["overlap at the start"] * len(deep) and len(deep) == 1
