"""What a report shows first: a verdict, the path, rods, footfall."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import locomote as lo
from locomote.view import first_on_legs, first_sight


@pytest.fixture(scope="module")
def board():
    return lo.systems.load("snakeboard").problem().simulate(5.0, progress=False)


def drawn(text: str) -> list:
    """The drawings of a block, which is well-formed."""
    return list(ElementTree.fromstring(text)) if text else []


def test_the_verdict_says_how_far_and_whether_to_believe_it(board):
    words = first_sight.verdict(board)
    assert words.count(". ") == 1 and words.endswith("checks of the audit passed.")
    assert f"got {board.net_motion.distance:.4g} m far" in words


def test_what_fails_its_audit_is_not_to_be_believed(board):
    wrong = board.part(slice(None), board.events)
    wrong = type(board)(**{**{name: getattr(wrong, name) for name in FIELDS}, "v": wrong.v * 1.5})
    assert "do not believe it" in first_sight.verdict(wrong)


FIELDS = ("model", "t", "q", "v", "a", "tau", "kinetic", "potential", "reactions", "work", "problem", "info", "imposed")


def test_the_path_has_one_scale_and_its_ends_are_those_of_the_run(board):
    (path,) = drawn(first_sight.drawings(board))
    numbers = np.array(re.findall(r"([\d.]+),([\d.]+)", path.find("polyline").get("points")), dtype=float)
    ratio = np.ptp(numbers, axis=0) / np.ptp(board.net_motion.position[:, :2], axis=0)
    assert np.isclose(*ratio, rtol=0.02)


def test_an_arm_shows_the_way_of_its_hand():
    """Of a double pendulum that hangs on the world: the way of the mass center of its lower body, by its angles."""
    builder = lo.Builder("double", base="fixed")
    for name, parent in (("upper", None), ("lower", "upper")):
        joint, inertia = lo.Joint(f"hinge_{name}", axis="y"), lo.Inertia(1.0, com=(0.0, 0.0, -0.5), moment=(0.1, 0.1, 0.01))
        builder.body(name, parent=parent, at=(0, 0, -1.0 if parent else 0.0), joint=joint, inertia=inertia)
    run = lo.Locomotion(builder.build()).simulate(2.0, q=[1.0, 0.5], every=0.002, progress=False)
    (way,) = drawn(first_sight.drawings(run))
    assert way.get("aria-label") == "way of lower"
    seen = np.array(re.findall(r"([\d.]+),([\d.]+)", way.find("polyline").get("points")), dtype=float)
    first, both = run.q[:, 0], run.q[:, 0] + run.q[:, 1]
    x, z = -np.sin(first) - 0.5 * np.sin(both), -np.cos(first) - 0.5 * np.cos(both)
    scale = np.ptp(seen, axis=0) / (np.ptp(x), np.ptp(z))
    assert np.isclose(*scale, rtol=0.02)
    assert abs((seen[0, 0] - seen[-1, 0]) / scale[0] - (x[0] - x[-1])) < 0.02


def test_a_hand_without_mass_is_where_its_frame_is():
    builder = lo.Builder("arm", base="fixed")
    builder.body("arm", joint=lo.Joint("hinge", axis="y"), inertia=lo.Inertia(1.0, com=(0.0, 0.0, -0.5)))
    builder.body("tip", parent="arm", at=(0, 0, -1.0))
    run = lo.Locomotion(builder.build()).simulate(1.0, q=[1.0], every=0.01, progress=False)
    (way,) = drawn(first_sight.drawings(run))
    seen = np.array(re.findall(r"([\d.]+),([\d.]+)", way.find("polyline").get("points")), dtype=float)
    scale = np.ptp(seen, axis=0) / np.ptp([np.sin(run.q[:, 0]), np.cos(run.q[:, 0])], axis=1)
    assert way.get("aria-label") == "way of tip" and np.isclose(*scale, rtol=0.02)


def test_rods_show_shapes_and_curvature():
    system = lo.systems.load("octopus_arm")
    run = system.problem().simulate(0.4, every=0.05, progress=False)
    titles = [one.get("aria-label") for one in drawn(first_sight.drawings(run))]
    assert [title.split(" of ")[0] for title in titles] == ["shapes", "curvature"]


def test_swimmers_show_speed_strouhal_number_and_efficiency():
    run = lo.systems.load("fish").problem().simulate(1.5, progress=False)
    (title,) = [one.get("aria-label") for one in drawn(first_sight.drawings(run)) if "speed" in one.get("aria-label")]
    assert "Strouhal number" in title and "efficiency" in title
    assert "Strouhal number" in first_sight.verdict(run) and "efficiency" in first_sight.verdict(run)


def test_wings_show_stroke_and_lift():
    """The stroke is what was asked for, and the lift is that of the energetics, which have tests of their own."""
    system = lo.systems.load("hovering_moth", guide="held", wings="imposed")
    run = system.problem().simulate(3 / 26.0, progress=False)
    titles = [one.get("aria-label") for one in drawn(first_sight.drawings(run))]
    stroke, lift = (next(t for t in titles if t.startswith(word)) for word in ("stroke", "lift"))
    assert abs(float(stroke.split()[1]) - 2 * 57.0) < 0.5  # deg
    mean = f"{run.energetics.lift:.4g}"
    assert mean in lift and f"carried {mean} of its weight" in first_sight.verdict(run)


def test_legs_show_which_foot_carries():
    system = lo.systems.load("trotting_quadruped")
    run = system.problem().simulate(0.5, progress=False)
    loads = first_on_legs.foot_loads(run)
    weight = system.model.mass * 9.81
    assert len(loads) == 4 and 0.5 * weight < np.mean(sum(loads.values())) < 2.0 * weight
    titles = [one.get("aria-label") for one in drawn(first_sight.drawings(run))]
    assert any(title.startswith("which foot") for title in titles) and any(title.startswith("load of each") for title in titles)


def test_what_hangs_on_the_world_has_no_path():
    run = lo.systems.load("simple_pendulum").problem().simulate(0.5, progress=False)
    assert first_sight.drawings(run) == "" and "moved in place" in first_sight.verdict(run)
