"""How a run is to be integrated."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from locomote.methods.registry import method_named

INTERRUPTS = ("return", "raise")
LEAST_ATOL = 1e-30  # steps for less are as short as rounding makes them, and do not end


@dataclass
class Options:
    """How to integrate."""

    method: str = "adaptive"
    step: float | None = None
    rtol: float = 1e-8
    atol: float = 1e-10
    max_step: float = math.inf
    projection: bool = True
    singular: str = "continue"
    on_interrupt: str = "return"

    def checked(self) -> "Options":
        """Itself, or an error that says what is wrong."""
        method_named(self.method)
        if self.singular not in ("continue", "stop"):
            raise ValueError(f"singular is {self.singular!r}, expected 'continue' or 'stop'")
        if self.on_interrupt not in INTERRUPTS:
            raise ValueError(f"on_interrupt is {self.on_interrupt!r}, expected 'return' or 'raise'")
        for name in ("rtol", "atol", "max_step"):
            if not is_positive(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected a positive number")
        if self.rtol < 1e-14:
            raise ValueError(f"rtol is {self.rtol!r}, less than float64 can resolve; 1e-13 is about the least that makes sense")
        if self.atol < LEAST_ATOL:
            raise ValueError(f"atol is {self.atol!r}, less than float64 can resolve; {LEAST_ATOL:g} is the least that is taken")
        if self.step is not None and not (is_positive(self.step) and math.isfinite(self.step)):
            raise ValueError(f"step is {self.step!r}, expected a positive number of seconds")
        return self


def is_positive(value: Any) -> bool:
    """Whether a value is a positive number."""
    return isinstance(value, Real) and not isinstance(value, bool) and float(value) > 0.0
