"""A Description as plain data and back, exactly: what a run file keeps of the mechanism.

A record holds dicts, lists, texts, booleans and numbers only, so that JSON can store it; a float comes back with the same
bits, since JSON writes its shortest exact form. A number that JSON does not know is a text: "inf", "-inf" or "nan".
Every field is written, so that a later change of a default does not change the mechanism of an old file.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from locomote.errors import ModelError, UnknownName
from locomote.model.description import Body, Collision, Coupling, Description, Joint, Keyframe, Visual
from locomote.model.flexible.bases import BeamModes, BSplines, Harmonics, Legendre, Pieces, Points
from locomote.model.flexible.cross_sections import Cone, Material, Section, SectionConstants
from locomote.model.flexible.modes import Modes
from locomote.model.flexible.rods import Rod
from locomote.model.flexible.tabulated import Tabulated, with_tables
from locomote.spatial.inertia import Inertia

FORMAT = "locomote description"
VERSION = 1
# fields that files may not have, and what they are then
LATER: dict[str, Any] = {"flex": None, "along": None, "collisions": [], "apart": [], "keyframes": []}
PARTS_OF_RODS = (
    Rod, Section, SectionConstants, Cone, Tabulated, Material, Legendre, Pieces, BSplines, BeamModes, Harmonics, Points, Modes,
)  # fmt: skip
NOT_FINITE = ("inf", "-inf", "nan")
TEXTS = ("name", "kind", "sequence", "parent", "shape", "file", "source", "joint", "body")


def description_to_record(description: Description) -> dict[str, Any]:
    """Plain data that says all of a Description; functions of X along rods become tables."""
    bodies = []
    for body in description.bodies:
        if isinstance(body.flex, Rod):
            attached = [float(x.along) for x in description.bodies if x.parent == body.name and x.along is not None]
            body = replace(body, flex=with_tables(body.flex, body.name, attached, PARTS_OF_RODS))
        bodies.append(body)
    return {"format": FORMAT, "version": VERSION, **_written(replace(description, bodies=tuple(bodies)))}


def description_from_record(record: Mapping[str, Any]) -> Description:
    """The Description of a record; a ModelError says what is wrong with one that cannot be read."""
    if not isinstance(record, Mapping) or record.get("format") != FORMAT:
        raise ModelError("record", f"this is not the record of a mechanism: its 'format' is not {FORMAT!r}")
    if record.get("version") != VERSION:
        advice = f"this locomote reads version {VERSION}; use the one that wrote it, or a newer one"
        raise ModelError("record", f"it has version {record.get('version')!r}; {advice}")
    own = {key: value for key, value in record.items() if key not in ("format", "version")}
    return _read(Description, own, f"mechanism {record.get('name')!r}")


# writing


def _written(value: Any) -> Any:
    if isinstance(value, Description | Body | Joint | Visual | Collision | Coupling | Keyframe | Inertia):
        named = {field.name: _written(getattr(value, field.name)) for field in fields(value)}
        return {name: x for name, x in named.items() if name not in LATER or x != LATER[name]}
    if isinstance(value, PARTS_OF_RODS):
        return {"kind": type(value).__name__} | {field.name: _written(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {"kind": "table"} | {str(name): _written(x) for name, x in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _written(value.tolist())
    if isinstance(value, list | tuple):
        return [_written(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    raise ValueError(f"a record takes texts and numbers, not a {type(value).__name__}: {value!r:.60}")


# reading


def _read(kind: type, record: Any, where: str) -> Any:
    """A dataclass of the description out of its record."""
    known = [field.name for field in fields(kind)]
    if not isinstance(record, Mapping):
        raise ModelError("record", f"{where}: expected the fields of a {kind.__name__}, not {record!r:.60}")
    for name in record:
        if name not in known:
            raise ModelError("record", f"{where}: {UnknownName('field', name, known, kind.__name__)}")
    record = {name: x for name, x in LATER.items() if name in known} | dict(record)
    missing = [name for name in known if name not in record]
    if missing:
        raise ModelError("record", f"{where}: a {kind.__name__} needs {', '.join(map(repr, missing))} too")
    values = {}
    for name in known:
        try:
            values[name] = READERS.get(name, _numbers)(record[name])
        except (TypeError, ValueError) as fault:
            if isinstance(fault, ModelError):
                raise
            raise ModelError("record", f"{where}: {name} cannot be {record[name]!r:.60}") from None
    return kind(**values)


def _numbers(value: Any) -> Any:
    """A number, or nested tuples of numbers."""
    if isinstance(value, list | tuple):
        return tuple(_numbers(item) for item in value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if value in NOT_FINITE:
        return float(value)
    raise ValueError


def _rod_part(value: Any) -> Any:
    """A rod or a part of one: a table with the name of its kind; anything else is numbers and texts."""
    if isinstance(value, Mapping):
        kind = {part.__name__: part for part in PARTS_OF_RODS}.get(str(value.get("kind")), dict)
        own = {name: _rod_part(x) for name, x in value.items() if name != "kind"}
        return kind(**own)
    if isinstance(value, list | tuple):
        return tuple(_rod_part(item) for item in value)
    return value if isinstance(value, str) and value not in NOT_FINITE else _numbers(value)


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError
    return value


def _array(value: Any) -> np.ndarray | None:
    return None if value is None else np.array(_numbers(value), dtype=float)


def _several(kind: type) -> Callable[[Iterable], tuple]:
    """A reader of many records of one kind."""

    def read(records):
        if not isinstance(records, list | tuple):
            raise ValueError
        return tuple(_read(kind, record, _named(kind, record, n)) for n, record in enumerate(records))

    return read


def _named(kind: type, record: Any, n: int) -> str:
    """How a message calls one of several records."""
    name = record.get("name") or record.get("joint") if isinstance(record, Mapping) else None
    return f"{kind.__name__.lower()} {n if name is None else repr(name)}"


READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(TEXTS, _text),
    **dict.fromkeys(("axis", "axis2"), lambda value: value if isinstance(value, str) else _numbers(value)),
    **dict.fromkeys(("placement", "added_inertia", "com", "moment"), _array),
    "warnings": lambda value: tuple(_text(item) for item in value),
    "ratios": lambda value: tuple((_text(name), _numbers(ratio)) for name, ratio in value),
    "inertia": lambda value: None if value is None else _read(Inertia, value, "inertia"),
    "flex": lambda value: None if value is None else _rod_part(value),
    **dict.fromkeys(("q", "v"), lambda value: tuple((_text(name), _numbers(own)) for name, own in value)),
    "keyframes": _several(Keyframe),
    "joints": _several(Joint),
    "visuals": _several(Visual),
    "collisions": _several(Collision),
    "apart": lambda value: tuple((_text(first), _text(second)) for first, second in value),
    "bodies": _several(Body),
    "couplings": _several(Coupling),
}
