"""A surface as the user says it, as numbers for kernels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.compiler.callbacks import Callback
from locomote.geometry.gaps import BOX, CAPSULE, CYLINDER, HEIGHT, PLANE, SPHERE, STEPS, SURFACE_NUMBERS
from locomote.geometry.surfaces import Box, Capsule, Cylinder, HeightField, Plane, Sphere, Steps
from locomote.model.joints.axes import turn_to

MOST_STEPS = 1000


@dataclass(frozen=True)
class PackedSurface:
    """Kind, numbers and frame (4, 4) of a surface, and the function of a height field."""

    kind: int
    numbers: np.ndarray
    frame: np.ndarray
    callback: Callback | None = None


def pack_surface(surface: Any) -> PackedSurface:
    """A surface ready for kernels; a ValueError says what is wrong with it."""
    kind, numbers, frame, callback = PLANE, np.zeros(SURFACE_NUMBERS), np.eye(4), None
    if isinstance(surface, Plane):
        normal = unit_vector(surface.normal, "normal")
        frame[:3, :3], frame[:3, 3] = np.eye(3) if tuple(normal) == (0, 0, 1) else turn_to(normal), surface.point
    elif isinstance(surface, Sphere):
        kind, frame[:3, 3] = SPHERE, surface.center
    elif isinstance(surface, Cylinder):
        kind, frame[:3, 3] = CYLINDER, surface.point
        frame[:3, :3] = turn_to(unit_vector(surface.axis, "axis"))[:, [1, 2, 0]]  # y along the axis
    elif isinstance(surface, HeightField):
        kind, given = HEIGHT, surface.function
        function = given if hasattr(given, "address") else ground_function(given)
        callback = Callback(function, (8, 8, 8), name="the ground")
    elif isinstance(surface, Steps):
        kind, frame[:3, 3] = STEPS, surface.point
        c, s = np.cos(surface.heading), np.sin(surface.heading)
        frame[:2, :2] = [[c, -s], [s, c]]
        if not (surface.run > 0 and surface.rise > 0 and 1 <= surface.count <= MOST_STEPS):
            raise ValueError(
                f"steps have run {surface.run!r}, rise {surface.rise!r}, count {surface.count!r}: lengths must be positive, "
                f"and there must be 1 to {MOST_STEPS} steps"
            )
        numbers[:] = surface.run, surface.rise, int(surface.count)
    elif isinstance(surface, Box):
        kind, frame[:3, 3], numbers[:] = BOX, surface.center, surface.half
        if not numbers.min() > 0:
            raise ValueError(f"half lengths of a box are {surface.half!r}, they must be positive")
    elif isinstance(surface, Capsule):
        kind, frame[:3, 3], numbers[:2] = CAPSULE, surface.center, (surface.radius, surface.half)
        frame[:3, :3] = turn_to(unit_vector(surface.axis, "axis"))
        if not numbers[:2].min() > 0:
            raise ValueError(f"a capsule has radius {surface.radius!r} and half length {surface.half!r}, they must be positive")
    else:
        raise ValueError(f"unknown surface {surface!r:.60}; known: Plane, Sphere, Cylinder, HeightField, Steps, Box, Capsule")
    if isinstance(surface, (Sphere, Cylinder)):
        if not surface.radius > 0:
            raise ValueError(f"radius of the surface is {surface.radius!r}, it must be positive")
        numbers[0] = -surface.radius if surface.inside else surface.radius
    if not (np.isfinite(numbers).all() and np.isfinite(frame).all()):
        raise ValueError(f"all numbers of a surface must be finite: {surface!r:.100}")
    return PackedSurface(kind, numbers, frame, callback)


def unit_vector(value, label: str) -> np.ndarray:
    """Three numbers as a vector of unit length."""
    vector = np.array(value, dtype=float)
    length = np.linalg.norm(vector)
    if vector.shape != (3,) or not np.isfinite(length) or length < 1e-12:
        raise ValueError(f"{label} must be three numbers, not all zero; it is {value!r}")
    return vector / length


def ground_function(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """A height function of (x, y) as a callback: six numbers, padded to eight."""

    def ground(t, q, v):
        return np.concatenate([np.asarray(function(q[0], q[1]), dtype=float), np.zeros(2)])

    return ground
