"""A mesh as several convex hulls that cover it, by cuts along planes.

A piece is what a mesh has on one side of each of the cuts so far: its triangles, clipped, and places inside the solid where
three cuts meet. These have all corners that the solid can have there, so that their hull covers it. How far a hull is off is
looked at on its own surface:

    error = largest distance to the triangles of the piece, of points of the hull that are outside the solid             (1)

(inside is where triangles fill half of what can be seen or more). The worst piece is cut in two, by that of some planes after
which volume times length, over both hulls, is least (a cut across a ring takes no volume off at first, but both halves get
shorter), until all are good enough or there are as many as were asked for.

Tested by tests/laws/geometry/test_decomposition.py.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.formats.mesh_files import mesh_triangles
from locomote.geometry.shapes.hull import Hull, flatness, qhull
from locomote.spatial.numbers import as_numbers

PLANES = 8  # places along each direction at which cuts are tried
SAMPLES = 200  # points of a hull at which its error is looked at
AT_A_TIME = 2_000_000  # pairs of points and triangles
MOST_SIZE = 1e9  # m, of a mesh and of its scale
THIN = 1e-9  # of the size of a mesh: nearer than that to a plane is on it


@brief
@dataclass(frozen=True, eq=False)
class Piece:
    """Triangles (n, 3, 3) on one side of cuts, m.

    inner : (k, 3) places inside the solid where three cuts meet ; cuts : (c, 4) normals and places of the cuts that bound it
    volume : of the hull, m^3 ; error : of the hull, m
    """

    triangles: np.ndarray
    inner: np.ndarray
    cuts: np.ndarray
    volume: float = 0.0
    error: float = np.inf

    @property
    def points(self) -> np.ndarray:
        """(m, 3) points whose hull it has."""
        return np.concatenate([self.triangles.reshape(-1, 3), self.inner])


def convex_parts(mesh: Any, *, tolerance: float, parts: int = 32, scale=(1.0, 1.0, 1.0)) -> tuple[Hull, ...]:
    """Convex hulls that cover a mesh, to touch with it where its one hull would fill what is hollow.

    mesh : path of a file (STL, OBJ, MSH), or triangles (n, 3, 3), m, counter-clockwise from outside ; scale : of x, y, z
    tolerance : how far hulls may be outside the solid, m, as seen at some hundred points of each ; parts : at most
    """
    if not (isinstance(tolerance, Real) and 0.0 < tolerance < np.inf):
        raise ValueError(f"tolerance of convex parts is {tolerance!r:.40}, expected a length in m above 0")
    if not (isinstance(parts, int) and parts >= 1):
        raise ValueError(f"parts is {parts!r:.40}, expected a whole number from 1 on")
    given = mesh_triangles(str(mesh)) if isinstance(mesh, str) or hasattr(mesh, "__fspath__") else mesh
    solid, sizes = as_numbers(given, "triangles of a mesh", "(n, 3, 3)"), as_numbers(scale, "scale of a mesh", "(3,)")
    if sizes.shape != (3,) or not (abs(sizes) < MOST_SIZE).all():
        raise ValueError(f"scale of a mesh is {scale!r:.40}, expected three finite numbers below {MOST_SIZE:g}")
    if solid.ndim != 3 or solid.shape[1:] != (3, 3) or not len(solid) or not (abs(solid) < MOST_SIZE).all():
        raise ValueError(
            f"triangles of a mesh have shape {solid.shape}, expected at least one, (n, 3, 3), finite and below {MOST_SIZE:g} m"
        )
    solid = solid * sizes
    if np.einsum("nk,nk->n", solid[:, 0], np.cross(solid[:, 1], solid[:, 2])).sum() < 0.0:
        solid = solid[:, ::-1]  # the file, or a mirroring scale, has it inside out
    whole = Piece(solid, np.zeros((0, 3)), np.zeros((0, 4)), volume_of(solid.reshape(-1, 3)))
    pieces = [measured(whole, solid)]
    while len(pieces) < parts:
        worst = max(range(len(pieces)), key=lambda n: pieces[n].error)
        if pieces[worst].error <= tolerance:
            break
        halves = cut(pieces[worst], solid)
        if halves is None:
            pieces[worst] = replace(pieces[worst], error=0.0)  # nothing can be cut off it
        else:
            pieces[worst : worst + 1] = [measured(half, solid) for half in halves]
    return tuple(Hull(piece.points) for piece in pieces)  # type: ignore[arg-type]


def hull_error(hull: Hull, triangles: np.ndarray, solid: np.ndarray | None = None) -> float:
    """(1) of a hull; triangles : of its piece, (n, 3, 3) ; solid : all of the mesh, the same if None"""
    points = points_on(hull.corners)
    outside = points[winding(points, triangles if solid is None else solid) < 0.5]
    return float(distances(outside, triangles).max(initial=0.0))


def measured(piece: Piece, solid: np.ndarray) -> Piece:
    """A piece with its error."""
    return replace(piece, error=hull_error(Hull(piece.points), piece.triangles, solid))  # type: ignore[arg-type]


def volume_of(points: np.ndarray) -> float:
    """The volume of a hull, m^3; 0 of a flat one."""
    points = np.unique(points, axis=0)
    return float(qhull(points).volume) if len(points) > 3 and flatness(points)[0] == 3 else 0.0


def cut(piece: Piece, solid: np.ndarray) -> tuple[Piece, Piece] | None:
    """The two parts of a piece with the least volume times length of their hulls; None if no plane parts it."""
    points = piece.points
    _, _, own = flatness(points)
    best, least = None, np.inf
    for normal in np.concatenate([np.eye(3), own]):
        along = points @ normal
        low, high = along.min(), along.max()
        size = high - low
        corners = np.unique(np.round(along, 12))
        corners = corners[(corners > low + 1e-3 * size) & (corners < high - 1e-3 * size)]
        if len(corners) > PLANES:
            corners = corners[np.linspace(0, len(corners) - 1, PLANES).astype(int)]
        for place in (*corners, low + size / 2):
            one, two = below(piece, normal, place, solid), below(piece, -normal, -place, solid)
            if one is None or two is None:
                continue
            cost = sum(half.volume * float(np.linalg.norm(np.ptp(half.points, axis=0))) for half in (one, two))
            if cost < least:
                least, best = cost, (one, two)
    return best


def below(piece: Piece, normal: np.ndarray, place: float, solid: np.ndarray) -> Piece | None:
    """What a piece has where normal . x <= place; None if it has no triangles there."""
    triangles = clipped(piece.triangles, normal, place)
    if not len(triangles):
        return None
    met = corners_of_cuts(piece.cuts, normal, place, THIN * (1.0 + abs(triangles).max()))
    met = met[winding(met, solid) > 0.5] if len(met) else met
    inner = np.concatenate([piece.inner[piece.inner @ normal <= place], met])
    half = Piece(triangles, inner, np.vstack([piece.cuts, [*normal, place]]))
    return replace(half, volume=volume_of(half.points))


def corners_of_cuts(cuts: np.ndarray, normal: np.ndarray, place: float, near: float) -> np.ndarray:
    """(k, 3) where a plane meets two of the cuts before it, within all others."""
    found = []
    for one, two in combinations(cuts, 2):
        planes = np.array([one[:3], two[:3], normal])
        if abs(np.linalg.det(planes)) > 1e-9:
            found.append(np.linalg.solve(planes, [one[3], two[3], place]))
    points = np.array(found).reshape(-1, 3)
    return points[(points @ cuts[:, :3].T <= cuts[:, 3] + near).all(axis=1)]


def clipped(triangles: np.ndarray, normal: np.ndarray, place: float) -> np.ndarray:
    """(m, 3, 3) what triangles have where normal . x <= place, as triangles; those in the plane if the solid is there."""
    away = triangles @ normal - place
    away[abs(away) < THIN * (1.0 + abs(away).max())] = 0.0
    whole = (away <= 0.0).all(axis=1)
    outward = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) @ normal > 0.0
    found = [triangles[whole & ((away < 0.0).any(axis=1) | outward)]]
    for corners, height in zip(triangles[~whole], away[~whole], strict=True):
        if not (height < 0.0).any():
            continue
        kept = []
        for k in range(3):
            a, b, one, two = corners[k], corners[k - 2], height[k], height[k - 2]
            if one <= 0.0:
                kept.append(a)
            if one * two < 0.0:
                kept.append(a + one / (one - two) * (b - a))
        found.append(np.array([[kept[0], kept[k], kept[k + 1]] for k in range(1, len(kept) - 1)]).reshape(-1, 3, 3))
    return np.concatenate(found)


def points_on(corners: np.ndarray) -> np.ndarray:
    """(n, 3) points on the surface of a hull: middles of its triangles, and others by their areas."""
    if len(corners) < 4 or flatness(corners)[0] < 3:
        return corners
    faces = corners[qhull(corners).simplices]
    areas = np.linalg.norm(np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), axis=1)
    rng = np.random.default_rng(0)
    chosen = faces[rng.choice(len(faces), SAMPLES, p=areas / areas.sum())]
    middles = faces[np.argsort(-areas)[:SAMPLES]].mean(axis=1)
    return np.concatenate([middles, (rng.dirichlet(np.ones(3), SAMPLES)[:, :, None] * chosen).sum(axis=1)])


def winding(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(n,) how much of what can be seen from points the triangles fill: 1 inside a closed mesh, 0 outside."""
    total = np.zeros(len(points))
    rows = max(1, AT_A_TIME // max(len(points), 1))
    for first in range(0, len(triangles), rows):
        a, b, c = (triangles[None, first : first + rows, k] - points[:, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
        above = np.einsum("nmk,nmk->nm", a, np.cross(b, c))
        below = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
        total += 2.0 * np.arctan2(above, below).sum(axis=1)
    return abs(total) / (4.0 * np.pi)


def distances(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(n,) distances of points to triangles."""
    least = np.full(len(points), np.inf)
    rows = max(1, AT_A_TIME // max(len(points), 1))
    for first in range(0, len(triangles), rows):
        a, b, c = (triangles[None, first : first + rows, k] for k in range(3))
        p = points[:, None]
        near = np.minimum(np.minimum(to_edge(p, a, b), to_edge(p, b, c)), to_edge(p, c, a))
        n = np.cross(b - a, c - a)
        sides = [np.einsum("nmk,nmk->nm", np.cross(y - x, p - x), np.broadcast_to(n, (len(points), *n.shape[1:])))
                 for x, y in ((a, b), (b, c), (c, a))]  # fmt: skip
        length = np.linalg.norm(n, axis=2)
        over = (sides[0] >= 0) & (sides[1] >= 0) & (sides[2] >= 0) & (length > 0)
        height = abs(((p - a) * n).sum(2)) / np.where(length > 0, length, 1.0)
        least = np.minimum(least, np.where(over, height, near).min(axis=1))
    return least


def to_edge(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distances of points to edges."""
    along = b - a
    square = (along * along).sum(-1)
    s = np.clip(((p - a) * along).sum(-1) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    return np.linalg.norm(p - a - s[..., None] * along, axis=-1)
