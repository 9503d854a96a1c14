"""Units of the fields of records, read from their docstrings, which say them in one form:

    name, name : text, unit ; name : unit, text

A unit is the first one in the text. Several names take as many units in their order, if the text has as many. A name whose
docstring says nothing has the unit that its word has everywhere. "A or B" is the unit of a turning and of a sliding joint, u
that of the coordinate that a drive imposes.
"""

import functools
import re
from dataclasses import fields

ATOM = r"(?:kg|rad|Pa|Hz|N|J|W|m|s|u)(?:\^\d)?"
ONE = rf"(?:1/)?{ATOM}(?:[ /]{ATOM})*"
UNIT = re.compile(rf"(?<![\w'`^.]){ONE}(?: or {ONE})?(?![\w'`^(=])")
ENTRY = re.compile(r"(?:^|;|\n)\s*([a-z_0-9]+(?:, [a-z_0-9]+)*) : ")
ASIDE = re.compile(r"\([^()]*[,\d][^()]*\)")  # shapes of arrays, and second thoughts
LENGTHS = (
    "anchor", "at", "along", "box", "breaks", "capsule", "center", "disc", "end", "feet", "frame", "half", "length",
    "other_frame", "other_point", "placement", "point", "points", "radius", "semi_axes", "sphere", "start", "stop", "target",
    "tube",
)  # fmt: skip
EVERYWHERE = dict.fromkeys(LENGTHS, "m") | {
    "ramp": "s", "every": "s", "times": "s", "phase": "rad", "gravity": "m/s^2", "velocity": "m/s", "mass": "kg", "com": "m",
    "moment": "kg m^2", "value": "u", "values": "u", "offset": "rad or m", "restitution": "", "rebound": "m/s",
    "friction_speed": "rad/s or m/s",
}  # fmt: skip


@functools.cache
def units_of(kind: type) -> dict[str, str]:
    """Unit of every field of a record that has one."""
    known = {field.name for field in fields(kind)}
    text = re.sub(r"\n[ ]{6,}", " ", kind.__doc__ or "")  # lines that go on
    found, marks = {}, list(ENTRY.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=False):
        said = ASIDE.sub("", text[mark.end() : end])
        names, units = mark[1].split(", "), UNIT.findall(said)
        each = units if 1 < len(names) <= len(units) else units[:1] * len(names)
        found |= {name: unit for name, unit in zip(names, each, strict=False) if name in known}
    return {name: unit for name in known if (unit := found.get(name, EVERYWHERE.get(name, "")))}


def unit_of(kind: type, field: str, coordinate: str = "") -> str:
    """The unit of a field; coordinate : unit of the joint that it is about, if it is about one."""
    unit = units_of(kind).get(field, "")
    turning, _, sliding = unit.partition(" or ")
    if coordinate and sliding:
        unit = turning if coordinate == "rad" else sliding
    return re.sub(r"\bu\b", coordinate or "rad or m", unit)
