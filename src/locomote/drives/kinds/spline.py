"""Samples joined by polynomials, each in powers of the time since its first knot."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.compiler.scalars import floor
from locomote.compiler.source import helper
from locomote.drives.drive import Drive, Row, Term, put, ramp_breaks, ramps, settle
from locomote.drives.drive_inputs import one_of, row
from locomote.drives.kinds.polynomial import horner

NUMBER = 3
HOLD, ERROR, REPEAT = range(3)  # what a spline does outside its knots
OUTSIDE = {"hold": HOLD, "error": ERROR, "repeat": REPEAT}
ENDS: dict[str, dict[int, Any]] = {  # by order, as SciPy wants it: (derivative, value) at the first and at the last sample
    "natural": {3: ((2, 0.0), (2, 0.0)), 5: ([(3, 0.0), (4, 0.0)], [(3, 0.0), (4, 0.0)])},
    "clamped": {3: ((1, 0.0), (1, 0.0)), 5: ([(1, 0.0), (2, 0.0)], [(1, 0.0), (2, 0.0)])},
    "periodic": {3: "periodic", 5: "periodic"},
}
CLOSED = 1e-12  # how far the ends of a periodic spline may differ, relative to its largest value


@helper
def piece(numbers, knots, count, t):
    """The piece of a spline that t is in, by bisection; beyond the ends the first or the last."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if numbers[knots + middle] <= t:
            low = middle
        else:
            high = middle
    return low


@helper
def spline(numbers, k, t):
    """A piecewise polynomial; outside its knots held at rest, NaN, or repeated."""
    width, outside, count, knots = int(numbers[k]), int(numbers[k + 1]), int(numbers[k + 2]), k + 3
    start, end = numbers[knots], numbers[knots + count]
    if outside == REPEAT:
        t = t - floor((t - start) / (end - start)) * (end - start)
    before, after = outside != REPEAT and t < start, outside != REPEAT and t > end
    if before:
        t = start
    elif after:
        t = end
    i = piece(numbers, knots, count, t)
    first = knots + count + 1 + i * width
    x, dx, ddx = horner(numbers, first, first + width, t - numbers[knots + i])
    if before or after:
        dx, ddx = 0.0, 0.0
        if outside == ERROR:
            x, dx, ddx = math.nan, math.nan, math.nan
    return x, dx, ddx


def motion(numbers, k, last, t, functions, called, scratch):
    """The numbers are order + 1, outside, how many pieces, knots, and the coefficients of each piece."""
    return spline(numbers, k, t)


@brief
@dataclass(frozen=True)
class Spline(Drive):
    """Samples joined by polynomials of order 3 (acceleration continuous) or 5 (its two rates too).

    times, values : s and u; at least two, times strictly increasing
    end : "natural": straight ends, second derivative zero (order 5: third and fourth);
        "clamped": velocity zero (order 5: acceleration too); "periodic": joined to a loop, last value = first
    outside : "hold": the end value, at rest; "error": no value, a simulation stops with a sentence; "repeat": a periodic spline
        again and again. Without a word: "repeat" if periodic, else "hold"
    """

    times: Row
    values: Row
    end: str = field(default="natural", kw_only=True)
    outside: str | None = field(default=None, kw_only=True)
    order: int = field(default=3, kw_only=True)
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        settle(self, "ramp")
        times = row("times", self.times, "a Spline", least=2)
        values = row("values", self.values, "a Spline", least=2)
        put(self, times=times, values=values, outside=self.outside or ("repeat" if self.end == "periodic" else "hold"))
        if len(times) != len(values):
            raise ValueError(f"a Spline needs as many values as times, not {len(values)} values at {len(times)} times")
        for k, (earlier, later) in enumerate(zip(times, times[1:], strict=False)):
            if not later > earlier:
                raise ValueError(f"times of a Spline must increase: times[{k + 1}] = {later!r} follows {earlier!r}")
        if self.order not in (3, 5):
            raise ValueError(f"order of a Spline must be 3 or 5, not {self.order!r}")
        put(self, order=int(self.order))
        one_of("end", self.end, ENDS)
        one_of("outside", self.outside, OUTSIDE)
        if self.outside == "repeat" and self.end != "periodic":
            raise ValueError("outside='repeat' needs end='periodic', or the motion would jump")
        if self.end == "periodic" and abs(values[-1] - values[0]) > CLOSED * max(map(abs, values)):
            raise ValueError(f"a periodic Spline ends where it starts, but goes from {values[0]!r} to {values[-1]!r}")
        if (self.order, self.end, len(times)) == (5, "natural", 2):
            raise ValueError("a natural Spline of order 5 needs three samples; give one more, or end='clamped'")
        try:
            sound = bool(np.isfinite(self._pieces).all())
        except (ValueError, np.linalg.LinAlgError):  # SciPy's words for the same
            sound = False
        if not sound:
            raise ValueError("the coefficients of this Spline are too large for float64: samples are too near or too large")

    @cached_property
    def _pieces(self) -> np.ndarray:
        """Coefficients (pieces, order + 1) of powers of t - times[i], lowest first."""
        from scipy.interpolate import CubicSpline, make_interp_spline

        times, values, end = np.array(self.times), np.array(self.values), ENDS[self.end][self.order]
        if self.end == "periodic":
            values[-1] = values[0]
        with np.errstate(all="ignore"):
            curve = (
                CubicSpline(times, values, bc_type=end)
                if self.order == 3
                else make_interp_spline(times, values, 5, bc_type=end)
            )
            return np.stack([curve(times[:-1], n) / math.factorial(n) for n in range(self.order + 1)], axis=1)

    def _terms(self):
        head = (self.order + 1, OUTSIDE[str(self.outside)], len(self.times) - 1)
        return [Term(NUMBER, ramps(self), np.concatenate([head, self.times, self._pieces.ravel()]))]

    def _breaks(self):
        return (*ramp_breaks(self), *(() if self.outside == "repeat" else (self.times[0], self.times[-1])))

    def _scaled(self, factor):
        return replace(self, values=tuple(factor * value for value in self.values))

    def _gap(self, t):
        if self.outside == "error" and not self.times[0] <= t <= self.times[-1]:
            return f"its samples go from {self.times[0]:g} to {self.times[-1]:g} s; give more, or outside='hold'"
        return ""
