"""Which processor compiled code is for: the one at hand, or a level that many share.

Kernels that came with the package are made for levels, those of the x86-64 psABI, of which a processor has one and all below.
Numba makes code for a level if NUMBA_CPU_NAME and NUMBA_CPU_FEATURES say so, and for the processor at hand if they say nothing.
"""

import functools
import os
from typing import NamedTuple

import llvmlite.binding as llvm
from numba import config


class Level(NamedTuple):
    """A set of instructions that compiled code may use.

    name, features : what Numba is told ; width : configurations in one register of batches
    needs : what a processor must have, in LLVM's words
    """

    name: str
    features: str
    width: int
    needs: tuple[str, ...]

    @property
    def settings(self) -> dict[str, str]:
        """Environment in which Numba makes code for this level."""
        return {"NUMBA_CPU_NAME": self.name, "NUMBA_CPU_FEATURES": self.features}


V2 = ("cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2")
V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
V4 = ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
LEVELS = {  # by the first word of LLVM's name of a system; the best first
    "x86_64": (
        Level("x86-64-v4", "-prefer-256-bit", 8, V2 + V3 + V4),
        Level("x86-64-v3", "", 4, V2 + V3),
        Level("x86-64-v2", "", 4, V2),
    ),
    "aarch64": (Level("generic", "", 4, ()),),
}


def architecture() -> str:
    """The first word of LLVM's name of this system."""
    return llvm.get_default_triple().partition("-")[0]


def host_features() -> dict[str, bool]:
    """What the processor at hand can do, in LLVM's words, as far as Numba is allowed to use it."""
    try:
        features = dict(llvm.get_host_cpu_features())
    except RuntimeError:  # LLVM does not know
        return {}
    return {name: has and (config.ENABLE_AVX or not name.startswith("avx")) for name, has in features.items()}  # type: ignore[attr-defined]


def fitting(levels: tuple[Level, ...], features: dict[str, bool]) -> list[Level]:
    """Those of some levels that a processor has."""
    return [level for level in levels if all(features.get(name, False) for name in level.needs)]


def lanes_width() -> int:
    """How many doubles are in one register of the processor that code is made for; at least 4, in two if need be."""
    name, features = config.CPU_NAME, config.CPU_FEATURES  # type: ignore[attr-defined]
    for level in LEVELS.get(architecture(), ()):
        if name == level.name:
            return level.width
    if features is not None:
        return 8 if "+avx512f" in features.split(",") else 4
    return 8 if name is None and host_features().get("avx512f") else 4


@functools.cache
def levels_here() -> tuple[Level, ...]:
    """Levels whose code runs here, the best first; none where somebody chose the processor, or where LOCOMOTE_READY is 0."""
    chosen = config.CPU_NAME is not None or config.CPU_FEATURES is not None  # type: ignore[attr-defined]
    if chosen or os.environ.get("LOCOMOTE_READY", "1") == "0":
        return ()
    return tuple(fitting(LEVELS.get(architecture(), ()), host_features()))
