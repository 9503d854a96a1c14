"""Points of a body: they touch every surface, and are none."""

from dataclasses import dataclass

import numpy as np

from locomote.geometry.shape import Row, Shape, Spot, Surface, Vector


@dataclass(frozen=True)
class PointSet(Shape):
    """Points of a body that may touch."""

    points: tuple[Vector, ...]


def pack(shape: PointSet):
    return (), np.eye(4)


def spots(shape: PointSet, surface) -> list[Spot]:
    return [Spot(np.array(point)) for point in shape.points]


ROW = Row(PointSet, None, pack, pairs={(PointSet, Surface): spots})
