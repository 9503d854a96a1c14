"""Tendons of MJCF: over joints, with lengths that are linear in coordinates, and along paths through sites and round geoms."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from locomote.formats.faults import shown
from locomote.formats.mjcf.elements import Element, choice
from locomote.formats.mjcf.reading import Reading
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node
from locomote.model.description import Joint
from locomote.model.paths import Path, Pulley, Via, Wrap
from locomote.model.scene import ALWAYS, Motor, Strand


@dataclass(frozen=True)
class FixedTendon:
    """A tendon whose length is the sum of coefficient times coordinate."""

    node: Node
    joints: dict[str, float]


@dataclass(frozen=True)
class Route:
    """A tendon along a path."""

    node: Node
    path: Path


def read_fixed_tendons(root: Node, joints: dict[str, Joint], reading: Reading) -> dict[str, FixedTendon]:
    """The <fixed> tendons of a file, by name."""
    found: dict[str, FixedTendon] = {}
    for node in (child for section in root.all("tendon") for child in section.all("fixed")):
        ratios: dict[str, float] = {}
        for part in node.all("joint"):
            name = part.get("joint")
            if name not in joints or joints[name].sizes != (1, 1):
                near = reading.faults.nearest(name or "", joints)
                reading.faults.add(part, f"joint {shown(name)} is no hinge or slide of the file{near}")
            else:
                ratios[name] = ratios.get(name, 0.0) + number(part, "coef", reading.faults, 1.0)
        found[node.get("name") or f"tendon {len(found) + 1}"] = FixedTendon(node, ratios)
    return found


def read_paths(root: Node, reading: Reading) -> dict[str, Route]:
    """The <spatial> tendons of a file, by name."""
    found: dict[str, Route] = {}
    for node in (child for section in root.all("tendon") for child in section.all("spatial")):
        stops = [stop for child in node.children if (stop := _stop(child, reading)) is not None]
        if len(stops) < len(node.children):
            continue
        fault = _misplaced(stops)
        if fault:
            reading.faults.add(node, fault)
        else:
            found[node.get("name") or f"path {len(found) + 1}"] = Route(node, Path(stops))
    return found


def _misplaced(stops: list) -> str:
    """What is wrong with the order of stops."""
    kinds = [type(stop) for stop in stops]
    branches: list[list] = [[]]
    for kind in kinds:
        if kind is Pulley:
            branches.append([])
        else:
            branches[-1].append(kind)
    if kinds and kinds[0] is Pulley:
        branches = branches[1:]
    for branch in branches:
        if len(branch) < 2 or branch[0] is Wrap or branch[-1] is Wrap:
            return "each branch of a path must begin and end with a site, and have two of them"
        if any(a is b is Wrap for a, b in pairwise(branch)):
            return "two geoms follow each other; put a site between them"
    return ""


def _stop(node: Node, reading: Reading):
    """A site, geom or pulley of a path; None after a fault."""
    faults, sites = reading.faults, reading.besides.sites
    if node.tag == "pulley":
        divisor = number(node, "divisor", faults, 1.0)
        if divisor > 0:
            return Pulley(divisor)
        faults.add(node, f"divisor is {divisor:g}, expected a number above 0")
        return None
    if node.tag == "site":
        if (site := _known(node, "site", sites, reading)) is None:
            return None
        body, frame = site
        return Via(body, _point(frame))
    if node.tag != "geom":
        faults.add(node, f"a path holds sites, geoms and pulleys{faults.nearest(node.tag, ('site', 'geom', 'pulley'))}")
        return None
    if (shape := _known(node, "geom", reading.besides.rounds, reading)) is None:
        return None
    body, geom = shape
    if geom.shape not in ("sphere", "cylinder"):
        faults.add(node, f"a path goes round spheres and cylinders, geom {shown(node.get('geom'))} is a {geom.shape}")
        return None
    side = None
    if node.get("sidesite") is not None:
        if (site := _known(node, "sidesite", sites, reading)) is None:
            return None
        if site[0] != body:
            reading.unsupported.refuse(node, "a sidesite on another body than its geom")
            return None
        side = _point(site[1])
    place = geom.placement
    return Wrap(body, geom.shape, geom.size[0], _point(place), _vector(place[:3, 2]), side)


def _known(node: Node, attribute: str, known: dict, reading: Reading):
    name = node.get(attribute)
    if name not in known:
        near = reading.faults.nearest(name or "", known)
        reading.faults.add(node, f"{attribute} {shown(name)} is not in the file{near}")
        return None
    return known[name]


def read_elastic(
    root: Node, joints: dict[str, Joint], tendons: dict[str, FixedTendon], paths: dict[str, Route], reading: Reading
) -> tuple[list[Motor], list[Strand]]:
    """What elastic tendons do: those over joints as motors that are told nothing, those along paths as strands."""
    motors, strands = [], []
    owners = {id(tendon.node): (name, tendon) for name, tendon in (*tendons.items(), *paths.items())}
    passive = reading.settings.on("spring", "passive"), reading.settings.on("damper", "passive")
    for node in (child for section in root.all("tendon") for child in section.children):
        tendon = reading.defaults.fill(node, None, "tendon")
        stiffness, damping = (
            _linear(tendon, name, reading) * on for name, on in zip(("stiffness", "damping"), passive, strict=True)
        )
        for name in ("frictionloss", "armature", *(("springyield",) if stiffness else ())):
            if number(tendon, name, reading.faults, 0.0):
                reading.unsupported.refuse(node, f"a tendon with {name}")
        limits = _limits(tendon, reading)
        if id(node) not in owners or not (stiffness or damping or limits):
            continue
        name, own = owners[id(node)]
        rest = _rest(tendon, reading)
        if isinstance(own, Route):
            strands.append(Strand(name, own.path, stiffness, rest, damping, limits, _softness(tendon, reading)))
        elif rest is not None and rest[0] != rest[1]:
            reading.unsupported.refuse(tendon, "a tendon over joints that is slack between two lengths (springlength)")
        elif stiffness or damping:
            start = sum(ratio * float(np.ravel(joints[joint].rest)[0]) for joint, ratio in own.joints.items())
            push = stiffness * (start if rest is None else rest[0])
            motors.append(Motor(name, own.joints, gain=(0.0, 0.0, 0.0), bias=(push, -stiffness, -damping), place=-1))
    return motors, strands


def range_of_motors(node: Node, reading: Reading) -> tuple[float, float]:
    """Where the force of all motors of a tendon together stays."""
    tendon = reading.defaults.fill(node, None, "tendon")
    limited = choice(tendon, "actuatorfrclimited", ("true", "false", "auto"), "auto", reading.faults)
    lower, upper = numbers(tendon, "actuatorfrcrange", 2, reading.faults, (0.0, 0.0))
    return ALWAYS if limited == "false" or lower >= upper else (lower, upper)


def _limits(tendon: Element, reading: Reading) -> tuple[float, float] | None:
    limited = choice(tendon, "limited", ("true", "false", "auto"), "auto", reading.faults)
    lower, upper = numbers(tendon, "range", 2, reading.faults, (0.0, 0.0))
    if limited == "false" or (limited == "auto" and lower >= upper) or not reading.settings.on("limit", "constraint"):
        return None
    if lower >= upper:
        reading.faults.add(tendon, f"its range {lower:g} to {upper:g} is empty")
        return None
    return lower, upper


def _softness(tendon: Element, reading: Reading) -> tuple[float, float]:
    time, ratio = numbers(tendon, "solreflimit", 2, reading.faults, (0.02, 1.0))
    return (time, ratio) if time > 0 and ratio > 0 else (0.02, 1.0)


def _vector(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = values
    return float(x), float(y), float(z)


def _point(frame: np.ndarray) -> tuple[float, float, float]:
    return _vector(frame[:3, 3])


def _linear(tendon: Element, name: str, reading: Reading) -> float:
    values = numbers(tendon, name, (1, 3), reading.faults, (0.0,))
    if any(values[1:]):
        reading.unsupported.refuse(tendon, f"a tendon whose {name} is not linear")
    if values[0] < 0.0:
        reading.faults.add(tendon, f"{name} is {values[0]:g}, expected at least 0")
    return values[0]


def _rest(tendon: Element, reading: Reading) -> tuple[float, float] | None:
    """Lengths at rest; None for that where springs of joints have no force."""
    values = numbers(tendon, "springlength", (1, 2), reading.faults, (-1.0,))
    if values[0] == values[-1] == -1.0:
        return None
    if values[-1] < values[0]:
        reading.faults.add(tendon, f"springlength {values[0]:g} to {values[-1]:g} is empty")
    return values[0], values[-1]
