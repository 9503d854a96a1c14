"""Entries for one configuration, run as plain Python on numbers of any kind: symbols, traced numbers, arrays.

Scratch arrays become arrays of objects that start as None, so that a number that is read before it was written is an error.
Checks of values (finite, unit) are left out, since a symbol has no value.
"""

import types

import numpy as np

from locomote.compiler.scratch_layout import made
from locomote.kernels import single
from locomote.kernels.flexible import single as flexible


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


def plain_names(module) -> dict:
    """What the entries of a module know, with scratch for objects and without looks at values."""
    unseen = {name: lambda *_: 0 for name in vars(module) if name.endswith("_status") or name == "turn_of"}
    scratch = {"scratch": objects, "scratch_of": lambda kind, sizes: made(kind, sizes, objects)}
    return vars(module) | scratch | unseen


PLAIN, PLAIN_FLEXIBLE = plain_names(single), plain_names(flexible)


def run(entry: str, *arguments) -> None:
    """Run an entry of `kernels.single`, given by name, on arrays of objects."""
    _called(getattr(single, entry), PLAIN, arguments)


def run_flexible(entry: str, *arguments) -> None:
    """Run an entry of `kernels.flexible.single`, given by name, on one row of arrays of objects."""
    _called(getattr(flexible, entry), PLAIN_FLEXIBLE, arguments)


def _called(kernel, names: dict, arguments) -> None:
    function = getattr(kernel, "py_func", kernel)
    types.FunctionType(function.__code__, names)(*arguments)
