"""Decorators of the single source.

A `helper` is a short plain function on numbers and tuples, a `routine` a recursion on packed arrays. Called from Python
both run as they are: on floats, on NumPy arrays (each number then being an array of numbers) or on symbols. Called from
a compiled kernel, a helper is inlined and a routine compiled for the numbers it is given: floats or lanes.
A `kernel` is an entry from Python, compiled at its first call and kept on disk.
"""

import numba
from numba.extending import register_jitable

from locomote.engine.cache import keep_on_disk

# contract fuses a*b+c; nothing that lets a NaN vanish or reorders a sum (measured: no gain)
FASTMATH = {"contract", "nsz", "arcp"}

helper = register_jitable(forceinline=True)
# a routine allocates nothing, so it needs no counting of references, which would stand in its inner loops
routine = register_jitable(_nrt=False)
# one that makes up most of a few kernels becomes part of them: handing over many arrays takes as long as a body or two
inlined_routine = register_jitable(_nrt=False, forceinline=True)


def kernel(function):
    """Compile `function` with Numba at its first call, and keep the result on disk."""
    return keep_on_disk(numba.njit(nogil=True, fastmath=FASTMATH, error_model="numpy")(function))
