"""What is said of SDF files with faults: where, what, and what to do; and no file makes the reader do anything else."""

import numpy as np
import pytest
from hostile_files import check
from sdf_files import ENDS, HEAVY, SDF_ARM, A, B, axis, joint, sdf

import locomote as lo

WRONG = {
    "no model": ("<sdf version='1.9'/>", "the file has no <model>"),
    "two worlds": ("<sdf version='1.9'><world name='a'/><world name='b'/></sdf>", "has 2 worlds; keep one"),
    "no link": (sdf(), "has no <link>; a model that moves has one at least"),
    "no name": (sdf("<link/>"), "this <link> has no name"),
    "reserved name": (sdf(A, "<frame name='__f__'/>"), "a name cannot have '::', be 'world'"),
    "scoped name": (sdf("<link name='a::b'/>"), "a name cannot have '::'"),
    "taken name": (sdf(A, A), "the name 'a' is taken by the <link> in line 1"),
    "taken by another": (sdf(A, "<frame name='a'/>"), "the name 'a' is taken by the <link> in line 1"),
    "unknown element": (sdf("<link name='a'><inertail/></link>"), "<link> has no such element; did you mean 'inertial'"),
    "unknown attribute": (sdf("<link name='a'><pose relativ_to='x'/></link>"), "unknown attribute 'relativ_to'; did you mean"),
    "twice": (sdf("<link name='a'><pose/><pose/></link>"), "has more than one <pose>"),
    "unknown frame": (
        sdf(A, "<link name='b'><pose relative_to='aa'/></link>"),
        "there is no frame 'aa' here; did you mean 'a'",
    ),
    "unknown canonical": (sdf(A, canonical_link="x"), "there is no frame 'x' here"),
    "unknown placement": (sdf(A, placement_frame="x"), "there is no frame 'x' here"),
    "frame outside": (sdf(A, "<model name='n'><link name='b'><pose relative_to='a'/></link></model>"), "no frame 'a' here"),
    "circle": (
        sdf("<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>"),
        "frames are relative to each other in a circle: 'm::a' -> 'm::b' -> 'm::a'",
    ),
    "own circle": (sdf("<link name='a'><pose relative_to='a'/></link>"), "in a circle: 'm::a' -> 'm::a'"),
    "unused circle": (sdf(A, "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"), "attached to each other"),
    "few numbers": (sdf("<link name='a'><pose>1 2 3</pose></link>"), "it has 3 numbers, expected 6"),
    "many numbers": (sdf("<link name='a'><pose>1 2 3 4 5 6 7</pose></link>"), "it has more than 6 numbers"),
    "not a number": (sdf("<link name='a'><pose>1 2 3 4 5 x</pose></link>"), "'x' is not a number"),
    "nan": (sdf("<link name='a'><pose>1 2 3 4 5 nan</pose></link>"), "'nan' is not a finite number"),
    "huge": (sdf("<link name='a'><inertial><mass>1e31</mass></inertial></link>"), "absurdly large"),
    "quaternion": (sdf("<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>"), "quaternion is zero"),
    "degrees": (
        sdf("<link name='a'><pose rotation_format='quat_xyzw' degrees='true'>0 0 0 0 0 0 1</pose></link>"),
        "degrees is for rotation_format euler_rpy",
    ),
    "form": (sdf("<link name='a'><pose rotation_format='x'>0</pose></link>"), "rotation_format is 'x', expected euler_rpy or"),
    "flag": (sdf("<static>yes</static>", A), "static is 'yes', expected true or false"),
    "mass": (sdf("<link name='a'><inertial><mass>-1</mass></inertial></link>"), "negative"),
    "inertial pose": (
        sdf("<link name='a'><inertial><pose relative_to='a'/></inertial></link>"),
        "the pose of its center of mass is in the frame of link 'a'; leave relative_to out",
    ),
    "type": (sdf(A, B, joint("revolut", axis())), "its type is 'revolut', expected one of revolute, continuous"),
    "no axis": (sdf(A, B, joint("revolute")), "has no <axis>"),
    "no axis2": (sdf(A, B, joint("universal", axis())), "has no <axis2>"),
    "zero axis": (sdf(A, B, joint("revolute", axis(xyz="0 0 0"))), "its xyz is zero; give the direction of motion"),
    "parallel axes": (sdf(A, B, joint("universal", axis() + axis(tag="axis2"))), "are parallel"),
    "expressed in": (sdf(A, B, joint("revolute", "<axis><xyz expressed_in='x'>0 0 1</xyz></axis>")), "there is no frame 'x'"),
    "no parent": (sdf(A, B, joint("fixed", "", "<child>b</child>")), "has no <parent>"),
    "unknown child": (sdf(A, B, joint("fixed", "", "<parent>a</parent><child>c</child>")), "there is no frame 'c' here"),
    "world as child": (sdf(A, joint("fixed", "", "<parent>a</parent><child>world</child>")), "cannot be its child"),
    "to itself": (sdf(A, joint("fixed", "", "<parent>a</parent><child>a</child>")), "joins link 'a' to itself"),
    "limits": (
        sdf(A, B, joint("revolute", axis("<limit><lower>1</lower><upper>0</upper></limit>"))),
        "its lower limit 1 is above its upper limit 0",
    ),
    "damping": (
        sdf(A, B, joint("revolute", axis("<dynamics><damping>-1</damping></dynamics>"))),
        "damping is -1, expected at least 0",
    ),
    "thread": (sdf(A, B, joint("screw", axis() + "<thread_pitch>0</thread_pitch>")), "its thread_pitch is zero"),
    "loop": (
        sdf(A, B, joint("fixed"), joint("revolute", axis(), name="k")),
        "link 'm::b' is already carried by joint 'm::j' .line 1.; a model has no loops: cut one and close it with a constraint",
    ),
    "ring": (
        sdf(A, B, joint("fixed"), joint("fixed", "", "<parent>b</parent><child>a</child>", "k")),
        "the joints go in a circle",
    ),
    "gearbox": (sdf(A, B, joint("gearbox", axis() + axis(tag="axis2"))), "has no <gearbox_reference_body>"),
    "text include": (sdf(A, "<include><uri>x.sdf</uri></include>"), "text has no folder to find it in"),
}
UNSUPPORTED = {
    "weightless": (
        sdf("<link name='a'><gravity>false</gravity></link>"),
        r"a link without weight \(gravity\) is not supported",
    ),
    "kinematic": (sdf("<link name='a'><kinematic>1</kinematic></link>"), "a kinematic link is not supported"),
    "wind": (sdf("<link name='a'><enable_wind>1</enable_wind></link>"), "wind is not supported"),
    "wind on all": (sdf("<enable_wind>true</enable_wind>", A), "wind is not supported"),
    "decay": (sdf("<link name='a'><velocity_decay><linear>1</linear></velocity_decay></link>"), "velocity_decay is not"),
    "auto": (sdf("<link name='a'><inertial auto='true'/></link>"), r"inertia from collision shapes \(auto\) is not supported"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("unsupported", ["error", "warn"])
def test_faults_are_told(name, unsupported):
    text, sentence = WRONG[name]
    with pytest.raises(lo.ModelError, match=sentence):
        lo.Model(lo.read_sdf(text, unsupported=unsupported))


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_would_change_the_motion_is_refused_or_left_out(name):
    text, sentence = UNSUPPORTED[name]
    with pytest.raises(lo.ModelError, match=f"{sentence}.*unsupported='warn' loads the rest"):
        lo.read_sdf(text)
    assert any("left out" in warning for warning in lo.read_sdf(text, unsupported="warn").warnings)


def test_faults_have_lines_and_come_together():
    text = SDF_ARM.replace("<mass>3</mass>", "<mass>x</mass>").replace('relative_to="mount"', 'relative_to="mont"')
    with pytest.raises(lo.ModelError) as caught:
        lo.read_sdf(text.replace('type="prismatic"', 'type="slide"'))
    faults = caught.value.faults
    assert len(faults) == 3 and all(fault.startswith("line ") for fault in faults)


# includes


@pytest.mark.parametrize(
    "uri", ["../out.sdf", "/etc/passwd", "file:///etc/passwd", "model://../out.sdf", "sub/../../out.sdf", "link.sdf"]
)
def test_nothing_outside_the_folder_is_opened(tmp_path, uri):
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "out.sdf").write_text(sdf(A))
    (folder / "link.sdf").symlink_to(tmp_path / "out.sdf")
    (folder / "m.sdf").write_text(sdf(A, f"<include><uri>{uri}</uri></include>"))
    with pytest.raises(lo.ModelError, match="which is outside the folder of the model; move it there"):
        lo.read_sdf(folder / "m.sdf")


INCLUDES = {
    "fetched": ("https://fuel.gazebosim.org/x", "nothing is fetched"),
    "empty": ("", "has no <uri>"),
    "itself": ("m.sdf", "a file that it stands in"),
    "in turn": ("turn.sdf", "a file that it stands in"),
    "URDF": ("u.sdf", "the included file 'u.sdf': .*this is URDF, not SDF"),
    "broken": ("b.sdf", "the included file 'b.sdf': line 1: not well-formed XML"),
    "several": ("two.sdf", "has 2 models, expected one"),
    "long": ("x" * 5000, "outside the folder|not there"),
    "NUL": ("x&#10;y", "not there"),
}


@pytest.mark.parametrize("name", INCLUDES)
@pytest.mark.parametrize("merge", ["", " merge='true'"])
def test_includes_that_cannot_be_read(tmp_path, name, merge):
    uri, sentence = INCLUDES[name]
    files = {
        "m.sdf": sdf(A, f"<include{merge}><uri>{uri}</uri></include>"),
        "turn.sdf": sdf(A, f"<include{merge}><uri>turn.sdf</uri></include>", name="t"),
        "u.sdf": "<robot name='u'/>",
        "b.sdf": "<sdf",
        "two.sdf": "<sdf version='1.9'><model name='a'/><model name='b'/></sdf>",
    }
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    with pytest.raises(lo.ModelError, match=sentence):
        lo.read_sdf(tmp_path / "m.sdf")


def test_includes_do_not_grow(tmp_path):
    """Each file includes the next twice: 2^30 models."""
    for k in range(30):
        twice = "".join(f"<include><uri>f{k + 1}.sdf</uri><name>{name}</name></include>" for name in "xy")
        (tmp_path / f"f{k}.sdf").write_text(sdf(A, twice))
    (tmp_path / "f30.sdf").write_text(sdf(A))
    with pytest.raises(lo.ModelError, match="includes more than 200 files"):
        lo.read_sdf(tmp_path / "f0.sdf")


def test_a_placement_frame_needs_a_pose(tmp_path):
    (tmp_path / "a.sdf").write_text(sdf(A))
    (tmp_path / "m.sdf").write_text(sdf(A, "<include><uri>a.sdf</uri><placement_frame>a</placement_frame></include>"))
    with pytest.raises(lo.ModelError, match="has a <placement_frame>, so it needs a <pose>, too"):
        lo.read_sdf(tmp_path / "m.sdf")


def test_placements_that_depend_on_each_other(tmp_path):
    """Two merged models, each placed by a frame of the other."""
    for name in "ab":
        link = f"<link name='l{name}'/><frame name='f{name}'/>"
        (tmp_path / f"{name}.sdf").write_text(sdf(link, name=name))
    parts = "".join(
        f"<include merge='true'><uri>{name}.sdf</uri><pose relative_to='f{other}'/>"
        f"<placement_frame>f{other}</placement_frame></include>"
        for name, other in ("ab", "ba")
    )
    (tmp_path / "m.sdf").write_text(sdf(parts))
    with pytest.raises(lo.ModelError, match="circle|depends on itself|is not in it"):
        lo.read_sdf(tmp_path / "m.sdf")


# hostile files


def test_deep_models_and_growing_entities():
    deep = "".join(f"<model name='m{k}'>" for k in range(600)) + A + "</model>" * 600
    with pytest.raises(lo.ModelError, match="models are nested more than 50 deep"):
        lo.read_sdf(f"<sdf version='1.9'>{deep}</sdf>")
    with pytest.raises(lo.ModelError, match="nested more than 2000 deep"):
        lo.read_sdf("<sdf version='1.9'>" + "<model name='m'>" * 3000)
    entities = "".join(f"<!ENTITY e{k} '{f'&e{k - 1};' * 10 if k else 'lol'}'>" for k in range(10))
    with pytest.raises(lo.ModelError, match="declares a document type or entities"):
        lo.read_sdf(f"<!DOCTYPE x [{entities}]><sdf version='1.9'>&e9;</sdf>")


def test_long_chains_of_frames():
    """10,000 links, each in the frame of the one before, and nested placements that would double at each level."""
    links = "".join(f"<link name='l{k}'><pose relative_to='l{k + 1}'>1 0 0 0 0 0</pose></link>" for k in range(10_000))
    description = lo.read_sdf(sdf(links, "<link name='l10000'/>"), base="fixed")
    assert description.bodies[0].placement[0, 3] == 10_000.0
    inner = ""
    for k in range(45):
        place = "n::" * k + "l"
        inner = f"<model name='n' placement_frame='{place}'><pose>1 0 0 0 0 0</pose><link name='l'/>{inner}</model>"
    assert len(lo.read_sdf(sdf(A, inner)).bodies) > 40


TEXTS = [
    "nan",
    "inf",
    "-1",
    "1e400",
    "0",
    "x",
    "",
    "1 2 3",
    "0 0 0 0 0 0",
    "world",
    "__model__",
    "a",
    "b::c",
    "true",
    "9" * 400,
]
TEXTS += ["../../etc/passwd", "&#0;", "<x/>", "]]>", "1e30", "-1e30", "1e-300", "0 0 0 0 0 0 0", "é", "base", "m.sdf"]
BODY = f"""<sdf version='1.11'><model name='m' canonical_link='a' placement_frame='f'><pose>1 2 3 0 0 1</pose>
<static>false</static><link name='a'><pose relative_to='f' degrees='true'>0 0 1 90 0 0</pose>{HEAVY}
<visual name='v'><geometry><mesh><uri>a.stl</uri><scale>1 1 1</scale></mesh></geometry></visual></link>
<frame name='f' attached_to='n::b'><pose>1 0 0 0 0 0</pose></frame>
<model name='n' placement_frame='b'><pose relative_to='__model__'>0 1 0 0 0 0</pose>{B}<link name='c'/>
<joint name='k' type='screw'>{ENDS.replace("a<", "c<")}<screw_thread_pitch>.1</screw_thread_pitch>{axis()}</joint></model>
<joint name='j' type='revolute'><parent>n::b</parent><child>a</child><pose>0 0 1 0 0 0</pose><axis>
<xyz expressed_in='n'>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>
<dynamics><damping>1</damping></dynamics></axis></joint>
<joint name='u' type='universal'><parent>a</parent><child>d</child>{axis(xyz="1 0 0")}{axis(tag="axis2")}</joint>
<link name='d'><inertial><pose>0 0 0 1 0 0</pose><mass>2</mass><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial></link>
</model></sdf>"""


def damaged(rng, text: str) -> str:
    """The text with some of its values, names, brackets or pieces changed."""
    for _ in range(rng.integers(1, 4)):
        pieces = [k for k, letter in enumerate(text) if letter in ("<>'" if rng.random() < 0.8 else text)]
        at = int(rng.choice(pieces))
        change, word = rng.integers(6), str(rng.choice(TEXTS))
        end = next((k for k in range(at + 1, len(text)) if text[k] in "<>'"), len(text))
        if change < 3:
            text = text[: at + 1] + word + text[end:]
        elif change == 3:
            text = text[:at] + text[at + int(rng.integers(1, 30)) :]
        elif change == 4:
            start = int(rng.choice(pieces))
            text = text[:at] + text[start : start + int(rng.integers(1, 200))] + text[at:]
        else:
            other = str(rng.choice(["a", "b", "f", "n", "m", "j", "link", "frame", "joint", "model", "pose", "include"]))
            text = text[: at + 1] + other + text[end:]
    return text


@pytest.mark.parametrize("policy", ["error", "warn"])
def test_five_hundred_damaged_files(policy):
    """Each is read or refused by our own errors; what is read is sound."""
    assert lo.Model(lo.read_sdf(BODY)).nv == 6 + 1 + 1 + 2
    rng, read = np.random.default_rng(11), 0

    def reader(text):
        nonlocal read
        description = lo.read_sdf(text, unsupported=policy)
        read += 1
        return description

    for _ in range(500):
        text = damaged(rng, BODY)
        check(reader, text if text.lstrip().startswith("<") else "<" + text)
    assert 20 < read < 480
