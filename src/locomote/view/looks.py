"""What bodies look like: their own shapes, and for those without any, what their inertia is of, and bars to their joints."""

import re

import numpy as np

from locomote.formats.visuals import SIZES, is_pose
from locomote.geometry import meshes
from locomote.geometry.meshes import Mesh
from locomote.model.check_joints import numbers
from locomote.model.description import Body, Joint, Visual
from locomote.model.joints import WORDS
from locomote.model.joints.axes import AXES
from locomote.model.joints.kind import BALL, BLOCK
from locomote.model.model import Model
from locomote.runs.optional import MissingPackage
from locomote.view.colors import BODIES, DARK, METAL, rgba
from locomote.view.mesh_files import load_mesh
from locomote.view.scene import WORLD, Piece, Strut
from locomote.view.solids import solid_of

DENSITY = 1000.0  # kg/m^3 of the balls that stand for point masses
LONG = 5  # most bodies of one name and several numbers that have colours of their own
SIDES = re.compile(r"left|right|front|rear|hind|middle|fore(?!arm)")  # words that do not make another part
SHAPES = {
    "box": meshes.box,
    "sphere": meshes.sphere,
    "cylinder": meshes.cylinder,
    "capsule": meshes.capsule,
    "ellipsoid": meshes.ellipsoid,
}
WHOLE_PLANE = 20.0  # m, of a plane without a size


def axis_of(joint: Joint, which: str = "axis") -> np.ndarray:
    """(3,) unit axis of a joint in the body frame."""
    given = getattr(joint, which)
    axis = np.array(AXES[given] if isinstance(given, str) else given, dtype=float)
    return axis / np.linalg.norm(axis)


def body_colors(bodies: list[Body]) -> list[tuple[float, float, float, float]]:
    """Colours of bodies that have none of their own. Both sides look alike, and all links of a long chain; things that lie
    about have different ones, or a stack of them would be one block."""
    parts = [SIDES.sub("", body.name.lower()) for body in bodies]
    without = [re.sub(r"\d+", "", part) for part in parts]
    many = {few for few in without if without.count(few) > LONG}
    loose = [few for few, body in zip(without, bodies, strict=True) if body.parent is None]
    many -= {few for few in many if loose.count(few) > 1}
    parts = [few if few in many else part for few, part in zip(without, parts, strict=True)]
    order = {part: n for n, part in enumerate(dict.fromkeys(parts))}
    return [rgba(BODIES[order[part] % len(BODIES)]) for part in parts]


def visual_fault(visual: Visual) -> str | None:
    """Why a visual cannot be drawn, or None."""
    if visual.shape not in SIZES:
        return f"the shape {visual.shape!r} is not known"
    if not numbers(visual.size, (SIZES[visual.shape],)):
        return f"a {visual.shape} of size {visual.size!r:.60}"
    if not is_pose(visual.placement):
        return "its placement is not a pose"
    return None


def visual_pieces(body: Body, index: int, visual: Visual, color, missing: list[str]) -> list[Piece]:
    """The pieces of one visual; what cannot be drawn is said in `missing`."""
    fault = visual_fault(visual)
    name = visual.name or visual.shape
    if fault is not None:
        missing.append(f"a shape of body {body.name!r} is not drawn: {fault}")
        return []
    placement = np.array(visual.placement, dtype=float)
    if visual.shape == "mesh":
        try:
            parts = load_mesh(str(visual.file)).parts
        except MissingPackage as error:
            missing.append(str(error))
            return []
        except ValueError as error:
            missing.append(str(error))
            return []
        scale = np.diag([*visual.size, 1.0])
        own = visual.color if visual.color is not None and numbers(visual.color, (4,)) else None
        return [Piece(name, mesh.moved(scale), drawn_color(own or given or color), index, placement) for mesh, given in parts]
    size = [abs(float(x)) for x in visual.size]
    if visual.shape == "plane":
        mesh = meshes.plate(*(x or WHOLE_PLANE for x in size))
    else:
        mesh = marked(SHAPES[visual.shape](*size), visual, body)
    own = visual.color if visual.color is not None and numbers(visual.color, (4,)) else None
    return [Piece(name, mesh, drawn_color(own or color), index, placement)]


def drawn_color(color) -> tuple[float, float, float, float]:
    """A colour with numbers from 0 to 1, of which something is seen."""
    red, green, blue, alpha = (float(np.clip(x, 0.0, 1.0)) for x in color)
    return (red, green, blue, max(alpha, 0.25))


def marked(mesh: Mesh, visual: Visual, body: Body) -> Mesh:
    """A round shape with darker sectors if it can turn about its own axis, which could not be seen otherwise."""
    axis = np.asarray(visual.placement)[:3, 2]
    joints = body.moving
    spins = any(joint.kind == "revolute" and abs(axis_of(joint) @ axis) > 0.99 for joint in joints)
    tumbles = len(joints) == 1 and WORDS[joints[0].kind].quaternion is not None
    if visual.shape == "cylinder" and visual.size[1] < 2.5 * visual.size[0]:
        return mesh.in_sectors() if spins or tumbles else mesh
    if visual.shape in ("sphere", "ellipsoid") and tumbles:
        return mesh.in_octants()
    return mesh


def joint_places(bodies: list[Body]) -> dict[str, list[np.ndarray]]:
    """Points (3,) of each body where its children hang when all joints are at their reference."""
    places: dict[str, list[np.ndarray]] = {body.name: [] for body in bodies}
    for body in bodies:
        if body.parent is not None:
            anchor = np.array(body.moving[0].anchor, dtype=float) if body.moving else np.zeros(3)
            places[body.parent].append(body.placement[:3, :3] @ anchor + body.placement[:3, 3])
    return places


def bare_size(bodies: list[Body], places: dict[str, list[np.ndarray]]) -> float:
    """A length of a model by its joints, mass centers and shapes, m."""
    lengths = [1e-6]
    for body in bodies:
        lengths += [float(np.linalg.norm(place)) for place in places[body.name]]
        if body.flex is not None:
            lengths.append(float(body.flex.length))
        if body.inertia is not None and body.inertia.mass > 0:
            lengths.append(float(np.linalg.norm(body.inertia.com)))
            lengths.append(gyration(body.inertia))
        for visual in body.visuals:
            if visual.shape in SHAPES and visual_fault(visual) is None:
                lengths.append(2 * max(map(abs, visual.size)))
    return float(max(lengths)) if max(lengths) > 1e-5 else 1.0


def gyration(inertia) -> float:
    """The radius at which the mass of a body would have its moment of inertia, m."""
    return float(np.sqrt(max(0.0, np.trace(np.asarray(inertia.matrix)[3:, 3:]) / 3) / inertia.mass)) if inertia.mass else 0.0


def bare_pieces(body: Body, k: int, ends: list[np.ndarray], size: float, color) -> list[Piece]:
    """A body without shapes: what its inertia is of, and bars from its frame to the joints of its children and to its mass
    center; a ball for a point mass."""
    pieces: list[Piece] = []
    start = np.array(body.moving[0].anchor, dtype=float) if body.moving else np.zeros(3)
    mass = body.inertia.mass if body.inertia is not None else 0.0
    center = np.array(body.inertia.com, dtype=float) if body.inertia is not None and mass > 0 else None
    if center is not None:
        ends = [*ends, center]
    still = not body.moving and mass == 0  # a frame that only holds others
    thick, color = (0.012 * size, rgba(METAL)) if still else (0.035 * size, color)
    for end in ends:
        length = float(np.linalg.norm(end - start))
        if length > 0.02 * size:
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = meshes.along(start, end), (start + end) / 2
            thin = min(thick, 0.12 * length)
            pieces.append(Piece("link", meshes.cylinder(thin, length), color, k, pose, "joints"))
    solid = None if body.inertia is None else solid_of(body.inertia)
    if solid is not None:
        name, mesh, pose = solid
        pieces.append(Piece(name, mesh, color, k, pose))
    elif center is not None:
        radius = float(np.clip((3 * mass / (4 * np.pi * DENSITY)) ** (1 / 3), 0.04 * size, 0.2 * size))
        pose = np.eye(4)
        pose[:3, 3] = center
        pieces.append(Piece("mass", meshes.sphere(radius, rings=8), color, k, pose, "joints"))
    return pieces


def joint_pieces(body: Body, k: int, size: float, bare: bool, pinned: bool) -> list[Piece]:
    """A mark at each joint of a body without shapes: a pin along the axis, a block for sliding, a ball for turning about all.

    pinned : mark a joint on the world for bodies with shapes too
    """
    pieces, small = [], 0.05 * size
    for joint in body.moving:
        kind = WORDS[joint.kind]
        hangs = body.parent is None and kind.hangs and pinned and joint is body.moving[0]
        if body.parent is None and kind.roams or not (bare or hangs):
            continue
        pose = np.eye(4)
        pose[:3, 3] = joint.anchor
        if kind.mark == BALL:
            mesh = meshes.sphere(0.8 * small, rings=8)
        else:
            pose[:3, :3] = meshes.along(np.zeros(3), axis_of(joint))
            mesh = meshes.box(small, small, 2 * small) if kind.mark == BLOCK else meshes.cylinder(0.7 * small, 2 * small)
        pieces.append(Piece(joint.name, mesh, rgba(DARK), k, pose, "joints"))
    return pieces


def rails(model: Model, k: int, size: float, own: list[Piece]) -> list[Strut]:
    """A bar between a body that slides and the place on its parent that it slides from.

    own : its pieces, in the middle of which the bar ends
    """
    body = model.body(k).body
    moving = body.moving
    if not any(WORDS[joint.kind].railed for joint in moving):
        return []
    if body.parent is None and moving[0].kind != "revolute":
        return []  # a base that slides along the world
    parent = model.body_index(body.parent) if body.parent is not None else WORLD
    first = np.mean([piece.placement[:3, 3] for piece in own], axis=0) if own else np.array(moving[0].anchor, dtype=float)
    start = body.placement[:3, :3] @ first + body.placement[:3, 3]
    return [Strut(f"rail of {body.name}", rgba(METAL), 0.035 * size, (parent, k), (start, first))]
