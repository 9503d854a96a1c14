"""`locomote run`: let systems or models move."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from locomote.cli.app import AsJson, Base, Film, Plot, Quiet, ReaderOptions, Settings, WithMethods, app, finish
from locomote.cli.settings import Mistake
from locomote.cli.targets import runnable

if TYPE_CHECKING:
    from locomote.cli.run import Outcome


@app.command(cls=WithMethods)
def run(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME-or-FILE...", help="Systems (locomote list shows them), or model files."),
    ] = None,
    setting: Settings = None,
    drive: Annotated[
        list[str] | None, typer.Option(metavar="JOINT=VALUE", help="Hold a joint of a model file (rad, m), or all; repeatable.")
    ] = None,
    base: Base = None,
    option: ReaderOptions = None,
    ground: Annotated[
        str, typer.Option(help="Below a model file: floor, none, or auto, a floor if its base is free.")
    ] = "auto",
    posture: Annotated[str | None, typer.Option(help="Keyframe in which it stands; its legs are bent if not given.")] = None,
    drop: Annotated[float | None, typer.Option(help="Height above the ground from which it falls, m.")] = None,
    duration: Annotated[float | None, typer.Option(help="How long it moves, s; each system has its own.")] = None,
    method: Annotated[str, typer.Option(help="auto, or a method.")] = "auto",
    step: Annotated[float | None, typer.Option(help="Of methods with fixed steps, s; the first one of others.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative error of a step; systems and methods have their own.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute error of a step.")] = None,
    every: Annotated[float | None, typer.Option(help="Time from one sample to the next, s; 500 steps if not given.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the run file and the picture.")] = Path("runs"),
    called: Annotated[
        str | None, typer.Option("--name", metavar="WORD", help="Of the run file; if not given, the system's, numbered.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run of a file instead.", metavar="FILE")] = None,
    plot: Plot = True,
    film: Film = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run systems, or models of files: their case, net motion and audit; the run file, a film strip and a report of each."""
    from locomote.cli import run as page

    manner = page.Manner(as_json, quiet, plot, film)
    if resume is not None:
        if names or setting or drive or base:
            raise Mistake("--resume goes on with a file, which has its system and parameters: leave NAME and --set out")
        finish(page.resume_file(resume, manner), as_json)
    if not names:
        raise Mistake("which system? locomote list shows them, as in: locomote run snakeboard")
    if called is not None and len(names) > 1:
        raise Mistake(f"--name {called!r} is for one run, and there are {len(names)}")
    options = page.Options(method, step, rtol, atol)

    def one(name: str) -> "Outcome":
        what = runnable(name, setting or [], drive or [], base, option, ground=ground, posture=posture, drop=drop)
        return page.run_system(what, duration, every, options, out, manner, called)

    finish(one(names[0]) if len(names) == 1 else page.each(names, one), as_json)
