"""`locomote list`: the systems of the catalogue."""

from typing import Annotated

import typer

from locomote.cli.app import AsJson, app, print_json
from locomote.cli.settings import Mistake


@app.command("list")
def list_systems(
    find: Annotated[
        str, typer.Option("--find", metavar="WORD", help="Only systems whose name, or what they are or do, has this word.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the systems of the catalogue by what they are."""
    from locomote.systems import catalogue

    found = catalogue.groups(find)
    if as_json:
        print_json({name: catalogue.title(name) for names in found.values() for name in names})
        return
    if not found:
        raise Mistake(f"no system has the word {find!r}; `locomote list` shows all")
    width = max(len(name) for names in found.values() for name in names)
    for group, names in found.items():
        typer.echo(f"{group}")
        for name in names:
            typer.echo(f"  {name:{width}}  {catalogue.title(name)}")
    typer.echo("\nlocomote info NAME shows one of them with its parameters, locomote run NAME lets it move.")
