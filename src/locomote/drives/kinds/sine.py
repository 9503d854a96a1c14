"""A sine: x = c + A sin(w t + p)."""

from dataclasses import dataclass, replace
from math import tau

from locomote.compiler.scalars import cos, sin
from locomote.drives.drive import Drive, Term, put, ramps, rate_of, settle

NUMBER, ON_SYMBOLS = 0, True


def motion(numbers, k, last, t, functions, called, scratch):
    """The position and its rates; the numbers are A, w, p, c."""
    amplitude, frequency = numbers[k], numbers[k + 1]
    angle = frequency * t + numbers[k + 2]
    s, c = amplitude * sin(angle), amplitude * cos(angle)
    return numbers[k + 3] + s, frequency * c, -frequency * frequency * s


@dataclass(frozen=True, init=False)
class Sine(Drive):
    """offset + amplitude sin(rate t + phase).

    amplitude, offset : u ; rate : rad/s, or frequency : Hz ; phase : rad
    """

    amplitude: float
    rate: float
    phase: float = 0.0
    offset: float = 0.0
    ramp: float = 0.0

    def __init__(
        self,
        amplitude: float,
        rate: float | None = None,
        phase: float = 0.0,
        offset: float = 0.0,
        *,
        frequency: float | None = None,
        ramp: float = 0.0,
    ):
        rate = rate_of(rate, frequency, "a Sine")
        put(self, amplitude=amplitude, rate=rate, phase=phase, offset=offset, ramp=ramp)
        settle(self, "amplitude", "rate", "phase", "offset", "ramp")

    @property
    def frequency(self) -> float:
        """Periods per second, Hz."""
        return self.rate / tau

    def _terms(self):
        return [Term(NUMBER, ramps(self), (self.amplitude, self.rate, self.phase, self.offset))]

    def _scaled(self, factor):
        return replace(self, amplitude=factor * self.amplitude, offset=factor * self.offset)
