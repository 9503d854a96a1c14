"""Rows of a Denavit-Hartenberg table out of a CSV or YAML file.

A CSV file has a line of column names; before it, lines such as `# convention: modified` say what the numbers mean. A YAML
file is a list of rows, or a mapping with `rows` and the same words.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field

from locomote.errors import ModelError
from locomote.formats.faults import Faults, shown
from locomote.formats.source import Source

SAYS = ("name", "convention", "angles", "about", "gravity")
MOST_ROWS = 100_000
LARGEST_YAML = 2**20  # bytes; reading it is slow
DEEPEST_YAML = 6


@dataclass
class Table:
    """Rows as mappings, the place of each for messages, and what the file says of their meaning."""

    rows: list = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    says: dict[str, object] = field(default_factory=dict)


def from_csv(source: Source, faults: Faults) -> Table:
    """The table of CSV text; columns are divided by commas, semicolons or tabs."""
    table = Table()
    lines = _text(source).splitlines()
    start = 0
    while start < len(lines) and (not lines[start].strip() or lines[start].lstrip().startswith("#")):
        word, colon, value = lines[start].strip().lstrip("#").partition(":")
        if colon and word.strip().lower() in SAYS:
            table.says[word.strip().lower()] = value.strip().rstrip(",;").strip()
        start += 1
    if start == len(lines):
        raise ModelError(source.name, "there is no line with column names")
    header = lines[start]
    divider = next((mark for mark in ("\t", ";") if mark in header), ",")
    try:
        reader = csv.reader(io.StringIO("\n".join(lines[start:])), delimiter=divider)
        columns = [column.strip() for column in next(reader)]
        for values in reader:
            if not any(value.strip() for value in values) or values[0].lstrip().startswith("#"):
                continue
            place = f"line {start + reader.line_num}"
            if len(values) > len(columns):
                faults.add(place, f"has {len(values)} values for {len(columns)} columns")
            _append(table, dict(zip(columns, values, strict=False)), place, source)
    except csv.Error as error:
        raise ModelError(source.name, f"line {start + reader.line_num}: not readable as CSV ({error})") from None
    if len(set(columns)) < len(columns):
        faults.add(f"line {start + 1}", "two columns have the same name")
    return table


def from_yaml(source: Source, faults: Faults) -> Table:
    """The table of YAML text."""
    try:
        import yaml
    except ImportError:
        raise ModelError(source.name, "reading YAML needs the package pyyaml: pip install pyyaml") from None
    if len(source.content) > LARGEST_YAML:
        raise ModelError(source.name, f"larger than {LARGEST_YAML // 2**20} MiB, too large for YAML; use CSV")
    text = _text(source)
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            # a value that stands for many others can grow without bound, and deep nesting takes the parser hours
            if isinstance(event, yaml.AliasEvent) or depth > DEEPEST_YAML:
                raise ModelError(source.name, "YAML aliases (*name) and deep nesting are refused; write a plain table")
        content = yaml.safe_load(text)
    except ModelError:
        raise
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError, AttributeError) as error:
        raise ModelError(source.name, f"not readable as YAML: {' '.join(str(error).split())[:300]}") from None
    return from_data(content, source, faults)


def from_data(content, source: Source, faults: Faults) -> Table:
    """The table of a list of rows, or of a mapping with `rows`."""
    table = Table()
    if isinstance(content, Mapping):
        for word, value in content.items():
            if word in SAYS:
                table.says[word] = value
            elif word != "rows":
                faults.add(None, f"unknown word {shown(word)}{faults.nearest(str(word), [*SAYS, 'rows'])}")
        content = content.get("rows")
    if not isinstance(content, list | tuple):
        raise ModelError(source.name, "expected a list of rows, or a mapping with a list called 'rows'")
    for number, row in enumerate(content, start=1):
        _append(table, row, f"row {number}", source)
    return table


def _append(table: Table, row, place: str, source: Source) -> None:
    if len(table.rows) >= MOST_ROWS:
        raise ModelError(source.name, f"more than {MOST_ROWS} rows: this is not a table of links")
    table.rows.append(row)
    table.places.append(place)


def _text(source: Source) -> str:
    if isinstance(source.content, str):
        return source.content
    try:
        return source.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(source.name, f"its text is not UTF-8 (byte {error.start}); save it as UTF-8") from None
