"""All kinds of drives, as their files in `kinds/` declare them, and drives from records."""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from locomote.compiler.callbacks import shortened
from locomote.drives import kinds
from locomote.drives.drive import Drive
from locomote.drives.kinds.function import Function
from locomote.drives.kinds.sum import Sum
from locomote.errors import UnknownName

FILES = [importlib.import_module(f"{kinds.__name__}.{file.name}") for file in pkgutil.iter_modules(kinds.__path__)]
LAWS = sorted((file for file in FILES if hasattr(file, "NUMBER")), key=lambda file: file.NUMBER)  # of terms, by number
assert [law.NUMBER for law in LAWS] == [*range(len(LAWS))], f"numbers of drives: {[(x.__name__, x.NUMBER) for x in LAWS]}"
ON_SYMBOLS = tuple(law.NUMBER for law in LAWS if getattr(law, "ON_SYMBOLS", False))  # one formula at all times
KINDS = {kind.__name__: kind for kind in Drive.__subclasses__() if kind.__module__ in {file.__name__ for file in FILES}}


def drive_from_record(record: Mapping[str, Any]) -> Drive:
    """The drive of a record that `to_record` made."""
    if not isinstance(record, Mapping) or "kind" not in record:
        raise ValueError(f"the record of a drive is a table with a 'kind', not {shortened(record)}")
    stored = {name: kind for name, kind in KINDS.items() if kind is not Function}
    label = record["kind"]
    if not isinstance(label, str) or label not in stored:
        raise UnknownName("drive", label, stored, "records of drives")
    kind = stored[label]
    names = {part.name for part in fields(kind)}  # type: ignore[arg-type]
    values = {name: value for name, value in record.items() if name != "kind"}
    for name in values:
        if name not in names:
            raise UnknownName("value", name, sorted(names), f"a {label}")
    if kind is Sum and isinstance(values.get("terms"), (list, tuple)):
        values["terms"] = [drive_from_record(term) for term in values["terms"]]
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"the record of a {label} is not complete or has a wrong value: {error}") from error
