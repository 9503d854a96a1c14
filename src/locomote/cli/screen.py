"""The terminal, and numbers on it."""

import sys

from rich.console import Console

PIPE_WIDTH = 240  # columns when the output is not a terminal


def console(*, errors: bool = False) -> Console:
    """A console that does not fold tables for a pipe."""
    stream = sys.stderr if errors else sys.stdout
    terminal = hasattr(stream, "isatty") and stream.isatty()
    return Console(file=stream, width=None if terminal else PIPE_WIDTH, highlight=False, soft_wrap=not terminal)


def short(value: float) -> str:
    """A number in at most six digits."""
    return f"{value:.6g}"


def megabytes(count: int) -> str:
    """A number of bytes in MB."""
    return f"{count / 1e6:.1f} MB"
