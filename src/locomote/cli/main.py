"""The command `locomote`: options and help; the work is in the other files here, imported by the command that needs it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from locomote import __version__
from locomote.cli.settings import Mistake, loaded
from locomote.cli.targets import is_system, model_of, read, runnable
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
export = typer.Typer(no_args_is_help=True, help="Write a model in another form: one command for each.")
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
    typer.echo("\nlocomote info NAME shows one of them with its parameters, locomote run NAME lets it move.")


@app.command()
def info(
    target: Annotated[str, typer.Argument(metavar="NAME-or-FILE", help=f"A system, a run file (.h5), or a {MODEL_FILE}.")],
    setting: Settings = None,
    base: Base = None,
    mimic: Annotated[bool, typer.Option("--mimic/--no-mimic", help="Keep mimic joints coupled.")] = True,
    package_dir: PackageDirs = None,
    unsupported: Annotated[str, typer.Option(help="Elements of files that are not supported: error, or warn.")] = "error",
    option: ReaderOptions = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all of a large model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a system (parameters, what is imposed and held, its case), a run (summary) or a model (tree, layout, limits)."""
    from locomote.systems import catalogue

    path = Path(target)
    of_files = "--base, --no-mimic and --package-dir are for models"
    if path.suffix == ".h5":
        if setting or base or not mimic or package_dir:
            raise Mistake(f"--set is for systems, {of_files}; {target!r} is a run file")
        if not path.exists():
            raise Mistake(f"{target}: there is no such file")
        from locomote.cli import run as runs

        found = runs.show_file(path, as_json)
        if as_json:
            print_json(found)
        return
    from locomote.cli import info as page

    if is_system(target):
        if not mimic or package_dir or option:
            raise Mistake(f"--no-mimic, --package-dir and --option are for files; {target!r} is a system of the catalogue")
        from locomote.cli import problem

        system = loaded(target, setting or [], **({"base": base} if base else {}))
        found = page.gathered(system.model) | problem.gathered(system)
        if not as_json:
            problem.show(found, everything)
    else:
        if setting:
            raise Mistake(f"--set is for systems of the catalogue: {', '.join(catalogue.names())}")
        found = page.gathered(read(target, base, mimic, package_dir or [], unsupported, option))
    print_json(found) if as_json else page.show(found, everything)


@app.command(cls=WithMethods)
def run(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME-or-FILE", help="A system (locomote list shows them), or a model file.")
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
    """Run a system, or the model of a file: its case, its net motion, its audit; the run file, a film strip and a report."""
    from locomote.cli import run as page

    manner = page.Manner(as_json, quiet, plot, film)
    if resume is not None:
        if name is not None or setting or drive or base:
            raise Mistake("--resume goes on with a file, which has its system and parameters: leave NAME and --set out")
        finish(page.resume_file(resume, manner), as_json)
    if name is None:
        raise Mistake("which system? locomote list shows them, as in: locomote run snakeboard")
    options = page.Options(method, step, rtol, atol)
    what = runnable(name, setting or [], drive or [], base, option, ground=ground, posture=posture, drop=drop)
    finish(page.run_system(what, duration, every, options, out, manner, called), as_json)


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


@app.command(cls=WithMethods)
def sweep(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system (locomote list shows them).")],
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=AXIS", help="Axis of a parameter: 0.1:0.9:50, or values 0.2,0.4; repeatable."),
    ] = None,
    points: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Points as rows of a table (.csv, .parquet) instead of axes.")
    ] = None,
    measure: Annotated[
        str, typer.Option(metavar="NAME,NAME,...", help="What is measured of each run, as net.distance or rotor.torque:peak.")
    ] = "net.distance",
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where finished points are kept.")] = Path("sweep"),
    duration: Annotated[float | None, typer.Option(help="Of each run, s; each system has its own.")] = None,
    method: Annotated[str, typer.Option(help="auto, or a method.")] = "auto",
    step: Annotated[float | None, typer.Option(help="Of methods with fixed steps, s; the first one of others.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative error of a step; systems and methods have their own.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute error of a step.")] = None,
    processes: Annotated[int, typer.Option(help="Processes of this machine that work side by side.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler instead: tcp://HOST:PORT, or its file (.json).")
    ] = None,
    keep: Annotated[str, typer.Option(help="Run files that are kept: none, all, failed, or how many of the best.")] = "none",
    audit: Annotated[bool, typer.Option("--audit/--no-audit", help="Audit every run.")] = True,
    retry: Annotated[bool, typer.Option("--retry", help="Compute points that failed once more.")] = False,
    limit: Annotated[float | None, typer.Option(help="Time after which a point is given up, s.")] = None,
    seed: Annotated[int, typer.Option(help="Of the seeds that points get.")] = 0,
    slurm: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a batch script for SLURM that does this, and stop.")
    ] = None,
    tasks: Annotated[int, typer.Option(help="Workers of the batch script.")] = 40,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run a system at many points of its parameters and keep a table; the same command goes on where it was stopped."""
    from locomote.cli import sweep as page

    chosen = {"method": method, "step": step, "rtol": rtol, "atol": atol}
    kept = int(keep) if keep.isdecimal() else keep
    options: dict[str, Any] = {"duration": duration, "keep": kept, "audit": audit, "retry": retry, "limit": limit, "seed": seed}
    options |= {key: value for key, value in chosen.items() if value not in (None, "auto")}
    options |= {"processes": processes, "cluster": cluster, "progress": False if quiet or as_json else None}
    asked = page.Asked(name, setting or [], points, measure, out, options)
    if slurm is not None:
        found = page.write_slurm(asked, slurm, tasks, without(sys.argv[1:], "--slurm", "--tasks", "--cluster"))
        print_json(found) if as_json else typer.echo(f"sbatch {slurm} starts it")
        return
    table = page.run_sweep(asked)
    if as_json:
        print_json(page.gathered(table, asked))
    elif not quiet:
        page.show(table, asked)


@app.command()
def optimize(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A system (locomote list shows them).")],
    range_: Annotated[
        list[str], typer.Option("--range", metavar="NAME=LOWEST:HIGHEST", help="Where a parameter may be; repeatable.")
    ],
    goal: Annotated[str, typer.Option(metavar="NAME", help="What shall be large, as net.distance.")] = "net.distance",
    least: Annotated[bool, typer.Option("--least", help="It shall be small.")] = False,
    limit_: Annotated[
        list[str] | None,
        typer.Option("--limit", metavar="NAME=LOWEST:HIGHEST", help="Limits of a measure, as work.drives=:2; repeatable."),
    ] = None,
    by: Annotated[str, typer.Option(help="cma, de (differential evolution); along exact slopes l-bfgs-b, slsqp.")] = "cma",
    evaluations: Annotated[int, typer.Option(help="Points at most.")] = 1000,
    population: Annotated[int | None, typer.Option(help="Points at once.")] = None,
    starts: Annotated[int, typer.Option(help="How often to begin anew.")] = 1,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where finished points are kept.")] = Path("optimum"),
    duration: Annotated[float | None, typer.Option(help="Of each run, s; each system has its own.")] = None,
    processes: Annotated[int, typer.Option(help="Processes of this machine that work side by side.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler instead: tcp://HOST:PORT, or its file (.json).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """The parameters of a system with the best runs; the same command goes on where it was stopped."""
    from locomote.cli import sweep as page

    options: dict[str, Any] = {
        "least": least, "by": by, "evaluations": evaluations, "population": population, "starts": starts, "seed": seed,
        "duration": duration, "processes": processes, "cluster": cluster, "progress": False if quiet or as_json else None,
    }  # fmt: skip
    found = page.run_optimize(name, range_, goal, limit_ or [], out, options)
    if as_json:
        print_json(page.gathered_optimum(found, out))
    elif not quiet:
        page.show_optimum(found, goal, out)


@app.command()
def view(
    target: Annotated[str, typer.Argument(metavar="NAME-or-FILE", help=f"A system, a run file (.h5), or a {MODEL_FILE}.")],
    others: Annotated[list[Path] | None, typer.Argument(metavar="[RUN...]", help="More run files, in the same scene.")] = None,
    setting: Settings = None,
    base: Base = None,
    package_dir: PackageDirs = None,
    unsupported: Annotated[str, typer.Option(help="Elements of files that are not supported: error, or warn.")] = "error",
    option: ReaderOptions = None,
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
    else:
        page.view_model(model_of(target, setting or [], base, package_dir or [], unsupported, option), where)


@app.command()
def report(
    file: Annotated[Path, typer.Argument(metavar="RUN", help="A run file (.h5).")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where it goes; beside the run file if left out.")] = None,
    film: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a film (.mp4, .gif) or a film strip (.png) too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run as one HTML file that opens anywhere."""
    from locomote.cli import view as page

    found = page.write_report(file, out, film)
    if as_json:
        print_json(found)
    else:
        for word, path in found.items():
            typer.echo(f"{word:<18}{path}")


@app.command()
def doctor(
    compile_all: Annotated[
        bool, typer.Option("--compile", help="Compile all kernels now, those of runs too; no later call waits.")
    ] = False,
    clear_cache: Annotated[bool, typer.Option("--clear-cache", help="Delete the compiled kernels of all versions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show versions, the processor, the compile cache, and what extras would add."""
    from locomote.cli import doctor as page

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


def without(words: list[str], *names: str) -> list[str]:
    """Words of a command line without some options and their values."""
    kept, skip = [], False
    for word in words:
        option = word.partition("=")[0]
        if not skip and option not in names:
            kept.append(word)
        skip = not skip and option in names and "=" not in word
    return kept


def finish(outcome: "Outcome", as_json: bool) -> NoReturn:
    """End a command with the data and the exit code of a run."""
    if as_json:
        print_json(outcome.found)
    raise typer.Exit(outcome.code)


def print_json(data: Any) -> None:
    """Data on stdout, as JSON."""
    typer.echo(json.dumps(data, indent=2, allow_nan=False))


def main() -> None:
    """The entry of the command."""
    app(prog_name="locomote" if sys.argv[0].endswith("__main__.py") else None)


if __name__ == "__main__":
    main()
