"""The record of a mechanism: through JSON and back, nothing changes, not even the last bit."""

import json
import math
from dataclasses import fields, is_dataclass, replace

import mechanisms
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import locomote as lo
from locomote.formats.record import description_from_record, description_to_record
from locomote.systems import catalogue

CATALOGUE = catalogue.names()


def returned(description):
    """Through JSON text that any reader of JSON takes (no NaN, no Infinity)."""
    return description_from_record(json.loads(json.dumps(description_to_record(description), allow_nan=False)))


def same(x, y):
    """Whether two values are equal to the last bit; a tuple may stand for a list or an array."""
    if is_dataclass(x):
        return type(x) is type(y) and all(same(getattr(x, f.name), getattr(y, f.name)) for f in fields(x))
    if isinstance(x, list | tuple | np.ndarray):
        return len(x) == len(y) and all(same(a, b) for a, b in zip(x, y, strict=True))
    if isinstance(x, float | np.floating):
        return isinstance(y, int | float | np.number) and np.float64(x).tobytes() == np.float64(y).tobytes()
    return x == y


@pytest.mark.parametrize("name", mechanisms.NAMES, ids=str)
def test_random_mechanisms_return(name):
    options = mechanisms.SPECIAL.get(name, {"seed": name})
    description = mechanisms.random_description(**options)
    back = returned(description)
    assert same(description, back)
    assert lo.Model(back).digest == lo.Model(description).digest


@pytest.mark.parametrize("name", CATALOGUE)
def test_catalogue_returns(name):
    model = catalogue.load(name).model
    back = returned(model.description)
    assert same(model.description, back)
    assert lo.Model(back) == model


def test_everything_that_can_be_said_returns():
    joint = lo.Joint(
        "inf", "universal", axis=np.array([1, 0, 0]), axis2=[0.0, 0.1, 1 / 3], stiffness=(0.1, 2), rest=-0.0,
        lower=[-math.inf, -1], upper=np.array([math.inf, 1.0]), velocity_limit=np.float32(0.1), effort_limit=math.inf,
    )  # fmt: skip
    looks = lo.Visual("mesh", (1.0, 1.0, 1e-300), np.eye(4), "meshes/trunk.obj", (0.1, 0.2, 0.3, 1.0), "nan")
    body = lo.Body("trunk", None, np.eye(4), (joint,), lo.Inertia(1.0, moment=(0.1, 0.1, 0.1)), 0.1 * np.eye(6), (looks,))
    other = lo.Body("tail", "trunk", joints=(lo.Joint("a"), lo.Joint("b", "prismatic")))
    couplings = (lo.Coupling("a", (("b", -0.3),), 0.1),)
    description = lo.Description("ünï", (body, other), couplings, (0, 0.0, -9.81), "file.urdf", ("warned", "twice"), True)
    assert same(description, returned(description))
    assert returned(description).bodies[0].joints[0].name == "inf"
    assert math.copysign(1.0, returned(description).bodies[0].joints[0].rest) == -1.0


@settings(max_examples=60, deadline=None)
@given(some.lists(some.floats(), min_size=7, max_size=7), some.text(), some.text())
def test_any_number_and_any_text_return(numbers, name, source):
    joint = lo.Joint(name, reference=numbers[0], lower=numbers[1], upper=numbers[2], anchor=tuple(numbers[3:6]))
    description = lo.Description(source, (lo.Body(name, joints=(joint,)),), gravity=(numbers[6], 0.0, 0.0), source=source)
    back = returned(description)
    assert same(back, description) or any(math.isnan(number) for number in numbers)
    assert description_to_record(back) == description_to_record(description)


def damaged(change):
    """The record of a small mechanism after a change to it."""
    record = description_to_record(mechanisms.random_description(0))
    change(record)
    return record


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda r: r.pop("format"), "not the record of a mechanism"),
        (lambda r: r.update(version=2), "version 2; this locomote reads version 1"),
        (lambda r: r.update(colour="red"), "no field named 'colour' in Description"),
        (lambda r: r["bodies"][1].pop("inertia"), "body 'body 1': a Body needs 'inertia' too"),
        (lambda r: r["bodies"][1].update(placement="here"), "body 'body 1': placement cannot be 'here'"),
        (lambda r: r["bodies"][1].update(parent=3), "body 'body 1': parent cannot be 3"),
        (lambda r: r.update(bodies="all"), "bodies cannot be 'all'"),
        (lambda r: r.update(bodies=[7]), "body 0: expected the fields of a Body, not 7"),
        (lambda r: r["bodies"][0]["inertia"].update(com=[1, 2]), "inertia cannot be"),
    ],
)
def test_wrong_records_are_refused_in_words(change, sentence):
    with pytest.raises(lo.ModelError, match=sentence):
        description_from_record(damaged(change))


def test_what_is_no_record():
    with pytest.raises(lo.ModelError, match="not the record of a mechanism"):
        description_from_record([1, 2])


def test_what_cannot_be_written():
    description = replace(mechanisms.random_description(0), source=object())
    with pytest.raises(ValueError, match="not a object"):
        description_to_record(description)
