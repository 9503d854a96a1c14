"""`locomote bench`: times against Pinocchio."""

import typer

from locomote.cli.app import app
from locomote.cli.settings import Mistake


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
