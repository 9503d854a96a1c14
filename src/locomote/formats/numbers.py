"""Numbers out of attribute text, strictly: the whole text, finite, of a sane size, the right count."""

import re
from typing import Any, overload

from locomote.formats.faults import Faults, shown

LARGEST = 1e30  # squares and products of such values still have room in a double
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


def parse_number(text: str, *, infinite: bool = False) -> float | str:
    """The number, or a sentence why there is none. `infinite` allows +-inf and values beyond LARGEST."""
    text = text.strip()
    if len(text) > 100:
        return f"{shown(text)} is too long for a number"
    if _NOT_FINITE.fullmatch(text):
        if infinite and "n" != text.lstrip("+-")[0].lower():
            return float(text)
        return f"{shown(text)} is not a finite number"
    if not _NUMBER.fullmatch(text):
        return f"{shown(text)} is not a number"
    value = float(text)
    if abs(value) > LARGEST and not infinite:
        return f"{shown(text)} is absurdly large (more than {LARGEST:g})"
    return value


def parse_numbers(text: str, least: int, most: int) -> tuple[float, ...] | str:
    """Between `least` and `most` numbers divided by blanks, or a sentence why not."""
    parts = text.split(None, most + 1)
    wanted = f"{most}" if least == most else f"{least} to {most}"
    if len(parts) > most:
        return f"has more than {wanted} numbers: {shown(text)}"
    if len(parts) < least:
        return f"has {len(parts)} number{'' if len(parts) == 1 else 's'}, expected {wanted}: {shown(text)}"
    values = [parse_number(part) for part in parts]
    wrong = [value for value in values if isinstance(value, str)]
    return wrong[0] if wrong else tuple(value for value in values if not isinstance(value, str))


@overload
def number(
    node, attribute: str, faults: Faults, default: float, *, infinite: bool = ..., least: float | None = ...
) -> float: ...


@overload
def number(
    node, attribute: str, faults: Faults, default: None = None, *, infinite: bool = ..., least: float | None = ...
) -> float | None: ...


def number(node, attribute: str, faults: Faults, default: float | None = None, *, infinite=False, least=None) -> float | None:
    """Attribute `attribute` of `node` as a number; `default` if it is absent; a fault and `default` if it is wrong.

    Without a default an absent attribute is a fault. `least` is the smallest value allowed.
    """
    text = node.get(attribute)
    if text is None:
        if default is None:
            faults.add(node, f"attribute {attribute!r} is missing")
        return default
    value = parse_number(text, infinite=infinite)
    if isinstance(value, str):
        faults.add(node, f"{attribute} {value}")
        return default
    if least is not None and value < least:
        faults.add(node, f"{attribute} is {value:g}, expected at least {least:g}")
        return default
    return value


@overload
def numbers(node, attribute: str, count, faults: Faults, default: tuple[float, ...]) -> Any: ...


@overload
def numbers(node, attribute: str, count, faults: Faults, default: None = None) -> Any | None: ...


def numbers(node, attribute: str, count, faults: Faults, default: tuple | None = None) -> tuple[float, ...] | None:
    """Attribute `attribute` of `node` as `count` numbers, or (least, most) of them; absent and wrong as in `number`."""
    text = node.get(attribute)
    if text is None:
        if default is None:
            faults.add(node, f"attribute {attribute!r} is missing")
        return default
    least, most = count if isinstance(count, tuple) else (count, count)
    values = parse_numbers(text, least, most)
    if isinstance(values, str):
        faults.add(node, f"{attribute} {values}")
        return default
    return values
