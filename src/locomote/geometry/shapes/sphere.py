"""A sphere, from outside or inside; on a body, a ball. Numbers: its radius, negative for the inside.

gap = |y| - radius ,   n = y / |y| ,   inside turned round
"""

from dataclasses import dataclass

from locomote.compiler.scalars import select, sqrt
from locomote.compiler.source import helper
from locomote.geometry import meshes
from locomote.geometry.shape import SIZE, Row, Spot, Surface, Vector, apart, framed, opened, unit_rate
from locomote.spatial.algebra import dot, scale

SPHERE = 1


@dataclass(frozen=True)
class Sphere(Surface):
    """A sphere; things roll on its outside, or on its inside."""

    center: Vector = (0.0, 0.0, 0.0)
    radius: float = 1.0
    inside: bool = False


def signed_radius(shape) -> float:
    """The number of a sphere or cylinder."""
    if not shape.radius > 0:
        raise ValueError(f"radius of the surface is {shape.radius!r}, it must be positive")
    return -shape.radius if shape.inside else shape.radius


def pack(sphere: Sphere):
    return (signed_radius(sphere),), framed(at=sphere.center)


@helper
def gap(surface, y):
    r, radius = apart(y), surface[SIZE]
    length, sign = sqrt(dot(r, r)), select(radius > 0.0, 1.0, -1.0)
    return scale(sign / length, r), sign * length - radius


@helper
def normal_rate(surface, y, dy):
    return scale(select(surface[SIZE] > 0.0, 1.0, -1.0), unit_rate(y, dy))


def mesh(sphere: Sphere, around):
    made = meshes.sphere(sphere.radius, rings=12 if around is None else 24)
    return opened(made) if sphere.inside else made, framed(at=sphere.center)


def ball(sphere: Sphere, surface) -> list[Spot]:
    """A ball on any surface."""
    return [Spot(radius=float(sphere.radius))]


ROW = Row(Sphere, SPHERE, pack, gap, normal_rate, mesh=mesh, pairs={(Sphere, Surface): ball}, solid=True, drawn=True)
