"""Which parts of which bodies may touch which ground, as the user says it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.errors import UnknownName
from locomote.geometry.shape import Shape, Surface, Vector, framed
from locomote.geometry.shapes.box import CORNERS, Box
from locomote.geometry.shapes.capsule import Capsule
from locomote.geometry.shapes.disc import Disc
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.points import PointSet
from locomote.geometry.shapes.sphere import Sphere
from locomote.geometry.table import PAIRS, SHAPES, pack_surface, row_of, spots_of
from locomote.model.flexible.along import Along
from locomote.spatial.numbers import as_numbers
from locomote.spatial.rotations_arrays import split_rotation

# shapes that have a word of their own: how many numbers they take, and the shape that is meant
WORDS: dict[str, tuple[int, Callable[..., Shape]]] = {
    "sphere": (1, lambda radius: Sphere(radius=radius)),
    "capsule": (2, Capsule),
    "box": (3, lambda *half: Box(half)),
    "disc": (1, Disc),
}
IMPACTS = ("bounded", "newton")
NOT_NEGATIVE = ("friction", "restitution", "rolling", "torsion", "rebound", "damping", "shear_damping", "fading", "adhesion")
MOST_FRICTION = 1e4  # coefficient
MOST_SECTIONS = 500  # most sections of a rod that may touch


@brief
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
    motion : velocity of the surface along itself, m/s, in axes of what carries it: a belt, a treadmill
    static : friction of what sticks, at least `friction`, which is that of what slides ; fading : m/s, friction of what slides
        at a speed v is friction + (static - friction) exp(-v / fading), not only of what slides slowly
    across : friction across the axis `along` of what touches (lo.Touch), of which `friction` is that along it: skates, tyres
    adhesion : N that each point can pull while it touches: glue, suction; friction is that of the load and this together
    shear, shear_damping : the same along it: a spring that sticks until friction lets it slide; what sticks is held if None;
        below a stretch of a rod all four are per metre of it
    material : what it is made of, for the table of pairs of `lo.pair_materials`
    """

    surface: Surface = Plane()
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
    motion: Vector = field(default=(0.0, 0.0, 0.0), kw_only=True)
    static: float | None = field(default=None, kw_only=True)
    fading: float = field(default=0.0, kw_only=True)
    across: float | None = field(default=None, kw_only=True)
    adhesion: float = field(default=0.0, kw_only=True)
    material: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.material, str):
            raise TypeError(f"material of a ground is {self.material!r:.60}, expected a name")
        for name in NOT_NEGATIVE:
            value, scalar = getattr(self, name), bool(np.isscalar(getattr(self, name)))
            if not (scalar and np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} of a ground is {value!r}, expected a number, not negative")
        for name in ("stiffness", "shear"):
            value, scalar = getattr(self, name), bool(np.isscalar(getattr(self, name)))
            if value is not None and not (scalar and np.isfinite(value) and value > 0):
                raise ValueError(f"{name} of a ground is {value!r}, expected a positive number (N/m), or None for a hard one")
        if (self.damping and self.stiffness is None) or (self.shear_damping and self.shear is None):
            raise ValueError("damping of a ground needs its stiffness, and shear_damping its shear (N/m)")
        if self.stiffness is not None and self.restitution:
            raise ValueError("ground that gives way has damping instead of restitution: give only one of them")
        if self.impact not in IMPACTS:
            raise UnknownName("impact", self.impact, IMPACTS, "ground")
        self._check_friction()
        largest = max(self.friction, self.static or 0.0, self.across or 0.0)
        if largest > MOST_FRICTION:
            raise ValueError(
                f"friction of a ground is {largest!r}, expected at most {MOST_FRICTION:g}, where nothing slides any "
                "more: beyond it loads that wedge each other have no bound"
            )
        if self.restitution > 1:
            raise ValueError(f"restitution of a ground is {self.restitution!r}, it must lie between 0 and 1")

    def _check_friction(self) -> None:
        motion = as_numbers(self.motion, "motion of a ground", "(3,)")
        if motion.shape != (3,) or not np.isfinite(motion).all():
            raise ValueError(f"motion of a ground is {self.motion!r:.60}, expected three numbers, m/s")
        object.__setattr__(self, "motion", tuple(map(float, motion)))
        if isinstance(self.surface, Plane):
            normal = np.array(self.surface.normal, float) / np.linalg.norm(self.surface.normal)
            if abs(motion @ normal) > 1e-9 * np.linalg.norm(motion):
                raise ValueError(
                    f"motion of a ground is {self.motion!r:.60} m/s, which leaves its plane: a surface moves along itself; put "
                    "it on a body that moves (body=) for more"
                )
        for name, least in (("static", self.friction), ("across", 0.0)):
            value = getattr(self, name)
            if value is not None and not (bool(np.isscalar(value)) and np.isfinite(value) and value >= least):
                raise ValueError(f"{name} of a ground is {value!r}, expected a number of at least {least:g}, or None")
        if any(self.motion) and self.shear is not None:
            raise ValueError("a ground with shear springs does not move along itself: leave its motion or its shear out")
        if self.fading and self.static is None:
            raise ValueError("fading of a ground needs its static friction, from which it fades")
        if self.static is not None and (self.across is not None or self.shear is not None):
            raise ValueError(
                "static friction of a ground goes with friction that is the same in all directions, on hard ground"
            )


@brief
@dataclass(frozen=True)
class Touch:
    """A part of a body that may touch a ground: points, or a shape about `at`.

    points : (n, 3) places in the body frame, m
    sphere : radius, m ; capsule : (radius, half length), along z ; box : three half lengths ; disc : radius, about z
    shape : any other of the library that touches such a ground, in the frame at `at`
    at : the center of the shape in the body frame, m, or its pose (4, 4)
    along : axis of friction in the body frame, where the ground has friction `across` it too: the blade of a skate
    material : what it is made of, for the table of pairs of `lo.pair_materials`

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
    shape: Shape | None = field(default=None, kw_only=True)
    at: Numbers = field(default=(0.0, 0.0, 0.0), kw_only=True)
    name: str = field(default="", kw_only=True)
    start: float | None = field(default=None, kw_only=True)
    end: float | None = field(default=None, kw_only=True)
    elements: int | None = field(default=None, kw_only=True)
    along: Vector | None = field(default=None, kw_only=True)
    material: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.material, str):
            raise TypeError(f"material of {self.title!r} is {self.material!r:.60}, expected a name")
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
        given = [name for name in (*WORDS, "shape") if getattr(self, name) is not None]
        self._check_stretch(given)
        many, section = len(given) + bool(self.points), self.start is not None or isinstance(self.body, Along)
        if many > 1 or (many == 0 and not section):
            raise ValueError(
                f"{self.title!r} needs one of points, sphere, capsule, box, disc, shape; it has {given or 'none'}"
                + ("; along a rod, say start=0.0" if many == 0 else "")
            )
        for name in given:
            if name == "shape":
                continue
            value, wanted = np.atleast_1d(np.asarray(getattr(self, name), float)), WORDS[name][0]
            if value.shape != (wanted,) or not np.isfinite(value).all() or not value.min() > 0:
                raise ValueError(
                    f"{name} of {self.title!r} is {getattr(self, name)!r}, expected {wanted} positive number(s), m"
                )
        if not np.isfinite(points).all():
            raise ValueError(f"points of {self.title!r} must be finite")
        if not isinstance(self.ground, Ground):
            raise TypeError(f"{self.title!r} touches {self.ground!r:.60}, expected lo.Ground")
        self._check_along()
        if self.shape is not None:
            try:
                row_of(self.shape, "pack", "shape")
                spots_of(self.shape, self.ground.surface)
            except ValueError as error:
                raise ValueError(f"shape of {self.title!r}: {error}") from None

    def _check_along(self) -> None:
        if (self.along is None) != (self.ground.across is None):
            missing = "along=, the axis of friction in its body" if self.along is None else "a ground with across="
            raise ValueError(f"{self.title!r} needs {missing}: friction that depends on the direction takes both")
        if self.along is not None:
            along = as_numbers(self.along, f"along of {self.title!r}", "(3,)")
            if along.shape != (3,) or not np.isfinite(along).all() or not along.any():
                raise ValueError(
                    f"along of {self.title!r} is {self.along!r:.60}, expected an axis, three numbers, not all zero"
                )
            object.__setattr__(self, "along", tuple(map(float, along)))
            if isinstance(self.body, Along) or self.start is not None:
                raise ValueError(f"{self.title!r} is on a rod: friction there is the same in all directions, leave along out")

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
            expected = f"expected an integer from 2 to {MOST_SECTIONS}"
            raise ValueError(f"elements of {self.title!r} is {self.elements!r:.40}, {expected}")

    @property
    def shaped(self) -> bool:
        """Whether a shape was said."""
        return bool(self.points) or any(getattr(self, name) is not None for name in (*WORDS, "shape"))

    @property
    def said_shape(self) -> Shape:
        """The shape, by whatever word it was said, in the frame at `at`."""
        for name, (_, made) in WORDS.items():
            if (value := getattr(self, name)) is not None:
                return made(*np.atleast_1d(np.asarray(value, float)).tolist())
        return PointSet(self.points) if self.shape is None else self.shape

    @property
    def title(self) -> str:
        """The name, or that of the body."""
        return self.name or f"touch_{self.body}"

    def frame(self) -> np.ndarray:
        """(4, 4) pose of the shape in its body."""
        at = np.asarray(self.at, float)
        pose = at if at.shape == (4, 4) else framed(at=at)
        return pose if self.shape is None else pose @ row_of(self.shape, "pack", "shape").pack(self.shape)[1]


class Titled(Protocol):
    """A contact of any kind."""

    @property
    def title(self) -> str: ...


def named_once(touches: Iterable[Titled]) -> list[str]:
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


SOLIDS = tuple(row.shape for row in SHAPES.values() if row.solid)


def between(
    first: str, shape: Surface, second: str, other: Surface, *, friction: float = 0.7, restitution: float = 0.0,
    name: str = "", materials: tuple[str, str] = ("", ""),
):  # fmt: skip
    """Two bodies that may touch each other, with shapes in their frames: lo.Sphere, lo.Capsule or lo.Box each, or a pair that
    the table of contacts knows. materials : what the first and the second are made of (`lo.pair_materials`)"""
    if not (isinstance(materials, (tuple, list)) and len(materials) == 2 and all(isinstance(x, str) for x in materials)):
        raise TypeError(f"materials of {name or f'{first}_{second}'!r} are {materials!r:.60}, expected two names")
    made = touches_between(first, shape, second, other, friction, restitution, name)
    if not any(materials):
        return made
    of = {first: materials[0], second: materials[1]}
    return [
        replace(touch, material=of[touch.body], ground=replace(touch.ground, material=of[touch.ground.body])) for touch in made
    ]


def touches_between(first, shape, second, other, friction, restitution, name):
    """The touches of `between`."""
    title, law = name or f"{first}_{second}", (friction, restitution)
    for given in (shape, other):
        if type(given) not in SOLIDS or getattr(given, "inside", False):
            known = ", ".join(f"lo.{kind.__name__}" for kind in SOLIDS)
            raise TypeError(f"{title!r} has the shape {given!r:.60}, expected the outside of one of {known}")
    if isinstance(other, Sphere):
        ball, body, ground = other, second, Ground(shape, *law, body=first)
        return [Touch(body, ground, sphere=ball.radius, at=ball.center, name=title)]
    if isinstance(shape, Sphere):
        return [Touch(first, Ground(other, *law, body=second), sphere=shape.radius, at=shape.center, name=title)]
    if isinstance(shape, Capsule) and isinstance(other, Box):
        first, shape, second, other = second, other, first, shape
    ground, back = Ground(shape, *law, body=first), Ground(other, *law, body=second)
    if not (isinstance(shape, Box | Capsule) and isinstance(other, Box | Capsule)):
        if (type(shape), type(other)) in PAIRS:
            return [Touch(first, back, shape=shape, name=title)]
        return [Touch(second, ground, shape=other, name=title)]
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
