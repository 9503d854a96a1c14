"""Wheels, blades, surfaces, rods and springs: what constraints and the environment of a problem look like, and where they act.

wheel on a surface     x = c + s(n(x)) ,   s = -radius m - tube n ,   m along n - (n . e) e ,   e the axle       (1)
ellipsoid              s = -D n / sqrt(n . D n) ,   D squared semi-axes, n in its axes                           (2)
"""

import ctypes
from collections.abc import Iterator

import numpy as np

from locomote.constraints.keel import KeelRows
from locomote.constraints.kinds import Blade, Constraint, Distance, LoopClosure, PointContact, Rolling, SurfaceContact, place
from locomote.contact.touch import Touch
from locomote.forces.springs import Spring
from locomote.geometry.surfaces import Box, Capsule, Cylinder, HeightField, Plane, Sphere, Steps
from locomote.model.flexible.along import Along
from locomote.model.model import Model
from locomote.view import meshes
from locomote.view.colors import BODIES, DARK, METAL, SURFACE, rgba
from locomote.view.scene import WORLD, Piece, Strut, world_point, world_pose

ROUNDS = 30  # of (1) on a curved surface
CELLS = 48  # along a side of a height field


def index_of(model: Model, body: str | None) -> int:
    """The place of a body, WORLD for None."""
    return WORLD if body is None else model.body_index(body)


def unit(x: np.ndarray) -> np.ndarray:
    """Unit vectors along x (..., 3); zero for those without a direction."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.divide(x, length, out=np.zeros_like(x), where=length > 0)


def surface_normal(surface, y: np.ndarray) -> np.ndarray:
    """(n, 3) outward normals of a surface at places y (n, 3), in the frame of its body."""
    if isinstance(surface, Sphere):
        return unit(y - surface.center) * (-1.0 if surface.inside else 1.0)
    if isinstance(surface, Cylinder):
        axis = unit(np.array(surface.axis, dtype=float))
        r = y - surface.point
        return unit(r - (r @ axis)[:, None] * axis) * (-1.0 if surface.inside else 1.0)
    if isinstance(surface, HeightField):
        slopes = np.array([height(surface, *at[:2])[1:3] for at in y])
        return unit(np.column_stack([-slopes, np.ones(len(y))]))
    return np.broadcast_to(unit(np.array(surface.normal, dtype=float)), y.shape)


def height(field: HeightField, x: float, y: float) -> np.ndarray:
    """Height and its derivatives at a place."""
    function = field.function
    if not hasattr(function, "ctypes"):
        return np.asarray(function(x, y), dtype=float)
    place, result, doubles = np.array([x, y]), np.zeros(6), ctypes.POINTER(ctypes.c_double)  # a Numba cfunc
    function.ctypes(0.0, *(a.ctypes.data_as(doubles) for a in (place, place, result)))
    return result


def rolling_contact(model: Model, contact: Rolling, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a wheel touches, the normal there, and the forward direction, each (n, 3) in the world."""
    body, other = world_pose(poses, model.body_index(contact.body)), world_pose(poses, index_of(model, contact.other))
    R, turn = body[:, :3, :3], other[:, :3, :3]
    center = R @ np.array(contact.center, dtype=float) + body[:, :3, 3]
    axle = R @ unit(np.array(contact.axle, dtype=float))
    x = center
    normal = np.zeros_like(x)
    for _ in range(1 if isinstance(contact.surface, Plane) else ROUNDS):
        y = np.einsum("nji,nj->ni", turn, x - other[:, :3, 3])
        normal = np.einsum("nij,nj->ni", turn, surface_normal(contact.surface, y))
        if contact.shape is not None:
            n = np.einsum("nji,nj->ni", R, normal)
            D = np.array(contact.shape.semi_axes) ** 2 * n
            s = -np.einsum("nij,nj->ni", R, D) / np.sqrt((n * D).sum(axis=1))[:, None]  # (2)
        else:
            across = unit(normal - (normal * axle).sum(axis=1)[:, None] * axle)
            s = -contact.radius * across - contact.tube * normal  # (1)
        x = center + s
    along = axle if contact.shape is None and contact.radius > 0 else turn[:, :, 1]
    return x, normal, unit(np.cross(along, normal))


def has_wheel(model: Model, body: str, point, side) -> bool:
    """Whether a body has a round shape of its own about an axle through a point."""
    for visual in model.body(body).body.visuals:
        pose = np.asarray(visual.placement)
        if visual.shape == "cylinder" and abs(pose[:3, 2] @ side) > 0.9:
            away = np.asarray(point) - pose[:3, 3]
            if np.linalg.norm(away) <= max(visual.size):
                return True
    return False


def wheel_piece(model: Model, contact: Rolling) -> Piece | None:
    """The wheel of a rolling contact, unless its body has a shape for it."""
    k = model.body_index(contact.body)
    radius = contact.radius + contact.tube
    if contact.shape is not None or radius <= 0 or any(v.shape in ("cylinder", "sphere") for v in model.body(k).body.visuals):
        return None
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = meshes.along(np.zeros(3), np.array(contact.axle, dtype=float)), contact.center
    mesh = meshes.wheel(contact.radius, contact.tube) if contact.radius > 0 else meshes.sphere(contact.tube).in_octants()
    return Piece(contact.title, mesh, rgba(DARK), k, pose, "wheels")


def blade_piece(model: Model, blade: Blade, size: float, above: float) -> Piece | None:
    """A small wheel with its axle along the held direction, unless the body has one.

    above : height of the blade's point over the ground, m
    """
    side = unit(np.array(blade.side, dtype=float))
    if has_wheel(model, blade.body, blade.point, side):
        return None
    k = model.body_index(blade.body)
    radius = float(np.clip(above, 0.05 * size, 0.15 * size))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = meshes.along(np.zeros(3), side), blade.point
    return Piece(blade.title, meshes.cylinder(radius, 0.25 * radius), rgba(DARK), k, pose, "wheels")


def surface_pieces(model: Model, constraints, touches, low: np.ndarray, high: np.ndarray) -> list[Piece]:
    """The surfaces that things roll on and may touch, but for level planes of the world, which are the ground.

    low, high : corners of a box around the motion, m: infinite surfaces are drawn as far as that
    """
    pieces, done = [], []
    found = [(c.title, c.surface, c.other) for c in constraints if isinstance(c, Rolling)]
    found += [(touch.title, touch.ground.surface, touch.ground.body) for touch in touches]
    for title, surface, other in found:
        if any(surface == s and other == o for s, o in done):
            continue
        done.append((surface, other))
        k = index_of(model, other)
        made = surface_mesh(surface, low, high, level=k == WORLD)
        if made is not None and not (k >= 0 and isinstance(surface, Plane | Box | Capsule) and model.body(k).body.visuals):
            mesh, pose = made
            pieces.append(Piece(f"surface of {title}", mesh, rgba(SURFACE), k, pose, "surfaces"))
    return pieces


def surface_mesh(surface, low: np.ndarray, high: np.ndarray, *, level: bool):
    """A mesh of a surface with its placement; None for a level plane of the world."""
    pose, span = np.eye(4), float(max((high - low).max(), 1e-3))
    if isinstance(surface, Sphere):
        pose[:3, 3] = surface.center
        mesh = meshes.sphere(surface.radius, rings=24)
        return (open_bowl(mesh) if surface.inside else mesh), pose
    if isinstance(surface, Cylinder):
        axis = np.array(surface.axis, dtype=float)
        pose[:3, :3], pose[:3, 3] = meshes.along(np.zeros(3), axis), surface.point
        mesh = meshes.cylinder(surface.radius, 2 * span)
        return (open_bowl(mesh) if surface.inside else mesh), pose
    if isinstance(surface, HeightField):
        margin = 0.25 * span
        x = np.linspace(low[0] - margin, high[0] + margin, CELLS + 1)
        y = np.linspace(low[1] - margin, high[1] + margin, CELLS + 1)
        z = np.array([[height(surface, a, b)[0] for b in y] for a in x])
        return meshes.grid(x, y, z), pose
    if isinstance(surface, Box):
        pose[:3, 3] = surface.center
        return meshes.box(*(2 * x for x in surface.half)), pose
    if isinstance(surface, Capsule):
        pose[:3, :3], pose[:3, 3] = meshes.along(np.zeros(3), np.array(surface.axis, dtype=float)), surface.center
        return meshes.capsule(surface.radius, 2 * surface.half), pose
    if isinstance(surface, Steps):
        c, s = np.cos(surface.heading), np.sin(surface.heading)
        pose[:2, :2], pose[:3, 3] = [[c, -s], [s, c]], surface.point
        return stairs(surface, span), pose
    normal = unit(np.array(surface.normal, dtype=float))
    if level and normal[2] > 1 - 1e-9:
        return None
    pose[:3, :3], pose[:3, 3] = meshes.along(np.zeros(3), normal), surface.point
    pose[:3, 3] += (np.eye(3) - np.outer(normal, normal)) @ ((low + high) / 2 - pose[:3, 3])
    mesh = meshes.plate(1.6 * span, 1.6 * span)
    return mesh, pose


def stairs(steps: Steps, span: float) -> meshes.Mesh:
    """Boxes that stand on each other, with the flat ground before and after as far as the motion goes."""
    parts = [meshes.plate(span, span).moved(shift(-span / 2, 0.0, 0.0))]
    for k in range(steps.count):
        long = steps.run if k + 1 < steps.count else span
        high = (k + 1) * steps.rise
        parts.append(meshes.box(long, span, abs(high)).moved(shift(k * steps.run + long / 2, 0.0, high / 2)))
    return meshes.joined(parts)


def shift(x: float, y: float, z: float) -> np.ndarray:
    """(4, 4) pose of a displacement."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def touch_piece(model: Model, touch: Touch, size: float) -> list[Piece]:
    """What may touch, for a body without shapes of its own."""
    k = model.body_index(str(touch.body))
    body = model.body(k).body
    if body.visuals or (body.along is not None and str(Along(str(body.parent), body.along)) == body.name and not touch.points):
        return []  # the tube of a rod is where its balls are
    if touch.points:
        ball = meshes.sphere(0.03 * size, rings=6)
        return [Piece(touch.title, ball, rgba(DARK), k, shift(*point), "wheels") for point in touch.points]
    if touch.sphere is not None:
        mesh = meshes.sphere(touch.sphere)
    elif touch.capsule is not None:
        mesh = meshes.capsule(touch.capsule[0], 2 * touch.capsule[1])
    elif touch.box is not None:
        mesh = meshes.box(*(2 * x for x in touch.box))
    else:
        mesh = meshes.cylinder(float(touch.disc or 0.0), 0.05 * float(touch.disc or 0.0))
    return [Piece(touch.title, mesh, rgba(DARK), k, place(touch.at), "wheels")]


def open_bowl(mesh: meshes.Mesh) -> meshes.Mesh:
    """The lower half of a closed shape, so that one sees what is inside."""
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    return meshes.Mesh(mesh.vertices, mesh.faces[middle[:, 2] <= 0][:, ::-1])


def ground_heights(constraints, touches) -> list[float]:
    """Heights of level planes of the world that something rolls, stands or may fall on, m."""
    grounds = [touch.ground.surface for touch in touches if touch.ground.body is None]
    planes = [surface for surface in grounds if isinstance(surface, Plane)]
    heights = [float(p.point[2]) for p in planes if unit(np.array(p.normal, dtype=float))[2] > 1 - 1e-9]
    for c in constraints:
        if getattr(c, "other", None) is not None:
            continue
        if isinstance(c, Rolling) and isinstance(c.surface, Plane):
            if unit(np.array(c.surface.normal, dtype=float))[2] > 1 - 1e-9:
                heights.append(float(c.surface.point[2]))
        elif isinstance(c, PointContact) and c.target is not None and "z" in c.directions and c.unilateral:
            heights.append(float(c.target[2]))
    return heights


def struts(model: Model, constraints, environment, size: float) -> list[Strut]:
    """Rods without mass and springs."""
    found = []
    for c in constraints:
        if isinstance(c, Distance):
            bodies = (index_of(model, c.body), index_of(model, c.other))
            points = (np.array(c.point, dtype=float), np.array(c.other_point, dtype=float))
            found.append(Strut(c.title, rgba(METAL), 0.015 * size, bodies, points, "joints"))
    for n, spring in enumerate(s for s in environment if isinstance(s, Spring)):
        bodies = (index_of(model, spring.body), index_of(model, spring.other))
        points = (np.array(spring.point, dtype=float), np.array(spring.other_point, dtype=float))
        found.append(Strut(spring.name or f"spring {n + 1}", rgba(BODIES[2]), 0.012 * size, bodies, points, "joints"))
    return found


def keel_arrows(
    model: Model, keel: KeelRows, poses: np.ndarray, values: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, places (n, 3) and forces (n, 3), N, of every section that a keel holds."""
    own = np.stack([world_pose(poses, model.body_index(str(section))) for section in keel.bodies], axis=1)
    root = world_pose(poses, model.body_index(keel.body))
    force = keel.densities(own[..., :3, :3], own[..., :3, 3], root, values) * keel.shares
    side = own[..., :3, :3] @ unit(np.array(keel.side, dtype=float))
    for k, section in enumerate(keel.bodies):
        yield f"{keel.title} {section}", own[:, k, :3, 3], force[:, k, None] * side[:, k]


def reaction_arrows(model: Model, constraint: Constraint, poses: np.ndarray, values: np.ndarray, start: np.ndarray):
    """Forces of a constraint on its body: where they act (n, 3), what they are (n, 3), N; None for kinds without a place.

    values : (n, rows) its reactions ; start : (bodies, 4, 4) poses at the start, where open targets were taken
    """
    body = getattr(constraint, "body", None)
    if not isinstance(constraint, Blade | PointContact | SurfaceContact | LoopClosure | Distance | Rolling) or body is None:
        return None
    own, other = world_pose(poses, model.body_index(body)), world_pose(poses, index_of(model, constraint.other))
    if isinstance(constraint, Rolling):
        x, normal, forward = rolling_contact(model, constraint, poses)
        along = {"f": forward, "l": np.cross(normal, forward), "n": normal}
        directions = np.stack([along[letter] for letter in constraint.directions], axis=1)
        return x, np.einsum("nr,nri->ni", values, directions)
    if isinstance(constraint, Distance):
        x = world_point(poses, model.body_index(body), constraint.point)
        gap = x - world_point(poses, index_of(model, constraint.other), constraint.other_point)
        return x, values * unit(gap)
    if isinstance(constraint, Blade):
        x = world_point(poses, model.body_index(body), constraint.point)
        return x, values * (own[:, :3, :3] @ unit(np.array(constraint.side, dtype=float)))
    frame, letters = np.eye(4), "xyz"
    if isinstance(constraint, PointContact):
        x, letters = world_point(poses, model.body_index(body), constraint.point), constraint.directions
    else:
        x = world_point(poses, model.body_index(body), place(constraint.frame)[:3, 3])
        if isinstance(constraint, LoopClosure):
            frame, letters = place(constraint.other_frame), constraint.letters
        elif constraint.target is not None:
            frame = place(constraint.target)
        else:
            held = (
                world_pose(start, index_of(model, constraint.other))[:3, :3].T
                @ world_pose(start, model.body_index(body))[:3, :3]
            )
            frame[:3, :3] = held @ place(constraint.frame)[:3, :3]
    axes = other[:, :3, :3] @ frame[:3, :3]
    force = np.zeros_like(x)
    for column, letter in enumerate(letters):
        if letter in "xyz":
            force += values[:, column, None] * axes[:, :, "xyz".index(letter)]
    return x, force
