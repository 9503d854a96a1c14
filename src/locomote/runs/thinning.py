"""What a picture shows of many samples, and what samples show of a motion."""

import math

import numpy as np

from locomote.runs.trajectory import Trajectory

POINTS = 4000  # points of one line
MISSED = 0.5  # part of its span that a coordinate moves from one sample to the next, so that lines do not show its motion


def thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of a line, or of a long one the extremes of x and y in each of many parts, so that no spike is lost."""
    if len(x) <= POINTS:
        return x, y
    columns = [np.nan_to_num(y)] + ([] if (np.diff(x) >= 0).all() else [np.nan_to_num(x)])
    edges = np.linspace(0, len(x), POINTS // (2 * len(columns)) + 1).astype(int)
    kept = {0, len(x) - 1}
    for start, stop in zip(edges[:-1], edges[1:], strict=True):
        for column in columns:
            part = column[start:stop]
            kept.update((start + int(part.argmin()), start + int(part.argmax())))
    rows = np.array(sorted(kept))
    return x[rows], y[rows]


def parts_of(count: int) -> np.ndarray:
    """Where each of many parts of a number of samples starts."""
    return np.unique(np.linspace(0, count, min(count, POINTS // 2) + 1).astype(int)[:-1])


def extremes(x: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The value of each part of x, from one start to the next, that is furthest from the mean of all."""
    mean = float(np.mean(x[np.isfinite(x)])) if np.isfinite(x).any() else 0.0
    high, low = np.fmax.reduceat(x, starts), np.fmin.reduceat(x, starts)
    return np.where(high - mean >= mean - low, high, low)


def thinning(run: Trajectory) -> str:
    """What is said of a run that is drawn by some of its samples."""
    return f"drawn by the extremes of {len(run)} samples" if len(run) > POINTS else ""


def misses(run: Trajectory) -> bool:
    """Whether a coordinate goes to and fro from one sample to the next, so that lines between samples are not its motion."""
    if len(run) < 3:
        return False
    spacing, plain = float(np.median(np.diff(run.t))), run.model.coordinates
    pairs = [] if run.model.coupling else zip(plain.plain_q, plain.plain_v, strict=True)
    for i, k in pairs:
        typical = math.sqrt(float(np.mean(np.nan_to_num(run.v[:, k]) ** 2)))
        if spacing * typical > max(MISSED * float(np.ptp(np.nan_to_num(run.q[:, i]))), 1e-9):
            return True
    return run.net_motion is not None and run.net_motion.is_coarse
