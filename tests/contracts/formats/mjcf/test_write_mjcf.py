"""MJCF out and in again: the same mechanism; and what MJCF cannot say is refused in words."""

import os
import re
import sys
import warnings
from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from example_robots import ROBOTS, URDFS
from hypothesis import given, settings
from hypothesis import strategies as some
from written_mechanisms import SEEDS, assert_same, assert_same_looks, for_mjcf

import locomote as lo
from locomote.formats.draft import base_word
from locomote.model.columns import GROUPED_MASS, INERTIA_WIDTH

BOX = lo.Inertia(1.0, moment=(0.3, 0.4, 0.5))
UNREADABLE = {"ur_description/urdf/ur3.urdf", "alex_description/urdf/alex_psyonic_hands.urdf"}


def returned(model, **options):
    return lo.Model(lo.read_mjcf(lo.write_mjcf(model, **options)))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_mechanisms_return(seed):
    model = lo.Model(for_mjcf(seed))
    back = returned(model)
    assert back.body_names == model.body_names
    assert_same(model, back)
    assert_same_looks(model, back)


def test_random_mechanisms_have_all_that_mjcf_has():
    descriptions = [for_mjcf(seed) for seed in SEEDS]
    joints = [joint for description in descriptions for body in description.bodies for joint in body.joints]
    kinds = {joint.kind for joint in joints}
    assert kinds >= {"revolute", "prismatic", "spherical", "free", "cylindrical", "universal", "euler", "xyz"}
    for label in ("anchor", "reference", "stiffness", "rest", "armature", "damping", "friction"):
        assert any(np.any(getattr(joint, label)) for joint in joints), label
    assert sum(bool(description.couplings) for description in descriptions) > 3
    assert any(len([body for body in description.bodies if body.parent is None]) > 1 for description in descriptions)


def test_robots_return():
    """From URDF into MJCF: only limits of velocities are left out, those of one side or no width, and a link for the world."""
    names = [name for name in URDFS if name not in UNREADABLE][::4]
    for name in names:
        model = lo.load(ROBOTS / name)
        model = model if "world" in model.body_names else lo.Model(model.description.with_base("free"))
        with warnings.catch_warnings(record=True) as left_out:
            warnings.simplefilter("always")
            back = returned(model, unsupported="warn", visuals=False)
        told = [str(warning.message) for warning in left_out]
        known = ("velocity_limit", "a range from", "effort_limit 0", "MJCF's world", " more")
        assert all(any(word in sentence for word in known) for sentence in told), told
        kept = [model.body(body).index for body in back.body_names]
        assert set(model.body_names) - set(back.body_names) <= {"world"} and back.joint_names == model.joint_names
        assert np.array_equal(back.topology, model.topology)
        sums = slice(GROUPED_MASS, GROUPED_MASS + INERTIA_WIDTH)  # of inertias of many bodies: larger numbers
        assert mechanisms.relative(back.constants[:, sums], model.constants[:, sums]) < 1e-15
        assert np.max(abs(np.delete(back.constants - model.constants, sums, axis=1))) < 1e-15
        assert np.max(abs(back.placement - model.placement[kept])) < 1e-15
        assert np.array_equal(back.damping, model.damping) and np.array_equal(back.friction, model.friction)
        same = np.isfinite(back.upper)
        assert np.array_equal(back.lower[same], model.lower[same]) and np.array_equal(back.upper[same], model.upper[same])
    assert len(names) > 15


def two_bodies(joint, **options):
    builder = lo.Builder("pair").body("ground")
    return builder.body("arm", parent="ground", joint=joint, inertia=BOX, **options).build()


def test_a_small_file_as_text():
    joint = lo.Joint("pivot", axis="y", reference=0.2, stiffness=3.0, rest=0.1, lower=-1, upper=2, effort_limit=40.0)
    look = lo.Visual("box", (0.1, 0.2, 0.4), color=(1.0, 0.0, 0.0, 1.0))
    turn = np.diag([-1.0, -1.0, 1.0, 1.0])
    turn[:3, 3] = (0, 0, 0.5)
    assert lo.write_mjcf(two_bodies(joint, at=turn, visuals=[look])).splitlines()[1:] == [
        '<mujoco model="pair">',
        '  <compiler angle="radian"/>',
        '  <option gravity="0 0 -9.81"/>',
        "  <default>",
        '    <geom mass="0" contype="0" conaffinity="0"/>',
        "  </default>",
        "  <worldbody>",
        '    <body name="ground">',
        '      <body name="arm" pos="0 0 0.5" quat="0 0 0 1">',
        '        <inertial pos="0 0 0" mass="1" diaginertia="0.3 0.4 0.5"/>',
        '        <joint name="pivot" type="hinge" axis="0 1 0" range="-1 2" actuatorfrcrange="-40 40" '
        'stiffness="3" ref="0.2" springref="0.1"/>',
        '        <geom size="0.05 0.1 0.2" type="box" rgba="1 0 0 1"/>',
        "      </body>",
        "    </body>",
        "  </worldbody>",
        "</mujoco>",
    ]


def test_quarter_turns_keep_their_zeros():
    turn = np.eye(4)[:, [1, 2, 0, 3]]
    model = two_bodies(lo.Joint("j"), at=turn)
    assert returned(model) == model


def test_looks_do_not_weigh():
    model = lo.Builder("light").body("ground").body("frame", parent="ground", visuals=[lo.Visual("sphere", (1.0,))]).build()
    assert returned(model).mass == 0.0


def test_meshes_are_named_once(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "parts" / "arm.obj").write_text("")
    mesh = lo.Visual("mesh", (1.0, 1.0, 2.0), file=str(tmp_path / "parts" / "arm.obj"))
    other = lo.Visual("mesh", (1.0, 1.0, 1.0), file=mesh.file)
    lo.save(two_bodies(lo.Joint("j"), visuals=[mesh, other, mesh]), tmp_path / "new" / "pair.xml")
    text = (tmp_path / "new" / "pair.xml").read_text()
    assert text.count("<mesh ") == 2 and 'file="../parts/arm.obj"' in text
    visuals = lo.load(tmp_path / "new" / "pair.xml").body("arm").body.visuals
    assert [visual.size for visual in visuals] == [mesh.size, other.size, mesh.size]
    assert all(os.path.samefile(visual.file, mesh.file) for visual in visuals)


# couplings


def chain(coupling):
    builder = lo.Builder("chain").body("ground")
    for name, reference in (("a", 0.3), ("b", 0.0), ("c", -0.7)):
        joint = lo.Joint(name, axis="y", reference=reference)
        builder.body(f"body {name}", parent="ground", joint=joint, inertia=BOX)
    return builder.couple("c", coupling, offset=0.25).build()


@pytest.mark.parametrize("coupling", [{"a": -1.5}, {"b": 2.0}, {}])
def test_couplings_relate_coordinates_not_displacements(coupling):
    model = chain(coupling)
    back = returned(model)
    assert np.max(abs(back.coupling.offset - model.coupling.offset)) < 1e-15
    assert np.array_equal(back.coupling.q_matrix, model.coupling.q_matrix)


# refusals

REFUSED = {
    "one side": (two_bodies(lo.Joint("j", lower=-1.0)), "joint 'j': a range from -1 to inf"),
    "no width": (two_bodies(lo.Joint("j", lower=1.0, upper=1.0)), "joint 'j': a range from 1 to 1"),
    "no effort": (two_bodies(lo.Joint("j", effort_limit=0.0)), "joint 'j': effort_limit 0"),
    "negative spring": (two_bodies(lo.Joint("j", stiffness=-1.0)), "joint 'j': the negative stiffness -1"),
    "rest of a ball": (two_bodies(lo.Joint("b", "spherical", rest=0.1)), "joint 'b': rest 0.1 of a spherical joint"),
    "damping of a ball": (
        two_bodies(lo.Joint("b", "spherical", damping=(0.1, 0.2, 0.3))),
        "joint 'b': damping that differs between coordinates",
    ),
    "a free joint": (
        lo.Model(lo.Description("m", (lo.Body("b", joints=(lo.Joint("f", "free", friction=2.0),), inertia=BOX),))),
        "joint 'f': friction 2 of a free joint",
    ),
    "several leaders": (chain({"a": 1.0, "b": 2.0}), "joint 'c': a coupling to 2 joints"),
    "added inertia": (two_bodies(lo.Joint("j"), added_inertia=np.eye(6)), "body 'arm': added inertia"),
    "flat box": (
        two_bodies(lo.Joint("j"), visuals=[lo.Visual("box", (1.0, 1.0, 0.0))]),
        "visual 1 of body 'arm': a box without extent",
    ),
    "mesh without file": (two_bodies(lo.Joint("j"), visuals=[lo.Visual("mesh", (1, 1, 1))]), "a mesh without a file"),
    "a look out of shape": (
        two_bodies(lo.Joint("j"), visuals=[lo.Visual("sphere", (1.0,), 2.0 * np.eye(4))]),
        "visual 1 of body 'arm': a placement that is not a pose",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_or_left_out(name):
    model, sentence = REFUSED[name]
    with pytest.raises(lo.ModelError, match=sentence) as caught:
        lo.write_mjcf(model)
    assert len(caught.value.faults) == 1 and "unsupported='warn' writes the rest" in str(caught.value)
    with pytest.warns(UserWarning, match=f"left out: {re.escape(sentence.split(': ')[-1])}"):
        back = returned(model, unsupported="warn")
    assert back.unfolded.nv == model.unfolded.nv


# of what moves nothing, a warning is enough
LEFT_OUT = {
    "velocity limit": (two_bodies(lo.Joint("j", velocity_limit=3.0)), "joint 'j': velocity_limit 3 of a revolute joint"),
    "a link for the world": (
        lo.Builder("m").body("world").body("arm", parent="world", joint=lo.Joint("j"), inertia=BOX).build(),
        "body 'world': a body that has the name and the place of MJCF's world",
    ),
    "names of looks": (
        two_bodies(lo.Joint("j"), visuals=[lo.Visual("sphere", (1.0,), name="eye")] * 2),
        "a visual of body 'arm': the name 'eye', which another visual has",
    ),
}


@pytest.mark.parametrize("unsupported", ["error", "warn"])
@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_moves_nothing_is_left_out(name, unsupported):
    model, sentence = LEFT_OUT[name]
    with pytest.warns(UserWarning, match=f"left out: {re.escape(sentence.split(': ')[-1])}.*does not change the motion"):
        back = returned(model, unsupported=unsupported)
    assert back.unfolded.nv == model.unfolded.nv


def test_robots_are_written_as_they_are():
    """All example robots but those with limits that MJCF cannot say."""
    readable = [name for name in URDFS if name not in UNREADABLE]
    refused = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in readable:
            try:
                lo.write_mjcf(lo.load(ROBOTS / name), visuals=False)
            except lo.ModelError as error:
                assert all("effort_limit 0" in fault or "a range from" in fault for fault in error.faults), error.faults
                refused.append(name)
    assert len(refused) <= 5 < 60 <= len(readable)


def placed_root(joint):
    return lo.Model(lo.Description("m", (lo.Body("root", None, np.diag([-1.0, -1.0, 1.0, 1.0]), (joint,), BOX),)))


NEVER = {
    "helical": (two_bodies(lo.Joint("j", "helical", pitch=0.1)), "joint 'j': MJCF has no helical joint"),
    "planar": (two_bodies(lo.Joint("j", "planar")), "joint 'j': MJCF has no planar joint"),
    "free on a body": (two_bodies(lo.Joint("j", "free")), "a free joint of MJCF is in a body of the world; 'arm' hangs on"),
    "free with another": (
        lo.Builder("m").body("b", joint=[lo.Joint("f", "free"), lo.Joint("j")], inertia=BOX).build(),
        "joint 'f': a free joint of MJCF is the only one of its body; 'b' has 2",
    ),
    "free with a placement": (placed_root(lo.Joint("f", "free")), "'root' has a placement before it"),
    "world": (
        lo.Builder("m", base="free").body("world", inertia=BOX).build(),
        "body 'world': in MJCF this is the name of the world",
    ),
    "control character": (two_bodies(lo.Joint("\0")), "which no XML file can hold"),
}


@pytest.mark.parametrize("name", NEVER)
@pytest.mark.parametrize("unsupported", ["error", "warn"])
def test_what_no_option_allows(name, unsupported):
    model, sentence = NEVER[name]
    with pytest.raises(lo.ModelError, match=sentence):
        lo.write_mjcf(model, unsupported=unsupported)


def test_too_deep_to_be_read(monkeypatch):
    for module in ("xml", "mjcf.writer"):
        monkeypatch.setattr(sys.modules[f"locomote.formats.{module}"], "DEEPEST", 20)

    def long(count):
        bodies = [lo.Body(f"b{k}", f"b{k - 1}" if k else None, joints=(lo.Joint(f"j{k}"),), inertia=BOX) for k in range(count)]
        return lo.Model(lo.Description("long", tuple(bodies)))

    assert returned(long(17)).nv == 17
    with pytest.raises(lo.ModelError, match="body 'b17': its chain of parents is too long"):
        lo.write_mjcf(long(18))


@pytest.mark.parametrize("name", mechanisms.NAMES, ids=str)
@pytest.mark.parametrize("form", ["urdf", "mjcf"])
@pytest.mark.filterwarnings("ignore:model 'mechanism")
def test_any_mechanism_is_written_or_refused(name, form):
    """Never something else than a ModelError; what is written loads, and moves in as many ways."""
    write, read = {"urdf": (lo.write_urdf, lo.read_urdf), "mjcf": (lo.write_mjcf, lo.read_mjcf)}[form]
    description = mechanisms.random_description(**mechanisms.SPECIAL.get(name, {"seed": name}))
    model = lo.Model(replace(description, couplings=()))
    for unsupported in ("error", "warn"):
        try:
            text = write(model, unsupported=unsupported)
        except lo.ModelError as error:
            assert error.faults and error.source == f"model {model.name!r} as {form.upper()}"
            continue
        base = base_word(model.description) if form == "urdf" else "fixed"
        back = lo.Model(read(text).with_base(base))
        assert (back.nq, back.nv) == (model.nq, model.nv) and abs(back.mass - model.mass) < 1e-12


# names

TEXT = some.text(some.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda text: text != "world" and not {"\ufffe", "\uffff"} & set(text)
)


@settings(max_examples=100, deadline=None)
@given(some.lists(TEXT, min_size=2, max_size=2, unique=True), TEXT, TEXT, TEXT)
def test_any_name_returns(bodies, joint, name, look):
    builder = lo.Builder(name).body(bodies[0], inertia=BOX, visuals=[lo.Visual("sphere", (1.0,), name=look)])
    model = builder.body(bodies[1], parent=bodies[0], joint=lo.Joint(joint), inertia=BOX).build()
    back = returned(model)
    assert back == model and back.body(bodies[0]).body.visuals[0].name == look


@pytest.mark.parametrize("name", ["</mujoco>", "a\"b'c", "&lt;", " a\t\n\r b ", "${x}", "..", "main"])
def test_hostile_names_return(name):
    builder = lo.Builder(name).body(name, inertia=BOX).body("arm", parent=name, joint=lo.Joint(name), inertia=BOX)
    model = builder.build()
    assert returned(model) == model
