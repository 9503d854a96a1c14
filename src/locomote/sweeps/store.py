"""The folder of a sweep: what it is of, and every finished row, in parts that are written whole or not at all.

sweep.json         what rows depend on besides the values of their point; a sweep of anything else is refused
parts/*.parquet    finished rows, by key; a row that stands twice counts as it was written last
runs/*.h5          runs that are kept, by key
table.parquet      the table that was asked for last, complete
lock               held by the process that works here
"""

import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from locomote.errors import FileError
from locomote.files import lock, made_folder, reason, whole_file
from locomote.runs.optional import package
from locomote.sweeps.axes import SweepError, SweepPoints
from locomote.sweeps.job import Row

NAME, TABLE, PARTS, RUNS, LOCK = "sweep.json", "table.parquet", "parts", "runs", "lock"
FORMAT = 1
OWN = ("key", "seed", "wall", "audit", "error", "where", "file")  # columns besides axes and measures


def arrow():
    """The packages for tables, and for tables in files."""
    return tuple(package(name, "a sweep", "'locomote[sweep]'") for name in ("pyarrow", "pyarrow.parquet"))


class Store:
    """Finished rows of a sweep, in a folder, or in memory if there is none. One process at a time has it open."""

    def __init__(self, folder: str | Path | None, identity: Mapping[str, Any]):
        self.arrow, self.parquet = arrow()
        self.folder = None if folder is None else Path(folder)
        self.parts, self._lock, self._written = [], None, 0
        if self.folder is not None:
            self._open(self.folder, dict(identity))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _open(self, folder: Path, identity: dict[str, Any]) -> None:
        make_folder(folder)
        if not (folder / NAME).exists() and any(entry.name != LOCK for entry in folder.iterdir()):
            raise SweepError(f"{folder} holds something else than a sweep; choose a new folder")
        self._lock = (folder / LOCK).open("ab")
        if not lock(self._lock.fileno()):
            self._lock.close()
            self._lock = None
            raise SweepError(f"{folder}: another process works on this sweep; wait for it, or stop it")
        if (folder / NAME).exists():
            refuse_other(folder, read_identity(folder), identity)
        else:
            write_json(folder / NAME, {"format": FORMAT, **identity})
        make_folder(folder / PARTS)
        make_folder(folder / RUNS)

    # rows

    def write(self, rows: Iterable[Row], points: SweepPoints) -> None:
        """Keep finished rows; on the disk when this returns."""
        part = self.as_table(list(rows), points)
        if self.folder is None:
            self.parts.append(part)
            return
        self._written += 1
        path = self.folder / PARTS / f"{time.time_ns():020d}-{os.getpid()}-{self._written}.parquet"
        with whole_file(path) as stream:
            self.parquet.write_table(part, stream)

    def as_table(self, rows: list[Row], points: SweepPoints):
        """Rows as a table of Arrow: axes, measures, and what is known of each row."""
        index = np.array([row.index for row in rows], int)
        columns: dict[str, Any] = {name: values[index] for name, values in points.columns.items()}
        for name in dict.fromkeys(name for row in rows for name in row.numbers):
            columns[f"={name}"] = np.array([row.numbers.get(name, np.nan) for row in rows])
        columns["key"] = np.array([row.key for row in rows], np.uint64)
        columns["seed"] = np.array([row.seed for row in rows], np.int64)
        columns["wall"] = np.array([row.wall for row in rows])
        for name in ("audit", "error", "where", "file"):
            columns[name] = self.arrow.array([getattr(row, name) for row in rows], self.arrow.string())
        return self.arrow.table({(name if name in OWN or name[0] == "=" else f"@{name}"): x for name, x in columns.items()})

    def all(self):
        """Every row once, as it was written last; None if there is none."""
        parts = self.parts
        if self.folder is not None:
            parts = [self.read_part(path) for path in sorted((self.folder / PARTS).glob("*.parquet"))]
        if not parts:
            return None
        rows = self.arrow.concat_tables(parts, promote_options="permissive")
        keys = rows["key"].to_numpy()
        _, last = np.unique(keys[::-1], return_index=True)
        return rows.take(len(keys) - 1 - last)

    @property
    def empty(self) -> bool:
        """Whether there is no row yet."""
        return not self.parts and (self.folder is None or not any((self.folder / PARTS).glob("*.parquet")))

    def read_part(self, path: Path):
        """A part; a sentence for one that is damaged."""
        try:
            return self.parquet.read_table(path)
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None):
                raise FileError(path, f"cannot be read: {reason(error)}") from error  # type: ignore[arg-type]
            raise FileError(path, "is damaged; remove it, and its points are computed again") from error

    def finished(self, keys: np.ndarray, *, retry: bool) -> np.ndarray:
        """(n,) whether there is a row of each key; retry : those that failed do not count."""
        rows = self.all()
        if rows is None:
            return np.zeros(len(keys), bool)
        there = rows["key"].to_numpy()
        if retry:
            there = there[np.array(rows["error"].to_pylist()) == ""]
        return np.isin(keys, there)

    def asked(self, keys: np.ndarray):
        """The rows of some keys in their order, as far as they are there, and the places of these among the keys."""
        rows = self.all()
        if rows is None:
            return None, np.zeros(0, int)
        there = rows["key"].to_numpy()  # ascending
        place = np.minimum(np.searchsorted(there, keys), len(there) - 1)
        found = np.flatnonzero(there[place] == keys)
        return rows.take(place[found]), found

    def write_table(self, rows) -> None:
        """The table that was asked for, as one file."""
        if self.folder is not None:
            with whole_file(self.folder / TABLE) as stream:
                self.parquet.write_table(rows, stream)


def make_folder(folder: Path) -> None:
    if why := made_folder(folder):
        raise SweepError(f"{folder} cannot be the folder of a sweep: {why}")


def write_json(path: Path, found: Mapping[str, Any]) -> None:
    with whole_file(path) as stream:
        stream.write(json.dumps(found, indent=1, sort_keys=True).encode() + b"\n")


def read_identity(folder: Path) -> dict[str, Any]:
    """What a folder is of."""
    try:
        found = json.loads((folder / NAME).read_bytes())
    except OSError as error:
        raise FileError(folder / NAME, f"cannot be read: {reason(error)}") from error
    except ValueError:
        raise FileError(folder / NAME, "is not what a sweep writes there; choose a new folder") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise FileError(folder / NAME, "is of another version of the library; choose a new folder")
    return {name: value for name, value in found.items() if name != "format"}


def refuse_other(folder: Path, there: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """SweepError, saying what differs, if a folder is of another sweep."""
    asked = json.loads(json.dumps(asked))
    differ = [name for name in asked if there.get(name) != asked[name]]
    if differ:
        told = "; ".join(f"{name} is {there.get(name)!r:.80} there and {asked[name]!r:.80} now" for name in differ)
        raise SweepError(f"{folder} holds another sweep: {told}. Choose another folder, or ask for the same")
