"""Constraints as the user says them: which motion of which body is held, relative to which other body.

Every kind gives rows of

    A(q, t) v + b(q, t) = 0

one for each held direction. The reaction of a row is the force (N) or moment (N m) that the constraint exerts on `body`
along it; `other` (the world if None) takes the opposite. Rows that hold a position too are holonomic: their position error
is kept at zero as well.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locomote.arguments import Numbers
from locomote.brief import brief
from locomote.geometry.shape import Shape, Surface, Vector
from locomote.geometry.shapes.plane import Plane
from locomote.geometry.shapes.torus import Torus

LOCKED = {  # letters: shifts x y z, turns a b c about x y z of the frames
    "weld": "xyzabc",
    "revolute": "xyzab",
    "spherical": "xyz",
    "universal": "xyzc",
    "prismatic": "xyabc",
    "cylindrical": "xyab",
    "planar": "zab",
}
UNIT = {True: "N", False: "N m"}


@dataclass(frozen=True)
class Constraint:
    """What all kinds have: a name for reports and channels (made up from kind and body if empty)."""

    name: str = field(default="", kw_only=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """A word for each row."""
        raise NotImplementedError

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the reaction of each row."""
        return ("N",) * len(self.labels)

    @property
    def holonomic(self) -> tuple[bool, ...]:
        """Whether each row holds a position and not only a velocity."""
        return (True,) * len(self.labels)

    @property
    def title(self) -> str:
        """The name, or kind and body."""
        body = getattr(self, "body", None)
        kind = "".join("_" + c.lower() if c.isupper() else c for c in type(self).__name__).lstrip("_")
        return self.name or (f"{kind}_{body}" if body else kind)


@dataclass(frozen=True)
class Blade(Constraint):
    """No sideways motion of a point of a body: a skate, a passive wheel, a scale.

    point : in the body frame, m; side : the held direction, fixed in the body frame
    """

    body: str
    point: Vector = (0.0, 0.0, 0.0)
    side: Vector = (0.0, 1.0, 0.0)
    other: str | None = None

    @property
    def labels(self):
        return ("side",)

    @property
    def holonomic(self):
        return (False,)


@dataclass(frozen=True)
class PointContact(Constraint):
    """A point of a body held to a point of another, along some axes of the other's frame.

    target : the point of the other body; None: where the point is when the contact closes, which is the start unless an event
        closes it
    directions : the held axes, letters of "xyz"
    unilateral : it can push along z but not pull, and lets go; the point may also come from above and hit
    restitution : speed after a hit over speed before it
    """

    body: str
    point: Vector = (0.0, 0.0, 0.0)
    target: Vector | None = None
    directions: str = "xyz"
    other: str | None = None
    unilateral: bool = False
    restitution: float = 0.0

    @property
    def labels(self):
        return tuple(self.directions)


@brief
@dataclass(frozen=True)
class LoopClosure(Constraint):
    """A joint that closes a loop: the frame on the body and the frame on the other body move only as the kind allows.

    kind : weld, revolute, spherical, universal, prismatic, cylindrical, planar; axes are z of the frames, the two axes of
        universal are x of the other's frame and y of the body's frame
    locked : instead of a kind, the held motions: letters x y z (shifts along axes of the other's frame) and a b c (turns)
    frame, other_frame : (4, 4) poses or three numbers, in the body frames; other_frame None: where the frame of the body is
        when the loop closes
    """

    body: str
    other: str | None = None
    kind: str = "weld"
    locked: str = ""
    frame: Numbers = (0.0, 0.0, 0.0)
    other_frame: Numbers | None = (0.0, 0.0, 0.0)

    @property
    def letters(self) -> str:
        """The held motions."""
        return self.locked or LOCKED[self.kind]

    @property
    def labels(self):
        return tuple(self.letters)

    @property
    def units(self):
        return tuple(UNIT[letter in "xyz"] for letter in self.letters)


@brief
@dataclass(frozen=True)
class SurfaceContact(Constraint):
    """A flat foot on the ground: a frame of the body welded to a frame of the other.

    target : (4, 4) pose in the other body; None: where the frame is when the contact closes
    """

    body: str
    frame: Numbers = (0.0, 0.0, 0.0)
    target: Numbers | None = None
    other: str | None = None

    @property
    def labels(self):
        return tuple("xyzabc")

    @property
    def units(self):
        return ("N",) * 3 + ("N m",) * 3


@dataclass(frozen=True)
class Distance(Constraint):
    """A massless rod between two points; length None: their distance when it closes, m."""

    body: str
    other: str | None = None
    point: Vector = (0.0, 0.0, 0.0)
    other_point: Vector = (0.0, 0.0, 0.0)
    length: float | None = None

    @property
    def labels(self):
        return ("along",)


@brief
@dataclass(frozen=True)
class Rolling(Constraint):
    """A wheel, ball or ellipsoid that rolls on a surface without slipping.

    radius : of the circle that the tube's center runs on, m; tube : radius of the tube (0: thin disc). A ball has radius 0.
    axle, center : of the wheel, in the body frame
    shape : instead of a wheel, such as an Ellipsoid, its axes along those of the body frame
    surface : a smooth one of the other body: a Plane, Sphere, Cylinder, HeightField
    directions : held directions at the contact: f forward, l lateral (along the axle), n normal to the surface
    """

    body: str
    radius: float = 0.0
    axle: Vector = (0.0, 0.0, 1.0)
    center: Vector = (0.0, 0.0, 0.0)
    tube: float = 0.0
    shape: Shape | None = None
    surface: Surface = Plane()
    other: str | None = None
    directions: str = "fln"

    @property
    def wheel(self) -> Shape:
        """The shape that rolls, in axes of the body about `center`."""
        return Torus(self.radius, self.tube, axis=self.axle) if self.shape is None else self.shape

    @property
    def labels(self):
        return tuple({"f": "forward", "l": "lateral", "n": "normal"}[letter] for letter in self.directions)

    @property
    def holonomic(self):
        return tuple(letter == "n" for letter in self.directions)


@brief
@dataclass(frozen=True)
class Coupled(Constraint):
    """A linear relation between coordinates: sum of ratio * q_joint = offset, for joints with one coordinate.

    offset : rad or m; None: what the sum is when the coupling closes, as of a clutch
    """

    ratios: Mapping[str, float] = field(default_factory=dict)
    offset: float | None = 0.0

    @property
    def labels(self):
        return ("coupling",)

    @property
    def units(self):
        return ("N m",)


@brief
@dataclass(frozen=True)
class Custom(Constraint):
    """Rows from functions of (t, q, v).

    rows : -> (count, nv) the matrix A ; drift : -> (count,) A' v + b', by differences along the motion if not given ;
    speed : -> (count,) b, zero if not given ; error : -> (count,) position error of holonomic rows
    """

    rows: Callable[..., Any] = field(kw_only=True)
    count: int = field(default=1, kw_only=True)
    drift: Callable[..., Any] | None = field(default=None, kw_only=True)
    speed: Callable[..., Any] | None = field(default=None, kw_only=True)
    error: Callable[..., Any] | None = field(default=None, kw_only=True)

    @property
    def labels(self):
        return tuple(f"row{k}" for k in range(self.count))

    @property
    def holonomic(self):
        return (self.error is not None,) * self.count


LEFT_OPEN = ("target", "other_frame", "length", "offset")


def is_left_open(constraint: Any) -> bool:
    """Whether a constraint holds where it closes: its target, frame, length or offset is None."""
    return any(getattr(constraint, name, 0.0) is None for name in LEFT_OPEN)


def place(value: Any) -> np.ndarray:
    """A (4, 4) pose from a pose or a displacement."""
    value = np.asarray(value, dtype=float)
    if value.shape not in ((4, 4), (3,)):
        raise ValueError(f"a frame is three numbers (m) or a (4, 4) pose, not an array of shape {value.shape}")
    if not np.isfinite(value).all():
        raise ValueError(f"all numbers of a frame must be finite, not {value.tolist()}")
    if value.shape == (4, 4):
        turn = value[:3, :3]
        if not np.allclose(turn @ turn.T, np.eye(3), atol=1e-9) or np.linalg.det(turn) < 0 or (value[3] != (0, 0, 0, 1)).any():
            raise ValueError("a (4, 4) frame must be a pose: a rotation, a displacement and the last row 0 0 0 1")
        return value
    result = np.eye(4)
    result[:3, 3] = value
    return result
