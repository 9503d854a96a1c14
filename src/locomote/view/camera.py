"""Where a scene is looked at from.

The camera looks across the sides from which most of the mechanism is seen: a flat thing from its flat side, a tall one from the
front. It stands still if the whole motion fits into the picture, else it goes along with the mechanism.
"""

from dataclasses import dataclass

import numpy as np

from locomote.view.scene import Frames, Scene, piece_corners

ANGLE = np.radians(32.0)  # vertical angle of view
LEAST = 0.3  # how much of each side is seen at least, of the one that is seen most
FOLLOW = 2.5  # how many times the size of the mechanism its way may be before the camera goes along
MARGIN = 1.12


@dataclass(frozen=True, eq=False)
class Camera:
    """A place to look from: `direction` (3,) is the unit vector from what is looked at to the eye.

    targets : (n, 3) what is looked at at each time, m ; distance : from it to the eye, m ; span : size of what is seen, m
    up : (3,) what is upwards in pictures
    whole : where to look, and from how far, to see all of the motion; None if that is what the camera does
    """

    direction: np.ndarray
    targets: np.ndarray
    distance: float
    span: float
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    whole: tuple[np.ndarray, float] | None = None

    def axes(self) -> np.ndarray:
        """(3, 3) right, up and backwards as columns."""
        back = self.direction
        side = np.cross(self.up, back)
        side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-9 else np.array([1.0, 0.0, 0.0])
        return np.column_stack([side, np.cross(back, side), back])


def camera_for(scene: Scene, frames: Frames, aspect: float) -> Camera:
    """The camera of a motion, for pictures `aspect` times as wide as high."""
    corners = piece_corners(scene, frames.poses)
    for poses, _ in frames.tubes:
        corners = np.concatenate([corners, poses[..., :3, 3]], axis=1)
    turn = upright(scene.up)
    corners = corners @ turn.T
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = (low + high) / 2
    own = np.maximum((high - low).max(axis=0), 1e-6)  # size of the mechanism alone
    whole = high.max(axis=0) - low.min(axis=0)  # size of its motion
    follows = whole.max() > FOLLOW * own.max()
    extent = own if follows else whole
    direction = seen_from(extent)
    center = np.broadcast_to((low.min(axis=0) + high.max(axis=0)) / 2, middle.shape)
    targets = smoothed(middle) if follows else center
    distance = far_enough(corners - targets[:, None], direction, aspect)
    back = turn.T @ direction
    whole = (turn.T @ center[0], far_enough(corners - center[:, None], direction, aspect)) if follows else None
    return Camera(back, targets @ turn, distance, float(extent.max()), scene.up, whole)


def far_enough(around: np.ndarray, direction: np.ndarray, aspect: float) -> float:
    """From where one sees points (..., 3) about what is looked at: |x| <= (d - z) half aspect, |y| <= (d - z) half."""
    seen = around.reshape(-1, 3) @ Camera(direction, around, 1.0, 1.0).axes()
    half = np.tan(ANGLE / 2)
    needed = seen[:, 2] + np.maximum(abs(seen[:, 0]) / (half * aspect), abs(seen[:, 1]) / half) * MARGIN
    return float(max(needed.max(), 1e-3))


def upright(up: tuple[float, float, float]) -> np.ndarray:
    """(3, 3) from the world to axes whose z is upwards: the identity, or a change of the order of axes."""
    k = int(np.argmax(np.abs(up)))
    if k == 2:
        return np.eye(3)
    z = np.asarray(up, dtype=float)
    x = np.eye(3)[(k + 1) % 3]
    return np.stack([x, np.cross(z, x), z])


def seen_from(extent: np.ndarray) -> np.ndarray:
    """(3,) unit vector from a box with edges `extent` towards the eye: it sees most of the largest side."""
    x, y, z = np.maximum(extent, 1e-9)
    sides = np.array([y * z, x * z, x * y])
    sides = LEAST + (1 - LEAST) * sides / sides.max()
    direction = np.array([0.75 * sides[0], -sides[1], 0.65 * sides[2]])
    return direction / np.linalg.norm(direction)


def smoothed(points: np.ndarray) -> np.ndarray:
    """A way without its quick to and fro."""
    count = len(points)
    width = max(1, count // 12)
    if count < 8:
        return points
    padded = np.concatenate([np.repeat(points[:1], width, axis=0), points, np.repeat(points[-1:], width, axis=0)])
    sums = np.cumsum(np.concatenate([np.zeros((1, 3)), padded]), axis=0)
    return (sums[2 * width + 1 :] - sums[: -2 * width - 1]) / (2 * width + 1)
