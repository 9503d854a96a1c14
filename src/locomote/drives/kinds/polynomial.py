"""Powers of time: x = c_0 + c_1 t + c_2 t^2 + ..."""

from dataclasses import dataclass, field, replace

from locomote.brief import brief
from locomote.compiler.source import helper
from locomote.drives.drive import Drive, Row, Term, put, ramps, settle
from locomote.drives.drive_inputs import row

NUMBER, ON_SYMBOLS = 1, True


@helper
def horner(numbers, first, last, t):
    """The position and its rates, by Horner's rule; the coefficients are numbers[first:last]."""
    x, dx, ddx = 0.0, 0.0, 0.0
    for k in range(last - 1, first - 1, -1):
        ddx = ddx * t + 2.0 * dx
        dx = dx * t + x
        x = x * t + numbers[k]
    return x, dx, ddx


def motion(numbers, k, last, t, functions, called, scratch):
    """The position and its rates; the numbers are the coefficients."""
    return horner(numbers, k, last, t)


@brief
@dataclass(frozen=True)
class Polynomial(Drive):
    """c0 + c1 t + c2 t^2 + ...

    coefficients : u, u/s, u/s^2, ...
    """

    coefficients: Row
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        settle(self, "ramp")
        put(self, coefficients=row("coefficients", self.coefficients, "a Polynomial", least=1))

    def _terms(self):
        return [Term(NUMBER, ramps(self), self.coefficients)]

    def _scaled(self, factor):
        return replace(self, coefficients=tuple(factor * c for c in self.coefficients))
