"""`locomote list`: the systems of the catalogue."""

import typer

from locomote.cli.app import AsJson, app, print_json


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
