"""Reprs fit on a screen, of all public classes and of what public functions give."""

import dataclasses
import importlib
import inspect
import types
import typing
from pathlib import Path

import numpy as np
import pytest

import locomote as lo
from locomote import public
from locomote.brief import LONG, brief_repr, short

PACKAGE = Path(lo.__file__).parent
MET = (
    "locomotion", "systems.catalogue", "drives", "forces.flows", "runs.trajectory", "runs.audit.audit", "runs.netmotion",
    "model.layout", "model.model",
)  # fmt: skip


def records():
    """Every record that users make, and what problems and systems give them."""
    public = [getattr(folder, name) for folder in (lo, lo.control, lo.denoc) for name in getattr(folder, "__all__", ())]
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(("locomote", *path.relative_to(PACKAGE).with_suffix("").parts))
        if any(f"{module}.".startswith(f"locomote.{met}.") for met in MET):
            public += [x for x in vars(importlib.import_module(module)).values() if getattr(x, "__module__", "") == module]
    kinds = [x for x in public if inspect.isclass(x) and dataclasses.is_dataclass(x) and not x.__name__.startswith("Packed")]
    return {f"{kind.__module__}.{kind.__qualname__}": kind for kind in kinds}


RECORDS = records()


@pytest.mark.parametrize("met", MET)
def test_what_users_meet_is_there(met):
    """Or files have moved, and their records are not looked at any more."""
    assert importlib.import_module(f"locomote.{met}")


def is_small(hint) -> bool:
    """Whether values of a type are a few characters."""
    if hint in (int, float, bool, str, type(None)):
        return True
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return all(map(is_small, typing.get_args(hint)))
    if typing.get_origin(hint) is tuple:
        return ... not in typing.get_args(hint) and all(map(is_small, typing.get_args(hint)))
    return inspect.isclass(hint) and dataclasses.is_dataclass(hint) and has_short_repr(hint)


def has_short_repr(kind) -> bool:
    """By @brief, written for it, or because there is nothing long in it."""
    if not hasattr(kind.__repr__, "__wrapped__"):  # as the one that dataclasses make
        return True
    hints = typing.get_type_hints(kind)
    return all(is_small(hints[field.name]) for field in dataclasses.fields(kind) if field.repr)


@pytest.mark.parametrize("name", RECORDS)
def test_records_have_short_reprs(name):
    assert has_short_repr(RECORDS[name]), f"put @brief (locomote.brief) above @dataclass of {name}"


def test_public_classes_that_are_no_records_have_reprs_of_their_own():
    kinds = [value for value in public.everything().values() if inspect.isclass(value)]
    for kind in kinds:
        if not dataclasses.is_dataclass(kind) and not issubclass(kind, BaseException):
            assert kind.__repr__ is not object.__repr__, kind


LARGE = {
    "spline": lambda: lo.Spline(np.linspace(0, 1, 500), np.zeros(500)),
    "sum": lambda: sum((lo.Sine(0.1, k) for k in range(1, 50)), lo.Sine(1.0, 1.0)),
    "grid": lambda: lo.water.Grid(np.ones((9, 9, 9, 3)), (0, 0, 0), (1, 1, 1)),
    "touch": lambda: lo.Touch("a", lo.Ground(), points=tuple((float(k), 0.0, 0.0) for k in range(500))),
    "coupled": lambda: lo.Coupled({f"joint {k}": 1.0 for k in range(300)}),
    "servo": lambda: lo.Servo({f"joint {k}": lo.Spline(np.linspace(0, 1, 50), np.zeros(50)) for k in range(30)}, 1.0, 1.0),
    "model": lambda: lo.systems.load("humanoid").model,
    "description": lambda: lo.systems.load("humanoid").model.description,
    "body": lambda: lo.systems.load("humanoid").model.description.bodies[3],
    "layout": lambda: lo.systems.load("humanoid").model.layout(),
    "system": lambda: lo.systems.load("humanoid"),
    "problem": lambda: lo.systems.load("snakeboard").problem(),
    "evaluation": lambda: lo.systems.load("snakeboard").problem().evaluate(0.0, *lo.systems.load("snakeboard").initial),
    "case": lambda: lo.systems.load("snakeboard").problem().classify(),
    "run": lambda: lo.systems.load("snakeboard").problem().simulate(0.1, progress=False),
    "audit": lambda: lo.systems.load("snakeboard").problem().simulate(0.1, progress=False).audit,
    "rod": lambda: lo.Rod(1.0, lo.Section.circle(0.01), lo.Material(1e3, 1e6)),
}


@pytest.mark.parametrize("name", LARGE)
def test_however_much_there_is(name):
    value = LARGE[name]()
    assert len(repr(value)) <= 1.5 * LONG, repr(value)


def test_what_a_short_repr_says():
    coupled = lo.Coupled({"a": 1.0, "b": -0.5}, name="gear")
    assert repr(coupled) == "Coupled(name='gear', ratios={'a': 1.0, 'b': -0.5})"
    assert short(np.zeros((30, 4))) == "array (30, 4)" and short(np.array([1.0, 2.0])) == "[1.0, 2.0]"
    assert short("x" * 500).endswith("x'") and len(short(list(range(999)))) <= 60
    assert brief_repr.__doc__


def test_what_is_printed_as_a_table():
    """Numbers, and not only shapes, of slopes; a line a channel; a line a parameter of a system."""
    system = lo.systems.load("snakeboard")
    problem = system.problem()
    lines = str(problem.simulate(0.1, progress=False).channels).splitlines()
    assert lines[0].split() == ["channel", "unit"]
    assert [line.split() for line in lines if line.startswith("rotor.angle")] == [["rotor.angle", "rad"]]
    told = str(system).splitlines()
    assert told[0].startswith("snakeboard: a board") and any(line.split()[:1] == ["rotor_amplitude"] for line in told)
    value, slopes = lo.gradient(problem, lo.at_end("net.x"), by=["rotor.amplitude", "v"], duration=0.2, step=0.01)
    row = next(line for line in str(slopes).splitlines() if line.startswith("rotor.amplitude"))
    assert np.isclose(float(row.split()[1]), slopes["rotor.amplitude"], rtol=1e-5) and row.endswith("m per rad")
