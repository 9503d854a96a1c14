"""What bodies roll and stand on, and the shapes that roll: plain data, as the user says it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from locomote.brief import brief

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Plane:
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


@brief
@dataclass(frozen=True)
class HeightField:
    """A smooth ground z = f(x, y).

    function : (x, y) -> (f, df/dx, df/dy, d2f/dx2, d2f/dxdy, d2f/dy2), m, or a Numba cfunc of the signature of callbacks with
        q = (x, y) and six results
    """

    function: Callable[..., Any]


@dataclass(frozen=True)
class Steps:
    """Stairs that go up along x from x = 0 and are as wide as you like: so many steps of equal run and rise, flat before and
    after. They have edges, so nothing can roll on them by a constraint.

    run, rise : length and height of a step, m ; point : the foot of the first step ; heading : of the way up, rad from x
    """

    run: float
    rise: float
    count: int = 1
    point: Vector = (0.0, 0.0, 0.0)
    heading: float = 0.0


Surface = Plane | Sphere | Cylinder | HeightField | Steps


@dataclass(frozen=True)
class Box:
    """A box with these half lengths, m, that bodies may touch from outside; its axes are those of the body that carries it."""

    half: Vector
    center: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Capsule:
    """A cylinder with half balls at its ends, that bodies may touch from outside.

    radius, half : of the balls, and half the distance of their centres, m ; axis : through both
    """

    radius: float
    half: float
    center: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Ellipsoid:
    """A rolling ellipsoid with semi-axes along the axes of its frame, m."""

    semi_axes: Vector
