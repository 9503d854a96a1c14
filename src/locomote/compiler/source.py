"""Decorators of the single source.

A `helper` is a short plain function on numbers and tuples, a `routine` a recursion on packed arrays. Called from Python
both run as they are: on floats, on NumPy arrays (each number then being an array of numbers) or on symbols. Called from
a compiled kernel, a helper is inlined and a routine compiled for the numbers it is given: floats or lanes.
Neither makes arrays or gives them back, so they need no counting of references, which would stand in inner loops.
A `kernel` is an entry from Python, compiled at its first call and kept on disk.
"""

import functools

from locomote.compiler.cache import keep_on_disk
from locomote.compiler.numba_private import dispatcher, part

helper = functools.partial(part, inlined=True)
# a helper that is one long sum, taken in any order: several terms at a time, which is ten times as fast
sum_helper = functools.partial(part, inlined=True, reorders=True)
routine = part
# one that makes up most of a few kernels becomes part of them: handing over many arrays takes as long as a body or two
inlined_routine = functools.partial(part, inlined=True)


def kernel(function):
    """Compile `function` with Numba at its first call, and keep the result on disk."""
    return keep_on_disk(dispatcher(function))
