"""Parts that systems are made of: shapes with their inertia and their looks, places, and poses."""

from typing import Any

import numpy as np

from locomote.model.description import Visual
from locomote.spatial.inertia import Inertia

UPRIGHT = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
"""Pose of a plane that stands up: its x is the world's x, its y the world's z, so that angles about its z, which is the
world's -y, grow from x towards up."""


def at(x: float, y: float, z: float) -> np.ndarray:
    """(4, 4) pose of a displacement, m."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def turned(angle: float, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    """(4, 4) pose of a turn about z at a place of the plane, rad and m."""
    pose, c, s = np.eye(4), np.cos(angle), np.sin(angle)
    pose[:2, :2] = [[c, -s], [s, c]]
    pose[:2, 3] = x, y
    return pose


def along_y() -> np.ndarray:
    """(4, 4) pose of a frame whose z axis is the y axis outside: for cylinders that lie across."""
    pose = np.eye(4)
    pose[:3, :3] = [[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]]
    return pose


def box(mass: float, size, center=(0.0, 0.0, 0.0)) -> dict[str, Any]:
    """Arguments of Builder.body for a full box with edges `size` (m)."""
    return _part(Inertia.box(mass, size), Visual("box", tuple(size), at(*center)))


def ellipsoid(mass: float, semi_axes, center=(0.0, 0.0, 0.0)) -> dict[str, Any]:
    """Arguments of Builder.body for a full ellipsoid."""
    return _part(Inertia.ellipsoid(mass, semi_axes), Visual("ellipsoid", tuple(semi_axes), at(*center)))


def with_neck(head: dict[str, Any], radius: float, reach: tuple[float, float]) -> dict[str, Any]:
    """A head that is seen on a neck, which weighs nothing, from reach[0] to reach[1] along z (m)."""
    low, high = reach
    neck = Visual("cylinder", (radius, high - low), at(0.0, 0.0, (low + high) / 2))
    return head | {"visuals": (*head["visuals"], neck)}


def hanging(mass: float, radius: float, length: float) -> dict[str, Any]:
    """Arguments of Builder.body for a full capsule of total length `length` (m), hanging down from the body's origin."""
    straight = length - 2 * radius
    return _part(Inertia.capsule(mass, radius, straight), Visual("capsule", (radius, straight), at(0.0, 0.0, -length / 2)))


def wheel(mass: float, axial: float, across: float, radius: float) -> dict[str, Any]:
    """Arguments of Builder.body for a wheel about its y axis, with its moments of inertia about and across the axle."""
    looks = Visual("cylinder", (radius, 0.15 * radius), along_y())
    return {"inertia": Inertia(mass, moment=(across, axial, across)), "visuals": (looks,)}


def rod(mass: float, length: float, *, start: float = 0.0, thickness: float = 0.0) -> dict[str, Any]:
    """Arguments of Builder.body for a slender rod along x that begins at `start` (m)."""
    middle = start + length / 2
    thickness = thickness or 0.06 * length
    looks = Visual("box", (length, thickness, thickness), at(middle, 0.0, 0.0))
    moment = mass * length**2 / 12
    return {"inertia": Inertia(mass, (middle, 0.0, 0.0), (0.0, moment, moment)), "visuals": (looks,)}


def _part(inertia: Inertia, visual: Visual) -> dict[str, Any]:
    return {"inertia": inertia.moved(visual.placement), "visuals": (visual,)}
