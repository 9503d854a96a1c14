"""`locomote info`: a system, a run or a model in words."""

from pathlib import Path
from typing import Annotated

import typer

from locomote.cli.app import MODEL_FILE, AsJson, Base, PackageDirs, ReaderOptions, Settings, app, print_json
from locomote.cli.settings import Mistake, loaded
from locomote.cli.targets import described, is_system


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
        found = page.gathered(described(target, base, mimic, package_dir or [], unsupported, option))
        found["actuators"] = page.actuators_of(target)
    print_json(found) if as_json else page.show(found, everything)
