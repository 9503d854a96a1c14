"""The Python that does what the studio did."""

import keyword
import re
from collections.abc import Mapping
from typing import Any

from locomote.cli.studio.forms import AS_FILE
from locomote.systems import catalogue

OWN = ("base", "ground", "duration")  # of files, beside the numbers of their problem


def changed(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a system that are not its defaults."""
    defaults = {p.name: p.default for p in catalogue.parameters(name)}
    return {key: value for key, value in values.items() if key != "duration" and value != defaults.get(key)}


def of_system(name: str, values: Mapping[str, Any], duration: float) -> str:
    """A program that runs a system of the catalogue with these parameters."""
    given = changed(name, values)
    plain = all(key.isidentifier() and not keyword.iskeyword(key) for key in given)
    own = "".join(f", {key}={value!r}" for key, value in given.items()) if plain else f", **{given!r}"
    return program(f"system = lo.systems.load({name!r}{own})\nproblem = system.problem()", name, duration)


def of_file(path: str, values: Mapping[str, Any], duration: float, *, stands: bool) -> str:
    """A program that runs the model of a file; stands : on a floor."""
    base = values.get("base", AS_FILE)
    option = "" if base == AS_FILE else f", base={base!r}"
    stem = re.sub(r"\W", "_", path.rsplit("/", 1)[-1].rpartition(".")[0]) or "model"
    line = f"lo.on_ground(model, name={stem!r})" if stands else f"lo.Locomotion(model, name={stem!r})"
    numbers = {key: value for key, value in values.items() if key not in OWN}
    change = f"\nproblem = problem.with_parameters({numbers!r})" if numbers else ""
    return program(f"model = lo.load({path!r}{option}, unsupported='warn')\nproblem = {line}{change}", stem, duration)


def program(lines: str, name: str, duration: float) -> str:
    """The whole program."""
    return f"""import locomote as lo

{lines}
run = problem.simulate({duration!r})
print(run.summary())
run.report({name + ".html"!r})
run.save({name + ".h5"!r})
"""
