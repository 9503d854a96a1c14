"""URDF out and in again: the same mechanism; and what URDF cannot say is refused in words."""

import errno
import os
from dataclasses import replace

import numpy as np
import pytest
from example_robots import ROBOTS, URDFS
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy.spatial.transform import Rotation
from written_mechanisms import SEEDS, assert_same, assert_same_looks, for_urdf

import locomote as lo
from locomote.formats import forms, poses
from locomote.formats.draft import base_word

UNREADABLE = {"ur_description/urdf/ur3.urdf", "alex_description/urdf/alex_psyonic_hands.urdf"}
BOX = lo.Inertia(1.0, moment=(0.3, 0.4, 0.5))


def returned(model):
    """Written, and read with the same base."""
    return lo.Model(lo.read_urdf(lo.write_urdf(model)).with_base(base_word(model.description)))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_mechanisms_return(seed):
    model = lo.Model(for_urdf(seed))
    back = returned(model)
    assert_same(model, back)
    assert_same_looks(model, back)


def test_random_mechanisms_have_all_that_urdf_has():
    descriptions = [for_urdf(seed) for seed in SEEDS]
    joints = [joint for description in descriptions for body in description.bodies for joint in body.joints]
    kinds = {joint.kind for joint in joints}
    assert kinds >= {"revolute", "prismatic", "planar", "free", "cylindrical", "universal", "euler", "xy", "spherical"}
    assert any(np.any(joint.anchor) for joint in joints) and any(joint.reference for joint in joints)
    assert sum(bool(description.couplings) for description in descriptions) > 3
    bases = {base_word(description) for description in descriptions}
    assert bases >= {"fixed", "free", "planar", "rotation", "x"}
    assert any(len([body for body in description.bodies if body.parent is None]) > 1 for description in descriptions)


@pytest.fixture(scope="module")
def robots():
    """{file: (model, model after writing and reading)} of all robots."""
    names = [name for name in URDFS if name not in UNREADABLE]
    models = {name: lo.Model(lo.read_urdf(ROBOTS / name)) for name in names}
    return {name: (model, returned(model)) for name, model in models.items()}


def test_robots_return(robots):
    """Names, tree and all numbers but rotations to the last bit; those within 1e-15."""
    assert len(robots) > 60
    for name, (model, back) in robots.items():
        assert (model.body_names, model.joint_names) == (back.body_names, back.joint_names), name
        assert np.array_equal(model.topology, back.topology), name
        assert np.max(abs(model.constants - back.constants), initial=0.0) < 1e-15, name
        assert np.max(abs(model.placement - back.placement)) < 1e-15, name
        for label in ("lower", "upper", "damping", "friction", "velocity_limit", "effort_limit"):
            assert np.array_equal(getattr(model, label), getattr(back, label)), (name, label)
        layouts = model.layout(), back.layout()
        assert layouts[0].slots == layouts[1].slots and set(layouts[0].notes) == set(layouts[1].notes), name
        assert_same_looks(model, back)


def test_most_robots_return_to_the_last_bit(robots):
    assert sum(model == back for model, back in robots.values()) >= 50


def test_a_robot_on_a_free_base(tmp_path):
    model = lo.load(ROBOTS / "anymal_b_simple_description/robots/anymal.urdf", base="free")
    lo.save(model, tmp_path / "anymal.urdf")
    assert lo.load(tmp_path / "anymal.urdf", base="free") == model
    assert "load this with base='free'" in (tmp_path / "anymal.urdf").read_text()


# rotations


def quaternion(parts):
    return Rotation.from_quat(parts).as_matrix()


@settings(max_examples=150, deadline=None)
@given(some.lists(some.floats(-1, 1), min_size=4, max_size=4).filter(lambda parts: np.linalg.norm(parts) > 0.1))
def test_any_rotation_has_angles_quaternion_and_axes(parts):
    wanted = quaternion(parts)
    assert forms.to_rpy(wanted)[1] < 1e-15
    assert forms.to_quaternion(wanted)[1] < 2e-15
    assert forms.to_xy_axes(wanted)[1] < 1e-15


@pytest.mark.parametrize("off", [0.0, 1e-16, 1e-12, 3.7e-6, 1e-3])
@pytest.mark.parametrize("sign", [1, -1])
def test_angles_near_the_singular_pitch(off, sign):
    for roll, yaw in np.random.default_rng(3).uniform(-3, 3, (20, 2)):
        wanted = poses.from_rpy(roll, sign * (np.pi / 2 - off), yaw)
        angles, error = forms.to_rpy(wanted)
        assert error < 1e-15 and np.max(abs(poses.from_rpy(*angles) - wanted)) == error


@pytest.mark.parametrize(
    "angles",
    [
        (1.5707963, 0, 0),
        (0, 1.5708, 3.14159),
        (0.1, -0.2, 0.3),
        (0, 0, -3.14159265359),
        (np.pi / 4, 0, np.pi / 2),
        (0, np.pi, 0),
    ],
)
def test_angles_of_files_return_to_the_last_bit(angles):
    wanted = poses.from_rpy(*angles)
    again, error = forms.to_rpy(wanted)
    assert error == 0.0 and np.array_equal(poses.from_rpy(*again), wanted)


# what the file looks like


def two_links(joint, **options):
    builder = lo.Builder("pair").body("ground")
    return builder.body("arm", parent="ground", joint=joint, inertia=BOX, **options).build()


def test_a_small_file_as_text():
    look = lo.Visual("box", (0.1, 0.2, 0.3), color=(1.0, 0.0, 0.0, 1.0))
    model = two_links(lo.Joint("pivot", axis="y", lower=-1, upper=2, damping=0.1), at=(0, 0, 0.5), visuals=[look])
    assert lo.write_urdf(model).splitlines()[1:] == [
        '<robot name="pair">',
        '  <link name="ground"/>',
        '  <link name="arm">',
        "    <inertial>",
        '      <mass value="1"/>',
        '      <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.4" iyz="0" izz="0.5"/>',
        "    </inertial>",
        "    <visual>",
        "      <geometry>",
        '        <box size="0.1 0.2 0.3"/>',
        "      </geometry>",
        '      <material name="rgba 1 0 0 1">',
        '        <color rgba="1 0 0 1"/>',
        "      </material>",
        "    </visual>",
        "  </link>",
        '  <joint name="pivot" type="revolute">',
        '    <parent link="ground"/>',
        '    <child link="arm"/>',
        '    <origin xyz="0 0 0.5"/>',
        '    <axis xyz="0 1 0"/>',
        '    <limit lower="-1" upper="2" effort="1.7976931348623157e+308" velocity="1.7976931348623157e+308"/>',
        '    <dynamics damping="0.1" friction="0"/>',
        "  </joint>",
        "</robot>",
    ]


def test_a_limit_on_one_side_and_none():
    for limits in ({}, {"lower": -1.0}, {"upper": 0.0}, {"lower": -0.0, "upper": 0.0, "effort_limit": 0.0}):
        for kind in ("revolute", "prismatic"):
            model = two_links(lo.Joint("j", kind, **limits))
            assert returned(model) == model, (kind, limits)


def test_visuals_can_be_left_out():
    model = two_links(lo.Joint("j"), visuals=[lo.Visual("plane", (1.0, 1.0))])
    assert "visual" not in lo.write_urdf(model, visuals=False)
    with pytest.raises(lo.ModelError, match="visual 1 of body 'arm': the shape 'plane' is not supported"):
        lo.write_urdf(model)


# meshes


def test_meshes_are_found_from_the_new_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "robots" / "new").mkdir(parents=True)
    (tmp_path / "parts" / "arm & leg.obj").write_text("")
    mesh = lo.Visual("mesh", (1.0, 1.0, 1.0), file=str(tmp_path / "parts" / "arm & leg.obj"))
    model = two_links(lo.Joint("j"), visuals=[mesh, replace(mesh, file="package://parts/leg.obj")])
    target = tmp_path / "robots" / "new" / "pair.urdf"
    lo.save(model, target)
    assert 'filename="../../parts/arm &amp; leg.obj"' in target.read_text()
    found, missing = lo.load(target).body("arm").body.visuals
    assert os.path.samefile(found.file, mesh.file) and missing.file == "package://parts/leg.obj"


# refusals

SPRING = lo.Joint("knee", stiffness=3.0, rest=0.1, armature=0.05)
REFUSED = {
    "spring and armature": (
        two_links(SPRING),
        "joint 'knee': stiffness 3 and rest 0.1 and armature 0.05 of a revolute joint is not supported",
    ),
    "gravity": (two_links(lo.Joint("j")).edited(gravity=(0.0, 0.0, -1.62)), r"gravity \(0.0, 0.0, -1.62\) m/s\^2"),
    "added inertia": (two_links(lo.Joint("j"), added_inertia=np.eye(6)), "body 'arm': added inertia is not supported"),
    "damping per coordinate": (
        two_links(lo.Joint("fly", "free", damping=(1, 1, 1, 2, 2, 2))),
        r"joint 'fly': damping that differs between coordinates \(1 1 1 2 2 2\)",
    ),
    "limits of a plane": (two_links(lo.Joint("p", "planar", lower=-1)), "joint 'p': lower -1 of a planar joint"),
    "no name": (two_links(lo.Joint("j")).edited(name=""), "an empty name of the model"),
    "rough placement": (
        two_links(lo.Joint("j"), at=np.eye(4) + 1e-8 * np.eye(4, k=1)),
        "joint 'j': a placement that is 1.0e-08 away from a rotation",
    ),
    "ellipsoid": (
        two_links(lo.Joint("j"), visuals=[lo.Visual("ellipsoid", (1, 1, 1), name="egg")]),
        "visual 'egg' of body 'arm': the shape 'ellipsoid' is not supported",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_or_left_out(name):
    model, sentence = REFUSED[name]
    with pytest.raises(lo.ModelError, match=sentence) as caught:
        lo.write_urdf(model)
    assert "unsupported='warn' writes the rest" in str(caught.value)
    with pytest.warns(UserWarning, match=f"left out: .*{sentence.split(': ')[-1].split(' is ')[0]}"):
        text = lo.write_urdf(model, unsupported="warn")
    assert lo.Model(lo.read_urdf(text)).nv == model.nv


def gripper(ratios, offset=0.0):
    builder = lo.Builder("gripper").body("palm")
    for name in "abc":
        builder.body(name, parent="palm", joint=lo.Joint(f"finger {name}", "prismatic"), inertia=BOX)
    return builder.couple("finger c", ratios, offset=offset).build()


def test_couplings():
    model = gripper({"finger a": -0.3}, 0.1)
    assert returned(model) == model
    for ratios, count in (({"finger a": 1.0, "finger b": 2.0}, 2), ({}, 0)):
        with pytest.raises(lo.ModelError, match=f"joint 'finger c': a coupling to {count} joints is not supported"):
            lo.write_urdf(gripper(ratios))


NEVER = {
    "helical": (lo.Joint("screw", "helical", pitch=0.1), "joint 'screw': URDF has no helical joint"),
    "spherical": (lo.Joint("ball", "spherical"), "joint 'ball': URDF has no spherical joint"),
    "xacro": (lo.Joint("${arm}"), "reads as a macro of xacro"),
    "control character": (lo.Joint("a\x01"), r"joint 'a\\x01': the name has the character '\\x01', which no XML"),
    "surrogate": (lo.Joint("\ud800"), r"has the character '\\ud800'"),
    "huge": (lo.Joint("j", damping=1e31), "joint 'j': damping is 1e\\+31; files hold finite numbers up to 1e\\+30"),
}


@pytest.mark.parametrize("name", NEVER)
@pytest.mark.parametrize("unsupported", ["error", "warn"])
def test_what_no_option_allows(name, unsupported):
    joint, sentence = NEVER[name]
    with pytest.raises(lo.ModelError, match=sentence):
        lo.write_urdf(two_links(joint), unsupported=unsupported)


def test_all_faults_at_once():
    builder = lo.Builder("wrong", gravity=(0, 0, 0)).body("a\0", added_inertia=np.eye(6))
    builder.body("b", parent="a\0", joint=lo.Joint("screw", "helical", pitch=1.0), inertia=BOX)
    builder.body("c", parent="b", joint=lo.Joint("soft", stiffness=1.0), inertia=BOX)
    with pytest.raises(lo.ModelError) as caught:
        lo.write_urdf(builder.build())
    assert caught.value.source == "model 'wrong' as URDF" and len(caught.value.faults) == 5
    assert all(word in str(caught.value) for word in ("gravity", "no XML file", "added inertia", "helical", "stiffness 1"))


def test_unknown_policy():
    with pytest.raises(ValueError, match="unsupported='ignore'; expected 'error' or 'warn'"):
        lo.write_urdf(two_links(lo.Joint("j")), unsupported="ignore")


# names

TEXT = some.text(some.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: "${" not in text and "$(" not in text and not {"\ufffe", "\uffff"} & set(text)
)


@settings(max_examples=100, deadline=None)
@given(some.lists(TEXT, min_size=2, max_size=2, unique=True), TEXT, TEXT)
def test_any_name_returns(bodies, joint, name):
    builder = lo.Builder(name).body(bodies[0], inertia=BOX)
    model = builder.body(bodies[1], parent=bodies[0], joint=lo.Joint(joint, "universal", axis="x"), inertia=BOX).build()
    back = returned(model)
    assert back.name == name and set(bodies) <= set(back.body_names) and back.nv == 2


HOSTILE = ["</robot>", "a\"b'c", "&amp;", " a\t\n\r b ", "]]>", "<!-- x -->", "world", "%s", "\u202e\U0001f916", "x" * 5000]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_return(name):
    builder = lo.Builder(name).body(name, inertia=BOX).body("arm", parent=name, joint=lo.Joint(name), inertia=BOX)
    model = builder.build()
    assert returned(model) == model


def test_names_that_the_writer_makes_stay_clear():
    """Of links in between, of the world, of fixed joints and of the joints of a row."""
    builder = lo.Builder("taken").body("world", at=(1, 0, 0), inertia=BOX)
    builder.body("arm after two 1", parent="world", at=(0, 1, 0), inertia=BOX)
    joints = [lo.Joint("two", "universal", axis="x", anchor=(0, 0, 1)), lo.Joint("two 1"), lo.Joint("arm fixed")]
    model = builder.body("arm", parent="world", joint=joints, inertia=BOX).build()
    assert_same(model, returned(model))


# files


def test_save_chooses_by_suffix(tmp_path):
    model = two_links(lo.Joint("j"))
    for name in ("a.urdf", "a.XML", "a.mjcf"):
        lo.save(model, tmp_path / name)
        assert lo.load(tmp_path / name) == model
    with pytest.raises(lo.ModelError, match="unknown kind of file '.usd'; expected one of .xml, .mjcf, .*urdf"):
        lo.save(model, tmp_path / "a.usd")


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    model, path = two_links(lo.Joint("j")), tmp_path / "a.urdf"
    path.write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        with pytest.raises(lo.FileError, match="a.urdf: cannot be written: the disk is full") as caught:
            lo.save(model, path)
    assert caught.value.path == str(path) and path.read_text() == "old" and os.listdir(tmp_path) == ["a.urdf"]
    with pytest.raises(lo.ModelError):
        lo.save(two_links(SPRING), path)
    assert path.read_text() == "old"
    with pytest.raises(lo.FileError, match="its folder does not exist"):
        lo.save(model, tmp_path / "nowhere" / "a.urdf")
