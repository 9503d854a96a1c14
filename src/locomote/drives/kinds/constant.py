"""One value: a polynomial of degree 0."""

from dataclasses import dataclass, field, replace

from locomote.drives.drive import Drive, Term, ramps, settle
from locomote.drives.kinds import polynomial


@dataclass(frozen=True)
class Constant(Drive):
    """One value for all times, in u; with a ramp it is gone to from zero."""

    value: float
    ramp: float = field(default=0.0, kw_only=True)

    def __post_init__(self):
        settle(self, "value", "ramp")

    def _terms(self):
        return [Term(polynomial.NUMBER, ramps(self), (self.value,))]

    def _scaled(self, factor):
        return replace(self, value=factor * self.value)
