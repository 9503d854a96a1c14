"""Marks that a motion leaves on level ground: the lines of wheels and blades, and prints where feet stood.

They are found from the way alone: a wheel marks where it touches, and a foot stands while it is as low as it ever gets and does
not move along the ground.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from locomote.constraints.kinds import Blade, Rolling
from locomote.dynamics.kinematics import forward_kinematics
from locomote.geometry.meshes import Mesh, joined, lathe
from locomote.geometry.shapes.plane import Plane
from locomote.model.model import Model
from locomote.view.colors import DARK, rgba
from locomote.view.contacts import rolling_contact
from locomote.view.scene import WORLD, Piece, world_point

ROWS = 800  # configurations at which they are looked for
LINE, PRINT, ABOVE = 0.008, 0.03, 0.002  # width of a line, radius of a print, height over the ground, in sizes of the scene
LOW, STILL = 0.01, 0.004  # how high a foot that stands may be, and how far it may go between two rows, in sizes of the scene
PRINTS, POINTS = 400, 250  # most of them; most points of a line


def track_pieces(model: Model, problem, touches, q: np.ndarray, ground: float | None, size: float) -> list[Piece]:
    """Lines and prints of configurations q (n, nq), in the layer `tracks`; none without ground or motion.

    touches : those of the problem, said one by one
    """
    if problem is None or ground is None or len(q) < 3:
        return []
    rows = np.unique(np.linspace(0, len(q) - 1, min(len(q), ROWS)).astype(int))
    poses = forward_kinematics(model, model.normalize(q[rows]))
    lines = [ribbon(way, LINE * size) for way in ways(model, problem.constraints, poses)]
    places = [place for way in feet(model, problem, touches, poses) for place in prints(way, size)][:PRINTS]
    disc = lathe([(0.0, 0.0), (PRINT * size, 0.0)], corners=12)
    lines += [Mesh(disc.vertices + place, disc.faces) for place in places]
    lines = [mesh for mesh in lines if len(mesh.faces)]
    if not lines:
        return []
    whole = joined(lines)
    flat = np.column_stack([whole.vertices[:, :2], np.full(len(whole.vertices), ground + ABOVE * size)])
    return [Piece("tracks", Mesh(flat, whole.faces), rgba(DARK, 0.5), WORLD, layer="tracks")]


def ways(model: Model, constraints, poses: np.ndarray) -> Iterator[np.ndarray]:
    """(n, 3) where each wheel and blade on level ground touches."""
    for constraint in constraints:
        if isinstance(constraint, Rolling) and constraint.other is None and is_level(constraint.surface):
            yield rolling_contact(model, constraint, poses)[0]
        elif isinstance(constraint, Blade) and constraint.other is None:
            yield world_point(poses, model.body_index(constraint.body), constraint.point)


def feet(model: Model, problem, touches, poses: np.ndarray) -> Iterator[np.ndarray]:
    """(n, 3) the way of each point that may touch level ground."""
    for touch in touches:
        if touch.ground.body is None and is_level(touch.ground.surface) and touch.body in model.body_names:
            center = np.asarray(touch.at, dtype=float)
            for point in touch.points or (center if center.shape == (3,) else center[:3, 3],):
                yield world_point(poses, model.body_index(str(touch.body)), point)
    for part in problem.environment:
        given: Any = getattr(part, "feet", None)
        for body, points in given.items() if isinstance(given, Mapping) else ():
            if body in model.body_names and np.ndim(points) == 2:
                for point in points:
                    yield world_point(poses, model.body_index(body), point)


def prints(way: np.ndarray, size: float) -> list[np.ndarray]:
    """Middles of the stretches of a way (n, 3) at which a foot stands."""
    steps = np.linalg.norm(np.diff(way[:, :2], axis=0, append=way[-1:, :2]), axis=1)
    stands = (way[:, 2] < way[:, 2].min() + LOW * size) & (steps < STILL * size)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stands, [False]]).astype(int)))
    return [way[first:last].mean(axis=0) for first, last in zip(edges[::2], edges[1::2], strict=True) if last - first > 1]


def ribbon(way: np.ndarray, wide: float) -> Mesh:
    """A flat band along a way (n, 3), as wide as said; points closer than its width are left out."""
    long = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way[:, :2], axis=0), axis=1))])
    count = int(np.clip(long[-1] / wide, 1, POINTS))
    points = way[np.unique(np.searchsorted(long, np.linspace(0.0, long[-1], count)).clip(0, len(way) - 1))]
    if len(points) < 2:
        return joined([])
    ahead = np.gradient(points[:, :2], axis=0)
    ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)
    side = wide / 2 * np.column_stack([-ahead[:, 1], ahead[:, 0], np.zeros(len(points))])
    k = 2 * np.arange(len(points) - 1)
    faces = np.concatenate([np.column_stack([k, k + 1, k + 2]), np.column_stack([k + 1, k + 3, k + 2])])
    return Mesh(np.stack([points + side, points - side], axis=1).reshape(-1, 3), faces)


def is_level(surface) -> bool:
    """Whether a surface is a level plane."""
    return isinstance(surface, Plane) and bool(surface.level)
