"""Denavit-Hartenberg tables into a Description, with the convention that says what the numbers mean."""

from collections.abc import Mapping

import numpy as np

from locomote.formats.dh.links import read_links
from locomote.formats.dh.row import DHRow, read_row
from locomote.formats.dh.table import Table, from_csv, from_data, from_yaml
from locomote.formats.faults import Faults, shown
from locomote.formats.inertias import check_policy
from locomote.formats.numbers import parse_numbers
from locomote.formats.source import Source, read_source
from locomote.model.description import Description

CHOICES = {"convention": ("standard", "modified"), "angles": ("deg", "rad"), "about": ("com", "origin")}


def read_dh(
    table,
    *,
    convention: str | None = None,
    angles: str | None = None,
    about: str | None = None,
    gravity=None,
    name: str | None = None,
    inertia: str = "warn",
) -> Description:
    """The mechanism of a Denavit-Hartenberg table.

    table : rows (mappings or DHRow), a mapping with `rows`, the path of a .csv, .yaml or .yml file, or CSV text of several
        lines
    convention : "standard" (frame at the far end of the link) or "modified" (frame at its joint; Khalil-Kleinfinger, Craig)
    angles : "deg" or "rad", of all angles whose column does not say it itself (alpha_deg, theta_rad)
    about : "com" (default) or "origin", the point that ixx ... izz are about
    gravity : three numbers, m/s^2; default (0, 0, -9.81)
    inertia : "warn" or "error", see read_urdf

    The columns are the fields of DHRow. A file can say convention, angles, about, gravity and name itself. Nothing is guessed:
    the convention, and the unit of angles that are not zero, must be said somewhere. The first body is the base, frame 0 of
    the table; give it motion with `Description.with_base`. Raises ModelError with all faults.
    """
    check_policy(inertia)
    said = {"convention": convention, "angles": angles, "about": about, "gravity": gravity, "name": name}
    if isinstance(table, list | tuple | Mapping):
        source = Source("table", "")
        faults = Faults(source.name)
        return _description(source, from_data(table, source, faults), said, inertia, faults)
    return describe(read_source(table, is_text=lambda text: "\n" in text.strip()), None, inertia=inertia, **said)


def describe(
    source: Source, root: None, *, convention=None, angles=None, about=None, gravity=None, name=None, inertia="warn"
) -> Description:
    """The Description of the table of a file, or of CSV text; arguments as in `read_dh`. Tables have no root element."""
    faults = Faults(source.name)
    yaml = source.path is not None and source.path.suffix.lower() in (".yaml", ".yml")
    found = from_yaml(source, faults) if yaml else from_csv(source, faults)
    said = {"convention": convention, "angles": angles, "about": about, "gravity": gravity, "name": name}
    return _description(source, found, said, inertia, faults)


def _description(source: Source, found: Table, said: dict, inertia: str, faults: Faults) -> Description:
    said = {word: _agreed(word, value, found.says.get(word), faults) for word, value in said.items()}
    if said["convention"] is None:
        faults.add(None, "say which table this is: convention='standard' or 'modified'")
    rows = []
    for row, place in zip(found.rows, found.places, strict=True):
        if isinstance(row, Mapping | DHRow):
            rows.append((read_row(row, said["angles"], place, faults), place))
        else:
            faults.add(place, f"expected a mapping of columns or a DHRow, got {type(row).__name__}")
    if not found.rows:
        faults.add(None, "there are no rows")
    bodies = read_links(rows, said["convention"], said["about"] or "com", inertia, faults)
    faults.check()
    return Description(
        name=str(said["name"] or source.stem or "arm"),
        bodies=bodies,
        gravity=(0.0, 0.0, -9.81) if said["gravity"] is None else said["gravity"],
        source=source.name if source.path is not None else "",
        warnings=faults.all_warnings(),
        lenient=inertia == "warn",
    )


def _agreed(word: str, argument, in_file, faults: Faults):
    """What the caller and the file say, if they do not contradict each other."""
    if word == "gravity":
        argument, in_file = _vector(argument, faults), _vector(in_file, faults)
    elif word in CHOICES:
        for value in (argument, in_file):
            if value is not None and value not in CHOICES[word]:
                faults.add(None, f"{word} is {shown(value)}, expected {' or '.join(CHOICES[word])}")
    if argument is not None and in_file is not None and argument != in_file and word != "name":
        faults.add(None, f"the file says {word} {in_file}, the caller says {argument}")
    return in_file if argument is None else argument


def _vector(value, faults: Faults) -> tuple[float, float, float] | None:
    if value is None:
        return None
    if isinstance(value, list | tuple | np.ndarray):
        value = " ".join(map(str, value))
    numbers = parse_numbers(str(value).strip().strip("[]()").replace(",", " "), 3, 3)
    if isinstance(numbers, str):
        faults.add(None, f"gravity {numbers}")
        return None
    x, y, z = numbers
    return x, y, z
