"""A convex hull of points, such as those of a mesh. On the ground its lowest corners touch, as many as there are slots.

A hull with no more corners than slots has one for each. Of others the corners furthest along

    -n + e (cos a_k t1 + sin a_k t2) ,   a_k = 2 pi k / AROUND                                                       (1)

are taken, for e in TILTS, the smallest first: n is the normal of the ground, t1, t2 are axes of the hull across it. The corner
of k has slot k, or the next that is free; what is furthest along -n alone has the last. So a face that lies flat has its
outermost corners in slots, a sole with bumps those that carry, a round foot those about its lowest point, and a hull that tips
over the corners on which it will come down. Corners are found by climbing along edges, which ends at the furthest since the
hull is convex.

Tested by tests/laws/geometry/shapes/test_hulls.py.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from locomote.compiler.source import helper, routine
from locomote.formats.mesh_files import mesh_corners
from locomote.geometry import meshes
from locomote.geometry.meshes import Mesh
from locomote.geometry.shape import LOWEST, Row, Shape, Spot, Vector, framed
from locomote.geometry.shapes.height_field import HeightField
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.steps import Steps
from locomote.spatial.algebra import dot
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rows import load

AROUND, TILTS = 8, (3e-4, 5e-3, 5e-2)  # of (1) ; rad
SLOTS = AROUND + 1
ANGLES = tuple((float(np.cos(a)), float(np.sin(a))) for a in 2 * np.pi * np.arange(AROUND) / AROUND)
MOST_CORNERS = 20_000
FLAT = 1e-9  # of the size: what is thinner is flat
# head of a hull in the table of edges: its first corner, corners to begin at by the signs of a direction, and from STARTS on
# where the neighbours of each corner begin and where those of the last end
FIRST, SEEDS, STARTS = 0, 1, 9


@dataclass(frozen=True, eq=False, repr=False)
class Hull(Shape):
    """The convex hull of points, m: only those that stick out are kept. It may be flat, or a segment.

    tolerance : corners that stick out by less than this, m, may be left out; with 0 none is
    """

    points: tuple[Vector, ...]
    tolerance: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        points = as_numbers(self.points, "points of a hull", "(n, 3)")
        if points.ndim != 2 or points.shape[1:] != (3,) or not len(points) or not np.isfinite(points).all():
            raise ValueError(f"points of a hull have shape {points.shape}, expected finite numbers (n, 3), at least one point")
        if not (isinstance(self.tolerance, Real) and 0.0 <= self.tolerance < np.inf):
            raise ValueError(f"tolerance of a hull is {self.tolerance!r:.40}, expected a length in m, not negative")
        points = outermost(points, float(self.tolerance))
        if len(points) > MOST_CORNERS:
            raise ValueError(f"a hull has {len(points)} corners, at most {MOST_CORNERS}: give it a tolerance, such as 1e-4 m")
        object.__setattr__(self, "points", tuple(map(tuple, points.tolist())))

    def __eq__(self, other) -> bool:
        return isinstance(other, Hull) and self.points == other.points

    def __hash__(self) -> int:
        return hash(self.points)

    def __repr__(self) -> str:
        low, high = np.min(self.points, axis=0), np.max(self.points, axis=0)
        return f"Hull({len(self.points)} corners, {' x '.join(f'{x:.3g}' for x in high - low)} m)"

    @classmethod
    def of_mesh(cls, path: str, scale: Vector = (1.0, 1.0, 1.0), *, tolerance: float = 0.0) -> "Hull":
        """The hull of a mesh file (STL, OBJ; others with trimesh), with lengths along x, y, z multiplied by `scale`."""
        return cls(np.unique(mesh_corners(path), axis=0) * np.asarray(scale, float), tolerance=tolerance)  # type: ignore[arg-type]

    @cached_property
    def corners(self) -> np.ndarray:
        """(n, 3) corners."""
        return np.array(self.points)

    @cached_property
    def middle(self) -> np.ndarray:
        """(3,) center of its box."""
        return (self.corners.min(axis=0) + self.corners.max(axis=0)) / 2

    @cached_property
    def graph(self) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours of corners along edges: (n + 1,) where those of each begin, and all of them."""
        faces, (n, rank) = triangles(self.corners), (len(self.corners), flatness(self.corners)[0])
        if rank == 3:
            pairs = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        else:
            ring = np.array([*range(n), 0]) if n > 2 else np.arange(n)
            pairs = np.array(list(pairwise(ring)), int).reshape(-1, 2)
        pairs = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        return np.searchsorted(pairs[:, 0], np.arange(n + 1)), pairs[:, 1]


def flatness(points: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """In how many directions points reach, their mean, and (3, 3) principal directions in rows, the longest first."""
    mean = points.mean(axis=0)
    _, _, axes = np.linalg.svd((points - mean).T @ (points - mean))
    reach = abs((points - mean) @ axes.T).max(axis=0)
    return int((reach > FLAT * max(reach[0], 1e-30)).sum() if reach[0] > 0 else 0), mean, axes


def qhull(points: np.ndarray) -> Any:
    """SciPy's hull of points; a ValueError if rounding does not let it be found."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except QhullError:
        size = abs(points).max()
        raise ValueError(
            f"the hull of {len(points)} points up to {size:.3g} m cannot be found: some are too far apart, or too near"
        ) from None


def outermost(points: np.ndarray, tolerance: float) -> np.ndarray:
    """The corners of the hull of points; of a flat one in order around it."""
    points = np.unique(points, axis=0)
    rank, mean, axes = flatness(points)
    if rank == 0:
        return points[:1]
    if rank == 1:
        along = (points - mean) @ axes[0]
        return points[[along.argmin(), along.argmax()]]
    if rank == 2:
        return points[qhull((points - mean) @ axes[:2].T).vertices]
    kept = points[np.sort(qhull(points).vertices)]
    return kept if tolerance == 0.0 else fewer(kept, tolerance)


def fewer(corners: np.ndarray, tolerance: float) -> np.ndarray:
    """Corners whose hull is nowhere further than a tolerance from that of all: extremes, then what sticks out most."""
    directions = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], float)
    chosen = np.unique((corners @ directions.T).argmax(axis=0))
    if flatness(corners[chosen])[0] < 3:
        return corners
    while True:
        planes = qhull(corners[chosen]).equations
        out = corners @ planes[:, :3].T + planes[:, 3]
        most = out.max(axis=1)
        if most.max() <= tolerance:
            return corners[np.sort(chosen)]
        furthest = np.unique(out.argmax(axis=0))
        furthest = furthest[most[furthest] > tolerance]
        more = furthest[np.argsort(-most[furthest])][: 1 + len(chosen) // 4]
        chosen = np.concatenate([chosen, more])


def triangles(corners: np.ndarray) -> np.ndarray:
    """(m, 3) corners of the faces of a hull, counter-clockwise seen from outside; those of both sides of a flat one."""
    rank, _, _ = flatness(corners)
    if rank < 3:
        fan = np.array([(0, k, k + 1) for k in range(1, len(corners) - 1)], int).reshape(-1, 3)
        return np.concatenate([fan, fan[:, ::-1]])
    hull = qhull(corners)
    faces = hull.simplices.copy()
    inward = np.einsum("ij,ij->i", meshes.face_normals(corners, faces), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return faces


def packed_hull(hull: Hull, pose: np.ndarray, first: int, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3) in the frame that `pose` is given in, and the part of the table of edges that begins at `start`; first :
    place of the first corner in the table of corners."""
    corners = hull.corners @ pose[:3, :3].T + pose[:3, 3]
    starts, neighbours = hull.graph
    signs = np.array([[1 if k & 1 else -1, 1 if k & 2 else -1, 1 if k & 4 else -1] for k in range(8)])
    seeds = (corners @ signs.T).argmax(axis=0)
    head = [first, *(first + seeds), *(start + STARTS + len(starts) + starts)]
    return corners, np.array([*head, *(first + neighbours)], np.int64)


@routine
def climbed(corners, edges, head, i, d):
    """The corner of a hull furthest along d, from corner i on."""
    first, best = edges[head + FIRST], dot(d, load(corners, i, 0))
    going = True
    while going:
        going, at = False, head + STARTS + i - first
        for k in range(edges[at], edges[at + 1]):
            j = edges[k]
            height = dot(d, load(corners, j, 0))
            if height > best:
                best, i, going = height, j, True
    return i


@helper
def seed(edges, head, d):
    """Where to begin to climb along d."""
    return edges[head + SEEDS + (1 if d[0] > 0.0 else 0) + (2 if d[1] > 0.0 else 0) + (4 if d[2] > 0.0 else 0)]


@routine
def furthest(corners, edges, head, d):
    """The corner of a hull furthest along d."""
    return climbed(corners, edges, head, seed(edges, head, d), d)


@helper
def tilted(n, t, s, e, k):
    """(1); n : normal of the ground, t, s : axes across it."""
    c, z = e * ANGLES[k][0], e * ANGLES[k][1]
    return c * t[0] + z * s[0] - n[0], c * t[1] + z * s[1] - n[1], c * t[2] + z * s[2] - n[2]


@routine
def take_slot(rows, first, column, k, i):
    """Give a corner slot k, or the next that is free, unless it has one; slots : a column of rows from `first` on, -1 if
    free."""
    for j in range(SLOTS):
        if rows[first + j, column] == i:
            return
    for j in range(AROUND):
        at = first + (k + j) % AROUND
        if rows[at, column] < 0.0:
            rows[at, column] = i
            return


@routine
def fill_slots(corners, edges, head, lowest, near, n, t, s, rows, first, count, column):
    """Corners of a hull in its slots, -1 in those that are free; n, t, s : in axes of the body, as of (1). near : whether the
    hull is near the ground: if not, only its lowest corner has a slot."""
    for j in range(count):
        rows[first + j, column] = edges[head + FIRST] + j if count < SLOTS else -1.0
    if count < SLOTS:
        return
    i, before = lowest, -1
    for ring in range(len(TILTS) if near else 0):
        for k in range(AROUND):
            i = climbed(corners, edges, head, i, tilted(n, t, s, TILTS[ring], k))
            if i != before:
                take_slot(rows, first, column, k, i)
            before = i
    for j in range(AROUND):
        if rows[first + j, column] == lowest:
            return
    rows[first + AROUND, column] = lowest


def pack(hull: Hull):
    return (), framed(at=hull.middle)


def mesh(hull: Hull, around):
    return Mesh(hull.corners - hull.middle, triangles(hull.corners)), framed(at=hull.middle)


def slots(hull: Hull, surface) -> list[Spot]:
    """As many as it has corners, or SLOTS."""
    return [Spot(rim=LOWEST, angle=k) for k in range(min(len(hull.points), SLOTS))]


ROW = Row(Hull, None, pack, mesh=mesh, pairs={(Hull, surface): slots for surface in (Plane, HeightField, Steps)})
