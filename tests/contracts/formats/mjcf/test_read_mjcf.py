"""The MJCF reader against MuJoCo's compiler: one small model a rule of the format."""

import re

import mujoco_reference
import numpy as np
import pytest

from locomote.errors import ModelError
from locomote.formats.mjcf.reader import read_mjcf
from locomote.model.description import Coupling

BALL = '<geom size=".1"/>'


def world(body, before="", after=""):
    return f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"


@pytest.fixture(autouse=True)
def away(tmp_path, monkeypatch):
    """MuJoCo writes a log into the working folder when it warns."""
    monkeypatch.chdir(tmp_path)


SAME = {
    "hinge with everything": world(
        '<body name="a" pos="1 2 3" euler="10 20 30"><joint name="j" pos=".1 .2 .3" axis="1 2 3" ref="15" springref="25"'
        ' stiffness="3" damping=".5" armature=".1" frictionloss=".2" range="-40 60" actuatorfrcrange="-7 7"/>'
        + BALL
        + "</body>"
    ),
    "slide": world(f'<body><joint type="slide" axis="0 2 0" ref=".3" springref=".4" range="-1 2" stiffness="9"/>{BALL}</body>'),
    "ball": world(f'<body pos="0 0 1" zaxis="1 1 0"><joint type="ball" pos=".1 0 .2" damping="2" armature=".3"/>{BALL}</body>'),
    "free": world(f'<body name="drone" pos="1 2 3" quat="1 1 0 0"><freejoint name="root"/>{BALL}</body>'),
    "free as joint, spared by the defaults": world(
        f'<body><freejoint/>{BALL}</body><body><joint type="free"/>{BALL}</body>', '<default><joint damping="2"/></default>'
    ),
    "three joints in one body": world(
        f'<body pos="0 0 1"><joint type="slide" axis="1 0 0"/><joint axis="0 1 0" pos="0 .1 0"/>'
        f'<joint axis="1 0 1" pos=".2 0 0" ref="30"/>{BALL}</body>'
    ),
    "slide and ball in one body": world(
        f'<body><joint type="slide" axis="1 1 0"/><joint type="ball" pos=".1 .2 .3"/>{BALL}</body>'
    ),
    "branches and a forest": world(
        f'<body pos="1 0 0"><joint/>{BALL}<body pos="1 0 0"><joint/>{BALL}<body><joint/>{BALL}</body></body>'
        f'<body pos="0 1 0"><joint axis="1 0 0"/>{BALL}</body></body><body name="table">{BALL}</body>'
        f"<body><joint/>{BALL}</body>"
    ),
    "radians": world(f'<body euler=".1 .2 .3"><joint ref=".2" range="-1 1"/>{BALL}</body>', '<compiler angle="radian"/>'),
    "the last compiler counts": world(
        f'<body euler=".1 .2 .3"><joint range="-1 1"/>{BALL}</body>', '<compiler angle="degree"/>', '<compiler angle="radian"/>'
    ),
    **{
        f"euler {order}": world(f'<body euler="10 20 30"><joint/>{BALL}</body>', f'<compiler eulerseq="{order}"/>')
        for order in ("xyz", "zyx", "XYZ", "zXy", "zxz", "YyX")
    },
    "orientations": world(
        f'<body quat="1 2 3 4">{BALL}<body axisangle="1 2 3 40">{BALL}</body><body xyaxes="1 1 0 0 1 1">{BALL}</body>'
        f'<body zaxis="1 2 3">{BALL}</body><body zaxis="0 0 -1">{BALL}</body><body zaxis="0 0 5">{BALL}</body></body>'
    ),
    "inertia by principal moments": world(
        '<body><joint/><inertial pos="1 2 3" mass="2" diaginertia="1 2 2.5" euler="10 20 30"/></body>'
    ),
    "inertia by six numbers": world(
        '<body><joint/><inertial pos="1 2 3" mass="2" fullinertia="1 2 2.5 .1 .2 .3"/><geom size="1"/></body>'
    ),
    "inertia of all shapes": world(
        '<body><joint/><geom type="box" size=".1 .2 .3" euler="10 20 30"/>'
        '<geom type="capsule" size=".2 .1" pos="1 0 0" mass="2"/>'
        '<geom type="cylinder" size=".2 .1" pos="0 1 0" zaxis="1 1 1" density="100"/><geom size=".3" mass="0"/>'
        '<geom type="ellipsoid" size=".2 .1 .4" pos="0 1 1"/><geom type="sphere" size=".2" pos="0 0 -1"/></body>'
    ),
    "shapes between two points": world(
        '<body><joint/><geom type="capsule" size=".1" fromto="0 0 0 1 2 3"/><geom type="box" size=".1" fromto="0 0 0 0 0 -1"/>'
        '<geom type="cylinder" size=".1" fromto="1 0 0 1 0 2"/><geom type="ellipsoid" size=".1" fromto="0 1 0 0 0 1"/></body>'
    ),
    "geoms override the inertial": world(
        f'<body><joint/>{BALL}<inertial pos="0 0 0" mass="1" diaginertia="1 1 2"/></body>'
        '<body><joint/><inertial pos="1 0 0" mass="1" diaginertia="1 1 2"/></body>',
        '<compiler inertiafromgeom="true"/>',
    ),
    "geoms say nothing": world(f"<body>{BALL}</body>", '<compiler inertiafromgeom="false"/>'),
    "groups of geoms that weigh": world(
        '<body><joint/><geom size=".1" group="3"/><geom size=".2" pos="1 0 0" group="1"/></body>',
        '<compiler inertiagrouprange="0 2"/>',
    ),
    "bounds": world(
        '<body><joint/><inertial pos="0 1 0" mass="1" diaginertia="1 1 2" euler="10 20 30"/></body><body><joint/></body>',
        '<compiler boundmass="3" boundinertia="1.5"/>',
    ),
    "balance": world(
        '<body><joint/><inertial pos="0 1 0" mass="1" diaginertia="1 1 3" euler="10 20 30"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    "total mass": world(
        f'<body><joint/><inertial pos="0 1 0" mass="1" diaginertia="1 1 2"/></body><body>{BALL}</body>',
        '<compiler settotalmass="10" boundmass="2"/>',
    ),
    "defaults and classes": world(
        '<body childclass="leg"><joint/><geom/><body><joint class="main" range="0 1"/><geom class="thin"/>'
        '<body childclass="thin"><joint axis="1 0 0"/><geom type="capsule" size=".05"/></body></body></body>',
        '<default><joint axis="0 1 0" damping="1"/><geom size=".1 .2 .3" density="500"/>'
        '<default class="leg"><joint damping="2"/><geom type="box"/>'
        '<default class="thin"><joint armature=".5"/><geom size=".02" pos="0 0 1"/></default></default></default>',
    ),
    "two sections of defaults": world(
        "<body><joint/><geom/></body>", '<default><geom size="1"/></default>', '<default><joint armature="2"/></default>'
    ),
    "an own orientation beats that of the defaults": world(
        '<body><joint/><geom type="box" quat="0 1 0 1"/></body>', '<default><geom size=".1 .2 .3" euler="10 0 0"/></default>'
    ),
    "limits": world(
        f'<body><joint limited="true" range="1 2"/>{BALL}<body><joint limited="false" range="1 2"/>{BALL}</body></body>'
        f'<body><joint range="0 0"/>{BALL}</body>',
        '<compiler autolimits="false"/><default><joint limited="false"/></default>',
    ),
    "frames": world(
        '<frame pos="0 0 1"><body><frame pos="1 0 0" euler="0 0 90"><joint pos="1 0 0" axis="1 0 0"/>'
        '<geom size=".1" pos="0 1 0"/>'
        f'<frame euler="30 0 0"><body pos="0 0 1"><joint/>{BALL}</body></frame></frame></body></frame>'
        '<body><joint/><frame pos="1 0 0" euler="0 0 90"><inertial pos="1 0 0" mass="1" diaginertia="1 1.5 2"/></frame></body>'
    ),
    "frames with a class": world(
        '<body><frame childclass="big"><joint/><geom/><body><joint/><geom/></body></frame></body>',
        '<default><geom size=".1"/><default class="big"><geom size="1"/></default></default>',
    ),
    "gravity": world(f"<body><joint/>{BALL}</body>", '<option gravity="1 2 3"/>'),
    "no gravity": world(f"<body><joint/>{BALL}</body>", '<option><flag gravity="disable"/></option>'),
    "nothing moves": world(f'<body name="a">{BALL}</body>'),
    "two worlds": world(f"<body>{BALL}</body>", after=f"<worldbody><body><joint/>{BALL}</body></worldbody>"),
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME.keys())
def test_agrees_with_mujoco(text):
    mujoco_reference.assert_same(read_mjcf(text), mujoco_reference.compiled(text))


def random_model(rng):
    """A random MJCF file: frames, classes, all joints, all shapes, both kinds of inertia."""
    words = lambda values: " ".join(f"{value:.4g}" for value in values)  # noqa: E731
    shapes = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}

    def place():
        ways = [
            "",
            f'quat="{words(rng.normal(size=4))}"',
            f'euler="{words(rng.uniform(-90, 90, 3))}"',
            f'axisangle="{words(rng.uniform(-90, 90, 4))}"',
            f'zaxis="{words(rng.normal(size=3))}"',
            f'xyaxes="{words(rng.normal(size=6))}"',
        ]
        return f'pos="{words(rng.uniform(-1, 1, 3))}" {rng.choice(ways)}'

    def geom():
        shape = rng.choice(list(shapes))
        weight = rng.choice(["", f'mass="{rng.uniform(0.1, 2):.3g}"', f'density="{rng.uniform(1, 900):.3g}"'])
        if shape != "sphere" and rng.random() < 0.3:
            return (
                f'<geom type="{shape}" size="{rng.uniform(0.05, 0.2):.3g}" fromto="{words(rng.uniform(-1, 1, 6))}" {weight}/>'
            )
        size = words(rng.uniform(0.05, 0.3, shapes[shape]))
        return f'<geom type="{shape}" size="{size}" {place()} {weight} group="{rng.integers(4)}"/>'

    def inertia():
        if rng.random() < 0.6:
            return f'<geom size=".1" pos="{words(rng.uniform(-1, 1, 3))}"/>' + "".join(geom() for _ in range(rng.integers(3)))
        spread = rng.uniform(0.1, 1, 3)
        moments = spread.sum() - spread
        return f'<inertial {place()} mass="{rng.uniform(0.1, 3):.4g}" diaginertia="{words(moments)}"/>'

    def joint(kind):
        own = f'pos="{words(rng.uniform(-1, 1, 3))}" axis="{words(rng.normal(size=3))}" damping="{rng.uniform():.3g}"'
        if kind != "ball":
            own += f' ref="{rng.uniform(-1, 1):.3g}" springref="{rng.uniform(-1, 1):.3g}" range="-1 2"'
        return f'<joint type="{kind}" {own} class="stiff"/>'

    def body(depth):
        inner = inertia()
        kinds = rng.choice(["hinge", "slide"], size=rng.integers(4)) if rng.random() < 0.8 else ["slide", "ball"]
        inner += "".join(joint(kind) for kind in kinds)
        inner += "".join(body(depth - 1) for _ in range(rng.integers(3))) if depth else ""
        if rng.random() < 0.3:
            inner = f"<frame {place()}>{inner}</frame>"
        return f"<body {place()}>{inner}</body>"

    free = f'<body {place()}><freejoint/>{geom()}<geom size=".1"/>{body(1)}</body>' if rng.random() < 0.5 else ""
    angle = rng.choice(["degree", "radian"])
    order = "".join(rng.choice(list("xyzXYZ"), size=3))
    return world(
        body(2) + free + body(1),
        f'<compiler angle="{angle}" eulerseq="{order}" boundmass="1e-3" boundinertia="1e-6"/><default><default class="stiff">'
        f'<joint stiffness="{rng.uniform():.3g}" armature="{rng.uniform():.3g}"/></default></default>',
    )


@pytest.mark.parametrize("seed", range(60))
def test_random_models_agree_with_mujoco(seed):
    text = random_model(np.random.default_rng(seed))
    mujoco_reference.assert_same(read_mjcf(text), mujoco_reference.compiled(text))


def test_linear_equality_is_a_coupling():
    body = f'<body><joint name="b" ref="20"/>{BALL}<body><joint name="c"/>{BALL}</body></body>'
    body = f'<body><joint name="a" ref="10"/>{BALL}{body}</body>'
    rules = '<joint joint1="c" joint2="b" polycoef="1 3"/><joint joint1="b" joint2="a" polycoef="0.5 2 0 0 0"/>'
    couplings = sorted(read_mjcf(world(body, after=f"<equality>{rules}</equality>")).couplings, key=lambda c: c.joint)[::-1]
    a, b = np.deg2rad(10), np.deg2rad(20)
    # b - b0 = 0.5 + 2 (a - a0);  c = 1 + 3 (b - b0) = 2.5 + 6 (a - a0)
    assert [(c.joint, c.ratios[0][0]) for c in couplings] == [("c", "a"), ("b", "a")]
    np.testing.assert_allclose([couplings[0].offset, couplings[0].ratios[0][1]], [2.5 - 6 * a, 6])
    np.testing.assert_allclose([couplings[1].offset, couplings[1].ratios[0][1]], [b + 0.5 - 2 * a, 2])


def test_equality_to_a_constant_and_inactive():
    body = f'<body><joint name="a"/>{BALL}<body><joint name="b"/>{BALL}</body></body>'
    rules = '<equality><joint joint1="a" polycoef="0.3"/><joint joint1="b" active="false"/></equality>'
    description = read_mjcf(world(body, after=rules))
    assert description.couplings == (Coupling("a", (), 0.3),)
    assert any("not active" in warning for warning in description.warnings)


def test_switched_off_parts():
    text = world(
        f'<body><joint name="a" stiffness="1" damping="1" frictionloss="1" range="0 1"/>{BALL}</body>',
        '<option><flag spring="disable" damper="disable" frictionloss="disable" limit="disable" equality="disable"/></option>',
        '<equality><joint joint1="a"/></equality>',
    )
    description = read_mjcf(text)
    joint = description.bodies[0].joints[0]
    assert (joint.stiffness, joint.damping, joint.friction, joint.upper) == (0, 0, 0, np.inf)
    assert not description.couplings


def test_names_are_made_up_when_missing():
    text = world(
        f'<body><joint/><joint axis="1 0 0"/>{BALL}<body name="body2">{BALL}</body>'
        f'<body><joint type="slide"/>{BALL}</body></body>'
    )
    description = read_mjcf(text)
    assert [body.name for body in description.bodies] == ["body1", "body2", "body3"]
    assert [j.name for b in description.bodies for j in b.joints] == ["hinge of body1", "hinge of body1 (2)", "slide of body3"]


def test_what_is_not_read_is_named_once():
    text = world(
        f'<geom type="plane" size="1 1 1"/><light/><body pos="0 0 2"><freejoint name="root"/>{BALL}</body>',
        after='<actuator><motor joint="root"/></actuator><sensor><gyro site="x"/><gyro site="y"/></sensor><contact/>',
    )
    warnings = read_mjcf(text).warnings
    assert "not read, since it does not change the free motion: actuator (1), sensor (2)" in warnings
    assert any("geoms of the world" in warning for warning in warnings)
    assert any("starts at 0 0 2 m" in warning for warning in warnings)


def test_unsupported_parts_can_be_left_out():
    text = world(
        f'<body name="a" gravcomp="1"><joint name="j" springdamper="1 1"/>{BALL}<attach frame="y" prefix="p"/></body>',
        '<option density="1.2"/>',
        '<equality><weld body1="a"/></equality><tendon><fixed stiffness="2"><joint joint="j" coef="1"/></fixed></tendon>',
    )
    with pytest.raises(ModelError) as caught:
        read_mjcf(text)
    assert len(caught.value.faults) == 6
    description = read_mjcf(text, unsupported="warn")
    assert sum("left out" in warning for warning in description.warnings) == 6
    assert description.bodies[0].inertia.mass == pytest.approx(1000 * 4 / 3 * np.pi * 1e-3)


def test_visuals():
    text = world(
        '<body><geom type="box" size="1 2 3" rgba="1 0 0 1" name="hull"/><geom type="capsule" size="1 2" material="blue"/>'
        '<geom size="1" group="3"/><geom type="mesh" mesh="part" mass="0"/></body>',
        '<compiler meshdir="parts"/><asset><material name="blue" rgba="0 0 1 1"/><mesh file="part.stl" scale="2 2 2"/></asset>',
    )
    description = read_mjcf(text)
    box, capsule, mesh = description.bodies[0].visuals
    assert (box.shape, box.size, box.color, box.name) == ("box", (2, 4, 6), (1, 0, 0, 1), "hull")
    assert (capsule.shape, capsule.size, capsule.color) == ("capsule", (1, 4), (0, 0, 1, 1))
    assert (mesh.shape, mesh.size, mesh.file) == ("mesh", (2, 2, 2), "parts/part.stl")
    assert any("mesh files were not found" in warning for warning in description.warnings)


def test_included_files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.xml").write_text(
        '<mujoco model="walker"><include file="parts/common.xml"/>'
        '<worldbody><include file="parts/leg.xml"/></worldbody></mujoco>'
    )
    (tmp_path / "parts" / "common.xml").write_text(
        '<mujoco><compiler angle="radian"/><default><geom size=".1"/></default></mujoco>'
    )
    (tmp_path / "parts" / "leg.xml").write_text('<x><body name="leg" euler="1 0 0"><joint/>\n<geom/></body></x>')
    path = tmp_path / "main.xml"
    description = read_mjcf(path)
    assert description.name == "walker" and description.source == str(path)
    mujoco_reference.assert_same(description, mujoco_reference.compiled(path=path))


def test_faults_in_included_files_name_the_file(tmp_path):
    (tmp_path / "main.xml").write_text('<mujoco><worldbody><include file="leg.xml"/></worldbody></mujoco>')
    (tmp_path / "leg.xml").write_text('<x>\n<body>\n<joint axis="0 0 0"/></body></x>')
    with pytest.raises(ModelError, match="leg.xml line 3, <joint>: its axis is zero"):
        read_mjcf(tmp_path / "main.xml")


def test_a_chain_of_a_thousand_bodies():
    text = world("".join(f'<body pos="0 0 -1"><joint/>{BALL}' for _ in range(1000)) + "</body>" * 1000)
    assert len(read_mjcf(text).bodies) == 1000


WARNED = {
    "mocap": (world(f'<body mocap="true">{BALL}</body>'), "mocap bodies are taken as fixed"),
    "ball limits": (world(f'<body><joint type="ball" range="0 30"/>{BALL}</body>'), "limits of ball joints are not kept"),
    "rotor of a free joint": (
        world(f'<body><joint type="free"/>{BALL}</body>', '<default><joint armature="1"/></default>'),
        "armature of free joints is left out; give their bodies more inertia instead: ",
    ),
    "friction of a free joint": (
        world(f'<body><joint type="free" frictionloss="1"/>{BALL}</body>'),
        "dry friction of free joints acts along body axes here, along world axes in MuJoCo: ",
    ),
    "skew force range": (world(f'<body><joint actuatorfrcrange="-1 2"/>{BALL}</body>'), "kept as their larger side"),
    "aligned free bodies": (world(f"<body>{BALL}</body>", '<compiler alignfree="true"/>'), "alignfree is not followed"),
    "new attribute of a geom": (world('<body><geom size=".1" glow="1"/></body>'), "unknown attribute 'glow'"),
    "fixed mesh": (world('<body><geom type="mesh" mesh="m"/></body>'), "weigh what a mesh weighs are taken as massless"),
    "mesh without file": (world('<body><geom type="mesh" mesh="m" mass="0"/></body>'), "whose mesh has no file are not shown"),
    "wrong colour": (world(f"<body>{BALL}</body>", '<asset><material name="a" rgba="1 0"/></asset>'), "rgba has 2 numbers"),
    "impossible inertia": (
        world('<body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'),
        "body 'a' has principal moments 1, 1, 3 kg m.2: the largest exceeds the sum",
    ),
}


@pytest.mark.parametrize("text, sentence", WARNED.values(), ids=WARNED)
def test_warnings(text, sentence):
    (warning,) = [warning for warning in read_mjcf(text).warnings if re.search(sentence, warning)]
    assert warning


def test_planes_and_stripped_paths():
    text = world(
        '<body><geom type="plane" size="1 2 .1"/><geom type="plane" size="0 0 .1"/>'
        '<geom type="mesh" mesh="a" mass="0"/></body>',
        '<compiler strippath="true" assetdir="parts"/><asset><mesh file="C:\\x\\a.stl" name="a"/></asset>',
    )
    plane, endless, mesh = read_mjcf(text).bodies[0].visuals
    assert (plane.size, endless.size, mesh.file) == ((2, 4), (0, 0), "parts/a.stl")


def test_the_frame_of_a_mesh_file():
    text = world(
        '<body><geom type="mesh" mesh="a" mass="0" pos="1 0 0"/></body>',
        '<asset><mesh name="a" file="a.stl" refpos="0 0 1" refquat="0 0 0 1"/></asset>',
    )
    # MuJoCo takes refpos from the vertices, then turns them back by refquat
    placement = read_mjcf(text).bodies[0].visuals[0].placement
    np.testing.assert_allclose(placement @ [1, 2, 3, 1], [1 - 1, -2, 2, 1], atol=1e-15)


def test_impossible_inertia_can_be_refused():
    with pytest.raises(ModelError, match="accept it with inertia='warn'"):
        read_mjcf(WARNED["impossible inertia"][0], inertia="error")
