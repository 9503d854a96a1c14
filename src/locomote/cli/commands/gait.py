"""`locomote gait`: the best gait of a system."""

from pathlib import Path
from typing import Annotated

import typer

from locomote.cli.app import AsJson, Settings, app, print_json
from locomote.cli.settings import loaded


@app.command()
def gait(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system (locomote list shows them).")],
    goal: Annotated[
        str | None,
        typer.Option(help="x, y or z along the mean axis of the base, distance, turn, roll, pitch or yaw; the first there is."),
    ] = None,
    cost: Annotated[
        str | None, typer.Option(help="length of the path (if left out), energy, lighthill, speed, none; by runs work, none.")
    ] = None,
    joint: Annotated[list[str] | None, typer.Option(metavar="JOINT", help="That varies; all if left out; repeatable.")] = None,
    harmonics: Annotated[int, typer.Option(help="Of the Fourier series.")] = 4,
    starts: Annotated[int, typer.Option(help="How many searches; others than the first begin at random.")] = 1,
    bound: Annotated[float | None, typer.Option(help="How far joints may go to either side, rad or m.")] = None,
    torque: Annotated[float | None, typer.Option(help="Most that joints may take, N m or N; with --cost speed.")] = None,
    seed: Annotated[int, typer.Option(help="Of random starts.")] = 0,
    setting: Settings = None,
    out: Annotated[Path, typer.Option(help="Folder for the gait and its picture.")] = Path("gaits"),
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the gait over the curvature of two joints.")] = True,
    as_json: AsJson = False,
) -> None:
    """Find the best gait of a system: the closed path of shapes with most net motion for its cost."""
    from locomote.cli import gait as page
    from locomote.runs.summary import number

    options = page.options_of(cost, harmonics, starts, bound, seed, torque)
    found = page.found(loaded(name, setting or []), goal, options, joint, out, plot)
    if as_json:
        print_json(found)
        return
    goal, along = found["goal"], " along the mean axis of the base" if found["goal"] in ("x", "y", "z") else ""
    over = "" if found["cost"] == "none" else f" over {found['cost']}"
    lines = {f"{goal}{over}": f"{found['value']:.6g}", "a period": f"{found['amount']:.6g}{along}"}
    if found["net motion"]:
        lines["net motion"] = ", ".join(f"{axis} {number(value, 1.0)}" for axis, value in found["net motion"].items())
    lines["other optima"] = ", ".join(f"{value:.6g}" for value in found["other optima"])
    for word, text in (lines | {word: found[word] for word in ("file", "picture")}).items():
        if text:
            typer.echo(f"{word:<18}{text}")
