"""`locomote doctor`: what is installed."""

from typing import Annotated

import typer

from locomote.cli.app import FAILED, AsJson, app, print_json


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
