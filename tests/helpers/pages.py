"""Markdown pages as programs: their Python blocks run in order, in one namespace, in a folder of their own.

A comment `<!-- file: NAME -->` before a fenced block says that the block is a file which later blocks read;
`<!-- peer: NAME -->` says that it needs a package of others, without which it is left out.
"""

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

from places import DOCS, ROOT

PAGES = [
    ROOT / "README.md",
    *(page for folder in (".", "inside", "coming-from") for page in sorted((DOCS / folder).glob("*.md"))),
]
FENCE = re.compile(
    r"(?:^<!-- (?P<said>file|peer): (?P<name>\S+) -->\n+)?^```(?P<language>\{?\w*\}?)[^\n]*\n(?P<text>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the line of its first line, its text; the file that it is, or the package that it needs."""

    language: str
    line: int
    text: str
    file: str | None
    peer: str | None = None


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    named = [(m, {m["said"]: m["name"]}) for m in FENCE.finditer(text)]
    return [
        Block(m["language"], text.count("\n", 0, m.start("text")) + 1, m["text"], own.get("file"), own.get("peer"))
        for m, own in named
    ]


def run(page: Path, folder: Path) -> dict:
    """Run a page in a folder, which must be the current one; returns its namespace."""
    namespace: dict = {"__name__": page.stem}
    for block in blocks(page):
        if block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python" and (block.peer is None or importlib.util.find_spec(block.peer)):
            code = compile("\n" * (block.line - 1) + block.text, str(page.relative_to(ROOT)), "exec")
            exec(code, namespace)
    return namespace
