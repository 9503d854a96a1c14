"""Flow fields: what a fluid does at a point of the world, where no body is.

A law of flow is a function of the single source,

    U, G, rate = law(t, x, numbers, start)         velocity (3,), m/s; gradient G_ij = dU_i/dx_j (9,), row by row; dU/dt (3,)

which reads its own numbers from `numbers[start]` on. Forces ask it at their places. Flows can be added: `street + stream`.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import cos, select, sin
from locomote.compiler.source import helper
from locomote.forces.numbers import Vector, a_number, a_vector
from locomote.spatial.algebra import add, scale

ZERO9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Flow(ABC):
    """A flow field."""

    @property
    @abstractmethod
    def law(self) -> Callable:
        """The law of the flow."""

    @property
    @abstractmethod
    def numbers(self) -> tuple[float, ...]:
        """The numbers that the law reads."""

    def __add__(self, other: "Flow") -> "Flow":
        if not isinstance(other, Flow):
            return NotImplemented
        return Together(self, other)

    def at(self, t: float, x) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocity (3,), gradient (3, 3) and time derivative (3,) at a point of the world; m/s, 1/s, m/s^2."""
        U, G, rate = self.law(a_number("t", t), a_vector("x", x), np.array(self.numbers), 0)
        found = np.array(U, float), np.array(G, float).reshape(3, 3), np.array(rate, float)
        if not all(np.isfinite(part).all() for part in found):
            raise FloatingPointError(f"{type(self).__name__} is not finite at {x!r:.60}: values are too large for float64")
        return found


def still(t, x, numbers, start):
    """No flow."""
    return (0.0, 0.0, 0.0), ZERO9, (0.0, 0.0, 0.0)


@functools.cache
def both(first: Callable, count: int, second: Callable) -> Callable:
    """The sum of two laws, the first of which has `count` numbers."""

    def together(t, x, numbers, start):
        U, G, rate = first(t, x, numbers, start)
        W, H, more = second(t, x, numbers, start + count)
        gradient = (
            G[0] + H[0], G[1] + H[1], G[2] + H[2], G[3] + H[3], G[4] + H[4], G[5] + H[5], G[6] + H[6], G[7] + H[7], G[8] + H[8],
        )  # fmt: skip
        return add(U, W), gradient, add(rate, more)

    return together


@brief
@dataclass(frozen=True)
class Together(Flow):
    """The sum of two flows."""

    first: Flow
    second: Flow

    @property
    def law(self) -> Callable:
        return both(self.first.law, len(self.first.numbers), self.second.law)

    @property
    def numbers(self) -> tuple[float, ...]:
        return (*self.first.numbers, *self.second.numbers)


@helper
def three(numbers, k):
    """Three numbers in a row."""
    return numbers[k], numbers[k + 1], numbers[k + 2]


def uniform(t, x, numbers, start):
    """The same velocity everywhere."""
    return three(numbers, start), ZERO9, (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Uniform(Flow):
    """The same velocity everywhere; velocity : (3,), m/s."""

    velocity: Vector

    law = property(lambda self: uniform)

    @property
    def numbers(self) -> tuple[float, ...]:
        return a_vector("velocity of a uniform flow", self.velocity)


def shear(t, x, numbers, start):
    """U = U0 + rate (n . (x - p)) e."""
    U, e, n = three(numbers, start), three(numbers, start + 3), three(numbers, start + 6)
    p = three(numbers, start + 9)
    height = n[0] * (x[0] - p[0]) + n[1] * (x[1] - p[1]) + n[2] * (x[2] - p[2])
    G = (e[0] * n[0], e[0] * n[1], e[0] * n[2], e[1] * n[0], e[1] * n[1], e[1] * n[2], e[2] * n[0], e[2] * n[1], e[2] * n[2])
    return add(U, scale(height, e)), G, (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shear(Flow):
    """A velocity that grows along a direction.

    rate : 1/s ; direction : of the velocity ; along : in which it grows ; velocity : at `point`, m/s
    """

    rate: float
    direction: Vector = (1.0, 0.0, 0.0)
    along: Vector = (0.0, 0.0, 1.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    point: Vector = (0.0, 0.0, 0.0)

    law = property(lambda self: shear)

    @property
    def numbers(self) -> tuple[float, ...]:
        rate = a_number("rate of a shear flow", self.rate)
        e, n = (np.array(a_vector(f"{name} of a shear flow", getattr(self, name))) for name in ("direction", "along"))
        if not (np.linalg.norm(e) > 0 and np.linalg.norm(n) > 0):
            raise ValueError("direction and along of a shear flow must not be zero")
        e, n = rate * e / np.linalg.norm(e), n / np.linalg.norm(n)
        rest = a_vector("velocity of a shear flow", self.velocity), a_vector("point of a shear flow", self.point)
        return (*rest[0], *e.tolist(), *n.tolist(), *rest[1])


def gust(t, x, numbers, start):
    """U = velocity (1 - cos(2 pi s)) / 2 , s = (t - begin - (d . x) / speed) / duration between 0 and 1."""
    V, d = three(numbers, start), three(numbers, start + 3)
    s = (t - numbers[start + 6] - (d[0] * x[0] + d[1] * x[1] + d[2] * x[2])) * numbers[start + 7]
    angle = 6.283185307179586 * select(s < 0.0, 0.0, select(s > 1.0, 1.0, s))
    shape, slope = 0.5 * (1.0 - cos(angle)), 3.141592653589793 * sin(angle) * numbers[start + 7]
    G = (
        -slope * V[0] * d[0], -slope * V[0] * d[1], -slope * V[0] * d[2],
        -slope * V[1] * d[0], -slope * V[1] * d[1], -slope * V[1] * d[2],
        -slope * V[2] * d[0], -slope * V[2] * d[1], -slope * V[2] * d[2],
    )  # fmt: skip
    return scale(shape, V), G, scale(slope, V)


@dataclass(frozen=True)
class Gust(Flow):
    """A gust that rises and falls like 1 - cos, once.

    velocity : (3,) at its height, m/s ; begin : s ; duration : s ; travels : (3,) velocity at which it passes over the world,
    m/s; everywhere at once if None
    """

    velocity: Vector
    begin: float = 0.0
    duration: float = 1.0
    travels: Vector | None = None

    law = property(lambda self: gust)

    @property
    def numbers(self) -> tuple[float, ...]:
        slowness = np.zeros(3)
        if self.travels is not None:
            c = np.array(a_vector("travels of a gust", self.travels))
            if not c @ c > 0:
                raise ValueError("travels of a gust is zero; leave it out for a gust that is everywhere at once")
            slowness = c / (c @ c)
        begin, duration = a_number("begin of a gust", self.begin), a_number("duration of a gust", self.duration, above=0.0)
        return (*a_vector("velocity of a gust", self.velocity), *slowness.tolist(), begin, 1.0 / duration)
