"""Files of measurements: CSV with a line of names, and arrays of NumPy.

A column is headed by its name, with its unit in brackets if it has one: `knee.angle [deg]`, as `run.to_csv` writes them.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from locomote.errors import FileError, UnknownName
from locomote.identification.measured import Measured
from locomote.identification.units import in_si

HEADING = re.compile(r"^\s*(.*?)\s*(?:[\[(]([^\[\]()]*)[\])])?\s*$")
TIMES = ("t", "time", "timestamp")


def read_measured(
    path,
    *,
    names: Mapping[str, str] | Sequence[str] | None = None,
    units: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | Sequence[str] = (),
    time: str | None = None,
    first: bool = False,
    q=None,
    v=None,
) -> Measured:
    """Measurements from a file: CSV (.csv, .txt, .tsv) with a line of names, .npz with an array for each column, or .npy with
    named columns.

    names : columns that are channels, all if left out; a mapping column -> channel renames them
    units : column -> unit, where the file does not say it in brackets after the name: numbers are turned into SI
    inputs : columns that act: joints by the name of the column, or a mapping column -> joint
    time : name of the column of times; "t" or "time" if left out ; first : whether times begin with the first one, as of clocks
    q, v : (nq,), (nv,) start of the run
    """
    file = Path(path)
    columns = arrays_of(file)
    said = dict(units or {})
    for name in said:
        if name not in columns:
            raise UnknownName("column", name, columns, str(file))
    clock = time if time is not None else next((name for name in columns if name.lower() in TIMES), "")
    if clock not in columns:
        raise UnknownName("column of times", clock or "t", columns, str(file))
    acting = dict(inputs) if isinstance(inputs, Mapping) else {name: name for name in inputs}
    wanted = names if isinstance(names, Mapping) else {name: name for name in names or columns}
    wanted = {key: name for key, name in wanted.items() if names is not None or key not in (clock, *acting)}

    def values(name: str) -> tuple[np.ndarray, str]:
        if name not in columns:
            raise UnknownName("column", name, columns, str(file))
        array, unit = columns[name]
        factor, base = in_si(said.get(name, unit)) if said.get(name, unit) else (1.0, "")
        return array * factor, base

    t = values(clock)[0]
    found = {channel: values(key) for key, channel in wanted.items()}
    try:
        return Measured(
            t - t[0] if first else t, {name: x for name, (x, _) in found.items()},
            {joint: values(key)[0] for key, joint in acting.items()}, q, v,
            {name: unit for name, (_, unit) in found.items() if unit},
        )  # fmt: skip
    except ValueError as error:
        raise FileError(file, str(error)) from None


def arrays_of(file: Path) -> dict[str, tuple[np.ndarray, str]]:
    """Columns by name, with their units."""
    try:
        if file.suffix == ".npz":
            with np.load(file, allow_pickle=False) as arrays:
                table = {name: np.asarray(arrays[name]) for name in arrays.files}
        elif file.suffix == ".npy":
            array = np.load(file, allow_pickle=False)
            if array.dtype.names is None:
                raise FileError(
                    file, "its array has no named columns; save it as .npz with a name for each, or with a dtype of names"
                )
            table = {name: array[name] for name in array.dtype.names}
        else:
            table = csv_of(file)
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(file, f"it cannot be read: {error}") from None
    found = {}
    for heading, x in table.items():
        name, unit = HEADING.match(heading).groups()  # type: ignore[union-attr]
        if np.asarray(x).dtype.kind not in "fiub":
            raise FileError(file, f"column {name!r} is not made of numbers")
        found[name] = np.asarray(x, dtype=float), unit or ""
    return found


def csv_of(file: Path) -> dict[str, Any]:
    """Columns of a CSV file by heading; empty cells are NaN."""
    with file.open(newline="", encoding="utf-8-sig") as stream:
        text = stream.read()
    first = text.partition("\n")[0]
    delimiter = next((mark for mark in ("\t", ";", ",") if mark in first), ",")
    rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if row and not row[0].startswith("#")]
    if len(rows) < 2:
        raise FileError(file, "it has no rows of numbers below a line of names")
    head = rows[0]
    if len({*head}) < len(head):
        raise FileError(file, f"two columns have the same name: {sorted({name for name in head if head.count(name) > 1})[0]!r}")
    numbers = np.full((len(rows) - 1, len(head)), np.nan)
    for r, row in enumerate(rows[1:]):
        if len(row) != len(head):
            raise FileError(file, f"row {r + 2} has {len(row)} cells, the line of names {len(head)}")
        for c, cell in enumerate(row):
            try:
                numbers[r, c] = float(cell) if cell.strip() else np.nan
            except ValueError:
                raise FileError(file, f"row {r + 2} of {head[c]!r} is {cell!r:.40}, not a number") from None
    return {name: numbers[:, c] for c, name in enumerate(head)}
