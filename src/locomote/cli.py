"""The command `locomote`. Options and help are here, the work is in `cli_pages` and imported by the command that needs it."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from locomote import __version__
from locomote.errors import LocomoteError, ModelError, UnknownName

if TYPE_CHECKING:
    from locomote.model.model import Model

USAGE, FAILED = 2, 1


class Mistake(LocomoteError):
    """The command line asks for something that is not there."""


class Commands(TyperGroup):
    """Turns expected errors into one message on stderr and an exit code: 2 for a wrong request, 1 for all else."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except (LocomoteError, ValueError, ArithmeticError, OSError) as error:
            if isinstance(error, BrokenPipeError) or ctx.params.get("debug"):
                raise
            typer.secho("error: ", fg="red", bold=True, err=True, nl=False)
            typer.echo(str(error), err=True)
            raise typer.Exit(USAGE if isinstance(error, Mistake | UnknownName) else FAILED) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Dynamics of everything that moves by changing its shape.",
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of tables.")]


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


@app.command("list")
def list_systems(as_json: AsJson = False) -> None:
    """List the systems of the catalogue."""
    from locomote.systems import catalogue

    found = {name: catalogue.title(name) for name in catalogue.names()}
    if as_json:
        print_json(found)
        return
    width = max(map(len, found))
    for name, title in found.items():
        typer.echo(f"{name:{width}}  {title}")
    typer.echo("\nlocomote info NAME shows one of them with its parameters.")


@app.command()
def info(
    target: Annotated[str, typer.Argument(metavar="FILE-or-NAME", help="A model file (URDF, MJCF, DH table) or a system.")],
    base: Annotated[str | None, typer.Option(help="How the root moves: fixed, free, planar, x, xy, xyz, rotation.")] = None,
    mimic: Annotated[bool, typer.Option("--mimic/--no-mimic", help="Keep mimic joints coupled.")] = True,
    package_dir: Annotated[list[Path] | None, typer.Option(help="Folder with meshes of package:// paths; repeatable.")] = None,
    unsupported: Annotated[str, typer.Option(help="Elements of MJCF that are not supported: error, or warn.")] = "error",
    setting: Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of a system.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all of a large model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a model: its tree, masses, the layout of q and v, limits, warnings."""
    from locomote.cli_pages import info as page
    from locomote.systems import catalogue

    if target in catalogue.names() and not Path(target).exists():
        if not mimic or package_dir:
            raise Mistake(f"--no-mimic and --package-dir are for files; {target!r} is a system of the catalogue")
        system = catalogue.load(target, **parsed(setting or []), **({"base": base} if base else {}))
        model, parameters = system.model, page.parameters_of(system)
    else:
        if setting:
            raise Mistake(f"--set is for systems of the catalogue: {', '.join(catalogue.names())}")
        model, parameters = read(target, base, mimic, package_dir or [], unsupported), []
    found = page.gathered(model, parameters)
    print_json(found) if as_json else page.show(found, everything)


@app.command()
def demo(
    seconds: Annotated[float, typer.Option(min=0.05, max=60.0, help="How long it flies, s.")] = 3.0,
    step: Annotated[float, typer.Option(min=1e-5, max=0.1, help="Time step, s; it is run with twice the step too.")] = 0.002,
    seed: Annotated[int, typer.Option(min=0, help="Of the random spin.")] = 7,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("runs/demo"),
    as_json: AsJson = False,
) -> None:
    """Throw a humanoid, let it tumble, and audit energy and momentum."""
    from locomote.cli_pages import demo as page

    if not page.run(seconds, step, seed, out, as_json):
        raise typer.Exit(FAILED)


@app.command()
def doctor(
    compile_all: Annotated[bool, typer.Option("--compile", help="Compile all kernels now; no later call waits.")] = False,
    clear_cache: Annotated[bool, typer.Option("--clear-cache", help="Delete the compiled kernels of all versions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show versions, the processor, the compile cache, and what extras would add."""
    from locomote.cli_pages import doctor as page

    done = {"cleared_bytes": page.clear_cache()} if clear_cache else {}
    done |= {"compiled": page.compile_all()} if compile_all else {}
    found = page.gathered() | done
    print_json(found) if as_json else page.show(found)
    if found["problems"]:
        raise typer.Exit(FAILED)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
    help="Time the dynamics against Pinocchio. Arguments go to the benchmark; `locomote bench --help` lists them.",
)
def bench(ctx: typer.Context) -> None:
    try:
        from locomote.bench import main as run_bench

        outcome = run_bench(ctx.args)
    except ImportError as missing:
        package = {"pinocchio": "pin", "example_robot_data": "example-robot-data"}.get(missing.name or "", missing.name)
        if missing.name and missing.name.startswith("locomote"):
            raise Mistake("this installation has no benchmark") from missing
        raise Mistake(f"the benchmark needs {missing.name}: pip install {package}") from missing
    if outcome:
        raise typer.Exit(int(outcome))


def read(target: str, base: str | None, mimic: bool, package_dirs: list[Path], unsupported: str) -> "Model":
    """The model of a file."""
    from locomote.formats.load import load
    from locomote.systems import catalogue

    path = Path(target)
    if not path.exists() and not path.suffix and path.parent == Path("."):
        raise UnknownName("file or system", target, catalogue.names(), "this folder or the catalogue")
    try:
        return load(target, base=base, mimic=mimic, package_dirs=package_dirs, unsupported=unsupported)
    except ModelError as error:
        if path.exists():
            raise
        raise Mistake(str(error)) from None  # no such file


def parsed(settings: list[str]) -> dict[str, Any]:
    """Parameters from NAME=VALUE, numbers as numbers."""
    values: dict[str, Any] = {}
    for setting in settings:
        name, sign, text = setting.partition("=")
        if not sign or not name:
            raise Mistake(f"--set {setting!r}: expected NAME=VALUE, such as height=1.9")
        try:
            values[name.strip()] = float(text)
        except ValueError:
            values[name.strip()] = text.strip()
    return values


def print_json(data: Any) -> None:
    """Data on stdout, as JSON."""
    typer.echo(json.dumps(data, indent=2, allow_nan=False))


def main() -> None:
    """The entry of the command."""
    app(prog_name="locomote" if sys.argv[0].endswith("__main__.py") else None)


if __name__ == "__main__":
    main()
