"""What a problem is made of as plain data that JSON can hold, and back.

    numbers, texts, None        themselves
    tuple                       a list
    list, array, mapping        {"is": "list" | "array" | "table", "of": ...}
    drive                       {"is": "drive", "of": its own record}
    part of a problem           {"is": name of its class, "fields": {...}}

The classes are all records (dataclasses) of the modules below: a new constraint, surface, force, flow, actuator or controller
can be stored from its first day on. Its fields stand in a table of their own, so that whatever they are called, none is taken
for something else.
"""

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from locomote import actuation, constraints, contact, drives, forces, geometry
from locomote.drives.drive import Drive
from locomote.drives.table import drive_from_record
from locomote.errors import UnknownName

FOLDERS = (constraints, geometry, contact, forces, drives, actuation)
MODULES = (
    "locomote.model.flexible.along", "locomote.model.description", "locomote.model.paths", "locomote.model.scene",
    "locomote.locomotion.scene_pads",
)  # fmt: skip


@functools.cache
def parts() -> Mapping[str, type]:
    """Classes of parts of problems by name."""
    modules = [x.name for folder in FOLDERS for x in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}.")]
    found: dict[str, type] = {}
    for module in map(importlib.import_module, (*modules, *MODULES)):
        for name, kind in vars(module).items():
            if isinstance(kind, type) and kind.__module__ == module.__name__ and is_dataclass(kind):
                assert found.setdefault(name, kind) is kind, f"{name} of {module.__name__} and of {found[name].__module__}"
    return MappingProxyType(found)


def is_part(kind: type) -> bool:
    """Whether records of this class are parts of problems; nothing is imported for it."""
    module = kind.__module__
    return is_dataclass(kind) and (module in MODULES or module.startswith(tuple(f"{folder.__name__}." for folder in FOLDERS)))


def plain(value: Any, where: str = "it") -> Any:
    """A value as plain data; a ValueError names what cannot be stored. where : what it is, for that."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Drive):
        return {"is": "drive", "of": value.to_record()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"is": "array", "of": value.ravel().tolist(), "shape": list(value.shape)}
    if isinstance(value, tuple):
        return [plain(x, where) for x in value]
    if isinstance(value, list):
        return {"is": "list", "of": [plain(x, where) for x in value]}
    if isinstance(value, Mapping):
        return {"is": "table", "of": [[plain(key, where), plain(x, f"{where} of {key!r:.40}")] for key, x in value.items()]}
    kind: Any = type(value)
    if is_part(kind):
        title = getattr(value, "title", "") or getattr(value, "name", "")
        called = f"{kind.__name__} {title!r}" if title else kind.__name__
        given = {f.name: getattr(value, f.name) for f in fields(kind) if f.init}
        for name, x in given.items():
            if callable(x) and not isinstance(x, Drive) and not is_part(type(x)):
                raise ValueError(f"{called} cannot be stored, since its {name} is a Python function")
        return {"is": kind.__name__, "fields": {name: plain(x, f"{name} of {called}") for name, x in given.items()}}
    name = getattr(value, "__qualname__", "") or getattr(value, "name", "") or kind.__name__
    if callable(value) or kind.__module__.startswith("locomote."):  # a law of force or of flow that a user wrote holds one
        raise ValueError(f"{where}: {name!r} cannot be stored, since it is a Python function")
    raise ValueError(f"{where}: {value!r:.60} cannot be stored, since it is a {kind.__name__}")


def back(record: Any) -> Any:
    """The value of plain data that `plain` made."""
    if isinstance(record, list):
        return tuple(back(x) for x in record)
    if not isinstance(record, Mapping):
        return record
    kind = record["is"]
    if kind == "drive":
        return drive_from_record(record["of"])
    if kind == "array":
        return np.array(record["of"]).reshape(record["shape"])
    if kind == "list":
        return [back(x) for x in record["of"]]
    if kind == "table":
        return {back(key): back(x) for key, x in record["of"]}
    if kind not in parts():
        raise UnknownName("part of a problem", kind, parts(), "records of problems")
    return parts()[kind](**{name: back(x) for name, x in record["fields"].items()})
