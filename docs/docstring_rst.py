"""Docstrings of the package as reStructuredText.

A docstring has paragraphs; lines `name : meaning` of arguments, also several in a line with ` ; ` between; deeper lines that
go on, in columns if they are a table; code after `>>>`; blocks that are set in as they are written.
"""

import re

ENTRY = re.compile(r"^(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*) : (.*)$")
SEVERAL = re.compile(r" ?; (?=\*{0,2}\w[\w.]*(?:, \w[\w.]*)* : )")
COLUMNS = re.compile(r"\S {2,}\S|^\s+\"[^\"]+\" : ")
NAME = re.compile(r"`([^`]+)`|\blo\.((?:[a-z]\w*\.)?\w+)")


def inset(text: str, by: int = 3) -> str:
    """The text with every line moved to the right."""
    return "\n".join(" " * by + line if line.strip() else "" for line in text.splitlines())


def linked(text: str, targets: dict[str, str]) -> str:
    """A text with its code as code, public names as links, and nothing else that means something in reStructuredText."""
    parts, last = [], 0
    for found in NAME.finditer(text):
        word = found[1] or f"lo.{found[2]}"
        name = re.sub(r"^lo\.|\(.*\)$", "", word)
        parts.append(escaped(text[last : found.start()]))
        last = found.end()
        if name in targets:
            made = f":py:obj:`{word} <{targets[name]}>`"
        elif found[1]:
            made = f"``{word.strip()}``"
        else:
            parts.append(escaped(word))
            continue
        before, after = text[: found.start()][-1:], text[last : last + 1]
        parts += ["\\ " * bool(before.strip()), made, "\\ " * bool(after.strip())]  # markup begins and ends at blanks
    return "".join([*parts, escaped(text[last:])])


def escaped(text: str) -> str:
    """A text in which nothing is markup."""
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def blocks(text: str, targets: dict[str, str]) -> list[str]:
    """The paragraphs and fields of a docstring."""
    made: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        prose, arrow, code = paragraph.partition(">>> ")
        lines = prose.rstrip().splitlines()
        if lines and all(line.startswith("  ") for line in lines):
            made.append(literal(lines))
        else:
            made += of_lines(lines, targets)
        if arrow:
            made.append(".. code-block:: python\n\n" + inset(re.sub(r"^(>>> |\.\.\. )", "", f">>> {code}", flags=re.M)) + "\n")
    return made


def of_lines(lines: list[str], targets: dict[str, str]) -> list[str]:
    """Sentences and arguments of one paragraph."""
    made: list[str] = []
    while lines:
        count = 1
        entry = ENTRY.match(lines[0])
        while count < len(lines) and (lines[count].startswith(" ") or not entry and not starts(lines[count])):
            count += 1
        own, lines = lines[:count], lines[count:]
        if entry or own[0].startswith("Returns "):
            made += fields(own, targets)
            continue
        deeper = next((k for k, line in enumerate(own) if k and COLUMNS.search(line) and line.startswith("  ")), len(own))
        made.append(linked(" ".join(line.strip() for line in own[:deeper]), targets) + "\n")
        made += [literal(own[deeper:])] if own[deeper:] else []
    return made


def starts(line: str) -> bool:
    """Whether a line begins something new."""
    return bool(ENTRY.match(line)) or line.startswith("Returns ")


def fields(lines: list[str], targets: dict[str, str]) -> list[str]:
    """Arguments of a line and of the deeper ones that belong to it."""
    table = next((k for k, line in enumerate(lines) if k and COLUMNS.search(line)), len(lines))
    whole = " ".join(line.strip() for line in lines[:table])
    made = []
    for part in SEVERAL.split(whole):
        entry = ENTRY.match(part)
        if entry:
            made.append(f":param {escaped(entry[1].replace(', ', ','))}: {linked(entry[2], targets)}")
        else:
            made.append(f":returns: {linked(part.removeprefix('Returns '), targets)}")
    tail = "\n\n" + inset(literal(lines[table:])) if lines[table:] else ""
    return [*made[:-1], made[-1] + tail + "\n"]


def literal(lines: list[str]) -> str:
    """Lines as they are written."""
    least = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "::\n\n" + inset("\n".join(line[least:] for line in lines)) + "\n"
