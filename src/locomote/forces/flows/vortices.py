"""Straight vortices: alone, and in the two rows of a Karman street.

A vortex of circulation C about the axis z through p turns the fluid with the speed q(r^2) r at the distance r:

    U = q(s) (-y, x) ,   s = x^2 + y^2                                                                              (1)
    Rankine       q = C / (2 pi max(s, core^2))                                                                     (2)
    Lamb-Oseen    q = C (1 - exp(-s / core^2)) / (2 pi s)                                                           (3)

A street is two rows of such vortices, of opposite circulation, a distance `spacing` apart in their row; the second row is
shifted by half of that and lies `width` across. With the regularised single row of period a, as a periodic sum (Lamb, art. 156)

    u = -(C / 2a) sinh(k y) / (cosh(k y) - cos(k x) + e) ,   v = (C / 2a) sin(k x) / (same) ,   k = 2 pi / a           (4)

where e = cosh(k core) - 1 rounds off the centers. The rows travel at U - C / (2 sqrt(2) a) for a width of 0.281 a.
"""

import math
from dataclasses import dataclass

from locomote.compiler.scalars import cos, exp, select, sin
from locomote.compiler.source import helper
from locomote.forces.flows.fields import Flow, three
from locomote.forces.numbers import Vector, a_number, a_vector, frame_along
from locomote.spatial.algebra import add, compose, rotate, scale, subtract, unrotate

STABLE = 0.281  # width over spacing of a street that keeps its shape (von Karman)


@helper
def turned(R, U, G, rate):
    """A flow from the axes of the columns of R to those of the world."""
    across = (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
    return rotate(R, U), compose(compose(R, G), across), rotate(R, rate)


@helper
def swirl(x, y, q, slope):
    """(1) with its gradient; slope is dq/ds."""
    U = (-q * y, q * x, 0.0)
    G = (-2.0 * slope * x * y, -q - 2.0 * slope * y * y, 0.0, q + 2.0 * slope * x * x, 2.0 * slope * x * y, 0.0, 0.0, 0.0, 0.0)
    return U, G


@helper
def nine(numbers, k):
    """Nine numbers in a row."""
    return (
        numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3], numbers[k + 4], numbers[k + 5], numbers[k + 6],
        numbers[k + 7], numbers[k + 8],
    )  # fmt: skip


@helper
def placed(t, x, numbers, start):
    """The point in axes of the vortex, which travels; the axes; its velocity in them."""
    R, p, c = nine(numbers, start), three(numbers, start + 9), three(numbers, start + 12)
    return R, unrotate(R, subtract(subtract(x, p), scale(t, c))), unrotate(R, c)


@helper
def carried(R, U, G, c):
    """A flow that travels with velocity c, in world axes: its time derivative is -G c."""
    return turned(R, U, G, scale(-1.0, rotate(G, c)))


def rankine(t, x, numbers, start):
    """(2)."""
    R, y, c = placed(t, x, numbers, start)
    s, core2 = y[0] * y[0] + y[1] * y[1], numbers[start + 16]
    outside = s > core2
    safe = select(outside, s, core2)
    q = numbers[start + 15] / safe
    U, G = swirl(y[0], y[1], q, select(outside, -q / safe, 0.0))
    return carried(R, U, G, c)


def lamb_oseen(t, x, numbers, start):
    """(3), as a series near the axis."""
    R, y, c = placed(t, x, numbers, start)
    core2 = numbers[start + 16]
    z = (y[0] * y[0] + y[1] * y[1]) / core2
    near = z < 1e-2
    far = select(near, 1.0, z)
    e = exp(-far)
    near_z = select(near, z, 0.0)
    value = 1.0 - near_z * (1 / 2 - near_z * (1 / 6 - near_z * (1 / 24 - near_z * (1 / 120 - near_z / 720))))
    rate = -1 / 2 + near_z * (1 / 3 - near_z * (1 / 8 - near_z * (1 / 30 - near_z * (1 / 144 - near_z / 840))))
    q = numbers[start + 15] / core2 * select(near, value, (1.0 - e) / far)
    slope = numbers[start + 15] / (core2 * core2) * select(near, rate, (far * e - 1.0 + e) / (far * far))
    U, G = swirl(y[0], y[1], q, slope)
    return carried(R, U, G, c)


@dataclass(frozen=True)
class Vortex(Flow):
    """A straight vortex.

    circulation : m^2/s, about `axis` ; core : m ; point : of its axis at t = 0, m ; velocity : at which it travels, m/s
    kind : "lamb-oseen" (smooth) or "rankine" (a core that turns as if rigid)
    """

    circulation: float
    core: float
    point: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    kind: str = "lamb-oseen"

    @property
    def law(self):
        if self.kind not in ("lamb-oseen", "rankine"):
            raise ValueError(f"kind of a vortex is {self.kind!r}, expected 'lamb-oseen' or 'rankine'")
        return lamb_oseen if self.kind == "lamb-oseen" else rankine

    @property
    def numbers(self) -> tuple[float, ...]:
        R = frame_along(a_vector("axis of a vortex", self.axis))
        axes = R[:, [1, 2, 0]]  # z along the axis
        point, velocity = a_vector("point of a vortex", self.point), a_vector("velocity of a vortex", self.velocity)
        strength = a_number("circulation of a vortex", self.circulation) / (2 * math.pi)
        core = a_number("core of a vortex", self.core, above=0.0)
        return (*axes.ravel().tolist(), *point, *velocity, strength, core**2)


@helper
def row(x, y, k, strength, e):
    """(4) with its gradient: one row along x, of strength C / 2a."""
    small, side = exp(select(y < 0.0, k * y, -k * y)), select(y < 0.0, -1.0, 1.0)  # far away nothing overflows
    sine, cosine = sin(k * x), cos(k * x)
    below = 1.0 / (1.0 + small * small + 2.0 * small * (e - cosine))
    sh, ch = side * (1.0 - small * small) * below, (1.0 + small * small) * below
    s, c = 2.0 * small * sine * below, 2.0 * small * cosine * below
    u, v = -strength * sh, strength * s
    return u, v, -u * k * s, -strength * k * ch - u * k * sh, strength * k * c - v * k * s, -v * k * sh


def street(t, x, numbers, start):
    """Two rows of (4), of opposite sign, that travel, and the stream that carries them."""
    R, y, c = placed(t, x, numbers, start)
    k, strength, e, half, U0 = (
        numbers[start + 15], numbers[start + 16], numbers[start + 17], numbers[start + 18], three(numbers, start + 19)
    )  # fmt: skip
    a = row(y[0], y[1] - half, k, -strength, e)
    b = row(y[0] - 3.141592653589793 / k, y[1] + half, k, strength, e)
    U = (a[0] + b[0], a[1] + b[1], 0.0)
    G = (a[2] + b[2], a[3] + b[3], 0.0, a[4] + b[4], a[5] + b[5], 0.0, 0.0, 0.0, 0.0)
    V, H, rate = carried(R, U, G, c)
    return add(V, U0), H, rate


@dataclass(frozen=True)
class KarmanStreet(Flow):
    """A vortex street: two rows of vortices along the stream, as behind a cylinder, in a stream that carries them.

    stream : velocity far away, m/s ; spacing : of vortices in a row, m ; circulation : m^2/s ; core : radius, m
    width : distance of the rows, m; 0.281 of the spacing if None ; axis : of the vortices ; point : between the rows at t = 0,
    m
    """

    stream: Vector
    spacing: float
    circulation: float
    core: float
    width: float | None = None
    axis: Vector = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)

    law = property(lambda self: street)

    @property
    def advance(self) -> float:
        """Speed at which the vortices travel along the stream, m/s."""
        speed = math.hypot(*a_vector("stream of a street", self.stream))
        k, half = 2 * math.pi / self.spacing, 0.5 * self._width
        return speed - self.circulation / (2 * self.spacing) * math.tanh(k * half)

    @property
    def frequency(self) -> float:
        """How often vortices of a row pass a fixed point, Hz."""
        return self.advance / self.spacing

    @property
    def _width(self) -> float:
        return STABLE * self.spacing if self.width is None else a_number("width of a street", self.width, above=0.0)

    @property
    def numbers(self) -> tuple[float, ...]:
        a = a_number("spacing of a street", self.spacing, above=0.0)
        R = frame_along(a_vector("stream of a street", self.stream), a_vector("axis of a street", self.axis))
        k = 2 * math.pi / a
        core = a_number("core of a street", self.core, above=0.0)
        return (
            *R.ravel().tolist(), *a_vector("point of a street", self.point), *(self.advance * R[:, 0]).tolist(), k,
            a_number("circulation of a street", self.circulation) / (2 * a), math.cosh(k * core) - 1.0, 0.5 * self._width,
            *a_vector("stream of a street", self.stream),
        )  # fmt: skip
