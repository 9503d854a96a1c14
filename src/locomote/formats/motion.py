"""Recorded motion: .mot and .sto files (tables with a header) and .trc files (markers) of motion capture."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from locomote.brief import brief
from locomote.errors import ModelError
from locomote.formats.faults import shown
from locomote.formats.numbers import parse_number
from locomote.formats.source import Source, read_source
from locomote.spatial.numbers import as_numbers

SUFFIXES = (".mot", ".sto", ".trc")
LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}
MOST_COLUMNS = 20_000


@brief
@dataclass(frozen=True)
class Recording:
    """Columns of numbers over time.

    time : (n,) s ; columns : name -> (n,) numbers, or (n, 3) places of a marker, m; nan where there is none
    degrees : whether angles are in degrees
    """

    time: np.ndarray
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)
    degrees: bool = False

    def __post_init__(self) -> None:
        time = as_numbers(self.time, "time of a recording", "(n,)")
        columns = {name: as_numbers(own, f"column {name!r} of a recording", "(n,)") for name, own in self.columns.items()}
        if time.ndim != 1 or not np.isfinite(time).all():
            raise ValueError(f"time of a recording is {self.time!r:.60}, expected finite numbers (n,)")
        for name, own in columns.items():
            if own.shape not in (time.shape, (*time.shape, 3)):
                raise ValueError(f"column {name!r} has shape {own.shape}, expected {time.shape}, or {(*time.shape, 3)}")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "columns", columns)


def read_motion(path_or_text) -> Recording:
    """The columns of a .mot, .sto or .trc file, or of its text, which has several lines."""
    source = read_source(path_or_text, is_text=lambda text: "\n" in text)
    content = source.content
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ModelError(source.name, "its text cannot be decoded; save it as UTF-8") from None
    lines = content.splitlines()
    if lines and lines[0].startswith("PathFileType"):
        return _markers(source, lines)
    return _table(source, lines)


def _table(source: Source, lines: list[str]) -> Recording:
    ends = [n for n, line in enumerate(lines) if line.strip().lower() == "endheader"]
    if not ends:
        raise ModelError(source.name, "there is no line 'endheader': this is no .mot or .sto file, nor .trc")
    header = dict(part.split("=", 1) for line in lines[: ends[0]] if (part := line.strip()) and "=" in part)
    degrees = any(key.strip().lower() == "indegrees" and value.strip().lower() == "yes" for key, value in header.items())
    rows = [(n + 1, line) for n, line in enumerate(lines) if n > ends[0] and line.strip()]
    if not rows:
        raise ModelError(source.name, "there are no columns after 'endheader'")
    names = rows[0][1].split("\t") if "\t" in rows[0][1] else rows[0][1].split()
    names = [name.strip() for name in names]
    while names and not names[-1]:
        names.pop()
    if not names or names[0].lower() != "time" or len(set(names)) < len(names) or len(names) > MOST_COLUMNS:
        raise ModelError(source.name, f"line {rows[0][0]}: expected names of columns, each once, 'time' first")
    values = np.array([_numbers(source, line, text.split(), len(names)) for line, text in rows[1:]]).reshape(-1, len(names))
    return Recording(_rising(source, values[:, 0]), dict(zip(names[1:], values.T[1:], strict=True)), degrees)


def _markers(source: Source, lines: list[str]) -> Recording:
    if len(lines) < 6:
        raise ModelError(source.name, "a .trc file has five lines of header, and numbers")
    said = dict(zip(lines[1].split("\t"), lines[2].split("\t"), strict=False))
    units = said.get("Units", "mm").strip().lower()
    if units not in LENGTHS:
        raise ModelError(source.name, f"line 3: units are {shown(units)}, expected {' or '.join(LENGTHS)}")
    names = [name.strip() for name in lines[3].split("\t")[2:] if name.strip()]
    if len(set(names)) < len(names) or not names or len(names) > MOST_COLUMNS:
        raise ModelError(source.name, "line 4: expected names of markers, each once, after 'Frame#' and 'Time'")
    count, rows = 2 + 3 * len(names), []
    for n, line in enumerate(lines[5:], 6):
        if line.strip():
            cells = (line.rstrip("\r\n").split("\t") + [""] * count)[:count]
            rows.append(_numbers(source, n, [cell.strip() or "nan" for cell in cells], count))
    values = np.array(rows).reshape(-1, count)
    places = values[:, 2:].reshape(len(values), -1, 3) * LENGTHS[units]
    return Recording(_rising(source, values[:, 1]), {name: places[:, k] for k, name in enumerate(names)})


def _numbers(source: Source, line: int, cells: list[str], count: int) -> list[float]:
    if len(cells) != count:
        raise ModelError(source.name, f"line {line}: has {len(cells)} numbers, expected {count}")
    values = []
    for cell in cells:
        value = float("nan") if cell.lower() in ("nan", "-nan", "nan(ind)") else parse_number(cell)
        if isinstance(value, str):
            raise ModelError(source.name, f"line {line}: {value}")
        values.append(value)
    return values


def _rising(source: Source, time: np.ndarray) -> np.ndarray:
    if not len(time):
        raise ModelError(source.name, "it has no rows of numbers")
    if not np.isfinite(time).all() or (np.diff(time) <= 0).any():
        raise ModelError(source.name, "its times do not rise")
    return time
