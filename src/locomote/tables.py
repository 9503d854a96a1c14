"""Small tables, as text and in HTML for notebooks, where everything that comes from outside is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["escape", "lines_of", "table"]

CELL = 'style="text-align: left; vertical-align: top; white-space: pre-wrap"'


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), *, title: str = "") -> str:
    """Rows of cells as an HTML table, with a line above it."""
    lines = [f"<caption {CELL}><b>{escape(title)}</b></caption>"] if title else []
    if any(head):
        lines.append("<tr>" + "".join(f"<th {CELL}>{escape(str(cell))}</th>" for cell in head) + "</tr>")
    lines += ["<tr>" + "".join(f"<td {CELL}>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return "<table>" + "".join(lines) + "</table>"


def lines_of(rows: Iterable[Sequence[str]], head: Sequence[str]) -> list[str]:
    """Rows of cells as lines of text in columns, below a head and a rule."""
    cells = [tuple(head), *map(tuple, rows)]
    widths = [max(len(row[c]) for row in cells) for c in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]
