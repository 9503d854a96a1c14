"""The bodies of an MJCF file, parents first, with everything that hangs on them."""

import numpy as np

from locomote.formats.faults import shown
from locomote.formats.inertias import judge
from locomote.formats.mjcf.elements import check_attributes, choice, flag
from locomote.formats.mjcf.fitted import fitted
from locomote.formats.mjcf.frames import read_placement
from locomote.formats.mjcf.geom import SHAPES, SIZES, Geom, bits, collision_of_geom, from_to, read_geom, visual_of
from locomote.formats.mjcf.inertial import body_inertia, read_inertial
from locomote.formats.mjcf.joint import joint_type, read_joint
from locomote.formats.mjcf.names import Names
from locomote.formats.mjcf.parts import Part, Parts, parts_of
from locomote.formats.mjcf.reading import Reading
from locomote.formats.numbers import number, numbers
from locomote.formats.xml import Node
from locomote.model.description import Body, Joint
from locomote.model.scene import Camera, Floor, Immersed
from locomote.spatial.inertia import Inertia

COEFFICIENTS = (0.5, 0.25, 1.5, 1.0, 1.0)  # of fluidcoef
MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")  # of cameras


def read_bodies(root: Node, reading: Reading) -> tuple[Body, ...]:
    """All bodies of the <worldbody> sections, depth first."""
    names = Names(root, reading.faults)
    bodies: list[Body] = []
    waiting: list[tuple[Part, str | None, bool]] = []  # body, name of its parent, whether that is fixed to the world
    for world in reversed(root.all("worldbody")):
        waiting.extend((part, None, True) for part in reversed(_of_world(world, reading)))
    while waiting:
        (node, frame, childclass), parent, fixed = waiting.pop()
        childclass = node.get("childclass") or childclass
        parts = parts_of(node, childclass, reading)
        name = names.of(node, f"body{len(bodies) + 1}")
        reading.besides.bodies.append(name)
        joints = _joints(name, parent, parts, names, reading)
        _keep_sites(name, parts, reading)
        fixed = fixed and not joints
        bodies.append(_body(name, node, frame, parent, joints, fixed, parts, reading))
        waiting.extend((part, name, fixed) for part in reversed(parts.bodies))
    if not bodies and not reading.faults.faults:
        reading.faults.add(None, "there is no <body> in a <worldbody>")
    return tuple(bodies)


def _of_world(world: Node, reading: Reading) -> list[Part]:
    check_attributes(world, reading.faults)
    parts = parts_of(world, None, reading)
    for node, _, _ in [*parts.joints, *parts.inertials]:
        reading.faults.add(node, f"the world cannot have a <{node.tag}>; put it in a <body>")
    _keep_sites(None, parts, reading)
    left = len(parts.geoms) - (_keep_floors(parts, reading) if reading.scene else 0)
    if left:
        reading.faults.warn(world, f"{left} geoms of the world are not kept: nothing touches them here")
    return parts.bodies


def _keep_sites(body: str | None, parts: Parts, reading: Reading) -> None:
    """Note where the named sites and the cameras of a body are."""
    besides, faults = reading.besides, reading.faults
    for node, frame, childclass in parts.sites if reading.scene else ():
        if name := node.get("name"):
            site = reading.defaults.fill(node, childclass)
            placement, size = from_to(site, choice(site, "type", SHAPES, "sphere", faults), faults)
            if placement is None:
                placement = read_placement(site, reading.settings, faults)
                size = numbers(site, "size", (1, 3), faults, (0.005,))
            besides.sites.setdefault(name, (body, frame @ placement))
            besides.volumes.setdefault(name, (choice(site, "type", SHAPES, "sphere", faults), tuple(map(float, size))))
    for node, frame, childclass in parts.cameras if reading.scene else ():
        camera = reading.defaults.fill(node, childclass)
        name = node.get("name") or f"camera {len(besides.cameras) + 1}"
        angle = np.deg2rad(number(camera, "fovy", faults, 45.0))
        mode = choice(camera, "mode", MODES, "fixed", faults)
        placement = frame @ read_placement(camera, reading.settings, faults)
        besides.cameras.setdefault(name, Camera(name, body, placement, float(angle), mode))


def _keep_floors(parts: Parts, reading: Reading) -> int:
    """Note the planes and walls of the world; returns how many geoms need no word: those whose shapes are known."""
    known = 0
    for node, frame, childclass in parts.geoms:
        geom = read_geom(reading.defaults.fill(node, childclass), frame, reading.settings, reading.faults)
        geom = fitted(geom, reading)
        _keep_round(None, geom, reading)
        touching = collision_of_geom(geom, reading.assets, reading.faults, node.get("name") in reading.paired)
        if geom.shape == "plane" and touching is not None:
            own = Floor(geom.placement, touching.friction or 0.0, touching.group, touching.mask, touching.name)
            reading.besides.floors.append(own)
        elif touching is not None:
            reading.besides.walls.append(touching)
        known += geom.shape not in ("hfield", "sdf") or (geom.shape == "hfield" and _keep_heights(geom, reading))
    return known


def _keep_heights(geom: Geom, reading: Reading) -> bool:
    """Note a height field of the world; whether it can be ground: one that is upright."""
    field = reading.besides.fields.get(geom.element.get("hfield") or "")
    if field is None:
        if not reading.faults.faults:
            reading.faults.add(geom.element, f"there is no hfield {shown(geom.element.get('hfield'))} among the assets")
        return True
    if abs(geom.placement[2, 2] - 1.0) > 1e-9:
        reading.faults.warn_alike("height fields that are tilted are left out", geom.element)
        return True
    group, mask = (bits(geom.element, name, reading.faults) for name in ("contype", "conaffinity"))
    name = geom.element.get("name") or ""
    if group or mask or name in reading.paired:
        friction = numbers(geom.element, "friction", (1, 3), reading.faults, (1.0,))[0]
        floor = Floor(geom.placement, min(max(friction, 0.0), 1e4), group, mask, name, *field)
        reading.besides.floors.append(floor)
    return True


def _keep_immersed(body: str, geom: Geom, reading: Reading) -> None:
    """Note a geom that the medium acts on as on an ellipsoid."""
    if geom.mesh is not None or geom.shape not in SIZES:
        reading.unsupported.refuse(geom.element, f"fluidshape ellipsoid of a {geom.shape}", "give it to an ellipsoid")
        return
    r, *more = geom.size
    half = {"sphere": (r, r, r), "capsule": (r, r, r + sum(more)), "cylinder": (r, r, *more)}.get(geom.shape, geom.size)
    coefficients = (*numbers(geom.element, "fluidcoef", (1, 5), reading.faults, ()), *COEFFICIENTS)
    given = len(coefficients) - len(COEFFICIENTS)
    own = (*coefficients[:given], *COEFFICIENTS[given:])
    reading.besides.immersed.append(Immersed(body, geom.placement, half, own))


def _keep_round(body: str | None, geom: Geom, reading: Reading) -> None:
    """Note a named geom that tendons may go round."""
    if (name := geom.element.get("name")) and reading.scene:
        reading.besides.rounds.setdefault(name, (body, geom))


def _joints(name: str, parent: str | None, parts: Parts, names: Names, reading: Reading) -> tuple[Joint, ...]:
    joints, faults = [], reading.faults
    for node, frame, childclass in parts.joints:
        element = reading.defaults.fill(node, childclass)
        kind = joint_type(element, faults)
        joints.append(read_joint(element, names.of(node, f"{kind} of {name}"), frame, reading))
        if kind == "free" and parent is not None:
            faults.add(node, f"a free joint can only be in a body of the world; body {shown(name)} hangs on {shown(parent)}")
        if kind == "free" and len(parts.joints) > 1:
            faults.add(node, f"body {shown(name)} has a free joint, so it can have no other joint")
    return tuple(joints)


def _body(
    name: str,
    node: Node,
    frame: np.ndarray,
    parent: str | None,
    joints: tuple[Joint, ...],
    fixed: bool,
    parts: Parts,
    reading: Reading,
) -> Body:
    faults = reading.faults
    placement = frame @ read_placement(node, reading.settings, faults)
    if carried := number(node, "gravcomp", faults, 0.0):
        reading.besides.floating[name] = carried
        if not reading.scene:
            reading.unsupported.refuse(node, "gravcomp", "add the compensating force in code, or take lo.load_scene")
    if flag(node, "mocap", False, faults):
        faults.warn_alike("mocap bodies are taken as fixed", node)
    if joints and joints[0].kind == "free":
        reading.besides.starts[joints[0].name] = placement
        if not reading.scene and not np.array_equal(placement, np.eye(4)):
            start = f"body {shown(name)} starts at {' '.join(f'{value:g}' for value in placement[:3, 3])} m"
            faults.warn_alike("q of a free joint is the pose in the world; where the file starts it is not kept", start)
        placement = np.eye(4)
    geoms = [
        fitted(read_geom(reading.defaults.fill(geom, childclass), inner, reading.settings, faults), reading)
        for geom, inner, childclass in parts.geoms
    ]
    for geom in geoms:
        _keep_round(name, geom, reading)
    for geom in geoms if reading.settings.medium else ():
        if choice(geom.element, "fluidshape", ("none", "ellipsoid"), "none", faults) == "ellipsoid":
            _keep_immersed(name, geom, reading)
    inertia = _inertia(name, node, geoms, fixed, parts, reading)
    visuals = filter(None, (visual_of(geom, reading.assets, faults) for geom in geoms))
    touching = filter(
        None,
        (collision_of_geom(geom, reading.assets, faults, geom.element.get("name") in reading.paired) for geom in geoms),
    )
    return Body(name, parent, placement, joints, inertia, visuals=tuple(visuals), collisions=tuple(touching))


def _inertia(name: str, node: Node, geoms: list[Geom], fixed: bool, parts: Parts, reading: Reading) -> Inertia | None:
    given = [read_inertial(found, frame, reading.settings, reading.faults) for found, frame, _ in parts.inertials]
    if len(given) > 1:
        reading.faults.add(parts.inertials[1][0], f"body {shown(name)} has more than one <inertial>")
    if given and parts.inertials[0][0].get("fullinertia") is None:
        found, frame, _ = parts.inertials[0]
        reading.besides.axes[name] = (frame @ read_placement(found, reading.settings, reading.faults))[:3, :3]
    inertia = body_inertia(name, node, given[0] if given else None, geoms, fixed, reading)
    if inertia is not None:
        where = parts.inertials[0][0] if given else node
        judge(inertia, reading.policy, where, f"body {shown(name)}", reading.faults)
    return inertia
