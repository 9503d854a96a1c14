"""Numbers that can be changed, as fields of a form: a slider with unit and range, a box to tick, or words to choose from."""

import math
from typing import Any

from locomote.cli.of_file import GROUNDS
from locomote.locomotion.problem import Locomotion
from locomote.systems import catalogue
from locomote.systems.parameters import Parameter

WIDE = 3.0  # times its default a slider goes, where a parameter has no limits
MOST = 40  # numbers of the model of a file
AS_FILE = "as in the file"
BASES = (AS_FILE, "fixed", "free", "planar")
SHOWN = ("mass", "friction", "stiffness", "damping", "length")  # numbers that people change first, none below zero
LONGEST = 600.0  # s of a run


def span(value: float, lowest: float, highest: float, unit: str) -> tuple[float, float]:
    """Both ends of a slider: the limits, or some times the default where there are none."""
    reach = abs(value) * WIDE or (math.pi if unit == "rad" else 1.0)
    low = lowest if lowest > -math.inf else (0.0 if value > 0 and unit != "rad" else -reach)
    high = highest if highest < math.inf else max(reach, low + reach)
    return (min(low, value), max(high, value))


def field(p: Parameter) -> dict[str, Any]:
    """A parameter as a field of the form."""
    common = {"name": p.name, "unit": p.unit, "meaning": p.meaning, "default": p.default}
    if p.options:
        return common | {"kind": "choice", "options": list(p.options)}
    if not isinstance(p.default, int | float):
        return common | {"kind": "fixed"}
    low, high = span(float(p.default), p.lowest, p.highest, p.unit)
    low, high = (math.floor(low), math.ceil(high)) if p.whole else (low, high)
    return common | {"kind": "number", "low": low, "high": high, "whole": p.whole, "wanted": p.wanted()}


def seconds(default: float) -> dict[str, Any]:
    """How long to run."""
    kinds = {"kind": "number", "low": 0.0, "high": max(3 * default, 1.0), "whole": False}
    words = {"name": "duration", "unit": "s", "meaning": "how long it moves", "wanted": f"a number above 0 to {LONGEST:g}"}
    return words | kinds | {"default": default}


def of_system(name: str) -> dict[str, Any]:
    """The form of a system of the catalogue."""
    system = catalogue.load(name)
    fields = [field(p) for p in catalogue.parameters(name)]
    return {"title": system.title, "see": system.see, "source": system.source, "fields": [seconds(system.duration), *fields]}


def of_model(name: str, title: str, problem: Locomotion, duration: float) -> dict[str, Any]:
    """The form of the model of a file: how it stands, and numbers of its problem."""
    fields = [
        seconds(duration),
        {
            "name": "base",
            "kind": "choice",
            "options": list(BASES),
            "default": AS_FILE,
            "unit": "",
            "meaning": "how its root moves",
        },
        {"name": "ground", "kind": "choice", "options": list(GROUNDS), "default": "auto", "unit": "", "meaning": "below it"},
    ]
    named = [x for x in problem.parameters.quantities() if isinstance(x.value, float) and math.isfinite(x.value)]
    chosen = sorted(named, key=lambda x: not x.name.endswith(SHOWN))[:MOST]  # the order of the file, those first
    for x in chosen:
        value = float(x.value)
        positive = value > 0 or x.name.endswith(SHOWN)
        low, high = span(value, 0.0 if positive else -math.inf, math.inf, x.unit)
        own = {"name": x.name, "unit": x.unit, "meaning": x.origin, "default": value, "wanted": "a finite number"}
        fields.append(own | {"kind": "number", "low": low, "high": high, "whole": False})
    return {"title": title, "see": f"{name}: {len(problem.model.body_names)} bodies", "source": "", "fields": fields}
