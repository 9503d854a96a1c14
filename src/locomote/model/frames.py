"""Where packed frames stand on their joints' axes.

A frame whose joint turns about or slides along z may be turned about z and shifted along it without changing what the joint
does. This freedom is spent so that a pose in the parent needs few numbers, and the recursions few operations:

    R = Rz(fork) Rx(lean) Rz(start + q) ,   o a constant

`lean` is the angle between the two axes. `fork` turns the parent's x axis to the common normal of both axes. The parent's frame
is turned so that fork is zero for its first child, and the child's shifted so that o = (x, 0, z). Axes that are nearly
parallel, but not quite, have a normal that tells nothing and may be far away: they get a fork, and no shift.
"""

import numpy as np

from locomote.model.joints import SCREWS

ALIGNED = 1e-14  # sine of the angle between axes that count as parallel
STEEP = 0.3  # least sine of that angle with which a frame is shifted: the shift is at most three times the distance of joints
ROUNDING = 1e-15


def tidy(x: np.ndarray) -> np.ndarray:
    """x, but 0, 1 and -1 where it differs from them by rounding only."""
    near = np.rint(x)
    return np.where(abs(x - near) < ROUNDING, near, x)


def units(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions of length one; (1, 0) for none."""
    size = np.hypot(x, y)
    safe = np.where(size > 0.0, size, 1.0)
    return tidy(np.where(size > 0.0, x / safe, 1.0)), tidy(y / safe)


def turns(R: np.ndarray) -> np.ndarray:
    """(n, 6) sine and cosine of fork, lean and start of rotations (n, 3, 3)."""
    x, y, cos_lean = R[:, 0, 2], R[:, 1, 2], R[:, 2, 2]
    sin_lean = np.hypot(x, y)
    aligned = sin_lean < ALIGNED
    cos_fork, sin_fork = units(-y, x)
    sign = np.where(cos_fork < 0.0, -1.0, 1.0)
    straight = aligned | (abs(sin_fork * sin_lean) < ROUNDING)
    sin_fork, cos_fork = np.where(straight, 0.0, sign * sin_fork), np.where(straight, 1.0, sign * cos_fork)
    cos_lean, sin_lean = units(cos_lean, np.where(aligned, 0.0, sign * sin_lean))
    a, b, c = R[:, 0, 0], R[:, 1, 0], R[:, 2, 0]
    cos_start, sin_start = units(cos_fork * a + sin_fork * b, cos_lean * (cos_fork * b - sin_fork * a) + sin_lean * c)
    return np.stack([sin_fork, cos_fork, sin_lean, cos_lean, sin_start, cos_start], axis=1)


def facing(poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sines and cosines of the turns that bring x axes to the common normals with the axes of children, or to the children
    themselves where axes are nearly parallel. `poses` (n, 4, 4) are those of the children."""
    x, y, ox, oy = poses[:, 0, 2], poses[:, 1, 2], poses[:, 0, 3], poses[:, 1, 3]
    size = np.hypot(x, y)
    normal = (size >= STEEP) | ((size >= ALIGNED) & (ox == 0.0) & (oy == 0.0))
    c, s = units(np.where(normal, -y, ox), np.where(normal, x, oy))
    sign = np.where((c < 0.0) | ((c == 0.0) & (s < 0.0)), -1.0, 1.0)
    return sign * s, sign * c


def shifts(poses: np.ndarray, parents: list[int], kinds: list[int]) -> list[float]:
    """How far frames are best shifted along their z: so that nothing of o is left across the common normal, or along parallel
    axes."""
    z, o = poses[:, :3, 2], poses[:, :3, 3]
    square = z[:, 0] ** 2 + z[:, 1] ** 2
    across = -(o[:, 0] * z[:, 0] + o[:, 1] * z[:, 1]) / np.where(square > 0.0, square, 1.0)
    aligned, steep = (square < ALIGNED**2).tolist(), (square >= STEEP**2).tolist()
    result: list[float] = []
    for i, (height, up, side) in enumerate(zip(o[:, 2].tolist(), z[:, 2].tolist(), across.tolist(), strict=True)):
        if kinds[i] not in SCREWS:
            result.append(0.0)
        elif aligned[i]:
            result.append(((result[parents[i]] if parents[i] >= 0 else 0.0) - height) / up)
        else:
            result.append(side if steep[i] else 0.0)
    return result


def place_frames(fixed: np.ndarray, parents: list[int], kinds: list[int]) -> np.ndarray:
    """(n, 4, 4) poses of new frames in the old ones, from the constant poses of these in their parents (-1 for the world)."""
    first_child: dict[int, int] = {}
    for i, p in enumerate(parents):
        if kinds[i] in SCREWS and p not in first_child:
            first_child[p] = i
    frames = np.tile(np.eye(4), (len(parents), 1, 1))
    outer = [i for i in first_child if i >= 0 and kinds[i] in SCREWS]
    tips = [i for i in range(len(parents)) if kinds[i] in SCREWS and i not in first_child]
    put_turns(frames, outer, *facing(fixed[[first_child[i] for i in outer]]))
    seen = (
        np.concatenate([frames, np.eye(4)[None]])[[parents[i] for i in tips], :3, :3].transpose(0, 2, 1) @ fixed[tips, :3, :3]
    )
    start = turns(seen)
    put_turns(frames, tips, -start[:, 4], start[:, 5])
    frames[:, 2, 3] = shifts(fixed, parents, kinds)
    return frames


def put_turns(frames: np.ndarray, rows: list[int], s: np.ndarray, c: np.ndarray) -> None:
    """Turns about z into some of the frames."""
    frames[rows, 0, 0], frames[rows, 0, 1] = c, -s
    frames[rows, 1, 0], frames[rows, 1, 1] = s, c


def inverse(g: np.ndarray) -> np.ndarray:
    """The inverse of a pose."""
    result = np.eye(4)
    result[:3, :3] = turn = g[:3, :3].T
    result[:3, 3] = -turn @ g[:3, 3]
    return result


def inverses(g: np.ndarray) -> np.ndarray:
    """The inverses of poses (n, 4, 4)."""
    result = np.tile(np.eye(4), (len(g), 1, 1))
    result[:, :3, :3] = g[:, :3, :3].transpose(0, 2, 1)
    result[:, :3, 3] = -(result[:, :3, :3] @ g[:, :3, 3, None])[:, :, 0]
    return result
