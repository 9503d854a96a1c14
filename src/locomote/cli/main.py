"""The entry of the command `locomote`: its commands, in the order of its help."""

import importlib
import sys

from locomote.cli.app import app

COMMANDS = (
    "list",
    "info",
    "run",
    "resume",
    "sweep",
    "optimize",
    "gait",
    "view",
    "studio",
    "report",
    "doctor",
    "bench",
    "export",
)
for name in COMMANDS:
    importlib.import_module(f"locomote.cli.commands.{name}")


def main() -> None:
    """The entry of the command."""
    app(prog_name="locomote" if sys.argv[0].endswith("__main__.py") else None)


if __name__ == "__main__":
    main()
