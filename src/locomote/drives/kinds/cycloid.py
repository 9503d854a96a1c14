"""From rest to rest: x = a + (b - a)(s - sin(2 pi s) / 2 pi), s = t/T."""

import math
from dataclasses import dataclass, field, replace

from locomote.compiler.scalars import cos, sin
from locomote.drives.drive import Drive, Term, ramp_breaks, ramps, settle

NUMBER = 2


def motion(numbers, k, last, t, functions, called, scratch):
    """The position and its rates; the numbers are a, b, T. At rest before 0 and after T."""
    start, end, duration = numbers[k], numbers[k + 1], numbers[k + 2]
    turn, s, rate = 2.0 * math.pi, t / duration, (end - start) / duration
    if s <= 0.0:
        x, dx, ddx = start, 0.0, 0.0
    elif s >= 1.0:
        x, dx, ddx = end, 0.0, 0.0
    else:
        x = start + (end - start) * (s - sin(turn * s) / turn)
        dx, ddx = rate * (1.0 - cos(turn * s)), rate / duration * turn * sin(turn * s)
    return x, dx, ddx


@dataclass(frozen=True)
class Cycloid(Drive):
    """From start at t = 0 to end at t = duration, at rest before and after; two continuous rates.

    start, end : u ; duration : s
    """

    start: float
    end: float
    duration: float
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        settle(self, "start", "end", "duration", "ramp")
        if self.duration <= 0.0:
            raise ValueError(f"duration of a Cycloid must be more than 0 s, not {self.duration:g}")

    def _terms(self):
        return [Term(NUMBER, ramps(self), (self.start, self.end, self.duration))]

    def _breaks(self):
        return (*ramp_breaks(self), 0.0, self.duration)

    def _scaled(self, factor):
        return replace(self, start=factor * self.start, end=factor * self.end)
