"""`locomote optimize`: the best parameters."""

from pathlib import Path
from typing import Annotated, Any

import typer

from locomote.cli.app import AsJson, Quiet, app, print_json


@app.command()
def optimize(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system (locomote list shows them).")],
    range_: Annotated[
        list[str], typer.Option("--range", metavar="NAME=LOWEST:HIGHEST", help="Where a parameter may be; repeatable.")
    ],
    goal: Annotated[str, typer.Option(metavar="NAME", help="What shall be large, as net.distance.")] = "net.distance",
    least: Annotated[bool, typer.Option("--least", help="It shall be small.")] = False,
    limit_: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="NAME=LOWEST:HIGHEST", help="Limits of a measure, as work.drives=:2; repeatable."),
    ] = None,
    by: Annotated[str, typer.Option(help="cma, de (differential evolution); along exact slopes l-bfgs-b, slsqp.")] = "cma",
    evaluations: Annotated[int, typer.Option(help="Points at most.")] = 1000,
    population: Annotated[int | None, typer.Option(help="Points at once.")] = None,
    starts: Annotated[int, typer.Option(help="How often to begin anew.")] = 1,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where finished points are kept.")] = Path("optimum"),
    duration: Annotated[float | None, typer.Option(help="Of each run, s; each system has its own.")] = None,
    processes: Annotated[int, typer.Option(help="Processes of this machine that work side by side.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler instead: tcp://HOST:PORT, or its file (.json).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """The parameters of a system with the best runs; the same command goes on where it was stopped."""
    from locomote.cli import sweep as page

    options: dict[str, Any] = {
        "least": least, "by": by, "evaluations": evaluations, "population": population, "starts": starts, "seed": seed,
        "duration": duration, "processes": processes, "cluster": cluster, "progress": False if quiet or as_json else None,
    }  # fmt: skip
    found = page.run_optimize(name, range_, goal, limit_ or [], out, options)
    if as_json:
        print_json(page.gathered_optimum(found, out))
    elif not quiet:
        page.show_optimum(found, goal, out)
