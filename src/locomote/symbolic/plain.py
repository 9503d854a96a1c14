"""Entries for one configuration, run as plain Python on numbers of any kind: symbols, traced numbers, arrays.

Scratch arrays become arrays of objects that start as None, so that a number that is read before it was written is an error.
Checks of values (finite, unit) are left out, since a symbol has no value.
"""

import types

import numpy as np

from locomote.engine.sizes import made
from locomote.kernels import single


def objects(shape) -> np.ndarray:
    """An array for anything, empty."""
    return np.full(shape, None, dtype=object)


def zeros(shape) -> np.ndarray:
    """An array for anything, all zero."""
    return np.full(shape, 0.0, dtype=object)


def boxed(values) -> np.ndarray:
    """A sequence of anything as a one-dimensional array of objects."""
    result = objects(len(values))
    for k, value in enumerate(values):
        result[k] = value
    return result


PLAIN = vars(single) | {
    "scratch": objects,
    "scratch_of": lambda kind, sizes: made(kind, sizes, objects),
    **{name: lambda *_: 0 for name in vars(single) if name.endswith("_status")},
}


def run(entry: str, *arguments) -> None:
    """Run an entry of `kernels.single`, given by name, on arrays of objects."""
    function = getattr(single, entry)
    function = getattr(function, "py_func", function)
    types.FunctionType(function.__code__, PLAIN)(*arguments)
