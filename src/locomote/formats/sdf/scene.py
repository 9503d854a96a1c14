"""An SDF world into a Scene: all its models, those that stand still as the world, the others where the file puts them.

A file with several models calls their parts in full, as "cart::wheel". Shapes of a model touch those of others, and each other
only where the file says <self_collide>; of two coefficients of friction the smaller one counts.
"""

from dataclasses import replace
from itertools import combinations

from locomote.errors import ModelError
from locomote.formats import forms
from locomote.formats.inertias import check_policy
from locomote.formats.sdf.elements import flag, value
from locomote.formats.sdf.reader import WORLD_GRAVITY, File
from locomote.formats.sdf.world import Choice, all_models, chosen_model
from locomote.formats.source import Source
from locomote.formats.xml import Node
from locomote.model.description import Body, Coupling, Description, Keyframe
from locomote.model.scene import Floor, Scene

FRICTION = 1.0  # of a shape that says none


def describe_scene(
    source: Source, root: Node, *, model=None, mimic=True, package_dirs=(), inertia="warn", unsupported="error"
) -> Scene:
    """The Scene of a parsed SDF file; model : the only one that is wanted, besides those that stand still."""
    check_policy(inertia)
    file = File(source, root, package_dirs, inertia, unsupported)
    if model is not None:
        chosen_model(root, model, file.includes, file.faults)  # says what there is, if it is not there
    found, missing = all_models(root, file.includes, file.faults)
    for sentence in missing:
        file.faults.add(None, sentence)
    file.faults.check()
    if not found:
        raise ModelError(source.name, f"{root}: the file has no <model>")
    still = [flag(node, "static", False, file.faults) for node, _, _ in found]
    wanted = [n for n, (node, _, _) in enumerate(found) if still[n] or model in (None, node.get("name"))]
    _check_names([found[n] for n in wanted], file)
    several = sum(not still[n] for n in wanted) > 1
    bodies: list[Body] = []
    couplings: list[Coupling] = []
    floors: list[Floor] = []
    walls, apart, start, gravity = [], [], [], WORLD_GRAVITY
    for n in wanted:
        node = found[n][0]
        described, starts = file.describe(found[n], None, mimic, several or still[n])
        gravity = described.gravity
        couplings.extend(described.couplings)
        if still[n]:
            shapes = [replace(x, placement=body.placement @ x.placement) for body in described.bodies for x in body.collisions]
            floors.extend(Floor(x.placement, _friction(x), x.group, x.mask, x.title) for x in shapes if x.shape == "plane")
            walls.extend(replace(x, friction=_friction(x)) for x in shapes if x.shape != "plane")
            bodies.extend(replace(body, collisions=(), inertia=None) for body in described.bodies if body.visuals)
            continue
        own = [
            replace(body, collisions=tuple(replace(x, friction=_friction(x)) for x in body.collisions))
            for body in described.bodies
        ]
        bodies.extend(own)
        if not flag(node, "self_collide", False, file.faults):
            apart.extend(combinations([body.name for body in own if body.collisions], 2))
        start.extend(_start(body, joint, starts) for body in own for joint in body.moving)
        _mention_bounces(node, file)
    file.faults.check()
    name = (
        found[wanted[0]][0].get("name")
        if len(wanted) == 1
        else next((w.get("name") for _, w, _ in found if w is not None), None)
    )
    description = Description(
        name or "world", tuple(bodies), tuple(couplings), gravity, source.name if source.path is not None else "",
        file.faults.all_warnings(), inertia == "warn", apart=tuple(apart),
    )  # fmt: skip
    return Scene(description, Keyframe("start", tuple(start)), floors=tuple(floors), walls=tuple(walls), slippery=True)


def _check_names(found: list[Choice], file: File) -> None:
    """Note models that share a name."""
    names: dict[str, Node] = {}
    for node, _, _ in found:
        other = names.setdefault(node.get("name") or "", node)
        if other is not node:
            file.faults.add(node, f"the name {node.get('name')!r} is taken by the model in line {other.line}; give it another")
    file.faults.check()


def _friction(shape) -> float:
    return FRICTION if shape.friction is None else shape.friction


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
