"""What the base stays clear of on its way: balls and planes, seen from where it starts."""

from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.forces.numbers import a_vector
from locomote.geometry.shape import unit_vector


@brief
@dataclass(frozen=True)
class Obstacle:
    """A ball that the origin of the base stays out of: center (3,) and radius, m, seen from where the base starts."""

    center: tuple[float, float, float]
    radius: float

    def __post_init__(self) -> None:
        a_vector("center of an obstacle", self.center)
        if not (isinstance(self.radius, int | float | np.number) and 0.0 < self.radius < np.inf):
            raise ValueError(f"radius of an obstacle is {self.radius!r:.40}, expected a positive number, m")

    def clearance(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N,) m, and its slopes (N, 3), at places (N, 3)."""
        away = p - np.asarray(self.center, dtype=float)
        distance = np.maximum(np.linalg.norm(away, axis=1), 1e-12)
        return distance - self.radius, away / distance[:, None]


@brief
@dataclass(frozen=True)
class Wall:
    """A plane that the origin of the base stays in front of: a point (3,), m, and the normal (3,) towards the base."""

    point: tuple[float, float, float]
    normal: tuple[float, float, float]

    def __post_init__(self) -> None:
        a_vector("point of a wall", self.point)
        unit_vector(self.normal, "normal of a wall")

    def clearance(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N,) m, and its slopes (N, 3), at places (N, 3)."""
        normal = unit_vector(self.normal, "normal of a wall")
        return (p - np.asarray(self.point, dtype=float)) @ normal, np.broadcast_to(normal, p.shape)
