"""What a user reads when a file is wrong: one row a mistake."""

import pytest

from locomote.errors import ModelError
from locomote.formats import source, xml
from locomote.formats.dh.reader import read_dh
from locomote.formats.mjcf.reader import read_mjcf
from locomote.formats.urdf.reader import read_urdf

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LINKS = '<link name="a"/><link name="b"/><link name="c"/>'


def robot(inside):
    return f'<robot name="r">\n{inside}\n</robot>'


def jointed(inside, kind="revolute", parent="a", child="b", rest=""):
    limit = "" if "<limit" in inside else '<limit lower="-1" upper="1"/>'
    hinge = f'<joint name="j" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{limit}{inside}</joint>'
    other = '<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>'
    return robot(LINKS + "\n" + hinge + other + rest)


def mass(text):
    return robot(f'<link name="a">{text}</link>')


ANY_XML = {
    "empty": ("   \n ", "it is empty"),
    "empty bytes": (b"", "it is empty"),
    "not XML": (b"solid cube\nfacet normal 0 0 1", "this is not XML: it starts with"),
    "binary": (b"\x00\x01\x02\x03" * 10, "this is not XML"),
    "cut off": ("<robot><link name='a'>", "line 1: not well-formed XML .no element found"),
    "wrong end": ("<robot>\n<link>\n</joint></robot>", "line 3: not well-formed XML .mismatched tag"),
    "two roots": ("<robot/><robot/>", "not well-formed XML .junk after document element"),
    "attribute twice": ("<robot name='a' name='b'/>", "not well-formed XML .duplicate attribute"),
    "unquoted attribute": ("<robot name=a/>", "line 1: not well-formed XML"),
    "entity declared": (
        "<!DOCTYPE r [<!ENTITY lol 'ha'>]>\n<robot name='&lol;'/>",
        "line 1: it declares a document type or entities .* refused; remove them",
    ),
    "external entity": ("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot>&x;</robot>", "refused"),
    "external document type": ("<!DOCTYPE r SYSTEM 'http://example.org/r.dtd'><robot/>", "refused"),
    "undefined entity": ("<robot name='&lol;'/>", "undefined entity"),
    "unknown encoding": (b"<?xml version='1.0' encoding='klingon'?><robot/>", "unknown encoding|cannot be decoded"),
    "wrong encoding": (b"<?xml version='1.0' encoding='utf-8'?><robot name='\xe9\xe8'/>", "not well-formed XML|decoded"),
    "half a character": ("<robot name='\ud800'/>", "cannot be decoded .* save it as UTF-8"),
    "too deep": ("<r>" * 3000 + "</r>" * 3000, "nested more than 2000 deep"),
    "unknown root": ("<model/>", "the outermost element of .* is <"),
}
URDF = {
    "MJCF in URDF": ("<mujoco/>", "this is MJCF, not URDF: use read_mjcf"),
    "SDF in URDF": ("<sdf/>", "this is SDF, not URDF: use read_sdf"),
    "mesh in URDF": ("<COLLADA/>", "a COLLADA mesh, not a robot"),
    "xacro element": (robot("<xacro:leg/>"), "line 2, <xacro:leg>: <xacro:leg> is no macro of the file"),
    "xacro expression": (jointed('<origin xyz="${x} 0 0"/>'), "property 'x' is not defined"),
    "no links": (robot(""), "there is no <link>"),
    "link without name": (robot("<link/>"), "line 2, <link>: this <link> has no name"),
    "link name twice": (
        robot('<link name="a"/>\n<link name="a"/>'),
        "line 3, <link name='a'>: the name is taken by the <link> in line 2",
    ),
    "joint name twice": (jointed("", rest='<joint name="j"/>'), "the name is taken by the <joint> in line 3"),
    "joint without name": (robot("<link name='a'/><joint type='fixed'/>"), "this <joint> has no name"),
    "unknown joint type": (
        jointed("", kind="hinge"),
        "line 3, <joint name='j'>: unknown joint type 'hinge'; expected one of revolute, continuous",
    ),
    "joint without type": (jointed("").replace(' type="revolute"', ""), "has no type; expected one of"),
    "no parent": (jointed("").replace('<parent link="a"/>', ""), "<joint name='j'>: has no <parent>"),
    "no child": (jointed("").replace('<child link="b"/>', ""), "<joint name='j'>: has no <child>"),
    "parent without link": (jointed("").replace('link="a"', ""), "attribute 'link' is missing"),
    "unknown parent": (
        robot('<link name="upper_leg"/><link name="b"/>')[:-8]
        + '<joint name="j" type="fixed"><parent link="uper_leg"/><child link="b"/></joint></robot>',
        "its parent link 'uper_leg' is not in the file; did you mean 'upper_leg'",
    ),
    "own parent": (jointed("", child="a"), "link 'a' is its own parent"),
    "two parents": (
        jointed("", rest='<joint name="l" type="fixed"><parent link="a"/><child link="c"/></joint>'),
        "link 'c' is already carried by joint 'k' .line 3.; URDF has no loops",
    ),
    "unconnected": (robot(LINKS), "3 links are carried by no joint: 'a' .line 2., 'b' .*; join them, exactly one is the root"),
    "circle": (
        robot(
            LINKS
            + "".join(
                f'<joint name="{p}{c}" type="fixed"><parent link="{p}"/><child link="{c}"/></joint>'
                for p, c in ("ab", "bc", "ca")
            )
        ),
        "the joints go in a circle: 'b' -> 'c' -> 'a' -> 'b'|the joints go in a circle",
    ),
    "zero axis": (jointed('<axis xyz="0 0 0"/>'), "<joint name='j'>: its axis is zero; give the direction"),
    "axis of two numbers": (jointed('<axis xyz="0 1"/>'), "<axis>: xyz has 2 numbers, expected 3: '0 1'"),
    "axis of four numbers": (jointed('<axis xyz="0 0 0 1"/>'), "<axis>: xyz has more than 3 numbers: '0 0 0 1'"),
    "endless number": (jointed(f'<axis xyz="0 0 1{"0" * 200}"/>'), "is too long for a number"),
    "axis of words": (jointed('<axis xyz="x y z"/>'), "xyz 'x' is not a number"),
    "axis without xyz": (jointed("<axis/>"), "attribute 'xyz' is missing"),
    "origin not finite": (jointed('<origin xyz="nan 0 0"/>'), "xyz 'nan' is not a finite number"),
    "origin too large": (jointed('<origin xyz="1e300 0 0"/>'), "xyz '1e300' is absurdly large"),
    "origin overflows": (jointed('<origin rpy="1e999 0 0"/>'), "rpy '1e999' is absurdly large"),
    "decimal comma": (jointed('<origin xyz="0,5 0 0"/>'), "xyz '0,5' is not a number"),
    "two origins": (jointed("<origin/><origin/>"), "has 2 <origin> elements, expected one"),
    "lower above upper": (jointed('<limit lower="2" upper="1"/>'), "its lower limit 2 is above its upper limit 1"),
    "limit not a number": (jointed('<limit lower="a" upper="1"/>'), "<limit>: lower 'a' is not a number"),
    "negative velocity": (jointed('<limit velocity="-1"/>'), "velocity is -1, expected at least 0"),
    "negative damping": (jointed('<dynamics damping="-1"/>'), "damping is -1, expected at least 0"),
    "mimic of nobody": (jointed('<mimic joint="q"/>'), "mimics joint 'q', which is not in the file .mimic=False"),
    "mimic without joint": (jointed("<mimic/>"), "its <mimic> has no attribute 'joint'"),
    "mimic in a circle": (
        jointed('<mimic joint="k"/>').replace('type="continuous">', 'type="continuous"><mimic joint="j"/>'),
        "follows 'j' in a circle|follows 'k' in a circle",
    ),
    "mimic of itself": (jointed('<mimic joint="j"/>'), "follows 'j' in a circle"),
    "mimic by a free joint": (jointed('<mimic joint="k"/>', kind="floating"), "only joints with one coordinate can"),
    "mimic of a free joint": (
        jointed("", kind="planar").replace('type="continuous">', 'type="continuous"><mimic joint="j"/>'),
        "mimics joint 'j', which has more than one coordinate",
    ),
    "mimic of a fixed joint": (
        jointed("", kind="fixed").replace('type="continuous">', 'type="continuous"><mimic joint="j"/>'),
        "mimics joint 'j', which is fixed",
    ),
    "mimic with a word": (jointed('<mimic joint="k" multiplier="two"/>'), "multiplier 'two' is not a number"),
    "no mass": (
        mass('<inertial><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'),
        "'a' has an <inertial> without <mass>",
    ),
    "no inertia": (mass('<inertial><mass value="1"/></inertial>'), "link 'a' has an <inertial> without <inertia>"),
    "mass without value": (mass(INERTIAL.replace(' value="1"', "")), "<mass>: attribute 'value' is missing"),
    "negative mass": (
        mass(INERTIAL.replace('value="1"', 'value="-2"')),
        "line 2, <inertial>: link 'a' has negative mass -2 kg",
    ),
    "mass not finite": (mass(INERTIAL.replace('value="1"', 'value="inf"')), "value 'inf' is not a finite number"),
    "missing moment": (mass(INERTIAL.replace('iyy="1"', "")), "<inertia>: attribute 'iyy' is missing"),
    "two inertials": (mass(INERTIAL + INERTIAL), "has 2 <inertial> elements, expected one"),
    "rpy and quaternion": (jointed('<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), "both rpy and quat_xyzw"),
    "zero quaternion": (jointed('<origin quat_xyzw="0 0 0 0"/>'), "quat_xyzw is zero"),
}


def world(inside, before="", after=""):
    return f"<mujoco>{before}<worldbody>\n{inside}</worldbody>{after}</mujoco>"


BALL = '<geom size=".1"/>'
JOINTS = (
    f'<body><joint name="a"/>{BALL}<body><joint name="b"/>{BALL}<body><joint name="c" type="ball"/>{BALL}</body></body></body>'
)
MJCF = {
    "URDF in MJCF": ("<robot/>", "this is URDF, not MJCF: use read_urdf"),
    "no bodies": ("<mujoco/>", "there is no <body> in a <worldbody>"),
    "unknown section": ("<mujoco><bodies/></mujoco>", "line 1, <bodies>: unknown section"),
    "unknown element": (world("<body><jiont/></body>"), "line 2, <jiont>: unknown element in <body>; did you mean 'joint'"),
    "misspelt attribute": (world('<body><joint dampng="1"/></body>'), "unknown attribute 'dampng'; did you mean 'damping'"),
    "body name twice": (world('<body name="a"/>\n<body name="a"/>'), "line 3, <body name='a'>: the name is taken .line 2"),
    "body called world": (world('<body name="world"/>'), "the name is that of the world"),
    "joint name twice": (world('<body><joint name="a"/><joint name="a"/></body>'), "the name is taken"),
    "joint in the world": (world("<joint/>"), "the world cannot have a <joint>; put it in a <body>"),
    "placed world": ("<mujoco><worldbody pos='0 0 1'/></mujoco>", "unknown attribute 'pos'"),
    "unknown joint type": (
        world('<body><joint type="screw"/></body>'),
        "type is 'screw', expected hinge or slide or ball or free",
    ),
    "zero axis": (world('<body><joint axis="0 0 0"/></body>'), "its axis is zero"),
    "axis of two numbers": (world('<body><joint axis="0 1"/></body>'), "axis has 2 numbers, expected 3"),
    "position of commas": (world('<body pos="1,2,3"/>'), "pos has 1 number, expected 3: '1,2,3'"),
    "position not finite": (world('<body pos="nan 0 0"/>'), "pos 'nan' is not a finite number"),
    "two orientations": (world('<body quat="1 0 0 0" euler="0 0 0"/>'), "has quat and euler; one orientation is allowed"),
    "zero quaternion": (world('<body quat="0 0 0 0"/>'), "quat gives no direction: 0 0 0 0"),
    "parallel axes": (world('<body xyaxes="1 0 0 2 0 0"/>'), "xyaxes gives no direction"),
    "empty range": (world('<body><joint range="2 1"/></body>'), "its range 2 to 1 is empty"),
    "limited without range": (world('<body><joint limited="true"/></body>'), "its range 0 to 0 is empty"),
    "range without limited": (
        world('<body><joint range="0 1"/></body>', '<compiler autolimits="false"/>'),
        "autolimits is off",
    ),
    "negative damping": (world('<body><joint damping="-1"/></body>'), "damping is -1, expected at least 0"),
    "negative armature": (world('<body><joint armature="-1"/></body>'), "armature is -1, expected at least 0"),
    "nested free joint": (world('<body name="p"><body><freejoint/></body></body>'), "hangs on 'p'"),
    "free joint and another": (world("<body><freejoint/><joint/></body>"), "so it can have no other joint"),
    "spring on a free joint": (world('<body><joint type="free" stiffness="1"/></body>'), "spring on a free joint"),
    "negative mass": (
        world('<body><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>'),
        "mass is -1, expected at least 0",
    ),
    "inertial without mass": (world('<body><inertial pos="0 0 0" diaginertia="1 1 1"/></body>'), "attribute 'mass' is missing"),
    "inertial without place": (world('<body><inertial mass="1" diaginertia="1 1 1"/></body>'), "attribute 'pos' is missing"),
    "two inertials": (world("<body>" + '<inertial pos="0 0 0" mass="1"/>' * 2 + "</body>"), "more than one <inertial>"),
    "two inertias": (
        world('<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/></body>'),
        "has fullinertia and diaginertia; keep one",
    ),
    "geom without size": (world("<body><geom/></body>"), "a sphere needs 1 sizes, has 0"),
    "geom of negative size": (world('<body><geom type="box" size="1 -1 1"/></body>'), "its size '1 -1 1' must be positive"),
    "unknown geom": (world('<body><geom type="cone" size="1"/></body>'), "type is 'cone', expected sphere or capsule"),
    "sphere between points": (world('<body><geom size="1" fromto="0 0 0 1 1 1"/></body>'), "fromto is for capsule, cylinder"),
    "points that coincide": (
        world('<body><geom type="box" size="1" fromto="1 1 1 1 1 1"/></body>'),
        "points of fromto are the same",
    ),
    "negative geom mass": (world('<body><geom size="1" mass="-1"/></body>'), "mass is -1, expected at least 0"),
    "inertia of a mesh": (
        world('<body name="a"><joint/><geom type="mesh" mesh="m"/></body>'),
        "the inertia of a mesh or shell .body 'a'. is not supported; give the body an <inertial>",
    ),
    "mesh without mesh": (world('<body><geom type="mesh" mass="0"/></body>'), "is a mesh but does not name one"),
    "unknown class": (world('<body><geom size="1" class="leg"/></body>'), "its class 'leg' is not defined"),
    "class twice": (
        world("<body/>", "<default><default class='a'/><default class='a'/></default>"),
        "class 'a' is there already",
    ),
    "class without name": (world("<body/>", "<default><default/></default>"), "a <default> inside another needs a class"),
    "wrong angle unit": (world("<body/>", '<compiler angle="grad"/>'), "angle is 'grad', expected degree or radian"),
    "wrong euler sequence": (
        world("<body/>", '<compiler eulerseq="xyw"/>'),
        "eulerseq is 'xyw', expected three of the letters",
    ),
    "global coordinates": (
        world("<body/>", '<compiler coordinate="global"/>'),
        "coordinate='global' is of old MuJoCo versions",
    ),
    "misspelt compiler option": (
        world("<body/>", '<compiler angel="radian"/>'),
        "unknown attribute 'angel'; did you mean 'angle'",
    ),
    "fluid": (world("<body/>", '<option density="1000"/>'), "the density of the medium is not supported; add water or air"),
    "gravity of two numbers": (world("<body/>", '<option gravity="0 -9.81"/>'), "gravity has 2 numbers, expected 3"),
    "weld": (
        world(JOINTS, after='<equality><weld body1="x"/></equality>'),
        "the equality <weld> is not supported; close the loop",
    ),
    "connect": (world(JOINTS, after='<equality><connect body1="x"/></equality>'), "the equality <connect> is not supported"),
    "curved coupling": (
        world(JOINTS, after='<equality><joint joint1="a" joint2="b" polycoef="0 1 2"/></equality>'),
        "a relation of joints that is not linear .polycoef. is not supported",
    ),
    "coupling of nobody": (world(JOINTS, after='<equality><joint joint1="x"/></equality>'), "joint1 'x' is not in the file"),
    "coupling of a ball": (
        world(JOINTS, after='<equality><joint joint1="c"/></equality>'),
        "'c' is spherical; only hinge and slide",
    ),
    "coupled twice": (
        world(JOINTS, after='<equality><joint joint1="a"/><joint joint1="a" joint2="b"/></equality>'),
        "joint 'a' follows another already",
    ),
    "coupled in a circle": (
        world(JOINTS, after='<equality><joint joint1="a" joint2="b"/><joint joint1="b" joint2="a"/></equality>'),
        "in a circle",
    ),
    "coupling without joint": (world(JOINTS, after="<equality><joint/></equality>"), "attribute 'joint1' is missing"),
    "yielding spring": (world('<body><joint stiffness="1" springyield="1"/></body>'), "a spring that yields"),
    "euler of two numbers": (world('<body euler="1 2"/>'), "euler has 2 numbers, expected 3"),
    "unknown equality": (world(JOINTS, after="<equality><glue/></equality>"), "unknown equality"),
    "elastic tendon": (
        world(JOINTS, after='<tendon><spatial stiffness="5"/></tendon>'),
        "a tendon with stiffness is not supported; unsupported='warn' loads the rest",
    ),
    "rotor in an actuator": (
        world(JOINTS, after='<actuator><motor joint="a" armature="1"/></actuator>'),
        "armature of an actuator",
    ),
    "unknown actuator": (world(JOINTS, after="<actuator><moter/></actuator>"), "unknown actuator; did you mean 'motor'"),
    "gravity compensation": (world('<body gravcomp="1"/>'), "gravcomp is not supported"),
    "composite": (world('<body><composite type="cable"/></body>'), "<composite> is not supported; save the compiled model"),
    "flex": (world("<body><flexcomp/></body>"), "<flexcomp> is not supported; use a rod"),
    "deformable": (world("<body/>", after="<deformable><flex/></deformable>"), "<deformable> is not supported"),
    "replicate": (world("<replicate count='3'/>"), "there is no <body> in a <worldbody>"),
    "attach": (world("<attach model='x'/>"), "there is no <model> 'x' among the assets"),
    "scaled frame": (world("<frame scale='2'><body/></frame>"), "the scaling of a <frame> is not supported"),
    "spring with a cubic": (
        world('<body><joint stiffness="1 2 3"/></body>'),
        "a stiffness that is not linear .1 2 3. is not supported",
    ),
    "include in text": (world('<include file="leg.xml"/>'), "includes 'leg.xml', but text has no folder"),
    "include without file": (world("<include/>"), "attribute 'file' is missing"),
}
TABLES = {
    "no convention": (dict(table=[{"a": 1}]), "say which table this is: convention='standard' or 'modified'"),
    "wrong convention": (dict(table=[{"a": 1}], convention="craig"), "convention is 'craig', expected standard or modified"),
    "no unit": (
        dict(table=[{"alpha": 1}], convention="modified"),
        "the unit of column 'alpha' is not said; give angles='deg' or 'rad'",
    ),
    "no rows": (dict(table=[], convention="modified"), "there are no rows"),
    "unknown column": (
        dict(table=[{"alhpa": 1}], convention="modified"),
        "row 1: unknown column 'alhpa'; did you mean 'alpha'",
    ),
    "not a number": (dict(table=[{"a": "one"}], convention="modified"), "row 1: a 'one' is not a number"),
    "not finite": (dict(table=[{"a": float("nan")}], convention="modified"), "is not a finite number"),
    "truth value": (dict(table=[{"a": True}], convention="modified"), "'True' is not a number"),
    "wrong kind": (dict(table=[{"kind": "spherical"}], convention="modified"), "unknown kind 'spherical'; expected revolute"),
    "unknown parent": (
        dict(table=[{"name": "hip"}, {"parent": "hop"}], convention="modified"),
        "parent 'hop' is not an earlier row",
    ),
    "later parent": (dict(table=[{"parent": 2}, {}], convention="modified"), "its parent 2 is not an earlier row"),
    "name twice": (dict(table=[{"name": "a"}, {"name": "a"}], convention="modified"), "row 2: the name 'a' is taken"),
    "number as name": (dict(table=[{"name": "2"}], convention="modified"), "the name '2' is a number"),
    "late base": (dict(table=[{}, {"kind": "base"}], convention="modified"), "the base can only be the first row"),
    "negative mass": (dict(table=[{"mass": -1}], convention="modified"), "mass is -1, expected at least 0"),
    "lower above upper": (dict(table=[{"lower_rad": 2, "upper_rad": 1}], convention="modified"), "lower 2 is above upper 1"),
    "branch angles": (
        dict(table=[{"gamma": 1}], convention="standard", angles="rad"),
        "gamma and b are for the modified convention",
    ),
    "row of numbers": (dict(table=[[1, 2, 3, 4]], convention="modified"), "expected a mapping of columns or a DHRow, got list"),
    "unit twice": (dict(table=[{"alpha_deg": 1, "alpha": 1}], convention="modified", angles="deg"), "'alpha' is given twice"),
    "impossible inertia": (
        dict(table=[{"mass": 1, "izz": 1}], convention="modified", inertia="error"),
        "row 1: this link has principal moments .* accept it with inertia='warn'",
    ),
    "CSV without header": (dict(table="# convention: modified\n# nothing\n"), "there is no line with column names"),
    "CSV with too many values": (dict(table="a,d\n1,2,3\n", convention="modified"), "line 2: has 3 values for 2 columns"),
    "CSV with one column twice": (dict(table="a,a\n1,2\n", convention="modified"), "two columns have the same name"),
    "huge number": (dict(table=[{"a": 10**5000}], convention="modified"), "row 1: a .a huge number. is not a finite number"),
    "CSV that is not CSV": (dict(table="a,d\n" + "1" * 200_000 + ",2\n", convention="modified"), "line 2: not readable as CSV"),
    "wrong gravity": (dict(table=[{"a": 1}], convention="modified", gravity=(0, 1)), "gravity has 2 numbers, expected 3"),
    "unknown word": (
        dict(table={"rows": [{}], "convetion": "modified"}),
        "unknown word 'convetion'; did you mean 'convention'",
    ),
    "no list": (dict(table={"rows": 3}, convention="modified"), "expected a list of rows"),
}


def refused(read, sentence):
    with pytest.raises(ModelError, match=sentence) as caught:
        read()
    assert "\n" not in caught.value.faults[0]  # one fault is one line


@pytest.mark.parametrize("read", [read_urdf, read_mjcf], ids=["urdf", "mjcf"])
@pytest.mark.parametrize("text, sentence", ANY_XML.values(), ids=ANY_XML)
def test_wrong_xml(read, text, sentence):
    refused(lambda: read(text), sentence)


@pytest.mark.parametrize("text, sentence", URDF.values(), ids=URDF)
def test_wrong_urdf(text, sentence):
    refused(lambda: read_urdf(text), sentence)


@pytest.mark.parametrize("text, sentence", MJCF.values(), ids=MJCF)
def test_wrong_mjcf(text, sentence):
    refused(lambda: read_mjcf(text), sentence)


@pytest.mark.parametrize("given, sentence", TABLES.values(), ids=TABLES)
def test_wrong_tables(given, sentence):
    refused(lambda: read_dh(**given), sentence)


YAMLS = {
    "not YAML": ("rows: [", "not readable as YAML"),
    "aliases": ("a: &a [1]\nrows: [*a, *a]", "YAML aliases .* are refused; write a plain table"),
    "objects": ("!!python/object/apply:os.system ['true']", "not readable as YAML"),
    "deep": ("[" * 100_000, "deep nesting are refused"),
    "a word": ("robot", "expected a list of rows"),
    "not UTF-8": (b"\xff\xfe\x00", "its text is not UTF-8"),
}


@pytest.mark.parametrize("text, sentence", YAMLS.values(), ids=YAMLS)
def test_wrong_yaml(tmp_path, text, sentence):
    path = tmp_path / "arm.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(lambda: read_dh(path, convention="modified"), sentence)


def test_yaml_package_missing(tmp_path, monkeypatch):
    path = tmp_path / "arm.yaml"
    path.write_text("rows: []")
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    refused(lambda: read_dh(path), "reading YAML needs the package pyyaml: pip install pyyaml")


@pytest.mark.parametrize("given", [None, 3, ["<robot/>"]])
def test_neither_path_nor_text(given):
    refused(lambda: read_urdf(given), "expected a path or text, got")


def test_too_large(monkeypatch):
    monkeypatch.setattr(source, "LARGEST_FILE", 100)
    refused(lambda: read_urdf(robot(LINKS * 10)), "larger than 0 MiB: this is not a model file")


def test_too_many_elements(monkeypatch):
    monkeypatch.setattr(xml, "MOST_ELEMENTS", 10)
    refused(lambda: read_urdf(robot(LINKS * 10)), "line 2: more than 10 elements")


INCLUDES = {
    "above": ("../other.xml", "'../other.xml', which is outside the folder of the model"),
    "absolute": ("/etc/passwd", "outside the folder of the model"),
    "itself": ("main.xml", "includes 'main.xml' a second time"),
    "missing": ("gone.xml", "the included file 'gone.xml': no such file"),
    "not XML": ("text.xml", "the included file 'text.xml': this is not XML"),
    "NUL": ("a&#x1;b", "reference to invalid character number|outside"),
}


@pytest.mark.parametrize("name, sentence", INCLUDES.values(), ids=INCLUDES)
def test_wrong_includes(tmp_path, name, sentence):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "other.xml").write_text("<mujoco><worldbody/></mujoco>")
    (folder / "text.xml").write_text("secret words")
    (folder / "main.xml").write_text(world(f'<include file="{name}"/>'))
    refused(lambda: read_mjcf(folder / "main.xml"), sentence)


def test_include_through_a_link_out_of_the_folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "other.xml").write_text("<mujoco><worldbody><body/></worldbody></mujoco>")
    (folder / "inner.xml").symlink_to(tmp_path / "other.xml")
    (folder / "main.xml").write_text('<mujoco><include file="inner.xml"/></mujoco>')
    refused(lambda: read_mjcf(folder / "main.xml"), "outside the folder of the model")


def test_many_faults_are_counted_not_printed():
    text = robot("".join(f'<joint name="j{i}" type="x"/>' for i in range(500)) + '<link name="a"/>')
    with pytest.raises(ModelError) as caught:
        read_urdf(text)
    assert len(caught.value.faults) == 101 and caught.value.faults[-1] == "and 1400 more"


def test_tables_that_are_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr("locomote.formats.dh.table.MOST_ROWS", 2)
    monkeypatch.setattr("locomote.formats.dh.table.LARGEST_YAML", 10)
    refused(lambda: read_dh([{}] * 3, convention="modified"), "more than 2 rows")
    (tmp_path / "arm.yaml").write_text("rows: [{a: 1}]")
    refused(lambda: read_dh(tmp_path / "arm.yaml"), "too large for YAML; use CSV")


def test_too_many_includes(tmp_path, monkeypatch):
    monkeypatch.setattr("locomote.formats.mjcf.include.MOST_FILES", 2)
    for i in range(4):
        (tmp_path / f"{i}.xml").write_text("<x><body/></x>")
    (tmp_path / "main.xml").write_text(world("".join(f'<include file="{i}.xml"/>' for i in range(4))))
    refused(lambda: read_mjcf(tmp_path / "main.xml"), "includes more than 2 files")
    monkeypatch.setattr("locomote.formats.mjcf.include.MOST_ELEMENTS", 1)
    refused(lambda: read_mjcf(tmp_path / "main.xml"), "more than 1 elements with the included files")
