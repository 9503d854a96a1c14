"""A torus about z of its own frame: a wheel, a tyre, a ring, a round channel. Numbers: radius of the circle in the middle of
its tube, and that of the tube, negative for the inside. Without a tube it is a thin disc, without the other radius a ball.

As a surface, with the place y at a distance rho from z, and c the nearest point of the circle:

    c = radius (y_x, y_y, 0) / rho ,   gap = |y - c| - tube ,   n = (y - c) / |y - c| ,   inside turned round        (1)
    dc = radius / rho times what dy has along the circle ,   n' = unit_rate(y - c, dy - dc)                          (2)

As what rolls, e being the axle:

    s = -radius m - tube n ,   m = the unit vector along n - (n . e) e                                               (3)

On a plane, or a sphere, the lowest point of the circle is where the tube touches; two more let it lie flat.
"""

from dataclasses import dataclass

import numpy as np

from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry import shape as geo
from locomote.geometry.shapes.disc import ANGLES
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.sphere import Sphere
from locomote.model.joints.axes import turn_to
from locomote.spatial.algebra import dot, scale, subtract

TORUS = 8


@dataclass(frozen=True)
class Torus(geo.Surface):
    """A ring: a tyre of a body, or what bodies touch and roll on, from outside, or inside its tube.

    radius : of the circle in the middle of the tube, m ; tube : radius of the tube, m ; axis : of the ring, through `center`
    """

    radius: float
    tube: float
    center: geo.Vector = (0.0, 0.0, 0.0)
    axis: geo.Vector = (0.0, 0.0, 1.0)
    inside: bool = False


def pack(torus: Torus):
    if torus.radius < 0 or torus.tube < 0 or not torus.radius + torus.tube > 0:
        raise ValueError(f"radius {torus.radius!r} and tube {torus.tube!r} must not be negative, nor both zero")
    if torus.inside and not 0 < torus.tube < torus.radius:
        raise ValueError(
            f"the inside of a torus has radius {torus.radius!r} and tube {torus.tube!r}: the tube must be positive, and "
            f"narrower than the ring"
        )
    tube = -torus.tube if torus.inside else torus.tube
    return (torus.radius, tube), geo.framed(turn_to(geo.unit_vector(torus.axis, "axle")), torus.center)


@helper
def from_circle(surface, y):
    """The nearest unit vector from z towards y, the distance from z, and y - c."""
    flat = geo.apart((y[0], y[1], 0.0))
    rho = sqrt(dot(flat, flat))
    m = scale(1.0 / rho, flat)
    return m, rho, subtract((flat[0], flat[1], y[2]), scale(surface[geo.SIZE], m))


@helper
def gap(surface, y):
    m, rho, away = from_circle(surface, y)
    r, tube = geo.apart(away), surface[geo.RISE]
    length, sign = sqrt(dot(r, r)), select(tube < 0.0, -1.0, 1.0)
    return scale(sign / length, r), sign * length - tube  # (1)


@helper
def normal_rate(surface, y, dy):
    m, rho, r = from_circle(surface, y)
    along = (dy[0], dy[1], 0.0)
    dc = scale(surface[geo.SIZE] / rho, subtract(along, scale(dot(m, along), m)))
    return scale(select(surface[geo.RISE] < 0.0, -1.0, 1.0), geo.unit_rate(r, subtract(dy, dc)))  # (2)


@helper
def support(shape, n):
    s = scale(-shape[geo.RISE], n)
    if shape[geo.SIZE] > 0.0:
        s = subtract(s, scale(shape[geo.SIZE], geo.unit((n[0], n[1], 0.0))))  # (3), the axle is z
    return s


@helper
def support_rate(shape, n, rate):
    s = scale(-shape[geo.RISE], rate)
    if shape[geo.SIZE] > 0.0:
        s = subtract(s, scale(shape[geo.SIZE], geo.unit_rate((n[0], n[1], 0.0), (rate[0], rate[1], 0.0))))
    return s


def mesh(torus: Torus, around):
    pose = geo.framed(meshes.along(np.zeros(3), np.array(torus.axis, dtype=float)), torus.center)
    made = meshes.torus(torus.radius, max(torus.tube, 0.02 * torus.radius), rings=12 if around is None else 24)
    return geo.opened(made) if torus.inside else made, pose


def rim(torus: Torus, surface) -> list[geo.Spot]:
    """Balls about three points of the circle."""
    if torus.inside:
        raise ValueError("the inside of a torus is a surface to touch, and no shape of a body that touches")
    if torus.radius == 0:
        return [geo.Spot(radius=float(torus.tube))]
    return [geo.Spot(radius=float(torus.tube), rim=float(torus.radius), angle=angle) for angle in ANGLES]


ROW = geo.Row(
    Torus, TORUS, pack, gap, normal_rate, support, support_rate, mesh=mesh, solid=True,
    pairs={(Torus, Plane): rim, (Torus, Sphere): rim},
)  # fmt: skip
