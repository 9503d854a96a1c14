"""What a function reads besides its arguments, as text that is equal in another process if the values are.

Compiled code has the values of names for good: of global names, of names around the function, of default arguments, and of
attributes of modules, however deep. So all of them are part of what a kernel is found by on disk. Which attributes are read is
not followed step by step: every attribute of a module that has a name which occurs in the code counts.

A value whose text does not say all of it is refused where a user's function reads it: a kernel that was made with it would be
found again after it has changed. Names of the library's own functions stand for things that its source says.
"""

import dis
import enum
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from locomote.compiler.scratch_layout import shapes

OWN = "locomote"
# packages whose functions count by their names and their version; Numba knows them by heart
KNOWN = ("builtins", "math", "cmath", "operator", "numpy", "numba", "scipy", "llvmlite")
GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")
PLAIN = (int, float, complex, str, bytes, bool, type(None), np.generic)

# function of the single source -> what stands for it in compiled code (`numba_private.overload`)
STANDING_FOR: dict[Any, list[Any]] = {}


def package_of(value: Any) -> str:
    """The package that a function, class or module is of."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return str(name or "builtins").partition(".")[0]


def is_followed(function: types.FunctionType) -> bool:
    """Whether a function counts by what it is, and not by its name alone."""
    return function in STANDING_FOR or package_of(function) not in KNOWN


def names_read(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function reads besides its arguments: names with their values, of modules what is read of them."""
    names = [name for code in codes_of(function.__code__) for name in code.co_names]
    asked = names if package_of(function) == OWN else globals_in(function.__code__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield from opened(name, content_of(cell), names, set())
    for name in dict.fromkeys(asked):
        if name in function.__globals__:
            yield from opened(name, function.__globals__[name], names, set())
    for k, value in enumerate(function.__defaults__ or ()):
        yield f"default {k}", value
    for name, value in (function.__kwdefaults__ or {}).items():
        yield f"default {name}", value


def opened(name: str, value: Any, names: list[str], within: set[int]) -> Iterator[tuple[str, Any]]:
    """A name with its value; of a module every attribute whose name occurs among `names`, and their attributes in turn."""
    value = getattr(value, "py_func", getattr(value, "_defn", value))  # a compiled function, or an intrinsic, by its source
    if not isinstance(value, types.ModuleType):
        yield name, value
    elif id(value) not in within and package_of(value) not in KNOWN:
        for attribute in dict.fromkeys(names):
            if attribute in vars(value):
                yield from opened(f"{name}.{attribute}", vars(value)[attribute], names, within | {id(value)})


def content_of(cell: types.CellType) -> Any:
    """What a cell of a closure holds; nothing if it has not been filled yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def codes_of(code: types.CodeType) -> list[types.CodeType]:
    """Code with that of all functions inside."""
    return [code, *(inner for x in code.co_consts if isinstance(x, types.CodeType) for inner in codes_of(x))]


def globals_in(code: types.CodeType) -> list[str]:
    """Global names of code; `co_names` has names of attributes, too, and takes less time."""
    return [str(x.argval) for part in codes_of(code) for x in dis.get_instructions(part) if x.opname in GLOBAL]


def readings_of(function: types.FunctionType) -> dict[str, str]:
    """Names that a function reads, with their values as text; a TypeError names one that says too little of itself."""
    found, own = {}, package_of(function) == OWN
    for name, value in names_read(function):
        text = text_of(value)
        if text is None and not own:
            raise TypeError(
                f"{function.__name__!r} reads {name!r}, a {type(value).__name__}: compiled code would keep it as it is now and "
                f"not see it change; hand over what it needs of it as numbers of its own"
            )
        found[name] = f"{type(value).__qualname__} {getattr(value, '__qualname__', '')}" if text is None else text
    return found


def text_of(value: Any) -> str | None:
    """All that a value is, as text; None if text cannot say it."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, types.FunctionType):
        return f"{value.__module__}.{value.__qualname__} {version_of(value)}"
    if isinstance(value, (types.BuiltinFunctionType, np.ufunc)) or (isinstance(value, type) and package_of(value) in KNOWN):
        return f"{getattr(value, '__qualname__', value)} {version_of(value)}"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, (enum.Enum, enum.EnumMeta)):
        members: Any = value if isinstance(value, enum.EnumMeta) else [value]
        return joined(f"{type(value).__qualname__}", [x for member in members for x in (member.name, member.value)])
    if isinstance(value, type) and issubclass(value, tuple):
        return f"{value.__module__}.{value.__qualname__} {shapes(value)}"
    if isinstance(value, (tuple, list)):
        return joined(f"{type(value).__qualname__} {getattr(value, '_fields', '')}", list(value))
    if isinstance(value, dict):
        return joined("dict", [x for item in value.items() for x in item])
    if isinstance(value, (set, frozenset)):
        parts = [text_of(x) for x in value]
        return None if None in parts else f"set {sorted(map(str, parts))}"
    return None


def joined(kind: str, values: list[Any]) -> str | None:
    """The texts of some values."""
    parts = [text_of(value) for value in values]
    return None if None in parts else f"{kind} ({', '.join(map(str, parts))})"


def version_of(value: Any) -> str:
    """The version of the package of a function that counts by its name."""
    package = package_of(value)
    return str(getattr(sys.modules.get(package), "__version__", "")) if package in KNOWN else ""
