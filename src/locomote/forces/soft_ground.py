"""Ground that gives way: springs and dampers below points or balls of bodies, with friction, on any surface.

d is the depth of a point in the ground, n the normal there, v the velocity of the point, v_n = n.v, v_t = v - v_n n:

    linear            f_n = max(0, k d - c v_n)                                                                      (1)
    hunt-crossley     f_n = max(0, k d^p (1 - c v_n))                c in s/m                                        (2)
    regularised       f_t = -f_n M^2 v_t / sqrt(|M v_t|^2 + s^2) ,   M = diag(mu_1, mu_2) ,  s = slow |M|            (3)
    viscous           f_t = -min(b |v_t|, mu f_n) v_t / |v_t|                                                        (4)
    energy            k d^(p+1) / (p+1) ,   p = 1 in (1)                                                            (5)

where d > 0, nothing elsewhere. A ball touches at its center - radius n. The directions of M are the x axis of the place as the
tangent plane sees it, and the one across. (1) with (4) is the law of S.V. Shah, S.K. Saha, J.K. Dutt (2012).
(2) after K.H. Hunt, F.R.E. Crossley: Coefficient of restitution interpreted as damping in vibroimpact (1975).
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import exp, log, select, sqrt
from locomote.contact.along import radius_at
from locomote.errors import UnknownName
from locomote.forces.along import Line
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number, a_vector
from locomote.forces.terms import Place, Term
from locomote.geometry.shape import Shape, Surface
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.table import pack_surface, row_of
from locomote.model.flexible.along import Along, rod_of
from locomote.model.model import Model
from locomote.spatial.algebra import add, cross, dot, rotate, scale, subtract, unrotate

NORMALS = ("linear", "hunt-crossley")
SLIDINGS = ("regularised", "viscous", "none")


@functools.cache
def soft_gap(gap: Callable) -> Callable:
    """Normal, gap, and how much of the gap a motion r turns into, of a surface with a gap of its own."""

    def gap_of(y, r, sizes):
        n, away = gap((0, sizes[0], sizes[1], sizes[2]), y)
        return n, away, dot(n, r)

    return gap_of


def linear_force(d, rate, k, c, p):
    """(1) and (5) where d > 0; rate : of d."""
    f = k * d + c * rate
    return select(f > 0.0, f, 0.0), 0.5 * k * d * d, k * d * rate


def hunt_crossley_force(d, rate, k, c, p):
    """(2) and (5)."""
    rise = k * exp(p * log(select(d > 0.0, d, 1.0)))
    f = rise * (1.0 + c * rate)
    return select(f > 0.0, f, 0.0), rise * d / (p + 1.0), rise * rate


def regularised_friction(f, v, along, across, mu, slow, b):
    """(3)."""
    x, y = mu[0] * dot(along, v), mu[1] * dot(across, v)
    by = -f / sqrt(x * x + y * y + 0.5 * (mu[0] * mu[0] + mu[1] * mu[1]) * slow * slow + 1e-30)
    return add(scale(by * mu[0] * x, along), scale(by * mu[1] * y, across))


def viscous_friction(f, v, along, across, mu, slow, b):
    """(4)."""
    speed = sqrt(dot(v, v) + 1e-24)
    most = mu[0] * f / speed
    return scale(-select(b < most, b, most), v)


def no_friction(f, v, along, across, mu, slow, b):
    """Ice."""
    return (0.0, 0.0, 0.0)


@functools.cache
def soft_law(gap_of: Callable, normal: Callable, friction: Callable) -> Callable:
    """The law of one point or ball on a surface in the pose (S, s)."""

    def soft_ground(t, R, o, u, w, S, s, sizes, k, c, p, mu, slow, b, radius, share):
        y, v = unrotate(S, subtract(o, s)), unrotate(S, rotate(R, u))
        n, gap, rate = gap_of(y, v, sizes)
        arm = scale(-radius, n)  # from the center of the ball to where it touches
        v = add(v, cross(unrotate(S, rotate(R, w)), arm))
        deep = radius - gap
        touches = deep > 0.0
        d = select(touches, deep, 0.0)
        f, energy, stored = normal(d, -rate, k, c, p)
        f = select(touches, f, 0.0)
        sliding = subtract(v, scale(dot(n, v), n))
        x = unrotate(S, (R[0], R[3], R[6]))
        x = subtract(x, scale(dot(n, x), n))
        along = scale(1.0 / sqrt(dot(x, x) + 1e-24), x)
        force = scale(share, add(scale(f, n), friction(f, sliding, along, cross(n, along), mu, slow, b)))
        loss = -dot(force, v) - select(touches, share * stored, 0.0)
        own = unrotate(R, rotate(S, force))
        return own, cross(unrotate(R, rotate(S, arm)), own), select(touches, share * energy, 0.0), loss

    return soft_ground


@brief
@dataclass(frozen=True)
class SoftGround:
    """Springs, dampers and friction between points of bodies and the ground.

    feet : body, or section of a rod, lo.rods.Along(rod, X) -> points of its frame that may touch, m; or rod -> (start, end), X
    of a
        stretch that may touch, m, at Gauss points
    stiffness : N/m ; damping : N s/m. With normal="hunt-crossley" N/m^exponent and s/m. Of stretches of rods all forces are
        per metre: N/m^2, N s/m^2
    friction : coefficient, or two: along the x axis of the body and across
    sliding : "regularised" (full friction above some `slow`, m/s), "viscous" (`viscosity`, N s/m, up to the friction), "none"
    radius : of balls about the points, m; on a height field their depth is measured at their centers. If None, none about
        points, and along rods that of the sections
    elements : how many Gauss points on a stretch of a rod; its mass nodes if None
    """

    feet: Mapping[Any, Sequence[Vector] | tuple[float, float]]
    stiffness: float
    damping: float
    friction: float | tuple[float, float] = 0.7
    surface: Surface = Plane()
    normal: str = field(default="linear", kw_only=True)
    sliding: str = field(default="regularised", kw_only=True)
    slow: float = field(default=1e-2, kw_only=True)
    viscosity: float = field(default=0.0, kw_only=True)
    exponent: float = field(default=1.5, kw_only=True)
    radius: float | None = field(default=None, kw_only=True)
    elements: int | None = field(default=None, kw_only=True)
    name: str = field(default="ground", kw_only=True)

    def term(self, model: Model) -> Term:
        """All points as one force term."""
        places, own = [], []
        for body, given in checked_feet(self.feet).items():
            for place, radius, share in self._places(model, body, given):
                places.append(place)
                own += [radius if self.radius is None else a_number("radius", self.radius, least=0.0), share]
        for label, known in (("normal", NORMALS), ("sliding", SLIDINGS)):
            if getattr(self, label) not in known:
                raise UnknownName(label, getattr(self, label), known, "SoftGround")
        mu = np.atleast_1d(np.asarray(self.friction, dtype=float))
        if mu.shape not in ((1,), (2,)) or not np.isfinite(mu).all() or (mu < 0).any():
            raise ValueError(f"friction is {self.friction!r:.40}, expected one number that is not negative, or two")
        if len(mu) == 2 and self.sliding == "viscous":
            raise ValueError("viscous friction is the same in all directions: give one coefficient, or sliding='regularised'")
        packed, row = pack_surface(self.surface), row_of(self.surface, "gap", "surface")
        numbers = (
            *packed.frame[:3, :3].ravel().tolist(), *packed.frame[:3, 3].tolist(), *packed.numbers.tolist(),
            a_number("stiffness", self.stiffness, least=0.0),
            a_number("damping", self.damping, least=0.0), a_number("exponent", self.exponent, least=1.0),
            float(mu[0]), float(mu[-1]), a_number("slow", self.slow, above=0.0),
            a_number("viscosity", self.viscosity, least=0.0), *own,
        )  # fmt: skip
        gap = row.soft(self.surface) if row.soft is not None else soft_gap(row.gap)  # type: ignore[arg-type]
        normal = linear_force if self.normal == "linear" else hunt_crossley_force
        slide = {"regularised": regularised_friction, "viscous": viscous_friction, "none": no_friction}[self.sliding]
        kind = Kind("soft ground", soft_law(gap, normal, slide), (9, 3, 3, 0, 0, 0, 2, 0, 0), energy=True, own=(0, 0))
        return Term(self.name, kind, tuple(places), numbers, elastic=True)

    def _places(self, model: Model, body: str | Along, given: list) -> list[tuple[Place, float, float]]:
        """Places, radii and lengths of points of a body, or of a stretch of a rod."""
        if np.ndim(given) == 2:
            return [(Place.at(body, a_vector("point", p)), 0.0, 1.0) for p in given]
        line, rod = Line(str(body), *given), rod_of(model, str(body))
        if not 0.0 <= given[0] < given[1] <= float(rod.length) * (1 + 1e-12):
            raise ValueError(
                f"feet[{body!r}] goes from X = {given[0]:g} to {given[1]:g} m, expected a stretch of a rod of {rod.length:g} m"
            )
        found = []
        for x, share in zip(*line.nodes(model, self.elements, 6), strict=True):
            section = line.body_at(float(x))
            radius = radius_at(rod, float(x)) if self.radius is None else 0.0
            found.append((Place.at(section, (0.0, 0.0, 0.0)), radius, float(share)))
        return found


def checked_feet(feet: Any) -> dict[str | Along, list[Any]]:
    """Body -> its points; rod -> X of two sections."""
    if not isinstance(feet, Mapping) or not feet:
        raise TypeError(f"feet is {feet!r:.60}, expected body -> points, such as {{'foot': [(0, 0, 0)]}}; rod -> (start, end)")
    for body, points in feet.items():
        if isinstance(points, Shape):
            raise TypeError(
                f"feet[{body!r}] is a {type(points).__name__}: soft ground takes points, and balls about them by radius=; "
                f"lo.Touch(..., shape=) takes shapes"
            )
    found = {body: np.asarray(points, dtype=float) for body, points in feet.items()}
    for body, points in found.items():
        if points.shape != (2,) and (points.ndim != 2 or points.shape[1] != 3 or not len(points)):
            raise ValueError(
                f"feet[{body!r}] has shape {points.shape}, expected some points of three numbers, m, or X of two sections of "
                f"a rod"
            )
    return {body: points.tolist() for body, points in found.items()}
