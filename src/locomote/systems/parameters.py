"""Parameters of systems: default, unit, meaning, and which values make sense."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import ModelError, UnknownName

CLOSING = (1e-10, 1e-13)  # rtol and atol of collocation at which the energy of soft systems closes to 1e-8


@brief
@dataclass(frozen=True)
class Parameter:
    """A parameter of a system.

    lowest, highest : limits of a number; strict: the lowest itself is not allowed; whole : an integer
    options : the words to choose from, instead of a number
    """

    default: Any
    unit: str
    meaning: str
    lowest: float = -math.inf
    highest: float = math.inf
    strict: bool = False
    whole: bool = False
    options: tuple[str, ...] = ()
    name: str = ""

    def wanted(self) -> str:
        """What a value must be, in words."""
        if len(self.options):
            return f"one of {', '.join(map(repr, self.options))}"
        words = "an integer" if self.whole else "a finite number"
        if self.lowest > -math.inf:
            words += f" {'above' if self.strict else 'from'} {self.lowest:g}"
        return words + (f" to {self.highest:g}" if self.highest < math.inf else "")

    def fits(self, value: Any) -> bool:
        """Whether the value makes sense."""
        if len(self.options):
            return isinstance(value, str) and value in self.options
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            return False
        if self.whole and value != int(value):
            return False
        return bool(self.lowest <= value <= self.highest and not (self.strict and value == self.lowest))

    def taken(self, value: Any) -> Any:
        """The value as the system gets it."""
        if not self.fits(value):
            raise ValueError(f"parameter {self.name!r} is {value!r:.60}, expected {self.wanted()}")
        return value if len(self.options) else int(value) if self.whole else float(value)


def number(default: float, unit: str, meaning: str) -> Parameter:
    """Any finite number."""
    return Parameter(float(default), unit, meaning)


def positive(default: float, unit: str, meaning: str) -> Parameter:
    """A number above zero."""
    return Parameter(float(default), unit, meaning, lowest=0.0, strict=True)


def not_negative(default: float, unit: str, meaning: str) -> Parameter:
    """A number from zero."""
    return Parameter(float(default), unit, meaning, lowest=0.0)


def whole(default: int, meaning: str, *, lowest: int, highest: float = math.inf) -> Parameter:
    """A count."""
    return Parameter(default, "", meaning, lowest=lowest, highest=highest, whole=True)


def choice(default: str, options, meaning: str) -> Parameter:
    """One of some words."""
    return Parameter(default, "", meaning, options=tuple(options))


def values(system: str, parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> SimpleNamespace:
    """All parameters of a system with the values given and the defaults of the others; raises an error that names every
    value which makes no sense."""
    for key in given:
        if key not in parameters:
            raise UnknownName("parameter", key, parameters, f"system {system!r}")
    faults = [
        f"parameter {key!r} is {value!r}, expected {parameters[key].wanted()}"
        for key, value in given.items()
        if not parameters[key].fits(value)
    ]
    if faults:
        raise ModelError(f"system {system!r}", faults)
    return SimpleNamespace(**{key: p.taken(given.get(key, p.default)) for key, p in parameters.items()})
