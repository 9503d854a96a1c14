"""Parts that systems are made of: full shapes with their inertia and their looks, and the check of parameters."""

import math
from typing import Any

import numpy as np

from locomote.errors import ModelError
from locomote.model.description import Visual
from locomote.spatial.inertia import Inertia


def at(x: float, y: float, z: float) -> np.ndarray:
    """(4, 4) pose of a displacement, m."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def box(mass: float, size, centre=(0.0, 0.0, 0.0)) -> dict[str, Any]:
    """Arguments of Builder.body for a full box with edges `size` (m)."""
    return _part(Inertia.box(mass, size), Visual("box", tuple(size), at(*centre)))


def ellipsoid(mass: float, semi_axes, centre=(0.0, 0.0, 0.0)) -> dict[str, Any]:
    """Arguments of Builder.body for a full ellipsoid."""
    return _part(Inertia.ellipsoid(mass, semi_axes), Visual("ellipsoid", tuple(semi_axes), at(*centre)))


def hanging(mass: float, radius: float, length: float) -> dict[str, Any]:
    """Arguments of Builder.body for a full capsule of total length `length` (m), hanging down from the body's origin."""
    straight = length - 2 * radius
    return _part(Inertia.capsule(mass, radius, straight), Visual("capsule", (radius, straight), at(0.0, 0.0, -length / 2)))


def _part(inertia: Inertia, visual: Visual) -> dict[str, Any]:
    return {"inertia": inertia.moved(visual.placement), "visuals": (visual,)}


def check_parameters(system: str, positive: dict[str, Any], not_negative: dict[str, Any]) -> None:
    """Raise a ModelError that names every parameter which is not a finite number above zero, or from zero."""
    faults = []
    for values, zero, wanted in ((positive, False, "above 0"), (not_negative, True, "from 0")):
        for name, value in values.items():
            number = value if isinstance(value, int | float | np.number) else math.nan
            if not (0 < number < math.inf or (zero and number == 0)):
                faults.append(f"parameter {name!r} is {value!r}, expected a finite number {wanted}")
    if faults:
        raise ModelError(f"system {system!r}", faults)
