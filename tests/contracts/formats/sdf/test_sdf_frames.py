"""Frames of SDF: random models drawn from known poses, whose files say them in frames that refer to each other."""

import numpy as np
import pytest
from sdf_files import random_model

import locomote as lo

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_link_and_axis_is_where_it_was_drawn(seed, tmp_path):
    truth = random_model(seed)
    for name, text in truth.files.items():
        (tmp_path / name).write_text(text)
    path = tmp_path / "robot.sdf"
    path.write_text(truth.text)
    description = lo.read_sdf(path)
    bodies = {f"robot::{body.name}": body for body in description.bodies}
    assert bodies.keys() == truth.poses.keys()
    carried = {body.joints[0].name: body for body in description.bodies if body.parent is not None}
    assert {f"robot::{name}" for name in carried} == truth.joints.keys()
    for name, body in carried.items():
        parent, child, place, axis = truth.joints[f"robot::{name}"]
        assert (f"robot::{body.parent}", f"robot::{body.name}") == (parent, child)
        there, joint = truth.poses[child], body.joints[0]
        np.testing.assert_allclose(truth.poses[parent] @ body.placement, there, atol=1e-12)
        np.testing.assert_allclose(there[:3, :3] @ joint.axis, axis, atol=1e-12)
        np.testing.assert_allclose(there[:3, :3] @ joint.anchor + there[:3, 3], place[:3, 3], atol=1e-12)


def test_random_models_have_all_that_frames_have():
    texts = [truth.text + "".join(truth.files.values()) for truth in map(random_model, SEEDS)]
    for word in (
        "merge='true'",
        "<placement_frame>",
        " placement_frame=",
        "::",
        "attached_to",
        "expressed_in",
        "degrees",
        "quat_xyzw",
    ):
        assert sum(word in text for text in texts) > 5, word


def test_one_root_is_free_and_its_start_is_told(tmp_path):
    truth = next(truth for truth in map(random_model, SEEDS) if not truth.files)
    description = lo.read_sdf(truth.text)
    roots = [body for body in description.bodies if body.parent is None]
    assert [joint.kind for joint in roots[0].joints] == ["free"] and np.array_equal(roots[0].placement, np.eye(4))
    assert any("where the file starts it is not kept" in sentence for sentence in description.warnings)
    held = lo.read_sdf(truth.text, base="fixed")
    root = next(body for body in held.bodies if body.parent is None)
    np.testing.assert_allclose(root.placement, truth.poses[f"robot::{root.name}"], atol=1e-12)
