"""Object code of specialised kernels: made by LLVM, kept on disk (`compiler.disk`), loaded into the process.

The name of a file and that of its folder are hashes over all that the code depends on.
"""

import ctypes
import ctypes.util
import functools
import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from locomote.compiled.vectors import Lanes
from locomote.compiler import disk as store
from locomote.compiler.disk import cache_folder
from locomote.compiler.fingerprint import source_stamp

SOURCES = (
    "compiler",
    "linear",
    "spatial",
    "model",
    "kernels",
    "geometry",
    "constraints",
    "forces",
    "drives",
    "evaluation",
    "methods",
    "symbolic",
    "compiled",
)


@dataclass(frozen=True)
class Code:
    """Object code with the entry `run`, and what its caller must know."""

    binary: bytes
    scratch: int  # vectors
    inputs: tuple[int, ...]  # columns
    results: tuple[tuple[int, ...], ...]  # shapes
    operations: int


@functools.cache
def machine() -> llvm.TargetMachine:
    """The processor at hand. Code and constants lie together, so short addresses will do."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    provide_math()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(llvm.get_host_cpu_name(), features, opt=2, reloc="pic", codemodel="small", jit=True)


def provide_math() -> None:
    """Tell LLVM where the functions of the math library are; on some systems it does not find them by itself."""
    for name in ("sin", "cos", "exp", "log", "atan2"):
        for library in ("msvcrt",) if sys.platform == "win32" else (None, ctypes.util.find_library("m")):
            with suppress(OSError, AttributeError):
                function = getattr(ctypes.CDLL(library), name)
                llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)
                break


def object_code(text: str) -> bytes:
    """What LLVM makes of the text of a module."""
    module = llvm.parse_assembly(text)
    module.triple = machine().triple
    module.data_layout = str(machine().target_data)
    return machine().emit_object(module)


@functools.cache
def own_stamp() -> str:
    """Hash over everything that traces and emits, and over the machine."""
    digest = hashlib.sha256(source_stamp(*SOURCES).encode())
    versions = (llvmlite.__version__, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    digest.update("\0".join(versions).encode())
    return digest.hexdigest()[:16]


def key_of(lanes: Lanes, *parts: str) -> str:
    """The name of some code: of what, which function, with what options."""
    return hashlib.sha256("\0".join((str(lanes), *parts)).encode()).hexdigest()[:32]


def kept(key: str, make: Callable[[], Code]) -> tuple[Code, bool]:
    """Code by its key, from disk or made now, and whether it was there."""
    path = cache_folder() / own_stamp() / f"{key}.o"
    if (code := read(path)) is not None:
        return code, True
    code = make()
    facts = {"scratch": code.scratch, "inputs": code.inputs, "results": code.results, "operations": code.operations}
    store.save(path, facts, code.binary)
    return code, False


def read(path: Path) -> Code | None:
    """Code from a file; None if it is not there, damaged, or another user's."""
    found = store.load(path)
    if found is None:
        return None
    facts, binary = found
    shapes = tuple(tuple(shape) for shape in facts["results"])
    return Code(binary, facts["scratch"], tuple(facts["inputs"]), shapes, facts["operations"])


class Loaded:
    """The entry of some object code in this process; it takes the address of an array of addresses and lets other threads
    go on."""

    def __init__(self, binary: bytes):
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), fresh_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
        self._engine.finalize_object()
        self.run = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._engine.get_function_address("run"))


def fresh_machine() -> llvm.TargetMachine:
    """A target machine that an engine may keep for itself."""
    machine()  # sets up the target
    return llvm.Target.from_default_triple().create_target_machine(opt=2, reloc="pic", codemodel="small", jit=True)
