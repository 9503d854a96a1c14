"""Where packed frames stand on their joints' axes.

A frame whose joint turns about or slides along z may be turned about z and shifted along it without changing what the joint
does. This freedom is spent so that a pose in the parent needs few numbers, and the recursions few operations:

    R = Rz(fork) Rx(lean) Rz(start + q) ,   o a constant

`lean` is the angle between the two axes. `fork` turns the parent's x axis to the common normal of both axes. The parent's frame
is turned so that fork is zero for its first child, and the child's shifted so that o = (x, 0, z). Axes that are nearly
parallel, but not quite, have a normal that tells nothing and may be far away: they get a fork, and no shift.
"""

import math

import numpy as np

from locomote.model.joints import SCREWS

ALIGNED = 1e-14  # sine of the angle between axes that count as parallel
STEEP = 0.3  # least sine of that angle with which a frame is shifted: the shift is at most three times the distance of joints
ROUNDING = 1e-15


def tidy(x: float) -> float:
    """x, or 0, 1 or -1 if it differs by rounding only."""
    near = float(round(x))
    return near if abs(x - near) < ROUNDING else x


def unit(x: float, y: float) -> tuple[float, float]:
    """A direction of length one."""
    size = math.hypot(x, y)
    return tidy(x / size), tidy(y / size)


def turn_z(s: float, c: float) -> np.ndarray:
    return np.array([[c, -s, 0.0, 0.0], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def turn_x(s: float, c: float) -> np.ndarray:
    return np.array([[1.0, 0.0, 0.0, 0.0], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


def turns(R: np.ndarray) -> tuple[float, ...]:
    """Sine and cosine of fork, lean and start of a rotation."""
    x, y, cos_lean = float(R[0, 2]), float(R[1, 2]), tidy(float(R[2, 2]))
    sin_lean, sin_fork, cos_fork = math.hypot(x, y), 0.0, 1.0
    if sin_lean < ALIGNED:
        sin_lean, cos_lean = 0.0, math.copysign(1.0, cos_lean)
    else:
        sin_fork, cos_fork = unit(x, -y)
        if cos_fork < 0.0:
            sin_lean, sin_fork, cos_fork = -sin_lean, -sin_fork, -cos_fork
        if abs(sin_fork * sin_lean) < ROUNDING:
            sin_fork, cos_fork = 0.0, 1.0
        sin_lean, cos_lean = unit(sin_lean, cos_lean)
    rest = (turn_z(sin_fork, cos_fork) @ turn_x(sin_lean, cos_lean))[:3, :3].T @ R
    return sin_fork, cos_fork, sin_lean, cos_lean, *unit(float(rest[1, 0]), float(rest[0, 0]))


def shift_along_axis(seen: np.ndarray) -> float:
    """How far a frame, seen from its parent, is best shifted along its z."""
    (x, y, z), (ox, oy, oz) = seen[:3, 2].tolist(), seen[:3, 3].tolist()
    size = math.hypot(x, y)
    if size < ALIGNED:
        return -oz / z
    if size < STEEP:
        return 0.0
    return -(ox * x + oy * y) / (size * size)  # no part of o is left across the common normal


def facing(seen: np.ndarray) -> tuple[float, float]:
    """Sine and cosine of the turn that brings the x axis to the common normal with a child's axis, or to the child itself if
    axes are nearly parallel. `seen` is the pose of the child."""
    (x, y, _), (ox, oy, _) = seen[:3, 2].tolist(), seen[:3, 3].tolist()
    size = math.hypot(x, y)
    if size >= STEEP or (size >= ALIGNED and ox == oy == 0.0):
        c, s = unit(-y, x)
    elif math.hypot(ox, oy) > 0.0:
        c, s = unit(ox, oy)
    else:
        return 0.0, 1.0
    return (s, c) if (c, s) > (0.0, 0.0) else (-s, -c)


def place_frames(fixed: list[np.ndarray], parents: list[int], kinds: list[int]) -> list[np.ndarray]:
    """The pose of each body's new frame in its old one, from the constant poses of the old ones in their parents."""
    first_child: dict[int, int] = {}
    for i, p in enumerate(parents):
        if kinds[i] in SCREWS:
            first_child.setdefault(p, i)
    frames: list[np.ndarray] = []
    for i, p in enumerate(parents):
        if kinds[i] not in SCREWS:
            frames.append(np.eye(4))
            continue
        seen = fixed[i] if p < 0 else inverse(frames[p]) @ fixed[i]
        if i in first_child:
            s, c = facing(fixed[first_child[i]])
        else:
            *_, s, c = turns(seen[:3, :3])
            s = -s
        frame = turn_z(s, c)
        frame[2, 3] = shift_along_axis(seen)
        frames.append(frame)
    return frames


def inverse(g: np.ndarray) -> np.ndarray:
    """The inverse of a pose."""
    result = np.eye(4)
    result[:3, :3] = g[:3, :3].T
    result[:3, 3] = -g[:3, :3].T @ g[:3, 3]
    return result
