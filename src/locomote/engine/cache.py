"""Compiled kernels on disk.

Numba notices when the file of a kernel changes, but not when a file of its helpers does, and would go on returning
old results. Here the stamp of a kernel is a hash over all sources that it may be made of: those of its own folder and of
the folders before it.
"""

import functools
import hashlib
import os
import pickle
import sys
from pathlib import Path

from numba import config

from locomote.engine.numba_private import CacheLocator, CompileResultCacheImpl, FunctionCache, rtsys

PACKAGE = Path(__file__).resolve().parent.parent
KERNEL_FOLDERS = ("engine", "spatial", "model", "kernels", "constraints", "environment", "simulation", "bench")
MARK = b"locomote.engine"  # what a file of the later folders, which hold more than kernels, imports if it is part of one

SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")


@functools.cache
def source_stamp(folder: str) -> str:
    """Hash of all files that a compiled kernel of a folder may depend on, and of Numba's settings that change its code."""
    digest = hashlib.sha256(repr([getattr(config, name) for name in SETTINGS]).encode())
    stage = KERNEL_FOLDERS.index(folder)
    for k in range(stage + 1):
        for path in sorted((PACKAGE / KERNEL_FOLDERS[k]).rglob("*.py")):
            text = path.read_bytes()
            if k < KERNEL_FOLDERS.index("constraints") or MARK in text:
                digest.update(path.relative_to(PACKAGE).as_posix().encode())
                digest.update(text)
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled kernels are kept: LOCOMOTE_CACHE_DIR, or the user's cache folder."""
    if chosen := os.environ.get("LOCOMOTE_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "locomote"


class _Locator(CacheLocator):
    """Places the compiled kernels of this version of the sources in a folder of their own."""

    def __init__(self, py_func, py_file):
        self._disambiguator = str(py_func.__code__.co_firstlineno)
        self._stamp = source_stamp(Path(py_file).resolve().relative_to(PACKAGE).parts[0])
        self._path = cache_folder() / self._stamp

    def get_cache_path(self):
        return str(self._path)

    def get_source_stamp(self):
        return self._stamp

    def get_disambiguator(self):
        return self._disambiguator

    @classmethod
    def from_function(cls, py_func, py_file):
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]


class _Cache(FunctionCache):
    _impl_class = _Implementation

    def load_overload(self, sig, target_context):
        # Numba would first fill its registries, for which it imports SciPy's linear algebra: 0.3 s of the first call, and code
        # from disk needs none of it. A compilation fills them by itself.
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes of itself, compiling anew replaces it
            self._cache_file.flush()
            return None

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        except (
            OSError,
            EOFError,
            pickle.PickleError,
        ):  # a full or vanished disk costs the next process its time, not this one its result
            pass


def keep_on_disk(dispatcher):
    """Let a Numba dispatcher load and save its compiled code; without a writable folder it just compiles."""
    if hasattr(dispatcher, "py_func"):  # absent when NUMBA_DISABLE_JIT is set
        try:
            dispatcher._cache = _Cache(dispatcher.py_func)
        except (RuntimeError, OSError):
            pass
    return dispatcher
