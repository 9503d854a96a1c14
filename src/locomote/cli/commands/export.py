"""`locomote export`: a model, or a run, in another form, a command for each."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from locomote.cli.app import MODEL_FILE, AsJson, Base, PackageDirs, ReaderOptions, Settings, export, print_json
from locomote.cli.targets import is_system, model_of
from locomote.formats import registry

# of runs: ending -> word of the command, and what it is; `view.exports.registry` has the functions
RUN_FORMS = {
    ".csv": ("csv", "a table of every channel"),
    ".parquet": ("parquet", "the same table in Parquet, for pandas, Polars, DuckDB"),
    ".nc": ("netcdf", "the same in netCDF, for xarray"),
    ".mcap": ("mcap", "MCAP for Foxglove: poses, shapes, channels"),
    ".rrd": ("rerun", "a recording for rerun: poses, shapes, channels"),
    "": ("folder", "a folder with model file, meshes, run, table and report"),
}


def to_file(form: registry.Format) -> Callable[..., None]:
    """The command that writes a model in a format."""

    def command(
        target: Annotated[str, typer.Argument(metavar="NAME-or-FILE", help=f"A system, or a {MODEL_FILE}.")],
        setting: Settings = None,
        base: Base = None,
        out: Annotated[Path | None, typer.Option(metavar="FILE", help="Named after the model if left out.")] = None,
        force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
        unsupported: Annotated[str, typer.Option(help="What formats do not have: error, or warn (left out).")] = "error",
        visuals: Annotated[bool, typer.Option("--visuals/--no-visuals", help="Write what bodies look like.")] = True,
        package_dir: PackageDirs = None,
        option: ReaderOptions = None,
        as_json: AsJson = False,
    ) -> None:
        from locomote.cli import export as page

        model = model_of(target, setting or [], base, package_dir or [], unsupported, option)
        found = page.written(model, form, out, force, unsupported, visuals) | {"system": is_system(target)}
        print_json(found) if as_json else page.show(found)

    return command


def to_code(write: str, text: str) -> Callable[..., None]:
    """The command that writes functions of a model by a function of the page."""

    def command(
        target: Annotated[str, typer.Argument(metavar="NAME-or-FILE", help=f"A system, or a {MODEL_FILE}.")],
        functions: Annotated[str, typer.Option(metavar="NAME,NAME,...", help="Which functions.")] = "",
        setting: Settings = None,
        base: Base = None,
        out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")] = Path("."),
        name: Annotated[str | None, typer.Option(help="What files begin with; else the name of the model.")] = None,
        force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
        unsupported: Annotated[str, typer.Option(help="What files have that is not supported: error, or warn.")] = "error",
        option: ReaderOptions = None,
        as_json: AsJson = False,
    ) -> None:
        from locomote.cli import export_code as page

        model = model_of(target, setting or [], base, [], unsupported, option)
        wanted = [f.strip() for f in functions.split(",") if f.strip()] or list(page.USUAL)
        found = getattr(page, write)(model, wanted, out, name, force)
        print_json(found) if as_json else page.show(found)

    command.__doc__ = text
    return command


export.command("c")(to_code("written_c", "Write functions of a model as C99 source with a header and a test."))
export.command("casadi")(
    to_code("written_casadi", "Write functions of a model for CasADi, which reads them by Function.deserialize.")
)
for form in registry.formats():
    if form.writer:
        export.command(form.word, help=f"Write a model as {form.name}, for {form.users}.")(to_file(form))


def to_program(word: str, ending: str) -> Callable[..., None]:
    """The command that writes a run for other programs."""

    def command(
        file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file (.h5).")],
        out: Annotated[Path | None, typer.Option(metavar="PATH", help="Beside the run file if left out.")] = None,
        force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
        as_json: AsJson = False,
    ) -> None:
        from locomote.cli import export_run as page

        found = page.written(file, ending, out, force)
        print_json(found) if as_json else typer.echo(f"{found['file']}  {found['bytes'] / 1e6:.2f} MB")

    return command


for ending, (word, title) in RUN_FORMS.items():
    export.command(word, help=f"Write a run as {title}.")(to_program(word, ending))
