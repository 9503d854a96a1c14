"""A capsule: all places less than a radius from a piece of an axis, z of its own frame. Numbers: radius, half length.

gap = |r| - radius ,   n = r / |r| ,   r from the nearest place of the axis
"""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry import shape as geo
from locomote.geometry.shapes.cylinder import Cylinder
from locomote.geometry.shapes.height_field import HeightField
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.sphere import Sphere
from locomote.geometry.shapes.steps import Steps
from locomote.model.joints.axes import turn_to
from locomote.spatial.algebra import dot, scale

CAPSULE = 6


@dataclass(frozen=True)
class Capsule(geo.Surface):
    """A cylinder with half balls at its ends, that bodies may touch from outside.

    radius, half : of the balls, and half the distance of their centers, m ; axis : through both
    """

    radius: float
    half: float
    center: geo.Vector = (0.0, 0.0, 0.0)
    axis: geo.Vector = (0.0, 0.0, 1.0)


def pack(capsule: Capsule):
    if not (capsule.radius > 0 and capsule.half > 0):
        raise ValueError(f"a capsule has radius {capsule.radius!r} and half length {capsule.half!r}, they must be positive")
    return (capsule.radius, capsule.half), geo.framed(turn_to(geo.unit_vector(capsule.axis, "axis")), capsule.center)


@helper
def gap(surface, y):
    half = surface[geo.RISE]
    r = geo.apart((y[0], y[1], y[2] - select(y[2] < half, select(y[2] > -half, y[2], -half), half)))
    length = sqrt(dot(r, r))
    return scale(1.0 / length, r), length - surface[geo.SIZE]


@helper
def normal_rate(surface, y, dy):
    half = surface[geo.RISE]
    r = (y[0], y[1], y[2] - select(y[2] < half, select(y[2] > -half, y[2], -half), half))
    return geo.unit_rate(r, (dy[0], dy[1], dy[2] if abs(y[2]) > half else 0.0))


def mesh(capsule: Capsule, around):
    pose = geo.framed(meshes.along(np.zeros(3), np.array(capsule.axis, dtype=float)), capsule.center)
    return meshes.capsule(capsule.radius, 2 * capsule.half), pose


def ends(capsule: Capsule) -> list[np.ndarray]:
    """Both ends of the axis."""
    return [np.array([0.0, 0.0, s * float(capsule.half)]) for s in (-1, 1)]


def balls(capsule: Capsule, surface=None) -> list[geo.Spot]:
    """The two ends."""
    return [geo.Spot(end, float(capsule.radius)) for end in ends(capsule)]


def between_ends(capsule: Capsule, surface) -> list[geo.Spot]:
    """Also where the axis is nearest, on what bulges or has edges: from inside only the ends touch."""
    if getattr(surface, "inside", False):
        return balls(capsule)
    return [*balls(capsule), geo.Spot(radius=float(capsule.radius), rim=geo.CROSSING, edge=ends(capsule)[1])]


ROW = geo.Row(
    Capsule, CAPSULE, pack, gap, normal_rate, mesh=mesh, smooth=False, solid=True,
    pairs={(Capsule, Plane): balls}
    | {(Capsule, surface): between_ends for surface in (Sphere, Cylinder, HeightField, Steps, Capsule)},
)  # fmt: skip
