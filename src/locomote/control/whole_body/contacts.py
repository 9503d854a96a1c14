"""Where a body touches something: points with friction, and how they may be let go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.forces.numbers import a_number, a_vector

FLAT = 1e-9


@brief
@dataclass
class Contact:
    """Points of a body that are to stay where they are, or to move as given.

    body : name ; points : (n, 3) in the body frame, m: one or two hold places only, three and more not in a row hold the body
    other : name of the body that it touches, an object or a part of the robot itself; the world if None
    normal : (3,) along which what it touches pushes, in axes of the other body, or world ; friction : Coulomb's coefficient
    radius : m, of a body that is a ball about its only point, and rolls on a plane that is fixed in what it touches
    name : as which it is found in `WholeBody.contacts`, the body's if empty
    least, most : bounds of the normal force of each point, N
    force : (3,) wished for, in the axes of `normal`, N, of the whole contact; with `force_weight`
    velocity, acceleration : (6,) of the frame against what it touches, world axes, of contacts that move
    """

    body: str
    points: Numbers = ((0.0, 0.0, 0.0),)
    normal: Sequence[float] = (0.0, 0.0, 1.0)
    friction: float = 0.7
    name: str = ""
    least: float = 0.0
    most: float = np.inf
    force: Callable | Numbers | None = None
    force_weight: float = 1e-8
    velocity: Callable | Numbers | None = None
    acceleration: Callable | Numbers | None = None
    other: str | None = None
    radius: float = 0.0

    def __post_init__(self) -> None:
        self.name = self.name or self.body
        self.points = np.atleast_2d(np.array(self.points, dtype=float))
        if self.points.ndim != 2 or self.points.shape[1] != 3 or not np.isfinite(self.points).all():
            raise ValueError(f"points of contact {self.name!r} have shape {self.points.shape}, expected (n, 3), finite, m")
        normal = np.array(self.normal, dtype=float)
        if normal.shape != (3,) or not np.linalg.norm(normal) > 0.0:
            raise ValueError(f"normal of contact {self.name!r} is {self.normal!r}, expected three numbers, not all zero")
        self.normal = tuple(float(x) for x in normal / np.linalg.norm(normal))
        if not 0.0 < self.friction < np.inf:
            raise ValueError(f"friction of contact {self.name!r} is {self.friction!r}, expected a positive number")
        if not 0.0 <= self.least <= self.most:
            raise ValueError(
                f"contact {self.name!r} has least {self.least!r} and most {self.most!r}, expected 0 <= least <= most"
            )
        if self.other == self.body:
            raise ValueError(f"contact {self.name!r} is between body {self.body!r} and itself: give the other body, or None")
        if not 0.0 <= self.radius < np.inf or (self.radius > 0.0 and len(self.points) > 1):
            raise ValueError(
                f"contact {self.name!r} has radius {self.radius!r} and {len(self.points)} points, expected a number from 0, "
                "and for a ball one point, its center"
            )

    @property
    def holds_rotation(self) -> bool:
        """Whether the points span a surface, so that the body cannot turn."""
        arms = self.points - self.points.mean(axis=0)
        return len(self.points) > 2 and np.linalg.svd(arms, compute_uv=False)[1] > FLAT

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) columns: two tangents, the normal."""
        n = np.array(self.normal)
        first = np.eye(3)[0] if abs(n[0]) < 0.9 else np.eye(3)[1]
        t1 = first - n * (n @ first)
        t1 /= np.linalg.norm(t1)
        return np.stack([t1, np.cross(n, t1), n], axis=1)


class Pyramid:
    """The pyramid inside a friction cone, the same wherever forces are sought: (f_t . normals[i]) <= mu inside f_n.

    A corner is halfway between the tangents, whatever the sides: pyramids of 4, 8, 16 sides lie within one another.
    normals : (sides, 2) of its sides ; corners : (sides, 2) on the circle of the cone ; inside : the share of mu of its sides
    """

    def __init__(self, sides: int):
        if isinstance(sides, bool) or not isinstance(sides, (int, np.integer)) or sides < 3 or sides % 2:
            raise ValueError(f"sides is {sides!r}, expected an even number from 4")
        at = np.pi / 4 + 2 * np.pi * np.arange(sides) / sides
        self.corners = np.stack([np.cos(at), np.sin(at)], axis=1)
        self.normals = np.stack([np.cos(at - np.pi / sides), np.sin(at - np.pi / sides)], axis=1)
        self.inside = float(np.cos(np.pi / sides))

    def rows(self, friction: float) -> np.ndarray:
        """(sides, 3) rows over forces (two tangents, normal) that are positive within."""
        return np.column_stack([-self.normals, np.full(len(self.normals), friction * self.inside)])


def rectangle(length: float, width: float, *, at: Sequence[float] = (0.0, 0.0, 0.0)) -> np.ndarray:
    """(4, 3) corners of a sole in the plane z of the body frame, m."""
    x, y = a_number("length of a sole", length, above=0.0) / 2, a_number("width of a sole", width, above=0.0) / 2
    return np.array(a_vector("at", at)) + np.array([[x, y, 0.0], [x, -y, 0.0], [-x, -y, 0.0], [-x, y, 0.0]])
