"""SDF text into a Description.

Every link becomes a body, in its own frame; every joint that moves becomes that body's joint, its axis through the origin of
the frame of the joint. What a model has nested in it is called "arm::hand". Bodies come parents first, depth first, in the
order of the joints in the file.
"""

from dataclasses import replace

import numpy as np

from locomote.errors import ModelError
from locomote.formats.faults import Faults
from locomote.formats.inertias import check_policy
from locomote.formats.meshes import MeshFinder
from locomote.formats.registry import wrong_root
from locomote.formats.sdf import FORMAT
from locomote.formats.sdf.couplings import read_couplings
from locomote.formats.sdf.elements import flag, values
from locomote.formats.sdf.frames import WORLD, Frames
from locomote.formats.sdf.include import Includes
from locomote.formats.sdf.joint import SdfJoint, read_joint
from locomote.formats.sdf.link import IN_CODE, read_inertial
from locomote.formats.sdf.reading import Reading
from locomote.formats.sdf.scope import Part, Scopes
from locomote.formats.sdf.versions import FRAMES, modernise, version_of
from locomote.formats.sdf.visual import read_collisions, read_visuals
from locomote.formats.sdf.world import Choice, chosen_model, enter_world
from locomote.formats.source import Source, read_source
from locomote.formats.tree import parents_first
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node, parse
from locomote.model.description import Body, Description, Joint

WORLD_GRAVITY = (0.0, 0.0, -9.8)  # m/s^2, of worlds that do not say it
UNREAD = ("plugin", "gripper", "sensor", "physics")
Starts = dict[str, np.ndarray]  # free body -> its pose in the world
START = "q of a free joint is the pose in the world; where the file starts it is not kept"


def read_sdf(
    path_or_text,
    *,
    base: str | None = None,
    model: str | None = None,
    mimic: bool = True,
    package_dirs=(),
    inertia: str = "warn",
    unsupported: str = "error",
) -> Description:
    """The mechanism that a model of an SDF file, or SDF text, describes.

    path_or_text : path of a file, or text (a string that starts with "<", or bytes). Included models are read if they are in
        the folder of the file, in those of package_dirs, or below them
    base : how a root link moves that no joint carries: as `Description.with_base` says. Without it, as the file has it: a link
        that no joint connects to the world is free, unless its model is static
    model : which model of a file with several is meant
    mimic, package_dirs, inertia : see read_urdf
    unsupported : "error" refuses files with elements that would change the motion and that are not supported (wind, links
        without weight, gearboxes other than between two hinges, inertia of collision shapes, joints of the world, ...);
        "warn" leaves those elements out and names them in `Description.warnings`

    Versions 1.4 to 1.12. Lengths in m, angles in rad, masses in kg. Raises ModelError with all faults of the file, each with
    its line; joints that form loops are faults: cut one and close it with a constraint.
    """
    check_policy(inertia)
    source = read_source(path_or_text, is_text=lambda text: text.lstrip("\ufeff \t\r\n").startswith("<"))
    options = {"package_dirs": package_dirs, "inertia": inertia, "unsupported": unsupported}
    return describe(source, parse(source), base=base, model=model, mimic=mimic, **options)


def describe(
    source: Source, root: Node, *, base=None, model=None, mimic=True, package_dirs=(), inertia="warn", unsupported="error"
) -> Description:
    """The Description of a parsed SDF file."""
    file = File(source, root, package_dirs, inertia, unsupported)
    described, starts = file.describe(chosen_model(root, model, file.includes, file.faults), base, mimic)
    for body, pose in starts.items():
        if not np.array_equal(pose, np.eye(4)):
            file.faults.warn_alike(START, f"body {body!r} starts at {' '.join(f'{x:g}' for x in pose[:3, 3])} m")
    described = replace(described, warnings=file.faults.all_warnings())
    return described if base in (None, "fixed") else described.with_base(base)


class File:
    """A parsed SDF file, of which models are described one by one."""

    def __init__(self, source: Source, root: Node, package_dirs=(), inertia="warn", unsupported="error"):
        self.source, self.faults, self.policy = source, Faults(source.name), inertia
        self.unsupported = Unsupported(unsupported, self.faults)
        if root.tag != FORMAT.root_tag:
            raise ModelError(source.name, wrong_root(root, FORMAT))
        self.version = version_of(root, source)
        modernise(root, self.version, self.faults)
        self.meshes = MeshFinder(source.folder, package_dirs)
        self.includes = Includes(source, self.meshes, self.faults)

    def describe(self, choice: Choice, base=None, mimic=True, full_names=False) -> tuple[Description, Starts]:
        """A model, and where its free bodies are at the start; full_names : call everything "model::name"."""
        node, world, files = choice
        faults, frames = self.faults, Frames(self.faults)
        scopes = Scopes(frames, self.version >= FRAMES, faults)
        faults.check()
        self.includes.expand(node, files)
        if world is not None:
            enter_world(world, node, frames, self.unsupported, faults)
        scopes.enter(node)
        faults.check()  # what is missing would be missed again by all that names it
        own = f"{node.get('name')}::"
        reading = Reading(frames, "" if full_names else own, self.meshes, self.unsupported, self.policy, faults)
        _mention(node, reading)
        bodies, joints = _bodies(scopes, reading)
        couplings = read_couplings(joints, mimic, reading)
        frames.check(own)
        x, y, z = Description("", ()).gravity if world is None else values(world, "gravity", 3, faults, WORLD_GRAVITY)
        held = {reading.named(name) for name, part in scopes.contents.links.items() if part.static}
        bodies, starts = _moving(bodies, held, base, full_names)
        faults.check()
        self.meshes.report(faults)
        described = Description(
            name=node.get("name") or "model",
            bodies=bodies,
            couplings=couplings,
            gravity=(x, y, z),
            source=self.source.name if self.source.path is not None else "",
            warnings=faults.all_warnings(),
            lenient=self.policy == "warn",
        )
        return described, starts


def _mention(model: Node, reading: Reading) -> None:
    """What of a model is not read: refused if it would change the motion, else named in one warning."""
    unread = dict.fromkeys(UNREAD, 0)
    for node in model.walk():
        if node.tag in unread:
            unread[node.tag] += 1
        elif node.tag == "model" and flag(node, "enable_wind", False, reading.faults):
            reading.unsupported.refuse(node, "wind", IN_CODE)
    counted = ", ".join(f"{tag} ({count})" for tag, count in unread.items() if count)
    if counted:
        reading.faults.warn(None, f"not read, since it does not change the free motion: {counted}")


def _bodies(scopes: Scopes, reading: Reading) -> tuple[list[Body], list[SdfJoint]]:
    """The links as bodies, parents first, and all joints."""
    links, faults = scopes.contents.links, reading.faults
    inertias = {name: read_inertial(part, reading) for name, part in links.items()}
    visuals = {name: read_visuals(part, reading) for name, part in links.items()}
    shapes = {name: read_collisions(part, reading) for name, part in links.items()}
    read = [read_joint(part, reading) for part in scopes.contents.joints.values() if not part.static]
    joints = [joint for joint in read if joint is not None]
    carrying = [joint for joint in joints if joint.node.get("type") != "gearbox"]
    nodes = {name: part.node for name, part in links.items()}
    order = parents_first(nodes, carrying, len(joints) == len(read), faults, no_loops="a model has no loops", one_root=False)
    bodies = [_body(links[link], joint, inertias[link], visuals[link], shapes[link], reading) for link, joint in order]
    return bodies, joints


def _body(part: Part, joint: SdfJoint | None, inertia, visuals, shapes, reading: Reading) -> Body:
    parent = WORLD if joint is None else joint.parent
    own = () if joint is None else (joint.joint or Joint(reading.named(joint.name), "fixed"),)
    placement, name = reading.frames.relative(part.frame, parent), reading.named(part.name)
    above = None if parent == WORLD else reading.named(parent)
    return Body(name, above, placement, own, *inertia, visuals=visuals, collisions=shapes)


def _moving(bodies: list[Body], held: set[str], base, several: bool) -> tuple[tuple[Body, ...], Starts]:
    """The bodies, with those that nothing carries or holds on free joints: as the file has them, or as `base` asks for; and
    where those are at the start. several : whether the file has other models, too"""
    if base not in (None, "free"):
        return tuple(bodies), {}
    loose = [body for body in bodies if body.parent is None and not body.joints and body.name not in held]
    taken = {joint.name for body in bodies for joint in body.joints}
    moving, starts = {}, {}
    for body in loose:
        name = "base" if len(loose) == 1 and "base" not in taken and not several else f"base of {body.name}"
        joints = (Joint(name, "free"),) if base is None else ()
        moving[body.name], starts[body.name] = replace(body, placement=np.eye(4), joints=joints), body.placement
    return tuple(moving.get(body.name, body) for body in bodies), starts
