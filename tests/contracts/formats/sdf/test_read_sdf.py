"""What is read from SDF, feature by feature; robots said in SDF move as their URDF does."""

import numpy as np
import pytest
from example_robots import ROBOTS, URDFS
from mechanisms import random_q, relative
from reference import Reference
from sdf_files import HEAVY, SDF_ARM, A, B, axis, from_urdf, joint, link_name, sdf
from typer.testing import CliRunner

import locomote as lo
from locomote.cli.main import app
from locomote.formats.load import read


def only(text, **options):
    """The joint of the last body."""
    return lo.read_sdf(text, **options).bodies[-1].joints[0]


# robots


def states(model, count=4):
    rng, reference = np.random.default_rng(3), Reference(model.description)
    return [(random_q(reference, rng), rng.normal(size=model.nv)) for _ in range(count)]


def assert_same_motion(ours, theirs):
    """Mass matrix, bias and poses of bodies in random states; coordinates may be in another order."""
    assert (ours.nq, ours.nv) == (theirs.nq, theirs.nv)
    order_q, order_v = [], []
    for name in theirs.joint_names:
        if not theirs.joint(name).coupled:
            view = ours.joint(f"J {name}")
            order_q.extend(range(view.q.start, view.q.stop))
            order_v.extend(range(view.v.start, view.v.stop))
    for label in ("damping", "friction", "effort_limit", "velocity_limit"):
        assert np.array_equal(getattr(ours, label)[order_v], getattr(theirs, label)), label
    for q, v in states(theirs):
        mine, rate = np.empty(ours.nq), np.empty(ours.nv)
        mine[order_q], rate[order_v] = q, v
        assert relative(lo.mass_matrix(ours, mine)[np.ix_(order_v, order_v)], lo.mass_matrix(theirs, q)) < 1e-12
        assert relative(lo.bias_force(ours, mine, rate)[order_v], lo.bias_force(theirs, q, v)) < 1e-12
        poses, others = lo.forward_kinematics(ours, mine), lo.forward_kinematics(theirs, q)
        for name in theirs.body_names:
            assert np.allclose(poses[ours.body(link_name(name)).index], others[theirs.body(name).index], atol=1e-12)


def usable(name):
    text = (ROBOTS / name).read_text(errors="replace")
    return "floating" not in text and "planar" not in text and "xacro:" not in text and "<!DOCTYPE" not in text


@pytest.mark.parametrize("name", [name for name in URDFS if usable(name)])
def test_robots_move_as_their_urdf_does(name):
    text = (ROBOTS / name).read_bytes()
    try:
        theirs = lo.Model(lo.read_urdf(text))
    except lo.ModelError:
        pytest.skip("not read as URDF either")
    ours = lo.Model(lo.read_sdf(from_urdf(text), base="fixed"))
    assert_same_motion(ours, theirs)


URDF_ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 .1 .2" rpy=".1 .2 .3"/><mass value="3"/>
    <inertia ixx=".3" ixy=".01" ixz=".02" iyy=".4" iyz=".03" izz=".5"/></inertial></link>
  <link name="fore"><inertial><origin xyz=".2 0 0"/><mass value="1.5"/>
    <inertia ixx=".1" ixy="0" ixz="0" iyy=".2" iyz="0" izz=".15"/></inertial></link>
  <joint name="J shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 .5" rpy="0 .5 0"/>
    <axis xyz="0 1 1"/><dynamics damping=".2" friction=".1"/></joint>
  <joint name="J elbow" type="prismatic"><parent link="upper"/><child link="fore"/><origin xyz=".3 0 0" rpy="1 0 .2"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="2" effort="30" velocity="4"/></joint>
</robot>"""


def test_an_arm_written_by_hand(tmp_path):
    ours, theirs = lo.Model(lo.read_sdf(SDF_ARM)), lo.Model(lo.read_urdf(URDF_ARM))
    for label in ("lower", "upper", "damping", "friction", "effort_limit", "velocity_limit"):
        assert np.array_equal(getattr(ours, label), getattr(theirs, label)), label
    for q, v in states(theirs):
        assert relative(lo.mass_matrix(ours, q), lo.mass_matrix(theirs, q)) < 1e-12
        assert relative(lo.bias_force(ours, q, v), lo.bias_force(theirs, q, v)) < 1e-12
    (tmp_path / "arm.sdf").write_text(SDF_ARM)
    assert lo.load(tmp_path / "arm.sdf") == ours and ours.name == "arm"


# joints


def test_kinds_of_joints():
    kinds = {
        "revolute": axis(),
        "continuous": axis("<limit><lower>-1</lower></limit>"),
        "prismatic": axis(),
        "ball": "",
        "fixed": "",
        "screw": axis() + "<screw_thread_pitch>0.5</screw_thread_pitch>",
        "universal": axis(xyz="1 0 0") + axis(xyz="0 2 0", tag="axis2"),
        "revolute2": axis(xyz="1 0 0") + axis(xyz="1 1 0", tag="axis2"),
    }
    found = {kind: only(sdf(A, B, joint(kind, inner))) for kind, inner in kinds.items()}
    assert [found[kind].kind for kind in kinds] == [
        "revolute", "revolute", "prismatic", "spherical", "fixed", "helical", "universal", "universal",
    ]  # fmt: skip
    assert found["screw"].pitch == 0.5 / (2 * np.pi) and found["continuous"].lower == -np.inf
    assert found["universal"].axis2 == (0.0, 1.0, 0.0)
    np.testing.assert_allclose(found["revolute2"].axis2, np.array([1, 1, 0]) / np.sqrt(2))


def test_a_screw_of_older_files():
    description = lo.read_sdf(sdf(A, B, joint("screw", axis() + "<thread_pitch>-8</thread_pitch>"), version="1.6"))
    assert description.bodies[-1].joints[0].pitch == 0.125
    assert any("left-handed" in sentence for sentence in description.warnings)


def test_limits_springs_and_losses():
    limit = "<limit><lower>-.5</lower><upper>1e16</upper><effort>-1</effort><velocity>3</velocity></limit>"
    losses = "<dynamics><damping>.1</damping><friction>.2</friction><spring_reference>.3</spring_reference>"
    losses += "<spring_stiffness>4</spring_stiffness></dynamics>"
    found = only(sdf(A, B, joint("revolute", axis(limit + losses))))
    assert (found.lower, found.upper, found.effort_limit, found.velocity_limit) == (-0.5, np.inf, np.inf, 3.0)
    assert (found.damping, found.friction, found.rest, found.stiffness) == (0.1, 0.2, 0.3, 4.0)
    found = only(sdf(A, B, joint("universal", axis(limit, "1 0 0") + axis(losses, "0 1 0", "axis2"))))
    assert (found.lower, found.damping, found.stiffness) == ((-0.5, -np.inf), (0.0, 0.1), (0.0, 4.0))
    assert lo.Model(lo.read_sdf(sdf(A, B, joint("universal", axis(limit, "1 0 0") + axis(losses, "0 1 0", "axis2"))))).nv == 8


def test_mimic():
    leads = joint("revolute", axis())
    follows = "<mimic joint='j'><multiplier>2</multiplier><offset>.5</offset><reference>.1</reference></mimic>"
    other = joint("prismatic", axis(follows), "<parent>b</parent><child>c</child>", "k")
    text = sdf(A, B, B.replace("'b'", "'c'"), leads, other, version="1.11")
    assert lo.read_sdf(text).couplings == (lo.Coupling("k", (("j", 2.0),), 0.5 - 2.0 * 0.1),)
    assert lo.read_sdf(text, mimic=False).couplings == ()
    with pytest.raises(lo.ModelError, match="mimics joint 'jj', which is not in the file; did you mean 'j'"):
        lo.read_sdf(text.replace("mimic joint='j'", "mimic joint='jj'"))
    ball = text.replace("type='revolute'", "type='ball'")
    with pytest.raises(lo.ModelError, match="mimics joint 'j', which has more than one coordinate"):
        lo.read_sdf(ball)


@pytest.mark.parametrize("flipped, sign", [("0 0 1", 1.0), ("0 0 -1", -1.0)])
def test_a_gearbox_is_a_coupling(flipped, sign):
    """Two gears on hinges of a box: theta_2 = -ratio theta_1 about the axes of the gearbox."""
    links = A + B + B.replace("'b'", "'c'")
    hinges = joint("revolute", axis()) + joint("revolute", axis(xyz=flipped), "<parent>a</parent><child>c</child>", "k")
    inner = axis() + axis(tag="axis2") + "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body>"
    gears = joint("gearbox", inner, "<parent>b</parent><child>c</child>", "gears")
    assert lo.read_sdf(sdf(links, hinges, gears)).couplings == (lo.Coupling("k", (("j", -3.0 * sign),), 0.0),)
    skew = gears.replace("<axis2><xyz>0 0 1", "<axis2><xyz>1 0 0")
    with pytest.raises(lo.ModelError, match="a gearbox whose links do not turn on the reference body .* is not supported"):
        lo.read_sdf(sdf(links, hinges, skew))
    assert lo.read_sdf(sdf(links, hinges, skew), unsupported="warn").couplings == ()


# links


def test_inertia_and_added_mass():
    inertial = "<inertial><pose>1 2 3 .1 0 0</pose><mass>2</mass><inertia><ixx>.5</ixx><ixy>.1</ixy></inertia>"
    inertial += "<fluid_added_mass><xx>5</xx><xq>.5</xq><rr>2</rr></fluid_added_mass></inertial>"
    body = lo.read_sdf(sdf(f"<link name='a'>{inertial}</link>")).bodies[0]
    assert body.inertia.mass == 2.0 and np.array_equal(body.inertia.com, [1, 2, 3])
    turn = np.array([[1, 0, 0], [0, np.cos(0.1), -np.sin(0.1)], [0, np.sin(0.1), np.cos(0.1)]])
    np.testing.assert_allclose(body.inertia.moment, turn @ [[0.5, 0.1, 0], [0.1, 1, 0], [0, 0, 1]] @ turn.T, atol=1e-15)
    added = np.zeros((6, 6))
    added[0, 0], added[0, 4], added[4, 0], added[5, 5] = 5, 0.5, 0.5, 2
    assert np.array_equal(body.added_inertia, added)


def test_a_link_weighs_what_the_format_says():
    description = lo.read_sdf(sdf("<link name='a'/>"))
    assert description.bodies[0].inertia.mass == 1.0 and np.array_equal(description.bodies[0].inertia.moment, np.eye(3))
    assert any("weigh 1 kg" in sentence for sentence in description.warnings)


def test_looks(tmp_path):
    shapes = {
        "<box><size>1 2 3</size></box>": ("box", (1.0, 2.0, 3.0)),
        "<sphere><radius>.5</radius></sphere>": ("sphere", (0.5,)),
        "<cylinder><radius>.5</radius><length>2</length></cylinder>": ("cylinder", (0.5, 2.0)),
        "<capsule/>": ("capsule", (0.5, 1.0)),
        "<ellipsoid><radii>1 2 3</radii></ellipsoid>": ("ellipsoid", (1.0, 2.0, 3.0)),
        "<plane><normal>0 1 0</normal><size>4 5</size></plane>": ("plane", (4.0, 5.0)),
        "<mesh><uri>part.stl</uri><scale>2 2 2</scale></mesh>": ("mesh", (2.0, 2.0, 2.0)),
    }
    color = "<material><diffuse>1 0 .5</diffuse></material><transparency>.25</transparency>"
    visuals = "".join(f"<visual name='v'><geometry>{shape}</geometry>{color}</visual>" for shape in shapes)
    visuals += (
        "<visual name='x'><geometry><heightmap/></geometry></visual><visual name='y'><geometry><empty/></geometry></visual>"
    )
    (tmp_path / "part.stl").write_text("")
    (tmp_path / "m.sdf").write_text(sdf(f"<link name='a'>{HEAVY}{visuals}</link>"))
    description = lo.read_sdf(tmp_path / "m.sdf")
    found = description.bodies[0].visuals
    assert [(visual.shape, visual.size) for visual in found] == list(shapes.values())
    assert all(visual.color == (1.0, 0.0, 0.5, 0.75) for visual in found)
    assert found[-1].file == str(tmp_path / "part.stl")
    np.testing.assert_allclose(found[5].placement[:3, 2], [0, 1, 0], atol=1e-15)
    assert any("a visual of link 'a' is left out" in sentence for sentence in description.warnings)


# what moves


def test_how_the_root_moves():
    text = sdf("<pose>1 2 3 0 0 0</pose>", A, B, joint("revolute", axis()))
    assert lo.Model(lo.read_sdf(text)).nv == 7
    held = lo.read_sdf(text, base="fixed")
    assert lo.Model(held).nv == 1 and np.array_equal(held.bodies[0].placement[:3, 3], [1, 2, 3])
    assert lo.Model(lo.read_sdf(text, base="planar")).nv == 4
    with pytest.raises(lo.ModelError, match="unknown base 'floating'"):
        lo.read_sdf(text, base="floating")


def test_links_that_nothing_joins_are_free():
    description = lo.read_sdf(sdf(A, B))
    assert [body.joints[0].name for body in description.bodies] == ["base of a", "base of b"]
    assert lo.Model(description).nv == 12


def test_static_models():
    text = sdf("<static>true</static><pose>1 0 0 0 0 0</pose>", A, B, joint("revolute", axis()))
    description = lo.read_sdf(text)
    assert lo.Model(description).nv == 0 and [body.placement[0, 3] for body in description.bodies] == [1.0, 1.0]
    nested = "<model name='n'><static>1</static><link name='c'><pose>0 2 0 0 0 0</pose></link></model>"
    description = lo.read_sdf(sdf(A, nested, joint("revolute", axis(), "<parent>n::c</parent><child>a</child>")))
    assert [(body.name, body.parent, len(body.joints)) for body in description.bodies] == [("a", None, 1), ("n::c", None, 0)]
    with pytest.raises(lo.ModelError, match="a link of a static model, cannot be its child"):
        lo.read_sdf(sdf(A, nested, joint("revolute", axis(), "<parent>a</parent><child>n::c</child>")))


def test_versions():
    turned = "<link name='b'><pose>0 0 0 0 0 1.5707963267948966</pose></link>"
    along = [only(sdf(A, turned, joint("revolute", axis(xyz="1 0 0")), version=v)).axis for v in ("1.4", "1.5", "1.9")]
    np.testing.assert_allclose(along, [[0, -1, 0], [1, 0, 0], [1, 0, 0]], atol=1e-15)
    model = "<use_parent_model_frame>1</use_parent_model_frame>"
    np.testing.assert_allclose(only(sdf(A, turned, joint("revolute", axis(model, "1 0 0")), version="1.6")).axis, along[0])
    same = joint("revolute", axis(), name="b")
    assert lo.Model(lo.read_sdf(sdf(A, B, same, version="1.6"))).nv == 7  # a link and a joint of one name
    with pytest.raises(lo.ModelError, match="the name 'b' is taken by the <link> in line 1"):
        lo.read_sdf(sdf(A, B, same))
    with pytest.raises(lo.ModelError, match="poses in other frames have no clear meaning before version 1.7"):
        lo.read_sdf(sdf(A, "<link name='b'><pose frame='a'>0 0 0 0 0 0</pose></link>", version="1.6"))
    for version in ("", "1.3", "1.13", "2.0", "x", "1.9.1"):
        with pytest.raises(lo.ModelError, match="versions 1.4 to 1.12 are read"):
            lo.read_sdf(sdf(A, version=version))


# files with worlds and with other files


def test_a_world_with_one_model():
    world = "<world name='w'><gravity>0 0 -1</gravity><light name='sun'/><frame name='table'><pose>0 0 1 0 0 0</pose></frame>"
    model = f"<model name='m'><pose relative_to='table'>1 0 0 0 0 0</pose>{A}</model>"
    description = lo.read_sdf(f"<sdf version='1.9'>{world}{model}</world></sdf>", base="fixed")
    assert description.gravity == (0.0, 0.0, -1.0) and description.name == "m"
    assert np.array_equal(description.bodies[0].placement[:3, 3], [1, 0, 1])
    plain = lo.read_sdf(f"<sdf version='1.9'><world name='w'><model name='m'>{A}</model></world></sdf>")
    assert plain.gravity == (0.0, 0.0, -9.8)


def test_a_model_is_chosen(tmp_path):
    ground = "<model name='ground'><static>true</static><link name='g'/></model>"
    text = f"<sdf version='1.9'><world name='w'>{ground}<model name='m'>{A}</model></world></sdf>"
    with pytest.raises(lo.ModelError, match=r"the file has 2 models: 'ground' \(static\), 'm'; choose one with model='...'"):
        lo.read_sdf(text)
    assert lo.read_sdf(text, model="m").bodies[0].name == "a"
    with pytest.raises(lo.ModelError, match="there is no model 'n'; the file has 'ground'"):
        lo.read_sdf(text, model="n")
    (tmp_path / "w.world").write_text(text)
    assert lo.load(tmp_path / "w.world", model="m").nv == 6
    assert read(tmp_path / "w.world", model="m", base="fixed").name == "m"
    joined = text.replace("</world>", "<joint name='j' type='fixed'><parent>world</parent><child>m::a</child></joint></world>")
    with pytest.raises(lo.ModelError, match="a joint of the world is not supported"):
        lo.read_sdf(joined, model="m")


def test_includes(tmp_path):
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "hand.sdf").write_text(sdf(A, name="hand"))
    config = "<model><sdf version='1.4'>old.sdf</sdf><sdf version='1.10'>hand.sdf</sdf></model>"
    (tmp_path / "hand" / "model.config").write_text(config)
    include = "<include><uri>model://hand</uri><name>{}</name><pose>{} 0 0 0 0 0</pose></include>"
    weld = joint("fixed", "", "<parent>a</parent><child>left::a</child>", "w")
    path = tmp_path / "m.sdf"
    path.write_text(sdf(A, include.format("left", 1), include.format("right", 2), weld))
    bodies = {body.name: body for body in lo.read_sdf(path, base="fixed").bodies}
    assert list(bodies) == ["a", "left::a", "right::a"] and bodies["left::a"].parent == "a"
    assert bodies["left::a"].placement[0, 3] == 1.0 and bodies["right::a"].placement[0, 3] == 2.0
    world = f"<world name='w'>{include.format('h', 3)}<include><uri>https://x.org/sun</uri></include></world>"
    (tmp_path / "w.sdf").write_text(f"<sdf version='1.9'>{world}</sdf>")
    description = lo.read_sdf(tmp_path / "w.sdf")
    assert description.name == "h" and any("nothing is fetched" in sentence for sentence in description.warnings)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "m.sdf").write_text(sdf(A, include.format("left", 1)))
    with pytest.raises(lo.ModelError, match="'model://hand', which is not there; give its folder with package_dirs"):
        lo.read_sdf(tmp_path / "model" / "m.sdf")
    assert len(lo.read_sdf(tmp_path / "model" / "m.sdf", package_dirs=[tmp_path]).bodies) == 2


def test_on_the_command_line(tmp_path):
    path = tmp_path / "w.world"
    models = "".join(f"<model name='{name}'>{A}</model>" for name in ("one", "two"))
    path.write_text(f"<sdf version='1.9'><world name='w'>{models}</world></sdf>")
    done = CliRunner().invoke(app, ["info", str(path)])
    assert done.exit_code == 0 and "one::" in done.output and "two::" in done.output  # the whole world
    done = CliRunner().invoke(app, ["info", str(path), "--option", "model=two", "--json"])
    assert done.exit_code == 0 and '"name": "two"' in done.output
