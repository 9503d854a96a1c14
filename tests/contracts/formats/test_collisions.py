"""Collision shapes of files: read alike from all formats, written again, and left out with a sentence where they are odd."""

import numpy as np
import pytest

import locomote as lo
from locomote.formats.record import description_from_record, description_to_record

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPES = {
    "box": ((0.1, 0.2, 0.3), '<box size="0.1 0.2 0.3"/>', '<geom type="box" size="0.05 0.1 0.15"/>'),
    "sphere": ((0.1,), '<sphere radius="0.1"/>', '<geom type="sphere" size="0.1"/>'),
    "cylinder": ((0.1, 0.3), '<cylinder radius="0.1" length="0.3"/>', '<geom type="cylinder" size="0.1 0.15"/>'),
    "capsule": ((0.1, 0.3), '<capsule radius="0.1" length="0.3"/>', '<geom type="capsule" size="0.1 0.15"/>'),
}


def urdf(inside):
    return f'<robot name="r"><link name="a">{INERTIAL}{inside}</link></robot>'


def collision(shape, origin=""):
    return f"<collision>{origin}<geometry>{shape}</geometry></collision>"


def mjcf(inside, more=""):
    return f'<mujoco><worldbody><body name="a">{inside}</body></worldbody>{more}</mujoco>'


@pytest.mark.parametrize("kind", SHAPES)
def test_formats_say_the_same(kind):
    size, in_urdf, in_mjcf = SHAPES[kind]
    sizes = "".join(f"<{tag}>{x}</{tag}>" for tag, x in zip(("radius", "length"), size, strict=False))
    in_sdf = f"<{kind}>{'<size>0.1 0.2 0.3</size>' if kind == 'box' else sizes}</{kind}>"
    mass = "<inertial><mass>1</mass></inertial>"
    link = f'<link name="a">{mass}<collision name="c"><geometry>{in_sdf}</geometry></collision></link>'
    models = [
        lo.Model(lo.read_urdf(urdf(collision(in_urdf)))), lo.Model(lo.read_mjcf(mjcf(in_mjcf))),
        lo.Model(lo.read_sdf(f'<sdf version="1.9"><model name="r">{link}</model></sdf>')),
    ]  # fmt: skip
    for model in models:
        (found,) = model.collisions
        assert (found.shape, found.body) == (kind, "a") and np.allclose(found.size, size)
        assert np.array_equal(found.placement, np.eye(4))


def test_writers_keep_them(tmp_path):
    origin = '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'
    text = urdf("".join(collision(given[1], origin) for given in SHAPES.values()))
    model = lo.Model(lo.read_urdf(text).with_base("free"))
    for name in ("a.urdf", "a.xml", "a.sdf"):
        if name == "a.sdf":
            model = lo.Model(lo.read_urdf(text.replace("<collision>", "<collision name='x'>", 1)).with_base("free"))
        lo.save(model, tmp_path / name, unsupported="warn")
        again = lo.load(tmp_path / name, **({"base": "free"} if name == "a.urdf" else {}))
        assert [x.shape for x in again.collisions] == list(SHAPES)
        for a, b in zip(again.collisions, model.collisions, strict=True):
            assert np.allclose(a.size, b.size) and np.allclose(a.placement, b.placement, atol=1e-12)
    for again in (description_from_record(description_to_record(model.description)),):
        assert [x.title for x in again.bodies[0].collisions] == [x.title for x in model.collisions]


def test_mjcf_says_who_may_touch_whom():
    text = mjcf(
        '<geom size="0.1" contype="2" conaffinity="5" friction="0.3"/><geom size="0.1" contype="0" conaffinity="0"/>'
        '<body name="b"><joint/><geom size="0.1" group="3"/></body>',
        '<contact><exclude body1="a" body2="b"/></contact>',
    )
    description = lo.read_mjcf(text)
    first, second = lo.Model(description).collisions
    assert (first.group, first.mask, first.friction) == (2, 5, 0.3) and (second.group, second.mask) == (1, 1)
    assert description.apart == (("a", "b"),)
    with pytest.raises(lo.ModelError, match="no body 'c'"):
        lo.read_mjcf(text.replace('body2="b"', 'body2="c"'))


def test_odd_shapes_are_left_out_with_a_sentence():
    for inside in (
        "<geometry/>",
        "",
        "<geometry><box/></geometry>",
        "<geometry><blob/></geometry>",
        "<geometry><mesh/></geometry>",
    ):
        description = lo.read_urdf(urdf(f"<collision>{inside}</collision>"))
        assert not description.bodies[0].collisions
        assert any("a collision of link 'a' is left out" in x for x in description.warnings)


def test_names_of_bodies_follow():
    shape = lo.Collision("sphere", (0.1,))
    model = lo.Builder("r").body("a", inertia=lo.Inertia.sphere(1, 1), collisions=[shape]).build()
    assert model.collisions[0].body == "a" and model.collisions[0].title == "sphere of a" and shape.body == ""
    with pytest.raises((lo.ModelError, ValueError, TypeError), match="collisions of body 'a'"):
        lo.Builder("r").body("a", collisions=["box"])
