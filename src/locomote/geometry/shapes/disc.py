"""A thin disc of a body, about z: its lowest point and two more of its rim may touch."""

from dataclasses import dataclass

import numpy as np

from locomote.geometry import meshes
from locomote.geometry.shape import Row, Shape, Spot
from locomote.geometry.shapes.box import Box
from locomote.geometry.shapes.capsule import Capsule
from locomote.geometry.shapes.cylinder import Cylinder
from locomote.geometry.shapes.height_field import HeightField
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.sphere import Sphere
from locomote.geometry.shapes.steps import Steps

ANGLES = (0.0, 2 * np.pi / 3, -2 * np.pi / 3)  # three points, so that it can lie flat


@dataclass(frozen=True)
class Disc(Shape):
    """A thin disc about z."""

    radius: float


def pack(disc: Disc):
    return (disc.radius,), np.eye(4)


def mesh(disc: Disc, around):
    return meshes.cylinder(disc.radius, 0.05 * disc.radius), np.eye(4)


def rim(disc: Disc, surface) -> list[Spot]:
    return [Spot(rim=float(disc.radius), angle=angle) for angle in ANGLES]


SURFACES = (Plane, Sphere, Cylinder, HeightField, Steps, Box, Capsule)
ROW = Row(Disc, None, pack, mesh=mesh, pairs={(Disc, surface): rim for surface in SURFACES})
