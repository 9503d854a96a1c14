"""`locomote resume`: go on with a run."""

from pathlib import Path
from typing import Annotated

import typer

from locomote.cli.app import AsJson, Plot, Quiet, app, finish


@app.command()
def resume(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of a run that was interrupted or killed.")],
    plot: Plot = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that was interrupted, to the end it was meant to have."""
    from locomote.cli import run as page

    finish(page.resume_file(file, page.Manner(as_json, quiet, plot)), as_json)
