"""SDF files for tests: small parts, a URDF file said in SDF, and random models whose frames are drawn from known poses."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

HEAVY = "<inertial><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz></inertia></inertial>"
A = f"<link name='a'>{HEAVY}</link>"
B = f"<link name='b'>{HEAVY}</link>"
ENDS = "<parent>a</parent><child>b</child>"


def sdf(*parts, version="1.9", name="m", **attributes):
    said = "".join(f" {key}='{x}'" for key, x in attributes.items())
    return f"<sdf version='{version}'><model name='{name}'{said}>{''.join(parts)}</model></sdf>"


def joint(kind, inner="", ends=ENDS, name="j"):
    return f"<joint name='{name}' type='{kind}'>{ends}{inner}</joint>"


def axis(inner="", xyz="0 0 1", tag="axis"):
    return f"<{tag}><xyz>{xyz}</xyz>{inner}</{tag}>"


SDF_ARM = """<sdf version="1.10"><model name="arm">
  <frame name="mount" attached_to="base"><pose degrees="true">0 0 .5 0 28.64788975654116 0</pose></frame>
  <link name="base"><inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial></link>
  <link name="upper"><pose relative_to="mount"/><inertial><pose>0 .1 .2 .1 .2 .3</pose><mass>3</mass>
    <inertia><ixx>.3</ixx><ixy>.01</ixy><ixz>.02</ixz><iyy>.4</iyy><iyz>.03</iyz><izz>.5</izz></inertia></inertial></link>
  <link name="fore"><pose relative_to="upper">.3 0 0 1 0 .2</pose><inertial><pose>.2 0 0 0 0 0</pose><mass>1.5</mass>
    <inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.15</izz></inertia></inertial></link>
  <joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="J shoulder" type="continuous"><parent>base</parent><child>upper</child>
    <axis><xyz>0 1 1</xyz><dynamics><damping>.2</damping><friction>.1</friction></dynamics></axis></joint>
  <joint name="J elbow" type="prismatic"><parent>upper</parent><child>fore</child>
    <axis><xyz expressed_in="fore">1 0 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort>
    <velocity>4</velocity></limit></axis></joint>
</model></sdf>"""
LIMITS = ("lower", "upper", "effort", "velocity")


def numbers(values) -> str:
    return " ".join(repr(float(x)) for x in values)


def link_name(name: str) -> str:
    """What a link is called in SDF, where the world is no link."""
    return "the world" if name == "world" else name


def from_urdf(text: str) -> str:
    """The same robot in SDF, with another way of reading XML than ours: a joint in its parent, a link in its joint."""
    robot = ET.fromstring(text)
    parts = []
    carrier = {joint.find("child").get("link"): joint.get("name") for joint in robot.findall("joint")}
    for link in robot.findall("link"):
        name = link.get("name")
        place = f"<pose relative_to='J {carrier[name]}'/>" if name in carrier else ""
        inertial = link.find("inertial")
        if inertial is None:
            weight = "<inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"
        else:
            moments = "".join(f"<{key}>{x}</{key}>" for key, x in inertial.find("inertia").attrib.items())
            mass = inertial.find("mass").get("value")
            weight = f"<inertial>{origin(inertial)}<mass>{mass}</mass><inertia>{moments}</inertia></inertial>"
        parts.append(f"<link name='{link_name(name)}'>{place}{weight}</link>")
    for joint in robot.findall("joint"):
        parts.append(joint_from_urdf(joint))
    return f"<sdf version='1.11'><model name='{robot.get('name')}'>{''.join(parts)}</model></sdf>"


def joint_from_urdf(joint) -> str:
    parent, child = (link_name(joint.find(role).get("link")) for role in ("parent", "child"))
    kind = joint.get("type")
    said = f"<parent>{parent}</parent><child>{child}</child>" + origin(joint, parent)
    if kind != "fixed":
        axis, limit, losses = joint.find("axis"), joint.find("limit"), joint.find("dynamics")
        inner = f"<xyz>{'1 0 0' if axis is None else axis.get('xyz')}</xyz>"
        if limit is not None:
            inner += "<limit>" + "".join(f"<{key}>{limit.get(key)}</{key}>" for key in LIMITS if limit.get(key)) + "</limit>"
        if losses is not None:
            known = {key: losses.get(key) for key in ("damping", "friction") if losses.get(key)}
            inner += "<dynamics>" + "".join(f"<{key}>{x}</{key}>" for key, x in known.items()) + "</dynamics>"
        if (mimic := joint.find("mimic")) is not None:
            ratio, offset = mimic.get("multiplier", "1"), mimic.get("offset", "0")
            follows = f"<multiplier>{ratio}</multiplier><offset>{offset}</offset>"
            inner += f"<mimic joint='J {mimic.get('joint')}'>{follows}</mimic>"
        said += f"<axis>{inner}</axis>"
    return f"<joint name='J {joint.get('name')}' type='{kind}'>{said}</joint>"


def origin(node, relative_to=None) -> str:
    found = node.find("origin")
    given = {} if found is None else found.attrib
    frame = f" relative_to='{relative_to}'" if relative_to else ""
    return f"<pose{frame}>{given.get('xyz', '0 0 0')} {given.get('rpy', '0 0 0')}</pose>"


@dataclass
class Truth:
    """A random model: its text, poses in the world of all frames by full name, and joints."""

    text: str = ""
    files: dict[str, str] = field(default_factory=dict)
    poses: dict[str, np.ndarray] = field(default_factory=dict)  # of links
    joints: dict[str, tuple] = field(default_factory=dict)  # parent, child, pose in the world, axis in the world


def random_pose(rng) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.random(random_state=rng).as_matrix(), rng.uniform(-2, 2, 3)
    return pose


def pose_text(pose, rng, relative_to="", tag="pose") -> str:
    """A pose in one of the forms of the format."""
    turn, attribute = Rotation.from_matrix(pose[:3, :3]), f" relative_to='{relative_to}'" if relative_to else ""
    form = rng.integers(3)
    if form == 0:
        attribute, angles = attribute + " rotation_format='quat_xyzw'", turn.as_quat() * rng.uniform(0.5, 2.0)
    elif form == 1:
        attribute, angles = attribute + " degrees='true'", turn.as_euler("xyz", degrees=True)
    else:
        angles = turn.as_euler("xyz")
    return f"<{tag}{attribute}>{numbers(pose[:3, 3])} {numbers(angles)}</{tag}>"


def random_model(seed: int) -> Truth:
    """A model with frames, nested, included and merged models."""
    rng, truth = np.random.default_rng([seed, 5]), Truth()
    links: list[str] = []
    body, _ = _model(rng, truth, "", "robot", random_pose(rng), "", links, depth=0, how="nested")
    truth.text = f"<sdf version='1.{rng.integers(9, 13)}'>{body}</sdf>"
    return truth


def _model(rng, truth, outer, name, world, outer_frame, links, depth, how):
    """Text of a model that stands at `world`, and its frames by the names that it has for them."""
    inner = outer if how == "merged" else f"{outer}{name}::"
    known = {"__model__": world}
    parts, own, mine = [], [], []
    for k in range(rng.integers(1, 4)):
        label, pose = f"{name}_link{k}", random_pose(rng)
        mine.append(label)
        own.append((label, "link", pose, None))
        truth.poses[inner + label] = pose
    for k in range(rng.integers(0, 4)):
        own.append((f"{name}_frame{k}", "frame", random_pose(rng), None))
    nested = []
    for k in range(rng.integers(0, 3) if depth < 3 else 0):
        nested.append((f"{name}{k}", random_pose(rng), str(rng.choice(["nested", "included", "merged"]))))
    # whatever was placed may be named by what comes after it
    for label, tag, pose, _ in [own[k] for k in rng.permutation(len(own))]:
        base = str(rng.choice(list(known)))
        place = pose_text(np.linalg.inv(known[base]) @ pose, rng, base if base != "__model__" or rng.random() < 0.5 else "")
        attached = f" attached_to='{rng.choice(list(known))}'" if tag == "frame" and rng.random() < 0.5 else ""
        if attached and "relative_to" not in place:
            place = place.replace("<pose", "<pose relative_to='__model__'", 1)
        weight = f"<inertial><mass>{rng.uniform(1, 2)!r}</mass></inertial>" if tag == "link" else ""
        parts.append(f"<{tag} name='{label}'{attached}>{place}{weight}</{tag}>")
        known[label] = pose
    for label, pose, kind in nested:
        text, inside = _model(rng, truth, inner, label, pose, "", links, depth + 1, kind)
        placement = str(rng.choice(list(inside))) if rng.random() < 0.6 else ""
        base = str(rng.choice(list(known)))
        placed = inside[placement] if placement else pose
        place = pose_text(np.linalg.inv(known[base]) @ placed, rng, base if base != "__model__" else "")
        if kind == "nested":
            named = f" placement_frame='{placement}'" if placement else ""
            parts.append(
                text.replace("<pose/>", place, 1).replace(f"<model name='{label}'", f"<model name='{label}'{named}", 1)
            )
        else:
            truth.files[f"{label}.sdf"] = f"<sdf version='1.9'>{text}</sdf>"
            named = f"<placement_frame>{placement}</placement_frame>" if placement else ""
            merge = " merge='true'" if kind == "merged" else ""
            parts.append(f"<include{merge}><uri>{label}.sdf</uri>{place}{named}</include>")
        seen = (
            inside if kind == "merged" else {f"{label}::{k}": x for k, x in inside.items() if k != "__model__"} | {label: pose}
        )
        known |= {k: x for k, x in seen.items() if k != "__model__"}
    # joints: a chain over the links of this model and the first links of those in it
    for k, child in enumerate(mine[1:]):
        parts.append(_joint(rng, truth, inner, f"{name}_joint{k}", mine[k], child, known, mine))
    for label, _, kind in nested:
        first = f"{label}_link0" if kind == "merged" else f"{label}::{label}_link0"
        parts.append(_joint(rng, truth, inner, f"{name}_to_{label}", mine[0], first, known, mine))
    place = pose_text(world, rng) if depth == 0 else "<pose/>"
    order = [parts[k] for k in rng.permutation(len(parts))]
    canonical = f" canonical_link='{mine[-1]}'"
    return f"<model name='{name}'{canonical}>{place}{''.join(order)}</model>", known


def _joint(rng, truth, inner, name, parent, child, known, mine):
    pose, axis = random_pose(rng), rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    said = str(rng.choice([k for k in known if k not in ("__model__",)]))
    base, turn = (child, known[child]) if rng.random() < 0.4 else (said, known[said])
    place = pose_text(np.linalg.inv(turn) @ pose, rng, "" if base == child and rng.random() < 0.5 else base)
    frame = str(rng.choice(list(known)))
    inside = pose if rng.random() < 0.4 else known[frame]
    expressed = "" if inside is pose else f" expressed_in='{frame}'"
    xyz = f"<xyz{expressed}>{numbers(inside[:3, :3].T @ axis * rng.uniform(0.5, 3))}</xyz>"
    truth.joints[inner + name] = (inner + parent, inner + child, pose, axis)
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f"<joint name='{name}' type='revolute'>{ends}{place}<axis>{xyz}</axis></joint>"
