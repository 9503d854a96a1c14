"""All methods by name, as their files in `integrators/` declare them, and what help says of them."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from locomote.methods import integrators
from locomote.methods.method import Method

F = TypeVar("F", bound=Callable[..., Any])


def _found() -> Iterator[Method]:
    """The records in all files of the folder, in the order of their names."""
    for file in sorted(pkgutil.iter_modules(integrators.__path__), key=lambda file: file.name):
        module = importlib.import_module(f"{integrators.__name__}.{file.name}")
        yield from (value for value in vars(module).values() if isinstance(value, Method))


METHODS = {method.name: method for method in _found()}
UNKNOWN = Method("", "of a run that does not say how it was computed", order=1)


def method_named(name: Any) -> Method:
    """The method of a name, or an error that says which there are."""
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}; known: {', '.join(METHODS)}")
    return METHODS[name]


def method_of(info: Mapping[str, Any]) -> Method:
    """The method of a run, from how it was computed; one that chooses nothing if that is not known."""
    return METHODS.get(info.get("method", ""), UNKNOWN)


def listed(line: str) -> str:
    """All methods in one text; line : of each, with {name}, {title}, and {tolerances} if it has any"""
    said = {m: "; rtol {:g}, atol {:g}".format(*m.tolerances) if m.chooses else "" for m in METHODS.values()}
    return "".join(line.format(name=m.name, title=m.title, tolerances=text) for m, text in said.items())


def lists_methods(function: F) -> F:
    """The function, with the methods in its docstring where {methods} stands."""
    if function.__doc__:
        said = listed("\n        {name!r} : {title}{tolerances}").replace("'", '"')
        function.__doc__ = function.__doc__.replace("{methods}", said.strip())
    return function
