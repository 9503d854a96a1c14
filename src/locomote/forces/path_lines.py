"""The lines that strings follow at a posture, to be looked at."""

from collections.abc import Sequence

import numpy as np

from locomote.forces.paths import BALL, END, RADIUS, SHAPE, SIDE, START, WHERE, places_of, spans_of
from locomote.forces.wrapping import wrapped
from locomote.model.paths import Path

STEP = 0.2  # rad between points of a curve


def lines_of(path: Path, poses: np.ndarray, bodies: Sequence[str]) -> list[np.ndarray]:
    """Points (n, 3) along each branch of a path at poses (bodies, 4, 4) of named bodies, curves as chords."""
    frames = [own if body is None else poses[list(bodies).index(str(body))] @ own for body, own in places_of(path)]
    branches: list[list[np.ndarray]] = []
    for span in spans_of(path):
        start, end = frames[int(span[START])][:3, 3], frames[int(span[END])][:3, 3]
        if not branches or not np.array_equal(branches[-1][-1], start):
            branches.append([start])
        if span[SHAPE] >= 0:
            R, x = frames[int(span[SHAPE])][:3, :3], frames[int(span[SHAPE])][:3, 3]
            ends = tuple(R.T @ (start - x)), tuple(R.T @ (end - x))
            yes, first, last, length = wrapped(*ends, span[RADIUS], span[BALL], tuple(span[SIDE : SIDE + 3]), span[WHERE])
            if yes > 0.5:
                curve = _curve(np.array(first), np.array(last), span[RADIUS], span[BALL], float(length))
                branches[-1] += [x + R @ point for point in curve]
        branches[-1].append(end)
    return [np.array(branch) for branch in branches]


def _curve(first: np.ndarray, last: np.ndarray, radius: float, ball: float, length: float) -> list[np.ndarray]:
    """Points on a shape, along the curve of a length from one to another."""
    round_part = np.array([1.0, 1.0, ball])
    rise = (last - first) * (1.0 - round_part)
    angle = np.sqrt(max(length**2 - rise @ rise, 0.0)) / radius
    if angle < 1e-6:
        return [first]
    a, b = first * round_part / radius, last * round_part / radius
    across = (b - a * np.cos(angle)) * (1.0 if np.sin(angle) >= 0 else -1.0)
    across = across / max(float(np.linalg.norm(across)), 1e-12)
    shares = np.linspace(0.0, 1.0, int(angle / STEP) + 3)
    base = first * (1.0 - round_part)
    return [radius * (np.cos(k * angle) * a + np.sin(k * angle) * across) + base + k * rise for k in shares]
