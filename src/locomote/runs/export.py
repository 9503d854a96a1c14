"""Runs as tables for other programs: CSV, Parquet, xarray and netCDF."""

import csv
import io

import numpy as np

from locomote.runs.files.files import whole_file
from locomote.runs.optional import package
from locomote.runs.trajectory import Trajectory

ROWS_AT_ONCE = 4096


def to_csv(run: Trajectory, path) -> None:
    """Write every channel as a column headed `name [unit]`, with all digits of its numbers."""
    with whole_file(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        rows = csv.writer(text)
        rows.writerow([f"{channel.name} [{channel.unit}]" for channel in run.channels])
        columns = [run[channel.name] for channel in run.channels]
        for start in range(0, len(run), ROWS_AT_ONCE):
            block = np.stack([column[start : start + ROWS_AT_ONCE] for column in columns], axis=1)
            rows.writerows([repr(value) for value in row] for row in block.tolist())
        text.detach()  # after a flush, and without closing the file


def to_xarray(run: Trajectory):
    """An xarray.Dataset over t with every channel as a variable, its unit in attrs["units"]."""
    xarray = package("xarray", "a run as a Dataset", "xarray")
    variables = {
        channel.name: ("t", np.array(run[channel.name]), {"units": channel.unit})
        for channel in run.channels
        if channel.name != "t"
    }
    attributes = {"model": run.model.name}
    attributes |= {name: value for name, value in run.info.items() if isinstance(value, str | int | float)}
    return xarray.Dataset(variables, coords={"t": ("t", np.array(run.t), {"units": "s"})}, attrs=attributes)


def to_parquet(run: Trajectory, path) -> None:
    """Write every channel as a column of Parquet, with its unit among the metadata of the column."""
    arrow = package("pyarrow", "a run as Parquet", "pyarrow")
    parquet = package("pyarrow.parquet", "a run as Parquet", "pyarrow")
    fields = [arrow.field(c.name, arrow.float64(), metadata={"unit": c.unit}) for c in run.channels]
    told = {x: str(v) for x, v in run.info.items() if isinstance(v, str | int | float)} | {"model": run.model.name}
    columns = [np.asarray(run[c.name]) for c in run.channels]
    with whole_file(path) as stream:
        parquet.write_table(arrow.table(columns, schema=arrow.schema(fields, metadata=told)), stream)


def to_netcdf(run: Trajectory, path) -> None:
    """Write the Dataset of `to_xarray` as netCDF; xarray.open_dataset reads it."""
    data = to_xarray(run)
    plain = data.rename({name: name.replace("/", "_") for name in data.data_vars if "/" in str(name)})
    with whole_file(path) as stream:
        stream.write(bytes(plain.to_netcdf(engine="scipy")))
