"""`locomote view`: in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from locomote.cli.app import MODEL_FILE, Base, PackageDirs, ReaderOptions, Settings, app
from locomote.cli.settings import Mistake, loaded
from locomote.cli.targets import described, is_system, runnable


@app.command()
def view(
    target: Annotated[str, typer.Argument(metavar="NAME-or-FILE", help=f"A system, a run file (.h5), or a {MODEL_FILE}.")],
    others: Annotated[list[Path] | None, typer.Argument(metavar="[RUN...]", help="More run files, in the same scene.")] = None,
    setting: Settings = None,
    base: Base = None,
    package_dir: PackageDirs = None,
    unsupported: Annotated[str, typer.Option(help="Elements of files that are not supported: error, or warn.")] = "error",
    option: ReaderOptions = None,
    play: Annotated[float | None, typer.Option(help="Let a model or scene of a file move for so long first, s.")] = None,
    port: Annotated[int, typer.Option(help="Where it listens; 0 for any port that is free.")] = 8080,
    host: Annotated[str, typer.Option(help="Address to listen on; others than the local one need a token.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Show a system in motion, runs, or a model with sliders for its joints, in the browser."""
    from locomote.cli import view as page

    where = page.Where(port, host, browser)
    if Path(target).suffix == ".h5":
        if setting or base or package_dir:
            raise Mistake(f"--set is for systems, --base and --package-dir are for models; {target!r} is a run file")
        page.view_files([Path(target), *(others or [])], where)
    elif others:
        raise Mistake(f"only run files can be shown together; {target!r} is none")
    elif is_system(target):
        if package_dir:
            raise Mistake(f"--package-dir is for files; {target!r} is a system of the catalogue")
        page.view_system(loaded(target, setting or [], **({"base": base} if base else {})), where)
    elif play is not None:
        page.view_played(runnable(target, setting or [], [], base, option), play, where)
    else:
        if setting:
            raise Mistake(f"--set is for systems of the catalogue, and for files with --play; {target!r} is a file")
        page.view_model(described(target, base, True, package_dir or [], unsupported, option), where)
