"""A Fourier series: x = c + sum_n (a_n cos(n w t) + b_n sin(n w t)), packed as sines."""

import math
from dataclasses import dataclass, replace

from locomote.brief import brief
from locomote.drives.drive import Drive, Row, Term, put, ramps, rate_of, settle
from locomote.drives.drive_inputs import row
from locomote.drives.kinds.sine import NUMBER as SINE


@brief
@dataclass(frozen=True, init=False)
class Fourier(Drive):
    """mean + sum over n = 1, 2, ... of cosines[n-1] cos(n rate t) + sines[n-1] sin(n rate t).

    mean : u ; cosines, sines : u, one a harmonic, the shorter one is filled with zeros ; rate : rad/s, or frequency : Hz
    """

    mean: float
    cosines: Row
    sines: Row
    rate: float
    ramp: float = 0.0

    def __init__(
        self,
        mean: float = 0.0,
        cosines: Row = (),
        sines: Row = (),
        rate: float | None = None,
        *,
        frequency: float | None = None,
        ramp: float = 0.0,
    ):
        given = [row(name, part, "a Fourier", least=0) for name, part in (("cosines", cosines), ("sines", sines))]
        count = max(map(len, given))
        cosines, sines = (tuple(part) + (0.0,) * (count - len(part)) for part in given)
        put(self, mean=mean, cosines=cosines, sines=sines, rate=rate_of(rate, frequency, "a Fourier"), ramp=ramp)
        settle(self, "mean", "rate", "ramp")

    @property
    def frequency(self) -> float:
        """Periods per second, Hz."""
        return self.rate / math.tau

    def _terms(self):
        own = ramps(self)
        found = [Term(SINE, own, (0.0, self.rate, 0.0, self.mean))]
        for n, (a, b) in enumerate(zip(self.cosines, self.sines, strict=True), 1):
            found += [Term(SINE, own, (a, n * self.rate, math.pi / 2, 0.0)), Term(SINE, own, (b, n * self.rate, 0.0, 0.0))]
        return found

    def _scaled(self, factor):
        cosines, sines = (tuple(factor * x for x in part) for part in (self.cosines, self.sines))
        return replace(self, mean=factor * self.mean, cosines=cosines, sines=sines)
