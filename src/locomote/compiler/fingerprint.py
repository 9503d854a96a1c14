"""What a compiled kernel is made of, as a hash: its own code, that of all functions it can reach, and the engine's.

A function counts by its code and by the values of the names it uses (`readings`), and so do these in turn. Sentences, comments,
line numbers, and functions that a kernel does not reach, do not count: editing them compiles nothing again.
"""

import dis
import functools
import hashlib
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba import config

from locomote.compiler.readings import OWN, STANDING_FOR, codes_of, content_of, is_followed, names_read, package_of, readings_of

PACKAGE = Path(__file__).resolve().parent.parent
SETTINGS = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")
_SENTENCES = re.compile(rb'^[ \t]*"""[\s\S]*?"""[ \t]*$|^[ \t]*#[^\n]*$|[ \t]+#[^\n"\']*$', re.MULTILINE)


class Kernel:
    """Mark of entries from Python. Compiled code has nothing of one that it could call: it would run into other memory."""

    __slots__ = ()


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
    digest = hashlib.sha256(source_stamp("compiler").encode())
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
    return facts_of(function)


def facts_of(function: types.FunctionType) -> tuple[bytes, tuple[types.FunctionType, ...], tuple[str, ...]]:
    """The same, as things are now."""
    lines: list[str] = [f"{function.__module__}.{function.__qualname__}"]
    lines += [f"{name}: {text}" for name, text in readings_of(function).items()]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    entries = [name for name, cell in cells if isinstance(content_of(cell), Kernel)]
    for code in codes_of(function.__code__):
        lines += [code.co_code.hex(), repr(code.co_names), repr(code.co_varnames), repr(_constants(code))]
        entries += _kernels_in(code, function.__globals__)
    reached = [value for _, value in names_read(function) if isinstance(value, types.FunctionType) and is_followed(value)]
    return "\n".join(lines).encode(), (*reached, *STANDING_FOR.get(function, ())), tuple(entries)


def changed_since(function: types.FunctionType) -> str:
    """The first name whose value is another now than when the function was stamped, in it or in what it reaches; or empty."""
    for value in (value for value in _reach(function) if package_of(value) != OWN):
        if _facts(value)[0] != facts_of(value)[0]:
            lines = (line.partition(": ") for line in _facts(value)[0].decode().split("\n"))
            before = {name: text for name, _, text in lines}
            return next((name for name, text in readings_of(value).items() if before.get(name) != text), value.__qualname__)
    return ""


def _kernels_in(code: types.CodeType, known: dict[str, Any]) -> list[str]:
    """Kernels that code names, itself or as part of a module."""
    values = [known[name] for name in code.co_names if name in known]
    parts = [vars(x).get(name) for x in values if isinstance(x, types.ModuleType) for name in code.co_names]
    if not any(isinstance(x, Kernel) for x in (*values, *parts)):  # as in most code, which need not be read
        return []
    found, read = [], list(dis.get_instructions(code))
    for one, then in zip(read, (*read[1:], None), strict=True):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            value, name = known.get(one.argval), str(one.argval)
            if isinstance(value, types.ModuleType) and then is not None and then.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                value, name = vars(value).get(then.argval), f"{name}.{then.argval}"
            found += [name] * isinstance(value, Kernel)
    return found


def _constants(code: types.CodeType) -> list[Any]:
    """Constants of code but its sentence."""
    own = [x for x in code.co_consts if not isinstance(x, types.CodeType)]
    return own[1:] if own and isinstance(own[0], str) else own
