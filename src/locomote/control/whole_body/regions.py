"""Regions of the mass center over contacts: polygons in x and y, by linear programs, and how far within them a point is."""

from typing import NamedTuple

import numpy as np

from locomote.control.whole_body.contacts import Contact, Pyramid

DIRECTIONS, SAME, GAIN, MOST = 16, 1e-9, 1e-6, 400  # first directions; m, below which corners are one, or not sought; corners
FLAT = 1e-12  # m^2, area of a polygon that is a line


class Bearing(NamedTuple):
    """What contacts bear.

    force : (3,) N, world, at the mass center ; height : m, of the center, which matters where the force is not vertical
    """

    force: np.ndarray
    height: float = 0.0


WEIGHT = Bearing(np.array([0.0, 0.0, -1.0]))


def region_of(points, normals, frictions, bounds=None, *, bearing: Bearing = WEIGHT, sides: int = 8) -> np.ndarray:
    """(n, 2) corners, counterclockwise, of the places of the mass center at which forces of points bear what there is to bear.

    points, normals : (n, 3) world ; frictions : (n,) ; bounds : (n, 2) least and most normal force of a point, N; 0 and no end
    Between two corners that were found one looks for a farther one, across, until it is less than a micrometre farther.
    """
    find = _Search(np.asarray(points), np.asarray(normals), np.asarray(frictions), bounds, bearing, sides)
    found = [find(angle) for angle in 2 * np.pi * (np.arange(DIRECTIONS) + 0.1) / DIRECTIONS]  # not along usual edges
    corners = distinct(found)
    k = 0
    while 1 < len(corners) < MOST and k < len(corners):
        one, two = corners[k], corners[(k + 1) % len(corners)]
        across = np.array([two[1] - one[1], one[0] - two[0]])
        across /= np.linalg.norm(across)
        new = find(float(np.arctan2(across[1], across[0])))
        known = min(np.linalg.norm(new - old) for old in corners)
        if across @ (new - one) > GAIN and known > SAME:
            corners.insert(k + 1, new)
        else:
            k += 1
    return np.array(corners)


class _Search:
    """The farthest place of the mass center along a direction: sum f = -F ,  sum p x f + c x F = 0 , per size of F."""

    def __init__(self, points, normals, frictions, bounds, bearing: Bearing, sides: int):
        size = float(np.linalg.norm(bearing.force))
        if size == 0.0:
            raise ValueError("there is nothing to bear: neither weight nor a push")
        cone, edges, where = Pyramid(sides), [], []
        for point, normal, mu in zip(points, normals, frictions, strict=True):
            axes = Contact("point", normal=normal).axes
            edges += list(np.column_stack([mu * cone.corners, np.ones(len(cone.corners))]) @ axes.T)
            where += [point] * len(cone.corners)
        F, P = np.array(edges).reshape(-1, 3).T, np.array(where).reshape(-1, 3)
        (x, y, z), h = bearing.force / size, bearing.height
        self.A = np.zeros((6, F.shape[1] + 2))
        self.A[:3, :-2], self.A[3:, :-2] = F, np.cross(P, F.T).T
        self.A[3:, -2:] = [[0.0, z], [-z, 0.0], [y, -x]]
        self.b = np.array([-x, -y, -z, h * y, -h * x, 0.0])
        self.ranges = [(0, None)] * F.shape[1] + [(None, None)] * 2
        self.rows, self.most = None, None
        if bounds is not None and len(bounds):
            sums = np.kron(np.eye(len(bounds)), np.ones(len(cone.corners)))
            sums = np.hstack([sums, np.zeros((len(bounds), 2))])
            low, high = np.asarray(bounds, dtype=float).T / size
            needed, ended = low > 0.0, np.isfinite(high)
            if needed.any() or ended.any():
                self.rows = np.vstack([-sums[needed], sums[ended]])
                self.most = np.concatenate([-low[needed], high[ended]])

    def __call__(self, angle: float) -> np.ndarray:
        from scipy.optimize import linprog

        cost = np.zeros(self.A.shape[1])
        cost[-2:] = -np.cos(angle), -np.sin(angle)
        found = linprog(cost, A_ub=self.rows, b_ub=self.most, A_eq=self.A, b_eq=self.b, bounds=self.ranges)
        if found.status == 3:
            raise ValueError("the region is not bounded: contacts clamp the body from two sides")
        if found.status != 0:
            raise ValueError("these contacts can hold the body nowhere: no forces within their friction bear its weight")
        return found.x[-2:]


def distinct(corners) -> list[np.ndarray]:
    """Corners without those that are there already."""
    kept: list[np.ndarray] = []
    for corner in corners:
        if not any(np.linalg.norm(corner - old) < 100 * SAME for old in kept):
            kept.append(corner)
    return kept


def sides_of(polygon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outward normals (n, 2) and offsets (n,) of the sides of a convex polygon that goes round counterclockwise."""
    along = np.roll(polygon, -1, axis=0) - polygon
    normals = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    return normals, (normals * polygon).sum(axis=1)


def within(polygon: np.ndarray, point) -> float:
    """m, the distance of a point to the edge of a convex polygon (n, 2), negative outside."""
    point, ends = np.asarray(point, dtype=float), np.roll(polygon, -1, axis=0)
    along = ends - polygon
    share = ((point - polygon) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300)
    away = float(np.linalg.norm(polygon + np.clip(share, 0.0, 1.0)[:, None] * along - point, axis=1).min())
    if len(polygon) < 3:
        return -away
    normals, offsets = sides_of(polygon)
    inside = offsets - normals @ point
    return float(inside.min()) if inside.min() >= 0.0 else -away


def eroded(polygon: np.ndarray, margin: float) -> np.ndarray:
    """The part of a convex polygon that is a margin (m) or more away from its edge."""
    if not 0.0 <= margin < np.inf:
        raise ValueError(f"margin is {margin!r}, expected a distance from 0, m")
    if margin == 0.0:
        return polygon
    left = polygon if len(polygon) > 2 else polygon[:0]
    for normal, offset in zip(*sides_of(polygon), strict=True) if len(left) else ():
        beyond = left @ normal - (offset - margin)
        kept = []
        for k in range(len(left)):
            one, two, a, b = left[k], left[(k + 1) % len(left)], beyond[k], beyond[(k + 1) % len(left)]
            kept += [one] if a <= 0.0 else []
            kept += [one + (two - one) * a / (a - b)] if (a < 0.0 < b) or (b < 0.0 < a) else []
        left = np.array(kept).reshape(-1, 2)
        if not len(left):
            break
    if not len(left):
        raise ValueError(f"no place of the mass center is {margin:g} m within the support region: ask for less")
    return np.array(distinct(left))


def middle_of(polygon: np.ndarray) -> np.ndarray:
    """(2,) centroid of a polygon (n, 2)."""
    x, y = (polygon - polygon[0]).T
    x1, y1 = np.roll(x, -1), np.roll(y, -1)
    area = x * y1 - x1 * y
    if abs(area.sum()) < FLAT:
        return polygon.mean(axis=0)
    return polygon[0] + np.array([((x + x1) * area).sum(), ((y + y1) * area).sum()]) / (3.0 * area.sum())
