"""The URDF reader: one small file a rule of the format."""

import numpy as np
import pytest
from formats_kinematics import body_poses
from scipy.spatial.transform import Rotation

from locomote.errors import ModelError
from locomote.formats.urdf.reader import read_urdf
from locomote.model.description import Coupling

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(*parts):
    return "<robot name='r'>" + "\n".join(parts) + "</robot>"


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, kind="revolute", inside='<limit lower="-1" upper="1"/>'):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def only_joint(description):
    (found,) = [joint for body in description.bodies for joint in body.joints]
    return found


@pytest.mark.parametrize(
    "kind, ours",
    [
        ("revolute", "revolute"),
        ("continuous", "revolute"),
        ("prismatic", "prismatic"),
        ("floating", "free"),
        ("planar", "planar"),
    ],
)
def test_kinds(kind, ours):
    text = robot(link("a"), link("b"), joint("j", "a", "b", kind, '<axis xyz="0 2 0"/><limit lower="-1" upper="1"/>'))
    found = only_joint(read_urdf(text))
    assert found.kind == ours
    assert np.allclose(found.axis, (0, 1, 0)) or kind == "floating"
    assert (found.lower, found.upper) == ((-1, 1) if kind in ("revolute", "prismatic") else (-np.inf, np.inf))


def test_fixed_joints_leave_a_body_that_does_not_move():
    text = robot(link("a"), link("b"), joint("j", "a", "b", "fixed", '<origin xyz="1 2 3"/>'))
    body = read_urdf(text).bodies[1]
    assert body.moving == () and body.parent == "a"
    assert [(joint.name, joint.kind) for joint in body.joints] == [("j", "fixed")]  # its name is kept
    assert np.array_equal(body.placement[:3, 3], (1, 2, 3))


def test_placement_is_yaw_pitch_roll():
    text = robot(link("a"), link("b"), joint("j", "a", "b", inside='<origin xyz="1 2 3" rpy=".1 .2 .3"/>'))
    expected = Rotation.from_euler("xyz", (0.1, 0.2, 0.3)).as_matrix()  # about fixed axes
    np.testing.assert_allclose(read_urdf(text).bodies[1].placement[:3, :3], expected, atol=1e-15)


def test_quaternion_origin():
    text = robot(link("a"), link("b"), joint("j", "a", "b", inside='<origin quat_xyzw="1 2 3 4"/>'))
    expected = Rotation.from_quat((1, 2, 3, 4)).as_matrix()
    np.testing.assert_allclose(read_urdf(text).bodies[1].placement[:3, :3], expected, atol=1e-15)


def test_default_axis_is_x():
    assert np.array_equal(only_joint(read_urdf(robot(link("a"), link("b"), joint("j", "a", "b")))).axis, (1, 0, 0))


def test_limits_and_losses():
    inside = '<limit lower="-2" upper="3" velocity="4" effort="inf"/><dynamics damping=".5" friction=".25"/>'
    found = only_joint(read_urdf(robot(link("a"), link("b"), joint("j", "a", "b", inside=inside))))
    assert (found.lower, found.upper, found.velocity_limit, found.effort_limit) == (-2, 3, 4, np.inf)
    assert (found.damping, found.friction) == (0.5, 0.25)


def test_one_bound_left_out_is_zero_both_are_unlimited():
    one = robot(link("a"), link("b"), joint("j", "a", "b", inside='<limit upper="2"/>'))
    assert (only_joint(read_urdf(one)).lower, only_joint(read_urdf(one)).upper) == (0, 2)
    both = read_urdf(robot(link("a"), link("b"), joint("j", "a", "b", inside='<limit effort="2"/>')))
    assert only_joint(both).lower == -np.inf
    assert any("taken as unlimited" in warning for warning in both.warnings)


def test_inertia_is_turned_into_the_link_frame():
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
    )
    inertia = read_urdf(robot(link("a", inertial))).bodies[0].inertia
    assert inertia.mass == 2 and np.array_equal(inertia.com, (1, 2, 3))
    np.testing.assert_allclose(inertia.moment, np.diag([2, 1, 2.5]), atol=1e-15)


def test_massless_links_have_no_inertia():
    zero = INERTIAL.replace('"1"', '"0"')
    assert [body.inertia for body in read_urdf(robot(link("a", zero), link("b"), joint("j", "a", "b"))).bodies] == [None, None]


def test_order_is_depth_first_in_file_order_of_joints():
    names = ["d", "c", "b", "a", "e"]
    joints = [joint("1", "a", "b"), joint("2", "a", "d"), joint("3", "b", "e"), joint("4", "b", "c")]
    description = read_urdf(robot(*map(link, names), *joints))
    assert [body.name for body in description.bodies] == ["a", "b", "e", "c", "d"]


def test_mimic_is_a_coupling_to_a_free_joint():
    mimic = '<mimic joint="{}" multiplier="{}" offset="{}"/>'
    text = robot(
        *map(link, "abcd"),
        joint("1", "a", "b"),
        joint("3", "c", "d", inside=mimic.format("2", 3, 1)),
        joint("2", "b", "c", inside=mimic.format("1", -2, 0.5)),
    )
    assert set(read_urdf(text).couplings) == {Coupling("3", (("1", -6.0),), 2.5), Coupling("2", (("1", -2.0),), 0.5)}
    assert read_urdf(text, mimic=False).couplings == ()


def test_mimic_of_a_fixed_joint_is_said_not_read():
    text = robot(*map(link, "abc"), joint("1", "a", "b"), joint("2", "b", "c", "fixed", '<mimic joint="1"/>'))
    description = read_urdf(text)
    assert description.couplings == ()
    assert any("fixed joint says nothing" in warning for warning in description.warnings)


def test_what_does_not_matter_is_not_mentioned():
    shape = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    text = robot(link("a", shape), "<gazebo/>", "<transmission/>", '<material name="x"/>')
    assert read_urdf(text).warnings == ()


def test_what_is_unknown_is_mentioned_once():
    warnings = read_urdf(robot(link("a", "<spring/>"), "<loop/>", "<loop/>")).warnings
    assert warnings == ("not part of URDF, not read: <loop> in <robot> (line 2), <spring> in <link> (line 1)",)


IMPOSSIBLE = INERTIAL.replace('izz="1"', 'izz="3"')
INDEFINITE = INERTIAL.replace('ixy="0"', 'ixy="2"')


@pytest.mark.parametrize("inertial, sentence", [(IMPOSSIBLE, "exceeds the sum"), (INDEFINITE, "negative principal moment")])
def test_impossible_inertia_warns_or_fails(inertial, sentence):
    text = robot(link("a", "\n" + inertial))
    (warning,) = read_urdf(text).warnings
    assert sentence in warning and warning.startswith("line 2, <inertial>: link 'a' has")
    with pytest.raises(ModelError, match=sentence):
        read_urdf(text, inertia="error")


def test_rounding_of_zero_is_not_an_impossible_inertia():
    noise = INERTIAL.replace('ixx="1"', 'ixx="-1e-20"').replace('iyy="1"', 'iyy="0"').replace('izz="1"', 'izz="1e-18"')
    assert read_urdf(robot(link("a", noise)), inertia="error").warnings == ()


def test_unknown_policy():
    with pytest.raises(ValueError, match="inertia='fix'; expected 'warn' or 'error'"):
        read_urdf(robot(link("a")), inertia="fix")


def test_visuals():
    inside = (
        '<visual name="v"><origin xyz="1 0 0"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>'
        '<visual><geometry><sphere radius="1"/></geometry><material name="own"><color rgba="0 1 0 1"/></material></visual>'
        '<visual><geometry><cylinder radius="1" length="2"/></geometry></visual>'
        '<visual><geometry><box size="1 2"/></geometry></visual>'
    )
    description = read_urdf(robot('<material name="red"><color rgba="1 0 0 1"/></material>', link("a", inside)))
    box, ball, tube = description.bodies[0].visuals
    assert (box.shape, box.size, box.color, box.name, box.placement[0, 3]) == ("box", (1, 2, 3), (1, 0, 0, 1), "v", 1)
    assert (ball.shape, ball.size, ball.color) == ("sphere", (1,), (0, 1, 0, 1))
    assert (tube.shape, tube.size, tube.color) == ("cylinder", (1, 2), None)
    (warning,) = description.warnings
    assert "a visual of link 'a' is left out" in warning and "has 2 numbers, expected 3" in warning


@pytest.mark.parametrize(
    "shape, sentence",
    [
        ("", "it has no <geometry>"),
        ("<geometry><cone/></geometry>", "<cone>: unknown shape; expected box, sphere"),
        ("<geometry><mesh/></geometry>", "attribute 'filename' is missing"),
        ('<geometry><sphere radius="x"/></geometry>', "radius 'x' is not a number"),
    ],
)
def test_wrong_visuals_are_left_out(shape, sentence):
    description = read_urdf(robot(link("a", f"<visual>{shape}</visual>")))
    assert description.bodies[0].visuals == ()
    assert description.warnings[0].startswith("a visual of link 'a' is left out: ") and sentence in description.warnings[0]


def test_all_faults_at_once():
    text = robot(
        link("a", INERTIAL.replace('mass value="1"', 'mass value="-1"')),
        link("a"),
        link("b"),
        joint("j", "a", "c"),
        joint("k", "a", "b", "hinge"),
        joint("l", "a", "b", inside='<axis xyz="0 0 0"/><origin xyz="1 x 2"/>'),
    )
    with pytest.raises(ModelError) as caught:
        read_urdf(text)
    assert len(caught.value.faults) == 6
    assert all(fault.startswith("line ") for fault in caught.value.faults)
    assert "6 faults" in str(caught.value)


def test_text_bytes_and_file_are_the_same(tmp_path):
    text = '<?xml version="1.0" encoding="latin-1"?>' + robot(link("a\u00e9"))
    path = tmp_path / "my.robot.urdf"
    path.write_bytes(text.encode("latin-1"))
    for given in (text, text.encode("latin-1"), path, str(path)):
        description = read_urdf(given)
        assert description.bodies[0].name == "a\u00e9"
    assert description.source == str(path) and description.name == "r"
    path.write_text("<robot><link name='a'/></robot>")
    assert read_urdf(path).name == "my"


def test_forward_kinematics_of_a_small_arm():
    text = robot(
        *map(link, "abc"),
        joint("1", "a", "b", "continuous", '<origin xyz="0 0 1"/><axis xyz="0 0 1"/>'),
        joint("2", "b", "c", "prismatic", '<origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/><axis xyz="0 0 1"/>'),
    )
    poses = body_poses(read_urdf(text), {"1": np.pi / 2, "2": 0.5})
    np.testing.assert_allclose(poses["c"][:3, 3], (0, 1.5, 1), atol=1e-15)


def test_a_chain_of_ten_thousand_links():
    links = [link(f"l{i}") for i in range(10_001)]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(10_000)]
    assert len(read_urdf(robot(*links, *joints)).bodies) == 10_001


def test_long_rows_of_followers_take_no_long_time():
    count = 10_000
    links = [link(f"l{i}") for i in range(count + 1)]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}", inside=f'<mimic joint="j{i + 1}" offset="1"/>') for i in range(count - 1)]
    couplings = read_urdf(robot(*links, *joints, joint(f"j{count - 1}", f"l{count - 1}", f"l{count}"))).couplings
    first = next(coupling for coupling in couplings if coupling.joint == "j0")
    assert first == Coupling("j0", ((f"j{count - 1}", 1.0),), count - 1)
