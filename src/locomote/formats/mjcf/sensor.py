"""The sensors of an MJCF file: what each measures, and of which frame, joint, tendon or actuator."""

from typing import Any

import numpy as np

from locomote.formats.faults import shown
from locomote.formats.mjcf.actuator import ACTUATORS
from locomote.formats.mjcf.reading import Reading
from locomote.formats.mjcf.tendon import FixedTendon, Route
from locomote.formats.numbers import number
from locomote.formats.xml import Node
from locomote.model.description import Body
from locomote.model.scene import Sensor

OF_SITES = "touch accelerometer velocimeter gyro force torque".split()
OF_FRAMES = "pos quat xaxis yaxis zaxis linvel angvel linacc angacc".split()
TURNED = ("framequat", "framexaxis", "frameyaxis", "framezaxis")
OF_JOINTS = {"jointpos": (1, 1), "jointvel": (1, 1), "jointactuatorfrc": (1, 1), "ballquat": (4, 3), "ballangvel": (4, 3)}
OF_TENDONS, OF_MOTORS = ("tendonpos", "tendonvel"), ("actuatorpos", "actuatorvel", "actuatorfrc")
OF_TREES = ("subtreecom", "subtreelinvel", "subtreeangmom")
LEFT_OUT = (
    "magnetometer camprojection rangefinder tendonactuatorfrc jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos"
    " tendonlimitvel tendonlimitfrc insidesite distance normal fromto contact e_potential e_kinetic tactile user plugin"
).split()
KNOWN = (
    *OF_SITES, *(f"frame{what}" for what in OF_FRAMES), *OF_JOINTS, *OF_TENDONS, *OF_MOTORS, *OF_TREES, "clock", *LEFT_OUT,
)  # fmt: skip
GEOMS = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "plane")  # whose frames are those of the file


def read_sensors(
    root: Node, bodies: tuple[Body, ...], tendons: dict[str, FixedTendon | Route], reading: Reading
) -> tuple[Sensor, ...]:
    """The sensors of a file in its order; those that are not known here are named in a warning."""
    places = Places(root, bodies, tendons, reading)
    found, taken = [], set()
    for n, node in enumerate(node for section in root.all("sensor") for node in section.children):
        if node.tag not in KNOWN:
            reading.faults.add(node, f"unknown sensor{reading.faults.nearest(node.tag, KNOWN)}")
            continue
        name = node.get("name") or f"{node.tag} {n + 1}"
        given = None if node.tag in LEFT_OUT else places.of(node)
        if given is None or name in taken:
            what = f"a second {name!r}" if name in taken else f"{node.tag} {places.why or ''}".rstrip()
            reading.faults.warn_alike(f"sensors that are left out: {what}", node)
            places.why = ""
            continue
        taken.add(name)
        found.append(Sensor(name, node.tag, cutoff=number(node, "cutoff", reading.faults, 0.0, least=0.0), **given))
    return tuple(found)


class Places:
    """What sensors of a file are of, by the names that they give."""

    def __init__(self, root: Node, bodies: tuple[Body, ...], tendons: dict[str, FixedTendon | Route], reading: Reading):
        self.reading, self.tendons, self.why = reading, tendons, ""
        self.bodies = {body.name: body for body in bodies}
        self.joints = {joint.name: joint for body in bodies for joint in body.joints}
        motors = [node for section in root.all("actuator") for node in section.children if node.tag in ACTUATORS]
        self.motors = {node.get("name"): n for n, node in enumerate(motors) if node.get("name")}

    def of(self, node: Node) -> dict[str, Any] | None:
        """What a sensor is of, as fields of its record; None if it is left out, or after a fault."""
        if node.tag in OF_SITES:
            return self.site(node)
        if node.tag.startswith("frame"):
            return self.framed(node)
        if node.tag in OF_JOINTS:
            joint = self.named(node, "joint", self.joints)
            if joint is not None and joint.sizes != OF_JOINTS[node.tag]:
                self.reading.faults.add(node, f"joint {shown(joint.name)} is no joint of the kind that it measures")
                return None
            return joint and {"joints": {joint.name: 1.0}}
        if node.tag in OF_TENDONS:
            tendon = self.named(node, "tendon", self.tendons)
            if tendon is None:
                return None
            return {"path": tendon.path} if isinstance(tendon, Route) else {"joints": tendon.joints}
        if node.tag in OF_MOTORS:
            place = self.named(node, "actuator", self.motors)
            return None if place is None else {"motor": place}
        if node.tag in OF_TREES and node.get("body") != "world":
            body = self.named(node, "body", self.bodies)
            return body and {"body": body.name}
        return {}

    def site(self, node: Node) -> dict[str, Any] | None:
        """A frame of a site, and what it looks like."""
        if (site := self.named(node, "site", self.reading.besides.sites)) is None:
            return None
        shape = self.reading.besides.volumes.get(node.get("site") or "", ("sphere", (0.005,)))
        if node.tag == "touch" and shape[0] not in GEOMS[:5]:
            self.why = f"within a {shape[0]}"
            return None
        return {"body": site[0], "frame": site[1], "volume": shape}

    def framed(self, node: Node) -> dict[str, Any] | None:
        """The frame that a sensor measures, and the one that it measures in."""
        own = self.frame(node, "objtype", "objname")
        if own is None:
            return None
        if node.tag in TURNED and node.get("objtype") == "body":
            self.why = "of principal axes (objtype body; say xbody)"
            return None
        if node.get("refname") is None and node.get("reftype") is None:
            return {"body": own[0], "frame": own[1]}
        other = self.frame(node, "reftype", "refname")
        if other is not None and node.get("reftype") == "body":
            self.why = "in principal axes (reftype body; say xbody)"
            return None
        return None if other is None else {"body": own[0], "frame": own[1], "other": other}

    def frame(self, node: Node, kind: str, name: str) -> tuple[str | None, np.ndarray] | None:
        """Body and frame of an object that is named by its type and its name."""
        what, besides = node.get(kind) or "", self.reading.besides
        if what in ("body", "xbody") and node.get(name) == "world":
            return None, np.eye(4)
        if what in ("body", "xbody"):
            if (body := self.named(node, name, self.bodies)) is None:
                return None
            frame = np.eye(4)
            if what == "body" and body.inertia is not None:
                frame[:3, 3] = body.inertia.com
            return body.name, frame
        if what == "site":
            return self.named(node, name, besides.sites)
        if what == "camera":
            if (camera := self.named(node, name, besides.cameras)) is None:
                return None
            return camera.body, np.array(camera.placement)
        if what == "geom":
            if (found := self.named(node, name, besides.rounds)) is None:
                return None
            if found[1].shape not in GEOMS or found[1].mesh is not None:
                self.why = f"of a geom that is a {found[1].shape}"
                return None
            return found[0], found[1].placement
        self.reading.faults.add(node, f"{kind} is {shown(what)}, expected body, xbody, geom, site or camera")
        return None

    def named(self, node: Node, attribute: str, known: dict) -> Any:
        """What has the name that an attribute says; None after a fault."""
        name = node.get(attribute)
        if name not in known:
            near = self.reading.faults.nearest(name or "", known)
            self.reading.faults.add(node, f"{attribute} {shown(name)} is not in the file{near}")
            return None
        return known[name]
