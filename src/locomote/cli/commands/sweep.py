"""`locomote sweep`: a system at many points."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from locomote.cli.app import AsJson, Quiet, WithMethods, app, print_json


@app.command(cls=WithMethods)
def sweep(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system (locomote list shows them).")],
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=AXIS", help="Axis of a parameter: 0.1:0.9:50, or values 0.2,0.4; repeatable."),
    ] = None,
    points: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Points as rows of a table (.csv, .parquet) instead of axes.")
    ] = None,
    measure: Annotated[
        str, typer.Option(metavar="NAME,NAME,...", help="What is measured of each run, as net.distance or rotor.torque:peak.")
    ] = "net.distance",
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where finished points are kept.")] = Path("sweep"),
    duration: Annotated[float | None, typer.Option(help="Of each run, s; each system has its own.")] = None,
    method: Annotated[str, typer.Option(help="auto, or a method.")] = "auto",
    step: Annotated[float | None, typer.Option(help="Of methods with fixed steps, s; the first one of others.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative error of a step; systems and methods have their own.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute error of a step.")] = None,
    processes: Annotated[int, typer.Option(help="Processes of this machine that work side by side.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler instead: tcp://HOST:PORT, or its file (.json).")
    ] = None,
    keep: Annotated[str, typer.Option(help="Run files that are kept: none, all, failed, or how many of the best.")] = "none",
    audit: Annotated[bool, typer.Option("--audit/--no-audit", help="Audit every run.")] = True,
    retry: Annotated[bool, typer.Option("--retry", help="Compute points that failed once more.")] = False,
    limit: Annotated[float | None, typer.Option(help="Time after which a point is given up, s.")] = None,
    seed: Annotated[int, typer.Option(help="Of the seeds that points get.")] = 0,
    slurm: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a batch script for SLURM that does this, and stop.")
    ] = None,
    tasks: Annotated[int, typer.Option(help="Workers of the batch script.")] = 40,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run a system at many points of its parameters and keep a table; the same command goes on where it was stopped."""
    from locomote.cli import sweep as page

    chosen = {"method": method, "step": step, "rtol": rtol, "atol": atol}
    kept = int(keep) if keep.isdecimal() else keep
    options: dict[str, Any] = {"duration": duration, "keep": kept, "audit": audit, "retry": retry, "limit": limit, "seed": seed}
    options |= {key: value for key, value in chosen.items() if value not in (None, "auto")}
    options |= {"processes": processes, "cluster": cluster, "progress": False if quiet or as_json else None}
    asked = page.Asked(name, setting or [], points, measure, out, options)
    if slurm is not None:
        found = page.write_slurm(asked, slurm, tasks, without(sys.argv[1:], "--slurm", "--tasks", "--cluster"))
        print_json(found) if as_json else typer.echo(f"sbatch {slurm} starts it")
        return
    table = page.run_sweep(asked)
    if as_json:
        print_json(page.gathered(table, asked))
    elif not quiet:
        page.show(table, asked)


def without(words: list[str], *names: str) -> list[str]:
    """Words of a command line without some options and their values."""
    kept, skip = [], False
    for word in words:
        option = word.partition("=")[0]
        if not skip and option not in names:
            kept.append(word)
        skip = not skip and option in names and "=" not in word
    return kept
