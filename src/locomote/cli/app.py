"""The command `locomote` and what its commands share: options, exit codes, errors as one message."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from locomote import __version__
from locomote.cli.settings import Mistake
from locomote.errors import LocomoteError, UnknownName
from locomote.formats import registry

if TYPE_CHECKING:
    from locomote.cli.run import Outcome

USAGE, FAILED, INTERRUPTED = 2, 1, 130
MODEL_FILE = f"model file ({registry.named()})"


class Commands(TyperGroup):
    """Turns expected errors into one message on stderr and an exit code: 2 for a wrong request, 130 after Ctrl-C, 1 for all
    else."""

    def invoke(self, ctx):
        try:
            with warnings.catch_warnings():
                warnings.showwarning = said
                return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            typer.echo(str(stopped) or "interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except (LocomoteError, ValueError, ArithmeticError, OSError) as error:
            if isinstance(error, BrokenPipeError) or ctx.params.get("debug"):
                raise
            typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
            typer.echo(str(error), err=True)
            raise typer.Exit(USAGE if isinstance(error, Mistake | UnknownName) else FAILED) from None


def said(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning as one sentence on stderr, without the place in the code that gave it."""
    typer.secho("warning: ", fg="yellow", bold=True, err=True, nl=False)
    typer.echo(str(message), err=True)


class WithMethods(TyperCommand):
    """A command whose help lists the methods of runs, which are imported only then."""

    def format_help(self, ctx, formatter) -> None:
        from locomote.methods.registry import listed

        for parameter in self.params:
            if parameter.name == "method":
                parameter.help = f"auto, or one of:{listed(' {name} ({title})')}."  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Dynamics of everything that moves by changing its shape.",
)
export = typer.Typer(no_args_is_help=True, help="Write a model, or a run, in another form: one command for each.")
app.add_typer(export, name="export")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing unless something goes wrong.")]
Plot = Annotated[bool, typer.Option("--plot/--no-plot", help="Draw a film strip and write a report beside the run file.")]
Film = Annotated[bool, typer.Option("--film", help="Write a film (.mp4) beside the run file.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Parameter of a system, or number of its problem, as rotor.mass=2; repeatable."
    ),
]
Base = Annotated[str | None, typer.Option(help="How the root moves: fixed, free, planar, x, xy, xyz, rotation.")]
ReaderOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Option of the reader of a file, as model=arm of SDF; repeatable."),
]
PackageDirs = Annotated[list[Path] | None, typer.Option(help="Folder with meshes of package:// paths; repeatable.")]


def print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"locomote {__version__}")
        raise typer.Exit()


@app.callback()
def main_options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=print_version)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")] = False,
) -> None:
    """Options of all commands; `debug` is read by Commands."""


def finish(outcome: "Outcome", as_json: bool) -> NoReturn:
    """End a command with the data and the exit code of a run."""
    if as_json:
        print_json(outcome.found)
    raise typer.Exit(outcome.code)


def print_json(data: Any) -> None:
    """Data on stdout, as JSON."""
    typer.echo(json.dumps(data, indent=2, allow_nan=False))
