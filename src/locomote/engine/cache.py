"""Compiled kernels on disk, by what they are made of.

Numba notices when the file of a kernel changes, but not when a file of its helpers does, and would go on returning
old results; and it would load what anybody left in its folder. Here a kernel is found by the stamp of all the code that it
is made of, and only where nobody else can have put it.
"""

import hashlib
import sys
from pathlib import Path

import numba

from locomote.engine import store
from locomote.engine.numba_private import KernelCache, as_bytes, from_bytes
from locomote.engine.stamps import kernel_stamp, source_stamp

SUFFIX = ".kernel"


def kernel_folder() -> Path:
    """Where kernels are that this version of Numba, Python and the engine made."""
    made_by = f"{numba.__version__} {sys.implementation.cache_tag} {source_stamp('engine')}"
    return store.cache_folder() / hashlib.sha256(made_by.encode()).hexdigest()[:16]


class _Cache(KernelCache):
    """The kernels of one function. What it is made of is asked when it is first used: then all of it has been defined."""

    def __init__(self, function):
        self._function, self._stamp = function, ""

    def path(self, signature, codegen) -> Path:
        self._stamp = self._stamp or kernel_stamp(self._function)
        key = hashlib.sha256(repr((self._stamp, signature, codegen.magic_tuple())).encode()).hexdigest()[:32]
        return kernel_folder() / f"{self._function.__name__}-{key}{SUFFIX}"

    def load_overload(self, sig, target_context):
        # Numba's own cache would first fill its registries, for which it imports SciPy's linear algebra: 0.3 s of the first
        # call, and code from disk needs none of it. A compilation fills them by itself.
        found = store.load(self.path(sig, target_context.codegen()))
        if found is None:
            return None
        try:
            return from_bytes(target_context, found[1])
        except Exception:  # whole, but made by something else than it seems; compiling anew replaces it
            return None

    def save_overload(self, sig, cres):
        piece = as_bytes(cres)
        if piece is not None:
            store.save(self.path(sig, cres.codegen), {"kernel": self._function.__qualname__}, piece)


def keep_on_disk(dispatcher):
    """Let a Numba dispatcher load and save its compiled code; without a folder of the user's own it just compiles."""
    if hasattr(dispatcher, "py_func"):  # absent when NUMBA_DISABLE_JIT is set
        dispatcher._cache = _Cache(dispatcher.py_func)
    return dispatcher
