"""Entries of recursions (`kernels.entries`), run as plain Python on numbers of any kind: symbols, traced numbers, arrays.

Scratch arrays become arrays of objects that start as None, so that a number that is read before it was written is an error.
Checks of values (finite, unit) are left out, since a symbol has no value.
"""

import functools
import types

import numpy as np

from locomote.compiler.scratch_layout import made


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


def run(kernel, *arguments) -> None:
    """Run an entry of a recursion on arrays of objects; one for rows on one row."""
    function = getattr(kernel, "py_func", kernel)
    types.FunctionType(function.__code__, plain_names(function))(*arguments)


@functools.cache
def plain_names(function) -> dict:
    """What an entry knows, with scratch for objects and without looks at values."""
    known = function.__globals__
    unseen = {name: lambda *_: 0 for name in known if name.endswith("_status")}
    return known | unseen | {"scratch_of": lambda kind, sizes: made(kind, sizes, objects)}
