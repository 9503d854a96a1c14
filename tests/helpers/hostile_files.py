"""Random model files: documents from a grammar of elements, attributes and hostile values, and real ones with parts broken."""

import re
import sys
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import numpy as np
from hypothesis import strategies as st

from locomote.errors import ModelError

WATCHED = ("open", "os.system", "subprocess.Popen", "socket.connect", "socket.getaddrinfo", "urllib.Request", "os.remove")
seen: list[tuple] = []
watching = False


def watch(event, arguments):
    """Everything that opens, runs or calls. Modules that Python imports on the way are not meant."""
    if watching and event in WATCHED and not str(arguments[0]).endswith((".py", ".pyc", ".so")):
        seen.append((event, *arguments))


sys.addaudithook(watch)


def check(read, given):
    """Read under watch. What is read must be a sound Description."""
    global watching
    seen.clear()
    watching = True
    try:
        description = read(given)
    except ModelError as error:
        assert str(error) and all(fault and len(fault) < 5000 for fault in error.faults)
        description = None
    finally:
        watching = False
    assert not seen
    if description is not None:
        assert_sound(description)


def assert_sound(description):
    """Parents first, unique names, proper rotations, finite numbers, unit axes."""
    known, joints = {None}, set()
    for body in description.bodies:
        assert body.parent in known and body.name and body.name not in known
        known.add(body.name)
        assert np.isfinite(body.placement).all()
        np.testing.assert_allclose(body.placement[:3, :3] @ body.placement[:3, :3].T, np.eye(3), atol=1e-9)
        if body.inertia is not None:
            assert body.inertia.mass >= 0
            assert np.isfinite([*body.inertia.com, *body.inertia.moment.ravel()]).all()
        for joint in body.joints:
            assert joint.name not in joints
            joints.add(joint.name)
            assert np.isfinite(joint.anchor).all()
            assert joint.lower <= joint.upper
            np.testing.assert_allclose(np.linalg.norm(joint.axis) if not isinstance(joint.axis, str) else 1.0, 1.0)
    for coupling in description.couplings:
        assert {coupling.joint, *(name for name, _ in coupling.ratios)} <= joints
    assert np.isfinite(description.gravity).all()


NAMES = ["a", "b", "c", "world", "base", "main", "leg", "a b", "\u00e9", ""]
NUMBERS = ["0", "1", "-1", "0.5", "-0", ".5", "1e-9", "45", "3", "1e-300", "-1e-300", "1e15", "1e29", "-1e30", "2e30"]
ODD_NUMBERS = ["nan", "inf", "-inf", "1e308", "1e400", "-1e999", "0x10", "1_0", "\uff11", "1,5", "1e", "--1", "9" * 400, "1 x"]
VECTORS = ["0 0 0", "1 2 3", "0 0 1", "1 0 0 0", "0 0 0 0", "1 2", "1 2 3 4 5 6", "0 0 0 0 0 0", "1e29 1e29 1e29", "1e-300 0 0"]
VECTORS += ["1 1 1 0 0 0", "-1 1 1", "1 1 30", ".1 .1 .1", "1 2 3 4 5 6 7 8", "nan 0 0", "1\t2\n3", "1e30 -1e30 1e30"]
WORDS = ["true", "false", "auto", "enable", "disable", "hinge", "slide", "ball", "free", "revolute", "continuous", "prismatic"]
WORDS += [
    "fixed",
    "floating",
    "planar",
    "box",
    "sphere",
    "capsule",
    "cylinder",
    "ellipsoid",
    "mesh",
    "plane",
    "degree",
    "radian",
]
WORDS += ["xyz", "ZYX", "local", "global"]
PATHS = ["file:///etc/passwd", "/etc/passwd", "../../../../etc/passwd", "package://a/b.stl", "package://../x", "http://x.org/a"]
PATHS += ["~/.ssh/id_rsa", "\\\\host\\share", "a.xml", "C:\\x", "%s%n", "${x}", "$(find x)", "x" * 300, "'\"<>&", "]]>"]
VALUES = st.sampled_from([*NAMES * 3, *NUMBERS * 3, *VECTORS * 3, *WORDS * 2, *ODD_NUMBERS, *PATHS])
SNIPPETS = [
    "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>",
    "<!DOCTYPE x SYSTEM 'file:///etc/passwd'>",
    "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "&x;",
    "&#0;",
    "&#x10ffff;",
    "<![CDATA[ <robot> ]]>",
    "<!-- -- -->",
    "<?xml version='1.0' encoding='utf-7'?>",
    "<?php echo 1 ?>",
    "<a>" * 60 + "</a>" * 60,
    "<frame>" * 2500,
    "\x00",
    "\ud800",
    "<",
    ">",
    "</robot>",
    "<robot/>",
    "<mujoco/>",
    "<xi:include href='file:///etc/passwd'/>",
    "<include file='/etc/passwd'/>",
    "<xacro:include filename='x'/>",
]


def documents(grammar: "Grammar"):
    """Documents of a grammar: elements opened, closed and left empty at random, mostly where they belong."""
    steps = st.lists(
        st.tuples(
            st.sampled_from(["open", "open", "empty", "close"]),
            st.integers(0, 10_000),  # which element
            st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from([True] * 12 + [False]), VALUES), max_size=4),
        ),
        max_size=12,
    )
    return steps.map(grammar.write)


@dataclass(frozen=True)
class Grammar:
    """Which elements stand in which, the attributes that they need and may have, and good values of these."""

    root: str
    inside: dict[str, list[str]]
    needs: dict[str, list[str]]
    may: dict[str, list[str]]
    good: dict[str, list[str]]
    before: dict[str, str] = field(default_factory=dict)  # text before an element, {n} its number, {p} that of its forerunner
    after: dict[str, str] = field(default_factory=dict)  # text after its opening

    def write(self, steps) -> str:
        text, opened, last = f"<{self.root}>" + self.after.get(self.root, ""), [self.root], {}
        for number, (action, element, drawn) in enumerate(steps):
            if action == "close" and len(opened) > 1:
                text += f"</{opened.pop()}>"
                continue
            # one element in 30 stands where it does not belong
            tags = self.inside.get(opened[-1], ["x"]) if element % 30 else sorted(self.needs)
            tag = tags[element % len(tags)]
            numbers = {"n": number, "p": last.get(tag, "")}
            last[tag] = number
            text += self.before.get(tag, "").format(**numbers) + f"<{tag}{self.attributes(tag, number, drawn)}"
            text += ">" + self.after.get(tag, "").format(**numbers) if tag in self.inside else "/>"
            if tag in self.inside:
                opened.append(tag)
        return text + "".join(f"</{tag}>" for tag in reversed(opened))

    def attributes(self, tag: str, number: int, drawn) -> str:
        given = {name: self.value(name, number) for name in self.needs.get(tag, [])}
        for which, sane, value in drawn:
            names = [*self.needs.get(tag, []), *self.may.get(tag, []), "x"][: None if which % 40 == 0 else -1]
            if names:
                name = names[which % len(names)]
                given[name] = self.value(name, which) if sane else value
        return "".join(f" {name}={quoteattr(value)}" for name, value in given.items())

    def value(self, name: str, number: int) -> str:
        known = self.good.get(name, ["1"])
        return f"n{number}" if name in ("name", "class") else known[number % len(known)]


def broken(originals: list[str]):
    """One of the originals with a few parts changed."""
    changes = st.lists(
        st.tuples(
            st.sampled_from(["value"] * 8 + ["drop"] * 3 + ["name", "insert", "delete", "double", "cut"]),
            st.integers(0, 10_000),
            VALUES,
            st.sampled_from(SNIPPETS),
        ),
        min_size=1,
        max_size=4,
    )
    return st.tuples(st.sampled_from(originals), changes).map(lambda drawn: changed(*drawn))


def changed(text: str, changes) -> str:
    for action, number, value, snippet in changes:
        places = list(re.finditer(r'([\w:]+)="([^"]*)"', text))
        elements = list(re.finditer(r"<[^<>/!?][^<>]*/>", text))
        at = number % (len(text) + 1)
        if action == "value" and places:
            place = places[number % len(places)]
            text = text[: place.start(2)] + quoteattr(value)[1:-1].replace('"', "") + text[place.end(2) :]
        elif action == "name" and places:
            place = places[number % len(places)]
            text = text[: place.start(1)] + "x" + text[place.start(1) :]
        elif action == "insert":
            text = text[:at] + snippet + text[at:]
        elif action == "delete":
            text = text[:at] + text[at + 5 :]
        elif action == "cut":
            text = text[:at]
        elif elements:
            element = elements[number % len(elements)]
            text = text[: element.start()] + element[0] * (action == "double") * 2 + text[element.end() :]
    return text if text.lstrip().startswith("<") else "<" + text


POINTS = ["0 0 0", "1 2 3", "0 0 -1", "1e-9 5 0", ".1 .1 .1"]
AXES = ["0 0 1", "1 0 0", "1 2 3", "0 -1 0", "1e-200 0 0"]
SMALL = ["0", "1", ".5", "1e-12", "300"]
LINKS = [f"n{i}" for i in range(4)]
URDF = Grammar(
    root="robot",
    inside={
        "robot": ["joint", "joint", "joint", "joint", "joint", "link", "material", "gazebo"],
        "link": ["inertial", "visual", "collision"],
        "joint": ["origin", "axis", "limit", "dynamics", "mimic"],
        "inertial": ["origin"],
        "visual": ["geometry", "origin", "material"],
        "geometry": ["box", "sphere", "mesh", "cylinder"],
        "material": ["color"],
    },
    needs={
        "link": ["name"],
        "joint": ["name", "type"],
        "mass": ["value"],
        "inertia": ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"],
        "parent": ["link"],
        "child": ["link"],
        "axis": ["xyz"],
        "mimic": ["joint"],
        "mesh": ["filename"],
        "box": ["size"],
        "sphere": ["radius"],
        "cylinder": ["radius", "length"],
        "color": ["rgba"],
        "xacro:macro": [],
    },
    may={
        "origin": ["xyz", "rpy", "quat_xyzw"],
        "limit": ["lower", "upper", "velocity", "effort"],
        "dynamics": ["damping", "friction"],
        "mimic": ["multiplier", "offset"],
        "mesh": ["scale"],
    },
    good={
        "type": ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"],
        "xyz": AXES,
        "rpy": POINTS,
        "quat_xyzw": ["0 0 0 1", "1 2 3 4"],
        "link": LINKS,
        "joint": [f"n{i}" for i in range(8)],
        "value": SMALL,
        "filename": PATHS,
        **dict.fromkeys(("ixx", "iyy", "izz"), ["1", "1.5", "1e-9", "3"]),
        **dict.fromkeys(("ixy", "ixz", "iyz"), ["0", ".1", "-1e-9"]),
        **dict.fromkeys(("radius", "length", "damping", "friction", "velocity", "effort", "multiplier", "offset"), SMALL),
        "lower": ["-1", "-2", "0"],
        "upper": ["1", "inf", "0"],
        "size": POINTS,
        "scale": POINTS,
        "rgba": ["1 0 0 1"],
    },
    # a joint brings its own child link and hangs it on that of the joint before
    before={"joint": '<link name="l{n}"/>'},
    after={
        "robot": '<link name="l"/>',
        "joint": '<parent link="l{p}"/><child link="l{n}"/>',
        "inertial": '<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>',
    },
)
MJCF = Grammar(
    root="mujoco",
    inside={
        "mujoco": ["worldbody"] * 6 + ["default", "compiler", "compiler", "option", "equality", "asset", "tendon", "actuator"],
        "worldbody": ["body", "body", "body", "body", "body", "frame", "geom", "light", "include"],
        "body": ["body", "body", "joint", "joint", "freejoint", "geom", "geom", "inertial", "frame", "site", "composite"],
        "frame": ["body", "joint", "geom", "inertial"],
        "default": ["default", "joint", "geom", "mesh", "material", "tendon", "motor"],
        "option": ["flag"],
        "equality": ["joint", "weld"],
        "asset": ["mesh", "material"],
        "tendon": ["fixed", "spatial"],
        "actuator": ["motor", "position"],
    },
    needs={"inertial": ["pos", "mass"], "default": ["class"], "material": ["name"], "geom": ["size"], "include": ["file"]},
    may={
        "body": "name pos quat euler axisangle xyaxes zaxis childclass gravcomp mocap".split(),
        "frame": "pos quat euler zaxis childclass scale".split(),
        "joint": "name type axis pos ref springref stiffness damping armature frictionloss range limited".split(),
        "freejoint": ["name", "align"],
        "geom": "type size pos euler fromto mass density group mesh rgba material class".split(),
        "inertial": "diaginertia fullinertia quat euler zaxis".split(),
        "compiler": "angle eulerseq autolimits boundmass boundinertia balanceinertia settotalmass inertiafromgeom"
        " inertiagrouprange coordinate meshdir strippath".split(),
        "option": ["gravity", "density", "viscosity"],
        "flag": ["spring", "limit"],
        "weld": ["active"],
        "mesh": ["name", "file", "scale", "refpos", "refquat"],
        "material": ["rgba"],
        "fixed": ["stiffness"],
        "motor": ["armature", "joint"],
    },
    good={
        **dict.fromkeys(("pos", "diaginertia", "scale", "refpos", "euler"), POINTS),
        **dict.fromkeys(("axis", "zaxis", "gravity"), AXES),
        **dict.fromkeys(("quat", "axisangle", "refquat", "rgba"), ["1 0 0 0", "1 2 3 4", "0 0 -1 1"]),
        "xyaxes": ["1 0 0 0 1 0", "1 2 3 3 2 1"],
        "fromto": ["0 0 0 0 0 1", "1 2 3 3 2 1"],
        "fullinertia": ["1 1 1 0 0 0", "1 2 2 .1 .1 .1", "1 1 30 0 0 0"],
        "size": [".1 .2 .3", "1 1 1", ".1"],
        **dict.fromkeys("mass density ref springref damping armature frictionloss boundmass boundinertia".split(), SMALL),
        **dict.fromkeys("stiffness viscosity settotalmass".split(), SMALL),
        "gravcomp": ["0", "0", "0", "1"],
        "range": ["-1 1", "0 0", "-90 30"],
        "inertiagrouprange": ["0 5", "1 2"],
        "limited": ["true", "false", "auto"],
        "group": ["0", "1", "3"],
        **dict.fromkeys(("mocap", "autolimits", "balanceinertia", "strippath", "align", "active"), ["true", "false"]),
        "inertiafromgeom": ["auto", "true", "false"],
        "type": ["hinge", "slide", "ball", "free", "box", "sphere", "capsule", "ellipsoid", "cylinder", "mesh", "plane"],
        "angle": ["degree", "radian"],
        "eulerseq": ["xyz", "ZYX", "xZx"],
        "coordinate": ["local"],
        **dict.fromkeys(("childclass", "class", "joint", "mesh", "material"), LINKS),
        **dict.fromkeys(("spring", "limit"), ["enable", "disable"]),
        **dict.fromkeys(("file", "meshdir"), PATHS),
    },
    after={
        "mujoco": '<worldbody><body><geom size="1"/></body></worldbody>',
        "default": '<geom size=".1 .1 .1"/>',
        "equality": '<joint joint1="n1" joint2="n2" polycoef="1 2"/>',
    },
)

ARM = """<?xml version="1.0"?>
<robot name="arm"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="a"><inertial><origin xyz="0 0 1" rpy="0 .1 0"/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy=".1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><origin xyz="0 0 1"/><geometry><mesh filename="package://a/b.stl" scale="1 1 1"/></geometry>
<material name="red"/></visual></link>
<link name="c"><visual><geometry><box size="1 2 3"/></geometry></visual></link><link name="d"/>
<joint name="1" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0" rpy="1 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="1" friction="0"/></joint>
<joint name="2" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 1 1"/><limit lower="-1" upper="1"/>
<mimic joint="1" multiplier="2" offset=".5"/></joint>
<joint name="3" type="floating"><parent link="c"/><child link="d"/></joint></robot>"""
WALKER = """<mujoco model="walker">
<compiler angle="radian" eulerseq="xyz" autolimits="true" boundmass="0" inertiafromgeom="auto"/>
<option gravity="0 0 -9.81"><flag gravity="enable"/></option>
<default><joint damping="1" armature=".1"/><geom density="500" size=".1"/>
<default class="leg"><geom type="capsule" size=".05 .2"/><joint axis="0 1 0" range="-1 1"/></default></default>
<asset><mesh name="m" file="parts/m.stl" scale="1 1 1"/><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><light/><geom type="plane" size="1 1 1"/>
<body name="a" pos="0 0 1" childclass="leg"><freejoint name="root"/><geom type="box" size=".1 .2 .3" rgba="1 0 0 1"/>
<frame pos="1 0 0" euler="0 .1 0"><body name="b" quat="1 0 0 1"><joint name="1" ref=".1" springref=".2" stiffness="1"/>
<geom fromto="0 0 0 1 0 0" mass="1"/><body name="c" xyaxes="1 0 0 0 1 0"><joint name="2" type="slide" axis="1 0 0"/>
<inertial pos="0 0 1" mass="1" fullinertia="1 1 1 0 0 0"/><geom type="mesh" mesh="m"/></body></body></frame></body>
<body zaxis="0 1 1"><joint name="3" type="ball" pos="1 0 0"/>
<inertial pos="0 0 1" mass="1" diaginertia="1 1 1" euler="1 0 0"/></body>
</worldbody><equality><joint joint1="1" joint2="2" polycoef="0 1 0 0 0"/></equality>
<actuator><motor joint="1" gear="1"/></actuator><keyframe><key qpos="0"/></keyframe></mujoco>"""
TABLE = """# convention: modified
# angles: deg
# gravity: 0 0 -9.81
name,parent,kind,alpha,a,d,theta,mass,cx,ixx,iyy,izz,lower,upper
a,,revolute,0,0,1,0,1,.1,1,1,1,-90,90
b,a,prismatic,90,1,,30,2,.2,1,1,1,,
c,1,fixed,90,1,,30,,,,,,,
"""
