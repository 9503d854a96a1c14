"""xacro: what it makes, what it refuses; SRDF and limits of ros2_control beside it."""

import time

import numpy as np
import pytest
from file_samples import SRDF, XACRO

import locomote as lo
from locomote.formats.urdf.expressions import BadExpression, value_of


def robot(inside):
    return f'<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">{inside}</robot>'


def test_a_chain_by_a_macro_that_calls_itself():
    """The same chain as one written in full."""
    inertia = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/>'
    links, joints = "", ""
    for k in range(4):
        own = inertia.format(0.4 * (k + 1) * 0.2**2)
        links += f'<link name="link{k}"><inertial><origin xyz="0.25 0 0"/><mass value="{k + 1}"/>{own}</inertial></link>'
        if k:
            ends = (
                f'<parent link="link{k - 1}"/><child link="link{k}"/><axis xyz="0 1 0"/><origin xyz="0.5 0 {np.sin(np.pi)}"/>'
            )
            joints += f'<joint name="joint{k}" type="revolute">{ends}<limit lower="{-np.pi / 2}" upper="{np.pi / 2}"/></joint>'
    plain, made = lo.Model(lo.read_urdf(f'<robot name="arm">{links}{joints}</robot>')), lo.Model(lo.read_urdf(XACRO))
    assert plain.joint_names == made.joint_names
    np.testing.assert_allclose(lo.mass_matrix(made, [0.1, 0.2, 0.3]), lo.mass_matrix(plain, [0.1, 0.2, 0.3]), rtol=1e-14)
    assert np.allclose(made.lower, plain.lower) and np.allclose(made.upper, plain.upper)
    assert len(lo.read_urdf(XACRO, arguments={"links": 6}).bodies) == 7


def test_files_that_include_each_other(tmp_path):
    (tmp_path / "robot").mkdir()
    (tmp_path / "parts").mkdir()
    part = '<xacro:macro name="part" params="name mass:=^|2"><link name="${name}"/></xacro:macro>'
    (tmp_path / "parts" / "part.xacro").write_text(robot(f'<xacro:property name="mass" value="3"/>{part}'))
    main = tmp_path / "robot" / "main.urdf.xacro"
    main.write_text(robot('<xacro:include filename="../parts/part.xacro"/><xacro:part name="a${mass}"/>'))
    assert lo.load(main).body_names == ("a3",)
    (tmp_path / "robot" / "package.xml").write_text("<package/>")
    (tmp_path / "robot" / "near.xacro").write_text(robot('<link name="near"/>'))
    main.write_text(robot('<xacro:include filename="$(find robot)/near.xacro"/>'))
    assert lo.load(main).body_names == ("near",)


REFUSED = {
    "outside": ('<xacro:include filename="../../../etc/x.xacro"/>', "outside the folder of the model"),
    "absolute": ('<xacro:include filename="/etc/passwd"/>', "outside the folder of the model"),
    "a strange package": ('<xacro:include filename="$(find ../..)/x.xacro"/>', "names a package"),
    "an environment": ('<link name="$(env HOME)"/>', r"\$\(env ...\) is not supported"),
    "code": ('<link name="${__import__(1)}"/>', "a call of '__import__'"),
    "an attribute": ('<link name="${(1).real}"/>', "Attribute, which is not known"),
    "a comprehension": ('<link name="${[1 for i in (1, 2)]}"/>', "which is not known"),
    "a lambda": ('<link name="${(lambda: 1)()}"/>', "a call of 'something'"),
    "a huge power": ('<link name="${9**9**9**9}"/>', "has no value"),
    "a huge word": ("<link name=\"${'a' * 1000000}\"/>", "of which one is no number"),
    "a circle": ('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>', "circle"),
    "endless": ('<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>', "nested more than"),
    "no macro": ("<xacro:leg/>", "no macro of the file"),
    "no parameter": ('<xacro:macro name="m" params="a"/><xacro:m b="1" a="2"/>', "no parameter 'b'"),
    "missing": ('<xacro:macro name="m" params="a"/><xacro:m/>', "needs 'a'"),
    "no block": ('<xacro:macro name="m" params="*a"/><xacro:m/>', "needs a block 'a'"),
    "unknown": ('<link name="${width}"/>', "property 'width' is not defined"),
    "no argument": ('<xacro:arg name="side"/>', "argument 'side' has no default"),
    "a condition": ('<xacro:if value="maybe"/>', "expected true, false or a number"),
}


@pytest.mark.parametrize("inside, said", REFUSED.values(), ids=REFUSED)
def test_refused(tmp_path, inside, said):
    path = tmp_path / "deep" / "robot.xacro"
    path.parent.mkdir()
    path.write_text(robot(inside + '<link name="last"/>'))
    with pytest.raises(lo.ModelError, match=said):
        lo.load(path)


@pytest.mark.parametrize("last", ['<link name="x"/>', ""], ids=["of links", "of nothing"])
def test_macros_that_double(last):
    """2^60 elements, or calls that make none, are refused before they are made."""
    macros = [f'<xacro:macro name="m{k}" params=""><xacro:m{k + 1}/><xacro:m{k + 1}/></xacro:macro>' for k in range(60)]
    begin = time.process_time()
    with pytest.raises(lo.ModelError, match="this is not a model file"):
        lo.read_urdf(robot("".join([*macros, f'<xacro:macro name="m60" params="">{last}</xacro:macro><xacro:m0/>'])))
    assert time.process_time() - begin < 60


@pytest.mark.parametrize(
    "text, value",
    [("2 * (3 + 4)", 14), ("1 / 4", 0.25), ("7 // 2 % 2", 1), ("-x ** 2", -9.0), ("x > 2 and not x == 5", True),
     ("1 if x < 1 else 'no'", "no"), ("max(1, min(x, 9))", 3.0), ("cos(pi)", -1.0), ("'a' + 'b'", "ab")],
)  # fmt: skip
def test_arithmetic(text, value):
    assert value_of(text, {"x": 3.0, "pi": np.pi}.__getitem__) == value


@pytest.mark.parametrize(
    "text", ["", "1 +", "open('x')", "x.y", "x[0]", "{}", "1j ** 1j", "(" * 400, "1" * 2000, "+".join("1" * 400)]
)
def test_what_is_no_arithmetic(text):
    with pytest.raises(BadExpression):
        value_of(text, lambda name: 1.0)


def test_srdf():
    model = lo.Model(lo.read_urdf(XACRO, srdf=SRDF))
    said = lo.read_srdf(SRDF, model)
    assert dict(said.groups) == {
        "all": ("joint1", "joint2", "joint3"), "wrist": ("joint3",), "both": ("joint3", "joint1"),
    }  # fmt: skip
    assert said.passive == ("joint2",) and said.apart == (("link0", "link2"),) == model.description.apart
    np.testing.assert_allclose(model.keyframes["bent"], [0.3, 0.0, -0.2])
    assert set(model.keyframes) == {"bent", "wrist: home", "all: home"}
    assert any("links that the robot does not have" in warning for warning in said.warnings)
    with pytest.raises(lo.ModelError, match="there is no group 'leg'"):
        lo.read_srdf('<robot><group name="a"><group name="leg"/></group></robot>', model)
    with pytest.raises(lo.ModelError, match="holds itself"):
        lo.read_srdf('<robot><group name="a"><group name="a"/></group></robot>', model)
    with pytest.raises(lo.ModelError, match="is not below"):
        lo.read_srdf('<robot><group name="a"><chain base_link="link3" tip_link="link0"/></group></robot>', model)


def test_limits_of_ros2_control():
    plain, narrow = lo.Model(lo.read_urdf(XACRO)), lo.Model(lo.read_urdf(XACRO, control_limits=True))
    assert plain.upper[0] == pytest.approx(np.pi / 2) and (narrow.lower[0], narrow.upper[0]) == (-1.0, 0.5)
    assert narrow.joint("joint1").joint.effort_limit == 7.0 and narrow.upper[1] == plain.upper[1]
