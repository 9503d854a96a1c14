"""An SDF world into a Scene: all its models, those that stand still as the world, the others where the file puts them.

A file with several models calls their parts in full, as "cart::wheel". Shapes of a model touch those of others, and each other
only where the file says <self_collide>; of two coefficients of friction the smaller one counts.
"""

from dataclasses import dataclass, field, replace
from itertools import combinations

from locomote.errors import ModelError
from locomote.formats import forms
from locomote.formats.inertias import check_policy
from locomote.formats.sdf.elements import flag, value
from locomote.formats.sdf.reader import WORLD_GRAVITY, File
from locomote.formats.sdf.world import Choice, all_models, chosen_model
from locomote.formats.source import Source
from locomote.formats.xml import Node
from locomote.model.description import Body, Collision, Coupling, Description, Keyframe
from locomote.model.scene import Floor, Scene

FRICTION = 1.0  # of a shape that says none


def describe_scene(
    source: Source, root: Node, *, model=None, mimic=True, package_dirs=(), inertia="warn", unsupported="error"
) -> Scene:
    """The Scene of a parsed SDF file; model : the only one that is wanted, besides those that stand still."""
    check_policy(inertia)
    file = File(source, root, package_dirs, inertia, unsupported)
    still, moving = _models(root, model, file)
    parts = Parts()
    for choice in still:
        parts.stand(file.describe(choice, None, mimic, full_names=True)[0])
    for choice in moving:
        parts.move(*file.describe(choice, None, mimic, full_names=len(moving) > 1), _touches_itself(choice[0], file))
        _mention_bounces(choice[0], file)
    file.faults.check()
    world = next((world for _, world, _ in (*moving, *still) if world is not None), None)
    of = moving[0][0] if len(moving) == 1 or world is None else world
    description = Description(
        of.get("name") or "world", tuple(parts.bodies), tuple(parts.couplings), parts.gravity,
        source.name if source.path is not None else "", file.faults.all_warnings(), inertia == "warn", apart=tuple(parts.apart),
    )  # fmt: skip
    start = Keyframe("start", tuple(parts.start))
    return Scene(description, start, floors=tuple(parts.floors), walls=tuple(parts.walls), slippery=True)


@dataclass
class Parts:
    """What models of a file add to a scene."""

    bodies: list[Body] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    floors: list[Floor] = field(default_factory=list)
    walls: list[Collision] = field(default_factory=list)
    apart: list[tuple[str, str]] = field(default_factory=list)
    start: list[tuple[str, tuple[float, ...]]] = field(default_factory=list)
    gravity: tuple[float, float, float] = WORLD_GRAVITY

    def stand(self, model: Description) -> None:
        """A model that stands still: its planes and shapes are the world, and it can be seen."""
        for body in model.bodies:
            for shape in map(_named, body.collisions):
                shape = replace(shape, placement=body.placement @ shape.placement)
                if shape.shape == "plane":
                    self.floors.append(Floor(shape.placement, shape.friction or 0.0, shape.group, shape.mask, shape.title))
                else:
                    self.walls.append(shape)
            if body.visuals:
                self.bodies.append(replace(body, collisions=(), inertia=None))

    def move(self, model: Description, starts: dict, touches_itself: bool) -> None:
        """A model that moves, from where the file puts it."""
        self.gravity = model.gravity
        self.couplings.extend(model.couplings)
        own = [replace(body, collisions=tuple(map(_named, body.collisions))) for body in model.bodies]
        self.bodies.extend(own)
        self.start.extend(_start(body, joint, starts) for body in own for joint in body.moving)
        if not touches_itself:
            self.apart.extend(combinations([body.name for body in own if body.collisions], 2))


def _models(root: Node, wanted: str | None, file: File) -> tuple[list[Choice], list[Choice]]:
    """The models of a file that stand still, and those that move and are wanted."""
    if wanted is not None:
        chosen_model(root, wanted, file.includes, file.faults)  # says what there is, if it is not there
    found, missing = all_models(root, file.includes, file.faults)
    for sentence in missing:
        file.faults.add(None, sentence)
    names: dict[str, Node] = {}
    for node, _, _ in found:
        other = names.setdefault(node.get("name") or "", node)
        if other is not node:
            file.faults.add(node, f"the name {node.get('name')!r} is taken by the model in line {other.line}; give it another")
    still = [choice for choice in found if flag(choice[0], "static", False, file.faults)]
    moving = [choice for choice in found if choice not in still and wanted in (None, choice[0].get("name"))]
    file.faults.check()
    if not moving:
        raise ModelError(file.source.name, f"{root}: the file has no <model> that moves")
    return still, moving


def _touches_itself(model: Node, file: File) -> bool:
    return flag(model, "self_collide", False, file.faults)


def _named(shape: Collision) -> Collision:
    """A shape with the name of its body, since those of two links may be alike, and with its friction."""
    mu = FRICTION if shape.friction is None else shape.friction
    return replace(shape, name=f"{shape.name or shape.shape} of {shape.body}", friction=mu)


def _start(body, joint, starts) -> tuple[str, tuple[float, ...]]:
    """Where a joint is: free ones where the file puts their bodies, others at zero."""
    if joint.kind == "free" and body.name in starts:
        pose = starts[body.name]
        return joint.name, (*map(float, pose[:3, 3]), *map(float, forms.to_quaternion(pose[:3, :3])[0]))
    if joint.kind == "spherical":
        return joint.name, (0.0, 0.0, 0.0, 1.0)
    return joint.name, (float(joint.reference),) if joint.sizes == (1, 1) else (0.0,) * joint.sizes[0]


def _mention_bounces(model: Node, file: File) -> None:
    """Say that shapes which are to bounce do not."""
    for node in model.walk():
        if node.tag == "bounce" and value(node, "restitution_coefficient", file.faults, 0.0):
            file.faults.warn_alike("shapes that are to bounce (restitution_coefficient) do not", node)
