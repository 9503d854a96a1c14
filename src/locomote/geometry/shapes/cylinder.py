"""A cylinder without ends, from outside or inside; its axis is y of its own frame. Numbers: as those of a sphere."""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import select
from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry.shape import SIZE, Row, Surface, Vector, framed, opened, unit_rate, unit_vector
from locomote.geometry.shapes import sphere
from locomote.model.joints.axes import turn_to
from locomote.spatial.algebra import scale

CYLINDER = 2


@dataclass(frozen=True)
class Cylinder(Surface):
    """A cylinder about an axis; things roll on its outside, or on its inside."""

    point: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    radius: float = 1.0
    inside: bool = False


def pack(cylinder: Cylinder):
    turn = turn_to(unit_vector(cylinder.axis, "axis"))[:, [1, 2, 0]]  # y along the axis
    return (sphere.signed_radius(cylinder),), framed(turn, cylinder.point)


@helper
def gap(surface, y):
    return sphere.gap(surface, (y[0], 0.0, y[2]))


@helper
def normal_rate(surface, y, dy):
    sign = select(surface[SIZE] > 0.0, 1.0, -1.0)
    return scale(sign, unit_rate((y[0], 0.0, y[2]), (dy[0], 0.0, dy[2])))


def mesh(cylinder: Cylinder, around):
    """As far as the motion goes."""
    low, high = around
    made = meshes.cylinder(cylinder.radius, 2 * float(max((high - low).max(), 1e-3)))
    pose = framed(meshes.along(np.zeros(3), np.array(cylinder.axis, dtype=float)), cylinder.point)
    return opened(made) if cylinder.inside else made, pose


ROW = Row(Cylinder, CYLINDER, pack, gap, normal_rate, mesh=mesh, drawn=True)
