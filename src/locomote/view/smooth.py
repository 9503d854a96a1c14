"""Smooth lines through some places: Catmull and Rom's cubic, for points, radii, values and poses."""

import numpy as np


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) of length one."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def between(values: np.ndarray, count: int, axis: int = 0) -> np.ndarray:
    """Values along an axis with count - 1 others in between, by Catmull and Rom's cubic."""
    v = np.moveaxis(values, axis, 0)
    padded = np.concatenate([2 * v[:1] - v[1:2], v, 2 * v[-1:] - v[-2:-1]])
    a, b, c, d = padded[:-3], padded[1:-2], padded[2:-1], padded[3:]
    parts = []
    for t in np.arange(count) / count:
        cubic = 2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
        parts.append(cubic / 2)
    inner = np.stack(parts, axis=1).reshape(-1, *v.shape[1:])
    return np.moveaxis(np.concatenate([inner, v[-1:]]), 0, axis)


def finer(poses: np.ndarray, count: int) -> np.ndarray:
    """Poses (n, k, 4, 4) with count - 1 others between each two, whose x axes stay along the line as far as they were."""
    found = between(poses, count, axis=1)
    x = unit(found[..., :3, 0])
    y = found[..., :3, 1]
    y = unit(y - np.sum(x * y, axis=-1, keepdims=True) * x)
    found[..., :3, 0], found[..., :3, 1], found[..., :3, 2] = x, y, np.cross(x, y)
    found[..., 3, :] = (0.0, 0.0, 0.0, 1.0)
    return found
