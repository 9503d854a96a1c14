"""`locomote studio`: the catalogue in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from locomote.cli.app import app


@app.command()
def studio(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Whose model files can be opened, and where files go.")
    ] = Path("."),
    port: Annotated[int, typer.Option(help="Where it listens; another one is taken if it is not free.")] = 8081,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """The catalogue in the browser: pick a system or a model file, change its numbers, run it, compare and save runs."""
    from locomote.cli.studio.server import Studio

    with Studio(folder, port=port) as running:
        if browser:
            running.open_browser()
        running.stay()
