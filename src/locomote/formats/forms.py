"""Rotations and directions back into the forms that files use.

A reader computes a rotation from angles or a quaternion and rounds on the way. So several candidates are turned into a
rotation as the reader does, and the one that comes nearest is taken: for numbers that came from a file it usually is the same
to the last bit, for others within some 1e-16.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import atan2, copysign, cos, hypot, nextafter, pi, remainder, sin

import numpy as np

from locomote.formats import poses
from locomote.spatial.rotations_arrays import quaternion_from_matrix

Form = tuple[float, ...]
FRACTION = pi / 12  # most angles of robots are multiples of it
MOST_DIGITS = 16


def nearest(candidates: Iterable[Form], read: Callable[[Form], np.ndarray], wanted: np.ndarray) -> tuple[Form, float]:
    """The first candidate that `read` brings nearest to what is wanted, and how far off it is."""
    best, least = (), np.inf
    for candidate in candidates:
        error = float(np.max(abs(read(candidate) - wanted)))
        if error < least:
            best, least = candidate, error
        if error == 0.0:
            break
    return best, least


def to_rpy(rotation: np.ndarray) -> tuple[Form, float]:
    """Roll, pitch and yaw (rad) as in `poses.from_rpy`, and how far off they are."""
    return nearest(_angles(rotation), lambda angles: poses.from_rpy(*angles), rotation)


def to_quaternion(rotation: np.ndarray) -> tuple[Form, float]:
    """A quaternion, scalar last, as in `poses.from_quaternion`, and how far off it is."""
    plain = tuple(quaternion_from_matrix(rotation).tolist())
    candidates = (plain, tuple(part / max(map(abs, plain)) for part in plain))
    return nearest(candidates, lambda quaternion: poses.from_quaternion(*quaternion), rotation)


def to_xy_axes(rotation: np.ndarray) -> tuple[Form, float]:
    """The x and the y axis as in `poses.from_xy_axes`, and how far off they are."""
    axes = tuple(rotation[:, :2].T.ravel().tolist())
    return axes, float(np.max(abs(poses.from_xy_axes(axes[:3], axes[3:]) - rotation)))


def to_direction(axis: np.ndarray) -> Form:
    """Three numbers that `poses.unit` turns into this axis of unit length."""
    return nearest(_directions(axis), poses.unit, axis)[0]


def _directions(axis: np.ndarray) -> Iterator[Form]:
    """Candidates: the axis, round numbers in its direction, and its neighbours among the numbers of the machine."""
    plain, scaled = tuple(axis.tolist()), tuple((axis / abs(axis).max()).tolist())
    yield from (plain, scaled)
    for form, digits in product((plain, scaled), range(1, MOST_DIGITS)):
        rounded = np.round(form, digits)
        if rounded.any() and np.max(abs(rounded / np.linalg.norm(rounded) - axis)) < 1e-15:
            yield tuple(rounded.tolist())
    yield from product(*((x, nextafter(x, 9.0), nextafter(x, -9.0)) if x else (x,) for x in plain))


def _angles(rotation: np.ndarray) -> Iterator[Form]:
    """Candidates, round ones first: every rotation has two triples of angles, and files have either."""
    pitch = atan2(-rotation[2, 0], hypot(rotation[0, 0], rotation[1, 0]))
    yaw = atan2(rotation[1, 0], rotation[0, 0])
    # with the yaw taken back: also near pitch = pi/2, where only the two together are determined
    c, s = cos(yaw), sin(yaw)
    roll = atan2(rotation[0, 2] * s - rotation[1, 2] * c, rotation[1, 1] * c - rotation[0, 1] * s)
    slack = 1e-15 / max(cos(pitch), 1e-7)
    for triple in ((roll, pitch, yaw), (roll + pi, pi - pitch, yaw + pi)):
        yield from product(*(_values(angle, slack) for angle in triple))


def _values(angle: float, slack: float) -> list[float]:
    """An angle between -pi and pi, or near one of them on either side, after round values that it may have been."""
    angle = remainder(angle, 2 * pi)
    found = []
    for wrapped in (angle, angle - copysign(2 * pi, angle)):
        if abs(wrapped) > pi + 0.01:
            continue
        snapped = round(wrapped / FRACTION) * FRACTION
        digits = (round(wrapped, digits) for digits in range(1, MOST_DIGITS))
        shortest = next((short for short in digits if abs(short - wrapped) <= slack), wrapped)
        found += [snapped] if abs(snapped - wrapped) < 1e-12 + slack else []
        found += [shortest, wrapped]
    return list(dict.fromkeys(found))
