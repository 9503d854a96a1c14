"""A torus about z of its own frame: a wheel, a tyre, a ring. Numbers: radius of the circle in the middle of its tube, and that
of the tube. Without a tube it is a thin disc, without the other a ball.

    s = -radius m - tube n ,   m = the unit vector along n - (n . e) e ,   e the axle                                (1)
"""

from dataclasses import dataclass

from locomote.compiler.source import helper
from locomote.geometry.shape import RISE, SIZE, Row, Shape, Vector, framed, unit, unit_rate, unit_vector
from locomote.model.packing import turn_to
from locomote.spatial.algebra import scale, subtract

TORUS = 8


@dataclass(frozen=True)
class Torus(Shape):
    """A wheel: radius of the circle in the middle of its tube, radius of the tube, m."""

    radius: float
    tube: float
    center: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)


def pack(torus: Torus):
    if torus.radius < 0 or torus.tube < 0 or not torus.radius + torus.tube > 0:
        raise ValueError(f"radius {torus.radius!r} and tube {torus.tube!r} must not be negative, nor both zero")
    return (torus.radius, torus.tube), framed(turn_to(unit_vector(torus.axis, "axle")), torus.center)


@helper
def support(shape, n):
    s = scale(-shape[RISE], n)
    if shape[SIZE] > 0.0:
        s = subtract(s, scale(shape[SIZE], unit((n[0], n[1], 0.0))))  # (1), the axle is z
    return s


@helper
def support_rate(shape, n, rate):
    s = scale(-shape[RISE], rate)
    if shape[SIZE] > 0.0:
        s = subtract(s, scale(shape[SIZE], unit_rate((n[0], n[1], 0.0), (rate[0], rate[1], 0.0))))
    return s


ROW = Row(Torus, TORUS, pack, support=support, support_rate=support_rate)
