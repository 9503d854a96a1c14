"""Kernels that came with the package, in a wheel: which of them this process can use.

They lie in ready / level / made by / file. Lanes are as many as the best of these levels has, so that batches need not be
compiled; where no kernels came along, as many as fit into a register.
"""

import functools
import hashlib
import sys
from pathlib import Path

import llvmlite
import numba

from locomote.compiler.fingerprint import PACKAGE, source_stamp
from locomote.compiler.processor import Level, lanes_width, levels_here

READY = PACKAGE / "ready"


@functools.cache
def made_by() -> str:
    """A name for the versions of Numba, LLVM, Python and the engine that make kernels."""
    versions = f"{numba.__version__} {llvmlite.__version__} {sys.implementation.cache_tag} {source_stamp('compiler')}"
    return hashlib.sha256(versions.encode()).hexdigest()[:16]


def folder_of(level: Level) -> Path:
    """Where the kernels for a level are, if they came along."""
    return READY / level.name / made_by()


@functools.cache
def ready_levels() -> tuple[Level, ...]:
    """Levels whose kernels came along and run here, the best first."""
    return tuple(level for level in levels_here() if folder_of(level).is_dir())


def width_here() -> int:
    """How many configurations this process takes in one register of batches."""
    return ready_levels()[0].width if ready_levels() else lanes_width()
