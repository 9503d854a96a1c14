"""A plane, in its own frame z = 0."""

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry.shape import Row, Surface, Vector, framed, unit_vector
from locomote.model.joints.axes import turn_to

PLANE = 0


@dataclass(frozen=True)
class Plane(Surface):
    """A plane through `point` with the given normal, in the frame of the body it belongs to."""

    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)

    @classmethod
    def slope(cls, angle: float, heading: float = 0.0) -> "Plane":
        """A plane through the origin that falls by an angle (rad) towards a heading (rad from x)."""
        for label, value in (("angle", angle), ("heading", heading)):
            if not isinstance(value, Real) or not abs(value) < math.inf:
                raise ValueError(f"{label} of a slope is {value!r:.40}, expected a finite number, rad")
        s = math.sin(angle)
        return cls(normal=(s * math.cos(heading), s * math.sin(heading), math.cos(angle)))

    @property
    def level(self) -> bool:
        """Whether it is horizontal, where z is up."""
        return bool(unit_vector(self.normal, "normal")[2] > 1 - 1e-9)


def pack(plane: Plane):
    normal = unit_vector(plane.normal, "normal")
    return (), framed(np.eye(3) if tuple(normal) == (0, 0, 1) else turn_to(normal), plane.point)


@helper
def gap(surface, y):
    return (0.0, 0.0, 1.0), y[2]


def mesh(plane: Plane, around):
    """As far as the motion goes."""
    low, high = around
    normal = unit_vector(plane.normal, "normal")
    pose, span = framed(meshes.along(np.zeros(3), normal), plane.point), float(max((high - low).max(), 1e-3))
    pose[:3, 3] += (np.eye(3) - np.outer(normal, normal)) @ ((low + high) / 2 - pose[:3, 3])
    return meshes.plate(1.6 * span, 1.6 * span), pose


ROW = Row(Plane, PLANE, pack, gap, mesh=mesh)
