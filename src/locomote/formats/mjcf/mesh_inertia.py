"""The inertia of meshes, as MuJoCo computes it: of the solid, of its convex hull, of its surface, or the older way.

exact    sum over triangles of the signed tetrahedron to a common point
legacy   the same with volumes that are all taken positive, seen from the center: too much where it is not convex
convex   exact, of the hull
shell    sum over triangles of their areas
"""

import numpy as np

from locomote.spatial.inertia import Inertia

KINDS = ("legacy", "convex", "exact", "shell")
# integrals of x_i x_j over a triangle or tetrahedron with corners (0, a, b, ...): measure / n (sum x)(sum x)^T + sum x x^T
TETRAHEDRON, TRIANGLE = 20.0, 12.0


def mesh_inertia(triangles: np.ndarray, kind: str, *, density: float = 1000.0, mass: float | None = None) -> Inertia:
    """Inertia of a mesh (n, 3, 3) in its frame; density : kg/m^3, of a shell kg/m^2; mass : instead of it, kg."""
    if kind == "convex":
        triangles = hull_of(triangles)
    areas = 0.5 * np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    if not areas.sum() > 0:
        raise ValueError("its faces have no area")
    middle = (areas[:, None] * triangles.mean(1)).sum(0) / areas.sum()
    divisor = TRIANGLE if kind == "shell" else TETRAHEDRON
    measure, center, second = integrals(triangles, middle, kind)
    if kind == "legacy":  # once more, seen from the center that was found
        middle, center = middle + center, np.zeros(3)
        measure, _, second = integrals(triangles, middle, kind)
    if kind != "shell" and not measure > 1e-14 * areas.sum() ** 1.5:
        raise ValueError("it encloses no volume; its faces may be inside out")
    second = second / divisor / measure - np.outer(center, center)
    weight = density * measure if mass is None else mass
    return Inertia(weight, middle + center, weight * (np.trace(second) * np.eye(3) - second))


def integrals(triangles: np.ndarray, seen_from: np.ndarray, kind: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume (of a shell area), center, and second moments times the divisor of the simplex, all seen from a point."""
    corners = triangles - seen_from
    if kind == "shell":
        cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        measure, points = 0.5 * np.linalg.norm(cross, axis=1), corners.mean(1)
    else:
        measure = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
        measure, points = np.abs(measure) if kind == "legacy" else measure, 0.75 * corners.mean(1)
    summed, total = corners.sum(1), float(measure.sum())
    second = np.einsum("n,ni,nj->ij", measure, summed, summed) + np.einsum("n,nki,nkj->ij", measure, corners, corners)
    return total, (measure[:, None] * points).sum(0) / (total or 1.0), second


def hull_of(triangles: np.ndarray) -> np.ndarray:
    """(n, 3, 3) triangles of the convex hull, turned outwards."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(triangles.reshape(-1, 3))
    except QhullError:
        raise ValueError("it is flat, so it has no convex hull") from None
    faces = hull.points[hull.simplices]
    outward = np.einsum("ni,ni->n", np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), hull.equations[:, :3])
    return np.where(outward[:, None, None] < 0, faces[:, ::-1], faces)
