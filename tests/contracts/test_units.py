"""One word, one unit: `rate` is in rad/s (or 1/s), `frequency` in Hz, in all public names and in the catalogue."""

import inspect

import pytest

import locomote as lo
from locomote import public


def words(name):
    return name.rstrip("_").split("_")


@pytest.mark.parametrize("system", lo.systems.names())
def test_parameters_of_the_catalogue(system):
    for parameter in lo.systems.parameters(system):
        name = parameter.name
        if "frequency" in words(name) or parameter.unit == "Hz":
            assert words(name)[-1] == "frequency" and parameter.unit == "Hz", (name, parameter.unit)
        if words(name)[-1] == "rate":
            assert parameter.unit == "rad/s", (name, parameter.unit)


def spoken():
    """(where, name, text) of all arguments, fields and properties of public names that speak of frequencies."""
    for label, value in public.everything().items():
        if inspect.isclass(value):
            fields = set(getattr(value, "__dataclass_fields__", ())) | arguments(value.__init__)
            for name in fields:
                yield f"lo.{label}({name})", name, inspect.getdoc(value)
            for name, member in inspect.getmembers_static(value):
                if isinstance(member, property):
                    yield f"lo.{label}.{name}", name, inspect.getdoc(member.fget)
        elif callable(value):
            for name in arguments(value):
                yield f"lo.{label}({name})", name, inspect.getdoc(value)


def arguments(call):
    try:
        return set(inspect.signature(call).parameters)
    except (TypeError, ValueError):
        return set()


FREQUENCIES = [row for row in spoken() if {"frequency", "frequencies"} & set(words(row[1]))]
RATES = [row for row in spoken() if row[1] == "rate" and not row[0].startswith("lo.rotation_")]


def test_frequencies_are_in_hertz():
    assert FREQUENCIES and not [where for where, _, text in FREQUENCIES if "Hz" not in (text or "")]


def test_rates_are_in_radians_per_second():
    """`rate` of the exponential map of rotations is that of its argument, whatever it is."""
    assert RATES and not [where for where, _, text in RATES if "rad/s" not in (text or "") and "1/s" not in (text or "")]
