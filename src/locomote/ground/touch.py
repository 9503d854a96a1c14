"""Which parts of which bodies may touch which ground, as the user says it."""

from dataclasses import dataclass, field

import numpy as np

from locomote.ground.surfaces import Box, Plane, Sphere, Surface, Vector

CORNERS = tuple((x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))


@dataclass(frozen=True)
class Ground:
    """Something hard to stand on, slide on and hit.

    friction : Coulomb's coefficient ; restitution : speed after a hit over speed before it, for hits faster
        than `rebound`, m/s
    rolling, torsion : arms (m) of the moments, arm times normal force, that resist rolling and spinning
    body : the body that carries the surface, which then may move; the world if None
    """

    surface: Surface | Box = Plane()
    friction: float = 0.7
    restitution: float = 0.0
    rolling: float = field(default=0.0, kw_only=True)
    torsion: float = field(default=0.0, kw_only=True)
    rebound: float = field(default=0.05, kw_only=True)
    body: str | None = field(default=None, kw_only=True)

    def __post_init__(self):
        for name in ("friction", "restitution", "rolling", "torsion", "rebound"):
            value = getattr(self, name)
            if not (np.isscalar(value) and np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} of a ground is {value!r}, expected a number, not negative")
        if self.restitution > 1:
            raise ValueError(f"restitution of a ground is {self.restitution!r}, it must lie between 0 and 1")


@dataclass(frozen=True)
class Touch:
    """A part of a body that may touch a ground: points, or a shape about `at`.

    points : (n, 3) places in the body frame, m
    sphere : radius, m ; capsule : (radius, half length), along z ; box : three half lengths ; disc : radius, about z
    at : the centre of the shape in the body frame, m, or its pose (4, 4)
    """

    body: str
    ground: Ground = Ground()
    points: tuple[Vector, ...] = field(default=(), kw_only=True)
    sphere: float | None = field(default=None, kw_only=True)
    capsule: tuple[float, float] | None = field(default=None, kw_only=True)
    box: Vector | None = field(default=None, kw_only=True)
    disc: float | None = field(default=None, kw_only=True)
    at: tuple = field(default=(0.0, 0.0, 0.0), kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self):
        points = np.asarray(self.points, float).reshape(-1, 3) if np.size(self.points) else np.zeros((0, 3))
        object.__setattr__(self, "points", tuple(tuple(map(float, p)) for p in points))
        at = np.asarray(self.at, float)
        if at.shape not in ((3,), (4, 4)) or not np.isfinite(at).all():
            raise ValueError(f"at of {self.title!r} is three numbers (m) or a (4, 4) pose, not {self.at!r:.60}")
        object.__setattr__(self, "at", tuple(map(tuple, at.tolist())) if at.ndim == 2 else tuple(at.tolist()))
        given = [name for name in ("sphere", "capsule", "box", "disc") if getattr(self, name) is not None]
        if len(given) + bool(self.points) != 1:
            raise ValueError(f"{self.title!r} needs one of points, sphere, capsule, box, disc; it has {given or 'none'}")
        for name in given:
            value = np.atleast_1d(np.asarray(getattr(self, name), float))
            wanted = {"sphere": 1, "disc": 1, "capsule": 2, "box": 3}[name]
            if value.shape != (wanted,) or not np.isfinite(value).all() or not value.min() > 0:
                raise ValueError(
                    f"{name} of {self.title!r} is {getattr(self, name)!r}, expected {wanted} positive number(s), m"
                )
        if not np.isfinite(points).all():
            raise ValueError(f"points of {self.title!r} must be finite")
        if not isinstance(self.ground, Ground):
            raise TypeError(f"{self.title!r} touches {self.ground!r:.60}, expected lo.Ground")

    @property
    def title(self) -> str:
        """The name, or that of the body."""
        return self.name or f"touch_{self.body}"

    def spots(self) -> list[tuple[np.ndarray, float, float, float]]:
        """(place in the frame of the shape, radius of a ball, radius of a disc, angle on its rim) of all that may touch.

        A box on a box touches with ends of its edges, cut to where they are above the face of the other: radius -1 - axis.
        """
        if self.sphere is not None:
            return [(np.zeros(3), float(self.sphere), 0.0, 0.0)]
        if self.capsule is not None:
            radius, half = self.capsule
            return [(np.array([0.0, 0.0, s * half]), float(radius), 0.0, 0.0) for s in (-1, 1)]
        if self.box is not None and isinstance(self.ground.surface, Box):
            return [(np.array(self.box) * corner, 0.0, -1.0 - axis, 0.0) for axis in range(3) for corner in CORNERS]
        if self.box is not None:
            return [(np.array(self.box) * corner, 0.0, 0.0, 0.0) for corner in CORNERS]
        if self.disc is not None:
            return [(np.zeros(3), 0.0, float(self.disc), angle) for angle in (0.0, 2 * np.pi / 3, -2 * np.pi / 3)]
        return [(np.array(p), 0.0, 0.0, 0.0) for p in self.points]

    def frame(self) -> np.ndarray:
        """(4, 4) pose of the shape in its body."""
        at, pose = np.asarray(self.at, float), np.eye(4)
        if at.shape == (4, 4):
            return at
        pose[:3, 3] = at
        return pose


def boxes(
    first: str, half: Vector, second: str, other_half: Vector, *, friction: float = 0.7, restitution: float = 0.0, name=""
):
    """Two boxes, each about the origin of its body: corners and edges of one, and corners of the other, touch."""
    title = name or f"{first}_{second}"
    return [
        Touch(second, Ground(Box(half), friction, restitution, body=first), box=other_half, name=title),
        Touch(
            first,
            Ground(Box(other_half), friction, restitution, body=second),
            name=f"{title}_back",
            points=tuple(tuple(h * c for h, c in zip(half, corner, strict=True)) for corner in CORNERS),
        ),
    ]


def balls(first: str, radius: float, second: str, other: float, *, friction: float = 0.7, restitution: float = 0.0, name=""):
    """Two balls, each about the origin of its body, that may touch."""
    ground = Ground(Sphere(radius=radius), friction, restitution, body=first)
    return [Touch(second, ground, sphere=other, name=name or f"{first}_{second}")]
