"""The table of a sweep: a row a point with its values, measures, seed, audit, time and error; as arrays, frames and
pictures."""

from pathlib import Path
from typing import Any

import numpy as np

from locomote.errors import UnknownName
from locomote.later import later
from locomote.runs.optional import package
from locomote.sweeps.axes import SweepError, SweepPoints
from locomote.sweeps.job import Job
from locomote.tables import table as html

SHOWN, COMPARED = 10, 8  # rows of a repr; runs of a picture
ABOUT = ("seed", "audit", "wall", "error", "file")  # of every row


class SweepTable:
    """What a sweep gives.

    points : the points, in the order of the rows ; folder : where it is kept, None if nowhere ; arrow : the table of pyarrow

    table["amplitude"] is a column (n,): of an axis, a measure, or seed, audit ("good", "not good", or "" where nothing was
    audited), wall (s), error ("" where all is well), file.
    """

    def __init__(self, rows, points: SweepPoints, folder: Path | None, job: Job | None = None):
        own = {name[1:]: rows[name] for name in rows.column_names if name[0] == "@" and name[1:] in points.columns}
        measures = {name[1:]: rows[name] for name in rows.column_names if name[0] == "="}
        arrow = package("pyarrow", "a sweep", "'locomote[sweep]'")
        self.axes, self.measures = tuple(own), tuple(measures)
        columns = {**own, **{free(name, own): x for name, x in measures.items()}}
        self.measures = tuple(name for name in columns if name not in own)
        self.arrow = arrow.table(columns | {free(name, columns): rows[name] for name in ABOUT})
        self.points, self.folder, self._job = points, folder, job

    def __len__(self):
        return self.arrow.num_rows

    def __getitem__(self, name: str) -> np.ndarray:
        """(n,) a column."""
        if name not in self.arrow.column_names:
            raise UnknownName("column", name, self.arrow.column_names, "the table of the sweep")
        return self.arrow[name].to_numpy()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(self.arrow.column_names)

    @property
    def failed(self) -> np.ndarray:
        """(n,) whether a point has no numbers; its error says why."""
        return np.array([bool(text) for text in self.arrow["error"].to_pylist()], bool)

    def ranked(self, measure: str, *, least: bool = False) -> list[int]:
        """Rows that have a value of a measure, the largest (or least) first."""
        values = np.array(self[measure], float)
        order = np.argsort(values if least else -values, kind="stable")
        return order[np.isfinite(values[order])].tolist()

    def best(self, measure: str, count: int = 1, *, least: bool = False) -> list[dict[str, Any]]:
        """The rows with the largest (or least) values of a measure, the best first."""
        return self.arrow.take(self.ranked(measure, least=least)[:count]).to_pylist()

    def run(self, row: int):
        """The run of a row: from its file if it was kept, else computed once more, with the same digits."""
        from locomote.reopen import open_run
        from locomote.sweeps.store import RUNS

        name = self.arrow["file"][row].as_py() or f"{int(self.points.keys()[row]):016x}.h5"
        if self.folder is not None and (self.folder / RUNS / name).exists():
            return open_run(self.folder / RUNS / name)
        if self._job is None:
            raise SweepError(f"the run of row {row} was not kept, and this table does not know how to compute it")
        run, _ = self._job.result(self.points.at(row), int(self["seed"][row]))
        if run is None:
            raise SweepError(f"row {row} is of a function that gave numbers, and no run")
        return run

    def runs(self, rows) -> dict[str, Any]:
        """Runs of several rows, by the values of their axes: as `lo.compare` takes them."""
        return {", ".join(f"{name} {short(x)}" for name, x in self.points.at(row).items()): self.run(row) for row in rows}

    def compare(self, channels, rows=None, *, path=None):
        """A matplotlib Figure with channels of some runs, as `lo.compare` draws them.

        rows : which; at most eight if None, evenly over the table ; path : where to write it too (.png, .pdf, .svg)
        """
        from locomote.runs.compare import compare

        good = np.flatnonzero(~self.failed)
        if rows is None:
            rows = good[np.unique(np.linspace(0, len(good) - 1, min(COMPARED, len(good))).round().astype(int))].tolist()
        return compare(self.runs(rows), channels, path=path)

    # for other programs

    def to_pandas(self):
        """A pandas.DataFrame."""
        package("pandas", "a table as a DataFrame", "pandas")
        return self.arrow.to_pandas()

    def to_xarray(self):
        """An xarray.Dataset over the axes of a grid, with measures as variables; over points where they are no grid."""
        xarray = package("xarray", "a table as a Dataset", "xarray")
        names = [name for name in self.columns if name not in self.axes]
        if not self.points.grid:
            axes = {name: ("point", self[name]) for name in self.axes}
            return xarray.Dataset({name: ("point", self[name]) for name in names}, coords=axes)
        shape, axes = tuple(len(x) for x in self.points.grid.values()), list(self.points.grid)
        return xarray.Dataset({name: (axes, self[name].reshape(shape)) for name in names}, coords=dict(self.points.grid))

    def save(self, path) -> None:
        """Write it as .parquet or .csv."""
        from locomote.files import whole_file

        kind = Path(path).suffix
        if kind not in (".parquet", ".csv"):
            raise SweepError(f"{path}: a table is written as .parquet or .csv")
        write = (
            package("pyarrow.parquet", "a sweep", "'locomote[sweep]'").write_table
            if kind == ".parquet"
            else package("pyarrow.csv", "a sweep", "'locomote[sweep]'").write_csv
        )
        with whole_file(path) as stream:
            write(self.arrow, stream)

    def plot(self, x: str | None = None, y: str | None = None, color: str | None = None, *, path=None):
        """A matplotlib Figure: a measure y over an axis x; with a second axis as `color`, a heat map of measure `color` over
        axes x and y, or points in its colours; without names, all columns side by side (parallel coordinates).

        path : where to write it too (.png, .pdf, .svg)
        """
        from locomote.sweeps.plots import plot

        return plot(self, x, y, color, path=path)

    # how it looks

    def _head(self) -> list[list[str]]:
        rows = self.arrow.slice(0, SHOWN).to_pylist()
        return [[short(row[name]) for name in self.columns] for row in rows]

    def __repr__(self):
        cells = [list(self.columns), *self._head()]
        widths = [max(len(row[k]) for row in cells) for k in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
        more = [f"... {len(self)} rows"] if len(self) > SHOWN else []
        return "\n".join([self._title(), *lines, *more])

    def _title(self) -> str:
        failed = int(self.failed.sum())
        return f"sweep of {len(self)} points over {', '.join(self.axes)}" + f", {failed} failed" * bool(failed)

    def _repr_html_(self):
        words = html(self._head(), self.columns, title=self._title())
        return later("view.notebook", "of_sweep")(self, words)


def free(name: str, taken: Any) -> str:
    """A name that is not taken: `mass (2)` for a measure called like an axis."""
    found, n = name, 1
    while found in taken:
        n += 1
        found = f"{name} ({n})"
    return found


def short(value: Any) -> str:
    """A cell."""
    text = f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
    return text if len(text) <= 40 else text[:37] + "..."
