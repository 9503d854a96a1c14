"""An ellipsoid that rolls. Numbers: its semi-axes.

s = -D n / sqrt(n . D n) ,   D squared semi-axes                                                                 (2)
"""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import sqrt
from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry.shape import COUNT, RISE, SIZE, Row, Shape, Vector
from locomote.spatial.algebra import dot, scale, subtract

ELLIPSOID = 7


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """A rolling ellipsoid with semi-axes along the axes of its frame, m."""

    semi_axes: Vector


def pack(ellipsoid: Ellipsoid):
    if not min(ellipsoid.semi_axes) > 0:
        raise ValueError(f"semi-axes {ellipsoid.semi_axes!r} must be positive")
    return ellipsoid.semi_axes, np.eye(4)


@helper
def support(shape, n):
    a, b, d = shape[SIZE], shape[RISE], shape[COUNT]
    D = (a * a * n[0], b * b * n[1], d * d * n[2])
    return scale(-1.0 / sqrt(dot(n, D)), D)  # (2)


@helper
def support_rate(shape, n, rate):
    a, b, d = shape[SIZE], shape[RISE], shape[COUNT]
    D, E = (a * a * n[0], b * b * n[1], d * d * n[2]), (a * a * rate[0], b * b * rate[1], d * d * rate[2])
    square = dot(n, D)
    return scale(-1.0 / sqrt(square), subtract(E, scale(dot(n, E) / square, D)))


def mesh(ellipsoid: Ellipsoid, around):
    return meshes.ellipsoid(*ellipsoid.semi_axes), np.eye(4)


ROW = Row(Ellipsoid, ELLIPSOID, pack, support=support, support_rate=support_rate, mesh=mesh)
