"""Docstrings of public names say the shapes of the arrays that are taken and given."""

import inspect
import re

import pytest

from locomote import public

SHAPE = re.compile(r"\((?:\.\.\.|[A-Za-z0-9_][A-Za-z0-9_ +*]*)?(?:, ?[A-Za-z0-9_ +*.]+)*,?\)")
STATES = ("q", "v", "a", "tau")  # arrays wherever they are arguments, annotated or not


def is_array(annotation) -> bool:
    text = str(annotation)
    return "ndarray" in text and "Callable" not in text


def functions():
    """(how it is called, function) of public functions."""
    for name, value in public.everything().items():
        if callable(value) and not inspect.isclass(value):
            yield name, inspect.unwrap(value)


def methods():
    """(how it is called, function) of public methods and properties."""
    for name, value in public.everything().items():
        for label, member in vars(value).items() if inspect.isclass(value) else ():
            member = member.fget if isinstance(member, property) else member
            if inspect.isfunction(member) and not label.startswith("_"):
                yield f"{name}.{label}", inspect.unwrap(member)


def is_shaped(argument: str, text: str) -> bool:
    """Whether a shape follows the name of an argument on the same line."""
    places = re.finditer(rf"(?<![\w`.]){argument}(?!\w)", text)
    return any(SHAPE.search(text[place.end() :].split("\n")[0][:60]) for place in places)


@pytest.mark.parametrize("function", [pytest.param(f, id=name) for name, f in functions()])
def test_functions_say_the_shape_of_each_array(function):
    signature, text = inspect.signature(function), inspect.getdoc(function) or ""
    arrays = [p.name for p in signature.parameters.values() if p.name in STATES or is_array(p.annotation)]
    assert not [name for name in arrays if not is_shaped(name, text)]
    assert SHAPE.search(text) or not is_array(signature.return_annotation)


def test_methods_say_shapes():
    wrong = []
    for name, function in methods():
        signature = inspect.signature(function)
        kinds = [signature.return_annotation, *(p.annotation for p in signature.parameters.values())]
        if any(map(is_array, kinds)) and not SHAPE.search(inspect.getdoc(function) or ""):
            wrong.append(name)
    assert not wrong
