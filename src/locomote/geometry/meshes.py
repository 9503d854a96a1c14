"""Triangles: the shapes that scenes are made of.

Every function gives a Mesh in the frame that `Visual` says: centered at the origin, long side along z.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

ROUND = 24  # corners of a circle
CREASE = np.cos(np.radians(40.0))  # edges that bend by less look round


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles.

    vertices : (n, 3) m ; faces : (m, 3) places of corners, counter-clockwise seen from outside
    shades : (m,) how light each face is, 1 for the colour itself; None: all alike
    """

    vertices: np.ndarray
    faces: np.ndarray
    shades: np.ndarray | None = None

    @cached_property
    def normals(self) -> np.ndarray:
        """(m, 3, 3) unit normal at each corner of each face: smooth where faces meet at a small angle."""
        return corner_normals(self.vertices, self.faces)

    def moved(self, pose: np.ndarray) -> "Mesh":
        """The mesh in the frame that `pose` (4, 4) is given in; a mirror image keeps its outside outside."""
        faces = self.faces[:, ::-1] if np.linalg.det(pose[:3, :3]) < 0 else self.faces
        return Mesh(self.vertices @ pose[:3, :3].T + pose[:3, 3], faces, self.shades)

    def in_sectors(self, count: int = 8, dark: float = 0.62) -> "Mesh":
        """Every other sector about z darker, so that a turn about z can be seen."""
        middle = self.vertices[self.faces].mean(axis=1)
        sector = np.floor((np.arctan2(middle[:, 1], middle[:, 0]) / (2 * np.pi) + 1e-6) * count).astype(int)
        return Mesh(self.vertices, self.faces, np.where(sector % 2, dark, 1.0))

    def in_octants(self, dark: float = 0.62) -> "Mesh":
        """Every other octant darker, so that any turn can be seen."""
        middle = self.vertices[self.faces].mean(axis=1)
        return Mesh(self.vertices, self.faces, np.where(np.prod(np.sign(middle + 1e-12), axis=1) > 0, 1.0, dark))


def joined(meshes: list[Mesh]) -> Mesh:
    """One mesh of several."""
    if not meshes:
        return Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    shades = [np.ones(len(mesh.faces)) if mesh.shades is None else mesh.shades for mesh in meshes]
    faces = np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)])
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), faces, np.concatenate(shades))


def face_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(m, 3) normals with the length of twice the area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def corner_normals(vertices: np.ndarray, faces: np.ndarray, *, merge: bool = True) -> np.ndarray:
    """Mean normal of the faces around a corner, of its own face where that bends away from the mean by more than a crease.

    merge : corners at the same place count as one, as files often list corners of neighbours apart
    """
    areas = face_normals(vertices, faces)
    lengths = np.linalg.norm(areas, axis=1, keepdims=True)
    own = np.divide(areas, lengths, out=np.zeros_like(areas), where=lengths > 0)
    places = faces
    if merge:
        _, same = np.unique(np.round(vertices, 9), axis=0, return_inverse=True)
        places = same.reshape(-1)[faces]
    sums = np.empty((len(vertices), 3))
    for k in range(3):
        sums[:, k] = np.bincount(places.ravel(), np.repeat(areas[:, k], 3), len(vertices))
    size = np.linalg.norm(sums, axis=1, keepdims=True)
    smooth = np.divide(sums, size, out=np.zeros_like(sums), where=size > 0)[places]
    bends = (smooth * own[:, None]).sum(axis=2) < CREASE
    return np.where(bends[..., None], own[:, None], smooth)


def box(x: float, y: float, z: float) -> Mesh:
    """A box with edges x, y, z."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * np.array([x, y, z]) / 2
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Mesh(corners, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]))


def lathe(profile, *, corners: int = ROUND) -> Mesh:
    """What a profile of points (radius, z), from the bottom up, sweeps about z; radius 0 at both ends closes it."""
    rings, angle = [], np.arange(corners) * 2 * np.pi / corners
    for radius, z in profile:
        rings.append(np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(corners, z)]))
    faces, k, after = [], np.arange(corners), np.roll(np.arange(corners), -1)
    for n in range(len(rings) - 1):
        a, b, c, d = n * corners + k, n * corners + after, (n + 1) * corners + after, (n + 1) * corners + k
        if profile[n][0] > 0:
            faces.append(np.column_stack([a, b, c]))
        if profile[n + 1][0] > 0:
            faces.append(np.column_stack([a, c, d]))
    return Mesh(np.concatenate(rings), np.concatenate(faces))


def sphere(radius: float, *, rings: int = 12) -> Mesh:
    """A sphere."""
    return ellipsoid(radius, radius, radius, rings=rings)


def ellipsoid(x: float, y: float, z: float, *, rings: int = 12) -> Mesh:
    """An ellipsoid with semi-axes x, y, z."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, rings + 1)
    unit = lathe([(max(0.0, np.cos(a)) if 0 < k < rings else 0.0, np.sin(a)) for k, a in enumerate(angle)])
    return Mesh(unit.vertices * np.array([x, y, z]), unit.faces)


def cylinder(radius: float, length: float) -> Mesh:
    """A cylinder along z."""
    half = length / 2
    return lathe([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])


def capsule(radius: float, length: float, *, rings: int = 5) -> Mesh:
    """A cylinder of the given length along z with a half sphere at each end."""
    angle, half = np.linspace(0.0, np.pi / 2, rings + 1), length / 2
    below = [(radius * np.sin(a), -half - radius * np.cos(a)) for a in angle]
    above = [(radius * np.cos(a), half + radius * np.sin(a)) for a in angle]
    below[0], above[-1] = (0.0, -half - radius), (0.0, half + radius)
    return lathe(below + above)


def torus(radius: float, tube: float, *, rings: int = 10) -> Mesh:
    """A ring about z."""
    angle = np.linspace(0.0, 2 * np.pi, rings + 1)
    return lathe([(radius - tube * np.cos(a), -tube * np.sin(a)) for a in angle], corners=32)


def wheel(radius: float, tube: float = 0.0) -> Mesh:
    """A tyre about z with a hub and spokes, so that its turn can be seen."""
    thick = max(tube, 0.06 * radius)
    parts = [torus(radius - (0.0 if tube > 0 else thick), thick), cylinder(0.14 * radius, 2.4 * thick)]
    for k in range(3):
        turn = np.eye(4)
        c, s = np.cos(k * np.pi / 3), np.sin(k * np.pi / 3)
        turn[:2, :2] = [[c, -s], [s, c]]
        parts.append(box(1.9 * radius, 0.7 * thick, 0.7 * thick).moved(turn))
    return joined(parts)


def plate(x: float, y: float) -> Mesh:
    """A thin plate, seen from both sides."""
    return box(x, y, 0.002 * max(x, y))


def grid(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Mesh:
    """The surface z (len(x), len(y)) over a grid, seen from above and from below."""
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1).reshape(-1, 3)
    places = np.arange(len(x) * len(y)).reshape(len(x), len(y))
    a, b, c, d = (part.ravel() for part in (places[:-1, :-1], places[1:, :-1], places[1:, 1:], places[:-1, 1:]))
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return Mesh(points, faces, np.tile(0.9 + 0.1 * ((a // len(y) + a % len(y)) % 2), 2))


def along(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(..., 3, 3) rotations whose z axis points from start to end (..., 3)."""
    z = np.asarray(end, dtype=float) - start
    length = np.linalg.norm(z, axis=-1, keepdims=True)
    z = np.where(length > 0, np.divide(z, length, out=np.zeros_like(z), where=length > 0), np.array([0.0, 0.0, 1.0]))
    side = np.where(abs(z[..., 2:]) < 0.9, np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    x = np.cross(side, z)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def simplified(mesh: Mesh, most: int) -> Mesh:
    """About the same shape with at most `most` faces: corners that are close become one, closer and closer until it fits."""
    if len(mesh.faces) <= most:
        return mesh
    low, size = mesh.vertices.min(axis=0), float(np.ptp(mesh.vertices, axis=0).max()) or 1.0
    for cells in (2.0 ** (np.arange(20, 1, -1) / 2)).tolist():
        cell = size / cells
        keys = np.floor((mesh.vertices - low) / cell).astype(np.int64)
        _, first, merged = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        merged = merged.reshape(-1)
        faces = merged[mesh.faces]
        kept = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        if kept.sum() > most and cells > 2.5:
            continue
        points = np.zeros((len(first), 3))
        np.add.at(points, merged, mesh.vertices)
        points /= np.bincount(merged, minlength=len(first))[:, None]
        shades = None if mesh.shades is None else mesh.shades[kept]
        return Mesh(points, faces[kept], shades)
    return mesh
