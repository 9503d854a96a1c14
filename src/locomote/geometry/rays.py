"""Whether a ray meets a convex body: parts of the line that are within, shape by shape.

Of the line p + s d the part within a body is an interval of s; a ray, s >= 0, meets it if that part does not end before 0.
"""

import numpy as np

NONE = (np.inf, -np.inf)
ALL = (-np.inf, np.inf)


def meets(shape: str, size: tuple[float, ...], point: np.ndarray, along: np.ndarray) -> bool:
    """Whether the ray from a point (3,) along a direction (3,) meets a body at the origin, in its axes.

    shape, size : "sphere" (radius), "ellipsoid" (radii), "box" (half edges), "cylinder" or "capsule" along z (radius, half of
        the length)
    """
    p, d = np.asarray(point, float), np.asarray(along, float)
    if shape in ("sphere", "ellipsoid"):
        radii = np.array(size[:3] if shape == "ellipsoid" else size[:1] * 3, float)
        parts = [within_ball(p / radii, d / radii)]
    elif shape == "box":
        parts = [both(*(between(p[k], d[k], size[k]) for k in range(3)))]
    elif shape in ("cylinder", "capsule"):
        radius, half = size[:2]
        parts = [both(within_ball(p[:2] / radius, d[:2] / radius), between(p[2], d[2], half))]
        ends = [np.array([0.0, 0.0, s * half]) for s in (-1, 1)] if shape == "capsule" else []
        parts += [within_ball((p - end) / radius, d / radius) for end in ends]
    else:
        raise ValueError(f"rays meet spheres, ellipsoids, boxes, cylinders and capsules, not a {shape}")
    return any(low <= high and high >= 0.0 for low, high in parts)


def within_ball(p: np.ndarray, d: np.ndarray) -> tuple[float, float]:
    """The part of a line in the ball, or disc, of radius 1."""
    a, b, c = float(d @ d), float(p @ d), float(p @ p) - 1.0
    if a == 0.0:
        return ALL if c <= 0.0 else NONE
    square = b * b - a * c
    return NONE if square < 0.0 else ((-b - square**0.5) / a, (-b + square**0.5) / a)


def between(p: float, d: float, half: float) -> tuple[float, float]:
    """The part of a line between two planes."""
    if d == 0.0:
        return ALL if abs(p) <= half else NONE
    one, two = (-half - p) / d, (half - p) / d
    return min(one, two), max(one, two)


def both(*parts: tuple[float, float]) -> tuple[float, float]:
    """What parts of a line have in common."""
    return max(low for low, _ in parts), min(high for _, high in parts)
