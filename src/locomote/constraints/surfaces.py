"""What a wheel or a ball rolls on, and the shapes that roll: plain data, as the user says it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Plane:
    """A plane through `point` with the given normal, in the frame of the body it belongs to."""

    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Sphere:
    """A sphere; things roll on its outside, or on its inside."""

    center: Vector = (0.0, 0.0, 0.0)
    radius: float = 1.0
    inside: bool = False


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about an axis; things roll on its outside, or on its inside."""

    point: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    radius: float = 1.0
    inside: bool = False


@dataclass(frozen=True)
class HeightField:
    """A smooth ground z = f(x, y).

    function : (x, y) -> (f, df/dx, df/dy, d2f/dx2, d2f/dxdy, d2f/dy2), m, or a Numba cfunc of the signature of callbacks with
        q = (x, y) and six results
    """

    function: Callable[..., Any]


Surface = Plane | Sphere | Cylinder | HeightField


@dataclass(frozen=True)
class Ellipsoid:
    """A rolling ellipsoid with semi-axes along the axes of its frame, m."""

    semi_axes: Vector
