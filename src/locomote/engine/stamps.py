"""What a compiled kernel is made of, as a hash: its own code, that of all functions it can reach, and the engine's.

A function counts by its code and by the values of the names it uses, and theirs in turn. Sentences, comments, line
numbers, and functions that a kernel does not reach, do not count: editing them compiles nothing again.
"""

import dis
import functools
import hashlib
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import config

from locomote.engine.sizes import shapes

PACKAGE = Path(__file__).resolve().parent.parent
SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")
_SENTENCES = re.compile(rb'^[ \t]*"""[\s\S]*?"""[ \t]*$|^[ \t]*#[^\n]*$', re.MULTILINE)
_PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic)


class Kernel:
    """Mark of entries from Python. Compiled code has nothing of one that it could call: it would run into other memory."""

    __slots__ = ()


# function of the single source -> what stands for it in compiled code (`numba_private.overload`)
STANDING_FOR: dict[Any, list[Any]] = {}


@functools.cache
def source_stamp(*folders: str) -> str:
    """Hash over the text of folders of the package, without sentences, and over Numba's settings that change code."""
    digest = hashlib.sha256(repr([getattr(config, name) for name in SETTINGS]).encode())
    for folder in folders:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(path.relative_to(PACKAGE).as_posix().encode())
            digest.update(b"\n".join(line for line in _SENTENCES.sub(b"", path.read_bytes()).split(b"\n") if line.strip()))
    return digest.hexdigest()[:16]


def kernel_stamp(function: types.FunctionType) -> str:
    """Hash over a function and everything it can reach."""
    digest = hashlib.sha256(source_stamp("engine").encode())
    for value in _reach(function):
        facts, _, entries = _facts(value)
        if entries:
            via = "" if value is function else f"reaches {value.__module__}.{value.__qualname__}, which "
            raise TypeError(
                f"kernel {function.__name__!r} {via}calls kernel {entries[0]!r} by name, and a kernel can only be called "
                f"from Python: call the routine that {entries[0]!r} runs, or hand over its address (engine.islands: "
                f"address_of, call_compiled)"
            )
        digest.update(facts)
    return digest.hexdigest()[:24]


def reaches(function: types.FunctionType, module: str) -> bool:
    """Whether a function can reach one of a module."""
    return any(value.__module__ == module for value in _reach(function))


def _reach(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """A function and all that it can reach, each once."""
    seen, waiting = set(), [function]
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            yield value
            waiting += _facts(value)[1]


@functools.cache
def _facts(function: types.FunctionType) -> tuple[bytes, tuple[types.FunctionType, ...], tuple[str, ...]]:
    """What a function is, the functions that it names, and the kernels."""
    lines: list[str] = [f"{function.__module__}.{function.__qualname__}"]
    reached: list[types.FunctionType] = []
    entries: list[str] = []
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        _note(name, cell.cell_contents, (), lines, reached)
        entries += [name] * isinstance(cell.cell_contents, Kernel)
    for code in _codes(function.__code__):
        names = code.co_names
        lines += [code.co_code.hex(), repr(names), repr(code.co_varnames), repr(_constants(code))]
        for name in names:
            if name in function.__globals__:
                _note(name, function.__globals__[name], names, lines, reached)
        entries += _kernels_in(code, function.__globals__)
    for choose in STANDING_FOR.get(function, ()):
        reached.append(choose)
    return "\n".join(lines).encode(), tuple(reached), tuple(entries)


def _kernels_in(code: types.CodeType, known: dict[str, Any]) -> list[str]:
    """Kernels that code names, itself or as part of a module."""
    values = [known[name] for name in code.co_names if name in known]
    parts = [vars(x).get(name) for x in values if isinstance(x, types.ModuleType) for name in code.co_names]
    if not any(isinstance(x, Kernel) for x in (*values, *parts)):  # of most code, which need not be read
        return []
    found, read = [], list(dis.get_instructions(code))
    for one, then in zip(read, (*read[1:], None), strict=True):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            value, name = known.get(one.argval), str(one.argval)
            if isinstance(value, types.ModuleType) and then is not None and then.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                value, name = vars(value).get(then.argval), f"{name}.{then.argval}"
            found += [name] * isinstance(value, Kernel)
    return found


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """Code with that of all functions inside."""
    return [code, *(inner for x in code.co_consts if isinstance(x, types.CodeType) for inner in _codes(x))]


def _constants(code: types.CodeType) -> list[Any]:
    """Constants of code but its sentence."""
    own = [x for x in code.co_consts if not isinstance(x, types.CodeType)]
    return own[1:] if own and isinstance(own[0], str) else own


def _note(name: str, value: Any, names: tuple[str, ...], lines: list[str], reached: list[types.FunctionType]) -> None:
    """Write down what a name stands for."""
    value = getattr(value, "py_func", value)
    if isinstance(value, types.FunctionType):
        if value.__module__.startswith("locomote.") or value in STANDING_FOR:
            lines.append(f"{name}: {value.__module__}.{value.__qualname__}")
            reached.append(value)
    elif isinstance(value, types.ModuleType):
        if value.__name__.startswith("locomote."):
            for attribute in names:
                if attribute in vars(value):
                    _note(f"{name}.{attribute}", vars(value)[attribute], (), lines, reached)
    elif isinstance(value, type) and issubclass(value, tuple):
        lines.append(f"{name}: {value.__module__}.{value.__qualname__} {shapes(value)}")
    elif isinstance(value, np.ndarray):
        lines.append(f"{name}: {value.dtype} {value.shape} {value.tobytes().hex()}")
    elif isinstance(value, _PLAIN) or isinstance(value, (tuple, frozenset, dict)):
        lines.append(f"{name}: {value!r}")
    else:
        lines.append(f"{name}: {type(value).__qualname__} {getattr(value, '__qualname__', '')}")
