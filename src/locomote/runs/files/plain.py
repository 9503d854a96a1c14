"""Python values as JSON text and back: numbers keep their last bit; arrays and tuples come back as lists.

JSON has no infinity and no NaN: such a number is written {"float": "inf"}.
"""

import json
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

NOT_FINITE = ("inf", "-inf", "nan")


def to_text(value: Any, *, strict: bool = True) -> str:
    """JSON of a value. What JSON cannot hold is a ValueError that names it or, if not strict, kept as the text it prints."""
    return json.dumps(_plain(value, strict, ""), allow_nan=False)


def from_text(text: str) -> Any:
    """The value of such JSON."""
    return json.loads(text, object_hook=_number, parse_constant=_refuse)


def _plain(value: Any, strict: bool, where: str) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufUS":
        return _plain(value.tolist(), strict, where)
    if isinstance(value, Real):  # such as a fraction
        return _plain(float(value), strict, where)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, strict, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, strict, f"{where}[{n}]") for n, item in enumerate(value)]
    if strict:
        raise ValueError(f"{where or 'it'} is a {type(value).__name__}, which a file cannot hold: {value!r:.60}")
    return str(value)


def _number(found: dict) -> Any:
    return float(found["float"]) if found.keys() == {"float"} and found["float"] in NOT_FINITE else found


def _refuse(name: str):
    raise ValueError(f"{name} is not JSON")
