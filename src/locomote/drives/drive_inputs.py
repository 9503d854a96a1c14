"""Values of drives as the user gives them: plain finite numbers, or an error that says whose they are."""

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from locomote.compiler.callbacks import shortened
from locomote.errors import UnknownName


def number(name: str, value: Any, owner: str) -> float:
    """A finite float, or an error that says whose it is."""
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} of {owner} must be a number, not {shortened(value)}")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ValueError(f"{name} of {owner} must be finite, not {shortened(value)}")
    return result


def told(function: Any, value: Any) -> float:
    """The number that a function of the user gave, or an error that says whose it is."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        name = getattr(function, "__qualname__", type(function).__qualname__)
        raise TypeError(f"the function {name!r} gave {shortened(value)}, expected a number") from None


def row(name: str, values: Any, owner: str, *, least: int) -> tuple[float, ...]:
    """At least `least` finite floats, or an error that says whose they are."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.array(None)
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise TypeError(f"{name} of {owner} must be a row of numbers, not {shortened(values)}")
    if len(array) < least:
        raise ValueError(f"{name} of {owner} must be at least {least} number{'' if least == 1 else 's'}, not {len(array)}")
    if not np.isfinite(array).all():
        worst = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name} of {owner} must be finite, but {name}[{worst}] is {array[worst]}")
    return tuple(array.astype(float).tolist())


def one_of(name: str, value: Any, known: Iterable[str]) -> None:
    """Refuse a word that a Spline does not know."""
    if not isinstance(value, str) or value not in known:
        raise UnknownName(name, value, known, "a Spline")
