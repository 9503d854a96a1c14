"""OpenSim files (.osim, of version 4) into a Description or a Scene.

A body hangs on the joint that has it as child. A joint becomes a row of joints of one coordinate; where the file has constant
turns between them, or frames beside the body, bodies without mass stand between.
"""

from dataclasses import dataclass

import numpy as np

from locomote.errors import ModelError
from locomote.formats import poses
from locomote.formats.faults import Faults, shown
from locomote.formats.inertias import check_policy, judge
from locomote.formats.osim import FORMAT
from locomote.formats.osim.functions import numbers_in, read_function
from locomote.formats.osim.joints import KINDS, Coordinate, Row, read_coordinates, relation_of, row_of
from locomote.formats.osim.muscles import read_forces
from locomote.formats.osim.reading import Reading
from locomote.formats.registry import wrong_root
from locomote.formats.source import Source, read_source
from locomote.formats.tree import parents_first
from locomote.formats.unsupported import Unsupported
from locomote.formats.xml import Node, parse
from locomote.model.description import Body, Description, Joint, Keyframe
from locomote.model.scene import Loop, Relation, Scene
from locomote.spatial.inertia import Inertia

GROUND = "ground"
OLDEST = 40000


def read_osim(path_or_text, *, inertia: str = "warn", unsupported: str = "error") -> Description:
    """The mechanism of an OpenSim file, or of its text.

    path_or_text : path of a file, or text (a string that starts with "<", or bytes)
    inertia : "warn" accepts inertias that no real body can have with a warning, "error" refuses them
    unsupported : "error" refuses what would change the motion and is not supported; "warn" leaves it out and names it in
        `Description.warnings`. Curves that hold coordinates together are beyond a Description: lo.load_scene has them

    Raises ModelError with all faults of the file, each with its line.
    """
    check_policy(inertia)
    source = read_source(path_or_text, is_text=lambda text: text.lstrip("\ufeff \t\r\n").startswith("<"))
    return describe(source, parse(source), inertia=inertia, unsupported=unsupported)


def describe(source: Source, root: Node, *, inertia="warn", unsupported="error") -> Description:
    """The Description of a parsed OpenSim file."""
    reading = Reading(Faults(source.name), Unsupported(unsupported, Faults(source.name)), inertia)
    reading.unsupported.faults = reading.faults
    scene = _Model(source, root, reading).scene()
    for held in (*scene.relations, *scene.loops):
        reading.unsupported.refuse(None, f"{held.name}: coordinates that are held together", "take lo.load_scene")
    reading.faults.check()
    return scene.description


def describe_scene(source: Source, root: Node, *, inertia="warn", unsupported="error") -> Scene:
    """The Scene of a parsed OpenSim file: with curves between coordinates, muscles and the state it starts in."""
    faults = Faults(source.name)
    return _Model(source, root, Reading(faults, Unsupported(unsupported, faults), inertia)).scene()


@dataclass(frozen=True)
class _Carrier:
    """A joint of a file, between two bodies."""

    node: Node
    name: str
    parent: str
    child: str
    before: np.ndarray  # pose of the joint in the parent
    after: np.ndarray  # pose of the joint in the child
    row: Row
    coordinates: list[Coordinate]


class _Model:
    def __init__(self, source: Source, root: Node, reading: Reading):
        if root.tag != FORMAT.root_tag:
            raise ModelError(source.name, wrong_root(root, FORMAT))
        version = (root.get("Version") or "0").strip()
        if not version.isdigit() or int(version[:9]) < OLDEST:
            raise ModelError(source.name, f"{root}: version {version[:20]} is too old; open and save the model in OpenSim 4")
        model = root.first("Model")
        if model is None:
            raise ModelError(source.name, f"{root}: there is no <Model>; this is another document of OpenSim")
        self.source, self.model, self.reading, self.faults = source, model, reading, reading.faults

    def parts(self, tag: str) -> list[Node]:
        """The elements of a set of the model, such as BodySet."""
        return [part for own in self.model.all(tag) for objects in own.all("objects") for part in objects.children]

    def scene(self) -> Scene:
        faults, reading = self.faults, self.reading
        links = {name: node for node in self.parts("BodySet") if (name := node.get("name"))}
        reading.frames.update({name: (name, np.eye(4)) for name in links})
        inertias = {name: self.inertia(node) for name, node in links.items()}
        read = [self.carrier(node) for node in self.parts("JointSet")]
        joints = [joint for joint in read if joint is not None]
        order = parents_first(links, joints, len(joints) == len(read), faults, no_loops="joints make a tree", one_root=False)
        if not links:
            faults.add(self.model, "there is no <Body> in a <BodySet>")
        bodies = [body for link, joint in order for body in self.bodies(link, joint, inertias[link])]
        coordinates = {own.name: own for joint in joints for own in joint.coordinates}
        relations = [relation for joint in joints for relation in joint.row.relations]
        names = {joint.name for body in bodies for joint in body.joints}
        held, loops = self.constraints(coordinates, names)
        motors = read_forces(self.parts("ForceSet"), names, reading)
        faults.check()
        start = self.start([*relations, *held], coordinates, names)
        x, y, z = numbers_in(self.model, "gravity", faults, (0.0, -9.80665, 0.0), 3)
        description = Description(
            name=self.model.get("name") or self.source.stem or "model",
            bodies=tuple(bodies),
            gravity=(x, y, z),
            source=self.source.name if self.source.path is not None else "",
            warnings=faults.all_warnings(),
            lenient=reading.policy == "warn",
            keyframes=(start,),
        )
        faults.check()
        return Scene(description, start, tuple(loops), (*relations, *held), tuple(motors), timestep=1e-3)

    def inertia(self, node: Node) -> Inertia | None:
        (mass,) = numbers_in(node, "mass", self.faults, (0.0,), 1)
        center = numbers_in(node, "mass_center", self.faults, (0.0, 0.0, 0.0), 3)
        xx, yy, zz, xy, xz, yz = numbers_in(node, "inertia", self.faults, (0.0,) * 6, 6)
        moment = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if mass < 0:
            self.faults.add(node, f"mass is {mass:g}, expected at least 0")
            return None
        if mass == 0 and not moment.any():
            return None
        inertia = Inertia(mass, center, moment)
        judge(inertia, self.reading.policy, node, f"body {shown(node.get('name'))}", self.faults)
        return inertia

    def carrier(self, node: Node) -> _Carrier | None:
        if node.tag not in KINDS:
            self.reading.unsupported.refuse(node, f"<{node.tag[:60]}>")
            return None
        frames: dict[str, tuple[str | None, np.ndarray]] = {}
        for own in (part for holder in node.all("frames") for part in holder.all("PhysicalOffsetFrame")):
            if (home := self.reading.frame(_text(own, "socket_parent"), own)) is not None and own.get("name"):
                frames[own.get("name") or ""] = (home[0], home[1] @ self.offset(own))
        ends = []
        for socket in ("socket_parent_frame", "socket_child_frame"):
            text = _text(node, socket)
            found = frames.get(text.rsplit("/", 1)[-1]) or self.reading.frame(text, node)
            if found is None:
                return None
            ends.append(found)
        (parent, before), (child, after) = ends
        if child is None:
            self.faults.add(node, "its child is the ground; turn the joint round")
            return None
        coordinates = read_coordinates(node, self.reading)
        row = row_of(node, coordinates, self.reading)
        return _Carrier(node, node.get("name") or "joint", parent or GROUND, child, before, after, row, coordinates)

    def offset(self, node: Node) -> np.ndarray:
        """The pose of an offset frame in its parent: a shift, and turns about x, y and z of the turning frame."""
        turns = numbers_in(node, "orientation", self.faults, (0.0, 0.0, 0.0), 3)
        return poses.pose(poses.from_euler("xyz", turns), numbers_in(node, "translation", self.faults, (0.0, 0.0, 0.0), 3))

    def bodies(self, link: str, joint: _Carrier | None, inertia: Inertia | None) -> list[Body]:
        """A body with those without mass before it."""
        if joint is None:
            return [Body(link, None, np.eye(4), (), inertia)]
        parent = None if joint.parent == GROUND else joint.parent
        made: list[Body] = []
        place, row = joint.before, []

        def close(name: str, weight: Inertia | None) -> None:
            nonlocal parent, place, row
            made.append(Body(name, parent, place, tuple(row), weight))
            parent, place, row = name, np.eye(4), []

        for step in joint.row.steps:
            if isinstance(step, Joint):
                row.append(step)
            elif not np.array_equal(step, np.eye(4)):
                if row:
                    close(f"{joint.name}: {len(made) + 1}", None)
                place = place @ step
        if row and not np.array_equal(joint.after, np.eye(4)):
            close(f"{joint.name}: {len(made) + 1}", None)
        if not np.array_equal(joint.after, np.eye(4)):
            place = place @ poses.inverse(joint.after)
        close(link, inertia)
        return made

    def constraints(self, coordinates, names) -> tuple[list[Relation], list[Loop]]:
        held, loops = [], []
        for node in self.parts("ConstraintSet"):
            if _text(node, "isEnforced").lower() == "false":
                continue
            if node.tag == "CoordinateCouplerConstraint":
                leaders, joint = _text(node, "independent_coordinate_names").split(), _text(node, "dependent_coordinate_name")
                function = read_function(_holder(node, "coupled_coordinates_function"), self.reading.unsupported, self.faults)
                if len(leaders) != 1:
                    self.reading.unsupported.refuse(node, "a coupling to several coordinates")
                elif (strange := [name for name in (*leaders, joint) if name not in names]) != []:
                    self.faults.add(node, f"coordinate {shown(strange[0])} is no joint of the file")
                else:
                    held.append(relation_of(joint, leaders[0], function))
            elif node.tag in ("WeldConstraint", "PointConstraint"):
                self.reading.unsupported.refuse(node, f"<{node.tag}>", "close the loop in code")
            else:
                self.reading.unsupported.refuse(node, f"<{node.tag[:60]}>")
        return held, loops

    def start(self, relations: list[Relation], coordinates: dict[str, Coordinate], names: set[str]) -> Keyframe:
        """Where the file starts: defaults of coordinates, and what follows from them."""
        q = {name: own.start for name, own in coordinates.items() if name in names}
        for relation in relations:
            (joint,) = relation.ratios
            q[joint] = relation.offset + float(relation.curve()(q.get(str(relation.other), 0.0), 0))
        return Keyframe("default", tuple((name, (float(value),)) for name, value in q.items()))


def _text(node: Node, tag: str) -> str:
    child = node.first(tag)
    return "" if child is None else child.text.strip()


def _holder(node: Node, tag: str) -> Node:
    return node.first(tag) or Node(tag, {}, node.line, node.file)
