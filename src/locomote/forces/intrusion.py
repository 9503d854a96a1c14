"""Sand under legs and wheels: resistive force theory of dry granular ground, in a vertical plane.

A small flat piece of surface at the depth z below the level of the ground, tilted by b (leading edge up) and moving at the
angle g below the horizontal, feels per area, whatever its speed,

    z times scale times (a_x against its way, a_z upwards)                                                           (1)
    a_z = A_00 + A_10 cos 2b + B_11 sin(2b + g) + B_01 sin g + B_-11 sin(g - 2b)
    a_x = C_11 cos(2b + g) + C_01 cos g + C_-11 cos(g - 2b) + D_10 sin 2b                                             (2)

C. Li, T. Zhang, D.I. Goldman: A terradynamics of legged locomotion on granular media. Science 339 (2013) 1408, with the
coefficients of their generic ground, N/cm^3 for scale = 1e6 N/m^3: a flat piece that is pushed straight down has a_z = 1. The
depth is smooth at the level, and the way at rest, where real sand sticks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import sqrt
from locomote.forces.kinds import Kind
from locomote.forces.numbers import Vector, a_number, a_vector, frame_along, pose_of, whole_number
from locomote.forces.terms import Place, Term
from locomote.model.model import Model
from locomote.spatial.algebra import rotate, unrotate

GENERIC = (0.206, 0.169, 0.212, 0.358, 0.055, -0.124, 0.253, 0.007, 0.088)  # A_00 A_10 B_11 B_01 B_-11 C_11 C_01 C_-11 D_10


def pushed(t, R, o, u, w, fit, ahead, level, slow, area):
    """(1) and (2) on a piece whose normal is z; area times scale in the numbers."""
    v, n = rotate(R, u), (R[2], R[5], R[8])
    forward, tilt = ahead[0] * v[0] + ahead[1] * v[1], ahead[0] * n[0] + ahead[1] * n[1]
    by = 1.0 / sqrt(forward * forward + v[2] * v[2] + slow * slow)
    cos_g, sin_g = forward * by, -v[2] * by
    whole = tilt * tilt + n[2] * n[2] + 1e-12
    cos_b, sin_b = (n[2] * n[2] - tilt * tilt) / whole, -2.0 * tilt * n[2] / whole  # cosine and sine of twice the tilt
    up = sin_b * cos_g + cos_b * sin_g  # sin(2 b + g)
    down = sin_g * cos_b - cos_g * sin_b
    a_z = fit[2] * up + fit[3] * sin_g + fit[4] * down
    a_x = fit[5] * (cos_b * cos_g - sin_b * sin_g) + fit[6] * cos_g + fit[7] * (cos_b * cos_g + sin_b * sin_g)
    moving = cos_g * cos_g + sin_g * sin_g  # one, but at rest
    a_z, a_x = a_z + moving * (fit[0] + fit[1] * cos_b), a_x + moving * fit[8] * sin_b
    depth = level - o[2]
    size = area * 0.5 * (depth + sqrt(depth * depth + 1e-10))
    force = (-size * a_x * ahead[0], -size * a_x * ahead[1], size * a_z)
    return unrotate(R, force), (0.0, 0.0, 0.0)


@brief
@dataclass(frozen=True)
class Intrusion:
    """Dry granular ground on pieces of the surface of a body that moves in a vertical plane (1).

    points, normals : of the pieces in the body frame, m ; areas : m^2, one for all or one of each
    scale : N/m^3, what a flat piece feels per area and depth when it is pushed down ; level : height of the ground, m
    ahead : horizontal direction of the plane, in the world ; fit : coefficients of (2) ; slow : m/s
    """

    body: str
    points: Sequence[Vector]
    normals: Sequence[Vector]
    areas: float | Sequence[float]
    scale: float = 1e6
    level: float = 0.0
    ahead: Vector = (1.0, 0.0, 0.0)
    fit: tuple[float, ...] = GENERIC
    slow: float = 1e-3
    name: str = ""

    def term(self, model: Model) -> Term:
        """Sand as a force term."""
        count = whole_number("number of points", len(self.points))
        if len(self.normals) != count:
            raise ValueError(f"sand on {self.body!r} has {count} points and {len(self.normals)} normals: give one for each")
        areas = [self.areas] * count if np.ndim(self.areas) == 0 else list(self.areas)  # type: ignore[arg-type]
        if len(areas) != count:
            raise ValueError(f"sand on {self.body!r} has {count} points and {len(areas)} areas: give one, or one for each")
        x, y, z = a_vector("ahead", self.ahead)
        if abs(z) > 1e-9 or math.hypot(x, y) < 1e-9:
            raise ValueError(f"ahead of sand on {self.body!r} is {self.ahead!r:.60}, expected a horizontal direction")
        scale, places = a_number("scale", self.scale, least=0.0), []
        for point, normal in zip(self.points, self.normals, strict=True):
            frame = frame_along(a_vector("normal", normal))  # x along the normal
            turned = np.column_stack([frame[:, 1], frame[:, 2], frame[:, 0]])
            places.append(Place(self.body, pose_of(turned, a_vector("point", point))))
        length = math.hypot(x, y)
        numbers = [*a_vector("fit", self.fit, 9), x / length, y / length]
        numbers += [a_number("level", self.level), a_number("slow", self.slow, above=0.0)]
        numbers += [scale * a_number("area", area, least=0.0) for area in areas]
        kind = Kind("intrusion", pushed, (9, 2, 0, 0), own=(0,))
        return Term(self.name or f"intrusion {self.body}", kind, tuple(places), tuple(numbers))
