"""What motions and laws are given and give, as finite numbers, or a sentence that says what was expected."""

import functools
from collections.abc import Callable

import numpy as np

from locomote.spatial.numbers import all_finite, as_numbers


def motion(value, label: str) -> np.ndarray:
    """(3, ...) position, velocity and acceleration."""
    array = as_numbers(value, label, "(3, ...)")
    if array.ndim < 1 or len(array) != 3:
        raise ValueError(f"{label} must be a motion (position, velocity, acceleration), shape (3, ...), not {array.shape}")
    return array


def row(value, label: str) -> np.ndarray:
    """(n,) finite numbers, a copy; one number stays alone."""
    array = np.array(as_numbers(value, label, "(n,)"))
    if array.ndim > 1:
        raise ValueError(f"{label} must be numbers, one for each driven coordinate, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{label} has a value that is not finite: {value!r:.60}")
    return array


def finite(call: Callable) -> Callable:
    """The inner function of a reference or law: it raises FloatingPointError where it leaves what float64 can hold."""

    @functools.wraps(call)
    def checked(*given):
        result = call(*given)
        if not all(all_finite(x) for x in result if type(x) is np.ndarray):
            name = NAMES.get(call.__name__, call.__name__[1:])
            raise FloatingPointError(f"lo.control.{name}: the result is not finite; values are too large or small for float64")
        return result

    return checked


NAMES = {
    "_biped": "biped_reference", "_legs": "legs_reference", "_computed": "computed_torque", "_forward": "feed_forward",
    "_gravity": "gravity_compensation",
}  # fmt: skip
