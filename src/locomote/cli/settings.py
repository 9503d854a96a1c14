"""`--set NAME=VALUE` and `--option NAME=VALUE`: words of the command line as parameters of systems and readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from locomote.errors import LocomoteError, ModelError, UnknownName

if TYPE_CHECKING:
    from locomote.systems.catalogue import System

TRUTH = {"true": True, "yes": True, "false": False, "no": False}


class Mistake(LocomoteError):
    """The command line asks for something that is not there or makes no sense."""


def loaded(name: str, settings: list[str], **more: Any) -> System:
    """A system of the catalogue with parameters from NAME=VALUE (and some given as values)."""
    from locomote.systems import catalogue

    defaults = {p.name: p.default for p in catalogue.parameters(name)}
    values, others = dict(more), {}
    for setting in settings:
        key, sign, text = (part.strip() for part in setting.partition("="))
        if not sign or not key:
            raise Mistake(f"--set {setting!r}: expected NAME=VALUE; locomote info {name} lists the parameters")
        if key in values or key in others:
            raise Mistake(f"parameter {key!r} is set twice")
        if key in defaults:
            values[key] = value_of(text, defaults[key])
        else:  # a number of its problem
            others[key] = value_of(text, 0.0 if "," not in text else [0.0])
    try:
        return catalogue.load(name, **values).with_parameters(others)
    except UnknownName as error:
        raise Mistake(f"{error}; locomote info {name} lists them") from None
    except (ModelError, ValueError) as error:
        raise Mistake(str(error)) from None


def reader_options(settings: list[str], said: tuple[str, ...]) -> dict[str, Any]:
    """Options of the reader of a file from NAME=VALUE; said : those that the command line has words of its own for."""
    values: dict[str, Any] = {}
    for setting in settings:
        key, sign, text = (part.strip() for part in setting.partition("="))
        if not sign or not key:
            raise Mistake(f"--option {setting!r}: expected NAME=VALUE, as in model=arm")
        if key in said or key in values:
            raise Mistake(f"--option {key}: it is set twice, or has an option of its own (--help lists them)")
        values[key] = text
    return values


def value_of(text: str, default: Any) -> Any:
    """A text as a value of the type of a default. What cannot be one stays a text, which the system refuses in words."""
    if isinstance(default, bool):
        return TRUTH.get(text.lower(), text)
    if isinstance(default, int | float):
        return number(text)
    if isinstance(default, list | tuple):
        parts = [part.strip() for part in text.strip("[]()").split(",")]
        return [value_of(part, default[0] if default else 0.0) for part in parts if part]
    return text


def number(text: str) -> int | float | str:
    """The whole or other number that a text says, or the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
