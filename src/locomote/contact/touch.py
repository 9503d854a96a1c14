"""Which parts of which bodies may touch which ground, as the user says it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.geometry.packing import pack_surface
from locomote.geometry.surfaces import Box, Capsule, Cylinder, Plane, Sphere, Surface, Vector
from locomote.model.flexible.along import Along
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rotations_arrays import split_rotation

CORNERS = tuple((x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
# codes of spots of edges, in place of the radius of a disc: -1 to -3 an edge of a box along an axis
FAR = 1e3  # m, half the length of a cylinder for what lies on it
SHAPES = ("sphere", "capsule", "box", "disc")
CUT, CROSSING = -4.0, -5.0  # half the axis of a capsule, cut to a face of a box; where an axis is nearest, between its ends
IMPACTS = ("bounded", "newton")
MOST_FRICTION = 1e4  # coefficient
MOST_SECTIONS = 500  # of a rod that touch


@dataclass(frozen=True)
class Ground:
    """Something hard to stand on, slide on and hit.

    friction : Coulomb's coefficient ; restitution : speed after a hit over speed before it, for hits faster
        than `rebound`, m/s
    impact : "bounded", where hits with friction would make energy they bounce less, so that they do not; "newton", they bounce
        by `restitution` whatever it makes
    rolling, torsion : arms (m) of the moments, arm times normal force, that resist rolling and spinning
    body : the body, or the section of a rod, that carries the surface, which then may move; the world if None
    stiffness, damping : N/m, N s/m of ground that gives way along its normal; hard if None
    shear, shear_damping : the same along it: a spring that sticks until friction lets it slide; what sticks is held if None;
        below a stretch of a rod all four are per metre of it
    """

    surface: Surface | Box | Capsule = Plane()
    friction: float = 0.7
    restitution: float = 0.0
    rolling: float = field(default=0.0, kw_only=True)
    torsion: float = field(default=0.0, kw_only=True)
    rebound: float = field(default=0.05, kw_only=True)
    body: str | Along | None = field(default=None, kw_only=True)
    stiffness: float | None = field(default=None, kw_only=True)
    damping: float = field(default=0.0, kw_only=True)
    shear: float | None = field(default=None, kw_only=True)
    shear_damping: float = field(default=0.0, kw_only=True)
    impact: str = field(default="bounded", kw_only=True)

    def __post_init__(self):
        for name in ("friction", "restitution", "rolling", "torsion", "rebound", "damping", "shear_damping"):
            value = getattr(self, name)
            if not (np.isscalar(value) and np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} of a ground is {value!r}, expected a number, not negative")
        for name in ("stiffness", "shear"):
            value = getattr(self, name)
            if value is not None and not (np.isscalar(value) and np.isfinite(value) and value > 0):
                raise ValueError(f"{name} of a ground is {value!r}, expected a positive number (N/m), or None for a hard one")
        if (self.damping and self.stiffness is None) or (self.shear_damping and self.shear is None):
            raise ValueError("damping of a ground needs its stiffness, and shear_damping its shear (N/m)")
        if self.stiffness is not None and self.restitution:
            raise ValueError("ground that gives way has damping instead of restitution: give only one of them")
        if self.impact not in IMPACTS:
            raise UnknownName("impact", self.impact, IMPACTS, "ground")
        if self.friction > MOST_FRICTION:
            raise ValueError(
                f"friction of a ground is {self.friction!r}, expected at most {MOST_FRICTION:g}, where nothing slides any "
                "more: beyond it loads that wedge each other have no bound"
            )
        if self.restitution > 1:
            raise ValueError(f"restitution of a ground is {self.restitution!r}, it must lie between 0 and 1")


@brief
@dataclass(frozen=True)
class Touch:
    """A part of a body that may touch a ground: points, or a shape about `at`.

    points : (n, 3) places in the body frame, m
    sphere : radius, m ; capsule : (radius, half length), along z ; box : three half lengths ; disc : radius, about z
    at : the centre of the shape in the body frame, m, or its pose (4, 4)

    On a rod: `body` is a section, lo.rods.Along(rod, X), and the shape is in its axes; if none is said it is a ball as thick
    as the rod. Or it is the rod, and sections of a stretch may touch, each with such a ball, or with the `sphere` or `points`
    given: start, end : X of the stretch, m; to the tip if end is None
    elements : how many sections, at Lobatto's points, both ends among them; if None as many as the rod is free to lift one by
        one, so that each has a load of its own. `lo.rods.contact_field` has these loads per length
    """

    body: str | Along
    ground: Ground = Ground()
    points: tuple[Vector, ...] = field(default=(), kw_only=True)
    sphere: float | None = field(default=None, kw_only=True)
    capsule: tuple[float, float] | None = field(default=None, kw_only=True)
    box: Vector | None = field(default=None, kw_only=True)
    disc: float | None = field(default=None, kw_only=True)
    at: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    name: str = field(default="", kw_only=True)
    start: float | None = field(default=None, kw_only=True)
    end: float | None = field(default=None, kw_only=True)
    elements: int | None = field(default=None, kw_only=True)

    def __post_init__(self):
        given_points = as_numbers(self.points, f"points of {self.title!r}", "(n, 3)")
        if given_points.size and given_points.shape[-1:] != (3,):
            raise ValueError(f"points of {self.title!r} have shape {given_points.shape}, expected (n, 3), m")
        points = given_points.reshape(-1, 3)
        object.__setattr__(self, "points", tuple(tuple(map(float, p)) for p in points))
        at = np.asarray(self.at, float)
        if at.shape not in ((3,), (4, 4)) or not np.isfinite(at).all():
            raise ValueError(f"at of {self.title!r} is three numbers (m) or a (4, 4) pose, not {self.at!r:.60}")
        if at.ndim == 2:
            split_rotation(at[:3, :3], f"rotation of `at` of {self.title!r}")
        object.__setattr__(self, "at", tuple(map(tuple, at.tolist())) if at.ndim == 2 else tuple(at.tolist()))
        given = [name for name in SHAPES if getattr(self, name) is not None]
        self._check_stretch(given)
        many, section = len(given) + bool(self.points), self.start is not None or isinstance(self.body, Along)
        if many > 1 or (many == 0 and not section):
            raise ValueError(
                f"{self.title!r} needs one of points, sphere, capsule, box, disc; it has {given or 'none'}"
                + ("; along a rod, say start=0.0" if many == 0 else "")
            )
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

    def _check_stretch(self, given: list[str]) -> None:
        if self.start is None:
            if self.end is not None or self.elements is not None:
                raise ValueError(f"{self.title!r} has an end or elements, as stretches of rods do: say its start too")
            return
        for name in ("start", "end"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float, np.number)) and np.isfinite(value)):
                raise ValueError(f"{name} of {self.title!r} is {value!r:.40}, expected X of a section, m")
        if not isinstance(self.body, str):
            raise ValueError(f"{self.title!r} has a start, so that its body is a rod, not the section {self.body}")
        if given and given != ["sphere"]:
            raise ValueError(f"{self.title!r} is along a rod: its sections take a sphere or points, not a {given[0]}")
        if self.elements is not None and (
            not isinstance(self.elements, int) or isinstance(self.elements, bool) or not 2 <= self.elements <= MOST_SECTIONS
        ):
            expected = f"expected a whole number from 2 to {MOST_SECTIONS}"
            raise ValueError(f"elements of {self.title!r} is {self.elements!r:.40}, {expected}")

    @property
    def shaped(self) -> bool:
        """Whether a shape was said."""
        return bool(self.points) or any(getattr(self, name) is not None for name in SHAPES)

    @property
    def title(self) -> str:
        """The name, or that of the body."""
        return self.name or f"touch_{self.body}"

    def spots(self) -> list[tuple[np.ndarray, float, float, float]]:
        """(place in the frame of the shape, radius of a ball, radius of a disc, angle on its rim) of all that may touch.

        A box on a box touches with ends of its edges, cut to where they are above the face of the other: radius -1 - axis. A
        capsule does so too, and touches whatever bulges or has edges between its ends as well.
        """
        if self.sphere is not None:
            return [(np.zeros(3), float(self.sphere), 0.0, 0.0)]
        if self.capsule is not None:
            radius, half = (float(x) for x in self.capsule)
            ends, surface = [np.array([0.0, 0.0, s * half]) for s in (-1, 1)], self.ground.surface
            found = [(end, radius, 0.0, 0.0) for end in ends]
            if isinstance(surface, Box):
                found += [(end, radius, CUT, 0.0) for end in ends]
            if not isinstance(surface, Plane) and not (isinstance(surface, (Sphere, Cylinder)) and surface.inside):
                found.append((ends[1], radius, CROSSING, 0.0))
            return found
        if self.box is not None and isinstance(self.ground.surface, Box):
            return [(np.array(self.box) * corner, 0.0, -1.0 - axis, 0.0) for axis in range(3) for corner in CORNERS]
        if self.box is not None and isinstance(self.ground.surface, Sphere) and not self.ground.surface.inside:
            return []  # all of it is in `turned_spots`
        if self.box is not None:
            return [(np.array(self.box) * corner, 0.0, 0.0, 0.0) for corner in CORNERS]
        if self.disc is not None:
            return [(np.zeros(3), 0.0, float(self.disc), angle) for angle in (0.0, 2 * np.pi / 3, -2 * np.pi / 3)]
        return [(np.array(p), 0.0, 0.0, 0.0) for p in self.points]

    def turned_spots(self) -> list[tuple[np.ndarray, float, float, float]]:
        """The same of what bulges below a box and may touch its faces and edges, in the frame of the surface: a ball, the ends
        and the axis of a capsule, the axis of a cylinder as far as it can matter."""
        surface = self.ground.surface
        if self.box is None or not isinstance(surface, (Sphere, Capsule, Cylinder)) or getattr(surface, "inside", False):
            return []
        if isinstance(surface, Sphere):
            return [(np.zeros(3), float(surface.radius), 0.0, 0.0)]
        along, half = ((0, 1, 0), FAR) if isinstance(surface, Cylinder) else ((0, 0, 1), float(surface.half))
        ends, radius = [s * half * np.array(along, float) for s in (-1, 1)], float(surface.radius)
        found = [] if isinstance(surface, Cylinder) else [(end, radius, 0.0, 0.0) for end in ends]
        return [*found, *((end, radius, CUT, 0.0) for end in ends), (ends[1], radius, CROSSING, 0.0)]

    def frame(self) -> np.ndarray:
        """(4, 4) pose of the shape in its body."""
        at, pose = np.asarray(self.at, float), np.eye(4)
        if at.shape == (4, 4):
            return at
        pose[:3, 3] = at
        return pose


def named_once(touches: Iterable[Touch]) -> list[str]:
    """A name of its own for every touch."""
    used: set[str] = set()
    names = []
    for touch in touches:
        title, n = touch.title, 1
        while title in used:
            n += 1
            title = f"{touch.title}_{n}"
        used.add(title)
        names.append(title)
    return names


Shape = Sphere | Capsule | Box


def between(
    first: str, shape: Shape, second: str, other: Shape, *, friction: float = 0.7, restitution: float = 0.0, name: str = ""
):
    """Two bodies that may touch each other, with shapes in their frames: lo.Sphere, lo.Capsule or lo.Box each."""
    title, law = name or f"{first}_{second}", (friction, restitution)
    for given in (shape, other):
        if not isinstance(given, Shape) or (isinstance(given, Sphere) and given.inside):
            raise TypeError(f"{title!r} has the shape {given!r:.60}, expected lo.Sphere (its outside), lo.Capsule or lo.Box")
    if isinstance(other, Sphere):
        ball, body, ground = other, second, Ground(shape, *law, body=first)
        return [Touch(body, ground, sphere=ball.radius, at=ball.center, name=title)]
    if isinstance(shape, Sphere):
        return [Touch(first, Ground(other, *law, body=second), sphere=shape.radius, at=shape.center, name=title)]
    if isinstance(shape, Capsule) and isinstance(other, Box):
        first, shape, second, other = second, other, first, shape
    ground, back = Ground(shape, *law, body=first), Ground(other, *law, body=second)
    if isinstance(other, Box):
        touches = [Touch(second, ground, box=other.half, at=other.center, name=title)]
    else:
        frame = pack_surface(other).frame
        touches = [Touch(second, ground, capsule=(other.radius, other.half), at=tuple(map(tuple, frame)), name=title)]
    if isinstance(shape, Box):
        corners = tuple(tuple(np.array(shape.center) + np.array(shape.half) * corner) for corner in CORNERS)
        return [*touches, Touch(first, back, points=corners, name=f"{title}_back")]
    frame = pack_surface(shape).frame
    ends = [tuple((frame @ [0.0, 0.0, s * shape.half, 1.0])[:3]) for s in (-1, 1)]
    return touches + [Touch(first, back, sphere=shape.radius, at=end, name=f"{title}_back") for end in ends]


def boxes(
    first: str,
    half: Vector,
    second: str,
    other_half: Vector,
    *,
    friction: float = 0.7,
    restitution: float = 0.0,
    name: str = "",
):
    """Two boxes, each about the origin of its body: corners and edges of one, and corners of the other, touch."""
    return between(first, Box(half), second, Box(other_half), friction=friction, restitution=restitution, name=name)


def balls(
    first: str, radius: float, second: str, other: float, *, friction: float = 0.7, restitution: float = 0.0, name: str = ""
):
    """Two balls, each about the origin of its body, that may touch."""
    law = {"friction": friction, "restitution": restitution, "name": name}
    return between(first, Sphere(radius=radius), second, Sphere(radius=other), **law)
