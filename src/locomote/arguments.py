"""Arguments of public calls, checked by the kinds that their annotations declare.

`public.attach` puts `guarded` around each public function, constructor and method when it hands it out first, so that a new
name has it too. Functions have their say first. If Python stumbles inside over an argument, or over a field of a record, not of
its kind, the error says which one; arithmetic beyond float64 is a FloatingPointError. A record that was made of something else
than the parts of the library that it declares (a lo.Fluid, a lo.Section, ...) is refused at once, not where it is used.
"""

import functools
import importlib
import inspect
import linecache
import os
import sys
import typing
from collections import abc
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from numbers import Integral, Real
from types import NoneType, TracebackType, UnionType
from typing import Annotated, Any

from locomote import public

# functions and methods that are called in loops; `dynamics.dispatch` and lo.Model check what they are given
FAST = ("locomote.dynamics.forces", "locomote.dynamics.matrices", "locomote.dynamics.kinematics", "locomote.dynamics.momentum",
        "locomote.model.model")  # fmt: skip
DRAFTS = ("locomote.model.description",)  # records whose faults are told all at once, by lo.Model
NUMBERS = "an array of numbers"
Numbers = Annotated[Any, NUMBERS]  # declares an argument that becomes an array
MANY = (list, tuple, abc.Sequence, abc.Iterable, abc.Collection)
WORDS = {str: "a text", bool: "True or False", int: "an integer", float: "a number", NoneType: "None"}
LARGEST = 2**1023  # largest integer that float64 can hold
STUMBLES = (AttributeError, TypeError, LookupError, ArithmeticError, ValueError)


def guarded(value: Any, name: str, *, finite: bool = False) -> Any:
    """A public function with the check around it; a public class with the check around its constructors and methods. finite :
    whether the function gives finite numbers, which is checked, too."""
    if isinstance(value, type) and issubclass(value, BaseException):
        return value
    if inspect.isfunction(value):
        checked = value if value.__module__ in FAST else _checked(value, f"lo.{name}", 0)
        return _finite(checked, f"lo.{name}") if finite else checked
    if isinstance(value, type) and not issubclass(value, tuple):
        if "__init__" in vars(value):
            keeps = is_dataclass(value) and value.__module__ not in DRAFTS
            value.__init__ = _checked(value.__init__, f"lo.{name}", 1, keeps=keeps)
        for own, member in inspect.getmembers_static(value):
            label = f"lo.{name}.{own}"
            if own.startswith("_") or value.__module__ in FAST:
                continue
            if isinstance(member, (classmethod, staticmethod)):
                first = int(isinstance(member, classmethod))
                setattr(value, own, type(member)(_checked(member.__func__, label, first)))
            elif inspect.isfunction(member) and member.__module__.startswith("locomote."):
                setattr(value, own, _checked(member, label, 1))
    return value


def _finite(call: Callable, label: str) -> Callable:
    """The call, which raises FloatingPointError where its result is beyond float64."""

    @functools.wraps(call)
    def finite(*given, **named):
        with importlib.import_module("numpy").errstate(all="ignore"):  # the result is looked at
            result = call(*given, **named)
        if not _all_finite(result):
            raise FloatingPointError(f"{label}: the result is not finite; values are too large or too small for float64")
        return result

    return finite


def _all_finite(value: Any, depth: int = 3) -> bool:
    """Whether all numbers are finite, in tables, lists and records too."""
    numpy = importlib.import_module("numpy")
    if isinstance(value, (float, numpy.ndarray)):
        array = numpy.asarray(value)
        return array.dtype.kind != "f" or bool(numpy.isfinite(array).all())
    if not depth:
        return True
    if is_dataclass(value) and not isinstance(value, type):  # a condition number, say, may be infinite
        value = [part for part in vars(value).values() if not isinstance(part, float)]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return all(_all_finite(part, depth - 1) for part in parts)


def _checked(call: Callable, label: str, first: int, *, keeps: bool = False) -> Callable:
    """The call, which checks its arguments from the one numbered `first` on; keeps : whether it only keeps what it is given."""
    makes = call.__name__ == "__init__"

    @functools.wraps(call)
    def checked(*given, **named):
        try:
            result = call(*given, **named)
        except STUMBLES as error:
            if not isinstance(error, OverflowError) and _is_said(error.__traceback__):
                raise
            if error.__traceback__ is None or error.__traceback__.tb_next is None:  # Python itself: it has no such argument
                raise
            if (refused := _refused(call, given, named, first, _kinds(call))) is not None:
                raise TypeError(_sentence(label, *refused)) from error
            if (found := _part_refused([*given[first if makes else 0 :], *named.values()])) is not None:
                raise TypeError(_sentence(*found)) from error
            if isinstance(error, OverflowError):
                raise FloatingPointError(f"{label}: values are too large for float64 ({error})") from error
            raise
        later = isinstance(result, functools.partial)  # a function that will use what was given
        kinds = _kinds(call) if later else _of_library(call) if keeps else {}
        if kinds and (refused := _refused(call, given, named, first, kinds)) is not None:
            raise TypeError(_sentence(label, *refused))
        return result

    return checked


def _sentence(label: str, name: str, kind: Any, value: Any) -> str:
    if isinstance(value, type):
        return f"{name} of {label} must be {_words(kind)}, not the class {value.__name__}; give it its values"
    return f"{name} of {label} must be {_words(kind)}, not {' '.join(repr(value).split()):.60}"


def _refused(call: Callable, given: tuple, named: dict, first: int, kinds: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """Name, kind and value of the first argument that is not of its kind."""
    if not kinds:
        return None
    places, rest = _places(call)
    for k, value in enumerate(given[first:], first):
        name = places[k] if k < len(places) else rest
        if name in kinds and not _fits(value, kinds[name]):
            return name, kinds[name], value
    for name, value in named.items():
        if name in kinds and not _fits(value, kinds[name]):
            return name, kinds[name], value
    return None


def _part_refused(value: Any, depth: int = 9) -> tuple[str, str, Any, Any] | None:
    """Label, name, kind and value of the first field of a record among arguments that is not of its kind."""
    if depth and isinstance(value, (list, tuple, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return next((found for part in parts if (found := _part_refused(part, depth - 1)) is not None), None)
    if not depth or isinstance(value, type) or not type(value).__module__.startswith("locomote."):
        return None
    if not is_dataclass(value):
        kept = [part for part in getattr(value, "__dict__", {}).values() if isinstance(part, (list, tuple, dict))]
        return _part_refused(kept, min(depth - 1, 3))
    kinds = _kinds(inspect.unwrap(type(value).__init__))
    fields = {name: getattr(value, name, None) for name in kinds}
    for name, kind in kinds.items():
        if not _fits(fields[name], kind):
            return f"lo.{type(value).__name__}", name, kind, fields[name]
    return _part_refused(list(fields.values()), depth - 1)


@functools.cache
def _places(call: Callable) -> tuple[list[str], str]:
    """Names of arguments by place, and of the row that takes the rest."""
    parameters = inspect.signature(call).parameters.values()
    by_place = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return by_place, next((p.name for p in parameters if p.kind == p.VAR_POSITIONAL), "")


@functools.cache
def _kinds(call: Callable) -> dict[str, Any]:
    """Kinds of arguments by name, as far as annotations can be read; what has None as default may be None."""
    found = {}
    for name, parameter in inspect.signature(call).parameters.items():
        kind = parameter.annotation
        if kind is parameter.empty or parameter.kind == parameter.VAR_KEYWORD:
            continue
        try:
            kind = typing.get_type_hints(
                _Holder({name: kind}), vars(sys.modules[call.__module__]), _PublicNames(), include_extras=True
            )[name]
        except (NameError, TypeError, AttributeError):
            continue
        found[name] = kind | None if parameter.default is None and kind is not Any else kind
    return found


@functools.cache
def _of_library(call: Callable) -> dict[str, Any]:
    """Those kinds that are of the library, alone or beside others."""
    return {name: kind for name, kind in _kinds(call).items() if _mentions_library(kind)}


class _Holder:
    """What `typing` reads annotations from."""

    def __init__(self, annotations: dict[str, Any]):
        self.__annotations__ = annotations


class _PublicNames(dict):
    """Public names, which modules import for type checkers only."""

    def __missing__(self, name: str) -> Any:
        return public.find(name)


def _mentions_library(kind: Any) -> bool:
    if kind is not Any and isinstance(kind, type) and typing.get_origin(kind) is None:
        return kind.__module__.startswith("locomote.") and not getattr(kind, "_is_protocol", False)
    parts = typing.get_args(kind)
    return typing.get_origin(kind) is not abc.Callable and any(map(_mentions_library, parts))


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind; what cannot be asked fits."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (UnionType, typing.Union):
        return any(_fits(value, part) for part in parts)
    if kind is Any:
        return True
    if origin is Annotated:
        return parts[1] != NUMBERS or _is_numbers(value)
    if origin is tuple and _is_vector(parts):
        return _is_numbers(value, len(parts))
    if kind is os.PathLike:
        return isinstance(value, kind)
    if origin is abc.Callable or kind is abc.Callable:
        return callable(value) and not isinstance(value, type)
    if origin in MANY:
        if parts and parts[0] is float:
            return hasattr(value, "__len__") and _is_numbers(value, len(value))
        if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, abc.Iterable):
            return False
        of = parts[0] if parts else Any
        asked = of is str or typing.get_origin(of) in MANY or _mentions_library(of)
        return not asked or isinstance(value, abc.Iterator) or all(_fits(part, of) for part in value)
    if origin is abc.Mapping or origin is dict:
        return isinstance(value, Mapping) and all(_fits(part, parts[1]) for part in value.values())
    if kind in WORDS:
        return _is_plain(value, kind)
    if isinstance(kind, type) and origin is None and not getattr(kind, "_is_protocol", False):
        return isinstance(value, kind) or not kind.__module__.startswith("locomote.")
    return True


def _is_vector(parts: tuple) -> bool:
    """Whether a tuple of such kinds is one of numbers."""
    return bool(parts) and set(parts) == {float}


def _is_numbers(value: Any, count: int | None = None) -> bool:
    """Whether a value is an array of numbers, or a sequence of numbers."""
    numpy = importlib.import_module("numpy")
    try:
        array = numpy.asarray(value.toarray() if hasattr(value, "toarray") else value)
        return array.dtype.kind in "fiu" and (count is None or array.shape == (count,))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_plain(value: Any, kind: type) -> bool:
    """Whether a value is a text, a number and the like, of Python's or of NumPy's."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if kind in (int, float):
        limited = not isinstance(value, Integral) or abs(int(value)) < LARGEST
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool) and limited
    return isinstance(value, kind)


def _words(kind: Any) -> str:
    """A kind in words."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (UnionType, typing.Union):
        *some, last = [_words(part) for part in parts]
        return f"{', '.join(some)} or {last}"
    if origin is abc.Callable or kind is abc.Callable:
        return "a function"
    if origin is Annotated:
        return parts[1] if parts[1] == NUMBERS else _words(parts[0])
    if origin is tuple and _is_vector(parts):
        return f"{len(parts)} numbers"
    if origin in MANY and parts and parts[0] is float:
        return "a list of numbers"
    if kind is os.PathLike:
        return "a path"
    if origin in MANY:
        return f"a list of {_words(parts[0]).removeprefix('a ')}" if parts and _mentions_library(parts[0]) else "a list"
    if origin is abc.Mapping or origin is dict:
        return "a table"
    if kind in WORDS:
        return WORDS[kind]
    name = getattr(kind, "__name__", str(kind))
    kinds = kind.__subclasses__() if isinstance(kind, type) else []
    paths = sorted(path for part in kinds if (path := public.path_of(part.__name__)))
    return f"a {public.path_of(name) or ', a '.join(paths) or name}"


def _is_said(trace: TracebackType | None) -> bool:
    """Whether an error comes from a sentence of ours, that is, from a `raise` in the library."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    own = trace.tb_frame.f_globals.get("__name__", "").startswith("locomote")
    return own and linecache.getline(code.co_filename, trace.tb_lineno).lstrip().startswith("raise")
