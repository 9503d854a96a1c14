"""Small tables in HTML, for notebooks. Everything that comes from outside is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["escape", "table"]

CELL = 'style="text-align: left; vertical-align: top; white-space: pre-wrap"'


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), *, title: str = "") -> str:
    """Rows of cells as an HTML table, with a line above it."""
    lines = [f"<caption {CELL}><b>{escape(title)}</b></caption>"] if title else []
    if any(head):
        lines.append("<tr>" + "".join(f"<th {CELL}>{escape(str(cell))}</th>" for cell in head) + "</tr>")
    lines += ["<tr>" + "".join(f"<td {CELL}>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return "<table>" + "".join(lines) + "</table>"
