"""What a caller gives, as an array of floats."""

from math import isfinite

import numpy as np

MOST_DIMENSIONS = 28  # NumPy itself works with 32 in some places
FLOAT = np.dtype(float)
MOST_TIMES = 10**9  # that something is done: more would take days
FEW = 4096  # numbers that are summed up by one thread: to wake others takes longer


def as_numbers(x, label: str, shape: str) -> np.ndarray:
    """A float array, or an error that says what was expected."""
    if type(x) is np.ndarray and x.dtype is FLOAT and x.ndim <= MOST_DIMENSIONS:
        return x
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise ValueError(f"{label} has masked values; fill them first, such as with .filled(0.0)")
    if isinstance(x, np.ndarray) and x.ndim > MOST_DIMENSIONS:
        raise ValueError(f"{label} has {x.ndim} dimensions; arrays may have {MOST_DIMENSIONS}")
    try:
        array = np.asarray(x)
        if array.dtype.kind not in "biufO":
            raise TypeError
        if array.dtype.kind == "O" and any(isinstance(value, str | bytes | None) for value in array.flat):
            raise TypeError  # NumPy would read a text, and take None as NaN
        return array.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{label} must be an array of numbers, shape {shape}, not {x!r:.60}") from None


def all_finite(x: np.ndarray) -> bool:
    """Whether all numbers are finite: few of them are at once seen to have squares of a finite sum, unless they are large."""
    return (x.size <= FEW and isfinite(np.vdot(x, x))) or bool(np.isfinite(x).all())


def several(value, count: int, label: str) -> list[float]:
    """`count` numbers (one may stand alone), or an error that says what was expected."""
    try:
        array = as_numbers(value, label, "")
        if array.size != count or array.ndim > 1:
            raise ValueError
    except ValueError:
        expected = "a number" if count == 1 else f"{count} numbers"
        raise ValueError(f"{label} must be {expected}, not {value!r:.60}") from None
    return array.ravel().tolist()


def integer(value, label: str, least: int, most: int = MOST_TIMES) -> int:
    """An integer within bounds, or an error that says what was expected."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ValueError(f"{label} must be an integer from {least} to {most}, not {str(value):.60}")
    return int(value)


def generator(seed, label: str) -> np.random.Generator:
    """Random numbers from a seed, or from a generator of NumPy that is given."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"{label} must be a seed (an integer from 0) or a NumPy generator, not {seed!r:.60}") from None
