"""Paths of strings over bodies, as plain data: points, shapes that they go round, pulleys; and what a muscle along one does."""

from collections.abc import Sequence
from dataclasses import dataclass

from locomote.brief import brief

Vector = tuple[float, float, float]


@brief
@dataclass(frozen=True)
class Via:
    """A point of a body (None: the world), in its frame, m, that a path goes through."""

    body: str | None
    point: Vector = (0.0, 0.0, 0.0)


@brief
@dataclass(frozen=True)
class Wrap:
    """A shape of a body (None: the world) that a path goes round where it would go through it; points stand before and after.

    shape : "cylinder", of any length, or "sphere" ; radius : m ; center : m ; axis : of a cylinder
    side : a point, in the frame of the body, m: outside the shape, the path passes on that side of it; inside, it goes through
        the shape as through a ring; None: the shorter way
    """

    body: str | None
    shape: str
    radius: float
    center: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    side: Vector | None = None


@brief
@dataclass(frozen=True)
class Pulley:
    """The end of one branch of a path, and the start of the next, whose length and pull are divided by `divisor`."""

    divisor: float


Stop = Via | Wrap | Pulley


@brief
@dataclass(frozen=True)
class Path:
    """The way of a string over bodies.

    stops : lo.Via, lo.Wrap and lo.Pulley in their order; a branch begins and ends with a Via
    """

    stops: Sequence[Stop]

    def __post_init__(self) -> None:
        object.__setattr__(self, "stops", tuple(self.stops))


@brief
@dataclass(frozen=True)
class Fibres:
    """How hard a muscle pulls at a length and speed, by the curves of MuJoCo.

    force : N, the largest active one at rest ; lengths : of the path, m, at which fibres have the lengths `between`, in units
        of their best one (of muscles in files also (0, 0): the range of its joints decides) ; shortest, longest : fibres, in
        these units, beyond which they do not pull
    speed : at which a fibre that shortens does not pull, best lengths a second ; passive : force of a fibre stretched to
        `longest`, in units of `force` ; lengthening : force of one that is stretched fast, in these units
    """

    force: float
    lengths: tuple[float, float]
    between: tuple[float, float] = (0.75, 1.05)
    shortest: float = 0.5
    longest: float = 1.6
    speed: float = 1.5
    passive: float = 1.3
    lengthening: float = 1.2
