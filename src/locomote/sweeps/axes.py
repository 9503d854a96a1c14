"""Which points a sweep visits: a grid of axes, points that fill a box evenly, draws, or the rows of a table.

A point has a value of every axis; its key is a hash of these, so that a folder knows it again whatever else is asked for.
"""

import csv
import hashlib
import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locomote.brief import brief
from locomote.errors import FileError, LocomoteError
from locomote.files import opened, reason
from locomote.runs.optional import package

MOST = 10**8  # points
KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str}


class SweepError(LocomoteError, ValueError):
    """A sweep that cannot be done as it was asked for."""


@brief
@dataclass(frozen=True, eq=False)
class SweepPoints:
    """The points of a sweep.

    columns : name of an axis -> (n,) its value at each point
    grid : name of an axis -> its values, of points that are all combinations of them (the first axis changes slowest); else
    empty
    """

    columns: Mapping[str, np.ndarray]
    grid: Mapping[str, np.ndarray]

    def __post_init__(self):
        if not self.columns:
            raise SweepError("a sweep needs at least one axis, such as {'amplitude': lo.span(0.1, 0.9, 50)}")
        columns = {checked_name(name): checked_values(name, values) for name, values in self.columns.items()}
        if len({len(x) for x in columns.values()}) != 1:
            sizes = ", ".join(f"{name} {len(x)}" for name, x in columns.items())
            raise SweepError(f"columns of points have different lengths: {sizes}")
        object.__setattr__(self, "columns", columns)

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def at(self, index: int) -> dict[str, Any]:
        """The values of one point, as Python's own numbers and words."""
        return {name: values[index].item() for name, values in self.columns.items()}

    def keys(self) -> np.ndarray:
        """(n,) uint64, a hash of each point."""
        parts = [values.astype("U") if values.dtype.kind == "U" else values.astype(float) for values in self.columns.values()]
        names = "\0".join(self.columns).encode()
        digests = (_digest(names, row) for row in zip(*(part.tolist() for part in parts), strict=True))
        return np.fromiter(digests, np.uint64, len(self))


def _digest(names: bytes, row: tuple) -> int:
    return int.from_bytes(hashlib.blake2b(names + repr(row).encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True)
class Span:
    """Values from a first to a last one; see `span`."""

    first: float
    last: float
    count: int
    log: bool = False

    def values(self) -> np.ndarray:
        """(count,)"""
        return (np.geomspace if self.log else np.linspace)(self.first, self.last, self.count)


def span(first: float, last: float, count: int, *, log: bool = False) -> Span:
    """An axis of `count` values from `first` to `last`, both included, at equal distances, or at equal ratios (log).

    >>> span(0.1, 0.9, 5).values()
    array([0.1, 0.3, 0.5, 0.7, 0.9])
    """
    if not (math.isfinite(first) and math.isfinite(last)):
        raise SweepError(f"span from {first:g} to {last:g}: both ends must be finite")
    if isinstance(count, bool) or count != int(count) or count < 1:
        raise SweepError(f"span: count is {count!r}, expected an integer from 1")
    if log and not first * last > 0:
        raise SweepError(f"span from {first:g} to {last:g} at equal ratios: both ends must be of one sign and not zero")
    return Span(float(first), float(last), int(count), bool(log))


def points_of(axes) -> SweepPoints:
    """The points that `axes` asks for: SweepPoints as they are, or the grid of a mapping from names to values."""
    if isinstance(axes, SweepPoints):
        return axes
    if not isinstance(axes, Mapping):
        raise SweepError(
            f"axes are {axes!r:.60}, expected a mapping from names to values, or what lo.sweeps.latin_hypercube gives"
        )
    grid = {checked_name(name): checked_values(name, values) for name, values in axes.items()}
    if math.prod(len(x) for x in grid.values()) > MOST:
        raise SweepError(f"axes have {math.prod(len(x) for x in grid.values()):.3g} points, at most {MOST:.0e} are taken")
    numbers = np.meshgrid(*grid.values(), indexing="ij") if grid else []
    return SweepPoints(dict(zip(grid, (x.ravel() for x in numbers), strict=True)), grid)


def checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise SweepError(f"an axis is called {name!r:.60}, expected the name of a parameter")
    return name


def checked_values(name: str, values: Any) -> np.ndarray:
    """(n,) numbers, words or truth values of an axis; at least one, all finite."""
    if isinstance(values, Span):
        return values.values()
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        values = [values]
    array = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    if array.ndim != 1:
        raise SweepError(f"axis {name!r} has the shape {array.shape}, expected one value a point")
    if not len(array):
        raise SweepError(f"axis {name!r} has no values")
    if array.dtype.kind not in KINDS:
        raise SweepError(f"axis {name!r} has values like {array.flat[0]!r:.40}, expected numbers or words")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise SweepError(f"axis {name!r} holds NaN or infinity at point {int(np.flatnonzero(~np.isfinite(array))[0])}")
    return array


# points that are no grid


def latin_hypercube(ranges: Mapping[str, Sequence[float]], count: int, *, seed: int = 0) -> SweepPoints:
    """`count` points in a box of ranges (lowest, highest), each range cut into `count` parts with a point in each of them
    (SciPy's LatinHypercube)."""
    from scipy.stats import qmc

    return _scaled(ranges, qmc.LatinHypercube(len(ranges), rng=_random(seed)).random(_count(count)))


def sobol(ranges: Mapping[str, Sequence[float]], count: int, *, seed: int = 0) -> SweepPoints:
    """`count` points of a scrambled Sobol sequence in a box of ranges (lowest, highest); powers of two fill it evenly."""
    from scipy.stats import qmc

    exponent = max(0, math.ceil(math.log2(_count(count))))
    drawn = qmc.Sobol(len(ranges), rng=_random(seed)).random_base2(exponent)
    return _scaled(ranges, drawn[:count])


def draws(ranges: Mapping[str, Sequence[float]], count: int, *, seed: int = 0) -> SweepPoints:
    """`count` points drawn evenly from a box of ranges (lowest, highest)."""
    return _scaled(ranges, _random(seed).random((_count(count), len(ranges))))


def _random(seed: Any) -> np.random.Generator:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SweepError(f"seed is {seed!r:.40}, expected an integer from 0")
    return np.random.default_rng(int(seed))


def _count(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST:
        raise SweepError(f"count is {count!r:.40}, expected an integer from 1 to {MOST:.0e}")
    return int(count)


def _scaled(ranges: Mapping[str, Sequence[float]], unit: np.ndarray) -> SweepPoints:
    """SweepPoints of the unit cube, in the box."""
    columns = {}
    for k, (name, ends) in enumerate(ranges.items()):
        low, high = range_of(name, ends)
        columns[name] = low + (high - low) * unit[:, k]
    return SweepPoints(columns, {})


def range_of(name: str, ends: Any) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in ends)
    except (TypeError, ValueError):
        raise SweepError(f"range of {name!r} is {ends!r:.60}, expected (lowest, highest)") from None
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise SweepError(f"range of {name!r} is {low:g} to {high:g}, expected two finite numbers, the lowest first")
    return low, high


def read_points(source) -> SweepPoints:
    """Points from the rows of a table: a mapping from names to values of equal length, or a file (.csv with a line of names,
    .parquet)."""
    if isinstance(source, Mapping):
        return SweepPoints(dict(source), {})
    if not isinstance(source, str | os.PathLike) or "\0" in os.fspath(source):
        raise SweepError(
            f"points are {source!r:.60}, expected a mapping from names to values, or the path of a .csv or .parquet file"
        )
    if str(source).endswith(".parquet"):
        parquet = package("pyarrow.parquet", "a table in Parquet", "'locomote[sweep]'")
        try:
            read = parquet.read_table(source)
        except OSError as error:
            raise FileError(source, f"cannot be read: {reason(error)}") from error
        except ValueError as error:  # ArrowInvalid
            raise FileError(source, f"is no Parquet file: {str(error).splitlines()[0]:.100}") from error
        return SweepPoints({name: np.array(read[name].to_pylist()) for name in read.column_names}, {})
    return SweepPoints(_csv(source), {})


def _csv(path) -> dict[str, np.ndarray]:
    try:
        with opened(path) as stream:
            rows = [row for row in csv.reader(io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")) if row]
    except OSError as error:
        raise FileError(path, f"cannot be read: {reason(error)}") from error
    except (UnicodeDecodeError, csv.Error):
        raise FileError(
            path, "is no table of text: expected a line of names, then a line a point, separated by commas"
        ) from None
    if len(rows) < 2:
        raise FileError(path, "holds no points: expected a line of names, then a line a point")
    names = [name.strip() for name in rows[0]]
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise FileError(path, f"row {number} has {len(row)} values, expected {len(names)}, as the line of names")
    texts = zip(*rows[1:], strict=True)
    return {name: _parsed([text.strip() for text in column]) for name, column in zip(names, texts, strict=True)}


def _parsed(texts: list[str]) -> np.ndarray:
    """Texts as integers, else as numbers, else as they are."""
    for kind in (int, float):
        try:
            return np.array([kind(text) for text in texts])
        except (ValueError, OverflowError):
            continue
    return np.array(texts)


def axis_of(text: str) -> Span | np.ndarray:
    """An axis as the command line says it: first:last:count, or values separated by commas.

    >>> axis_of("0.1:0.9:50")
    Span(first=0.1, last=0.9, count=50, log=False)
    """
    parts = text.split(":")
    if len(parts) == 1:
        return _parsed([part.strip() for part in text.split(",") if part.strip()])
    try:
        first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        raise SweepError(f"axis {text!r}: expected FIRST:LAST:COUNT, as in 0.1:0.9:50, or values separated by commas") from None
    if len(parts) > 4 or (len(parts) == 4 and parts[3] != "log"):
        raise SweepError(f"axis {text!r}: what follows the count can only be log, as in 0.1:10:20:log")
    return span(first, last, count, log=len(parts) == 4)
