"""Which export a path means."""

import os
from collections.abc import Callable
from pathlib import Path

from locomote.errors import FileError
from locomote.runs.export import to_csv, to_netcdf, to_parquet
from locomote.runs.trajectory import Trajectory
from locomote.view.exports.folder import to_folder
from locomote.view.exports.mcap import to_mcap
from locomote.view.exports.rerun import to_rerun

FORMS: dict[str, Callable[[Trajectory, Path], object]] = {
    ".csv": to_csv, ".parquet": to_parquet, ".nc": to_netcdf, ".mcap": to_mcap, ".rrd": to_rerun, "": to_folder,
}  # fmt: skip


def export(run: Trajectory, path) -> Path:
    """Write a run in the form that the ending of a path means; see Trajectory.export."""
    try:
        path = Path(os.fsdecode(path))
        path.exists()
    except (TypeError, ValueError):  # NUL in the name
        raise FileError(repr(path), "this is not the path of a file") from None
    if path.suffix.lower() not in FORMS:
        known = ", ".join(ending for ending in FORMS if ending)
        raise ValueError(f"{path}: expected a name that ends in one of {known}, or has no ending, for a folder")
    FORMS[path.suffix.lower()](run, path)
    return path
