"""Meshes with the same faces and other corners in every picture: bars, arrows, paths, tubes."""

import numpy as np

from locomote.geometry.meshes import Mesh, along, joined, lathe
from locomote.view.scene import Strut, world_point

AROUND = 12  # corners of a tube
HEAD, WIDE = 5.5, 2.6  # length and radius of the head of an arrow over the radius of its shaft


def bar(start: np.ndarray, end: np.ndarray, radius: float) -> Mesh:
    """A round bar between two points."""
    unit = lathe([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], corners=AROUND)
    length = float(np.linalg.norm(end - start))
    return Mesh((unit.vertices * [radius, radius, length]) @ along(start, end).T + start, unit.faces)


def strut_mesh(strut: Strut, poses: np.ndarray) -> Mesh:
    """A strut at poses (bodies, 4, 4)."""
    start, end = (world_point(poses, body, point) for body, point in zip(strut.bodies, strut.points, strict=True))
    return bar(start, end, strut.radius)


def arrow_mesh(start: np.ndarray, vector: np.ndarray, radius: float) -> Mesh:
    """An arrow from a point along a vector, m."""
    length = float(np.linalg.norm(vector))
    head = min(HEAD * radius, 0.6 * length)
    shaft, wide = min(radius, 0.2 * length), min(WIDE * radius, 0.5 * length)
    body = length - head
    mesh = lathe([(0.0, 0.0), (shaft, 0.0), (shaft, body), (wide, body), (0.0, length)], corners=AROUND)
    return Mesh(mesh.vertices @ along(np.zeros(3), vector).T + start, mesh.faces)


def tube_faces(count: int, *, first: bool = True, last: bool = True) -> np.ndarray:
    """Faces of a tube by its number of sections; first, last : whether these ends are closed."""
    k, after = np.arange(AROUND), np.roll(np.arange(AROUND), -1)
    n = AROUND * np.arange(count - 1)[:, None, None]
    quads = np.stack([np.column_stack([k, after, AROUND + after]), np.column_stack([k, AROUND + after, AROUND + k])])
    faces = [(quads[None] + n[..., None]).reshape(-1, 3)]
    middle, end = count * AROUND, (count - 1) * AROUND  # the points in the middles of the ends come last
    if first:
        faces.append(np.column_stack([np.full(AROUND, middle), after, k]))
    if last:
        faces.append(np.column_stack([np.full(AROUND, middle + 1), end + k, end + after]))
    return np.concatenate(faces)


def round_profile() -> np.ndarray:
    """(AROUND, 2) corners of a circle."""
    angle = np.arange(AROUND) * 2 * np.pi / AROUND
    return np.column_stack([np.cos(angle), np.sin(angle)])


def tube_vertices(poses: np.ndarray, radius: np.ndarray, profile: np.ndarray | None = None) -> np.ndarray:
    """(k * AROUND + 2, 3) corners of a tube around sections (k, 4, 4), x along the center line; profile : of a Tube."""
    y, z = (round_profile() if profile is None else profile).T
    radius = np.asarray(radius, dtype=float)
    radii = np.column_stack([radius, radius]) if radius.ndim < 2 else radius
    radii = np.broadcast_to(radii, (len(poses), 2))
    ring = y[None, :, None] * radii[:, None, :1] * poses[:, None, :3, 1]
    ring = ring + z[None, :, None] * radii[:, None, 1:] * poses[:, None, :3, 2]
    rings = (poses[:, None, :3, 3] + ring).reshape(-1, 3)
    return np.concatenate([rings, rings.reshape(-1, AROUND, 3)[[0, -1]].mean(axis=1)])


def tube_values(values: np.ndarray) -> np.ndarray:
    """(faces,) value of each face of a tube from those of its sections."""
    count = len(values)
    between = (values[:-1] + values[1:]) / 2
    return np.concatenate([np.repeat(between, 2 * AROUND), np.full(AROUND, values[0]), np.full(AROUND, values[count - 1])])


def path_mesh(points: np.ndarray, radius: float) -> Mesh:
    """A thin tube through points, with at most some hundred sections."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    count = int(np.clip(way[-1] / max(3 * radius, 1e-12), 2, 400))
    rows = np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], count)).clip(0, len(points) - 1))
    chosen = points[rows]
    if len(chosen) < 2:
        return joined([])
    poses = np.broadcast_to(np.eye(4), (len(chosen), 4, 4)).copy()
    turns = along(chosen, chosen + np.gradient(chosen, axis=0))
    poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2] = turns[..., 2], turns[..., 0], turns[..., 1]
    poses[:, :3, 3] = chosen
    return Mesh(tube_vertices(poses, np.full(len(chosen), radius)), tube_faces(len(chosen)))
