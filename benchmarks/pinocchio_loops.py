"""Pinocchio's C++ without Python in between, built once from pinocchio_loops.cpp with the headers of its own package.

Needs a C++ compiler and the package cmeel-eigen; the build takes some minutes and is kept in build/.
"""

import ctypes
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
LIBRARY = HERE.parent / "build" / "pinocchio_loops.so"
DEFINES = (
    "BOOST_MPL_LIMIT_LIST_SIZE=30",
    "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
)


def prefix() -> Path:
    """Where Pinocchio's headers and libraries are installed."""
    import pinocchio

    return next(p for p in Path(pinocchio.__file__).parents if p.name == "cmeel.prefix")


def build() -> Path:
    """The library, built if it is not there or older than its source."""
    if not LIBRARY.exists() or LIBRARY.stat().st_mtime < (HERE / "pinocchio_loops.cpp").stat().st_mtime:
        compiler = shutil.which("c++") or shutil.which("g++")
        if compiler is None or not (prefix() / "include" / "eigen3").exists():
            raise RuntimeError("needs a C++ compiler and `pip install cmeel-eigen`")
        LIBRARY.parent.mkdir(exist_ok=True)
        print("building loops around Pinocchio's C++, some minutes ...", file=sys.stderr)
        command = [compiler, "-O3", "-w", "-DNDEBUG", "-std=c++17", "-shared", "-fPIC", *(f"-D{name}" for name in DEFINES)]
        command += [f"-I{prefix() / 'include'}", f"-I{prefix() / 'include' / 'eigen3'}", str(HERE / "pinocchio_loops.cpp")]
        command += ["-o", str(LIBRARY), f"-L{prefix() / 'lib'}", "-lpinocchio_default", "-lboost_serialization"]
        subprocess.run([*command, f"-Wl,-rpath,{prefix() / 'lib'}"], check=True)
    return LIBRARY


class Loops:
    """Calls into the library."""

    def __init__(self):
        import pinocchio  # noqa: F401  its libraries must be loaded first

        self._library = ctypes.CDLL(str(build()))
        self._library.open_model.restype = self._library.open_data.restype = ctypes.c_void_p
        self._library.run.restype = ctypes.c_double

    def loops(self, twin, q, v, a, written: bool = False) -> dict:
        """A loop over all states for each function that is compared; with results written to memory if asked."""
        from locomote.bench.compare import FUNCTIONS

        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model.txt")
            twin.saveToText(path)
            model = ctypes.c_void_p(self._library.open_model(path.encode()))
        data = ctypes.c_void_p(self._library.open_data(model))
        rows = [np.ascontiguousarray(x) for x in (q, v, a)]
        pointers = [x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in rows]

        def call(which, kept=rows):
            size = len(q) * twin.nv * (1, 1, twin.nv, 3 * twin.nv, 3 * twin.nv)[which]
            out = np.empty(size) if written else None
            target = out.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) if out is not None else None
            return lambda out=out: self._library.run(model, data, which, *pointers, len(kept[0]), target)

        return {name: call(k) for k, name in enumerate(FUNCTIONS)}
