"""MJCF text into a Description: the kinematic tree, inertias, springs and losses of a MuJoCo model."""

from dataclasses import replace

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.inertias import check_policy
from locomote.formats.meshes import MeshFinder
from locomote.formats.mjcf import FORMAT
from locomote.formats.mjcf.actuator import read_actuators
from locomote.formats.mjcf.assets import read_assets
from locomote.formats.mjcf.attach import attach
from locomote.formats.mjcf.defaults import Defaults
from locomote.formats.mjcf.equality import read_equalities
from locomote.formats.mjcf.height_fields import read_height_fields
from locomote.formats.mjcf.include import splice
from locomote.formats.mjcf.keyframe import read_keyframes, start_of
from locomote.formats.mjcf.pairs import paired_geoms, read_pairs
from locomote.formats.mjcf.reading import Reading
from locomote.formats.mjcf.replicate import replicate
from locomote.formats.mjcf.sensor import read_sensors
from locomote.formats.mjcf.settings import Settings, read_settings
from locomote.formats.mjcf.tendon import read_elastic, read_fixed_tendons, read_paths
from locomote.formats.mjcf.tree import read_bodies
from locomote.formats.mjcf.unsupported import judge_sections
from locomote.formats.numbers import number
from locomote.formats.registry import wrong_root
from locomote.formats.source import Source, read_source
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node, parse
from locomote.model.description import Body, Description
from locomote.model.scene import Scene
from locomote.spatial.inertia import Inertia


def read_mjcf(path_or_text, *, package_dirs=(), inertia: str = "warn", unsupported: str = "error") -> Description:
    """The mechanism that an MJCF file, or MJCF text, describes.

    path_or_text : path of a file, or text (a string that starts with "<", or bytes). Included files are read if they are in the
        folder of the file, in one beside it, or below these
    package_dirs : folders in which mesh files are looked for too; a missing one is a warning. One is opened only where a body
        weighs what it weighs, in the same folders
    inertia : "warn" accepts inertias that no real body can have with a warning, "error" refuses them; see read_urdf
    unsupported : "error" refuses files with elements that would change the motion and that are not supported (equality
        constraints other than linear ones between two joints, elastic tendons, fluids, ...; `lo.load_scene` takes more);
        "warn" leaves those elements out and names them in `Description.warnings`

    A body may have several joints, or none; several bodies may hang on the world. q of a free joint is the pose of its body in
    the world (position, quaternion x y z w). Bodies and joints without a name get one, such as "body3" and "hinge of body3".
    Raises ModelError with all faults of the file, each with its line.
    """
    check_policy(inertia)
    source = read_source(path_or_text, is_text=lambda text: text.lstrip("\ufeff \t\r\n").startswith("<"))
    return describe(source, parse(source), package_dirs=package_dirs, inertia=inertia, unsupported=unsupported)


def describe_scene(source: Source, root: Node, *, package_dirs=(), inertia="warn", unsupported="error") -> Scene:
    """The Scene of a parsed MJCF file."""
    file = File(source, root, package_dirs, inertia, unsupported, scene=True)
    root, reading, bodies = file.root, file.reading, file.bodies
    paths = read_paths(root, reading)
    motors, thrusters = read_actuators(root, file.joints, {**file.tendons, **paths}, reading)
    file.bodies = with_rotors(file.bodies, reading.besides.rotors)
    elastic, strands = read_elastic(root, file.joints, file.tendons, paths, reading)
    sensors = read_sensors(root, bodies, {**file.tendons, **paths}, reading)
    pairs = read_pairs(root, reading)
    timestep = [number(node, "timestep", reading.faults, 0.002) for node in root.all("option")]
    description, start = file.description(), start_of(bodies, reading.besides.starts)
    besides = reading.besides
    return Scene(
        description, start, loops=tuple(file.held.loops), relations=tuple(file.held.relations), motors=(*motors, *elastic),
        thrusters=tuple(thrusters), floating=besides.floating, timestep=timestep[-1] if timestep else 0.002,
        strands=tuple(strands), medium=reading.settings.medium, axes=besides.axes, floors=tuple(besides.floors),
        walls=tuple(besides.walls), springs=besides.springs, sensors=sensors, cameras=tuple(besides.cameras.values()),
        pairs=pairs, immersed=tuple(besides.immersed),
    )  # fmt: skip


def describe(source: Source, root: Node, *, package_dirs=(), inertia="warn", unsupported="error") -> Description:
    """The Description of a parsed MJCF file."""
    return File(source, root, package_dirs, inertia, unsupported).description()


class File:
    """An MJCF file that is read: its bodies, tendons over joints and equalities."""

    def __init__(self, source: Source, root: Node, package_dirs, inertia: str, unsupported: str, scene: bool = False):
        faults = Faults(source.name)
        refusing = Unsupported(unsupported, faults)
        if root.tag != FORMAT.root_tag:
            raise ModelError(source.name, wrong_root(root, FORMAT))
        self.source, self.root, self.meshes = source, root, MeshFinder(source.folder, package_dirs)
        splice(root, source, faults, self.meshes.package_dirs)
        attach(root, source, refusing, self.meshes.package_dirs)
        defaults = Defaults(root, faults)
        settings = read_settings(root, refusing, faults, scene)
        replicate(root, settings, faults)
        assets = read_assets(root, defaults, settings, self.meshes, faults)
        judge_sections(root, defaults, refusing, faults, scene)
        paired = paired_geoms(root) if scene else frozenset()
        self.reading = Reading(settings, defaults, assets, refusing, inertia, faults, scene=scene, paired=paired)
        if scene:
            self.reading.besides.fields.update(read_height_fields(root, settings, self.meshes, faults))
        self.bodies = read_bodies(root, self.reading)
        self.joints = {joint.name: joint for body in self.bodies for joint in body.joints}
        self.tendons = read_fixed_tendons(root, self.joints, self.reading) if scene else {}
        self.held = read_equalities(root, self.bodies, self.tendons, self.reading)

    def description(self) -> Description:
        """The mechanism; a ModelError with all faults of the file."""
        faults, reading, source = self.reading.faults, self.reading, self.source
        start = start_of(self.bodies, reading.besides.starts)
        keyframes = read_keyframes(self.root, self.bodies, start, faults)
        apart = read_excluded(self.root, self.bodies, faults)
        faults.check()
        self.meshes.report(faults)
        return Description(
            name=self.root.get("model") or source.stem or "model",
            bodies=_scaled(self.bodies, reading.settings),
            couplings=self.held.couplings,
            gravity=reading.settings.gravity,
            source=source.name if source.path is not None else "",
            warnings=faults.all_warnings(),
            lenient=reading.policy == "warn",
            keyframes=keyframes,
            apart=apart,
        )


def read_excluded(root: Node, bodies: tuple[Body, ...], faults: Faults) -> tuple[tuple[str, str], ...]:
    """Pairs of bodies that the <exclude> elements keep from touching; the world, which has no body, is left out."""
    names, found = {body.name for body in bodies}, []
    for node in (node for section in root.all("contact") for node in section.all("exclude")):
        pair = (node.get("body1") or "", node.get("body2") or "")
        strange = [name for name in pair if name not in names | {"world"}]
        if strange:
            faults.add(node, f"there is no body {shown(strange[0])}")
        elif "world" not in pair:
            found.append(pair)
    return tuple(found)


def with_rotors(bodies: tuple[Body, ...], rotors: dict[str, tuple[float, float]]) -> tuple[Body, ...]:
    """The bodies with the armature and damping of actuators on their joints."""

    def changed(joint):
        armature, damping = rotors.get(joint.name, (0.0, 0.0))
        return replace(joint, armature=joint.armature + armature, damping=joint.damping + damping)

    if not rotors:
        return bodies
    return tuple(replace(body, joints=tuple(map(changed, body.joints))) for body in bodies)


def _scaled(bodies: tuple[Body, ...], settings: Settings) -> tuple[Body, ...]:
    """The bodies with their masses and moments scaled to the total mass that the compiler options ask for."""
    total = sum(body.inertia.mass for body in bodies if body.inertia is not None)
    if settings.settotalmass <= 0 or total == 0:
        return bodies
    factor = settings.settotalmass / total
    return tuple(
        replace(
            body, inertia=body.inertia and Inertia(body.inertia.mass * factor, body.inertia.com, body.inertia.moment * factor)
        )
        for body in bodies
    )
