"""Wheels, blades, surfaces, rods and springs: what constraints and the environment of a problem look like, and where they act.

Where a wheel with its center at c touches a surface, x = c + s(n(x)) (`geometry.rolling`), is found by repeating it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from locomote.constraints.keel import KeelRows
from locomote.constraints.kinds import Blade, Distance, LoopClosure, PointContact, Rolling, SurfaceContact, place
from locomote.contact.bodies import BodyContacts
from locomote.contact.touch import Touch
from locomote.geometry import meshes
from locomote.geometry.shape import framed
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.torus import Torus
from locomote.geometry.table import SHAPES, pack_rolling, surface_normals
from locomote.model.description import Collision
from locomote.model.flexible.along import Along
from locomote.model.model import Model
from locomote.view.colors import BODIES, DARK, METAL, SURFACE, rgba
from locomote.view.scene import WORLD, Piece, Strut, world_point, world_pose

ROUNDS = 30  # on a curved surface


def index_of(model: Model, body: str | None) -> int:
    """The place of a body, WORLD for None."""
    return WORLD if body is None else model.body_index(body)


def unit(x: np.ndarray) -> np.ndarray:
    """Unit vectors along x (..., 3); zero for those without a direction."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.divide(x, length, out=np.zeros_like(x), where=length > 0)


def rolling_contact(model: Model, contact: Rolling, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a wheel touches, the normal there, and the forward direction, each (n, 3) in the world."""
    body, other = world_pose(poses, model.body_index(contact.body)), world_pose(poses, index_of(model, contact.other))
    R, turn = body[:, :3, :3], other[:, :3, :3]
    wheel, shape = contact.wheel, pack_rolling(contact.wheel)
    center = R @ (contact.center + shape.frame[:3, 3]) + body[:, :3, 3]
    own, support = R @ shape.frame[:3, :3], SHAPES[type(wheel)].support
    assert support is not None
    x = center
    normal = np.zeros_like(x)
    for _ in range(1 if isinstance(contact.surface, Plane) else ROUNDS):
        y = np.einsum("nji,nj->ni", turn, x - other[:, :3, 3])
        normal = np.einsum("nij,nj->ni", turn, surface_normals(contact.surface, y))
        n = np.einsum("nji,nj->ni", own, normal)
        with np.errstate(all="ignore"):  # a wheel that lies flat has no lowest point
            s = np.stack(support((shape.kind, *shape.numbers), tuple(n.T)), axis=1)
        x = center + np.einsum("nij,nj->ni", own, np.nan_to_num(s))
    along = own[:, :, 2] if isinstance(wheel, Torus) and wheel.radius > 0 else turn[:, :, 1]
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
    k, wheel = model.body_index(contact.body), contact.wheel
    if any(visual.shape in ("cylinder", "sphere") for visual in model.body(k).body.visuals):
        return None
    if isinstance(wheel, Torus):
        pose = framed(meshes.along(np.zeros(3), np.array(wheel.axis, dtype=float)), np.add(contact.center, wheel.center))
        mesh = meshes.wheel(wheel.radius, wheel.tube) if wheel.radius > 0 else meshes.sphere(wheel.tube).in_octants()
        return Piece(contact.title, mesh, rgba(DARK), k, pose, "wheels")
    made = SHAPES[type(wheel)].mesh
    if made is None or model.body(k).body.visuals:
        return None
    mesh, pose = made(wheel, None)
    return Piece(contact.title, mesh, rgba(DARK), k, framed(at=contact.center) @ pose, "wheels")


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
        row, level = SHAPES[type(surface)], k == WORLD and isinstance(surface, Plane) and surface.level
        if row.mesh is not None and not level and (row.drawn or k == WORLD or not model.body(k).body.visuals):
            mesh, pose = row.mesh(surface, (low, high))
            pieces.append(Piece(f"surface of {title}", mesh, rgba(SURFACE), k, pose, "surfaces"))
    return pieces


def touch_piece(model: Model, touch: Touch, size: float) -> list[Piece]:
    """What may touch, for a body without shapes of its own."""
    k = model.body_index(str(touch.body))
    body = model.body(k).body
    if body.visuals or (body.along is not None and str(Along(str(body.parent), body.along)) == body.name and not touch.points):
        return []  # the tube of a rod is where its balls are
    if touch.points:
        ball = meshes.sphere(0.03 * size, rings=6)
        return [Piece(touch.title, ball, rgba(DARK), k, framed(at=point), "wheels") for point in touch.points]
    shape = touch.said_shape
    row = SHAPES[type(shape)]
    if row.mesh is None:
        return []
    mesh, pose = row.mesh(shape, None)
    return [Piece(touch.title, mesh, rgba(DARK), k, place(touch.at) @ pose, "wheels")]


def solid_pieces(model: Model, touching: Iterable[Any]) -> list[Piece]:
    """Solids of bodies that may touch each other, of the world and of bodies without shapes of their own, each once."""
    pieces: dict[int, Piece] = {}
    for solid in (solid for x in touching if isinstance(x, BodyContacts) for solid in x.solids):
        if isinstance(solid.shape, Plane) or (solid.body is not None and model.body(solid.body).body.visuals):
            continue
        if isinstance(solid.shape, Collision):
            size = [float(x) for x in solid.shape.size]
            mesh, own = meshes.cylinder(*size) if solid.shape.shape == "cylinder" else meshes.ellipsoid(*size), np.eye(4)
        else:
            made = SHAPES[type(solid.shape)].mesh
            assert made is not None
            mesh, own = made(solid.shape, None)
        color = SURFACE if solid.body is None else DARK
        k = index_of(model, solid.body)
        pieces.setdefault(id(solid), Piece(solid.title, mesh, rgba(color), k, solid.pose @ own, "surfaces"))
    return list(pieces.values())


def ground_heights(constraints, touches) -> list[float]:
    """Heights of level planes of the world that something rolls, stands or may fall on, m."""
    grounds = [touch.ground.surface for touch in touches if touch.ground.body is None]
    planes = [surface for surface in grounds if isinstance(surface, Plane)]
    heights = [float(plane.point[2]) for plane in planes if plane.level]
    for c in constraints:
        if getattr(c, "other", None) is not None:
            continue
        if isinstance(c, Rolling) and isinstance(c.surface, Plane):
            if c.surface.level:
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
    for n, spring in enumerate(s for s in environment if getattr(s, "strut", False)):
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


def reaction_arrows(model: Model, constraint: Any, poses: np.ndarray, values: np.ndarray, start: np.ndarray):
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
