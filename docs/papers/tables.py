"""What the pages on papers share: tables of printed values and ours."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

PART = re.compile(r"(<!-- computed: (\w+) -->\n).*?(<!-- end -->)", re.S)


def filled(page: Path, parts: dict[str, Callable[[], str]]) -> str:
    """The text of a page with what is computed between its marks put in anew."""
    return PART.sub(lambda found: f"{found[1]}\n{parts[found[2]]()}\n{found[3]}", page.read_text(encoding="utf-8"))


def bound(x: float) -> str:
    """A difference as the next power of ten above it, 1e-12 at least."""
    return f"below 1e{max(-12, int(np.ceil(np.log10(max(abs(x), 1e-300)) + 1e-9))):+03d}".replace("e+00", "")


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines) + "\n"


def compared(label: str, paper: float, ours: float) -> list[str]:
    """A row: printed formula, ours, difference."""
    shown = 0.0 if abs(ours) < 1e-12 else ours
    return [label, f"{paper:.7g}", f"{shown:.7g}", bound((paper - ours) / max(1.0, abs(paper)))]


def indented(text: str) -> str:
    """A block of text."""
    return "".join(f"    {line}\n" for line in text.splitlines())
