"""`locomote view` and `locomote report`: a run or a model to look at."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from locomote.cli.of_file import OfScene
from locomote.cli.run import classified
from locomote.cli.screen import console
from locomote.cli.settings import Mistake
from locomote.model.model import Model
from locomote.reopen import open_run
from locomote.runs.optional import MissingPackage, package
from locomote.runs.trajectory import Trajectory
from locomote.systems.catalogue import System
from locomote.view.report import report
from locomote.view.viewer import view
from locomote.view.viewer import view_model as shown_model


@dataclass(frozen=True)
class Where:
    """Where a viewer listens, and whether it opens a browser."""

    port: int
    host: str
    browser: bool

    def options(self) -> dict:
        """As `view` takes them."""
        if not 0 <= self.port <= 65535:
            raise Mistake(f"--port is {self.port}, expected an integer from 0 to 65535")
        return {"port": self.port, "host": self.host, "browser": self.browser, "wait": True}


def ready() -> None:
    """Refuse at once what would fail after a run."""
    try:
        package("viser", "the viewer", "'locomote[view]'")
    except MissingPackage as error:
        raise Mistake(str(error)) from None


def view_files(files: list[Path], where: Where) -> None:
    """Runs of files in one scene."""
    ready()
    view(named(files), **where.options())


def named(files: list[Path]) -> dict[str, Trajectory]:
    """The runs of files, by the names of these."""
    runs = [opened(file) for file in files]
    names = [file.stem for file in files]
    if len(set(names)) < len(names):
        names = [str(file) for file in files]
    if len(set(names)) < len(names):
        raise Mistake("a run file is named twice")
    return dict(zip(names, runs, strict=True))


def view_system(system: System, where: Where) -> None:
    """A system of the catalogue: it runs, and its parameters can be changed."""
    ready()
    options = where.options()
    q, v = system.initial
    run = system.problem().simulate(system.duration, q=q, v=v)
    view({system.name: run}, rerun=system, **options)


def view_played(what: Any, duration: float, where: Where) -> None:
    """A model or scene of a file in motion: a robot stands on a floor, a scene has its own."""
    ready()
    options = where.options()
    if not (duration > 0.0 and math.isfinite(duration)):
        raise Mistake(f"--play is {duration:g}, expected how long it moves, s")
    q, v = what.initial
    cameras = what.cameras if isinstance(what, OfScene) else ()
    view({what.name: what.problem().simulate(duration, q=q, v=v)}, cameras=cameras, **options)


def view_model(model: Model, where: Where) -> None:
    """A model with sliders for its joints."""
    ready()
    shown_model(model, **where.options())


def opened(file: Path) -> Trajectory:
    """The run of a file."""
    if not file.exists():
        raise Mistake(f"{file}: there is no such file")
    return open_run(file)


def write_index(folder: Path, *, quiet: bool) -> dict[str, str]:
    """Write the page about a folder of runs; where it is."""
    from locomote.view.index import index

    screen = console(errors=True)
    done = None if quiet else lambda file: screen.print(escape(str(file)), soft_wrap=True)
    return {"index": str(index(folder, done))}


def write_report(files: list[Path], out: Path | None, film: Path | None) -> dict[str, str]:
    """Write the report of a run file, compared with others if there are some, and a film of it; where they are."""
    runs = {name: classified(run) for name, run in named(files).items()}
    run = runs[next(iter(runs))]
    out = out or files[0].with_suffix(".html")
    report(run, out, runs=runs)
    found = {"report": str(out)}
    if film is not None:
        run.film(film)
        found["film"] = str(film)
    return found
