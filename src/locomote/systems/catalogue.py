"""Systems by name. Nothing is built, and no system file is read, before it is asked for.

The file of a system, `systems/<name>.py`, has

    build(*, ...) -> Model     keyword arguments only, each with a default
    PARAMETERS                 name of an argument -> (unit, what it is)
    SOURCE                     where the numbers come from
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from locomote.errors import UnknownName

if TYPE_CHECKING:
    from locomote.model.model import Model

TITLES = {
    "humanoid": "a person-sized humanoid of boxes and capsules, 29 joint coordinates on a free base",
    "quadruped": "a trunk on four two-link legs, universal hips and revolute knees, on a free base",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a system: its default value, its unit and what it is."""

    name: str
    default: Any
    unit: str
    meaning: str


@dataclass(frozen=True)
class System:
    """A system of the catalogue with all its parameters set.

    model : the mechanism
    parameters : every parameter with the value used
    source : where the default numbers come from
    """

    name: str
    title: str
    model: Model
    parameters: Mapping[str, Any]
    source: str


def names() -> list[str]:
    """The names of all systems."""
    return list(TITLES)


def title(name: str) -> str:
    """What a system is, in one line."""
    return TITLES[_known(name)]


def parameters(name: str) -> list[Parameter]:
    """The parameters of a system with their defaults and units."""
    module = _module(name)
    defaults = {key: given.default for key, given in inspect.signature(module.build).parameters.items()}
    return [Parameter(key, defaults[key], unit, meaning) for key, (unit, meaning) in module.PARAMETERS.items()]


def load(name: str, **given: Any) -> System:
    """A system of the catalogue, with some parameters changed from their defaults.

    >>> load("humanoid", height=1.9).model.mass
    75.0
    """
    values = {parameter.name: parameter.default for parameter in parameters(name)}
    for key in given:
        if key not in values:
            raise UnknownName("parameter", key, values, f"system {name!r}")
    values.update(given)
    module = _module(name)
    return System(name, TITLES[name], module.build(**values), values, module.SOURCE)


def _known(name: str) -> str:
    if name not in TITLES:
        raise UnknownName("system", name, TITLES, "the catalogue")
    return name


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"locomote.systems.{_known(name)}")
