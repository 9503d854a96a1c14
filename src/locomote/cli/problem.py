"""`locomote info` of a system: what is imposed, what acts, what is held, and which case of the reduction that makes."""

from dataclasses import fields
from typing import Any

from rich.markup import escape
from rich.table import Table

from locomote.cli.report import classification, plain
from locomote.cli.screen import console
from locomote.drives.drive import Drive
from locomote.errors import LocomoteError
from locomote.quantities import value_words
from locomote.systems.catalogue import System, parameters

LETTERS = 110
IMPOSED = 8  # motions that are listed at first


def gathered(system: System) -> dict[str, Any]:
    """All that is shown, ready for JSON."""
    problem, (q, v) = system.problem(), system.initial
    found: dict[str, Any] = {
        "name": system.name,
        "title": system.title,
        "duration": system.duration,
        "see": system.see,
        "reference": system.source,
        "parameters": [
            {"name": p.name, "value": plain(system.parameters[p.name]), "default": plain(p.default), "unit": p.unit,
             "meaning": p.meaning, "expected": p.wanted()}
            for p in parameters(system.name)
        ],
        "numbers": [
            {"name": x.name, "value": plain(x.value), "unit": x.unit, "of": x.origin} for x in problem.parameters.quantities()
        ],
        "imposed": [
            {"joint": key_words(key), "drive": signal_words(drive), "unit": unit_of(problem.model, key)}
            for key, drive in problem.drives.items()
        ],
        "torques": [],
        "springs": [
            {"joint": key_words(key), "stiffness": float(law[0]), "rest": float(law[1]), "damping": float(law[2])}
            for key, law in problem.springs.items()
        ],
        "constraints": [
            {"name": c.title, "kind": type(c).__name__, "body": getattr(c, "body", None), "other": getattr(c, "other", None),
             "rows": [
                 {"row": row, "unit": unit, "holonomic": bool(held)}
                 for row, unit, held in zip(c.labels, c.units, c.holonomic, strict=True)
             ]}
            for c in problem.constraints
        ],
        "environment": [shortened(part) for part in problem.environment],
        "classification": None,
        "start": None,
    }  # fmt: skip
    if callable(problem.torques):
        found["torques"] = [{"joint": "all", "torque": "a function of (t, q, v)"}]
    elif problem.torques:
        found["torques"] = [{"joint": key_words(key), "torque": signal_words(given)} for key, given in problem.torques.items()]
    try:
        q, v = problem.initial(q, v)
    except LocomoteError as fault:  # such parameters may have no start; what is known is shown all the same
        return found | {"start_fault": str(fault)}
    return found | {"classification": classification(problem.classify(0.0, q)), "start": plain({"q": q, "v": v})}


def signal_words(given: Any) -> str:
    """A drive, or several, as code that makes it, without what it leaves at its default."""
    if isinstance(given, list | tuple) and any(isinstance(part, Drive) for part in given):
        return ", ".join(signal_words(part) for part in given)
    if not isinstance(given, Drive):
        return shortened(given)
    values = {part.name: (getattr(given, part.name), part.default) for part in fields(given)}  # type: ignore[arg-type]
    said = ", ".join(f"{name}={in_short(value)}" for name, (value, default) in values.items() if value != default)
    return shortened(f"{type(given).__name__}({said})")


def in_short(value: Any) -> str:
    """A number with six digits; anything else as code."""
    return repr(float(f"{value:.6g}") if isinstance(value, float) else value)


def shortened(value: Any) -> str:
    """A value in words, cut if it is long."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 3]}..."


def key_words(key: Any) -> str:
    """A joint, or one coordinate of it."""
    return f"{key[0]}[{key[1]}]" if isinstance(key, tuple) else str(key)


def unit_of(model, key: Any) -> str:
    """The unit of the coordinates of a joint."""
    joint = key[0] if isinstance(key, tuple) else key
    return next((slot.unit.split(",")[0] for slot in model.layout() if slot.vector == "q" and slot.joint == joint), "")


def show(found: dict[str, Any], everything: bool) -> None:
    """The same as text; everything : all numbers of the problem, too."""
    screen = console()
    screen.print(f"[bold]{escape(found['name'])}[/]: {escape(found['title'])}")
    screen.print(f"[dim]to see:[/] {escape(found['see'])}")
    screen.print(f"[dim]source:[/] {escape(found['reference'])}")
    screen.print()
    screen.print(parameter_table(found["parameters"]))
    screen.print()
    if everything:
        screen.print(number_table(found["numbers"]))
        screen.print()
    else:
        first = next(x["name"] for x in found["numbers"] if x["name"].endswith(".mass") or x is found["numbers"][-1])
        screen.print(f"numbers     {len(found['numbers'])} by name, as {escape(first)}; --all lists them, --set changes them")
    few = len(found["imposed"]) if everything else IMPOSED
    for entry in found["imposed"][:few]:
        screen.print(f"imposed     {escape(entry['joint'])} = {escape(entry['drive'])} {escape(entry['unit'])}")
    if len(found["imposed"]) > few:
        screen.print(f"            and {len(found['imposed']) - few} more; --all lists them")
    for entry in found["torques"]:
        screen.print(f"torque      {escape(entry['joint'])} = {escape(entry['torque'])}")
    for entry in found["springs"]:
        law = f"stiffness {entry['stiffness']:g}, rest {entry['rest']:g}, damping {entry['damping']:g}"
        screen.print(f"spring      {escape(entry['joint'])}: {law}")
    for words in found["environment"]:
        screen.print(f"environment {escape(words)}")
    for constraint in found["constraints"]:
        screen.print(f"constraint  {escape(constraint_words(constraint))}")
    case = found["classification"]
    lines = case["text"].splitlines() if case else [f"no start: {found['start_fault']}"]
    for n, line in enumerate(lines):
        screen.print(f"{'at t = 0' if n == 0 else '':<12}{escape(line)}")
    screen.print(f"run         {found['duration']:.4g} s show it: locomote run {escape(found['name'])}")


def constraint_words(constraint: dict[str, Any]) -> str:
    """A constraint in a line: name, kind, bodies, rows with units (* for those that hold a position too)."""
    rows = ", ".join(f"{row['row']}{'*' * row['holonomic']} ({row['unit']})" for row in constraint["rows"])
    bodies = " on ".join(name or "world" for name in (constraint["body"], constraint["other"])) if constraint["body"] else ""
    return f"{constraint['name']}: {constraint['kind']} {bodies}".rstrip() + f", rows {rows}"


def parameter_table(rows: list[dict[str, Any]]) -> Table:
    """Parameters with their values, and their defaults where those differ."""
    table = Table("parameter", "value", "unit", "meaning", box=None, pad_edge=False, header_style="bold")
    for row in rows:
        value = words(row["value"])
        if row["value"] != row["default"]:
            value = f"[bold]{escape(value)}[/] [dim](default {escape(words(row['default']))})[/]"
        expected = row["expected"] if row["expected"].startswith("one of") else ""
        meaning = f"{row['meaning']}: {expected}" if expected else row["meaning"]
        table.add_row(row["name"], value, row["unit"], escape(meaning))
    return table


def number_table(rows: list[dict[str, Any]]) -> Table:
    """Numbers of a problem with their units, and what they are of."""
    table = Table("number", "value", "unit", "of", box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(escape(row["name"]), value_words(row["value"]), row["unit"], escape(row["of"]))
    return table


def words(value: Any) -> str:
    """A value as it is written on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(words(part) for part in value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)
