"""Compiled kernels on disk, by what they are made of.

Numba notices when the file of a kernel changes, but not when a file of its helpers does, and would go on returning
old results; and it would load whatever lies in its folder. Here a kernel is found by the stamp of all the code that it
is made of: among those that came with the package, which are as safe as its files, or where no other user can have put it.
"""

import hashlib
from pathlib import Path
from typing import Any

from locomote.compiler import background, locks
from locomote.compiler import disk as store
from locomote.compiler.fingerprint import kernel_stamp, reaches
from locomote.compiler.numba_private import KernelCache, as_bytes, from_bytes
from locomote.compiler.wheel_kernels import folder_of, made_by, ready_levels, width_here

SUFFIX, LANES = ".kernel", "locomote.compiler.lanes"


def kernel_folder() -> Path:
    """Where kernels are that were made here."""
    return store.cache_folder() / made_by()


class _Cache(KernelCache):
    """The kernels of one function. What it is made of is asked when it is first used: then all of it has been defined."""

    def __init__(self, function):
        self._function, self._stamp = function, ""

    def _name(self, signature, processor: tuple) -> str:
        """The file of a kernel for a processor, as Numba's code generator describes it."""
        self._stamp = self._stamp or kernel_stamp(self._function)
        key = hashlib.sha256(repr((self._stamp, signature, processor)).encode()).hexdigest()[:32]
        return f"{self._function.__name__}-{key}{SUFFIX}"

    def path(self, signature, codegen) -> Path:
        return kernel_folder() / self._name(signature, codegen.magic_tuple())

    def ready_paths(self, signature, codegen) -> list[Path]:
        """Where such a kernel is if it came with the package, the best first."""
        system, found = codegen.magic_tuple()[0], []
        for level in ready_levels():
            # code for lanes must have as many as this process: then they are another type
            if level.width == width_here() or not reaches(self._function, LANES):
                found.append(folder_of(level) / self._name(signature, (system, level.name, level.features)))
        return found

    def is_missing(self, signature, codegen) -> bool:
        """Whether a kernel has to be compiled, and no process is at it."""
        path = self.path(signature, codegen)
        ready = any(x.exists() for x in self.ready_paths(signature, codegen))
        return not ready and not path.exists() and not locks.is_claimed(path)

    def load_overload(self, sig, target_context):
        # Numba's own cache would first fill its registries, for which it imports SciPy's linear algebra: 0.3 s of the first
        # call, and code from disk needs none of it. A compilation fills them by itself.
        codegen = target_context.codegen()
        path = self.path(sig, codegen)
        found = _loaded(target_context, store.load(path))
        for ready in self.ready_paths(sig, codegen) if found is None else ():
            found = found or _loaded(target_context, store.load(ready, trusted=True))
        if found is None:
            background.start()
            locks.claim(path, self._function.__name__)
            found = _loaded(target_context, store.load(path))  # another process may have made it meanwhile
        return found

    def save_overload(self, sig, cres):
        piece = as_bytes(cres)
        if piece is not None:
            store.save(self.path(sig, cres.codegen), {"kernel": self._function.__qualname__}, piece)


def _loaded(target_context, found: tuple[dict[str, Any], bytes] | None):
    """A kernel in this process."""
    if found is None:
        return None
    try:
        return from_bytes(target_context, found[1])
    except Exception:  # whole, but made by something else than it seems; compiling anew replaces it
        return None


def keep_on_disk(dispatcher):
    """Let a Numba dispatcher load and save its compiled code; without a folder of the user's own it just compiles."""
    if hasattr(dispatcher, "py_func"):  # absent when NUMBA_DISABLE_JIT is set
        dispatcher._cache = _Cache(dispatcher.py_func)
    return dispatcher
