"""`locomote report`: a page about a run, or about a folder of them."""

from pathlib import Path
from typing import Annotated

import typer

from locomote.cli.app import AsJson, app, print_json
from locomote.cli.settings import Mistake


@app.command()
def report(
    file: Annotated[Path, typer.Argument(metavar="RUN-or-FOLDER", help="A run file (.h5), or a folder with many.")],
    beside: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN...]", help="More run files, compared with the first one.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where it goes; beside the run file if left out.")] = None,
    film: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a film (.mp4, .gif) or a film strip (.png) too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run as one HTML file that opens anywhere, of several runs compared, or a page with pictures of all
    runs of a folder."""
    from locomote.cli import view as page

    if file.is_dir():
        if out is not None or film is not None or beside:
            raise Mistake(f"--out, --film and more runs are for a run file; {file} is a folder, its page is index.html in it")
        found = page.write_index(file, quiet=as_json)
    else:
        found = page.write_report([file, *(beside or [])], out, film)
    if as_json:
        print_json(found)
    else:
        for word, path in found.items():
            typer.echo(f"{word:<18}{path}")
