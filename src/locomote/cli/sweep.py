"""`locomote sweep`: a system at many points of its parameters, as a table in a folder; the same command goes on with it."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from locomote.cli.screen import console
from locomote.cli.settings import Mistake
from locomote.errors import UnknownName
from locomote.files import whole_file
from locomote.sweeps.axes import SweepError, SweepPoints, axis_of, points_of, read_points
from locomote.sweeps.optimize import Optimum, optimize
from locomote.sweeps.sweep import sweep
from locomote.sweeps.table import SweepTable
from locomote.systems import catalogue

SLURM = """#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --ntasks={tasks}
#SBATCH --cpus-per-task=1
#SBATCH --time=24:00:00
#SBATCH --output={folder}/slurm-%j.out
# a scheduler and a worker a task; sbatch this file again to go on with what is not finished
set -euo pipefail
cd {here}
mkdir -p {folder}
where={folder}/scheduler-$SLURM_JOB_ID.json
dask scheduler --scheduler-file "$where" --no-dashboard &
srun dask worker --scheduler-file "$where" --nthreads 1 --no-dashboard &
trap 'kill $(jobs -p); rm -f "$where"' EXIT
until [ -s "$where" ]; do sleep 1; done
{command} --cluster "$where"
"""


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    name: str
    settings: list[str]
    points: Path | None
    measure: str
    out: Path
    options: dict[str, Any]


def points_asked(asked: Asked) -> SweepPoints:
    """The points: a grid of `--set NAME=AXIS`, or the rows of `--points FILE`."""
    if asked.points is not None:
        if asked.settings:
            raise Mistake("--points has the values of all points: leave --set out, or put them into the file")
        return read_points(asked.points)
    axes = {}
    known = {parameter.name for parameter in catalogue.parameters(asked.name)}
    for setting in asked.settings:
        key, sign, text = (part.strip() for part in setting.partition("="))
        if not sign or not key:
            raise Mistake(f"--set {setting!r}: expected NAME=FIRST:LAST:COUNT, or NAME=VALUE,VALUE,...")
        if key not in known and "." not in key:
            raise UnknownName("parameter", key, known, f"system {asked.name!r}")
        if key in axes:
            raise Mistake(f"parameter {key!r} is set twice")
        axes[key] = axis_of(text)
    if not axes:
        raise Mistake(f"which parameters? As in --set NAME=0.1:0.9:50; locomote info {asked.name} lists them")
    return points_of(axes)


def run_sweep(asked: Asked) -> SweepTable:
    """Go through with it."""
    try:
        return sweep(asked.name, points_asked(asked), measure=asked.measure, folder=asked.out, **asked.options)
    except SweepError as error:
        raise Mistake(str(error)) from None


def show(table: SweepTable, asked: Asked) -> dict[str, Any]:
    """Say what there is."""
    screen = console()
    screen.print(escape(repr(table)), soft_wrap=True)
    for measure in table.measures:
        best = table.best(measure)
        if best:
            at = ", ".join(f"{name} = {best[0][name]:.6g}" if isinstance(best[0][name], float) else f"{name} = {best[0][name]}"
                           for name in table.axes)  # fmt: skip
            screen.print(f"most {escape(measure)}: {best[0][measure]:.6g} at {escape(at)}")
    screen.print(f"table: {escape(str(asked.out / 'table.parquet'))}")
    return gathered(table, asked)


def gathered(table: SweepTable, asked: Asked) -> dict[str, Any]:
    """For scripts."""
    return {
        "points": len(table), "failed": int(table.failed.sum()), "axes": list(table.axes), "measures": list(table.measures),
        "table": str(asked.out / "table.parquet"), "best": {name: plain(table.best(name)) for name in table.measures},
    }  # fmt: skip


def plain(rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    return rows[0] if rows else None


def run_optimize(name: str, ranges: list[str], goal: str, limits: list[str], out: Path, options: dict[str, Any]) -> Optimum:
    """The best parameters of a system."""
    try:
        box: Any = dict(two_ends(text, "range") for text in ranges)
        bounds = dict(two_ends(text, "limit") for text in limits)
        return optimize(name, box, goal=goal, limits=bounds, folder=out, **options)
    except SweepError as error:
        raise Mistake(str(error)) from None


def two_ends(text: str, word: str) -> tuple[str, tuple[float | None, float | None]]:
    """NAME=LOWEST:HIGHEST; an end that is left out is no limit."""
    name, _, ends = text.partition("=")
    low, sign, high = ends.partition(":")
    try:
        if not name.strip() or not sign:
            raise ValueError
        return name.strip(), (float(low) if low.strip() else None, float(high) if high.strip() else None)
    except ValueError:
        raise Mistake(f"--{word} {text!r}: expected NAME=LOWEST:HIGHEST, as in amplitude=0.1:0.9") from None


def show_optimum(found: Optimum, goal: str, out: Path) -> None:
    """Say what was found."""
    screen = console()
    screen.print(f"{escape(goal)} = {found.value:.6g}")
    if not found.feasible:
        screen.print("no point met all limits; this one misses them least")
    for name, value in found.values.items():
        screen.print(f"  {escape(name)} = {value:.8g}")
    screen.print(f"{found.evaluations} points; {escape(found.reason)}")
    if len(found.starts) > 1:
        screen.print(f"starts ended at {', '.join(f'{x:.6g}' for x in found.starts)}")
    screen.print(f"table: {escape(str(out / 'table.parquet'))}")


def gathered_optimum(found: Optimum, out: Path) -> dict[str, Any]:
    """For scripts."""
    return {
        "values": dict(found.values), "value": found.value, "measures": dict(found.measures), "feasible": found.feasible,
        "evaluations": found.evaluations, "reason": found.reason, "starts": [x if x == x else None for x in found.starts],
        "table": str(out / "table.parquet"),
    }  # fmt: skip


def write_slurm(asked: Asked, file: Path, tasks: int, words: list[str]) -> dict[str, Any]:
    """A batch script for SLURM that does the same with a worker a task."""
    points_asked(asked)
    folder = shlex.quote(str(asked.out.resolve()))
    command = shlex.join(["locomote", *words])
    text = SLURM.format(
        name=f"sweep-{asked.name}", tasks=tasks, folder=folder, here=shlex.quote(str(Path.cwd())), command=command
    )
    with whole_file(file) as stream:
        stream.write(text.encode())
    return {"script": str(file)}
